//! Comparisons of groups of different people (user guide, D4).

use crate::common::{at, manifold, origin};
use karcher::mechanism::{Components, Plan, PrivateFrechetMean, Request, Spread};
use karcher::privacy::Guarantee;
use karcher::release::{Adjacency, DetectableDifference, PublishedRelease, compare};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use std::sync::Arc;

/// Groups whose records are normal about the center of the ball.
struct Study {
    manifold: Arc<dyn Manifold>,
    plan: Box<dyn Plan>,
    n: usize,
    deviations: Vec<f64>,
}

impl Study {
    fn new(name: &str, n: usize, budget: Guarantee, deviations: &[f64], has_components: bool) -> Self {
        let manifold = manifold(name);
        let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, 1.0).unwrap()).unwrap();
        let request = Request::new(mean, n, budget).spread(Some(Spread::default()));
        let plan = request.components(has_components.then(Components::default)).plan().unwrap();
        Self { manifold, plan, n, deviations: deviations.to_vec() }
    }

    /// The release about a group whose mean is shifted along the first axis.
    fn released(&self, seed: u64, shift: f64) -> PublishedRelease {
        let mut generator = Generator::seeded(seed);
        let m = &*self.manifold;
        let mut along = vec![0.0; m.dim()];
        along[0] = 1.0;
        let center = at(m, &origin(m), &along, shift);
        let values = (0..self.n).flat_map(|_| {
            let v: Vec<f64> = self.deviations.iter().map(|s| s * generator.sample::<f64, _>(StandardNormal)).collect();
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            at(m, &center, &v, length)
        });
        let records = Points::new(m, values.collect()).unwrap();
        self.plan.run(&records, &mut ReleaseContext::seeded(seed)).unwrap().into()
    }

    /// How often distances of `pairs` pairs exceed the thresholds of 20 other pairs, whose releases `edit` changes: the
    /// level, for the distance and the threshold of a pair are independent.
    fn level(&self, pairs: u64, edit: impl Fn(&mut PublishedRelease) + Sync) -> f64 {
        let of = |i: u64| [self.released(2 * i, 0.0), self.released(2 * i + 1, 0.0)];
        let points = |i: u64| {
            let [a, b] = of(i).map(|release| point(&release));
            a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
        };
        let distances: Vec<f64> = (1_000..1_000 + pairs).into_par_iter().map(points).collect();
        let exceeded = |i: u64| {
            let mut edited = of(i);
            edited.iter_mut().for_each(&edit);
            let threshold = compare(&[&edited[0], &edited[1]]).unwrap().threshold;
            distances.iter().filter(|distance| **distance > threshold).count() as f64 / pairs as f64
        };
        (0..20).into_par_iter().map(exceeded).sum::<f64>() / 20.0
    }
}

/// The point that is tested, on flat spaces.
fn point(release: &PublishedRelease) -> Vec<f64> {
    let karcher::release::Value::Point(point) = &release.value else { panic!("a mean was released") };
    point.noisy_value.as_ref().unwrap_or(&point.value).clone()
}

/// The level is at most 5 %, and at least 3 % where the shape is known: in one dimension, and where components show it.
/// A law without the noise of the means exceeds it.
///
/// The fraction of 4,000 distances that exceed a threshold has a standard error below 0.35 %, so correct code fails
/// either bound with a probability below 1e-6. The level without noise is 10 % or more.
#[test]
fn level_is_five_per_cent_and_noise_left_out_is_caught() {
    let epsilon = |epsilon| Guarantee::pure(epsilon).unwrap();
    let most = 0.05 + 4.9 * 0.0035;
    for (study, noise_counts) in [
        (Study::new("euclidean:1", 1_000, epsilon(2.0), &[0.3], false), false),
        (Study::new("euclidean:1", 1_000, epsilon(0.4), &[0.3], false), true),
        (Study::new("euclidean:2", 2_000, Guarantee::gaussian(4.0).unwrap(), &[0.2, 0.2], true), false),
    ] {
        let level = study.level(4_000, |_| {});
        assert!((0.03..most).contains(&level), "{}: {level}", study.manifold.space());
        if noise_counts {
            let without = study.level(4_000, |release| {
                release.provenance.noise[0].scale *= 1e-3;
                release.provenance.scale *= 1e-3;
                release.provenance.guarantee = epsilon(500.0); // or it would be refused
            });
            assert!(without > 1.3 * most, "{without}");
        }
    }
}

