//! A ledger is for one kind of neighbours.

use karcher::mechanism::{CountPlan, PrivateFrechetMean, Request};
use karcher::privacy::{Definition, Guarantee};
use karcher::release::{Adjacency, PrivacyEvent, PrivacyUnit};
use karcher::{Ball, manifold::Euclidean};
use karcher_ledger::{Error, Ledger, Status};
use std::sync::Arc;

fn mean(adjacency: Adjacency, budget: Guarantee) -> PrivacyEvent {
    let line = Arc::new(Euclidean::new(1).unwrap());
    let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0).unwrap()).unwrap();
    Request::new(mean, 100, budget).adjacency(adjacency).plan().unwrap().summary().event()
}

#[test]
fn one_record_more_or_less_counts_as_two_steps_where_one_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let budgets = [
        (Guarantee::pure(1.0), Guarantee::pure(0.25), Definition::Pure { epsilon: 0.5 }),
        (Guarantee::gaussian(1.0), Guarantee::gaussian(0.5), Definition::Gaussian { mu: 0.0 }),
        (Guarantee::concentrated(1.0), Guarantee::concentrated(0.125), Definition::Concentrated { rho: 0.5 }),
    ];
    for (i, (total, spent, left)) in budgets.into_iter().enumerate() {
        let spent = spent.unwrap();
        let ledger = Ledger::create(folder.path().join(i.to_string()), "people", total.unwrap()).unwrap();
        ledger.reservation(&mean(Adjacency::AddRemove, spent)).unwrap();
        let book = ledger.book().unwrap();
        assert_eq!((book.left(), book.adjacency), (left, Adjacency::ReplaceOne));
        assert_eq!(book.entries[0].guarantee, spent);
        assert!(book.entries[0].event.get("n").is_none());
        assert!(ledger.check().unwrap().is_empty());
    }
    // δ grows by 1 + e^ε, rounded up
    let total = Guarantee::approximate(3.0, 1e-5).unwrap();
    let ledger = Ledger::create(folder.path().join("delta"), "people", total).unwrap();
    let guarantee = Guarantee::approximate(1.0, 1e-6).unwrap();
    let of_mean = mean(Adjacency::AddRemove, Guarantee::pure(1.0).unwrap());
    ledger.reservation(&PrivacyEvent { guarantee, ..of_mean }).unwrap();
    let Definition::Approximate { epsilon, delta } = ledger.book().unwrap().spent() else { panic!() };
    let exact = 1e-6 * (1.0 + 1.0_f64.exp());
    assert!(epsilon == 2.0 && delta >= exact && delta < exact * (1.0 + 1e-12), "{epsilon} {delta}");
    // what is two steps of too much is refused
    let ledger = Ledger::create(folder.path().join("much"), "people", Guarantee::pure(1.0).unwrap()).unwrap();
    let refused = ledger.reservation(&mean(Adjacency::AddRemove, Guarantee::pure(0.6).unwrap())).unwrap_err();
    assert!(matches!(refused, Error::Refused { .. }));
    assert_eq!(ledger.book().unwrap().entries[0].status, Status::Refused);
}

#[test]
fn a_ledger_for_one_record_more_or_less_takes_nothing_that_tells_how_many_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget.db");
    let total = Guarantee::pure(1.0).unwrap();
    let ledger = Ledger::create_for((PrivacyUnit::Record, Adjacency::AddRemove), &path, "people", total).unwrap();
    let quarter = Guarantee::pure(0.25).unwrap();
    let refused = ledger.reservation(&mean(Adjacency::ReplaceOne, quarter)).unwrap_err().to_string();
    assert!(refused.contains("the ledger is for add-remove neighbours"), "{refused}");
    assert!(ledger.check_adjacency(Adjacency::ReplaceOne).is_err());
    ledger.reservation(&mean(Adjacency::AddRemove, quarter)).unwrap();
    ledger.reservation(&CountPlan::new(quarter).unwrap().event()).unwrap();
    let book = Ledger::open(&path).unwrap().book().unwrap();
    assert_eq!((book.left(), book.adjacency), (Definition::Pure { epsilon: 0.5 }, Adjacency::AddRemove));
    let status: Vec<_> = book.entries.iter().map(|entry| entry.status).collect();
    assert_eq!(status, [Status::Refused, Status::Reserved, Status::Reserved]);
    assert!(ledger.check().unwrap().is_empty());
}
