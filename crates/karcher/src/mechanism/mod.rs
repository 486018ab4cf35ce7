//! Mechanisms: a statistic, its sensitivity and a sampler make a [`Release`](crate::Release).
//!
//! ```
//! use karcher::{Ball, Points, manifold::Sphere, mechanism::{PrivateFrechetMean, laplace}, sampler::Generator};
//! let sphere = Sphere::new(2)?;
//! let records = Points::new(&sphere, [0.6, 0.0, 0.8].repeat(100))?;
//! let ball = Ball::new(&sphere, vec![0.0, 0.0, 1.0], 0.7)?; // public: chosen without looking at the records
//! let summary = PrivateFrechetMean::new(&sphere, ball).summarize(&records)?;
//! let release = laplace(&summary, 1.0, &mut Generator::from_os()?)?;
//! println!("{:?}, off by {} on average", release.value(), release.expected_distance());
//! # Ok::<(), karcher::Error>(())
//! ```

mod gaussian;
mod laplace;
mod summary;

pub use gaussian::{check as check_gaussian, gaussian};
pub use laplace::laplace;
pub use summary::{PrivateFrechetMean, Summary};
