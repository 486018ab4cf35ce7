//! The laws of the module, against matrices with a known spectrum and against values computed with 60 digits (mpmath).

use proptest::prelude::*;
use pulp::{Simd, WithSimd};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chebyshev::Exponents;
use super::cholesky::{cholesky, solve_lower};
use super::exponentials::Exponential;
use super::interleaved::{load_lower, store};
use super::logarithms::{LARGE, NotPositiveDefinite, SMALL};
use super::*;

type Rng = ChaCha8Rng;

fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// An orthogonal matrix: a product of reflections, each `I − 2vvᵀ` exact to rounding.
fn orthogonal(k: usize, rng: &mut Rng) -> Vec<f64> {
    let mut q = identity(k);
    for _ in 0..k.min(4) {
        let v: Vec<f64> = (0..k).map(|_| rng.random_range(-1.0..1.0)).collect();
        let square: f64 = v.iter().map(|x| x * x).sum();
        for row in q.chunks_exact_mut(k) {
            let c = 2.0 * row.iter().zip(&v).map(|(x, y)| x * y).sum::<f64>() / square;
            row.iter_mut().zip(&v).for_each(|(x, y)| *x -= c * y);
        }
    }
    q
}

fn identity(k: usize) -> Vec<f64> {
    (0..k * k).map(|i| f64::from(u8::from(i % (k + 1) == 0))).collect()
}

/// `Q diag(f) Qᵀ`, exactly symmetric.
fn with_spectrum(q: &[f64], f: &[f64]) -> Vec<f64> {
    let k = f.len();
    let mut a = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            let entry = (0..k).map(|m| q[i * k + m] * f[m] * q[j * k + m]).sum();
            a[i * k + j] = entry;
            a[j * k + i] = entry;
        }
    }
    a
}

/// Spectra of all the kinds that cause trouble.
fn spectra(k: usize) -> Vec<Vec<f64>> {
    let along = |i: usize| if k == 1 { 0.0 } else { i as f64 / (k - 1) as f64 };
    vec![
        (0..k).map(|i| 0.5 + along(i)).collect(),
        (0..k).map(|i| 10f64.powf(12.0 * along(i) - 6.0)).collect(),
        vec![3.0; k],
        (0..k).map(|i| if i < k / 2 { 2.0 } else { 2.0 + 1e-9 * i as f64 }).collect(),
        (0..k).map(|i| if i == 0 { 1e-5 } else { 1.0 }).collect(),
        (0..k).map(|i| 1.0 + 1e-12 * (i as f64 - 1.0)).collect(),
    ]
}

fn random_spd(k: usize, rng: &mut Rng) -> Vec<f64> {
    let g: Vec<f64> = (0..k * (k + 2)).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut a = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..k {
            a[i * k + j] = (0..k + 2).map(|m| g[i * (k + 2) + m] * g[j * (k + 2) + m]).sum();
        }
    }
    a
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

fn product(a: &[f64], b: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|ij| (0..k).map(|m| a[ij / k * k + m] * b[m * k + ij % k]).sum()).collect()
}

fn transpose(a: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|ij| a[ij % k * k + ij / k]).collect()
}

fn log_of(k: usize, a: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; k * k];
    logs(k, a, &mut out).unwrap();
    out
}

fn assert_is_decomposition(a: &[f64], k: usize) {
    let Eigen { values, vectors } = eigen(a, k);
    let columns = transpose(&vectors, k);
    let tolerance = 4.0 * (k as f64 + 4.0) * f64::EPSILON;
    assert!(values.is_sorted());
    assert!(distance(&product(&vectors, &columns, k), &identity(k)) <= tolerance, "not orthogonal, k = {k}");
    let size = largest(a);
    let (scaled, values): (Vec<f64>, Vec<f64>) = if size > 0.0 {
        (a.iter().map(|x| x / size).collect(), values.iter().map(|x| x / size).collect())
    } else {
        (a.to_vec(), values)
    };
    assert!(distance(&with_spectrum(&columns, &values), &scaled) <= tolerance * k as f64, "residual, k = {k}");
}

