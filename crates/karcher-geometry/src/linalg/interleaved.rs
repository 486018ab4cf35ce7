//! Operations on batches of `k × k` matrices, interleaved entry by entry and column-major: entry `(i, j)` of every
//! matrix of the batch is found at `[j·k + i]`.

use pulp::Simd;

use super::eigen::power_of_two;
use super::lanes::Lanes;

/// Interleaves symmetric matrices from their lower triangles. A batch that is not full repeats its last matrix.
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

/// Interleaves the lower triangles alone, one matrix from each row.
#[inline(always)]
pub(super) fn load_lower<S: Simd, const P: usize>(k: usize, rows: &[&[f64]], out: &mut [Lanes<S, P>]) {
    let Some(last) = rows.last() else { return };
    for i in 0..k {
        for j in 0..=i {
            let lanes = out[j * k + i].each_mut();
            for (x, row) in lanes.iter_mut().zip(rows) {
                *x = row[i * k + j];
            }
            lanes[rows.len()..].fill(last[i * k + j]);
        }
    }
}

/// Writes symmetric matrices one after the other, from their lower triangles.
#[inline(always)]
pub(super) fn store<S: Simd, const P: usize>(k: usize, matrices: &[Lanes<S, P>], out: &mut [f64]) {
    let size = k * k;
    for j in 0..k {
        for i in j..k {
            for (out, x) in out.chunks_exact_mut(size).zip(matrices[j * k + i].each()) {
                out[j * k + i] = *x;
            }
        }
    }
    for out in out.chunks_exact_mut(size) {
        for i in 1..k {
            for j in 0..i {
                out[i * k + j] = out[j * k + i];
            }
        }
    }
}

/// Replaces each matrix by its Cholesky factor, zero above the diagonal, or returns the place of one without a factor.
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

/// A number for all matrices of a batch, or one for each.
pub(super) trait Number<S: Simd, const P: usize>: Copy {
    /// The number for each matrix.
    fn of_each(self, simd: S) -> Lanes<S, P>;
}

impl<S: Simd, const P: usize> Number<S, P> for f64 {
    #[inline(always)]
    fn of_each(self, simd: S) -> Lanes<S, P> {
        Lanes::splat(simd, self)
    }
}

impl<S: Simd, const P: usize> Number<S, P> for Lanes<S, P> {
    #[inline(always)]
    fn of_each(self, _simd: S) -> Lanes<S, P> {
        self
    }
}

/// `E ← L⁻¹ E L⁻ᵀ` for a lower triangular, row-major `L` and symmetric `E`: `(E L⁻ᵀ)ᵀ = L⁻¹ E`. Reads and computes the
/// lower triangle of `E`.
#[inline(always)]
pub(super) fn whiten_lower<S: Simd, const P: usize>(simd: S, k: usize, l: &[impl Number<S, P>], e: &mut [Lanes<S, P>]) {
    mirror(k, e);
    for lower in [false, true] {
        if lower {
            transpose(k, e);
        }
        // E L⁻ᵀ from the first column on, two at a time; in the second pass the lower triangle alone
        for j in (0..k).step_by(2) {
            let from = if lower { j } else { 0 };
            let (before, columns) = e.split_at_mut(j * k);
            let (left, right) = columns.split_at_mut(k);
            let (left, row) = (&mut left[from..], &l[j * k..=j * k + j]);
            if j + 1 == k {
                add_columns::<S, P, true>(simd, k, from, before, &row[..j], left);
                scale(left, Lanes::splat(simd, 1.0) / row[j].of_each(simd));
                continue;
            }
            let (right, next) = (&mut right[from..k], &l[(j + 1) * k..=(j + 1) * k + j + 1]);
            add_columns_to_two::<S, P, true>(simd, k, from, before, [&row[..j], &next[..j]], [&mut *left, &mut *right]);
            scale(left, Lanes::splat(simd, 1.0) / row[j].of_each(simd));
            let factor = next[j].of_each(simd);
            for (x, y) in left.iter().zip(right.iter_mut()) {
                *y = factor.mul_sub_from(*x, *y);
            }
            scale(right, Lanes::splat(simd, 1.0) / next[j + 1].of_each(simd));
        }
    }
}

#[inline(always)]
fn scale<S: Simd, const P: usize>(x: &mut [Lanes<S, P>], factor: Lanes<S, P>) {
    for x in x {
        *x = *x * factor;
    }
}

