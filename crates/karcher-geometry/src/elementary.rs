//! Elementary functions without branches, so that a compiler can compute them for many numbers side by side.
//!
//! Every operation is one of IEEE 754, never fused, or moves bits. So a result is the same on every machine, whichever
//! vector instructions it has, and for one number as for many.
//!
//! **Errors**, with `u = 2⁻⁵³`, where nothing is smaller than the smallest normal number or larger than the largest:
//! each of [`atan2`], [`ln`], [`exp`], [`asinh`], [`arc_of_chord`], [`sinhc`] errs by at most `8u` times its result,
//! four units in the last place. Results of [`sin_cos`] err by at most `2u` absolutely, and its sine below `¼π` by `4u`
//! of itself. Polynomials are near their functions to `10⁻¹⁷` of them. A sum of a leading term and a part at most `q`
//! as large errs by `(1 + q·e)u` if the part errs by `eu` of itself. The documentation of each function adds up the
//! rest.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// `½π − FRAC_PI_2`.
const FRAC_PI_2_REST: f64 = 6.123233995736766e-17;

/// `tan ⅛π`.
const TAN_FRAC_PI_8: f64 = 0.41421356237309503;

/// `(arctan z − z)/z³` as a polynomial in `z²`, for `|z| ≤ tan ⅛π`, near-minimax.
const ARCTAN: [f64; 12] = [
    -0.33333333333333326,
    0.19999999999997015,
    -0.1428571428532971,
    0.11111111085322109,
    -0.09090908059031191,
    0.07692281099937744,
    -0.06666205259976526,
    0.05876834004614161,
    -0.05217312574061591,
    0.04499500728984032,
    -0.03338782450121195,
    0.015113765096600925,
];

/// The largest angle that is reduced here: its multiples of `½π` are exact.
pub(crate) const LARGEST_ANGLE: f64 = 1e6;

/// `c₀ + c₁x + c₂x² + …`: even and odd terms each by Horner's rule in `x²`, independent of each other.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let (pairs, last) = coefficients.as_chunks::<2>();
    let (square, mut even, mut odd) = (x * x, last.first().copied().unwrap_or(0.0), 0.0);
    for [a, b] in pairs.iter().rev() {
        (even, odd) = (even * square + a, odd * square + b);
    }
    even + odd * x
}

/// The angle of `(x, y)`, `y ≥ 0`, from 0 to π; 0 for `(0, 0)`.
///
/// With `a = min{|x|, y}`, `b = max{|x|, y}` it is `C ± arctan z`, where `z = a/b`, or beyond `tan ⅛π`
/// `z = (a − b)/(a + b)`, and `C` is a multiple of `¼π`. Below `tan ⅛π` the quotient errs by `u`, `arctan` of it by `u`
/// more and `12u` of its cubic part, which is at most 0.06 of it: together, with the last addition, below `4u`. Beyond,
/// `z` errs by `3u` of at most 0.42, where the angle is at least 0.39: with the polynomial, the error of `¼π` and the
/// last addition below `6.5u` at `⅛π`, and less towards `¼π`, where `z` vanishes. Other octants subtract that from `½π`
/// or from `π` and add at most `2u`. The difference is at least three times as large at `⅛π` and at least as large at
/// `¼π`.
#[inline(always)]
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    let width = x.abs();
    let steep = y > width;
    let (a, b) = if steep { (width, y) } else { (y, width) };
    let oblique = a > TAN_FRAC_PI_8 * b;
    let (above, below) = (if oblique { a - b } else { a }, if oblique { a + b } else { b });
    let z = above / if below < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { below };
    let square = z * z;
    let arctan = (if oblique { FRAC_PI_4 } else { 0.0 }) + (z + z * (square * polynomial(square, &ARCTAN)));
    let quadrant = if steep { (FRAC_PI_2 - arctan) + FRAC_PI_2_REST } else { arctan };
    if x < 0.0 { (PI - quadrant) + 2.0 * FRAC_PI_2_REST } else { quadrant }
}

/// `2/3, 2/5, 2/7, …`, near-minimax: of `(ln((1+s)/(1−s)) − 2s)/s³` in `s²`, for `|s| ≤ 3 − 2√2` (those of fdlibm's
/// `log`).
const LOGARITHM: [f64; 7] = [
    0.6666666666666735,
    0.3999999999940942,
    0.2857142874366239,
    0.22222198432149784,
    0.1818357216161805,
    0.15313837699209373,
    0.14798198605116586,
];

