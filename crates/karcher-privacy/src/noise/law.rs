//! The two laws of noise.

/// How the density of noise falls with the distance `ρ` from the center.
///
/// ```
/// use karcher_privacy::noise::Law;
/// assert_eq!(Law::Gaussian.log_density(2.0, 2.0), (-0.5, -0.5)); // at s = σ: −s²/2σ², and its derivative −s/σ²
/// assert_eq!(Law::Laplace.name(), "laplace");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// Density `∝ exp(−ρ/σ)`.
    Laplace,
    /// Density `∝ exp(−ρ²/2σ²)`.
    Gaussian,
}

impl Law {
    /// The name of the mechanism that adds such noise.
    pub fn name(self) -> &'static str {
        match self {
            Law::Laplace => "laplace",
            Law::Gaussian => "gaussian",
        }
    }

    /// Logarithm of the density of scale `σ` at distance `s`, without its constant, and the derivative in `s`.
    pub fn log_density(self, scale: f64, s: f64) -> (f64, f64) {
        match self {
            Law::Laplace => (-s / scale, -1.0 / scale),
            Law::Gaussian => (-0.5 * (s / scale).powi(2), -s / scale / scale),
        }
    }
}
