//! Releases that are functions of noisy sums. A release of this form takes rounds. Each asks for a sum over the
//! records, and for noise on it; the next one may depend on the noisy sums before. What follows the last one is
//! processing.
//!
//! So it does not matter who holds the records, who adds them up, and who adds the noise (user guide, F1).

use crate::error::{Error, Result};
use crate::mechanism::Plan;
use crate::mechanism::noise::cumulative::Cumulative;
use crate::noise::{Generator, Integer, MatrixNoise, VectorNoise, nearest};
use crate::privacy::rounding::mul_up;
use crate::records::{ExactSum, PrivacyUnit, Records, SumQuery};
use crate::release::{NoiseLaw, OpenRelease, Release, ReleaseContext};
use crate::spec::{Trust, field};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// A round: a sum of integer vectors over the records, and the noise on it.
///
/// ```
/// use karcher::{Ball, Points, manifold::Euclidean, mechanism::{Plan, PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, records::Observations};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 3, Guarantee::pure(1.0)?).plan()?;
/// let round = plan.in_rounds().ok_or("no sums")?.round(&Default::default())?; // the first and only one
/// let records = Points::new(&*line, vec![0.5, 0.25, 0.0])?;
/// let sum = round.query().answer(Observations::new(&records))?;
/// assert_eq!(round.integers(&sum), [3 << 48]); // ¾ in units of 2⁻⁵⁰
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Round {
    query: SumQuery,
    each: Option<i128>,
    noise: Vec<(Range<usize>, Drawn)>,
    /// How the integers are made of the sum, if they are not those of the sum.
    encoding: Option<Arc<Cumulative>>,
}

/// Noise on a range of integers.
#[derive(Debug, Clone, Copy)]
enum Drawn {
    Vector(VectorNoise),
    /// On the coordinates of a matrix.
    Matrix(MatrixNoise),
}

impl Drawn {
    fn law(&self) -> NoiseLaw {
        match self {
            Drawn::Vector(noise) => noise.law().into(),
            Drawn::Matrix(_) => NoiseLaw::NuclearLaplace,
        }
    }

    fn sigma(&self) -> f64 {
        match self {
            Drawn::Vector(noise) => noise.sigma(),
            Drawn::Matrix(noise) => noise.sigma(),
        }
    }

    /// The same law with another scale.
    fn of_scale(&self, sigma: f64) -> Result<Self> {
        Ok(match self {
            Drawn::Vector(noise) => Drawn::Vector(VectorNoise::new(noise.law(), sigma)?),
            Drawn::Matrix(noise) => Drawn::Matrix(MatrixNoise::new(noise.matrices(), sigma)?),
        })
    }

    /// Of a matrix there are as many numbers as its range has.
    fn draw(&self, numbers: usize, generator: &mut Generator) -> Vec<Integer> {
        match self {
            Drawn::Vector(noise) => noise.draw(numbers, generator),
            Drawn::Matrix(noise) => noise.draw(generator),
        }
    }
}

impl Round {
    /// A sum with noise on all of its `len` integers.
    pub(crate) fn new(query: SumQuery, noise: VectorNoise) -> Self {
        let len = query.nothing().integers().len();
        Self { query, each: None, noise: vec![(0..len, Drawn::Vector(noise))], encoding: None }
    }

    /// A sum of coordinates of matrices, with noise on all of them.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a sum of other integers.
    pub(crate) fn of_matrices(query: SumQuery, noise: MatrixNoise) -> Result<Self> {
        let (len, numbers) = (query.nothing().integers().len(), noise.matrices().numbers());
        if len != numbers {
            let requirement = format!("its matrices have {numbers} numbers");
            return Err(Error::InvalidParameter { name: "sum", value: len as f64, requirement });
        }
        Ok(Self { query, each: None, noise: vec![(0..len, Drawn::Matrix(noise))], encoding: None })
    }

