//! Tests that a term has no effect (user guide, R5).
//!
//! Let the rows of `L` be the differences that a term can make. Without an effect there are coefficients `B` of the
//! population with `L·B = 0`. They are estimated as all coefficients are, in the directions that `L` leaves:
//! `B̂₀ = M₀·C̃`. The **score** of the term is what this fit leaves in its directions,
//!
//! ```text
//! U = L·(C̃ − Ã·B̂₀) = −W·(N·B − N′) + W·E + W·Ã·B,      W = L·(I − Ã·M₀).
//! ```
//!
//! `N` and `N′` are the noise and `E` is the error of the sample, of covariance `Ã/n` times that of the residuals. The
//! last part is 0 without damping. The statistic is the squared length of `U` in units of its expected covariance. Its
//! law without an effect is simulated, with `B̂₀` for `B`. Residuals may be alike in all directions or lie in one: of
//! the two laws that with the larger p-value is taken.
//!
//! Both are for residuals that are as large everywhere. Where they are not, the covariance of `E` is not known. In
//! units of the statistic its trace is at most the mean square of the residuals over `n` times the largest `‖Wφ‖²`
//! ([`Leverage`]). Of all normal vectors of such a trace, one along a line is longest at 20 % and below (Székely and
//! Bakirov 2003). The line is that along which the noise is longest.

use super::inference::{FeatureModel, mixing};
use super::leverage::Leverage;
use super::model::{damped_inverse, product, symmetric_noise};
use crate::linalg::eigen;
use crate::noise::Generator;
use crate::release::TermTest;
use crate::vector::norm;
use rand_distr::{Distribution, StandardNormal};

/// Draws at least and at most, and products that all of them may take.
pub(crate) const DRAWS: [usize; 2] = [200, 2_000];
const PRODUCTS: usize = 300_000_000;

/// Seed of simulations.
const SEED: u64 = 0x6B61_7263_6865_7236;

/// Eigenvalues below this part of the largest are 0.
const NONE: f64 = 1e-9;

