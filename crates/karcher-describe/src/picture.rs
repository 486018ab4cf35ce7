//! Images from PNG and JPEG files.

use crate::error::unreadable;
use crate::error::{Error, Result};
use crate::image::{Image, Intensities, MOST_PIXELS};
use ::image::{DynamicImage, ImageDecoder, ImageError, ImageReader};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek};

/// The header of a picture.
pub(crate) struct Header {
    pub(crate) pixels: u64,
    /// 1 or 3.
    pub(crate) channels: usize,
}

/// The header of the picture in `file`; nothing is decoded.
pub(crate) fn header(file: &str) -> Result<Header> {
    let reader = File::open(file).map_err(|e| unreadable(file, &e))?;
    let decoder = decoder(file, BufReader::new(reader))?;
    let channels = if decoder.color_type().has_color() { 3 } else { 1 };
    Ok(Header { pixels: pixels(&decoder), channels })
}

impl Image {
    /// Decodes the bytes of a PNG or JPEG file that would be called `file`, turned upright as its EXIF data say.
    ///
    /// # Errors
    /// [`karcher_io::Error::Corrupt`], also for a JPEG file cut short; [`Error::ImageTooLarge`], before anything is
    /// decoded; [`Error::Transparent`] for an image with transparent pixels.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Self> {
        if bytes.starts_with(JPEG) && !is_complete(bytes) {
            let reason = "it has no end-of-image marker, so a part of it is missing".to_owned();
            return Err(karcher_io::Error::Corrupt { file: file.to_owned(), format: "JPEG", reason }.into());
        }
        let mut decoder = decoder(file, Cursor::new(bytes))?;
        let orientation = decoder.orientation().map_err(|e| corrupt(file, &e))?;
        let mut picture = DynamicImage::from_decoder(decoder).map_err(|e| corrupt(file, &e))?;
        if !is_opaque(&picture) {
            return Err(Error::Transparent { file: file.to_owned() });
        }
        picture.apply_orientation(orientation);
        let (height, width) = (picture.height() as usize, picture.width() as usize);
        let (channels, intensities, white) = intensities(picture);
        Ok(Image { height, width, channels, intensities, white })
    }
}

/// A decoder that has read the header and accepted the number of pixels.
fn decoder<'a>(file: &str, reader: impl BufRead + Seek + 'a) -> Result<impl ImageDecoder + 'a> {
    let reader = ImageReader::new(reader).with_guessed_format().map_err(ImageError::IoError);
    let decoder = reader.and_then(ImageReader::into_decoder).map_err(|e| corrupt(file, &e))?;
    if pixels(&decoder) > MOST_PIXELS {
        return Err(Error::ImageTooLarge { file: file.to_owned(), limit: MOST_PIXELS });
    }
    Ok(decoder)
}

fn pixels(decoder: &impl ImageDecoder) -> u64 {
    let (width, height) = decoder.dimensions();
    u64::from(width) * u64::from(height)
}

fn corrupt(file: &str, error: &ImageError) -> Error {
    karcher_io::Error::Corrupt { file: file.to_owned(), format: "image", reason: error.to_string() }.into()
}

/// The first bytes of a JPEG file.
const JPEG: &[u8] = b"\xff\xd8";

/// Whether a JPEG file reaches its end-of-image marker (ITU-T T.81, appendix B). Decoders paint missing parts grey.
///
/// A marker is `FF` and a byte that is neither `00`, which stands for `FF` as a datum, nor `FF`, which fills. Its
/// segment is skipped: a preview in it has an end of its own.
fn is_complete(mut bytes: &[u8]) -> bool {
    while let Some(at) = bytes.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff)) {
        let (marker, rest) = (bytes[at + 1], &bytes[at + 2..]);
        let segment = match marker {
            0xd9 => return true,
            0x01 | 0xd0..=0xd8 => 0, // the markers that have none
            _ => rest.first_chunk().map_or(usize::MAX, |length| u16::from_be_bytes(*length).into()),
        };
        bytes = rest.get(segment..).unwrap_or_default();
    }
    false
}

fn is_opaque(picture: &DynamicImage) -> bool {
    match picture {
        DynamicImage::ImageLumaA8(picture) => picture.pixels().all(|pixel| pixel.0[1] == u8::MAX),
        DynamicImage::ImageRgba8(picture) => picture.pixels().all(|pixel| pixel.0[3] == u8::MAX),
        DynamicImage::ImageLumaA16(picture) => picture.pixels().all(|pixel| pixel.0[1] == u16::MAX),
        DynamicImage::ImageRgba16(picture) => picture.pixels().all(|pixel| pixel.0[3] == u16::MAX),
        _ => true, // PNG and JPEG know no other alpha
    }
}