    /// A sum, and the number of records times `each` as one more integer; noise is drawn for ranges of them in turn.
    pub(crate) fn counted(query: SumQuery, each: i128, noise: Vec<(Range<usize>, VectorNoise)>) -> Self {
        Self { query, each: Some(each), noise: in_ranges(noise), encoding: None }
    }

    /// A sum with noise that is drawn for ranges of its integers in turn.
    pub(crate) fn in_ranges(query: SumQuery, noise: Vec<(Range<usize>, VectorNoise)>) -> Self {
        Self { query, each: None, noise: in_ranges(noise), encoding: None }
    }

    /// Integers that are linear in a sum of numbers of records, with noise on ranges of them in turn.
    pub(crate) fn encoded(query: SumQuery, encoding: Arc<Cumulative>, noise: Vec<(Range<usize>, VectorNoise)>) -> Self {
        Self { query, each: None, noise: in_ranges(noise), encoding: Some(encoding) }
    }

    /// The same with noise of so many times the scale, rounded up.
    pub(crate) fn widened(mut self, factor: f64) -> Result<Self> {
        for (_, noise) in &mut self.noise {
            *noise = noise.of_scale(mul_up(noise.sigma(), factor))?;
        }
        Ok(self)
    }

    /// What is asked of the records.
    pub fn query(&self) -> &SumQuery {
        &self.query
    }

    /// Whether the integers are made of the sum by an encoding.
    pub(crate) fn is_encoded(&self) -> bool {
        self.encoding.is_some()
    }

    /// How many numbers one draw of noise has.
    pub(crate) fn together(&self) -> usize {
        match self.is_encoded() {
            true => self.noise.iter().map(|(range, _)| range.len()).max().unwrap_or_default(),
            false => self.len(),
        }
    }

    /// The largest integer that one record makes, in size: `2⁵⁰`, or that of an encoding.
    pub fn largest(&self) -> u128 {
        self.encoding.as_ref().map_or(1 << 50, |encoding| encoding.largest())
    }

    /// What a record counts for in the last integer, if there is one for the number of records.
    pub fn each(&self) -> Option<i128> {
        self.each
    }

    /// The noise of each range of the integers: which ones, its law and its scale.
    pub fn draws(&self) -> impl Iterator<Item = (Range<usize>, NoiseLaw, f64)> {
        self.noise.iter().map(|(range, noise)| (range.clone(), noise.law(), noise.sigma()))
    }

    /// How many integers there are.
    pub fn len(&self) -> usize {
        match &self.encoding {
            Some(encoding) => encoding.len(),
            None => self.query.nothing().integers().len() + usize::from(self.each.is_some()),
        }
    }

    /// Whether there are none, which does not occur.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The integers of some records, from the answer to the query. **Confidential.** Those of several parts of the
    /// records add up.
    pub fn integers(&self, sum: &ExactSum) -> Vec<i128> {
        if let Some(encoding) = &self.encoding {
            return encoding.encoded(sum.integers());
        }
        let number = self.each.map(|each| i128::from(sum.count()) * each); // each is below 2⁵¹
        sum.integers().iter().copied().chain(number).collect()
    }

    /// The noise that one party adds. **Confidential.**
    pub fn noise(&self, generator: &mut Generator) -> Vec<Integer> {
        let mut all = vec![Integer::ZERO; self.len()];
        for (range, noise) in &self.noise {
            let drawn = noise.draw(range.len(), generator);
            all[range.clone()].iter_mut().zip(drawn).for_each(|(integer, drawn)| *integer = drawn);
        }
        all
    }

    /// The integers with noise.
    fn noisy(&self, sum: &ExactSum, generator: &mut Generator) -> Vec<f64> {
        let noise = self.noise(generator);
        self.integers(sum).into_iter().zip(noise).map(|(integer, noise)| nearest(&(noise + integer))).collect()
    }
}

