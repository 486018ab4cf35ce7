//! All parties of a release, in one process.

use crate::aggregator::{Aggregator, NoisyShare};
use crate::combined::{Combined, combine, noisy_integers};
use crate::key::{PublicKey, SecretKey, VerifyKey, text};
use crate::report::{Report, context};
use crate::{Journal, Mode, Task};
use karcher::mechanism::RoundState;
use karcher::noise::{Generator, Integer};
use karcher::records::{ExactSum, Observations};
use karcher::release::{Adjacency, LedgerEntry, PublishedRelease};
use karcher::{Points, Release, ReleaseSpec};
use prio::codec::Encode;
use prio::vdaf::Client;
use proptest::prelude::*;

mod large;
mod once;
mod verdicts;

const TRUST: &str = r#""trust": "one of two aggregators""#;

fn spec(text: &str) -> ReleaseSpec {
    serde_json::from_str(&format!("{{\"spec\": 1, {text}, {TRUST}}}")).unwrap()
}

fn mean_on_the_plane(budget: &str) -> ReleaseSpec {
    spec(&format!(
        r#""statistic": "frechet-mean", "manifold": "euclidean:2", "ball": {{"center": [0.0, 0.0], "radius": 1.0}},
           "budget": {budget}"#
    ))
}

const MU: &str = r#"{"definition": "gaussian", "mu": 1.0}"#;
const EPSILON: &str = r#"{"definition": "pure", "epsilon": 1.0}"#;

/// Two aggregators.
struct Pair {
    both: [Aggregator; 2],
    keys: [PublicKey; 2],
    journals: [Journal; 2],
}

impl Pair {
    fn new() -> Self {
        let verify = VerifyKey::generate().unwrap();
        let keys = [SecretKey::generate(&verify).unwrap(), SecretKey::generate(&verify).unwrap()];
        let public = [keys[0].public(), keys[1].public()];
        let journals = [Journal::in_memory().unwrap(), Journal::in_memory().unwrap()];
        Self { both: keys.map(Aggregator::new), keys: public, journals }
    }

    fn task(&self, spec: &ReleaseSpec, n: usize, mode: Mode, name: &str) -> Task {
        Task::new(spec.clone(), n, mode, name, self.keys.clone()).unwrap()
    }

    /// The noisy sums of both, with noise of seeds.
    fn aggregate(&mut self, task: &Task, reports: &[Report], seeds: [u64; 2]) -> crate::Result<[NoisyShare; 2]> {
        let check = |i: usize| self.both[i].check(task, reports, &self.journals[i]);
        let checked = [check(0)?, check(1)?];
        let mut one = |i: usize| {
            let sum = self.both[i].add_up(task, reports, &checked[1 - i], &self.journals[i])?;
            sum.add_noise(&mut self.journals[i], None, &mut Generator::seeded(seeds[i]))
        };
        Ok([one(0)?, one(1)?])
    }
}

/// Points of the space of the specification's records, a list for each reporter.
fn reporters(spec: &ReleaseSpec, lists: &[Vec<f64>]) -> Vec<Points> {
    let manifold = spec.space_of_records().unwrap();
    lists.iter().map(|list| Points::new(&*manifold, list.clone()).unwrap()).collect()
}

fn reports(task: &Task, all: &[Points]) -> Vec<Report> {
    let query = task.query();
    let one = |points: &Points| task.report(&query.answer(Observations::new(points)).unwrap()).unwrap();
    all.iter().map(one).collect()
}

