//! The diameter of the image of a ball under the logarithm at any of its points. Lengths are in units of `1/√κ`; `σ`,
//! `g`, (1) and the letters are those of [`optimal`](super::optimal).
//!
//! **Theorem.** Under the conditions of the optimal bound, `‖Log_m p − Log_m q‖ ≤ max_{0≤u≤x} 4u·√(1 − tan²u/tan²x)`
//! for `m, p, q ∈ B`, with equality for some where the space contains a totally geodesic unit sphere.
//!
//! **Proof.** By step 1 of the optimal bound's proof, `p` and `q` may be carried to the unit sphere: `m`, `m₀`, the
//! logarithms at `m` stay what they are, and the images lie in the image's ball. So let `M` be the sphere,
//! `v = Log_m p`, `w = Log_m q`. With `Q(s²) = cos x·σ(s) − cos a·g(s)`, which is convex, (1) says
//! `Q(‖v‖²) ≤ sin a·⟨v, e⟩`, with equality exactly for the boundary of `B`. Let `z = (v+w)/2`, `δ = ‖v−w‖/2`:
//! `‖z‖² + δ²` is the average of `‖v‖²` and `‖w‖²`, hence `Q(‖z‖² + δ²) ≤ sin a·⟨z, e⟩ ≤ sin a·‖z‖`. So the mirror
//! images `‖z‖·e ± δ·f`, `f ⟂ e`, which are no longer than `2x < π`, are logarithms of points of `B` too, as far apart
//! as `v` and `w`. Keep these two points and move `m` away from `m₀`, against `e`, along the axis of symmetry to the
//! boundary of `B`. The distance `d` of the two stays. Their midpoint is on the axis, in `B` (which is convex) and not
//! behind `m`: its distance `h` from `m` grows, to at most `2x < π`. So their distances `s` from `m`,
//! `cos s = cos(d/2)·cos h`, grow, and so does the distance of their logarithms, `2·sin(d/2)·σ(s)`. Lengthening both
//! logarithms, in their directions, until the points too are on the boundary (a ray from `m` meets the convex `B` in a
//! chord) moves them further apart. What is left is an isosceles triangle inscribed in the boundary circle: if its
//! equal sides are `2u`, they make the angle `β` with the axis, `cos β = tan u/tan x`, and the logarithms are
//! `2·2u·sin β` apart. ∎
//!
//! The maximum is at the one root of `(tan u/tan x)²·(1 + 2u/sin 2u) = 1`, whose left side increases.

use super::elementary::MARGIN;

/// `max_{0≤u≤x} 4u·√(1 − tan²u/tan²x)`, from above.
///
/// Both factors are monotone in `u`, so ends `a ≤ u ≤ b` of an interval around the root prove the bound
/// `4b·√(1 − tan²a/tan²x)`.
pub(super) fn unit(x: f64) -> f64 {
    let past_root = |u: f64| (u.tan() / x.tan()).powi(2) * (1.0 + 2.0 * u / (2.0 * u).sin()) > 1.0;
    // The left side is below ¼(1 + π/2) at x/2 and above 2 at x.
    let (mut a, mut b) = (0.5 * x, x);
    for _ in 0..45 {
        let u = 0.5 * (a + b);
        if past_root(u) { b = u } else { a = u }
    }
    // The left side grows at least like u², so its rounding displaces the root by less than the margin.
    let (a, b) = (a * (1.0 - MARGIN), b * (1.0 + MARGIN));
    4.0 * b * (1.0 - (a.tan() / x.tan()).powi(2)).sqrt()
}
