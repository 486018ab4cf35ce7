//! Synthetic records lie on the space, and have the mean and the second moment of the release.

use crate::common::{at, cloud_around, manifold, origin};
use karcher::manifold::Euclidean;
use karcher::manifold::FAMILIES;
use karcher::mechanism::{Components, Plan, PrivateExtrinsicMean, PrivateFrechetMean, PrivateKMeans, Request, Spread};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::{Adjacency, PublishedRelease, Value};
use karcher::sampler::Generator;
use karcher::spec::Clusters;
use karcher::synthesis::{Cluster, Synthesis, Synthetic};
use karcher::{Ball, Manifold, Points, Release, ReleaseContext};
use proptest::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::sync::Arc;

const N: usize = 4_000;

/// Every family of the registry, and products of them.
fn spaces() -> Vec<&'static str> {
    let products = ["sphere:2*euclidean:1", "hyperbolic:2*spd-affine-invariant:2", "torus:1*projective:2"];
    FAMILIES.iter().flat_map(|family| family.examples).copied().chain(products).collect()
}

/// A spread at which the cut locus does not matter.
fn narrow(m: &dyn Manifold, part: f64) -> f64 {
    part * m.injectivity_radius().min(1.5)
}

/// A point off the origin.
fn center(m: &dyn Manifold) -> Vec<f64> {
    at(m, &origin(m), &(0..m.dim()).map(|i| (i as f64 + 1.0).sin()).collect::<Vec<_>>(), narrow(m, 0.3))
}

/// Coordinates of the logarithms at a point.
fn logarithms(m: &dyn Manifold, p: &[f64], points: &Points) -> Vec<Vec<f64>> {
    let log = |x: &[f64]| {
        let (mut v, mut coordinates) = (vec![0.0; x.len()], vec![0.0; m.dim()]);
        m.log(p, x, &mut v).unwrap();
        m.to_frame(p, &v, &mut coordinates);
        coordinates
    };
    points.view().iter().map(log).collect()
}

/// The largest deviation of a standard normal number that is taken for chance: exceeded with 4e-9.
const CHANCE: f64 = 5.9;

/// Standard deviations between the mean square distance of points from `p` and that of the normal law.
fn off_in_square(m: &dyn Manifold, p: &[f64], points: &Points, spread: f64) -> f64 {
    let found = points.view().iter().map(|x| m.dist(p, x).powi(2)).sum::<f64>() / points.len() as f64;
    (found / spread.powi(2) - 1.0) * (0.5 * (m.dim() * points.len()) as f64).sqrt()
}

/// The probability with which the mean logarithm is as far from 0 for the normal law.
fn chance_of_mean(m: &dyn Manifold, p: &[f64], points: &Points, spread: f64) -> f64 {
    let (logs, n) = (logarithms(m, p, points), points.len() as f64);
    let mean = |i: usize| logs.iter().map(|v| v[i]).sum::<f64>() / n;
    let square: f64 = (0..m.dim()).map(|i| mean(i).powi(2)).sum();
    ChiSquared::new(m.dim() as f64).unwrap().sf(square * n * m.dim() as f64 / spread.powi(2))
}

fn drawn(m: &Arc<dyn Manifold>, p: &[f64], spread: f64, seed: u64) -> Points {
    let cluster = Cluster::normal(m.clone(), p.to_vec(), spread, 1.0).unwrap();
    Synthesis::mixture(m.clone(), vec![cluster]).unwrap().draw(N, &mut Generator::seeded(seed)).unwrap().points
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On every family, for any seed. 60 cases of two tests fail with less than 1e-6. Each also rejects a law of half
    /// the deviation, and one about a point that is a third of the spread away.
    #[test]
    fn wrapped_normal_records_have_the_mean_and_the_second_moment(
        space in 0..spaces().len(), part in 0.02..0.25, seed: u64,
    ) {
        let m = manifold(spaces()[space]);
        let (p, spread) = (center(&*m), narrow(&*m, part));
        let points = drawn(&m, &p, spread, seed);
        points.view().iter().try_for_each(|x| m.check_point(x)).unwrap();
        prop_assert!(off_in_square(&*m, &p, &points, spread).abs() < CHANCE);
        prop_assert!(chance_of_mean(&*m, &p, &points, spread) > 1e-9);

        let halved = drawn(&m, &p, 0.5 * spread, seed);
        prop_assert!(off_in_square(&*m, &p, &halved, spread) < -CHANCE);
        let moved = at(&*m, &p, &vec![1.0; m.dim()], spread / 3.0);
        prop_assert!(chance_of_mean(&*m, &p, &drawn(&m, &moved, spread, seed), spread) < 1e-9);
    }

    /// However wide it is, each point is a point, or the draw is refused.
    #[test]
    fn wide_laws_stay_on_the_space(space in 0..spaces().len(), exponent in -300..300, seed: u64) {
        let m = manifold(spaces()[space]);
        let spread = 10f64.powi(exponent);
        let cluster = Cluster::normal(m.clone(), center(&*m), spread, 1.0).unwrap();
        let synthesis = Synthesis::mixture(m.clone(), vec![cluster]).unwrap();
        if let Ok(made_up) = synthesis.draw(20, &mut Generator::seeded(seed)) {
            made_up.points.view().iter().try_for_each(|x| m.check_point(x)).unwrap();
        }
    }
}

