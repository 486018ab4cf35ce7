//! Covariance descriptors: each image gives a symmetric positive definite matrix, a point of `spd-log-euclidean:K` or
//! `spd-affine-invariant:K` (user guide, "Covariance descriptors of images").
//!
//! [`covariance_descriptor`] returns the matrix of an [`Image`]. [`ImageFiles`] streams the images of many files in
//! bounded memory. [`ball`] is the public ball that holds the descriptor of every image.
//!
//! ```
//! use karcher_describe::{Image, ball, covariance_descriptor};
//!
//! let image = Image::new(28, 28, 1, vec![0.5; 28 * 28])?;
//! let descriptor = covariance_descriptor(&image, 1e-6)?;
//! assert_eq!(descriptor.len(), 9 * 9);
//! let ball = ball(1, 1e-6)?;
//! assert!((ball.radius - 22.3031).abs() < 1e-4);
//! # Ok::<(), karcher_describe::Error>(())
//! ```

mod covariance;
mod error;
mod files;
mod image;
mod moments;
mod picture;
mod pixel_features;
mod stack;

pub use covariance::{DescriptorBall, ball, covariance_descriptor, log_norm_bound};
pub use error::{Error, Result};
pub use files::ImageFiles;
pub use image::Image;
