//! Declarations of a space, compared with each other and with distances.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::manifold::vector::{dot, norm_of_difference, norm_of_sum};
use crate::manifold::{CurvatureBounds, CutLocus, Homogeneity, Model};
use std::f64::consts::PI;

/// How far a distance near the cut locus, or far out, may be off, relative to itself.
const ROUGH: f64 = 1e-6;

pub(super) fn declarations_agree(subject: &Subject<'_>, _sample: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let (injectivity, diameter, growth) = (m.injectivity_radius(), m.diameter(), m.volume_growth());
    let CurvatureBounds { lower, upper } = m.curvature();
    let same = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
    ensure(lower.is_finite() && upper.is_finite() && lower <= upper, || {
        format!("the curvature has no bounds {lower} to {upper}")
    })?;
    ensure(m.dim() > 1 || (lower == 0.0 && upper == 0.0), || {
        format!("there is no plane in dimension 1, and the curvature is {lower} to {upper}, not 0")
    })?;
    ensure(injectivity > 0.0 && diameter >= injectivity * (1.0 - 1e-12), || {
        format!("the injectivity radius is {injectivity}, the diameter {diameter}")
    })?;
    ensure(lower <= 0.0 || diameter <= PI / lower.sqrt() * (1.0 + 1e-12), || {
        format!("the curvature is at least {lower}, which makes the diameter at most pi/sqrt(it); it is {diameter}")
    })?;
    match m.cut_locus() {
        CutLocus::None => ensure(injectivity == f64::INFINITY && diameter == f64::INFINITY, || {
            format!("there is no cut locus, and the injectivity radius is {injectivity}, the diameter {diameter}")
        })?,
        CutLocus::AtDistance(r) => ensure(same(r, injectivity) && same(r, diameter), || {
            format!("the cut locus is {r} away, the injectivity radius {injectivity}, the diameter {diameter}")
        })?,
        CutLocus::Varies => ensure(injectivity < f64::INFINITY, || {
            "the cut locus varies, and the injectivity radius is infinite".to_owned()
        })?,
    }
    ensure(m.homogeneity() != Homogeneity::TwoPoint || m.cut_locus() != CutLocus::Varies, || {
        "isometries carry any direction to any other, and the distance of the cut locus varies".to_owned()
    })?;
    ensure(growth >= 0.0 && growth.is_finite(), || format!("the volume growth is {growth}"))?;
    ensure(growth == 0.0 || (lower < 0.0 && diameter == f64::INFINITY), || {
        format!("the volume growth is {growth}, the lower curvature bound {lower}, the diameter {diameter}")
    })?;
    ensure(m.max_step() > 0.0, || format!("Exp goes as far as {}", m.max_step()))?;
    ensure(m.flat_chart().is_none() || m.model() == Model::Flat, || {
        format!("there is an isometry with R^d, and the model is {:?}", m.model())
    })?;

    let constant = |curvature: f64| same(lower, curvature) && same(upper, curvature);
    let two_point = m.homogeneity() == Homogeneity::TwoPoint;
    let fits = match m.model() {
        Model::Flat => constant(0.0) && m.cut_locus() == CutLocus::None && growth == 0.0 && two_point,
        Model::Circle { length } => {
            m.dim() == 1 && same(diameter, 0.5 * length) && m.cut_locus() != CutLocus::Varies && two_point
        }
        Model::Sphere { curvature } => {
            m.dim() > 1 && curvature > 0.0 && constant(curvature) && two_point && same(diameter, PI / curvature.sqrt())
        }
        Model::Hyperbolic { curvature } => {
            let of_model = (m.dim() - 1) as f64 * (-curvature).max(0.0).sqrt();
            m.dim() > 1
                && curvature < 0.0
                && constant(curvature)
                && two_point
                && m.cut_locus() == CutLocus::None
                && same(growth, of_model)
        }
        Model::Other => true,
    };
    ensure(fits, || {
        format!(
            "it is not the model {:?}: its dimension is {}, its curvature {lower} to {upper}, its diameter {diameter}, \
             its cut locus {:?}, its volume growth {growth}, its homogeneity {:?}",
            m.model(),
            m.dim(),
            m.cut_locus(),
            m.homogeneity()
        )
    })
}

