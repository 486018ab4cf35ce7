//! From a record's vector of doubles to one of integers, bounded in integers (user guide, X1).
//!
//! The vector `v` of a record, which must not be longer than `b`, becomes `z ∈ Z^D`, `z ≈ v/q` with the quantum
//! `q = b·2⁻⁵⁰`. Whatever rounding did to `v` and does here, `z` depends on that record and on public quantities alone,
//! and `‖z‖² ≤ 2¹⁰⁰` is checked **in integers**. So sums of such `z` are exact: the same for every order, chunk, number
//! of threads and machine. One record changes them by no more than `2⁵¹`, in the bits.
//!
//! *Proof of the quick check* (`proofs/Checked.v`). The `zⱼ` may be any integers of 64 bits. A square passes through
//! two roundings of its factors, one of the product and at most `D + 8` of sums. So the computed sum is below the exact
//! one by a relative `(D + 11)·2⁻⁵³` at most. Where it is below `2¹⁰⁰` by more than that, the exact one is at most
//! `2¹⁰⁰`. Only vectors that are nearer to the bound are squared in integers.

/// The bound in quanta, and its logarithm.
pub(crate) const BITS: i32 = 50;
pub(crate) const BOUND: f64 = (1_u64 << BITS) as f64;

/// A longer vector is shortened to this fraction of the bound, so that rounding to integers leaves it below: for
/// `D ≤ 10⁶` rounding adds less than `2⁻⁴⁰`.
const INSIDE: f64 = 1.0 - 1.0 / (1_u64 << 39) as f64;

/// `1.5·2⁵²`: added to a number of size below `2⁵¹` it leaves the nearest integer in the last bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// The quantum of vectors no longer than `bound`.
pub(crate) fn quantum(bound: f64) -> f64 {
    bound / BOUND
}

/// A vector needs no shortening if the computed squares of its integers sum up to at most this fraction of the squared
/// bound. It is not too long either.
///
/// *Proof.* Then every sum `v·scale + MAGIC` was below `2⁵³` and at least `2⁵²`. Another one would have left at least
/// `2⁵⁰`, or NaN. So `t − MAGIC` is the integer, exactly. With `D ≤ 2³⁰` numbers the roundings of the sum are below a
/// relative `2⁻²²`, so the integers' length is below `2⁵⁰·(1 − 2⁻²⁰)`. The length of `v·scale` exceeds it by at most
/// `½·√D ≤ 2¹⁴`, and [`length`] computes it with a relative error below `2⁻²²`. In total it is below `2⁵⁰·INSIDE`,
/// where nothing is shortened.
const CLEARLY: f64 = 1.0 - 1.0 / (1_u64 << 18) as f64;

/// Factor for a vector that is still too long, because its length had many roundings.
const FURTHER: f64 = 1.0 - 1.0 / (1_u64 << 30) as f64;

/// Vectors whose integers are added together.
const TOGETHER: usize = 4;

/// Fewer numbers in a vector are added faster one vector after the other.
const LEAST: usize = 8;

/// Writes the integers of a vector that must not be longer than `bound`. A longer vector is shortened to `bound`; one
/// with numbers that are not finite becomes 0.
pub(super) fn bounded(v: &mut [f64], bound: f64, z: &mut [i64]) {
    // the most frequent case
    let squares = round_and_square(v, BOUND / bound, z);
    if squares.is_nan() || squares > BOUND * BOUND * CLEARLY {
        shortened_to(v, bound, z);
    }
}

/// The same for a vector that stays as it is.
fn bounded_copy(v: &[f64], bound: f64, z: &mut [i64]) {
    let squares = round_and_square(v, BOUND / bound, z);
    if squares.is_nan() || squares > BOUND * BOUND * CLEARLY {
        shortened_to(&mut v.to_vec(), bound, z);
    }
}

