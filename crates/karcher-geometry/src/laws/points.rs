//! Laws about points, tangent vectors and their layouts.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::manifold::vector::{dot, norm, norm_of_difference};
use rand::RngExt;
use rand_distr::StandardNormal;

/// How far numbers are moved off a point, relative to the largest.
const PERTURBED: f64 = 1e-7;

/// How far a record may move the point that it holds, in units.
const WRITTEN: f64 = 1e-7;

/// A layout may declare that it does not hold a point (a matrix that is no correlation matrix). Then it need not read
/// the point back, but it has to read and write again its own record of it. So has a layout that writes several points
/// alike.
pub(super) fn shape_and_layouts_hold_a_point(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let (axes, point_len) = (m.shape().axes(), m.point_len());
    ensure(axes.iter().product::<usize>() == point_len, || {
        format!("an array of the axes {axes:?} does not hold the {point_len} numbers of a point")
    })?;
    let layouts = m.layouts();
    let first = layouts.first().ok_or("there is no layout")?;
    ensure(first.numbers() == point_len && first.write(&s.p) == s.p, || {
        format!("the first layout, {}, does not write a point's numbers as they are", first.name())
    })?;
    for (i, layout) in layouts.iter().enumerate() {
        let name = layout.name();
        ensure(layouts[..i].iter().all(|other| other.name() != name), || format!("two layouts are called {name}"))?;
        let names = layout.column_names().len();
        ensure(names == 0 || names == layout.numbers(), || format!("{name} does not name all of its numbers"))?;
        let read = |record: &[f64]| layout.read(record).map_err(|reason| format!("{name} reads no record: {reason}"));
        let record = layout.write(&s.p);
        ensure(record.len() == layout.numbers(), || {
            format!("{name} writes {} numbers and declares {}", record.len(), layout.numbers())
        })?;
        let point = read(&record)?;
        ensure(point.len() == point_len, || format!("{name} reads {} numbers", point.len()))?;
        let held = layout.check_holds(&s.p).is_ok();
        let is_that_point = held && !layout.holds_several_points();
        if held {
            m.check_point(&point).map_err(|error| format!("{name} reads no point: {error}"))?;
            let error = m.dist(&point, &s.p);
            ensure(!is_that_point || error < WRITTEN * subject.unit, || {
                format!("{name} reads a point {error} away from the one that it wrote")
            })?;
        }
        let (again, size) = (layout.write(&point), norm(&record).max(1.0));
        let error = norm_of_difference(&again, &record);
        ensure(is_that_point || error < WRITTEN * size, || format!("{name} changes a record by {error}"))?;
    }
    Ok(())
}

pub(super) fn origin_and_images_of_exp_are_points(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    for p in [&subject.origin(), &s.p, &s.q] {
        subject.manifold.check_point(p).map_err(|error| error.to_string())?;
        let mut again = p.clone();
        subject.manifold.normalize(&mut again);
        let change = norm_of_difference(p, &again);
        ensure(change <= 1e-14 * norm(p), || format!("normalizing changes a point by {change}"))?;
    }
    Ok(())
}

/// Numbers that are off by ten millionths, as files have them, if they are a point at all.
pub(super) fn normalizing_removes_the_rounding_of_points(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let size = PERTURBED * s.p.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut near: Vec<f64> = s.p.iter().map(|x| x + size * s.generator.random_range(-1.0..1.0)).collect();
    if m.check_point(&near).is_err() {
        return Ok(()); // it is no point, and normalize promises nothing
    }
    m.normalize(&mut near);
    m.check_point(&near).map_err(|error| format!("normalizing a point makes none: {error}"))?;
    let mut again = near.clone();
    m.normalize(&mut again);
    let change = norm_of_difference(&near, &again);
    ensure(change <= 1e-14 * norm(&near), || format!("normalizing a second time changes a point by {change}"))?;
    // the end of a geodesic is on the space
    let end = subject.exp(&s.p, &subject.log(&s.p, &near)?);
    let mut aligned = end.clone();
    m.align(&near, &end, &mut aligned);
    let off = norm_of_difference(&aligned, &near);
    ensure(off <= TOLERANCE * norm(&near).max(subject.numbers), || format!("a normalized point is {off} off the space"))
}

pub(super) fn wrong_numbers_are_no_point(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for i in 0..s.p.len().min(100) {
            let mut p = s.p.clone();
            p[i] = bad;
            ensure(m.check_point(&p).is_err(), || format!("a point with {bad} in place {} is accepted", i + 1))?;
        }
    }
    let longer = [&s.p[..], &[0.0]].concat();
    for p in [&s.p[1..], &[], &longer] {
        ensure(m.check_point(p).is_err(), || format!("{} numbers are accepted as a point", p.len()))?;
    }
    Ok(())
}

/// A vector that the frame and back change by more than a thousandth of itself is not tangent. Rounding errors of the
/// point's numbers are a tangent vector that is 0.
pub(super) fn tangents_are_told_from_other_vectors(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let zero = vec![0.0; s.p.len()];
    for v in [&s.u, &s.v, &zero] {
        m.check_tangent(&s.p, v).map_err(|error| format!("a tangent vector is refused: {error}"))?;
    }
    let rounding: Vec<f64> = s.p.iter().map(|x| f64::EPSILON * x * s.generator.random_range(-1.0..1.0)).collect();
    m.check_tangent(&s.p, &rounding).map_err(|error| format!("rounding errors are refused: {error}"))?;
    let mut wrong = s.v.clone();
    wrong[0] = f64::NAN;
    ensure(m.check_tangent(&s.p, &wrong).is_err(), || "a vector with NaN is accepted as tangent".to_owned())?;
    ensure(m.check_tangent(&s.p, &s.v[1..]).is_err(), || "too few numbers are accepted as tangent".to_owned())?;
    let any: Vec<f64> = s.p.iter().map(|_| s.generator.sample(StandardNormal)).collect();
    let off = norm_of_difference(&any, &subject.vector(&s.p, &subject.coordinates(&s.p, &any)));
    ensure(off < 1e-3 * norm(&any) || m.check_tangent(&s.p, &any).is_err(), || {
        format!("a vector that leaves the tangent space by {off} is accepted as tangent")
    })
}

pub(super) fn projecting_makes_points_and_keeps_points(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let mut same = s.p.clone();
    m.project(&mut same);
    let change = norm_of_difference(&same, &s.p);
    ensure(change <= 1e-14 * norm(&s.p), || format!("projecting changes a point by {change}"))?;
    let size = 1e-4 * s.p.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut near: Vec<f64> = s.p.iter().map(|x| x + size * s.generator.random_range(-1.0..1.0)).collect();
    m.project(&mut near);
    m.check_point(&near).map_err(|error| format!("projecting numbers near a point makes no point: {error}"))
}

pub(super) fn frame_is_an_isometry_and_inverts(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let (u, v) = (subject.coordinates(&s.p, &s.u), subject.coordinates(&s.p, &s.v));
    let (flat, inner) = (dot(&u, &v), subject.manifold.inner(&s.p, &s.u, &s.v));
    ensure((flat - inner).abs() < TOLERANCE * subject.unit.powi(2), || {
        format!("an inner product of {inner} is {flat} in the frame")
    })?;
    let error = subject.error(&s.p, &s.v, &subject.vector(&s.p, &v));
    ensure(error < TOLERANCE, || format!("to the frame and back changes a unit vector by {error}"))
}
