//! Symmetric positive definite `k×k` matrices. A point is `k²` numbers, row by row; a tangent vector is a symmetric
//! matrix, whose lower triangle counts where it is not symmetric to the last digit.

mod affine_invariant;
mod factors;
mod layouts;
mod log_cholesky;
mod log_euclidean;
mod off_log;
mod tangent_space;

pub use affine_invariant::SpdAffineInvariant;
pub(super) use affine_invariant::{MODERATE, draw_log_volume_density};
pub(super) use layouts::ATYPICAL_IDENTITY;
pub use log_cholesky::SpdLogCholesky;
pub use log_euclidean::SpdLogEuclidean;
pub use off_log::CorrelationOffLog;
pub use tangent_space::TangentSpace;

use super::family::{Family, number};
use super::vector::{largest, non_finite};
use super::{CURVED_POINT_TOLERANCE, Operand};
use crate::error::Rounded;
use crate::linalg;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::sync::Arc;

/// `spd-log-euclidean:K`.
pub(super) const LOG_EUCLIDEAN: Family = Family {
    name: "spd-log-euclidean",
    size: "K",
    about: "covariance matrices, diffusion tensors",
    examples: &["spd-log-euclidean:3"],
    parse: |size| Some(SpdLogEuclidean::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// `spd-affine-invariant:K`.
pub(super) const AFFINE_INVARIANT: Family = Family {
    name: "spd-affine-invariant",
    size: "K",
    about: "the same with the metric that no change of basis alters",
    examples: &["spd-affine-invariant:3"],
    parse: |size| Some(SpdAffineInvariant::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// `spd-log-cholesky:K`.
pub(super) const LOG_CHOLESKY: Family = Family {
    name: "spd-log-cholesky",
    size: "K",
    about: "covariance matrices of variables in an order",
    examples: &["spd-log-cholesky:3"],
    parse: |size| Some(SpdLogCholesky::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// `correlation-off-log:K`.
pub(super) const OFF_LOG: Family = Family {
    name: "correlation-off-log",
    size: "K",
    about: "correlation matrices, functional connectivity",
    examples: &["correlation-off-log:3"],
    parse: |size| Some(CorrelationOffLog::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// Largest `k`.
pub(super) const LARGEST_MATRIX: usize = 1_000;

/// Condition number from which the smallest eigenvalue is nothing but rounding.
fn largest_condition(k: usize) -> f64 {
    1.0 / (8.0 * k as f64 * f64::EPSILON)
}

/// `k(k+1)/2`.
fn dim(k: usize) -> usize {
    k * (k + 1) / 2
}

fn identity(k: usize, out: &mut [f64]) {
    out.fill(0.0);
    out.iter_mut().step_by(k + 1).for_each(|x| *x = 1.0);
}

/// The reason why numbers are no symmetric positive definite matrix, if they are none.
fn check_matrix(k: usize, p: &[f64]) -> std::result::Result<(), String> {
    check_symmetric(k, p, 0.0)?;
    let mut symmetric = p.to_vec();
    symmetrize(k, &mut symmetric);
    check_positive_definite(k, &symmetric)
}

/// Returns the reason why a symmetric matrix is not positive definite to working precision.
pub(super) fn check_positive_definite(k: usize, symmetric: &[f64]) -> std::result::Result<(), String> {
    if is_clearly_positive_definite(symmetric, k) {
        return Ok(());
    }
    let values = linalg::eigen(symmetric, k).values;
    let (least, largest) = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    if least <= 0.0 {
        let least = Rounded(least);
        return Err(format!("it is not positive definite: its smallest eigenvalue is {least}"));
    }
    if largest / least > largest_condition(k) || least < f64::MIN_POSITIVE {
        let (least, largest) = (Rounded(least), Rounded(largest));
        return Err(format!(
            "it is not positive definite to working precision: its eigenvalues reach from {least} to {largest}"
        ));
    }
    Ok(())
}

/// Returns the reason why numbers are no symmetric matrix.
fn check_symmetric(k: usize, p: &[f64], rounding: f64) -> std::result::Result<(), String> {
    if let Some(reason) = non_finite(p) {
        return Err(reason);
    }
    let allowed = CURVED_POINT_TOLERANCE * largest(p) + rounding;
    for i in 0..k {
        for j in 0..i {
            let (low, high) = (p[i * k + j], p[j * k + i]);
            if (low - high).abs() > allowed {
                let (i, j) = (i + 1, j + 1);
                return Err(format!("it is not symmetric: entry ({i},{j}) is {low}, entry ({j},{i}) is {high}"));
            }
        }
    }
    Ok(())
}

/// Whether `A − s·I` has a Cholesky factor, `s = 16kε·tr A`: then the smallest eigenvalue is at least `s` less the
/// factorisation's backward error, at most `(k+1)ε·tr A`, so the condition number is below [`largest_condition`]. It
/// takes a tenth of the time of eigenvalues.
fn is_clearly_positive_definite(a: &[f64], k: usize) -> bool {
    let trace: f64 = a.iter().step_by(k + 1).sum();
    let shift = 16.0 * k as f64 * f64::EPSILON * trace;
    // far from where products of two numbers underflow or overflow
    if !(1e-200..1e200).contains(&shift) {
        return false;
    }
    let mut shifted = a.to_vec();
    shifted.iter_mut().step_by(k + 1).for_each(|x| *x -= shift);
    linalg::cholesky(&shifted, k).is_some()
}

/// Largest logarithm of an eigenvalue that an exponential returns: larger eigenvalues may have no double.
const LARGEST_LOGARITHM: f64 = 600.0;

/// `e^l`, kept within the range of doubles.
fn bounded_exp(l: f64) -> f64 {
    l.clamp(-LARGEST_LOGARITHM, LARGEST_LOGARITHM).exp()
}

/// Raises eigenvalues that are nothing but rounding to the smallest that counts as positive.
fn repair(k: usize, p: &mut [f64]) {
    symmetrize(k, p);
    if check_matrix(k, p).is_err() {
        let eigen = linalg::eigen(p, k);
        let largest = eigen.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let least = largest * 4.0 / largest_condition(k);
        p.copy_from_slice(&eigen.map(|l| l.max(least)));
    }
}

/// Whether tangent vectors, one after the other, are symmetric to the last bit.
fn prechecked_symmetric(k: usize, v: Operand<'_>) -> bool {
    linalg::are_symmetric(k, v.numbers())
}

/// Copies the lower triangle to the upper one.
fn mirror(k: usize, a: &mut [f64]) {
    for i in 0..k {
        for j in 0..i {
            a[j * k + i] = a[i * k + j];
        }
    }
}

/// Replaces a matrix by its symmetric part.
fn symmetrize(k: usize, a: &mut [f64]) {
    for i in 0..k {
        for j in 0..i {
            let mean = 0.5 * a[i * k + j] + 0.5 * a[j * k + i];
            a[i * k + j] = mean;
            a[j * k + i] = mean;
        }
    }
}

/// `vecd S = [diag S, √2·strict upper triangle, row by row]`, so that `‖vecd S‖₂ = ‖S‖_F`.
pub(super) fn vecd(k: usize, s: &[f64], out: &mut [f64]) {
    let (diagonal, upper) = out.split_at_mut(k);
    let mut next = upper.iter_mut();
    for i in 0..k {
        diagonal[i] = s[i * k + i];
        for (x, o) in s[i * k + i + 1..(i + 1) * k].iter().zip(next.by_ref()) {
            *o = SQRT_2 * x;
        }
    }
}

/// The inverse of [`vecd`].
pub(super) fn vecd_inverse(k: usize, c: &[f64], out: &mut [f64]) {
    let (diagonal, upper) = c.split_at(k);
    let mut next = upper.iter();
    for i in 0..k {
        out[i * k + i] = diagonal[i];
        for j in i + 1..k {
            let x = FRAC_1_SQRT_2 * next.next().copied().unwrap_or_default();
            out[i * k + j] = x;
            out[j * k + i] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Manifold, Operand, largest, norm};

    /// `diag(1, …, 1, 1/condition)` turned by a reflection of all axes.
    fn turned(k: usize, condition: f64) -> Vec<f64> {
        let eigen = linalg::Eigen {
            values: (0..k).map(|i| if i == 0 { 1.0 / condition } else { 1.0 }).collect(),
            vectors: (0..k * k).map(|n| f64::from(u8::from(n / k == n % k)) - 2.0 / k as f64).collect(),
        };
        eigen.map(|l| l)
    }

    #[test]
    fn quick_check_accepts_nothing_that_eigenvalues_refuse_and_all_that_is_well_conditioned() {
        for k in [2, 3, 10, 40] {
            let limit = largest_condition(k);
            for condition in [1.0, 1e3, 1e8, limit / 100.0] {
                assert!(is_clearly_positive_definite(&turned(k, condition), k), "{k} {condition}");
            }
            for condition in [2.0 * limit, 1e2 * limit, -1e3 * limit, -2.0, f64::INFINITY] {
                assert!(!is_clearly_positive_definite(&turned(k, condition), k), "{k} {condition}");
                assert!(SpdAffineInvariant::new(k).unwrap().check_point(&turned(k, condition)).is_err());
            }
            assert!(SpdAffineInvariant::new(k).unwrap().check_point(&turned(k, 0.5 * limit)).is_ok());
        }
    }

    /// To a multiple of the base, however small: the vector is multiplied by it, alone and among others.
    #[test]
    fn transports_to_small_matrices_keep_their_digits() {
        for k in [2, 3, 5, 8] {
            let space = SpdAffineInvariant::new(k).unwrap();
            let one = |c: f64| (0..k * k).map(|i| if i % (k + 1) == 0 { c } else { 0.0 }).collect::<Vec<f64>>();
            let v: Vec<f64> = (0..k * k).map(|i| ((i / k + 2 * (i % k)) + (i % k + 2 * (i / k))) as f64).collect();
            for c in [1e-4, 1e-9, 1e-17, 1e-100, 1e9] {
                let (p, q, mut alone, mut many) = (one(1.0), one(c), v.clone(), vec![0.0; 2 * k * k]);
                space.transport(&p, &q, &v, &mut alone).unwrap();
                space.transport_many(Operand::Same(&p), Operand::Same(&q), Operand::Same(&v), &mut many);
                for carried in [&alone[..], &many[..k * k], &many[k * k..]] {
                    assert!(carried.iter().zip(&v).all(|(x, v)| (x - c * v).abs() <= 1e-14 * c * v.abs()), "{k} {c}");
                }
            }
        }
    }

    /// `L⁻¹XL⁻ᵀ` of multiples of matrices are multiples: with `P = 2ᵐA`, `Q = 2ⁿB`,
    /// `Log_P Q = 2ᵐ(Log_A B + (n − m)·ln 2·A)` and transport of `2ˡV` is `2^{l+n−m}` times that from `A` to `B`.
    #[test]
    fn matrices_of_any_size_are_as_good_as_those_near_one() {
        let times = |x: &[f64], n: i32| {
            let (half, rest) = (2.0_f64.powi(n / 2), 2.0_f64.powi(n - n / 2));
            x.iter().map(|x| x * half * rest).collect::<Vec<f64>>()
        };
        for (k, condition) in [(1, 1.0), (2, 3.0), (2, 1e3), (3, 2.0), (5, 1e3), (8, 2.0), (8, 1e3)] {
            let space = SpdAffineInvariant::new(k).unwrap();
            let (a, mut b, size) = (turned(k, condition), vec![0.0; k * k], k * k);
            let c: Vec<f64> = (0..space.dim()).map(|i| ((3 * i + 1) % 5) as f64 / 4.0 - 0.5).collect();
            let mut v = vec![0.0; size];
            space.from_frame(&a, &c, &mut v);
            space.exp(&a, &v, &mut b);
            let mut carried = vec![0.0; size];
            space.transport(&a, &b, &v, &mut carried).unwrap();
            for (m, n) in [(0, 0), (-499, 541), (541, -499), (-1000, 1000), (1000, -1000), (-1000, -1000), (1000, 999)]
            {
                let (p, q, apart) = (times(&a, m), times(&b, n), f64::from(n - m) * std::f64::consts::LN_2);
                assert!(space.check_point(&p).is_ok() && space.check_point(&q).is_ok());
                let near = |found: &[f64], expected: &[f64], what: &str| {
                    let apart: Vec<f64> = found.iter().zip(expected).map(|(f, e)| f - e).collect();
                    let (off, all) = (largest(&apart), largest(expected));
                    let allowed = 1e-13 * condition * all;
                    assert!(off <= allowed, "{what} {k} {condition} {m} {n}: {found:?} {expected:?}");
                };
                let (same, both) = (Operand::Same(&p[..]), [&q[..], &q[..]].concat());
                let bases = [&p[..], &p[..]].concat();
                let computed = |width: usize, f: &dyn Fn(&mut [f64])| {
                    let mut out = vec![0.0; width];
                    f(&mut out);
                    out
                };
                // vectors that are as large as P, Q, or 1
                let is_double = |n: i32| (-960..1010).contains(&n);
                for l in [m, m - (n - m) / 2, 0].into_iter().filter(|l| is_double(*l)) {
                    let (w, vectors) = (times(&v, l), [times(&v, l), times(&v, l)].concat());
                    let alone =
                        computed(size, &|out| assert_eq!(space.transport(&p, &q, &w, out).is_ok(), l + n - m < 1015));
                    let each = Operand::Each(&vectors);
                    let one_way = computed(2 * size, &|out| space.transport_many(same, Operand::Same(&q), each, out));
                    let rows = computed(2 * size, &|out| {
                        space.transport_many(Operand::Each(&bases), Operand::Each(&both), each, out);
                    });
                    let by_itself = computed(2 * size, &|out| space.transport_map(&p, &q).unwrap()(each, out));
                    for found in [&alone[..], &one_way[..size], &one_way[size..], &rows[size..], &by_itself[size..]] {
                        if is_double(l + n - m) {
                            near(found, &times(&carried, l + n - m), "transport");
                        } else if l + n - m > 1015 && found != &alone[..] {
                            assert!(found.iter().all(|x| x.is_nan()), "{k} {m} {n} {found:?}");
                        }
                    }
                }
                let straight: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + apart * a).collect();
                let log = computed(size, &|out| space.log(&p, &q, out).unwrap());
                near(&log, &times(&straight, m), "log");
                let logs = computed(2 * size, &|out| space.log_many(same, Operand::Each(&both), out));
                near(&logs[size..], &times(&straight, m), "log_many");
                let length = [space.norm(&a, &straight)];
                near(&[space.dist(&p, &q)], &length, "dist");
                near(&computed(2, &|out| space.dist_many(same, Operand::Each(&both), out))[1..], &length, "dist_many");
                let (w, wv) = (times(&v, m), [times(&v, m), times(&v, m)].concat());
                near(&[space.norm(&p, &w)], &[norm(&c)], "norm");
                near(
                    &computed(2, &|out| space.norm_many(same, Operand::Each(&wv), out))[1..],
                    &[norm(&c)],
                    "norm_many",
                );
                near(&computed(size, &|out| space.exp(&p, &w, out)), &times(&b, m), "exp");
                near(
                    &computed(2 * size, &|out| space.exp_many(same, Operand::Each(&wv), out))[size..],
                    &times(&b, m),
                    "exp_many",
                );
            }
        }
    }

    /// The lower triangle of a tangent vector that is not quite symmetric counts, in every operation.
    #[test]
    fn upper_triangles_of_tangent_vectors_do_not_count() {
        for k in [2, 3, 5, 9] {
            let spaces: [&dyn Manifold; 2] = [&SpdAffineInvariant::new(k).unwrap(), &SpdLogEuclidean::new(k).unwrap()];
            for (space, p) in spaces.into_iter().flat_map(|space| {
                // where nothing, one matrix, and each vector by itself is whitened
                [1.0, 3.0, 1e5].map(|condition| (space, turned(k, condition)))
            }) {
                let (size, d) = (k * k, k * (k + 1) / 2);
                let c: Vec<f64> = (0..d).map(|i| ((3 * i + 1) % 5) as f64 / 4.0 - 0.5).collect();
                let (mut low, mut q) = (vec![0.0; size], vec![0.0; size]);
                space.from_frame(&p, &c, &mut low);
                space.exp(&p, &low, &mut q);
                let most = largest(&low);
                let mut off = low.clone();
                for i in 0..k {
                    for j in i + 1..k {
                        off[i * k + j] += 1e-9 * most * (1.0 + (i + j) as f64 / k as f64);
                    }
                }
                assert!(space.check_tangent(&p, &off).is_ok());
                let all = |v: &[f64]| {
                    let (rows, u) = ([v, v, v].concat(), &low);
                    let (bases, ends) = ([&p[..], &p, &p].concat(), [&q[..], &q, &q].concat());
                    let (each, same, to) = (Operand::Each(&rows), Operand::Same(&p[..]), Operand::Same(&q[..]));
                    let (from_each, to_each) = (Operand::Each(&bases), Operand::Each(&ends));
                    let computed = |width: usize, f: &dyn Fn(&mut [f64])| {
                        let mut out = vec![0.0; width];
                        f(&mut out);
                        out
                    };
                    vec![
                        ("exp", computed(size, &|out| space.exp(&p, v, out))),
                        ("transport", computed(size, &|out| space.transport(&p, &q, v, out).unwrap())),
                        ("inner", vec![space.inner(&p, v, u), space.inner(&p, u, v), space.norm(&p, v)]),
                        ("to_frame", computed(d, &|out| space.to_frame(&p, v, out))),
                        ("jacobi along", computed(size, &|out| space.jacobi(&p, v, u, out, &mut vec![0.0; size]))),
                        ("jacobi of", computed(size, &|out| space.jacobi(&p, u, v, &mut vec![0.0; size], out))),
                        ("density", vec![space.log_volume_density(&p, v)]),
                        ("exp_many", computed(3 * size, &|out| space.exp_many(same, each, out))),
                        ("exp_many of each", computed(3 * size, &|out| space.exp_many(from_each, each, out))),
                        ("transport_many", computed(3 * size, &|out| space.transport_many(same, to, each, out))),
                        (
                            "transport_many of each",
                            computed(3 * size, &|out| space.transport_many(from_each, to_each, each, out)),
                        ),
                        ("inner_many", computed(3, &|out| space.inner_many(same, each, Operand::Same(u), out))),
                        ("inner_many of each", computed(3, &|out| space.inner_many(from_each, each, each, out))),
                        ("norm_many", computed(3, &|out| space.norm_many(same, each, out))),
                        ("norm_many of each", computed(3, &|out| space.norm_many(from_each, each, out))),
                    ]
                };
                for ((what, found), (_, expected)) in all(&off).into_iter().zip(all(&low)) {
                    assert_eq!(found, expected, "{what} {space:?}");
                }
            }
        }
    }

    /// Also between ill-conditioned matrices without graded rows, as of channels that go together. For these one matrix
    /// for the whole way loses the square of the digits.
    #[test]
    fn many_transports_keep_lengths() {
        for k in [2, 4, 6] {
            let space = SpdAffineInvariant::new(k).unwrap();
            for condition in [1.0, 1e2, 1e6, 1e9] {
                let p = turned(k, condition);
                let vector = |n: usize| {
                    let c: Vec<f64> = (0..space.dim()).map(|i| ((3 * i + 7 * n) % 5) as f64 / 4.0 - 0.5).collect();
                    let mut v = vec![0.0; k * k];
                    space.from_frame(&p, &c, &mut v);
                    v
                };
                let vectors: Vec<f64> = (0..9).flat_map(vector).collect();
                let (mut q, mut carried) = (vec![0.0; k * k], vec![0.0; vectors.len()]);
                space.exp(&p, &vector(9), &mut q);
                let each = Operand::Each(&vectors);
                space.transport_many(Operand::Same(&p), Operand::Same(&q), each, &mut carried);
                for (v, w) in vectors.chunks_exact(k * k).zip(carried.chunks_exact(k * k)) {
                    let off = (space.norm(&q, w) / space.norm(&p, v) - 1.0).abs();
                    assert!(off < 1e-13 + 4e-15 * condition, "{k} {condition}: {off}");
                }
            }
        }
    }
}
