//! The papers' Fréchet mean: `m ← Exp_m(½·(1/n)·Σ Log_m xᵢ)` from the first record, until a step is shorter than 10⁻⁵,
//! at most 500 times.
//!
//! **Unsound where a sensitivity is derived from it**: its tolerance is not part of the published sensitivities.

use crate::Failure;
use crate::item::{Claim, Verdict};
use karcher::{Manifold, Points};

/// The mean and the number of steps (Reimherr, Bharath and Soto 2021, supplement 1.1).
pub fn mean(manifold: &dyn Manifold, points: &Points) -> Result<(Vec<f64>, usize), Failure> {
    let mut mean = points.view().iter().next().ok_or("no points")?.to_vec();
    let (mut v, mut log, mut next) = (mean.clone(), mean.clone(), mean.clone());
    for steps in 1..=500 {
        v.fill(0.0);
        for x in points.view().iter() {
            manifold.log(&mean, x, &mut log)?;
            v.iter_mut().zip(&log).for_each(|(sum, log)| *sum += log);
        }
        v.iter_mut().for_each(|x| *x *= 0.5 / points.len() as f64);
        manifold.exp(&mean, &v, &mut next);
        let step = manifold.dist(&mean, &next);
        mean.copy_from_slice(&next);
        if step < 1e-5 {
            return Ok((mean, steps));
        }
    }
    Ok((mean, 500))
}

/// The supplement's claim about the number of steps, given the largest of all means.
pub fn claim(most_steps: usize) -> Claim {
    Claim {
        says: "The descent typically converges in fewer than 200 iterations (supplement 1.1)".to_owned(),
        found: format!("at most {most_steps} steps, over all repetitions"),
        verdict: Verdict::when(most_steps < 200, "some took more"),
    }
}
