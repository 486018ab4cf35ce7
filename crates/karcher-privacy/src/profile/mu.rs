//! The `μ` of a Riemannian law, for all `ε` at once (user guide, \[G2\]).
//!
//! A law is μ-GDP if and only if no test `L ≥ s` of "first center" against "second center" is better than one of
//! `N(0,1)` against `N(μ,1)` (Neyman–Pearson lemma): `D(s) = a(s) − b(s) ≤ μ` for all `s`, where `a = Φ⁻¹(P₁(L ≥ s))`
//! and `b = Φ⁻¹(P₂(L ≥ s))`. The two laws mirror each other, so `D` is even and `s ≥ 0` is enough;
//! `D(0) = 2Φ⁻¹((1 + δ(0))/2)`.
//!
//! As `dP₂ = e^{−s}·dP₁` where the loss is `s`, and `p₁` is its density under the first law,
//!
//! `D′ = a′·(1 − e^M)`, `a′ = −p₁/φ(a)`, `M(s) = (b² − a²)/2 − s`.
//!
//! A function that goes from one value to another and reaches some height in between has gone up to it and down again:
//!
//! `D ≤ ½(D(s) + D(s′)) + ½·∫|D′|` on the cell from `s` to `s′`, and `∫|D′| ≤ √((s′ − s)·∫D′²)`.
//!
//! The largest of these bounds is reported. Cells whose bound is above the values of `D` found so far are halved. The
//! errors of the integrals `P₁`, `P₂`, `p₁` and `∫D′²` are not proved: they are estimated and added.
//!
//! With the inverse Mills ratio `R = (1 − Φ)/φ`, `x = |a|` and `y = |b|`, `M = ln(P₁/P₂) − s + ln(R(y)/R(x))` (the
//! complement of `P₁` where `a > 0`), and `|a′| = R(x)·p₁/P₁`, in which no large numbers cancel.

use super::Profile;
use super::geometry::Geometry;
use super::pair::{First, Pair};
use crate::guarantee::{Definition, Guarantee};
use crate::noise::Law;
use crate::normal::{ln_gaussian_profile, ln_mills, mu_of_total_variation, upper_quantile};
use std::f64::consts::PI;

/// The least relative amount by which `μ` is above the largest `D` found. On hyperbolic space it closes the tail.
pub(crate) const MARGIN: f64 = 2e-10;
/// The relative error of `P₁` and `P₂`, and that of `p₁`.
const TOLERANCE: f64 = 1e-12;
const DENSITY_TOLERANCE: f64 = 1e-4;
/// The cells begin with this share of the range in which both probabilities are large, and grow by this factor.
const FIRST: f64 = 1.0 / 32.0;
const GROWTH: f64 = 2.0;
/// The last stretch before the largest loss is halved this often at most.
const HALVINGS: i32 = 42;
/// Cells are halved this often at most.
const DEPTH: usize = 24;
/// More nodes than this mean that no end of the tail was found.
const PATIENCE: usize = 2_000;

/// `D` at a loss.
#[derive(Debug, Clone, Copy)]
struct Node {
    s: f64,
    /// `D(s)` plus an estimate of its error, and that.
    d: f64,
    d_error: f64,
    /// `|D′(s)|` is at most `slope + 2·slope_error`.
    slope: f64,
    slope_error: f64,
    /// A bound of `D` from here to the largest loss `s_max`: `Φ⁻¹(p) − Φ⁻¹(e^{−s_max}·p)`, `p = P₁(L ≥ s)`.
    ///
    /// It bounds `D(s)` since `P₂ ≥ e^{−s_max}·P₁`, and it falls with `p`: with `I = φ∘Φ⁻¹`, `c = e^{−s_max}`, its
    /// derivative `1/I(p) − c/I(cp)` is at least 0, because `I` is concave and `I(0) = 0`.
    rest: f64,
}

