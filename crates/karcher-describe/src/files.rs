//! The images of many files, described as they are read.

use crate::covariance::{check_eta, covariance_descriptor};
use crate::error::{Error, Result, unreadable};
use crate::image::{Image, MOST_PIXELS, features};
use crate::picture;
use crate::stack::{self, Format};
use karcher_io::refuse_duplicates;
use rayon::prelude::*;

/// Pictures that are decoded at a time.
const GROUP: usize = 64;

/// Pixels of pictures that are decoded at a time.
const GROUP_PIXELS: u64 = 4 * MOST_PIXELS;

/// Files of images: PNG, JPEG, IDX (also `.gz`), NPY, NPZ (as `FILE.npz:KEY` when it holds several arrays).
///
/// Arrays are `n × height × width`, or `n × height × width × 3` for RGB, of 8- or 16-bit unsigned integers, or of
/// floats between 0 and 1. All images must be grey, or all RGB; their sizes may differ.
#[derive(Debug)]
pub struct ImageFiles {
    files: Vec<Source>,
    images: u64,
}

#[derive(Debug)]
enum Source {
    Picture { file: String },
    Stack { path: String, format: Format, channels: usize },
}

impl ImageFiles {
    /// Reads the names of all files and the headers of arrays.
    ///
    /// # Errors
    /// An [`Error`] that names the wrong file and the remedy; [`karcher_io::Error::NoRecords`] without files;
    /// [`karcher_io::Error::GivenTwice`] when one is given twice, under any names.
    pub fn open(paths: &[String]) -> Result<Self> {
        refuse_duplicates(paths.iter().map(String::as_str))?;
        let (mut files, mut images) = (vec![], 0u64);
        for path in paths {
            let (source, count) = match format_of(path)? {
                None => (Source::Picture { file: path.clone() }, 1),
                Some(format) => {
                    let (stack, _) = stack::open(path, format)?;
                    (Source::Stack { path: path.clone(), format, channels: stack.channels }, stack.images)
                }
            };
            files.push(source);
            images = images.saturating_add(count);
        }
        if files.is_empty() {
            return Err(karcher_io::Error::NoRecords { file: "the list of images".to_owned() }.into());
        }
        Ok(Self { files, images })
    }

    /// Number of images.
    pub fn images(&self) -> u64 {
        self.images
    }

    /// Channels of the first image, and so of all: 1 or 3.
    ///
    /// # Errors
    /// When the first file is a picture whose header cannot be read.
    pub fn channels(&self) -> Result<usize> {
        match &self.files[0] {
            Source::Picture { file } => Ok(picture::header(file)?.channels),
            Source::Stack { channels, .. } => Ok(*channels),
        }
    }

    /// Gives the [`covariance_descriptor`] of every image to `each`, in order.
    ///
    /// It holds in memory a few megabytes of arrays, or one larger image, and pictures of 2²⁶ pixels at most.
    ///
    /// # Errors
    /// An [`Error`] that names the wrong image and its file, or the error of `each`.
    pub fn describe(&self, eta: f64, mut each: impl FnMut(&[f64]) -> Result<()>) -> Result<()> {
        check_eta(eta)?;
        let channels = self.channels()?;
        let mut rest = &self.files[..];
        while let Some(first) = rest.first() {
            match first {
                Source::Picture { .. } => {
                    let group;
                    (group, rest) = rest.split_at(pictures_at_a_time(rest)?);
                    let descriptors: Vec<Result<Vec<f64>>> =
                        group.par_iter().map(|file| describe_picture(file, channels, eta)).collect();
                    descriptors.into_iter().try_for_each(|descriptor| each(&descriptor?))?;
                }
                Source::Stack { path, format, .. } => {
                    rest = &rest[1..];
                    let (stack, pixels) = stack::open(path, *format)?;
                    stack.read(pixels, |first, bytes| {
                        let descriptors: Vec<Result<Vec<f64>>> = bytes
                            .par_chunks_exact(stack.image_bytes())
                            .enumerate()
                            .map(|(i, bytes)| {
                                let number = first + i as u64 + 1;
                                describe(&stack.image(number, bytes)?, path, number, channels, eta)
                            })
                            .collect();
                        descriptors.into_iter().try_for_each(|descriptor| each(&descriptor?))
                    })?;
                }
            }
        }
        Ok(())
    }

    /// `k`: the descriptors are `k × k` matrices.
    ///
    /// # Errors
    /// As [`channels`](ImageFiles::channels).
    pub fn size(&self) -> Result<usize> {
        Ok(features(self.channels()?))
    }
}

fn describe(image: &Image, file: &str, number: u64, channels: usize, eta: f64) -> Result<Vec<f64>> {
    if image.channels != channels {
        let (found, expected) = (image.channels, channels);
        return Err(Error::MixedChannels { file: file.to_owned(), image: number, found, expected });
    }
    covariance_descriptor(image, eta)
}

/// Number of pictures at the beginning of the files that are decoded at a time.
fn pictures_at_a_time(files: &[Source]) -> Result<usize> {
    let mut pixels = 0;
    for (count, file) in files.iter().take(GROUP).enumerate() {
        let Source::Picture { file } = file else { return Ok(count) };
        pixels += picture::header(file)?.pixels;
        if count > 0 && pixels > GROUP_PIXELS {
            return Ok(count);
        }
    }
    Ok(files.len().min(GROUP))
}

fn describe_picture(source: &Source, channels: usize, eta: f64) -> Result<Vec<f64>> {
    let (Source::Picture { file } | Source::Stack { path: file, .. }) = source;
    let bytes = std::fs::read(file).map_err(|e| unreadable(file, &e))?;
    describe(&Image::decode(file, &bytes)?, file, 1, channels, eta)
}

/// The kind of image stack that a file name says; `None` for a single picture.
fn format_of(file: &str) -> Result<Option<Format>> {
    let name = file.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".png", ".jpg", ".jpeg"]) {
        Ok(None)
    } else if ends(&[".npy", ".npz"]) || name.contains(".npz:") {
        Ok(Some(Format::Array))
    } else if ends(&["ubyte", ".idx"]) {
        Ok(Some(Format::Idx))
    } else if ends(&["ubyte.gz", ".idx.gz"]) {
        Ok(Some(Format::IdxGzip))
    } else {
        Err(Error::UnknownImageFormat { file: file.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_decoded_at_a_time_are_few_when_they_are_large() {
        let folder = tempfile::tempdir().unwrap();
        let picture = |name: &str, side: u32| {
            let file = folder.path().join(name).to_str().unwrap().to_owned();
            ::image::GrayImage::new(side, side).save(&file).unwrap();
            move || Source::Picture { file: file.clone() }
        };
        let (large, small) = (picture("large.png", 4096), picture("small.png", 4));
        let sources = |picture: &dyn Fn() -> Source, n: usize| (0..n).map(|_| picture()).collect::<Vec<_>>();
        assert_eq!(pictures_at_a_time(&sources(&large, 9)).unwrap(), 4);
        assert_eq!(pictures_at_a_time(&sources(&large, 3)).unwrap(), 3);
        assert_eq!(pictures_at_a_time(&sources(&small, 100)).unwrap(), GROUP);
    }
}