/// Settings with their reporters.
fn settings() -> Vec<(ReleaseSpec, Mode, usize, Vec<Vec<f64>>)> {
    let plane = vec![vec![0.5, 0.25, 0.125, 0.0], vec![-0.5, 0.75], vec![3.0, 4.0, 0.0, 1.0]];
    let persons: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i) / 8.0, -0.5]).collect();
    let directions: Vec<Vec<f64>> =
        (0..4).map(|i| vec![0.6, 0.0, 0.8, 0.0, f64::from(i % 2), f64::from(1 - i % 2)]).collect();
    let add_remove = |mut spec: ReleaseSpec| {
        spec.adjacency = Adjacency::AddRemove;
        spec.n_guess = Some(6);
        spec
    };
    let extrinsic = spec(&format!(r#""statistic": "extrinsic-mean", "manifold": "sphere:2", "budget": {EPSILON}"#));
    let flow = spec(&format!(
        r#""statistic": "frechet-mean", "manifold": "sphere:2", "ball": {{"center": [0.0, 0.0, 1.0], "radius": 0.9}},
           "mechanism": "karcher-flow", "steps": 3, "budget": {MU}"#
    ));
    let line = spec(&format!(
        r#""statistic": "feature-regression", "manifold": "euclidean:1", "ball": {{"center": [0.0], "radius": 1.0}},
           "features": ["linear:age:0:1"], "budget": {MU}"#
    ));
    let variance = spec(&format!(
        r#""statistic": "frechet-variance", "manifold": "sphere:2", "ball": {{"center": [0.0, 0.0, 1.0], "radius": 0.9}},
           "budget": {EPSILON}"#
    ));
    let rows: Vec<Vec<f64>> = (0..6).map(|i| vec![0.1 * f64::from(i), 1.0, 0.2 * f64::from(i)]).collect();
    vec![
        (mean_on_the_plane(MU), Mode::Sites, 5, plane.clone()),
        (mean_on_the_plane(EPSILON), Mode::Persons, 9, persons),
        (add_remove(mean_on_the_plane(MU)), Mode::Sites, 0, plane),
        (add_remove(flow.clone()), Mode::Sites, 0, directions.clone()),
        (extrinsic, Mode::Sites, 8, directions.clone()),
        (variance.clone(), Mode::Sites, 8, directions.clone()),
        (add_remove(variance), Mode::Sites, 0, directions.clone()),
        (flow, Mode::Sites, 8, directions),
        (line, Mode::Persons, 6, rows),
    ]
}

/// Two sites have 300 and 112 records. Without noise their number would be 412; with the noise of both it is off by
/// that of two draws, and a reader can verify the release.
#[test]
fn sites_count_their_records() {
    let spec = ReleaseSpec { trust: Some(karcher::spec::Trust::OneOfTwo), ..counted(EPSILON) };
    let mut pair = Pair::new();
    let task = pair.task(&spec, 500, Mode::Sites, "");
    let reports: Vec<Report> =
        [300, 112].map(|n| task.report(&karcher::records::ExactSum::counting(n)).unwrap()).into();
    assert!(reports.iter().all(|report| report.records.is_none())); // their numbers are confidential
    let shares = pair.aggregate(&task, &reports, [7, 8]).unwrap();
    let Combined::Count(count) = combine(&task, &shares).unwrap() else { panic!("a count takes one round") };
    let noise: Vec<Integer> =
        [7, 8].into_iter().flat_map(|seed| task.round().noise(&mut Generator::seeded(seed))).collect();
    let expected = karcher::noise::nearest(&(noise[0].clone() + &noise[1] + Integer::from(412)));
    assert_eq!((count.noisy_value, count.trust), (expected, spec.trust));
    assert!(count.verify().is_empty(), "{:?}", count.verify());
    let persons = Task::new(spec, 500, Mode::Persons, "", pair.keys.clone()).unwrap_err();
    assert!(persons.to_string().contains("add-remove"), "{persons}");
    let no_parties = counted(EPSILON).count_plan().unwrap().round().unwrap_err();
    assert!(no_parties.to_string().contains("run the plan on records"), "{no_parties}");
}

fn counted(budget: &str) -> ReleaseSpec {
    let text = format!(r#"{{"spec": 1, "statistic": "count", "adjacency": "add-remove", "budget": {budget}}}"#);
    serde_json::from_str(&text).unwrap()
}

/// The integers that the collector decodes are those of one process: the sum over all records, and two draws of noise.
#[test]
fn the_integers_are_those_of_one_process() {
    for (spec, mode, n, lists) in settings() {
        let (mut pair, all) = (Pair::new(), reporters(&spec, &lists));
        let mut task = pair.task(&spec, n, mode, "");
        let plan = task.spec().plan(n).unwrap();
        let rounds = plan.in_rounds().unwrap();
        let mut alone = RoundState::default();
        let release: Release = loop {
            let seeds = [7 + alone.rounds() as u64, 100 + alone.rounds() as u64];
            let shares = pair.aggregate(&task, &reports(&task, &all), seeds).unwrap();

            let round = rounds.round(&alone).unwrap();
            let mut expected = vec![Integer::ZERO; round.len()];
            for points in &all {
                let own = round.integers(&round.query().answer(Observations::new(points)).unwrap());
                expected.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
            for seed in seeds {
                let noise = round.noise(&mut Generator::seeded(seed));
                expected.iter_mut().zip(noise).for_each(|(sum, noise)| *sum += noise);
            }
            let found = noisy_integers(&task, &shares).unwrap();
            assert_eq!(found, expected, "{spec:?}");
            let noisy = found.iter().map(karcher::noise::nearest).collect();
            alone = rounds.after(alone, noisy).unwrap();
            match combine(&task, &shares).unwrap() {
                Combined::Count(_) => unreachable!(),
                Combined::Next(state) => {
                    assert_eq!(state, alone);
                    task = task.after(state).unwrap();
                }
                Combined::Release(release) => break *release,
            }
        };
        assert_eq!(alone.rounds(), rounds.rounds());
        let published: PublishedRelease = serde_json::from_str(&serde_json::to_string(&release).unwrap()).unwrap();
        assert!(published.verify().is_empty(), "{:?}", published.verify());
        assert_eq!(release.guarantee(), spec.budget);
    }
}

/// An aggregator that is asked again sends the same bytes. Another sum of the same round is refused, and so is a report
/// that was in a batch before.
#[test]
fn noise_is_added_once() {
    let spec = mean_on_the_plane(MU);
    let (mut pair, all) = (Pair::new(), reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0], vec![0.0, 1.0]]));
    let task = pair.task(&spec, 3, Mode::Sites, "monday");
    let sent = reports(&task, &all);
    let first = pair.aggregate(&task, &sent, [1, 2]).unwrap();
    let shuffled: Vec<Report> = sent.iter().rev().chain(&sent).cloned().collect(); // copies count once
    assert_eq!(pair.aggregate(&task, &shuffled, [3, 4]).unwrap(), first);
    let fewer = pair.aggregate(&task, &sent[..2], [5, 6]).unwrap_err();
    assert!(fewer.to_string().contains("are of 2 records together, and the task is for 3"), "{fewer}");
    let new = reports(&task, &all);
    let again = pair.aggregate(&task, &new, [5, 6]).unwrap_err();
    assert!(again.to_string().contains("was added up before from other reports"), "{again}");
    // the reports are of this task: for another release they are left out
    let tuesday = pair.task(&spec, 3, Mode::Sites, "tuesday");
    let foreign = pair.aggregate(&tuesday, &sent, [5, 6]).unwrap_err().to_string();
    assert!(foreign.contains("have no report with right proofs"), "{foreign}");
    let mixed: Vec<Report> = sent.into_iter().chain(reports(&tuesday, &all)).collect();
    assert!(pair.aggregate(&tuesday, &mixed, [5, 6]).is_ok());
}