impl Profile {
    /// See [`guarantee`](Profile::guarantee); `∞` if it is not known.
    pub(crate) fn mu(&self) -> f64 {
        if self.is_flat_gaussian() {
            return self.ratio;
        }
        let bound = match (self.pair.radial.law, self.pair.radial.geometry) {
            // theorems of the user guide
            (Law::Gaussian, Geometry::Sphere) => self.ratio,
            (Law::Gaussian, _) => f64::INFINITY,
            (Law::Laplace, _) => pure_mu(self.ratio),
        };
        certified(&self.pair, bound)
    }

    /// `D(0)`, the lower bound of every `μ`, up to the error of the quadrature.
    pub(crate) fn mu_at_zero(&self) -> f64 {
        if self.is_flat_gaussian() { self.ratio } else { at_zero(&self.pair) }
    }
}

/// The `μ` that pure privacy `ε = Δ/σ` implies.
fn pure_mu(epsilon: f64) -> f64 {
    match Guarantee::pure(epsilon).and_then(|g| g.to_gaussian()).map(|g| g.definition()) {
        Ok(Definition::Gaussian { mu }) => mu,
        Ok(Definition::Pure { .. } | Definition::Approximate { .. } | Definition::Concentrated { .. }) | Err(_) => {
            f64::INFINITY
        }
    }
}

/// `D(0)`, plus an estimate of the error of the quadrature.
fn at_zero(pair: &Pair) -> f64 {
    let (delta, error) = pair.total_variation();
    let upper = delta * (1.0 + error);
    if upper <= 0.5 {
        return mu_of_total_variation(upper) * (1.0 + 1e-13);
    }
    // 1 − δ(0) = 2P₂(L ≥ 0)
    let masses = pair.masses(-0.5 * pair.distance);
    2.0 * upper_quantile(masses.second.value - masses.second.error - masses.fall) * (1.0 + 1e-13)
}

/// An upper bound of `sup D`, where `limit` is another one.
fn certified(pair: &Pair, limit: f64) -> f64 {
    let start = at_zero(pair);
    let (pair, coarse) = (&pair.with_tolerance(TOLERANCE), &pair.with_tolerance(DENSITY_TOLERANCE));
    let mut search = Search { pair, coarse, bound: start * (1.0 + MARGIN), nodes: 0 };
    match search.run(start, limit) {
        Some(()) => search.bound.min(limit),
        None => limit,
    }
}

struct Search<'a> {
    pair: &'a Pair,
    /// The same, for densities.
    coarse: &'a Pair,
    /// Of `D` on all cells so far.
    bound: f64,
    nodes: usize,
}

impl Search<'_> {
    /// `None` if the bound reaches the limit, or no end is found.
    fn run(&mut self, start: f64, limit: f64) -> Option<()> {
        // all nodes of the grid first, so that no cell is examined more closely than the largest D warrants
        let mut nodes = vec![Node {
            s: 0.0,
            d: start,
            d_error: TOLERANCE * start,
            slope: 0.0,
            slope_error: 0.0,
            rest: f64::INFINITY,
        }];
        let mut grid = Grid::new(self.pair);
        loop {
            let tau = grid.next()?;
            let node = self.node(tau).filter(|_| self.bound < limit)?;
            nodes.push(node);
            if node.rest <= self.bound || tail_is_closed(self.pair, self.bound, tau) {
                break;
            }
        }
        let cover = |cell: &[Node]| self.bound < limit && self.cover(&cell[0], &cell[1], DEPTH);
        nodes.windows(2).all(cover).then_some(())
    }

    /// Raises the bound, if need be, so that it holds on a cell; false if the cell cannot be bounded.
    fn cover(&mut self, from: &Node, to: &Node, depth: usize) -> bool {
        let middle = self.pair.tau_of(0.5 * (from.s + to.s));
        let Some(middle) = self.node(middle) else { return false };
        if let Some((bound, error)) = bound_between([from, &middle, to], MARGIN * self.bound)
            && (bound <= self.bound || depth == 0)
        {
            self.bound = self.bound.max(bound + error);
            return true;
        }
        depth > 0 && self.cover(from, &middle, depth - 1) && self.cover(&middle, to, depth - 1)
    }

    /// `None` where a probability is too near 1 or too uncertain for a number, or after too many nodes.
    fn node(&mut self, tau: f64) -> Option<Node> {
        let node = node(self.pair, self.coarse, tau)?;
        self.nodes += 1;
        self.bound = self.bound.max(node.d * (1.0 + MARGIN));
        (self.nodes <= PATIENCE).then_some(node)
    }
}

