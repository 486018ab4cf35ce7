//! Private means of SPD(2) matrices with the affine-invariant metric: Laplace noise on the manifold against Laplace
//! noise on symmetric matrices.

use crate::Failure;
use crate::baseline::{extrinsic, gradient_descent};
use crate::figure::{Axis, Figure, Line, Panel};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::{Measured, Table, slope};
use crate::vector::distance;
use karcher::manifold::SpdAffineInvariant;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Manifold, Points};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use std::f64::consts::SQRT_2;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const K: usize = 2;
/// `r`.
pub const RADIUS: f64 = 1.5;
const EPSILON: f64 = 1.0;

/// Distances of both methods from their means over `n`.
#[derive(Default)]
struct Distances {
    /// Of Laplace noise on the manifold.
    intrinsic: Vec<Measured>,
    /// Of Laplace noise on symmetric matrices.
    ambient: Vec<Measured>,
    /// The share of its draws that are not positive definite.
    indefinite: Vec<(f64, f64)>,
}

/// Computes the item.
pub fn run(context: &Context) -> Result<Outcome, Failure> {
    let space = SpdAffineInvariant::new(K)?;
    let sizes: &[usize] = context.pick(&[10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500], &[10, 50, 200, 500]);
    let repeats = context.pick(1000, 200);
    let mut table = Table::new(&["n", "method", "mean distance", "standard deviation", "share not positive definite"]);
    let mut distances = Distances::default();
    let most_steps = AtomicUsize::new(0);
    context.expect(sizes.len());
    for &n in sizes {
        let one = |i| draw(&space, n, &mut context.generator(&format!("n = {n}"), i), &most_steps);
        let draws: Result<Vec<(f64, f64, bool)>, Failure> = (0..repeats).into_par_iter().map(one).collect();
        distances.add(n, &draws?, &mut table);
        context.step();
    }

    let mut outcome = Outcome { table, ..Outcome::default() };
    distances.claims(&mut outcome);
    outcome.claims.push(gradient_descent::claim(most_steps.into_inner()));
    outcome.note(format!(
        "k = 2, Wishart records (df = 2, V = I/2) within r = 1.5 of the identity, ε = 1, {repeats} repetitions; \
         distances are Frobenius norms, as in the paper. Draws are exact, not from a chain."
    ));
    outcome.note(
        "The baseline is given the paper's sensitivity 2(e^r − 1)/n. With the diameter of the ball itself it would \
         need less noise: see item reimherr-radii.",
    );
    outcome.figure = Some(distances.figure());
    Ok(outcome)
}

/// Runs one repetition. Returns the distances of a draw on the manifold and of one on symmetric matrices from their
/// means, and whether the latter is not positive definite.
fn draw(
    space: &SpdAffineInvariant,
    n: usize,
    generator: &mut Generator,
    most_steps: &AtomicUsize,
) -> Result<(f64, f64, bool), Failure> {
    let points = records(space, n, generator)?;
    let (mean, steps) = gradient_descent::mean(space, &points)?;
    most_steps.fetch_max(steps, Ordering::Relaxed);
    let scale = 2.0 * RADIUS / n as f64 / EPSILON; // no positive curvature: Δ = 2r/n
    let mut draw = mean.clone();
    Isotropic::new(Arc::new(space.clone()), Law::Laplace, scale)?.sample(&mean, generator, &mut draw)?;
    let arithmetic: Vec<f64> = (0..4).map(|j| points.view().iter().map(|x| x[j]).sum::<f64>() / n as f64).collect();
    // vecd, which keeps Frobenius norms
    let mut vecd = [arithmetic[0], arithmetic[3], SQRT_2 * arithmetic[1]];
    let center = vecd;
    extrinsic::add_laplace(&mut vecd, 2.0 * extrinsic::spd_radius(RADIUS) / n as f64 / EPSILON, generator)?;
    let off = vecd[2] / SQRT_2;
    let positive = vecd[0] > 0.0 && vecd[0] * vecd[1] > off * off;
    Ok((distance(&mean, &draw), distance(&center, &vecd), !positive))
}

