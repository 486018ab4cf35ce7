//! The joint guarantee of all releases on a page.

use crate::document::Document;
use crate::guarantee::{Protects, explained, shown};
use crate::html::{Shown, columns};
use karcher::privacy::{Definition, Guarantee, compose};
use karcher::release::{Adjacency, LedgerEntry};
use maud::{Markup, html};

/// The joint guarantee of several documents. `None` for one.
pub fn of(documents: &[Document]) -> Option<Markup> {
    // the same release twice is one; two draws may be equal by chance, so it has to be an entry of a ledger, or seeded
    let mut each: Vec<&Document> = vec![];
    for document in documents {
        let is_one = document.entry().is_some() || document.is_seeded();
        if !is_one || each.iter().all(|known| known.json.trim() != document.json.trim()) {
            each.push(document);
        }
    }
    if each.len() < 2 {
        return None;
    }
    let rows: Vec<Vec<String>> = each
        .iter()
        .map(|one| {
            let Protects { unit, adjacency } = one.protects();
            vec![
                one.title_of_several(),
                one.guarantee().to_string(),
                unit.to_string(),
                adjacency.of_unit(unit).to_owned(),
            ]
        })
        .collect();
    Some(html! {
        section id="total" aria-labelledby="total-heading" {
            h2 id="total-heading" { "All of these releases together" }
            (columns("What is added up", &["release", "guarantee", "protects", "neighbours"], &rows))
            (whose(&each))
            @if each.iter().any(|one| one.is_seeded()) {
                p class="warning" {
                    "A release with a seed promises nothing, and neither does a sum with it."
                }
            }
            (sum(&each))
        }
    })
}

/// The words about whether the releases are about the same people, from their ledgers if they have any.
fn whose(each: &[&Document]) -> Markup {
    let ledgers: Vec<Option<&str>> =
        each.iter().map(|one| one.entry().map(|LedgerEntry { ledger, .. }| ledger.as_str())).collect();
    let is_one = ledgers.windows(2).all(|pair| pair[0] == pair[1]);
    html! {
        @match ledgers.first().copied().flatten().filter(|_| is_one) {
            Some(ledger) => p {
                "They are about the same people, as the owner of the ledger promised that counted all of them, "
                code { (Shown(ledger)) }
                ". It may have counted others, which are not on this page."
            },
            None => p {
                "Whether they are about the same people cannot be known from them: "
                @if ledgers.iter().any(Option::is_some) {
                    "not all were counted by one ledger."
                } @else {
                    "no ledger counted them."
                }
                " A person in only one of them has the guarantee of that one. A person in all has what follows, \
                and no more."
            },
        }
    }
}

/// The sum, or the reason why there is none.
fn sum(each: &[&Document]) -> Markup {
    let units: Vec<_> = each.iter().map(|one| one.protects().unit).collect();
    if units.windows(2).any(|pair| pair[0] != pair[1]) {
        return html! { p { "Guarantees for records and for persons have no sum." } };
    }
    let unit = units[0]; // there are two releases at least
    let neighbours: Vec<Adjacency> = each.iter().map(|one| one.protects().adjacency).collect();
    let adjacency =
        if neighbours.windows(2).all(|pair| pair[0] == pair[1]) { neighbours[0] } else { Adjacency::ReplaceOne };
    let counted = |one: &&Document| match one.protects().adjacency == adjacency {
        true => Ok(one.guarantee()),
        false => one.guarantee().of_two_steps(),
    };
    let list = each.iter().map(counted).collect::<karcher::privacy::Result<Vec<Guarantee>>>();
    let together = list.as_ref().map_err(Clone::clone).and_then(|list| compose(list));
    let protects = Protects { unit, adjacency };
    html! {
        @match together {
            Ok(together) => {
                p {
                    "Together: at most " strong { (shown(together)) } ", for " (adjacency.of_unit(unit))
                    @if adjacency == Adjacency::ReplaceOne && neighbours.contains(&Adjacency::AddRemove) {
                        ", where what is about one record added or removed counts as two steps"
                    }
                    ", also if releases were chosen after seeing earlier ones. Their budgets must be fixed beforehand, or kept \
                    within this total."
                }
                (explained(together, protects))
            },
            Err(_) => p {
                "Budgets of these kinds have no sum without a choice of δ: "
                code {
                    "karcher compose"
                    @for guarantee in list.iter().flatten() { " --of " (budget(*guarantee)) }
                    " --delta " (format!("{:?}", delta_beyond(list.iter().flatten())))
                }
                " tells one."
            },
        }
    }
}

/// A δ larger than some guarantees spend by themselves.
fn delta_beyond<'a>(list: impl Iterator<Item = &'a Guarantee>) -> f64 {
    let spent = list.map(|guarantee| match guarantee.definition() {
        Definition::Approximate { delta, .. } => delta,
        _ => 0.0,
    });
    (2.0 * spent.sum::<f64>()).max(1e-6)
}

/// A guarantee as `karcher compose` reads it.
fn budget(guarantee: Guarantee) -> String {
    match guarantee.definition() {
        Definition::Pure { epsilon } => format!("epsilon={epsilon:?}"),
        Definition::Approximate { epsilon, delta } => format!("epsilon={epsilon:?},delta={delta:?}"),
        Definition::Gaussian { mu } => format!("mu={mu:?}"),
        Definition::Concentrated { rho } => format!("rho={rho:?}"),
    }
}
