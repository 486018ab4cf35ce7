//! The sentence that states a release in a paper.

use super::numbers::{short, short_down, short_up};
use super::{Fact, Lengths, Style, facts, place};
use crate::manifold::Manifold;
use crate::release::{
    Cluster, Collected, Flag, PrivateFeatureRegression, PublishedRelease, ReleasedCount, Symbols, Value,
};
use crate::statistics::BallUse;

impl PublishedRelease {
    /// The release in a few sentences for a paper: the value, the guarantee, regions, the ball and the flags.
    ///
    /// ```
    /// # use karcher::{Ball, Points, ReleaseContext, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}};
    /// # use karcher::{privacy::Guarantee, release::PublishedRelease};
    /// # let sphere = std::sync::Arc::new(Sphere::new(2)?);
    /// # let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
    /// # let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
    /// # let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?;
    /// let release = PublishedRelease::from(plan.run(&records, &mut ReleaseContext::seeded(1))?);
    /// assert!(release.sentence().starts_with("The private Fréchet mean of 1000 records on sphere:2 was "));
    /// assert!(release.sentence().contains(". The mean of the clipped records is within "));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sentence(&self) -> String {
        let how = &self.provenance;
        let space = how.manifold.manifold().ok();
        let facts = facts(self, &Style::of_paper(how));
        let clauses = facts.iter().filter(|fact| fact.is_clause).map(Fact::sentence);
        let stated = [stated(self, space.as_deref())].into_iter().chain(clauses);
        stated.chain([clipped(self, space.as_deref()), made(self)]).collect::<Vec<_>>().join(" ")
    }
}

impl Fact {
    /// A clause as a sentence.
    fn sentence(&self) -> String {
        let mut letters = self.words.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    }
}

/// The value and the guarantee.
fn stated(release: &PublishedRelease, space: Option<&dyn Manifold>) -> String {
    let how = &release.provenance;
    let lengths = Lengths::of_paper(how).alone();
    let promise = format!("{}, {}", Symbols(how.guarantee), how.neighbours());
    let on = format!("{} on {}", how.how_many(), how.manifold);
    let place = |point: &[f64]| place(point, space, how.layout.as_deref());
    match &release.value {
        Value::Point(point) => {
            format!("The private {} of {on} was {} ({promise}).", how.statistic.description().noun, place(&point.value))
        }
        Value::Geodesic(line) => {
            let [low, middle, high] =
                [line.predictor_range.low(), line.predictor_range.middle(), line.predictor_range.high()].map(short);
            let through = place(&line.footpoint);
            format!(
                "The private geodesic regression of {on}, with a predictor from {low} to {high}, passed through \
                 {through} where the predictor is {middle} ({promise})."
            )
        }
        Value::Features(regression) => on_features(regression, &on, &promise),
        Value::Ball(ball) => {
            let radius = lengths.words(ball.radius);
            format!(
                "A ball for {on} was located privately: radius {radius} around {} ({promise}).",
                place(&ball.center)
            )
        }
        Value::Variance(variance) => {
            let [low, high] = variance.root_mean_square_interval;
            format!(
                "The private root mean square distance of {on} to a public center was {} ({promise}), 95 % interval \
                 from {} to {}.",
                lengths.words(variance.root_mean_square),
                lengths.words_down(low),
                lengths.words_up(high)
            )
        }
        Value::Covariance(found) => format!(
            "The private mean of {on} was {}, released together with the covariance matrix ({promise}); {} of its {} \
             principal components exceed the noise.",
            place(&found.mean),
            found.above_noise(),
            found.variances.len()
        ),
        Value::Clusters(found) => {
            let center =
                |cluster: &Cluster| format!("{} ({:.0} % of them)", place(&cluster.center), 100.0 * cluster.weight);
            let centers: Vec<String> = found.clusters.iter().map(center).collect();
            format!("Private k-means of {on} found {} clusters, at {} ({promise}).", centers.len(), centers.join(", "))
        }
        Value::Score(score) => {
            let [low, high] = score.score_interval;
            format!(
                "The private {} of fixed predictions for {} was {} ({promise}), 95 % interval from {} to {}.",
                score.metric.noun(),
                how.how_many(),
                short(score.score),
                short_down(low),
                short_up(high)
            )
        }
        Value::Selection(chosen) => {
            let (one, all) = (&chosen.candidate, chosen.candidates.join(", "));
            format!("Of {all}, {one} was chosen privately for {} ({promise}).", how.how_many())
        }
        Value::Quantiles(found) => {
            let rows = found.levels.iter().zip(&found.quantiles).zip(&found.intervals);
            let each: Vec<String> = rows
                .map(|((level, value), [low, high])| {
                    let ends = (lengths.words_down(*low), lengths.words_up(*high));
                    format!("{} at level {level} (95 % interval from {} to {})", lengths.words(*value), ends.0, ends.1)
                })
                .collect();
            let (kind, each) = (found.positions.noun(), each.join(", "));
            format!("For {on}, the private quantiles of {kind} were {each} ({promise}).")
        }
        Value::Record(_) => format!("One randomized record on {} was released ({promise}).", how.manifold),
    }
}