/// The release of a mean of made-up records, with its companions.
fn mean_of(m: &Arc<dyn Manifold>, budget: f64, spread: bool, components: bool) -> Release {
    let (p, width) = (center(&**m), narrow(&**m, 0.2));
    let records = cloud_around(m, &p, 2_000, width, 3);
    let mean = PrivateFrechetMean::new(m.clone(), Ball::new(&**m, p, narrow(&**m, 0.45)).unwrap()).unwrap();
    let request = Request::new(mean, 2_000, Guarantee::pure(budget).unwrap())
        .spread(spread.then(Spread::default))
        .components(components.then(Components::default));
    request.plan().unwrap().run(&records, &mut ReleaseContext::seeded(7)).unwrap()
}

fn made_up(release: &PublishedRelease, n: usize) -> Synthetic {
    Synthesis::of(release, None).unwrap().draw(n, &mut Generator::seeded(11)).unwrap()
}

/// By the released numbers alone, noise and all, for 14 releases. 30 tests of 4e-9
/// and of 1e-9 fail with less than 2e-7.
#[test]
fn records_have_the_moments_that_were_released() {
    for name in
        ["euclidean:3", "sphere:2", "hyperbolic:2", "spd-log-euclidean:3", "kendall:4", "torus:2", "rotations:3"]
    {
        let m = manifold(name);
        for budget in [2.0, 1e6] {
            let release = mean_of(&m, budget, true, false);
            let (p, spread) = (release.value(), release.spread().unwrap().root_mean_square);
            let points = made_up(&release.clone().into(), N).points;
            assert!(off_in_square(&*m, p, &points, spread).abs() < CHANCE, "{name} {budget}");
            assert!(chance_of_mean(&*m, p, &points, spread) > 1e-9, "{name} {budget}");
            let mean = FrechetMean::new(&*m).fit(points.view()).unwrap();
            assert!(m.dist(p, &mean) < 0.2 * spread, "{name} {budget}");
        }
    }
}

/// The second moment of the logarithms along the directions is the released one: each of at most 21 entries is off by
/// less than 5.9 standard deviations. With a spread, its sum is that of the spread.
#[test]
fn records_have_the_second_moment_of_the_components() {
    for name in ["euclidean:3", "sphere:2", "hyperbolic:3", "spd-affine-invariant:3", "kendall:4"] {
        let m = manifold(name);
        for with_spread in [false, true] {
            let release = mean_of(&m, 5.0, with_spread, true);
            let mut variances = release.components().unwrap().shrunk_variances.clone();
            // another sum than the released one, so that the two cannot agree by chance
            let mut edited = serde_json::to_value(&release).unwrap();
            if with_spread {
                let spread = 0.8 * release.spread().unwrap().root_mean_square;
                edited["spread"]["root_mean_square"] = spread.into();
                let factor = spread * spread / variances.iter().sum::<f64>();
                variances.iter_mut().for_each(|variance| *variance *= factor);
            }
            let (p, components) = (release.value(), release.components().unwrap());
            let points = made_up(&serde_json::from_value(edited).unwrap(), N).points;
            let along: Vec<Vec<f64>> = points
                .view()
                .iter()
                .map(|x| {
                    let mut v = vec![0.0; x.len()];
                    m.log(p, x, &mut v).unwrap();
                    components.directions.iter().map(|direction| m.inner(p, &v, direction)).collect()
                })
                .collect();
            for (i, first) in variances.iter().enumerate() {
                for (j, second) in variances.iter().enumerate() {
                    let found = along.iter().map(|v| v[i] * v[j]).sum::<f64>() / N as f64;
                    let (expected, times) = if i == j { (*first, 2.0) } else { (0.0, 1.0) };
                    let deviation = (times * first * second / N as f64).sqrt();
                    let off = (found - expected).abs();
                    assert!(off <= CHANCE * deviation + 1e-9, "{name} {i} {j}: {found} {expected}");
                }
            }
        }
    }
}

