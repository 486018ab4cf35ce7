//! Extrinsic means: no record moves an embedded sum farther than stated, regions hold what they should, tests have
//! their level, and an audit finds planted mistakes.

use crate::common::{manifold, some};
use karcher::audit::{Effort, Published, PublishedNumber, audit, audit_releases, neighbours};
use karcher::mechanism::{Plan, PrivateExtrinsicMean, Request};
use karcher::privacy::Guarantee;
use karcher::records::{Observations, Summand};
use karcher::release::{Adjacency, DirectionalSummary, NoiseLaw};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, Release, ReleaseContext};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

const SPACES: [&str; 12] = [
    "sphere:1",
    "sphere:2",
    "sphere:20",
    "projective:2",
    "rotations:3",
    "kendall:5",
    "landmarks:3,3",
    "simplex-fisher-rao:3",
    "grassmann:5,2",
    "grassmann:5,3",
    "torus:3",
    "sphere:2*torus:1",
];

fn plan(m: &Arc<dyn Manifold>, n: usize, budget: Guarantee, adjacency: Adjacency) -> Box<dyn Plan> {
    let mean = PrivateExtrinsicMean::new(m.clone()).unwrap();
    Request::new(mean, n, budget).adjacency(adjacency).plan().unwrap()
}

/// Evenly spread numbers on spheres, axes, rotations and angles.
fn even(m: &Arc<dyn Manifold>, n: usize, generator: &mut Generator) -> Points {
    let mut values: Vec<f64> = (0..n * m.point_len()).map(|_| StandardNormal.sample(generator)).collect();
    for x in values.chunks_exact_mut(m.point_len()) {
        if m.space().as_str().starts_with("torus") {
            x.iter_mut().for_each(|x| *x = (generator.random::<f64>() - 0.5) * std::f64::consts::TAU);
        } else {
            m.project(x);
        }
    }
    Points::new(&**m, values).unwrap()
}

/// The sensitivity of a plan for one record, and the length of a vector in the norm of its noise: of a matrix without a
/// trace the Euclidean length, or the sum of the absolute values of the eigenvalues.
fn sensitivity(m: &Arc<dyn Manifold>) -> (f64, impl Fn(&[f64]) -> f64) {
    let plan = plan(m, 1, Guarantee::pure(1.0).unwrap(), Adjacency::ReplaceOne);
    let is_nuclear = plan.summary().noise[0].law == NoiseLaw::NuclearLaplace;
    let embedding = m.embedding().unwrap();
    let size = move |x: &[f64]| {
        if !is_nuclear {
            return x.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        let values = embedding.eigenvalues(x);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean).abs()).sum()
    };
    (plan.summary().sensitivity.value, size)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the bits of a record are, its integers are at most `2⁵⁰` long, and two of them at most as far apart as
    /// the plan states.
    #[test]
    fn no_record_moves_the_sum_farther_than_stated(
        space in 0..SPACES.len(), bits in prop::collection::vec(any::<u64>(), 48), near in any::<bool>(),
    ) {
        let m = manifold(SPACES[space]);
        let len = m.point_len();
        let (stated, size) = sensitivity(&m);
        let radius = m.embedding().unwrap().radius();
        let bound = radius * (1.0 + 1.0 / f64::from(1 << 18));
        let contribution = |bits: &[u64]| -> Option<Vec<i128>> {
            let mut x: Vec<f64> = bits.iter().map(|bits| if near {
                (*bits >> 11) as f64 / 2.0_f64.powi(52) - 1.0
            } else {
                f64::from_bits(*bits)
            }).collect();
            if near {
                m.project(&mut x);
            }
            let points = Points::new(&*m, x).ok()?;
            Some(Observations::new(&points).sum(&*m, &Summand::Embedded { bound }).unwrap().integers().to_vec())
        };
        if let (Some(a), Some(b)) = (contribution(&bits[..len]), contribution(&bits[len..2 * len])) {
            let square = |z: &[i128]| z.iter().map(|z| (z * z) as u128).sum::<u128>();
            prop_assert!(square(&a) <= 1 << 100);
            let apart: Vec<f64> =
                a.iter().zip(&b).map(|(a, b)| (a - b) as f64 * bound / 2.0_f64.powi(50)).collect();
            prop_assert!(size(&apart) <= stated, "{} {}", size(&apart), stated);
        }
    }
}

