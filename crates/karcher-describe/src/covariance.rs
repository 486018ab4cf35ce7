//! The covariance of the features, and bounds of its distance from known matrices.
//!
//! **The ball.** Let `k = 8 + c` be the number of features of an image of `c` channels. All eigenvalues of
//! `R = Cov φ + ηI` are in `[η, T + η]`, `T` an upper bound of the trace: a covariance has no negative eigenvalue, and
//! none above its trace, the sum of the features' variances. A number in `[0, b]` has a variance of at most `b²/4`; `b`
//! is 1 for `x`, `y`, each intensity and the four derivatives, `√2` for `√(I_x² + I_y²)`, and `π/2` for the angle, so
//! `T = (6 + c)/4 + 2/4 + π²/16`. Hence all eigenvalues of `Logm R` are within half of `ln((T + η)/η)` of
//! `½·ln(η·(T + η))`, and `ρ(√(η·(T + η))·I, R) ≤ ½·√k·ln((T + η)/η)` in both metrics of SPD matrices. ∎

use crate::error::{Error, Result};
use crate::image::{Image, features};
use crate::moments::Moments;
use crate::pixel_features::{features as pixel_features, flat, tiles};
use rayon::prelude::*;
use std::f64::consts::PI;

/// A public ball about a multiple of the identity matrix that holds the descriptor of every image.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DescriptorBall {
    /// `k`: descriptors are `k × k` matrices.
    pub size: usize,
    /// The number on the diagonal of the center.
    pub center: f64,
    /// The radius, in the log-Euclidean and in the affine-invariant metric.
    pub radius: f64,
}

impl DescriptorBall {
    /// The center as a matrix, row by row.
    pub fn center_matrix(&self) -> Vec<f64> {
        let mut matrix = vec![0.0; self.size * self.size];
        matrix.iter_mut().step_by(self.size + 1).for_each(|x| *x = self.center);
        matrix
    }
}

/// `R_η = Cov(φ) + ηI`, the covariance (over `1/n`) of the feature vectors of all pixels: a `k × k` matrix, row by row,
/// `k = 9` for grey and 11 for RGB images (Utpala, Vepakomma and Miolane 2023, section 6.2; there `η = 10⁻⁶`).
///
/// Features, in this order: `x, y, I` (one a
/// channel)`, |I_x|, |I_y|, |I_xx|, |I_yy|, √(I_x² + I_y²), arctan(|I_x|/|I_y|)`. The descriptor is a function of one
/// image alone, and as confidential as the image.
///
/// # Errors
/// [`Error::InvalidRegularization`] unless `η` is between 1e-10 and 1.
///
/// ```
/// use karcher_describe::{Image, covariance_descriptor};
/// let blank = Image::new(3, 3, 1, vec![0.5; 9])?;
/// let descriptor = covariance_descriptor(&blank, 1e-6)?;
/// assert_eq!(descriptor.len(), 81);
/// assert_eq!(descriptor[2 * 9 + 2], 1e-6); // the intensity does not vary: η alone
/// # Ok::<(), karcher_describe::Error>(())
/// ```
pub fn covariance_descriptor(image: &Image, eta: f64) -> Result<Vec<f64>> {
    check_eta(eta)?;
    let flat = flat(image);
    // the parts are fixed and are merged in order: the number of threads changes nothing
    let parts: Vec<Moments> =
        tiles(image).par_iter().map(|tile| Moments::of(pixel_features(image, tile, flat))).collect();
    let moments = parts.into_iter().reduce(Moments::merge).expect("an image has pixels");
    let mut descriptor = moments.covariance();
    for i in 0..image.features() {
        descriptor[(i, i)] += eta;
    }
    Ok(descriptor.as_slice().to_vec()) // symmetric
}

/// `√k·max{|ln η|, |ln(11 + c + η)|}`, a bound of `‖Logm R_η‖_F`: every descriptor is within this distance of the
/// identity matrix (Utpala, Vepakomma and Miolane 2023, Theorem A.7; their Theorem 5 prints `ln(14 + η)` and
/// `ln(16 + η)` for `c = 1` and 3).
///
/// [`ball`] is about half as large, and so is its noise.
///
/// # Errors
/// [`Error::InvalidRegularization`], and [`Error::NotAnImage`] unless `channels` is 1 or 3.
///
/// ```
/// use karcher_describe::log_norm_bound;
/// assert!((log_norm_bound(1, 1e-6)? - 3.0 * 1e6_f64.ln()).abs() < 1e-6); // √9·|ln η|
/// # Ok::<(), karcher_describe::Error>(())
/// ```
pub fn log_norm_bound(channels: usize, eta: f64) -> Result<f64> {
    check_channels(channels)?;
    check_eta(eta)?;
    let logarithm = eta.ln().abs().max((11.0 + channels as f64 + eta).ln());
    Ok((features(channels) as f64).sqrt() * logarithm)
}

/// The public ball for a private mean of descriptors. It holds the descriptor of every image of 1 (grey) or 3 (RGB)
/// channels and any size (proof at the head of this file).
///
/// Center `√(η·L)·I`, radius `½·√k·ln(L/η)`, `L = (6 + c)/4 + ½ + π²/16 + η`.
///
/// # Errors
/// As [`log_norm_bound`].
///
/// ```
/// use karcher_describe::{ball, log_norm_bound};
/// let grey = ball(1, 1e-6)?;
/// assert_eq!((grey.size, grey.center_matrix().len()), (9, 81));
/// assert!(grey.radius < 0.6 * log_norm_bound(1, 1e-6)?);
/// # Ok::<(), karcher_describe::Error>(())
/// ```
pub fn ball(channels: usize, eta: f64) -> Result<DescriptorBall> {
    check_channels(channels)?;
    check_eta(eta)?;
    let size = features(channels);
    let largest = (6.0 + channels as f64) / 4.0 + 0.5 + PI * PI / 16.0 + eta;
    Ok(DescriptorBall {
        size,
        center: (eta * largest).sqrt(),
        radius: 0.5 * (size as f64).sqrt() * (largest / eta).ln(),
    })
}

fn check_channels(channels: usize) -> Result<()> {
    if matches!(channels, 1 | 3) {
        return Ok(());
    }
    Err(Error::NotAnImage { file: "image".to_owned(), shape: format!("(height, width, {channels})") })
}

pub(crate) fn check_eta(eta: f64) -> Result<()> {
    if (1e-10..=1.0).contains(&eta) { Ok(()) } else { Err(Error::InvalidRegularization { value: eta }) }
}
