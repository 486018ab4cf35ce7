//! Tests of the noise as a whole, and tools that the tests of its parts share.
//!
//! Statistical tests have fixed seeds. With others each would fail about once in a million times ([`CRITICAL`],
//! [`LEAST_P`]), and each is shown to find a scale that is wrong by 1 %.

use super::bits::{Mixed, Words};
use super::*;
use errorfunctions::RealErrorFunctions;
use statrs::distribution::{ChiSquared, ContinuousCDF, Gamma};
use std::collections::BTreeMap;

/// Words from a list.
pub(super) struct Fixed {
    words: Vec<u64>,
    taken: usize,
}

impl Fixed {
    pub(super) fn new(words: &[u64]) -> Self {
        Self { words: words.to_vec(), taken: 0 }
    }

    /// How many words have been taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }
}

impl Words for Fixed {
    fn word(&mut self) -> u64 {
        self.taken += 1;
        self.words[self.taken - 1]
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct SplitMix(pub(super) u64);

impl Words for SplitMix {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// `k + x` to about 53 bits.
pub(super) fn as_f64(number: Mixed) -> f64 {
    let mut number = number;
    let scaled = number.floor(1, &mut Fixed::new(&[]));
    scaled.to_f64().value() / 2.0_f64.powi(64)
}

/// [`kolmogorov`] exceeds this once in a million times: `2·e^(−2·2.7²) < 10⁻⁶`.
pub(super) const CRITICAL: f64 = 2.7;

/// Kolmogorov's statistic `√n·sup |F̂ − F|`, of a large sample at some 20,000 of its points.
pub(super) fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_unstable_by(f64::total_cmp);
    of_sorted(&sample, cdf)
}

pub(super) fn of_sorted(sample: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let n = sample.len() as f64;
    let gaps = sample.iter().enumerate().step_by(1 + sample.len() / 20_000).map(|(i, &x)| {
        let f = cdf(x);
        (f - i as f64 / n).max((i + 1) as f64 / n - f)
    });
    gaps.fold(0.0, f64::max) * n.sqrt()
}

/// `Φ(x)`.
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * RealErrorFunctions::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The p-value below which a test of cells fails.
const LEAST_P: f64 = 1e-6;

/// `P(N > x)` of one coordinate of scale σ, for `x ≥ 0`.
fn tail(law: Law, sigma: f64, x: f64) -> f64 {
    match law {
        Law::Gaussian => normal_cdf(-x / sigma),
        Law::Laplace => 0.5 * (-x / sigma).exp(),
    }
}

/// `P(round(N) = t)` in one dimension, without cancellation.
fn cell(law: Law, sigma: f64, t: i64) -> f64 {
    let t = t.unsigned_abs() as f64;
    match law {
        _ if t == 0.0 => 1.0 - 2.0 * tail(law, sigma, 0.5),
        Law::Gaussian => tail(law, sigma, t - 0.5) - tail(law, sigma, t + 0.5),
        Law::Laplace => -tail(law, sigma, t - 0.5) * (-1.0 / sigma).exp_m1(),
    }
}

/// The smaller of the p-values of two tests of `counts` against expected ones: chi-square over all cells, and the cell
/// that is farthest off, times their number (normal approximation; cells that expect fewer than 25 count as one).
pub(super) fn p_value(counts: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let (mut cells, mut rare) = (Vec::new(), (0.0, 0.0));
    for (count, expected) in counts {
        if expected < 25.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            cells.push((count, expected));
        }
    }
    if rare.1 >= 1.0 {
        cells.push(rare);
    }
    let square = |(count, expected): &(f64, f64)| (count - expected).powi(2) / expected;
    let sum: f64 = cells.iter().map(square).sum();
    // a count's variance is less than its expectation
    let worst = cells.iter().map(square).fold(0.0, f64::max).sqrt();
    let of_sum = ChiSquared::new((cells.len() - 1) as f64).unwrap().sf(sum);
    of_sum.min(2.0 * normal_cdf(-worst) * cells.len() as f64)
}

/// How many draws of one coordinate round to each integer.
fn histogram(law: Law, sigma: f64, n: usize) -> BTreeMap<i64, f64> {
    let noise = VectorNoise::new(law, sigma).unwrap();
    let mut generator = Generator::seeded(31);
    let mut counts = BTreeMap::new();
    for _ in 0..n {
        let [value] = &noise.draw(1, &mut generator)[..] else { panic!("one coordinate") };
        *counts.entry(i64::try_from(value).unwrap()).or_default() += 1.0;
    }
    counts
}

fn p_of_cells(counts: &BTreeMap<i64, f64>, law: Law, sigma: f64) -> f64 {
    let n: f64 = counts.values().sum();
    let reach = 60 + (40.0 * sigma) as i64;
    assert!(counts.keys().all(|t| t.abs() <= reach));
    p_value((-reach..=reach).map(|t| (counts.get(&t).copied().unwrap_or(0.0), n * cell(law, sigma, t))))
}

fn every_cell_has_its_probability(n: usize) {
    for law in [Law::Gaussian, Law::Laplace] {
        for sigma in [0.3, 1.0, 7.0] {
            let counts = histogram(law, sigma, n);
            let p = p_of_cells(&counts, law, sigma);
            println!("{law:?}, σ = {sigma}, {n} draws: p = {p:.3}");
            assert!(p > LEAST_P, "{law:?} {sigma}: {p}");
            for wrong in [0.99, 1.01] {
                let p = p_of_cells(&counts, law, wrong * sigma);
                assert!(p < LEAST_P, "{law:?} {sigma}, scale wrong by {wrong}: {p}");
            }
        }
    }
}

#[test]
fn integers_of_one_coordinate_have_their_probabilities() {
    every_cell_has_its_probability(1_000_000);
}

#[test]
#[ignore = "ten times as many draws: takes long"]
fn integers_of_one_coordinate_have_their_probabilities_in_ten_million_draws() {
    every_cell_has_its_probability(10_000_000);
}

const LARGE: f64 = (1_u64 << 40) as f64;

/// Draws in units of σ, where σ is so large that rounding does not show.
fn large_draws(law: Law, dim: usize, n: usize) -> Vec<Vec<f64>> {
    let noise = VectorNoise::new(law, LARGE).unwrap();
    let mut generator = Generator::seeded(41);
    let zero = vec![0; dim];
    (0..n).map(|_| noise.added_to(&zero, &mut generator).iter().map(|x| x / LARGE).collect()).collect()
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn laplace_lengths_are_gamma_and_directions_uniform() {
    for (dim, n) in [(1, 1_200_000), (2, 600_000), (3, 400_000), (6, 200_000), (55, 20_000)] {
        let draws = large_draws(Law::Laplace, dim, n);
        let gamma = Gamma::new(dim as f64, 1.0).unwrap();
        let mut lengths: Vec<f64> = draws.iter().map(|z| length(z)).collect();
        lengths.sort_unstable_by(f64::total_cmp);
        let found = of_sorted(&lengths, |r| gamma.cdf(r));
        println!("length, d = {dim}: {found:.2}");
        assert!(found < CRITICAL, "d = {dim}: {found}");
        for wrong in [0.99, 1.01] {
            let found = of_sorted(&lengths, |r| gamma.cdf(r / wrong));
            assert!(found > CRITICAL, "d = {dim}, scale wrong by {wrong}: {found}");
        }
        // u₁ of a uniform direction: u₁² has the law Beta(½, (d−1)/2)
        if dim > 1 {
            let beta = statrs::distribution::Beta::new(0.5, (dim - 1) as f64 / 2.0).unwrap();
            let cdf = |u: f64| 0.5 + 0.5 * u.signum() * beta.cdf(u * u);
            for i in [0, dim - 1] {
                let found = kolmogorov(draws.iter().map(|z| z[i] / length(z)).collect(), cdf);
                assert!(found < CRITICAL, "direction, d = {dim}, coordinate {i}: {found}");
            }
        } else {
            let negative = draws.iter().filter(|z| z[0] < 0.0).count() as f64;
            assert!((negative / n as f64 - 0.5).abs() < 2.5 / (n as f64).sqrt());
        }
    }
}

#[test]
fn gaussian_coordinates_are_normal_and_independent() {
    let draws = large_draws(Law::Gaussian, 2, 1_500_000);
    let mut all: Vec<f64> = draws.iter().flatten().copied().collect();
    all.sort_unstable_by(f64::total_cmp);
    assert!(of_sorted(&all, normal_cdf) < CRITICAL);
    for wrong in [0.99, 1.01] {
        assert!(of_sorted(&all, |x| normal_cdf(x / wrong)) > CRITICAL);
    }
    // half the squared length of two of them is exponential
    let squares = draws.iter().map(|z| 0.5 * (z[0] * z[0] + z[1] * z[1])).collect();
    assert!(kolmogorov(squares, |t| -(-t).exp_m1()) < CRITICAL);
}

/// `P(round(N) = t)` for Laplace noise of the plane, `t ∈ [−reach, reach]²`, by Gauss-Legendre quadrature. At the
/// origin the density has an edge: there, cells are cut in four again and again, towards it.
fn cells_of_the_plane(sigma: f64, reach: i64) -> BTreeMap<(i64, i64), f64> {
    let rule = gauss_quad::GaussLegendre::new(12.try_into().unwrap());
    let box_mass = |x: (f64, f64), y: (f64, f64)| {
        rule.integrate(x.0, x.1, |x| rule.integrate(y.0, y.1, |y| (-x.hypot(y) / sigma).exp()))
    };
    // a square with a corner at the origin
    let corner = |side: f64| {
        let mut mass = 0.0;
        let mut s = side;
        for _ in 0..25 {
            let h = s / 2.0;
            mass += box_mass((h, s), (0.0, h)) + box_mass((0.0, h), (h, s)) + box_mass((h, s), (h, s));
            s = h;
        }
        mass + s * s
    };
    let norm = std::f64::consts::TAU * sigma * sigma;
    let mass = |a: i64, b: i64| {
        let (x, y) = (a as f64, b as f64);
        let mass = if (a, b) == (0, 0) { 4.0 * corner(0.5) } else { box_mass((x - 0.5, x + 0.5), (y - 0.5, y + 0.5)) };
        mass / norm
    };
    (-reach..=reach).flat_map(|a| (-reach..=reach).map(move |b| (a, b))).map(|(a, b)| ((a, b), mass(a, b))).collect()
}

#[test]
fn integers_of_two_coordinates_have_their_probabilities() {
    let (sigma, n) = (0.6, 1_000_000);
    let noise = VectorNoise::new(Law::Laplace, sigma).unwrap();
    let mut generator = Generator::seeded(51);
    let mut counts = BTreeMap::<(i64, i64), f64>::new();
    for _ in 0..n {
        let [a, b] = &noise.draw(2, &mut generator)[..] else { panic!("two coordinates") };
        *counts.entry((i64::try_from(a).unwrap(), i64::try_from(b).unwrap())).or_default() += 1.0;
    }
    let p = |sigma: f64| {
        let cells = cells_of_the_plane(sigma, 20);
        let total: f64 = cells.values().sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
        p_value(cells.iter().map(|(t, p)| (counts.get(t).copied().unwrap_or(0.0), n as f64 * p)))
    };
    let found = [1.0, 0.99, 1.01].map(|factor| p(factor * sigma));
    println!("plane: p = {found:?}");
    assert!(found[0] > LEAST_P && found[1] < LEAST_P && found[2] < LEAST_P, "{found:?}");
}

/// The probabilities of `T − S`, as tested above, keep `P(T = t | S) ≤ e^ε·P(T = t | S′)`.
#[test]
fn neighbours_of_laplace_noise_are_within_epsilon() {
    for (shift, epsilon) in [(1, 0.1), (1, 1.0), (1, 5.0), (3, 0.5), (10, 1.0)] {
        let sigma = f64::from(shift) / epsilon;
        let ratio = |t: i64, sigma: f64| cell(Law::Laplace, sigma, t) / cell(Law::Laplace, sigma, t - i64::from(shift));
        let worst = |sigma: f64| (-100..=100).map(|t| ratio(t, sigma).ln().abs()).fold(0.0, f64::max);
        assert!(worst(sigma) <= epsilon * (1.0 + 1e-12), "{}", worst(sigma));
        // nothing is given away, and a scale that is too small is found
        assert!(worst(sigma) > epsilon * (1.0 - 1e-12));
        assert!(worst(0.99 * sigma) > epsilon * (1.0 + 1e-12));
    }
}

#[test]
fn neighbours_in_the_plane_are_within_epsilon() {
    let epsilon = 1.0;
    for (a, b) in [(1, 0), (1, 1), (3, 4)] {
        let sigma = (a as f64).hypot(b as f64) / epsilon;
        let worst = |sigma: f64| {
            let cells = cells_of_the_plane(sigma, 12);
            let ratios = cells.iter().filter_map(|((x, y), p)| cells.get(&(x - a, y - b)).map(|q| (p / q).ln().abs()));
            ratios.fold(0.0, f64::max)
        };
        assert!(worst(sigma) <= epsilon + 1e-9, "{}", worst(sigma));
        assert!(worst(0.95 * sigma) > epsilon);
    }
}

#[test]
fn every_scale_and_dimension_is_drawn() {
    let mut generator = Generator::seeded(61);
    let top = 2.0_f64.powi(120);
    for law in [Law::Gaussian, Law::Laplace] {
        for dim in [0, 1, 2, 1000] {
            for sigma in [5e-324, 1e-300, f64::MIN_POSITIVE] {
                let noise = VectorNoise::new(law, sigma).unwrap().draw(dim, &mut generator);
                assert!(noise.len() == dim && noise.iter().all(|n| *n == IBig::ZERO));
            }
            for sigma in [top, 1e300, f64::MAX] {
                let noise = VectorNoise::new(law, sigma).unwrap().draw(dim, &mut generator);
                assert_eq!(noise.len(), dim);
                // the integers may be too large to be numbers
                let shrunk = |n: &IBig| (n >> 20_usize).to_f64().value().abs() / (sigma / 2.0_f64.powi(20));
                let size = noise.iter().map(shrunk).fold(0.0, f64::max);
                // Of 1000 coordinates, of a length of about 1000·σ for Laplace noise, the largest is some 3·√1000·σ; of
                // one it is tiny or large once in thousands of draws.
                let largest = if law == Law::Laplace && dim == 1000 { 200.0 } else { 10.0 };
                assert!(dim == 0 || (1e-4..largest).contains(&size), "{law:?} {sigma} {dim}: {size}");
            }
        }
    }
}

#[test]
fn what_is_released_is_the_nearest_number() {
    let mut generator = Generator::seeded(71);
    let nothing = VectorNoise::new(Law::Laplace, 1e-9).unwrap();
    let sums = [0, 1, -1, i128::MAX, i128::MIN, (1 << 53) + 1, -(1 << 53) - 3, (1 << 100) + (1 << 47) + 1];
    assert_eq!(nothing.added_to(&sums, &mut generator), sums.map(|s| s as f64));

    // of noise of this scale one draw in ten is too large to be a number, and none is without the sum's sign for it
    let most = VectorNoise::new(Law::Laplace, 0.9 * f64::MAX).unwrap().added_to(&[0; 100], &mut generator);
    assert!(most.contains(&f64::MAX) && most.contains(&-f64::MAX));
    assert!(most.iter().all(|t| t.is_finite()));
}

/// The integers of `oracles/exact_noise.py`, a second writing of the algorithms and of the generator: one draw a line,
/// with the scale and the word that comes after those that were taken. They are the same on every platform.
#[test]
fn integers_are_those_of_the_reference() {
    let mut lines = 0;
    for line in include_str!("pinned.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(' ');
        let generator = fields.next().unwrap();
        let law = if fields.next() == Some("gaussian") { Law::Gaussian } else { Law::Laplace };
        let sigma = fields.next().unwrap().parse().unwrap();
        let next: u64 = fields.next().unwrap().parse().unwrap();
        let expected: Vec<IBig> = fields.map(|field| field.parse().unwrap()).collect();
        let noise = VectorNoise::new(law, sigma).unwrap();
        let (found, word) = match generator {
            "splitmix64" => drawn_and_next(noise, expected.len(), SplitMix(2026)),
            _ => drawn_and_next(noise, expected.len(), Generator::seeded(7)),
        };
        assert_eq!((found, word), (expected, next), "{generator} {law:?} {sigma}");
        lines += 1;
    }
    assert_eq!(lines, 116);
}

fn drawn_and_next(noise: VectorNoise, dim: usize, mut words: impl Words) -> (Vec<IBig>, u64) {
    (noise.draw_from(dim, &mut words), words.word())
}

#[test]
fn noise_does_not_depend_on_what_it_is_added_to() {
    for law in [Law::Gaussian, Law::Laplace] {
        let noise = VectorNoise::new(law, 1e6).unwrap();
        let (mut one, mut other) = (Generator::seeded(81), Generator::seeded(81));
        let differences: Vec<f64> = noise
            .added_to(&[1 << 40, -3, 7], &mut one)
            .iter()
            .zip(noise.added_to(&[0, 0, 0], &mut other))
            .map(|(t, n)| t - n)
            .collect();
        assert_eq!(differences, [(1_u64 << 40) as f64, -3.0, 7.0]);
        assert_eq!(one.word(), other.word(), "the same words were taken");
    }
}
