//! The `μ` of a Riemannian law, for all `ε` at once.
//!
//! By the Neyman–Pearson lemma a law is μ-GDP if and only if no test `L ≥ s` of "first centre" against "second centre" tells
//! them apart better than one of `N(0,1)` against `N(μ,1)`: `D(s) = a(s) − b(s) ≤ μ` for all `s`, where
//! `a = Φ⁻¹(P₁(L ≥ s))` and `b = Φ⁻¹(P₂(L ≥ s))`. The two laws mirror each other, so `D` is even and `s ≥ 0` is enough;
//! `D(0) = 2Φ⁻¹((1 + δ(0))/2)`.
//!
//! As `dP₂ = e^{−s}·dP₁` where the loss is `s`, `b′ = a′·e^M` and
//!
//! `D′(s) = −a′(s)·(e^{M(s)} − 1)`, `M(s) = (b² − a²)/2 − s`.
//!
//! `a` falls, so `D` falls wherever `M ≤ 0`. On most spaces that is everywhere, and then `μ = D(0)`; it is not so on
//! hyperbolic space when `σ` and `Δ` exceed the radius of curvature. In general, on a cell from `s` to `s′` of a grid,
//! `D ≤ D(s) + (a(s) − a(s′))·(e^{max M} − 1)₊`, and the largest of these bounds is what is reported. For `M` the largest value in
//! the cell is that at its ends, plus estimates of the errors of quadrature and of interpolation; cells whose bound exceeds
//! the rest are halved.
//!
//! With the inverse Mills ratio `R = (1 − Φ)/φ`, `x = |a|` and `y = |b|`, `M = ln(P₁/P₂) − s + ln(R(y)/R(x))` (the complement
//! of `P₁` where `a > 0`), in which no large numbers cancel.

use super::Profile;
use super::geometry::Geometry;
use super::pair::{First, Pair};
use crate::privacy::guarantee::Guarantee;
use crate::privacy::normal::{ln_gaussian_profile, ln_mills, mu_of_total_variation, upper_quantile};
use crate::sampler::Law;
use std::f64::consts::PI;

/// Cells of the grid from 0 to where both probabilities are small, and the ratio of the ones beyond.
const CELLS: i32 = 48;
const STRETCH: f64 = 1.2;
/// The last stretch before the largest loss is halved this often.
const HALVINGS: i32 = 28;
/// The least relative amount by which `μ` is above `D(0)`. On hyperbolic space it closes the tail.
const MARGIN: f64 = 2e-10;
/// Cells whose bound is loose are halved at most this often.
const ROUNDS: usize = 12;
/// More nodes than this mean that no end of the tail was found.
const PATIENCE: usize = 2_000;

/// `s`, `a(s)`, `M(s)`, an estimate of the error of `M`, and `D(s)` rounded up.
#[derive(Debug, Clone, Copy)]
struct Node {
    s: f64,
    a: f64,
    m: f64,
    error: f64,
    /// `ln(R(x)/R(y))` where `a < 0`.
    gap: f64,
    d: f64,
}

impl Profile {
    /// See [`guarantee`](Profile::guarantee); `∞` if it is not known.
    pub(in crate::privacy) fn mu(&self) -> f64 {
        if self.is_flat_gaussian() {
            return self.ratio;
        }
        let bound = match (self.pair.law, self.pair.geometry) {
            // Proved in the documentation of `guarantee`.
            (Law::Gaussian, Geometry::Sphere) => self.ratio,
            (Law::Gaussian, _) => f64::INFINITY,
            (Law::Laplace, _) => pure_mu(self.ratio),
        };
        certified(&self.pair).min(bound)
    }

    /// `D(0)`, the lower bound of every `μ`, up to the error of the quadrature.
    pub(in crate::privacy) fn mu_at_zero(&self) -> f64 {
        if self.is_flat_gaussian() { self.ratio } else { at_zero(&self.pair) }
    }
}