/// Lengths up to the declared radius, and just below it.
pub(super) fn vectors_below_the_injectivity_radius_keep_their_length(
    subject: &Subject<'_>,
    sample: &mut Sample,
) -> Verdict {
    let (m, p) = (subject.manifold, &sample.p);
    let end = m.injectivity_radius();
    let within = end.min(subject.far());
    for length in [sample.share * within, (1.0 - ROUGH) * within] {
        let v = subject.tangent(&mut sample.generator, p, length);
        let q = subject.exp(p, &v);
        let distance = m.dist(p, &q);
        ensure((distance - length).abs() <= 0.1 * ROUGH * length.max(1e-3 * subject.unit), || {
            format!("Exp of a vector of length {length} ends at distance {distance}; the injectivity radius is {end}")
        })?;
        let log = m.norm(p, &subject.log(p, &q)?);
        ensure((log - length).abs() <= 0.1 * ROUGH * length.max(1e-3 * subject.unit), || {
            format!("the logarithm of the end of a vector of length {length} has length {log}")
        })?;
    }
    Ok(())
}

pub(super) fn geodesics_cease_to_be_shortest_at_the_cut_locus(subject: &Subject<'_>, sample: &mut Sample) -> Verdict {
    let CutLocus::AtDistance(end) = subject.manifold.cut_locus() else { return Ok(()) };
    for excess in [1e-3, 0.5 * sample.share + 1e-3] {
        let length = (1.0 + excess) * end;
        let v = subject.tangent(&mut sample.generator, &sample.p, length);
        let distance = subject.manifold.dist(&sample.p, &subject.exp(&sample.p, &v));
        ensure(distance < length - 0.5 * excess * end, || {
            format!("Exp of a vector of length {length} ends at distance {distance}; the cut locus is at {end}")
        })?;
    }
    Ok(())
}

pub(super) fn nothing_is_farther_than_the_diameter(subject: &Subject<'_>, sample: &mut Sample) -> Verdict {
    let (m, p) = (subject.manifold, &sample.p);
    let length = sample.share * subject.far();
    let v = subject.tangent(&mut sample.generator, p, length);
    let distance = m.dist(p, &subject.exp(p, &v));
    ensure(distance <= m.diameter() * (1.0 + TOLERANCE), || {
        format!("there is a point at distance {distance}, the diameter is {}", m.diameter())
    })?;
    ensure(distance <= length * (1.0 + ROUGH) + subject.tolerance(), || {
        format!("Exp of a vector of length {length} ends farther away, at distance {distance}")
    })
}

/// Compares two geodesics of length `s` that leave `p` at an angle `α`. They end no farther apart than where the
/// curvature is `κ₋` everywhere (Toponogov). They end no nearer than where it is `κ` (Alexandrov, in a ball of radius
/// less than half of `min{inj, π/√κ}`).
pub(super) fn curvature_keeps_its_bounds(subject: &Subject<'_>, sample: &mut Sample) -> Verdict {
    let (m, p) = (subject.manifold, &sample.p);
    let CurvatureBounds { lower, upper } = m.curvature();
    let convex = if upper > 0.0 { PI / upper.sqrt() } else { f64::INFINITY };
    let s = (0.45 * m.injectivity_radius().min(convex)).min(subject.unit).min(subject.options.reach);
    let one = subject.direction(&mut sample.generator, 1.0);
    let other = subject.direction(&mut sample.generator, 1.0);
    // α/2 without cancellation
    let half = norm_of_difference(&one, &other).atan2(norm_of_sum(&one, &other));
    if dot(&one, &other).abs() > 1.0 - 1e-3 {
        return Ok(()); // no triangle
    }
    let end = |c: &[f64]| {
        let c: Vec<f64> = c.iter().map(|x| s * x).collect();
        subject.exp(p, &subject.vector(p, &c))
    };
    let distance = m.dist(&end(&one), &end(&other));
    let model = |curvature: f64| {
        let a = curvature.abs().sqrt();
        if curvature > 0.0 {
            2.0 / a * ((a * s).sin() * half.sin()).asin()
        } else if curvature < 0.0 {
            2.0 / a * ((a * s).sinh() * half.sin()).asinh()
        } else {
            2.0 * s * half.sin()
        }
    };
    let (nearest, max_step) = (model(upper), model(lower));
    let rounding = 10.0 * subject.tolerance();
    ensure(distance >= nearest - rounding && distance <= max_step + rounding, || {
        format!(
            "the ends of two geodesics of length {s} at an angle of {} are {distance} apart; curvature from {lower} to \
             {upper} makes that {nearest} to {max_step}",
            2.0 * half
        )
    })
}
