//! Figure 1: `μ` of Gaussian noise on the circle and on the line by both algorithms, and what it buys on the sphere.

use crate::Failure;
use crate::baseline::jiang;
use crate::figure::{Axis, Figure, Line, Panel};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::{Measured, Table};
use karcher::Manifold;
use karcher::manifold::{Euclidean, Sphere};
use karcher::mechanism::Noise;
use karcher::privacy::{Definition, Guarantee, curved_gaussian_guarantee, pure_epsilon_for};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::sensitivity::{Bound, frechet_mean};
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_8, PI};
use std::sync::Arc;

/// The paper's `n·m` draws.
const DRAWS: usize = 100_000;

/// Computes the item.
pub fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome =
        Outcome { table: Table::new(&["panel", "sigma", "what", "value", "low", "high"]), ..Outcome::default() };
    let scales: Vec<f64> =
        context.pick(1..=16, 1..=16).step_by(context.pick(1, 3)).map(|k| f64::from(k) / 4.0).collect();
    let circle = Sphere::new(1)?;
    context.expect(2 * scales.len() + 12);
    let first = budget(context, &mut outcome.table, true, &scales, |scale| mu(&circle, scale, 1.0))?;
    let second = budget(context, &mut outcome.table, false, &scales, |scale| Ok(1.0 / scale))?;
    claims_on_budget(&mut outcome, &first, &second);
    let third = Utility::compute(context, &mut outcome.table)?;
    third.claims(&mut outcome);
    let panel = |title: &str, panel: &Budgets, lines: Vec<Line>| Panel {
        title: title.to_owned(),
        x: Axis::linear("σ"),
        y: Axis::linear("μ"),
        lines: [
            lines,
            vec![
                Line::dots("Algorithm 2: mean, least and largest", 6, panel.monte_carlo.clone())
                    .bars(panel.spread.clone()),
            ],
        ]
        .concat(),
    };
    let on_line = Line::new("1/σ, exact on the line", 0, second.reference.clone());
    let on_circle = vec![
        on_line.clone(),
        Line::new("Algorithm 1", 1, first.algorithm_1.clone()),
        Line::new("exact [G2]", 5, first.reference.clone()).dashed(),
    ];
    outcome.figure = Some(Figure::row(vec![
        panel("Circle, Δ = 1", &first, on_circle),
        panel("Line, Δ = 1", &second, vec![on_line]),
        third.panel(),
    ]));
    outcome.note(format!(
        "Panels 1 and 2: Δ = 1, n·m = {DRAWS} draws around each center and {} values of ε, {} repetitions. Draws are \
         exact.",
        epsilons(context, 1.0).len(),
        repeats(context)
    ));
    Ok(outcome)
}

/// One of the first two panels.
struct Budgets {
    /// The exact `μ`.
    reference: Vec<(f64, f64)>,
    /// Algorithm 1, on the circle.
    algorithm_1: Vec<(f64, f64)>,
    /// Means of Algorithm 2.
    monte_carlo: Vec<(f64, f64)>,
    /// Its least and largest values.
    spread: Vec<(f64, f64)>,
}

fn repeats(context: &Context) -> usize {
    context.pick(20, 4)
}

/// The `n_ε` values of `ε` in use: `k, 2k, …` up to the largest.
fn epsilons(context: &Context, largest: f64) -> Vec<f64> {
    let cells = context.pick(1000, 200);
    (1..=cells).map(|i| largest * f64::from(i) / f64::from(cells)).collect()
}

