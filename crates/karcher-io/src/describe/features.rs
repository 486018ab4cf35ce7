//! The features of a pixel (Utpala, Vepakomma and Miolane 2023, section 6.2 and appendix A.5; after Tuzel, Porikli and Meer 2006).

use super::image::Image;

/// A filter across an edge, `[1, 0, −1]`, and along it, `[1, 2, 1]`; the factor is ¼.
const FIRST: Filter = Filter { across: &[1.0, 0.0, -1.0], along: &[1.0, 2.0, 1.0], factor: 1.0 / 4.0 };

/// A filter across a ridge, `[1, 0, −2, 0, 1]`, and along it, `[1, 4, 6, 4, 1]`; the factor is 1/32.
const SECOND: Filter =
    Filter { across: &[1.0, 0.0, -2.0, 0.0, 1.0], along: &[1.0, 4.0, 6.0, 4.0, 1.0], factor: 1.0 / 32.0 };

/// A separable filter, as the paper prints its products.
struct Filter {
    across: &'static [f64],
    along: &'static [f64],
    factor: f64,
}

/// `φ = [x, y, I (one a channel), |I_x|, |I_y|, |I_xx|, |I_yy|, √(I_x² + I_y²), arctan(|I_x|/|I_y|)]`, one feature after the other, each
/// for all pixels.
///
/// `x` and `y` run from 0 to 1 (0 where there is one column or row), `x` along rows; intensities are between 0 and 1. Derivatives are
/// those of the luminance, with the image mirrored at its edges (`… b a | a b …`), and `arctan(0/0) = 0`.
pub(super) fn features(image: &Image) -> Vec<f64> {
    let (height, width) = (image.height, image.width);
    let mut features = Vec::with_capacity(image.features() * height * width);
    let place = |i: usize, n: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.0 };
    features.extend((0..height).flat_map(|_| (0..width).map(|j| place(j, width))));
    features.extend((0..height).flat_map(|i| (0..width).map(move |_| place(i, height))));
    for channel in 0..image.channels {
        features.extend(image.intensities.iter().skip(channel).step_by(image.channels).map(|x| x / image.white));
    }

    let (luminance, white) = image.luminance();
    let derivative = |filter: &Filter, by_x: bool| -> Vec<f64> {
        let (vertical, horizontal) = if by_x { (filter.along, filter.across) } else { (filter.across, filter.along) };
        let sums = along_columns(&along_rows(&luminance, width, horizontal), width, vertical);
        sums.into_iter().map(|sum| sum.abs() * filter.factor / white).collect()
    };
    let (by_x, by_y) = (derivative(&FIRST, true), derivative(&FIRST, false));
    let second = [derivative(&SECOND, true), derivative(&SECOND, false)];
    features.extend(by_x.iter().chain(&by_y).chain(second.iter().flatten()));
    features.extend(by_x.iter().zip(&by_y).map(|(x, y)| (x * x + y * y).sqrt()));
    features.extend(by_x.iter().zip(&by_y).map(|(x, y)| x.atan2(*y))); // atan2(0, 0) = 0
    features
}

/// Every row convolved with `kernel`, up to its orientation, which absolute values do not see.
fn along_rows(values: &[f64], width: usize, kernel: &[f64]) -> Vec<f64> {
    let reach = (kernel.len() / 2) as isize;
    let mut out = Vec::with_capacity(values.len());
    for row in values.chunks_exact(width) {
        out.extend((0..width as isize).map(|j| {
            let terms = kernel.iter().enumerate();
            terms.map(|(m, weight)| weight * row[mirrored(j + m as isize - reach, width)]).sum::<f64>()
        }));
    }
    out
}

/// Every column convolved with `kernel`, up to its orientation.
fn along_columns(values: &[f64], width: usize, kernel: &[f64]) -> Vec<f64> {
    let (height, reach) = (values.len() / width, (kernel.len() / 2) as isize);
    let mut out = vec![0.0; values.len()];
    for (i, out) in out.chunks_exact_mut(width).enumerate() {
        for (m, weight) in kernel.iter().enumerate() {
            let row = mirrored(i as isize + m as isize - reach, height);
            for (o, x) in out.iter_mut().zip(&values[row * width..][..width]) {
                *o += weight * x;
            }
        }
    }
    out
}

/// `… 1 0 | 0 1 … n−1 | n−1 …`: the place of `i` in a line of `n`, however far outside.
fn mirrored(i: isize, n: usize) -> usize {
    let i = i.rem_euclid(2 * n as isize) as usize;
    if i < n { i } else { 2 * n - 1 - i }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_a_ramp_are_its_slope() {
        // I = 2x + y over 5 × 6 pixels: away from the edge I_x = 2·2 = 4 times ¼·4, I_y = 2
        let values: Vec<f64> = (0..5).flat_map(|i| (0..6).map(move |j| (2 * j + i) as f64 / 20.0)).collect();
        let image = Image::new(5, 6, 1, values).unwrap();
        let features = features(&image);
        let at = |feature: usize| features[feature * 30 + 2 * 6 + 3];
        assert_eq!((at(0), at(1), at(2)), (0.6, 0.5, 0.4));
        let expected = [0.2, 0.1, 0.0, 0.0, 0.05_f64.sqrt(), 2.0_f64.atan()];
        for (feature, expected) in (3..9).zip(expected) {
            assert!((at(feature) - expected).abs() < 1e-15, "{feature}: {}", at(feature));
        }
    }

    #[test]
    fn a_derivative_that_cancels_is_0_and_so_is_its_angle() {
        // bytes that are no binary fractions once divided by 255, arranged so that the weighted differences cancel
        let rows = [[10.0, 0.0, 7.0], [20.0, 0.0, 23.0], [30.0, 0.0, 27.0]];
        let image = Image { height: 3, width: 3, channels: 1, intensities: rows.concat(), white: 255.0 };
        let features = features(&image);
        assert_eq!(features[3 * 9 + 4], 0.0);
        assert_eq!(features[8 * 9 + 4], 0.0);
    }

    #[test]
    fn mirrors_repeat() {
        let places: Vec<usize> = (-5..6).map(|i| mirrored(i, 2)).collect();
        assert_eq!(places, [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1]);
        assert_eq!(mirrored(-2, 1), 0);
    }
}
