//! The mean over sites whose populations differ (user guide, F3).

use super::{Middle, PROBABILITY, Site, Sites};
use crate::release::{Coverage, Region, RegionCenter};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

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
    /// The share `I²` of the differences between the released points that noise and sampling do not explain.
    pub i_squared: f64,
    /// The distance of each released point from the mean over sites, in their order.
    pub distances: Vec<f64>,
    /// The root mean square error `√V_i` of each released point, in their order.
    pub errors: Vec<f64>,
    /// Region for the mean over sites.
    pub region: Region,
}

/// What the differences between sites show: `τ²`, and `I²`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Between {
    variance: f64,
    share: f64,
}

impl Between {
    /// The estimate of DerSimonian and Laird from squared distances to the weighted mean, and the variances of sites.
    ///
    /// With `w_i = 1/V_i` and `W = Σ w_i`, `Q = Σ w_i·d_i²` has the mean `m − 1 + τ²·(W − Σ w_i²/W)`.
    fn of(squares: &[f64], variances: &[f64]) -> Self {
        // in units of the least variance, so that no weight overflows
        let unit = variances.iter().copied().fold(f64::INFINITY, f64::min);
        let weights = || variances.iter().map(|variance| unit / variance);
        let found: f64 = squares.iter().zip(variances).map(|(square, variance)| square / variance).sum();
        let expected = squares.len() as f64 - 1.0;
        let (sum, sum_of_squares) = weights().fold((0.0, 0.0), |(a, b), weight| (a + weight, b + weight * weight));
        let beyond = (found - expected).max(0.0);
        let share = if found > 0.0 { beyond / found } else { 0.0 };
        Self { variance: unit * beyond / (sum - sum_of_squares / sum), share }
    }
}

/// The radius of the region from squared distances to the mean over sites, and the variances with `τ²`: `t·√(q/W)`,
/// where `q = Σ w_i·d_i²/(m − 1)` counts as at least 1.
fn radius(squares: &[f64], variances: &[f64]) -> f64 {
    let freedom = squares.len() as f64 - 1.0;
    let unit = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let sum: f64 = variances.iter().map(|variance| unit / variance).sum();
    let found: f64 = squares.iter().zip(variances).map(|(square, variance)| square / variance).sum();
    let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(UPPER));
    quantile * ((found / freedom).max(1.0) * unit / sum).sqrt()
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
        let between = Between::of(&squares(pooled), &own);
        let all: Vec<f64> = own.iter().map(|variance| variance + between.variance).collect();
        let weights = super::inverse(&all);
        let middle = self.middle(&weights, is_one_ball).ok()?;
        let radius = radius(&squares(&middle), &all) + self.bias(&weights);
        let region = Region {
            probability: PROBABILITY,
            radius: radius.min(self.manifold.diameter()),
            center: RegionCenter::Value,
            coverage: Coverage::Approximately,
        };
        let placed = |found: &[f64]| super::in_given_order(found, order);
        region.radius.is_finite().then(|| MeanOverSites {
            weights: placed(&weights),
            between_sites: between.variance.sqrt(),
            i_squared: between.share,
            distances: placed(&distances(&middle)),
            errors: placed(&own.iter().map(|variance| variance.sqrt()).collect::<Vec<f64>>()),
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
        let between = Between::of(&squares(&crate::release::pooling::inverse(&own)).1, &own);
        assert!((between.variance - 0.308396).abs() < 1e-6 && (between.share - 0.9210).abs() < 1e-4, "{between:?}");
        let all = own.map(|variance| variance + between.variance);
        let (mean, squares) = squares(&crate::release::pooling::inverse(&all));
        assert!((mean + 0.714084).abs() < 1e-6, "{mean}");
        let radius = radius(&squares, &all);
        assert!((radius - 0.5 * (1.107776 - 0.320393)).abs() < 1e-6, "{radius}");
    }

    #[test]
    fn equal_points_differ_by_nothing() {
        let between = Between::of(&[0.0; 3], &[1.0, 2.0, 4.0]);
        assert_eq!(between, Between { variance: 0.0, share: 0.0 });
        // the error of the weighted mean, times Student's number for two degrees of freedom
        assert!((radius(&[0.0; 3], &[3.0; 3]) - 4.302653).abs() < 1e-5);
    }
}
