//! The sentence about pictures in a build without the feature `plot`.

use crate::Failure;
use crate::plan_curves::CurveSetting;
use karcher::Manifold;
use karcher::release::{PooledMean, StatisticName};
use serde_json::Value;
use std::path::Path;

/// A file of a picture; none exists.
pub enum Picture {}

impl Picture {
    /// Refuses every picture.
    pub fn open(
        path: Option<&Path>,
        _manifold: &dyn Manifold,
        _statistic: StatisticName,
        _force: bool,
        _read: &[&str],
    ) -> Result<Option<Self>, Failure> {
        match path {
            None => Ok(None),
            Some(_) => Err(LEFT_OUT.into()),
        }
    }

    /// Draws nothing.
    pub fn draw_sites(self, _pooled: &PooledMean, _names: &[String], _unit: (f64, &str)) -> Result<(), Failure> {
        match self {}
    }
}

/// A file of the picture of a series; none exists.
pub enum SeriesPicture {}

impl SeriesPicture {
    /// Refuses every picture.
    pub fn open(path: Option<&Path>, _force: bool, _read: &[&str]) -> Result<Option<Self>, Failure> {
        if path.is_some() { Err(LEFT_OUT.into()) } else { Ok(None) }
    }

    /// Draws nothing.
    pub fn draw(self, _state: &karcher::series::SeriesState) -> Result<(), Failure> {
        match self {}
    }
}

/// What to do instead.
const LEFT_OUT: &str = "--plot: this karcher was built without pictures; cargo install --locked --path \
                        crates/karcher-cli, in the folder of the source, installs one that has them";

/// Refuses the curves of a plan.
pub fn draw_plan<'a>(
    path: Option<&Path>,
    _force: bool,
    _setting: impl FnOnce() -> CurveSetting<'a>,
) -> Result<(), Failure> {
    if path.is_some() { Err(LEFT_OUT.into()) } else { Ok(()) }
}

/// Refuses the picture of a pooled mean.
pub fn open_sites(path: Option<&Path>, _force: bool, _read: &[String]) -> Result<Option<Picture>, Failure> {
    if path.is_some() { Err(LEFT_OUT.into()) } else { Ok(None) }
}

/// Refuses the page of a plan.
pub fn write_planner<'a>(
    path: Option<&Path>,
    _force: bool,
    _setting: impl FnOnce() -> CurveSetting<'a>,
) -> Result<(), Failure> {
    if path.is_some() { Err(LEFT_OUT.replace("--plot", "--html").into()) } else { Ok(()) }
}

/// Draws nothing.
pub fn draw_after(_picture: Option<Picture>, _release: &Value) -> Result<(), Failure> {
    Ok(())
}
