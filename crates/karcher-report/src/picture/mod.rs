//! Pictures of releases. A picture is a function of the release alone, so you may publish it with the release.

mod axes;
mod bars;
mod chart;
mod coast;
mod components;
mod dials;
mod effects;
mod forest;
mod frame;
mod heat;
mod line_and_space;
mod marks;
mod oblique;
mod page;
mod plan;
mod plane;
#[cfg(feature = "png")]
mod png_file;
mod projection;
mod quantiles;
mod region;
mod regression;
mod rows;
mod series;
mod shape;
pub mod subject;
mod svg_file;
mod tensor;
mod thin;
pub mod view;

use crate::html::Shown;
use crate::{Error, Result};
use chart::Scale;
use karcher::Manifold;
use karcher::release::{PooledMean, Provenance, PublishedRelease, StatisticName, Value, ValueKind};
use karcher::series::SeriesState;
use maud::html;
use page::Page;
pub use plan::{Curve, Curves, Expected, PlanCurves, known_error, parameter, with_parameter};
use projection::Projection;
use regression::Paths;

/// The most angles that have a dial each.
const MOST_DIALS: usize = 16;

/// The kinds of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A globe, perhaps of axes.
    Globe {
        /// Whether opposite points are one.
        axes: bool,
    },
    /// The Poincaré disc.
    Disc,
    /// A plane.
    Plane,
    /// A square of two angles.
    Torus,
    /// A line.
    Line,
    /// Space.
    Space,
    /// A dial for each angle.
    Dials {
        /// Whether the angle is that of a vector.
        is_circle: bool,
    },
    /// Landmarks of so many coordinates.
    Shape(usize),
    /// An ellipse or an ellipsoid.
    Tensor(usize),
    /// A matrix of colors.
    Heat {
        /// Rows of the matrix.
        size: usize,
        /// Whether its entries are complex.
        is_complex: bool,
    },
    /// A bar for each part of a composition.
    Bars,
    /// A regression in one dimension over its predictor.
    Chart(Scale),
    /// The effects of a regression on features.
    Effects,
    /// A box of quantiles over their levels.
    Quantiles,
}

impl Kind {
    /// The kind of picture for a statistic on a space.
    ///
    /// # Errors
    /// For a space without pictures, with a list of the others.
    pub fn of(manifold: &dyn Manifold, statistic: StatisticName) -> Result<Self> {
        let space = manifold.space();
        let about = statistic.description();
        if !about.is_drawn {
            let words = "there are of means, medians, balls, regressions and quantiles";
            return Err(Error::new(format!("a {statistic} has no picture: {words}")));
        }
        if about.value == ValueKind::Quantiles {
            return Ok(Self::Quantiles);
        }
        let is_line = matches!(about.value, ValueKind::Geodesic | ValueKind::Features);
        let (family, size) = space.as_str().split_once(':').unwrap_or((space.as_str(), ""));
        let size = match (family, size.split_once(',')) {
            ("landmarks" | "size-and-shape", Some((_, axes))) => axes,
            _ => size, // of a product or a Grassmannian no number, so not in the list
        };
        let size: usize = size.parse().unwrap_or(0);
        let heat = |is_complex| Some(Self::Heat { size, is_complex });
        let kind = match (family, size) {
            ("sphere", 2) => Some(Self::Globe { axes: false }),
            ("projective", 2) => Some(Self::Globe { axes: true }),
            ("hyperbolic", 2) => Some(Self::Disc),
            ("euclidean", 2) => Some(Self::Plane),
            ("torus", 2) => Some(Self::Torus),
            ("kendall", 3..) => Some(Self::Shape(2)),
            ("landmarks" | "size-and-shape", 2 | 3) => Some(Self::Shape(size)),
            ("spd-log-euclidean" | "spd-affine-invariant" | "spd-log-cholesky", 2 | 3) => Some(Self::Tensor(size)),
            ("euclidean", 1) if is_line => Some(Self::Chart(Scale::Line)),
            ("sphere", 1) if is_line => Some(Self::Chart(Scale::Circle { is_vector: true })),
            ("torus", 1) if is_line => Some(Self::Chart(Scale::Circle { is_vector: false })),
            _ if about.value == ValueKind::Features => Some(Self::Effects),
            _ if is_line => None,
            ("spd-log-euclidean" | "spd-affine-invariant" | "spd-log-cholesky", 1..=heat::LARGEST) => heat(false),
            ("correlation-off-log", 2..=heat::LARGEST) => heat(false),
            ("hpd-log-euclidean" | "hpd-affine-invariant", 1..=heat::LARGEST) => heat(true),
            ("simplex-aitchison" | "simplex-fisher-rao", 2..=bars::MOST) => Some(Self::Bars),
            ("euclidean", 1) => Some(Self::Line),
            ("euclidean", 3) => Some(Self::Space),
            ("sphere", 1) => Some(Self::Dials { is_circle: true }),
            ("torus", 1..=MOST_DIALS) => Some(Self::Dials { is_circle: false }),
            _ => None,
        };
        kind.ok_or_else(|| {
            let others = match is_line {
                true => "euclidean:1, sphere:1, torus:1, and spd-…:K with K of 2 and 3".to_owned(),
                false => format!(
                    "sphere:1, torus:D up to D = {MOST_DIALS}, euclidean:1, euclidean:3, spd-…:K, hpd-…:K and \
                     correlation-off-log:K up to K = {}, simplex-…:K up to K = {}",
                    heat::LARGEST,
                    bars::MOST
                ),
            };
            let means = if is_line { "geodesic regressions" } else { "means" };
            Error::new(format!(
                "there are no pictures of {means} on {space}: there are of {means} on sphere:2, projective:2, \
                 hyperbolic:2, euclidean:2, torus:2, kendall:K, landmarks:K,D, size-and-shape:K,D, {others}"
            ))
        })
    }
}