/// `ln 2` in two parts, the first of so few digits that its multiples by whole numbers below 2²⁰ are exact.
const LN_2_HIGH: f64 = 0.6931471803691238;
const LN_2_LOW: f64 = 1.9082149292705877e-10;

/// `ln(1 + z)` for `z ≥ 0`.
///
/// `v = 1 + z` is rounded, and the loss is added in the end: `ln(1 + z) = ln v + lost/v`.
#[inline(always)]
fn ln_1p(z: f64) -> f64 {
    let v = 1.0 + z;
    let lost = if z < 1.0 { z - (v - 1.0) } else { 1.0 - (v - z) };
    ln_and(v, lost / v)
}

/// `ln x` for normal `x > 0`, and NaN for infinity and NaN.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    ln_and(x, x * 0.0)
}

/// `ln v + rest`: `v = 2ᵏ(1 + f)`, `ln(1 + f) = f − f²/2 + …` by the series of `artanh` in `s = f/(2 + f)`,
/// `|f| ≤ √2 − 1`.
#[inline(always)]
fn ln_and(v: f64, rest: f64) -> f64 {
    // the exponent that puts the mantissa between √½ and √2
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = v.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - SQRT_HALF);
    let k = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4503599627370496.0 + 1023.0);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + SQRT_HALF) - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let half = 0.5 * f * f;
    let bent = s * (half + square * polynomial(square, &LOGARITHM));
    k * LN_2_HIGH - ((half - (bent + (k * LN_2_LOW + rest))) - f)
}

/// `ln(x + √(1 + x²))` for `x ≥ 0`.
///
/// It is `ln(1 + z)` with `z = x + x²/(1 + √(1 + x²))`, whose second part is at most as large as the first and errs by
/// `4.5u`: `z` errs by at most `3.3u`. The condition of `ln(1 + z)` is at most 1, and it errs by less than `2u` itself.
#[inline(always)]
pub(crate) fn asinh(x: f64) -> f64 {
    asinh_of(x, x * x)
}

/// `asinh √s` for `s ≥ 0`, with the same error: its two roots are independent of each other.
#[inline(always)]
pub(crate) fn asinh_sqrt(s: f64) -> f64 {
    asinh_of(s.sqrt(), s)
}

#[inline(always)]
fn asinh_of(x: f64, square: f64) -> f64 {
    let z = x + square / (1.0 + (1.0 + square).sqrt());
    // far out, 1 + z = 2x to the last digit
    ln_1p(if x < 268_435_456.0 { z } else { 2.0 * x - 1.0 })
}

/// `2·asinh ½√c` for `c ≥ 0`: the length of the arc of a hyperbola whose chord has the square `c`.
///
/// It is `ln(1 + z)` with `z = ½c + √(c + ¼c²)`: `z` errs by at most `3u`, and the rest as in [`asinh`].
#[inline(always)]
pub(crate) fn arc_of_chord(c: f64) -> f64 {
    let z = 0.5 * c + (c + 0.25 * c * c).sqrt();
    // far out, 1 + z = c to the last digit
    ln_1p(if c < 288_230_376_151_711_744.0 { z } else { c })
}

/// `1/(2i + 3)!`, by which `sinh t = t + t³/3! + t⁵/5! + …`.
const SINH: [f64; 9] = [
    1.0 / 6.0,
    1.0 / 120.0,
    1.0 / 5_040.0,
    1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
    1.0 / 1.21645100408832e+17,
];

/// `1/(i + 2)!`, by which `eʳ = 1 + r + r²/2! + …`.
const EXP: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// `eᵗ` for `|t| ≤ 700`: `2ᵏeʳ`, where `k·ln 2` is subtracted in two parts, the first exactly. The rest errs by
/// `u·½ln 2` absolutely, and the sum of `1 + r` and the remainder by `1.4u`.
#[inline(always)]
pub(crate) fn exp(t: f64) -> f64 {
    // rounds to a whole number, which then stands in the last bits
    const SHIFT: f64 = 6755399441055744.0;
    let shifted = t * (1.0 / LN_2) + SHIFT;
    let k = shifted - SHIFT;
    let r = (t - k * LN_2_HIGH) - k * LN_2_LOW;
    let mantissa = 1.0 + (r + r * r * polynomial(r, &EXP));
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    mantissa * power
}

