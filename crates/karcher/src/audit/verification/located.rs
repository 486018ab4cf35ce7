//! A ball that was located, and the mean in it.

use super::finding::Findings;
use super::planned::Planned;
use super::provenance::ball as same_ball;
use super::version::Version;
use super::{place, value};
use crate::ball::Ball;
use crate::manifold::has_linear_numbers;
use crate::mechanism::plan::again::Precision;
use crate::mechanism::{LocateBall, LocatedMean, Plan};
use crate::release::{Flag, Part, PartName, PrivateBall, PublishedRelease, Value};

/// A located ball, with what its location adds to the release of a mean.
pub(super) struct LocatedAgain {
    /// The flags of the location.
    pub(super) flags: Vec<Flag>,
    /// How well numbers hold the center.
    pub(super) precision: Precision,
}

/// The plan of a mean around the located ball that a release states. Where there is none, it is that of the ball.
pub(super) fn around(release: &PublishedRelease, mean: &LocatedMean, found: &mut Findings) -> Option<Planned> {
    let (how, locate) = (&release.provenance, mean.location());
    let stated = match (&how.located, &release.value) {
        (Some(located), _) => &located.ball,
        (None, Value::Ball(ball)) => ball,
        (None, _) => {
            found.presence("located", false);
            return None;
        }
    };
    let field = if how.located.is_some() { "located.center" } else { "center" };
    if !value::in_ball(field, &stated.center, locate.summary(), locate.lattice(), found) {
        return None;
    }
    let (again, mut flags) = locate.ball_again(stated);
    let placed = PrivateBall { center: stated.center.clone(), ..again.clone() };
    let plan_in = |ball: Ball| match found.version {
        Version::Another => mean.plan_by_in(how.mechanism, ball),
        Version::This => mean.plan_in(ball),
    };
    let inner = mean.plan_around(&placed, how.unit, &plan_in);
    mean.note_smaller(&placed, inner.as_deref(), &mut flags);
    let Some(plan) = inner else {
        return Some(Planned::of_plan(Box::new(locate.clone())));
    };
    let Some(located) = &how.located else {
        found.add("statistic", "the release has the ball alone, and the specification leads to a mean in it");
        return None;
    };
    let part = Part { part: PartName::Mean, guarantee: plan.guarantee(), numerics: plan.numerics() };
    let again = PrivateBall { parts: again.parts.into_iter().chain([part]).collect(), ..again };
    same_ball("located.within", &located.within, &locate.summary().ball, found);
    let is_beyond = how.flags.contains(&Flag::BeyondPrecision);
    compare("located.", stated, &again, locate, is_beyond, found);
    let noise = plan.summary().noise.iter().chain(&locate.summary().noise).cloned().collect();
    let guarantee = mean.summary().guarantee;
    let precision = Precision::of(locate.summary(), &stated.center);
    flags.retain(|flag| *flag != Flag::BeyondPrecision);
    value::edge_as_stated(how, precision, &mut flags);
    Some(Planned { plan, located: Some(LocatedAgain { flags, precision }), guarantee, noise })
}

/// Compares a ball with the one that follows from its center and radius. `place` is the path of its fields, with the
/// dot behind it.
pub(super) fn compare(
    place: &str,
    stated: &PrivateBall,
    again: &PrivateBall,
    locate: &LocateBall,
    is_beyond: bool,
    found: &mut Findings,
) {
    let of = |name: &str| format!("{place}{name}");
    let outer = &locate.summary().ball;
    found.number(&of("quantile"), stated.quantile, again.quantile);
    if found.version == Version::Another {
        return;
    }
    if !is_beyond {
        // numbers that grow with the distance lose digits with it
        let far = locate.summary().manifold.dist(outer.center(), &stated.center).max(1.0);
        let is_linear = has_linear_numbers(&*locate.summary().manifold);
        let far: Vec<f64> = stated.center.iter().map(|x| if is_linear { *x } else { far * x }).collect();
        place::same(&of("center"), &stated.center, &again.center, &[outer.center(), &far].concat(), found);
    }
    found.same(&of("center_method"), stated.center_method.name(), again.center_method.name());
    found.number(&of("radius"), stated.radius, again.radius);
    found.number(&of("margin"), stated.margin, again.margin);
    found.number(&of("radii.largest"), stated.radii.largest, again.radii.largest);
    found.number(&of("radii.ratio"), stated.radii.ratio, again.radii.ratio);
    found.same(&of("radii.count"), stated.radii.count, again.radii.count);
    found.count(&of("parts"), "elements", stated.parts.len(), again.parts.len());
    for (i, (stated, again)) in stated.parts.iter().zip(&again.parts).enumerate() {
        found.same(&of(&format!("parts[{i}].part")), stated.part, again.part);
        found.guarantee(&of(&format!("parts[{i}].guarantee")), stated.guarantee, again.guarantee);
        found.same(&of(&format!("parts[{i}].numerics")), stated.numerics.name(), again.numerics.name());
    }
}