impl Distances {
    /// Adds the repetitions with `n` records.
    fn add(&mut self, n: usize, draws: &[(f64, f64, bool)], table: &mut Table) {
        let on_manifold = Measured::new(n as f64, &draws.iter().map(|draw| draw.0).collect::<Vec<_>>());
        let in_space = Measured::new(n as f64, &draws.iter().map(|draw| draw.1).collect::<Vec<_>>());
        let share = draws.iter().filter(|draw| draw.2).count() as f64 / draws.len() as f64;
        table.push(&[&n, &"Laplace on the manifold", &on_manifold.mean, &on_manifold.deviation, &0.0]);
        table.push(&[&n, &"Laplace on symmetric matrices", &in_space.mean, &in_space.deviation, &share]);
        self.intrinsic.push(on_manifold);
        self.ambient.push(in_space);
        self.indefinite.push((n as f64, share));
    }

    /// Checks the claims on the distances.
    fn claims(&self, outcome: &mut Outcome) {
        let Self { intrinsic, ambient, indefinite } = self;
        let ratios: Vec<f64> = intrinsic.iter().zip(ambient).map(|(a, b)| b.mean / a.mean).collect();
        let (least, most) = ratios.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &x| (a.min(x), b.max(x)));
        outcome.claim(
            "[Ours] Noise on the manifold is more useful than noise on symmetric matrices, whatever n",
            format!("the error on symmetric matrices is {} to {} times as large", digits(least), digits(most)),
            Verdict::when(least > 1.0, "noise on symmetric matrices is nearer to its mean for some n"),
        );
        outcome.claim(
            "[Ours] A mean of symmetric matrices need not be positive definite",
            format!(
                "{:.0} % of the draws with n = {} are not, {:.1} % with n = {}",
                100.0 * indefinite[0].1,
                indefinite[0].0,
                100.0 * indefinite[indefinite.len() - 1].1,
                indefinite[indefinite.len() - 1].0
            ),
            Verdict::when(indefinite[0].1 > 0.0, "all draws are positive definite"),
        );
        let (slope, error) = slope(&intrinsic[1..]);
        outcome.claim(
            "[Ours] The error falls like 1/n",
            format!("the slope of ln error over ln n is {} ± {} without the smallest n", digits(slope), digits(error)),
            Verdict::when((slope + 1.0).abs() < 0.1, "the slope is not −1"),
        );
    }

    /// Draws the distances, and the shares that are not positive definite.
    fn figure(self) -> Figure {
        Figure::row(vec![
            Panel {
                title: "SPD(2), r = 1.5, ε = 1".to_owned(),
                x: Axis::logarithmic("n"),
                y: Axis::logarithmic("mean distance to the true mean"),
                lines: vec![
                    Line::measured("Laplace on the manifold", 0, &self.intrinsic, 0.0),
                    Line::measured("Laplace on symmetric matrices", 1, &self.ambient, 0.0),
                ],
            },
            Panel {
                title: "Draws on symmetric matrices".to_owned(),
                x: Axis::logarithmic("n"),
                y: Axis::linear("share that is not positive definite"),
                lines: vec![Line::new("", 1, self.indefinite).markers()],
            },
        ])
    }
}

/// Wishart matrices, drawn again until they are within the radius of the identity (supplement 1.2.1).
pub fn records(space: &SpdAffineInvariant, n: usize, generator: &mut Generator) -> Result<Points, Failure> {
    let mut identity = vec![0.0; K * K];
    space.origin(&mut identity);
    let mut values = Vec::with_capacity(K * K * n);
    while values.len() < K * K * n {
        let mut x = [0.0; K * K];
        for _ in 0..K {
            let z: [f64; K] = std::array::from_fn(|_| generator.sample(StandardNormal));
            for (i, x) in x.iter_mut().enumerate() {
                *x += z[i / K] * z[i % K] / K as f64;
            }
        }
        if space.check_point(&x).is_ok() && space.dist(&identity, &x) < RADIUS {
            values.extend(x);
        }
    }
    Ok(Points::new(space, values)?)
}
