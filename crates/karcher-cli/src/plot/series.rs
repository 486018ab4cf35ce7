//! The picture of a series.

use super::Picture;
use crate::Failure;
use karcher::series::SeriesState;
use std::path::Path;

/// The file of the picture of a series.
pub struct SeriesPicture(Picture);

impl SeriesPicture {
    /// Opens what `--plot` names, if it does.
    pub fn open(path: Option<&Path>, force: bool, read: &[&str]) -> Result<Option<Self>, Failure> {
        path.map(|path| Picture::create("--plot", path, force, read).map(Self)).transpose()
    }

    /// Draws the series so far.
    pub fn draw(self, state: &SeriesState) -> Result<(), Failure> {
        self.0.draw_series(state)
    }
}
