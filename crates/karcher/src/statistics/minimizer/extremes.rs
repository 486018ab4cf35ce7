//! Made-up records on which a user's gradient is tried: usual ones, and extreme ones, as a batch of real records may
//! have.

use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::moved;
use crate::noise::Generator;
use crate::points::Points;
use crate::records::TOGETHER;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Factors of normal coordinates, up to those whose cubes a double still holds.
const FACTORS: [f64; 8] = [1e-9, 1.0, 3.0, 10.0, 1e3, 1e6, 1e12, 1e100];

/// Values of a last coordinate, which often is a label.
const LABELS: [f64; 4] = [0.0, 1.0, 2.0, -1.0];

/// Usual records that an extreme one is among.
const AROUND: usize = 8;

/// Copies of a record in a batch of equal ones.
const COPIES: usize = 5;

/// Normal coordinates of deviation 1, or as far out as the space is wide.
struct Normal {
    scale: f64,
    dim: usize,
    generator: Generator,
}

impl Normal {
    fn new(space: &dyn Manifold, seed: u64) -> Self {
        Self { scale: (0.2 * space.diameter()).min(1.0), dim: space.dim(), generator: Generator::seeded(seed) }
    }

    fn draw(&mut self) -> Vec<f64> {
        (0..self.dim).map(|_| self.scale * self.generator.sample::<f64, _>(StandardNormal)).collect()
    }
}

fn origin(space: &dyn Manifold) -> Vec<f64> {
    let mut origin = vec![0.0; space.point_len()];
    space.origin(&mut origin);
    origin
}

/// Normal vectors of deviation 1, or the points to which such coordinates at the origin lead.
pub(super) fn usual(space: &dyn Manifold) -> Result<Points> {
    let (origin, mut normal) = (origin(space), Normal::new(space, 1));
    Ok(Points::new(space, (0..TOGETHER).flat_map(|_| moved(space, origin.clone(), &normal.draw())).collect())?)
}

/// Coordinates of extreme records: all of them far or near, one of them far, whole numbers, and labels.
fn extremes(space: &dyn Manifold) -> Vec<Vec<f64>> {
    let (mut normal, d) = (Normal::new(space, 2), space.dim());
    let mut all = vec![vec![0.0; d]];
    all.extend(FACTORS.map(|factor| normal.draw().iter().map(|x| factor * x).collect()));
    all.extend([1.0, 2.0, 3.0].map(|factor| normal.draw().iter().map(|x| (factor * x).round()).collect::<Vec<f64>>()));
    let mut with = |axis: usize, value: f64| {
        let mut one = normal.draw();
        one.iter_mut().skip(axis).take(1).for_each(|x| *x = value);
        all.push(one);
    };
    let last = d.saturating_sub(1);
    FACTORS.iter().for_each(|factor| [0, d / 2, last].iter().for_each(|axis| with(*axis, *factor)));
    LABELS.iter().for_each(|label| with(last, *label));
    all
}

/// Records with batches of them, as places. A batch has an extreme record among usual ones: first, last or between.
/// Others have copies of it, or it and the opposite one in turns. Two batches have all records.
pub(super) fn batches(space: &dyn Manifold, usual: &[&[f64]]) -> (Vec<Vec<f64>>, Vec<Vec<usize>>) {
    let origin = origin(space);
    let mut records: Vec<Vec<f64>> = usual.iter().take(AROUND).map(|row| row.to_vec()).collect();
    let around = records.len();
    for coordinates in extremes(space) {
        records.push(moved(space, origin.clone(), &coordinates));
        records.push(moved(space, origin.clone(), &coordinates.iter().map(|x| -x).collect::<Vec<f64>>()));
    }
    let among = |i: usize| {
        let mut batch: Vec<usize> = (0..around).collect();
        batch.insert([0, around / 2, around][i % 3], i);
        batch
    };
    let places = around..records.len();
    let pairs = places.clone().step_by(2).flat_map(|i| [vec![i; COPIES], vec![i, i + 1, i, i + 1]]);
    let mut batches: Vec<Vec<usize>> = places.map(among).chain(pairs).collect();
    batches.extend([(0..records.len()).collect(), (0..records.len()).rev().collect()]);
    (records, batches)
}