fn on_features(regression: &PrivateFeatureRegression, on: &str, promise: &str) -> String {
    let at = "in the tangent space at the center of the ball";
    if let Some(basis) = regression.basis.as_ref().filter(|_| regression.is_mean()) {
        let vectors = if basis.len() == 1 { "vector" } else { "vectors" };
        let many = basis.len();
        return format!("The private mean of {on} in a public basis of {many} {vectors} was taken {at} ({promise}).");
    }
    let columns = regression.features.columns();
    let covariates = match columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>() {
        none if none.is_empty() => "no covariate".to_owned(),
        names => names.join(", "),
    };
    let many = regression.coefficients.len();
    let fitted =
        format!("The private linear regression of {on}, {at}, had {many} features of {covariates} ({promise}).");
    let included = " The effects are changes of its prediction; intervals and p-values include the noise.";
    let listed = columns.iter().any(|column| column.levels.is_some());
    let others = if listed { " Levels that are not listed count as other." } else { "" };
    format!("{fitted}{}{others}", if regression.effects.is_empty() { "" } else { included })
}

/// The treatment of records outside of the ball.
fn clipped(release: &PublishedRelease, space: Option<&dyn Manifold>) -> String {
    let how = &release.provenance;
    let of_ball = match how.statistic.description().ball {
        BallUse::None => return "No record was clipped: no ball is needed.".to_owned(),
        BallUse::ClipsGradients => return "The gradient of each record was clipped to a public length.".to_owned(),
        BallUse::Searched => "The search was in",
        BallUse::Clips | BallUse::Outer if how.flags.contains(&Flag::AssumedInBall) => {
            "All records were assumed to lie in"
        }
        BallUse::Clips | BallUse::Outer => "Records were clipped to",
    };
    let radius = Lengths::of_paper(how).alone().words(how.ball.radius());
    let origin = if how.located.is_some() { "a located ball" } else { "a public ball" };
    format!("{of_ball} {origin} of radius {radius} around {}.", place(how.ball.center(), space, how.layout.as_deref()))
}

/// The program, the mechanism, and the conditions of the guarantee.
fn made(release: &PublishedRelease) -> String {
    let how = &release.provenance;
    let flags: Vec<&str> = how.flags.iter().map(|flag| flag.name()).collect();
    let flags = if flags.is_empty() { "no flags".to_owned() } else { format!("flags {}", flags.join(", ")) };
    let numerics = how.numerics.name();
    format!("Made by karcher {} (mechanism {}, numerics {numerics}, {flags}).", how.karcher, how.mechanism)
}

impl ReleasedCount {
    /// The count in a sentence for a paper.
    pub fn sentence(&self) -> String {
        let [low, high] = self.interval;
        let to = if high < f64::MAX { format!("to {}", high.floor()) } else { "on".to_owned() };
        format!(
            "The private number of {}s was {} ({}, {}), 95 % interval from {} {to}.",
            self.unit,
            self.value,
            Symbols(self.guarantee),
            self.adjacency.of_unit(self.unit),
            low.ceil()
        )
    }
}

impl Collected {
    /// The collected mean in a few sentences for a paper.
    pub fn sentence(&self) -> String {
        let manifold = self.manifold.manifold().ok();
        format!(
            "The mean of {} randomized {}s on {} was {} ({} for each, in the local model). Each was clipped to a \
             public ball of radius {}.",
            self.n,
            self.unit,
            self.manifold,
            place(&self.value, manifold.as_deref(), None),
            Symbols(self.guarantee),
            short(self.ball.radius())
        )
    }
}
