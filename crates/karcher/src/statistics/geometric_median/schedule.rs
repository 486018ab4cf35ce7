//! The steps of a median flow, chosen by a simulation with public numbers alone (user guide, B1).
//!
//! In an outer ball of radius `R`, on a space whose sectional curvatures have the mean `−a²` (`a = 0` if that is not
//! negative), step `j` goes
//!
//! ```text
//! η_j = min(½·D_j, ℓ),   sinh(a·D_j) = q^j·sinh(a·R)   (D_j = q^j·R where a = 0),   j = 0, …, T − 1,
//! ```
//!
//! in the direction of the mean of unit vectors. The first steps are long enough to cross the outer ball, the last ones
//! short enough to settle in a small cluster. `q`, `T` and the longest step `ℓ` are the best ones for a made-up median.
//! A cluster of spread `s` at distance `D` attracts with a strength of about
//!
//! ```text
//! p(D) = 3/5·D/√(D² + s²)
//! ```
//!
//! (the factor is for a fifth of the records that attract in the opposite direction). Noise of squared length `v²` on
//! the mean of unit vectors turns this into a step of length `t = η_j·√(p² + v²)`. Its direction is off by `φ`,
//! `cos φ = p/√(p² + v²)`. The rest of `D` is the third side of a triangle, at most that of the plane of curvature
//! `−a²`,
//!
//! ```text
//! sinh²(a·D′/2) = sinh²(a·(D − t)/2) + sinh(a·D)·sinh(a·t)·sin²(φ/2),
//! ```
//!
//! and in a flat space `D′² = (D − η_j·p)² + η_j²·v²`. **Curvature determines `D_j` and `ℓ`.** Far from a cluster, in
//! units of `1/a`, a step that is off by an angle `φ` gets nearer by `ln(1/sin φ)/a` at most. This holds however far
//! away the cluster is, and a longer step gets nearer by less.
//!
//! Schedules are compared by a figure: the sum of `ln(1/10 + D/s)` at the end, from `D = R` on, for clusters
//! `s = R, R/4, …, R/1024`. So clusters that are too small for a budget to find do not decide, and a center much nearer
//! than a tenth of the spread gains nothing. `v` depends on `T`, because all steps share the budget. It is a rehearsal
//! and no bound: there is no model of the records.

use crate::manifold::Manifold;

/// Step sizes as fractions of `R`, with the results of their rehearsal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Schedule {
    /// `η_j`.
    pub(super) steps: Vec<f64>,
    /// The largest rehearsed distance from the median in the end.
    pub(super) distance: f64,
    /// The figure by which schedules, and other ways to find a center, are compared.
    pub(super) figure: f64,
}

/// The attraction of a cluster from afar.
const PULL: f64 = 0.6;

/// The spreads of clusters, as fractions of `R`: powers of ¼.
const SPREADS: i32 = 6;

/// The fraction of a cluster's spread below which its center is near enough.
const NEAR: f64 = 0.1;

/// The first step, as a fraction of `R`. With `q ≥ ½` all together are as long as `R` or longer.
const FIRST: f64 = 0.5;

/// Ratios to try, in hundredths: five apart, and ten apart where a rehearsal in curved space takes ten times as long.
const RATIOS: std::ops::RangeInclusive<u32> = 50..=90;
const APART: [usize; 2] = [5, 10];

/// Longest steps to try where they are less than the first, in units of `1/a`.
const LONGEST: [f64; 4] = [1.0, 1.5, 2.0, 3.0];

/// The largest number of steps to try; in curved space every third number after the first few.
const MOST_STEPS: usize = 60;
const FEW_STEPS: usize = 12;

/// From `FAR` on `sinh x` is `e^x/2`; below `FLAT` a space is as good as flat.
const FAR: f64 = 20.0;
const FLAT: f64 = 1e-6;

/// A length at which curvature has a first-order effect, in units of `1/√−κ₋`.
const SMALL: f64 = 1e-2;

impl Schedule {
    /// The best schedule, where `noise(T)` is the root mean square length of the noise on the mean of unit vectors when
    /// there are `T` steps, and `bend` is `a·R`.
    pub(super) fn best(bend: f64, noise: impl Fn(usize) -> f64) -> Self {
        let tried = (1..=MOST_STEPS).filter(|steps| bend < FLAT || *steps <= FEW_STEPS || steps % 3 == 0);
        let all = tried.map(|steps| Self::of(steps, bend, noise(steps)));
        all.reduce(Self::better).unwrap_or_else(|| Self::of(1, bend, noise(1)))
    }