#[test]
fn eigen_decomposes() {
    for k in 1..=40 {
        let rng = &mut rng(k as u64);
        for spectrum in spectra(k) {
            assert_is_decomposition(&with_spectrum(&orthogonal(k, rng), &spectrum), k);
        }
        let mut indefinite: Vec<f64> = (0..k * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        cholesky::symmetrize(k, &mut indefinite);
        assert_is_decomposition(&indefinite, k);
    }
}

/// Sparse matrices whose tridiagonal form has entries down to 1e-136: some reflections of Householder's method then
/// have an axis whose square underflows.
#[test]
fn eigenvectors_of_sparse_matrices_are_orthonormal() {
    let k = 20;
    for small in [5e-6, 1e-3, 1e-9, 0.3] {
        for offset in 0..k {
            let mut a = vec![0.0; k * k];
            for (i, j, x) in [(0, 18, -0.91), (1, 12, 0.91), (1, 19, small), (13, 16, -small)] {
                let (i, j) = ((i + offset) % k, (j + offset) % k);
                (a[i * k + j], a[j * k + i]) = (x, x);
            }
            assert_is_decomposition(&a, k);
            let mut alone = eigenvalues(&a, k);
            alone.sort_by(f64::total_cmp);
            assert!(distance(&alone, &eigen(&a, k).values) < 1e-14, "{small} {offset}");
        }
    }
}

#[test]
fn eigen_is_defined_for_every_finite_matrix() {
    for k in 0..=12 {
        for x in [0.0, 5e-324, 1e-300, 1.0, 1e300, f64::MAX / 16.0] {
            assert_is_decomposition(&vec![x; k * k], k);
            let mut corner = vec![0.0; k * k];
            if let Some(last) = corner.last_mut() {
                *last = x;
            }
            assert_is_decomposition(&corner, k);
        }
    }
    assert_is_decomposition(&[0.0, 1.0, 1.0, 0.0], 2);
    assert_is_decomposition(&[1.0, 1e-200, 1e-200, 1e-320], 2);
}

#[test]
fn eigenvalues_alone_are_those_of_the_spectrum() {
    for k in [1, 2, 3, 5, 10, 33] {
        for spectrum in spectra(k) {
            let a = with_spectrum(&orthogonal(k, &mut rng(k as u64)), &spectrum);
            let (mut found, mut expected) = (eigenvalues(&a, k), spectrum);
            found.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            assert!(distance(&found, &expected) <= 1e-14 * k as f64 * largest(&a), "{k}: {found:?} {expected:?}");
        }
        assert_eq!(eigenvalues(&vec![0.0; k * k], k), vec![0.0; k]);
    }
}

/// The matrix of second differences has the eigenvalues `2 − 2cos(jπ/(k + 1))`.
#[test]
fn eigenvalues_of_second_differences_are_known() {
    for k in [1usize, 2, 7, 100] {
        let (mut found, mut off_diagonal) = (vec![2.0; k], vec![-1.0; k - 1]);
        tridiagonal_eigenvalues(&mut found, &mut off_diagonal);
        found.sort_by(f64::total_cmp);
        for (j, value) in found.iter().enumerate() {
            let expected = 2.0 - 2.0 * ((j + 1) as f64 * std::f64::consts::PI / (k + 1) as f64).cos();
            assert!((value - expected).abs() < 1e-14 * k as f64, "{k}: {value} {expected}");
        }
    }
}

#[test]
fn small_eigenvalues_of_graded_matrices_are_relatively_accurate() {
    // diag(d) [[1, ½, ¼], [½, 1, ½], [¼, ½, 1]] diag(d), d = (1, 2⁻¹⁰, 2⁻²⁰)
    let Eigen { values, .. } = eigen(&GRADED, 3);
    let expected = [6.8212097837243e-13, 7.152555826e-7, 1.0];
    assert!((values[0] / expected[0] - 1.0).abs() < 1e-6, "{values:?}");
    assert!((values[1] / expected[1] - 1.0).abs() < 1e-6, "{values:?}");
}

#[test]
fn spectral_function_of_the_identity_map_gives_the_matrix_back() {
    for k in [1, 2, 5, 17] {
        let a = random_spd(k, &mut rng(1));
        let mut out = vec![0.0; k * k];
        eigen(&a, k).apply(|x| x, &mut out);
        assert!(distance(&out, &a) <= 1e-14 * largest(&a));
        assert_eq!(out, transpose(&out, k));
    }
}

const PLAIN: [f64; 9] = [4.0, 1.0, 0.5, 1.0, 3.0, 0.25, 0.5, 0.25, 2.0];
const GRADED: [f64; 9] = {
    let (d, e) = (1.0 / 1024.0, 1.0 / 1_048_576.0);
    [1.0, 0.5 * d, 0.25 * e, 0.5 * d, d * d, 0.5 * d * e, 0.25 * e, 0.5 * d * e, e * e]
};
/// To be divided by 2⁴⁰.
const OFFSET: [f64; 9] = [1.0, 2.0, 3.0, 2.0, -1.0, 1.0, 3.0, 1.0, 0.5];

fn full(lower: [f64; 6]) -> [f64; 9] {
    let [a, b, c, d, e, f] = lower;
    [a, b, d, b, c, e, d, e, f]
}

fn plus_offset(a: &[f64]) -> Vec<f64> {
    a.iter().zip(OFFSET).map(|(x, y)| x + y * 0.5f64.powi(40)).collect()
}

#[test]
#[allow(clippy::excessive_precision)]
fn logarithms_agree_with_values_of_high_precision() {
    let plain = full([
        1.3363696112085728918,
        0.29142561749437286641,
        1.0488677480028087374,
        0.16533158019022999322,
        0.074818281517897572604,
        0.67111953615904420689,
    ]);
    assert!(distance(&log_of(3, &PLAIN), &plain) < 1e-15);

    let graded = full([
        -3.1353581739074722418e-6,
        0.0069094886082113616755,
        -14.150625615063430441,
        3.3737705824097551757e-6,
        0.0067690220405003633877,
        -28.013566228078676072,
    ]);
    assert!(distance(&log_of(3, &GRADED), &graded) < 8e-15);

    let near = full([
        9.0949470176713797363e-13,
        1.8189894035446157049e-12,
        -9.0949470177540977975e-13,
        2.7284841053160963768e-12,
        9.0949470177065349123e-13,
        4.5474735088222481832e-13,
    ]);
    assert!(distance(&log_of(3, &plus_offset(&identity(3))), &near) < 2e-15 * largest(&near));
}

#[test]
#[allow(clippy::excessive_precision)]
fn whitened_logarithms_agree_with_values_of_high_precision() {
    let base = Whitening::new(3, &PLAIN).unwrap();
    let mut out = [f64::NAN; 9];
    base.logs(&[2.0, 0.5, 0.0, 0.5, 1.0, 0.25, 0.0, 0.25, 3.0], &mut out).unwrap();
    let expected = full([
        -0.70031832039693270025,
        0.0094723850489899214887,
        -1.1578119162845338272,
        -0.097373874104750183886,
        0.11790414583224243616,
        0.43590386633551256705,
    ]);
    assert!(distance(&out, &expected) < 2e-15);

    base.logs(&plus_offset(&PLAIN), &mut out).unwrap();
    let expected = full([
        2.2737367544267280023e-13,
        4.7989019823141619041e-13,
        -6.4078035806761190484e-13,
        9.1461746070109533648e-13,
        4.7082262986435949736e-14,
        -1.1356524752127006734e-13,
    ]);
    assert!(distance(&out, &expected) < 2e-15 * largest(&expected), "{out:?}");
}

/// The lines of a table: kind, number of rows, matrix and a function of it.
fn table(text: &str) -> impl Iterator<Item = (&str, usize, Vec<f64>, Vec<f64>)> {
    text.lines().map(|line| {
        let mut words = line.split(' ');
        let (kind, k) = (words.next().unwrap(), words.next().unwrap().parse::<usize>().unwrap());
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let (matrix, image) = numbers.split_at(k * (k + 1) / 2);
        let full = |lower: &[f64]| {
            let mut full = vec![0.0; k * k];
            for i in 0..k {
                for j in 0..=i {
                    full[i * k + j] = lower[i * (i + 1) / 2 + j];
                    full[j * k + i] = full[i * k + j];
                }
            }
            full
        };
        (kind, k, full(matrix), full(image))
    })
}

/// Matrices of every kind and size. Errors are relative to the largest entry, on top of the rounding of the matrix
/// alone.
#[test]
fn logarithms_agree_with_sixty_digits() {
    let mut checked = 0;
    for (kind, k, matrix, expected) in table(include_str!("logarithms.txt")) {
        let allowed = match kind {
            "wide" => 1e-10,
            "widest" => 1e-4,
            _ => 4e-15,
        };
        let error = distance(&log_of(k, &matrix), &expected) / largest(&expected);
        assert!(error <= allowed, "{kind}, k = {k}: {error:e}");
        // the same seen from 4·I, with its logarithm added
        let base = Whitening::new(k, &identity(k).iter().map(|x| 4.0 * x).collect::<Vec<_>>()).unwrap();
        let (mut seen, four) = (vec![0.0; k * k], identity(k).iter().map(|x| x * 4f64.ln()).collect::<Vec<_>>());
        base.logs(&matrix, &mut seen).unwrap();
        seen.iter_mut().zip(four).for_each(|(x, four)| *x += four);
        let error = distance(&seen, &expected) / largest(&expected).max(4f64.ln());
        assert!(error <= allowed, "{kind} from 4, k = {k}: {error:e}");
        checked += 1;
    }
    assert_eq!(checked, 60);
}

/// From one approximation to the next, and to the one for graded matrices.
#[test]
fn logarithms_of_wider_and_wider_spectra() {
    for k in [3, 6, 11] {
        let q = orthogonal(k, &mut rng(40 + k as u64));
        for exponent in 0..40 {
            let spread = 2f64.powi(exponent);
            let spectrum: Vec<f64> = (0..k).map(|i| spread.powf(-(i as f64) / (k - 1) as f64)).collect();
            let plain = with_spectrum(&q, &spectrum);
            let expected = with_spectrum(&q, &spectrum.iter().map(|x| x.ln()).collect::<Vec<_>>());
            let error = distance(&log_of(k, &plain), &expected);
            assert!(error <= 2e-15 * spread * k as f64, "{k}, 2^{exponent}: {error:e}");
        }
    }
}

#[test]
fn logarithm_of_a_known_spectrum() {
    for k in 1..=40 {
        let q = orthogonal(k, &mut rng(100 + k as u64));
        for (kind, spectrum) in spectra(k).iter().enumerate() {
            let expected = with_spectrum(&q, &spectrum.iter().map(|x| x.ln()).collect::<Vec<_>>());
            let log = log_of(k, &with_spectrum(&q, spectrum));
            // the matrix itself is rounded relative to its largest entry, which its logarithm sees relative to its
            // smallest eigenvalue
            let condition =
                spectrum.iter().fold(0.0, |m: f64, &x| m.max(x)) / spectrum.iter().fold(f64::MAX, |m, &x| m.min(x));
            let error = distance(&log, &expected);
            assert!(
                error <= 8.0 * (k as f64).sqrt() * f64::EPSILON * condition.max(4.0),
                "kind {kind}, k = {k}: {error:e}"
            );
            assert_eq!(log, transpose(&log, k));
        }
    }
}

#[test]
fn logarithm_of_a_scaled_matrix_is_shifted() {
    let a = random_spd(5, &mut rng(3));
    let log = log_of(5, &a);
    for exponent in [-900, -40, 40, 900] {
        let scaled: Vec<f64> = a.iter().map(|x| x * 2f64.powi(exponent)).collect();
        let shift = f64::from(exponent) * std::f64::consts::LN_2;
        let expected: Vec<f64> = log.iter().zip(identity(5)).map(|(x, one)| x + one * shift).collect();
        assert!(distance(&log_of(5, &scaled), &expected) <= 1e-15 * shift.abs());
    }
}

#[test]
fn logarithm_of_the_base_vanishes() {
    for k in 1..=24 {
        let p = random_spd(k, &mut rng(4));
        let mut out = vec![f64::NAN; k * k];
        Whitening::new(k, &p).unwrap().logs(&p, &mut out).unwrap();
        assert_eq!(largest(&out), 0.0);
        assert_eq!(largest(&log_of(k, &identity(k))), 0.0);
    }
}

#[test]
fn whitened_logarithm_is_that_of_the_whitened_matrix() {
    for k in 1..=24 {
        let rng = &mut rng(5 + k as u64);
        let (p, x) = (random_spd(k, rng), random_spd(k, rng));
        let base = Whitening::new(k, &p).unwrap();
        let (mut whitened, mut back, mut log) = (vec![0.0; k * k], vec![0.0; k * k], vec![0.0; k * k]);
        base.whiten(&x, &mut whitened);
        base.unwhiten(&whitened, &mut back);
        let condition = eigen(&p, k).values;
        let condition = condition[k - 1] / condition[0];
        assert!(distance(&back, &x) <= 1e-14 * condition);
        base.logs(&x, &mut log).unwrap();
        let spread = eigen(&whitened, k).values;
        assert!(distance(&log, &log_of(k, &whitened)) <= 1e-14 * condition.max(spread[k - 1] / spread[0]) * k as f64);
    }
}

/// Points at opposite edges of a ball: `L⁻¹XL⁻ᵀ` has the condition number of `P` squared, its logarithm must not suffer
/// from more than that of `P`.
#[test]
fn whitened_logarithms_of_opposite_points_lose_what_the_base_loses() {
    for k in [2, 3, 5, 8, 15] {
        let q = orthogonal(k, &mut rng(90 + k as u64));
        for reach in [1.0, 2.0, 3.0, 4.0, 6.0] {
            let logs: Vec<f64> = (0..k).map(|i| reach * (2.0 * i as f64 / (k - 1) as f64 - 1.0)).collect();
            let of = |sign: f64| with_spectrum(&q, &logs.iter().map(|l| (sign * l).exp()).collect::<Vec<_>>());
            let mut log = vec![f64::NAN; k * k];
            Whitening::new(k, &of(-1.0)).unwrap().logs(&of(1.0), &mut log).unwrap();
            let expected: Vec<f64> = logs.iter().map(|l| 2.0 * l).collect();
            let error = distance(&eigen(&log, k).values, &expected);
            let condition = (2.0 * reach).exp();
            assert!(error <= 2.0 * k as f64 * f64::EPSILON * (condition + 8.0), "{k}, {reach}: {error:e}");
        }
    }
}

/// Both sides of the near-identity criterion agree where they meet.
#[test]
fn logarithm_is_continuous_where_the_method_changes() {
    let q = orthogonal(6, &mut rng(6));
    for edge in [0.5, 1.5] {
        let log = |edge: f64| log_of(6, &with_spectrum(&q, &[edge, 0.8, 0.9, 1.0, 1.1, 1.2]));
        assert!(distance(&log(edge * (1.0 + 1e-12)), &log(edge * (1.0 - 1e-12))) < 1e-11);
        assert!(distance(&log(edge * (1.0 + 4e-16)), &log(edge * (1.0 - 4e-16))) < 8e-15);
    }
}

#[test]
fn a_matrix_has_the_same_logarithm_in_any_company() {
    for k in [1, 2, 3, 5, 10, 16, 22] {
        let rng = &mut rng(7);
        let center = random_spd(k, rng);
        let base = Whitening::new(k, &center).unwrap();
        let mut matrices: Vec<f64> = (0..27).flat_map(|_| random_spd(k, rng)).collect();
        matrices[3 * k * k..4 * k * k].copy_from_slice(&with_spectrum(&orthogonal(k, rng), &spectra(k)[1]));
        matrices[9 * k * k..10 * k * k].copy_from_slice(&plus_small(&identity(k)));
        matrices[14 * k * k..15 * k * k].copy_from_slice(&plus_small(&center));
        for whitened in [false, true] {
            let together = |matrices: &[f64]| {
                let mut out = vec![f64::NAN; matrices.len()];
                if whitened { base.logs(matrices, &mut out) } else { logs(k, matrices, &mut out) }.unwrap();
                out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let all = together(&matrices);
            for size in [1, 2, 3, 5, 7, 8, 9, 16, 26] {
                let parts: Vec<u64> = matrices.chunks(size * k * k).flat_map(together).collect();
                assert_eq!(all, parts, "k = {k}, {size} at a time");
            }
        }
    }
}

fn plus_small(a: &[f64]) -> Vec<f64> {
    let k = a.len().isqrt();
    a.iter().zip(identity(k)).enumerate().map(|(i, (x, one))| x + one * 1e-7 * i as f64).collect()
}

#[test]
fn matrices_that_are_not_positive_definite_are_named() {
    for k in [1, 2, 3, 9, 17] {
        let mut matrices: Vec<f64> = (0..11).flat_map(|_| identity(k)).collect();
        for bad in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            matrices[10 * k * k - 1] = bad;
            let mut out = vec![0.0; 11 * k * k];
            let expected = Err(NotPositiveDefinite { index: 9 });
            assert_eq!(logs(k, &matrices, &mut out), expected);
            assert!(Whitening::new(k, &matrices[9 * k * k..10 * k * k]).is_none());
        }
    }
}

#[test]
fn cholesky_factors_and_its_inverse_inverts() {
    for k in 1..=20 {
        let a = random_spd(k, &mut rng(9));
        let l = cholesky(&a, k).unwrap();
        assert!(distance(&product(&l, &transpose(&l, k), k), &a) <= 1e-14 * largest(&a));
        assert!((0..k).all(|i| (i + 1..k).all(|j| l[i * k + j] == 0.0)));
        let mut inverse = identity(k);
        solve_lower(&l, k, &mut inverse);
        assert!(distance(&product(&l, &inverse, k), &identity(k)) <= 1e-12);
        let mut x = a.clone();
        solve_lower(&l, k, &mut x);
        assert!(distance(&x, &transpose(&l, k)) <= 1e-13 * largest(&a) * largest(&inverse));
    }
}

#[test]
fn congruence_is_symmetric() {
    let rng = &mut rng(10);
    let (k, x) = (7, random_spd(7, rng));
    let a: Vec<f64> = (0..k * k).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut out = vec![0.0; k * k];
    congruence(&a, &x, k, &mut out);
    assert_eq!(out, transpose(&out, k));
    assert!(distance(&out, &product(&product(&a, &x, k), &transpose(&a, k), k)) < 1e-13);
}

/// One entry, in any place, that is off by a last digit or not finite.
#[test]
fn symmetry_is_seen_in_every_entry() {
    for k in 1..=13 {
        let rng = &mut rng(90 + k as u64);
        let matrices: Vec<f64> = (0..3).flat_map(|_| random_spd(k, rng)).collect();
        assert!(are_symmetric(k, &matrices));
        for i in 0..matrices.len() {
            let is_diagonal = i % (k * k) % (k + 1) == 0;
            for wrong in [matrices[i].next_up(), -matrices[i], f64::NAN, f64::INFINITY] {
                let mut spoilt = matrices.clone();
                spoilt[i] = wrong;
                assert_eq!(are_symmetric(k, &spoilt), is_diagonal && wrong.is_finite(), "{k} {i} {wrong}");
            }
        }
        let mut infinite = matrices.clone();
        (infinite[k - 1], infinite[k * (k - 1)]) = (f64::INFINITY, f64::INFINITY);
        assert!(!are_symmetric(k, &infinite), "{k}");
    }
}

/// Compared with two products one after the other; one matrix gives the same numbers as many.
#[test]
fn matrices_are_carried_by_one_matrix() {
    for k in 1..=14 {
        let rng = &mut rng(110 + k as u64);
        let a: Vec<f64> = (0..k * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        let x: Vec<f64> = (0..9).flat_map(|_| random_spd(k, rng)).collect();
        let row = |i: usize| &x[i * k * k..(i + 1) * k * k];
        let (mut many, mut alone) = (vec![f64::NAN; x.len()], vec![f64::NAN; k * k]);
        congruences(k, &a, &x, &mut many);
        for (i, found) in many.chunks_exact(k * k).enumerate() {
            let expected = product(&product(&a, row(i), k), &transpose(&a, k), k);
            assert!(distance(found, &expected) <= 1e-14 * k as f64 * largest(&expected), "{k} {i}");
            assert_eq!(found, transpose(found, k), "{k} {i}");
            congruences(k, &a, row(i), &mut alone);
            assert_eq!(found, alone, "{k} {i}");
        }
    }
}

/// `Expm` of symmetric matrices as the exponential map at the identity, compared with the spectral decomposition.
#[test]
fn exponentials_are_those_of_the_spectrum() {
    for k in [1, 2, 3, 4, 5, 7, 12, 25] {
        let rng = &mut rng(60 + k as u64);
        let mut matrices = Vec::new();
        for size in [1e-12, 1e-3, 0.4, 0.6, 2.0, 7.0, 12.0, 30.0, 300.0] {
            let spectrum: Vec<f64> = (0..k).map(|_| rng.random_range(-1.0..1.0)).collect();
            let most = spectrum.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()));
            let spectrum: Vec<f64> = spectrum.iter().map(|x| x / most * size).collect();
            matrices.extend(with_spectrum(&orthogonal(k, rng), &spectrum));
        }
        let (mut out, one) = (vec![0.0; matrices.len()], identity(k));
        let rows = matrices.len() / (k * k);
        let row = |i: usize| &matrices[i * k * k..(i + 1) * k * k];
        let left = affine(k, &Operation::Exp, true, |_| &one[..], row, &mut out);
        assert!(left.iter().all(|i| *i >= 5) && (k < 4 || left.contains(&(rows - 1))), "{k}: {left:?}");
        for i in (0..rows).filter(|i| !left.contains(i)) {
            let eigen = eigen(row(i), k);
            let (mut expected, found) = (eigen.map(f64::exp), &out[i * k * k..(i + 1) * k * k]);
            let tolerance = 1e-14 * (k as f64).sqrt() * (1.0 + largest(row(i)));
            assert!(distance(found, &expected) <= tolerance * largest(&expected), "k = {k}, row {i}");
            assert_eq!(found, transpose(found, k));
            if i == 0 {
                // a small step keeps its digits, up to the rounding of the point
                expected = one.iter().zip(eigen.map(f64::exp_m1)).map(|(x, e)| x + e).collect();
                assert!(distance(found, &expected) <= f64::EPSILON);
            }
        }
    }
}

