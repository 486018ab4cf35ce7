//! The affine-invariant geometry of many points at once: `exp`, `log` and `dist` from one base or from a base for each
//! row.
//!
//! `Exp_P(V) = P + L·(Expm(W) − 1)·Lᵀ` with `W = L⁻¹VL⁻ᵀ`, `Log_P(Q) = L·Logm(L⁻¹QL⁻ᵀ)·Lᵀ`, `ρ(P, Q)` the length of
//! that logarithm, `P = LLᵀ`. As for one point, `W` is formed, so that its condition number counts.

use pulp::{Simd, WithSimd};

use super::cholesky::cholesky;
use super::exponentials::Exponential;
use super::interleaved::{
    Number, congruence_lower, factor, load_lower, norm, store, transpose, unwhiten_lower, whiten_lower,
};
use super::lanes::{Lanes, dispatch};
use super::logarithms::{Batch, LARGE, SMALL};
use super::symmetric::are_symmetric;
use super::two_sided;

/// Exponentials of matrices whose middle eigenvalue is larger are computed one by one.
const FARTHEST: f64 = 500.0;

/// The operation to compute.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// `Exp_P(X)` of tangent vectors.
    Exp,
    /// `Log_P(X)`.
    Log,
    /// `ρ(P, X)`.
    Dist,
    /// `‖X‖_P` of tangent vectors.
    Norm,
    /// `L⁻¹XL⁻ᵀ`.
    Whiten,
    /// `E·X·Eᵀ` of tangent vectors, `E = L·R·L⁻¹` with the symmetric `R = (L⁻¹QL⁻ᵀ)^{1/2}`: carried to `Q` in parallel.
    Transport(Vec<f64>),
}

impl Operation {
    /// Whether results are numbers.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Self::Dist | Self::Norm)
    }
}

/// Applies an operation to `(p(i), x(i))` for every row `i` that `out` has room for; all bases are `p(0)` if
/// `one_base`.
///
/// Returns the rows left to do one by one: those that are graded, far away or no points.
pub(crate) fn affine<'a, 'b>(
    k: usize,
    operation: &Operation,
    one_base: bool,
    p: impl Fn(usize) -> &'a [f64],
    x: impl Fn(usize) -> &'b [f64],
    out: &mut [f64],
) -> Vec<usize> {
    let width = if operation.is_scalar() { 1 } else { k * k };
    // one function for all callers: it is large
    dispatch(Affine { k, operation, one_base, p: &p, x: &x, out, width })
}

struct Affine<'o, 'a, 'b> {
    k: usize,
    operation: &'o Operation,
    one_base: bool,
    p: &'o dyn Fn(usize) -> &'a [f64],
    x: &'o dyn Fn(usize) -> &'b [f64],
    out: &'o mut [f64],
    width: usize,
}

impl WithSimd for Affine<'_, '_, '_> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        if self.k <= two_sided::LARGEST { self.run::<S, SMALL>(simd) } else { self.run::<S, LARGE>(simd) }
    }
}

impl Affine<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> Vec<usize> {
        let Self { k, operation, one_base, p, x, out, width } = self;
        let (count, mut others) = (Lanes::<S, P>::COUNT, Vec::new());
        let rows = out.len() / width;
        if rows == 0 {
            return others;
        }
        let zero = Lanes::splat(simd, 0.0);
        let mut room = Room {
            simd,
            k,
            operation,
            logarithms: Batch::new(simd, k),
            exponentials: Exponential::new(simd, k),
            base: vec![zero; k * k],
            out: vec![zero; k * k],
            length: zero,
        };
        // one base has one factor
        let common = if one_base { cholesky(p(0), k) } else { None };
        if one_base && common.is_none() {
            return (0..rows).collect();
        }
        if one_base {
            load_lower(k, &[p(0)], &mut room.base);
        }
        let mut each = vec![zero; k * k];
        let (mut bases, mut points) = (Vec::new(), Vec::new());
        for (n, out) in out.chunks_mut(count * width).enumerate() {
            let range = n * count..n * count + out.len() / width;
            points.clear();
            points.extend(range.clone().map(x));
            let fits = match &common {
                Some(l) => room.apply::<f64>(&points, l),
                None => {
                    bases.clear();
                    bases.extend(range.clone().map(p));
                    load_lower(k, &bases, &mut room.base);
                    let mut without = Vec::new();
                    each.copy_from_slice(&room.base);
                    // a base without a factor must not affect the others of its batch
                    while let Err(lane) = factor(simd, k, &mut each) {
                        without.push(lane);
                        put_identity(k, lane, &mut room.base);
                        each.copy_from_slice(&room.base);
                    }
                    transpose(k, &mut each);
                    let fits = room.apply::<Lanes<S, P>>(&points, &each);
                    fits.into_iter().enumerate().map(|(lane, fits)| fits && !without.contains(&lane)).collect()
                }
            };
            if room.operation.is_scalar() {
                out.copy_from_slice(&room.length.each()[..out.len()]);
            } else {
                store(k, &room.out, out);
            }
            others.extend(range.zip(fits).filter(|(_, fits)| !fits).map(|(i, _)| i));
        }
        others
    }
}

