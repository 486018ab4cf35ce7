//! Plans in a few lines of text.

use super::expected_error::at_most;
use super::line;
use super::numbers::aligned;
use crate::mechanism::{Plan, PlanSummary};
use karcher_geometry::error::{Rounded, RoundedUp};
use std::fmt;

/// The plan in a few lines: the guarantee, the noise and the expected error.
impl fmt::Display for PlanSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_most = at_most(self.mechanism, self.at_most);
        let bias = self.bias_bound.filter(|bias| *bias > 0.0);
        let mut lines = vec![
            line("plan", format!("{} on {}, n = {}", self.statistic, self.ball.space(), self.n)),
            line("guarantee", self.guarantee.to_string()),
            line("mechanism", format!("{}, scale {}", self.mechanism, Rounded(self.scale))),
            line("ball", self.ball.radius_in_words(|r| Rounded(r).to_string())),
            line("expected error", format!("{at_most}{}", RoundedUp(self.expected_distance))),
        ];
        lines.extend(bias.map(|bias| line("bias", format!("at most about {}", RoundedUp(bias)))));
        lines.extend(self.flags.iter().map(|flag| line("note", flag.to_string())));
        f.write_str(aligned(&lines).trim_end())
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
    use crate::release::PublishedRelease;
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
        for text in [plan.to_string(), release.to_string()] {
            let expected = line(text);
            assert!(expected.as_ref().is_some_and(|line| line.contains("at most about 0.")), "{expected:?}");
        }
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
            (format!("{release:#}"), vec!["private mean    0.", "is within 0.0", "note            seeded: "]),
        ] {
            parts.iter().for_each(|part| assert!(text.contains(part), "{text}"));
            assert!(text.lines().all(|line| line.chars().nth(15) == Some(' ')), "{text}");
        }
        assert_eq!(PublishedRelease::from(release.clone()).to_string(), release.to_string());
        Ok(())
    }
}
