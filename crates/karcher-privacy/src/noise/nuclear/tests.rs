//! Statistical tests have fixed seeds. With others each would fail once in a million times, and each is shown to find
//! Laplace noise of the Euclidean length.

use super::*;
use crate::noise::tests::{CRITICAL, SplitMix, kolmogorov, of_sorted};
use crate::noise::{Law, VectorNoise};
use statrs::distribution::{ContinuousCDF, Gamma};

/// A scale at which rounding does not show.
const LARGE: f64 = (1_u64 << 40) as f64;

const ALL: [Matrices; 10] = [
    Matrices::Symmetric(2),
    Matrices::Symmetric(3),
    Matrices::Symmetric(4),
    Matrices::Symmetric(5),
    Matrices::Symmetric(6),
    Matrices::Hermitian(2),
    Matrices::Hermitian(3),
    Matrices::Hermitian(4),
    Matrices::Bordered(2),
    Matrices::Bordered(4),
];

/// Eigenvalues of the matrix with such coordinates, ascending; of a Hermitian one each twice.
fn eigenvalues(matrices: Matrices, coordinates: &[f64]) -> Vec<f64> {
    jacobi(&mut matrix_of(matrices, coordinates), matrices.shape().0)
}

/// The real matrix with such coordinates, row by row.
fn matrix_of(matrices: Matrices, coordinates: &[f64]) -> Vec<f64> {
    let ((n, _), size) = (matrices.shape(), matrices.size());
    let mut matrix = vec![0.0; n * n];
    let mut next = coordinates.iter();
    let mut next = || next.next().copied().unwrap();
    let mut set = |i: usize, j: usize, x: f64| (matrix[i * n + j], matrix[j * n + i]) = (x, x);
    for i in 0..size {
        for j in i + 1..size {
            let real = next() / 2.0_f64.sqrt();
            set(i, j, real);
            if n > size {
                let imaginary = next() / 2.0_f64.sqrt();
                set(size + i, size + j, real);
                set(size + i, j, imaginary);
                set(i, size + j, -imaginary);
            }
        }
    }
    let mut diagonal = vec![0.0; size];
    for k in 1..size {
        let unit = next() / ((k * (k + 1)) as f64).sqrt();
        diagonal[..k].iter_mut().for_each(|x| *x += unit);
        diagonal[k] -= k as f64 * unit;
    }
    for (i, x) in diagonal.into_iter().enumerate() {
        set(i, i, x);
        if n > size {
            set(size + i, size + i, x);
        }
    }
    matrix
}

/// The numbers of a matrix with a border, from the entries.
fn bordered(matrix: &[f64], n: usize) -> Vec<f64> {
    let border = matrix[1..n].iter().map(|x| 2.0_f64.sqrt() * x);
    let entry = |i: usize, j: usize| if i == j { matrix[i * n + i] } else { 2.0_f64.sqrt() * matrix[i * n + j] };
    border.chain((1..n).flat_map(|i| (i..n).map(move |j| entry(i, j)))).collect()
}

