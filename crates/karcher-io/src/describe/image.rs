//! An image in memory, and how one is decoded from PNG or JPEG.

use crate::error::{Error, Result};
use ::image::{ColorType, DynamicImage};

/// Pixels beyond which an image is refused: the features of so many take 1.5 GB.
pub(super) const MOST_PIXELS: u64 = 1 << 24;

/// A grey or RGB image: `height × width × channels` intensities between 0 and `white`, row by row, the channels of a pixel side by side.
///
/// `white` is the intensity that counts as 1, for example 255. Intensities are kept as they are stored: sums of integers are exact, so that
/// a derivative which is 0 is found to be 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
    pub(super) intensities: Vec<f64>,
    pub(super) white: f64,
}

impl Image {
    /// An image of intensities between 0 and 1; `channels` is 1 (grey) or 3 (RGB).
    ///
    /// # Errors
    /// [`Error::NotAnImage`] when the numbers do not fill the shape or the shape is no image; [`Error::NotAnIntensity`] for NaN and for what
    /// is not between 0 and 1.
    pub fn new(height: usize, width: usize, channels: usize, intensities: Vec<f64>) -> Result<Self> {
        let image = Self { height, width, channels, intensities, white: 1.0 };
        image.check("image", 1)?;
        Ok(image)
    }

    /// Decodes the bytes of a PNG or JPEG file that would be called `file`.
    ///
    /// # Errors
    /// [`Error::Corrupt`], and [`Error::Transparent`] for an image that can be seen through.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Self> {
        let corrupt =
            |e: ::image::ImageError| Error::Corrupt { file: file.to_owned(), format: "image", reason: e.to_string() };
        let picture = ::image::load_from_memory(bytes).map_err(corrupt)?;
        if u64::from(picture.width()) * u64::from(picture.height()) > MOST_PIXELS {
            return Err(Error::ImageTooLarge { file: file.to_owned(), limit: MOST_PIXELS });
        }
        let color = picture.color();
        if color.has_alpha() && picture.to_rgba16().pixels().any(|pixel| pixel.0[3] != u16::MAX) {
            return Err(Error::Transparent { file: file.to_owned() });
        }
        let (height, width) = (picture.height() as usize, picture.width() as usize);
        let (channels, intensities, white) = intensities(&picture, color);
        Ok(Self { height, width, channels, intensities, white })
    }

    /// Refuses what is no image; `source` and `number` say which one it is.
    pub(super) fn check(&self, source: &str, number: u64) -> Result<()> {
        let pixels = self.height.checked_mul(self.width).filter(|&n| n > 0 && n as u64 <= MOST_PIXELS);
        let fits = pixels.is_some_and(|n| n * self.channels == self.intensities.len());
        if !fits || !matches!(self.channels, 1 | 3) {
            let shape = format!("({}, {}, {})", self.height, self.width, self.channels);
            return Err(Error::NotAnImage { file: source.to_owned(), shape });
        }
        match self.intensities.iter().find(|x| !(0.0..=self.white).contains(*x)) {
            Some(&value) => Err(Error::NotAnIntensity { file: source.to_owned(), image: number, value }),
            None => Ok(()),
        }
    }

    /// Numbers in the feature vector of a pixel: 9 for grey, 11 for RGB.
    pub fn features(&self) -> usize {
        super::covariance::features(self.channels)
    }

    /// One number a pixel: the intensity, or the luminance `0.299 R + 0.587 G + 0.114 B` (ITU-R BT.601), and which number counts as 1.
    /// Exact where intensities are integers.
    pub(super) fn luminance(&self) -> (Vec<f64>, f64) {
        if self.channels == 1 {
            return (self.intensities.clone(), self.white);
        }
        let (pixels, _) = self.intensities.as_chunks::<3>();
        let luminance = pixels.iter().map(|[red, green, blue]| 299.0 * red + 587.0 * green + 114.0 * blue);
        (luminance.collect(), 1000.0 * self.white)
    }
}

/// Channels, intensities and white of a picture.
fn intensities(picture: &DynamicImage, color: ColorType) -> (usize, Vec<f64>, f64) {
    let eight_bits = color.bytes_per_pixel() == color.channel_count();
    match (color.has_color(), eight_bits) {
        (false, true) => (1, picture.to_luma8().iter().map(|&x| f64::from(x)).collect(), 255.0),
        (true, true) => (3, picture.to_rgb8().iter().map(|&x| f64::from(x)).collect(), 255.0),
        (false, false) => (1, picture.to_luma16().iter().map(|&x| f64::from(x)).collect(), 65535.0),
        (true, false) => (3, picture.to_rgb16().iter().map(|&x| f64::from(x)).collect(), 65535.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::image::{ImageFormat, Luma, Rgb, Rgba};

    fn png(picture: impl Into<DynamicImage>) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(vec![]);
        picture.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn every_depth_and_color_is_decoded() {
        let grey = ::image::GrayImage::from_fn(3, 2, |x, y| Luma([(10 * y + x) as u8]));
        let image = Image::decode("a.png", &png(grey)).unwrap();
        assert_eq!((image.height, image.width, image.channels, image.white), (2, 3, 1, 255.0));
        assert_eq!(image.intensities, [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);

        let deep = ::image::ImageBuffer::from_fn(2, 1, |x, _| Luma([60_000 + x as u16]));
        let image = Image::decode("a.png", &png(deep)).unwrap();
        assert_eq!((image.intensities.as_slice(), image.white), (&[60_000.0, 60_001.0][..], 65535.0));

        let color = ::image::RgbImage::from_pixel(1, 1, Rgb([1, 2, 3]));
        let image = Image::decode("a.png", &png(color)).unwrap();
        assert_eq!((image.channels, image.intensities.as_slice()), (3, &[1.0, 2.0, 3.0][..]));
        assert_eq!(image.luminance(), (vec![299.0 + 2.0 * 587.0 + 3.0 * 114.0], 255_000.0));
    }

    #[test]
    fn what_can_be_seen_through_is_refused() {
        let opaque = ::image::RgbaImage::from_pixel(2, 2, Rgba([1, 2, 3, 255]));
        assert_eq!(Image::decode("a.png", &png(opaque)).unwrap().channels, 3);
        let transparent = ::image::RgbaImage::from_pixel(2, 2, Rgba([1, 2, 3, 254]));
        let error = Image::decode("a.png", &png(transparent)).unwrap_err().to_string();
        assert_eq!(error, "a.png has transparent pixels, which have no intensity: put it on a background first");
    }

    #[test]
    fn what_is_no_image_is_refused() {
        assert!(matches!(Image::decode("a.png", b"no picture"), Err(Error::Corrupt { .. })));
        let whole = png(::image::GrayImage::new(5, 5));
        for end in 0..whole.len() - 12 {
            assert!(Image::decode("a.png", &whole[..end]).is_err(), "cut after {end} bytes");
        }
        for (height, width, channels, values) in [(2, 2, 1, 3), (2, 2, 2, 8), (0, 2, 1, 0), (usize::MAX, 2, 1, 4)] {
            assert!(matches!(Image::new(height, width, channels, vec![0.5; values]), Err(Error::NotAnImage { .. })));
        }
        for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            let error = Image::new(1, 2, 1, vec![0.5, bad]).unwrap_err();
            assert!(matches!(error, Error::NotAnIntensity { .. }), "{error}");
        }
    }
}
