//! Complex numbers side by side, and operations on batches of `k × k` Hermitian matrices.
//!
//! Lower triangles are interleaved entry by entry and column-major, as in [`interleaved`](super::interleaved): entry
//! `(i, j)` of every matrix is found at `[j·k + i]`.

use pulp::Simd;

use super::lanes::Lanes;

/// A complex number for each matrix of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Complex<S: Simd, const P: usize> {
    pub(super) re: Lanes<S, P>,
    pub(super) im: Lanes<S, P>,
}

impl<S: Simd, const P: usize> Complex<S, P> {
    #[inline(always)]
    pub(super) fn splat(simd: S, re: f64, im: f64) -> Self {
        Self { re: Lanes::splat(simd, re), im: Lanes::splat(simd, im) }
    }

    /// `self + a·b`.
    #[inline(always)]
    pub(super) fn plus(self, a: Self, b: Self) -> Self {
        Self {
            re: a.im.mul_sub_from(b.im, a.re.mul_add(b.re, self.re)),
            im: a.im.mul_add(b.re, a.re.mul_add(b.im, self.im)),
        }
    }

    /// `self − a·b*`.
    #[inline(always)]
    pub(super) fn minus_adjoint(self, a: Self, b: Self) -> Self {
        Self {
            re: a.im.mul_sub_from(b.im, a.re.mul_sub_from(b.re, self.re)),
            im: a.im.mul_sub_from(b.re, a.re.mul_add(b.im, self.im)),
        }
    }

    /// `factor·self` with a real factor.
    #[inline(always)]
    pub(super) fn times(self, factor: Lanes<S, P>) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }

    /// `|x|² + sum`.
    #[inline(always)]
    pub(super) fn square_plus(self, sum: Lanes<S, P>) -> Lanes<S, P> {
        self.re.mul_add(self.re, self.im.mul_add(self.im, sum))
    }

    /// `x*`.
    #[inline(always)]
    pub(super) fn adjoint(self) -> Self {
        Self { re: self.re, im: self.im.like(0.0) - self.im }
    }
}

/// Interleaves the lower triangles of Hermitian matrices, one from each row: real and imaginary parts in turn, row by
/// row. Diagonals are real.
#[inline(always)]
pub(super) fn load<S: Simd, const P: usize>(k: usize, rows: &[&[f64]], out: &mut [Complex<S, P>]) {
    let Some(last) = rows.last() else { return };
    for i in 0..k {
        for j in 0..=i {
            let (at, entry) = (2 * (i * k + j), &mut out[j * k + i]);
            for (part, x) in [&mut entry.re, &mut entry.im].into_iter().enumerate() {
                let lanes = x.each_mut();
                for (x, row) in lanes.iter_mut().zip(rows) {
                    *x = row[at + part];
                }
                lanes[rows.len()..].fill(last[at + part]);
            }
            if i == j {
                entry.im = entry.im.like(0.0);
            }
        }
    }
}

/// Replaces each matrix by its Cholesky factor, or returns the place of one without a factor. What is above the diagonal
/// stays as it is.
#[inline(always)]
pub(super) fn factor<S: Simd, const P: usize>(simd: S, k: usize, a: &mut [Complex<S, P>]) -> Result<(), usize> {
    let one = Lanes::splat(simd, 1.0);
    for j in 0..k {
        let (left, right) = a.split_at_mut((j + 1) * k);
        let column = &mut left[j * k + j..];
        if let Some(lane) = column[0].re.each().iter().position(|&pivot| !(pivot > 0.0 && pivot < f64::INFINITY)) {
            return Err(lane);
        }
        let root = column[0].re.sqrt();
        let inverse = one / root;
        column[0] = Complex { re: root, im: root.like(0.0) };
        for x in &mut column[1..] {
            *x = x.times(inverse);
        }
        for (n, other) in right.chunks_exact_mut(k).enumerate() {
            let rest = &column[1 + n..];
            for (x, y) in other[j + 1 + n..].iter_mut().zip(rest) {
                *x = x.minus_adjoint(*y, rest[0]);
            }
        }
    }
    Ok(())
}

/// `E ← L⁻¹EL⁻*` for Hermitian `E` and factors `L`: `L⁻¹E L⁻*` and then its adjoint. Reads and computes the lower
/// triangle of `E`.
#[inline(always)]
pub(super) fn whiten<S: Simd, const P: usize>(simd: S, k: usize, l: &[impl Entry<S, P>], e: &mut [Complex<S, P>]) {
    for j in 0..k {
        for i in j + 1..k {
            e[i * k + j] = e[j * k + i].adjoint();
        }
    }
    for lower in [false, true] {
        if lower {
            for j in 0..k {
                e[j * k + j] = e[j * k + j].adjoint();
                for i in j + 1..k {
                    (e[j * k + i], e[i * k + j]) = (e[i * k + j].adjoint(), e[j * k + i].adjoint());
                }
            }
        }
        // E L⁻* from the first column on; in the second pass the lower triangle alone
        for j in 0..k {
            let from = if lower { j } else { 0 };
            let (before, column) = e.split_at_mut(j * k);
            let column = &mut column[from..k];
            let mut m = 0;
            while m + 2 <= j {
                let factors = [l[m * k + j].of_each(simd), l[(m + 1) * k + j].of_each(simd)];
                let (a, b) = (&before[m * k + from..(m + 1) * k], &before[(m + 1) * k + from..(m + 2) * k]);
                for ((x, a), b) in column.iter_mut().zip(a).zip(b) {
                    *x = x.minus_adjoint(*a, factors[0]).minus_adjoint(*b, factors[1]);
                }
                m += 2;
            }
            if m < j {
                let factor = l[m * k + j].of_each(simd);
                for (x, a) in column.iter_mut().zip(&before[m * k + from..(m + 1) * k]) {
                    *x = x.minus_adjoint(*a, factor);
                }
            }
            let inverse = Lanes::splat(simd, 1.0) / l[j * k + j].of_each(simd).re;
            for x in column {
                *x = x.times(inverse);
            }
        }
    }
}