/// What pure privacy `ε = Δ/σ` implies.
fn pure_mu(epsilon: f64) -> f64 {
    match Guarantee::pure(epsilon).and_then(|g| g.to_gaussian()).map(|g| g.definition()) {
        Ok(crate::privacy::Definition::Gaussian { mu }) => mu,
        _ => f64::INFINITY,
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

/// An upper bound of `sup D`.
fn certified(pair: &Pair) -> f64 {
    let start = at_zero(pair);
    // On hyperbolic space the tail closes where `candidate` is large enough for it: the margin, and then what the errors of
    // M have cost up to there.
    let mut candidate = start * (1.0 + MARGIN);
    let mut nodes = vec![Node { s: 0.0, a: 0.5 * start, m: 0.0, error: 0.0, gap: 0.0, d: start }];
    let mut grid = Grid::new(pair);
    while let Some(tau) = grid.next() {
        let Some(node) = node(pair, tau) else { return f64::INFINITY };
        let noise = nodes.last().map_or(0.0, |last| (last.a - node.a).max(0.0) * node.error);
        candidate = node.d.min(candidate + noise).max(candidate);
        nodes.push(node);
        if grid.is_endless() && tail_is_closed(pair, candidate, tau) {
            break;
        }
        if nodes.len() > PATIENCE {
            return f64::INFINITY;
        }
    }
    if !grid.is_endless() && !end_is_closed(pair, &nodes) {
        return f64::INFINITY;
    }
    for _ in 0..ROUNDS {
        let cells = bounds(&nodes);
        let highest = nodes.iter().map(|node| node.d).fold(candidate, f64::max);
        let is_loose = |i: usize| cells.get(i).is_some_and(|cell| cell.0 > highest * (1.0 + 0.1 * MARGIN) && cell.1);
        if !(0..cells.len()).any(is_loose) {
            break;
        }
        let mut finer = Vec::with_capacity(2 * nodes.len());
        for (i, &from) in nodes.iter().enumerate() {
            finer.push(from);
            if is_loose(i) {
                finer.extend(node(pair, pair.tau_of(0.5 * (from.s + nodes[i + 1].s))));
            }
        }
        nodes = finer;
    }
    bounds(&nodes).iter().map(|cell| cell.0).fold(candidate, f64::max)
}

/// A bound of `D` on each cell, and whether more than the rounding errors of `M` is in it.
fn bounds(nodes: &[Node]) -> Vec<(f64, bool)> {
    let slope = |i: usize| (nodes[i + 1].m - nodes[i].m) / (nodes[i + 1].s - nodes[i].s);
    // M″ at a node; M is odd, so it is 0 at the first one
    let bend = |i: usize| match i {
        0 => 0.0,
        _ if i + 1 >= nodes.len() => 0.0,
        _ => 2.0 * ((slope(i) - slope(i - 1)) / (nodes[i + 1].s - nodes[i - 1].s)).abs(),
    };
    // at the beginning of a cell D is at most its own value, and at most the bound of the cell before
    let mut last = f64::INFINITY;
    let mut cell = |(i, pair): (usize, &[Node])| {
        let width = pair[1].s - pair[0].s;
        let error = pair[0].error.max(pair[1].error);
        let bulge = bulge((pair[0].m - pair[1].m).abs(), 2.0 * width * width * bend(i).max(bend(i + 1)));
        let top = pair[0].m.max(pair[1].m) + bulge + error;
        last = pair[0].d.min(last) + (pair[0].a - pair[1].a).max(0.0) * top.max(0.0).exp_m1();
        (last, top > 2.0 * error)
    };
    nodes.windows(2).enumerate().map(&mut cell).collect()
}

/// How far a parabola of second difference `bend` rises above the higher of its ends, which differ by `drop`.
fn bulge(drop: f64, bend: f64) -> f64 {
    let above = (0.5 * bend - drop).max(0.0);
    if above > 0.0 { above * above / (2.0 * bend) } else { 0.0 }
}

/// `None` where a probability is too near 1 or too uncertain for a number.
fn node(pair: &Pair, tau: f64) -> Option<Node> {
    let masses = pair.masses(tau);
    let second = masses.second;
    let y = upper_quantile(second.value - masses.fall - pair.loss_at(tau));
    let (first, sign) = match masses.first {
        First::Above(first) => (first, -1.0),
        First::Below(first) => (first, 1.0),
    };
    let x = upper_quantile(first.value - masses.fall);
    let (ln_rx, ln_ry) = (ln_mills(x), ln_mills(y));
    let m = first.value - second.value + ln_ry - ln_rx;
    let error = 2.0 * (first.error + second.error) + 1e-14;
    // dx = R(x)·d ln P
    let common = pair.normalizer.error + 1e-15;
    let d_error = (first.error + common) * ln_rx.exp() + (second.error + common) * ln_ry.exp() + 1e-15 * (x.abs() + y);
    let gap = if sign < 0.0 { ln_rx - ln_ry } else { 0.0 };
    let node = Node { s: pair.loss_at(tau), a: sign * x, m, error, gap, d: y + sign * x + d_error };
    (node.a.is_finite() && node.m.is_finite() && node.d.is_finite()).then_some(node)
}

/// Whether `M ≤ 0` from the last node to the largest loss `s_max`.
///
/// `ln(P₁/P₂)` is a mean of the losses from `s` to `s_max`, so `M ≤ (s_max − s) − ln(R(x)/R(y))`. The first term vanishes at the
/// end; the second is about `D/x`, and `x` grows only like `√ln(1/(s_max − s))`. On the line and the circle the largest loss of
/// a Laplace law has a positive probability; there `R` falls, and that is enough.
fn end_is_closed(pair: &Pair, nodes: &[Node]) -> bool {
    let has_atom = pair.law == Law::Laplace && pair.dimension == 1;
    has_atom || nodes.last().is_some_and(|last| last.gap > 2.0 * (pair.largest_loss() - last.s))
}

/// Whether `δ(s′) ≤ δ_μ(s′)` for all `s′ ≥ s = loss_at(τ)`, on hyperbolic space.
///
/// There `L ≥ s` implies `t ≥ τ`, and with `sinh t ≤ e^t/2`, `Φ(−y) ≤ ½·e^{−y²/2}`, `y = τ/σ − (d−1)σ`:
/// `ln δ(s) ≤ C − y²/2`. On the other side `ln δ_μ(s) = −x²/2 + c(x)`, `x = s/μ − μ/2`, with `c` convex (a Laplace transform).
/// As `y` grows by `σ/Δ` for each `s` and `x` by `1/μ < σ/Δ`, the difference of the bounds is concave in `s`; once it is
/// negative and falls, it does so for ever.
fn tail_is_closed(pair: &Pair, mu: f64, tau: f64) -> bool {
    let power = (pair.dimension - 1) as f64;
    let ratio = pair.distance / pair.scale;
    let y = tau / pair.scale - power * pair.scale;
    if y <= 0.0 || mu <= ratio {
        return false;
    }
    let half_gaussian = (0.5 * pair.scale * (2.0 * PI).sqrt()).ln();
    let constant =
        half_gaussian - power * std::f64::consts::LN_2 + 0.5 * (power * pair.scale).powi(2) - pair.normalizer.value;
    let (ln_delta, slope) = ln_gaussian_profile(mu, pair.loss_at(tau));
    let rounding = 1e-15 * y * y + 1e-9;
    constant - 0.5 * y * y + rounding <= ln_delta && -y / ratio < slope
}

/// The `τ` of the grid's nodes, from just above `s = 0` towards the largest loss.
#[derive(Debug)]
struct Grid {
    origin: f64,
    /// Length of `τ` at which the spacing starts to grow.
    core: f64,
    /// The largest `τ − origin`.
    end: f64,
    at: f64,
    halvings: i32,
}

impl Grid {
    fn new(pair: &Pair) -> Self {
        let origin = -0.5 * pair.distance;
        let (core, end) = match (pair.law, pair.geometry) {
            (Law::Laplace, _) => (f64::INFINITY, 0.5 * pair.distance),
            (Law::Gaussian, Geometry::Sphere) => (0.5 * pair.distance + 10.0 * pair.scale, PI - 0.5 * pair.distance),
            (Law::Gaussian, _) => (0.5 * pair.distance + 10.0 * pair.scale, f64::INFINITY),
        };
        Self { origin, core: core.min(end), end, at: 0.0, halvings: 0 }
    }

    fn is_endless(&self) -> bool {
        self.end == f64::INFINITY
    }
}

impl Iterator for Grid {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let step = self.core / f64::from(CELLS);
        let stretched = (self.at + step).max(if self.at >= self.core { self.at * STRETCH } else { 0.0 });
        let mut next = stretched;
        if stretched >= self.end - 0.5 * step || self.halvings > 0 {
            self.halvings += 1;
            next = self.end - 0.5 * (self.end - self.at);
        }
        self.at = next;
        (self.halvings <= HALVINGS).then_some(self.origin + next)
    }
}
