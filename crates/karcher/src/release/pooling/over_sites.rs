//! The mean over sites whose populations differ (user guide, F3).

use super::{Middle, PROBABILITY, Site, Sites};
use crate::release::{Coverage, Region, RegionCenter};
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

/// The mean over sites: these are a sample of many sites, and the populations of sites have means of their own.
///
/// Site `i` has the variance `V_i = s²/n_i + v_i` of [`pool`](super::pool), and `τ²` is the mean square distance of a
/// site's own mean from the mean over sites. The weights are
///
/// ```text
/// w_i ∝ 1/(V_i + τ²).
/// ```
///
/// DerSimonian and Laird (1986) estimate `τ²` from the distances of the released points from their weighted mean. The
/// region follows Hartung, Knapp, Sidik and Jonkman: it takes the law of Student for the differences found between the
/// sites (user guide, F3).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanOverSites {
    /// The mean over sites.
    pub value: Vec<f64>,
    /// The same before it was projected onto the ball, if all releases have the same ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noisy_value: Option<Vec<f64>>,
    /// The embedded mean over sites, for extrinsic means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded_mean: Option<Vec<f64>>,
    /// The weights of the releases, in their order. Their sum is 1.
    pub weights: Vec<f64>,
    /// The root mean square distance `τ` of a site's own mean from the mean over sites. Without a spread it includes
    /// what the sampling of records adds.
    pub between_sites: f64,
    /// The share `I²` of the differences between the released points that noise and sampling do not explain. Without a
    /// spread it includes the sampling.
    pub i_squared: f64,
    /// The distance of each released point from the mean over sites, in their order. For extrinsic means it is that of
    /// the embedded points, in units of distance.
    pub distances: Vec<f64>,
    /// The root mean square error `√V_i` of each released point, in their order: noise, and sampling where there is a
    /// spread.
    pub errors: Vec<f64>,
    /// The length that this error exceeds with 5 % if it is normal, in their order.
    pub radii: Vec<f64>,
    /// Region for the mean over sites.
    pub region: Region,
}

/// Squared distances of points from their mean, and the variances of the points. Weights are in units of the largest, so
/// that none overflows.
struct Scatter<'a> {
    squares: &'a [f64],
    variances: &'a [f64],
    unit: f64,
}

impl<'a> Scatter<'a> {
    fn new(squares: &'a [f64], variances: &'a [f64]) -> Self {
        Self { squares, variances, unit: variances.iter().copied().fold(f64::INFINITY, f64::min) }
    }

    fn weights(&self) -> impl Iterator<Item = f64> {
        self.variances.iter().map(|variance| self.unit / variance)
    }

    /// `Q = Σ w_i·d_i²`.
    fn found(&self) -> f64 {
        self.squares.iter().zip(self.variances).map(|(square, variance)| square / variance).sum()
    }

    fn freedom(&self) -> f64 {
        self.squares.len() as f64 - 1.0
    }

    /// `τ²` and `I²` by DerSimonian and Laird: `Q` has the mean `m − 1 + τ²·Σ w_i·(W − w_i)/W`.
    fn between(&self) -> (f64, f64) {
        let beyond = self.found() - self.freedom();
        if beyond <= 0.0 || beyond.is_nan() {
            return (0.0, 0.0);
        }
        let sum: f64 = self.weights().sum();
        // the sum of the others, as W − w_i would cancel for one exact point
        let others =
            |i: usize| self.weights().enumerate().filter(|(j, _)| *j != i).map(|(_, weight)| weight).sum::<f64>();
        let slope = self.weights().enumerate().map(|(i, weight)| weight * others(i)).sum::<f64>() / sum;
        (self.unit * beyond / slope, beyond / self.found())
    }

    /// The radius of the region around the mean with these weights: `t·√(q/W)`, where `q = Q/(m − 1)` counts as at
    /// least 1.
    fn radius(&self) -> f64 {
        let (freedom, sum) = (self.freedom(), self.weights().sum::<f64>());
        let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(UPPER));
        quantile * ((self.found() / freedom).max(1.0) * self.unit / sum).sqrt()
    }
}

/// The probability below the upper end of an interval.
const UPPER: f64 = 0.5 + 0.5 * PROBABILITY;

