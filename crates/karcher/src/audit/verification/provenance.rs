//! How a value was made: the fields that every release has.

use super::finding::Findings;
use super::planned::Planned;
use super::version::Version;
use crate::ball::Ball;
use crate::manifold::Template;
use crate::release::{Provenance, PublishedRelease, SCHEMA, StatisticName, Step};
use crate::spec::ReleaseSpec;

/// Compares a release with what was asked for. Whether the specification can be planned.
pub(super) fn is_asked(how: &Provenance, spec: &ReleaseSpec, found: &mut Findings) -> bool {
    if let Err(error) = spec.check() {
        found.add("spec", error.to_string());
        return false;
    }
    if spec.groups.is_some() {
        found.add("spec.groups", "the specification of a group has no groups");
        return false;
    }
    // where no ball around the located center has a plan, the ball is released by itself
    let is_ball_alone = how.statistic == StatisticName::Ball && spec.locates();
    if how.statistic != spec.statistic && !is_ball_alone {
        found.same("statistic", how.statistic.name(), spec.statistic.name());
    }
    found.same("manifold", Some(how.manifold.as_str()), spec.manifold.as_ref().map(|space| space.as_str()));
    found.same("adjacency", how.adjacency.name(), spec.adjacency.name());
    found.same("unit", how.unit, spec.unit);
    found.same("n_guess", how.n_guess, spec.n_guess);
    found.same("trust", how.trust, spec.trust);
    if let (Some(layout), Ok(manifold)) = (&how.layout, how.manifold.manifold()) {
        let is_known = manifold.layouts().iter().any(|known| known.name() == layout);
        found.require("layout", is_known, "the space has no layout of this name");
    }
    if let (Some(template), Ok(manifold)) = (&how.template, how.manifold.manifold()) {
        let is_one = Template::new(&manifold, template).is_ok();
        found.require("template", is_one, "the space has no such template");
    }
    true
}

/// Compares a release with its plan.
pub(super) fn compare(planned: &Planned, release: &PublishedRelease, found: &mut Findings) {
    let (how, plan) = (&release.provenance, &planned.plan);
    let summary = plan.summary();
    found.same("schema", how.schema, SCHEMA);
    found.same("statistic", how.statistic.name(), summary.statistic.name());
    found.same("adjacency", how.adjacency.name(), summary.adjacency.name());
    let (n, n_guess) = summary.adjacency.told(summary.n);
    found.same("n", how.n, n);
    found.same("n_guess", how.n_guess, n_guess);
    found.same("mechanism", how.mechanism.name(), summary.mechanism.name());
    found.same("numerics", how.numerics.name(), summary.numerics().name());
    ball("ball", &how.ball, &summary.ball, found);
    if found.version == Version::This {
        found.number("lattice", how.lattice, plan.lattice());
        found.number("expected_distance", how.expected_distance, summary.expected_distance);
        found.optional("bias_bound", how.bias_bound, summary.bias_bound);
    }
    steps(how.steps.as_deref(), summary.steps.as_deref(), found);
}

/// A ball must be the expected one, to the last bit: it is public, and copied.
pub(super) fn ball(field: &str, stated: &Ball, expected: &Ball, found: &mut Findings) {
    found.same(&format!("{field}.space"), stated.space().as_str(), expected.space().as_str());
    found.same(&format!("{field}.center"), stated.center(), expected.center());
    found.same(&format!("{field}.radius"), stated.radius(), expected.radius());
    found.same(&format!("{field}.radii"), stated.radii(), expected.radii());
}

/// Steps must be as many, each with its clip and with enough noise.
fn steps(stated: Option<&[Step]>, expected: Option<&[Step]>, found: &mut Findings) {
    let (Some(stated), Some(expected)) = (stated, expected) else {
        if stated.is_some() != expected.is_some() {
            found.presence("steps", stated.is_some());
        }
        return;
    };
    // another version may take other steps, whose noise is compared draw by draw
    if found.version == Version::Another {
        return;
    }
    found.count("steps", "elements", stated.len(), expected.len());
    for (i, (stated, expected)) in stated.iter().zip(expected).enumerate() {
        found.number(&format!("steps[{i}].clip"), stated.clip, expected.clip);
        found.noise(&format!("steps[{i}].scale"), stated.scale, expected.scale);
    }
}
