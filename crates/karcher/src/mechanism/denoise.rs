//! Stand-in.
use crate::sampler::Law;

/// Stand-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denoise { /// s
 Shrink, /// n
 None }
impl Denoise {
    /// s
    pub fn named(name: &str) -> Option<Self> { match name { "shrink" => Some(Self::Shrink), "none" => Some(Self::None), _ => None } }
}
/// Stand-in.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Gain { /// a
 pub at: f64, /// b
 pub noisy: f64, /// c
 pub denoised: f64 }
#[derive(Debug, Clone)]
pub(crate) struct Denoiser { radius: f64 }
impl Denoiser {
    pub(crate) fn new(_law: Law, _scale: f64, _dim: usize, radius: f64) -> Self { Self { radius } }
    pub(crate) fn apply(&self, c: &mut [f64]) { crate::records::shorten(c, self.radius) }
    pub(crate) fn gains(&self) -> [Gain; 3] { [Gain { at: 0.0, noisy: 0.0, denoised: 0.0 }; 3] }
}