/// `μ` over `σ`, exact and by the algorithms.
fn budget(
    context: &Context,
    table: &mut Table,
    on_circle: bool,
    scales: &[f64],
    exact: impl Fn(f64) -> Result<f64, Failure>,
) -> Result<Budgets, Failure> {
    let name = if on_circle { "circle" } else { "line" };
    let mut panel = Budgets { reference: vec![], algorithm_1: vec![], monte_carlo: vec![], spread: vec![] };
    let space: Arc<dyn Manifold> = if on_circle { Arc::new(Sphere::new(1)?) } else { Arc::new(Euclidean::new(1)?) };
    for &scale in scales {
        let epsilons = epsilons(
            context,
            match on_circle {
                true => PI / (2.0 * scale * scale),
                false => f64::max(10.0, 5.0 / scale + 0.5 / (scale * scale)),
            },
        );
        let mus: Vec<f64> = (0..repeats(context))
            .into_par_iter()
            .map(|i| {
                let mut generator = context.generator(&format!("{name}, σ = {scale}"), i);
                let losses = jiang::losses(&space, Law::Gaussian, scale, 1.0, DRAWS, &mut generator)?;
                Ok(jiang::algorithm_2(&losses, epsilons.iter().copied(), 0.0)[0])
            })
            .collect::<Result<_, karcher::Error>>()?;
        let measured = Measured::new(scale, &mus);
        let (low, high) = mus.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &x| (a.min(x), b.max(x)));
        let reference = exact(scale)?;
        table.push(&[&name, &scale, &"exact", &reference, &"", &""]);
        table.push(&[&name, &scale, &"Algorithm 2", &measured.mean, &low, &high]);
        if on_circle {
            let closed = jiang::algorithm_1(scale, 1.0, epsilons);
            table.push(&[&name, &scale, &"Algorithm 1", &closed, &"", &""]);
            panel.algorithm_1.push((scale, closed));
        }
        panel.reference.push((scale, reference));
        panel.monte_carlo.push((scale, measured.mean));
        panel.spread.push((low, high));
        context.step();
    }
    Ok(panel)
}

/// Checks the paper's claims on the first two panels.
fn claims_on_budget(outcome: &mut Outcome, circle: &Budgets, line: &Budgets) {
    claim_on_algorithm_1(outcome, circle);
    claim_on_large_scales(outcome, circle);
    claim_on_the_overestimate(outcome, circle, line);
    claim_on_the_evaluation(outcome, circle, line);
}

/// Compares Algorithm 1 with the certified `μ` of the circle.
fn claim_on_algorithm_1(outcome: &mut Outcome, circle: &Budgets) {
    let off =
        circle.algorithm_1.iter().zip(&circle.reference).map(|(a, b)| (a.1 / b.1 - 1.0).abs()).fold(0.0, f64::max);
    outcome.claim(
        "Algorithm 1 gives μ on the circle (n_ε = 1000)",
        format!("it differs from the certified μ by at most a relative {}", digits(off)),
        if off < 0.02 {
            Verdict::Corrected(
                "right to the resolution of its grid, with a formula of δ(ε) that holds past the antipode too, where \
                 the published one does not; it checks ε up to πΔ/2σ² only and the largest loss is Δ(2π − Δ)/2σ², but \
                 the largest μ is at ε → 0. It approaches μ from below, and so is no bound"
                    .to_owned(),
            )
        } else {
            Verdict::NotReproduced("it is another".to_owned())
        },
    );
}

/// Checks that `μσ`, which is 1 on the line, falls below that on the circle once the noise goes around it.
fn claim_on_large_scales(outcome: &mut Outcome, circle: &Budgets) {
    let (small, large) = (circle.reference[0], circle.reference[circle.reference.len() - 1]);
    outcome.claim(
        "For small σ the circle is like the line; for larger σ its μ is smaller",
        format!(
            "μσ is {} at σ = {}, {} at σ = {}",
            digits(small.1 * small.0),
            small.0,
            digits(large.1 * large.0),
            large.0
        ),
        Verdict::when((small.1 * small.0 - 1.0).abs() < 0.01 && large.1 * large.0 < 0.6, "it is not"),
    );
}

