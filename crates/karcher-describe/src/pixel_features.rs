//! The features of a pixel (Utpala, Vepakomma and Miolane 2023, section 6.2 and appendix A.5; after Tuzel, Porikli and
//! Meer 2006).

use crate::image::{Image, Intensities};
use nalgebra::DMatrix;
use std::ops::Range;

/// A filter across an edge, `[1, 0, −1]`, and along it, `[1, 2, 1]`; the factor is ¼.
const FIRST: Filter =
    Filter { across: [0.0, 1.0, 0.0, -1.0, 0.0], along: [0.0, 1.0, 2.0, 1.0, 0.0], factor: 1.0 / 4.0 };

/// A filter across a ridge, `[1, 0, −2, 0, 1]`, and along it, `[1, 4, 6, 4, 1]`; the factor is 1/32.
const SECOND: Filter =
    Filter { across: [1.0, 0.0, -2.0, 0.0, 1.0], along: [1.0, 4.0, 6.0, 4.0, 1.0], factor: 1.0 / 32.0 };

/// A separable filter, as the paper prints its products.
struct Filter {
    across: [f64; 5],
    along: [f64; 5],
    factor: f64,
}

/// Reach of the filters around a pixel.
const REACH: usize = 2;

/// Rows and columns of a tile, more of them in narrow images.
const SIDE: usize = 64;

/// A rectangle of an image.
#[derive(Debug, Clone)]
pub(crate) struct Tile {
    rows: Range<usize>,
    columns: Range<usize>,
}

/// The image in parts. The memory for a part does not depend on the size of the image.
pub(crate) fn tiles(image: &Image) -> Vec<Tile> {
    let parts = |n: usize, across: usize| {
        let side = SIDE * SIDE / across.min(SIDE);
        (0..n).step_by(side).map(move |first| first..n.min(first + side))
    };
    let (height, width) = (image.height, image.width);
    parts(height, width)
        .flat_map(|rows| parts(width, height).map(move |columns| Tile { rows: rows.clone(), columns }))
        .collect()
}

/// `φ = [x, y, I (one a channel), |I_x|, |I_y|, |I_xx|, |I_yy|, √(I_x² + I_y²), arctan(|I_x|/|I_y|)]`: a column a
/// feature, with a row for every pixel of the tile.
///
/// `x` and `y` run from 0 to 1 (0 where there is one column or row), `x` along rows; intensities are between 0 and 1.
/// Derivatives are those of the luminance `0.299 R + 0.587 G + 0.114 B` (ITU-R BT.601), with the image mirrored at its
/// edges (`… b a | a b …`), and `arctan(0/0) = 0`. In the angle a derivative of at most `flat`, from [`flat`], is 0.
pub(crate) fn features(image: &Image, tile: &Tile, flat: f64) -> DMatrix<f64> {
    let (height, width) = (tile.rows.len(), tile.columns.len());
    let wide = width + 2 * REACH;
    let mut features = Vec::with_capacity(image.features() * height * width);
    let place = |i: usize, n: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.0 };
    for _ in 0..height {
        features.extend(tile.columns.clone().map(|j| place(j, image.width)));
    }
    for i in tile.rows.clone() {
        features.extend(std::iter::repeat_n(place(i, image.height), width));
    }

    let columns = mirrored(&tile.columns, image.width);
    let rows = mirrored(&tile.rows, image.height);
    let places: Vec<usize> = rows.iter().flat_map(|i| columns.iter().map(move |j| i * image.width + j)).collect();
    let channels: Vec<Vec<f64>> = (0..image.channels).map(|channel| image.channel(channel, &places)).collect();
    for channel in &channels {
        for row in channel.chunks_exact(wide).skip(REACH).take(height) {
            features.extend(row[REACH..][..width].iter().map(|x| x / image.white));
        }
    }

    // the thousandfold luminance of integers is one
    let (luminance, white) = match &channels[..] {
        [red, green, blue] => {
            let pixels = red.iter().zip(green).zip(blue);
            let luminance = pixels.map(|((red, green), blue)| 299.0 * red + 587.0 * green + 114.0 * blue);
            (&luminance.collect(), 1000.0 * image.white)
        }
        channels => (&channels[0], image.white),
    };
    let derivative = |filter: &Filter, by_x: bool| -> Vec<f64> {
        let (vertical, horizontal) =
            if by_x { (&filter.along, &filter.across) } else { (&filter.across, &filter.along) };
        let sums = along_columns(&along_rows(luminance, wide, horizontal), width, vertical);
        sums.into_iter().map(|sum| sum.abs() * filter.factor / white).collect()
    };
    let (by_x, by_y) = (derivative(&FIRST, true), derivative(&FIRST, false));
    let second = [derivative(&SECOND, true), derivative(&SECOND, false)];
    features.extend(by_x.iter().chain(&by_y).chain(second.iter().flatten()));
    features.extend(by_x.iter().zip(&by_y).map(|(x, y)| (x * x + y * y).sqrt()));
    let without_rounding = |x: f64| if x <= flat { 0.0 } else { x };
    features.extend(by_x.iter().zip(&by_y).map(|(x, y)| without_rounding(*x).atan2(without_rounding(*y)))); // atan2(0, 0) = 0
    DMatrix::from_vec(height * width, image.features(), features)
}

