//! Errors: each is one sentence with the file, the image, the value and the remedy.

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error in reading or describing images.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name without a format of images.
    #[error(
        "the format of {file} is unknown: the name of an image, or of a file of images, must end in .png, .jpg, \
         .jpeg, .npy, .npz, .idx or ubyte (the last two also with .gz); of a folder, name the files in it"
    )]
    UnknownImageFormat {
        /// The file.
        file: String,
    },
    /// A shape of neither an image nor a stack of images.
    #[error(
        "{file} has the shape {shape}: expected images of (height, width), or of (height, width, 3) in color, in a \
         stack one below the other along the first axis"
    )]
    NotAnImage {
        /// The file, or `image`.
        file: String,
        /// The shape.
        shape: String,
    },
    /// Three axes: the last may count channels, or be the width of narrow images.
    #[error(
        "{file} has the shape {shape}, which may be one image of (height, width, channels) or many narrow ones: \
         reshape one image to (1, height, width, channels), many grey ones to (n, height, width, 1)"
    )]
    OneImageOrMany {
        /// The file.
        file: String,
        /// The shape.
        shape: String,
    },
    /// An image of more pixels than are taken.
    #[error("{file} has images of more than {limit} pixels: scale them down")]
    ImageTooLarge {
        /// The file.
        file: String,
        /// The largest number of pixels.
        limit: u64,
    },
    /// An image with transparent pixels.
    #[error("{file} has transparent pixels, which have no intensity: put it on a background first")]
    Transparent {
        /// The file.
        file: String,
    },
    /// Numbers of a type that has no intensities.
    #[error("{file} holds {kind}: expected 8- or 16-bit unsigned integers, or floats between 0 and 1")]
    NotIntensities {
        /// The file.
        file: String,
        /// The kind found.
        kind: String,
    },
    /// A number that is not an intensity.
    #[error(
        "{file}: image {image} has the intensity {value}: it must be between 0 and 1; divide numbers by the largest \
         they could be"
    )]
    NotAnIntensity {
        /// The file.
        file: String,
        /// The image's number, from 1.
        image: u64,
        /// The number.
        value: f64,
    },
    /// Grey and colour images together.
    #[error(
        "{file}: image {image} has {found} channels, the first one {expected}: grey and color images have descriptors \
         of different size; describe them separately"
    )]
    MixedChannels {
        /// The file.
        file: String,
        /// The image's number in the file, from 1.
        image: u64,
        /// Its channels.
        found: usize,
        /// Channels of the first image.
        expected: usize,
    },
    /// A regularisation out of range.
    #[error("eta {value} is out of range: it must be between 1e-10 and 1, for example 1e-6")]
    InvalidRegularization {
        /// The number given.
        value: f64,
    },
    /// A file that could not be read or written.
    #[error(transparent)]
    File(#[from] karcher_io::Error),
}

pub(crate) fn unreadable(source: &str, error: &std::io::Error) -> Error {
    karcher_io::Error::Unreadable { file: source.to_owned(), reason: error.to_string() }.into()
}
