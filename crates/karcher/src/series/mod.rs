//! Releases over time: a statistic of everyone who has joined so far, or of a sliding window, again in each period, for
//! the budget of one release (user guide, T1).
//!
//! ```text
//! y = C·x + N,    S̃ = A·C⁻¹·y,
//! ```
//!
//! `x_t` the exact integer sum over the records that join in period `t`, `N` independent noise, `A` the lower triangular
//! matrix of ones: `A·x` are the running sums. `C` is the square root of `A`, or the identity ([`Factorisation`]). A
//! record is in one period and moves `C·x` by a column of `C`, which is short. The release of a period is made of `S̃_t`
//! as any other release is made of its noisy sum.
//!
//! Files: the **state** is public, and has all that was released ([`SeriesState`]). The **key** is confidential: it has
//! the secret that the noise is drawn from, and the exact sums ([`SeriesKey`]). From both together the exact sums
//! follow, from the state alone nothing does.
//!
//! ```
//! use karcher::series::{SeriesKey, SeriesPlan, SeriesShape};
//! use karcher::{Points, ReleaseContext, ReleaseSpec, manifold::Euclidean};
//! let spec: ReleaseSpec = serde_json::from_str(
//!     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "budget": {"definition": "gaussian",
//!         "mu": 1.0}, "ball": {"center": [0.0], "radius": 1.0}}"#,
//! )?;
//! let plan = SeriesPlan::new(&spec, SeriesShape::of(12))?;
//! let (mut state, mut key) = plan.begin(&mut ReleaseContext::from_os()?)?;
//! for month in ["January", "February"] {
//!     let joined = Points::new(&Euclidean::new(1)?, vec![0.25; 500])?;
//!     key.enter(&plan, &state, &plan.sum(&joined)?, vec![])?;
//!     state.publish(&plan, &key, Some(month.to_owned()))?;
//! }
//! assert_eq!((state.published.len(), state.verify()), (2, vec![]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod factorisation;
mod forecast;
mod key;
mod one_round;
mod period;
mod plan;
mod shape;
mod state;

pub(crate) use factorisation::UNIT;
pub use factorisation::{Factorisation, Root};
pub use forecast::SeriesForecast;
pub use key::{Entered, NewKeyFile, SeriesKey};
pub use period::SeriesPeriod;
pub use plan::SeriesPlan;
pub use shape::SeriesShape;
pub use state::{Published, SeriesState};
