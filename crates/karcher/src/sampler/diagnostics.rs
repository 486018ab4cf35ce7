//! Convergence diagnostics of Markov chains: R̂ and effective sample sizes, as Stan and ArviZ define them.
//!
//! All take one number for each draw of each chain, `chains[chain][draw]` (see
//! [`Chains::scalars`](super::Chains::scalars)). They cut each chain in two first, so that a chain that drifts does not
//! agree with itself. They can show that chains have *not* mixed; none can show that they have. Rules of thumb: four
//! chains or more, R̂ ≤ 1.01, both sample sizes ≥ 100 a chain.
//!
//! `NaN`, which passes no threshold, stands for what is undefined: chains of different lengths or with fewer than 4
//! draws, a number that is not finite, and R̂ of one chain or of constant chains.
//!
//! **Not private**: diagnostics of a chain for a density that depends on records reveal something about them.
//!
//! Source: Vehtari, Gelman, Simpson, Carpenter, Bürkner 2021, *Rank-normalization, folding, and localization: an
//! improved R̂*, Bayesian Analysis 16(2).

use statrs::distribution::{ContinuousCDF, Normal};

/// Draws a chain must have, so that each half has two.
const LEAST_DRAWS: usize = 4;

/// The larger of the rank-normalised split-R̂ and the folded one (Vehtari et al. 2021, §4): the former sees chains that
/// differ in location, the latter, of distances from the median, chains that differ in spread. ArviZ:
/// `rhat(method="rank")`.
///
/// ```
/// use karcher::sampler::diagnostics::r_hat;
/// let even = |shift: f64| -> Vec<f64> { (0..500).map(|i| (0.618_034 * f64::from(i)).fract() + shift).collect() };
/// assert!(r_hat(&[even(0.0), even(0.0)]) < 1.01);
/// assert!(r_hat(&[even(0.0), even(1.0)]) > 1.5); // each chain found another place
/// ```
pub fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let Some(halves) = split(chains).filter(|_| chains.len() > 1) else { return f64::NAN };
    let bulk = r_hat_of(&normal_scores(&halves));
    let folded = r_hat_of(&normal_scores(&fold(&halves)));
    if bulk.is_nan() || folded.is_nan() { f64::NAN } else { bulk.max(folded) }
}

/// The split-R̂ of the numbers themselves, `√((B/W + n − 1)/n)` with the variances between and within half chains of
/// length n (Gelman et al. 2013). Means nothing where the variance is infinite. ArviZ: `rhat(method="split")`.
///
/// ```
/// use karcher::sampler::diagnostics::split_r_hat;
/// // four half chains of n = 2: means ±½, so B/n = ⅓; variances W = ½
/// let r_hat = split_r_hat(&[vec![0.0, 1.0, 0.0, 1.0], vec![0.0, -1.0, 0.0, -1.0]]);
/// assert!((r_hat - ((1.0 / 3.0) / 0.5 + 0.5_f64).sqrt()).abs() < 1e-14);
/// ```
pub fn split_r_hat(chains: &[Vec<f64>]) -> f64 {
    split(chains).filter(|_| chains.len() > 1).map_or(f64::NAN, |halves| r_hat_of(&halves))
}

/// Effective sample size of the rank-normalised numbers: how many independent draws would locate the law's center as
/// well. ArviZ: `ess(method="bulk")`.
///
/// ```
/// use karcher::sampler::diagnostics::ess_bulk;
/// let even: Vec<f64> = (0..500).map(|i| (0.618_034 * f64::from(i)).fract()).collect();
/// let sluggish: Vec<f64> = even.iter().flat_map(|x| [*x; 10]).collect(); // ten steps in each place
/// assert!(ess_bulk(&[sluggish]) < 0.5 * 5_000.0);
/// assert!(ess_bulk(&[even]) >= 500.0);
/// ```
pub fn ess_bulk(chains: &[Vec<f64>]) -> f64 {
    split(chains).map_or(f64::NAN, |halves| effective_sample_size(&normal_scores(&halves)))
}

/// The smaller of the effective sample sizes for the probabilities to be below the 5 % and the 95 % quantile.
/// ArviZ: `ess(method="tail", prob=(0.05, 0.95))`.
///
/// ```
/// use karcher::sampler::diagnostics::ess_tail;
/// let even: Vec<f64> = (0..500).map(|i| (0.618_034 * f64::from(i)).fract()).collect();
/// let sorted: Vec<f64> = (0..500).map(f64::from).collect(); // it has been to either tail once
/// assert!(ess_tail(&[sorted]) < 50.0);
/// assert!(ess_tail(&[even]) > 200.0);
/// ```
pub fn ess_tail(chains: &[Vec<f64>]) -> f64 {
    let Some(halves) = split(chains) else { return f64::NAN };
    let sorted = sorted(chains);
    let ess_below = |p| {
        let quantile = quantile(&sorted, p);
        effective_sample_size(&map(&halves, |x| if x <= quantile { 1.0 } else { 0.0 }))
    };
    ess_below(0.05).min(ess_below(0.95))
}