/// Also where the numbers of a factor are no point of it: nothing checks what a caller promises.
#[test]
fn no_factor_takes_the_length_of_another() {
    for space in ["projective:2*sphere:2", "projective:9*sphere:1", "kendall:3*sphere:2"] {
        let m = manifold(space);
        let stated = plan(&m, 1, Guarantee::pure(1.0).unwrap(), Adjacency::ReplaceOne).summary().sensitivity.value;
        let bound = m.embedding().unwrap().radius() * (1.0 + 1.0 / f64::from(1 << 18));
        let contribution = |last: f64| {
            let mut x = vec![0.0; m.point_len()];
            *x.last_mut().unwrap() = last;
            let points = Points::unchecked(m.space(), x.len(), x);
            Observations::new(&points).sum(&*m, &Summand::Embedded { bound }).unwrap().mean()
        };
        for far in [1.0, 10.0, 1e300, f64::MAX] {
            let apart =
                contribution(far).iter().zip(contribution(-far)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(apart <= stated, "{space} {far}: {apart} {stated}");
        }
    }
}

/// With a confidential number of records, too: 400 data sets; fewer than 91.5 % have a probability below 1e-3.
#[test]
fn intervals_hold_the_mean_resultant_length_of_the_records() {
    for space in ["sphere:2", "projective:2"] {
        let m = manifold(space);
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let points = crate::common::cloud(&m, 100, 0.2, 4);
            let truth = factor(
                &plan(&m, 100, Guarantee::pure(1e9).unwrap(), Adjacency::ReplaceOne)
                    .run(&points, &mut ReleaseContext::seeded(1))
                    .unwrap(),
            );
            for budget in [Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap()] {
                let plan = plan(&m, 100, budget, adjacency);
                let (mut length, mut kappa) = (0, 0);
                for seed in 0..400 {
                    let found = factor(&plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap());
                    let [low, high] = found.mean_resultant_length_interval;
                    length += usize::from(low <= truth.mean_resultant_length && truth.mean_resultant_length <= high);
                    kappa += usize::from(found.concentration.is_none_or(|found| {
                        let kappa = truth.concentration.as_ref().unwrap().kappa;
                        found.interval.0 <= kappa && found.interval.1.is_none_or(|high| kappa <= high)
                    }));
                }
                assert!(length >= 366 && kappa >= 366, "{space} {budget} {}: {length} {kappa}", adjacency.name());
            }
        }
    }
}

/// The farthest points are as far apart as stated, so that no smaller sensitivity would do.
#[test]
fn stated_sensitivities_are_reached() {
    for (space, x, y) in [
        ("sphere:2", vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]),
        ("projective:2", vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]),
        ("rotations:3", vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 1.0, 0.0, 0.0]),
        ("grassmann:3,1", vec![1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]),
        ("projective:5", vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        ("torus:2", vec![0.0, 0.0], vec![std::f64::consts::PI, -std::f64::consts::PI]),
    ] {
        let m = manifold(space);
        let (stated, size) = sensitivity(&m);
        let embedding = m.embedding().unwrap();
        let (mut a, mut b) = (vec![0.0; embedding.dim()], vec![0.0; embedding.dim()]);
        embedding.embed(&x, &mut a);
        embedding.embed(&y, &mut b);
        let apart = size(&a.iter().zip(&b).map(|(a, b)| a - b).collect::<Vec<f64>>());
        assert!((stated / apart - 1.0).abs() < 1e-5, "{space}: {stated} {apart}");
    }
}