/// `W² = s²·I` up to rounding, which leaves several diagonal entries equal in every sweep of rotations. So `Expm W =
/// cosh s·I + (sinh s/s)·W`.
#[test]
fn exponential_of_double_eigenvalues_is_that_of_the_spectrum() {
    #[rustfmt::skip]
    let w = [
        4.2976223211143926e-16, 0.0, -1.6215625145332393e-16, -1.7298701298701278,
        0.0, 4.2976223211143926e-16, 1.7298701298701278, -1.6215625145332393e-16,
        -1.6215625145332393e-16, 1.7298701298701278, 4.460394128973679e-16, 1.6748087019739426e-17,
        -1.7298701298701278, -1.6215625145332393e-16, 1.6748087019739426e-17, 1.7723801306906548e-16,
    ];
    let (s, one): (f64, _) = (w[6], identity(4));
    let expected: Vec<f64> = one.iter().zip(&w).map(|(i, w)| s.cosh() * i + s.sinh() / s * w).collect();
    let mut out = vec![0.0; 16];
    assert!(affine(4, &Operation::Exp, true, |_| &one[..], |_| &w[..], &mut out).is_empty());
    assert!(distance(&out, &expected) < 2e-14, "{out:?}");
}

/// `Expm(W − μ) − 1` of each of the matrices, as one batch after the other, `μ`, and whether it can be trusted.
fn exponentials(k: usize, matrices: &[Vec<f64>]) -> Vec<(Vec<f64>, f64, bool)> {
    struct Exponentials<'a>(usize, &'a [Vec<f64>]);
    impl WithSimd for Exponentials<'_> {
        type Output = Vec<(Vec<f64>, f64, bool)>;

        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            if self.0 <= two_sided::LARGEST { self.run::<S, SMALL>(simd) } else { self.run::<S, LARGE>(simd) }
        }
    }
    impl Exponentials<'_> {
        fn run<S: Simd, const P: usize>(self, simd: S) -> Vec<(Vec<f64>, f64, bool)> {
            let Self(k, matrices) = self;
            let mut exponential = Exponential::<S, P>::new(simd, k);
            let (mut out, mut found) = (vec![Lanes::splat(simd, f64::NAN); k * k], Vec::new());
            for matrices in matrices.chunks(Lanes::<S, P>::COUNT) {
                load_lower(k, &matrices.iter().map(Vec::as_slice).collect::<Vec<_>>(), exponential.matrix());
                let Exponents { middle, fits } = exponential.less_one(&mut out);
                let mut images = vec![0.0; matrices.len() * k * k];
                store(k, &out, &mut images);
                let known = middle.each().iter().zip(fits);
                found.extend(images.chunks(k * k).zip(known).map(|(e, (middle, fits))| (e.to_vec(), *middle, fits)));
            }
            found
        }
    }
    dispatch(Exponentials(k, matrices))
}

