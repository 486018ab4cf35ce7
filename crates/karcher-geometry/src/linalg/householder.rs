//! Symmetric matrices side by side, brought to tridiagonal form by reflections and back.
//!
//! `A = Q T Qᵀ` with `Q = H₀ H₁ ⋯` and `Hⱼ = 1 − τⱼ uⱼ uⱼᵀ` (Golub and Van Loan 2013, section 8.3.1). A step updates
//! the lower triangle by the reflection before and multiplies it with the next vector in one sweep: every entry is
//! loaded and stored once.

use pulp::Simd;

use super::interleaved::dot;
use super::lanes::Lanes;

/// Columns that are worked on together.
const TOGETHER: usize = 4;

/// The tridiagonal form of a batch of matrices, and the reflections that led to it.
pub(super) struct Householder<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    /// The lower triangle of `A`, column-major; then column `j` holds `uⱼ` from row `j + 1` on.
    pub(super) matrix: Vec<Lanes<S, P>>,
    /// The diagonal of `T`.
    pub(super) diagonal: Vec<Lanes<S, P>>,
    /// The subdiagonal of `T`: entries `(i + 1, i)`.
    pub(super) off_diagonal: Vec<Lanes<S, P>>,
    tau: Vec<Lanes<S, P>>,
    pending: Pending<S, P>,
}

/// The pending part of a sweep: the update `v wᵀ + w vᵀ` to subtract, the vector `u` to multiply with, and the
/// products.
struct Pending<S: Simd, const P: usize> {
    v: Vec<Lanes<S, P>>,
    w: Vec<Lanes<S, P>>,
    u: Vec<Lanes<S, P>>,
    product: Vec<Lanes<S, P>>,
}

impl<S: Simd, const P: usize> Householder<S, P> {
    pub(super) fn new(simd: S, k: usize) -> Self {
        let vector = vec![Lanes::splat(simd, 0.0); k];
        Self {
            simd,
            k,
            matrix: vec![Lanes::splat(simd, 0.0); k * k],
            diagonal: vector.clone(),
            off_diagonal: vector.clone(),
            tau: vector.clone(),
            pending: Pending { v: vector.clone(), w: vector.clone(), u: vector.clone(), product: vector },
        }
    }

    /// Brings the matrix to tridiagonal form.
    #[inline(always)]
    pub(super) fn reduce(&mut self) {
        let Self { simd, k, ref mut matrix, ref mut diagonal, ref mut off_diagonal, ref mut tau, ref mut pending } =
            *self;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let smallest = Lanes::splat(simd, f64::MIN_POSITIVE);
        pending.v.fill(zero);
        pending.w.fill(zero);
        for j in 0..k {
            let column = &mut matrix[j * k + j..(j + 1) * k];
            let (v, w) = (&pending.v[j..], &pending.w[j..]);
            for (x, (v_r, w_r)) in column.iter_mut().zip(v.iter().zip(w)) {
                *x = v_r.mul_sub_from(w[0], w_r.mul_sub_from(v[0], *x));
            }
            diagonal[j] = column[0];
            if j + 2 >= k {
                if j + 2 == k {
                    off_diagonal[j] = column[1];
                }
                continue;
            }
            // the reflection that carries the rest of the column to a multiple of the first unit vector: none where
            // it is one already
            let (first, rest) = (column[1], &mut column[2..]);
            let square = dot(simd, rest, rest);
            // a smaller one has few digits, and a reflection by it would not be orthogonal: the rest, whose entries are
            // below 10⁻¹⁵³, is dropped
            let square = square.if_greater(smallest, square, zero);
            let norm = first.mul_add(first, square).sqrt();
            let image = zero.if_greater(first, norm, zero - norm);
            let image = square.if_greater(zero, image, first);
            let inverse = square.if_greater(zero, one / (first - image), zero);
            tau[j] = square.if_greater(zero, (image - first) / image, zero);
            off_diagonal[j] = image;
            for x in rest {
                *x = *x * inverse;
            }
            column[1] = one;
            pending.u[j + 1..].copy_from_slice(&column[1..]);
            if j == 0 {
                pending.sweep::<false>(simd, k, 1, matrix);
            } else {
                pending.sweep::<true>(simd, k, j + 1, matrix);
            }
            pending.reflect(simd, tau[j], j + 1, j + 1);
        }
    }

    /// `Q M Qᵀ` for symmetric `M`; reads and writes its lower triangle.
    #[inline(always)]
    pub(super) fn turn_back(&mut self, m: &mut [Lanes<S, P>]) {
        let Self { simd, k, ref matrix, ref tau, ref mut pending, .. } = *self;
        pending.v.fill(Lanes::splat(simd, 0.0));
        pending.w.fill(Lanes::splat(simd, 0.0));
        for j in (0..k.saturating_sub(2)).rev() {
            pending.u[j + 1..].copy_from_slice(&matrix[j * k + j + 1..(j + 1) * k]);
            pending.sweep_left(simd, k, j + 1, m);
            pending.sweep::<true>(simd, k, j + 1, m);
            pending.reflect(simd, tau[j], j + 1, 0);
        }
        if k > 2 {
            pending.sweep_left(simd, k, 1, m);
            pending.sweep::<true>(simd, k, 1, m);
        }
    }
}

