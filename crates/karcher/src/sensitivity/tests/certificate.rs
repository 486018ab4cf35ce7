//! A certificate of the gradient diameter, within 0.01 %, that shares nothing with its last steps: branch and bound.
//!
//! It works on the sphere `S²`, with lengths in units of `1/√κ`. That is enough: Rauch's theorem carries the logarithms
//! at `m` from any other space to a sphere and the ball into the ball. There, the logarithms at `m` of the ball are a
//! body of revolution. Its diameter lies in a plane through the axis and joins two points of the boundary. So let `m`
//! be at the distance `a ≤ r` from the center in the direction `ψ ≤ π`. Let `x`, `y` be on the boundary in the
//! directions `±ω`, `ω ≤ π/2`; every other triple is a rotation or a mirror image of one of these.
//!
//! `f = ‖Log_m x − Log_m y‖` has Lipschitz constants, by the geometry within the ball, where no two points are more
//! than `2r` apart:
//! * in `m`, the norm of the difference of two Hessians of squared distances, `Hess ½ρ²`, both between `g(2r)` and 1:
//!   at most `1 − g(2r)`;
//! * in `ω`, twice that of `Log_m`, at most `2r/sin 2r`, times the speed `sin r`.

use super::*;

type Vector = [f64; 3];

fn log(p: Vector, q: Vector) -> Vector {
    let c = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let w = [0, 1, 2].map(|i| q[i] - c * p[i]);
    let s = norm(w);
    w.map(|w| if s == 0.0 { 0.0 } else { w * s.atan2(c) / s })
}

fn norm(v: Vector) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The point at the given distance from the center, in the given direction.
fn polar(distance: f64, direction: f64) -> Vector {
    [distance.sin() * direction.cos(), distance.sin() * direction.sin(), distance.cos()]
}

/// The `(a, ψ, ω)` that differ from the center by at most the half widths.
#[derive(Clone, Copy)]
struct Cell {
    center: [f64; 3],
    half: [f64; 3],
}

impl Cell {
    fn whole(r: f64) -> Self {
        let half = [0.5 * r, FRAC_PI_2, FRAC_PI_4];
        Cell { center: half, half }
    }

    /// `f` at the center.
    fn value(&self, r: f64) -> f64 {
        let [a, psi, omega] = self.center;
        let m = polar(a, psi);
        let (v, w) = (log(m, polar(r, omega)), log(m, polar(r, -omega)));
        norm([0, 1, 2].map(|i| v[i] - w[i]))
    }

    /// Bound of the change of `f` within the cell, for each coordinate. From `m` to the center first along the circle
    /// about the ball's center, no longer than at the cell's outer edge, then along the ray.
    fn variation(&self, r: f64) -> [f64; 3] {
        let (in_m, in_omega) = (1.0 - g(2.0 * r), 2.0 * r.sin() * 2.0 * r / (2.0 * r).sin());
        let [a, psi, omega] = self.half;
        [in_m * a, in_m * (self.center[0] + a).sin() * psi, in_omega * omega]
    }

    fn halves(mut self, coordinate: usize) -> [Self; 2] {
        self.half[coordinate] *= 0.5;
        let mut other = self;
        self.center[coordinate] -= self.half[coordinate];
        other.center[coordinate] += self.half[coordinate];
        [self, other]
    }
}

#[test]
fn branch_and_bound_confirms_the_closed_form() {
    for r in [PI / 8.0, PI / 5.0, 1.0, 1.4] {
        let closed_form = gradient_diameter(&sphere(), r).unwrap();
        let (mut open, mut cells, mut largest) = (vec![Cell::whole(r)], 0, 0.0);
        while let Some(cell) = open.pop() {
            cells += 1;
            let (value, variation) = (cell.value(r), cell.variation(r));
            assert!(value <= closed_form, "{value} exceeds {closed_form} at r = {r}, {:?}", cell.center);
            largest = f64::max(largest, value);
            if value + variation.iter().sum::<f64>() > 1.0001 * closed_form {
                let widest = (0..3).max_by(|&i, &j| variation[i].total_cmp(&variation[j])).unwrap();
                open.extend(cell.halves(widest));
            }
        }
        println!("r = {r}: at most {}, at least {largest}, {cells} cells", 1.0001 * closed_form);
        assert!(largest > 0.999 * closed_form, "the largest found is {largest} of {closed_form} at r = {r}");
    }
}
