//! Releases and plans in a few lines of text.

use super::{MechanismName, PrivateSpread, Provenance, PublishedRelease, Release, StatisticName, Value, also_words};
use crate::mechanism::{Plan, PlanSummary};
use karcher_geometry::error::{Rounded, RoundedDown, RoundedUp};
use std::fmt::{self, Display};

/// Points with more numbers than this are abridged.
const MOST: usize = 9;

/// A name and a text, in columns.
fn line(f: &mut fmt::Formatter<'_>, name: &str, text: impl fmt::Display) -> fmt::Result {
    write!(f, "\n{name:<14}  {text}")
}

/// A point in parentheses, with four significant digits.
struct Coordinates<'a>(&'a [f64]);

impl fmt::Display for Coordinates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.0.iter().take(MOST).map(|x| Rounded(*x).to_string()).collect();
        match self.0.len() > MOST {
            true => write!(f, "({}, … {} numbers)", shown.join(", "), self.0.len()),
            false => write!(f, "({})", shown.join(", ")),
        }
    }
}

/// The spread of the records.
fn spread(f: &mut fmt::Formatter<'_>, about: &PrivateSpread) -> fmt::Result {
    let ([low, high], sure) = (about.root_mean_square_interval, "with 95 % confidence");
    let (low, high) = (RoundedDown(low), RoundedUp(high));
    line(f, "spread", format_args!("{}, from {low} to {high} {sure}", Rounded(about.root_mean_square)))?;
    let (value, [low, high]) = (100.0 * about.fraction_outside.value, about.fraction_outside.interval_in_percent());
    line(f, "outside", format_args!("{value:.1} % of the records, from {low:.1} to {high:.1} % {sure}"))?;
    if let Some(region) = &about.population_region {
        line(f, "population", format_args!("mean within {}, {}", RoundedUp(region.radius), region.words()))?;
    }
    let Some(clipping) = about.clipping else { return Ok(()) };
    line(f, "clipping", format_args!("may have moved the mean by at most about {}", RoundedUp(clipping)))
}

/// The value in a line, with its name.
fn value(f: &mut fmt::Formatter<'_>, how: &Provenance, value: &Value) -> fmt::Result {
    write!(f, "{:<14}  ", how.statistic.name())?;
    match value {
        Value::Point(point) => {
            Coordinates(&point.value).fmt(f)?;
            if let Some(region) = &point.region {
                line(f, "region", format_args!("within {}, {}", RoundedUp(region.radius), region.words()))?;
            }
            point.spread.iter().try_for_each(|about| spread(f, about))
        }
        Value::Geodesic(geodesic) => {
            let at = Rounded(geodesic.predictor_range.middle());
            write!(f, "{} where the predictor is {at}", Coordinates(&geodesic.footpoint))?;
            line(f, "velocity", Coordinates(&geodesic.shooting_vector))
        }
        Value::Features(regression) => {
            write!(f, "{} features", regression.coefficients.len())?;
            regression.effects.iter().try_for_each(|effect| line(f, "effect", effect))?;
            regression.term_tests.iter().try_for_each(|test| line(f, "test", test))
        }
        Value::Ball(ball) => write!(f, "radius {} around {}", Rounded(ball.radius), Coordinates(&ball.center)),
        Value::Variance(variance) => write!(f, "root mean square {}", Rounded(variance.root_mean_square)),
        Value::Clusters(found) => {
            write!(f, "{} clusters", found.clusters.len())?;
            found.clusters.iter().try_for_each(|cluster| {
                let share = format_args!("{} of the records", Rounded(cluster.weight));
                line(f, "cluster", format_args!("{} with {share}", Coordinates(&cluster.center)))
            })?;
            found.cost.iter().try_for_each(|cost| line(f, "cost", Rounded(cost.value)))
        }
        Value::Record(record) => Coordinates(&record.coordinates).fmt(f),
    }
}

/// The kind of an expected error: that of some mechanisms is a bound or a guess.
fn at_most(mechanism: MechanismName, is_bound: bool) -> &'static str {
    match mechanism {
        MechanismName::MedianFlow if is_bound => "at most about ",
        MechanismName::MedianFlow => "about ",
        _ if is_bound => "at most ",
        _ => "",
    }
}

/// Whether the expected error of a release is a bound: for a median, unless it follows from an expected spread.
fn is_bound(how: &Provenance) -> bool {
    match how.mechanism {
        MechanismName::Kng => true,
        MechanismName::MedianFlow => how.spec.as_ref().is_none_or(|spec| spec.expected_spread.is_none()),
        _ => false,
    }
}