/// Noise of the nuclear norm is taken for pure ε and a public number of records, where it is shorter, and states its
/// law. Its expected distance is in the proportion of the theorem to that of noise of the length.
#[test]
fn matrices_get_the_shorter_noise() {
    let (pure, approximate) = (Guarantee::pure(1.0).unwrap(), Guarantee::approximate(1.0, 1e-6).unwrap());
    for (space, ratio) in [
        ("projective:1", None), // both laws are one
        ("projective:2", Some(0.934)),
        ("rotations:3", Some(0.852)),
        ("projective:7", Some(0.634)),
        ("projective:8", None), // not drawn
        ("grassmann:3,2", Some(0.934)),
        ("grassmann:5,2", None), // longer, as two angles change
        ("grassmann:8,2", Some(0.897)),
        ("kendall:4", Some(0.947)),
        ("kendall:6", Some(0.783)),
        ("kendall:7", None),
        ("sphere:2", None),
        ("projective:2*sphere:1", None),
    ] {
        let m = manifold(space);
        let law = |budget, adjacency| plan(&m, 100, budget, adjacency).summary().noise[0].law;
        let expected = if ratio.is_some() { NoiseLaw::NuclearLaplace } else { NoiseLaw::Laplace };
        assert_eq!(law(pure, Adjacency::ReplaceOne), expected, "{space}");
        assert_eq!(law(pure, Adjacency::AddRemove), NoiseLaw::Laplace, "{space}");
        assert_ne!(law(approximate, Adjacency::ReplaceOne), NoiseLaw::NuclearLaplace, "{space}");
        assert_eq!(law(Guarantee::gaussian(1.0).unwrap(), Adjacency::ReplaceOne), NoiseLaw::Gaussian, "{space}");
        if let Some(ratio) = ratio {
            let embedding = m.embedding().unwrap();
            let plan = plan(&m, 1_000_000, pure, Adjacency::ReplaceOne);
            let laplace = embedding.diameter() / 1e6 * (embedding.dim() as f64 + 1.0).sqrt();
            let longest = laplace * (m.dim() as f64).sqrt() / embedding.stretch();
            let found = plan.summary().expected_distance / longest;
            assert!((found / ratio - 1.0).abs() < 1e-3, "{space}: {found} {ratio}");
        }
    }
}

/// The noise of a release is as stated: its root mean square in each number, within five standard errors of 2,000
/// releases, and noise of the length is longer by much more.
#[test]
fn releases_have_the_stated_noise() {
    // the mean square of a number of noise of scale 1, as in the theorem
    for (space, square) in
        [("projective:2", 89.0 / 34.0), ("rotations:3", 32135.0 / 8852.0), ("kendall:4", 1661.0 / 412.0)]
    {
        let m = manifold(space);
        let points = crate::common::cloud(&m, 10, 0.1, 4);
        let plan = plan(&m, 10, Guarantee::pure(1.0).unwrap(), Adjacency::ReplaceOne);
        let embedding = m.embedding().unwrap();
        let (mut mean, mut own) = (vec![0.0; embedding.dim()], vec![0.0; embedding.dim()]);
        for x in points.view().iter() {
            embedding.embed(x, &mut own);
            mean.iter_mut().zip(&own).for_each(|(mean, x)| *mean += x / 10.0);
        }
        let squares: Vec<f64> = (0..2_000)
            .map(|seed| {
                let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
                let noisy = &release.extrinsic().unwrap().embedded_mean;
                noisy.iter().zip(&mean).map(|(y, x)| (y - x).powi(2)).sum::<f64>()
            })
            .collect();
        let average = squares.iter().sum::<f64>() / 2e3;
        let error = (squares.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 2e3 / 2e3).sqrt();
        let numbers = embedding.dim() as f64;
        // Δ = 2/n, σ = Δ/ε
        let stated = numbers * square * 0.2_f64.powi(2);
        assert!((average - stated).abs() < 5.0 * error, "{space}: {average} {stated}");
    }
}