/// A statistic of several groups has the same level, and finds one group that differs; so do groups whose number of
/// people is confidential. Of 120 sets 5 % or fewer differ: correct code counts more than 20 with a probability below
/// 1e-6.
#[test]
fn several_groups_keep_the_level_too() {
    let m = manifold("sphere:2");
    let mean = PrivateFrechetMean::new(m.clone(), Ball::at_origin(&*m, 1.0).unwrap()).unwrap();
    let request = Request::new(mean, 500, Guarantee::pure(1.0).unwrap()).spread(Some(Spread::default()));
    let plan = request.adjacency(Adjacency::AddRemove).plan().unwrap();
    let study = Study { manifold: m, plan, n: 450, deviations: vec![0.2, 0.02] };
    let differ = |last: f64| {
        let differs = |i: u64| {
            let groups: Vec<PublishedRelease> =
                (0..3).map(|j| study.released(3 * i + j, if j == 2 { last } else { 0.0 })).collect();
            compare(&groups.iter().collect::<Vec<_>>()).unwrap().differ
        };
        (0..120).into_par_iter().filter(|i| differs(*i)).count()
    };
    assert!(differ(0.0) <= 20);
    assert!(differ(0.2) >= 100);
}

/// The verdict is that of the p-value and that of the threshold, and the order of the groups does not matter.
#[test]
fn results_agree_with_one_another() {
    let study = Study::new("sphere:2", 300, Guarantee::gaussian(1.0).unwrap(), &[0.2, 0.2], false);
    for (seed, shift) in [(1, 0.0), (2, 0.05), (3, 0.07), (4, 0.3)] {
        let [a, b, c] = [(0, 0.0), (1, 0.0), (2, shift)].map(|(i, shift)| study.released(10 * seed + i, shift));
        let found = compare(&[&a, &b, &c]).unwrap();
        assert_eq!(found.differ, found.statistic > found.threshold);
        assert_eq!(found.differ, found.p_value <= 0.05);
        assert_eq!(found, compare(&[&a, &b, &c]).unwrap());
        let turned = compare(&[&c, &a, &b]).unwrap();
        assert!((turned.statistic / found.statistic - 1.0).abs() < 1e-12);
        assert!((turned.threshold / found.threshold - 1.0).abs() < 0.03);
        assert_eq!((found.distance, found.distances[1][2]), (None, turned.distances[2][0]));
        // of two groups it is the distance
        let two = compare(&[&a, &c]).unwrap();
        assert!((two.distance.unwrap() / two.statistic - 1.0).abs() < 0.01, "{two:?}");
    }
}

/// The difference that a plan states is found with 80 %, up to 5 standard errors of 200 pairs, which is 14 %: the
/// records have the assumed spread, in one direction. A difference half as large is found less than half as often.
#[test]
fn planned_differences_are_found() {
    let study = Study::new("euclidean:1", 1_000, Guarantee::pure(1.0).unwrap(), &[0.5], false);
    let planned = DetectableDifference::of(&*study.plan).unwrap();
    assert_eq!((planned.power, planned.assumed_spread), (0.8, 0.5));
    let found = |shift: f64| {
        let finds = |i: u64| {
            let [a, b] = [study.released(2 * i, -0.5 * shift), study.released(2 * i + 1, 0.5 * shift)];
            compare(&[&a, &b]).unwrap().differ
        };
        (0..200).into_par_iter().filter(|i| finds(*i)).count() as f64 / 200.0
    };
    let at = found(planned.distance);
    assert!((0.66..0.94).contains(&at), "{at}");
    assert!(found(0.5 * planned.distance) < 0.4);
}
