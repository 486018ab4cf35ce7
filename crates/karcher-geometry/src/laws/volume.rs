//! The volume density, its bound and its growth.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::manifold::vector::{ln_sinc, ln_sinhc};
use crate::manifold::{CurvatureBounds, Model};
use nalgebra::DMatrix;

/// The step of central differences, in units.
const STEP: f64 = 1e-5;

/// The dimension above which determinants are left out: they take thousands of exponentials.
const LARGEST_DETERMINANT: usize = 60;

/// Draws that are compared.
const DRAWS: usize = 2000;

/// The largest distance between the empirical distribution functions of two samples of [`DRAWS`] draws of one law,
/// except with a probability of `2e^{−DRAWS·D²}` (Smirnov) = 1e-12.
const SMIRNOV: f64 = 0.12;

/// Central differences of `Exp_p`, seen from the image by its logarithm, in orthonormal frames at both ends.
pub(super) fn volume_density_is_the_jacobian_of_exp(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let (m, d) = (subject.manifold, subject.manifold.dim());
    let at = subject.coordinates(&s.p, &s.u);
    let in_frame = m.log_volume_density_in_frame(&at);
    let got = m.log_volume_density(&s.p, &s.u);
    ensure((got - in_frame).abs() < TOLERANCE * got.abs().max(1.0), || {
        format!("the logarithm of the density is {got} at a point, and {in_frame} in its frame")
    })?;
    if d > LARGEST_DETERMINANT {
        return Ok(()); // jacobi tests the derivative there, in one direction at a time
    }
    let image = |i: usize, h: f64| -> Result<Vec<f64>, String> {
        let mut c = at.clone();
        c[i] += h * subject.unit;
        let end = subject.exp(&s.p, &subject.vector(&s.p, &c));
        Ok(subject.coordinates(&s.q, &subject.log(&s.q, &end)?))
    };
    let mut jacobian = DMatrix::zeros(d, d);
    for i in 0..d {
        for (j, (a, b)) in image(i, STEP)?.iter().zip(image(i, -STEP)?).enumerate() {
            jacobian[(j, i)] = (a - b) / (2.0 * STEP * subject.unit);
        }
    }
    let (expected, got) = (jacobian.determinant().abs(), got.exp());
    ensure((got - expected).abs() < 2e-6 * expected.max(1.0), || {
        format!("the density is {got}, the determinant of the derivative {expected}")
    })
}

/// `ln θ` at a random vector as far out as it is defined, and the vector's length.
fn far_density(subject: &Subject<'_>, s: &mut Sample) -> (f64, f64) {
    let m = subject.manifold;
    let length = s.share * (0.99 * m.injectivity_radius()).min(subject.far());
    let c = subject.direction(&mut s.generator, length);
    (length, m.log_volume_density_in_frame(&c))
}

/// `ln θ` of the space of constant curvature.
fn of_constant_curvature(curvature: f64, d: usize, length: f64) -> f64 {
    let t = curvature.abs().sqrt() * length;
    (d - 1) as f64 * if curvature > 0.0 { ln_sinc(t).0 } else { ln_sinhc(t).0 }
}

pub(super) fn volume_density_keeps_its_bounds(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let (m, d) = (subject.manifold, subject.manifold.dim());
    let (length, value) = far_density(subject, s);
    if length < 1e-3 * subject.unit {
        return Ok(());
    }
    let (bound, slope) = m.log_volume_density_bound(length);
    let rounding = TOLERANCE * bound.abs().max(1.0);
    ensure(value <= bound + rounding, || format!("ln theta is {value} at length {length}, its bound psi {bound}"))?;
    ensure(!m.is_two_point_homogeneous() || (value - bound).abs() < rounding.max(1e-6), || {
        format!("ln theta is {value} at length {length} and psi is {bound}, where only the length should count")
    })?;
    let psi = |x: f64| m.log_volume_density_bound(x).0;
    let h = 1e-6 * length;
    let expected = (psi(length + h) - psi(length - h)) / (2.0 * h);
    ensure((expected - slope).abs() < 1e-4 * slope.abs().max(1.0 / subject.unit), || {
        format!("psi' is {slope} at length {length}, by differences {expected}")
    })?;
    let CurvatureBounds { lower, upper } = m.curvature();
    ensure(upper > 0.0 || slope * subject.unit >= -TOLERANCE, || {
        format!("psi falls at length {length}: psi' is {slope}")
    })?;
    let concave = |x: f64| (d - 1) as f64 * x.ln() + psi(x);
    let (low, high) = (0.5 * length, (1.5 * length).min(0.99 * m.injectivity_radius()));
    ensure(concave(0.5 * (low + high)) >= 0.5 * (concave(low) + concave(high)) - rounding, || {
        format!("(d-1) ln s + psi(s) is not concave between {low} and {high}")
    })?;
    let (least, most) = (of_constant_curvature(upper, d, length), of_constant_curvature(lower, d, length));
    ensure(value <= most + 1e-6 * most.abs().max(1.0), || {
        format!("ln theta is {value} at length {length}; the curvature, at least {lower}, makes it at most {most}")
    })?;
    let conjugate = upper > 0.0 && upper.sqrt() * length > 3.0;
    ensure(conjugate || value >= least - 1e-6 * least.abs().max(1.0), || {
        format!("ln theta is {value} at length {length}; the curvature, at most {upper}, makes it at least {least}")
    })
}

