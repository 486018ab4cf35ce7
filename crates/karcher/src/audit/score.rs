//! Scores: functions of a release by which an audit tries to distinguish two data sets.
//!
//! The likelihood ratio is the best score for the *law* of the proof. But a program publishes numbers, which may reveal
//! more than the point that they represent: how a representative is turned, how many digits there are, which are 0,
//! which occur twice. So audits look at the numbers too.

use super::neighbours::Neighbours;
use super::{Published, PublishedPart};
use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::vector::norm_of_difference;

/// Numbers of a published value that are scored one by one, and the number of them that serve as labels.
const NUMBERS: usize = 6;
const LABELED_NUMBERS: usize = 3;

/// Coordinates on the lattice that are scored one by one.
const COORDINATES: usize = 2;

/// Moduli for coordinates on the lattice. A grid of step `2ᵏ·ℓ` that is anchored at a confidential value has one
/// remainder modulo any power of two up to `2ᵏ`. The smallest modulus needs the fewest releases. Larger ones
/// distinguish anchors that differ by a multiple of it. The 3 is for grids that are no power of two.
const MODULI: [f64; 4] = [3.0, 16.0, 256.0, 65536.0];

/// The name of the best score for the law.
pub(super) const LIKELIHOOD: &str = "likelihood ratio";

/// Units in the last place by which scaling and other last steps of a computation may move a number. With one unit the
/// next bits are still scattered. With three, only smaller numbers show a difference.
const ROUNDING: u64 = 2;

/// Names of the scores whose value is a size, in the order of [`Scores::of`].
const SIZES: [&str; 10] = [
    LIKELIHOOD,
    "turn from the first mean",
    "turn from the second mean",
    "turn from the center",
    "distance from the space",
    "lowest bit",
    "lowest bit up to rounding",
    "step of the lattice",
    "distance from the lattice",
    "lowest bit on the lattice",
];

/// Names of single numbers.
const NUMBER_NAMES: [&str; NUMBERS] = ["number 1", "number 2", "number 3", "number 4", "number 5", "number 6"];

/// Names of their lowest bits.
const BIT_NAMES: [&str; NUMBERS] = [
    "lowest bit of number 1",
    "lowest bit of number 2",
    "lowest bit of number 3",
    "lowest bit of number 4",
    "lowest bit of number 5",
    "lowest bit of number 6",
];

/// The name of the whole value as a label.
const REPEATED_VALUE: &str = "repeated value";

/// Names of single numbers as labels.
const REPEATED_NUMBERS: [&str; LABELED_NUMBERS] = ["repeated number 1", "repeated number 2", "repeated number 3"];

/// Names of the remainders of coordinates on the lattice.
const REMAINDERS: [[&str; MODULI.len()]; COORDINATES] = [
    [
        "lattice coordinate 1 modulo 3",
        "lattice coordinate 1 modulo 16",
        "lattice coordinate 1 modulo 256",
        "lattice coordinate 1 modulo 65536",
    ],
    [
        "lattice coordinate 2 modulo 3",
        "lattice coordinate 2 modulo 16",
        "lattice coordinate 2 modulo 256",
        "lattice coordinate 2 modulo 65536",
    ],
];

/// Observations of a release: sizes, which are compared with a threshold, and labels. A label counts by how often it
/// occurs in releases of either data set.
pub(super) struct Observation {
    pub(super) sizes: Vec<f64>,
    pub(super) labels: Vec<u32>,
}

/// The scores of releases on a space, relative to the center of a public ball.
pub(super) struct Scores<'a> {
    manifold: &'a dyn Manifold,
    ball: &'a Ball,
    /// The base point of the center, or its flat coordinates.
    start: Vec<f64>,
}

impl<'a> Scores<'a> {
    pub(super) fn new(manifold: &'a dyn Manifold, ball: &'a Ball) -> Self {
        let start = match manifold.flat_chart() {
            Some(chart) => {
                let mut start = vec![0.0; manifold.dim()];
                chart.to_flat(ball.center(), &mut start);
                start
            }
            None => {
                let mut start = ball.center().to_vec();
                manifold.to_origin(ball.center(), ball.center(), &mut start);
                start
            }
        };
        Self { manifold, ball, start }
    }

