//! Distances of private regressions of a file from the least-squares one, which is **not private**: for the tables of
//! the user guide.
//!
//! `cargo run --release -p karcher-io --example private_regression -- FILE SPACE LAYOUT COLUMNS FACTOR PREDICTOR LOW
//! HIGH CENTER RADIUS SLOPE RESIDUAL RUNS BUDGET…`
//!
//! `LAYOUT` or `COLUMNS` may be `-`; `CENTER` is numbers separated by commas, or `record:N`; `RESIDUAL` may be `-`; a
//! `BUDGET` is `epsilon=2`, `epsilon=2,delta=1e-6` or `mu=1`.

use karcher::mechanism::{PrivateRegression, Request};
use karcher::nonprivate::GeodesicRegression;
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::{Ball, PredictorRange, ReleaseContext, Space};
use karcher_io::{ConvertOptions, Factor, ReadOptions, point_from_values, read_with_predictor, to_points};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [
        file,
        space,
        layout,
        columns,
        factor,
        predictor,
        low,
        high,
        center,
        radius,
        slope,
        residual,
        runs,
        budgets @ ..,
    ] = &args[..]
    else {
        return Err("too few arguments; the file's first lines say which".into());
    };
    let space: Space = space.parse()?;
    let manifold = space.manifold()?;
    let m = &*manifold;
    let layout = &karcher_io::layout(m, (layout != "-").then_some(layout))?;
    let options = ReadOptions { columns: (columns != "-").then(|| columns.clone()), ..Default::default() };
    let (table, predictors) = read_with_predictor(file, predictor, &options)?;
    let factor: f64 = factor.parse()?;
    let points = to_points(
        table,
        m,
        layout,
        &ConvertOptions { multiply_by: vec![Factor::of_all(factor)?], ..Default::default() },
    )?;
    let center = match center.strip_prefix("record:") {
        Some(number) => points.view().iter().nth(number.parse::<usize>()? - 1).ok_or("no such record")?.to_vec(),
        None => {
            let values: Result<Vec<f64>, _> = center.split(',').map(|x| x.parse::<f64>()).collect();
            point_from_values(m, layout, &values?.iter().map(|x| x * factor).collect::<Vec<_>>())?
        }
    };
    let ball = Ball::new(m, center, radius.parse()?)?;
    let range = PredictorRange::new(low.parse()?, high.parse()?)?;
    let mut regression = PrivateRegression::new(manifold.clone(), ball, range, slope.parse()?)?;
    if residual != "-" {
        regression = regression.residual_bound(residual.parse()?)?;
    }
    let n = points.len();
    let scaled: Vec<f64> = predictors.iter().map(|x| range.scaled(*x)).collect();
    let fit = GeodesicRegression::new(m).fit(points.view(), &scaled)?;
    let numbers = m.dim() as f64;
    let mean_square = |at: &dyn Fn(f64) -> Vec<f64>| {
        points.view().iter().zip(&predictors).map(|(y, x)| m.dist(&at(*x), y).powi(2)).sum::<f64>()
            / (n as f64 * numbers)
    };
    println!(
        "{n} records; least squares: speed {:.4} over the range, mean square residual per dimension {:.6}",
        m.norm(&fit.footpoint, &fit.velocity),
        mean_square(&|x| fit.at(m, range.scaled(x)))
    );
    println!("\n| budget | mechanism | expected distance | root mean square distance | residual, quartiles | median |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let runs: usize = runs.parse()?;
    for budget in budgets {
        for candidate in Request::new(regression.clone(), n, guarantee(budget)?).candidates() {
            let (name, Ok(plan)) = (candidate.mechanism.name().name(), candidate.plan) else { continue };
            let pure = budget.starts_with("epsilon=") && !budget.contains("delta");
            if name == "kng" && !pure {
                continue; // it keeps these by a pure ε
            }
            let mut context = ReleaseContext::seeded(1);
            let (mut residuals, mut square) = (Vec::new(), 0.0);
            for _ in 0..runs {
                let release = plan.run(&Observations::new(&points).with_predictors(&predictors)?, &mut context)?;
                let release = release.geodesic().ok_or("a regression releases a geodesic")?;
                residuals.push(mean_square(&|x| release.predict(m, x)));
                let at = |i: usize| range.low() + (range.high() - range.low()) * (i as f64 + 0.5) / 20.0;
                let gap = |x: f64| m.dist(&release.predict(m, x), &fit.at(m, range.scaled(x)));
                square += (0..20).map(|i| gap(at(i)).powi(2)).sum::<f64>() / 20.0 / runs as f64;
            }
            residuals.sort_by(f64::total_cmp);
            let quantile = |p: f64| residuals[((runs - 1) as f64 * p).round() as usize];
            println!(
                "| {budget} | {name} | {:.4} | {:.4} | {:.6} to {:.6} | {:.6} |",
                plan.expected_distance(),
                square.sqrt(),
                quantile(0.25),
                quantile(0.75),
                quantile(0.5)
            );
        }
    }
    Ok(())
}

fn guarantee(budget: &str) -> Result<Guarantee, Box<dyn Error>> {
    let value = |name: &str| -> Result<Option<f64>, Box<dyn Error>> {
        let part = budget.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        Ok(part.map(str::parse).transpose()?)
    };
    Ok(match (value("epsilon")?, value("delta")?, value("mu")?) {
        (Some(epsilon), Some(delta), _) => Guarantee::approximate(epsilon, delta)?,
        (Some(epsilon), None, _) => Guarantee::pure(epsilon)?,
        (_, _, Some(mu)) => Guarantee::gaussian(mu)?,
        _ => return Err(format!("budget {budget}: expected epsilon=…, epsilon=…,delta=… or mu=…").into()),
    })
}
