//! The content of a release, kind by kind: in words and in tables.

use crate::document::Prediction;
use crate::html::{columns, facts, folded_on_screen, heading, number};
use crate::picture::subject;
use crate::provenance::{aims, length, radii, shared, spent};
use crate::value::point;
use karcher::Manifold;
use karcher::manifold::Shape;
use karcher::privacy::Guarantee;
use karcher::release::{
    Change, DirectionalSummary, Effect, Ellipsoid, Flag, NoisyNumber, PrivacyUnit, PrivateBall, PrivateClusters,
    PrivateComponents, PrivateCount, PrivateEmbeddedMean, PrivateFeatureRegression, PrivateGeodesic, PrivatePoint,
    PrivateSpread, PrivateVariance, Provenance, RandomizedRecord, Region, RegionCenter, StatisticName, TermTest,
};
use maud::{Markup, html};

/// Directions with more numbers than this, all together, are in the JSON alone.
const MOST: usize = 1_024;

/// Points with no more numbers than this have a row of a table each.
const FEW: usize = 6;

/// The context of one release: its provenance, its space if the library has it, and the level of headings.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    /// Its provenance.
    pub how: &'a Provenance,
    /// Its space, if the library has it.
    pub manifold: Option<&'a dyn Manifold>,
    /// The level of the headings in it.
    pub level: u8,
}