/// Replaces one matrix of a batch by the identity.
fn put_identity<S: Simd, const P: usize>(k: usize, lane: usize, matrices: &mut [Lanes<S, P>]) {
    for (i, x) in matrices.iter_mut().enumerate() {
        x.each_mut()[lane] = if i % (k + 1) == 0 { 1.0 } else { 0.0 };
    }
}

/// Room for a batch.
struct Room<'o, S: Simd, const P: usize> {
    simd: S,
    k: usize,
    operation: &'o Operation,
    logarithms: Batch<S, P>,
    exponentials: Exponential<S, P>,
    /// `P`, lower triangle.
    base: Vec<Lanes<S, P>>,
    /// The result, lower triangle, or the number that it is.
    out: Vec<Lanes<S, P>>,
    length: Lanes<S, P>,
}

impl<S: Simd, const P: usize> Room<'_, S, P> {
    /// Applies the operation to a batch and returns whether the result of each row can be trusted.
    #[inline(always)]
    fn apply<T: Number<S, P>>(&mut self, points: &[&[f64]], l: &[T]) -> Vec<bool> {
        let Self { simd, k, operation, ref mut logarithms, ref mut exponentials, ref base, ref mut out, .. } = *self;
        let matrices = match operation {
            Operation::Exp => exponentials.matrix(),
            Operation::Log | Operation::Dist => logarithms.matrix(),
            Operation::Norm | Operation::Whiten | Operation::Transport(_) => &mut out[..],
        };
        load_lower(k, points, matrices);
        if matches!(operation, Operation::Log | Operation::Dist) {
            for (x, p) in matrices.iter_mut().zip(base) {
                *x = *x - *p;
            }
        }
        whiten_lower(simd, k, l, matrices);
        let all = || vec![true; points.len()];
        let mut middle = None;
        let fits = match operation {
            Operation::Exp => {
                let exponents = exponentials.less_one(out);
                middle = Some(exponents.middle);
                // beyond, doubles overflow
                let fits = |(fits, middle): (&bool, &f64)| *fits && middle.abs() <= FARTHEST;
                exponents.fits.iter().zip(exponents.middle.each()).map(fits).collect()
            }
            Operation::Norm | Operation::Whiten => {
                self.length = norm(simd, k, out);
                all()
            }
            Operation::Transport(root) => {
                congruence_lower(simd, k, root, exponentials.matrix(), out);
                all()
            }
            Operation::Log | Operation::Dist => {
                logarithms.normalize(true);
                logarithms.logarithm(operation.is_scalar());
                self.length = logarithms.length;
                if !operation.is_scalar() {
                    out.copy_from_slice(&logarithms.log);
                }
                (0..points.len()).map(|lane| logarithms.holds(lane)).collect()
            }
        };
        // at one place for all operations, as both ways are large
        if matches!(operation, Operation::Exp | Operation::Transport(_) | Operation::Log) {
            unwhiten_lower(simd, k, l, out);
        }
        if let Some(middle) = middle {
            let scale = middle.map(f64::exp);
            for (x, p) in out.iter_mut().zip(base) {
                *x = (*x + *p) * scale;
            }
        }
        fits
    }
}

/// Whether each of the matrices equals its transpose and `A − 16kε·tr A` has a Cholesky factor, for traces far from
/// where products of two numbers underflow or overflow. `false` means unsure.
pub(crate) fn clearly_positive_definite(k: usize, matrices: &[f64]) -> bool {
    are_symmetric(k, matrices) && dispatch(PositiveDefinite { k, matrices })
}

struct PositiveDefinite<'a> {
    k: usize,
    matrices: &'a [f64],
}

impl WithSimd for PositiveDefinite<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        // two registers hide more latency, as long as the matrices fit in the fastest cache
        if self.k <= 20 { self.run::<S, 2>(simd) } else { self.run::<S, 1>(simd) }
    }
}

impl PositiveDefinite<'_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> bool {
        let Self { k, matrices } = self;
        let size = k * k;
        let mut a = vec![Lanes::<S, P>::splat(simd, 0.0); size];
        let mut rows = Vec::new();
        matrices.chunks(Lanes::<S, P>::COUNT * size).all(|matrices| {
            rows.clear();
            rows.extend(matrices.chunks_exact(size));
            load_lower(k, &rows, &mut a);
            let mut trace = Lanes::splat(simd, 0.0);
            for i in 0..k {
                trace = trace + a[i * k + i];
            }
            let shift = trace * Lanes::splat(simd, 16.0 * k as f64 * f64::EPSILON);
            for i in 0..k {
                a[i * k + i] = a[i * k + i] - shift;
            }
            shift.each().iter().all(|shift| (1e-200..1e200).contains(shift)) && factor(simd, k, &mut a).is_ok()
        })
    }
}
