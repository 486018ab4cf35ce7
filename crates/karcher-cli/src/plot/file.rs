//! The file of a picture: opened before anything is spent, like that of the release.

use crate::Failure;
use crate::saving::refuse_folder_that_is_read;
use karcher::Manifold;
use karcher::release::{PooledMean, PublishedRelease, StatisticName};
use karcher::series::SeriesState;
use karcher_io::OutputFile;
use karcher_report::PlanCurves;
use serde::Deserialize;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// A file of a picture, open but without its name until the picture is in it.
pub struct Picture {
    file: OutputFile,
    format: Format,
    option: &'static str,
}

enum Format {
    Svg,
    Png,
}

impl Picture {
    /// Opens what `--plot` names, if it does. Refuses spaces without pictures, and whatever is refused of other files
    /// that are written.
    pub fn open(
        path: Option<&Path>,
        manifold: &dyn Manifold,
        statistic: StatisticName,
        force: bool,
        read: &[&str],
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        karcher_report::Picture::check(manifold, statistic).map_err(|failure| format!("--plot: {failure}"))?;
        Self::create("--plot", path, force, read).map(Some)
    }

    /// Opens what an option names.
    pub fn create(option: &'static str, path: &Path, force: bool, read: &[&str]) -> Result<Self, Failure> {
        let format = match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => Format::Svg,
            Some("png") => Format::Png,
            _ => return Err(format!("{option} {}: the extension must be .svg or .png", path.display()).into()),
        };
        refuse_folder_that_is_read(option, path, read)?;
        let file = OutputFile::create(path, force, read).map_err(|error| format!("{option}: {error}"))?;
        Ok(Self { file, format, option })
    }

    /// Draws a release.
    pub fn draw(self, release: &PublishedRelease) -> Result<(), Failure> {
        let option = self.option;
        let picture = karcher_report::Picture::of(release).map_err(|failure| format!("{option}: {failure}"))?;
        self.write(&picture)
    }

    /// Draws a direction or an axis in an equal-area net.
    pub fn draw_in_net(self, release: &PublishedRelease) -> Result<(), Failure> {
        let picture = karcher_report::Picture::stereonet(release, &[]);
        self.write(&picture.map_err(|failure| format!("--stereonet: {failure}"))?)
    }

    /// Draws the curves of a plan.
    pub fn draw_curves(self, plan: &PlanCurves) -> Result<(), Failure> {
        self.write(&karcher_report::Picture::of_plan(plan))
    }

    /// Draws the sites of a pooled mean.
    pub fn draw_sites(self, pooled: &PooledMean, names: &[String], unit: (f64, &str)) -> Result<(), Failure> {
        let picture = karcher_report::Picture::of_sites(pooled, names, unit);
        self.write(&picture.map_err(|failure| format!("--plot: {failure}"))?)
    }

    /// Draws a series.
    pub fn draw_series(self, series: &SeriesState) -> Result<(), Failure> {
        let option = self.option;
        let picture = karcher_report::Picture::of_series(series).map_err(|failure| format!("{option}: {failure}"))?;
        self.write(&picture)
    }

    fn write(self, picture: &karcher_report::Picture) -> Result<(), Failure> {
        let option = self.option;
        self.save(picture).map_err(|failure| format!("{option}: {failure}").into())
    }

    fn save(mut self, picture: &karcher_report::Picture) -> Result<(), Failure> {
        let bytes = match self.format {
            Format::Svg => picture.svg(),
            Format::Png => picture.png()?,
        };
        let name = self.file.name().to_owned();
        self.file.write_all(&bytes).map_err(|error| format!("{name} cannot be written ({error})"))?;
        Ok(self.file.commit()?)
    }
}

/// Draws the picture of a release that was handed over, from its JSON, if it is wanted. The budget is spent by now, so
/// an error names the place where the release is.
pub fn draw_after(picture: Option<Picture>, release: &Value) -> Result<(), Failure> {
    let Some(picture) = picture else { return Ok(()) };
    let drawn =
        PublishedRelease::deserialize(release).map_err(Failure::from).and_then(|release| picture.draw(&release));
    drawn.map_err(|failure| {
        let spent = "the release was made, its privacy budget is spent, and it was printed";
        format!("{spent}, but its picture was not written: {failure}; karcher plot draws it from the JSON").into()
    })
}
