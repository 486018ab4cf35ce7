//! Private regression on features, on every space.

use crate::common::{at, cloud, cloud_around, manifold, origin, some, with_features};
use karcher::audit::lower_bound;
use karcher::features::Features;
use karcher::linalg::eigen;
use karcher::manifold::{Euclidean, Manifold};
use karcher::mechanism::{FeatureModel, Plan, PrivateFeatureRegression, Request};
use karcher::nonprivate::Persons;
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::release::{Adjacency, Flag, PublishedRelease, Release, Value};
use karcher::sampler::Generator;
use karcher::{Ball, Points, ReleaseContext};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

fn features(terms: &[&str]) -> Features {
    Features::new(terms.iter().map(|term| term.parse().unwrap()).collect()).unwrap()
}

/// Covariates, responses on a line with normal residuals, and a regression of them.
struct Study {
    regression: PrivateFeatureRegression,
    records: Points,
    rows: Vec<Vec<f64>>,
    responses: Vec<f64>,
}

/// Responses of `d` numbers: `truth(covariates)` for the first of them, and normal residuals of this spread in all.
fn study(
    terms: &[&str],
    (n, d, radius): (usize, usize, f64),
    covariates: impl Fn(usize, &mut Generator) -> Vec<f64>,
    truth: impl Fn(&[f64]) -> f64,
    spread: f64,
    seed: u64,
) -> Study {
    let (space, features) = (manifold(&format!("euclidean:{d}")), features(terms));
    let mut generator = Generator::seeded(seed);
    let (mut rows, mut responses) = (vec![], vec![]);
    for i in 0..n {
        let x = covariates(i, &mut generator);
        for j in 0..d {
            let residual: f64 = StandardNormal.sample(&mut generator);
            responses.push(if j == 0 { truth(&x) } else { 0.0 } + spread * residual);
        }
        rows.push(features.row_of(&x));
    }
    let ball = Ball::at_origin(&*space, radius).unwrap();
    let points = Points::new(&*space, responses.clone()).unwrap();
    let records = features.records(space.clone(), points.view(), &rows.concat()).unwrap();
    Study { regression: PrivateFeatureRegression::new(space, ball, features).unwrap(), records, rows, responses }
}

impl Study {
    fn plan(&self, budget: Guarantee) -> Box<dyn Plan> {
        Request::new(self.regression.clone(), self.rows.len(), budget).plan().unwrap()
    }

    fn release(&self, plan: &dyn Plan, seed: u64) -> Release {
        plan.run(&self.records, &mut ReleaseContext::seeded(seed)).unwrap()
    }

    fn least_squares(&self, at: &[f64], d: usize) -> Vec<f64> {
        least_squares((&self.rows, &self.responses), at, d)
    }
}

/// Least squares of least norm: independent of the library's solution.
fn least_squares((rows, responses): (&[Vec<f64>], &[f64]), at: &[f64], d: usize) -> Vec<f64> {
    let q = at.len();
    let mut a = vec![0.0; q * q];
    for row in rows {
        (0..q * q).for_each(|i| a[i] += row[i / q] * row[i % q]);
    }
    let eigen = eigen(&a, q);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let parts: Vec<(f64, &[f64])> =
        eigen.values.iter().copied().zip(eigen.vectors.chunks_exact(q)).filter(|(a, _)| *a > 1e-9).collect();
    // the prediction is a weighted sum of the responses
    let weight = |row: &[f64]| parts.iter().map(|(a, v)| dot(v, row) * dot(v, at) / a).sum::<f64>();
    let mut sum = vec![0.0; d];
    for (row, y) in rows.iter().zip(responses.chunks_exact(d)) {
        let weight = weight(row);
        sum.iter_mut().zip(y).for_each(|(sum, y)| *sum += weight * y);
    }
    sum
}

