//! Concentrations: the parameter `κ` of the laws of directions and axes, from the means that they have.
//!
//! | law | density | mean |
//! | --- | --- | --- |
//! | von Mises–Fisher on the unit sphere of `R^p` | `∝ e^{κ⟨m,x⟩}` | `E⟨m,x⟩ = I_{p/2}(κ)/I_{p/2−1}(κ)` |
//! | Watson on axes of `R^p` | `∝ e^{κ⟨m,x⟩²}` | `E⟨m,x⟩²`: the tilted law of Beta(½, (p − 1)/2) |
//! | complex Watson on shapes in `C^p` | `∝ e^{κ\|⟨m,z⟩\|²}` | `E\|⟨m,z⟩\|²`: the tilted law of Beta(1, p − 1) |
//!
//! All three means grow with `κ`, so that each is inverted by bisection (Mardia and Jupp 2000, chapters 10 and 14).

/// Concentrations that are told apart from 0 and from infinity.
const LEAST: f64 = 1e-12;
pub(super) const LARGEST: f64 = 1e12;

/// `I_{p/2}(κ)/I_{p/2−1}(κ)`, by its continued fraction `1/(p/κ + 1/((p + 2)/κ + …))`.
fn bessel_quotient(p: f64, kappa: f64) -> f64 {
    if kappa > 1e5 * p {
        // 1 − (p − 1)/2κ + (p − 1)(p − 3)/8κ²
        let inverse = 0.5 * (p - 1.0) / kappa;
        return 1.0 - inverse + 0.5 * inverse * (0.5 * (p - 3.0) / kappa);
    }
    // from the far end, where the quotient of order ν = p/2 + n is nearly κ/(ν + √(ν² + κ²))
    // an error shrinks by the square of the quotient in each step: by e^{−k²/κ} in k of them
    let terms = 60 + (8.0 * kappa.sqrt()) as usize;
    let order = 0.5 * p + terms as f64;
    let mut quotient = kappa / (order + (order * order + kappa * kappa).sqrt());
    for n in (0..terms).rev() {
        quotient = 1.0 / ((p + 2.0 * n as f64) / kappa + quotient);
    }
    quotient
}

/// `E T` of the density `∝ t^{a−1}(1 − t)^{b−1}e^{κt}` on `(0, 1)`: a quotient of Kummer's series, whose terms are all
/// positive.
fn tilted_beta(a: f64, b: f64, kappa: f64) -> f64 {
    if kappa > 1e4 {
        // Watson's lemma at t = 1: 1 − b/κ + b(a − 1)/κ², the latter negligible here
        return 1.0 - b / kappa - b * (1.0 - a) / (kappa * kappa);
    }
    // Σ termₖ, termₖ₊₁/termₖ = (a + k)κ/((a + b + k)(k + 1)); E T = Σ termₖ(a + k)/(a + b + k) / Σ termₖ
    let (mut term, mut all, mut weighted, mut k) = (1.0_f64, 0.0, 0.0, 0.0);
    loop {
        let share = (a + k) / (a + b + k);
        all += term;
        weighted += term * share;
        k += 1.0;
        term *= share * kappa / k;
        if k > kappa && term < 1e-17 * all {
            return weighted / all;
        }
        if all > 1e250 {
            (term, all, weighted) = (term * 1e-250, all * 1e-250, weighted * 1e-250);
        }
    }
}

/// The `κ ≥ 0` at which a growing function of it has a value; `None` where that is beyond all concentrations. By false
/// position in `ln κ`, with the ends halved in turn where one of them stays (Illinois).
fn inverse(value: f64, mean: impl Fn(f64) -> f64) -> Option<f64> {
    let off = |log: f64| mean(log.exp()) - value;
    let (mut low, mut high) = (LEAST.ln(), LARGEST.ln());
    let (mut below, mut above) = (off(low), off(high));
    if value.is_nan() || above <= 0.0 {
        return None;
    }
    if below >= 0.0 {
        return Some(0.0);
    }
    let mut last = 0.0_f64;
    for _ in 0..200 {
        // halves while the function is nearly flat at the ends
        let share = if high - low > 1.0 { 0.5 } else { below / (below - above) };
        let middle = low + share * (high - low);
        let found = off(middle);
        if found == 0.0 || high - low < 1e-13 {
            return Some(middle.exp());
        }
        if found < 0.0 {
            (low, below) = (middle, found);
            if last < 0.0 {
                above *= 0.5;
            }
        } else {
            (high, above) = (middle, found);
            if last > 0.0 {
                below *= 0.5;
            }
        }
        last = found;
    }
    Some(high.exp())
}

