//! Pictures of releases and plans: those that the command draws.

use crate::error::Failure;
use crate::mean::read;
use crate::spec::read_spec;
use crate::work::run;
use karcher_report::{Document, Picture, PlanCurves};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A picture that was drawn.
#[pyclass(name = "Picture", module = "karcher._karcher", frozen)]
pub struct PyPicture(Picture);

#[pymethods]
impl PyPicture {
    /// A description.
    fn title(&self) -> &str {
        self.0.title()
    }

    /// The text of an SVG file.
    fn svg(&self) -> String {
        String::from_utf8_lossy(&self.0.svg()).into_owned()
    }

    /// An element of HTML that shows it.
    fn image(&self) -> String {
        self.0.image()
    }

    /// The bytes of a PNG file.
    fn png<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failure> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.png())?))
    }
}

/// The picture of a release, from its JSON: with public points, if there are some, in the net of a direction or an axis.
#[pyfunction]
#[pyo3(signature = (text, net))]
pub fn picture(py: Python<'_>, text: &str, net: Option<Vec<Vec<f64>>>) -> Result<PyPicture, Failure> {
    let release = Document::read("release.json", text)?.release()?;
    run(py, [], move |[], _| {
        Ok(PyPicture(match net {
            Some(public) => Picture::stereonet(&release, &public)?,
            None => Picture::of(&release)?,
        }))
    })
}

/// The curves of a specification's plan for so many records.
#[pyfunction]
pub fn plan_picture(py: Python<'_>, spec: &str, n: usize) -> Result<PyPicture, Failure> {
    let spec = read_spec(spec)?;
    run(py, [], move |[], _| Ok(PyPicture(Picture::of_plan(&PlanCurves::of_spec(&spec, n)?))))
}

/// The forest plot of sites with names, from their releases.
#[pyfunction]
#[pyo3(signature = (releases, spread, names))]
pub fn sites_picture(
    py: Python<'_>,
    releases: Vec<String>,
    spread: Option<f64>,
    names: Vec<String>,
) -> Result<PyPicture, Failure> {
    let releases = read(&releases)?;
    run(py, [], move |[], _| {
        let pooled = karcher::release::pool(&releases.iter().collect::<Vec<_>>(), spread)?;
        let are_angles = pooled.manifold.manifold()?.distances_are_angles();
        Ok(PyPicture(Picture::of_sites(&pooled, &names, (1.0, if are_angles { "radians" } else { "" }))?))
    })
}