/// The release of an extrinsic mean of made-up records.
fn extrinsic_of(m: &Arc<dyn Manifold>, width: f64, budget: f64) -> Release {
    let records = cloud_around(m, &center(&**m), 3_000, width, 4);
    let mean = PrivateExtrinsicMean::new(m.clone()).unwrap();
    let plan = Request::new(mean, 3_000, Guarantee::pure(budget).unwrap()).plan().unwrap();
    plan.run(&records, &mut ReleaseContext::seeded(2)).unwrap()
}

/// The mean of embedded points.
fn embedded_mean(m: &dyn Manifold, points: &Points) -> Vec<f64> {
    let embedding = m.embedding().unwrap();
    let (mut sum, mut one) = (vec![0.0; embedding.dim()], vec![0.0; embedding.dim()]);
    for x in points.view().iter() {
        embedding.embed(x, &mut one);
        sum.iter_mut().zip(&one).for_each(|(sum, x)| *sum += x / points.len() as f64);
    }
    sum
}

/// The mean of n vectors of length R is within `R·(1 + √(2·ln 1/δ))/√n` of its expectation with `1 − δ` (McDiarmid):
/// here with `δ = 1e-8` for each of 14 releases.
#[test]
fn directions_and_axes_have_the_embedded_mean_that_was_released() {
    let most =
        |m: &dyn Manifold, n: f64| m.embedding().unwrap().radius() * (1.0 + (2.0 * 1e8_f64.ln()).sqrt()) / n.sqrt();
    let n = 40_000;
    for name in [
        "sphere:1",
        "sphere:2",
        "sphere:9",
        "torus:3",
        "projective:1",
        "projective:2",
        "rotations:3",
        "sphere:2*torus:1*projective:2",
    ] {
        let m = manifold(name);
        for (width, budget) in [(0.3, 1e6), (0.9, 20.0)] {
            let release = extrinsic_of(&m, width * m.injectivity_radius().min(1.5), budget);
            let extrinsic = release.extrinsic().unwrap();
            let points = made_up(&release.clone().into(), n).points;
            points.view().iter().try_for_each(|x| m.check_point(x)).unwrap();
            let mut expected = extrinsic.embedded_mean.clone();
            // a direction's mean has the length without the noise's share
            let mut rest = &mut expected[..];
            for (part, summary) in m.embedding().unwrap().split().iter().zip(&extrinsic.factors) {
                let (own, others) = rest.split_at_mut(part.dim());
                if part.eigenvalues(own).is_empty() {
                    let length = own.iter().map(|x| x * x).sum::<f64>().sqrt();
                    own.iter_mut().for_each(|x| *x *= summary.mean_resultant_length / length);
                }
                rest = others;
            }
            let off = |found: Vec<f64>| found.iter().zip(&expected).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let (found, most) = (off(embedded_mean(&*m, &points)), most(&*m, n as f64));
            assert!(found < most, "{name} {width}: {found} {most}");
            // records of another width are told apart
            let other = extrinsic_of(&m, 2.0 * width * m.injectivity_radius().min(1.5), 1e6);
            let found = off(embedded_mean(&*m, &made_up(&other.into(), n).points));
            assert!(found > most, "{name} {width}: {found} is not told from chance");
        }
    }
}

