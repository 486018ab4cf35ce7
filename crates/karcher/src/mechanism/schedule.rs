//! The steps of a median flow, chosen by a rehearsal on public numbers alone (user guide, B1).
//!
//! Step `j` goes `η_j = ½·R·q^j` in the direction of the mean of unit vectors, `j = 0, …, T − 1`: the first of them are
//! long enough to cross the outer ball of radius `R`, the last ones short enough to settle in a small cluster. `q` and
//! `T` are those with which a made-up median is found best. A cluster of spread `s` at distance `D` pulls with a
//! strength of about
//!
//! ```text
//! p(D) = 3/5·D/√(D² + s²)
//! ```
//!
//! (the factor is what is left when a fifth of the records pulls the opposite way), and noise of squared length `v²` on
//! the mean of unit vectors makes of a squared distance `D²` one of
//!
//! ```text
//! (D − η_j·p(D))² + η_j²·v².
//! ```
//!
//! From `D = R` on, for clusters `s = R, R/4, …, R/1024`, the sum of `ln(1/10 + D/s)` in the end is the figure that `q`
//! and `T` are compared by: clusters so small that a budget cannot find them do not decide, and nothing is gained by a
//! center that is much nearer than a tenth of the spread. `v` depends on `T`, because all steps share the budget. It is
//! a rehearsal and no bound: of what records may be like there is no model.

/// Step sizes `½·R·q^j`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Schedule {
    /// `q`.
    ratio: f64,
    /// `T`.
    pub(super) steps: usize,
    /// The largest rehearsed distance from the median in the end, as a share of `R`.
    pub(super) distance: f64,
    /// What schedules, and other ways to a center, are compared by.
    pub(super) figure: f64,
}

/// The pull of a cluster from afar.
const PULL: f64 = 0.6;

/// The spreads of clusters, as shares of `R`: powers of ¼.
const SPREADS: i32 = 6;

/// The share of a cluster's spread below which its center is near enough.
const NEAR: f64 = 0.1;

/// The first step, as a share of `R`. With `q ≥ ½` all together are as long as `R` or longer.
const FIRST: f64 = 0.5;

/// Ratios that are tried, in hundredths.
const RATIOS: std::ops::RangeInclusive<u32> = 50..=90;

/// The largest number of steps that is tried.
const MOST_STEPS: usize = 60;

impl Schedule {
    /// The best schedule, where `noise(T)` is the root mean square length of the noise on the mean of unit vectors when
    /// there are `T` steps.
    pub(super) fn best(noise: impl Fn(usize) -> f64) -> Self {
        let all = (1..=MOST_STEPS).map(|steps| Self::of(steps, noise(steps)));
        all.reduce(|best, next| if next.figure < best.figure { next } else { best }).unwrap_or(Self::of(1, noise(1)))
    }

    /// The best schedule of so many steps.
    pub(super) fn of(steps: usize, noise: f64) -> Self {
        let ratios = RATIOS.step_by(5).map(|hundredths| f64::from(hundredths) / 100.0);
        let all = ratios.map(|ratio| Self::rehearse(ratio, steps, noise));
        let one = Self::rehearse(FIRST, steps, noise);
        all.fold(one, |best, next| if next.figure < best.figure { next } else { best })
    }

    fn rehearse(ratio: f64, steps: usize, noise: f64) -> Self {
        let (figure, distance) = rehearsed(|spread| {
            let (mut square, mut step) = (1.0_f64, FIRST);
            for _ in 0..steps {
                let pull = PULL * (square / (square + spread * spread)).sqrt();
                square = (square.sqrt() - step * pull).powi(2) + (step * noise).powi(2);
                step *= ratio;
            }
            [(1.0, square.sqrt())]
        });
        Self { ratio, steps, distance, figure }
    }

    /// `η_j` as a share of `R`.
    pub(super) fn step(&self, j: usize) -> f64 {
        FIRST * self.ratio.powi(j as i32)
    }
}

/// What a way to a center is compared by, less is better, and the largest distance from the median that is left: of a
/// way that leaves these distances with these probabilities with a cluster of a given spread, all in units of `R`.
pub(super) fn rehearsed<const N: usize>(left: impl Fn(f64) -> [(f64, f64); N]) -> (f64, f64) {
    let (mut figure, mut distance) = (0.0_f64, 0.0_f64);
    for spread in (0..SPREADS).map(|i| 0.25_f64.powi(i)) {
        let left = left(spread);
        figure += left.iter().map(|(p, far)| p * (NEAR + far / spread).ln()).sum::<f64>();
        distance = distance.max(left.iter().map(|(p, far)| p * far * far).sum::<f64>().sqrt());
    }
    (figure, distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_reach_across_the_ball_and_settle() {
        // Gaussian noise in two dimensions, with a budget of nμ = 2,000
        let schedule = Schedule::best(|steps| 2.0 * (2.0 * steps as f64).sqrt() / 2_000.0);
        let reach: f64 = (0..schedule.steps).map(|j| schedule.step(j)).sum();
        assert!(PULL * reach >= 1.0, "{schedule:?}");
        assert!(schedule.step(schedule.steps - 1) < 1.0 / 256.0, "{schedule:?}");
        assert!(schedule.distance < 0.1, "{schedule:?}");
    }

    #[test]
    fn more_noise_means_fewer_steps() {
        let steps = |scale: f64| Schedule::best(|steps| scale * steps as f64).steps;
        let (quiet, loud, deaf) = (steps(1e-4), steps(0.02), steps(2.0));
        assert!(quiet > loud && loud > deaf, "{quiet} {loud} {deaf}");
    }

    #[test]
    fn the_best_schedule_is_the_best_of_all_that_are_tried() {
        let noise = |steps: usize| 0.01 * (steps as f64).sqrt();
        let best = Schedule::best(noise);
        for steps in 1..=MOST_STEPS {
            for ratio in [0.5, 0.7, 0.9] {
                assert!(best.figure <= Schedule::rehearse(ratio, steps, noise(steps)).figure);
            }
        }
    }
}