/// With a second key of the two, the messages about one report would tell its values: the aggregator with that key
/// cannot open the report.
#[test]
fn a_report_is_checked_with_one_key() {
    let spec = mean_on_the_plane(MU);
    let pair = Pair::new();
    let task = pair.task(&spec, 1, Mode::Persons, "");
    let sent = reports(&task, &reporters(&spec, &[vec![0.5, 0.5]]));
    let journal = Journal::in_memory().unwrap();
    let first = pair.both[0].check(&task, &sent, &journal).unwrap();
    assert_eq!(pair.both[0].check(&task, &sent, &journal).unwrap(), first); // no other message
    let other = Pair::new();
    assert!(other.both[0].check(&task, &sent, &journal).is_err());
    let mixed = [pair.keys[0].clone(), other.keys[1].clone()];
    let refused = Task::new(spec, 1, Mode::Persons, "", mixed).unwrap_err();
    assert!(refused.to_string().contains("share no key"), "{refused}");
    // a private key whose shared key was exchanged
    let verify = VerifyKey::generate().unwrap();
    let key = SecretKey::generate(&VerifyKey::generate().unwrap()).unwrap();
    let mut json = serde_json::to_value(&key).unwrap();
    json["verify"] = serde_json::to_value(&verify).unwrap();
    let exchanged: SecretKey = serde_json::from_value(json).unwrap();
    assert!(exchanged.verify().unwrap_err().to_string().contains("is not that of its public key"));
}

