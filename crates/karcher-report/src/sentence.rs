//! The sentence that states a release in a paper.

use crate::document::{Content, Document};
use crate::html::number;
use crate::picture::subject;
use crate::value::place;
use karcher::Manifold;
use karcher::features::Term;
use karcher::release::{
    Change, Cluster, DirectionalSummary, Flag, PrivacyUnit, PrivateBall, PrivateClusters, PrivateFeatureRegression,
    PrivateGeodesic, PrivatePoint, PrivateVariance, Provenance, PublishedRelease, Region, RegionCenter, Symbols, Value,
};
use karcher::statistics::BallUse;

/// A document in a sentence or two, with four digits: the value, the guarantee, the region, the ball and the flags.
pub fn of(document: &Document) -> String {
    match &document.content {
        Content::Release(release, _) => of_release(release),
        Content::Groups(groups) => {
            let names: Vec<&str> = groups.groups.iter().map(|group| group.group.as_str()).collect();
            format!(
                "Private means were released for {} groups by {}: {} ({}, of all groups together).",
                names.len(),
                groups.by,
                names.join(", "),
                Symbols(groups.guarantee)
            )
        }
        Content::Count(count) => {
            let [low, high] = count.interval;
            let to = if high < f64::MAX { format!("to {}", number(high)) } else { "on".to_owned() };
            format!(
                "The private number of {}s was {} ({}, {}), 95 % interval from {} {to}.",
                count.unit,
                number(count.value),
                Symbols(count.guarantee),
                count.adjacency.of_unit(count.unit),
                number(low)
            )
        }
        Content::Collected(all) => {
            let manifold = all.manifold.manifold().ok();
            format!(
                "The mean of {} randomized {}s on {} was {} ({} for each, in the local model). Each was clipped to a \
                 public ball of radius {}.",
                all.n,
                all.unit,
                all.manifold,
                place(&all.value, manifold.as_deref(), None),
                Symbols(all.guarantee),
                number(all.ball.radius())
            )
        }
    }
}

/// One release in a sentence or two.
pub fn of_release(release: &PublishedRelease) -> String {
    let how = &release.provenance;
    let manifold = how.manifold.manifold().ok();
    let manifold = manifold.as_deref();
    let (promise, many) = (format!("{}, {}", Symbols(how.guarantee), how.neighbours()), how.how_many());
    let stated = match &release.value {
        Value::Point(point) => mean(how, point, manifold, &many, &promise),
        Value::Geodesic(line) => geodesic(how, line, manifold, &many, &promise),
        Value::Features(regression) => on_features(how, regression, &many, &promise),
        Value::Ball(ball) => located(how, ball, manifold, &many, &promise),
        Value::Variance(variance) => distance(how, variance, &many, &promise),
        Value::Clusters(found) => clusters(how, found, manifold, &many, &promise),
        Value::Record(_) => format!("One randomized record on {} was released ({promise}).", how.manifold),
    };
    format!("{stated} {} {}", clipped(how, manifold), made(how))
}

fn mean(how: &Provenance, point: &PrivatePoint, space: Option<&dyn Manifold>, many: &str, promise: &str) -> String {
    let name = how.statistic.description().noun;
    let value = place(&point.value, space, how.layout.as_deref());
    let mut stated = format!("The private {name} of {many} on {} was {value} ({promise}).", how.manifold);
    let regions = [
        (
            point.region.as_ref(),
            match point.extrinsic {
                Some(_) => "The extrinsic mean of the records",
                None => "The mean of the clipped records",
            },
        ),
        (
            point.spread.as_ref().and_then(|spread| spread.population_region.as_ref()),
            "The mean of their population, clipped like them,",
        ),
    ];
    for (region, of) in regions {
        stated += &region.map(|region| format!(" {of} is within {}.", within(how, region))).unwrap_or_default();
    }
    stated += &point
        .extrinsic
        .iter()
        .flat_map(|mean| &mean.factors)
        .map(|factor| directional(how, factor))
        .collect::<String>();
    if let Some(spread) = &point.spread {
        let outside = 100.0 * spread.fraction_outside.value;
        // records of a person are clipped before they become one contribution
        let of = match how.unit {
            PrivacyUnit::Person => "contributions",
            _ => "records",
        };
        stated += &format!(" About {} % of the {of} lie outside of the ball.", number(outside));
        let bound = spread.clipping.map(|bound| subject::short_length(how, bound));
        stated += &bound.map(|bound| format!(" Clipping moved the mean by at most about {bound}.")).unwrap_or_default();
    }
    stated
}

