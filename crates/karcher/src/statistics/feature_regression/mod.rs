//! Linear regression on public features of covariates, on every space (user guide, R5).
//!
//! A record is the pair of a response and its row `φ`, `‖φ‖ ≤ 1`, a point of [`Features::space_of_records`]. With
//! `y = clip_r(Log_{m₀} x)` the mean of `(φφᵀ, (ω/r)·φ ⊗ y, (ν/r²)·‖y‖²)` gets noise, in one exact sum. With Gaussian
//! noise and `ω = √2` **the moments of the features, and the mean square, cost nothing**: replacing a record moves all
//! of it by no more than the middle part alone.
//!
//! Everything after that is processing: the coefficients ([`model`]), predictions with regions, effects and tests
//! ([`inference`]). On curved spaces this is regression in the tangent space at the ball's public center.

mod basis;
mod description;
mod forecast;
mod inference;
mod leverage;
mod model;
mod plan;
mod significance;

pub use inference::{Estimate, FeatureModel};
pub use plan::FeatureRegressionPlan;
pub(crate) use significance::DRAWS as DRAWS_OF_TESTS;

use crate::mechanism::PrivateRegression;
use crate::statistics::geodesic_regression::rehearsal::Rehearsal;
pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::Result;
use crate::features::Features;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use crate::points::{Points, PointsView};
use crate::records::{Centered, MomentWeights, PredictorRange, Preprocessing, SumQuery, Summand, shorten};
use crate::release::Adjacency;
use basis::Basis;
use std::sync::Arc;

/// All public parameters of a private regression on features.
///
/// ```
/// use karcher::features::{Covariate, Features};
/// use karcher::mechanism::{FeatureModel, PrivateFeatureRegression, Request};
/// use karcher::{Ball, Points, ReleaseContext, Space, privacy::Guarantee, release::PublishedRelease};
/// let line = "euclidean:1".parse::<Space>()?.manifold()?;
/// // public: chosen without looking at the records
/// let ball = Ball::new(&*line, vec![170.0], 40.0)?;
/// let features = Features::new(vec!["linear:age:20:80".parse()?, "levels:sex:F,M".parse()?])?;
/// let regression = PrivateFeatureRegression::new(line.clone(), ball, features.clone())?;
/// let plan = Request::new(regression, 10_000, Guarantee::gaussian(1.0)?).plan()?;
///
/// // confidential: women are 12 cm shorter, and height does not depend on age
/// let heights = Points::new(&*line, [164.0, 176.0].repeat(5_000))?;
/// let rows: Vec<f64> = (0..10_000).flat_map(|i| features.row_of(&[20.0 + f64::from(i % 61), f64::from(i % 2)])).collect();
/// let records = features.records(line, heights.view(), &rows)?;
///
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// let model = FeatureModel::of(&PublishedRelease::from(release))?;
/// let height = model.predict(&features.row_of(&[50.0, 0.0]))?; // of a woman of 50
/// assert!((height.point[0] - 164.0).abs() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateFeatureRegression {
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    features: Features,
    records: Arc<dyn Manifold>,
    joint: Centered,
    basis: Option<Basis>,
}