impl Sites<'_> {
    /// The mean over sites, where the weighted mean is `pooled`. None for one site, and where the points have no unique
    /// mean with these weights.
    pub(super) fn over_sites(&self, pooled: &Middle, is_one_ball: bool, order: &[usize]) -> Option<MeanOverSites> {
        if self.all.len() < 2 {
            return None;
        }
        let distances = |from: &Middle| self.all.iter().map(|site| self.distance(site, from)).collect::<Vec<f64>>();
        let squares = |from: &Middle| distances(from).into_iter().map(|x| x * x).collect::<Vec<f64>>();
        let own: Vec<f64> = self.all.iter().map(|site| self.variance(site)).collect();
        let (between, share) = Scatter::new(&squares(pooled), &own).between();
        let all: Vec<f64> = own.iter().map(|variance| variance + between).collect();
        if !all.iter().all(|variance| variance.is_normal()) {
            return None;
        }
        let weights = super::inverse(&all);
        let middle = self.middle(&weights, is_one_ball).ok()?;
        let length = Scatter::new(&squares(&middle), &all).radius();
        let radius = match (self.manifold.embedding(), &middle.embedded_mean) {
            (Some(embedding), Some(mean)) => embedding.reach(mean, length * self.all[0].embedded_length)?,
            _ => length + self.bias(&weights),
        };
        if !radius.is_finite() {
            return None;
        }
        let region = Region {
            probability: PROBABILITY,
            radius: radius.min(self.manifold.diameter()),
            center: RegionCenter::Value,
            coverage: Coverage::Approximately,
        };
        let errors: Vec<f64> = own.iter().map(|variance| variance.sqrt()).collect();
        let dim = self.manifold.dim() as f64;
        let of_normal = ChiSquared::new(dim).map_or(f64::INFINITY, |law| (law.inverse_cdf(PROBABILITY) / dim).sqrt());
        let placed = |found: &[f64]| super::in_given_order(found, order);
        Some(MeanOverSites {
            weights: placed(&weights),
            between_sites: between.sqrt(),
            i_squared: share,
            distances: placed(&distances(&middle)),
            radii: placed(&errors.iter().map(|error| error * of_normal).collect::<Vec<f64>>()),
            errors: placed(&errors),
            region,
            value: middle.value,
            noisy_value: middle.noisy_value,
            embedded_mean: middle.embedded_mean,
        })
    }

    /// The distance of a site's point from a mean, before denoising; for extrinsic means that of the embedded ones, in
    /// units of distance.
    fn distance(&self, site: &Site<'_>, from: &Middle) -> f64 {
        match (site.embedded, &from.embedded_mean) {
            (Some(of), Some(mean)) => {
                let square = of.iter().zip(mean).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
                square.sqrt() / site.embedded_length
            }
            _ => self.manifold.dist(site.noisy, from.noisy_value.as_ref().unwrap_or(&from.value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::pooling::inverse;

    /// Logarithms of the relative risk of tuberculosis after vaccination in 13 trials, with their variances (Colditz et
    /// al. 1994). R's package metafor has the expected numbers: `rma(yi, vi, method = "DL", test = "knha")`.
    const TRIALS: [(f64, f64); 13] = [
        (-0.8893, 0.3256),
        (-1.5854, 0.1946),
        (-1.3481, 0.4154),
        (-1.4416, 0.0200),
        (-0.2175, 0.0512),
        (-0.7861, 0.0069),
        (-1.6209, 0.2230),
        (0.0120, 0.0040),
        (-0.4694, 0.0564),
        (-1.3713, 0.0730),
        (-0.3394, 0.0124),
        (0.4459, 0.5325),
        (-0.0173, 0.0714),
    ];

    fn squares(weights: &[f64]) -> (f64, Vec<f64>) {
        let mean = TRIALS.iter().zip(weights).map(|((x, _), weight)| weight * x).sum::<f64>();
        (mean, TRIALS.iter().map(|(x, _)| (x - mean).powi(2)).collect())
    }

    #[test]
    fn trials_of_a_vaccine_differ_as_metafor_says() {
        let own = TRIALS.map(|(_, variance)| variance);
        let (between, share) = Scatter::new(&squares(&inverse(&own)).1, &own).between();
        assert!((between - 0.308396).abs() < 1e-6 && (share - 0.9210).abs() < 1e-4, "{between} {share}");
        let all = own.map(|variance| variance + between);
        let (mean, squares) = squares(&inverse(&all));
        assert!((mean + 0.714084).abs() < 1e-6, "{mean}");
        let radius = Scatter::new(&squares, &all).radius();
        assert!((radius - 0.5 * (1.107776 - 0.320393)).abs() < 1e-6, "{radius}");
    }

    #[test]
    fn equal_points_differ_by_nothing() {
        assert_eq!(Scatter::new(&[0.0; 3], &[1.0, 2.0, 4.0]).between(), (0.0, 0.0));
        // the error of the weighted mean, times Student's number for two degrees of freedom, and for one
        assert!((Scatter::new(&[0.0; 3], &[3.0; 3]).radius() - 4.302653).abs() < 1e-5);
        assert!((Scatter::new(&[0.0; 2], &[2.0; 2]).radius() - 12.706205).abs() < 1e-4);
    }

    #[test]
    fn one_exact_point_takes_no_digits_from_the_others() {
        assert_eq!(Scatter::new(&[0.0, 0.0], &[1.0, 1e20]).between(), (0.0, 0.0));
        // two points at distance d have τ² = (d² − V₁ − V₂)/2 where V₁ is 0
        let (far, exact) = (1e4, 1e-20);
        let (between, _) = Scatter::new(&[0.0, far], &[exact, 1.0]).between();
        assert!((between / (0.5 * (far - 1.0)) - 1.0).abs() < 1e-9, "{between}");
    }
}
