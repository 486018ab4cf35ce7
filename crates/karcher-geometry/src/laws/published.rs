//! Released numbers are a function of the point (user guide, Q1).

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::lattice::Lattice;
use crate::manifold::Geodesic;
use crate::manifold::vector::{norm, norm_of_difference};

pub(super) fn aligning_forgets_the_representative(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let align = |base: &[f64], p: &[f64]| {
        let mut out = vec![0.0; p.len()];
        m.align(base, p, &mut out);
        out
    };
    let [other] = subject.turned(&mut s.generator, [&s.q])?;
    let aligned = align(&s.p, &s.q);
    let size = norm(&aligned);
    let difference = norm_of_difference(&aligned, &align(&s.p, &other));
    ensure(difference <= TOLERANCE * size, || {
        format!("two representatives are aligned to numbers {difference} apart")
    })?;
    let moved = m.dist(&aligned, &s.q);
    ensure(moved < subject.tolerance(), || format!("aligning moves a point by {moved}"))?;
    let (nearest, given) = (norm_of_difference(&s.p, &aligned), norm_of_difference(&s.p, &other));
    ensure(nearest <= given + TOLERANCE * subject.numbers, || {
        format!("a representative at {given} is nearer than {nearest}")
    })?;
    // the end of a geodesic is aligned
    let end = subject.exp(&s.p, &subject.log(&s.p, &s.q)?);
    let off = norm_of_difference(&align(&s.p, &end), &end);
    ensure(off <= TOLERANCE * norm(&end), || format!("the end of a logarithm is {off} from being aligned"))
}

/// Bit by bit: a mean, and a geodesic's footpoint and velocity, which turn together.
pub(super) fn turning_a_representative_changes_nothing_that_is_published(
    subject: &Subject<'_>,
    s: &mut Sample,
) -> Verdict {
    let m = subject.manifold;
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let center = subject.origin();
    let lattice = Lattice::new(m, 0.1 * subject.unit, subject.unit, 0.2 * subject.unit);
    let published = |y: &[f64]| Lattice::point(m, &center, &lattice.coordinates(m, &center, y));
    let half: Vec<f64> = s.u.iter().map(|u| 0.3 * u).collect();
    for _ in 0..3 {
        let other = subject.turned(&mut s.generator, [&s.p, &half])?;
        let (one, another) = (published(&s.p), published(&other[0]));
        ensure(bits(&one) == bits(&another), || "what is published tells representatives apart".to_owned())?;
        let moved = m.dist(&one, &s.p);
        ensure(moved < 1e-6 * subject.unit, || format!("publishing moves a point by {moved}"))?;
        let geodesic = |p: &[f64], v: &[f64]| {
            lattice.geodesic(m, &center, &Geodesic { footpoint: p.to_vec(), velocity: v.to_vec() })
        };
        let (one, another) = (geodesic(&s.p, &half), geodesic(&other[0], &other[1]));
        let same = bits(&one.footpoint) == bits(&another.footpoint) && bits(&one.velocity) == bits(&another.velocity);
        ensure(same, || "a published geodesic tells representatives apart".to_owned())?;
        let moved = m.dist(&one.at(m, 1.0), &subject.exp(&s.p, &half));
        ensure(moved < 1e-5 * subject.unit, || format!("publishing moves the end of a geodesic by {moved}"))?;
    }
    Ok(())
}