/// The test of a term whose differences are some rows. It says little where noise hides another term, which may then
/// seem to be an effect of this one.
pub(super) fn term_test(
    (of, leverage): (&FeatureModel, &Leverage),
    (term, little_information): (String, bool),
    rows: &[Vec<f64>],
) -> TermTest {
    let model = &of.model;
    let moments = &model.moments;
    let (q, d) = (moments.features, moments.dim);
    let (own, others) = directions(rows, q);
    let k = own.len() / q;
    // the fit without the term
    let reduced = product(&product(&others, &model.design, q, q), &transposed(&others, q), q, others.len() / q);
    let inverse = damped_inverse(&reduced, others.len() / q, moments.damping());
    let left = product(&transposed(&others, q), &inverse, others.len() / q, others.len() / q);
    let fitted = product(&left, &others, others.len() / q, q); // M₀
    let without = product(&fitted, &model.crossed, q, d); // B̂₀
    let mut w = own.clone();
    let taken = product(&product(&own, &model.design, q, q), &fitted, q, q);
    w.iter_mut().zip(&taken).for_each(|(w, t)| *w -= t);
    let score = product(&w, &model.crossed, q, d);

    let gram = product(&w, &transposed(&w, q), q, k);
    let sampled = product(&product(&w, &model.design, q, q), &transposed(&w, q), q, k);
    let noise = moments.of_responses().powi(2) + 0.5 * moments.deviation.powi(2) * norm(&without).powi(2) / d as f64;
    let residual = (model.residual_square + moments.of_square()).min(moments.radius.powi(2)) / of.n;
    let covariance: Vec<f64> = gram.iter().zip(&sampled).map(|(g, s)| noise * g + residual / d as f64 * s).collect();
    let whitener = root(&covariance, k, |a| 1.0 / a.sqrt());
    let statistic = norm(&product(&whitener, &score, k, d)).powi(2);
    // residuals of any sizes: along the line, in units of the statistic
    let heaviest = (residual * leverage.largest(&product(&whitener, &w, k, q), q)).sqrt();
    let along = eigen(&product(&product(&whitener, &gram, k, k), &whitener, k, k), k).vectors.split_off(k * (k - 1));

    let of_noise = root(&gram, k, f64::sqrt);
    let of_sample = root(&sampled, k, f64::sqrt);
    let damped = product(&product(&w, &model.design, q, q), &without, q, d);
    let mut generator = Generator::seeded(SEED);
    let mut mixed = mixing(moments);
    let draws = (PRODUCTS / (q * q * (d + 10) + k * q * d + k * k * d)).clamp(DRAWS[0], DRAWS[1]);
    let (mut beyond, mut beyond_any) = ([1_usize; 2], 1_usize);
    for _ in 0..draws {
        let mix = mixed(&mut generator);
        let design = symmetric_noise(q, &mut generator);
        let mut normal =
            |count: usize| -> Vec<f64> { (0..count).map(|_| StandardNormal.sample(&mut generator)).collect() };
        let mut u = product(&w, &product(&design, &without, q, d), q, d);
        u.iter_mut().for_each(|u| *u *= moments.deviation);
        let crossed = product(&of_noise, &normal(k * d), k, d);
        u.iter_mut().zip(crossed).for_each(|(u, c)| *u += moments.of_responses() * c);
        u.iter_mut().zip(&damped).for_each(|(u, b)| *u = mix * *u + b);
        let everywhere = product(&of_sample, &normal(k * d), k, d);
        let line = normal(k);
        let in_one = product(&of_sample, &line, k, 1);
        let mut any = product(&whitener, &u, k, d);
        any.iter_mut().step_by(d).zip(&along).for_each(|(any, along)| *any += heaviest * line[0] * along);
        beyond_any += usize::from(norm(&any).powi(2) >= statistic);
        for (at, beyond) in beyond.iter_mut().enumerate() {
            let mut u = u.clone();
            for (i, row) in u.chunks_exact_mut(d).enumerate() {
                match at {
                    0 => row
                        .iter_mut()
                        .zip(&everywhere[i * d..])
                        .for_each(|(u, e)| *u += (residual / d as f64).sqrt() * e),
                    _ => row[0] += residual.sqrt() * in_one[i],
                }
            }
            *beyond += usize::from(norm(&product(&whitener, &u, k, d)).powi(2) >= statistic);
        }
    }
    let [even, any] = [beyond[0].max(beyond[1]), beyond_any].map(|beyond| beyond as f64 / (1 + draws) as f64);
    TermTest { term, statistic, p_value: even.max(any), even_p_value: Some(even), draws, little_information }
}

/// Orthonormal rows that span the given ones, and orthonormal rows for what is left.
fn directions(rows: &[Vec<f64>], q: usize) -> (Vec<f64>, Vec<f64>) {
    let all = rows.concat();
    let eigen = eigen(&product(&transposed(&all, q), &all, rows.len(), q), q);
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    let (mut own, mut others) = (vec![], vec![]);
    for (a, v) in eigen.values.iter().zip(eigen.vectors.chunks_exact(q)) {
        if *a > NONE * largest { own.extend_from_slice(v) } else { others.extend_from_slice(v) }
    }
    (own, others)
}

/// `Σ f(a)·v·vᵀ` over the eigenpairs of a symmetric matrix whose eigenvalue is not 0.
fn root(matrix: &[f64], k: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    let eigen = eigen(matrix, k);
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    let mut out = vec![0.0; k * k];
    for (a, v) in eigen.values.iter().zip(eigen.vectors.chunks_exact(k)).filter(|(a, _)| **a > NONE * largest) {
        for (row, vi) in out.chunks_exact_mut(k).zip(v) {
            row.iter_mut().zip(v).for_each(|(out, vj)| *out += f(*a) * vi * vj);
        }
    }
    out
}

/// The transposed matrix of one with `columns` columns.
fn transposed(matrix: &[f64], columns: usize) -> Vec<f64> {
    let rows = matrix.len() / columns;
    (0..columns).flat_map(|j| (0..rows).map(move |i| matrix[i * columns + j])).collect()
}
