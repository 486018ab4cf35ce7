//! Releases whose sums two aggregators add up, each with noise of its own.

use karcher::features::Features;
use karcher::mechanism::{Plan, RoundState, best};
use karcher::noise::{Generator, Integer, nearest};
use karcher::privacy::{Definition, Guarantee, flat_laplace_epsilon_for_rho, mu_for, pure_epsilon_for_rho};
use karcher::records::{Observations, PrivacyUnit};
use karcher::release::{Adjacency, NoiseLaw, PublishedRelease, StatisticName};
use karcher::spec::{BallSpec, Clusters, NumericsPolicy, Trust};
use karcher::{Manifold, Points, Release, ReleaseContext, ReleaseSpec, Space};

fn spec(statistic: StatisticName, space: &str, budget: Guarantee) -> ReleaseSpec {
    let mut spec = ReleaseSpec::new(statistic, budget);
    spec.manifold = Some(space.parse::<Space>().unwrap());
    spec.trust = Some(Trust::OneOfTwo);
    if statistic != StatisticName::ExtrinsicMean {
        let manifold = spec.manifold().unwrap();
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        spec.ball = Some(BallSpec::Known { center, radius: 0.6 });
    }
    if statistic == StatisticName::KMeans {
        spec.clusters = Some(Clusters::new(2));
    }
    if statistic == StatisticName::FeatureRegression {
        spec.features = Some(Features::new(vec!["linear:age:0:1".parse().unwrap()]).unwrap());
    }
    spec
}

fn budgets() -> [Guarantee; 5] {
    [
        Guarantee::pure(1.5).unwrap(),
        Guarantee::approximate(1.5, 1e-6).unwrap(),
        Guarantee::gaussian(0.8).unwrap(),
        Guarantee::concentrated(0.3).unwrap(),
        Guarantee::concentrated(6.0).unwrap(), // on a line it is kept by Laplace noise
    ]
}

/// Settings with a plan.
fn settings() -> Vec<ReleaseSpec> {
    let mut all = vec![];
    for budget in budgets() {
        all.push(spec(StatisticName::FrechetMean, "euclidean:3", budget));
        all.push(spec(StatisticName::FrechetMean, "spd-log-euclidean:2", budget));
        all.push(spec(StatisticName::ExtrinsicMean, "sphere:2", budget));
        all.push(spec(StatisticName::FeatureRegression, "euclidean:2", budget));
        all.push(spec(StatisticName::FrechetVariance, "sphere:2", budget));
        all.push(spec(StatisticName::FrechetVariance, "hyperbolic:2", budget));
        let covariance = spec(StatisticName::Covariance, "euclidean:2", budget);
        all.extend([covariance.clone(), covariance]);
        all.push(spec(StatisticName::Quantiles, "euclidean:1", budget));
        all.push(spec(StatisticName::Quantiles, "sphere:2", budget));
        all.push(spec(StatisticName::KMeans, "sphere:2", budget));
        all.push(spec(StatisticName::KMeans, "hyperbolic:2", budget));
        if !matches!(budget.definition(), karcher::privacy::Definition::Pure { .. }) {
            let mut flow = spec(StatisticName::FrechetMean, "sphere:2", budget);
            flow.steps = Some(3);
            flow.mechanism = serde_json::from_str("\"karcher-flow\"").unwrap();
            all.push(flow);
        }
    }
    all.iter_mut().skip(1).step_by(2).for_each(|spec| {
        spec.adjacency = karcher::release::Adjacency::AddRemove;
        spec.n_guess = Some(400);
    });
    all
}

/// Points near the origin of a space.
fn records(manifold: &dyn Manifold, n: usize) -> Vec<f64> {
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let point = |i: usize| {
        let c: Vec<f64> = (0..manifold.dim()).map(|j| 0.1 + 0.2 * (1.7 * i as f64 + 2.3 * j as f64).sin()).collect();
        let (mut v, mut x) = (vec![0.0; origin.len()], vec![0.0; origin.len()]);
        manifold.from_frame(&origin, &c, &mut v);
        manifold.exp(&origin, &v, &mut x);
        manifold.repair(&mut x);
        x
    };
    (0..n).flat_map(point).collect()
}