/// Compares the means of Algorithm 2 with the exact `μ`, in absolute terms and relative to it.
fn claim_on_the_overestimate(outcome: &mut Outcome, circle: &Budgets, line: &Budgets) {
    let excess = |panel: &Budgets| -> Vec<f64> {
        panel.monte_carlo.iter().zip(&panel.reference).map(|(a, b)| a.1 - b.1).collect()
    };
    let relative = |panel: &Budgets| -> f64 {
        panel.monte_carlo.iter().zip(&panel.reference).map(|(a, b)| a.1 / b.1 - 1.0).fold(0.0, f64::max)
    };
    let (on_circle, on_line) = (excess(circle), excess(line));
    let ends = |excess: &[f64]| (excess[0], excess[excess.len() - 1]);
    let ((circle_small, circle_large), (line_small, line_large)) = (ends(&on_circle), ends(&on_line));
    let above = on_circle.iter().chain(&on_line).filter(|&&x| x > 0.0).count();
    outcome.claim(
        "Algorithm 2 is fairly accurate for larger σ and overestimates more as σ gets smaller",
        format!(
            "its mean minus the exact μ, from the smallest to the largest σ: {} to {} on the circle, {} to {} on the \
             line; positive in {above} of {} cases",
            digits(circle_small),
            digits(circle_large),
            digits(line_small),
            digits(line_large),
            on_circle.len() + on_line.len()
        ),
        if circle_small > circle_large && line_small > line_large && circle_small > 0.0 && line_small > 0.0 {
            Verdict::Corrected(format!(
                "so it is in absolute terms, as plotted; relative to μ it is up to {:.0} % too high on the circle and \
                 {:.0} % on the line, where large ε are looked at, at which a single draw decides",
                100.0 * relative(circle),
                100.0 * relative(line)
            ))
        } else {
            Verdict::NotReproduced("the overestimate does not shrink as σ grows".to_owned())
        },
    );
}

/// Counts where the least value of Algorithm 2 is below the exact `μ`, which an upper bound of it never is.
fn claim_on_the_evaluation(outcome: &mut Outcome, circle: &Budgets, line: &Budgets) {
    let cases = circle.reference.len() + line.reference.len();
    let below = circle
        .spread
        .iter()
        .zip(&circle.reference)
        .chain(line.spread.iter().zip(&line.reference))
        .filter(|(s, r)| s.0 < r.1)
        .count();
    outcome.claim(
        "Algorithm 2 evaluates the privacy budget",
        format!("in {below} of {cases} cases some repetition is below the true μ"),
        if below > 0 {
            Verdict::Corrected(
                "an estimate, biased upward as the largest of many noisy ones, and no upper bound: [G2] is one"
                    .to_owned(),
            )
        } else {
            Verdict::Reproduced
        },
    );
}

/// The certified `μ` of Gaussian noise.
fn mu(sphere: &Sphere, scale: f64, distance: f64) -> Result<f64, Failure> {
    match curved_gaussian_guarantee(sphere, distance, scale)?.definition() {
        Definition::Gaussian { mu } => Ok(mu),
        other => Err(format!("a Gaussian guarantee was expected, found {other:?}").into()),
    }
}

/// The content of the third panel: distances on `S²` of Gaussian noise, and of Laplace noise of the same `μ`, for each
/// `σ = k/4`, `k = 1, …, 12`.
#[derive(Default)]
struct Utility {
    /// The sensitivity `Δ` of the mean.
    distance: f64,
    /// Draws for each `σ` and mechanism.
    draws: usize,
    /// Distances of Gaussian noise over the `μ` of Algorithm 2.
    gaussian: Vec<Measured>,
    /// Distances of Laplace noise of that `μ`, converted to `ε` as in the paper.
    laplace: Vec<Measured>,
    /// Distances of Laplace noise over the exact `μ`, calibrated by its own profile.
    fair: Vec<Measured>,
    /// The largest relative excess of Algorithm 2 over the exact `μ`.
    worst_bias: f64,
    /// Expected Laplace distance over expected Gaussian distance, by the conversion of Algorithm 2's `μ`.
    gains: Vec<f64>,
    /// The same by the conversion of the exact `μ`.
    exact_gains: Vec<f64>,
    /// Expected Laplace distance minus expected Gaussian distance, by the conversion of Algorithm 2's `μ`.
    differences: Vec<f64>,
    /// Expected Gaussian distance over expected Laplace distance, both of the same exact `μ`.
    same_mu: Vec<f64>,
}

impl Utility {
    /// Computes the panel for all scales.
    fn compute(context: &Context, table: &mut Table) -> Result<Self, Failure> {
        let sphere = Sphere::new(2)?;
        let distance = frechet_mean(&sphere, FRAC_PI_8, 10, Some(Bound::Published))?.value();
        let mut utility = Self { distance, draws: context.pick(1000, 300), ..Self::default() };
        for k in 1..=12 {
            utility.add(context, &sphere, k, table)?;
            context.step();
        }
        Ok(utility)
    }

