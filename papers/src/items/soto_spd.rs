//! The K-norm gradient mechanism on SPD(2) matrices with the affine-invariant metric against Laplace noise.

use super::comparison::Comparison;
use super::reimherr_spd::{RADIUS, records};
use super::soto::kng_of_scale;
use crate::Failure;
use crate::baseline::extrinsic;
use crate::item::{Context, Outcome, Verdict, digits};
use crate::vector::distance;
use karcher::manifold::SpdAffineInvariant;
use karcher::mechanism::{Denoise, KNormGradient, Plan, PrivateFrechetMean};
use karcher::nonprivate::FrechetMean;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, BudgetReservation, ReleaseContext};
use rayon::prelude::*;
use std::f64::consts::SQRT_2;
use std::sync::Arc;

const METHODS: [&str; 4] = [
    "KNG, σ = 4r/nε (paper, proven)",
    "Laplace, σ = 4r/nε",
    "Laplace, σ = 2r/nε (proven)",
    "Laplace on symmetric matrices",
];

/// Computes the item.
pub fn run(context: &Context) -> Result<Outcome, Failure> {
    let space = Arc::new(SpdAffineInvariant::new(2)?);
    // the paper's draws are published as they are
    let private_mean =
        PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, RADIUS)?)?.denoise(Some(Denoise::None));
    let sizes: &[usize] = context.pick(&[20, 30, 50, 75, 100, 150, 200, 300, 400, 500], &[20, 50, 200]);
    let repeats = context.pick(400, 40);
    let mut comparison = Comparison::new(METHODS);
    let mut chains = vec![];
    context.expect(sizes.len());
    for &n in sizes {
        let scale = 2.0 * RADIUS / n as f64; // ε = 1
        let kng = kng_of_scale(&private_mean, n, 2.0 * scale)?;
        if !kng.is_exact() {
            chains.push(n);
        }
        let one = |i| repetition(&space, &kng, n, context.generator(&format!("n = {n}"), i));
        let draws: Result<Vec<[f64; METHODS.len()]>, Failure> = (0..repeats).into_par_iter().map(one).collect();
        comparison.push(n, &draws?);
        context.step();
    }

    let mut outcome = Outcome::default();
    claims(&mut outcome, &comparison);
    let draws = match chains.as_slice() {
        [] => "KNG draws are exact, by rejection [E3].".to_owned(),
        some => format!(
            "KNG draws are exact, by rejection [E3], but for n = {some:?}, where they are those of a chain [E4]."
        ),
    };
    outcome.note(format!(
        "k = 2, Wishart records within r = 1.5 of the identity, ε = 1, {repeats} repetitions, Frobenius distances. \
         {draws}"
    ));
    outcome.figure = Some(comparison.figure("SPD(2), r = 1.5, ε = 1"));
    outcome.table = comparison.table;
    Ok(outcome)
}

/// Runs one repetition: it draws records, and returns the distance of a draw of each method from its mean, `ε = 1`.
fn repetition(
    space: &Arc<SpdAffineInvariant>,
    kng: &KNormGradient,
    n: usize,
    mut generator: Generator,
) -> Result<[f64; METHODS.len()], Failure> {
    let scale = 2.0 * RADIUS / n as f64;
    let points = records(space, n, &mut generator)?;
    let mean = FrechetMean::new(&**space).fit(points.view())?;
    let mut context = ReleaseContext::new(BudgetReservation::untracked(), generator);
    let mut distances = [distance(&mean, kng.run(&points, &mut context)?.value()), 0.0, 0.0, 0.0];
    let mut generator = context.into_generator();
    for (at, scale) in distances[1..3].iter_mut().zip([2.0 * scale, scale]) {
        let mut draw = mean.clone();
        Isotropic::new(space.clone(), Law::Laplace, scale)?.sample(&mean, &mut generator, &mut draw)?;
        *at = distance(&mean, &draw);
    }
    let sum = |j: usize| points.view().iter().map(|x| x[j]).sum::<f64>() / n as f64;
    let center = [sum(0), sum(3), SQRT_2 * sum(1)];
    let mut draw = center;
    extrinsic::add_laplace(&mut draw, 2.0 * extrinsic::spd_radius(RADIUS) / n as f64, &mut generator)?;
    distances[3] = distance(&center, &draw);
    Ok(distances)
}

/// Checks the claims on the distances.
fn claims(outcome: &mut Outcome, comparison: &Comparison<{ METHODS.len() }>) {
    let [kng, twice, once, ambient] = comparison.times_n();
    outcome.claim(
        "[Ours] KNG is more useful than Laplace noise on SPD matrices, both with σ = 2Δ/ε",
        format!("n times the mean distance: {} against {}", digits(kng), digits(twice)),
        Verdict::when(kng < twice, "it is not"),
    );
    outcome.claim(
        "…and so when Laplace noise has the scale it needs, σ = Δ/ε",
        format!("n times the mean distance: {} against {}", digits(kng), digits(once)),
        Verdict::when(
            kng < once,
            "the space is homogeneous, so the constant that normalises the Laplace density does not depend on the \
             records and no factor 2 is due; that of KNG does depend on them",
        ),
    );
    outcome.claim(
        "[Ours] KNG is more useful than noise on symmetric matrices",
        format!("n times the mean distance: {} against {}", digits(kng), digits(ambient)),
        Verdict::when(kng < ambient, "it is not"),
    );
}
