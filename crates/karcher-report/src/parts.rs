//! What a release holds, kind by kind: in words and in tables.

use crate::document::Prediction;
use crate::html::{columns, facts, folded, heading, number};
use crate::picture::subject;
use crate::provenance::{aims, length, shared, spent};
use crate::value::point;
use karcher::Manifold;
use karcher::release::{
    About, Ellipsoid, NoisyNumber, PrivateBall, PrivateComponents, PrivateCount, PrivateGeodesic, PrivatePoint,
    PrivateSpread, PrivateVariance, Provenance, RandomizedRecord, Region, StatisticName,
};
use maud::{Markup, html};

/// Directions with more numbers than this, all together, are in the JSON alone.
const MOST: usize = 1_024;

/// What is said about one release: how it was made, its space if the library has it, and the level of headings.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    /// How the release was made.
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
        point(caption, numbers, self.manifold)
    }

    /// A private mean or median.
    pub fn mean(&self, mean: &PrivatePoint) -> Markup {
        let is_median = self.how.statistic == StatisticName::GeometricMedian;
        html! {
            (self.point(if is_median { "The private median" } else { "The private mean" }, &mean.value))
            @if let Some(noisy) = mean.noisy_value.as_ref().filter(|noisy| **noisy != mean.value) {
                (folded("The value before denoising", &self.point("Before denoising", noisy)))
            }
            @if let Some(logarithm) = &mean.logarithm {
                (folded("Its matrix logarithm, which holds all of it", &self.point("The matrix logarithm", logarithm)))
            }
            @match &mean.region {
                Some(region) => p { (self.within(region, "The mean of the clipped records")) },
                None if is_median => {},
                None => p { "No region is known: this release does not tell the law of its noise." },
            }
            @if let Some(spread) = &mean.spread { (self.spread(spread)) }
            @if let Some(components) = &mean.components { (self.components(components)) }
        }
    }

    /// A region in words.
    fn within(&self, region: &Region, what: &str) -> String {
        let about = match region.about {
            About::NoisyValue => "the value before denoising",
            _ => "the value",
        };
        format!("{what} is within {} of {about}, {}.", self.length(region.radius), region.words())
    }

    /// How far the records are from a private mean.
    fn spread(&self, spread: &PrivateSpread) -> Markup {
        let [low, high] = spread.root_mean_square_interval.map(|end| self.length(end));
        let mut rows = vec![
            (
                "root mean square distance",
                format!("{}; from {low} to {high} with 95 %", self.length(spread.root_mean_square)),
            ),
            ("distances cut off at", self.length(spread.clip)),
        ];
        if let Some(uniform) = spread.uniform {
            rows.push(("of evenly spread records", self.length(uniform.root_mean_square)));
        }
        if let Some(clipping) = spread.clipping {
            rows.push(("moved by clipping", format!("at most about {}", self.length(clipping))));
        }
        html! {
            (heading(self.level, "How far the records are from it"))
            (facts("The spread of the records, as they are and not clipped", &rows))
            (noisy(&[("mean square distance", &spread.mean_square), ("share outside of the ball", &spread.share_outside)]))
            @if let Some(region) = &spread.population_region {
                p { (self.within(region, "The mean of the population that the records are from, clipped like them,")) }
            }
            (scattered(spread.scattered))
            (shared(&[
                ("the mean", spread.mean_guarantee),
                ("the mean square", spread.mean_square.guarantee),
                ("the share outside", spread.share_outside.guarantee),
            ]))
        }
    }

    /// The directions in which records vary most.
    fn components(&self, components: &PrivateComponents) -> Markup {
        let above = components.above_noise();
        let rows: Vec<Vec<String>> = components
            .variances
            .iter()
            .zip(&components.shares)
            .zip(1..)
            .map(|((variance, share), i)| {
                let told = if i <= above { "yes" } else { "no" };
                vec![i.to_string(), number(*variance), number(*share), told.to_owned()]
            })
            .collect();
        let heads = ["component", "variance", "share", "told from noise"];
        html! {
            (heading(self.level, "The directions in which the records vary most"))
            p {
                (above) " of " (components.variances.len()) " components are told from noise, which alone makes a variance \
                of about " (number(components.noise_level)) "."
            }
            (columns("Components", &heads, &rows))
            @if components.directions.iter().map(Vec::len).sum::<usize>() <= MOST {
                (folded("The directions", &self.directions(components)))
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
            (shared(&[("the mean", components.mean_guarantee), ("the components", components.guarantee)]))
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
        html! {
            (self.point(&format!("Where the predictor is {}, its middle", number(range.middle())), &line.footpoint))
            (self.point("The velocity there, per length of the range", &line.shooting_vector))
            @for prediction in predictions {
                (self.point(&format!("Predicted where the predictor is {}", number(prediction.predictor)), &prediction.value))
            }
            (facts("Its public bounds", &[
                ("predictor", format!("from {} to {}", number(range.low()), number(range.high()))),
                ("slope", self.length(line.slope_bound)),
                ("residuals", self.length(line.residual_bound)),
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
                ("center by", ball.center_by.name().to_owned()),
                ("radii to choose from", format!(
                    "{}, the largest {}, each {} times the one before",
                    ball.radii.count, self.length(ball.radii.largest), number(ball.radii.ratio)
                )),
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
                format!("{}; from {low} to {high} with 95 %", self.length(variance.root_mean_square)),
            ),
            ("distances cut off at", self.length(variance.clip)),
        ];
        if let Some(uniform) = variance.uniform {
            rows.push(("of evenly spread records", self.length(uniform.root_mean_square)));
        }
        html! {
            (facts("How far the records are from the public center", &rows))
            (noisy(&[("mean square distance", &variance.mean_square)]))
            (scattered(variance.scattered))
        }
    }

    /// A record that was randomized at home.
    pub fn record(&self, record: &RandomizedRecord) -> Markup {
        html! {
            p {
                "One record with so much noise that it says almost nothing by itself: coordinates of a vector at the \
                center of the ball. The mean of many such records is of use."
            }
            (point("The randomized coordinates", &record.coordinates, None))
        }
    }

    /// How large the ball and the noise are, in one sentence.
    pub fn at_a_glance(&self) -> Option<String> {
        let how = self.how;
        if how.statistic == StatisticName::FrechetVariance || how.statistic == StatisticName::Record {
            return None;
        }
        let noise = format!("Noise moves it by {} on average", subject::length_up(how, how.expected_distance));
        let radius = how.ball.radius();
        let useless = how.statistic == StatisticName::FrechetMean && how.expected_distance > radius;
        Some(if useless {
            format!("{noise}, which is more than the radius of the ball: it says next to nothing.")
        } else {
            noise + "."
        })
    }
}

/// Numbers that were released with noise.
fn noisy(numbers: &[(&str, &NoisyNumber)]) -> Markup {
    let row = |(name, x): &(&str, &NoisyNumber)| {
        let [low, high] = x.interval.map(number);
        let drawn = format!("{} ({}, scale {})", number(x.noisy_value), x.mechanism, number(x.scale));
        vec![(*name).to_owned(), number(x.value), format!("{low} to {high}"), drawn]
    };
    columns(
        "With noise",
        &["number", "value", "with 95 %", "as it was drawn"],
        &numbers.iter().map(row).collect::<Vec<_>>(),
    )
}

fn scattered(is: bool) -> Markup {
    html! {
        @if is {
            p class="warning" {
                "As far as this release tells, the records are spread over the whole space as evenly as random points: \
                they have no mean worth the name."
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
            ("with 95 %", format!("from {} to {to}", number(low))),
            ("as it was drawn", format!("{}, of noise of scale {}", number(count.noisy_value), number(count.scale))),
        ],
    )
}