/// The integers of each round that two aggregators add up from two sites, and the release.
fn aggregated(
    plan: &dyn Plan,
    sites: [&Points; 2],
    [first, second]: [&mut Generator; 2],
) -> (Vec<Vec<Integer>>, Release) {
    let rounds = plan.in_rounds().unwrap();
    let (mut state, mut all) = (RoundState::default(), vec![]);
    while state.rounds() < rounds.rounds() {
        let round = rounds.round(&state).unwrap();
        let parts = sites.map(|site| round.integers(&round.query().answer(Observations::new(site)).unwrap()));
        let noise = [round.noise(first), round.noise(second)];
        let sum: Vec<Integer> = (0..round.len())
            .map(|i| noise.iter().map(|n| n[i].clone()).sum::<Integer>() + parts[0][i] + parts[1][i])
            .collect();
        state = rounds.after(state, sum.iter().map(nearest).collect()).unwrap();
        all.push(sum);
    }
    let release = rounds.release(&state, PrivacyUnit::Record, &mut ReleaseContext::from_os().unwrap()).unwrap();
    (all, release)
}

#[test]
fn a_release_of_aggregators_is_planned_verified_and_states_whom_to_trust() {
    for spec in settings() {
        let what = serde_json::to_string(&spec).unwrap();
        let plan = spec.plan(400).unwrap();
        let manifold = spec.space_of_records().unwrap();
        let numbers = records(&*manifold, 400);
        let half = 150 * manifold.point_len();
        let [all, one, other] = [&numbers[..], &numbers[..half], &numbers[half..]]
            .map(|numbers| Points::new(&*manifold, numbers.to_vec()).unwrap());
        let refused = plan.run(&all, &mut ReleaseContext::from_os().unwrap()).unwrap_err();
        assert_eq!(refused.parameter(), Some("trust"), "{what}");
        assert!(refused.to_string().contains("in Python `karcher.aggregate`"), "{refused}");
        let mut generators = [3, 4].map(Generator::seeded);
        let [first, second] = &mut generators;
        let (_, release) = aggregated(&*plan, [&one, &other], [first, second]);
        assert_eq!(release.guarantee(), spec.budget, "{what}");
        let text = serde_json::to_string(&release).unwrap();
        assert!(text.contains("\"trust\":\"one of two aggregators\""), "{text}");
        let published: PublishedRelease = serde_json::from_str(&text).unwrap();
        let found = published.verify();
        assert!(found.is_empty(), "{what}: {found:?}");
        let edited = text.replacen("\"trust\":\"one of two aggregators\",", "", 1);
        let edited: PublishedRelease = serde_json::from_str(&edited).unwrap();
        assert!(!edited.verify().is_empty(), "{what}");
    }
}

/// The noise of each party is as wide as the one of a curator with the whole budget: it keeps the budget alone. What is
/// stated to be drawn is that of one party.
#[test]
fn the_noise_of_one_party_is_enough() {
    for spec in settings() {
        let what = serde_json::to_string(&spec).unwrap();
        let plan = spec.plan(400).unwrap();
        // (ε, δ) is kept by normal noise here, and pure ε by Laplace noise
        let budget = match spec.budget.definition() {
            Definition::Approximate { epsilon, delta } => Guarantee::gaussian(mu_for(epsilon, delta).unwrap()).unwrap(),
            Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => spec.budget,
        };
        let mut alone = ReleaseSpec { trust: None, budget, ..spec.clone() };
        alone.mechanism = serde_json::from_str(&format!("\"{}\"", plan.name())).unwrap();
        let curator = alone.plan(400).unwrap();
        for (of_party, of_curator) in plan.summary().noise.iter().zip(&curator.summary().noise) {
            let ratio = of_party.scale / of_curator.scale;
            // parties draw noise of the length, in which a vector with its square moves by 1/√2 of the nuclear norm
            let (law, shorter) = match of_curator.law == NoiseLaw::NuclearLaplace {
                true => (NoiseLaw::Laplace, std::f64::consts::FRAC_1_SQRT_2),
                false => (of_curator.law, 1.0),
            };
            assert_eq!(of_party.law, law, "{what}");
            // a curator's Laplace noise on vectors keeps ρ by its own divergences, that of a party by its pure ε
            let numbers = of_party.space.as_ref().map_or(1, |space| space.manifold().unwrap().dim());
            let expected = match spec.budget.definition() {
                Definition::Concentrated { rho } if of_party.law == NoiseLaw::Laplace => {
                    flat_laplace_epsilon_for_rho(numbers, rho).unwrap() / pure_epsilon_for_rho(rho).unwrap()
                }
                Definition::Pure { .. }
                | Definition::Approximate { .. }
                | Definition::Gaussian { .. }
                | Definition::Concentrated { .. } => shorter,
            };
            assert!((ratio / expected - 1.0).abs() < 1e-6, "{what}: {ratio} {expected}");
            let wider = plan.scale() / curator.scale() / ratio;
            assert!((1.414..1.5001).contains(&wider), "{what}: {wider}");
        }
        assert_eq!(plan.summary().noise.len(), curator.summary().noise.len(), "{what}");
    }
}