    /// Names of the sizes of releases with parts like these, in the order of [`of`](Scores::of).
    pub(super) fn size_names(&self, like: &[PublishedPart]) -> Vec<&'static str> {
        let numbers = NUMBERS.min(self.manifold.point_len());
        let of_parts = like.iter().flat_map(PublishedPart::score_names).copied();
        [&SIZES[..], &NUMBER_NAMES[..numbers], &BIT_NAMES[..numbers]].concat().into_iter().chain(of_parts).collect()
    }

    /// Names of the labels, in the order of [`of`](Scores::of).
    pub(super) fn label_names(&self) -> Vec<&'static str> {
        let numbers = LABELED_NUMBERS.min(self.manifold.point_len());
        let coordinates = COORDINATES.min(self.manifold.dim());
        [&[REPEATED_VALUE][..], &REPEATED_NUMBERS[..numbers], REMAINDERS[..coordinates].as_flattened()].concat()
    }

    /// The scores of one release.
    ///
    /// Sizes, in addition to the likelihood ratio, which is an argument:
    ///
    /// * the distance of `y` from the representative of its point nearest to either mean, and to the public center. On
    ///   spaces where a point has several representatives, a release that is horizontal at a confidential mean shows
    ///   here;
    /// * the distance of `y` from its image under [`normalize`](Manifold::normalize);
    /// * the exponent of the lowest bit that is set in any of the numbers (Mironov 2012). The same for the lowest bit
    ///   that is not a rounding error of two units in the last place: scaling to unit norm scatters bits that a sum had
    ///   left 0;
    /// * the step of the lattice, the distance of `y` from the lattice, and the number of trailing binary zeros of its
    ///   coordinates on it;
    /// * the first numbers themselves, and the exponents of their lowest bits.
    ///
    /// Labels: the value, the first numbers, and the remainders of the first coordinates on the lattice modulo a few
    /// numbers.
    ///
    /// The sizes end with those of the parts of `like`; a part that a release lacks gives NaN.
    pub(super) fn of(
        &self,
        pair: &Neighbours,
        likelihood_ratio: f64,
        published: &Published,
        like: &[PublishedPart],
    ) -> Observation {
        let y = &published.value;
        let mut other = y.clone();
        let mut turn = |base: &[f64]| {
            self.manifold.align(base, y, &mut other);
            norm_of_difference(y, &other)
        };
        let turns = [turn(&pair.means[0]), turn(&pair.means[1]), turn(self.ball.center())];
        let mut normalized = y.clone();
        self.manifold.normalize(&mut normalized);

        // a release without a lattice is compared with that of double precision at the ball's edge
        let step = published.lattice.unwrap_or(f64::EPSILON * self.ball.radius().log2().floor().exp2());
        let steps: Vec<f64> = self.coordinates(y).into_iter().map(|c| c / step).collect();
        let off = steps.iter().map(|z| (z - z.round()).abs()).fold(0.0, f64::max);

        let mut sizes = vec![likelihood_ratio];
        sizes.extend(turns);
        sizes.extend([
            norm_of_difference(y, &normalized),
            lowest(y, lowest_bit),
            lowest(y, lowest_bit_but_for_rounding),
        ]);
        sizes.extend([step, off]);
        sizes.push(steps.iter().map(|z| lowest_bit(z.round())).fold(f64::INFINITY, f64::min));
        sizes.extend(y.iter().take(NUMBERS));
        sizes.extend(y.iter().take(NUMBERS).copied().map(lowest_bit));
        for one in like {
            match published.parts.iter().find(|part| part.name() == one.name()) {
                Some(part) => sizes.extend(part.scores(self.manifold, pair, |x| lowest(x, lowest_bit))),
                None => sizes.extend(one.score_names().iter().map(|_| f64::NAN)),
            }
        }

        let mut labels = vec![label(y)];
        labels.extend(y.iter().take(LABELED_NUMBERS).map(|x| label(&[*x])));
        for z in steps.iter().take(COORDINATES) {
            labels.extend(MODULI.map(|modulus| z.round().rem_euclid(modulus) as u32));
        }
        Observation { sizes, labels }
    }

    /// Coordinates of a point in the frame at the center; 0 where there are none.
    fn coordinates(&self, y: &[f64]) -> Vec<f64> {
        let mut c = vec![0.0; self.manifold.dim()];
        if let Some(chart) = self.manifold.flat_chart() {
            chart.to_flat(y, &mut c);
            c.iter_mut().zip(&self.start).for_each(|(c, start)| *c -= start);
            return c;
        }
        let (mut x, mut v) = (y.to_vec(), y.to_vec());
        self.manifold.to_origin(self.ball.center(), y, &mut x);
        if self.manifold.log(&self.start, &x, &mut v).is_ok() {
            self.manifold.to_frame(&self.start, &v, &mut c);
        }
        c
    }
}

/// The number of sizes before those of the parts, for points with so many numbers.
pub(super) fn sizes_of_points(point_len: usize) -> usize {
    SIZES.len() + 2 * NUMBERS.min(point_len)
}

/// The lowest exponent of any of the numbers.
fn lowest(numbers: &[f64], exponent: fn(f64) -> f64) -> f64 {
    numbers.iter().copied().map(exponent).fold(f64::INFINITY, f64::min)
}