/// The budget is counted once for a release, before noise is added, and not for what is refused.
#[test]
fn the_budget_is_booked_once() {
    let is_flow = |spec: &ReleaseSpec| spec.steps.is_some() && spec.adjacency == Adjacency::ReplaceOne;
    let spec = settings().into_iter().map(|(spec, ..)| spec).find(is_flow).unwrap(); // three rounds
    let mut pair = Pair::new();
    let all = reporters(&spec, &[[0.6, 0.0, 0.8].repeat(8)]);
    let mut task = pair.task(&spec, 8, Mode::Sites, "");
    let mut booked = 0;
    for round in 0..3 {
        let sent = reports(&task, &all);
        let checked = [0, 1].map(|i| pair.both[i].check(&task, &sent, &pair.journals[i]).unwrap());
        let mut sums = vec![];
        for i in [0, 0, 1, 1] {
            let sum = pair.both[i].add_up(&task, &sent, &checked[1 - i], &pair.journals[i]).unwrap();
            let refused = round == 0 && booked == 0;
            let share = sum.with_noise_booked(&mut pair.journals[i], |_| {
                booked += 1;
                let entry = LedgerEntry { ledger: format!("of {i}"), entry: booked };
                if refused { Err("nothing is left".to_owned()) } else { Ok(entry) }
            });
            if let Ok(share) = share {
                sums.push(share);
            }
        }
        assert_eq!(sums.len(), if round == 0 { 3 } else { 4 }); // the first one was refused
        let last = sums.len() - 1;
        assert_eq!(sums[last], sums[last - 1]);
        match combine(&task, &[sums[0].clone(), sums[last].clone()]).unwrap() {
            Combined::Count(_) => unreachable!(),
            Combined::Next(state) => task = task.after(state).unwrap(),
            Combined::Release(release) => {
                assert_eq!(round, 2);
                let entries = [("of 0", 2), ("of 1", 3)];
                let entries = entries.map(|(ledger, entry)| LedgerEntry { ledger: ledger.to_owned(), entry });
                assert_eq!(release.provenance().ledgers, entries);
            }
        }
    }
    assert_eq!(booked, 3); // refused once, then once for each aggregator
}

/// A journal in a file outlives the process.
#[test]
fn a_journal_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let spec = mean_on_the_plane(MU);
    let (mut pair, all) = (Pair::new(), reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0]]));
    let task = pair.task(&spec, 2, Mode::Sites, "");
    let sent = reports(&task, &all);
    pair.journals[0] = Journal::create(folder.path().join("a.db"), &pair.keys[0]).unwrap();
    let first = pair.aggregate(&task, &sent, [1, 2]).unwrap();
    pair.journals[0] = Journal::open(folder.path().join("a.db")).unwrap();
    assert_eq!(pair.journals[0].sum(&task).unwrap().as_ref(), Some(&first[0])); // without the reports
    assert_eq!(pair.aggregate(&task, &sent, [3, 4]).unwrap(), first);
    assert_eq!(pair.journals[0].sum(&pair.task(task.spec(), 2, Mode::Sites, "another")).unwrap(), None);
    assert!(Journal::open(folder.path().join("other.db")).is_err()); // noise could be added twice
    assert!(Journal::create(folder.path().join("a.db"), &pair.keys[0]).is_err());
}

/// An aggregator needs one share of a report, and the other one cannot be opened from it.
#[test]
fn one_share_is_enough_for_an_aggregator() {
    let spec = mean_on_the_plane(MU);
    let pair = Pair::new();
    let task = pair.task(&spec, 2, Mode::Persons, "");
    let sent = reports(&task, &reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0]]));
    let parts = [0, 1].map(|place| sent.iter().map(|report| report.only_for(place)).collect::<Vec<_>>());
    let journal = Journal::in_memory().unwrap();
    for i in [0, 1] {
        let whole = pair.both[i].check(&task, &sent, &journal).unwrap();
        assert_eq!(pair.both[i].check(&task, &parts[i], &journal).unwrap(), whole);
        let other = pair.both[1 - i].check(&task, &parts[1 - i], &journal).unwrap();
        assert_eq!(pair.both[i].add_up(&task, &parts[i], &other, &journal).unwrap().reports(), 2);
        assert!(pair.both[i].add_up(&task, &parts[1 - i], &other, &journal).is_err());
    }
}

