//! Releases in words, one file for each statistic.

pub mod clusters;
pub mod components;
pub mod extrinsic;
pub mod features;
pub mod located_ball;
pub mod mean;
pub mod regression;
pub mod spread;
pub mod variance;
