//! Audits of k-means, of descents, of scores and of choices: what is shipped keeps its promise, and a twelfth of the noise is found. Wrong
//! with probability 10⁻⁶ at most; seeds are fixed.

use crate::common::{manifold, squared};
use karcher::audit::{Audit, Effort, Neighbours, Published, audit_releases};
use karcher::mechanism::{Plan, PrivateDescent, PrivateKMeans, PrivateScore, PrivateSelection, Request, Statistic};
use karcher::release::{Adjacency, Release};
use karcher::sampler::Generator;
use karcher::spec::{Clusters, Descent, Metric, Score};
use karcher::{Ball, Points, privacy::Guarantee};

const N: usize = 9;

/// One of the records is replaced, or is missing from the second data set.
fn pair(adjacency: Adjacency, shared: &[f64], [one, other]: [f64; 2]) -> Neighbours {
    let line = manifold("euclidean:1");
    let with = |more: &[f64]| Points::new(&*line, [shared, more].concat()).unwrap();
    let less = if adjacency == Adjacency::ReplaceOne { with(&[other]) } else { with(&[]) };
    let data = [with(&[one]), less];
    Neighbours { name: "far apart", data, means: [vec![0.0], vec![0.0]] }
}

/// An audit of a plan that claims another guarantee than it has. `numbers` are what is scored.
fn audit_of(
    (plan, claim): (&dyn Plan, Guarantee),
    pair: Neighbours,
    numbers: impl Fn(&Release) -> f64 + Sync,
) -> Audit {
    let line = manifold("euclidean:1");
    audit_releases(
        (&*line, &plan.summary().ball),
        claim,
        &[pair],
        |points, context| Ok(Published::from(vec![numbers(&plan.run(points, context)?)])),
        |_, x| x[0],
        Effort { releases: 3_000, error_probability: 1e-6 },
        &mut Generator::seeded(5),
        &|_| (),
    )
    .unwrap()
}

/// A plan for each budget: what is shipped, and what has a twelfth of the noise.
fn keeps_its_promise(
    statistic: impl Statistic + Clone,
    pair: impl Fn(Adjacency) -> Neighbours,
    numbers: impl Fn(&Release) -> f64 + Sync,
) {
    let budgets = [|size| Guarantee::gaussian(size).unwrap(), |size| Guarantee::pure(size).unwrap()];
    for (adjacency, budget) in [Adjacency::ReplaceOne, Adjacency::AddRemove].into_iter().zip(budgets) {
        let plan = |size| Request::new(statistic.clone(), N, budget(size)).adjacency(adjacency).plan().unwrap();
        let shipped = audit_of((&*plan(1.0), budget(1.0)), pair(adjacency), &numbers);
        assert!(shipped.passed, "{adjacency:?}: {shipped:?}");
        let planted = audit_of((&*plan(12.0), budget(1.0)), pair(adjacency), &numbers);
        assert!(planted.refuted(), "{adjacency:?}: {planted:?}: no power");
    }
}

/// From two public centers, one step: a record changes from one cluster to the other.
#[test]
fn clusters_keep_their_promise() {
    let line = manifold("euclidean:1");
    let clusters = Clusters { centers: Some(vec![vec![-0.5], vec![0.5]]), ..Clusters::new(2) };
    let k_means = PrivateKMeans::new(line.clone(), Ball::at_origin(&*line, 1.0).unwrap(), clusters).unwrap();
    let shared = [-0.5, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5, 0.5];
    let right = |release: &Release| {
        let clusters = &release.clusters().unwrap().clusters;
        let (a, b) = (&clusters[0], &clusters[1]);
        if a.center[0] > b.center[0] { a.noisy_count } else { b.noisy_count }
    };
    keeps_its_promise(k_means, |adjacency| pair(adjacency, &shared, [1.0, -1.0]), right);
}

/// Three steps on squared distances: a record far out on either side.
#[test]
fn descents_keep_their_promise() {
    let line = manifold("euclidean:1");
    let steps =
        Descent { records: "euclidean:1".parse().unwrap(), clip: 1.0, step_sizes: vec![1.0, 0.5, 0.5], loss: None };
    let ball = Ball::at_origin(&*line, 50.0).unwrap();
    let descent = PrivateDescent::new(line.clone(), ball, steps).unwrap().gradient(squared(&line)).unwrap();
    keeps_its_promise(
        descent,
        |adjacency| pair(adjacency, &[0.0; N - 1], [100.0, -100.0]),
        |release| release.value()[0],
    );
}

/// A right prediction that becomes a wrong one.
#[test]
fn accuracies_keep_their_promise() {
    let accuracy = PrivateScore::new(Score::new(Metric::Accuracy)).unwrap();
    keeps_its_promise(
        accuracy,
        |adjacency| pair(adjacency, &[1.0; N - 1], [1.0, 0.0]),
        |release| release.score().unwrap().noisy_counts[0],
    );
}

/// Of two candidates one has a record more, or the other: where they are nearly equal, what is chosen shows it best.
#[test]
fn choices_keep_their_promise() {
    let plane = manifold("euclidean:2");
    let models = PrivateSelection::new(vec!["a".to_owned(), "b".to_owned()]).unwrap();
    let data = |last: [f64; 2]| {
        Points::new(&*plane, [[1.0, 0.0].repeat(4), [0.0, 1.0].repeat(4), last.to_vec()].concat()).unwrap()
    };
    let data = [data([1.0, 0.0]), data([0.0, 1.0])];
    let pair = || Neighbours { name: "one vote", data: data.clone(), means: [vec![0.0; 2], vec![0.0; 2]] };
    let audit_with = |budget: Guarantee, claim: Guarantee| {
        let plan = Request::new(models.clone(), N, budget).plan().unwrap();
        audit_releases(
            (&*plane, &plan.summary().ball),
            claim,
            &[pair()],
            |points, context| {
                let chosen = plan.run(points, context)?.selection().map_or(0, |chosen| chosen.selected);
                Ok(Published::from(vec![chosen as f64, 0.0]))
            },
            |_, x| x[0],
            Effort { releases: 20_000, error_probability: 1e-6 },
            &mut Generator::seeded(6),
            &|_| (),
        )
        .unwrap()
    };
    for budget in [|size| Guarantee::pure(size).unwrap(), |size| Guarantee::gaussian(size).unwrap()] {
        let shipped = audit_with(budget(0.5), budget(0.5));
        assert!(shipped.passed || !shipped.refuted(), "{shipped:?}");
        assert!(audit_with(budget(6.0), budget(0.5)).refuted(), "no power");
    }
}
