//! Small operations on slices, and functions that lose digits when written the obvious way.

use super::real::Real;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// `Σ f(aᵢ, bᵢ)`, of four sums side by side: the same numbers are added in the same order whatever a compiler makes of
/// it, and four at a time if it can. The last few are taken with the numbers before them, as four.
#[inline(always)]
fn sum<T: Real>(a: &[T], b: &[T], f: impl Fn(T, T) -> T) -> T {
    let zero = T::zero(a);
    let (fours, rest) = a.as_chunks::<4>();
    let (b_fours, b_rest) = b.as_chunks::<4>();
    let (Some(last), Some(b_last)) = (a.last_chunk::<4>(), b.last_chunk::<4>()) else {
        return rest.iter().zip(b_rest).fold(zero, |sum, (a, b)| sum + f(*a, *b));
    };
    let mut sums = [zero; 4];
    for (a, b) in fours.iter().zip(b_fours) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = *sum + f(*a, *b);
        }
    }
    if !rest.is_empty() {
        for (i, ((sum, a), b)) in sums.iter_mut().zip(last).zip(b_last).enumerate() {
            *sum = *sum + f(*a, *b).if_so(i + rest.len() >= 4);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// `Σ aᵢbᵢ`, of slices of one length.
#[inline(always)]
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    sum(a, b, |a, b| a * b)
}

/// Euclidean norm.
#[inline(always)]
pub(crate) fn norm<T: Real>(a: &[T]) -> T {
    dot(a, a).sqrt()
}

/// Euclidean norm of `a − b`.
#[inline(always)]
pub(crate) fn norm_of_difference<T: Real>(a: &[T], b: &[T]) -> T {
    sum(a, b, |a, b| (a - b) * (a - b)).sqrt()
}

/// Euclidean norm of `a + b`.
#[inline(always)]
pub(crate) fn norm_of_sum<T: Real>(a: &[T], b: &[T]) -> T {
    sum(a, b, |a, b| (a + b) * (a + b)).sqrt()
}

/// 1 if so, else 0, without a branch.
#[inline(always)]
pub(crate) fn one_if(so: bool) -> f64 {
    if so { 1.0 } else { 0.0 }
}

/// Whether all numbers are finite: 1 if so, else 0. (`0·∞` is NaN, and so are sums with it.)
#[inline(always)]
pub(crate) fn are_finite<T: Real>(a: &[T]) -> T {
    sum(a, a, |a, _| a * 0.0).map(|sum| one_if(sum == 0.0))
}

/// The largest absolute value, NaN where a number is not finite: that of every eighth number, then of these.
pub(crate) fn largest(a: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let (eights, rest) = a.as_chunks::<8>();
    let of_eighths = eights.iter().fold([0.0; 8], |mut of_eighths, eight| {
        for i in 0..8 {
            of_eighths[i] = larger(of_eighths[i], eight[i].abs());
        }
        of_eighths
    });
    let largest = rest.iter().fold(0.0, |largest, x| larger(largest, x.abs()));
    of_eighths.into_iter().fold(largest, larger) + sum(a, a, |a, _| a * 0.0)
}

/// Whether all numbers are finite. (`0·x` is 0 of these alone; eight sums of it side by side wait for none of them.)
pub(crate) fn all_finite(a: &[f64]) -> bool {
    let (eights, rest) = a.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for i in 0..8 {
            sums[i] += eight[i] * 0.0;
        }
    }
    sums.into_iter().chain(rest.iter().map(|x| x * 0.0)).all(|sum| sum == 0.0)
}

/// Makes rows of `len` numbers NaN that are not finite.
pub(crate) fn nan_unless_finite(rows: &mut [f64], len: usize) {
    if !all_finite(rows) {
        rows.chunks_exact_mut(len).filter(|row| !all_finite(row)).for_each(|row| row.fill(f64::NAN));
    }
}