/// A report whose proof is wrong is left out, and the others are added up.
#[test]
fn a_liar_is_left_out() {
    let spec = mean_on_the_plane(MU);
    let mut pair = Pair::new();
    let task = pair.task(&spec, 3, Mode::Persons, "");
    let all = reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0]]);
    let mut sent = reports(&task, &all);
    // what no client makes: a thousand times the largest value, in shares of a sharing with a wider range
    let wide = prio::vdaf::prio3::Prio3::new_sum_vec(2, (1 << 51) * 1024, 2, 7).unwrap();
    let (_, range) = task.range();
    for (sharing, value) in [(wide, 1000 * range), (task.sharing(2).unwrap(), range)] {
        let nonce = crate::key::random().unwrap();
        let (public, shares) = sharing.shard(&task.digest(), &vec![value, 0], &nonce).unwrap();
        let (id, public) = (text(&nonce), text(&public.get_encoded().unwrap()));
        let mut bytes = [0, 1].map(|i| shares[i].get_encoded().unwrap());
        bytes[0][3] ^= 1; // one bit of the leader's share
        let sealed = |i: usize| pair.keys[i].seal(&bytes[i], &context(&task, (&id, &public, Some(1)), i)).unwrap();
        sent.push(Report { task: text(&task.digest()), shares: [sealed(0), sealed(1)], id, public, records: Some(1) });
    }
    let shares = pair.aggregate(&task, &sent, [1, 2]).unwrap();
    assert_eq!([shares[0].reports, shares[1].reports], [2, 2]);
    assert!(matches!(combine(&task, &shares).unwrap(), Combined::Release(_)));
    // too many persons are refused
    let four = reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0], vec![0.0, 0.0], vec![0.1, 0.1]]);
    let mut pair = Pair::new();
    let task = pair.task(&spec, 3, Mode::Persons, "");
    let many = reports(&task, &four);
    assert!(pair.aggregate(&task, &many, [1, 2]).unwrap_err().to_string().contains("the task is for 3 persons"));
}

/// Numbers of records that overflow together are refused like any others that do not add up.
#[test]
fn stated_numbers_of_records_may_be_of_any_size() {
    let mut pair = Pair::new();
    let task = pair.task(&mean_on_the_plane(MU), 3, Mode::Sites, "");
    let report = || {
        let nonce = crate::key::random().unwrap();
        let (public, shares) = task.sharing(2).unwrap().shard(&task.digest(), &vec![1; 2], &nonce).unwrap();
        let (id, public, records) = (text(&nonce), text(&public.get_encoded().unwrap()), Some(u64::MAX));
        let bytes = [0, 1].map(|i| shares[i].get_encoded().unwrap());
        let sealed = |i: usize| task.keys()[i].seal(&bytes[i], &context(&task, (&id, &public, records), i)).unwrap();
        Report { task: text(&task.digest()), shares: [sealed(0), sealed(1)], id, public, records }
    };
    let refused = pair.aggregate(&task, &[report(), report()], [1, 2]).unwrap_err();
    assert!(refused.to_string().contains("are of 36893488147419103230 records together"), "{refused}");
}