/// The proof is for a million numbers: more are refused, before anything is allocated.
#[test]
fn larger_embeddings_than_the_proof_is_for_are_refused() {
    assert!(PrivateExtrinsicMean::new(manifold("projective:1411")).is_ok());
    for space in ["projective:1500", "projective:900000", "kendall:1002"] {
        let error = PrivateExtrinsicMean::new(manifold(space)).unwrap_err().to_string();
        assert!(error.contains("at most 1000000") && error.contains("give a ball"), "{space}: {error}");
    }
}

/// The extrinsic mean without noise, by a budget of a million.
fn without_noise(m: &Arc<dyn Manifold>, points: &Points) -> Vec<f64> {
    let release = plan(m, points.len(), Guarantee::pure(1e9).unwrap(), Adjacency::ReplaceOne)
        .run(points, &mut ReleaseContext::seeded(1))
        .unwrap();
    release.value().to_vec()
}

/// The region holds the extrinsic mean of the records in at least 95 % of releases, and is the whole space where noise
/// hides the direction: with 300 releases, 90 % has a probability below 1e-4.
#[test]
fn regions_hold_the_extrinsic_mean_of_the_records() {
    for space in some(&SPACES, 1, 2) {
        let m = manifold(space);
        for (adjacency, n) in [(Adjacency::ReplaceOne, 300), (Adjacency::AddRemove, 300)] {
            let points = crate::common::cloud(&m, n, 0.5_f64.min(0.3 * m.diameter()), 4);
            let truth = without_noise(&m, &points);
            for budget in [Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap()] {
                let plan = plan(&m, n, budget, adjacency);
                let (mut held, mut told) = (0, 0);
                for seed in 0..300 {
                    let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
                    let radius = release.region().unwrap().radius;
                    told += usize::from(radius < m.diameter());
                    held += usize::from(m.dist(release.value(), &truth) <= radius);
                }
                assert!(held >= 270, "{space} {budget}: {held}");
                assert!(told > 150 || m.dim() > 5, "{space} {budget}: {told}");
            }
        }
    }
}

fn factor(release: &Release) -> DirectionalSummary {
    release.extrinsic().unwrap().factors[0].clone()
}

/// A fifth of evenly spread data sets has a p-value of at most 1/5, with noise and all: 400 data sets, six standard
/// deviations. Concentrated records have a small one.
#[test]
fn the_test_of_uniformity_has_its_level() {
    for space in ["sphere:2", "projective:2", "rotations:3", "torus:1"] {
        let m = manifold(space);
        let mut generator = Generator::seeded(17);
        let plan = plan(&m, 200, Guarantee::pure(1.0).unwrap(), Adjacency::ReplaceOne);
        let mut below = 0.0;
        for seed in 0..400 {
            let points = even(&m, 200, &mut generator);
            let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
            below += f64::from(u8::from(factor(&release).uniformity.p_value <= 0.2));
        }
        assert!((below / 400.0 - 0.2_f64).abs() < 0.12, "{space}: {below}");
        let points = crate::common::cloud(&m, 200, 0.4, 4);
        let release = plan.run(&points, &mut ReleaseContext::seeded(1)).unwrap();
        assert!(factor(&release).uniformity.p_value < 1e-3, "{space}");
    }
}