/// The picture of a release.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher_report::Picture;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
/// let release = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
/// let picture = Picture::of(&release.into())?;
/// assert!(picture.svg().starts_with(b"<svg") && picture.title().starts_with("Private mean on sphere:2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Picture(Page);

impl Picture {
    /// Draws a release.
    ///
    /// # Errors
    /// For a space without pictures, with a list of the others; those of a space that the library lacks.
    pub fn of(release: &PublishedRelease) -> Result<Self> {
        draw(release).map(Self)
    }

    /// Draws a mean direction or axis in the equal-area net of the lower hemisphere, with public points: north is the
    /// first axis, east the second, and down the third. [`of`](Picture::of) does so for layouts of declinations,
    /// trends and strikes.
    ///
    /// # Errors
    /// For a release on another space than `sphere:2` and `projective:2`, and for a statistic without pictures.
    pub fn stereonet(release: &PublishedRelease, public: &[Vec<f64>]) -> Result<Self> {
        let manifold = release.provenance.manifold.manifold()?;
        let Kind::Globe { axes } = Kind::of(&*manifold, release.provenance.statistic)? else {
            let space = manifold.space();
            return Err(Error::new(format!(
                "a stereonet shows releases on sphere:2 and projective:2, this one is on {space}"
            )));
        };
        if let Some(error) = public.iter().find_map(|point| manifold.check_point(point).err()) {
            return Err(Error::new(format!("a public point: {error}")));
        }
        let region = region::of(release, &manifold);
        plane::draw(release, &*manifold, region.as_ref(), (Projection::Net { axes }, public)).map(Self)
    }

    /// Draws the expected errors of a plan, before there is a release.
    ///
    /// ```
    /// use karcher_report::{Curve, Curves, Expected, Picture, PlanCurves};
    /// let point = |at: f64| Expected { at, error: 2.0 / at, quantile_95: Some(4.0 / at) };
    /// let curve = Curve { mechanism: "laplace".into(), points: vec![point(10.0), point(100.0), point(1000.0)] };
    /// let over = |axis: &str| Curves { axis: axis.into(), planned: 100.0, curves: vec![curve.clone()] };
    /// let [title, setting, error] = ["Planned mean on sphere:2", "n = 100, ε = 1", "expected distance"].map(String::from);
    /// let picture = Picture::of_plan(&PlanCurves { title, setting, error, over: [over("n"), over("ε")] });
    /// assert_eq!(picture.title(), "Planned mean on sphere:2: n = 100, ε = 1");
    /// ```
    pub fn of_plan(plan: &PlanCurves) -> Self {
        Self(plan::draw(plan))
    }