/// An entry of one matrix for all, or of one for each.
pub(super) trait Entry<S: Simd, const P: usize>: Copy {
    fn of_each(self, simd: S) -> Complex<S, P>;
}

impl<S: Simd, const P: usize> Entry<S, P> for [f64; 2] {
    #[inline(always)]
    fn of_each(self, simd: S) -> Complex<S, P> {
        Complex::splat(simd, self[0], self[1])
    }
}

impl<S: Simd, const P: usize> Entry<S, P> for Complex<S, P> {
    #[inline(always)]
    fn of_each(self, _simd: S) -> Complex<S, P> {
        self
    }
}

/// Brings Hermitian matrices to tridiagonal form by reflections `H = 1 − vv*`, and returns its diagonal and the absolute
/// values below it, the last of them 0: phases change no eigenvalue. Lower triangles count; they are lost.
///
/// A step multiplies the rest of the matrix, `p = Av`, and updates it: `HAH = A − vw* − wv*` with `w = p − ½(v*p)v`.
#[inline(always)]
pub(super) fn tridiagonal<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    a: &mut [Complex<S, P>],
    room: &mut [Vec<Complex<S, P>>; 2],
    [diagonal, off_diagonal]: [&mut [Lanes<S, P>]; 2],
) {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    // of smaller squares few digits are left
    let smallest = Lanes::splat(simd, f64::MIN_POSITIVE);
    let [v, p] = room;
    for j in 0..k {
        let n = k - j - 1;
        diagonal[j] = a[j * k + j].re;
        let Some((first, rest)) = a[j * k + j + 1..(j + 1) * k].split_first() else {
            off_diagonal[j] = zero;
            continue;
        };
        let mut square = zero;
        for x in rest {
            square = x.square_plus(square);
        }
        let square = square.if_greater(smallest, square, zero);
        let size = first.square_plus(zero).sqrt();
        let norm = first.square_plus(square).sqrt();
        off_diagonal[j] = norm;
        if n == 1 {
            continue;
        }
        // v ∥ x + phase·‖x‖·e₁ of the length √2; none where only the first number is not 0
        let inverse = size.if_greater(zero, one / size, zero);
        let phase = Complex { re: size.if_greater(zero, first.re * inverse, one), im: first.im * inverse };
        let long = size + norm;
        let length = long.mul_add(long, square);
        let scale = square.if_greater(zero, ((one + one) / length).sqrt(), zero);
        v[0] = phase.times(long * scale);
        for (v, x) in v[1..n].iter_mut().zip(rest) {
            *v = x.times(scale);
        }
        let a = &mut a[(j + 1) * k + j + 1..];
        multiply(simd, k, n, a, v, p);
        let mut half = zero;
        for (v, p) in v[..n].iter().zip(&p[..n]) {
            half = v.re.mul_add(p.re, v.im.mul_add(p.im, half));
        }
        let half = half * 0.5;
        for (p, v) in p[..n].iter_mut().zip(&v[..n]) {
            *p = Complex { re: half.mul_sub_from(v.re, p.re), im: half.mul_sub_from(v.im, p.im) };
        }
        for c in 0..n {
            let (v_c, w_c) = (v[c], p[c]);
            for ((x, v), w) in a[c * k + c..c * k + n].iter_mut().zip(&v[c..n]).zip(&p[c..n]) {
                *x = x.minus_adjoint(*v, w_c).minus_adjoint(*w, v_c);
            }
        }
    }
}

/// `p = Av` of the first `n` rows, from the lower triangle.
#[inline(always)]
fn multiply<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    n: usize,
    a: &[Complex<S, P>],
    v: &[Complex<S, P>],
    p: &mut [Complex<S, P>],
) {
    let zero = Lanes::splat(simd, 0.0);
    p[..n].fill(Complex { re: zero, im: zero });
    for c in 0..n {
        let v_c = v[c];
        // four sums hide the latency of one
        let mut sums = [zero; 4];
        for ((x, v), p) in a[c * k + c + 1..c * k + n].iter().zip(&v[c + 1..n]).zip(&mut p[c + 1..n]) {
            *p = p.plus(*x, v_c);
            sums[0] = x.re.mul_add(v.re, sums[0]);
            sums[1] = x.im.mul_add(v.im, sums[1]);
            sums[2] = x.re.mul_add(v.im, sums[2]);
            sums[3] = x.im.mul_add(v.re, sums[3]);
        }
        let diagonal = a[c * k + c].re;
        p[c].re = diagonal.mul_add(v_c.re, p[c].re + (sums[0] + sums[1]));
        p[c].im = diagonal.mul_add(v_c.im, p[c].im + (sums[2] - sums[3]));
    }
}
