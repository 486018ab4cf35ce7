//! Many points at once, charts, and steps that are too long.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::manifold::vector::{norm, norm_of_difference};
use crate::manifold::{BatchOp, Manifold, Operand};
use crate::points::Points;

/// Points around the sample's, every third of them very near.
fn cloud(subject: &Subject<'_>, s: &mut Sample, count: usize) -> Vec<Vec<f64>> {
    let distance = |i: usize| {
        if i.is_multiple_of(3) { 1e-9 * subject.unit } else { 0.9 * subject.near() * i as f64 / count as f64 }
    };
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
        ensure(error < TOLERANCE * norm(&expected).max(1e-5 * subject.unit), || {
            format!("coordinates are off by {error}")
        })?;
        let alone = frame_logs(&points(subject, x.clone())?);
        ensure(c == alone, || "coordinates depend on the other points".to_owned())?;
    }
    Ok(())
}

/// With one operand for all rows and with one for each.
pub(super) fn many_rows_are_as_one(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let (m, len) = (subject.manifold, subject.manifold.point_len());
    // more than kernels take at once, and not a multiple of it
    let all = points(subject, cloud(subject, s, 77).concat())?;
    let (each, same) = (Operand::Each(all.view().values()), Operand::Same(&s.p));
    let computed = |width: usize, rows: usize, f: &dyn Fn(&mut [f64])| {
        let mut out = vec![f64::NAN; width * rows];
        f(&mut out);
        out
    };
    let logs = computed(len, all.len(), &|out| m.log_many(same, each, out));
    let back = computed(len, all.len(), &|out| m.log_many(each, same, out));
    for (p, q, v) in [(same, each, Operand::Each(&logs)), (each, same, Operand::Each(&back))] {
        // on some rows from a first one on: a logarithm, a distance, the end of a geodesic, …
        let operations = |first: usize, rows: usize| {
            let [p, q, v] = [p, q, v].map(|operand| operand.rows(first, rows, len));
            [
                BatchOp::Log([p, q]),
                BatchOp::Dist([p, q]),
                BatchOp::Exp([p, v]),
                BatchOp::Transport([p, q, v]),
                BatchOp::Inner([p, v, v]),
                BatchOp::Norm([p, v]),
            ]
        };
        let many = |first: usize, rows: usize| {
            operations(first, rows).map(|operation| computed(operation.width(len), rows, &|out| m.many(operation, out)))
        };
        let together = many(0, all.len());
        for (operation, expected) in operations(0, all.len()).into_iter().zip(&together) {
            let mut out = vec![f64::NAN; expected.len()];
            let prechecked = m.prechecked_many(operation, &mut out);
            let is_same = || out.iter().zip(expected).all(|(out, expected)| out.to_bits() == expected.to_bits());
            ensure(!prechecked || is_same(), || format!("surely_many and many of {operation:?} differ"))?;
        }
        for i in 0..all.len() {
            let (p, q, v) = (p.row(i, len), q.row(i, len), v.row(i, len));
            let or_nan = |done: crate::Result<()>, out: &mut [f64]| done.unwrap_or_else(|_| out.fill(f64::NAN));
            let one = [
                computed(len, 1, &|out| or_nan(m.log(p, q, out), out)),
                vec![m.dist(p, q)],
                computed(len, 1, &|out| m.exp(p, v, out)),
                computed(len, 1, &|out| or_nan(m.transport(p, q, v, out), out)),
                vec![m.inner(p, v, v)],
                vec![m.norm(p, v)],
            ];
            let (unit, numbers) = (subject.unit, subject.numbers);
            let sizes = [
                ("log", numbers),
                ("dist", unit),
                ("exp", numbers),
                ("transport", numbers),
                ("inner", unit.powi(2)),
                ("norm", unit),
            ];
            for (((together, alone), one), (what, size)) in together.iter().zip(many(i, 1)).zip(one).zip(sizes) {
                let row = &together[i * one.len()..][..one.len()];
                let pairs = || row.iter().zip(&alone).zip(&one);
                let is_alone = pairs().all(|((row, alone), _)| row.to_bits() == alone.to_bits());
                ensure(is_alone, || format!("{what}_many of row {i} depends on the others"))?;
                let allowed = TOLERANCE * norm(&one).max(size);
                let is_one =
                    pairs().all(|((row, _), one)| (row - one).abs() <= allowed || row.is_nan() && one.is_nan());
                ensure(is_one, || format!("{what}_many of row {i} is {row:?}, {what} is {one:?}"))?;
            }
        }
    }
    if let Some(carry) = m.transport_map(&s.p, &s.q) {
        let (q, v) = (Operand::Same(&s.q), Operand::Each(&logs));
        let (carried, many) = (|out: &mut [f64]| carry(v, out), |out: &mut [f64]| m.transport_many(same, q, v, out));
        let (carried, many) = (computed(len, all.len(), &carried), computed(len, all.len(), &many));
        ensure(carried == many, || format!("the transporter carries to {carried:?}, transport_many to {many:?}"))?;
        for (v, carried) in logs.chunks_exact(len).zip(carried.chunks_exact(len)) {
            let one = subject.transport(&s.p, &s.q, v)?;
            let is_one = norm_of_difference(carried, &one) <= TOLERANCE * norm(&one).max(subject.numbers);
            ensure(is_one, || format!("the transporter carries to {carried:?}, transport to {one:?}"))?;
        }
    }
    // all pairs of more points than one task takes, and others
    let (p, q) = (all.view().values(), &all.view().values()[..11 * len]);
    let pairs = computed(all.len(), 11, &|out| m.dist_matrix(p, q, out));
    for (i, (p, row)) in p.chunks_exact(len).zip(pairs.chunks_exact(11)).enumerate() {
        let alone = computed(1, 11, &|out| m.dist_many(Operand::Same(p), Operand::Each(q), out));
        let is_alone = row.iter().zip(&alone).all(|(row, alone)| row.to_bits() == alone.to_bits());
        ensure(is_alone, || format!("row {i} of dist_matrix is {row:?}, dist_many {alone:?}"))?;
    }
    Ok(())
}