/// The region for the population holds its mean in 95 %, and `R̄` is in its interval: 300 data sets, 90 % to 99 %.
#[test]
fn regions_for_the_population_hold_its_mean() {
    for (space, spread) in [("sphere:2", 0.5), ("projective:2", 0.3), ("rotations:3", 0.5), ("kendall:4", 0.2)] {
        let m = manifold(space);
        let law = Isotropic::new(m.clone(), Law::Gaussian, spread / (m.dim() as f64).sqrt()).unwrap();
        let mut center = vec![0.0; m.point_len()];
        m.origin(&mut center);
        for (budget, adjacency) in [
            (Guarantee::pure(1e6).unwrap(), Adjacency::ReplaceOne),
            (Guarantee::pure(1.0).unwrap(), Adjacency::ReplaceOne),
            (Guarantee::gaussian(1.0).unwrap(), Adjacency::AddRemove),
        ] {
            let plan = plan(&m, 400, budget, adjacency);
            let mut generator = Generator::seeded(3);
            let mut held = 0;
            for seed in 0..300 {
                let mut values = vec![0.0; 400 * center.len()];
                for x in values.chunks_exact_mut(center.len()) {
                    law.sample(&center, &mut generator, x).unwrap();
                }
                let points = Points::new(&*m, values).unwrap();
                let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
                let region = factor(&release).population_region.unwrap();
                held += usize::from(m.dist(release.value(), &center) <= region.radius);
            }
            assert!(held >= 270, "{space} {budget}: {held}");
        }
    }
}

/// Also where noise is as long as the directions are spread: 1,000 data sets; fewer than 92.6 % have a probability
/// below 1e-3.
#[test]
fn regions_for_the_population_of_few_concentrated_directions_hold_its_mean() {
    let m = manifold("sphere:2");
    let law = Isotropic::new(m.clone(), Law::Gaussian, 0.18).unwrap();
    let plan = plan(&m, 20, Guarantee::pure(10.0).unwrap(), Adjacency::ReplaceOne);
    let (mut generator, mut held, mut told) = (Generator::seeded(6), 0, 0);
    for seed in 0..1_000 {
        let mut values = vec![0.0; 60];
        values.chunks_exact_mut(3).for_each(|x| law.sample(&[1.0, 0.0, 0.0], &mut generator, x).unwrap());
        let points = Points::new(&*m, values).unwrap();
        let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
        let region = factor(&release).population_region.unwrap();
        told += usize::from(region.radius < m.diameter());
        held += usize::from(m.dist(release.value(), &[1.0, 0.0, 0.0]) <= region.radius);
    }
    assert!(told > 990 && held >= 926, "{held} of {told}");
}

/// Records at two points 1.2 to either side, as many at each or twice as many at one. The region for any law holds the
/// mean of the population, and that of the von Mises–Fisher law does not. Of 1,000 data sets, fewer than 92.6 % have a
/// probability below 1e-3. On `sphere:29` three quarters of the records are at one point.
#[test]
fn regions_for_any_population_hold_its_mean() {
    let run = |space: &str, share: f64, budget: Guarantee| {
        let m = manifold(space);
        let length = m.point_len();
        let at = |angle: f64| {
            let mut x = vec![0.0; length];
            (x[0], x[1]) = (angle.cos(), angle.sin());
            x
        };
        let (one, other) = (at(1.2), at(-1.2));
        let mean = at(((2.0 * share - 1.0) * 1.2_f64.tan()).atan());
        let plan = plan(&m, 200, budget, Adjacency::ReplaceOne);
        let (mut generator, mut any, mut law, mut told) = (Generator::seeded(8), 0, 0, 0);
        for seed in 0..1_000 {
            let choose = |_| if generator.random::<f64>() < share { one.clone() } else { other.clone() };
            let points = Points::new(&*m, (0..200).flat_map(choose).collect()).unwrap();
            let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
            let found = factor(&release);
            let region = found.any_population_region.unwrap();
            let apart = m.dist(release.value(), &mean);
            told += i32::from(region.radius < m.diameter());
            any += i32::from(apart <= region.radius);
            law += i32::from(found.population_region.is_some_and(|region| apart <= region.radius));
        }
        (any, law, told)
    };
    for budget in [Guarantee::pure(1e6).unwrap(), Guarantee::pure(3.0).unwrap()] {
        for (space, share) in [("sphere:2", 0.5), ("sphere:2", 2.0 / 3.0), ("sphere:29", 0.75)] {
            let (any, law, told) = run(space, share, budget);
            assert!(told > 700 && any >= 926, "{space} {share} {budget}: {any} of {told}");
            assert!(share != 0.5 || budget != Guarantee::pure(1e6).unwrap() || law < 900, "{space} {share}: {law}");
        }
    }
}

