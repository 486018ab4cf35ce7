//! The noise on a sum of embedded records: of the Euclidean length, or for matrices and pure ε of the nuclear norm
//! where that is shorter (user guide, X6).
//!
//! **Sensitivity in the nuclear norm.** Embedded points are `P − (k/n)·I`, with projectors `P` of rank `k`. The nuclear
//! norm of `P − P′` is twice the sum of the sines of the principal angles between the ranges, of whom at most
//! `m = min(k, n − k)` are not 0: at most `2m`. That of one point is `2k(n − k)/n < 2m`. A record contributes the
//! integers next to `a·J(x)/q`, `0 ≤ a·‖J‖ ≤ B = 2⁵⁰q`, and the norm is convex in the two factors. So replacing a record
//! moves the sum by at most `2m/r·2⁵⁰` quanta. `J` is computed within `10⁻¹⁰` of its length `r ≤ √m`, and in nuclear
//! norm within `√n` times that. Rounding of `E` numbers by at most ½ moves the sum by `√n·√E` for both records. Matrices
//! that are drawn have `n ≤ 8` and `E ≤ 35`: together it is less than `10⁻⁹` of the whole.

use super::spread_of_noise::{Kind, Spherical};
use crate::embedding::{EmbeddedForm, Embedding};
use crate::error::Result;
use crate::mechanism::Request;
use crate::mechanism::noise::matrix_noise::{Nuclear, SumOrMatrixNoise};
use crate::mechanism::noise::shortest;
use crate::mechanism::noise::sum_and_count::{Choice, SumAndCountNoise};
use crate::mechanism::noise::sum_noise::SumNoise;
use crate::noise::Matrices;
use crate::privacy::rounding::{div_up, mul_down, mul_up};
use crate::records::BOUND;
use crate::release::{Adjacency, NoiseDraw, NoiseOf, ReleasedBound};

/// Covers the rounding of embedded points, see above and in the plan.
const ROUNDING: f64 = 1.0 + 1e-9;

/// The noise with what is said of it.
pub(super) struct Chosen {
    pub(super) noise: SumOrMatrixNoise,
    /// What a record moves the sum by at most, in quanta and in the norm of the noise.
    pub(super) moved: f64,
    pub(super) bound: ReleasedBound,
    pub(super) draw: NoiseDraw,
    pub(super) integrated: bool,
}

/// The shortest noise for a request, with the mean in units of `unit`.
pub(super) fn chosen(embedding: &dyn Embedding, request: &Request, unit: f64) -> Result<Chosen> {
    let (dim, budget) = (embedding.dim(), request.budget());
    match request.asked_adjacency() {
        Adjacency::ReplaceOne => {
            let bound = ReleasedBound::Embedding;
            let apart = mul_up(div_up(embedding.diameter(), embedding.radius()), ROUNDING);
            let moved = mul_up(apart.min(2.0), BOUND);
            let noise = shortest(dim, moved, budget)?;
            let length = Kind::Isotropic(noise.law()).deviation(dim) * noise.scale();
            if let Some(nuclear) = nuclear(embedding, length, request)? {
                let (moved, draw) = (nuclear.moved, nuclear.draw(unit));
                let noise = SumOrMatrixNoise::Nuclear(nuclear);
                return Ok(Chosen { noise, moved, bound, draw, integrated: false });
            }
            let (scale, sensitivity) = (mul_down(noise.scale(), unit), mul_up(moved, unit));
            let draw = NoiseDraw::on_vector(NoiseOf::Value, noise.law(), dim, scale, sensitivity);
            let integrated = noise.integrated;
            let noise = SumOrMatrixNoise::Isotropic(SumNoise::Known(noise));
            Ok(Chosen { noise, moved, bound, draw, integrated })
        }
        Adjacency::AddRemove => {
            let noise = SumAndCountNoise::new(dim, BOUND, budget, Choice::Shortest)?;
            let (moved, draw, integrated) = (noise.moved, noise.draw(unit), noise.integrated);
            let noise = SumOrMatrixNoise::Isotropic(SumNoise::Joint(noise));
            Ok(Chosen { noise, moved, bound: ReleasedBound::SumAndCount, draw, integrated })
        }
    }
}

/// Noise of the nuclear norm, where it is shorter than noise with such a deviation of a number.
fn nuclear(embedding: &dyn Embedding, length: f64, request: &Request) -> Result<Option<Nuclear>> {
    let (matrices, angles) = match embedding.form() {
        EmbeddedForm::Real { n, k } => (Matrices::Symmetric(n), k.min(n - k)),
        EmbeddedForm::Complex { n } => (Matrices::Hermitian(n), 1),
        EmbeddedForm::Vector(_) | EmbeddedForm::Several => return Ok(None),
    };
    if matrices.noise().is_none() || matrices.numbers() != embedding.dim() {
        return Ok(None);
    }
    let apart = mul_up(div_up(2.0 * angles as f64, embedding.radius()), ROUNDING);
    Nuclear::shorter(matrices, mul_up(apart, BOUND), length, request)
}

/// The law of noise on a mean whose unit is the quantum over the number of records.
pub(super) fn law(noise: &SumOrMatrixNoise, dim: usize, quantum: f64, unit: f64) -> Spherical {
    match noise {
        SumOrMatrixNoise::Isotropic(SumNoise::Known(noise)) => {
            Spherical { kind: Kind::Isotropic(noise.law()), scale: noise.scale() * unit, numbers: dim, lean: 0.0 }
        }
        SumOrMatrixNoise::Isotropic(SumNoise::Joint(noise)) => {
            let lean = 1.0 / (noise.in_quanta(1.0) as f64 * quantum);
            let (kind, scale) = (Kind::Isotropic(noise.law()), noise.sigma() * unit);
            Spherical { kind, scale, numbers: dim + 1, lean }
        }
        SumOrMatrixNoise::Nuclear(nuclear) => {
            let kind = Kind::Nuclear(nuclear.matrices());
            Spherical { kind, scale: nuclear.sigma() * unit, numbers: dim, lean: 0.0 }
        }
    }
}
