//! Proved bounds of the rounding errors of the coordinates that [`frame_logs`](super::Manifold::frame_logs) computes.
//!
//! **Assumptions.** `u = 2⁻⁵³`. Every operation `+ − × ÷ √` on doubles errs by at most `u` times its result (IEEE 754).
//! `atan2` and `asinh` err by at most `8u` times theirs, four units in the last place (`elementary.rs`, which proves
//! less than that). Nothing is smaller than the smallest normal number or larger than the largest. An underflow errs by
//! less than `p·2⁻¹⁰²²`, far less than the slack of the constants. Terms of second order in `u` are below a thousandth
//! of the first, or are stated. A sum of `p` products in order errs by at most `p·u·Σ|aᵢbᵢ| ≤ p·u·‖a‖‖b‖`.
//!
//! **Meaning of the numbers.** Base and points passed [`check_point`](super::Manifold::check_point) and are as
//! [`normalize`](super::Manifold::normalize) leaves them. On spheres and projective spaces numbers `x` stand for
//! `X = x/‖x‖`, quaternions too. Landmarks stand for their differences from their centroid, over the norm of these.
//! Numbers of hyperbolic space stand for `(√(1 + |x|²), x)` with the space part `x`. Angles and flat coordinates stand
//! for themselves. Scaling by a computed `1/‖x‖` leaves `|‖x‖ − 1| ≤ η = (p/2 + 3)u`. Every release normalizes the
//! center of its ball and each record after it has carried them to the origin (`records/centered.rs`), so for them this
//! holds. Points that you give to [`frame_logs`](super::Manifold::frame_logs) without
//! [`normalize`](super::Manifold::normalize) may be off by the `16u` more that [`Points`](crate::Points) keeps,
//! `η = (p/2 + 20)u`: only measurements cover that.
//!
//! **Comparison.** The computed coordinates are compared with those of `Log_P(X)` at the exact points, in an
//! orthonormal frame at `P`. The frame depends on the numbers of the base alone: it is that of
//! [`to_frame`](super::Manifold::to_frame) in exact arithmetic at `P` (for landmarks, see [`landmarks`]). The bounds
//! hold for `ρ(P, X) ≤ reach`.
//!
//! **Lengths.** On all these spaces the part of the error that is along the logarithm is at most `e(ρ)`, for every
//! distance `ρ` (on hyperbolic space: from a base no farther than `min{0.3, spread}` from the vertex). Here `ρ − e(ρ)`
//! grows with `ρ` and `e(reach)` is at most the bound. So a point lies within `reach` if its computed coordinates are
//! no longer than `reach` less the bound; it need not be known before.

use std::f64::consts::{FRAC_PI_2, PI};

/// The first number of a point from which coordinates of logarithms, and transports, are computed in another way.
pub(super) const FAR: f64 = 1000.0;

/// `u`.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// How near to the cut locus a proof reaches, `p` numbers in a point: nearer, a computed cosine may have the wrong
/// sign, or a logarithm be refused.
fn margin(p: usize) -> f64 {
    3e-14 + 64.0 * (p as f64 + 8.0) * UNIT
}

