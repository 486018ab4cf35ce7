//! Verification before releases are put together: nothing is made of a release that contradicts its specification.

use super::Finding;
use super::verification::findings_of_records;
use crate::error::{Error, Result};
use crate::release::PublishedRelease;

/// Refuses releases of files that no reader can verify, because they have no specification: an editor of a file can
/// take it away. Those that a program made itself, from a [`Request`](crate::mechanism::Request), need none.
///
/// # Errors
/// [`Error::Incomparable`] for the first release without a specification.
///
/// ```
/// use karcher::{Points, ReleaseContext, ReleaseSpec, audit::check_specified, mechanism::Plan, release::PublishedRelease};
/// let spec: ReleaseSpec = serde_json::from_str(
///     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "budget": {"definition": "pure",
///         "epsilon": 1.0}, "ball": {"center": [0.0], "radius": 1.0}}"#,
/// )?;
/// let records = Points::new(&*spec.manifold()?, vec![0.2; 100])?;
/// let mut release = PublishedRelease::from(spec.plan(100)?.run(&records, &mut ReleaseContext::from_os()?)?);
/// assert!(check_specified(&[&release]).is_ok());
/// release.provenance.spec = None;
/// assert!(check_specified(&[&release]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_specified(releases: &[&PublishedRelease]) -> Result<()> {
    match releases.iter().position(|release| release.provenance.spec.is_none()) {
        None => Ok(()),
        Some(i) => {
            let reason = format!(
                "release {} has no specification, so its numbers cannot be verified: ask its maker for one made by the \
                 command, Python or R, or from a specification",
                i + 1
            );
            Err(Error::Incomparable { reason })
        }
    }
}

/// Refuses releases that contradict their own specifications. Of one without a specification its guarantee is
/// compared with its noise.
pub(crate) fn check_verified(releases: &[&PublishedRelease]) -> Result<()> {
    for (i, release) in releases.iter().enumerate() {
        let is_missing = |finding: &Finding| finding.field == "spec" && release.provenance.spec.is_none();
        if let Some(finding) = release.verify().iter().find(|finding| !is_missing(finding)) {
            return Err(contradicted(i + 1, finding));
        }
    }
    Ok(())
}

/// The same for records that were randomized at home, all in one way.
pub(crate) fn check_records(reports: &[PublishedRelease]) -> Result<()> {
    match findings_of_records(reports).find_map(|(i, found)| Some((i, found.into_iter().next()?))) {
        None => Ok(()),
        Some((i, finding)) => Err(contradicted(i + 1, &finding)),
    }
}

fn contradicted(which: usize, finding: &Finding) -> Error {
    let reason =
        format!("release {which} is not what its specification leads to ({finding}): ask for the original file");
    Error::Incomparable { reason }
}