/// Numbers that pass the quick checks pass the thorough ones too: points and vectors that are off by more and more.
pub(super) fn quick_looks_are_right(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let (m, len) = (subject.manifold, subject.manifold.point_len());
    let prechecked = |operation: BatchOp<'_>| m.prechecked_many(operation, &mut vec![0.0; operation.width(len)]);
    let p = Operand::Same(&s.p);
    for exponent in 0..45 {
        let off = f64::EPSILON * 2.0_f64.powi(exponent);
        for at in 0..len.min(4) {
            for sign in [-1.0, 1.0] {
                let mut q = s.q.clone();
                q[at] += sign * off * q[at].abs().max(f64::EPSILON);
                let thorough = || Points::new(m, q.clone()).is_ok_and(|points| points.view().values() == q);
                let quick = m.prechecked_points(&q) || prechecked(BatchOp::Dist([p, Operand::Each(&q)]));
                ensure(!quick || thorough(), || format!("{q:?} would be changed"))?;
                let mut v = subject.log(&s.p, &s.q)?;
                v[at] += sign * off * norm(&v);
                let each = Operand::Each(&v);
                let quick = m.prechecked_tangents(p, each, 1) || prechecked(BatchOp::Norm([p, each]));
                ensure(!quick || m.check_tangent(&s.p, &v).is_ok(), || format!("{v:?} is not tangent"))?;
            }
        }
    }
    // the point as a vector, so long that its square overflows
    for length in [1e153, 1.3e154, 1e155] {
        let v: Vec<f64> = s.p.iter().map(|x| x * length).collect();
        let each = Operand::Each(&v);
        let quick = m.prechecked_tangents(p, each, 1) || prechecked(BatchOp::Norm([p, each]));
        ensure(!quick || m.check_tangent(&s.p, &v).is_ok(), || format!("{v:?} is not tangent"))?;
    }
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for at in 0..len {
            let mut x = s.q.clone();
            x[at] = wrong;
            let quick = m.prechecked_points(&x) || prechecked(BatchOp::Log([Operand::Each(&x), p]));
            ensure(!quick, || format!("{x:?} is taken for a point"))?;
            let tangent = subject.log(&s.p, &s.q)?;
            let mut v = tangent.clone();
            v[at] = wrong;
            let each = Operand::Each(&v);
            let quick = m.prechecked_tangents(p, each, 1)
                || prechecked(BatchOp::Exp([p, each]))
                || prechecked(BatchOp::Inner([p, Operand::Same(&tangent), each]));
            ensure(!quick, || format!("{v:?} is taken for a tangent vector"))?;
        }
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
    ensure((flat - distance).abs() < subject.tolerance(), || {
        format!("the distance is {distance}, in the chart {flat}")
    })?;
    let mut back = vec![0.0; s.q.len()];
    chart.from_flat(&b, &mut back);
    let error = m.dist(&back, &s.q);
    ensure(error < subject.tolerance(), || format!("to the chart and back moves a point by {error}"))?;
    let cloud = cloud(subject, s, 11); // more than the batch kernels' width, and no multiple of it
    let all = points(subject, cloud.concat())?;
    let mut together = vec![f64::NAN; all.len() * m.dim()];
    chart.all_to_flat(all.view(), &mut together);
    for (x, together) in all.view().iter().zip(together.chunks_exact(m.dim())) {
        chart.to_flat(x, &mut a);
        let error = norm_of_difference(together, &a);
        ensure(error < subject.tolerance(), || format!("coordinates of many points at once are off by {error}"))?;
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
    ensure((before - after).abs() < subject.tolerance(), || format!("a distance of {before} becomes {after}"))?;
    let (center, origin) = (moved(&s.p), subject.origin());
    let whole = [m];
    let factors: Vec<&dyn Manifold> = m.factors().iter().map(|factor| &**factor).collect();
    let mut at = 0;
    for factor in if factors.is_empty() { &whole[..] } else { &factors[..] } {
        let range = at..at + factor.point_len();
        at = range.end;
        let to = |p: &[f64]| factor.dist(&center[range.clone()], &p[range.clone()]);
        let off = to(&s.p).min(to(&origin));
        ensure(off < subject.tolerance(), || {
            format!("the base is carried neither to the origin nor nowhere, but {off} off")
        })?;
    }
    let mut back = one.clone();
    m.from_origin(&s.p, &one, &mut back);
    let error = m.dist(&back, &s.q);
    ensure(error < subject.tolerance(), || format!("to the origin and back moves a point by {error}"))
}

pub(super) fn exp_stays_finite(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let unit = subject.unit;
    let longest = if m.max_step().is_finite() { m.max_step() } else { 1e6 * unit };
    for length in [0.0, unit, 10.0 * unit, longest, 10.0 * longest] {
        let q = subject.point(&mut s.generator, &s.p, length);
        ensure(q.iter().all(|x| x.is_finite()), || format!("Exp of a vector of length {length} is {q:?}"))?;
    }
    Ok(())
}