/// Errors are relative to `ε·(1 + ‖W‖)·‖Expm W − 1‖`.
#[test]
fn exponentials_agree_with_sixty_digits() {
    let (mut checked, mut most) = (0, 0.0_f64);
    for (kind, k, matrix, expected) in table(include_str!("exponentials.txt")) {
        let (mut found, middle, fits) = exponentials(k, std::slice::from_ref(&matrix)).remove(0);
        assert!(fits, "{kind}, k = {k}");
        if middle != 0.0 {
            for (i, x) in found.iter_mut().enumerate() {
                let one = if i % (k + 1) == 0 { 1.0 } else { 0.0 };
                *x = (*x + one) * middle.exp() - one;
            }
        }
        let values = eigen(&matrix, k).values;
        let norm = |f: fn(f64) -> f64| values.iter().fold(0.0, |m: f64, x| m.max(f(*x).abs()));
        let error = distance(&found, &expected) / (norm(f64::exp_m1) * f64::EPSILON * (1.0 + norm(|x| x)));
        assert!(error <= 5.0, "{kind}, k = {k}: {error}");
        most = error.max(most);
        checked += 1;
    }
    println!("largest error: {most}");
    assert_eq!(checked, 72);
}

/// Matrices of any size, with any number of outliers.
#[test]
fn exponentials_fit_up_to_a_half_width_of_thirteen() {
    for k in [5, 9, 30] {
        let rng = &mut rng(100 + k as u64);
        let mut matrices = Vec::new();
        for outliers in 0..k {
            let spectrum: Vec<f64> = (0..k).map(|i| if i < outliers { -13.0 } else { 13.0 }).collect();
            matrices.push(with_spectrum(&orthogonal(k, rng), &spectrum));
            matrices.push(with_spectrum(&identity(k), &spectrum));
        }
        assert!(exponentials(k, &matrices).iter().all(|(.., fits)| *fits), "{k}");
    }
}

