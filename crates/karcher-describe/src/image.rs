//! An image in memory.

use crate::error::{Error, Result};

/// Pixels beyond which an image is refused.
pub(crate) const MOST_PIXELS: u64 = 1 << 24;

/// A grey or RGB image: `height × width × channels` intensities between 0 and `white`, row by row, the channels of a
/// pixel side by side.
///
/// `white` is the intensity that counts as 1, for example 255. Intensities are kept as they are stored: that takes
/// least memory, and sums of integers are exact, so that a derivative which is 0 is found to be 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) channels: usize,
    pub(crate) intensities: Intensities,
    pub(crate) white: f64,
}

/// Intensities as they are stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Intensities {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
    /// `epsilon` is one unit in the last place of 1 in the type of the file: 2⁻⁵² for 64 bits.
    Floats {
        values: Vec<f64>,
        epsilon: f64,
    },
}

impl Image {
    /// An image of intensities between 0 and 1; `channels` is 1 (grey) or 3 (RGB).
    ///
    /// # Errors
    /// [`Error::NotAnImage`] when the numbers do not fill the shape or the shape is not that of an image;
    /// [`Error::NotAnIntensity`] for NaN and for a number outside 0 to 1.
    ///
    /// ```
    /// use karcher_describe::Image;
    /// assert_eq!(Image::new(2, 2, 3, vec![0.25; 12])?.features(), 11); // RGB
    /// assert!(Image::new(2, 2, 1, vec![0.25; 5]).is_err());
    /// assert!(Image::new(1, 1, 1, vec![255.0]).is_err()); // intensities are from 0 to 1
    /// # Ok::<(), karcher_describe::Error>(())
    /// ```
    pub fn new(height: usize, width: usize, channels: usize, intensities: Vec<f64>) -> Result<Self> {
        let intensities = Intensities::Floats { values: intensities, epsilon: f64::EPSILON };
        let image = Self { height, width, channels, intensities, white: 1.0 };
        image.check("image", 1)?;
        Ok(image)
    }

    /// Refuses an invalid image; `source` and `number` name it in the error.
    pub(crate) fn check(&self, source: &str, number: u64) -> Result<()> {
        let pixels = self.height.checked_mul(self.width).filter(|&n| n > 0 && n as u64 <= MOST_PIXELS);
        let fits = pixels.is_some_and(|n| n * self.channels == self.intensities.len());
        if !fits || !matches!(self.channels, 1 | 3) {
            let shape = format!("({}, {}, {})", self.height, self.width, self.channels);
            return Err(Error::NotAnImage { file: source.to_owned(), shape });
        }
        // integers cannot be out of range
        let Intensities::Floats { values, .. } = &self.intensities else { return Ok(()) };
        match values.iter().find(|x| !(0.0..=self.white).contains(*x)) {
            Some(&value) => Err(Error::NotAnIntensity { file: source.to_owned(), image: number, value }),
            None => Ok(()),
        }
    }

    /// Numbers in the feature vector of a pixel: 9 for grey, 11 for RGB.
    pub fn features(&self) -> usize {
        features(self.channels)
    }

    /// The intensities of one channel at the pixels of `places`, which count row by row.
    pub(crate) fn channel(&self, channel: usize, places: &[usize]) -> Vec<f64> {
        let places = places.iter().map(|pixel| pixel * self.channels + channel);
        match &self.intensities {
            Intensities::Bytes(values) => places.map(|i| values[i].into()).collect(),
            Intensities::Words(values) => places.map(|i| values[i].into()).collect(),
            Intensities::Floats { values, .. } => places.map(|i| values[i]).collect(),
        }
    }
}

/// `k = 8 + c`.
pub(crate) fn features(channels: usize) -> usize {
    8 + channels
}

impl Intensities {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Words(values) => values.len(),
            Self::Floats { values, .. } => values.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_image_is_refused() {
        for (height, width, channels, values) in [(2, 2, 1, 3), (2, 2, 2, 8), (0, 2, 1, 0), (usize::MAX, 2, 1, 4)] {
            assert!(matches!(Image::new(height, width, channels, vec![0.5; values]), Err(Error::NotAnImage { .. })));
        }
        for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            let error = Image::new(1, 2, 1, vec![0.5, bad]).unwrap_err();
            assert!(matches!(error, Error::NotAnIntensity { .. }), "{error}");
        }
    }
}
