//! The public range of a predictor.

use crate::error::{Error, Result};

/// The public range of a predictor. It serialises to its ends, and reading checks them.
///
/// ```
/// use karcher::PredictorRange;
/// let ages = PredictorRange::new(20.0, 80.0)?;
/// assert_eq!((ages.low(), ages.middle(), ages.high()), (20.0, 50.0, 80.0));
/// assert_eq!((ages.scaled(20.0), ages.scaled(65.0)), (-0.5, 0.25));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct PredictorRange {
    low: f64,
    high: f64,
}

/// A range as it is read.
#[derive(serde::Deserialize)]
struct Unchecked {
    low: f64,
    high: f64,
}

impl TryFrom<Unchecked> for PredictorRange {
    type Error = Error;

    fn try_from(Unchecked { low, high }: Unchecked) -> Result<Self> {
        Self::new(low, high)
    }
}

impl PredictorRange {
    /// From `low` to `high`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless both are finite and `low < high`.
    ///
    /// ```
    /// use karcher::PredictorRange;
    /// assert!(PredictorRange::new(0.0, 1.0).is_ok());
    /// assert!(PredictorRange::new(1.0, 0.0).is_err() && PredictorRange::new(0.0, f64::INFINITY).is_err());
    /// ```
    pub fn new(low: f64, high: f64) -> Result<Self> {
        let invalid =
            |value, requirement: String| Err(Error::InvalidParameter { name: "predictor_range", value, requirement });
        for value in [low, high] {
            if !value.is_finite() {
                return invalid(value, "both ends must be finite numbers".to_owned());
            }
        }
        if !(low < high && (high - low).is_finite()) {
            return invalid(low, format!("the lower end comes first, and must be less than the upper end, {high}"));
        }
        Ok(Self { low, high })
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The middle, the predictor at a released footpoint.
    pub fn middle(self) -> f64 {
        self.low + 0.5 * (self.high - self.low)
    }

    /// `x` on the scale on which the range is `[−½, ½]`; not clamped.
    pub fn scaled(self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low) - 0.5
    }
}