impl Of<'_> {
    fn length(&self, x: f64) -> String {
        length(self.how, x)
    }

    fn point(&self, caption: &str, numbers: &[f64]) -> Markup {
        point(caption, numbers, self.manifold, self.how.layout.as_deref())
    }

    /// Several points: in one table where they have few numbers each.
    fn points(&self, caption: &str, points: &[(String, &[f64])]) -> Markup {
        let most = points.iter().map(|(_, numbers)| numbers.len()).max().unwrap_or(0);
        if most > FEW || !self.manifold.is_none_or(|space| matches!(space.shape(), Shape::Vector(_))) {
            return html! { @for (name, numbers) in points { (self.point(name, numbers)) } };
        }
        let rows = points
            .iter()
            .map(|(name, numbers)| std::iter::once(name.clone()).chain(numbers.iter().map(|x| number(*x))).collect());
        let heads: Vec<String> = std::iter::once("point".to_owned()).chain((1..=most).map(|i| i.to_string())).collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        columns(caption, &heads, &rows.collect::<Vec<Vec<String>>>())
    }

    /// A private mean or median.
    pub fn mean(&self, mean: &PrivatePoint) -> Markup {
        let is_median = self.how.statistic == StatisticName::GeometricMedian;
        let name = &format!("The {}", self.how.statistic.description().point);
        html! {
            (self.point(name, &mean.value))
            @if let Some(noisy) = mean.noisy_value.as_ref().filter(|noisy| **noisy != mean.value) {
                (folded_on_screen("The value before denoising", &self.point("Before denoising", noisy)))
            }
            @if let Some(logarithm) = &mean.logarithm {
                @let logarithm = self.point("The matrix logarithm", logarithm);
                (folded_on_screen("Its matrix logarithm, which holds all of it", &logarithm))
            }
            @match &mean.region {
                Some(region) if mean.extrinsic.is_some() => p { (self.within(region, "The extrinsic mean of the records")) },
                Some(region) => p { (self.within(region, "The mean of the clipped records")) },
                None if is_median => {},
                None => p { "No region is known, because the release does not contain the law of its noise." },
            }
            @if let Some(extrinsic) = &mean.extrinsic { (self.directional(extrinsic)) }
            @if let Some(spread) = &mean.spread { (self.spread(spread)) }
            @if let Some(components) = &mean.components { (self.components(components)) }
            @let parts = parts(mean);
            @if !parts.is_empty() { (shared(&parts)) }
        }
    }

    /// How the records are spread about an extrinsic mean, factor by factor.
    fn directional(&self, mean: &PrivateEmbeddedMean) -> Markup {
        let row = |factor: &DirectionalSummary| {
            let [low, high] = factor.mean_resultant_length_interval.map(number);
            let kappa = factor.concentration.map_or("–".to_owned(), |found| {
                let high = found.interval.1.map_or("∞".to_owned(), number);
                format!("{} ({}), {} to {high}", number(found.kappa), found.law, number(found.interval.0))
            });
            let region = factor.population_region.map_or("–".to_owned(), |region| self.length(region.radius));
            let apart = factor.frechet_mean_within.map_or("–".to_owned(), |apart| self.length(apart));
            let resultant = format!("{}, {low} to {high}", number(factor.mean_resultant_length));
            vec![factor.space.clone(), resultant, kappa, region, apart, factor.uniformity.p()]
        };
        let heads = [
            "space",
            "mean resultant length",
            "concentration κ",
            "population mean within",
            "Fréchet mean within",
            "p-value of uniformity",
        ];
        let rows: Vec<Vec<String>> = mean.factors.iter().map(row).collect();
        let title = match self.how.unit {
            PrivacyUnit::Person => {
                "The spread of the means of each person's records, with intervals of 95 % confidence"
            }
            _ => "The spread of the records, with intervals of 95 % confidence",
        };
        columns(title, &heads, &rows)
    }

    /// A region in words.
    fn within(&self, region: &Region, what: &str) -> String {
        let about = match region.center {
            RegionCenter::NoisyValue => "the value before denoising",
            _ => "the value",
        };
        format!("{what} is within {} of {about}, {}.", subject::length_up(self.how, region.radius), region.words())
    }

    /// The spread of records around a private mean.
    fn spread(&self, spread: &PrivateSpread) -> Markup {
        let [low, high] = spread.root_mean_square_interval.map(|end| self.length(end));
        let mut rows = vec![
            (
                "root mean square distance",
                format!("{}; from {low} to {high} with 95 % confidence", self.length(spread.root_mean_square)),
            ),
            ("distances cut off at", self.length(spread.clip)),
        ];
        if let Some(uniform) = spread.uniform {
            rows.push(("of evenly spread records", self.length(uniform.root_mean_square)));
        }
        if let Some(clipping) = spread.clipping {
            rows.push(("moved by clipping", format!("at most about {}", self.length(clipping))));
        }
        let caption = match self.how.unit {
            PrivacyUnit::Person => {
                "The spread of the persons' contributions, to which their clipped records were reduced"
            }
            _ => "The spread of the records, as they are and not clipped",
        };
        html! {
            (heading(self.level, "How far the records are from it"))
            (facts(caption, &rows))
            (noisy(&[
                ("mean square distance", &spread.mean_square),
                ("fraction outside of the ball", &spread.fraction_outside),
            ]))
            @if let Some(region) = &spread.population_region {
                p { (self.within(region, "The mean of the population that the records are from, clipped like them,")) }
            }
            (scattered(spread.consistent_with_uniform))
        }
    }

    /// The directions in which records vary most.
    fn components(&self, components: &PrivateComponents) -> Markup {
        let above = components.above_noise();
        let rows: Vec<Vec<String>> = components
            .variances
            .iter()
            .zip(&components.explained_variance_ratio)
            .zip(1..)
            .map(|((variance, share), i)| {
                let told = if i <= above { "yes" } else { "no" };
                vec![i.to_string(), number(*variance), number(*share), told.to_owned()]
            })
            .collect();
        let heads = ["component", "variance", "fraction", "above the noise level"];
        html! {
            (heading(self.level, "The directions in which the records vary most"))
            p {
                (above) " of " (components.variances.len()) " components exceed the noise level, which alone makes a \
                variance of about " (number(components.noise_level)) "."
            }
            (columns("Components", &heads, &rows))
            @if components.directions.iter().map(Vec::len).sum::<usize>() <= MOST {
                (folded_on_screen("The directions", &self.directions(components)))
            } @else {
                p { "The directions are in the JSON below." }
            }
            @if let Some(Ellipsoid { probability, semi_axes, .. }) = &components.population_region {
                p {
                    "The mean of the population, clipped to the ball, is with about " (number(100.0 * probability))
                    " % in the ellipsoid about the value with the components as its axes and the semi-axes "
                    (semi_axes.iter().map(|axis| number(*axis)).collect::<Vec<_>>().join(", ")) "."
                }
            }
            (facts("The second moment", &[
                ("mechanism", components.mechanism.name().to_owned()),
                ("scale of the noise", number(components.scale)),
                ("logarithms shortened to", self.length(components.clip)),
            ]))
        }
    }

    fn directions(&self, components: &PrivateComponents) -> Markup {
        html! {
            @for (i, direction) in components.directions.iter().enumerate() {
                (self.point(&format!("Direction of component {}", i + 1), direction))
            }
        }
    }

    /// A private geodesic.
    pub fn geodesic(&self, line: &PrivateGeodesic, predictions: &[Prediction]) -> Markup {
        let range = line.predictor_range;
        let middle = format!("where the predictor is {}, its middle", number(range.middle()));
        let mut points = vec![
            (middle, line.footpoint.as_slice()),
            ("the velocity there, per length of the range".to_owned(), line.shooting_vector.as_slice()),
        ];
        points.extend(
            predictions
                .iter()
                .map(|prediction| (format!("predicted {}", prediction.place()), prediction.value.as_slice())),
        );
        html! {
            (self.points("The private geodesic", &points))
            (facts("Its public bounds", &[
                ("predictor", format!("from {} to {}", number(range.low()), number(range.high()))),
                ("slope", self.length(line.slope_bound)),
                ("residuals", self.length(line.residual_bound)),
            ]))
        }
    }

    /// A private regression on features: effects, tests and predictions.
    pub fn on_features(&self, regression: &PrivateFeatureRegression, predictions: &[Prediction]) -> Markup {
        let name = |one: &Prediction| {
            let within = one.region.map(|region| self.length(region.radius));
            let within = within.map(|length| format!(", within {length} with 95 % confidence"));
            format!("predicted {}{}", one.place(), within.unwrap_or_default())
        };
        let points: Vec<(String, &[f64])> = predictions.iter().map(|one| (name(one), one.value.as_slice())).collect();
        let effect = |effect: &Effect| {
            let Change { value, interval: [low, high] } = effect.shown();
            let says = if effect.little_information { "little" } else { "enough" };
            vec![
                effect.term.clone(),
                format!("{} to {}", effect.from, effect.to),
                subject::near_length(self.how, value),
                format!("{} to {}", subject::least_length(self.how, low), subject::short_length(self.how, high)),
                says.to_owned(),
            ]
        };
        let effects: Vec<Vec<String>> = regression.effects.iter().map(effect).collect();
        let p = |test: &TermTest| match test.little_information {
            true => format!("{}, little information", test.p()),
            false => test.p(),
        };
        let tests: Vec<Vec<String>> =
            regression.term_tests.iter().map(|test| vec![test.term.clone(), p(test)]).collect();
        let residuals = match regression.residual_spread {
            0.0 => "below the noise".to_owned(),
            spread => subject::near_length(self.how, spread),
        };
        html! {
            @if !points.is_empty() { (self.points("The private predictions", &points)) }
            @if !effects.is_empty() {
                (columns(
                    "Effects: how far a prediction moves",
                    &["term", "from", "change", "in the population, with 95 % confidence", "information"],
                    &effects,
                ))
            }
            @if !tests.is_empty() { (columns("Tests that a term has no effect", &["term", "p-value"], &tests)) }
            (facts("The fit", &[
                ("features", regression.coefficients.len().to_string()),
                ("residuals, root mean square", residuals),
            ]))
        }
    }

    /// A private ball.
    pub fn ball(&self, ball: &PrivateBall) -> Markup {
        html! {
            (self.point("The private center", &ball.center))
            (facts("The private ball", &[
                ("radius", self.length(ball.radius)),
                ("which is", aims(ball)),
                ("center by", ball.center_method.name().to_owned()),
                ("radii to choose from", radii(self.how, ball)),
            ]))
            (spent(ball))
        }
    }

    /// A private variance.
    pub fn variance(&self, variance: &PrivateVariance) -> Markup {
        let [low, high] = variance.root_mean_square_interval.map(|end| self.length(end));
        let mut rows = vec![
            (
                "root mean square distance",
                format!("{}; from {low} to {high} with 95 % confidence", self.length(variance.root_mean_square)),
            ),
            ("distances cut off at", self.length(variance.clip)),
        ];
        if let Some(uniform) = variance.uniform {
            rows.push(("of evenly spread records", self.length(uniform.root_mean_square)));
        }
        html! {
            (facts("How far the records are from the public center", &rows))
            (noisy(&[("mean square distance", &variance.mean_square)]))
            (scattered(variance.consistent_with_uniform))
        }
    }

    /// Private clusters.
    pub fn clusters(&self, found: &PrivateClusters) -> Markup {
        let name = |weight: f64| format!("with {:.1} % of the records", 100.0 * weight);
        let centers: Vec<(String, &[f64])> =
            found.clusters.iter().map(|cluster| (name(cluster.weight), &cluster.center[..])).collect();
        html! {
            (self.points("Centers of clusters", &centers))
            @if let Some(cost) = &found.cost { (noisy(&[("mean square distance to the nearest center", cost)])) }
        }
    }

    /// A record that was randomized at home.
    pub fn record(&self, record: &RandomizedRecord) -> Markup {
        html! {
            p { "Coordinates of a vector at the center of the ball. Only the mean of many such records is useful." }
            (point("The randomized coordinates", &record.coordinates, None, None))
        }
    }

    /// The release in a sentence or two.
    pub fn at_a_glance(&self) -> String {
        let how = self.how;
        let many = how.how_many();
        let what = match how.statistic {
            StatisticName::FrechetMean => format!(
                "The mean of {many}, which is the point whose squared distances to them have the smallest sum, with \
                 noise.{}",
                match how.flags.contains(&Flag::AssumedInBall) {
                    true => "",
                    false => " Records outside of the ball were moved to its edge.",
                }
            ),
            StatisticName::ExtrinsicMean => format!(
                "The extrinsic mean of {many}, which is the point whose embedding is nearest to the mean of theirs, with \
                 noise. No ball was needed, and no record was clipped."
            ),
            StatisticName::GeometricMedian => format!(
                "The geometric median of {many}, which is the point whose distances to them have the smallest sum, \
                 with noise."
            ),
            StatisticName::Ball => format!("A ball that was found privately, to hold most of {many}."),
            StatisticName::GeodesicRegression => format!(
                "The geodesic, which is a straight line of the space, that fits {many} best as a predictor grows, with \
                 noise."
            ),
            StatisticName::FeatureRegression if subject::is_mean_in_basis(how) => format!(
                "The mean of {many} in the span of public vectors, in the tangent space at the center of a public ball, \
                 with noise."
            ),
            StatisticName::FeatureRegression => format!(
                "Least squares of {many} on public features of their covariates, in the tangent space at the center of a \
                 public ball, with noise."
            ),
            StatisticName::FrechetVariance => {
                return format!("The mean squared distance of {many} to the center of a public ball, with noise.");
            }
            StatisticName::KMeans => {
                format!("Centers of clusters of {many}, each nearest to its own records, with noise.")
            }
            StatisticName::Record => {
                return "One record with so much noise that it reveals almost nothing by itself.".to_owned();
            }
            StatisticName::Minimizer => {
                format!("The point that a descent with noise reached, which nearly minimizes a loss over {many}.")
            }
            StatisticName::Count => return format!("The number of {many}, with noise."),
        };
        format!("{what} Noise moves it by {} on average.", subject::length_up(how, how.expected_distance))
    }
}