/// Coordinates of points at the center of a ball, each projected by `project` and clipped.
fn clipped_coordinates(m: &dyn Manifold, ball: &Ball, points: &Points, project: impl Fn(usize) -> f64) -> Vec<f64> {
    let center = ball.center();
    let (mut v, mut c) = (vec![0.0; center.len()], vec![0.0; m.dim()]);
    let mut all = vec![];
    for x in points.view().iter() {
        m.log(center, x, &mut v).unwrap();
        m.to_frame(center, &v, &mut c);
        c.iter_mut().enumerate().for_each(|(j, c)| *c *= project(j));
        let length = c.iter().map(|c| c * c).sum::<f64>().sqrt();
        all.extend(c.iter().map(|c| c * (ball.radius() / length).min(1.0)));
    }
    all
}

/// The rows that [`with_features`] adds.
fn made_up_rows(n: usize) -> Vec<Vec<f64>> {
    let features = crate::common::features();
    (0..n).map(|i| features.row_of(&[i as f64 / n as f64, (i % 2) as f64])).collect()
}

fn model(release: Release) -> FeatureModel {
    FeatureModel::of(&PublishedRelease::from(release)).unwrap()
}

fn age_and_sex(i: usize, generator: &mut Generator) -> Vec<f64> {
    vec![20.0 + 60.0 * generator.random::<f64>(), (i % 2) as f64]
}

