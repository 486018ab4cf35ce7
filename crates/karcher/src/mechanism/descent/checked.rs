//! A user's gradient is tried on public records, before any confidential ones are read.

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::moved;
use crate::noise::Generator;
use crate::points::{Points, PointsView};
use crate::records::{Loss, TOGETHER};
use crate::spec::field;
use crate::vector::{norm, norm_of_difference};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::cmp::Ordering;

/// Numbers of records that are given to a function at once, besides all of them.
const SIZES: [usize; 5] = [1, 2, 3, 17, 100];

/// Fewest records on which a function is tried: with equal ones it does not show that it depends on others.
const DIFFERENT: usize = 16;

/// The relative difference that rounding explains.
const ROUNDING: f64 = 1e-6;

/// The parts of the radius, and distances, at which two more points lie. At the center, which often is the origin, products
/// are exact whatever their order.
const AROUND: [(f64, f64); 2] = [(0.1, 0.3), (0.7, 2.0)];

/// Normal vectors of deviation 1, or the points to which such coordinates at the origin lead, as far out as the space is
/// wide.
pub(super) fn made_up(space: &dyn Manifold) -> Result<Points> {
    let scale = (0.2 * space.diameter()).min(1.0);
    let (mut origin, mut generator) = (vec![0.0; space.point_len()], Generator::seeded(1));
    space.origin(&mut origin);
    let mut one = || {
        let coordinates: Vec<f64> =
            (0..space.dim()).map(|_| scale * generator.sample::<f64, _>(StandardNormal)).collect();
        moved(space, origin.clone(), &coordinates)
    };
    Ok(Points::new(space, (0..TOGETHER).flat_map(|_| one()).collect())?)
}

/// Whether the vector of each record depends on that record alone, to the last bit, at three points of the ball.
///
/// # Errors
/// [`Error::Field`](crate::Error::Field) for vectors that are no tangent vectors, that differ from call to call, or that
/// depend on other records by more than rounding.
pub(super) fn is_of_rows_alone(loss: &Loss, ball: &Ball, examples: PointsView<'_>) -> Result<bool> {
    let refused = |reason: String| Err(field("gradient", reason));
    let mut different: Vec<&[f64]> = examples.iter().collect();
    different.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    different.dedup();
    if different.len() < DIFFERENT {
        return refused(format!("is tried on {} different records, and needs {DIFFERENT} at least", different.len()));
    }
    // as many as there are in a call on real records
    let rows: Vec<&[f64]> = examples.iter().cycle().take(TOGETHER).collect();
    let len = loss.manifold.point_len();
    let at_once = |at: &[f64], rows: &[&[f64]]| {
        let values: Vec<f64> = rows.concat();
        let mut out = vec![0.0; rows.len() * len];
        loss.gradient.gradients(at, PointsView::unchecked(examples.space(), examples.point_len(), &values), &mut out);
        out
    };
    // in a direction without a zero
    let direction: Vec<f64> = (0..loss.manifold.dim()).map(|i| (1.0 + 0.7 * i as f64).sin() + 0.1).collect();
    let around = AROUND.map(|(part, most)| {
        let step = (part * ball.radius()).min(most) / norm(&direction);
        let along: Vec<f64> = direction.iter().map(|x| x * step).collect();
        moved(&*loss.manifold, ball.center().to_vec(), &along)
    });
    let mut is_exact = true;
    for at in [ball.center(), &around[0], &around[1]] {
        let all = at_once(at, &rows);
        for (i, v) in all.chunks_exact(len).enumerate().take(examples.len()) {
            if let Err(error) = loss.manifold.check_tangent(at, v) {
                return refused(format!("gives no tangent vector for the made-up record {}: {error}", i + 1));
            }
        }
        if at_once(at, &rows) != all {
            return refused("gives other vectors when it is called again".to_owned());
        }
        let mut compare = |own: Vec<f64>, all: &[f64]| {
            is_exact &= own == all;
            let pairs = own.chunks_exact(len).zip(all.chunks_exact(len));
            pairs.into_iter().all(|(own, all)| norm_of_difference(own, all) <= ROUNDING * norm(all).max(ROUNDING))
        };
        let mut is_of_rows = SIZES.into_iter().all(|size| {
            let pieces = rows.chunks(size).zip(all.chunks(size * len));
            pieces.into_iter().all(|(rows, all)| compare(at_once(at, rows), all))
        });
        let backwards: Vec<&[f64]> = rows.iter().rev().copied().collect();
        let turned: Vec<f64> = all.chunks_exact(len).rev().flatten().copied().collect();
        is_of_rows &= compare(at_once(at, &backwards), &turned);
        if !is_of_rows {
            return refused("gives a record a vector that depends on the other records of the call".to_owned());
        }
    }
    Ok(is_exact)
}
