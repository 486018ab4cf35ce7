//! Gradients that a user writes, as summands (user guide, K2).
//!
//! A record adds `clip_c(g(m, x))` in coordinates of the frame at `m`, in quanta of `c·2⁻⁵⁰`. It is no longer than
//! `2⁵⁰` in integers, whatever the function gives: what is no tangent vector counts as 0. So replacing a record moves
//! the sum by no more than `2·2⁵⁰`, if the contribution of a record depends on that record alone.

use super::quantum::bounded;
use crate::manifold::Manifold;
use crate::points::PointsView;
use std::fmt;
use std::sync::Arc;

/// The gradient of a user's loss: for a point of one space and a record of another one a tangent vector at the point.
///
/// **The vector of a record depends on the point and on that record alone, to the last bit.** No proof holds otherwise.
/// It is tried on made-up records, and it is your word: releases have
/// [`Flag::DeclaredGradient`](crate::release::Flag::DeclaredGradient). A function with these arguments is one.
///
/// ```
/// use karcher::{PointsView, records::Gradient};
/// // of half the squared distance on a line
/// let squared = |at: &[f64], record: &[f64], out: &mut [f64]| out[0] = at[0] - record[0];
/// let mut out = [0.0];
/// squared.gradient(&[1.0], &[3.0], &mut out);
/// assert_eq!(out, [-2.0]);
/// ```
pub trait Gradient: Send + Sync {
    /// Writes the tangent vector at a point for one record.
    fn gradient(&self, at: &[f64], record: &[f64], out: &mut [f64]);

    /// Writes those for several records, one after the other.
    fn gradients(&self, at: &[f64], records: PointsView<'_>, out: &mut [f64]) {
        records.iter().zip(out.chunks_exact_mut(at.len())).for_each(|(record, out)| self.gradient(at, record, out));
    }

    /// Called once in a trial, after the usual made-up records and before the extreme ones. Of those it may have no vector.
    fn usual_records_end(&self) {}
}

impl<F: Fn(&[f64], &[f64], &mut [f64]) + Send + Sync> Gradient for F {
    fn gradient(&self, at: &[f64], record: &[f64], out: &mut [f64]) {
        self(at, record, out);
    }
}

/// Records whose gradients are computed at once.
pub(crate) const TOGETHER: usize = 256;

/// A gradient with the space of its points.
#[derive(Clone)]
pub struct Loss {
    pub(crate) manifold: Arc<dyn Manifold>,
    pub(crate) gradient: Arc<dyn Gradient>,
}

impl fmt::Debug for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a gradient on {}", self.manifold.space())
    }
}

impl PartialEq for Loss {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.gradient, &other.gradient) && self.manifold.space() == other.manifold.space()
    }
}

impl Loss {
    /// Gives the integers of each record's vector to `each`.
    fn each(&self, at: &[f64], clip: f64, records: PointsView<'_>, mut each: impl FnMut(&[i64])) {
        let (len, d) = (self.manifold.point_len(), self.manifold.dim());
        let (mut vectors, mut c, mut z) = (vec![0.0; TOGETHER.min(records.len()) * len], vec![0.0; d], vec![0; d]);
        for group in records.chunks(TOGETHER) {
            let vectors = &mut vectors[..group.len() * len];
            vectors.fill(0.0);
            self.gradient.gradients(at, group, vectors);
            for v in vectors.chunks_exact(len) {
                match self.manifold.check_tangent(at, v) {
                    Ok(()) => self.manifold.to_frame(at, v, &mut c),
                    Err(_) => c.fill(0.0),
                }
                bounded(&mut c, clip, &mut z);
                each(&z);
            }
        }
    }

    /// Adds the vectors of records.
    pub(super) fn add(&self, at: &[f64], clip: f64, records: PointsView<'_>, sum: &mut [i64]) {
        self.each(at, clip, records, |z| sum.iter_mut().zip(z).for_each(|(sum, z)| *sum += z));
    }

    /// Adds the mean vector of each person, whose records follow one another: `ends` has the end of each. The mean of
    /// integer vectors no longer than `2⁵⁰` is no longer, and numbers are rounded towards 0.
    pub(super) fn add_means(&self, at: &[f64], clip: f64, records: PointsView<'_>, ends: &[usize], sum: &mut [i128]) {
        let (mut own, mut place, mut person) = (vec![0_i128; sum.len()], 0, 0);
        let mut first = 0;
        self.each(at, clip, records, |z| {
            own.iter_mut().zip(z).for_each(|(own, z)| *own += i128::from(*z));
            place += 1;
            if place == ends[person] {
                let count = (place - first) as i128;
                sum.iter_mut().zip(&mut own).for_each(|(sum, own)| *sum += std::mem::take(own) / count);
                (first, person) = (place, person + 1);
            }
        });
    }
}