/// Whether a part, such as the normal part of a vector, is far below a ten-millionth of the largest number of `v`: 1 if
/// so, else 0, also where a number is not finite. (The largest number is at least the norm over `√n`. Where squares
/// underflow, only a part of 0 is certainly small.)
#[inline(always)]
pub(crate) fn is_negligible<T: Real>(part: T, v: &[T]) -> T {
    let limit = dot(v, v) * (1e-14 / v.len() as f64);
    let is_small = |part: f64, limit: f64| (part * part < limit) | (part == 0.0);
    part.with(limit, |part, limit| one_if(is_small(part, limit) & (limit < f64::INFINITY)))
}

/// `out = α·a + β·b`.
#[inline(always)]
pub(crate) fn combine<T: Real>(alpha: T, a: &[T], beta: T, b: &[T], out: &mut [T]) {
    for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
        *o = alpha * *a + beta * *b;
    }
}

/// `a ← factor·a`.
#[inline(always)]
pub(crate) fn scale<T: Real>(a: &mut [T], factor: T) {
    for a in a {
        *a = *a * factor;
    }
}

/// `a ← a + α·b`.
#[inline(always)]
pub(crate) fn add_scaled<T: Real>(a: &mut [T], alpha: T, b: &[T]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = *a + alpha * *b;
    }
}

/// The first coordinate that is not a finite number, in words.
pub(crate) fn non_finite(a: &[f64]) -> Option<String> {
    let i = a.iter().position(|a| !a.is_finite())?;
    Some(format!("number {} is {}", i + 1, a[i]))
}

/// `sin s / s`; 1 at 0.
pub(crate) fn sinc(s: f64) -> f64 {
    if s.abs() < 1e-4 { 1.0 - s * s / 6.0 } else { s.sin() / s }
}

/// `sinh s / s`; 1 at 0.
pub(crate) fn sinhc(s: f64) -> f64 {
    if s.abs() < 1e-4 { 1.0 + s * s / 6.0 } else { s.sinh() / s }
}

/// `ln(sin s / s)` and its derivative `cot s − 1/s`, for `0 ≤ s < π`.
///
/// ```
/// let (value, slope) = karcher_geometry::ln_sinc(1e-3);
/// assert!((value + 1e-6 / 6.0).abs() < 1e-12 && (slope + 1e-3 / 3.0).abs() < 1e-9);
/// ```
pub fn ln_sinc(s: f64) -> (f64, f64) {
    if s < 1e-2 {
        let u = s * s;
        (
            -u / 6.0 * (1.0 + u / 30.0 * (1.0 + u * (4.0 / 189.0))),
            -s / 3.0 * (1.0 + u / 15.0 * (1.0 + u * (2.0 / 21.0))),
        )
    } else {
        ((s.sin() / s).ln(), 1.0 / s.tan() - 1.0 / s)
    }
}

/// `ln(sinh s / s)` and its derivative `coth s − 1/s`, for `s ≥ 0`; does not overflow.
pub(crate) fn ln_sinhc(s: f64) -> (f64, f64) {
    if s < 1e-2 {
        let u = s * s;
        (u / 6.0 * (1.0 - u / 30.0 * (1.0 - u * (4.0 / 189.0))), s / 3.0 * (1.0 - u / 15.0 * (1.0 - u * (2.0 / 21.0))))
    } else if s < 20.0 {
        ((s.sinh() / s).ln(), 1.0 / s.tanh() - 1.0 / s)
    } else {
        // sinh s = e^s/2 to the last digit
        (s - (2.0 * s).ln(), 1.0 - 1.0 / s)
    }
}

