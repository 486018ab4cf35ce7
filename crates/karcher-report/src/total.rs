//! The joint guarantee of all releases on a page.

use crate::document::Document;
use crate::guarantee::{Protects, explained, shown};
use crate::html::{Shown, columns};
use karcher::privacy::{Definition, Guarantee, compose, compose_at};
use karcher::release::{Adjacency, LedgerEntry};
use maud::{Markup, html};

/// What releases about the same people guarantee together, and for which neighbours. `delta` is a δ that their budgets
/// may be composed at, where there is no sum without one.
///
/// # Errors
/// A sentence: for a release with a seed, for guarantees of records next to those of persons, and for budgets that
/// cannot be composed.
///
/// ```
/// # use karcher::mechanism::{CountPlan, PrivateFrechetMean, Request};
/// # use karcher::{Ball, Manifold, Points, ReleaseContext, manifold::Euclidean, privacy::Guarantee};
/// # use std::sync::Arc;
/// use karcher_report::{Document, together};
/// let plane = Arc::new(Euclidean::new(2)?);
/// let records = Points::new(&*plane, vec![0.5; 200])?;
/// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 2.0)?)?;
/// let plan = Request::new(mean, 100, Guarantee::pure(0.5)?).plan()?;
/// let release = || plan.run(&records, &mut ReleaseContext::from_os()?);
/// let read = |release| Document::read("release.json", &serde_json::to_string(&release).unwrap_or_default());
/// let both = [read(release()?)?, read(release()?)?];
/// let (guarantee, neighbours) = together(&both, None)?;
/// assert_eq!(guarantee, Guarantee::pure(1.0)?);
/// assert_eq!(neighbours, "one record replaced by any other");
/// assert_eq!(together(&[], None), Err("there are no releases".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn together(documents: &[Document], delta: Option<f64>) -> Result<(Guarantee, &'static str), String> {
    let each = distinct(documents);
    if each.is_empty() {
        return Err("there are no releases".to_owned());
    }
    if each.iter().any(|one| one.is_seeded()) {
        return Err("a release with a seed has no guarantee, and neither has a sum with it".to_owned());
    }
    let counted = Counted::of(&each).ok_or("guarantees for records and for persons have no sum")?;
    let list = counted.guarantees.map_err(|error| error.to_string())?;
    let sum = delta.map_or_else(|| compose(&list), |delta| compose_at(&list, delta));
    Ok((sum.map_err(|error| error.to_string())?, counted.protects.adjacency.of_unit(counted.protects.unit)))
}

/// The releases, each once. Two draws may be equal by chance, so the same release is an entry of a ledger, or seeded.
fn distinct(documents: &[Document]) -> Vec<&Document> {
    let mut each: Vec<&Document> = vec![];
    for document in documents {
        let is_one = document.entry().is_some() || document.is_seeded();
        if !is_one || each.iter().all(|known| known.json.trim() != document.json.trim()) {
            each.push(document);
        }
    }
    each
}

/// The guarantees of releases, all of the same kind of neighbours.
struct Counted {
    protects: Protects,
    guarantees: karcher::privacy::Result<Vec<Guarantee>>,
    /// Whether what is about one record added or removed counts as two steps.
    in_two_steps: bool,
}

impl Counted {
    /// `None` for guarantees of records and of persons.
    fn of(each: &[&Document]) -> Option<Self> {
        let all: Vec<Protects> = each.iter().map(|one| one.protects()).collect();
        let unit = all.first()?.unit;
        if all.iter().any(|one| one.unit != unit) {
            return None;
        }
        let are_alike = all.iter().all(|one| one.adjacency == all[0].adjacency);
        let adjacency = if are_alike { all[0].adjacency } else { Adjacency::ReplaceOne };
        let counted = |one: &&Document| match one.protects().adjacency == adjacency {
            true => Ok(one.guarantee()),
            false => one.guarantee().of_two_steps(),
        };
        Some(Self {
            protects: Protects { unit, adjacency },
            guarantees: each.iter().map(counted).collect(),
            in_two_steps: !are_alike,
        })
    }
}

/// The joint guarantee of several documents. `None` for one.
pub fn of(documents: &[Document]) -> Option<Markup> {
    let each = distinct(documents);
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
            (people(&each))
            @if each.iter().any(|one| one.is_seeded()) {
                p class="warning" {
                    "A release with a seed has no guarantee, and neither has a sum with it."
                }
            }
            (sum(&each))
        }
    })
}

/// The words about whether the releases are about the same people, from their ledgers if they have any.
fn people(each: &[&Document]) -> Markup {
    let ledgers: Vec<Option<&str>> =
        each.iter().map(|one| one.entry().map(|LedgerEntry { ledger, .. }| ledger.as_str())).collect();
    let is_one = ledgers.windows(2).all(|pair| pair[0] == pair[1]);
    html! {
        @match ledgers.first().copied().flatten().filter(|_| is_one) {
            Some(ledger) => p {
                "They are about the same people, as the owner of their ledger promised: "
                code { (Shown(ledger)) }
                ". It may count others, which are not on this page."
            },
            None => p {
                "They do not show whether they are about the same people: "
                @if ledgers.iter().any(Option::is_some) {
                    "not all were counted by one ledger."
                } @else {
                    "no ledger counted them."
                }
                " A person in one of them has its guarantee. A person in all of them has the following one."
            },
        }
    }
}

/// The sum, or the reason why there is none.
fn sum(each: &[&Document]) -> Markup {
    let Some(Counted { protects, guarantees: list, in_two_steps }) = Counted::of(each) else {
        return html! { p { "Guarantees for records and for persons have no sum." } };
    };
    let together = list.as_ref().map_err(Clone::clone).and_then(|list| compose(list));
    html! {
        @match together {
            Ok(together) => {
                p {
                    "Together: at most " strong { (shown(together)) } ", for " (protects.adjacency.of_unit(protects.unit))
                    @if in_two_steps {
                        ", where a release about one record added or removed counts as two steps"
                    }
                    ", also if releases were chosen after seeing earlier ones. Their budgets must be fixed beforehand, \
                    or kept within this total."
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
                " finds one."
            },
        }
    }
}

/// A δ larger than some guarantees spend by themselves.
fn delta_beyond<'a>(list: impl Iterator<Item = &'a Guarantee>) -> f64 {
    let spent = list.map(|guarantee| match guarantee.definition() {
        Definition::Approximate { delta, .. } => delta,
        Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => 0.0,
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
