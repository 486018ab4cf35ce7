//! Private choices among public candidates, such as models (user guide, V2).

mod description;
pub(crate) mod plan;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::spec::field;
use crate::statistics::score::rows;
use std::sync::Arc;

/// Most candidates.
const MOST: usize = 10_000;

/// A request for one of several candidates, whose names are public.
///
/// A record is a row with a utility from 0 to 1 for each candidate, such as 1 where its prediction is right. Rows of a
/// person are averaged. The candidate with the largest sum is chosen, with noise on the sums.
///
/// ```
/// use karcher::{Points, ReleaseContext, mechanism::{Plan, PrivateSelection, Request}, privacy::Guarantee};
/// let models = PrivateSelection::new(vec!["lda".into(), "ridge".into(), "forest".into()])?;
/// let right = Points::new(&**models.manifold(), [0.0, 1.0, 0.0, 1.0, 1.0, 0.0].repeat(100))?; // 100, 200 and 0
/// let plan = Request::new(models, 200, Guarantee::pure(1.0)?).plan()?;
/// let release = plan.run(&right, &mut ReleaseContext::from_os()?)?;
/// let chosen = release.selection().expect("it was asked for");
/// assert_eq!((chosen.selected, &*chosen.candidate), (1, "ridge")); // another with probability e^{−50}
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateSelection {
    candidates: Vec<String>,
    seen: PrivateFrechetMean,
}

impl PrivateSelection {
    /// A choice among candidates.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for fewer than two candidates, more than 10,000, and a name that is there
    /// twice.
    pub fn new(candidates: Vec<String>) -> Result<Self> {
        let mut names = candidates.clone();
        names.sort_unstable();
        names.dedup();
        if names.len() != candidates.len() || !(2..=MOST).contains(&names.len()) {
            return Err(field("candidates", format!("must be 2 to {MOST} different names")));
        }
        Ok(Self { seen: rows(names.len(), (names.len() as f64).sqrt())?, candidates })
    }

    /// The names of the candidates.
    pub fn candidates(&self) -> &[String] {
        &self.candidates
    }

    /// The space of rows.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// A ball that holds every row.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }
}
