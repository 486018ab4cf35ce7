//! Private minimizers of a user's loss by noisy Riemannian gradient descent (user guide, K2).

mod checked;
mod description;
mod extremes;
pub(crate) mod plan;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use crate::points::Points;
use crate::records::{Centered, Gradient, Loss, Preprocessing, SumQuery, Summand};
use crate::spec::{Descent, NumericsPolicy, field};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Numbers of steps.
const STEPS: RangeInclusive<usize> = 1..=100_000;

/// A request for a point that nearly minimizes the mean of a user's loss over the records.
///
/// The loss is given by its [`Gradient`]. The descent begins at the center of the public ball and never leaves the
/// ball. Records are taken as they are, of any space; the gradient of each is clipped.
///
/// ```
/// use karcher::{Ball, Points, ReleaseContext, manifold::{Euclidean, Sphere}, privacy::Guarantee, spec::Descent};
/// use karcher::mechanism::{Plan, PrivateDescent, Request};
/// use std::sync::Arc;
/// // the direction in which vectors vary most: minus half of ⟨x, θ⟩²
/// let gradient = |at: &[f64], x: &[f64], out: &mut [f64]| {
///     let along = at[0] * x[0] + at[1] * x[1];
///     for (out, (at, x)) in out.iter_mut().zip(at.iter().zip(x)) {
///         *out = -along * (x - along * at);
///     }
/// };
/// let (circle, plane) = (Arc::new(Sphere::new(1)?), Arc::new(Euclidean::new(2)?));
/// let ball = Ball::new(&*circle, vec![0.0, 1.0], 3.1)?;
/// let descent =
///     Descent { records: "euclidean:2".parse()?, clip: 1.0, step_sizes: vec![1.0; 40], loss: Some("components".into()) };
/// let direction = PrivateDescent::new(circle, ball, descent)?.gradient(Arc::new(gradient))?;
/// let records = Points::new(&*plane, [0.9, 0.3, -0.8, 0.2].repeat(5_000))?;
/// let plan = Request::new(direction, records.len(), Guarantee::gaussian(1.0)?).plan()?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert!(release.value()[0].abs() > 0.99);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateDescent {
    /// The space and the ball, as for a mean.
    seen: PrivateFrechetMean,
    records: Arc<dyn Manifold>,
    descent: Descent,
    /// The gradient. Without it there is a plan, and no release.
    loss: Option<Loss>,
    /// Whether the vector of a record did not depend on other records, to the last bit, where it was tried.
    is_exact: bool,
}

impl PrivateDescent {
    /// A descent in a ball, whose gradient is still to come.
    ///
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space, and for an unknown space of the records.
    /// [`Error::InvalidParameter`] for a radius, a clipping length or a step size out of range.
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, descent: Descent) -> Result<Self> {
        check_length("radius", ball.radius())?;
        check_one_radius(&ball)?;
        check_length("clip", descent.clip)?;
        if !STEPS.contains(&descent.step_sizes.len()) {
            let (found, most) = (descent.step_sizes.len() as f64, STEPS.end());
            let requirement = format!("there are 1 to {most} steps, with a size each");
            return Err(Error::InvalidParameter { name: "step_sizes", value: found, requirement });
        }
        if let Some(size) = descent.step_sizes.iter().find(|size| !(**size > 0.0 && size.is_finite())) {
            let requirement = "the size of a step is a positive number".to_owned();
            return Err(Error::InvalidParameter { name: "step_sizes", value: *size, requirement });
        }
        let records = descent.records.manifold()?;
        let seen = PrivateFrechetMean::new(manifold, ball)?;
        Ok(Self { seen, records, descent, loss: None, is_exact: true })
    }

    /// The same with its gradient, which is tried on made-up records: normal vectors, or such points of other spaces.
    ///
    /// # Errors
    /// As for [`gradient_tried_on`](PrivateDescent::gradient_tried_on).
    pub fn gradient(self, gradient: Arc<dyn Gradient>) -> Result<Self> {
        let examples = extremes::usual(&*self.records)?;
        self.gradient_tried_on(gradient, &examples)
    }

    /// The same with its gradient, which is tried on public records of your own, 16 different ones at least, and on
    /// extreme ones among them. A gradient may have no vector for an extreme record.
    ///
    /// # Errors
    /// [`Error::Field`] where its vectors are no tangent vectors, and where they differ from one call to the next. Also
    /// where the vector of a record depends on other records by more than rounding.
    pub fn gradient_tried_on(self, gradient: Arc<dyn Gradient>, examples: &Points) -> Result<Self> {
        let examples = examples.view().check_space(self.records.space())?;
        let loss = Loss { manifold: Arc::clone(self.manifold()), gradient };
        let is_exact = checked::is_of_rows_alone(&loss, &*self.records, self.ball(), examples)?;
        Ok(Self { loss: Some(loss), is_exact, ..self })
    }

    /// The space of the minimizer.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// The public ball: the descent begins at its center, and never leaves it.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }

    /// The space of the records.
    pub fn records(&self) -> &Arc<dyn Manifold> {
        &self.records
    }

    /// The steps.
    pub fn descent(&self) -> &Descent {
        &self.descent
    }

    /// Refuses a gradient that depends on other records by rounding, unless proofs about real numbers are accepted.
    fn check_bits(&self, accepts: NumericsPolicy) -> Result<()> {
        if self.is_exact || accepts == NumericsPolicy::Any {
            return Ok(());
        }
        let reason = "gives a record a vector whose last digits depend on the other records of a call, as products of \
                      matrices do, so that no proof is exact: take numerics `any`, or compute each row by itself";
        Err(field("gradient", reason))
    }

    /// The sum at a point.
    fn query(&self, at: &[f64]) -> Result<SumQuery> {
        let Some(loss) = &self.loss else {
            let reason = "is missing: it is a function, which no specification holds; plan with `PrivateDescent`";
            return Err(field("gradient", reason));
        };
        let view = Preprocessing { centered: Centered::unmoved(&self.records)?, clip: false, predictors: None };
        SumQuery::new(view, Summand::Gradient { base: at.to_vec(), clip: self.descent.clip, of: loss.clone() })
    }
}