/// The sphere in `R^p` (`Reflected` in `sphere.rs`): `7(p + 6)u·ρ`.
///
/// Let `P, X` be the points, `p = (1+π)P`, `x = (1+ξ)X`, `|π|, |ξ| ≤ η`, `τ = ±1` the sign of the computed `⟨p,x⟩`, and
/// `T w = w′ − (⟨P,w⟩ + s·w₀)/(1+|P₀|)·P′` all but the first number of the reflection of `w`. `‖T‖ ≤ 1`, `T P = 0`, so
/// that `T(x − τp) = (1+ξ)Y`, `Y = T X`, `‖Y‖ = sin ρ`, and the exact coordinates are `ρ·Y/‖Y‖`.
///
/// 1. The computed `y` differs from `(1+ξ)Y` by at most `E = A·u·‖x − τp‖`. Each of the following is per `u‖z‖`: `z = x
///    − τp` by 1; the product `⟨p,z⟩` by `p`; adding `s·z₀`, adding `1+|p₀|` and dividing by `3√2`, as the factor is at
///    most `‖P + s·e₀‖‖z‖/(1+|P₀|) ≤ √2‖z‖`; multiplying by `p` and adding `z` by `√2 + 1`; `p` in place of `P` by `(1
///    + √½ + √2)·η/u ≤ 3.13(p/2 + 3)`. Sum: `A = 2.57p + 17.1`.
/// 2. `‖x − τp‖ ≤ chord + 2η` with `chord = 2 sin(ρ/2)` for `τ = 1` and `2 cos(ρ/2)` for `τ = −1`. So the direction of
///    `y` is off by `E/sin ρ`, which makes `ρE/sin ρ = Auρ/cos(ρ/2)` or `Auρ/sin(ρ/2)` of the coordinates, at most
///    `√2·Auρ` in either case: **nothing is lost near the antipode**, where a logarithm is as sensitive to the points
///    as `ρ/sin ρ`, but the points are exact.
/// 3. The length is the angle of `(⟨p,x⟩, ‖y‖)`, both scaled by `1+ξ`. Computed sine and cosine are off by `E +
///    (p+1)/2·u·sin ρ` and `η + pu`, the angle by at most `E|cos ρ| + (2p + 3.5)u·sin ρ`. `atan2` adds `8uρ`, division
///    and product `2uρ`, the computed norm by which `y` is divided `(p+1)/2·uρ`. So the length is off by at most `E|cos
///    ρ| + Buρ`, `B = 2.5p + 14`.
/// 4. Direction and length are at a right angle, and `(ρ/sin ρ)² chord² + (chord·cos ρ)² ≤ 2ρ²` in either case of 2. So
///    the error is at most `(√2·A + B)uρ ≤ (6.2p + 38.4)uρ`. What is left to `7(p + 6)uρ` covers terms of second order
///    relative to `ρ`, and `2η` near the antipode, which the margin keeps below a sixtieth of the chord. Near `ρ = 0`
///    the `2η` of 2 adds no more than `2Auη·(1 + π/2) ≤ 8(p + 7)²u²`.
///
/// The margin also keeps the sine above the `10⁻¹⁴` at which antipodes are refused.
pub(super) fn sphere(p: usize, reach: f64) -> Option<f64> {
    (reach <= PI - margin(p)).then(|| reflected(p, reach))
}

/// Projective space of lines in `R^p`: as on the sphere with `τx` in place of `x`, which is the nearer representative
/// where `cos ρ` exceeds the error `η + pu` of the computed cosine. The coordinates' sign is that of the base's first
/// number, exactly.
pub(super) fn axes(p: usize, reach: f64) -> Option<f64> {
    (reach <= FRAC_PI_2 - margin(p)).then(|| reflected(p, reach))
}

fn reflected(p: usize, reach: f64) -> f64 {
    let p = p as f64;
    7.0 * (p + 6.0) * UNIT * (reach + 2.0 * (p + 7.0) * UNIT)
}

/// Rotations (`Turned` in `rotations.rs`): `32u·ρ`.
///
/// With `θ = ρ/2`, `cos θ = |⟨P,X⟩|`: `Im(p̄·(τx − p)) = τ‖p‖‖x‖·Im(P̄X)` is a vector of length `‖p‖‖x‖ sin θ`, and the
/// cosine is `‖p‖‖x‖ cos θ`: norms cancel. Rounding `z = τx − p` makes `u‖z‖`, each of three sums of four products
/// `4u‖z‖`: `E = (1 + 4√3)u·chord`, and `ρ/sin ρ·E`-terms as on the sphere with `θ`. Sine and cosine are off by `2.5u`
/// of the sine and by `4u`, the computed norm again by `2.5u`, `atan2` by `8uθ`, division and product by `2uθ`. So
/// `2·(√2·7.93 + 19)uθ ≤ 30.3uρ`, and `2η = 10u` at `ρ = 0` adds no more than `420u²`.
pub(super) fn rotations(reach: f64) -> Option<f64> {
    (reach <= PI - 2.0 * margin(4)).then_some(32.0 * UNIT * (reach + 32.0 * UNIT))
}