fn node(pair: &Pair, coarse: &Pair, tau: f64) -> Option<Node> {
    let s = pair.loss_at(tau);
    let masses = pair.masses(tau);
    let second = masses.second;
    let (first, a_sign) = match masses.first {
        First::Above(first) => (first, -1.0),
        First::Below(first) => (first, 1.0),
    };
    let ln_first = first.value - masses.fall;
    let (x, y) = (upper_quantile(ln_first), upper_quantile(second.value - masses.fall - s));
    let (ln_rx, ln_ry) = (ln_mills(x), ln_mills(y));
    // dx = R(x)·d ln P
    let common = masses.common_error + 1e-15;
    let d_error = (first.error + common) * ln_rx.exp() + (second.error + common) * ln_ry.exp() + 1e-15 * (x.abs() + y);
    let d = y + a_sign * x + d_error;

    let m = first.value - second.value + ln_ry - ln_rx;
    let m_error = 2.0 * (first.error + second.error) + 1e-14;
    let rate = (coarse.density(tau) - first.value + ln_rx).exp() * (1.0 + 2.0 * DENSITY_TOLERANCE); // |a′|
    let (slope, slope_error) = slope_bound(rate, m, m_error);

    let ln_above = if a_sign < 0.0 { ln_first } else { (-ln_first.exp()).ln_1p() };
    let rest = upper_quantile(ln_above - pair.largest_loss()) + a_sign * x + d_error;
    (d + slope + slope_error).is_finite().then_some(Node { s, d, d_error, slope, slope_error, rest })
}

/// A bound of `|D′| = |a′|·|1 − e^M|`, as `slope + 2·slope_error`, where `M` is known up to an error.
fn slope_bound(rate: f64, m: f64, m_error: f64) -> (f64, f64) {
    let error = rate * m.exp() * m_error.exp_m1();
    ((rate * m.exp_m1().abs() - error).max(0.0), error)
}

/// A bound of `D` on a cell, from its ends and its middle: without the errors of the slopes, and how much these may
/// add. `None` if three nodes are not enough for the integral of `D′²`, so that the variation comes out below the
/// difference of the ends.
fn bound_between([from, middle, to]: [&Node; 3], resolution: f64) -> Option<(f64, f64)> {
    let width = to.s - from.s;
    let [f, m, t] = [from, middle, to].map(|node| node.slope * node.slope);
    let (trapezoids, simpson) = (0.5 * (f + t) * width, (f + 4.0 * m + t) / 6.0 * width);
    let integral = simpson + (simpson - trapezoids).abs();
    let variation = (width * integral).sqrt();
    let error = width * from.slope_error.max(middle.slope_error).max(to.slope_error);
    let difference = (from.d - to.d).abs() - from.d_error - to.d_error - resolution;
    (variation + 2.0 * error >= difference).then_some((0.5 * (from.d + to.d) + 0.5 * variation, error))
}

