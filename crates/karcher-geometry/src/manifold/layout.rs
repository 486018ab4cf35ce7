//! Layouts of points: coordinates, units, triangles of matrices.

mod compositions;
mod dictionary;
mod fit;
mod lists;
mod misnamed;
mod names;
mod other_columns;
mod places;
mod quantities;
mod tokens;
mod units;

pub use dictionary::Dictionary;
pub(super) use names::Names;
pub use names::{Called, Contradiction, Verdict, Wording};
pub(super) use other_columns::Signs;
pub(super) use places::Entries;

use super::remedy::Remedy;
use super::vector::non_finite;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

type Read = Arc<dyn Fn(&[f64]) -> Result<Vec<f64>, String> + Send + Sync>;
type Write = Arc<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;
type Holds = Arc<dyn Fn(&[f64]) -> Result<(), String> + Send + Sync>;
type Nearest = Arc<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;
type Advise = Arc<dyn Fn(&[f64], bool) -> Option<Remedy> + Send + Sync>;

/// The unit of the angles in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AngleUnit {
    /// 360 of them are a full turn.
    Degrees,
    /// 2π of them are a full turn.
    Radians,
}

/// One way to write a point of a space down, by name: `latlon`, `upper-row`, `poincare`.
///
/// A space declares its layouts ([`Manifold::layouts`](crate::Manifold::layouts)), the one of its own numbers first.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Sphere};
/// let sphere = Sphere::new(2)?;
/// let layouts = sphere.layouts();
/// let latlon = layouts.iter().find(|layout| layout.name() == "latlon").ok_or("no such layout")?;
/// let pole = latlon.read(&[90.0, 0.0])?;
/// assert!(sphere.dist(&pole, &[0.0, 0.0, 1.0]) < 1e-15);
/// assert_eq!(latlon.write(&[0.0, 1.0, 0.0]), [0.0, 90.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Layout {
    name: Cow<'static, str>,
    numbers: usize,
    plain: bool,
    columns: Vec<&'static str>,
    /// The unit of each number that is an angle; empty if none is.
    units: Vec<Option<AngleUnit>>,
    told: bool,
    /// Numbers that mean the same with a period added, and their periods.
    periods: Vec<(usize, f64)>,
    /// Numbers that mean the same with the opposite signs.
    signed: Vec<Range<usize>>,
    of_several: bool,
    names: Names,
    array: Option<Vec<usize>>,
    read: Read,
    write: Write,
    holds: Holds,
    nearest: Option<Nearest>,
    advise: Advise,
}

impl Layout {
    /// The numbers of a point as they are.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// let vectors = Layout::plain("vectors", 3);
    /// assert_eq!(vectors.read(&[1.0, 2.0, 3.0]), Ok(vec![1.0, 2.0, 3.0]));
    /// assert!(vectors.read(&[1.0, 2.0]).is_err());
    /// ```
    pub fn plain(name: impl Into<Cow<'static, str>>, numbers: usize) -> Self {
        Self { plain: true, ..Self::new(name, numbers, |record| Ok(record.to_vec()), <[f64]>::to_vec) }
    }