/// The first and the last half of each chain (a draw in the middle is left out); `None` where diagnostics are
/// undefined.
fn split(chains: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let draws = chains.first()?.len();
    let defined = draws >= LEAST_DRAWS && chains.iter().all(|c| c.len() == draws && c.iter().all(|x| x.is_finite()));
    let half = draws / 2;
    defined.then(|| chains.iter().flat_map(|c| [c[..half].to_vec(), c[draws - half..].to_vec()]).collect())
}

/// `√((B/W + n − 1)/n)`.
fn r_hat_of(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len() as f64;
    let means: Vec<f64> = chains.iter().map(|c| mean(c)).collect();
    let within = mean(&chains.iter().map(|c| variance(c)).collect::<Vec<_>>());
    ((n * variance(&means) / within + n - 1.0) / n).sqrt()
}

/// Effective sample size `mn/τ` of `m` chains of length `n`, `τ = 1 + 2·Σρ̂ₜ` with Geyer's initial monotone sequence
/// (Vehtari et al. 2021, §3.2), at most `mn·log₁₀(mn)`. The number of draws if all are equal.
fn effective_sample_size(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len();
    let total = (chains.len() * n) as f64;
    let all = || chains.iter().flatten().copied();
    if all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min) < 1e-15 {
        return total;
    }
    let means: Vec<f64> = chains.iter().map(|c| mean(c)).collect();
    let centered: Vec<Vec<f64>> =
        chains.iter().zip(&means).map(|(c, mean)| c.iter().map(|x| x - mean).collect()).collect();
    // the mean of the chains' autocovariances, each divided by n whatever the lag
    let autocovariance = |lag: usize| {
        let sum = |c: &Vec<f64>| c[lag..].iter().zip(c).map(|(x, y)| x * y).sum::<f64>();
        centered.iter().map(sum).sum::<f64>() / total
    };
    let biased = autocovariance(0);
    let within = biased * n as f64 / (n as f64 - 1.0);
    let pooled = biased + variance(&means);
    if !pooled.is_finite() {
        return f64::NAN;
    }
    let autocorrelation = |lag: usize| 1.0 - (within - autocovariance(lag)) / pooled;

    // sums of ρ̂ at lags 2j and 2j + 1 while they are positive
    let (mut even, mut odd) = (1.0, autocorrelation(1));
    let mut pairs = vec![even + odd];
    let mut lag = 2;
    while lag + 1 < n - 1 && even + odd > 0.0 {
        (even, odd) = (autocorrelation(lag), autocorrelation(lag + 1));
        pairs.push(even + odd);
        lag += 2;
    }
    pairs.pop();
    // the pair that ended the sum still gives its first half
    let last = if even > 0.0 || even + odd >= 0.0 { even } else { 0.0 };
    // pairs decrease with the lag (Geyer's initial monotone sequence)
    let mut least = f64::INFINITY;
    let sum: f64 = pairs
        .iter()
        .map(|&pair| {
            least = least.min(pair);
            least
        })
        .sum();
    let tau = (2.0 * sum - 1.0 + last).max(1.0 / total.log10());
    total / tau
}

/// The values' ranks among all, as normal quantiles `Φ⁻¹((rank − 3/8)/(N + 1/4))` (Blom 1958); equal values share their
/// mean rank.
fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let normal = Normal::standard();
    let sorted = sorted(chains);
    let total = sorted.len() as f64;
    let mut scores = Vec::with_capacity(sorted.len());
    for ties in sorted.chunk_by(|a, b| a == b) {
        // ranks from 1: the first is scores.len() + 1
        let rank = scores.len() as f64 + 0.5 * (ties.len() + 1) as f64;
        let score = normal.inverse_cdf((rank - 0.375) / (total + 0.25));
        scores.extend(std::iter::repeat_n(score, ties.len()));
    }
    map(chains, |x| scores[sorted.partition_point(|&y| y < x)])
}

/// Distances from the median.
fn fold(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let sorted = sorted(chains);
    let middle = sorted.len() / 2;
    // always an even number of values
    let median = 0.5 * (sorted[middle - 1] + sorted[middle]);
    map(chains, |x| (x - median).abs())
}

fn map(chains: &[Vec<f64>], f: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    chains.iter().map(|c| c.iter().map(|&x| f(x)).collect()).collect()
}

fn sorted(chains: &[Vec<f64>]) -> Vec<f64> {
    let mut all: Vec<f64> = chains.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The quantile of sorted values by linear interpolation (type 7 of Hyndman and Fan 1996); exact between equal values.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let i = at as usize;
    let (low, high) = (sorted[i], sorted[(i + 1).min(sorted.len() - 1)]);
    let share = at - i as f64;
    // from the nearer end, so that an index that rounding took off a whole number still gives the value there
    if share < 0.5 { low + share * (high - low) } else { high - (1.0 - share) * (high - low) }
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// The unbiased sample variance.
fn variance(x: &[f64]) -> f64 {
    let mean = mean(x);
    x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (x.len() as f64 - 1.0)
}