    /// The best schedule of so many steps.
    pub(super) fn of(steps: usize, bend: f64, noise: f64) -> Self {
        let capped = LONGEST.into_iter().map(|longest| longest / bend).filter(|longest| *longest < FIRST);
        let longest = std::iter::once(FIRST).chain(capped);
        let ratios = RATIOS.step_by(APART[usize::from(bend >= FLAT)]).map(|hundredths| f64::from(hundredths) / 100.0);
        let all = longest.flat_map(|longest| ratios.clone().map(move |ratio| (ratio, longest)));
        let rehearse = |(ratio, longest)| Self::rehearse(lengths(ratio, longest, steps, bend), bend, noise);
        all.map(rehearse).reduce(Self::better).unwrap_or_else(|| rehearse((FIRST, FIRST)))
    }

    fn better(self, other: Self) -> Self {
        if other.figure < self.figure { other } else { self }
    }

    fn rehearse(steps: Vec<f64>, bend: f64, noise: f64) -> Self {
        let (figure, distance) = rehearsed(|spread| {
            let pull = |distance: f64| PULL * distance / distance.hypot(spread);
            [(1.0, steps.iter().fold(1.0, |distance, step| after(distance, *step, pull(distance), noise, bend)))]
        });
        Self { steps, distance, figure }
    }
}

/// `η_j` as fractions of `R`.
fn lengths(ratio: f64, longest: f64, steps: usize, bend: f64) -> Vec<f64> {
    let along = |j: usize| {
        let exponent = j as f64 * ratio.ln();
        match bend {
            ..FLAT => exponent.exp(),
            bend if bend + exponent > FAR => 1.0 + exponent / bend,
            bend => (exponent.exp() * bend.sinh()).asinh() / bend,
        }
    };
    (0..steps).map(|j| (FIRST * along(j)).min(longest)).collect()
}

/// `a·R` of a ball of radius `R`, `−a²` the mean of the sectional curvatures, if that is negative: the same at every
/// point. `ln θ(t·e)`, `θ` the volume density, is `−Ric(e)·t²/6` for small `t`, and `Σ Ric(e)` over the directions `e`
/// of a frame is `d(d − 1)` times that mean.
pub(crate) fn bend(manifold: &dyn Manifold, radius: f64) -> f64 {
    let (d, least) = (manifold.dim(), -manifold.curvature().lower);
    if d < 2 || least <= 0.0 {
        return 0.0;
    }
    let small = SMALL / least.sqrt();
    let along = |i: usize| {
        let direction: Vec<f64> = (0..d).map(|j| if i == j { small } else { 0.0 }).collect();
        manifold.log_volume_density_in_frame(&direction)
    };
    let all = (0..d).map(along).sum::<f64>() / small.powi(2);
    (6.0 * all / (d * (d - 1)) as f64).clamp(0.0, least).sqrt() * radius
}

/// The rest of a distance to a cluster with an attraction, after a step with noise on the mean of unit vectors: all in
/// units of `R`, with `bend = a·R`. At most the largest distance in the outer ball.
pub(crate) fn after(distance: f64, step: f64, pull: f64, noise: f64, bend: f64) -> f64 {
    let length = pull.hypot(noise);
    let (gone, flat) = (step * length, (distance - step * pull).hypot(step * noise));
    if bend < FLAT || length == 0.0 {
        return flat.min(2.0);
    }
    // sin²(φ/2), without the difference of 1 and cos φ
    let off = noise * noise / (2.0 * length * (length + pull));
    let nearer = (0.5 * bend * (distance - gone)).sinh().powi(2);
    let aside = (bend * distance).sinh() * (bend * gone).sinh() * off;
    // where numbers overflow it is the sum of the two sides; `min` also replaces NaN by that
    (2.0 / bend * (nearer + aside).sqrt().asinh()).min(distance + gone).min(2.0)
}

