//! Noise is a function of the key and the batch, and a journal is of one key, in one place, and the newest.

use super::*;
use crate::SecretKey;
use crate::aggregator::SumOfShares;
use crate::residue::element;
use prio::field::{Field128, FieldElementWithInteger};
use std::path::Path;

/// Two aggregators with files.
struct Files {
    folder: tempfile::TempDir,
    keys: [PublicKey; 2],
    both: [Aggregator; 2],
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shared = VerifyKey::generate().unwrap();
        let keys =
            ["a", "b"].map(|name| SecretKey::create(folder.path().join(format!("{name}.key")), &shared).unwrap());
        Self { folder, keys: keys.each_ref().map(SecretKey::public), both: keys.map(Aggregator::new) }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn task(&self, n: usize) -> Task {
        Task::new(mean_on_the_plane(MU), n, Mode::Sites, "", self.keys.clone()).unwrap()
    }

    /// The sum of the first aggregator, without noise.
    fn sum(&self, task: &Task, reports: &[Report]) -> SumOfShares {
        let journal = Journal::in_memory().unwrap();
        let theirs = self.both[1].check(task, reports, &journal).unwrap();
        self.both[0].add_up(task, reports, &theirs, &journal).unwrap()
    }

    /// What the first aggregator sends, with a journal.
    fn sends(&self, task: &Task, reports: &[Report], journal: &Path) -> crate::Result<NoisyShare> {
        self.sum(task, reports).with_noise(&mut Journal::open(journal)?)
    }

    /// What it adds, with a journal that it never had.
    fn noise(&self, task: &Task, reports: &[Report]) -> Vec<u128> {
        let sum = self.sum(task, reports);
        let before = sum.sum().to_vec();
        let sent = sum.with_noise(&mut Journal::in_memory().unwrap()).unwrap();
        let bytes = crate::key::bytes("a sum", &sent.share).unwrap();
        let after = bytes.chunks_exact(16).map(|bytes| Field128::from(u128::from_le_bytes(bytes.try_into().unwrap())));
        after.zip(before).map(|(after, before)| u128::from(after - before)).collect()
    }
}

fn two_sites(task: &Task) -> Vec<Report> {
    reports(task, &reporters(task.spec(), &[vec![0.5, 0.5], vec![0.25, 0.0]]))
}

/// By Python's hmac and hashlib, from RFC 5869.
#[test]
fn derived_bytes_are_those_of_another_program() {
    let key =
        SecretKey::generate(&VerifyKey::generate().unwrap()).unwrap().with_noise(&std::array::from_fn(|i| i as u8));
    let hex =
        |purpose| key.derived(purpose, &[7; 32]).unwrap().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex("karcher-aggregate noise 1"), "bd033c73a3cfcf3dd4af879a521ff8de3f7fed1debec7e1cd1e644836c13eac8");
    assert_eq!(hex("karcher-aggregate ledger 1"), "2dd21201f08b50a8e102cb5381791b662a9bb66d04a84e01daf4477366cd4487");
}

#[test]
fn equal_batches_give_equal_bytes_whatever_happened_to_the_journal() {
    let files = Files::new();
    let task = files.task(2);
    let sent = two_sites(&task);
    let first = files.sends(&task, &sent, &files.at("a.journal")).unwrap();
    assert_eq!(files.sends(&task, &sent, &files.at("a.journal")).unwrap(), first);
    let shuffled: Vec<Report> = sent.iter().rev().map(|report| report.only_for(0)).collect();
    let theirs = files.both[1].check(&task, &sent, &Journal::in_memory().unwrap()).unwrap();
    for lost in [&sent, &shuffled] {
        let mut journal = Journal::in_memory().unwrap();
        let sum = files.both[0].add_up(&task, lost, &theirs, &journal).unwrap();
        assert_eq!(sum.with_noise(&mut journal).unwrap(), first);
    }
}

/// Reports with other contents, also under the same numbers, other names of the release, and the other aggregator have
/// noise of their own.
#[test]
fn different_batches_share_no_noise() {
    let files = Files::new();
    let task = files.task(2);
    let sent = two_sites(&task);
    let noise = files.noise(&task, &sent);
    assert_eq!(files.noise(&task, &sent), noise);
    let mut all = vec![noise];
    all.push(files.noise(&task, &two_sites(&task)));
    // a report of other records with the number of an honest one
    let nonce = sent[0].nonce().unwrap();
    let integers = vec![task.in_range(1 << 49), task.in_range(0)];
    let (public, shares) = task.sharing(2).unwrap().shard(&task.digest(), &integers, &nonce).unwrap();
    let (id, public) = (sent[0].id.clone(), text(&public.get_encoded().unwrap()));
    let sealed = |i: usize| {
        let bound = context(&task, (&id, &public, Some(1)), i);
        files.keys[i].seal(&shares[i].get_encoded().unwrap(), &bound).unwrap()
    };
    let shares = [sealed(0), sealed(1)];
    let other = Report { task: text(&task.digest()), shares, id: id.clone(), public: public.clone(), records: Some(1) };
    all.push(files.noise(&task, &[other, sent[1].clone()]));
    let named = Task::new(mean_on_the_plane(MU), 2, Mode::Sites, "second", files.keys.clone()).unwrap();
    all.push(files.noise(&named, &two_sites(&named)));
    for (i, one) in all.iter().enumerate() {
        for (j, x) in one.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other[j] != *x), "{i} {j}"); // equal by chance with less than 1e-13
        }
    }
    // and it is noise of the stated scale: 40 deviations are exceeded with less than 1e-300
    let (_, _, sigma) = task.round().draws().next().unwrap();
    let length = |x: u128| x.min(Field128::modulus() - x) as f64;
    assert!(all.iter().flatten().all(|x| length(*x) < 40.0 * sigma && *x != u128::from(element(&Integer::ZERO))));
}

