//! The cost of reducing the records of persons to contributions, against the private mean of as many records.
//!
//! ```sh
//! cargo run --release -p karcher --example persons_cost
//! ```

use karcher::manifold::Manifold;
use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::nonprivate::Persons;
use karcher::records::Observations;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Points, ReleaseContext, Space, privacy::Guarantee};
use std::sync::Arc;
use std::time::Instant;

const PERSONS: usize = 100_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| space | records a person | mean of the records, s | contributions, s | mean of persons, s |");
    println!("| --- | --- | --- | --- | --- |");
    for (name, radius) in [("euclidean:3", 1.0), ("sphere:2", 0.7), ("spd-log-euclidean:3", 1.5), ("hyperbolic:2", 2.0)]
    {
        for each in [1, 5, 20] {
            row(name, radius, each)?;
        }
    }
    Ok(())
}

fn row(name: &str, radius: f64, each: usize) -> Result<(), Box<dyn std::error::Error>> {
    let space: Arc<dyn Manifold> = name.parse::<Space>()?.manifold()?;
    let ball = Ball::at_origin(&*space, radius)?;
    let law = Isotropic::new(Arc::clone(&space), Law::Gaussian, 0.3 * radius)?;
    let mut generator = Generator::seeded(1);
    let mut values = vec![0.0; PERSONS * each * space.point_len()];
    for draw in values.chunks_exact_mut(space.point_len()) {
        law.sample(ball.center(), &mut generator, draw)?;
    }
    let points = Points::new(&*space, values)?;
    let mean = PrivateFrechetMean::new(space.clone(), ball.clone())?;
    let plan = |n| Request::new(mean.clone(), n, Guarantee::pure(1.0)?).plan();

    let of_records = plan(points.len())?;
    let begin = Instant::now();
    of_records.run(&points, &mut ReleaseContext::seeded(1))?;
    let plain = begin.elapsed();

    let of_persons = plan(PERSONS)?;
    let begin = Instant::now();
    let mut persons = Persons::new(space.clone(), &ball)?;
    persons.add((0..points.len()).map(|i| i % PERSONS), Observations::new(&points))?;
    let contributions = persons.contributions()?;
    let reduced = begin.elapsed();
    of_persons.run(&contributions, &mut ReleaseContext::seeded(1))?;
    let whole = begin.elapsed();
    println!(
        "| `{name}` | {each} | {:.3} | {:.3} | {:.3} |",
        plain.as_secs_f64(),
        reduced.as_secs_f64(),
        whole.as_secs_f64()
    );
    Ok(())
}