/// A uniformly distributed unit vector.
///
/// ```
/// use rand::SeedableRng;
/// let mut direction = [0.0; 3];
/// karcher_geometry::vector::unit_vector(&mut rand_chacha::ChaCha20Rng::seed_from_u64(1), &mut direction);
/// assert!((karcher_geometry::vector::norm(&direction) - 1.0).abs() < 1e-15);
/// ```
pub fn unit_vector<R: Rng + ?Sized>(rng: &mut R, out: &mut [f64]) {
    loop {
        out.iter_mut().for_each(|x| *x = rng.sample(StandardNormal));
        let norm = out.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.0 {
            out.iter_mut().for_each(|x| *x /= norm);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;
    use crate::space::Space;
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn series_meet_the_closed_forms_where_they_take_over() {
        for s in [1e-2, 1e-4_f64] {
            for (series, closed) in [(sinc(s * (1.0 - 1e-12)), s.sin() / s), (sinhc(s * (1.0 - 1e-12)), s.sinh() / s)] {
                assert!((series - closed).abs() < 4e-16, "{s}: {series} {closed}");
            }
        }
        // ln(sin s/s) and ln(sinh s/s) at 0.01 from their Taylor series in 50-digit arithmetic
        assert!((ln_sinc(0.0099999999).0 / -1.6666722222543212e-5 - 1.0).abs() < 1e-7);
        assert!((ln_sinc(0.01).0 - ln_sinc(0.0099999999999).0).abs() < 1e-15);
        assert!((ln_sinc(0.01).1 - ln_sinc(0.0099999999999).1).abs() < 1e-13);
        assert!((ln_sinhc(0.01).0 - ln_sinhc(0.0099999999999).0).abs() < 1e-15);
        assert!((ln_sinhc(0.01).1 - ln_sinhc(0.0099999999999).1).abs() < 1e-13);
    }

    /// As the documentation of `Manifold::dist` says, at and near a point whose other numbers are 0: places there are
    /// those of the plane. Underflow takes up to `2⁻⁵³⁶·n`, and does take so much that a thousandth of it would not do.
    #[test]
    fn lengths_below_those_whose_squares_are_doubles_are_told_as_documented() {
        let mut generator = ChaCha20Rng::seed_from_u64(8);
        let mut worst = 0.0_f64;
        for space in ["euclidean:3", "sphere:2", "hyperbolic:2"] {
            let space = space.parse::<Space>().unwrap().manifold().unwrap();
            for _ in 0..20_000 {
                let mut number = || {
                    let size = 10.0_f64.powf(generator.random_range(-170.0..-120.0));
                    size * generator.random_range(-1.0..1.0)
                };
                let (p, q, v) = ([1.0, number(), number()], [1.0, number(), number()], [0.0, number(), number()]);
                let allowed = |length: f64| 16.0 * f64::EPSILON * length + 3.0 * 2.0_f64.powi(-536);
                let lost = |found: f64, length: f64| ((found - length).abs() - 16.0 * f64::EPSILON * length).max(0.0);
                let (apart, long) = ((q[1] - p[1]).hypot(q[2] - p[2]), v[1].hypot(v[2]));
                let (pole, mut end, mut back) = ([1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]);
                for (found, length) in [(space.dist(&p, &q), apart), (space.norm(&pole, &v), long)] {
                    assert!((found - length).abs() <= allowed(length), "{space:?}: {found:e} {length:e}");
                    worst = worst.max(lost(found, length));
                }
                space.exp(&pole, &v, &mut end);
                space.log(&pole, &end, &mut back).unwrap();
                for (i, v) in v.iter().enumerate().skip(1) {
                    let right = |found: f64| (found - v).abs() <= 8.0 * f64::EPSILON * v.abs();
                    assert!(right(end[i]) && right(back[i]), "{space:?}: {v:e} {:e} {:e}", end[i], back[i]);
                }
            }
        }
        assert!(worst > 3e-3 * 2.0_f64.powi(-536), "{worst:e}");
    }

    #[test]
    fn ln_sinhc_does_not_overflow() {
        let (value, slope) = ln_sinhc(1e4);
        assert!((value - (1e4 - (2e4_f64).ln())).abs() < 1e-9 && (slope - (1.0 - 1e-4)).abs() < 1e-12);
    }
}