/// Channels, intensities and white of a picture.
fn intensities(picture: DynamicImage) -> (usize, Intensities, f64) {
    let color = picture.color();
    let eight_bits = color.bytes_per_pixel() == color.channel_count();
    match (color.has_color(), eight_bits) {
        (false, true) => (1, Intensities::Bytes(picture.into_luma8().into_raw()), 255.0),
        (true, true) => (3, Intensities::Bytes(picture.into_rgb8().into_raw()), 255.0),
        (false, false) => (1, Intensities::Words(picture.into_luma16().into_raw()), 65535.0),
        (true, false) => (3, Intensities::Words(picture.into_rgb16().into_raw()), 65535.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::image::metadata::Orientation;
    use ::image::{GrayImage, ImageEncoder, ImageFormat, Luma, Rgb, RgbImage, Rgba, RgbaImage};

    fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(vec![]);
        picture.into().write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn png(picture: impl Into<DynamicImage>) -> Vec<u8> {
        encoded(picture, ImageFormat::Png)
    }

    #[test]
    fn every_depth_and_color_is_decoded() {
        let grey = GrayImage::from_fn(3, 2, |x, y| Luma([(10 * y + x) as u8]));
        let image = Image::decode("a.png", &png(grey)).unwrap();
        assert_eq!((image.height, image.width, image.channels, image.white), (2, 3, 1, 255.0));
        assert_eq!(image.intensities, Intensities::Bytes(vec![0, 1, 2, 10, 11, 12]));

        let deep = ::image::ImageBuffer::from_fn(2, 1, |x, _| Luma([60_000 + x as u16]));
        let image = Image::decode("a.png", &png(deep)).unwrap();
        assert_eq!((image.intensities, image.white), (Intensities::Words(vec![60_000, 60_001]), 65535.0));

        let color = RgbImage::from_pixel(1, 1, Rgb([1, 2, 3]));
        let image = Image::decode("a.png", &png(color)).unwrap();
        assert_eq!((image.channels, image.intensities), (3, Intensities::Bytes(vec![1, 2, 3])));
    }

    #[test]
    fn what_can_be_seen_through_is_refused() {
        let opaque = RgbaImage::from_pixel(2, 2, Rgba([1, 2, 3, 255]));
        assert_eq!(Image::decode("a.png", &png(opaque)).unwrap().channels, 3);
        let error = "a.png has transparent pixels, which have no intensity: put it on a background first";
        let transparent = RgbaImage::from_pixel(2, 2, Rgba([1, 2, 3, 254]));
        assert_eq!(Image::decode("a.png", &png(transparent)).unwrap_err().to_string(), error);
        let slightly = ::image::ImageBuffer::from_pixel(2, 2, ::image::LumaA([7u16, u16::MAX - 1]));
        assert_eq!(Image::decode("a.png", &png(slightly)).unwrap_err().to_string(), error);
    }

    #[test]
    fn pictures_that_are_cut_are_refused() {
        assert!(matches!(Image::decode("a.png", b"no picture"), Err(Error::File(karcher_io::Error::Corrupt { .. }))));
        let texture = GrayImage::from_fn(40, 30, |x, y| Luma([(x * y + 5 * x) as u8]));
        let whole = png(texture.clone());
        for end in 0..whole.len() - 12 {
            assert!(Image::decode("a.png", &whole[..end]).is_err(), "cut after {end} bytes");
        }
        for picture in [texture.clone().into(), DynamicImage::from(texture).into_rgb8().into()] {
            let picture: DynamicImage = picture;
            let whole = encoded(picture, ImageFormat::Jpeg);
            assert!(Image::decode("a.jpg", &whole).is_ok());
            for end in 0..whole.len() {
                assert!(Image::decode("a.jpg", &whole[..end]).is_err(), "cut after {end} bytes");
            }
        }
    }

    #[test]
    fn the_end_of_a_preview_is_not_the_end_of_the_picture() {
        let whole = encoded(GrayImage::new(9, 9), ImageFormat::Jpeg);
        // an APP1 segment that holds a whole picture, between the first marker and the rest
        let length = (whole.len() as u16 + 2).to_be_bytes();
        let with_preview = [JPEG, b"\xff\xe1", &length, &whole, &whole[2..]].concat();
        assert!(Image::decode("a.jpg", &with_preview).is_ok());
        assert!(Image::decode("a.jpg", &with_preview[..with_preview.len() - 2]).is_err());
        // what follows the end is another program's
        assert!(Image::decode("a.jpg", &[&with_preview[..], b"trailer"].concat()).is_ok());
    }

    #[test]
    fn pictures_are_turned_upright() {
        let mut bytes = vec![];
        let mut encoder = ::image::codecs::png::PngEncoder::new(&mut bytes);
        // little-endian EXIF with one entry: 0x0112, orientation, one 16-bit number, 6: turn right
        let exif = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
        assert_eq!(Orientation::from_exif_chunk(&exif), Some(Orientation::Rotate90));
        encoder.set_exif_metadata(exif).unwrap();
        encoder.write_image(&[1, 2, 3, 4, 5, 6], 3, 2, ::image::ExtendedColorType::L8).unwrap();
        let image = Image::decode("a.png", &bytes).unwrap();
        assert_eq!((image.height, image.width), (3, 2));
        assert_eq!(image.intensities, Intensities::Bytes(vec![4, 1, 5, 2, 6, 3]));
    }

    #[test]
    fn pictures_too_large_are_refused_before_they_are_decoded() {
        // a header that promises 5000 × 5000 pixels, and nothing else: to decode it would be another error
        let mut bytes = png(GrayImage::new(1, 1));
        bytes.truncate(33);
        let header = [&b"IHDR"[..], &5000u32.to_be_bytes(), &5000u32.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&header);
        bytes.splice(12.., [&header[..], &sum.sum().to_be_bytes()].concat());
        bytes.extend([0, 0, 0, 0]);
        bytes.extend(b"IDAT\x35\xaf\x06\x1e");
        assert!(
            matches!(Image::decode("a.png", &bytes), Err(Error::ImageTooLarge { .. })),
            "{:?}",
            Image::decode("a.png", &bytes)
        );
    }
}