/// `κ` of the von Mises–Fisher law on the unit sphere of `R^p` with a mean resultant length.
pub(super) fn von_mises_fisher(p: usize, length: f64) -> Option<f64> {
    inverse(length, |kappa| bessel_quotient(p as f64, kappa))
}

/// `κ` of Watson's law on axes of `R^p` with a mean squared cosine.
pub(super) fn watson(p: usize, square: f64) -> Option<f64> {
    inverse(square, |kappa| tilted_beta(0.5, 0.5 * (p as f64 - 1.0), kappa))
}

/// `κ` of the complex Watson law on lines of `C^p` with a mean squared cosine.
pub(super) fn complex_watson(p: usize, square: f64) -> Option<f64> {
    inverse(square, |kappa| tilted_beta(1.0, p as f64 - 1.0, kappa))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In three dimensions the quotient is coth κ − 1/κ; in two it is I₁/I₀, here by its series.
    #[test]
    fn the_bessel_quotient_is_that_of_known_cases() {
        for kappa in [1e-6, 0.1, 1.0, 7.5, 60.0, 900.0, 4e5, 1e9_f64] {
            let known = if kappa < 1e-3 { kappa / 3.0 } else { 1.0 / kappa.tanh() - 1.0 / kappa };
            assert!((bessel_quotient(3.0, kappa) / known - 1.0).abs() < 1e-10, "{kappa}");
        }
        // scipy.special.ive(1, 2)/ive(0, 2), and of orders 384 and 383 at 300
        assert!((bessel_quotient(2.0, 2.0) - 0.697_774_657_964_008).abs() < 1e-13);
        assert!((bessel_quotient(768.0, 300.0) - 0.344_390_065_115_056).abs() < 1e-12);
        assert!((bessel_quotient(768.0, 1e4) - 0.962_383_248_225_105).abs() < 1e-12);
    }

    /// By the trapezoidal rule, and at κ = 0.
    #[test]
    fn the_tilted_law_has_its_mean() {
        for (a, b) in [(0.5, 1.0), (0.5, 1.5), (1.0, 1.0), (1.0, 40.0)] {
            assert!((tilted_beta(a, b, 0.0) - a / (a + b)).abs() < 1e-15);
            for kappa in [0.5, 3.0, 40.0, 900.0] {
                // t = sin²u, so that the density is sin^{2a−1}·cos^{2b−1}·e^{κt}
                let (mut all, mut weighted) = (0.0, 0.0);
                for i in 0..200_000 {
                    let u = (f64::from(i) + 0.5) / 200_000.0 * std::f64::consts::FRAC_PI_2;
                    let t = u.sin().powi(2);
                    let weight = (kappa * (t - 1.0)).exp() * u.sin().powf(2.0 * a - 1.0) * u.cos().powf(2.0 * b - 1.0);
                    all += weight;
                    weighted += weight * t;
                }
                let found = tilted_beta(a, b, kappa);
                assert!((found / (weighted / all) - 1.0).abs() < 1e-7, "{a} {b} {kappa}: {found}");
            }
            let [before, after] = [9_999.0, 10_001.0].map(|kappa| tilted_beta(a, b, kappa));
            let ratio = (1.0 - after) / (1.0 - before) * 10_001.0 / 9_999.0;
            assert!((ratio - 1.0).abs() < 1e-6 * (1.0 + b), "{a} {b}: {ratio}");
        }
    }

    #[test]
    fn concentrations_are_inverted() {
        for kappa in [0.01, 1.0, 30.0, 1e4] {
            let found = von_mises_fisher(3, bessel_quotient(3.0, kappa)).unwrap();
            assert!((found / kappa - 1.0).abs() < 1e-6, "{kappa} {found}");
            let found = watson(3, tilted_beta(0.5, 1.0, kappa)).unwrap();
            assert!((found / kappa - 1.0).abs() < 1e-6, "{kappa} {found}");
        }
        assert_eq!((von_mises_fisher(3, 1.0), von_mises_fisher(3, 0.0)), (None, Some(0.0)));
        assert_eq!(complex_watson(4, 0.2), Some(0.0)); // less than of a uniform law
    }
}