/// `sinh t / t` for `0 ≤ t ≤ 700`.
///
/// Up to 1 it is the series, whose terms after the first are together at most 0.15. Beyond it is `½(eᵗ − e⁻ᵗ)/t`, where
/// the difference is at least 0.86 of its first term.
#[inline(always)]
pub(crate) fn sinhc(t: f64) -> f64 {
    let square = t * t;
    let near = 1.0 + square * polynomial(square, &SINH);
    let power = exp(if t > 700.0 { 700.0 } else { t });
    let far = 0.5 * (power - 1.0 / power) / t;
    if t <= 1.0 { near } else { far }
}

/// Of `(sin r − r)/r³` in `r²` for `|r| ≤ ¼π` (those of fdlibm).
const SINE: [f64; 6] = [
    -0.16666666666666632,
    0.00833333333332249,
    -0.0001984126982985795,
    2.7557313707070068e-06,
    -2.5050760253406863e-08,
    1.58969099521155e-10,
];

/// Of `(cos r − 1 + ½r²)/r⁴` in `r²`.
const COSINE: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887411,
    2.480158728947673e-05,
    -2.7557314351390663e-07,
    2.087572321298175e-09,
    -1.1359647557788195e-11,
];

/// `(sin t, cos t)` for `t ≥ 0`.
///
/// [`sin_cos_of_few_turns`] up to [`LARGEST_ANGLE`], beyond it the functions of the crate `libm`.
#[inline(always)]
pub(crate) fn sin_cos(t: f64) -> (f64, f64) {
    if t > LARGEST_ANGLE { libm::sincos(t) } else { sin_cos_of_few_turns(t) }
}

