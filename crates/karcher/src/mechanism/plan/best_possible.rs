//! The least error of any unbiased release (user guide, N2).

use crate::mechanism::PlanSummary;
use crate::noise::Law;
use crate::privacy::Definition;
use crate::release::{Adjacency, StatisticName};

impl PlanSummary {
    /// The root-mean-square length of the noise on a mean in flat space, before denoising, over the least one of any
    /// unbiased release with the same guarantee: `Δ·√(d/χ²)` at the worst data set, where `χ²` is `e^{μ²} − 1`,
    /// `e^{2ρ} − 1` or `4·sinh²(ε/2)` (Hammersley, Chapman and Robbins). `None` for other statistics, spaces and
    /// budgets, and for fewer records than dimensions, which do not move the mean in all directions.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(3)?);
    /// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
    /// let of = |mu| Request::new(mean.clone(), 100, Guarantee::gaussian(mu)?).plan();
    /// let ratio = |mu| Ok::<_, karcher::Error>(of(mu)?.summary().of_best_unbiased().unwrap_or(f64::NAN));
    /// assert!((ratio(1.0)? - (1_f64.exp() - 1.0).sqrt()).abs() < 1e-9); // Gaussian noise is 1.31 times as long
    /// assert!(ratio(0.1)? < 1.003); // and the best for small budgets
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn of_best_unbiased(&self) -> Option<f64> {
        let [draw] = &self.noise[..] else { return None };
        let d = self.manifold.dim() as f64;
        let is_mean = self.statistic == StatisticName::FrechetMean && self.adjacency == Adjacency::ReplaceOne;
        if !is_mean || self.manifold.flat_chart().is_none() || (self.n as f64) < d || draw.draws != 1 {
            return None;
        }
        let square = match draw.law.on_numbers()? {
            Law::Laplace => d * (d + 1.0),
            Law::Gaussian => d,
        };
        let divergence = match self.guarantee.definition() {
            Definition::Pure { epsilon } => 4.0 * (0.5 * epsilon).sinh().powi(2),
            Definition::Gaussian { mu } => (mu * mu).exp_m1(),
            Definition::Concentrated { rho } => (2.0 * rho).exp_m1(),
            Definition::Approximate { .. } => return None,
        };
        let ratio = draw.scale / draw.sensitivity * (square * divergence / d).sqrt();
        ratio.is_finite().then_some(ratio)
    }
}

#[cfg(test)]
mod tests {
    use crate::mechanism::{PrivateFrechetMean, Request};
    use crate::privacy::Guarantee;
    use crate::{Ball, Space};

    #[test]
    fn only_means_on_flat_spaces_of_enough_records_have_a_least_error() {
        let of = |space: &str, n: usize, budget: Guarantee| {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let ball = Ball::at_origin(&*manifold, 0.5).unwrap();
            let mean = PrivateFrechetMean::new(manifold, ball).unwrap();
            Request::new(mean, n, budget).plan().unwrap().summary().of_best_unbiased()
        };
        let normal = Guarantee::gaussian(0.5).unwrap();
        for (budget, least) in
            [(normal, 1.0), (Guarantee::pure(0.5).unwrap(), 1.9), (Guarantee::concentrated(0.1).unwrap(), 1.0)]
        {
            let ratio = of("euclidean:3", 100, budget).unwrap();
            assert!(ratio >= least && ratio < least + 0.2, "{budget}: {ratio}");
        }
        let both = Guarantee::approximate(1.0, 1e-6).unwrap();
        assert!(of("euclidean:20", 100, both).is_none() && of("euclidean:3", 100, both).is_some()); // pure ε
        assert!(of("euclidean:3", 2, normal).is_none());
        assert!(of("sphere:2", 100, normal).is_none());
    }
}
