//! Searches for what would contradict the proofs, with geometry of their own on `S³`.

use super::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// A point of `S³` as four numbers; nothing of it is the library's.
type Quaternion = [f64; 4];

fn dot(p: &Quaternion, q: &Quaternion) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * q).sum()
}

fn log(p: &Quaternion, q: &Quaternion) -> Quaternion {
    let c = dot(p, q);
    let w: Quaternion = std::array::from_fn(|i| q[i] - c * p[i]);
    let s = dot(&w, &w).sqrt();
    w.map(|w| if s == 0.0 { 0.0 } else { w * s.atan2(c) / s })
}

/// The point of the ball about `(1, 0, 0, 0)` at `Exp` of the three numbers, shortened to the radius.
fn in_ball(v: [f64; 3], radius: f64) -> Quaternion {
    let t = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let s = t.min(radius);
    let f = if t == 0.0 { 0.0 } else { s.sin() / t };
    [s.cos(), f * v[0], f * v[1], f * v[2]]
}

fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}

#[test]
fn no_search_on_the_three_sphere_exceeds_the_gradient_diameter_and_it_is_attained() {
    let random = &mut rand_chacha::ChaCha8Rng::seed_from_u64(20);
    for r in [1e-3, 0.1, PI / 8.0, PI / 5.0, 0.9, 1.2, 1.5] {
        let bound = gradient_diameter(&sphere(), r).unwrap();
        let length = |triple: &[[f64; 3]; 3]| {
            let [m, p, q] = triple.map(|v| in_ball(v, r));
            let (v, w) = (log(&m, &p), log(&m, &q));
            v.iter().zip(&w).map(|(v, w)| (v - w).powi(2)).sum::<f64>().sqrt()
        };
        let mut best = 0.0;
        for _ in 0..40 {
            let mut triple = [[0.0; 3]; 3].map(|v| v.map(|_: f64| r * normal(random)));
            let mut longest = length(&triple);
            let mut step = r;
            while step > 1e-4 * r {
                let mut improved = false;
                for _ in 0..60 {
                    let trial = triple.map(|v| v.map(|v| v + step * normal(random)));
                    let found = length(&trial);
                    assert!(found <= bound, "{found} exceeds {bound} at {r}: {trial:?}");
                    if found > longest {
                        (triple, longest, improved) = (trial, found, true);
                    }
                }
                step *= if improved { 1.0 } else { 0.7 };
            }
            best = f64::max(best, longest);
        }
        assert!(best >= 0.998 * bound, "the search came to {best} of {bound} at {r} only");
    }
}

#[test]
fn no_sample_has_a_smaller_hessian_at_its_mean() {
    // Weights are chosen so that a given point is the mean: three records whose logarithms balance.
    let random = &mut rand_chacha::ChaCha8Rng::seed_from_u64(21);
    let mut smallest_ratio = f64::INFINITY;
    for _ in 0..200_000 {
        let r = random.random_range(0.1..1.5);
        let m = in_ball([random.random_range(0.0..r), 0.0, 0.0], r);
        // In a plane, so that three logarithms can balance.
        let mut boundary = || in_ball([normal(random), normal(random), 0.0].map(|v| 1e3 * v), r);
        let logs = [boundary(), boundary(), boundary()].map(|p| log(&m, &p));
        let frame = [[-m[1], m[0], 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let [u, v, w] = logs.map(|v| [dot(&v, &frame[0]), dot(&v, &frame[1])]);
        let cross = |v: [f64; 2], w: [f64; 2]| v[0] * w[1] - v[1] * w[0];
        let weights = [cross(v, w), cross(w, u), cross(u, v)];
        let total: f64 = weights.iter().sum();
        if weights.iter().any(|weight| weight * total <= 0.0) {
            continue;
        }
        let hessian: f64 = weights.iter().zip(&logs).map(|(w, v)| w / total * g(dot(v, v).sqrt())).sum();
        let bound = hessian_at_mean(&sphere(), r).unwrap();
        assert!(hessian >= bound, "{hessian} is below {bound} at {r}");
        smallest_ratio = smallest_ratio.min(hessian / bound);
    }
    assert!(smallest_ratio < 1.001, "the search never came near the bound: {smallest_ratio}");
}

#[test]
fn no_smaller_constant_holds_for_all_n() {
    // Half the records at each end of a diameter, the last one moves along the perpendicular one. By symmetry the mean
    // is at height h on it, where the logarithms, s long, balance: 2k·s·cos r·sin h/sin s = r − h, cos s = cos r·cos h.
    for r in [0.1, PI / 8.0, PI / 5.0, 1.0, 1.4] {
        for (k, reached) in [(1, 0.5), (5, 0.75), (500, 0.99), (50_000, 0.9999)] {
            let n = 2 * k + 1;
            let (mut low, mut high) = (0.0, r);
            for _ in 0..60 {
                let h: f64 = 0.5 * (low + high);
                let s = (r.cos() * h.cos()).acos();
                let excess = 2.0 * k as f64 * s * r.cos() * h.sin() / s.sin() - (r - h);
                if excess > 0.0 { high = h } else { low = h }
            }
            let (moved, bound) = (2.0 * low, value(&sphere(), r, n, Bound::Optimal));
            assert!(moved <= bound && moved >= reached * bound, "r = {r}, n = {n}: {moved} of {bound}");
        }
    }
}
