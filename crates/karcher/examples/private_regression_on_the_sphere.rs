//! Private geodesic regression on S² in the set-up of Kulkarni and Soto 2025. Prints the tables of the user guide's
//! chapter on regression.
//!
//! `cargo run --release -p karcher --example private_regression_on_the_sphere`

use karcher::manifold::Geodesic;
use karcher::mechanism::{KngRegression, Plan, PrivateRegression, RegressionDescent};
use karcher::nonprivate::GeodesicRegression;
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, PredictorRange, ReleaseContext, Result, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

fn main() -> Result<()> {
    let manifold = "sphere:2".parse::<Space>()?.manifold()?;
    let m = &*manifold;
    println!("n = 20, noise 0.001·I₃, ε = 2 in all, 200 releases: mean ± standard deviation\n");
    println!(
        "| residual bound | mechanism | expected | root mean square distance | ρ(p̂, p̃) at x = 0 | at x = ½ | angle | mean absolute error |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let data = Data::new(m, 20)?;
    println!("| | not private | | | | | | {:.4} |", data.absolute_error(m, &data.fit));
    for residual_bound in [None, Some(0.3), Some(0.15)] {
        for plan in plans(&manifold, 20, residual_bound)? {
            data.row(m, residual_bound, &*plan, 200)?;
        }
    }
    println!("\nFrom n = 10 to 2,000 with residual bound 0.15\n");
    println!("| n | not private | mechanism | expected | root mean square distance | mean absolute error | releases |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (n, runs) in [(10, 100), (20, 100), (50, 100), (100, 100), (200, 60), (500, 20), (1000, 10), (2000, 10)] {
        let data = Data::new(m, n)?;
        for plan in plans(&manifold, n, Some(0.15))? {
            let releases = data.releases(&*plan, runs)?;
            let distance = data.root_mean_square(m, &releases);
            let errors: Vec<f64> = releases.iter().map(|g| data.absolute_error(m, g)).collect();
            println!(
                "| {n} | {:.4} | {} | {:.3} | {distance:.3} | {} | {runs} |",
                data.absolute_error(m, &data.fit),
                plan.name(),
                plan.expected_distance(),
                summary(&errors, 3)
            );
        }
    }
    Ok(())
}

/// Ball, slope and residual bounds, chosen without the records: the geodesic has length 1, and its middle is 0.2 from
/// the ball's center.
fn plans(m: &Arc<dyn Manifold>, n: usize, residual_bound: Option<f64>) -> Result<[Box<dyn Plan>; 2]> {
    let ball = Ball::new(&**m, vec![0.2_f64.cos(), 0.0, 0.2_f64.sin()], 0.8)?;
    let mut regression = PrivateRegression::new(Arc::clone(m), ball, PredictorRange::new(0.0, 1.0)?, 1.2)?;
    if let Some(bound) = residual_bound {
        regression = regression.residual_bound(bound)?;
    }
    let budget = Guarantee::pure(2.0)?;
    Ok([
        Box::new(KngRegression::new(&regression, n, budget)?),
        Box::new(RegressionDescent::new(&regression, n, budget)?),
    ])
}

struct Data {
    points: Points,
    predictors: Vec<f64>,
    /// Least squares, with the footpoint in the middle.
    fit: Geodesic,
}

impl Data {
    /// Records at equal steps on a geodesic of length 1, normal noise of variance 0.001 in each coordinate, normalised.
    fn new(m: &dyn Manifold, n: usize) -> Result<Self> {
        let mut generator = Generator::seeded(1);
        let predictors: Vec<f64> = (0..n).map(|i| i as f64 / (n - 1) as f64).collect();
        let mut values = Vec::new();
        for x in &predictors {
            let angle: f64 = x - 0.5;
            let mut y: Vec<f64> = [angle.cos(), angle.sin(), 0.0]
                .iter()
                .map(|y| y + 0.001_f64.sqrt() * generator.sample::<f64, _>(StandardNormal))
                .collect();
            m.normalize(&mut y);
            values.extend(y);
        }
        let points = Points::new(m, values)?;
        let centered: Vec<f64> = predictors.iter().map(|x| x - 0.5).collect();
        let fit = GeodesicRegression::new(m).fit(points.view(), &centered)?;
        Ok(Self { points, predictors, fit })
    }

    fn releases(&self, plan: &dyn Plan, runs: usize) -> Result<Vec<Geodesic>> {
        let mut context = ReleaseContext::seeded(2);
        let records = Observations::new(&self.points).with_predictors(&self.predictors)?;
        let mut releases = Vec::new();
        for _ in 0..runs {
            releases.extend(plan.run(&records, &mut context)?.geodesic().map(|private| private.geodesic()));
        }
        Ok(releases)
    }

    fn absolute_error(&self, m: &dyn Manifold, geodesic: &Geodesic) -> f64 {
        let errors = self.points.view().iter().zip(&self.predictors).map(|(y, x)| m.dist(&geodesic.at(m, x - 0.5), y));
        errors.sum::<f64>() / self.predictors.len() as f64
    }

    /// Over releases and the range of the predictor.
    fn root_mean_square(&self, m: &dyn Manifold, releases: &[Geodesic]) -> f64 {
        let at = |i: usize| (i as f64 + 0.5) / 50.0 - 0.5;
        let squares =
            releases.iter().flat_map(|g| (0..50).map(|i| m.dist(&g.at(m, at(i)), &self.fit.at(m, at(i))).powi(2)));
        (squares.sum::<f64>() / (50 * releases.len()) as f64).sqrt()
    }

    fn row(&self, m: &dyn Manifold, residual_bound: Option<f64>, plan: &dyn Plan, runs: usize) -> Result<()> {
        let releases = self.releases(plan, runs)?;
        let start = self.fit.moved(m, -0.5)?;
        let each = |f: &dyn Fn(&Geodesic) -> f64| releases.iter().map(f).collect::<Vec<_>>();
        let at_start = each(&|g| m.dist(&g.at(m, -0.5), &start.footpoint));
        let at_middle = each(&|g| m.dist(&g.footpoint, &self.fit.footpoint));
        let angle = each(&|g| angle(m, &self.fit, g).to_degrees());
        let error = each(&|g| self.absolute_error(m, g));
        println!(
            "| {} | {} | {:.3} | {:.3} | {} | {} | {}° | {} |",
            residual_bound.map_or("none".to_owned(), |bound| bound.to_string()),
            plan.name(),
            plan.expected_distance(),
            self.root_mean_square(m, &releases),
            summary(&at_start, 3),
            summary(&at_middle, 3),
            summary(&angle, 1),
            summary(&error, 3)
        );
        Ok(())
    }
}

/// The signed angle at the private footpoint from the least-squares velocity, carried there, to the private one.
fn angle(m: &dyn Manifold, fit: &Geodesic, private: &Geodesic) -> f64 {
    let p = &private.footpoint;
    let mut carried = vec![0.0; 3];
    if m.transport(&fit.footpoint, p, &fit.velocity, &mut carried).is_err() {
        return f64::NAN;
    }
    let v = &private.velocity;
    let cross = [
        carried[1] * v[2] - carried[2] * v[1],
        carried[2] * v[0] - carried[0] * v[2],
        carried[0] * v[1] - carried[1] * v[0],
    ];
    let normal: f64 = cross.iter().zip(p).map(|(c, p)| c * p).sum();
    normal.atan2(m.inner(p, &carried, v))
}

fn summary(values: &[f64], digits: usize) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    format!("{mean:.digits$} ± {deviation:.digits$}")
}