/// Eigenvalues in double precision, ascending.
fn jacobi(a: &mut [f64], n: usize) -> Vec<f64> {
    for _ in 0..8 {
        for i in 0..n {
            for j in i + 1..n {
                let angle = 0.5 * (2.0 * a[i * n + j]).atan2(a[j * n + j] - a[i * n + i]);
                let (s, c) = angle.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[k * n + i], a[k * n + j]);
                    (a[k * n + i], a[k * n + j]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[i * n + k], a[j * n + k]);
                    (a[i * n + k], a[j * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// Draws in units of σ.
fn draws(matrices: Matrices, count: usize) -> Vec<Vec<f64>> {
    let noise = MatrixNoise::new(matrices, LARGE).unwrap();
    let mut generator = Generator::seeded(51);
    (0..count).map(|_| noise.draw(&mut generator).iter().map(|x| nearest(x) / LARGE).collect()).collect()
}

/// Draws of Laplace noise of the Euclidean length, for the same ε of unit vectors: `√2` instead of 2.
fn euclidean(matrices: Matrices, count: usize) -> Vec<Vec<f64>> {
    let (numbers, scale) = (matrices.numbers(), std::f64::consts::FRAC_1_SQRT_2);
    let noise = VectorNoise::new(Law::Laplace, LARGE).unwrap();
    let mut generator = Generator::seeded(52);
    let mut draw = || noise.draw(numbers, &mut generator).iter().map(|x| scale * nearest(x) / LARGE).collect();
    (0..count).map(|_| draw()).collect()
}

fn nuclear_norm(matrices: Matrices, draw: &[f64]) -> f64 {
    let values = eigenvalues(matrices, draw);
    let copies = if matches!(matrices, Matrices::Symmetric(_)) { 1.0 } else { 2.0 };
    values.iter().map(|x| x.abs()).sum::<f64>() / copies
}

/// `‖N‖∗` has the law Gamma(E), as for every norm. A scale that is wrong by 5 % is found, and so is noise of the
/// Euclidean length, except for size 2.
#[test]
fn nuclear_norms_are_gamma() {
    for (matrices, count) in [
        (Matrices::Symmetric(2), 60_000),
        (Matrices::Symmetric(3), 40_000),
        (Matrices::Symmetric(4), 20_000),
        (Matrices::Hermitian(2), 40_000),
        (Matrices::Hermitian(3), 10_000),
    ] {
        let gamma = Gamma::new(matrices.numbers() as f64, 1.0).unwrap();
        let sorted = |draws: Vec<Vec<f64>>| {
            let mut norms: Vec<f64> = draws.iter().map(|draw| nuclear_norm(matrices, draw)).collect();
            norms.sort_unstable_by(f64::total_cmp);
            norms
        };
        let norms = sorted(draws(matrices, count));
        let found = of_sorted(&norms, |x| gamma.cdf(x));
        println!("{matrices:?}: {found:.2}");
        assert!(found < CRITICAL, "{matrices:?}: {found}");
        for wrong in [0.95, 1.05] {
            let found = of_sorted(&norms, |x| gamma.cdf(x / wrong));
            assert!(found > CRITICAL, "{matrices:?} {wrong}: {found}");
        }
        // of matrices of size 2 both norms are one, up to a factor
        if !matches!(matrices, Matrices::Symmetric(2) | Matrices::Hermitian(2)) {
            let found = of_sorted(&sorted(euclidean(matrices, count)), |x| gamma.cdf(x));
            assert!(found > CRITICAL, "{matrices:?}, Euclidean: {found}");
        }
    }
}

/// Of size 3 one eigenvalue has half of the nuclear norm, and the others share the rest, `u` and `1 − u`. The density
/// of `u` is the product of the differences, `∝ ((1 + u)(2 − u)|1 − 2u|)^β`.
#[test]
fn eigenvalues_of_size_three_have_their_density() {
    for (matrices, power, count) in [(Matrices::Symmetric(3), 1, 30_000), (Matrices::Hermitian(3), 2, 10_000)] {
        let density = |u: f64| ((1.0 + u) * (2.0 - u) * (1.0 - 2.0 * u)).powi(power);
        let rule = gauss_quad::GaussLegendre::new(12.try_into().unwrap());
        let whole = rule.integrate(0.0, 0.5, density);
        let cdf = |u: f64| rule.integrate(0.0, u, density) / whole;
        let shares = |draws: Vec<Vec<f64>>| -> Vec<f64> {
            let copies = power as usize;
            let share = |draw: &Vec<f64>| {
                let mut sizes: Vec<f64> =
                    eigenvalues(matrices, draw).into_iter().step_by(copies).map(f64::abs).collect();
                sizes.sort_unstable_by(f64::total_cmp);
                assert!((sizes[0] + sizes[1] - sizes[2]).abs() < 1e-6 * sizes[2]);
                sizes[0] / sizes[2]
            };
            draws.iter().map(share).collect()
        };
        let found = kolmogorov(shares(draws(matrices, count)), cdf);
        println!("{matrices:?}: {found:.2}");
        assert!(found < CRITICAL, "{matrices:?}: {found}");
        // the same density with another power of the differences
        let other = |u: f64| density(u).powf(if power == 1 { 2.0 } else { 0.5 });
        let whole = rule.integrate(0.0, 0.5, other);
        let found = kolmogorov(shares(draws(matrices, count)), |u| rule.integrate(0.0, u, other) / whole);
        assert!(found > CRITICAL, "{matrices:?}, another power: {found}");
    }
}

/// The mean and the mean square of each coordinate, products of two of them, and the mean square length, within five
/// standard errors.
#[test]
fn coordinates_have_the_stated_deviation() {
    for (matrices, count) in [
        (Matrices::Symmetric(3), 30_000),
        (Matrices::Symmetric(4), 15_000),
        (Matrices::Symmetric(5), 2_000),
        (Matrices::Symmetric(6), 500),
        (Matrices::Hermitian(3), 6_000),
        (Matrices::Hermitian(4), 600),
    ] {
        let (deviation, _) = matrices.noise().unwrap();
        let draws = draws(matrices, count);
        let check = |name: &str, of: &dyn Fn(&[f64]) -> f64, expected: f64| {
            let values: Vec<f64> = draws.iter().map(|draw| of(draw)).collect();
            let mean = values.iter().sum::<f64>() / count as f64;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64;
            let errors = (mean - expected) / (variance / count as f64).sqrt();
            assert!(errors.abs() < 5.0, "{matrices:?} {name}: {mean} {expected}");
        };
        let numbers = matrices.numbers();
        for i in 0..numbers {
            check("square", &|draw| draw[i] * draw[i], deviation.powi(2));
            check("mean", &|draw| draw[i], 0.0);
            check("product", &|draw| draw[i] * draw[(i + 1) % numbers], 0.0);
        }
        let square = |draw: &[f64]| draw.iter().map(|x| x * x).sum::<f64>();
        check("length", &square, numbers as f64 * deviation.powi(2));
        // the Euclidean law of the same nuclear norm, by its sensitivity √2 instead of 2, is longer
        let longer = 0.5 * (numbers as f64 + 1.0);
        let short = draws.iter().map(|draw| square(draw)).sum::<f64>() / count as f64;
        assert!(short < 0.95 * longer * numbers as f64, "{matrices:?}");
    }
}

/// How many pairs a draw takes: the probability of acceptance, within five standard errors.
#[test]
fn pairs_are_accepted_as_often_as_stated() {
    for matrices in ALL {
        let mut generator = Generator::seeded(53);
        let probability = 1.0 / matrices.noise().unwrap().1;
        let count = 10_000;
        let accepted = |_: &usize| Pair::draw(matrices, &mut generator).is_accepted(FIRST, &mut Generator::seeded(1));
        let found = (0..count).filter(accepted).count() as f64 / count as f64;
        let error = (probability * (1.0 - probability) / count as f64).sqrt();
        println!("{matrices:?}: {found:.4} of {probability:.4}");
        assert!((found - probability).abs() < 5.0 * error, "{matrices:?}: {found} {probability}");
    }
}

/// Draws are the same, and take the same words, whatever the precision of the first look is. With few places hardly any
/// pair is decided, so that integers of any size decide.
#[test]
fn draws_do_not_depend_on_the_first_precision() {
    for matrices in ALL {
        let noise = MatrixNoise::new(matrices, 2.0_f64.powi(52)).unwrap();
        let count = if matrices.noise().unwrap().1 > 20.0 { 1 } else { 6 };
        let all = |first: usize| {
            let mut words = SplitMix(2026);
            let drawn: Vec<Vec<IBig>> = (0..count).map(|_| noise.draw_from(first, &mut words)).collect();
            (drawn, words.word())
        };
        let expected = all(FIRST);
        for first in [1, 5, 9, 13, 20] {
            assert!(all(first) == expected, "{matrices:?} {first}");
        }
    }
}

/// With few places some pairs are left open, and with all of them the first look decides.
#[test]
fn few_places_leave_pairs_open() {
    for matrices in ALL {
        let mut generator = Generator::seeded(54);
        let open = |first: usize, generator: &mut Generator| {
            (0..300).filter(|_| Pair::draw(matrices, generator).at_first(first).is_none()).count()
        };
        let [one, few, all] = [1, 9, FIRST].map(|first| open(first, &mut generator));
        println!("{matrices:?}: {one} of 300 pairs are open with one place, {few} with nine, {all} with {FIRST}");
        assert!(one > 250 && few < one && all == 0, "{matrices:?}: {one} {few} {all}");
    }
}

/// A matrix with a border is a symmetric one, in other numbers: the same words make the same matrix, up to rounding.
#[test]
fn a_border_is_a_row_of_a_symmetric_matrix() {
    for size in 1..5 {
        let (noise, plain) = (Matrices::Bordered(size), Matrices::Symmetric(size + 1));
        assert_eq!((noise.numbers(), noise.noise()), (plain.numbers(), plain.noise()));
        for seed in 0..20 {
            let of = |matrices: Matrices| -> Vec<f64> {
                let noise = MatrixNoise::new(matrices, LARGE).unwrap();
                noise.draw_from(FIRST, &mut SplitMix(seed)).iter().map(nearest).collect()
            };
            let expected = bordered(&matrix_of(plain, &of(plain)), size + 1);
            assert!(of(noise).iter().zip(&expected).all(|(x, y)| (x - y).abs() < 2.0 * size as f64 + 1.0), "{seed}");
        }
    }
    // the largest size that is drawn, and the next
    assert!(Matrices::Bordered(7).noise().is_some() && MatrixNoise::new(Matrices::Bordered(8), 1.0).is_err());
    assert!(MatrixNoise::new(Matrices::Bordered(0), 1.0).is_err());
}

/// Decisions are those of eigenvalues in double precision, where these are not within 10⁻⁶ of 0.
#[test]
fn decisions_are_those_of_eigenvalues() {
    for matrices in ALL {
        let mut generator = Generator::seeded(55);
        let (n, _) = matrices.shape();
        for _ in 0..300 {
            let mut pair = Pair::draw(matrices, &mut generator);
            let near = pair.near(1, &mut generator);
            let unit = 2.0_f64.powi(64 + GUARD as i32);
            let [p, q] = near.map(|near| near.matrix.iter().map(|x| nearest(x) / unit).collect::<Vec<f64>>());
            let least = least_of_rest(&p, &q, n);
            if least.abs() > 1e-6 {
                assert_eq!(pair.is_accepted(FIRST, &mut generator), least > 0.0, "{matrices:?} {least}");
                assert_eq!(pair.with_limbs(1, &mut generator), Some(least > 0.0), "{matrices:?} {least}");
            }
        }
    }
}

/// The least eigenvalue of `P + Q − |P − Q|`, with the absolute value by Newton's iteration for the sign of a matrix:
/// another way than that of the code.
fn least_of_rest(p: &[f64], q: &[f64], n: usize) -> f64 {
    let times = |x: &[f64], y: &[f64]| -> Vec<f64> {
        (0..n * n).map(|i| (0..n).map(|k| x[i / n * n + k] * y[k * n + i % n]).sum()).collect()
    };
    let apart: Vec<f64> = p.iter().zip(q).map(|(p, q)| p - q).collect();
    let length = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut sign: Vec<f64> = apart.iter().map(|x| x / length).collect();
    for _ in 0..80 {
        // X(3 − X²)/2
        let cube = times(&times(&sign, &sign), &sign);
        sign.iter_mut().zip(cube).for_each(|(x, cube)| *x = 1.5 * *x - 0.5 * cube);
    }
    let absolute = times(&sign, &apart);
    let mut rest: Vec<f64> = p.iter().zip(q).zip(absolute).map(|((p, q), absolute)| p + q - absolute).collect();
    jacobi(&mut rest, n)[0]
}

/// The certificate holds for any vectors: for those after one sweep, or none, and for the last ones. Its bound is
/// compared with eigenvalues and absolute values from many more digits.
#[test]
fn bounds_hold_for_any_vectors() {
    let mut generator = Generator::seeded(56);
    let matrices = Matrices::Symmetric(4);
    for _ in 0..100 {
        let mut pair = Pair::draw(matrices, &mut generator);
        let [p, _] = pair.near(1, &mut generator);
        // a matrix with eigenvalues of both signs
        let long: Vec<IBig> = p
            .matrix
            .iter()
            .enumerate()
            .map(|(i, x)| if i.is_multiple_of(5) { x - (IBig::ONE << 78) } else { x.clone() })
            .collect();
        let fine = Spectrum::of(&long, 4, 64 + GUARD).found(&long).unwrap();
        let down = 64 + GUARD - PLACES;
        let short: Vec<i128> = long.iter().map(|x| i128::try_from(x >> down).unwrap()).collect();
        for sweeps in [0, 1, 2, 60] {
            let mut spectrum = Spectrum::new(&short, 4, PLACES);
            for _ in 0..sweeps {
                let _ = spectrum.sweep();
            }
            let found = spectrum.found(&short).unwrap();
            let unit = |x: &IBig| nearest(&(x.clone() >> down));
            // rounding of the matrix moves both by up to 4
            assert!((unit(&fine.least) - found.least as f64).abs() <= found.off as f64 + 5.0, "{sweeps}");
            let square: f64 =
                fine.absolute.iter().zip(&found.absolute).map(|(x, y)| (unit(x) - *y as f64).powi(2)).sum();
            assert!(square.sqrt() <= found.off as f64 + 9.0, "{sweeps}: {} {}", square.sqrt(), found.off);
            if sweeps == 60 {
                assert!(found.off < 1 << 14, "{}", found.off);
            }
        }
    }
}

#[test]
fn every_scale_is_drawn() {
    let mut generator = Generator::seeded(57);
    for matrices in [Matrices::Symmetric(3), Matrices::Hermitian(2)] {
        for sigma in [5e-324, 1e-300, 1e-9] {
            let drawn = MatrixNoise::new(matrices, sigma).unwrap().draw(&mut generator);
            assert!(drawn.len() == matrices.numbers() && drawn.iter().all(|x| *x == IBig::ZERO));
        }
        for sigma in [2.0_f64.powi(120), 1e300, f64::MAX] {
            let drawn = MatrixNoise::new(matrices, sigma).unwrap().draw(&mut generator);
            let shrunk = |x: &IBig| nearest(&(x >> 20_usize)).abs() / (sigma / 2.0_f64.powi(20));
            let largest = drawn.iter().map(shrunk).fold(0.0, f64::max);
            assert!((1e-3..30.0).contains(&largest), "{matrices:?} {sigma}: {largest}");
        }
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(MatrixNoise::new(matrices, sigma).is_err());
        }
    }
    for matrices in [Matrices::Symmetric(0), Matrices::Symmetric(1), Matrices::Symmetric(9), Matrices::Hermitian(6)] {
        assert!(MatrixNoise::new(matrices, 1.0).is_err(), "{matrices:?}");
    }
}

/// The probabilities of all small integer matrices at two neighbours that are 2 apart in nuclear norm differ by at most
/// `e^ε`, and by nearly that somewhere: five standard errors of each cell. Noise of 0.7 times the scale is found.
#[test]
fn cells_of_neighbours_are_as_near_as_promised() {
    use std::collections::BTreeMap;
    // the coordinates of xxᵀ − yyᵀ for perpendicular unit vectors of the plane of the first two axes, times √2: a
    // matrix diag(1, −1, 0), of the nuclear norm 2, has the coordinates (0, 0, 0, √2, 0)
    let (matrices, moved) = (Matrices::Symmetric(3), 3_i64);
    let (epsilon, count) = (1.0, 150_000);
    let exceeding = |sigma: f64| {
        let noise = MatrixNoise::new(matrices, sigma).unwrap();
        let mut generator = Generator::seeded(58);
        let mut cells: BTreeMap<i64, f64> = BTreeMap::new();
        for _ in 0..count {
            let drawn = noise.draw(&mut generator);
            *cells.entry(i64::try_from(&drawn[3]).unwrap()).or_default() += 1.0;
        }
        let largest = cells.iter().filter_map(|(cell, one)| {
            let other = cells.get(&(cell + moved))?;
            let (loss, error) = ((one / other).ln(), (1.0 / one + 1.0 / other).sqrt());
            (one.min(*other) >= 100.0).then_some(loss - epsilon - 5.0 * error)
        });
        largest.fold(f64::NEG_INFINITY, f64::max)
    };
    // of the nuclear norm 3·√2
    let sigma = 3.0 * 2.0_f64.sqrt() / epsilon;
    assert!(exceeding(sigma) < 0.0);
    assert!(exceeding(0.5 * sigma) > 0.0);
}

/// The integers of `oracles/nuclear_noise.py`, a second writing of the law: the same words make them.
#[test]
fn integers_are_those_of_the_reference() {
    let mut lines = 0;
    for line in include_str!("pinned.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(' ');
        let kind = fields.next().unwrap();
        let size = fields.next().unwrap().parse().unwrap();
        let matrices = match kind {
            "symmetric" => Matrices::Symmetric(size),
            "hermitian" => Matrices::Hermitian(size),
            other => {
                assert_eq!(other, "bordered");
                Matrices::Bordered(size)
            }
        };
        let (seed, sigma) = (fields.next().unwrap().parse().unwrap(), fields.next().unwrap().parse().unwrap());
        let expected: Vec<IBig> = fields.map(|field| field.parse().unwrap()).collect();
        let noise = MatrixNoise::new(matrices, sigma).unwrap();
        assert_eq!(noise.draw_from(FIRST, &mut SplitMix(seed)), expected, "{line}");
        lines += 1;
    }
    assert!(lines >= 60, "{lines}");
}