#[test]
fn a_matrix_has_the_same_exponential_in_any_company() {
    for k in [3, 5, 6, 9, 13, 22] {
        let rng = &mut rng(110 + k as u64);
        let mut matrices = Vec::new();
        for size in [0.0, 1e-320, 1e-160, 1e-12, 0.01, 0.3, 0.7, 1.5, 3.0, 6.0, 12.0, 20.0, 1e3, 1e160, 1e300] {
            let spectrum: Vec<f64> = (0..k).map(|_| size * rng.random_range(-1.0..1.0)).collect();
            matrices.push(with_spectrum(&orthogonal(k, rng), &spectrum));
            matrices.push(with_spectrum(&identity(k), &spectrum));
        }
        for (place, x) in [(0, f64::NAN), (k - 1, f64::INFINITY), (1, -f64::NAN), (k, f64::NEG_INFINITY), (1, 1e308)] {
            for base in [2 * 3, 2 * 6] {
                let mut strange: Vec<f64> = matrices[base].clone();
                (strange[place], strange[place % k * k + place / k]) = (x, x);
                matrices.push(strange);
            }
        }
        let bits = |found: Vec<(Vec<f64>, f64, bool)>| {
            let bits = |(e, middle, fits): (Vec<f64>, f64, bool)| {
                assert!(!fits || e.iter().all(|x| x.is_finite()), "k = {k}");
                // nothing is claimed of a result that does not fit
                fits.then(|| (e.iter().map(|x| (x + 0.0).to_bits()).collect::<Vec<_>>(), middle.to_bits()))
            };
            found.into_iter().map(bits).collect::<Vec<_>>()
        };
        let together = bits(exponentials(k, &matrices));
        assert!((20..31).contains(&together.iter().flatten().count()), "k = {k}");
        for (i, matrix) in matrices.iter().enumerate() {
            assert_eq!(together[i..=i], bits(exponentials(k, std::slice::from_ref(matrix))), "k = {k}, {i}");
        }
        matrices.reverse();
        let reversed = bits(exponentials(k, &matrices));
        assert!(together.iter().eq(reversed.iter().rev()), "k = {k}");
    }
}