#[test]
fn a_journal_is_of_one_key_in_one_place_and_the_newest() {
    let files = Files::new();
    let task = files.task(2);
    let sent = two_sites(&task);
    let refused = |journal: &Path| files.sends(&task, &sent, journal).unwrap_err().to_string();
    assert!(refused(&files.at("b.journal")).contains("is the journal of another key"));
    let check = files.both[0].check(&task, &sent, &Journal::open(files.at("b.journal")).unwrap());
    assert!(check.unwrap_err().to_string().contains("is the journal of another key"));

    let (own, copy) = (files.at("a.journal"), files.at("copy.journal"));
    let before = std::fs::read(&own).unwrap();
    let first = files.sends(&task, &sent, &own).unwrap();
    std::fs::copy(&own, &copy).unwrap();
    if cfg!(unix) {
        let copied = refused(&copy);
        assert!(copied.contains("is a copy of a journal") && copied.contains("karcher aggregate adopt"), "{copied}");
        Journal::adopt(&copy).unwrap();
    }
    assert_eq!(files.sends(&task, &sent, &copy).unwrap(), first);

    // the state before, in the same file
    let newest = std::fs::read(&own).unwrap();
    std::fs::write(&own, &before).unwrap();
    let older = refused(&own);
    assert!(older.contains("is an older state") && older.contains("1 batches, and it has 0"), "{older}");
    assert!(Journal::adopt(&own).is_err());
    // without the mark it goes unnoticed, and the same bytes are sent again
    std::fs::remove_file(files.at("a.journal.mark")).unwrap();
    assert_eq!(files.sends(&task, &sent, &own).unwrap(), first);
    std::fs::write(&own, &newest).unwrap();
    assert_eq!(files.sends(&task, &sent, &own).unwrap(), first);
}

#[test]
fn a_journal_that_was_changed_is_refused() {
    let files = Files::new();
    let task = files.task(2);
    let (sent, own) = (two_sites(&task), files.at("a.journal"));
    files.sends(&task, &sent, &own).unwrap();
    for edit in ["UPDATE batch SET sent = replace(sent, '\"from\":0', '\"from\":1')", "UPDATE batch SET round = 1"] {
        let whole = std::fs::read(&own).unwrap();
        rusqlite::Connection::open(&own).unwrap().execute(edit, []).unwrap();
        let refused = Journal::open(&own).unwrap_err().to_string();
        assert!(refused.contains("was changed after it was written"), "{refused}");
        std::fs::write(&own, whole).unwrap();
        Journal::open(&own).unwrap();
    }
    std::fs::write(&own, b"").unwrap();
    assert!(Journal::open(&own).unwrap_err().to_string().contains("is no journal"));
}

/// A commit is on the disk with the removal of SQLite's own journal: 3 is `EXTRA`.
#[test]
fn a_batch_is_on_the_disk_before_it_is_sent() {
    let files = Files::new();
    let journal = Journal::open(files.at("a.journal")).unwrap();
    assert_eq!(journal.synchronous().unwrap(), 3);
}

/// A program that ends after its ledger has counted, and before its journal has the sum, counts nothing a second time.
/// Other reports are counted.
#[test]
fn a_batch_is_counted_once() {
    let files = Files::new();
    let task = files.task(2);
    let total = karcher::privacy::Guarantee::gaussian(10.0).unwrap();
    let ledger = karcher_ledger::Ledger::create(files.at("a.ledger"), "of a", total).unwrap();
    let event = task.event();
    let add = |reports: &[Report], journal: &str, is_killed: bool| {
        let book = |batch: &str| {
            let entry = ledger.reserve_once(&event, batch).map_err(|error| error.to_string())?;
            if is_killed { Err("killed".to_owned()) } else { Ok(entry) }
        };
        files.sum(&task, reports).with_noise_booked(&mut Journal::open(files.at(journal)).unwrap(), book)
    };
    let counted = || ledger.book().unwrap().entries.len();
    let sent = two_sites(&task);
    for _ in 0..3 {
        assert!(add(&sent, "a.journal", true).is_err());
        assert_eq!(counted(), 1);
    }
    assert!(add(&two_sites(&task), "a.journal", true).is_err());
    assert_eq!(counted(), 2); // another batch would have other noise
    let first = add(&sent, "a.journal", false).unwrap();
    assert_eq!((first.ledger().unwrap().entry, counted()), (1, 2));
    assert_eq!(add(&sent, "a.journal", false).unwrap(), first);
    assert_eq!(counted(), 2);
    // a journal that was lost
    std::fs::remove_file(files.at("a.journal")).unwrap();
    Journal::create(files.at("a.journal"), &files.keys[0]).unwrap();
    assert_eq!(add(&sent, "a.journal", false).unwrap(), first);
    assert_eq!(counted(), 2);
}
