//! Watson's law of axes, `∝ e^{κ⟨m,x⟩²}`, and the complex one of shapes, `∝ e^{κ|⟨m,z⟩|²}`.
//!
//! Both are [Bingham's](super::bingham) with `λ = κ` off `m`: complex numbers count as two real ones, and `m` as two directions
//! (Kent 1994). The law depends on the angle to `m` alone, so that a point is `Exp_m(θ·u)` with a uniform direction `u`.

use super::Law;
use super::bingham::Bingham;
use crate::manifold::Manifold;
use crate::sampler::Generator;
use crate::vector::{norm, unit_vector};
use std::sync::Arc;

/// Axes or shapes about one of them.
#[derive(Debug)]
pub(super) struct Watson {
    manifold: Arc<dyn Manifold>,
    center: Vec<f64>,
    law: Bingham,
    kappa: f64,
    /// Real numbers in one: 1, or 2 for complex ones.
    copies: usize,
    /// Distance on the space over the angle.
    unit: f64,
}

impl Watson {
    /// The law in `n` dimensions, real or complex. `None` unless the concentration is a number from 0 on.
    pub(super) fn new(
        manifold: Arc<dyn Manifold>,
        center: Vec<f64>,
        (n, copies, unit): (usize, usize, f64),
        kappa: f64,
    ) -> Option<Self> {
        let lambda = (0..n * copies).map(|j| if j < copies { 0.0 } else { kappa }).collect();
        Some(Self { manifold, center, law: Bingham::new(lambda)?, kappa, copies, unit })
    }
}

impl Law for Watson {
    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let x = self.law.draw_unit(generator);
        let (along, across) = x.split_at(self.copies);
        let distance = self.unit * norm(across).atan2(norm(along));
        let (mut coordinates, mut v) = (vec![0.0; self.manifold.dim()], vec![0.0; self.center.len()]);
        unit_vector(generator, &mut coordinates);
        coordinates.iter_mut().for_each(|u| *u *= distance);
        self.manifold.from_frame(&self.center, &coordinates, &mut v);
        self.manifold.exp(&self.center, &v, out);
    }

    fn about(&self) -> String {
        format!("{} law, κ = {:.4}", if self.copies == 2 { "complex Watson" } else { "Watson" }, self.kappa)
    }
}