/// Matrices with entries so small that their squares have few digits or none: see
/// [`eigenvectors_of_sparse_matrices_are_orthonormal`].
#[test]
fn functions_of_sparse_matrices_are_those_of_the_spectrum() {
    let k = 12;
    for exponent in [-5, -100, -153, -154, -155, -158, -160, -161, -162, -300, -320] {
        for offset in 0..k {
            let mut a = vec![0.0; k * k];
            let small = 10f64.powi(exponent);
            for (i, j, x) in [(0, 1, small), (0, 2, -small), (0, 3, small), (1, 7, -0.91), (2, 9, 0.7), (3, 5, 0.3)] {
                let (i, j) = ((i + offset) % k, (j + offset) % k);
                (a[i * k + j], a[j * k + i]) = (x, x);
            }
            let eigen = eigen(&a, k);
            let (found, middle, fits) = exponentials(k, std::slice::from_ref(&a)).remove(0);
            let expected = eigen.map(|x| (x - middle).exp_m1());
            assert!(fits && distance(&found, &expected) <= 4e-15, "{exponent} {offset}");
            let shifted: Vec<f64> = a.iter().zip(identity(k)).map(|(x, one)| x + 2.0 * one).collect();
            assert!(distance(&log_of(k, &shifted), &eigen.map(|x| (2.0 + x).ln())) <= 4e-15, "{exponent} {offset}");
        }
    }
}