    /// Adds the scale `σ = k/4`.
    fn add(&mut self, context: &Context, sphere: &Sphere, k: usize, table: &mut Table) -> Result<(), Failure> {
        let (scale, distance) = (k as f64 / 4.0, self.distance);
        let estimate = self.estimate(context, sphere, scale)?;
        let exact = mu(sphere, scale, distance)?;
        self.worst_bias = self.worst_bias.max(estimate / exact - 1.0);
        let by_epsilon = distance / pure_epsilon_for(estimate)?;
        // with the true μ of both
        let by_profile = Noise::laplace(Arc::new(sphere.clone()), distance, Guarantee::gaussian(exact)?)?;
        let measured = |x: f64, law: Law, scale: f64, name: &str| -> Result<Measured, Failure> {
            let noise = Isotropic::new(Arc::new(sphere.clone()), law, scale)?;
            self.measured(x, sphere, &noise, context.generator(&format!("third panel, {name}"), k))
        };
        let gaussian = measured(estimate, Law::Gaussian, scale, "Gaussian")?;
        let laplace = measured(estimate, Law::Laplace, by_epsilon, "Laplace")?;
        let fair = measured(exact, Law::Laplace, by_profile.scale(), "Laplace by profile")?;
        for (name, m) in [("Gaussian", &gaussian), ("Laplace", &laplace), ("Laplace by profile", &fair)] {
            let what = format!("{name} at mu = {}", m.x);
            let (low, high) = (m.mean - 4.0 * m.deviation, m.mean + 4.0 * m.deviation);
            table.push(&[&"sphere", &scale, &what, &m.mean, &low, &high]);
        }
        self.gaussian.push(gaussian);
        self.laplace.push(laplace);
        self.fair.push(fair);

        let expected = |law: Law, scale: f64| -> Result<f64, karcher::Error> {
            Isotropic::new(Arc::new(sphere.clone()), law, scale)?.expected_distance()
        };
        let by_gaussian = expected(Law::Gaussian, scale)?;
        let by_conversion = expected(Law::Laplace, by_epsilon)?;
        self.gains.push(by_conversion / by_gaussian);
        self.differences.push(by_conversion - by_gaussian);
        let by_exact = expected(Law::Laplace, distance / pure_epsilon_for(exact)?)?;
        self.exact_gains.push(by_exact / by_gaussian);
        self.same_mu.push(by_gaussian / by_profile.expected_distance());
        Ok(())
    }

    /// Estimates `μ` by Algorithm 2.
    fn estimate(&self, context: &Context, sphere: &Sphere, scale: f64) -> Result<f64, Failure> {
        let mut generator = context.generator(&format!("Gaussian, σ = {scale}"), 0);
        let losses = jiang::losses(
            &(Arc::new(sphere.clone()) as _),
            Law::Gaussian,
            scale,
            self.distance,
            context.pick(DRAWS, DRAWS / 5),
            &mut generator,
        )?;
        let largest = self.distance * (2.0 * PI - self.distance) / (2.0 * scale * scale);
        let [estimate, ..] = jiang::algorithm_2(&losses, epsilons(context, largest), 0.0);
        Ok(estimate)
    }

    /// Measures the mean distance of draws from their center, and its standard error, to be drawn at `x`.
    fn measured(
        &self,
        x: f64,
        sphere: &Sphere,
        noise: &Isotropic,
        mut generator: Generator,
    ) -> Result<Measured, Failure> {
        let pole = [0.0, 0.0, 1.0];
        let mut draw = [0.0; 3];
        let distances: Vec<f64> = (0..self.draws)
            .map(|_| {
                noise.sample(&pole, &mut generator, &mut draw)?;
                Ok(sphere.dist(&pole, &draw))
            })
            .collect::<Result<_, karcher::Error>>()?;
        let measured = Measured::new(x, &distances);
        Ok(Measured { deviation: measured.deviation / (self.draws as f64).sqrt(), ..measured })
    }

    /// Checks the paper's claims on the third panel.
    fn claims(&self, outcome: &mut Outcome) {
        self.claim_on_the_gain(outcome);
        self.claim_on_small_mu(outcome);
        self.claim_on_the_conversion(outcome);
        outcome.note(format!(
            "Panel 3: Δ = {} from the published bound, σ = k/4, {draws} draws, bands of 4 standard errors. Algorithm 2 \
             overestimates μ by up to {:.1} %, which makes the comparison kinder to Laplace noise.",
            digits(self.distance),
            100.0 * self.worst_bias,
            draws = self.draws
        ));
    }