/// `E ← L E Lᵀ`, likewise.
#[inline(always)]
pub(super) fn unwhiten_lower<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    l: &[impl Number<S, P>],
    e: &mut [Lanes<S, P>],
) {
    mirror(k, e);
    for lower in [false, true] {
        if lower {
            transpose(k, e);
        }
        // E Lᵀ from the last column on, two at a time
        for j in (0..k).rev().step_by(2) {
            let (before, last) = e.split_at_mut(j * k);
            let row = &l[j * k..=j * k + j];
            let Some(i) = j.checked_sub(1) else {
                scale(&mut last[..k], row[j].of_each(simd));
                continue;
            };
            let from = if lower { i } else { 0 };
            let (before, left) = before.split_at_mut(i * k);
            let (left, right) = (&mut left[from..], &mut last[from..k]);
            let previous = &l[i * k..=i * k + i];
            scale(right, row[j].of_each(simd));
            let factor = row[i].of_each(simd);
            for (x, y) in left.iter().zip(right.iter_mut()) {
                *y = factor.mul_add(*x, *y);
            }
            scale(left, previous[i].of_each(simd));
            add_columns_to_two::<S, P, false>(simd, k, from, before, [&previous[..i], &row[..i]], [left, right]);
        }
    }
}

/// `M ← R M Rᵀ`, likewise, for a row-major `R`: `W = R M` first. Of both products two columns of four rows are summed
/// up in registers, and where less than that is left, of two rows.
#[inline(always)]
pub(super) fn congruence_lower<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    r: &[f64],
    work: &mut [Lanes<S, P>],
    m: &mut [Lanes<S, P>],
) {
    if k == 1 {
        m[0] = m[0] * (r[0] * r[0]);
        return;
    }
    mirror(k, m);
    // the last two rows and columns may overlap those before
    let last = k - 2;
    let mut i = 0;
    while i < k {
        let four = i + 4 <= k;
        for j in (0..k).step_by(2).map(|j| j.min(last)) {
            if four {
                put(k, work, i, j, sums::<S, P, 4>(simd, k, &r[i * k..], &m[j..], k, 1), false);
            } else {
                let i = i.min(last);
                put(k, work, i, j, sums::<S, P, 2>(simd, k, &r[i * k..], &m[j..], k, 1), false);
            }
        }
        i += if four { 4 } else { 2 };
    }
    // (W Rᵀ)ⱼᵢ = (R Wᵀ)ᵢⱼ, and so of rows i from the diagonal on
    for j in (0..k).step_by(2).map(|j| j.min(last)) {
        let mut i = j;
        while i < k {
            let four = i + 4 <= k;
            if four {
                put(k, m, i, j, sums::<S, P, 4>(simd, k, &r[i * k..], &work[j * k..], 1, k), true);
            } else {
                let i = i.min(last);
                put(k, m, i, j, sums::<S, P, 2>(simd, k, &r[i * k..], &work[j * k..], 1, k), true);
            }
            i += if four { 4 } else { 2 };
        }
    }
}

/// `Σₗ rᵢₗ xₗⱼ` for the first `R` rows `i` and two columns `j`, where `x` has `down` entries from one row to the next
/// and `across` from one column to the next.
#[inline(always)]
fn sums<S: Simd, const P: usize, const R: usize>(
    simd: S,
    k: usize,
    r: &[f64],
    x: &[Lanes<S, P>],
    down: usize,
    across: usize,
) -> [[Lanes<S, P>; 2]; R] {
    let mut rows: [&[f64]; R] = [&[]; R];
    rows.iter_mut().zip(r.chunks_exact(k)).for_each(|(row, r)| *row = r);
    let mut sums = [[Lanes::splat(simd, 0.0); 2]; R];
    for l in 0..k {
        let (left, right) = (x[l * down], x[l * down + across]);
        for i in 0..R {
            let factor = Lanes::splat(simd, rows[i][l]);
            sums[i] = [factor.mul_add(left, sums[i][0]), factor.mul_add(right, sums[i][1])];
        }
    }
    sums
}

/// Writes two columns of some rows from `(i, j)` on, of a row-major matrix or of a column-major one.
#[inline(always)]
fn put<S: Simd, const P: usize, const R: usize>(
    k: usize,
    out: &mut [Lanes<S, P>],
    i: usize,
    j: usize,
    block: [[Lanes<S, P>; 2]; R],
    column_major: bool,
) {
    for (row, [left, right]) in block.into_iter().enumerate() {
        let (i, [here, next]) = (i + row, if column_major { [j * k, (j + 1) * k] } else { [j, j + 1] });
        let i = if column_major { i } else { i * k };
        (out[here + i], out[next + i]) = (left, right);
    }
}

