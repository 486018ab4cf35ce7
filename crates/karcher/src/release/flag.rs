//! Flags of a release: caveats in addition to its guarantee.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A caveat about a release in addition to its guarantee. It prints as a sentence.
///
/// ```
/// use karcher::release::Flag;
/// assert!(Flag::Seeded.to_string().starts_with("seeded: the noise can be reproduced"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// The proof is about real numbers, and the draw used floating-point numbers.
    IdealizedNumerics,
    /// On a curved space: the sensitivity includes an allowance for rounding in logarithms and exponentials, which is
    /// measured and not proved.
    RoundingAllowance,
    /// The scale, or the guarantee, comes from integrals whose numerical errors are estimated and added, not proved.
    EstimatedIntegrals,
    /// The value is the state of a Markov chain that was stopped at a finite time. The proof is about the chain's limit
    /// law, so the guarantee holds up to the unknown distance between the two laws.
    McmcApproximate,
    /// The noise is reproducible, hence **not private**.
    Seeded,
    /// The numbers of the value represent it less accurately than a thousandth of the noise's scale. Matrices whose
    /// smallest eigenvalue is 0 in double precision have it raised, and coordinates far from 0 lose digits.
    BeyondPrecision,
    /// No ball with a useful mean holds the fraction of records that a located ball aims at. A mean is useful where it
    /// is sure to be unique, and at most three times as sensitive as in a flat space. The released mean is that of
    /// records clipped to a smaller ball around the same center, in which it is useful.
    NoUsefulMean,
    /// Few records, or a small budget: noise alone may have chosen the radius of a located ball, because the ranks by
    /// which it may miss its aim reach beyond all records. The ball, and a mean in it, may be anywhere.
    TooFewRecords,
    /// The released center, or median, lies at the edge of the public outer ball, so that many records may lie outside
    /// it. It is a function of the value and of that ball.
    CenterAtEdge,
    /// Records of a person were clipped before they were reduced to a contribution. The spread counts contributions, so
    /// it misses records outside the ball.
    ClippedBeforeReduced,
    /// Noise moves the value farther, on average, than the radius of the ball; a variance farther than the square of
    /// the radius. It is a function of public numbers: the expected distance and the ball.
    NoiseExceedsBall,
    /// The released moments leave an effect of a regression to noise: its levels or values are too rare, or a predictor
    /// hardly varies in its range. It is a function of the moments.
    LittleInformation,
    /// Records were assumed to lie in the ball, not clipped to it: the guarantee holds only if they do.
    AssumedInBall,
    /// The space is declared by the caller. The guarantee holds if its curvature, its injectivity radius and its
    /// formulas are correct.
    DeclaredSpace,
    /// The gradient of a loss is a function of the caller. The guarantee holds if the vector of each record depends on
    /// that record alone.
    DeclaredGradient,
    /// Other processes computed the sums over the records. The guarantee holds if each record is in the sum once, as
    /// this library adds it.
    RemoteSums,
    /// Reading left out records that lack a value, so `n` reveals how many did not lack it: that is not protected. Only
    /// the command line sets this flag.
    MissingDropped,
}

impl Flag {
    /// Whether the privacy event must have stated the flag. Then the guarantee rests on unclipped records, a Markov
    /// chain, errors that are measured or estimated, or what the caller declares.
    ///
    /// ```
    /// use karcher::release::Flag;
    /// assert!(Flag::AssumedInBall.is_assumption() && !Flag::CenterAtEdge.is_assumption());
    /// ```
    pub fn is_assumption(self) -> bool {
        match self {
            Flag::RoundingAllowance
            | Flag::EstimatedIntegrals
            | Flag::McmcApproximate
            | Flag::AssumedInBall
            | Flag::DeclaredSpace
            | Flag::DeclaredGradient => true,
            // numerics and seeds are compared separately, and a plan does not know where its records are
            Flag::IdealizedNumerics | Flag::Seeded | Flag::RemoteSums => false,
            Flag::BeyondPrecision
            | Flag::NoUsefulMean
            | Flag::TooFewRecords
            | Flag::CenterAtEdge
            | Flag::ClippedBeforeReduced
            | Flag::NoiseExceedsBall
            | Flag::LittleInformation
            | Flag::MissingDropped => false,
        }
    }

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        let sentence = self.sentence();
        sentence.split_once(':').map_or(sentence, |(name, _)| name)
    }

    /// The name and what it means.
    fn sentence(self) -> &'static str {
        match self {
            Flag::IdealizedNumerics => {
                "idealized-numerics: the proof is about real numbers, the noise was drawn in floating point"
            }
            Flag::RoundingAllowance => {
                "rounding-allowance: what rounding in logarithms adds to the sensitivity is measured, not proved"
            }
            Flag::EstimatedIntegrals => {
                "estimated-integrals: the noise scale comes from integrals whose numerical errors are estimated, not \
                 proved"
            }
            Flag::McmcApproximate => {
                "mcmc-approximate: drawn by a Markov chain stopped at a finite time, so the guarantee is approximate"
            }
            Flag::Seeded => "seeded: the noise can be reproduced, so this release is NOT private",
            Flag::BeyondPrecision => {
                "beyond-precision: the value is so far out that its numbers do not hold all of it; for matrices see \
                 logarithm"
            }
            Flag::NoUsefulMean => {
                "no-useful-mean: the located ball is too large for a useful mean: the records are too far apart, or \
                 they were not found (few records, a small budget, an outer ball that misses them); on a product, \
                 rescale a factor that is far wider than the others"
            }
            Flag::TooFewRecords => {
                "too-few-records: noise alone may have chosen the located ball, because records are few for this \
                 budget: the ball may lie anywhere, and so may a mean in it; use more records or a larger budget"
            }
            Flag::CenterAtEdge => {
                "center-at-edge: the result lies at the edge of the ball that was searched, so the records may lie \
                 outside; take a larger outer ball, or one around another center"
            }
            Flag::ClippedBeforeReduced => {
                "clipped-before-reduced: the records of each person were clipped before they became one contribution, \
                 so the fraction outside the ball and the effect of clipping are those of contributions: they do not \
                 show a ball that is too small for the records"
            }
            Flag::NoiseExceedsBall => {
                "noise-exceeds-ball: the expected error exceeds the radius of the ball (of a variance, its square), so \
                 this value is mostly noise; use more records, a smaller ball or a larger budget"
            }
            Flag::LittleInformation => {
                "little-information: noise hides an effect, because its levels or values are too rare, or a predictor \
                 hardly varies in its range: check its unit, or use more records, a larger budget or fewer terms"
            }
            Flag::AssumedInBall => {
                "assumed-in-ball: records were not clipped; private only if all of them lie in the ball"
            }
            Flag::DeclaredSpace => {
                "declared-space: the caller declares the space; the guarantee holds if its declarations are right"
            }
            Flag::DeclaredGradient => {
                "declared-gradient: the caller declares that the gradient of a record depends on that record alone; \
                 the guarantee holds if it does"
            }
            Flag::RemoteSums => {
                "remote-sums: other processes computed the sums; the guarantee holds if they added each record once"
            }
            Flag::MissingDropped => {
                "missing-dropped: records that lacked a value were left out: n shows how many are complete, and is not \
                 protected"
            }
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}