/// The figure of a way to find a center, less is better, and the largest remaining distance from the median. The way
/// leaves these distances with these probabilities, for a cluster of a given spread, all in units of `R`.
pub(crate) fn rehearsed<const N: usize>(left: impl Fn(f64) -> [(f64, f64); N]) -> (f64, f64) {
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
        let schedule = Schedule::best(0.0, |steps| 2.0 * (2.0 * steps as f64).sqrt() / 2_000.0);
        let reach: f64 = schedule.steps.iter().sum();
        assert!(PULL * reach >= 1.0, "{schedule:?}");
        assert!(schedule.steps[schedule.steps.len() - 1] < 1.0 / 256.0, "{schedule:?}");
        assert!(schedule.distance < 0.1, "{schedule:?}");
    }

    #[test]
    fn more_noise_means_fewer_steps() {
        let steps = |scale: f64| Schedule::best(0.0, |steps| scale * steps as f64).steps.len();
        let (quiet, loud, deaf) = (steps(1e-4), steps(0.02), steps(2.0));
        assert!(quiet > loud && loud > deaf, "{quiet} {loud} {deaf}");
    }

    #[test]
    fn the_best_schedule_is_the_best_of_all_that_are_tried() {
        let noise = |steps: usize| 0.01 * (steps as f64).sqrt();
        for bend in [0.0, 10.0] {
            let best = Schedule::best(bend, noise);
            for steps in 1..=MOST_STEPS {
                if bend > 0.0 && steps > FEW_STEPS && steps % 3 > 0 {
                    continue;
                }
                for (ratio, longest) in [(0.5, FIRST), (0.7, FIRST), (0.9, 2.0 / 10.0)] {
                    let other = Schedule::rehearse(lengths(ratio, longest, steps, bend), bend, noise(steps));
                    assert!(best.figure <= other.figure);
                }
            }
        }
    }

    /// The triangle of the formula, constructed on the hyperbolic plane.
    #[test]
    fn a_step_leaves_the_third_side_of_a_triangle() {
        use crate::manifold::{Hyperbolic, Manifold};
        let plane = Hyperbolic::new(2).unwrap();
        let from_vertex = |along: f64, aside: f64| {
            let mut end = [0.0; 3];
            plane.exp(&[1.0, 0.0, 0.0], &[0.0, along, aside], &mut end);
            end
        };
        for (distance, step, pull, noise) in [(4.0, 1.5, 1.0, 0.3), (0.2, 0.7, 0.5, 0.5), (9.0, 3.0, 0.6, 0.01)] {
            let expected = plane.dist(&from_vertex(distance, 0.0), &from_vertex(step * pull, step * noise));
            // the same in units of a ball of radius 10
            let found = 10.0 * after(0.1 * distance, 0.1 * step, pull, noise, 10.0);
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
            let flat = after(distance, step, pull, noise, 0.0).min(2.0);
            let nearly_flat = after(distance, step, pull, noise, 1e-5).min(2.0);
            assert!((nearly_flat / flat - 1.0).abs() < 1e-6, "{nearly_flat} {flat}");
        }
    }

    #[test]
    fn the_mean_of_sectional_curvatures_is_that_of_the_space() {
        use crate::Space;
        let bend = |space: &str| bend(&*space.parse::<Space>().unwrap().manifold().unwrap(), 2.0);
        for (space, mean) in [
            ("hyperbolic:2", 1.0),
            ("hyperbolic:5", 1.0),
            // of `X` and the direction that mixes the eigenvalues `xᵢ`, `xⱼ` of it: −(xᵢ − xⱼ)²/4, 0 of all others
            ("spd-affine-invariant:2", (2.0 * 0.25 + 0.5) / 6.0),
            ("spd-affine-invariant:3", 3.0 * (0.5 + 0.75) / 30.0),
            ("sphere:3", 0.0),
            ("euclidean:4", 0.0),
            ("sphere:2*hyperbolic:2", 0.0),
            ("hyperbolic:1", 0.0),
        ] {
            assert!((bend(space) - 2.0 * f64::sqrt(mean)).abs() < 1e-3, "{space}: {} {mean}", bend(space));
        }
    }

    /// Distances stay finite where intermediate numbers overflow.
    #[test]
    fn a_rehearsal_in_a_huge_ball_ends_with_numbers() {
        for bend in [1e-300, 0.1, 30.0, 400.0, 1e140] {
            let schedule = Schedule::best(bend, |steps| 0.1 * steps as f64);
            assert!(schedule.figure.is_finite() && schedule.distance <= 2.0, "{bend}: {schedule:?}");
            assert!(schedule.steps.iter().all(|step| *step > 0.0 && *step <= FIRST), "{bend}: {schedule:?}");
        }
    }
}
