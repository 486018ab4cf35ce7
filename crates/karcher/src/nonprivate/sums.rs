//! Sums of unbounded numbers over records, for statistics that are **not private**.

use crate::points::PointsView;
use rayon::prelude::*;

/// The sum of `len` numbers over records. `add` adds those of a chunk of records, given the index of its first one, to
/// zeros. It is the same to the last bit for any number of threads: chunks are summed in parallel, and added in order.
pub(super) fn sum_in_chunks<E: Send>(
    points: PointsView<'_>,
    len: usize,
    add: impl Fn(usize, PointsView<'_>, &mut [f64]) -> Result<(), E> + Sync,
) -> Result<Vec<f64>, E> {
    let chunks: Vec<(usize, PointsView<'_>)> = points.tasks().collect();
    let parts: Vec<Result<Vec<f64>, E>> = chunks
        .into_par_iter()
        .map(|(first, chunk)| {
            let mut part = vec![0.0; len];
            add(first, chunk, &mut part)?;
            Ok(part)
        })
        .collect();
    let mut sum = vec![0.0; len];
    for part in parts {
        sum.iter_mut().zip(part?).for_each(|(sum, part)| *sum += part);
    }
    Ok(sum)
}
