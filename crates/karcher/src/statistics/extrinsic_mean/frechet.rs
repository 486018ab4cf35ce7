//! How far the Fréchet mean of records can be from their extrinsic mean: from the mean resultant length alone.
//!
//! **Theorem** (directions). Let `R̄` be the mean resultant length of records on a sphere, and `θ` the angle between
//! their extrinsic mean `m` and a Fréchet mean `p`. Then `(1 − cos θ)/θ ≤ π(1 − R̄)/(2R̄)`, and `R̄·cos θ ≥ cos(π·√((1
//! − R̄)/2))`.
//!
//! **Proof.** Let `ρ` be the angle between a record and `m`, and `ρ′` that between it and `p`; `E` is the mean over
//! records. `E cos ρ = R̄` and `E cos ρ′ = R̄·cos θ`, and `E ρ′² ≤ E ρ²`.
//!
//! First, `r(ρ) = ρ² − 2(1 − cos ρ)` is convex and grows, because `r″ = 2(1 − cos ρ)`. So `r(ρ) − r(ρ′) ≤ r′(ρ)·(ρ −
//! ρ′) ≤ 2(ρ − sin ρ)·θ`, and `2R̄(1 − cos θ) ≤ E r(ρ) − E r(ρ′) ≤ 2θ·E(ρ − sin ρ)`. As a function of `c = cos ρ`, `ρ −
//! sin ρ` has the derivative `−√((1 − c)/(1 + c))`, so it is convex, and at most `π(1 − c)/2`, its chord. Hence the
//! first claim.
//!
//! Second, `arccos² c` is convex too: `ρ/sin ρ` grows. By its chord, `E ρ² ≤ π²(1 − R̄)/2`. By Jensen's inequality,
//! `E ρ′² ≥ arccos²(R̄·cos θ)`. ∎
//!
//! **Axes**, rotations as quaternions, and shapes: the same with doubled angles. For the eigenvalues `t₁ ≥ t₂` of the
//! mean projector and the angle `θ ≤ π/2`, `E cos² ρ = t₁`, and `E cos² ρ′ ≤ t₁ − (t₁ − t₂)·sin² θ`. Hence `(1 − cos
//! 2θ)/2θ ≤ π(1 − t₁)/(t₁ − t₂)`.

use std::f64::consts::{FRAC_PI_2, PI};

/// `(1 − cos ψ)/ψ` grows up to this angle, to 0.7246, and falls to `2/π` at `π`.
const TURN: f64 = 2.331_122_370_414_423;

/// Upper bound of `θ` in radians, from the mean resultant length. `None` where it may be any angle.
pub(super) fn of_directions(resultant: f64) -> Option<f64> {
    let first = angle(FRAC_PI_2 * (1.0 - resultant) / resultant);
    let cosine = (PI * (0.5 * (1.0 - resultant)).sqrt()).cos();
    // where the cosine is negative, a longer mean may leave more
    let second = (cosine > 0.0 && cosine <= resultant).then(|| (cosine / resultant).acos());
    [first, second].into_iter().flatten().reduce(f64::min)
}

/// Upper bound of `θ` in radians, from the first eigenvalue and its gap to the second.
pub(super) fn of_axes(first: f64, gap: f64) -> Option<f64> {
    if gap > 0.0 { angle(PI * (1.0 - first) / gap).map(|double| 0.5 * double) } else { None }
}

/// The largest `ψ` with `(1 − cos ψ)/ψ ≤ bound`, if the bound excludes `π`.
fn angle(bound: f64) -> Option<f64> {
    if !(0.0..2.0 / PI).contains(&bound) {
        return None;
    }
    let (mut low, mut high) = (0.0, TURN);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if 1.0 - f64::cos(middle) > bound * middle { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Angles on a circle: the Fréchet mean is searched on a grid, and is within the bound. The data are as skew as
    /// can be, and a bound of 0.47 of its size fails.
    #[test]
    fn no_frechet_mean_is_farther() {
        let mut closest = f64::INFINITY;
        for far in [0.5, 1.5, 2.5, 3.0, PI - 1e-3] {
            for share in [0.005, 0.01, 0.05, 0.1, 0.13] {
                let (x, y) = (1.0 - share + share * f64::cos(far), share * f64::sin(far));
                let (resultant, mean) = (x.hypot(y), y.atan2(x));
                let apart = |a: f64, b: f64| PI - ((a - b).rem_euclid(2.0 * PI) - PI).abs();
                let objective = |p: f64| (1.0 - share) * apart(p, 0.0).powi(2) + share * apart(p, far).powi(2);
                let best = (0..100_000)
                    .map(|i| f64::from(i) * 2.0 * PI / 100_000.0)
                    .min_by(|a, b| objective(*a).total_cmp(&objective(*b)))
                    .unwrap();
                let (found, bound) = (apart(best, mean), of_directions(resultant).unwrap());
                assert!(found <= bound + 1e-4, "{far} {share}: {found} {bound}");
                closest = closest.min(bound / found);
            }
        }
        assert!(closest < 2.1, "{closest}");
    }

    #[test]
    fn bounds_are_known_numbers() {
        let degrees = |angle: Option<f64>| angle.map(|angle| (10.0 * angle.to_degrees()).round() / 10.0);
        assert_eq!(degrees(of_directions(0.99)), Some(1.8));
        assert_eq!(degrees(of_directions(0.9)), Some(20.2));
        assert_eq!(degrees(of_directions(0.6)), Some(74.0));
        assert_eq!((of_directions(0.45), of_directions(1.0)), (None, Some(0.0)));
        assert_eq!((of_axes(0.5, 0.2), of_axes(0.5, 0.0), of_axes(0.9, -0.1)), (None, None, None));
        assert!(of_axes(0.99, 0.98).unwrap() < 0.033);
    }

    /// Axes in the plane are angles of half the size.
    #[test]
    fn axes_are_directions_of_doubled_angles() {
        // t₁ = (1 + R̄)/2 and t₂ = (1 − R̄)/2
        for resultant in [0.75_f64, 0.9, 0.999] {
            let doubled = angle(FRAC_PI_2 * (1.0 - resultant) / resultant).unwrap();
            assert!((of_axes(0.5 * (1.0 + resultant), resultant).unwrap() - 0.5 * doubled).abs() < 1e-12);
        }
    }
}
