//! `Exp`, `Log` and the distance.

use super::subject::{Sample, Subject, TOLERANCE, as_many};
use super::{Verdict, ensure};
use crate::manifold::vector::norm;

pub(super) fn log_inverts_exp(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let error = subject.error(&s.p, &s.u, &subject.log(&s.p, &s.q)?);
    ensure(error < TOLERANCE, || format!("Log_p(Exp_p(v)) differs from v by {error}"))
}

pub(super) fn exp_inverts_log(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let back = subject.exp(&s.p, &subject.log(&s.p, &s.q)?);
    let error = subject.manifold.dist(&back, &s.q);
    ensure(error < subject.tolerance(), || format!("Exp_p(Log_p(q)) is {error} away from q"))
}

pub(super) fn distance_is_norm_of_log(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let distance = m.dist(&s.p, &s.q);
    for length in [m.norm(&s.p, &subject.log(&s.p, &s.q)?), m.norm(&s.p, &s.u)] {
        ensure((distance - length).abs() < subject.tolerance(), || {
            format!("the distance is {distance}, the length {length}")
        })?;
    }
    Ok(())
}

pub(super) fn distance_is_a_metric(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let third = subject.point(&mut s.generator, &s.q, 0.4 * subject.near());
    let rho = |a: &[f64], b: &[f64]| subject.manifold.dist(a, b);
    let (there, back) = (rho(&s.p, &s.q), rho(&s.q, &s.p));
    ensure((there - back).abs() < subject.tolerance(), || format!("there it is {there}, back {back}"))?;
    let (direct, detour) = (rho(&s.p, &third), there + rho(&s.q, &third));
    ensure(direct <= detour + subject.tolerance(), || {
        format!("a detour of {detour} is shorter than the distance {direct}")
    })?;
    let itself = rho(&s.p, &s.p);
    ensure(itself < 1e-14 * (1.0 + norm(&s.p) / subject.numbers) * subject.unit, || {
        format!("a point is {itself} away from itself")
    })
}

/// From 1e-15 units to the cut locus less 1e-9 the error is of the order of rounding in the coordinates, not of its square
/// root.
pub(super) fn distance_is_accurate_from_zero_to_the_cut_locus(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let end = m.injectivity_radius();
    let unit = if end.is_finite() { end } else { subject.unit };
    let from_zero = [1e-15, 1e-12, 1e-9, 1e-8, 1e-6, 1e-3, 0.1, 1.0].map(|units| units * subject.unit);
    let to_the_end = [1e-2, 1e-6, 1e-9].map(|units| end - units * subject.unit);
    for length in from_zero.into_iter().chain(to_the_end).filter(|s| s.is_finite() && *s > 0.0 && *s < end) {
        for p in [subject.origin(), subject.point(&mut s.generator, &subject.origin(), 0.5 * subject.near())] {
            let q = subject.point(&mut s.generator, &p, length);
            let rounding = 1e-14 * (1.0 + norm(&p) / subject.numbers) * unit;
            let distance = m.dist(&p, &q);
            ensure((distance - length).abs() < rounding, || format!("at distance {length} it is {distance}"))?;
            let log = m.norm(&p, &subject.log(&p, &q)?);
            ensure((log - length).abs() < rounding, || format!("at distance {length} the logarithm has length {log}"))?;
        }
    }
    Ok(())
}

pub(super) fn isometries_keep_distance(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let Some(isometry) = subject.options.isometry else { return Ok(()) };
    let m = subject.manifold;
    let moved: [Vec<f64>; 2] = as_many(isometry(&mut s.generator, &[&s.p, &s.q]))?;
    for p in &moved {
        m.check_point(p).map_err(|error| format!("an isometry leads out of the space: {error}"))?;
    }
    ensure(m.dist(&moved[0], &s.p) > 0.0, || "the isometry moves nothing".to_owned())?;
    let (before, after) = (m.dist(&s.p, &s.q), m.dist(&moved[0], &moved[1]));
    ensure((before - after).abs() < subject.tolerance(), || format!("a distance of {before} becomes {after}"))
}