/// [`add_columns`] to two, for which each entry of `a` is loaded once.
#[inline(always)]
fn add_columns_to_two<S: Simd, const P: usize, const MINUS: bool>(
    simd: S,
    k: usize,
    from: usize,
    a: &[Lanes<S, P>],
    [c, d]: [&[impl Number<S, P>]; 2],
    [x, y]: [&mut [Lanes<S, P>]; 2],
) {
    let ((c4, c_rest), (d4, d_rest)) = (c.as_chunks::<4>(), d.as_chunks::<4>());
    for ((c, d), a) in c4.iter().zip(d4).zip(a.chunks_exact(4 * k)) {
        let c = [c[0].of_each(simd), c[1].of_each(simd), c[2].of_each(simd), c[3].of_each(simd)];
        let d = [d[0].of_each(simd), d[1].of_each(simd), d[2].of_each(simd), d[3].of_each(simd)];
        let (a0, a1) = (&a[from..k], &a[k + from..2 * k]);
        let (a2, a3) = (&a[2 * k + from..3 * k], &a[3 * k + from..4 * k]);
        for (((((x, y), a0), a1), a2), a3) in x.iter_mut().zip(y.iter_mut()).zip(a0).zip(a1).zip(a2).zip(a3) {
            let (a0, a1, a2, a3) = (*a0, *a1, *a2, *a3);
            let sum = add::<S, P, MINUS>(c[1], a1, add::<S, P, MINUS>(c[0], a0, *x));
            *x = add::<S, P, MINUS>(c[3], a3, add::<S, P, MINUS>(c[2], a2, sum));
            let sum = add::<S, P, MINUS>(d[1], a1, add::<S, P, MINUS>(d[0], a0, *y));
            *y = add::<S, P, MINUS>(d[3], a3, add::<S, P, MINUS>(d[2], a2, sum));
        }
    }
    for ((c, d), a) in c_rest.iter().zip(d_rest).zip(a.chunks_exact(k).skip(4 * c4.len())) {
        let (c, d) = (c.of_each(simd), d.of_each(simd));
        for ((x, y), a) in x.iter_mut().zip(y.iter_mut()).zip(&a[from..]) {
            *x = add::<S, P, MINUS>(c, *a, *x);
            *y = add::<S, P, MINUS>(d, *a, *y);
        }
    }
}

/// `x ± Σ cⱼ aⱼ`, minus if `MINUS`, over the first columns `aⱼ` of a matrix, from row `from` on.
#[inline(always)]
fn add_columns<S: Simd, const P: usize, const MINUS: bool>(
    simd: S,
    k: usize,
    from: usize,
    a: &[Lanes<S, P>],
    c: &[impl Number<S, P>],
    x: &mut [Lanes<S, P>],
) {
    let (fours, rest) = (c.chunks_exact(4), c.chunks_exact(4).remainder());
    let done = c.len() - rest.len();
    for (c, a) in fours.zip(a.chunks_exact(4 * k)) {
        let c = [c[0].of_each(simd), c[1].of_each(simd), c[2].of_each(simd), c[3].of_each(simd)];
        let (a0, a1) = (&a[from..k], &a[k + from..2 * k]);
        let (a2, a3) = (&a[2 * k + from..3 * k], &a[3 * k + from..4 * k]);
        for ((((x, a0), a1), a2), a3) in x.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
            let sum = add::<S, P, MINUS>(c[1], *a1, add::<S, P, MINUS>(c[0], *a0, *x));
            *x = add::<S, P, MINUS>(c[3], *a3, add::<S, P, MINUS>(c[2], *a2, sum));
        }
    }
    for (c, a) in rest.iter().zip(a[done * k..].chunks_exact(k)) {
        let c = c.of_each(simd);
        for (x, a) in x.iter_mut().zip(&a[from..]) {
            *x = add::<S, P, MINUS>(c, *a, *x);
        }
    }
}

#[inline(always)]
fn add<S: Simd, const P: usize, const MINUS: bool>(c: Lanes<S, P>, a: Lanes<S, P>, x: Lanes<S, P>) -> Lanes<S, P> {
    if MINUS { c.mul_sub_from(a, x) } else { c.mul_add(a, x) }
}

/// Copies lower triangles to the upper ones.
#[inline(always)]
pub(super) fn mirror<S: Simd, const P: usize>(k: usize, a: &mut [Lanes<S, P>]) {
    for j in 0..k {
        for i in j + 1..k {
            a[i * k + j] = a[j * k + i];
        }
    }
}

/// The transposed matrices.
#[inline(always)]
pub(super) fn transpose<S: Simd, const P: usize>(k: usize, a: &mut [Lanes<S, P>]) {
    for j in 0..k {
        for i in j + 1..k {
            a.swap(i * k + j, j * k + i);
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

/// The Frobenius norms of symmetric matrices, from their lower triangles.
#[inline(always)]
pub(super) fn norm<S: Simd, const P: usize>(simd: S, k: usize, a: &[Lanes<S, P>]) -> Lanes<S, P> {
    let (mut diagonal, mut off_diagonal) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 0.0));
    for j in 0..k {
        let column = &a[j * k + j..(j + 1) * k];
        diagonal = column[0].mul_add(column[0], diagonal);
        off_diagonal = off_diagonal + dot(simd, &column[1..], &column[1..]);
    }
    (diagonal + off_diagonal + off_diagonal).sqrt()
}
