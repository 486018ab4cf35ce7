//! Operations on batches of `k × k` matrices, interleaved entry by entry and column-major: entry `(i, j)` of every
//! matrix of the batch is found at `[j·k + i]`.

use pulp::Simd;

use super::eigen::power_of_two;
use super::lanes::Lanes;

/// Interleaves symmetric matrices of which it reads the lower triangles. A batch that is not full repeats its last
/// matrix.
#[inline(always)]
pub(super) fn load<S: Simd, const P: usize>(k: usize, matrices: &[f64], out: &mut [Lanes<S, P>]) {
    let last = matrices.len() / (k * k) - 1;
    for l in 0..Lanes::<S, P>::COUNT {
        let matrix = &matrices[l.min(last) * k * k..][..k * k];
        for i in 0..k {
            for j in 0..=i {
                let x = matrix[i * k + j];
                out[j * k + i].each_mut()[l] = x;
                out[i * k + j].each_mut()[l] = x;
            }
        }
    }
}

/// Replaces each matrix by its Cholesky factor, zero above the diagonal, or says which one has none.
#[inline(always)]
pub(super) fn factor<S: Simd, const P: usize>(simd: S, k: usize, a: &mut [Lanes<S, P>]) -> Result<(), usize> {
    for j in 0..k {
        let (left, right) = a.split_at_mut((j + 1) * k);
        let column = &mut left[j * k..];
        if let Some(lane) = column[j].each().iter().position(|&pivot| !(pivot > 0.0 && pivot < f64::INFINITY)) {
            return Err(lane);
        }
        let root = column[j].sqrt();
        column[..j].fill(Lanes::splat(simd, 0.0));
        column[j] = root;
        for x in &mut column[j + 1..] {
            *x = *x / root;
        }
        for (l, other) in (j + 1..k).zip(right.chunks_exact_mut(k)) {
            let factor = column[l];
            for (x, &y) in other[l..].iter_mut().zip(&column[l..]) {
                *x = y.mul_sub_from(factor, *x);
            }
        }
    }
    Ok(())
}

/// `x ← L⁻¹ x` for a lower triangular, row-major `L` and vectors that are zero before place `start`.
#[inline(always)]
pub(super) fn forward_substitute<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    l: &[f64],
    start: usize,
    x: &mut [Lanes<S, P>],
) {
    for i in start..k {
        let row = &l[i * k..=i * k + i];
        let mut rest = x[i];
        for (&l, &x) in row[start..i].iter().zip(&x[start..i]) {
            rest = Lanes::splat(simd, l).mul_sub_from(x, rest);
        }
        x[i] = rest / Lanes::splat(simd, row[i]);
    }
}

/// `E ← L⁻¹ E L⁻ᵀ` for symmetric `E`.
#[inline(always)]
pub(super) fn whiten_each<S: Simd, const P: usize>(simd: S, k: usize, l: &[f64], e: &mut [Lanes<S, P>]) {
    for _ in 0..2 {
        for column in e.chunks_exact_mut(k) {
            forward_substitute(simd, k, l, 0, column);
        }
        for i in 0..k {
            for j in 0..i {
                e.swap(i * k + j, j * k + i);
            }
        }
    }
}

/// Divides each matrix by a power of two that makes its largest entry lie in [1, 2), and returns these powers.
#[inline(always)]
pub(super) fn normalize<S: Simd, const P: usize>(simd: S, g: &mut [Lanes<S, P>]) -> Lanes<S, P> {
    let mut largest = Lanes::splat(simd, 0.0);
    for x in g.iter() {
        largest = largest.max(x.abs());
    }
    let scale = largest.map(power_of_two);
    let inverse = scale.map(|s| 1.0 / s);
    for x in g {
        *x = *x * inverse;
    }
    scale
}

/// `out = A B`.
#[inline(always)]
pub(super) fn multiply<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    a: &[Lanes<S, P>],
    b: &[Lanes<S, P>],
    out: &mut [Lanes<S, P>],
) {
    out.fill(Lanes::splat(simd, 0.0));
    for (out, b) in out.chunks_exact_mut(k).zip(b.chunks_exact(k)) {
        for (a, &b) in a.chunks_exact(k).zip(b) {
            for (x, a) in out.iter_mut().zip(a) {
                *x = a.mul_add(b, *x);
            }
        }
    }
}

/// The lower triangle of `A Bᵀ`, into that of `out`.
#[inline(always)]
pub(super) fn multiply_transposed<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    a: &[Lanes<S, P>],
    b: &[Lanes<S, P>],
    out: &mut [Lanes<S, P>],
) {
    out.fill(Lanes::splat(simd, 0.0));
    for (a, b) in a.chunks_exact(k).zip(b.chunks_exact(k)) {
        for (j, (out, &b)) in out.chunks_exact_mut(k).zip(b).enumerate() {
            for (x, a) in out[j..].iter_mut().zip(&a[j..]) {
                *x = a.mul_add(b, *x);
            }
        }
    }
}

/// `Aᵀ B` where it is known to be symmetric.
#[inline(always)]
pub(super) fn transposed_multiply<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    a: &[Lanes<S, P>],
    b: &[Lanes<S, P>],
    out: &mut [Lanes<S, P>],
) {
    for j in 0..k {
        for i in j..k {
            let entry = dot(simd, &a[i * k..i * k + k], &b[j * k..j * k + k]);
            out[j * k + i] = entry;
            out[i * k + j] = entry;
        }
    }
}

/// `Σ xᵢ yᵢ`.
#[inline(always)]
pub(super) fn dot<S: Simd, const P: usize>(simd: S, x: &[Lanes<S, P>], y: &[Lanes<S, P>]) -> Lanes<S, P> {
    let mut sums = [Lanes::splat(simd, 0.0); 4];
    let (x4, y4) = (x.chunks_exact(4), y.chunks_exact(4));
    for (x, y) in x4.remainder().iter().zip(y4.remainder()) {
        sums[0] = x.mul_add(*y, sums[0]);
    }
    for (x, y) in x4.zip(y4) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum = x.mul_add(*y, *sum);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