    /// A layout of `numbers` numbers. `read` makes a point of them, or returns a sentence with the reason why it
    /// cannot; `write` is its inverse. `read` gets `numbers` finite numbers; its result is checked elsewhere.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// let polar = Layout::new(
    ///     "polar",
    ///     2,
    ///     |r| match r[0] >= 0.0 {
    ///         true => Ok(vec![r[0] * r[1].cos(), r[0] * r[1].sin()]),
    ///         false => Err("the radius is negative".to_owned()),
    ///     },
    ///     |p| vec![p[0].hypot(p[1]), p[1].atan2(p[0])],
    /// );
    /// assert_eq!(polar.write(&[0.0, 2.0]), [2.0, std::f64::consts::FRAC_PI_2]);
    /// assert_eq!(polar.read(&[-1.0, 0.0]), Err("the radius is negative".to_owned()));
    /// ```
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        numbers: usize,
        read: impl Fn(&[f64]) -> Result<Vec<f64>, String> + Send + Sync + 'static,
        write: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            numbers,
            plain: false,
            columns: vec![],
            units: vec![],
            told: false,
            periods: vec![],
            signed: vec![],
            of_several: false,
            names: Names::new(numbers),
            array: None,
            read: Arc::new(read),
            write: Arc::new(write),
            holds: Arc::new(|_| Ok(())),
            nearest: None,
            advise: Arc::new(|_, _| None),
        }
    }

    /// The same layout with names for its numbers: `latitude`, `longitude`. Results are written with them.
    /// [`called`](Layout::called) sets the names of columns in tables.
    ///
    /// ```
    /// use karcher_geometry::manifold::{AngleUnit, Layout};
    /// let layout = Layout::plain("clock", 1).columns(&["hour angle"]).angles_in(AngleUnit::Degrees).told();
    /// assert_eq!(layout.column_names(), ["hour angle"]);
    /// assert_eq!((layout.angle_unit(), layout.is_told()), (Some(AngleUnit::Degrees), true));
    /// ```
    #[must_use]
    pub fn columns(self, columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), ..self }
    }

    /// The same layout, whose numbers are angles in a unit. Names of columns that say another unit contradict it.
    #[must_use]
    pub fn angles_in(self, unit: AngleUnit) -> Self {
        Self { units: vec![Some(unit); self.numbers], ..self.checked_in(unit) }
    }

    /// The same layout, in which a period may be added to the numbers in these places, from 0: a turn to an angle.
    #[must_use]
    pub fn periodic(self, places: &[usize], period: f64) -> Self {
        Self { periods: places.iter().map(|place| (*place, period)).collect(), ..self }
    }

    /// The same layout, in which the numbers in these places mean the same with the opposite signs: the two quaternions
    /// of a rotation.
    #[must_use]
    pub fn up_to_sign(self, places: Range<usize>) -> Self {
        Self { signed: std::iter::once(places).collect(), ..self }
    }

    /// The same layout, which writes a point as near to `record`, numbers in this layout, as periods and signs allow:
    /// next to 200° it writes 205°, not −155°, and quaternions with the sign of the record's. Other numbers stay as
    /// they are.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Torus};
    /// let layouts = Torus::new(1)?.layouts();
    /// let degrees = layouts.iter().find(|layout| layout.name() == "degrees").ok_or("no such layout")?;
    /// let point = degrees.read(&[205.0])?;
    /// assert!((degrees.write(&point)[0] + 155.0).abs() < 1e-9);
    /// assert!((degrees.clone().near(&[200.0]).write(&point)[0] - 205.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn near(self, record: &[f64]) -> Self {
        let (write, near) = (self.write.clone(), record.to_vec());
        let (periods, signed) = (self.periods.clone(), self.signed.clone());
        let write = move |point: &[f64]| {
            let mut written = write(point);
            for places in &signed {
                if let (Some(own), Some(near)) = (written.get_mut(places.clone()), near.get(places.clone()))
                    && own.iter().zip(near).map(|(x, near)| x * near).sum::<f64>() < 0.0
                {
                    own.iter_mut().for_each(|x| *x = 0.0 - *x);
                }
            }
            for (place, period) in &periods {
                if let (Some(x), Some(near)) = (written.get_mut(*place), near.get(*place)) {
                    *x += period * ((near - *x) / period).round();
                }
            }
            written
        };
        Self { write: Arc::new(write), ..self }
    }

    /// The same layout, whose numbers are called so in tables: one entry for each number. Readers refuse columns whose
    /// names [say](Layout::check_names) that they are something else.
    #[must_use]
    pub fn called(self, called: &[Called]) -> Self {
        Self { names: self.names.called(called), ..self }
    }

    /// The same layout, whose numbers are called so in groups that stand side by side, each named by itself: the
    /// translation and the quaternion of a pose.
    #[must_use]
    pub(super) fn called_in_groups(self, groups: &[&[Called]]) -> Self {
        Self { names: self.names.called_in_groups(groups), ..self }
    }

    /// The same layout, whose columns contradict it if their names say another unit.
    #[must_use]
    pub(super) fn checked_in(self, unit: AngleUnit) -> Self {
        Self { names: self.names.in_unit(unit), ..self }
    }

    /// The same layout, whose numbers are entries of a matrix.
    #[must_use]
    pub(super) fn of_entries(self, entries: Entries) -> Self {
        Self { names: self.names.entries(entries), ..self }
    }

    /// The same layout, whose numbers are parts of a whole, in one unit.
    #[must_use]
    pub(super) fn of_parts(self) -> Self {
        Self { names: self.names.composition(), ..self }
    }

    /// The same layout, whose numbers are landmarks in so many dimensions: all first coordinates first, or landmark by
    /// landmark.
    #[must_use]
    pub(super) fn of_landmarks(self, blocked: bool, axes: usize) -> Self {
        Self { names: self.names.landmarks(blocked, axes), ..self }
    }

    /// The same layout with words that name it: columns with the words of another layout contradict it.
    #[must_use]
    pub(super) fn kind(self, words: &'static [&'static str]) -> Self {
        Self { names: self.names.kind(words), ..self }
    }

    /// The same layout; columns contradict it if they say all these words, and `remedy` is the advice then.
    #[must_use]
    pub(super) fn not_of(self, words: &'static [&'static str], remedy: &'static str) -> Self {
        Self { names: self.names.foreign(words, words.len(), remedy), ..self }
    }

    /// The same layout; columns contradict it if they say one of these words.
    #[must_use]
    pub(super) fn not_of_any(self, words: &'static [&'static str], remedy: &'static str) -> Self {
        Self { names: self.names.foreign(words, 1, remedy), ..self }
    }

    /// The same layout; columns contradict it if they say two of these words.
    #[must_use]
    pub(super) fn not_of_two(self, words: &'static [&'static str], remedy: &'static str) -> Self {
        Self { names: self.names.foreign(words, 2, remedy), ..self }
    }

    /// The same layout; columns contradict it if a name says one of these words.
    #[must_use]
    pub(super) fn never(self, words: &'static [&'static str], remedy: &'static str) -> Self {
        Self { names: self.names.never(words, remedy), ..self }
    }

    /// The same layout, whose columns in these places, from 0, may say any unit: their numbers are multiplied before
    /// they are read.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere, Verdict};
    /// let layouts = Sphere::new(1)?.layouts();
    /// let degrees = layouts.iter().find(|layout| layout.name() == "degrees").ok_or("no such layout")?;
    /// let Verdict::Contradiction(found) = degrees.check_names(&[], &["hour"]) else { return Err("none".into()) };
    /// assert_eq!(found.factors, [(0, 15.0)]);
    /// assert_eq!(degrees.clone().in_any_unit(vec![0]).check_names(&[], &["hour"]), Verdict::Silence);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_any_unit(self, columns: Vec<usize>) -> Self {
        Self { names: self.names.in_any_unit(columns), ..self }
    }

    /// The same layout, whose columns stand among others: `all` are the names of all columns of a table, in its order.
    /// Columns of hemispheres and minutes next to those that are read contradict it.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere, Verdict};
    /// let layouts = Sphere::new(2)?.layouts();
    /// let latlon = layouts.iter().find(|layout| layout.name() == "latlon").ok_or("no such layout")?;
    /// let all = ["Latitude", "N/S", "Longitude", "E/W"].map(str::to_owned).to_vec();
    /// let chosen = ["Latitude", "Longitude"];
    /// assert_eq!(latlon.check_names(&layouts, &chosen), Verdict::Agreement);
    /// assert!(matches!(latlon.clone().among(all).check_names(&layouts, &chosen), Verdict::Contradiction(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn among(self, all: Vec<String>) -> Self {
        Self { names: self.names.among(all), ..self }
    }

    /// The same layout, whose numbers other columns may change.
    #[must_use]
    pub(super) fn with_signs(self, signs: Signs) -> Self {
        Self { names: self.names.with_signs(signs), ..self }
    }

    /// The same layout, in which a record may be an array of these axes. Readers refuse arrays of other axes, unless a
    /// record has one axis only.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Layout, Verdict};
    /// let pairs = Layout::plain("pairs", 6).in_arrays(&[3, 2]);
    /// assert!(matches!(pairs.check_array(&[], &[2, 3]), Verdict::Contradiction(_)));
    /// ```
    #[must_use]
    pub fn in_arrays(self, axes: &[usize]) -> Self {
        Self { array: Some(axes.to_vec()), ..self }
    }

    /// The layout of a product, which knows the names, units, periods and signs of its factors' layouts.
    #[must_use]
    pub(super) fn of_layouts(self, factors: &[&Layout]) -> Self {
        let (mut first, mut periods, mut signed) = (0, vec![], vec![]);
        for factor in factors {
            periods.extend(factor.periods.iter().map(|(place, period)| (first + place, *period)));
            signed.extend(factor.signed.iter().map(|places| first + places.start..first + places.end));
            first += factor.numbers;
        }
        let units = factors.iter().flat_map(|factor| factor.angle_units()).collect();
        Self { names: Names::joined(factors.iter().map(|factor| factor.names())), units, periods, signed, ..self }
    }

    fn names(&self) -> &Names {
        &self.names
    }

    /// The same layout, whose records are the numbers of a point as they are.
    #[must_use]
    pub(super) fn made_plain(self) -> Self {
        Self { plain: true, ..self }
    }

    /// The axes that an array of a record may have.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// assert_eq!(Layout::plain("pairs", 6).in_arrays(&[3, 2]).array(), Some(&[3, 2][..]));
    /// assert_eq!(Layout::plain("list", 6).array(), None);
    /// ```
    pub fn array(&self) -> Option<&[usize]> {
        self.array.as_deref()
    }

    /// The same layout, in which results are shown too, next to the point's own numbers, to users whose records are in
    /// it: coordinates that people think in, such as latitude and longitude in degrees.
    #[must_use]
    pub fn told(self) -> Self {
        Self { told: true, ..self }
    }

    /// The same layout, which writes the representative that `choose` makes of a point's numbers: a function of the
    /// point, for spaces whose points have many.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// // an axis is a unit vector up to sign: the one whose first number is not negative is written
    /// let axes = Layout::plain("axes", 2).with_representative(|p| p.iter().map(|x| x * p[0].signum()).collect());
    /// assert_eq!(axes.write(&[-0.6, 0.8]), [0.6, -0.8]);
    /// ```
    #[must_use]
    pub fn with_representative(self, choose: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        let write = self.write.clone();
        Self { write: Arc::new(move |point| write(&choose(point))), ..self }
    }

    /// The same layout, which cannot hold every point: `holds` says in a sentence why it does not hold one. A matrix
    /// whose diagonal is not 1 is more than its correlations.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// let whole = |p: &[f64]| if p[1] == 0.0 { Ok(()) } else { Err("it has an imaginary part".to_owned()) };
    /// let real = Layout::new("real", 1, |r| Ok(vec![r[0], 0.0]), |p| vec![p[0]]).holding(whole);
    /// assert!(real.check_holds(&[2.0, 0.0]).is_ok());
    /// assert_eq!(real.check_holds(&[2.0, 1.0]), Err("it has an imaginary part".to_owned()));
    /// ```
    #[must_use]
    pub fn holding(self, holds: impl Fn(&[f64]) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self { holds: Arc::new(holds), ..self }
    }

    /// The same layout, whose records `nearest` makes such of numbers that rounding changed, if there are any: the
    /// rotation nearest to a matrix. Other numbers stay as they are.
    #[must_use]
    pub fn rounded_by(self, nearest: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        Self { nearest: Some(Arc::new(nearest)), ..self }
    }

    /// The same layout with a remedy for records that are no points. `advise` gets such a record, and whether rounding
    /// explains it.
    #[must_use]
    pub(super) fn advising(self, advise: impl Fn(&[f64], bool) -> Option<Remedy> + Send + Sync + 'static) -> Self {
        Self { advise: Arc::new(advise), ..self }
    }

    /// The record of this layout that is nearest to numbers of the right length, where only some numbers are records.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Rotations};
    /// let layouts = Rotations::new(3)?.layouts();
    /// let matrices = layouts.iter().find(|layout| layout.name() == "matrices").ok_or("no such layout")?;
    /// let rounded = [0.8, -0.6001, 0.0, 0.5999, 0.8, 0.0, 0.0, 0.0, 1.0];
    /// assert!(matrices.read(&rounded).is_err());
    /// let nearest = matrices.nearest(&rounded).ok_or("any matrix is a record")?;
    /// assert!(matrices.read(&nearest).is_ok() && (nearest[1] + 0.6).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(&self, record: &[f64]) -> Option<Vec<f64>> {
        self.nearest.as_ref().map(|nearest| nearest(record))
    }

    pub(super) fn advise(&self, record: &[f64], is_rounded: bool) -> Option<Remedy> {
        (self.advise)(record, is_rounded)
    }

    /// The same layout, whose records may each hold several points: squares of numbers with either sign. It reads one
    /// of them and writes all.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// let squares = Layout::new("squares", 1, |r| Ok(vec![r[0].sqrt()]), |p| vec![p[0] * p[0]]).of_several_points();
    /// assert_eq!((squares.write(&[-3.0]), squares.read(&[9.0])), (vec![9.0], Ok(vec![3.0])));
    /// assert!(squares.holds_several_points());
    /// ```
    #[must_use]
    pub fn of_several_points(self) -> Self {
        Self { of_several: true, ..self }
    }

    /// Whether it writes several points alike.
    pub fn holds_several_points(&self) -> bool {
        self.of_several
    }

    /// The layout's name, as on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Numbers in a record.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// Whether a record is the numbers of a point as they are, so that nothing has to be done to read it.
    ///
    /// ```
    /// use karcher_geometry::manifold::Layout;
    /// assert!(Layout::plain("vectors", 3).is_plain());
    /// ```
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The names of the numbers, where they have some.
    pub fn column_names(&self) -> &[&'static str] {
        &self.columns
    }

    /// The unit of the numbers, where all are angles in one.
    pub fn angle_unit(&self) -> Option<AngleUnit> {
        let first = *self.units.first()?;
        self.units.iter().all(|unit| *unit == first).then_some(first)?
    }

    /// The unit of each number that is an angle.
    ///
    /// ```
    /// use karcher_geometry::Space;
    /// let wind = "torus:1*euclidean:1".parse::<Space>()?.manifold()?;
    /// let layout = wind.layouts().into_iter().find(|layout| layout.name() == "degrees*vectors").expect("it has one");
    /// assert_eq!(layout.angle_units().map(|unit| unit.is_some()).collect::<Vec<_>>(), [true, false]);
    /// assert_eq!(layout.angle_unit(), None);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn angle_units(&self) -> impl Iterator<Item = Option<AngleUnit>> {
        (0..self.numbers).map(|i| self.units.get(i).copied().flatten())
    }

    /// Whether results are shown in it to users whose records are.
    pub fn is_told(&self) -> bool {
        self.told
    }

    /// The point that a record holds, or the reason why it holds none.
    ///
    /// # Errors
    /// A sentence.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let layouts = Hyperbolic::new(2)?.layouts();
    /// let poincare = layouts.iter().find(|layout| layout.name() == "poincare").ok_or("no such layout")?;
    /// assert_eq!(poincare.read(&[0.0, 0.0])?, [1.0, 0.0, 0.0]); // the middle of the disk
    /// assert_eq!(poincare.read(&[1.5, 0.0]).unwrap_err(), "its norm is 1.5, it must be below 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(&self, record: &[f64]) -> Result<Vec<f64>, String> {
        if record.len() != self.numbers {
            return Err(format!("the layout {} takes {} numbers, found {}", self.name, self.numbers, record.len()));
        }
        non_finite(record).map_or_else(|| (self.read)(record), Err)
    }

    /// Whether the record of a point holds all of it.
    ///
    /// # Errors
    /// A sentence with the part that it does not hold.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let layouts = Hyperbolic::new(1)?.layouts();
    /// let klein = layouts.iter().find(|layout| layout.name() == "klein").ok_or("no such layout")?;
    /// let at = |distance: f64| [distance.cosh(), distance.sinh()];
    /// assert!(klein.check_holds(&at(3.0)).is_ok());
    /// assert!(klein.check_holds(&at(30.0)).is_err()); // doubles put it on the edge of the ball
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_holds(&self, point: &[f64]) -> Result<(), String> {
        (self.holds)(point)
    }

    /// The record that holds a point, or an incomplete one where [`check_holds`](Layout::check_holds) is an error.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdLogEuclidean};
    /// let layouts = SpdLogEuclidean::new(2)?.layouts();
    /// let upper = layouts.iter().find(|layout| layout.name() == "upper-row").ok_or("no such layout")?;
    /// assert_eq!(upper.write(&[2.0, 0.5, 0.5, 1.0]), [2.0, 0.5, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, point: &[f64]) -> Vec<f64> {
        (self.write)(point)
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} numbers)", self.name, self.numbers)
    }
}