/// Of shapes the law is about one shape: its first moment is the released one.
#[test]
fn shapes_have_the_first_moment_that_was_released() {
    let m = manifold("kendall:5");
    let embedding = m.embedding().unwrap();
    for width in [0.1, 0.5] {
        let release = extrinsic_of(&m, width, 1e6);
        let points = made_up(&release.clone().into(), 40_000).points;
        let first = |mean: &[f64]| embedding.eigenvalues(mean)[0];
        let found = first(&embedded_mean(&*m, &points));
        let expected = first(&release.extrinsic().unwrap().embedded_mean);
        // squared cosines have deviations of at most ½ of the mean's distance from 1, here doubled
        assert!((found - expected).abs() < 6.0 * (1.0 - expected) / 200.0, "{width}: {found} {expected}");
        let halved = first(&embedded_mean(&*m, &made_up(&extrinsic_of(&m, 0.7 * width, 1e6).into(), 40_000).points));
        assert!((halved - expected).abs() > 6.0 * (1.0 - expected) / 200.0, "{width}: {halved}");
    }
}

#[test]
fn groups_get_their_share_of_the_records() {
    let m = manifold("euclidean:2");
    let released = |n: usize, adjacency| -> PublishedRelease {
        let mean = PrivateFrechetMean::new(m.clone(), Ball::at_origin(&*m, 1.0).unwrap()).unwrap();
        let budget = Guarantee::pure(1e3).unwrap();
        let request = Request::new(mean, n, budget).adjacency(adjacency).spread(Some(Spread::default()));
        let records = cloud_around(&m, &[0.0, 0.0], n, 0.3, 1);
        request.plan().unwrap().run(&records, &mut ReleaseContext::seeded(1)).unwrap().into()
    };
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let (small, large) = (released(500, adjacency), released(1_500, adjacency));
        let synthesis = Synthesis::of_groups([("a", &small), ("b", &large)], None).unwrap();
        let sizes = |n| synthesis.draw(n, &mut Generator::seeded(1)).unwrap().sizes;
        if adjacency == Adjacency::ReplaceOne {
            assert_eq!((sizes(1_000), sizes(10), sizes(1)), (vec![250, 750], vec![3, 7], vec![0, 1]));
        }
        // private numbers of groups are released with noise
        let [a, b] = sizes(1_000)[..] else { panic!("two groups") };
        assert!(a + b == 1_000 && a.abs_diff(250) <= 2, "{a} {b}");
    }
}

/// Each refusal says what to do.
#[test]
fn what_has_no_second_moment_is_refused() {
    let refusal = |release: Release| Synthesis::of(&release.into(), None).unwrap_err().to_string();
    let m = manifold("sphere:2");
    let alone = mean_of(&m, 2.0, false, false);
    assert_eq!(
        refusal(alone.clone()),
        "spread is missing: the release has a mean and no second moment: release it with `spread`; or give a public \
         guess of the root mean square distance here"
    );
    let guessed = Synthesis::of(&alone.clone().into(), Some(0.2)).unwrap();
    assert!(guessed.clusters()[0].about().contains("0.2000"));
    assert!(Synthesis::of(&alone.clone().into(), Some(-1.0)).is_err());
    let subspaces = refusal(extrinsic_of(&manifold("grassmann:5,2"), 0.2, 1e3));
    assert!(subspaces.contains("no usual law"), "{subspaces}");
    let mut noise = serde_json::to_value(mean_of(&m, 2.0, true, false)).unwrap();
    noise["spread"]["root_mean_square"] = 0.0.into();
    let noise = Synthesis::of(&serde_json::from_value(noise).unwrap(), None).unwrap_err().to_string();
    assert!(noise.contains("larger budget"), "{noise}");
    let (one, other) = (mean_of(&m, 2.0, true, false).into(), mean_of(&manifold("sphere:1"), 2.0, true, false).into());
    let mixed = Synthesis::of_groups([("a", &one), ("b", &other)], None).unwrap_err().to_string();
    assert!(mixed.contains("sphere:1") && mixed.contains("sphere:2"), "{mixed}");
    let synthesis = Synthesis::of(&one, None).unwrap();
    for n in [0, 1_000_000_000_000] {
        assert!(synthesis.draw(n, &mut Generator::seeded(1)).unwrap_err().to_string().contains("from 1 to"));
    }
    assert!(Synthesis::of_groups([], None).is_err() && Synthesis::mixture(m, vec![]).is_err());
}

