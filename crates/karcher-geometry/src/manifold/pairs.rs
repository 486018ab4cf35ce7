//! Distances of all pairs.

use super::formulas::Formulas;
use crate::linalg::{Lanes, dispatch_wide, side_by_side};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::marker::PhantomData;

/// Points of one task, and others that they meet while these are in the fastest cache.
const POINTS: usize = 64;
const OTHERS: usize = 128;

/// [`Manifold::dist_matrix`](super::Manifold::dist_matrix).
pub(super) fn dist_matrix<F: Formulas>(len: usize, p: &[f64], q: &[f64], out: &mut [f64]) {
    if !q.is_empty() {
        let tasks = p.par_chunks(POINTS * len).zip(out.par_chunks_mut(POINTS * (q.len() / len)));
        tasks.for_each(|(p, out)| dispatch_wide(Pairs::<F> { len, p, q, out, formulas: PhantomData }));
    }
}

/// Each of some points with each of others, which are put side by side once for all of the first.
struct Pairs<'a, F> {
    len: usize,
    p: &'a [f64],
    q: &'a [f64],
    out: &'a mut [f64],
    formulas: PhantomData<F>,
}

impl<F: Formulas> WithSimd for Pairs<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // lengths that many data have are compiled each by itself, for processors with vector registers
        match self.len {
            _ if S::F64_LANES == 1 => self.run(simd),
            2 => Self { len: 2, ..self }.run(simd),
            3 => Self { len: 3, ..self }.run(simd),
            4 => Self { len: 4, ..self }.run(simd),
            _ => self.run(simd),
        }
    }
}

impl<F: Formulas> Pairs<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { len, p, q, out, .. } = self;
        let (columns, count) = (q.len() / len, Lanes::<S, 2>::COUNT);
        let zero = Lanes::<S, 2>::splat(simd, 0.0);
        let (mut one, mut others) = (vec![zero; len], vec![zero; OTHERS.div_ceil(count) * len]);
        for (block, q) in q.chunks(OTHERS * len).enumerate() {
            let places = block * OTHERS..block * OTHERS + q.len() / len;
            for (q, several) in q.chunks(count * len).zip(others.chunks_exact_mut(len)) {
                side_by_side(simd, q.len() / len, q, several);
            }
            for (p, out) in p.chunks_exact(len).zip(out.chunks_exact_mut(columns)) {
                one.iter_mut().zip(p).for_each(|(lanes, x)| *lanes = Lanes::splat(simd, *x));
                for (out, several) in out[places.clone()].chunks_mut(count).zip(others.chunks_exact(len)) {
                    let distances = F::dist(&one[..len], several);
                    match out.len() == count {
                        true => out.copy_from_slice(distances.each()),
                        false => out.iter_mut().zip(distances.each()).for_each(|(out, x)| *out = *x),
                    }
                }
            }
        }
    }
}