/// Adds the integers of vectors of `len` numbers each, that stay as they are: to the last bit those of [`bounded`].
pub(super) fn add_all_bounded(vectors: &[f64], len: usize, bound: f64, sum: &mut [i64]) {
    let mut z = vec![0; len];
    let mut add_one = |v: &[f64], sum: &mut [i64]| {
        bounded_copy(v, bound, &mut z);
        sum.iter_mut().zip(&z).for_each(|(sum, z)| *sum += z);
    };
    let together = if len < LEAST { 0 } else { vectors.len() / (TOGETHER * len) };
    let (groups, rest) = vectors.split_at(together * TOGETHER * len);
    if together > 0 {
        let before = sum.to_vec();
        if !pulp::Arch::new().dispatch(AddAll { groups, len, scale: BOUND / bound, sum }) {
            // what was added is not all of bounded vectors
            sum.copy_from_slice(&before);
            groups.chunks_exact(len).for_each(|v| add_one(v, sum));
        }
    }
    rest.chunks_exact(len).for_each(|v| add_one(v, sum));
}

/// Adds the integers of [`round_and_square`] for several vectors at a time: the sum is read and written once for all of
/// them. Returns whether all vectors are clearly bounded. Otherwise the sum is of no use, and it may have wrapped around.
struct AddAll<'a> {
    groups: &'a [f64],
    len: usize,
    scale: f64,
    sum: &'a mut [i64],
}

impl pulp::WithSimd for AddAll<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> bool {
        let Self { groups, len, scale, sum } = self;
        let mut groups = groups.chunks_exact(TOGETHER * len);
        groups.all(|group| {
            let squares = add_group(std::array::from_fn(|i| &group[i * len..][..len]), scale, sum);
            // false for what is no number
            squares.iter().all(|square| *square <= BOUND * BOUND * CLEARLY)
        })
    }
}

/// Adds the integers of a group, and returns the sums of their squares.
#[inline(always)]
fn add_group(vectors: [&[f64]; TOGETHER], scale: f64, sum: &mut [i64]) -> [f64; TOGETHER] {
    let mut squares = [[0.0_f64; 8]; TOGETHER];
    let one = |v: f64, sum: &mut i64, square: &mut f64| {
        let t = v * scale + MAGIC;
        *sum = sum.wrapping_add(t.to_bits() as i64).wrapping_sub(MAGIC.to_bits() as i64);
        let rounded = t - MAGIC;
        *square += rounded * rounded;
    };
    let mut eight = |r: usize, v: &[f64; 8], sum: &mut [i64; 8]| {
        for i in 0..8 {
            one(v[i], &mut sum[i], &mut squares[r][i]);
        }
    };
    let [a, b, c, d] = vectors.map(<[f64]>::as_chunks::<8>);
    let (sum, sum_rest) = sum.as_chunks_mut::<8>();
    for ((((sum, a), b), c), d) in sum.iter_mut().zip(a.0).zip(b.0).zip(c.0).zip(d.0) {
        eight(0, a, sum);
        eight(1, b, sum);
        eight(2, c, sum);
        eight(3, d, sum);
    }
    for (squares, (_, rest)) in squares.iter_mut().zip([a, b, c, d]) {
        sum_rest.iter_mut().zip(rest).zip(squares).for_each(|((sum, v), square)| one(*v, sum, square));
    }
    squares.map(|squares| squares.iter().sum())
}

/// The same as [`bounded`] for a vector that may be too long.
fn shortened_to(v: &mut [f64], bound: f64, z: &mut [i64]) {
    if length(v) > bound * INSIDE {
        // also where a square overflows: after division by the largest number the length is finite
        let largest = v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        v.iter_mut().for_each(|v| *v /= largest);
        let length = length(v);
        v.iter_mut().for_each(|v| *v *= bound * INSIDE / length);
    }
    for _ in 0..2 {
        round(v, BOUND / bound, z);
        if fits(z) {
            return;
        }
        v.iter_mut().for_each(|v| *v *= FURTHER);
    }
    z.fill(0); // also what is no number
}