/// The exponent of the lowest bit that is set; `∞` for 0.
fn lowest_bit(x: f64) -> f64 {
    let bits = x.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    match (exponent, mantissa) {
        (0, 0) => f64::INFINITY,
        (0, m) => -1074.0 + f64::from(m.trailing_zeros()),
        (e, m) => (e - 1075) as f64 + f64::from((m | 1 << 52).trailing_zeros()),
    }
}

/// The exponent of the largest power of two with a multiple at most [`ROUNDING`] units in the last place away; `∞`
/// for 0.
fn lowest_bit_but_for_rounding(x: f64) -> f64 {
    let bits = x.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1) | 1 << 52);
    if exponent == 0 {
        return lowest_bit(x); // such small numbers are not rounded
    }
    let off = |zeros: u32| {
        let remainder = mantissa & ((1 << zeros) - 1);
        remainder.min((1 << zeros) - remainder)
    };
    let zeros = (0..=52).rev().find(|zeros| off(*zeros) <= ROUNDING).unwrap_or(0);
    (exponent - 1075) as f64 + f64::from(zeros)
}

/// A fixed function of all bits that seldom gives different numbers the same label. An audit is valid for any.
fn label(numbers: &[f64]) -> u32 {
    let mix = |hash: u64, x: &f64| (hash.rotate_left(23) ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = numbers.iter().fold(0, mix);
    ((hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Euclidean, Sphere};

    #[test]
    fn lowest_bits_are_those_of_binary_numbers() {
        for (x, exponent) in [(1.0, 0.0), (-6.0, 1.0), (0.75, -2.0), (f64::EPSILON + 1.0, -52.0), (5e-324, -1074.0)] {
            assert_eq!(lowest_bit(x), exponent, "{x}");
        }
        assert_eq!(lowest_bit(-0.0), f64::INFINITY);
    }

    #[test]
    fn lowest_bits_but_for_rounding_overlook_two_units_in_the_last_place() {
        let unit = 2.0_f64.powi(-52);
        for (x, exponent) in [(1.0, 0.0), (1.0 + 2.0 * unit, 0.0), (1.5 - 2.0 * unit, -1.0), (1.0 + 8.0 * unit, -49.0)]
        {
            assert_eq!(lowest_bit_but_for_rounding(x), exponent, "{x}");
            assert_eq!(lowest_bit_but_for_rounding(-0.25 * x), exponent - 2.0, "{x}");
        }
        assert_eq!(lowest_bit_but_for_rounding(1.0 + 5.0 * unit), -50.0); // 4 is near
        assert_eq!(lowest_bit_but_for_rounding(5e-324), -1074.0);
        assert_eq!(lowest_bit_but_for_rounding(0.0), f64::INFINITY);
    }

    #[test]
    fn labels_of_different_numbers_differ() {
        // among 10⁵ labels of 32 bits about one pair agrees by chance; more than nine pairs with probability 1e-6
        let mut labels: Vec<u32> = (0..100_000).map(|i| label(&[1.0, f64::from(i) * 2.0_f64.powi(-20)])).collect();
        labels.sort_unstable();
        labels.dedup();
        assert!(labels.len() > 99_990, "{}", labels.len());
    }

    #[test]
    fn every_score_has_a_name() {
        let spaces: [&dyn Manifold; 2] = [&Euclidean::new(1).unwrap(), &Sphere::new(2).unwrap()];
        for m in spaces {
            let ball = Ball::at_origin(m, 0.5).unwrap();
            let scores = Scores::new(m, &ball);
            let pair = super::super::neighbours(m, &ball, 2).unwrap().swap_remove(0);
            let seen = scores.of(&pair, 0.0, &Published::from(ball.center().to_vec()), &[]);
            assert_eq!(seen.sizes.len(), scores.size_names(&[]).len());
            assert_eq!(seen.sizes.len(), sizes_of_points(m.point_len()));
            assert_eq!(seen.labels.len(), scores.label_names().len());
        }
    }

    #[test]
    fn coordinates_on_the_lattice_are_counted_from_the_center() {
        let line = Euclidean::new(1).unwrap();
        let ball = Ball::new(&line, vec![3.0], 1.0).unwrap();
        let scores = Scores::new(&line, &ball);
        let pair = super::super::neighbours(&line, &ball, 2).unwrap().swap_remove(0);
        let index = |name| scores.size_names(&[]).iter().position(|n| *n == name).unwrap();
        let seen = |x: f64| scores.of(&pair, 0.0, &Published { lattice: Some(0.25), ..vec![x].into() }, &[]);
        let on = seen(3.0 - 20.0 * 0.25);
        let (off, lowest) = (index("distance from the lattice"), index("lowest bit on the lattice"));
        assert_eq!((on.sizes[off], on.sizes[lowest]), (0.0, 2.0));
        assert_eq!(on.labels[2..], [1, 12, 236, 65516]); // −20 modulo 3, 16, 256, 65536
        assert!((seen(3.1).sizes[off] - 0.4).abs() < 1e-9);
    }
}