/// The guarantee of each part of a release, if a mean has companion statistics.
fn parts(mean: &PrivatePoint) -> Vec<(&'static str, Guarantee)> {
    let (spread, components) = (mean.spread.as_deref(), mean.components.as_deref());
    let own = spread.map(|spread| spread.mean_guarantee).or(components.map(|components| components.mean_guarantee));
    let of_mean = own.map(|own| ("the mean", own));
    let of_spread = spread.map(|spread| {
        [("the mean square", spread.mean_square.guarantee), ("the fraction outside", spread.fraction_outside.guarantee)]
    });
    let of_components = components.map(|components| ("the components", components.guarantee));
    of_mean.into_iter().chain(of_spread.into_iter().flatten()).chain(of_components).collect()
}

/// Numbers that were released with noise.
fn noisy(numbers: &[(&str, &NoisyNumber)]) -> Markup {
    let row = |(name, x): &(&str, &NoisyNumber)| {
        let [low, high] = x.interval.map(number);
        let drawn = format!("{} ({}, scale {})", number(x.noisy_value), x.mechanism, number(x.scale));
        vec![(*name).to_owned(), number(x.value), format!("{low} to {high}"), drawn]
    };
    columns(
        "Numbers with noise",
        &["number", "value", "with 95 % confidence", "before processing"],
        &numbers.iter().map(row).collect::<Vec<_>>(),
    )
}

fn scattered(is: bool) -> Markup {
    html! {
        @if is {
            p class="warning" {
                "The records may be spread evenly over the whole space. Their mean is then not a useful summary."
            }
        }
    }
}

/// A private number of records.
pub fn counted(count: &PrivateCount, caption: &str) -> Markup {
    let [low, high] = count.interval;
    let to = if high < f64::MAX { number(high) } else { "any number".to_owned() };
    facts(
        caption,
        &[
            ("number", number(count.value)),
            ("with 95 % confidence", format!("from {} to {to}", number(low))),
            ("before processing", format!("{}, of noise of scale {}", number(count.noisy_value), number(count.scale))),
        ],
    )
}