/// [`round`], and the sum of the squares of the integers, with rounding. The sum is at least `2¹⁰²` where an integer is
/// beyond `2⁵¹`, and NaN where a number of the vector is NaN.
fn round_and_square(v: &[f64], scale: f64, z: &mut [i64]) -> f64 {
    let one = |v: f64, z: &mut i64| {
        let t = v * scale + MAGIC;
        *z = (t.to_bits() as i64).wrapping_sub(MAGIC.to_bits() as i64);
        let rounded = t - MAGIC;
        rounded * rounded
    };
    let mut squares = [0.0_f64; 8];
    let ((eights, rest), (z_eights, z_rest)) = (v.as_chunks::<8>(), z.as_chunks_mut::<8>());
    for (v, z) in eights.iter().zip(z_eights) {
        for i in 0..8 {
            squares[i] += one(v[i], &mut z[i]);
        }
    }
    let rest: f64 = rest.iter().zip(z_rest).map(|(v, z)| one(*v, z)).sum();
    squares.iter().sum::<f64>() + rest
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Writes the integers nearest to `scale·v`; arbitrary integers for numbers beyond `2⁵¹` and for NaN.
pub(super) fn round(v: &[f64], scale: f64, z: &mut [i64]) {
    for (z, v) in z.iter_mut().zip(v) {
        *z = ((v * scale + MAGIC).to_bits() as i64).wrapping_sub(MAGIC.to_bits() as i64);
    }
}

/// Whether `‖z‖² ≤ 2¹⁰⁰`.
pub(super) fn fits(z: &[i64]) -> bool {
    // four sums, which a processor computes in parallel
    let mut squares = [0.0; 4];
    let mut quads = z.chunks_exact(4);
    for quad in &mut quads {
        for (square, z) in squares.iter_mut().zip(quad) {
            *square += *z as f64 * *z as f64;
        }
    }
    let rest: f64 = quads.remainder().iter().map(|z| *z as f64 * *z as f64).sum();
    let slack = 2.0 * (z.len() + 4) as f64 * f64::EPSILON;
    if squares.iter().sum::<f64>() + rest <= BOUND * BOUND * (1.0 - slack) {
        return true;
    }
    let exact = z.iter().try_fold(0_u128, |sum, z| {
        let z = u128::from(z.unsigned_abs());
        sum.checked_add(z.checked_mul(z)?)
    });
    exact.is_some_and(|square| square <= 1 << (2 * BITS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn integers(v: &[f64], bound: f64) -> Vec<i64> {
        let mut z = vec![0; v.len()];
        bounded(&mut v.to_vec(), bound, &mut z);
        z
    }

    /// `‖z‖²`, by schoolbook arithmetic.
    fn square(z: &[i64]) -> u128 {
        z.iter().map(|z| u128::from(z.unsigned_abs()).pow(2)).sum()
    }

    #[test]
    fn short_vectors_are_rounded_and_long_ones_shortened() {
        let unit = 1_i64 << 50;
        assert_eq!(integers(&[0.5, -0.25, 0.0], 1.0), [unit / 2, -unit / 4, 0]);
        assert_eq!(integers(&[0.75, -1.5], 6.0), [unit / 8, -unit / 4]);
        for far in [1.0, 1e3, 1e200, f64::MAX] {
            let z = integers(&[0.6 * far, -0.8 * far], 1.0);
            assert!(
                (z[0] as f64 / (0.6 * BOUND) - 1.0).abs() < 1e-11 && (z[1] as f64 / (0.8 * BOUND) + 1.0).abs() < 1e-11
            );
        }
        for no_number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(integers(&[0.1, no_number], 1.0), [0, 0]);
        }
        assert_eq!(integers(&[], 1.0), [0; 0]);
        assert_eq!(integers(&[f64::NAN, -2.0_f64.powi(60), -1e300], 1.0), [0, 0, 0]);
    }

    #[test]
    fn the_check_is_exact_at_the_bound() {
        assert!(fits(&[1 << 50, 0]) && fits(&[0, 0, 0, 0, -(1 << 50)]));
        assert!(!fits(&[1 << 50, 1]) && !fits(&[1, 0, 0, 0, -(1 << 50)]));
        let third = (1_i64 << 50) / 5;
        assert!(fits(&[3 * third, 4 * third]));
        assert!(!fits(&[i64::MIN, i64::MAX]));
    }

    /// The quick check of the squares and the check of lengths give the same bits.
    #[test]
    fn the_quick_way_changes_no_bit() {
        let slowly = |v: &[f64], bound: f64| {
            let (mut v, mut z) = (v.to_vec(), vec![0; v.len()]);
            shortened_to(&mut v, bound, &mut z);
            z
        };
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / 2.0_f64.powi(52) - 1.0
        };
        let mut quick = 0;
        for n in 0..4_000 {
            let bound = [1e-140, 0.3, 1.0, 12.0, 1e140][n % 5];
            let v: Vec<f64> = (0..1 + n % 37).map(|_| number()).collect();
            let to = bound * [1e-9, 0.5, 0.999, 1.0 - 2e-6, 1.0 - 1e-9, 1.0, 1.0 + 1e-12, 2.0][n % 8] / length(&v);
            let v: Vec<f64> = v.iter().map(|v| v * to).collect();
            assert_eq!(integers(&v, bound), slowly(&v, bound), "{n}");
            let mut z = vec![0; v.len()];
            quick += usize::from(round_and_square(&v, BOUND / bound, &mut z) <= BOUND * BOUND * CLEARLY);
        }
        assert!((1_000..3_000).contains(&quick), "{quick}");
        let most = f64::MAX;
        for far in [2.0_f64.powi(51), 2.0_f64.powi(52), 3.0 * 2.0_f64.powi(52), 2.0_f64.powi(60), most, f64::NAN] {
            for v in [[far, 0.5], [-far, 0.5], [0.25, far]] {
                let squares = round_and_square(&v, 1.0, &mut [0; 2]);
                assert!(squares.is_nan() || squares > BOUND * BOUND, "{far}");
            }
        }
    }

    /// Vectors that are bounded, too long, far too long and no numbers, in groups of any size.
    #[test]
    fn vectors_added_together_are_those_added_one_by_one() {
        let mut state = 7_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / 2.0_f64.powi(52) - 1.0
        };
        for len in (1..20).chain([64, 385]) {
            for count in 0..14 {
                let mut vectors: Vec<f64> = (0..count * len).map(|_| number()).collect();
                for (i, v) in vectors.chunks_exact_mut(len).enumerate() {
                    let to = [0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-12, 2.0, 1e300][(i + len) % 6] / length(v);
                    v.iter_mut().for_each(|v| *v *= to);
                    if i % 7 == 6 {
                        v[len / 2] = [f64::NAN, f64::INFINITY, -1e300][i / 7 % 3];
                    }
                }
                let (mut together, mut one_by_one) = (vec![5; len], vec![5; len]);
                add_all_bounded(&vectors, len, 1.0, &mut together);
                for v in vectors.chunks_exact(len) {
                    one_by_one.iter_mut().zip(integers(v, 1.0)).for_each(|(sum, z)| *sum += z);
                }
                assert_eq!(together, one_by_one, "{count} of {len}");
            }
        }
    }

    proptest! {
        /// Whatever the numbers are, bit patterns included.
        #[test]
        fn no_vector_of_integers_is_too_long(
            bits in prop::collection::vec(any::<u64>(), 1..40), bound in 1e-140f64..1e140, near in 0.0f64..3.0,
        ) {
            let v: Vec<f64> = bits.iter().map(|bits| f64::from_bits(*bits)).collect();
            prop_assert!(square(&integers(&v, bound)) <= 1 << 100);
            // vectors whose length is near the bound
            let direction: Vec<f64> = bits.iter().map(|bits| *bits as f64 - 9e18).collect();
            let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
            let scaled: Vec<f64> = direction.iter().map(|v| v * (bound * near.max(2.0).min(near) / length)).collect();
            prop_assert!(square(&integers(&scaled, bound)) <= 1 << 100);
            let edge: Vec<f64> = direction.iter().map(|v| v * (bound / length)).collect();
            let z = integers(&edge, bound);
            prop_assert!(square(&z) <= 1 << 100 && square(&z) as f64 > BOUND * BOUND * (1.0 - 1e-10));
        }
    }
}