    /// Counts the scales at which the expected distance of Gaussian noise is the smaller one.
    fn claim_on_the_gain(&self, outcome: &mut Outcome) {
        let Self { gains, exact_gains, .. } = self;
        let ahead = gains.iter().filter(|&&gain| gain > 1.0).count();
        outcome.claim(
            "On S² (r = π/8, n = 10) Gaussian noise is more useful than Laplace noise of the same μ, converted by ε = \
             ln[(1 − Φ(−μ/2))/Φ(−μ/2)]",
            format!("its expected distance, by quadrature, is smaller for {ahead} of 12 values of σ"),
            if ahead == 12 {
                Verdict::Reproduced
            } else if exact_gains.iter().all(|&gain| gain > 1.0) {
                Verdict::Corrected(
                    "with the exact μ in the place of the estimate by Algorithm 2, which is too high and so allows the \
                     Laplace mechanism too little noise, it is smaller for all"
                    .to_owned(),
                )
            } else {
                Verdict::NotReproduced("it is larger for some, with the exact μ too".to_owned())
            },
        );
    }

    /// Looks where the gain is largest, as a ratio and as the difference that the figure plots.
    fn claim_on_small_mu(&self, outcome: &mut Outcome) {
        let Self { gains, differences, gaussian, .. } = self;
        let widest = (0..12).fold(0, |best, i| if differences[i] > differences[best] { i } else { best });
        outcome.claim(
            "…especially for small μ; for larger μ the gain is less pronounced",
            format!(
                "expected Laplace distance over Gaussian distance: {} at the largest μ, {} at the smallest; the \
                 difference is largest at μ = {}",
                digits(gains[0]),
                digits(gains[11]),
                digits(gaussian[widest].x)
            ),
            match widest {
                0 => Verdict::NotReproduced("the difference is largest at the largest μ".to_owned()),
                11 => Verdict::Reproduced,
                _ => Verdict::Corrected(
                    "the difference, as plotted, grows while μ falls to there, and then vanishes: for the smallest μ \
                     both laws are nearly uniform on the sphere, and no noise is further than that. The ratio is \
                     largest for large μ"
                        .to_owned(),
                ),
            },
        );
    }

    /// Compares Laplace noise by the conversion with Laplace noise by its own profile: a fair one gives the same.
    fn claim_on_the_conversion(&self, outcome: &mut Outcome) {
        let Self { exact_gains, same_mu, .. } = self;
        let least = same_mu.iter().copied().fold(f64::INFINITY, f64::min);
        // Laplace noise by the conversion over Laplace noise by its profile, both for the exact μ
        let excess = exact_gains.iter().zip(same_mu).map(|(gain, same)| gain * same).fold(0.0, f64::max);
        outcome.claim(
            "Converting ε to μ compares the two mechanisms fairly",
            format!(
                "Laplace noise calibrated to the exact μ by the conversion is up to {} times as far as by its own \
                 profile; by that, Gaussian distance over Laplace distance is between {} and {}",
                digits(excess),
                digits(least),
                digits(same_mu.iter().copied().fold(0.0, f64::max))
            ),
            if excess > 1.01 {
                Verdict::Corrected(
                    "the conversion holds for the worst pure-ε mechanism; the privacy profile of Laplace noise itself \
                     [G1] needs less noise for the same μ"
                        .to_owned(),
                )
            } else {
                Verdict::Reproduced
            },
        );
    }

    /// Draws the third panel.
    fn panel(&self) -> Panel {
        Panel {
            title: "S², r = π/8, n = 10".to_owned(),
            x: Axis::logarithmic("μ"),
            y: Axis::linear("mean distance to the mean"),
            lines: vec![
                Line::measured("Gaussian", 1, &self.gaussian, 4.0),
                Line::measured("Laplace, μ from ε (paper)", 0, &self.laplace, 4.0),
                Line::measured("Laplace, exact profile", 2, &self.fair, 4.0),
            ],
        }
    }
}
