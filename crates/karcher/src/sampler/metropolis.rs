//! Random-walk Metropolis–Hastings, for laws that have no exact sampler.

use super::walk::RandomWalk;
use crate::error::{Error, Result};
use crate::noise::Generator;
use rand::RngExt;
use rayon::prelude::*;

/// Steps between two reports of progress.
const REPORT: usize = 256;

/// Largest change of `ln t` by tuning: a flat density on a compact space accepts every step, however long.
const TUNING_RANGE: f64 = 15.0;

/// Several Markov chains, each in parallel with the others, that draw from the law of a [`RandomWalk`] in the limit of
/// many steps (user guide, \[E4\]).
///
/// A step proposes `y` from the walk and moves there with probability `min(1, f(y)/f(x))`; otherwise it stays at `x`.
/// Proposals are symmetric, so the density `f` is left invariant. The step size `t` is tuned while the chain burns in
/// and fixed from then on: by stochastic approximation (Robbins, Monro 1951), `ln t ← ln t + 2·k^{−0.6}·(a − a*)` after
/// the k-th step with acceptance probability `a`, and in the end the mean of `ln t` over the second half. The aim
/// `a* = 0.234 + 0.206/d` is within 0.02 of the optimum for normal laws in `d` dimensions (0.44 for one, 0.234 for very
/// many; Gelman, Roberts, Gilks 1996).
///
/// The number of steps is fixed beforehand. It must come from public quantities alone, and so must not be chosen by
/// looking at the [`diagnostics`](super::diagnostics) of chains that depend on records. **What a chain returns is only
/// approximately of its law**, however good they look.
///
/// ```
/// use karcher::{manifold::{Manifold, Sphere}, sampler::{Generator, ManifoldWalk, Metropolis, diagnostics}};
/// let sphere = Sphere::new(2)?;
/// let pole = [0.0, 0.0, 1.0];
/// let laplace = ManifoldWalk::new(&sphere, 0.2, |x: &[f64]| -sphere.dist(&pole, x) / 0.1)?;
/// let starts = [vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
/// let chains = Metropolis::new(1_000, 1_000).sample(&laplace, &starts, &mut Generator::seeded(1))?;
/// let distances = chains.scalars(|x| sphere.dist(&pole, x));
/// assert!(diagnostics::r_hat(&distances) < 1.02);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metropolis {
    burn_in: usize,
    draws: usize,
    thinning: usize,
    step: Option<f64>,
}

impl Metropolis {
    /// Chains of `burn_in` steps that are thrown away and then `draws` that are kept.
    pub fn new(burn_in: usize, draws: usize) -> Self {
        Self { burn_in, draws, thinning: 1, step: None }
    }