/// Every mechanism is compared with the noise of two parties on it, and the best one is the one of the plan.
#[test]
fn candidates_are_those_of_aggregators() {
    for spec in settings().into_iter().filter(|spec| spec.steps.is_none()) {
        let what = serde_json::to_string(&spec).unwrap();
        let (plan, all) = (spec.plan(400).unwrap(), spec.candidates(400).unwrap());
        let chosen = best(&all, NumericsPolicy::Exact).unwrap();
        assert_eq!(all[chosen].plan.as_ref().unwrap().scale(), plan.scale(), "{what}");
    }
    let curved = spec(StatisticName::FrechetMean, "sphere:2", Guarantee::gaussian(1.0).unwrap());
    for candidate in curved.candidates(400).unwrap() {
        match candidate.mechanism.name().name() {
            "karcher-flow" => assert_eq!(candidate.plan.unwrap().scale(), curved.plan(400).unwrap().scale()),
            _ => assert_eq!(candidate.plan.unwrap_err().parameter(), Some("trust")),
        }
    }
}

/// Over 1,500 releases each: the mean error is the stated one within five standard errors, and regions hold 95 % within
/// as many. It would be found if one of the two draws were left out.
#[test]
fn errors_are_those_of_two_draws() {
    let runs = 1_500;
    for (space, budget) in [
        ("euclidean:1", Guarantee::pure(1.0).unwrap()),
        ("euclidean:3", Guarantee::pure(1.0).unwrap()),
        ("euclidean:3", Guarantee::gaussian(1.0).unwrap()),
        ("euclidean:1", Guarantee::concentrated(6.0).unwrap()),
    ] {
        let mut spec = spec(StatisticName::FrechetMean, space, budget);
        spec.denoise = Some(karcher::spec::Denoise::None);
        let plan = spec.plan(400).unwrap();
        let manifold = spec.manifold().unwrap();
        let numbers = records(&*manifold, 400);
        let half = numbers.len() / 2;
        let [one, other] =
            [&numbers[..half], &numbers[half..]].map(|numbers| Points::new(&*manifold, numbers.to_vec()).unwrap());
        let dim = manifold.dim();
        let mean: Vec<f64> = (0..dim).map(|j| numbers.iter().skip(j).step_by(dim).sum::<f64>() / 400.0).collect();
        let mut generators = [5, 6].map(Generator::seeded);
        let (mut errors, mut held) = (vec![], 0);
        for _ in 0..runs {
            let [first, second] = &mut generators;
            let (_, release) = aggregated(&*plan, [&one, &other], [first, second]);
            let error = release.value().iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>().sqrt();
            held += usize::from(error <= release.region().unwrap().radius);
            errors.push(error);
        }
        let found = errors.iter().sum::<f64>() / runs as f64;
        let deviation = (errors.iter().map(|x| (x - found).powi(2)).sum::<f64>() / runs as f64).sqrt();
        let (expected, standard) = (plan.expected_distance(), deviation / (runs as f64).sqrt());
        assert!((found - expected).abs() < 5.0 * standard, "{space} {budget}: {found} {expected}");
        assert!(expected / 2.0_f64.sqrt() < found - 5.0 * standard, "one draw would not be told apart");
        let share = held as f64 / runs as f64;
        assert!(share > 0.95 - 0.028, "{space} {budget}: {share}"); // five standard errors
    }
}