#[test]
fn a_base_without_a_factor_is_left_alone_and_changes_nothing_beside_it() {
    for k in [1, 2, 4, 5, 9] {
        let rng = &mut rng(70 + k as u64);
        let random = |rng: &mut ChaCha8Rng| (0..19).flat_map(|_| random_spd(k, rng)).collect::<Vec<f64>>();
        let (p, x) = (random(rng), random(rng));
        let row = |a: &'_ [f64], i: usize| a[i * k * k..(i + 1) * k * k].to_vec();
        let mut spoilt = p.clone();
        for i in [3, 5, 18] {
            spoilt[i * k * k] = -1.0;
        }
        let apply = |p: &[f64]| {
            let mut out = vec![f64::NAN; x.len()];
            let of = |i: usize| i * k * k..(i + 1) * k * k;
            let left = affine(k, &Operation::Log, false, |i| &p[of(i)], |i| &x[of(i)], &mut out);
            (out, left)
        };
        let ((logs, left), (others, more)) = (apply(&p), apply(&spoilt));
        for i in 0..19 {
            assert_eq!(more.contains(&i), left.contains(&i) || [3, 5, 18].contains(&i), "{k}, {i}");
            assert!(more.contains(&i) || row(&logs, i) == row(&others, i), "{k}, {i}");
        }
    }
}