/// `(sin t, cos t)` for `0 ≤ t ≤` [`LARGEST_ANGLE`], or both NaN.
///
/// The nearest multiple of `½π` is subtracted in three parts. The first two parts are exact products. The last two
/// subtractions round, by `u` together at most.
#[inline(always)]
pub(crate) fn sin_cos_of_few_turns(t: f64) -> (f64, f64) {
    const SHIFT: f64 = 6755399441055744.0;
    let shifted = t * (2.0 / PI) + SHIFT;
    let turns = shifted - SHIFT;
    let r = ((t - turns * 1.5707963267341256) - turns * 6.077100506303966e-11) - turns * 2.0222662487959506e-21;
    let square = r * r;
    let sine = r + r * (square * polynomial(square, &SINE));
    let cosine = 1.0 - (0.5 * square - square * (square * polynomial(square, &COSINE)));
    // the quarter, in the last bits
    let quarter = shifted.to_bits();
    let odd = quarter & 1 == 1;
    let (s, c) = if odd { (cosine, sine) } else { (sine, cosine) };
    let sign = |bits: u64| (bits & 2) << 62;
    (f64::from_bits(s.to_bits() ^ sign(quarter)), f64::from_bits(c.to_bits() ^ sign(quarter.wrapping_add(1))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// `u`.
    const UNIT: f64 = 0.5 * f64::EPSILON;

    /// Relative, in `u`.
    fn error(found: f64, expected: f64) -> f64 {
        if found == expected { 0.0 } else { ((found - expected) / expected).abs() / UNIT }
    }

    /// From mpmath with 60 digits, rounded, at numbers where a case ends and another begins.
    #[allow(clippy::approx_constant)] // a table, from elsewhere
    #[test]
    fn values_where_cases_meet_are_right() {
        for ([y, x], expected) in [
            ([0.41421356237309503, 1.0], 0.39269908169872414),
            ([0.4142135623730951, 1.0], 0.3926990816987242),
            ([1.0, 1.0], 0.7853981633974483),
            ([1.0, 0.41421356237309503], 1.1780972450961724),
            ([1.0, -0.41421356237309515], 1.963495408493621),
            ([1e-300, -1.0], 3.141592653589793),
            ([3e-09, 1.0], 3e-09),
            ([0.7, -0.7000000000000001], 2.356194490192345),
        ] {
            assert!(error(atan2(y, x), expected) <= 7.0, "{y} {x}");
        }
        for (x, expected) in [
            (1e-300, 1e-300),
            (1e-09, 1e-09),
            (0.41421356, 0.40319971696905754),
            (0.5, 0.48121182505960347),
            (0.75, 0.6931471805599453),
            (1.0, 0.881373587019543),
            (268435455.9, 20.101268235865884),
            (268435456.5, 20.10126823810106),
            (1e+150, 346.0809111296668),
        ] {
            assert!(error(asinh(x), expected) <= 7.0, "{x}");
        }
        for (t, expected) in [
            (1e-09, 1.0),
            (0.3, 1.0150676448238087),
            (0.9999999999999999, 1.1752011936438014),
            (1.0, 1.1752011936438014),
            (1.0000000000000002, 1.1752011936438016),
            (0.34657359027997264, 1.0201394465967895),
            (20.0, 12129129.885244757),
            (300.0, 3.2373773254020933e+127),
        ] {
            assert!(error(sinhc(t), expected) <= 7.0, "{t}");
        }
        for (t, expected) in [
            (1e-09, [1e-09, 1.0]),
            (0.7853981633974483, [0.7071067811865475, 0.7071067811865476]),
            (0.7853981633974484, [0.7071067811865476, 0.7071067811865475]),
            (2.356194490192345, [0.7071067811865476, -0.7071067811865475]),
            (3.0, [0.1411200080598672, -0.9899924966004454]),
            (6.2, [-0.0830894028174964, 0.9965420970232175]),
            (100.0, [-0.5063656411097588, 0.8623188722876839]),
            (999999.5, [-0.756251087561678, 0.654281508650351]),
        ] {
            let (sin, cos) = sin_cos(t);
            assert!((sin - expected[0]).abs() <= 2.0 * UNIT && (cos - expected[1]).abs() <= 2.0 * UNIT, "{t}");
        }
    }

    /// The functions of the crate `libm` err by less than one unit in the last place, at most `2u`: a result that
    /// differs from them by at most `6u` errs by at most `8u`. Its `sinh` errs by up to two units.
    #[test]
    fn functions_err_by_less_than_four_units_in_the_last_place() {
        let mut generator = ChaCha8Rng::seed_from_u64(1);
        let mut worst = [0.0_f64; 5];
        for _ in 0..1_000_000 {
            let [a, b]: [f64; 2] = [generator.random(), 2.0 * generator.random::<f64>() - 1.0];
            let scaled = a * 2.0_f64.powi(generator.random_range(-60..30));
            for y in [a, scaled] {
                worst[0] = worst[0].max(error(atan2(y, b), libm::atan2(y, b)));
                worst[1] = worst[1].max(error(asinh(y), libm::asinh(y)));
                worst[1] = worst[1].max(error(asinh_sqrt(y), libm::asinh(y.sqrt())));
                worst[1] = worst[1].max(error(arc_of_chord(4.0 * y * y), 2.0 * libm::asinh(y)));
            }
            let t = if scaled < 300.0 { scaled } else { 300.0 * a };
            worst[2] = worst[2].max(error(sinhc(t) * t, libm::sinh(t)));
            for x in [a + 0.5, scaled, 1.0 / scaled] {
                worst[4] = worst[4].max(error(ln(x), libm::log(x)));
            }
            for t in [b, 700.0 * b] {
                worst[4] = worst[4].max(error(exp(t), libm::exp(t)));
            }
            let angle = if b < 0.0 { 7.0 * a } else { 1e6 * a };
            let (sin, cos) = sin_cos(angle);
            let off = (sin - libm::sin(angle)).abs().max((cos - libm::cos(angle)).abs());
            worst[3] = worst[3].max(off / UNIT);
            if angle < 0.25 * PI {
                worst[3] = worst[3].max(0.5 * error(sin, libm::sin(angle)));
            }
        }
        assert!([6.0, 6.0, 8.0, 2.0, 6.0].iter().zip(&worst).all(|(most, worst)| worst <= most), "{worst:?}");
        // a unit in the last place would show
        assert!(worst.iter().all(|worst| *worst >= 1.0), "{worst:?}");
    }

    #[test]
    fn ends_of_the_range_and_what_is_no_number_are_told() {
        assert_eq!([atan2(0.0, 0.0), atan2(0.0, 1.0), asinh(0.0)], [0.0; 3]);
        assert_eq!((atan2(0.0, -1.0), atan2(1.0, 0.0), sinhc(0.0), sin_cos(0.0)), (PI, FRAC_PI_2, 1.0, (0.0, 1.0)));
        assert_eq!(sin_cos(1e300), libm::sincos(1e300));
        assert_eq!((ln(1.0), exp(0.0)), (0.0, 1.0));
        let of_two = [atan2(f64::NAN, 1.0), atan2(1.0, f64::NAN), sin_cos(f64::NAN).0];
        let of_one = [asinh, sinhc, ln, exp].map(|f| f(f64::NAN));
        assert!(of_two.iter().chain(&of_one).all(|wrong| wrong.is_nan()) && ln(f64::INFINITY).is_nan());
    }
}
