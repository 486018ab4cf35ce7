//! Supplement 2.1 and figure 1: `2r`, the empirical and the theoretical bound of `‖Log_m x − Log_m y‖` on `S²`.

use crate::Failure;
use crate::figure::{Axis, Figure, Line, Panel};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::Table;
use karcher::Manifold;
use karcher::manifold::Sphere;
use karcher::sensitivity::{Bound, frechet_mean, gradient_diameter};
use std::f64::consts::{FRAC_PI_4, FRAC_PI_8, TAU};

/// The lines of both panels over the radius.
#[derive(Default)]
struct Bounds {
    /// `2r`, the largest norm found, the proven largest one, `2r(2 − h(r, κ))`.
    norms: [Vec<(f64, f64)>; 4],
    /// The sensitivity of the mean, times `n`, by each of [`Bound::ALL`], within the range of the panel.
    sensitivities: [Vec<(f64, f64)>; 4],
    /// Radii at which the norms are not in the order of the paper.
    disordered: usize,
    /// The largest relative distance from the largest norm found to the proven one.
    worst: f64,
}

/// Computes the item.
pub fn run(context: &Context) -> Result<Outcome, Failure> {
    let sphere = Sphere::new(2)?;
    let grid = context.pick(720, 120);
    let radii: Vec<f64> = (1..40).map(|i| FRAC_PI_4 * f64::from(i) / 40.0).collect(); // π/8 is one of them
    context.expect(radii.len());
    let header =
        ["radius", "2r", "empirical", "exact", "theoretical", "published", "averaged-hessian", "sharp", "optimal"];
    let mut table = Table::new(&header);
    let mut bounds = Bounds::default();
    for &r in &radii {
        bounds.add(&sphere, r, grid, &mut table)?;
        context.step();
    }
    let mut outcome = Outcome { table, ..Outcome::default() };
    bounds.claims(&mut outcome);
    outcome.figure = Some(bounds.figure());
    Ok(outcome)
}

impl Bounds {
    /// Adds a radius to all lines and to the table.
    fn add(&mut self, sphere: &Sphere, r: f64, grid: usize, table: &mut Table) -> Result<(), Failure> {
        let g = 2.0 * r / (2.0 * r).tan();
        let (empirical, exact, theoretical) =
            (empirical(sphere, r, grid)?, gradient_diameter(sphere, r)?, 2.0 * r * (2.0 - g));
        let ordered = 2.0 * r < empirical && empirical < theoretical;
        self.disordered += usize::from(!ordered);
        self.worst = self.worst.max((exact - empirical) / exact);
        for (line, y) in self.norms.iter_mut().zip([2.0 * r, empirical, exact, theoretical]) {
            line.push((r, y));
        }
        let mut all = [f64::NAN; 4];
        for ((bound, line), value) in Bound::ALL.into_iter().zip(&mut self.sensitivities).zip(&mut all) {
            *value = frechet_mean(sphere, r, 1, Some(bound))?.value();
            if *value < 6.0 {
                line.push((r, *value));
            }
        }
        table.push(&[&r, &(2.0 * r), &empirical, &exact, &theoretical, &all[0], &all[1], &all[2], &all[3]]);
        Ok(())
    }

    /// Checks the paper's claims on the lines.
    fn claims(&self, outcome: &mut Outcome) {
        let Self { norms, sensitivities, worst, .. } = self;
        let ordered = self.disordered == 0;
        outcome.claim(
            "2r < the empirical bound < 2r(2 − h(r, κ)) for every radius (figure 1)",
            format!(
                "the order {} at all {} radii below π/4",
                if ordered { "holds" } else { "does not hold" },
                norms[0].len()
            ),
            Verdict::when(ordered, "the order fails at some radius"),
        );
        let at = |values: &[(f64, f64)]| values.iter().find(|p| p.0 == FRAC_PI_8).map_or(f64::NAN, |p| p.1);
        outcome.claim(
            "The largest ‖Log_m x − Log_m y‖ is found with x, y and m on the boundary",
            format!(
                "the proven largest value D(r) [S3] exceeds the one on a grid of the boundary by at most a relative \
                 {}; at r = π/8 D = {}",
                digits(*worst),
                digits(at(&norms[2]))
            ),
            Verdict::when((0.0..1e-2).contains(worst), "the grid misses the largest value"),
        );
        let [published, _, _, optimal] = [0, 1, 2, 3].map(|i| at(&sensitivities[i]));
        let ratios =
            || sensitivities[0].iter().zip(&sensitivities[3]).map(|(published, optimal)| published.1 / optimal.1);
        let (least, most) = ratios().fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
        outcome.claim(
            "Theorem 2: the sensitivity is at most 2r(2 − h)/(n·h)",
            format!(
                "at r = π/8 it says {}/n, the smallest possible bound is {}/n [S4]; over all radii it is {} to {} \
                 times the smallest",
                digits(published),
                digits(optimal),
                digits(least),
                digits(most)
            ),
            Verdict::when(least >= 1.0, "it is below the smallest possible bound"),
        );
    }

    /// Draws both panels.
    fn figure(self) -> Figure {
        let Self { norms, sensitivities, .. } = self;
        let names = ["2r", "empirical, on a grid", "D(r), proven [S3]", "2r(2 − h(r, κ))"];
        // the proven bound lies on the searched one
        let norm =
            |(i, (name, line))| if i == 2 { Line::new(name, i, line).dashed() } else { Line::new(name, i, line) };
        let norms = names.into_iter().zip(norms).enumerate().map(norm).collect();
        let names = ["published [S1]", "averaged Hessian [S2]", "sharp [S3]", "optimal [S4]"];
        let sensitivities = names
            .into_iter()
            .zip(sensitivities)
            .enumerate()
            .map(|(i, (name, line))| Line::new(name, i, line))
            .collect();
        Figure::row(vec![
            Panel {
                title: "Distance of two logarithms".to_owned(),
                x: Axis::linear("radius r"),
                y: Axis::linear("bound"),
                lines: norms,
            },
            Panel {
                title: "Sensitivity of the mean, times n".to_owned(),
                x: Axis::linear("radius r"),
                y: Axis::linear("n·Δ"),
                lines: sensitivities,
            },
        ])
    }
}

/// The largest `‖Log_m x − Log_m y‖` over a grid of `x` and `y` on the boundary, `m` fixed there.
fn empirical(sphere: &Sphere, r: f64, grid: usize) -> Result<f64, Failure> {
    let on_boundary = |i: usize| {
        let angle = TAU * i as f64 / grid as f64;
        [r.cos(), r.sin() * angle.cos(), r.sin() * angle.sin()]
    };
    let m = on_boundary(0);
    let mut logs = vec![[0.0; 3]; grid];
    for (i, log) in logs.iter_mut().enumerate() {
        sphere.log(&m, &on_boundary(i), log)?;
    }
    let distance = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let largest = logs.iter().flat_map(|a| logs.iter().map(move |b| distance(a, b))).fold(0.0, f64::max);
    Ok(largest.sqrt())
}