/// The largest `|I_x|` or `|I_y|` that rounding alone can produce without an edge. It is 0 for integers, whose sums are
/// exact.
///
/// The weights of a first derivative are 2 together. An intensity `I` is assumed to be off by one unit in the last
/// place of its stored type, `εI`. Double precision adds less than 7 roundings of `2⁻⁵³ I` each (3 of the luminance, 3
/// of sums, 1 of white). So derivatives that cancel stay below `2·(ε + 7·2⁻⁵³)·max I`.
pub(crate) fn flat(image: &Image) -> f64 {
    match &image.intensities {
        Intensities::Floats { values, epsilon } => {
            let largest = values.iter().fold(0.0, |largest: f64, x| largest.max(*x));
            2.0 * (epsilon + 3.5 * f64::EPSILON) * largest / image.white
        }
        _ => 0.0,
    }
}

/// Every row convolved with `kernel`, without the ends that it overlaps. Its orientation does not matter for absolute
/// values.
fn along_rows(values: &[f64], width: usize, kernel: &[f64; 5]) -> Vec<f64> {
    let mut out = Vec::with_capacity(values.len());
    for row in values.chunks_exact(width) {
        let sum = |window: &[f64]| kernel.iter().zip(window).map(|(weight, x)| weight * x).sum::<f64>();
        out.extend(row.windows(kernel.len()).map(sum));
    }
    out
}

/// Every column convolved with `kernel`, likewise.
fn along_columns(values: &[f64], width: usize, kernel: &[f64; 5]) -> Vec<f64> {
    let mut out = vec![0.0; values.len() - 2 * REACH * width];
    for (m, weight) in kernel.iter().enumerate() {
        for (o, x) in out.iter_mut().zip(&values[m * width..]) {
            *o += weight * x;
        }
    }
    out
}

/// The places of `range` and of the filters' margins around it, in a line of `n` that is mirrored at its ends, `… 1 0 |
/// 0 1 … n−1 | n−1 …`.
fn mirrored(range: &Range<usize>, n: usize) -> Vec<usize> {
    let (first, last) = (range.start as isize, range.end as isize);
    let reach = REACH as isize;
    (first - reach..last + reach)
        .map(|i| {
            let i = i.rem_euclid(2 * n as isize) as usize;
            if i < n { i } else { 2 * n - 1 - i }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(image: &Image) -> DMatrix<f64> {
        let [tile] = &tiles(image)[..] else { panic!("several tiles") };
        features(image, tile, flat(image))
    }

    #[test]
    fn derivatives_of_a_ramp_are_its_slope() {
        // I = 2x + y over 5 × 6 pixels: away from the edge I_x = 2·2 = 4 times ¼·4, I_y = 2
        let values: Vec<f64> = (0..5).flat_map(|i| (0..6).map(move |j| (2 * j + i) as f64 / 20.0)).collect();
        let image = Image::new(5, 6, 1, values).unwrap();
        let features = all(&image);
        let at = |feature: usize| features[(2 * 6 + 3, feature)];
        assert_eq!((at(0), at(1), at(2)), (0.6, 0.5, 0.4));
        let expected = [0.2, 0.1, 0.0, 0.0, 0.05_f64.sqrt(), 2.0_f64.atan()];
        for (feature, expected) in (3..9).zip(expected) {
            assert!((at(feature) - expected).abs() < 1e-15, "{feature}: {}", at(feature));
        }
    }

    #[test]
    fn a_derivative_that_cancels_is_0_and_so_is_its_angle() {
        // bytes that are no binary fractions once divided by 255, arranged so that the weighted differences cancel
        let rows = [[162, 128, 9], [32, 75, 110], [72, 143, 69]];
        let bytes = Intensities::Bytes(rows.concat());
        let image = Image { height: 3, width: 3, channels: 1, intensities: bytes, white: 255.0 };
        let features = all(&image);
        assert_eq!((features[(4, 3)], features[(4, 4)], features[(4, 8)]), (0.0, 0.0, 0.0));
        // floats do not cancel exactly, and yet the angle is 0, not that of rounding errors
        let floats = rows.concat().iter().map(|&x| f64::from(x) / 255.0).collect();
        let image = Image::new(3, 3, 1, floats).unwrap();
        let features = all(&image);
        assert!(features[(4, 3)] > 0.0 && features[(4, 4)] > 0.0);
        assert_eq!(features[(4, 8)], 0.0);
    }

    #[test]
    fn tiles_have_the_features_of_the_whole() {
        for (height, width, count) in [(SIDE + 5, 2 * SIDE + 1, 6), (1, 2 * SIDE * SIDE, 2), (SIDE * SIDE + 1, 1, 2)] {
            let bytes = (0..height * width * 3).map(|i| (i * i / 7 % 256) as u8).collect();
            let image = Image { height, width, channels: 3, intensities: Intensities::Bytes(bytes), white: 255.0 };
            let whole = features(&image, &Tile { rows: 0..height, columns: 0..width }, 0.0);
            let tiles = tiles(&image);
            assert_eq!(tiles.len(), count);
            let mut seen = 0;
            for tile in tiles {
                let part = features(&image, &tile, 0.0);
                let places = tile.rows.flat_map(|i| tile.columns.clone().map(move |j| i * width + j));
                for (row, place) in places.enumerate() {
                    assert_eq!(part.row(row), whole.row(place));
                    seen += 1;
                }
            }
            assert_eq!(seen, height * width);
        }
    }

    #[test]
    fn mirrors_repeat() {
        assert_eq!(mirrored(&(0..2), 2), [1, 0, 0, 1, 1, 0]);
        assert_eq!(mirrored(&(0..1), 1), [0; 5]);
        assert_eq!(mirrored(&(1..3), 9), [0, 0, 1, 2, 3, 4]);
    }
}