fn in_ranges(noise: Vec<(Range<usize>, VectorNoise)>) -> Vec<(Range<usize>, Drawn)> {
    noise.into_iter().map(|(range, noise)| (range, Drawn::Vector(noise))).collect()
}

/// All that a plan keeps of the rounds that were taken: a function of their noisy sums, hence as private as those.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundState {
    rounds: usize,
    numbers: Vec<f64>,
}

impl RoundState {
    /// The same after one more round.
    pub(crate) fn next(self, numbers: Vec<f64>) -> Self {
        Self { rounds: self.rounds + 1, numbers }
    }

    /// The point of a flow after the rounds that were taken, from such a start, and the noisy number of records if it
    /// is kept. A state that others made may be short: its point is then no point, and the next query is refused.
    pub(crate) fn reached(&self, start: &[f64]) -> (Vec<f64>, Option<f64>) {
        let (point, rest) = match &self.numbers[..] {
            [] => (start, &[][..]),
            numbers => numbers.split_at(start.len().min(numbers.len())),
        };
        (point.to_vec(), rest.first().copied())
    }

    /// How many rounds were taken.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// What is kept: the noisy sum of a single round; of a flow the point, and the noisy number of records if it is
    /// confidential.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

/// A plan whose release is a function of noisy sums.
pub trait Rounds: Plan {
    /// How many rounds it takes.
    fn rounds(&self) -> usize {
        1
    }

    /// The next round.
    ///
    /// # Errors
    /// None that depends on the records.
    fn round(&self, state: &RoundState) -> Result<Round>;

    /// The state after that round, from its noisy integers.
    ///
    /// # Errors
    /// As for [`round`](Rounds::round).
    fn after(&self, state: RoundState, noisy: Vec<f64>) -> Result<RoundState> {
        Ok(state.next(noisy))
    }

    /// Who adds the noise, if that is not this program.
    fn trust(&self) -> Option<Trust> {
        None
    }

    /// The release of sums to which others added noise, from the state after all rounds; it is flagged
    /// [`Flag::RemoteSums`](crate::release::Flag::RemoteSums). Nothing is drawn here.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] for a plan whose specification has no `trust`: this program draws its noise, so it has
    /// to run on records. Also where the reservation was used or does not cover the release.
    fn release(&self, state: &RoundState, unit: PrivacyUnit, context: &mut ReleaseContext) -> Result<Release> {
        if self.trust().is_none() {
            let reason = "its specification has no `trust`, so no one else added the noise: run the plan on records";
            return Err(Error::NotPermitted { reason: reason.to_owned() });
        }
        if state.rounds() != self.rounds() {
            let requirement = format!("the plan takes {} rounds", self.rounds());
            return Err(Error::InvalidParameter { name: "rounds", value: state.rounds() as f64, requirement });
        }
        self.conclude(state, &context.open(self.summary().promise_to(unit), true)?)
    }

    /// The same in an open release context, before its flags.
    #[doc(hidden)]
    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release>;
}

/// The refusal of rounds where a plan has none.
pub(crate) fn none() -> Error {
    field("mechanism", "its releases are no functions of sums")
}

/// Draws a release in rounds. Records that are not in the form of the first sum are prepared once for all later ones.
pub(crate) fn draw(plan: &dyn Rounds, records: &dyn Records, context: &mut OpenRelease<'_>) -> Result<Release> {
    plan.summary().begin(records, context)?;
    let (mut state, mut prepared) = (RoundState::default(), None);
    while state.rounds < plan.rounds() {
        let round = plan.round(&state)?;
        if state.rounds == 1 && !round.query.is_of_a_gradient() {
            prepared = Some(records.seen(round.query.view().clone())?);
        }
        let sum = match &prepared {
            Some(prepared) => prepared.answer(&round.query)?,
            None => records.answer(&round.query)?,
        };
        state = plan.after(state, round.noisy(&sum, context.generator()))?;
    }
    plan.conclude(&state, context)
}