/// Numbers of a release that no mechanism made are refused, or drawn from, without a panic.
#[test]
fn edited_releases_do_no_harm() {
    let releases: Vec<Release> = ["sphere:2", "torus:2", "projective:2", "kendall:4", "sphere:1*rotations:3"]
        .map(|name| extrinsic_of(&manifold(name), 0.3, 1e3))
        .into_iter()
        .chain([mean_of(&manifold("hyperbolic:2"), 1e3, true, true), mean_of(&manifold("sphere:2"), 1e3, true, true)])
        .collect();
    let mut tried = 0;
    for release in releases {
        let whole = serde_json::to_value(&release).unwrap();
        let mut paths = vec![];
        numbers(&whole, &mut String::new(), &mut paths);
        for path in paths.iter().filter(|path| !path.starts_with("/spec")) {
            for number in [0.0, -1.0, 1e-300, 1e308] {
                let mut edited = whole.clone();
                *edited.pointer_mut(path).unwrap() = number.into();
                let Ok(read) = serde_json::from_value::<PublishedRelease>(edited) else { continue };
                let Ok(synthesis) = Synthesis::of(&read, None) else { continue };
                let _ = synthesis.draw(3, &mut Generator::seeded(1));
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

/// The places of all numbers in an object.
fn numbers(value: &serde_json::Value, at: &mut String, found: &mut Vec<String>) {
    let mut inside = |name: String, value: &serde_json::Value| {
        let len = at.len();
        at.push_str(&format!("/{name}"));
        numbers(value, at, found);
        at.truncate(len);
    };
    match value {
        serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| inside(name.clone(), value)),
        serde_json::Value::Array(all) => all.iter().enumerate().for_each(|(i, value)| inside(i.to_string(), value)),
        serde_json::Value::Number(_) => found.push(at.clone()),
        _ => {}
    }
}

/// 20,000 records of a k-means with a cost. There are as many of each cluster as its weight says. Their mean square
/// distance to the center of their cluster is the cost within five standard errors; half the spread would be found.
#[test]
fn records_of_clusters_have_their_weights_and_their_cost() {
    let plane = Arc::new(Euclidean::new(2).unwrap());
    let places = [[0.5, 0.5], [-0.5, 0.0]];
    let offsets: Vec<f64> = (0..3_000).flat_map(|i| [0.1 * f64::from(i).sin(), 0.1 * f64::from(i).cos()]).collect();
    let of =
        |place: [f64; 2], n: usize| offsets[..2 * n].chunks(2).flat_map(move |o| [place[0] + o[0], place[1] + o[1]]);
    let records: Vec<f64> = of(places[0], 3_000).chain(of(places[1], 1_000)).collect();
    let records = Points::new(&*plane, records).unwrap();
    let release = |cost| -> PublishedRelease {
        let ball = Ball::at_origin(&*plane, 1.0).unwrap();
        let clusters = Clusters { cost, ..Clusters::new(2) };
        let k_means = PrivateKMeans::new(plane.clone(), ball, clusters).unwrap();
        let plan = Request::new(k_means, 4_000, Guarantee::gaussian(5.0).unwrap()).plan().unwrap();
        plan.run(&records, &mut ReleaseContext::from_os().unwrap()).unwrap().into()
    };
    let found = release(true);
    let Value::Clusters(clusters) = &found.value else { panic!("clusters were asked for") };
    let made_up = Synthesis::of(&found, None).unwrap().draw(20_000, &mut Generator::seeded(2)).unwrap();
    for (size, cluster) in made_up.sizes.iter().zip(&clusters.clusters) {
        assert!((*size as f64 - 20_000.0 * cluster.weight).abs() <= 1.0, "{size}");
    }
    let own = made_up.sizes.iter().enumerate().flat_map(|(i, size)| std::iter::repeat_n(i, *size));
    let square = |(x, i): (&[f64], usize)| plane.dist(x, &clusters.clusters[i].center).powi(2);
    let mean = made_up.points.view().iter().zip(own).map(square).sum::<f64>() / 20_000.0;
    // the square of a normal vector of two numbers is exponential
    let (cost, deviation) = (clusters.cost.unwrap().value, clusters.cost.unwrap().value / 20_000.0_f64.sqrt());
    assert!((mean - cost).abs() < 5.0 * deviation && (mean / 4.0 - cost).abs() > 5.0 * deviation, "{mean} {cost}");
    let refused = Synthesis::of(&release(false), None).unwrap_err();
    assert!(refused.to_string().contains("release it with `cost`"), "{refused}");
    assert!(Synthesis::of(&release(false), Some(0.1)).is_ok());
    assert!(Synthesis::of_groups([("one", &found), ("other", &found)], None).is_err());
}