/// Shapes of `k` landmarks (`Reflected` in `kendall.rs`): `17(k + 10)u·ρ + 2(k + 2)u·ρ/cos ρ + 6u`.
///
/// Helmert's isometry `H` forgets the centroid; that of normalized landmarks is at most `(k + 2)u/√k` and enters
/// `⟨p,x⟩` by its square alone. `a* = H p` over its norm.
///
/// * **The frame.** For a complex `φ` of modulus 1 let `U w = w − (a* + φe₀)·⟨a* + φe₀, w⟩/(1 + φ̄a*₀)`, which is
///   unitary and carries `a*` to `−φe₀`: all but the first number of it, `T`, has `T a* = 0`, and is a frame at `P`.
///   The frame that is meant has the `φ` that `from_frame`, `to_frame` and `frame_logs` compute from the base, put on
///   the circle. It is `to_frame`'s up to rounding, with one exception: where `a*₀` is 0 up to rounding, exact
///   arithmetic might choose another `φ`, and the computed `φ` counts.
/// * **Helmert's basis.** `yⱼ` errs by at most `(j + 3)u·Σ_{i≤j}|zᵢ|/√(j(j+1)) + 5u|zⱼ₊₁|`, with `Σ_{i≤j}|zᵢ| ≤ √j‖z‖`.
///   As `Σ (j+3)²/(j+1) ≤ (k+6)²/2`, `H z` errs by at most `h·u‖z‖`, `h = 0.71k + 9.3`. So `‖a − a*‖ ≤ ε = hu + η ≤
///   (1.71k + 12.3)u`.
/// * **The turn.** `⟨p,x⟩` errs by at most `√2(k + 2)u`, its phase by that over `cos ρ`. A wrong phase turns the
///   coordinates, by `√2(k + 2)u·ρ/cos ρ`: this is the amplification near the cut locus. The turn's modulus is 1 to
///   `3u`.
/// * **The vector.** `z = x* − p` errs by at most `2√2u + u‖z‖`. The factor `⟨a + φe₀, y⟩/(1 + |a₀|)` is at most
///   `√2‖z‖`. It errs, times `‖z‖`, by at most `(1 + √2)ε` for `a`, `√2(k + 1)u` for the sum, `12u` for `φ` and its
///   product, `8√2u` for `|a₀|`, and `3√2u` for addition, denominator and division. The product with `a` adds
///   `√2ε + 4u` and the sum `u`, times `‖z‖` too. So `E = (8.7k + 92)u‖z‖ + 2√2u`, and `‖z‖ ≤ 2 sin(ρ/2)` up to
///   second order.
/// * **The length.** Sine and cosine are off by `E`, `(k + 3)/2·u` of the sine, `3u` of the modulus, and by `η + √2(k +
///   2)u + 2u`, the computed norm again by `(k + 3)/2·u`, `atan2`, division and product by `10uρ`: `E cos ρ + Buρ`, `B
///   = 3.42k + 24`.
///
/// Together, as on the sphere: `(√2(8.7k + 92) + 3.42k + 24)uρ ≤ (15.8k + 155)uρ`, `√2(k + 2)uρ/cos ρ`, and `1.6·2√2u`.
/// The margin keeps terms of second order in the phase below 2 % of it.
pub(super) fn landmarks(k: usize, reach: f64) -> Option<f64> {
    let (k, cosine) = (k as f64, reach.cos());
    let bound = UNIT * (17.0 * (k + 10.0) * reach + 2.0 * (k + 2.0) * reach / cosine + 6.0);
    (reach <= FRAC_PI_2 && cosine >= 3e-14 + 128.0 * (k + 8.0) * UNIT).then_some(bound)
}

/// Landmarks of unit norm in `D` dimensions, `frame_logs` of the sphere on `H x` with Helmert's isometry `H`: that of
/// the sphere for `p′ = (D + 2)k + 19` numbers, and `8δ`, `δ = (0.72k + 9.4)u`, for `ρ ≤ π/2`.
///
/// * `H` forgets the centroid, and `H x` errs by at most `(0.71k + 9.3)u‖x‖` (as in [`landmarks`], axis by axis). So
///   computed vectors point to unit vectors `P′, X′` that are within `δ` of the images `P, X` of the points. Their
///   norms are 1 to `(Dk/2 + 3)u + δ ≤ (p′/2 + 3)u`, so the sphere's bound holds for `P′, X′` and `p′` numbers.
/// * Derivatives of `Log_P(X)` as a vector of `R^n`, for `ρ ≤ π/2`: by `X` at most `ρ/sin ρ ≤ π/2`; by `P` at most
///   `√(1 + ρ²) ≤ 1.87`, as the part along the sphere is `ρ cot ρ ≤ 1` and the other `ρ`.
/// * The frame is a part of the reflection `1 − 2ŵŵᵀ`, `w = P + s·e₀` of length at least `√2`. Its unit vector moves by
///   at most `δ/√2`, the reflection by `2√2δ`, which makes `2√2·(π/2)δ` of the coordinates. The sign `s` is the
///   computed one, as the `φ` of [`landmarks`] is.
///
/// Together `(1.58 + 1.87 + 4.45)δ < 8δ`. Of lengths `2δ` at every distance.
pub(super) fn preshapes(k: usize, axes: usize, reach: f64) -> Option<f64> {
    let off = 1.001 * helmert_error(k);
    let sphere = reflected((axes + 2) * k + 19, reach + 2.0 * off) + 8.0 * off;
    (reach <= FRAC_PI_2 - margin(axes * k)).then_some(sphere)
}