    /// Draws how far the mean of each site is from the mean over sites, and how far noise and sampling reach: a forest
    /// plot. Distances are in a unit with a name, such as `(1.0, "")`.
    ///
    /// # Errors
    /// For one site alone; those of a space that the library lacks.
    ///
    /// ```
    /// use karcher::{Ball, Points, ReleaseContext, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::{PublishedRelease, pool}};
    /// use karcher_report::Picture;
    /// let plane = std::sync::Arc::new(Euclidean::new(2)?);
    /// let site = |x: f64| -> karcher::Result<PublishedRelease> {
    ///     let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
    ///     let plan = Request::new(mean, 500, Guarantee::pure(1.0)?).plan()?;
    ///     Ok(plan.run(&Points::new(&*plane, [x, 0.4].repeat(500))?, &mut ReleaseContext::from_os()?)?.into())
    /// };
    /// let pooled = pool(&[&site(0.1)?, &site(0.3)?, &site(0.5)?], Some(0.2))?;
    /// let picture = Picture::of_sites(&pooled, &["A", "B", "C"].map(String::from), (1.0, ""))?;
    /// assert!(picture.title().starts_with("Fréchet mean of 3 sites on euclidean:2"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_sites(pooled: &PooledMean, names: &[String], unit: (f64, &str)) -> Result<Self> {
        forest::draw(pooled, names, unit).map(Self)
    }

    /// Draws the numbers of a series over its periods, with their bands.
    ///
    /// # Errors
    /// For a series without a release, and of a statistic without such pictures.
    pub fn of_series(series: &SeriesState) -> Result<Self> {
        series::draw(series).map(Self)
    }

    /// Whether releases of a statistic on a space can be drawn, before there is one.
    ///
    /// # Errors
    /// If not, with a list of those that can.
    pub fn check(manifold: &dyn Manifold, statistic: StatisticName) -> Result<()> {
        Kind::of(manifold, statistic).map(|_| ())
    }

    /// A description in words.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// An SVG file. The same picture makes the same bytes.
    pub fn svg(&self) -> Vec<u8> {
        svg_file::bytes(&self.0)
    }

    /// The marks of the picture as JSON, in pixels from its upper left corner: other programs draw them on devices of
    /// their own. A panel's marks are clipped to its window.
    ///
    /// ```
    /// use karcher_report::{Curve, Curves, Expected, Picture, PlanCurves};
    /// let points = [10.0, 100.0].map(|at| Expected { at, error: 2.0 / at, quantile_95: None }).to_vec();
    /// let curve = Curve { mechanism: "laplace".into(), points };
    /// let over = |axis: &str| Curves { axis: axis.into(), planned: 10.0, curves: vec![curve.clone()] };
    /// let [title, setting, error] = ["Plan", "n = 10", "expected distance"].map(String::from);
    /// let marks = Picture::of_plan(&PlanCurves { title, setting, error, over: [over("n"), over("ε")] }).marks();
    /// assert_eq!((&marks["width"], &marks["title"]), (&900.0.into(), &"Plan: n = 10".into()));
    /// assert_eq!(marks["panels"][0]["marks"][0]["text"], "Plan");
    /// ```
    pub fn marks(&self) -> serde_json::Value {
        marks::json(&self.0)
    }

    /// The same for embedding in a page of HTML, with ids that begin with a unique name.
    pub(crate) fn inline(&self, name: &str) -> String {
        svg_file::inline(&self.0, name)
    }

    /// An element of HTML that shows the file, with the words in the picture for screen readers. A notebook from
    /// elsewhere shows it, too.
    pub fn image(&self) -> String {
        let words = format!("{}: {}", self.0.title, self.0.words().join("; "));
        html! { img alt=(Shown(&words)) src=(svg_file::address(&self.0)); }.into_string()
    }

    /// A PNG file. The same picture makes the same bytes.
    ///
    /// # Errors
    /// An error of the font renderer; it does not occur with the built-in fonts.
    #[cfg(feature = "png")]
    pub fn png(&self) -> Result<Vec<u8>> {
        png_file::bytes(&self.0)
    }
}

/// The marks of a picture.
fn draw(release: &PublishedRelease) -> Result<Page> {
    let manifold = release.provenance.manifold.manifold()?;
    let kind = Kind::of(&*manifold, release.provenance.statistic)?;
    if let Value::Quantiles(found) = &release.value {
        return Ok(quantiles::draw(release, found));
    }
    let region = region::of(release, &manifold);
    let region = region.as_ref();
    if let Value::Features(found) = &release.value
        && found.features.is_matrix()
    {
        return Ok(effects::draw(release, found)); // its rows have no range
    }
    let on_map = |projection| plane::draw(release, &*manifold, region, (projection, &[]));
    Ok(match kind {
        Kind::Globe { axes } if has_orientations(&release.provenance) => on_map(Projection::Net { axes })?,
        Kind::Globe { axes } => on_map(Projection::globe(release.provenance.ball.center(), axes))?,
        Kind::Disc => on_map(Projection::disc(release.provenance.ball.center()))?,
        Kind::Plane => on_map(Projection::Plane)?,
        Kind::Torus => on_map(Projection::Torus)?,
        Kind::Chart(scale) => match Paths::of(release, &*manifold)?.filter(|paths| paths.predictor.is_some()) {
            Some(paths) => chart::draw(release, &*manifold, &paths, scale),
            None => of_effects(release)?,
        },
        Kind::Effects | Kind::Quantiles => of_effects(release)?,
        Kind::Line => line_and_space::line(release, &*manifold, region),
        Kind::Space => line_and_space::space(release, &*manifold, region),
        Kind::Dials { is_circle } => dials::draw(release, region, is_circle),
        Kind::Shape(axes) => shape::draw(release, &*manifold, region, (axes, Paths::of(release, &*manifold)?.as_ref())),
        Kind::Tensor(k) => tensor::draw(release, &*manifold, region, (k, Paths::of(release, &*manifold)?.as_ref())),
        Kind::Heat { size, is_complex } => heat::draw(release, region, size, is_complex),
        Kind::Bars => bars::draw(release, &*manifold, region),
    })
}

/// The layouts of geology: records are drawn in a net, and not on a globe.
const OF_ORIENTATIONS: [&str; 4] = ["declination-inclination", "trend-plunge", "strike-dip", "dip-direction-dip"];

/// Whether the records of a release are orientations in rock.
fn has_orientations(release: &Provenance) -> bool {
    release.layout.as_deref().is_some_and(|layout| OF_ORIENTATIONS.contains(&layout))
}

/// The effects of a regression on features.
fn of_effects(release: &PublishedRelease) -> Result<Page> {
    if let Value::Features(found) = &release.value {
        return Ok(effects::draw(release, found));
    }
    Err(Error::new(format!("a {} makes no predictions that could be drawn", release.provenance.statistic)))
}
