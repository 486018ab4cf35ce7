//! Helpers of the tests.

use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::release::PrivacyEvent;
use karcher::{Ball, manifold::Euclidean};
use karcher_ledger::{Book, Status};
use std::sync::Arc;

/// The mean of a hundred numbers.
pub fn event(guarantee: Guarantee) -> PrivacyEvent {
    let line = Arc::new(Euclidean::new(1).unwrap());
    let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0).unwrap()).unwrap();
    Request::new(mean, 100, guarantee).plan().unwrap().summary().event()
}

/// The number of releases that count as spent.
#[allow(dead_code)]
pub fn spent(book: &Book) -> u64 {
    book.entries.iter().filter(|entry| entry.status != Status::Refused).count() as u64
}
