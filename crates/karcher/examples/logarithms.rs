//! Logarithms and exponentials between points at the edge of a ball where private means are computed, for
//! `oracles/rounding_allowance.py`: `cargo run --example logarithms -- SPACE RADIUS PAIRS`.
//!
//! Prints a pair a line: two points, `Log` from the first to the second and its length, and `Exp` of a step as long as
//! one to the mean may be: three tenths of it, or as much as the curvature allows.

use karcher::sampler::Generator;
use karcher::{Points, Space};
use rand::RngExt;
use rand_distr::StandardNormal;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, space, radius, pairs] = &args[..] else { return Err("give a space, a radius, and how many pairs".into()) };
    let m = space.parse::<Space>()?.manifold()?;
    let (radius, pairs): (f64, usize) = (radius.parse()?, pairs.parse()?);
    let mut generator = Generator::seeded(1);
    let mut origin = vec![0.0; m.point_len()];
    m.origin(&mut origin);
    if m.curvature().upper > 0.0 {
        // balls are not carried to the origin there: any place is as good
        let c: Vec<f64> = (0..m.dim()).map(|_| generator.sample::<f64, _>(StandardNormal)).collect();
        let (mut v, mut place) = (origin.clone(), origin.clone());
        m.from_frame(&origin, &c, &mut v);
        m.exp(&origin, &v, &mut place);
        origin = place;
    }
    for i in 0..pairs {
        let mut first = Vec::new();
        let mut points = Vec::new();
        for j in 0..2 {
            let mut c: Vec<f64> = (0..m.dim()).map(|_| generator.sample::<f64, _>(StandardNormal)).collect();
            if j == 0 {
                first.clone_from(&c);
            } else if i % 3 > 0 {
                // across the ball, and close by
                let sign = if i % 3 == 1 { -1.0 } else { 1.0 };
                c.iter_mut().zip(&first).for_each(|(c, f)| *c = sign * f + 0.03 * *c);
            }
            let share: f64 = if i % 2 == 0 { 1.0 } else { generator.random() };
            let length = c.iter().map(|c| c * c).sum::<f64>().sqrt();
            c.iter_mut().for_each(|c| *c *= share * radius / length);
            let (mut v, mut x) = (origin.clone(), origin.clone());
            m.from_frame(&origin, &c, &mut v);
            m.exp(&origin, &v, &mut x);
            m.repair(&mut x);
            points.push(x);
        }
        let (mut v, mut end) = (origin.clone(), origin.clone());
        // by the routines that gradients are made with
        let mut coordinates = vec![0.0; m.dim()];
        m.frame_logs(&points[0], Points::new(&*m, points[1].clone())?.view(), &mut coordinates);
        m.from_frame(&points[0], &coordinates, &mut v);
        let length = m.norm(&points[0], &v);
        let reach = 2.0 * (-m.curvature().lower).max(0.0).sqrt() * radius;
        let share = if reach > 0.0 { (reach.tanh() / reach).min(0.3) } else { 0.3 };
        m.exp(&points[0], &v.iter().map(|v| share * v).collect::<Vec<_>>(), &mut end);
        let numbers = [&points[0][..], &points[1], &v, &[length], &end, &[share]].concat();
        println!("{}", numbers.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(" "));
    }
    Ok(())
}