/// Of matrix Fisher laws, one of them with equal singular values, from made-up rotations: the estimates are near them,
/// and the intervals hold what there would be without noise in 95 % of 300 releases. Fewer than 88 % have a probability
/// below 1e-5.
#[test]
fn intervals_hold_the_concentrations_of_the_records() {
    let (m, n) = (manifold("rotations:3"), 4_000);
    for (s, seed) in some(&[([4.0, 2.0, 1.0], 12), ([2.0, 2.0, 2.0], 13)], 1, 2) {
        let mut generator = Generator::seeded(seed);
        // by rejection: −Σ λq² of quaternions
        let lambda = [0.0, 2.0 * (s[1] + s[2]), 2.0 * (s[0] + s[2]), 2.0 * (s[0] + s[1])];
        let mut values = vec![];
        while values.len() < 4 * n {
            let mut q: [f64; 4] = std::array::from_fn(|_| StandardNormal.sample(&mut generator));
            m.project(&mut q);
            let exponent: f64 = q.iter().zip(lambda).map(|(x, l)| l * x * x).sum();
            if generator.random::<f64>() < (-exponent).exp() {
                values.extend(q);
            }
        }
        let points = Points::new(&*m, values).unwrap();
        let release = |epsilon: f64, seed| {
            let plan = plan(&m, n, Guarantee::pure(epsilon).unwrap(), Adjacency::ReplaceOne);
            let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
            factor(&release).concentrations.unwrap()
        };
        let truth = release(1e9, 0).values;
        for (found, expected) in truth.iter().zip(s) {
            // six standard errors of 4,000 records are 0.6
            assert!((found - expected).abs() < 0.6, "{truth:?}");
        }
        let mut held = [0; 3];
        for seed in 0..300 {
            for (held, ([low, high], truth)) in held.iter_mut().zip(release(2.0, seed).intervals.iter().zip(&truth)) {
                *held += usize::from(low <= truth && truth <= high);
            }
        }
        assert!(held.iter().all(|held| *held >= 264), "{s:?}: {held:?}");
    }
}

/// Records at one point, so that all of the error is noise: both regions for the population hold it in 95 %, in many
/// dimensions too. Fewer than 89.5 % of 400 have a probability below 1e-5.
#[test]
fn regions_for_the_population_cover_laplace_noise() {
    for (space, n) in [("sphere:1", 100), ("sphere:9", 400), ("sphere:49", 4_000)] {
        let m = manifold(space);
        let mut point = vec![0.0; m.point_len()];
        point[0] = 1.0;
        let points = Points::new(&*m, point.repeat(n)).unwrap();
        let plan = plan(&m, n, Guarantee::pure(1.0).unwrap(), Adjacency::ReplaceOne);
        let (mut of_law, mut of_any) = (0, 0);
        for seed in 0..400 {
            let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
            let (found, apart) = (factor(&release), m.dist(release.value(), &point));
            of_law += usize::from(apart <= found.population_region.unwrap().radius);
            of_any += usize::from(apart <= found.any_population_region.unwrap().radius);
        }
        assert!(of_law >= 358 && of_any >= 358, "{space}: {of_law} {of_any}");
    }
}

