//! Parallel transport and Jacobi fields.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::manifold::vector::scale;

/// The step of central differences, relative to the vector that is moved along.
const STEP: f64 = 1e-5;

pub(super) fn transport_is_an_isometry_and_inverts(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let (there_u, there_v) = (subject.transport(&s.p, &s.q, &s.u)?, subject.transport(&s.p, &s.q, &s.v)?);
    for (a, b, c, d) in [(&s.u, &s.v, &there_u, &there_v), (&s.v, &s.v, &there_v, &there_v)] {
        let (before, after) = (m.inner(&s.p, a, b), m.inner(&s.q, c, d));
        ensure((before - after).abs() < TOLERANCE * subject.unit.powi(2), || {
            format!("an inner product of {before} becomes {after}")
        })?;
    }
    let error = subject.error(&s.p, &s.v, &subject.transport(&s.q, &s.p, &there_v)?);
    ensure(error < TOLERANCE, || format!("transport there and back changes a unit vector by {error}"))
}

pub(super) fn transport_carries_the_geodesic(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let mut back = subject.log(&s.q, &s.p)?;
    scale(&mut back, -1.0);
    let error = subject.error(&s.q, &back, &subject.transport(&s.p, &s.q, &s.u)?);
    ensure(error < TOLERANCE, || format!("a geodesic's velocity at its end is off by {error}"))?;
    // the field is parallel: transport in two steps along the geodesic is transport in one
    let mut half = s.u.clone();
    scale(&mut half, 0.5);
    let middle = subject.exp(&s.p, &half);
    let two_steps = subject.transport(&middle, &s.q, &subject.transport(&s.p, &middle, &s.v)?)?;
    let error = subject.error(&s.q, &subject.transport(&s.p, &s.q, &s.v)?, &two_steps);
    ensure(error < TOLERANCE, || format!("transport in two steps differs from transport in one by {error}"))
}

/// Central differences of `−½ρ²(Exp_p(v), y)` in `p`, with `v` carried along in parallel, and in `v`, against
/// `⟨w, A†e⟩` and `⟨w, B†e⟩`, `e` the logarithm of `y` at the end of the geodesic.
pub(super) fn jacobi_is_the_adjoint_derivative_of_exp(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let y = subject.point(&mut s.generator, &s.q, 0.4 * subject.near());
    let e = subject.log(&s.q, &y)?;
    let (mut by_point, mut by_vector) = (vec![0.0; e.len()], vec![0.0; e.len()]);
    m.jacobi(&s.p, &s.u, &e, &mut by_point, &mut by_vector);
    let loss = |p: &[f64], v: &[f64]| -0.5 * m.dist(&subject.exp(p, v), &y).powi(2);
    let moved_point = |h: f64| -> Result<f64, String> {
        let p = subject.exp(&s.p, &s.v.iter().map(|v| h * v).collect::<Vec<_>>());
        Ok(loss(&p, &subject.transport(&s.p, &p, &s.u)?))
    };
    let moved_vector = |h: f64| loss(&s.p, &s.u.iter().zip(&s.v).map(|(u, v)| u + h * v).collect::<Vec<_>>());
    let expected_point = (moved_point(STEP)? - moved_point(-STEP)?) / (2.0 * STEP);
    let expected_vector = (moved_vector(STEP) - moved_vector(-STEP)) / (2.0 * STEP);
    let (point, vector) = (m.inner(&s.p, &s.v, &by_point), m.inner(&s.p, &s.v, &by_vector));
    for (what, found, expected) in [("point", point, expected_point), ("vector", vector, expected_vector)] {
        ensure((found - expected).abs() < 1e-7 * subject.unit.powi(2), || {
            format!("the derivative by the {what} is {expected} by differences, jacobi makes it {found}")
        })?;
    }
    Ok(())
}

pub(super) fn jacobi_keeps_the_part_along_the_geodesic(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let along = subject.transport(&s.p, &s.q, &s.u)?;
    let zero = vec![0.0; along.len()];
    // at length 0 both derivatives are the identity
    for (v, e, expected) in [(&s.u, &along, &s.u), (&zero, &s.v, &s.v)] {
        let (mut by_point, mut by_vector) = (zero.clone(), zero.clone());
        subject.manifold.jacobi(&s.p, v, e, &mut by_point, &mut by_vector);
        for part in [by_point, by_vector] {
            let error = subject.error(&s.p, expected, &part);
            ensure(error < TOLERANCE, || format!("a vector along the geodesic is changed by {error}"))?;
        }
    }
    Ok(())
}