/// Whether `δ(s′) ≤ δ_μ(s′)` for all `s′ ≥ s = loss_at(τ)`, on hyperbolic space.
///
/// There `L ≥ s` implies `t ≥ τ`, and with `sinh t ≤ e^t/2`, `Φ(−y) ≤ ½·e^{−y²/2}`, `y = τ/σ − (d−1)σ`:
/// `ln δ(s) ≤ C − y²/2`. On the other side `ln δ_μ(s) = −x²/2 + c(x)`, `x = s/μ − μ/2`, with `c` convex (a Laplace
/// transform). As `y` grows by `σ/Δ` for each `s` and `x` by `1/μ < σ/Δ`, the difference of the bounds is concave in
/// `s`. Once it is negative and falls, it does so for ever.
fn tail_is_closed(pair: &Pair, mu: f64, tau: f64) -> bool {
    if pair.largest_loss() < f64::INFINITY {
        return false;
    }
    let power = (pair.radial.dimension - 1) as f64;
    let ratio = pair.distance / pair.radial.scale;
    let y = tau / pair.radial.scale - power * pair.radial.scale;
    if y <= 0.0 || mu <= ratio {
        return false;
    }
    let half_gaussian = (0.5 * pair.radial.scale * (2.0 * PI).sqrt()).ln();
    let from_mode = pair.radial.mode / pair.radial.scale - power * pair.radial.scale;
    let constant =
        half_gaussian - power * std::f64::consts::LN_2 + 0.5 * from_mode * from_mode - pair.radial.normalizer.value;
    let (ln_delta, slope) = ln_gaussian_profile(mu, pair.loss_at(tau));
    let rounding = 1e-15 * y * y + 1e-9;
    constant - 0.5 * y * y + rounding <= ln_delta && -y / ratio < slope
}

/// The `τ` of the grid's nodes, from just above `s = 0` towards the largest loss.
#[derive(Debug)]
struct Grid {
    origin: f64,
    /// The largest `τ − origin`.
    end: f64,
    at: f64,
    step: f64,
    halvings: i32,
}

impl Grid {
    fn new(pair: &Pair) -> Self {
        let half = 0.5 * pair.distance;
        let (core, end) = match (pair.radial.law, pair.radial.geometry) {
            (Law::Laplace, _) => (half, half),
            (Law::Gaussian, Geometry::Sphere) => (half + 10.0 * pair.radial.scale, PI - half),
            (Law::Gaussian, _) => (half + 10.0 * pair.radial.scale, f64::INFINITY),
        };
        Self { origin: -half, end, at: 0.0, step: FIRST * core.min(end), halvings: 0 }
    }
}

impl Iterator for Grid {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let next = (self.at * GROWTH).max(self.step);
        if next < 0.5 * (self.at + self.end) {
            self.at = next;
        } else {
            self.at = 0.5 * (self.at + self.end);
            self.halvings += 1;
        }
        (self.halvings <= HALVINGS).then_some(self.origin + self.at)
    }
}

