//! `karcher pool --plot`: a forest plot of the sites.

use super::Picture;
use crate::Failure;
use std::path::Path;

/// The file of the picture of sites, if one is wanted. It replaces no release that is read.
pub fn open_sites(path: Option<&Path>, force: bool, read: &[String]) -> Result<Option<Picture>, Failure> {
    let read: Vec<&str> = read.iter().map(String::as_str).collect();
    path.map(|path| Picture::create("--plot", path, force, &read)).transpose()
}