/// The share of one aggregator has the same law for every report. Over 2,000 reports of one record each bit is even,
/// within five standard errors (3e-4 for all bits together). The two records are as far apart as can be.
#[test]
fn what_one_aggregator_sees_is_uniform() {
    let spec = mean_on_the_plane(MU);
    let task = Pair::new().task(&spec, 1, Mode::Persons, "");
    let query = task.query();
    let sharing = task.sharing(2).unwrap();
    for record in [vec![1.0, 0.0], vec![-1.0, 0.0]] {
        let points = reporters(&spec, &[record]).remove(0);
        let sum = query.answer(Observations::new(&points)).unwrap();
        let (shift, _) = task.range();
        let measurement: Vec<u128> = sum.integers().iter().map(|z| (z + shift as i128) as u128).collect();
        let mut ones = [[0_u32; 126]; 2];
        for _ in 0..2_000 {
            let nonce = crate::key::random().unwrap();
            let (public, shares) = sharing.shard(&[], &measurement, &nonce).unwrap();
            for (from, share) in shares.iter().enumerate() {
                let started =
                    prio::vdaf::Aggregator::verify_init(&sharing, &[0; 32], &[], from, &(), &nonce, &public, share);
                // the first coordinate of the share, from the state of the verification
                let (state, _) = started.unwrap();
                let bytes = state.get_encoded().unwrap();
                let number = u128::from_le_bytes(bytes[..16].try_into().unwrap()); // of the second, a seed
                (0..126).for_each(|bit| ones[from][bit] += (number >> bit & 1) as u32);
            }
        }
        for ones in ones.as_flattened() {
            assert!((f64::from(*ones) - 1_000.0).abs() < 5.0 * 500.0_f64.sqrt(), "{ones}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_a_sentence() {
    let pair = Pair::new();
    let plain: ReleaseSpec = ReleaseSpec { trust: None, ..mean_on_the_plane(MU) };
    assert_eq!(pair.task(&plain, 3, Mode::Sites, "").spec(), &mean_on_the_plane(MU));
    let mut open = mean_on_the_plane(MU);
    open.adjacency = Adjacency::AddRemove;
    open.n_guess = Some(3);
    let refused = Task::new(open.clone(), 0, Mode::Persons, "", pair.keys.clone()).unwrap_err();
    assert!(refused.to_string().contains("take replace-one"));
    let task = pair.task(&mean_on_the_plane(MU), 1, Mode::Sites, "");
    let many = reporters(task.spec(), &[[1.0, 0.0].repeat(90)]).remove(0);
    let sum = task.query().answer(Observations::new(&many)).unwrap();
    assert!(task.report(&sum).unwrap_err().to_string().contains("is of 90 records, and the task is for 1 in all"));
    // where the number is confidential, there is room for more than was planned for
    assert!(pair.task(&open, 0, Mode::Sites, "").report(&sum).is_ok());
    let counts = pair.task(&counted(EPSILON), 9, Mode::Sites, "");
    assert!(counts.report(&ExactSum::counting(1 << 36)).is_ok());
    let beyond = counts.report(&ExactSum::counting((1 << 36) + 1)).unwrap_err().to_string();
    assert!(beyond.contains("is of 68719476737 records, and a site reports 68719476736 at most"), "{beyond}");
    let twice = [pair.keys[0].clone(), pair.keys[0].clone()];
    assert!(Task::new(open, 0, Mode::Sites, "", twice).unwrap_err().to_string().contains("one aggregator"));
    assert!(task.after(RoundState::default()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A collector may send any state: it is refused, or there is a round from it.
    #[test]
    fn any_state_is_a_round_or_an_error(
        rounds in 0_usize..4,
        numbers in prop::collection::vec(prop_oneof![-2.0..2.0, any::<f64>()], 0..6),
    ) {
        let json = serde_json::json!({"rounds": rounds, "numbers": numbers});
        let Ok(state) = serde_json::from_value::<RoundState>(json) else { return Ok(()) };
        let pair = Pair::new();
        for (spec, mode, n, lists) in settings() {
            let Ok(task) = pair.task(&spec, n, mode, "").after(state.clone()) else { continue };
            prop_assert_eq!(reports(&task, &reporters(&spec, &lists)).len(), lists.len());
        }
    }

    /// Whatever is changed in a report, nothing panics, and it is refused or left out.
    #[test]
    fn an_edited_report_changes_nothing(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let spec = mean_on_the_plane(MU);
        let mut pair = Pair::new();
        let task = pair.task(&spec, 2, Mode::Persons, "");
        let sent = reports(&task, &reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0]]));
        let mut json = serde_json::to_vec(&sent[0]).unwrap();
        let at = at.index(json.len());
        json[at] = byte;
        let Ok(edited) = serde_json::from_slice::<Report>(&json) else { return Ok(()) };
        let is_same = edited == sent[0];
        if let Ok(shares) = pair.aggregate(&task, &[edited, sent[1].clone()], [1, 2]) {
            prop_assert_eq!(shares[0].reports, if is_same { 2 } else { 1 });
        }
    }
}
