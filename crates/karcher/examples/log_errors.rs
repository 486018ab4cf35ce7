//! Coordinates of logarithms and the bounds of their errors, for `oracles/log_error.py`: `cargo run --example
//! log_errors -- SPACE SPREAD PAIRS`.
//!
//! Prints a pair a line: its kind, base, point, computed coordinates, and the bound at their distance. Bases are
//! anywhere on spaces where balls are not carried to the origin, else within the spread of it. Points are random, very
//! near, far, or in the direction of an axis, and so are bases.

use karcher::manifold::{CutLocus, Manifold, Shape};
use karcher::sampler::Generator;
use karcher::{Points, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::FRAC_PI_2;

/// Distances of the points, as shares of the largest, or by themselves.
const KINDS: [&str; 8] = ["random", "edge", "nearly-edge", "half", "near", "nearer", "nearest", "same"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, space, spread, pairs] = &args[..] else { return Err("give a space, a spread, and how many pairs".into()) };
    let m = space.parse::<Space>()?.manifold()?;
    let (spread, pairs): (f64, usize) = (spread.parse()?, pairs.parse()?);
    let mut generator = Generator::seeded(1);
    let mut origin = vec![0.0; m.point_len()];
    m.origin(&mut origin);
    // the largest step in any direction along which geodesics are the shortest
    let max_step = m.injectivity_radius().min(2.0 * spread);
    let compact = m.cut_locus() != CutLocus::None;
    for i in 0..pairs {
        let mut base = origin.clone();
        let length = match i / KINDS.len() % 7 {
            0 => 0.0,
            1 if compact => FRAC_PI_2,
            _ if compact => 3.0,
            _ => spread * generator.random::<f64>(),
        };
        step(&*m, &mut generator, &mut base, length, i / KINDS.len() % 5);
        if let (Shape::Landmarks(_), 2) = (m.shape(), i / KINDS.len() % 7) {
            // the frame's first axis is all but perpendicular to the base
            (base[2], base[3]) = (base[0] + 1e-16, base[1]);
            m.project(&mut base);
        }
        let kind = KINDS[i % KINDS.len()];
        let length = match kind {
            "random" => max_step * generator.random::<f64>(),
            "edge" => max_step * (1.0 - 1e-11),
            "nearly-edge" => max_step * (1.0 - 10.0_f64.powf(-6.0 * generator.random::<f64>())),
            "half" => 0.5 * max_step,
            "near" => 1e-3 * max_step,
            "nearer" => 1e-8 * max_step,
            "nearest" => 1e-15 * max_step,
            _ => 0.0,
        };
        let mut x = base.clone();
        if kind != "same" {
            step(&*m, &mut generator, &mut x, length, i / KINDS.len() % 3);
        }
        let point = Points::new(&*m, x)?;
        let x = point.view().values();
        let from_origin = |x: &[f64]| m.dist(&origin, x) * (1.0 + 1e-9) + 1e-12;
        let spread = from_origin(&base).max(from_origin(x));
        let reach = m.dist(&base, x) * (1.0 + 1e-12) + 1e-15;
        let Some(bound) = m.log_error(reach, spread) else { continue };
        let mut c = vec![0.0; m.dim()];
        m.frame_logs(&base, point.view(), &mut c);
        let numbers = |x: &[f64]| x.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(" ");
        println!("{kind} | {} | {} | {} | {bound:e}", numbers(&base), numbers(x), numbers(&c));
    }
    Ok(())
}

/// Moves a point by a length: in a random direction, in that of an axis, nearly in that of an axis.
fn step(m: &dyn Manifold, generator: &mut Generator, x: &mut Vec<f64>, length: f64, direction: usize) {
    let mut c: Vec<f64> = (0..m.dim()).map(|_| generator.sample::<f64, _>(StandardNormal)).collect();
    let axis = generator.random_range(0..m.dim());
    let others = [1.0, 0.0, 1e-12, 1.0, 1e-3][direction];
    c.iter_mut().enumerate().filter(|(i, _)| *i != axis).for_each(|(_, c)| *c *= others);
    let size = c.iter().map(|c| c * c).sum::<f64>().sqrt();
    c.iter_mut().for_each(|c| *c *= length / size);
    let (mut v, mut end) = (x.clone(), x.clone());
    m.from_frame(x, &c, &mut v);
    m.exp(x, &v, &mut end);
    m.normalize(&mut end);
    *x = end;
}