/// How the records are spread about an extrinsic mean.
fn directional(how: &Provenance, factor: &DirectionalSummary) -> String {
    let of = format!(" On {}, the mean resultant length is {}", factor.space, number(factor.mean_resultant_length));
    let kappa = factor.concentration.map(|found| format!(" (κ = {}, {} law)", number(found.kappa), found.law));
    let region = match &factor.population_region {
        Some(region) if factor.is_everywhere(region.radius) => {
            ", and no direction of the population is known.".to_owned()
        }
        Some(region) => format!(", and the mean of the population is within {}.", within(how, region)),
        None => ".".to_owned(),
    };
    format!("{of}{}{region}", kappa.unwrap_or_default())
}

/// The radius of a region, with its probability.
fn within(how: &Provenance, region: &Region) -> String {
    let center = match region.center {
        RegionCenter::NoisyValue => "of the value before denoising",
        _ => "of it",
    };
    format!("{} {center} {}", subject::short_length(how, region.radius), region.words())
}

fn geodesic(
    how: &Provenance,
    line: &PrivateGeodesic,
    space: Option<&dyn Manifold>,
    many: &str,
    promise: &str,
) -> String {
    let range = line.predictor_range;
    format!(
        "The private geodesic regression of {many} on {}, with a predictor from {} to {}, passed through {} where the \
         predictor is {} ({promise}).",
        how.manifold,
        number(range.low()),
        number(range.high()),
        place(&line.footpoint, space, how.layout.as_deref()),
        number(range.middle()),
    )
}

fn on_features(how: &Provenance, regression: &PrivateFeatureRegression, many: &str, promise: &str) -> String {
    if let Some(basis) = regression.basis.as_ref().filter(|_| regression.is_mean()) {
        let vectors = if basis.len() == 1 { "vector" } else { "vectors" };
        return format!(
            "The private mean of {many} in a public basis of {} {vectors} was taken on {}, in the tangent space at the \
             center of the ball ({promise}).",
            basis.len(),
            how.manifold
        );
    }
    let mut stated = format!(
        "The private linear regression of {many} on {}, in the tangent space at the center of the ball, had {} features \
         of {} ({promise}).",
        how.manifold,
        regression.coefficients.len(),
        match regression.features.columns().into_iter().map(|column| column.name).collect::<Vec<_>>() {
            columns if columns.is_empty() => "no covariate".to_owned(),
            columns => columns.join(", "),
        },
    );
    for effect in &regression.effects {
        let (from, to) = (&effect.from, &effect.to);
        let moved = match effect.term.parse::<Term>().ok().filter(|term| term.columns().len() == 1) {
            Some(term) => format!("From {} {from} to {to}", term.columns()[0]),
            None => format!("From {from} to {to} of {}", effect.term),
        };
        let Change { value, interval: [low, high] } = effect.shown();
        let test = regression.term_tests.iter().find(|test| test.term == effect.term);
        let p = test.map(|test| format!(", {}", test.p())).unwrap_or_default();
        let is_doubtful = effect.little_information || test.is_some_and(|test| test.little_information);
        let doubt = if is_doubtful { ", little information" } else { "" };
        stated += &format!(
            " {moved} the prediction moves by {} ({}; 95 % interval {} to {}{p}{doubt}).",
            subject::near_length(how, value),
            distance_name(how),
            subject::least_length(how, low),
            subject::short_length(how, high)
        );
    }
    if !regression.effects.is_empty() {
        stated += " Intervals and p-values include the noise.";
    }
    if regression.features.columns().iter().any(|column| column.levels.is_some()) {
        stated += " Levels that are not listed count as other.";
    }
    stated
}