/// Regions and intervals are all stated: where noise or an even spread leaves nothing to state, they are the whole
/// factor, or go up to infinity.
#[test]
fn what_noise_hides_is_the_whole_space() {
    for space in SPACES {
        let m = manifold(space);
        let points = crate::common::cloud(&m, 20, 0.4 * m.diameter().min(2.0), 4);
        let release = plan(&m, 20, Guarantee::pure(0.01).unwrap(), Adjacency::ReplaceOne)
            .run(&points, &mut ReleaseContext::seeded(3))
            .unwrap();
        assert_eq!(release.region().unwrap().radius, m.diameter(), "{space}");
        let is_subspace = space.starts_with("grassmann");
        for found in &release.extrinsic().unwrap().factors {
            let whole = manifold(&found.space).diameter();
            let is_whole = |radius: f64| found.is_everywhere(radius) && radius <= whole * (1.0 + 1e-12);
            let regions = [found.population_region, found.any_population_region];
            assert!(regions.iter().flatten().all(|region| is_whole(region.radius)), "{space}: {found:?}");
            assert_eq!(found.population_region.is_some(), !is_subspace, "{space}");
            assert_eq!(found.frechet_mean_within.map(is_whole), (!is_subspace).then_some(true), "{space}");
            assert!(found.ellipse.iter().all(|axis| is_whole(*axis)), "{space}");
            let is_axis = space.starts_with("projective") || space.starts_with("rotations");
            assert_eq!(found.concentrations.is_some(), is_axis, "{space}");
            let ends = found.concentrations.iter().flat_map(|found| &found.intervals);
            assert!(ends.into_iter().all(|ends| ends[1] == f64::MAX), "{space}: {found:?}");
        }
    }
}

/// The concentration of axes says no more than the mean resultant length allows: none of records that may be spread
/// evenly. In the plane both are one number, as the axes are angles with half the period.
#[test]
fn concentrations_agree_with_mean_resultant_lengths() {
    let budget = Guarantee::pure(1.0).unwrap();
    for space in ["projective:1", "projective:2", "projective:5", "kendall:4"] {
        let m = manifold(space);
        let points = even(&m, 30, &mut Generator::seeded(2));
        let plan = plan(&m, 30, budget, Adjacency::ReplaceOne);
        let mut hidden = 0;
        for seed in 0..100 {
            let found = factor(&plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap());
            let (length, of_law) = (found.mean_resultant_length, found.concentration.unwrap());
            let (kappa, (low, high)) = (of_law.kappa, of_law.interval);
            assert!(low <= kappa && high.is_none_or(|high| kappa <= high), "{space} {kappa} {low} {high:?}");
            assert_eq!(length == 1.0, kappa > 1e11, "{space}: {length} {kappa}");
            if length == 0.0 {
                hidden += 1;
                assert_eq!(kappa, 0.0, "{space}");
            } else if space == "projective:1" && length < 0.999 {
                let weight = |i: i32| (kappa * (std::f64::consts::PI * f64::from(i) / 1000.0).cos().powi(2)).exp();
                let double = |i: i32| (std::f64::consts::TAU * f64::from(i) / 1000.0).cos();
                let (all, cosines) =
                    (0..1000).fold((0.0, 0.0), |(all, sum), i| (all + weight(i), sum + weight(i) * double(i)));
                assert!((cosines / all - length).abs() < 1e-6, "{kappa}: {} {length}", cosines / all);
            }
        }
        assert!(hidden > 5, "{space}: {hidden}");
    }
}

/// Unit vectors of a von Mises–Fisher law about the first axis, on the circle and on the sphere of space.
fn von_mises_fisher(m: &Arc<dyn Manifold>, kappa: f64, n: usize, generator: &mut Generator) -> Points {
    let p = m.point_len();
    let mut values = vec![];
    while values.len() < n * p {
        let mut x: Vec<f64> = (0..p).map(|_| StandardNormal.sample(generator)).collect();
        m.project(&mut x);
        if p == 3 {
            // the cosine has the density ∝ e^{κc}
            let u: f64 = generator.random();
            let cosine = 1.0 + (u + (1.0 - u) * (-2.0 * kappa).exp()).ln() / kappa;
            let rest = ((1.0 - cosine * cosine) / (x[1] * x[1] + x[2] * x[2])).sqrt();
            values.extend([cosine, rest * x[1], rest * x[2]]);
        } else if generator.random::<f64>() < (kappa * (x[0] - 1.0)).exp() {
            values.extend(x);
        }
    }
    Points::new(&**m, values).unwrap()
}