    /// Keeps only the last of so many steps; there are then `burn_in + draws·thinning` steps.
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sampler::{Generator, ManifoldWalk, Metropolis}};
    /// let line = Euclidean::new(1)?;
    /// let normal = ManifoldWalk::new(&line, 1.0, |x: &[f64]| -0.5 * x[0] * x[0])?;
    /// let run = |chain: Metropolis| chain.step(1.0).sample(&normal, &[vec![0.0]], &mut Generator::seeded(3));
    /// let every = run(Metropolis::new(10, 6))?;
    /// let third = run(Metropolis::new(10, 2).thinning(3))?;
    /// assert_eq!(every.last(), third.last());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn thinning(self, thinning: usize) -> Self {
        Self { thinning, ..self }
    }

    /// Takes this step size from the start to the end, without tuning. (Tuning starts from `2.38/√d`, the optimum for
    /// normal laws of the scale that the walk was given: Roberts, Gelman, Gilks 1997.)
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sampler::{Generator, ManifoldWalk, Metropolis}};
    /// let line = Euclidean::new(1)?;
    /// let normal = ManifoldWalk::new(&line, 1.0, |x: &[f64]| -0.5 * x[0] * x[0])?;
    /// let chains = Metropolis::new(0, 5).step(0.75).sample(&normal, &[vec![0.0]], &mut Generator::seeded(1))?;
    /// assert_eq!(chains.steps(), [0.75]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn step(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Runs one chain from each start. For the diagnostics to mean anything there must be several, farther apart than
    /// the law is wide.
    ///
    /// Each chain gets a generator of its own, split from the given one in order: the draws are the same for any number
    /// of threads.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when draws or thinning are 0, too many draws to be held, or the step size is not a
    /// positive number. Also [`Error::InvalidStart`] when there is no start, or one is not a state or has density 0. So
    /// whether the density at a start is 0 must not depend on private records.
    ///
    /// ```
    /// use karcher::{Error, manifold::Euclidean, sampler::{Generator, ManifoldWalk, Metropolis}};
    /// let line = Euclidean::new(1)?;
    /// let flat = |x: &[f64]| if x[0].abs() < 1.0 { 0.0 } else { f64::NEG_INFINITY };
    /// let uniform = ManifoldWalk::new(&line, 1.0, flat)?;
    /// let sample = |start: f64| Metropolis::new(50, 50).sample(&uniform, &[vec![start]], &mut Generator::seeded(1));
    /// assert!(sample(0.5)?.iter().flatten().all(|x| x[0].abs() < 1.0));
    /// assert!(matches!(sample(2.0), Err(Error::InvalidStart { chain: 1, .. }))); // outside the support
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sample<W: RandomWalk + ?Sized>(
        &self,
        walk: &W,
        starts: &[Vec<f64>],
        generator: &mut Generator,
    ) -> Result<Chains> {
        self.sample_with_progress(walk, starts, generator, &|_| ())
    }

    /// The same. `progress` receives, from any thread, the number of steps taken since its last call: public numbers
    /// that add up to the total.
    ///
    /// # Errors
    /// As for [`sample`](Metropolis::sample).
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sampler::{Generator, ManifoldWalk, Metropolis}};
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// let line = Euclidean::new(1)?;
    /// let normal = ManifoldWalk::new(&line, 1.0, |x: &[f64]| -0.5 * x[0] * x[0])?;
    /// let taken = AtomicUsize::new(0);
    /// let told = |steps| { taken.fetch_add(steps, Relaxed); };
    /// let starts = [vec![0.0], vec![1.0]];
    /// Metropolis::new(20, 10).sample_with_progress(&normal, &starts, &mut Generator::seeded(1), &told)?;
    /// assert_eq!(taken.into_inner(), 2 * (20 + 10));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sample_with_progress<W: RandomWalk + ?Sized>(
        &self,
        walk: &W,
        starts: &[Vec<f64>],
        generator: &mut Generator,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Chains> {
        self.check()?;
        if starts.is_empty() {
            return Err(Error::InvalidStart { chain: 1, reason: "there is no start".to_owned() });
        }
        let mut chains = Vec::with_capacity(starts.len());
        for (i, start) in starts.iter().enumerate() {
            let invalid = |reason| Error::InvalidStart { chain: i + 1, reason };
            let chain = Chain::new(walk, start, generator.split(), progress).map_err(invalid)?;
            chains.push((chain, self.room(start.len())?));
        }
        let runs: Vec<(Vec<f64>, f64)> =
            chains.into_par_iter().map(|(chain, values)| self.run(chain, values)).collect();
        let (values, steps) = runs.into_iter().unzip();
        Ok(Chains { state_len: starts[0].len(), values, steps })
    }

    fn check(&self) -> Result<()> {
        for (name, count) in [("draws", self.draws), ("thinning", self.thinning)] {
            if count == 0 {
                return Err(Error::InvalidParameter {
                    name,
                    value: 0.0,
                    requirement: "it must be at least 1".to_owned(),
                });
            }
        }
        match self.step {
            Some(value) if !(1e-100..=1e100).contains(&value) => {
                let requirement = "it must be a positive number (from 1e-100 to 1e100)".to_owned();
                Err(Error::InvalidParameter { name: "step", value, requirement })
            }
            _ => Ok(()),
        }
    }

    /// Room for the draws of one chain.
    fn room(&self, state_len: usize) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        let reserved = self.draws.checked_mul(state_len).is_some_and(|n| values.try_reserve_exact(n).is_ok());
        if reserved {
            return Ok(values);
        }
        let requirement = "they do not fit into memory; draw fewer, or thin them".to_owned();
        Err(Error::InvalidParameter { name: "draws", value: self.draws as f64, requirement })
    }

    /// One chain from start to end: its draws and its step size.
    fn run<W: RandomWalk + ?Sized>(&self, mut chain: Chain<'_, W>, mut values: Vec<f64>) -> (Vec<f64>, f64) {
        let step = self.burn_in(&mut chain);
        for _ in 0..self.draws {
            for _ in 0..self.thinning {
                chain.advance(step);
            }
            values.extend_from_slice(&chain.state);
        }
        chain.report();
        (values, step)
    }

    /// Burns in and returns the step size.
    fn burn_in<W: RandomWalk + ?Sized>(&self, chain: &mut Chain<'_, W>) -> f64 {
        let dim = chain.walk.dim() as f64;
        let first = self.step.unwrap_or(2.38 / dim.sqrt()).ln();
        let aim = 0.234 + 0.206 / dim;
        let (mut log_step, mut sum) = (first, 0.0);
        let half = self.burn_in / 2;
        for k in 1..=self.burn_in {
            let acceptance = chain.advance(log_step.exp());
            if self.step.is_none() {
                log_step += 2.0 * (k as f64).powf(-0.6) * (acceptance - aim);
                log_step = log_step.clamp(first - TUNING_RANGE, first + TUNING_RANGE);
                if k > half {
                    sum += log_step;
                }
            }
        }
        if self.step.is_none() && self.burn_in > 0 {
            log_step = sum / (self.burn_in - half) as f64;
        }
        log_step.exp()
    }
}