#[test]
fn exponential_map_and_logarithm_are_inverse_from_one_base_and_from_each_its_own() {
    for k in [1, 2, 4, 5, 9, 17] {
        let rng = &mut rng(80 + k as u64);
        let (p, x): (Vec<f64>, Vec<f64>) = ((0..21).flat_map(|_| random_spd(k, rng)).collect(), {
            (0..21).flat_map(|_| random_spd(k, rng)).collect()
        });
        let row = |a: &'_ [f64], i: usize| a[i * k * k..(i + 1) * k * k].to_vec();
        for one_base in [true, false] {
            let base = |i: usize| if one_base { &p[..k * k] } else { &p[i * k * k..(i + 1) * k * k] };
            let apply = |operation, x: &[f64], width: usize| {
                let mut out = vec![f64::NAN; 21 * width];
                let left = affine(k, &operation, one_base, base, |i| &x[i * k * k..(i + 1) * k * k], &mut out);
                (out, left)
            };
            let (logs, left) = apply(Operation::Log, &x, k * k);
            let (lengths, left_of_dist) = apply(Operation::Dist, &x, 1);
            let (norms, _) = apply(Operation::Norm, &logs, 1);
            let (ends, far) = apply(Operation::Exp, &logs, k * k);
            assert_eq!(left, left_of_dist);
            for i in (0..21).filter(|i| !left.contains(i) && !far.contains(i)) {
                let condition = |a: &[f64]| {
                    let values = eigen(a, k).values;
                    values[k - 1] / values[0]
                };
                let tolerance = 1e-14 * k as f64 * condition(base(i)) * condition(&row(&x, i));
                assert!(distance(&row(&ends, i), &row(&x, i)) <= tolerance * largest(&row(&x, i)), "{k}, {i}");
                assert!((lengths[i] - norms[i]).abs() <= tolerance * (1.0 + norms[i]), "{k}, {i}");
            }
        }
    }
}

proptest! {
    #[test]
    fn exponential_inverts_the_logarithm(seed: u64, k in 1usize..14) {
        let a = random_spd(k, &mut rng(seed));
        let spectrum = eigen(&a, k).values;
        prop_assume!(spectrum[0] > 1e-9);
        let mut back = vec![0.0; k * k];
        eigen(&log_of(k, &a), k).apply(f64::exp, &mut back);
        prop_assert!(distance(&back, &a) <= 1e-13 * largest(&a) * k as f64);
    }

    #[test]
    fn any_finite_input_is_answered(values in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL, 16), scale in -300i32..300) {
        let mut matrix: Vec<f64> = values.iter().map(|x| x * 10f64.powi(scale)).map(|x| if x.is_finite() { x } else { 1.0 }).collect();
        cholesky::symmetrize(4, &mut matrix);
        let Eigen { values, vectors } = eigen(&matrix, 4);
        prop_assert!(vectors.iter().all(|x| x.is_finite()));
        prop_assert!(values.iter().all(|x| !x.is_nan()));
        let mut out = vec![0.0; 16];
        if logs(4, &matrix, &mut out).is_ok() {
            prop_assert!(out.iter().all(|x| x.is_finite()));
        }
        if let Some(base) = Whitening::new(4, &matrix) {
            prop_assert!(base.logs(&matrix, &mut out).is_err() || out.iter().all(|x| x.is_finite()));
        }
    }
}