/// The interval of a count holds 95 % of 20,000 sums of two draws, within five standard errors; that of one draw would
/// not.
#[test]
fn a_count_of_two_parties_states_the_noise_of_both() {
    for budget in budgets() {
        let alone = karcher::mechanism::CountPlan::new(budget).unwrap();
        let plan = alone.clone().trusting(Trust::OneOfTwo).unwrap();
        assert_eq!(plan.guarantee(), alone.guarantee());
        let round = plan.round().unwrap();
        let mut generators = [11, 12].map(Generator::seeded);
        let (mut held, mut held_by_one) = (0, 0);
        for _ in 0..20_000 {
            let noise: Integer = generators.iter_mut().map(|generator| round.noise(generator)[0].clone()).sum();
            let count = plan.release(nearest(&noise) + 1e6, &mut ReleaseContext::from_os().unwrap()).unwrap();
            held += u32::from(count.interval[0] <= 1e6 && 1e6 <= count.interval[1]);
            held_by_one += u32::from((count.noisy_value - 1e6).abs() <= alone.scale() * 1.96);
        }
        assert!(f64::from(held) / 2e4 > 0.95 - 5.0 * (0.0475_f64 / 2e4).sqrt(), "{budget}: {held}");
        assert!(f64::from(held_by_one) / 2e4 < 0.9, "{budget}: {held_by_one}");
        assert_eq!(plan.run_on(3, &mut ReleaseContext::from_os().unwrap()).unwrap_err().parameter(), Some("trust"));
    }
}

/// What is computed from a release counts the noise of both parties, though it states that of one.
#[test]
fn errors_from_a_release_are_those_of_both() {
    let means = [StatisticName::FrechetMean, StatisticName::ExtrinsicMean];
    for spec in settings().into_iter().filter(|spec| means.contains(&spec.statistic)) {
        let what = serde_json::to_string(&spec).unwrap();
        let (manifold, plan) = (spec.manifold().unwrap(), spec.plan(400).unwrap());
        let is_pooled = spec.adjacency == Adjacency::ReplaceOne || spec.statistic == StatisticName::FrechetMean;
        if plan.name().name() == "karcher-flow" || !is_pooled {
            continue; // the errors of a flow follow from its region
        }
        let numbers = records(&*manifold, 400);
        let half = numbers.len() / 2;
        let [one, other] =
            [&numbers[..half], &numbers[half..]].map(|numbers| Points::new(&*manifold, numbers.to_vec()).unwrap());
        let mut generators = [3, 4].map(Generator::seeded);
        let [first, second] = &mut generators;
        let (_, release) = aggregated(&*plan, [&one, &other], [first, second]);
        let published = PublishedRelease::from(release);
        let stated = published.provenance.noise[0].scale;
        let mut alone = published.clone();
        alone.provenance.trust = None;
        alone.provenance.spec = None;
        alone.provenance.scale = stated;
        let [of_both, of_one] = [&published, &alone].map(|of| karcher::release::pool(&[of], None).unwrap().noise_error);
        let ratio = of_both / of_one;
        assert!((1.4..1.51).contains(&ratio), "{what}: {ratio}");
    }
}

/// A plan that draws its own noise makes no release of sums without it.
#[test]
fn sums_without_noise_are_not_released() {
    for spec in settings() {
        let spec = ReleaseSpec { trust: None, ..spec };
        let Ok(plan) = spec.plan(400) else { continue };
        let Some(rounds) = plan.in_rounds() else { continue };
        let mut state = RoundState::default();
        while state.rounds() < rounds.rounds() {
            let nothing = vec![0.0; rounds.round(&state).unwrap().len()];
            state = rounds.after(state, nothing).unwrap();
        }
        let refused = rounds.release(&state, PrivacyUnit::Record, &mut ReleaseContext::from_os().unwrap()).unwrap_err();
        assert!(refused.to_string().contains("run the plan on records"), "{refused}");
    }
}

#[test]
fn what_no_aggregator_can_add_up_is_refused() {
    let pure = Guarantee::pure(1.0).unwrap();
    let curved = spec(StatisticName::FrechetMean, "sphere:2", pure).plan(100).unwrap_err();
    assert!(curved.to_string().contains("the Karcher flow never gives pure"), "{curved}");
    let median = spec(StatisticName::GeometricMedian, "euclidean:2", pure).plan(100).unwrap_err();
    assert_eq!(median.parameter(), Some("trust"), "{median}");
    let mut with_spread = spec(StatisticName::FrechetMean, "euclidean:2", pure);
    with_spread.spread = Some(karcher::spec::Spread { clip: None });
    assert_eq!(with_spread.plan(100).unwrap_err().parameter(), Some("spread"));
    let mut with_cost = spec(StatisticName::KMeans, "euclidean:2", pure);
    with_cost.clusters = Some(Clusters { cost: true, ..Clusters::new(2) });
    assert_eq!(with_cost.plan(100).unwrap_err().parameter(), Some("clusters"));
    assert!(spec(StatisticName::FrechetMean, "sphere:2", Guarantee::gaussian(1.0).unwrap()).plan(100).is_ok());
}