/// How often regions of predictions hold least squares without noise, and the truth, in releases of made-up studies.
///
/// Of 400 studies with a release each, 95 % are held by fewer than 363 with a probability of 2e-4.
#[test]
fn regions_hold_predictions_as_often_as_they_state() {
    let truth = |x: &[f64]| 0.2 + 0.005 * (x[0] - 50.0) + 0.1 * x[1];
    let normal = Guarantee::gaussian(1.0).unwrap();
    let linear = &["linear:age:20:80", "levels:sex:F,M"][..];
    let curve = &["spline:age:20:80:4", "levels:sex:F,M"][..];
    let cases = [
        (linear, 1, 300, normal),
        (linear, 1, 1_000, Guarantee::pure(1.0).unwrap()),
        (linear, 6, 1_000, normal),
        (curve, 1, 1_000, normal),
        (curve, 2, 2_500, Guarantee::approximate(4.0, 1e-6).unwrap()),
    ];
    for (terms, d, n, budget) in some(&cases, 3, 5) {
        let places = [[65.0, 1.0], [25.0, 0.0]];
        let (mut held, mut in_population, mut short) = ([0; 2], [0; 2], [0; 4]);
        for set in 0..400 {
            let own = study(terms, (n, d, 1.0), age_and_sex, truth, 0.1, 7 + set);
            let model = model(own.release(&*own.plan(budget), 1_000 + set));
            for (i, place) in places.iter().enumerate() {
                let row = own.regression.features().row_of(place);
                let (best, found) = (own.least_squares(&row, d), model.predict(&row).unwrap());
                let mut own_truth = vec![0.0; d];
                own_truth[0] = truth(place);
                let radii = [found.region.radius, found.population_region.radius];
                let off = [best, own_truth].map(|from| distance(&found.point, &from));
                held[i] += usize::from(off[0] <= radii[0]);
                in_population[i] += usize::from(off[1] <= radii[1]);
                // regions a quarter as wide are found out
                for (at, (off, radius)) in off.iter().zip(radii).enumerate() {
                    short[2 * at + i] += usize::from(*off <= 0.25 * radius);
                }
            }
        }
        let name = format!("{terms:?}, d = {d}, n = {n}, {budget}: {held:?} {in_population:?} {short:?}");
        assert!(held.iter().chain(&in_population).all(|held| *held >= 363), "{name}");
        assert!(short.iter().all(|held| *held < 363), "{name}");
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// A term without an effect is found to have one in 5 % of the studies, and one with an effect in most.
///
/// Of 400 studies, 5 % are more than 37 with a probability of 1.4e-4, and so one of six such counts with 1e-3.
#[test]
fn tests_of_terms_keep_their_level_and_find_effects() {
    let terms = &["linear:age:20:80", "levels:sex:F,M", "spline:dose:0:1:3"][..];
    let covariates = |i: usize, generator: &mut Generator| {
        let mut x = age_and_sex(i, generator);
        x.push(generator.random::<f64>());
        x
    };
    let cases = [
        (1_000, 1, Guarantee::gaussian(1.0).unwrap()),
        (1_000, 1, Guarantee::pure(4.0).unwrap()),
        (2_000, 3, Guarantee::gaussian(1.0).unwrap()),
    ];
    for (n, d, budget) in some(&cases, 1, 2) {
        let mut rejected = [0; 3];
        for set in 0..400 {
            // no effect of the age and of the dose
            let own = study(terms, (n, d, 1.0), covariates, |x| 0.3 * x[1], 0.2, 11 + set);
            let release = own.release(&*own.plan(budget), set);
            let tests = &release.on_features().unwrap().term_tests;
            rejected.iter_mut().zip(tests).for_each(|(count, test)| *count += usize::from(test.p_value <= 0.05));
        }
        assert!(rejected[0] <= 37 && rejected[2] <= 37, "n = {n}, d = {d}, {budget}: {rejected:?}");
        assert!(rejected[1] > 200, "n = {n}, d = {d}, {budget}: {rejected:?}");
    }
}

/// Residuals may be larger at a rare level, at the ends of a range, or near the kinks of a narrower one. A term without
/// an effect is then rejected no oftener than in 5 %, and effects are held as often as stated. Residuals of one size
/// would reject it in more than 20 %.
///
/// Of 400 studies, 5 % are more than 43 with a probability of 3e-6, and 20 % are fewer than 50 with 1e-4.
#[test]
fn residuals_that_differ_by_level_keep_the_level_of_tests() {
    let rare = |i: usize, _: &mut Generator| vec![f64::from(u8::from(i.is_multiple_of(10)))];
    let three = |i: usize, _: &mut Generator| vec![if i.is_multiple_of(20) { 2.0 } else { (i % 2) as f64 }];
    let ends = |_: usize, generator: &mut Generator| vec![generator.random::<f64>()];
    let spread_of_rare = |x: &[f64]| if x[0] > 0.5 { 0.3 } else { 0.05 };
    let spread_of_third = |x: &[f64]| if x[0] > 1.5 { 0.3 } else { 0.05 };
    let spread_at_ends = |x: &[f64]| 0.02 + 0.3 * (2.0 * x[0] - 1.0).powi(4);
    type Covariates = fn(usize, &mut Generator) -> Vec<f64>;
    type Spread = fn(&[f64]) -> f64;
    let spread_at_kinks = |x: &[f64]| if (0.075..0.15).contains(&(x[0] - 0.5).abs()) { 0.3 } else { 0.02 };
    let cases: [(&[&str], Covariates, Spread); 4] = [
        (&["levels:group:A,B"], rare, spread_of_rare),
        (&["levels:group:A,B,C"], three, spread_of_third),
        (&["linear:dose:0:1"], ends, spread_at_ends),
        (&["linear:dose:0:1", "linear:dose:0.4:0.6"], ends, spread_at_kinks),
    ];
    for (terms, covariates, spread) in some(&cases, 1, 2) {
        let (mut rejected, mut even, mut held, mut effects) = (0, 0, 0, 0);
        for set in 0..400 {
            let features = features(terms);
            let mut generator = Generator::seeded(50 + set);
            let (mut rows, mut responses) = (vec![], vec![]);
            for i in 0..2_000 {
                let x = covariates(i, &mut generator);
                let residual: f64 = StandardNormal.sample(&mut generator);
                responses.push(spread(&x) * residual);
                rows.extend(features.row_of(&x));
            }
            let line = manifold("euclidean:1");
            let points = Points::new(&*line, responses).unwrap();
            let records = features.records(line.clone(), points.view(), &rows).unwrap();
            let ball = Ball::at_origin(&*line, 2.0).unwrap();
            let regression = PrivateFeatureRegression::new(line, ball, features).unwrap();
            let plan = Request::new(regression, 2_000, Guarantee::pure(1e4).unwrap()).plan().unwrap();
            let release = plan.run(&records, &mut ReleaseContext::seeded(set)).unwrap();
            let value = release.on_features().unwrap();
            let test = &value.term_tests[terms.len() - 1];
            rejected += usize::from(test.p_value <= 0.05);
            even += usize::from(test.even_p_value.unwrap() <= 0.05);
            effects += value.effects.len();
            for effect in &value.effects {
                let [low, high] = effect.change.unwrap().interval;
                held += usize::from(low <= 0.0 && 0.0 <= high);
            }
        }
        let all = format!("{terms:?}: {rejected} {even} {held} of {effects}");
        assert!(rejected <= 43, "{all}");
        assert!(even > 50 || terms[0].contains("A,B,C"), "{all}");
        assert!(held as f64 >= 0.9 * effects as f64, "{all}");
    }
}

/// In one dimension an effect has the sign of the change, on a line, a circle, a torus and along a basis, and its
/// interval is about it. Elsewhere it is a length.
#[test]
fn effects_in_one_dimension_have_a_sign() {
    for (space, dim) in
        [("euclidean:1", 1), ("spd-affine-invariant:1", 1), ("torus:1", 1), ("sphere:1", 1), ("euclidean:2", 2)]
    {
        for slope in [-0.6, 0.6] {
            let m = manifold(space);
            let terms = features(&["linear:age:20:80"]);
            let n = 400;
            let center = origin(&*m);
            let (mut rows, mut values) = (vec![], vec![]);
            for i in 0..n {
                let age = 20.0 + 60.0 * i as f64 / (n - 1) as f64;
                let x = slope * (age - 50.0) / 60.0;
                values.extend(match space {
                    "sphere:1" => {
                        let start = center[1].atan2(center[0]);
                        vec![(start + x).cos(), (start + x).sin()]
                    }
                    "spd-affine-invariant:1" => vec![x.exp()],
                    "euclidean:2" => vec![x, 0.0],
                    _ => vec![x],
                });
                rows.extend(terms.row_of(&[age]));
            }
            let points = Points::new(&*m, values).unwrap();
            let records = terms.records(m.clone(), points.view(), &rows).unwrap();
            let ball = Ball::at_origin(&*m, 1.0).unwrap();
            let regression = PrivateFeatureRegression::new(m, ball, terms).unwrap();
            let plan = Request::new(regression, n, Guarantee::pure(1e6).unwrap()).plan().unwrap();
            let release = plan.run(&records, &mut ReleaseContext::seeded(3)).unwrap();
            let effect = &release.on_features().unwrap().effects[0];
            assert_eq!(effect.change.is_some(), dim == 1, "{space}");
            let shown = effect.shown();
            let expected = if dim == 1 { slope } else { slope.abs() };
            assert!((shown.value - expected).abs() < 1e-3, "{space}: {} {expected}", shown.value);
            let [low, high] = shown.interval;
            assert!(low <= expected && expected <= high && high - low < 0.1, "{space}: {low} {high}");
            assert!((effect.distance - slope.abs()).abs() < 1e-3, "{space}");
            if dim == 1 {
                let words = release.to_string();
                assert_eq!(words.contains("moves the prediction by -"), slope < 0.0, "{words}");
            }
        }
    }
}

/// Designs that determine nothing: there is a release, and it says so where an effect is left to noise.
#[test]
fn poor_designs_are_released_with_a_flag() {
    let terms = &["linear:age:20:80", "levels:sex:F,M"][..];
    let budget = Guarantee::gaussian(1.0).unwrap();
    let flagged = |terms: &[&str], n: usize, covariates: &dyn Fn(usize) -> Vec<f64>| {
        let own = study(terms, (n, 1, 1.0), |i, _| covariates(i), |_| 0.5, 0.1, 3);
        let release = own.release(&*own.plan(budget), 5);
        let has = release.flags().contains(&Flag::LittleInformation);
        let published: PublishedRelease = serde_json::from_str(&serde_json::to_string(&release).unwrap()).unwrap();
        let model = FeatureModel::of(&published).unwrap();
        let row = own.regression.features().row_of(&[30.0, 1.0, 0.3]);
        let found = model.predict(&row).unwrap();
        assert!(found.point[0].abs() <= 1.0 + 1e-9 && found.region.radius <= 2.0, "{found:?}");
        has
    };
    assert!(!flagged(terms, 5_000, &|i| vec![20.0 + (i % 61) as f64, (i % 2) as f64]));
    assert!(flagged(terms, 5_000, &|i| vec![50.0, (i % 2) as f64]), "a constant");
    assert!(flagged(terms, 5_000, &|i| vec![20.0 + (i % 61) as f64, 0.0]), "an empty level");
    assert!(flagged(terms, 5_000, &|i| vec![20.0 + (i % 61) as f64, 2.0]), "none but unlisted levels");
    assert!(flagged(terms, 5_000, &|_| vec![f64::NAN, f64::NAN]), "no covariates");
    assert!(flagged(terms, 1, &|_| vec![30.0, 1.0]), "one record");
    let collinear = &["linear:age:20:80", "linear:months:240:960"][..];
    let both = |i: usize| 20.0 + (i % 61) as f64;
    assert!(flagged(collinear, 5_000, &|i| vec![both(i), 12.0 * both(i)]), "the same twice");
    let many = &["spline:age:20:80:30", "levels:sex:F,M"][..];
    assert!(flagged(many, 20, &|i| vec![both(3 * i), (i % 2) as f64]), "more features than records");
}

/// On every space, with hardly any noise, predictions are those of the tangent space at the center.
#[test]
fn predictions_are_those_of_the_tangent_space() {
    for (space, radius) in crate::common::every::SPACES {
        let m = manifold(space);
        let responses = cloud(&m, 400, 0.3 * radius, 9);
        let records = with_features(&m, &responses);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let features = crate::common::features();
        let regression = PrivateFeatureRegression::new(m.clone(), ball.clone(), features.clone()).unwrap();
        let plan = Request::new(regression, 400, Guarantee::gaussian(1e6).unwrap()).plan().unwrap();
        let model = model(plan.run(&records, &mut ReleaseContext::seeded(1)).unwrap());
        let (d, center, row) = (m.dim(), ball.center(), features.row_of(&[0.4, 1.0]));
        let coordinates = clipped_coordinates(&*m, &ball, &responses, |_| 1.0);
        let best = least_squares((&made_up_rows(400), &coordinates), &row, d);
        let mut v = vec![0.0; center.len()];
        m.from_frame(center, &best, &mut v);
        let mut expected = center.to_vec();
        m.exp(center, &v, &mut expected);
        let off = m.dist(&expected, &model.predict(&row).unwrap().point);
        assert!(off < 2e-4 * radius, "{space}: {off}");
    }
}

/// Responses that are not clipped are found by an audit, and those that are clipped are not.
#[test]
fn an_audit_finds_responses_that_are_not_clipped() {
    let line = manifold("euclidean:1");
    let features = features(&["linear:x:-1:1"]);
    let n = 20;
    // one of twenty records at 3, or at −3
    let records = |last: f64| {
        let responses: Vec<f64> = (0..n).map(|i| if i == 0 { last } else { 1.0 }).collect();
        let points = Points::new(&*line, responses).unwrap();
        let rows = features.row_of(&[1.0]).repeat(n);
        features.records(line.clone(), points.view(), &rows).unwrap()
    };
    let plan = |radius: f64, budget: f64| {
        let ball = Ball::at_origin(&*line, radius).unwrap();
        let regression = PrivateFeatureRegression::new(line.clone(), ball, features.clone()).unwrap();
        Request::new(regression, n, Guarantee::gaussian(budget).unwrap()).plan().unwrap()
    };
    // the stated noise is that of a ball of radius 1 at μ = 1; planted: the ball is three times as large
    let found = |radius: f64| {
        let (plan, nearly) = (plan(radius, radius), plan(radius, 1e9));
        let moments = |plan: &dyn Plan, last: f64, seed: u64| {
            plan.run(&records(last), &mut ReleaseContext::seeded(seed)).unwrap().value().to_vec()
        };
        let [first, second] = [3.0, -3.0].map(|last| moments(&*nearly, last, 1));
        let scores = [3.0, -3.0].map(|last| -> Vec<f64> {
            let score = |seed| {
                let z = moments(&*plan, last, seed);
                distance(&z, &second) - distance(&z, &first)
            };
            (0..700).map(score).collect()
        });
        lower_bound(Guarantee::gaussian(1.0).unwrap(), &scores[0], &scores[1], 1e-6).unwrap()
    };
    let (clipped, planted) = (found(1.0), found(3.0));
    assert!(clipped <= 1.0 && planted > 1.2, "{clipped} {planted}");
}

/// The private number of records comes with the moments, and the coefficients do not need it.
#[test]
fn a_confidential_number_of_records_is_released_with_the_moments() {
    let truth = |x: &[f64]| 0.3 + 0.004 * (x[0] - 50.0);
    let own = study(&["linear:age:20:80"], (10_000, 1, 1.0), age_and_sex, truth, 0.1, 5);
    for guess in [3_000, 10_000, 30_000] {
        let request = Request::new(own.regression.clone(), guess, Guarantee::gaussian(1.0).unwrap());
        let plan = request.adjacency(Adjacency::AddRemove).plan().unwrap();
        let release = own.release(&*plan, 9);
        assert!((release.private_count().unwrap().value - 10_000.0).abs() < 50.0);
        let value = release.on_features().unwrap();
        assert!((value.residual_spread - 0.1).abs() < 0.02, "{guess}: {}", value.residual_spread);
        let row = own.regression.features().row_of(&[70.0]);
        let found = model(release).predict(&row).unwrap();
        assert!((found.point[0] - 0.38).abs() < 0.02, "{guess}: {:?}", found.point);
        assert!(found.region.radius < 0.02 && found.region.radius > 1e-4, "{guess}: {:?}", found.region);
    }
}

/// In a basis of the tangent space predictions are those of least squares projected on it, on every space.
#[test]
fn a_basis_projects_responses() {
    for (space, radius) in crate::common::every::SPACES {
        let m = manifold(space);
        let (n, d) = (400, m.dim());
        // around a center that is not the origin
        let center = at(&*m, &origin(&*m), &vec![1.0; d], 0.2);
        let around = at(&*m, &center, &vec![1.0; d], 0.3 * radius);
        let responses = cloud_around(&m, &around, n, 0.3 * radius, 9);
        let records = with_features(&m, &responses);
        let ball = Ball::new(&*m, center.clone(), radius).unwrap();
        let coordinates = clipped_coordinates(&*m, &ball, &responses, |j| f64::from(u8::from(j == 0 || j == d - 1)));
        let features = crate::common::features();
        // one direction, and another one that leans to it
        let mut frame = vec![vec![0.0; d]; d.min(2)];
        frame[0][0] = 2.0;
        frame.iter_mut().skip(1).for_each(|u| (u[0], u[d - 1]) = (1.0, 0.5));
        let vectors: Vec<Vec<f64>> = frame
            .iter()
            .map(|u| {
                let mut v = vec![0.0; center.len()];
                m.from_frame(&center, u, &mut v);
                v
            })
            .collect();
        let regression = PrivateFeatureRegression::new(m.clone(), ball, features.clone()).unwrap();
        let regression = regression.basis(&vectors).unwrap();
        let plan = Request::new(regression, n, Guarantee::gaussian(1e6).unwrap()).plan().unwrap();
        let release = plan.run(&records, &mut ReleaseContext::seeded(1)).unwrap();
        let value = release.on_features().unwrap().clone();
        assert_eq!(value.coefficients[0].len(), vectors.len(), "{space}");
        let row = features.row_of(&[0.4, 1.0]);
        let found = model(release).predict(&row).unwrap();
        // the prediction lies in the span, and each response counts by its projection
        let (mut v, mut c) = (vec![0.0; center.len()], vec![0.0; d]);
        m.log(&center, &found.point, &mut v).unwrap();
        m.to_frame(&center, &v, &mut c);
        let own: Vec<f64> = (0..d).map(|j| if j == 0 || j == d - 1 { c[j] } else { 0.0 }).collect();
        assert!(distance(&c, &own) < 1e-6 * radius, "{space}: {c:?}");
        let best = least_squares((&made_up_rows(n), &coordinates), &row, d);
        assert!(distance(&own, &best) < 2e-4 * radius, "{space}: {own:?} {best:?}");
        assert!(distance(&best, &vec![0.0; d]) > 0.1 * radius, "{space}: {best:?}"); // far from a missing one
    }
}

/// The intercept alone is the mean in the basis, with the noise of a mean of so many numbers.
#[test]
fn without_terms_it_is_the_mean() {
    let space = manifold("euclidean:50");
    let points = cloud(&space, 1_000, 0.5, 3);
    let features = Features::new(vec![]).unwrap();
    let ball = Ball::at_origin(&*space, 1.0).unwrap();
    let vectors: Vec<Vec<f64>> = (0..3).map(|j| (0..50).map(|i| f64::from(u8::from(i == j))).collect()).collect();
    let regression = PrivateFeatureRegression::new(space.clone(), ball, features.clone()).unwrap();
    let regression = regression.basis(&vectors).unwrap();
    let records = features.records(space, points.view(), &vec![1.0; 1_000]).unwrap();
    let plan = Request::new(regression, 1_000, Guarantee::gaussian(1.0).unwrap()).plan().unwrap();
    let mean: Vec<f64> = (0..3).map(|j| points.view().iter().map(|x| x[j]).sum::<f64>() / 1e3).collect();
    let mut square = 0.0;
    let releases = 400;
    for seed in 0..releases {
        let release = plan.run(&records, &mut ReleaseContext::seeded(seed)).unwrap();
        let found = model(release).predict(&[1.0]).unwrap();
        square += distance(&found.point[..3], &mean).powi(2) / releases as f64;
        assert!(found.point[3..].iter().all(|x| *x == 0.0));
    }
    // √3·2/n, and a little more for the weights; the mean square of 1,200 normal numbers is within 16 % (1e-4)
    let expected = 3.0 * 0.002_f64.powi(2);
    assert!(square < 1.3 * expected && square > 0.84 * expected, "{square} {expected}");
}

/// Records of one person far outside the ball count as that person's only one: the row is not shortened with the
/// response.
#[test]
fn several_far_records_of_a_person_count_as_one() {
    let plane: Arc<dyn Manifold> = Arc::new(Euclidean::new(2).unwrap());
    let ball = Ball::at_origin(&*plane, 1.0).unwrap();
    let features = Features::new(vec!["linear:age:20:80".parse().unwrap()]).unwrap();
    let regression = PrivateFeatureRegression::new(plane.clone(), ball, features.clone()).unwrap();
    let plan = Request::new(regression.clone(), 50, Guarantee::gaussian(1.0).unwrap()).plan().unwrap();
    let responses: Vec<f64> = (0..50).flat_map(|i| [30.0, f64::from(i)]).collect();
    let rows: Vec<f64> = (0..50).flat_map(|i| features.row_of(&[20.0 + f64::from(i)])).collect();
    let once = Points::new(&*plane, responses).unwrap();
    let records = regression.features().records(plane, once.view(), &rows).unwrap();
    let moments = |copies: usize, clips: bool| {
        let records = if clips { regression.clipped(records.view()).unwrap() } else { records.clone() };
        let mut persons = Persons::new(regression.records().clone(), regression.ball_of_records()).unwrap();
        (0..copies).for_each(|_| persons.add(0..50, Observations::new(&records)).unwrap());
        let all = persons.contributions().unwrap();
        let release = plan.run(&all, &mut ReleaseContext::seeded(1)).unwrap();
        let Value::Features(value) = PublishedRelease::from(release).value else { panic!() };
        value.moments
    };
    let apart = |a: &[f64], b: &[f64]| distance(a, b);
    let expected = moments(1, false);
    assert!(apart(&moments(3, true), &expected) < 1e-9);
    assert!(apart(&moments(3, false), &expected) > 1e-2); // planted: not clipped before they are averaged
}