/// One chain under way.
struct Chain<'a, W: ?Sized> {
    walk: &'a W,
    state: Vec<f64>,
    log_density: f64,
    proposal: Vec<f64>,
    generator: Generator,
    progress: &'a (dyn Fn(usize) + Sync),
    /// Steps since the last report.
    steps: usize,
}

impl<'a, W: RandomWalk + ?Sized> Chain<'a, W> {
    fn new(
        walk: &'a W,
        start: &[f64],
        generator: Generator,
        progress: &'a (dyn Fn(usize) + Sync),
    ) -> std::result::Result<Self, String> {
        walk.check_state(start).map_err(|e| e.to_string())?;
        let log_density = walk.log_density(start);
        if !log_density.is_finite() {
            return Err("its density is 0 or not a number; start inside the support".to_owned());
        }
        let (state, proposal) = (start.to_vec(), start.to_vec());
        Ok(Self { walk, state, log_density, proposal, generator, progress, steps: 0 })
    }

    /// One step; returns the probability with which the proposal was accepted.
    fn advance(&mut self, step: f64) -> f64 {
        self.steps += 1;
        if self.steps == REPORT {
            self.report();
        }
        if !self.walk.propose(&self.state, step, &mut self.generator, &mut self.proposal) {
            return 0.0;
        }
        let log_density = self.walk.log_density(&self.proposal);
        if !log_density.is_finite() {
            return 0.0;
        }
        let acceptance = (log_density - self.log_density).exp().min(1.0);
        if self.generator.random::<f64>() < acceptance {
            std::mem::swap(&mut self.state, &mut self.proposal);
            self.log_density = log_density;
        }
        acceptance
    }

    fn report(&mut self) {
        (self.progress)(self.steps);
        self.steps = 0;
    }
}

/// The draws of several Markov chains. **Not private**: a mechanism releases at most one of them, and neither the step
/// sizes nor diagnostics.
///
/// ```
/// use karcher::{manifold::Euclidean, sampler::{Generator, ManifoldWalk, Metropolis}};
/// let line = Euclidean::new(1)?;
/// let normal = ManifoldWalk::new(&line, 1.0, |x: &[f64]| -0.5 * x[0] * x[0])?;
/// let chains = Metropolis::new(5, 4).sample(&normal, &[vec![0.0], vec![1.0]], &mut Generator::seeded(1))?;
/// assert_eq!((chains.len(), chains.steps().len()), (2, 2));
/// let draws = chains.scalars(|x| x[0]);
/// assert_eq!((draws[0].len(), draws[0][3]), (4, chains.last()[0]));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Chains {
    state_len: usize,
    values: Vec<Vec<f64>>,
    steps: Vec<f64>,
}

impl Chains {
    /// Number of chains.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The chains, each draw by draw.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = std::slice::ChunksExact<'_, f64>> {
        self.values.iter().map(|draws| draws.chunks_exact(self.state_len))
    }

    /// The last draw of the first chain: what a mechanism releases, decided before anything is drawn.
    pub fn last(&self) -> &[f64] {
        let draws = &self.values[0]; // there is at least one chain with one draw
        &draws[draws.len() - self.state_len..]
    }

    /// One number for each draw of each chain, as the [`diagnostics`](super::diagnostics) take them.
    pub fn scalars(&self, number: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
        self.iter().map(|draws| draws.map(&number).collect()).collect()
    }

    /// The step size of each chain after tuning.
    pub fn steps(&self) -> &[f64] {
        &self.steps
    }
}
