//! Supplement 1.2.2 and 1.3.2: the radius of the ball in the ambient space that holds the geodesic ball, searched for.

use crate::Failure;
use crate::baseline::extrinsic::{spd_radius, sphere_radius};
use crate::figure::{Axis, Figure, Line, Panel};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::Table;
use crate::vector::distance;
use karcher::sampler::Generator;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::{FRAC_PI_8, TAU};

const RADII: [f64; 6] = [0.25, 0.5, 1.0, 1.5, 2.0, 2.5];
const SPHERE_RADII: [f64; 6] = [FRAC_PI_8 / 4.0, FRAC_PI_8 / 2.0, FRAC_PI_8, 1.5 * FRAC_PI_8, 2.0 * FRAC_PI_8, 1.0];
const SIZES: [usize; 3] = [2, 3, 5];

/// Computes the item.
pub fn run(context: &Context) -> Result<Outcome, Failure> {
    let draws = context.pick(200_000, 20_000);
    let mut generator = context.generator("search", 0);
    let mut table = Table::new(&["space", "r", "radius, searched", "radius, formula", "half the diameter, searched"]);
    context.expect(SIZES.len() + 1);
    let (mut spd, mut sphere) = (Search::of(1.5), Search::of(FRAC_PI_8));
    for k in SIZES {
        for r in RADII {
            let found = search_spd(k, r, draws, &mut generator);
            table.push(&[&format!("SPD({k})"), &r, &found.0, &spd_radius(r), &(0.5 * found.1)]);
            spd.add(r, spd_radius(r), found);
        }
        context.step();
    }
    for r in SPHERE_RADII {
        let found = search_sphere(r, draws, &mut generator);
        table.push(&[&"S²", &r, &found.0, &sphere_radius(r), &(0.5 * found.1)]);
        sphere.add(r, sphere_radius(r), found);
    }
    context.step();

    let mut outcome = Outcome { table, ..Outcome::default() };
    claim_on_a_radius(
        &mut outcome,
        "Proposition 1: r_E = e^r − 1 is the radius of the smallest Frobenius ball around I that contains the geodesic \
         ball",
        &spd,
    );
    claim_on_a_radius(&mut outcome, "On the sphere r_E = 2 sin(r/2)", &sphere);
    claim_on_the_sensitivity(&mut outcome, &spd, &sphere);
    outcome.note(format!(
        "SPD(k) for k = 2, 3, 5 and S². For each radius the search draws {draws} logarithms on the sphere of radius r, \
         half of them near an axis, and pairs of them."
    ));
    outcome.figure = Some(Figure::row(vec![
        panel("SPD(2), SPD(3), SPD(5)", "e^r − 1", spd_radius, 2.5, &spd),
        panel("S²", "2 sin(r/2)", sphere_radius, 1.0, &sphere),
    ]));
    Ok(outcome)
}

/// Checks a formula, which is right if no point is outside of its ball and some come close to its edge.
fn claim_on_a_radius(outcome: &mut Outcome, says: &str, search: &Search) {
    outcome.claim(
        says,
        format!(
            "no point of the geodesic ball is further from its center than that and a relative {}, and for every \
             radius some come within a relative {}",
            digits(search.excess.max(1e-15)), // what rounding alone may do
            digits(search.gap)
        ),
        Verdict::when(search.excess <= 1e-12 && search.gap < 0.01, "the search found another radius"),
    );
}

/// Checks how sharply `2·r_E` bounds the distance of two points of the ball, and with it the sensitivity.
fn claim_on_the_sensitivity(outcome: &mut Outcome, spd: &Search, sphere: &Search) {
    let handicap = spd.handicap.min(sphere.handicap);
    outcome.claim(
        "[Ours] The sensitivity of the arithmetic mean in the ambient space is 2·r_E/n",
        format!(
            "2·r_E is at least {} times the largest distance found of two matrices of the ball (r = 1.5), and {} times \
             that of two points of the sphere (r = π/8)",
            digits(spd.handicap),
            digits(sphere.handicap)
        ),
        if handicap > 1.0 {
            Verdict::Corrected(
                "an upper bound it is, but not the smallest: two points of a ball around I are less than 2·r_E apart, \
                 so the baseline is given more noise than it needs"
                    .to_owned(),
            )
        } else {
            Verdict::Reproduced
        },
    );
}

/// Results over several radii.
struct Search {
    /// The paper's radius.
    paper: f64,
    /// `r` and the radius in the ambient space.
    points: Vec<(f64, f64)>,
    /// The largest relative excess over the formula, negative if there is none.
    excess: f64,
    /// The largest relative distance from the formula.
    gap: f64,
    /// The smallest ratio of twice the formula and the diameter, at the paper's radius.
    handicap: f64,
}

impl Search {
    fn of(paper: f64) -> Self {
        Self { paper, points: vec![], excess: f64::NEG_INFINITY, gap: 0.0, handicap: f64::INFINITY }
    }

    fn add(&mut self, r: f64, formula: f64, (radius, diameter): (f64, f64)) {
        let excess = radius / formula - 1.0;
        self.excess = self.excess.max(excess);
        if r == self.paper {
            self.handicap = self.handicap.min(2.0 * formula / diameter);
        }
        self.gap = self.gap.max(-excess);
        self.points.push((r, radius));
    }
}

fn panel(title: &str, formula: &str, radius: fn(f64) -> f64, end: f64, search: &Search) -> Panel {
    let curve = (0..=50).map(|i| end * f64::from(i) / 50.0).map(|r| (r, radius(r))).collect();
    Panel {
        title: title.to_owned(),
        x: Axis::linear("radius r on the manifold"),
        y: Axis::linear("radius in space"),
        lines: vec![Line::new(formula, 0, curve), Line::dots("searched", 1, search.points.clone())],
    }
}

/// The largest `‖x − m‖` and `‖x − y‖` over points at distance at most `r` from the pole `m` of `S²`, half of them at
/// distance `r`.
fn search_sphere(r: f64, draws: usize, generator: &mut Generator) -> (f64, f64) {
    let mut draw = || {
        let (polar, angle) = (r * f64::min(1.0, 2.0 * generator.random::<f64>()), TAU * generator.random::<f64>());
        [polar.cos(), polar.sin() * angle.cos(), polar.sin() * angle.sin()]
    };
    (0..draws).fold((0.0, 0.0), |(radius, diameter): (f64, f64), _| {
        let (x, y) = (draw(), draw());
        (radius.max(distance(&x, &[1.0, 0.0, 0.0])), diameter.max(distance(&x, &y)))
    })
}

/// The largest `‖X − I‖` and `‖X − Y‖` over matrices with `‖Logm X‖ = r`. Both depend on eigenvalues alone: of all
/// rotations the one that pairs them in opposite order moves two matrices furthest apart.
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
        // ‖X − Y‖² = ‖X‖² + ‖Y‖² − 2 tr XY, and tr XY is smallest when eigenvalues are paired in opposite order (von
        // Neumann)
        let (mut ascending, mut descending) = (x, y);
        ascending.sort_by(f64::total_cmp);
        descending.sort_by(|a, b| b.total_cmp(a));
        let square: f64 = ascending.iter().zip(&descending).map(|(a, b)| (a - b).powi(2)).sum();
        diameter = diameter.max(square);
    }
    (radius.sqrt(), diameter.sqrt())
}