/// The distance of a space in words.
fn distance_name(how: &Provenance) -> &'static str {
    let space = how.manifold.to_string();
    match space.split(':').next().filter(|_| !space.contains(['*', '^'])) {
        Some("spd-log-euclidean" | "hpd-log-euclidean") => "log-Euclidean distance",
        Some("spd-affine-invariant" | "hpd-affine-invariant") => "affine-invariant distance",
        Some("spd-log-cholesky") => "log-Cholesky distance",
        Some("correlation-off-log") => "off-log distance",
        Some("simplex-aitchison") => "Aitchison distance",
        Some("euclidean") => "Euclidean distance",
        _ => "distance",
    }
}

fn located(how: &Provenance, ball: &PrivateBall, space: Option<&dyn Manifold>, many: &str, promise: &str) -> String {
    format!(
        "A ball for {many} on {} was located privately: radius {} around {} ({promise}).",
        how.manifold,
        subject::near_length(how, ball.radius),
        place(&ball.center, space, how.layout.as_deref())
    )
}

fn distance(how: &Provenance, variance: &PrivateVariance, many: &str, promise: &str) -> String {
    let [low, high] = variance.root_mean_square_interval;
    let (low, high) = (subject::least_length(how, low), subject::short_length(how, high));
    format!(
        "The private root mean square distance of {many} on {} to a public center was {} ({promise}), 95 % interval \
         from {low} to {high}.",
        how.manifold,
        subject::near_length(how, variance.root_mean_square)
    )
}

fn clusters(
    how: &Provenance,
    found: &PrivateClusters,
    space: Option<&dyn Manifold>,
    many: &str,
    promise: &str,
) -> String {
    let center = |cluster: &Cluster| {
        format!("{} ({:.0} % of them)", place(&cluster.center, space, how.layout.as_deref()), 100.0 * cluster.weight)
    };
    let centers: Vec<String> = found.clusters.iter().map(center).collect();
    let (number, manifold) = (centers.len(), &how.manifold);
    format!("Private k-means of {many} on {manifold} found {number} clusters, at {} ({promise}).", centers.join(", "))
}

/// The treatment of records outside of the ball.
fn clipped(how: &Provenance, space: Option<&dyn Manifold>) -> String {
    let of_ball = match how.statistic.description().ball {
        BallUse::None => return "No record was clipped: no ball is needed.".to_owned(),
        BallUse::ClipsGradients => return "The gradient of each record was clipped to a public length.".to_owned(),
        BallUse::Searched => "The search was in",
        BallUse::Clips | BallUse::Outer if how.flags.contains(&Flag::AssumedInBall) => {
            "All records were assumed to lie in"
        }
        BallUse::Clips | BallUse::Outer => "Records were clipped to",
    };
    let radius = subject::near_length(how, how.ball.radius());
    let origin = match how.located {
        Some(_) => "a located ball",
        None => "a public ball",
    };
    format!("{of_ball} {origin} of radius {radius} around {}.", place(how.ball.center(), space, how.layout.as_deref()))
}

/// The program, the mechanism, and the conditions of the guarantee.
fn made(how: &Provenance) -> String {
    let flags: Vec<&str> = how.flags.iter().map(|flag| flag.name()).collect();
    let flags = if flags.is_empty() { "no flags".to_owned() } else { format!("flags {}", flags.join(", ")) };
    let numerics = crate::provenance::numerics(how.numerics).0;
    format!("Made by karcher {} (mechanism {}, numerics {numerics}, {flags}).", how.karcher, how.mechanism)
}