/// The largest `D` on a grid of given ratio.
#[cfg(test)]
pub(super) fn largest_d(pair: &Pair, ratio: f64) -> f64 {
    let mut grid = Grid::new(pair);
    let last = if grid.end < f64::INFINITY { grid.end } else { 1e3 * grid.step };
    grid.step *= 1e-3;
    let mut largest = 0.0f64;
    while grid.step < last {
        let node = node(pair, pair, grid.origin + grid.step);
        largest = node.map_or(largest, |node| largest.max(node.d));
        grid.step *= ratio;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConstantCurvature;
    use proptest::prelude::*;

    proptest! {
        /// Whatever `M` is within its error.
        #[test]
        fn slope_is_bounded(rate in 0.0f64..10.0, m in -3.0f64..1.0, ln_error in -30.0f64..0.0, place in -1.0f64..1.0) {
            let error = ln_error.exp();
            let (slope, slope_error) = slope_bound(rate, m, error);
            let exact = rate * (m + place * error).exp_m1().abs();
            prop_assert!(slope + 2.0 * slope_error >= exact * (1.0 - 1e-12));
            prop_assert!(slope <= rate * m.exp_m1().abs(), "and tight without an error");
        }
    }

    /// The bound on a cell from `D` and `D′`.
    fn bound(d: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64, slope_error: f64) -> Option<f64> {
        let node = |s: f64| Node { s, d: d(s), d_error: 0.0, slope: slope(s).abs(), slope_error, rest: f64::INFINITY };
        bound_between([&node(0.0), &node(0.5), &node(1.0)], 1e-9).map(|(bound, error)| bound + error)
    }

    #[test]
    fn a_cell_is_bounded_by_its_variation() {
        type Shape = (fn(f64) -> f64, fn(f64) -> f64);
        let shapes: [Shape; 6] = [
            (|s| s, |_| 1.0),
            (|s| -s * s, |s| -2.0 * s),
            (|s| (-3.0 * s).exp(), |s| -3.0 * (-3.0 * s).exp()),
            (|s| s * (1.0 - s), |s| 1.0 - 2.0 * s),
            // up and down again, where Simpson's rule alone misses most: nearly a tent
            (|s| -(s - 0.5).hypot(0.05), |s| -(s - 0.5) / (s - 0.5).hypot(0.05)),
            (|s| (1.5 * s).sin(), |s| 1.5 * (1.5 * s).cos()),
        ];
        for (i, (d, slope)) in shapes.into_iter().enumerate() {
            let largest = (0..=100).map(|i| d(f64::from(i) / 100.0)).fold(f64::MIN, f64::max);
            let found = bound(d, slope, 0.0).unwrap();
            assert!(found >= largest - 1e-12, "shape {i}: {found} for {largest}");
        }
    }

    /// A tent of slope 2·10⁻³ that is all within the errors of the slopes.
    #[test]
    fn errors_of_the_slopes_are_added() {
        assert!(bound(|_| 0.0, |_| 0.0, 1e-3).unwrap() >= 2e-3 * 0.5);
    }

    #[test]
    fn a_cell_that_jumps_between_its_nodes_is_refused() {
        let jump = |s: f64| f64::from(u8::from(s > 0.3));
        assert!(bound(jump, |_| 0.0, 0.0).is_none() && bound(jump, |_| 1e-3, 1e-3).is_none());
        assert!(bound(jump, |_| 0.0, 0.6).is_some(), "unless the errors leave room for it");
    }

    #[test]
    fn the_bound_of_a_cell_has_the_errors_of_its_slopes() {
        let (p, _) = far_out();
        let mut search = Search { pair: &p.pair, coarse: &p.pair, bound: 0.0, nodes: 0 };
        let [mut from, to] = [1.0, 2.0].map(|tau| search.node(tau).unwrap());
        from.slope_error = 0.1;
        assert!(search.cover(&from, &to, 0));
        assert!(search.bound >= 0.5 * (from.d + to.d) + 0.1 * (to.s - from.s), "{}", search.bound);
    }

    fn far_out() -> (Profile, f64) {
        let space = ConstantCurvature::new(2, -1.0).unwrap();
        (Profile::new(space, Law::Gaussian, 4.0, 30.0).unwrap(), 7.5)
    }

    /// Where the tail is said to be closed, `δ` stays below `δ_μ`, also for a `μ` that is too small.
    #[test]
    fn a_closed_tail_stays_below() {
        let (p, ratio) = far_out();
        let (mut closed, mut open) = (0, 0);
        for mu in [1.01, 1.05, 1.1, 1.2, 1.3, 1.43].map(|factor| factor * ratio) {
            for tau in (0..60).map(|i| 16.5 + 4.0 * f64::from(i)) {
                let is_above = |tau: f64| {
                    let s = p.pair.loss_at(tau);
                    p.delta_at(s).ln() > ln_gaussian_profile(mu, s).0
                };
                let is_closed = tail_is_closed(&p.pair, mu, tau);
                let is_below = !(0..20)
                    .map(|i| tau + 4.0 * f64::from(i))
                    .any(|tau| p.delta_at(p.pair.loss_at(tau)) > 1e-290 && is_above(tau));
                assert!(!is_closed || is_below, "μ {mu}, τ {tau}");
                closed += usize::from(is_closed);
                open += usize::from(!is_below);
            }
        }
        assert!(closed > 30 && open > 30, "{closed}, {open}");
    }

    /// `y = 0.1`, where the bound of `δ` is below `δ_μ` but falls more slowly; at `y = 1` it falls faster.
    #[test]
    fn a_tail_that_comes_nearer_is_not_closed() {
        let (p, _) = far_out();
        let is_closed = |y: f64| tail_is_closed(&p.pair, 11.8, 4.0 * (y + 4.0));
        assert!(!is_closed(0.1) && is_closed(1.0));
    }
}