impl PrivateFeatureRegression {
    /// The regression on features of responses in a ball.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for a ball of another space, and for more than a million numbers in
    /// a record. [`Error::InvalidParameter`](crate::Error::InvalidParameter) for more than four million moments.
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, features: Features) -> Result<Self> {
        ball.check_space(&manifold)?;
        check_length("radius", ball.radius())?;
        check_one_radius(&ball)?;
        let records = features.space_of_records(Arc::clone(&manifold))?;
        let joint = Centered::new(&records, &around_zero(&*records, &ball, features.width())?)?;
        let this = Self { manifold, ball, features, records, joint, basis: None };
        this.query(this.weights(Adjacency::ReplaceOne))?;
        Ok(this)
    }

    /// The same in the span of a public basis: tangent vectors at the center of the ball, in the numbers of the space.
    /// Responses are projected on it before they are clipped, so that the noise has the dimension of the span.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for vectors of another length, and where none is tangent.
    ///
    /// ```
    /// use karcher::{Ball, features::Features, manifold::Euclidean, mechanism::{PrivateFeatureRegression, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(100)?);
    /// let ball = Ball::at_origin(&*space, 1.0)?;
    /// let all = PrivateFeatureRegression::new(space, ball, Features::new(vec!["linear:age:20:80".parse()?])?)?;
    /// let slope = all.clone().basis(&[(0..100).map(f64::from).collect()])?;
    /// let error = |regression| Request::new(regression, 1_000, Guarantee::gaussian(1.0)?).plan().map(|p| p.expected_distance());
    /// assert!(error(slope)? < 0.2 * error(all)?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn basis(self, vectors: &[Vec<f64>]) -> Result<Self> {
        let basis = Basis::new(&Centered::new(&self.manifold, &self.ball)?, vectors)?;
        let this = Self { basis: Some(basis), ..self };
        this.query(this.weights(Adjacency::ReplaceOne))?;
        Ok(this)
    }

    /// The numbers of a response: of its coordinates, or along the basis.
    fn dim(&self) -> usize {
        self.basis.as_ref().map_or(self.manifold.dim(), Basis::len)
    }

    /// The space of the responses.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.manifold
    }

    /// The public ball, to which responses are clipped.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The space of the records: of responses and rows.
    pub fn records(&self) -> &Arc<dyn Manifold> {
        &self.records
    }

    /// The ball of records within which several of one person are averaged: the public one, with rows of norm 1.
    pub fn ball_of_records(&self) -> &Ball {
        self.joint.of()
    }

    /// Records with responses clipped to the ball and rows shortened to norm 1, as the moments take them.
    ///
    /// Several records of one person are averaged in [`ball_of_records`](Self::ball_of_records). It would shorten a
    /// response far out together with its row, so clip them first.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for records of another space.
    ///
    /// ```
    /// use karcher::{Ball, Points, features::Features, manifold::Euclidean, mechanism::PrivateFeatureRegression};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let ball = Ball::at_origin(&*line, 1.0)?;
    /// let regression = PrivateFeatureRegression::new(line, ball, Features::matrix(2)?)?;
    /// let records = Points::new(&**regression.records(), vec![50.0, 0.6, 0.8])?;
    /// assert_eq!(regression.clipped(records.view())?.view().values(), [1.0, 0.6, 0.8]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn clipped(&self, records: PointsView<'_>) -> Result<Points> {
        records.check_space(self.records.space())?;
        let (len, responses) = (self.manifold.point_len(), Centered::new(&self.manifold, &self.ball)?);
        let mut values = records.values().to_vec();
        for record in values.chunks_exact_mut(records.point_len()) {
            let (response, row) = record.split_at_mut(len);
            shorten(row, 1.0);
            if self.manifold.dist(self.ball.center(), response) > self.ball.radius() {
                let outside = PointsView::unchecked(self.manifold.space(), len, response);
                let clipped = responses.back(responses.records(outside, true).view().values());
                response.copy_from_slice(&clipped);
            }
        }
        Ok(Points::unchecked(self.records.space(), records.point_len(), values))
    }

    /// The weights of the moments that leave the least noise on predictions: a function of the dimension.
    ///
    /// The noise on a prediction has the mean square `Δ²·(½·‖B‖² + d/ω²)`, up to a factor, with coefficients `B` in
    /// units of the radius. `‖B‖ = 1` is taken. Replacing a record has `Δ = (2 + ω²)/√2`, least at
    /// `ω² = (√(d² + 8d) − d)/2`. One record more or less has `Δ² = 1 + ω² + ν²`, least at `ω² = √(2d·(1 + ν²))`.
    pub fn weights(&self, adjacency: Adjacency) -> MomentWeights {
        let d = self.dim() as f64;
        match adjacency {
            Adjacency::ReplaceOne => {
                let response = (0.5 * ((d * d + 8.0 * d).sqrt() - d)).sqrt();
                MomentWeights { response, square: response }
            }
            Adjacency::AddRemove => {
                const SQUARE: f64 = 0.5; // a twentieth more noise
                let response = (2.0 * d * (1.0 + SQUARE * SQUARE)).sqrt().sqrt();
                MomentWeights { response, square: SQUARE }
            }
        }
    }

    /// The root mean square distance of regression in the tangent space from geodesic regression: rehearsed with
    /// made-up geodesics, as long as the radius of the ball, on one predictor. 0 on flat spaces; it is no bound. `None`
    /// for a ball so large that geodesic regression in it has no sensitivity.
    ///
    /// ```
    /// use karcher::{Ball, features::Features, manifold::Sphere, mechanism::PrivateFeatureRegression};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let of = |radius| {
    ///     let ball = Ball::at_origin(&*sphere, radius)?;
    ///     PrivateFeatureRegression::new(sphere.clone(), ball, Features::matrix(2)?).map(|of| of.curvature_error().unwrap())
    /// };
    /// assert!(of(0.1)? < 0.01 * of(1.0)?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn curvature_error(&self) -> Option<f64> {
        let slope = self.ball.radius().min(0.9 * self.manifold.injectivity_radius());
        let range = PredictorRange::new(0.0, 1.0).ok()?;
        let on_one = PrivateRegression::new(Arc::clone(&self.manifold), self.ball.clone(), range, slope).ok()?;
        Some(Rehearsal::new(&on_one).bias)
    }

    /// The sum of the moments over the records.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for more than four million moments.
    pub fn query(&self, weights: MomentWeights) -> Result<SumQuery> {
        let term = Summand::FeatureMoments {
            base: self.joint.center().to_vec(),
            radius: self.ball.radius(),
            features: self.features.width(),
            weights,
            basis: self.basis.as_ref().map(|basis| basis.rows().to_vec()),
        };
        SumQuery::new(Preprocessing { centered: self.joint.clone(), clip: false, predictors: None }, term)
    }
}

/// The ball of records around the center of a ball of responses and a row of zeros. Within it are all responses of that
/// ball, with their rows.
fn around_zero(records: &dyn Manifold, ball: &Ball, features: usize) -> Result<Ball> {
    let center = [ball.center(), &vec![0.0; features]].concat();
    Ok(Ball::new(records, center, ball.radius().hypot(1.0))?)
}
