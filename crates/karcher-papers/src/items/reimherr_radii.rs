//! Supplement 1.2.2 and 1.3.2: the radius of the ball in the ambient space that holds the geodesic ball, searched for.

use crate::Failure;
use crate::baseline::extrinsic::{spd_radius, sphere_radius};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::Table;
use karcher::sampler::Generator;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::FRAC_PI_8;

/// Computes the item.
pub fn run(context: &Context) -> Result<Outcome, Failure> {
    let draws = context.pick(200_000, 20_000);
    let mut generator = context.generator("search", 0);
    let mut table = Table::new(&["space", "r", "radius, searched", "radius, formula", "half the diameter, searched"]);
    context.expect(9);
    let (mut largest_excess, mut largest_gap) = (f64::NEG_INFINITY, 0.0f64);
    let mut handicap = 0.0;
    for k in [2, 3, 5] {
        for r in [0.25, 1.0, 1.5] {
            let (radius, diameter) = search_spd(k, r, draws, &mut generator);
            let formula = spd_radius(r);
            largest_excess = largest_excess.max(radius / formula - 1.0);
            largest_gap = largest_gap.max(1.0 - radius / formula);
            if (k, r) == (2, 1.5) {
                handicap = 2.0 * formula / diameter;
            }
            table.push(&[&format!("SPD({k})"), &r, &radius, &formula, &(0.5 * diameter)]);
            context.step();
        }
    }
    let r = FRAC_PI_8;
    let edge = [r.cos(), r.sin(), 0.0];
    let (chord, diameter) = (((edge[0] - 1.0).powi(2) + edge[1] * edge[1]).sqrt(), 2.0 * r.sin());
    table.push(&[&"S²", &r, &chord, &sphere_radius(r), &(0.5 * diameter)]);

    let mut outcome = Outcome { table, ..Outcome::default() };
    outcome.claim(
        "Proposition 1: r_E = e^r − 1 is the radius of the smallest Frobenius ball around I that contains the geodesic ball",
        format!(
            "no matrix of the geodesic ball is further from I than that and a relative {}, and some come within a relative {} of it",
            digits(largest_excess.max(1e-15)), // what rounding errors alone may do
            digits(largest_gap)
        ),
        Verdict::when(largest_excess <= 1e-12 && largest_gap < 0.01, "the search found another radius"),
    );
    outcome.claim(
        "On the sphere r_E = 2 sin(r/2)",
        format!("at r = π/8 the chord is {}, the formula {}", digits(chord), digits(sphere_radius(r))),
        Verdict::when((chord - sphere_radius(r)).abs() < 1e-12, "the chord is another"),
    );
    outcome.claim(
        "The sensitivity of the arithmetic mean in the ambient space is 2·r_E/n",
        format!(
            "2·r_E is {} times the largest distance found of two matrices of the ball (r = 1.5, k = 2); on the sphere {} times",
            digits(handicap),
            digits(2.0 * sphere_radius(r) / diameter)
        ),
        Verdict::Corrected(
            "an upper bound it is, but not the smallest: two points of a ball around I are less than 2·r_E apart, so the \
             baseline is given more noise than it needs"
                .to_owned(),
        ),
    );
    outcome.note(format!(
        "The search draws {draws} logarithms on the sphere of radius r, half of them near an axis, and pairs of them."
    ));
    Ok(outcome)
}

/// The largest `‖X − I‖` and `‖X − Y‖` over matrices with `‖Logm X‖ = r`. Distances to `I` depend on eigenvalues alone; the
/// largest distance of two is looked for among matrices that commute, and rotated ones for `k = 2`.
fn search_spd(k: usize, r: f64, draws: usize, generator: &mut Generator) -> (f64, f64) {
    let mut draw = |near_axis: bool| -> Vec<f64> {
        let mut u: Vec<f64> = (0..k).map(|_| generator.sample(StandardNormal)).collect();
        if near_axis {
            let axis = generator.random_range(0..k);
            let small = 10f64.powf(-3.0 * generator.random::<f64>());
            u.iter_mut().enumerate().for_each(|(i, x)| *x *= if i == axis { 1.0 } else { small });
        }
        let norm = u.iter().map(|x| x * x).sum::<f64>().sqrt();
        u.iter().map(|x| (r * x / norm).exp()).collect()
    };
    let (mut radius, mut diameter) = (0.0f64, 0.0f64);
    for i in 0..draws {
        let (x, y) = (draw(i % 2 == 0), draw(i % 4 < 2));
        radius = radius.max(x.iter().map(|l| (l - 1.0).powi(2)).sum::<f64>());
        // ‖X − Y‖² = ‖X‖² + ‖Y‖² − 2 tr XY, and tr XY is smallest when eigenvalues are paired in opposite order (von Neumann)
        let (mut ascending, mut descending) = (x, y);
        ascending.sort_by(f64::total_cmp);
        descending.sort_by(|a, b| b.total_cmp(a));
        let square: f64 = ascending.iter().zip(&descending).map(|(a, b)| (a - b).powi(2)).sum();
        diameter = diameter.max(square);
    }
    (radius.sqrt(), diameter.sqrt())
}