/// The cone of confidence holds the mean of a von Mises–Fisher law at every concentration, for few and many records,
/// with and without noise. Of 1,000 data sets fewer than 906 are held with a probability below 4e-9 if it is 95 %, so
/// one of 66 such counts with 3e-7. If it is 87 %, as of Fisher's formula at κ = 1, more are held with one below 3e-4.
#[test]
fn cones_hold_the_mean_direction_at_every_concentration() {
    for (space, kappas) in
        [("sphere:2", &[0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0][..]), ("sphere:1", &[0.1, 0.5, 2.0, 10.0])]
    {
        let m = manifold(space);
        let mut axis = vec![0.0; m.point_len()];
        axis[0] = 1.0;
        for (n, epsilon) in some(&[(20, 1e6), (200, 1e6), (200, 2.0)], 0, 2) {
            let plan = plan(&m, n, Guarantee::pure(epsilon).unwrap(), Adjacency::ReplaceOne);
            for kappa in some(kappas, 1, 3) {
                let mut generator = Generator::seeded(21);
                let (mut held, mut any) = (0, 0);
                for seed in 0..1_000 {
                    let points = von_mises_fisher(&m, kappa, n, &mut generator);
                    let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
                    let (found, apart) = (factor(&release), m.dist(release.value(), &axis));
                    held += usize::from(apart <= found.population_region.unwrap().radius);
                    any += usize::from(apart <= found.any_population_region.unwrap().radius);
                }
                assert!(held >= 906 && any >= 906, "{space} n = {n}, ε = {epsilon}, κ = {kappa}: {held} {any}");
            }
        }
    }
}

/// Wrong with probability 1e-6 at most; seeds are fixed.
#[test]
fn audits_pass_what_is_shipped_and_find_what_is_planted() {
    let effort = |releases| Effort { releases, error_probability: 1e-6 };
    let spaces = ["sphere:2", "projective:2", "torus:1"];
    let cases = spaces.map(|space| [Adjacency::ReplaceOne, Adjacency::AddRemove].map(|adjacency| (space, adjacency)));
    for (space, adjacency) in some(cases.as_flattened(), 5, 6) {
        let plan = plan(&manifold(space), 8, Guarantee::pure(1.0).unwrap(), adjacency);
        let found = audit(&*plan, effort(2_000), &mut Generator::seeded(3), &|_| ()).unwrap();
        assert!(found.passed, "{space} {}: {found:?}", adjacency.name());
    }
    // a quarter of the noise
    let m = manifold("projective:2");
    let (claim, planted) = (Guarantee::pure(1.0).unwrap(), Guarantee::pure(4.0).unwrap());
    let plan = plan(&m, 8, planted, Adjacency::ReplaceOne);
    let ball = Ball::at_origin(&*m, 0.499 * m.diameter()).unwrap();
    let found = audit_releases(
        (&*m, &ball),
        claim,
        &neighbours(&*m, &ball, 8).unwrap(),
        |points, context| {
            let mut published = Published::from(&plan.run(points, context)?);
            published.noise.clear();
            published.parts.retain(|part| matches!(part.number, PublishedNumber::EmbeddedMean { .. }));
            published.parts.iter_mut().for_each(|part| part.guarantee = claim);
            Ok(published)
        },
        |_, _| 0.0,
        effort(2_500),
        &mut Generator::seeded(3),
        &|_| (),
    )
    .unwrap();
    assert!(found.refuted(), "{found:?}");
}
