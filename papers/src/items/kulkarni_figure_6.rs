//! Figure 6: effects of the number of records.

use super::kulkarni_proven::{self as proven, MECHANISMS};
use super::kulkarni_study::{EPSILON, Setting, study};
use crate::Failure;
use crate::figure::{Axis, Line, Panel};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::Measured;
use karcher::manifold::Sphere;

/// Effects of the number of records.
pub struct Sizes {
    private: Vec<Measured>,
    with_proof: [Vec<Measured>; MECHANISMS.len()],
    least_squares: Vec<(f64, f64)>,
    /// Acceptance of footpoints and shooting vectors, with steps proportional to σ, and with the steps of the smallest
    /// n.
    acceptance: [Vec<(f64, f64)>; 4],
}

const ACCEPTANCE: [&str; 4] = [
    "footpoints, steps like σ",
    "shooting vectors, steps like σ",
    "footpoints, steps as at the least n",
    "shooting vectors, the same",
];

/// Repeats figure 3 for many `n`.
pub fn figure_6(context: &Context, sphere: &Sphere, setting: Setting, outcome: &mut Outcome) -> Result<Sizes, Failure> {
    let numbers: &[usize] = context.pick(&[10, 20, 40, 80, 160, 320], &[10, 20, 80]);
    let draws = context.pick(11, 6);
    let mut sizes = Sizes {
        private: vec![],
        with_proof: Default::default(),
        least_squares: vec![],
        acceptance: Default::default(),
    };
    let mut radii = None;
    for &n in numbers {
        let setting = Setting { n, draws, ..setting };
        let found = study(context, sphere, setting)?;
        radii = radii.or(Some(found.radii));
        let fixed = study(context, sphere, Setting { radii, ..setting })?;
        let shares = [found.acceptance.0, found.acceptance.1, fixed.acceptance.0, fixed.acceptance.1];
        for ((name, line), share) in ACCEPTANCE.iter().zip(&mut sizes.acceptance).zip(shares) {
            outcome.table.push(&[&"6", &n, &format!("accepted {name}"), &share]);
            line.push((n as f64, share));
        }
        let measured = Measured::new(n as f64, &found.errors);
        outcome.table.push(&[&"6", &n, &"mean MAE", &measured.mean]);
        outcome.table.push(&[&"6", &n, &"standard deviation of the MAE", &measured.deviation]);
        outcome.table.push(&[&"6", &n, &"least squares", &found.least]);
        sizes.private.push(measured);
        sizes.least_squares.push((n as f64, found.least));
        let releases = proven::releases(context, sphere, &found.truth, &found.data, 2.0 * EPSILON, draws)?;
        for ((name, line), releases) in MECHANISMS.iter().zip(&mut sizes.with_proof).zip(&releases) {
            let measured = Measured::new(n as f64, &releases.iter().map(|r| r.error).collect::<Vec<_>>());
            outcome.table.push(&[&"6", &n, &format!("MAE, {name}"), &measured.mean]);
            line.push(measured);
        }
    }
    sizes.claims(numbers, outcome);
    Ok(sizes)
}

impl Sizes {
    fn claims(&self, numbers: &[usize], outcome: &mut Outcome) {
        let last = numbers.len() - 1;
        let excess = |line: &[Measured], i: usize| line[i].mean - self.least_squares[i].1;
        outcome.claim(
            "Figure 6: as n grows the mean error converges to that of the least squares geodesic",
            format!(
                "it exceeds it by {} at n = {} and {} at n = {}; with a proof by {} ({}) and {} ({}) there",
                digits(excess(&self.private, 0)),
                numbers[0],
                digits(excess(&self.private, last)),
                numbers[last],
                digits(excess(&self.with_proof[0], last)),
                MECHANISMS[0],
                digits(excess(&self.with_proof[1], last)),
                MECHANISMS[1],
            ),
            Verdict::when(excess(&self.private, last) < 0.5 * excess(&self.private, 0), "it does not"),
        );
        let deviations: Vec<f64> = self.private.iter().map(|m| m.deviation).collect();
        outcome.claim(
            "Figure 6: the error bars, one standard deviation, shrink as n grows",
            format!("they are {} from n = {} to {}", list(&deviations), numbers[0], numbers[last]),
            Verdict::when(
                deviations.windows(2).all(|pair| pair[1] < pair[0]),
                "not from each n to the next: each is of so few states of one chain",
            ),
        );
        let shares: Vec<Vec<f64>> =
            self.acceptance.iter().map(|line| line.iter().map(|point| point.1).collect()).collect();
        let falls = |shares: &Vec<f64>| shares[last] < 0.5 * shares[0];
        outcome.claim(
            "As n grows the acceptance probability decreases (appendix B)",
            format!(
                "from n = {} to {} with steps proportional to σ, as in appendix A: footpoints {}; shooting vectors {}. \
                 With steps as at the least n: footpoints {}; shooting vectors {}",
                numbers[0],
                numbers[last],
                list(&shares[0]),
                list(&shares[1]),
                list(&shares[2]),
                list(&shares[3])
            ),
            if falls(&shares[0]) && falls(&shares[1]) {
                Verdict::Reproduced
            } else if falls(&shares[2]) && falls(&shares[3]) {
                Verdict::Corrected(
                    "only if steps do not shrink with σ; proportional to it, as appendix A has them, they are accepted \
                     about as often at every n"
                        .to_owned(),
                )
            } else {
                Verdict::NotReproduced("it does not".to_owned())
            },
        );
    }

    /// Errors and acceptance over `n`.
    pub fn panels(self) -> Vec<Panel> {
        let [footpoints, velocities, fixed_footpoints, fixed_velocities] = self.acceptance;
        vec![
            Panel {
                title: "Figure 6: mean absolute error".to_owned(),
                x: Axis::logarithmic("n"),
                y: Axis::logarithmic("MAE"),
                lines: vec![
                    Line::error_bars("private (unsound)", 0, &self.private),
                    Line::error_bars(MECHANISMS[0], 2, &self.with_proof[0]),
                    Line::error_bars(MECHANISMS[1], 3, &self.with_proof[1]),
                    Line::new("least squares", 1, self.least_squares).markers(),
                ],
            },
            Panel {
                title: "Appendix B: accepted candidates".to_owned(),
                x: Axis::logarithmic("n"),
                y: Axis::logarithmic("share"),
                lines: vec![
                    Line::new(ACCEPTANCE[0], 0, footpoints).markers(),
                    Line::new(ACCEPTANCE[1], 1, velocities).markers(),
                    Line::new(ACCEPTANCE[2], 0, fixed_footpoints).markers().dashed(),
                    Line::new(ACCEPTANCE[3], 1, fixed_velocities).markers().dashed(),
                ],
            },
        ]
    }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|x| digits(*x)).collect::<Vec<_>>().join(", ")
}