/// Centered landmarks: `(δ + u)·(ρ + 4(k + 3)u·R)`, `δ` that of [`preshapes`], in a ball of radius `R = spread`.
///
/// `z = x − p` errs by `u‖z‖`, `H z` by `δ‖z‖`. `z` is the difference of the points, `ρ`, and one of centroids that
/// rounding leaves: each has a norm of at most `(k + 3)u·R` as a configuration, and of it `H` keeps rounding alone.
pub(super) fn centered(k: usize, reach: f64, spread: f64) -> f64 {
    (helmert_error(k) + UNIT) * 1.001 * (reach + 4.0 * (k as f64 + 3.0) * UNIT * spread)
}

/// The relative error of Helmert's isometry on `k` landmarks.
fn helmert_error(k: usize) -> f64 {
    (0.72 * k as f64 + 9.4) * UNIT
}

/// Hyperbolic space (`Boosted` in `hyperbolic.rs`), base and points no farther than `R = spread` from the vertex:
/// `1.5u·ζ·(2 + (3d + 31) sinh R) + (d + 13)u·ρ` with `ζ = min{ρ cosh R, 2 sinh R}`.
///
/// The space part of the boost of `X` is `Y = Z + (⟨P,Z⟩/(1+P₀) − Z₀)·P` with the space parts `P` and `Z = X − P`, and
/// `Z₀ = ⟨Z, X + P⟩/(X₀ + P₀)`, `‖Y‖ = sinh ρ`. Each first number as held is off by at most `(d/2 + 9)u` of itself.
///
/// 1. `|Z₀| ≤ |Z|` errs by `(d + 2)u|Z|` in the sum, as `|X + P| ≤ X₀ + P₀`, and `(d/2 + 11)u|Z|` by the division;
///    `⟨P,Z⟩/(1+P₀)` by `(d + 1)u|Z|` and `(d/2 + 11)u|Z|`; their difference by `2u|Z|`: `(3d + 27)u|Z|` in all. The
///    product with `P` and the sum add `2u|Z||P|` and `u|Z|(1 + 2|P|)`, rounding `Z` another `u|Z|`. So `y` errs by `E
///    = u|Z|·(2 + (3d + 31)|P|)`, and `|P| ≤ sinh R`.
/// 2. `|Z| ≤ ζ`: balls are convex, and a unit tangent vector in this one has a space part of at most `cosh R`.
/// 3. `ρ = asinh ‖Y‖`, so direction and length err by `E·ρ/sinh ρ` and by `E/cosh ρ`, together at most `√2·E`; the
///    computed norm, twice, by `(d/2 + 1)uρ`, `asinh` by `8uρ`, division and product by `2uρ`.
///
/// From a base whose first number is [`FAR`] or more the boost is computed in another way (`boost` in `hyperbolic.rs`),
/// which adds at most `8(d + 8)u·cosh R·(1 + ρ)`. With its names, `w` errs by `(d + 6)u·sinh R`. The quotient
/// `sinh(a − D)` of a point `a` and a base `D` from the vertex errs by `(2d + 12)u·(1 + ‖Y‖)`. `(p₀ − 1)|w|²/2r` errs
/// by `(d + 6)u·p₀|w|` and `(2d + 12)u` of itself, where `|w| ≤ √2‖Y‖`, or `r·p₀ ≤ ‖Y‖` where the angle at the vertex
/// is obtuse.
///
/// For lengths: `|Z| ≤ e^s·sinh ρ` from a base at the distance `s` from the vertex, so that the length errs by at most
/// `e^s(2 + (3d + 31) sinh s)·uρ + (d + 12)uρ`, at whatever distance.
pub(super) fn hyperbolic(d: usize, reach: f64, spread: f64) -> Option<f64> {
    let d = d as f64;
    let chord = (reach * spread.cosh()).min(2.0 * spread.sinh());
    let far = if spread.cosh() < 0.5 * FAR { 0.0 } else { 8.0 * (d + 8.0) * spread.cosh() * (1.0 + reach) };
    let bound = UNIT * (1.5 * chord * (2.0 + (3.0 * d + 31.0) * spread.sinh()) + (d + 13.0) * reach + far);
    // beyond it squares of computed numbers may overflow, and second order is not below the first
    (spread <= 150.0 && bound <= 1e-3).then_some(bound)
}

/// The torus of `d` angles: `7√d·u`.
///
/// A difference of two angles in `[−π, π)` is below 7 and errs by at most `4u`. Where it leaves `[−π, π)` the double
/// nearest to 2π, which is off by `2.3u`, is subtracted, exactly as the difference is between half and twice of it.
pub(super) fn torus(d: usize, reach: f64) -> Option<f64> {
    (reach <= PI - margin(1)).then(|| 7.0 * (d as f64).sqrt() * UNIT)
}

/// Differences: `u·ρ`.
pub(super) fn euclidean(reach: f64) -> f64 {
    UNIT * reach * (1.0 + 1e-9)
}