impl<S: Simd, const P: usize> Pending<S, P> {
    /// `H M H = M − v wᵀ − w vᵀ` with `v = u`, `w = p − ½τ(pᵀu)·u` and `p = τMu`; `u` is zero before `start`, `p` is
    /// known from `from` on.
    #[inline(always)]
    fn reflect(&mut self, simd: S, tau: Lanes<S, P>, start: usize, from: usize) {
        let Self { v, w, u, product } = self;
        let half = dot(simd, &product[start..], &u[start..]) * tau * tau * Lanes::splat(simd, 0.5);
        v[..start].fill(Lanes::splat(simd, 0.0));
        v[start..].copy_from_slice(&u[start..]);
        for (w, product) in w[from..start].iter_mut().zip(&product[from..start]) {
            *w = *product * tau;
        }
        for ((w, product), u) in w[start..].iter_mut().zip(&product[start..]).zip(&u[start..]) {
            *w = half.mul_sub_from(*u, *product * tau);
        }
    }

    /// Updates rows and columns `from..k` of a lower triangle and multiplies them with `u`.
    #[inline(always)]
    fn sweep<const UPDATE: bool>(&mut self, simd: S, k: usize, from: usize, a: &mut [Lanes<S, P>]) {
        self.product[from..k].fill(Lanes::splat(simd, 0.0));
        let mut c = from;
        while c + TOGETHER <= k {
            self.columns::<TOGETHER, UPDATE>(simd, k, c, a);
            c += TOGETHER;
        }
        while c < k {
            self.columns::<1, UPDATE>(simd, k, c, a);
            c += 1;
        }
    }

    /// The part of a sweep that belongs to columns `c..c + B`.
    #[inline(always)]
    fn columns<const B: usize, const UPDATE: bool>(&mut self, simd: S, k: usize, c: usize, a: &mut [Lanes<S, P>]) {
        let Self { v, w, u, product } = self;
        let zero = Lanes::splat(simd, 0.0);
        let (mut v_c, mut w_c, mut u_c, mut sums) = ([zero; B], [zero; B], [zero; B], [zero; B]);
        v_c.copy_from_slice(&v[c..c + B]);
        w_c.copy_from_slice(&w[c..c + B]);
        u_c.copy_from_slice(&u[c..c + B]);
        // the triangle at the diagonal
        for b in 0..B {
            for r in c + b..c + B {
                let x = &mut a[(c + b) * k + r];
                if UPDATE {
                    *x = w[r].mul_sub_from(v_c[b], v[r].mul_sub_from(w_c[b], *x));
                }
                product[r] = x.mul_add(u_c[b], product[r]);
                if r > c + b {
                    sums[b] = x.mul_add(u[r], sums[b]);
                }
            }
        }
        // and the rectangle below it; each entry is read once, before anything is written
        let below = c + B;
        let n = k - below;
        let columns = columns_of::<_, B>(&mut a[c * k..(c + B) * k], k, below);
        let (v, w, u) = (&v[below..][..n], &w[below..][..n], &u[below..][..n]);
        for (r, product) in product[below..][..n].iter_mut().enumerate() {
            let (v_r, w_r, u_r) = (v[r], w[r], u[r]);
            let mut p = *product;
            for b in 0..B {
                let mut x = columns[b][r];
                if UPDATE {
                    x = w_r.mul_sub_from(v_c[b], v_r.mul_sub_from(w_c[b], x));
                    columns[b][r] = x;
                }
                p = x.mul_add(u_c[b], p);
                sums[b] = x.mul_add(u_r, sums[b]);
            }
            *product = p;
        }
        for b in 0..B {
            product[c + b] = product[c + b] + sums[b];
        }
    }

    /// The same for columns `0..from`, where `v` and `u` are zero, and their rows from `from` on.
    #[inline(always)]
    fn sweep_left(&mut self, simd: S, k: usize, from: usize, a: &mut [Lanes<S, P>]) {
        let mut c = 0;
        while c + TOGETHER <= from {
            self.sweep_left_columns::<TOGETHER>(simd, k, c, from, a);
            c += TOGETHER;
        }
        while c < from {
            self.sweep_left_columns::<1>(simd, k, c, from, a);
            c += 1;
        }
    }

    #[inline(always)]
    fn sweep_left_columns<const B: usize>(&mut self, simd: S, k: usize, c: usize, from: usize, a: &mut [Lanes<S, P>]) {
        let Self { v, w, u, product } = self;
        let zero = Lanes::splat(simd, 0.0);
        let n = k - from;
        let (mut w_c, mut sums) = ([zero; B], [zero; B]);
        w_c.copy_from_slice(&w[c..c + B]);
        let columns = columns_of::<_, B>(&mut a[c * k..(c + B) * k], k, from);
        for (r, (v_r, u_r)) in v[from..][..n].iter().zip(&u[from..][..n]).enumerate() {
            let (v_r, u_r) = (*v_r, *u_r);
            for b in 0..B {
                let x = v_r.mul_sub_from(w_c[b], columns[b][r]);
                columns[b][r] = x;
                sums[b] = x.mul_add(u_r, sums[b]);
            }
        }
        product[c..c + B].copy_from_slice(&sums);
    }
}

/// `B` columns of `k` entries each, from row `from` on.
#[inline(always)]
fn columns_of<T, const B: usize>(a: &mut [T], k: usize, from: usize) -> [&mut [T]; B] {
    let mut columns: [&mut [T]; B] = std::array::from_fn(|_| <&mut [T]>::default());
    let mut rest = a;
    for column in &mut columns {
        let (first, others) = rest.split_at_mut(k);
        *column = &mut first[from..k];
        rest = others;
    }
    columns
}