/// A release in a few lines: the value, the guarantee, the noise and the flags. Numbers have four significant digits.
fn release(f: &mut fmt::Formatter<'_>, how: &Provenance, of: &Value) -> fmt::Result {
    value(f, how, of)?;
    line(f, "space", format_args!("{}, {}", how.manifold, how.how_many()))?;
    line(f, "guarantee", format_args!("{}, {}", how.guarantee, how.neighbours()))?;
    also_words(&how.also).iter().try_for_each(|words| line(f, "also", words))?;
    how.trust.iter().try_for_each(|trust| line(f, "trust", format_args!("{trust} has to be honest")))?;
    line(f, "mechanism", format_args!("{}, scale {}", how.mechanism, Rounded(how.scale)))?;
    let sensitivity = &how.sensitivity;
    line(f, "sensitivity", format_args!("{} ({} bound)", RoundedUp(sensitivity.value), sensitivity.bound))?;
    if how.statistic != StatisticName::ExtrinsicMean {
        line(f, "ball", format_args!("{}", how.ball.radius_in_words(|r| Rounded(r).to_string())))?;
    }
    line(
        f,
        "expected error",
        format_args!("{}{}", at_most(how.mechanism, is_bound(how)), RoundedUp(how.expected_distance)),
    )?;
    how.flags.iter().try_for_each(|flag| line(f, "flag", flag))
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        release(f, self.provenance(), &self.value)
    }
}

impl fmt::Display for PublishedRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        release(f, &self.provenance, &self.value)
    }
}

/// The plan in a few lines: the guarantee, the noise and the expected error.
impl fmt::Display for PlanSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<14}  {} on {}, n = {}", "plan", self.statistic, self.ball.space(), self.n)?;
        line(f, "guarantee", self.guarantee)?;
        line(f, "mechanism", format_args!("{}, scale {}", self.mechanism, Rounded(self.scale)))?;
        line(f, "ball", format_args!("{}", self.ball.radius_in_words(|r| Rounded(r).to_string())))?;
        let at_most = at_most(self.mechanism, self.at_most);
        line(f, "expected error", format_args!("{at_most}{}", RoundedUp(self.expected_distance)))?;
        if let Some(bias) = self.bias_bound.filter(|bias| *bias > 0.0) {
            line(f, "bias", format_args!("at most about {}", RoundedUp(bias)))?;
        }
        self.flags.iter().try_for_each(|flag| line(f, "flag", flag))
    }
}

/// As the [summary](Plan::summary).
impl fmt::Display for dyn Plan + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.summary().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Sphere;
    use crate::mechanism::{PrivateFrechetMean, PrivateGeometricMedian, Request};
    use crate::privacy::Guarantee;
    use crate::{Ball, Points, ReleaseContext};
    use std::sync::Arc;

    /// The line of the expected error of a median's plan is that of its release.
    #[test]
    fn plans_and_releases_word_the_expected_error_alike() -> crate::Result<()> {
        let sphere = Arc::new(Sphere::new(2)?);
        let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
        let median = PrivateGeometricMedian::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
        let plan = Request::new(median, 1_000, Guarantee::pure(1.0)?).plan()?;
        let release = plan.run(&records, &mut ReleaseContext::seeded(1))?;
        let line = |text: String| text.lines().find(|line| line.starts_with("expected error")).map(str::to_owned);
        let planned = line(plan.to_string());
        assert!(planned.as_ref().is_some_and(|line| line.contains("at most about 0.")), "{planned:?}");
        assert_eq!(line(release.to_string()), planned);
        Ok(())
    }

    #[test]
    fn releases_and_plans_print_what_they_state() -> crate::Result<()> {
        let sphere = Arc::new(Sphere::new(2)?);
        let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
        let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
        let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?;
        let release = plan.run(&records, &mut ReleaseContext::seeded(1))?;
        for (text, parts) in [
            (plan.to_string(), vec!["frechet-mean on sphere:2, n = 1000", "epsilon 1.0", "chart, scale 0.00"]),
            (
                release.to_string(),
                vec!["frechet-mean    (0.", "region          within 0.0", "flag            seeded: "],
            ),
        ] {
            parts.iter().for_each(|part| assert!(text.contains(part), "{text}"));
            assert!(text.lines().all(|line| line.chars().nth(15) == Some(' ')), "{text}");
        }
        assert_eq!(PublishedRelease::from(release.clone()).to_string(), release.to_string());
        assert_eq!(Coordinates(&[0.25; 12]).to_string().matches("0.25").count(), MOST);
        Ok(())
    }
}
