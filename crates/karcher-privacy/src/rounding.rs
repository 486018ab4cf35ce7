//! Arithmetic that rounds in a known direction.
//!
//! The functions take finite arguments of the stated sign. `+`, `×`, `÷` and `√` return the nearest number on the
//! stated side of the exact result, or the result itself where it is a number. They find it from the sign of the exact
//! residual. Close to underflow the residual is lost, and they go one number further.

/// Below this size a product's residual can underflow.
const RESIDUAL_IS_EXACT: f64 = 1e-280;

/// `a + b`, rounded up.
pub fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let residual = (a - (sum - b_part)) + (b - b_part);
    if residual > 0.0 { sum.next_up() } else { sum }
}

/// `a·b` for `a, b > 0`, rounded up; never 0.
pub fn mul_up(a: f64, b: f64) -> f64 {
    let product = a * b;
    let exact_or_above = product > RESIDUAL_IS_EXACT && a.mul_add(b, -product) <= 0.0;
    if exact_or_above { product } else { product.next_up() }
}

/// `a/b` for `a, b > 0`, rounded up; never 0. So `div_up(a, b)·b ≥ a`.
pub fn div_up(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let exact_or_above = a > RESIDUAL_IS_EXACT && quotient.mul_add(b, -a) >= 0.0;
    if exact_or_above { quotient } else { quotient.next_up() }
}

/// `a·b` for `a, b > 0`, rounded down; 0 where it underflows.
pub fn mul_down(a: f64, b: f64) -> f64 {
    let product = a * b;
    let exact_or_below = product > RESIDUAL_IS_EXACT && a.mul_add(b, -product) >= 0.0;
    if exact_or_below { product } else { product.next_down().max(0.0) }
}

/// `a/b` for `a, b > 0`, rounded down; 0 where it underflows.
pub fn div_down(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let exact_or_below = a > RESIDUAL_IS_EXACT && quotient.mul_add(b, -a) <= 0.0;
    if exact_or_below { quotient } else { quotient.next_down().max(0.0) }
}

/// `√a` for `a > 0`, rounded up.
pub fn sqrt_up(a: f64) -> f64 {
    let root = a.sqrt();
    let exact_or_above = a > RESIDUAL_IS_EXACT && root.mul_add(root, -a) >= 0.0;
    if exact_or_above { root } else { root.next_up() }
}

/// `√a` for `a > 0`, rounded down.
pub fn sqrt_down(a: f64) -> f64 {
    let root = a.sqrt();
    let exact_or_below = a > RESIDUAL_IS_EXACT && root.mul_add(root, -a) <= 0.0;
    if exact_or_below { root } else { root.next_down() }
}

/// An upper bound of a positive quantity that was computed as `x` with relative error at most `relative`. It is at
/// least the smallest normal number, below which no relative error is kept.
pub fn up(x: f64, relative: f64) -> f64 {
    // Not `max`, which would make a small number of a NaN.
    if x < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { x * (1.0 + 2.0 * relative) }
}

/// A lower bound of a positive quantity that was computed as `x` with relative error at most `relative`; 0 below the
/// smallest normal number.
pub fn down(x: f64, relative: f64) -> f64 {
    if x < f64::MIN_POSITIVE { 0.0 } else { x * (1.0 - 2.0 * relative) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exact_results_stay_exact() {
        assert_eq!(add_up(1.0, 2.0), 3.0);
        assert_eq!(mul_up(3.0, 0.5), 1.5);
        assert_eq!(div_up(1.0, 4.0), 0.25);
        assert_eq!(sqrt_up(2.25), 1.5);
        assert_eq!(sqrt_down(2.25), 1.5);
    }

    #[test]
    fn inexact_results_go_outward() {
        assert_eq!(add_up(1.0, 1e-30), 1.0f64.next_up());
        assert_eq!(add_up(1.0, -1e-30), 1.0);
        assert_eq!(div_up(1.0, 3.0), (1.0f64 / 3.0).next_up());
        assert_eq!(sqrt_down(2.0).next_up(), sqrt_up(2.0));
    }

    #[test]
    fn underflow_is_not_zero() {
        assert!(mul_up(1e-200, 1e-200) > 0.0);
        assert!(div_up(1e-200, 1e200) > 0.0);
    }

    /// The exact value of `a·b − c` has the sign of this, where nothing underflows or overflows: the two roundings of
    /// double-double arithmetic are exact.
    fn product_minus(a: f64, b: f64, c: f64) -> f64 {
        let high = a * b;
        let low = a.mul_add(b, -high);
        (high - c) + low
    }

    proptest! {
        #[test]
        fn directed_results_are_on_their_side_and_next_to_the_exact_one(a in 1e-60f64..1e60, b in 1e-60f64..1e60) {
            let q = div_up(a, b);
            prop_assert!(product_minus(q, b, a) >= 0.0);
            prop_assert!(product_minus(q.next_down(), b, a) < 0.0);
            let p = mul_up(a, b);
            prop_assert!(product_minus(a, b, p) <= 0.0);
            prop_assert!(product_minus(a, b, p.next_down()) > 0.0);
            let (less, fewer) = (mul_down(a, b), div_down(a, b));
            prop_assert!(less <= p && p <= less.next_up() && fewer <= q && q <= fewer.next_up());
            prop_assert!(product_minus(a, b, less) >= 0.0 && product_minus(fewer, b, a) <= 0.0);
            let (below, above) = (sqrt_down(a), sqrt_up(a));
            prop_assert!(product_minus(below, below, a) <= 0.0);
            prop_assert!(product_minus(above, above, a) >= 0.0);
            prop_assert!(above <= below.next_up());
        }
    }
}