pub(super) fn volume_density_is_that_of_the_model(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let curvature = match subject.manifold.model() {
        Model::Flat | Model::Circle { .. } => 0.0,
        Model::Sphere { curvature } | Model::Hyperbolic { curvature } => curvature,
        Model::Other => return Ok(()),
    };
    let (length, value) = far_density(subject, s);
    let expected = of_constant_curvature(curvature, subject.manifold.dim(), length);
    ensure((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), || {
        format!("ln theta is {value} at length {length}, that of the model {expected}")
    })
}

/// Two samples of `ln θ` at one length, by [`draw_log_volume_density`](crate::Manifold::draw_log_volume_density) and by
/// uniform directions, are compared by Smirnov's test.
pub(super) fn drawn_volume_densities_are_those_of_random_directions(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let (m, length) = (subject.manifold, subject.near());
    let bound = m.log_volume_density_bound(length).0;
    let mut direction = vec![0.0; m.dim()];
    let (mut drawn, mut expected) = (vec![0.0; DRAWS], vec![0.0; DRAWS]);
    for (drawn, expected) in drawn.iter_mut().zip(&mut expected) {
        m.draw_log_volume_density(&[length], &mut s.generator, std::slice::from_mut(drawn));
        crate::manifold::unit_vector(&mut s.generator, &mut direction);
        direction.iter_mut().for_each(|x| *x *= length);
        *expected = m.log_volume_density_in_frame(&direction);
    }
    // equal numbers that differ by rounding must count as equal
    let grain = 1e-9 * bound.abs().max(1.0);
    for values in [&mut drawn, &mut expected] {
        values.iter_mut().for_each(|x| *x = (*x / grain).round() * grain);
        values.sort_by(f64::total_cmp);
    }
    let below = |values: &[f64], x: f64| values.partition_point(|y| *y <= x) as f64 / DRAWS as f64;
    let apart = |x: &f64| (below(&drawn, *x) - below(&expected, *x)).abs();
    let largest = drawn.iter().chain(&expected).map(apart).fold(0.0, f64::max);
    ensure(largest <= SMIRNOV, || {
        format!("the distribution functions of ln theta at length {length} differ by {largest}, drawn and computed")
    })
}

pub(super) fn volume_grows_as_declared(subject: &Subject<'_>, _sample: &mut Sample) -> Verdict {
    let m = subject.manifold;
    let growth = m.volume_growth();
    let end = m.injectivity_radius();
    let lengths = [1e-3, 0.1, 1.0, 3.0, 10.0, 100.0, 1e6].map(|units| units * subject.unit);
    for length in lengths.into_iter().filter(|s| *s < 0.99 * end) {
        let bound = m.log_volume_density_bound(length).0;
        ensure(bound <= growth * length * (1.0 + TOLERANCE) + TOLERANCE, || {
            format!("psi({length}) is {bound}, more than {growth} times the length")
        })?;
    }
    if end == f64::INFINITY {
        let far = 1e6 * (m.dim() as f64).max(1.0) * subject.unit;
        let slope = m.log_volume_density_bound(far).1;
        ensure((slope - growth).abs() <= 1e-5 * growth.max(1.0 / subject.unit), || {
            format!("psi' is {slope} at length {far}, the volume growth {growth}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smirnov_s_limit_has_its_probability() {
        assert!(2.0 * (-(DRAWS as f64) * SMIRNOV * SMIRNOV).exp() < 1e-12);
    }
}
