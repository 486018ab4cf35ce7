//! Many points at once, charts, and steps that are too long.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::manifold::Manifold;
use crate::manifold::vector::{norm, norm_of_difference};
use crate::points::Points;

/// Points around the sample's, every third of them very near.
fn cloud(subject: &Subject<'_>, s: &mut Sample, count: usize) -> Vec<Vec<f64>> {
    let distance = |i: usize| if i.is_multiple_of(3) { 1e-9 } else { 0.9 * subject.near() * i as f64 / count as f64 };
    (0..count).map(|i| subject.point(&mut s.generator, &s.p, distance(i))).collect()
}

fn points(subject: &Subject<'_>, values: Vec<f64>) -> Result<Points, String> {
    Points::new(subject.manifold, values).map_err(|error| error.to_string())
}

pub(super) fn frame_logs_are_the_coordinates_of_logs(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let d = subject.manifold.dim();
    let cloud = cloud(subject, s, 19);
    let frame_logs = |points: &Points| {
        let mut c = vec![f64::NAN; points.len() * d];
        subject.manifold.frame_logs(&s.p, points.view(), &mut c);
        c
    };
    let all = points(subject, cloud.concat())?;
    for ((x, normalized), c) in cloud.iter().zip(all.view().iter()).zip(frame_logs(&all).chunks_exact(d)) {
        let expected = subject.coordinates(&s.p, &subject.log(&s.p, normalized)?);
        let error = norm_of_difference(c, &expected);
        // near points are off by the last digits of their numbers
        ensure(error < TOLERANCE * norm(&expected).max(1e-5), || format!("coordinates are off by {error}"))?;
        let alone = frame_logs(&points(subject, x.clone())?);
        ensure(c == alone, || "coordinates depend on the other points".to_owned())?;
    }
    Ok(())
}

pub(super) fn flat_chart_is_an_isometry(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let Some(chart) = m.flat_chart() else { return Ok(()) };
    let (mut a, mut b) = (vec![0.0; m.dim()], vec![0.0; m.dim()]);
    chart.to_flat(&s.p, &mut a);
    chart.to_flat(&s.q, &mut b);
    let (flat, distance) = (norm_of_difference(&a, &b), m.dist(&s.p, &s.q));
    ensure((flat - distance).abs() < TOLERANCE, || format!("the distance is {distance}, in the chart {flat}"))?;
    let mut back = vec![0.0; s.q.len()];
    chart.from_flat(&b, &mut back);
    let error = m.dist(&back, &s.q);
    ensure(error < TOLERANCE, || format!("to the chart and back moves a point by {error}"))?;
    let cloud = cloud(subject, s, 11); // more than the batch kernels' width, and no multiple of it
    let all = points(subject, cloud.concat())?;
    let mut together = vec![f64::NAN; all.len() * m.dim()];
    chart.all_to_flat(all.view(), &mut together);
    for (x, together) in all.view().iter().zip(together.chunks_exact(m.dim())) {
        chart.to_flat(x, &mut a);
        let error = norm_of_difference(together, &a);
        ensure(error < TOLERANCE, || format!("coordinates of many points at once are off by {error}"))?;
    }
    Ok(())
}

pub(super) fn moving_to_the_origin_is_an_isometry(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let third = subject.point(&mut s.generator, &s.q, 0.4 * subject.near());
    let moved = |x: &[f64]| {
        let mut out = x.to_vec();
        m.to_origin(&s.p, x, &mut out);
        out
    };
    let (one, other) = (moved(&s.q), moved(&third));
    let (before, after) = (m.dist(&s.q, &third), m.dist(&one, &other));
    ensure((before - after).abs() < TOLERANCE, || format!("a distance of {before} becomes {after}"))?;
    let (center, origin) = (moved(&s.p), subject.origin());
    let whole = [m];
    let factors: Vec<&dyn Manifold> = m.factors().iter().map(|factor| &**factor).collect();
    let mut at = 0;
    for factor in if factors.is_empty() { &whole[..] } else { &factors[..] } {
        let range = at..at + factor.point_len();
        at = range.end;
        let to = |p: &[f64]| factor.dist(&center[range.clone()], &p[range.clone()]);
        let off = to(&s.p).min(to(&origin));
        ensure(off < TOLERANCE, || format!("the base is carried neither to the origin nor nowhere, but {off} off"))?;
    }
    let mut back = one.clone();
    m.from_origin(&s.p, &one, &mut back);
    let error = m.dist(&back, &s.q);
    ensure(error < TOLERANCE, || format!("to the origin and back moves a point by {error}"))
}

pub(super) fn exp_stays_finite(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let longest = if m.farthest().is_finite() { m.farthest() } else { 1e6 };
    for length in [0.0, 1.0, 10.0, longest, 10.0 * longest] {
        let q = subject.point(&mut s.generator, &s.p, length);
        ensure(q.iter().all(|x| x.is_finite()), || format!("Exp of a vector of length {length} is {q:?}"))?;
    }
    Ok(())
}
