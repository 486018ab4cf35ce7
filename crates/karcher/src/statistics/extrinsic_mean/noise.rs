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
use crate::mechanism::noise::shortest;
use crate::mechanism::noise::sum_and_count::{Choice, SumAndCountNoise};
use crate::mechanism::noise::sum_noise::SumNoise;
use crate::mechanism::{Request, Round};
use crate::noise::{Matrices, MatrixNoise};
use crate::privacy::rounding::{div_up, mul_down, mul_up};
use crate::privacy::{Definition, Guarantee};
use crate::records::{BOUND, SumQuery};
use crate::release::{Adjacency, NoiseDraw, NoiseLaw, NoiseOf, PrivateCount, ReleasedBound};

/// Covers the rounding of embedded points, see above and in the plan.
const ROUNDING: f64 = 1.0 + 1e-9;

/// The law of the nuclear norm is taken where it is shorter by this factor at least. For matrices of size 2 both laws
/// are one.
const SHORTER: f64 = 0.99;

/// Noise on a sum of embedded records, calibrated before any record is read; scales are in quanta.
#[derive(Debug, Clone)]
pub(super) enum EmbeddedNoise {
    /// Noise of the Euclidean length.
    Isotropic(SumNoise),
    /// Noise of the nuclear norm.
    Nuclear { noise: MatrixNoise, budget: Guarantee },
}

/// The noise with what is said of it.
pub(super) struct Chosen {
    pub(super) noise: EmbeddedNoise,
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
            let apart = mul_up(div_up(embedding.diameter(), embedding.radius()), ROUNDING);
            let moved = mul_up(apart.min(2.0), BOUND);
            let noise = shortest(dim, moved, budget)?;
            let length = Kind::Isotropic(noise.law()).deviation(dim) * noise.scale();
            if let Some(nuclear) = Nuclear::of(embedding, request)?
                && nuclear.length() < SHORTER * length
            {
                return nuclear.chosen(budget, unit);
            }
            let (scale, sensitivity) = (mul_down(noise.scale(), unit), mul_up(moved, unit));
            let draw = NoiseDraw::on_vector(NoiseOf::Value, noise.law(), dim, scale, sensitivity);
            let integrated = noise.integrated;
            let noise = EmbeddedNoise::Isotropic(SumNoise::Known(noise));
            Ok(Chosen { noise, moved, bound: ReleasedBound::Embedding, draw, integrated })
        }
        Adjacency::AddRemove => {
            let noise = SumAndCountNoise::new(dim, BOUND, budget, Choice::Shortest)?;
            let (moved, draw, integrated) = (noise.moved, noise.draw(unit), noise.integrated);
            let noise = EmbeddedNoise::Isotropic(SumNoise::Joint(noise));
            Ok(Chosen { noise, moved, bound: ReleasedBound::SumAndCount, draw, integrated })
        }
    }
}

/// Noise of the nuclear norm, with what a record moves the sum by.
struct Nuclear {
    noise: MatrixNoise,
    moved: f64,
}

impl Nuclear {
    /// For pure ε, on matrices of a size that is drawn.
    fn of(embedding: &dyn Embedding, request: &Request) -> Result<Option<Self>> {
        let (matrices, angles) = match embedding.form() {
            EmbeddedForm::Real { n, k } => (Matrices::Symmetric(n), k.min(n - k)),
            EmbeddedForm::Complex { n } => (Matrices::Hermitian(n), 1),
            EmbeddedForm::Vector(_) | EmbeddedForm::Several => return Ok(None),
        };
        let Definition::Pure { epsilon } = request.budget().definition() else { return Ok(None) };
        if request.asks_isotropic() || matrices.noise().is_none() || matrices.numbers() != embedding.dim() {
            return Ok(None);
        }
        let apart = mul_up(div_up(2.0 * angles as f64, embedding.radius()), ROUNDING);
        let moved = mul_up(apart, BOUND);
        Ok(Some(Self { noise: MatrixNoise::new(matrices, div_up(moved, epsilon))?, moved }))
    }

    /// The standard deviation of a number of it.
    fn length(&self) -> f64 {
        Kind::Nuclear(self.noise.matrices()).deviation(self.noise.matrices().numbers()) * self.noise.sigma()
    }

    fn chosen(self, budget: Guarantee, unit: f64) -> Result<Chosen> {
        let Self { noise, moved } = self;
        let (scale, sensitivity, numbers) =
            (mul_down(noise.sigma(), unit), mul_up(moved, unit), noise.matrices().numbers());
        let draw = NoiseDraw::on_vector(NoiseOf::Value, NoiseLaw::NuclearLaplace, numbers, scale, sensitivity);
        let noise = EmbeddedNoise::Nuclear { noise, budget };
        Ok(Chosen { noise, moved, bound: ReleasedBound::Embedding, draw, integrated: false })
    }
}

impl EmbeddedNoise {
    /// Its guarantee.
    pub(super) fn guarantee(&self) -> Guarantee {
        match self {
            EmbeddedNoise::Isotropic(noise) => noise.guarantee(),
            EmbeddedNoise::Nuclear { budget, .. } => *budget,
        }
    }

    /// The round in which it is added to the answer to a query.
    pub(super) fn round(&self, query: SumQuery) -> Result<Round> {
        match self {
            EmbeddedNoise::Isotropic(noise) => noise.round(query),
            EmbeddedNoise::Nuclear { noise, .. } => Round::of_matrices(query, *noise),
        }
    }

    /// The noisy sum of that round, and the private number of records.
    pub(super) fn concluded(&self, noisy: &[f64]) -> (Vec<f64>, Option<PrivateCount>) {
        match self {
            EmbeddedNoise::Isotropic(noise) => noise.concluded(noisy),
            EmbeddedNoise::Nuclear { .. } => (noisy.to_vec(), None),
        }
    }

    /// The private number of records that follows from a noisy one.
    pub(super) fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        match self {
            EmbeddedNoise::Isotropic(noise) => noise.count_again(noisy),
            EmbeddedNoise::Nuclear { .. } => None,
        }
    }

    /// Its law on a mean whose unit is the quantum over the number of records.
    pub(super) fn law(&self, dim: usize, quantum: f64, unit: f64) -> Spherical {
        match self {
            EmbeddedNoise::Isotropic(SumNoise::Known(noise)) => {
                Spherical { kind: Kind::Isotropic(noise.law()), scale: noise.scale() * unit, numbers: dim, lean: 0.0 }
            }
            EmbeddedNoise::Isotropic(SumNoise::Joint(noise)) => {
                let lean = 1.0 / (noise.in_quanta(1.0) as f64 * quantum);
                let (kind, scale) = (Kind::Isotropic(noise.law()), noise.sigma() * unit);
                Spherical { kind, scale, numbers: dim + 1, lean }
            }
            EmbeddedNoise::Nuclear { noise, .. } => {
                let kind = Kind::Nuclear(noise.matrices());
                Spherical { kind, scale: noise.sigma() * unit, numbers: dim, lean: 0.0 }
            }
        }
    }
}
