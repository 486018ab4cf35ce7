//! Private geodesic regression on five kinds of made-up data. Compares the choice of `auto`, if proofs of idealized
//! draws are accepted, with every number of steps of the descent, for n × {1, 10, 100} and ε × {1, 10, 100}. Prints the
//! table of the user guide's chapter on regression; of one kind only if its space is given.
//!
//! `cargo run --release -p karcher --example private_regression_plans -- [SPACE]`

use karcher::manifold::Geodesic;
use karcher::mechanism::{NumericsPolicy, Plan, PrivateRegression, RegressionDescent, Request};
use karcher::nonprivate::GeodesicRegression;
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, PredictorRange, ReleaseContext, Result, Space};
use rand::RngExt;
use std::sync::Arc;

/// The number of different records. They are repeated for larger n, so that the least-squares geodesic is the same.
const RECORDS: usize = 200;

/// A kind of data and the public bounds that its analyst chooses.
struct Kind {
    name: &'static str,
    space: &'static str,
    radius: f64,
    slope_bound: f64,
    residual_bound: Option<f64>,
    /// How far the geodesic's middle is from the ball's center, how far it goes over the range, and the root mean
    /// square residual.
    offset: f64,
    slope: f64,
    spread: f64,
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "storms: little trend, wide spread",
        space: "sphere:2",
        radius: 0.8,
        slope_bound: 0.5,
        residual_bound: None,
        offset: 0.1,
        slope: 0.1,
        spread: 0.3,
    },
    Kind {
        name: "long way, to the edge of the ball",
        space: "sphere:2",
        radius: 1.0,
        slope_bound: 1.5,
        residual_bound: Some(1.2),
        offset: 0.4,
        slope: 1.2,
        spread: 0.4,
    },
    Kind {
        name: "matrices, off the center",
        space: "spd-affine-invariant:3",
        radius: 2.0,
        slope_bound: 2.0,
        residual_bound: Some(1.0),
        offset: 1.0,
        slope: 1.0,
        spread: 0.5,
    },
    Kind {
        name: "shapes of 8 landmarks",
        space: "kendall:8",
        radius: 0.4,
        slope_bound: 0.4,
        residual_bound: None,
        offset: 0.1,
        slope: 0.3,
        spread: 0.15,
    },
    Kind {
        name: "hyperbolic plane, far apart",
        space: "hyperbolic:2",
        radius: 2.5,
        slope_bound: 2.0,
        residual_bound: Some(1.5),
        offset: 1.0,
        slope: 1.5,
        spread: 0.6,
    },
];

fn main() -> Result<()> {
    let only = std::env::args().nth(1);
    println!("| data | n | ε = 1 | ε = 10 | ε = 100 |");
    println!("| --- | --- | --- | --- | --- |");
    for kind in KINDS.iter().filter(|kind| only.as_deref().is_none_or(|space| kind.space == space)) {
        let data = Data::new(kind.space.parse::<Space>()?.manifold()?, kind)?;
        for (times, runs) in [(1, 40), (10, 40), (100, 16)] {
            let cells: Result<Vec<String>> =
                [1.0, 10.0, 100.0].map(|epsilon| data.cell(times, epsilon, runs)).into_iter().collect();
            println!("| {}, {} | {} | {} |", kind.name, kind.space, RECORDS * times, cells?.join(" | "));
        }
    }
    Ok(())
}

struct Data {
    manifold: Arc<dyn Manifold>,
    regression: PrivateRegression,
    records: Points,
    predictors: Vec<f64>,
    fit: Geodesic,
}

impl Data {
    fn new(manifold: Arc<dyn Manifold>, kind: &Kind) -> Result<Self> {
        let mut generator = Generator::seeded(1);
        let ball = Ball::at_origin(&*manifold, kind.radius)?;
        let center = ball.center().to_vec();
        let footpoint = away(&manifold, &center, kind.offset, &mut generator)?;
        let ahead = away(&manifold, &footpoint, kind.slope, &mut generator)?;
        let mut velocity = footpoint.clone();
        manifold.log(&footpoint, &ahead, &mut velocity)?;
        let truth = Geodesic { footpoint, velocity };
        let spread = kind.spread / (manifold.dim() as f64).sqrt();
        let residual = Isotropic::new(Arc::clone(&manifold), Law::Gaussian, spread)?;
        // more of them late than early
        let predictors: Vec<f64> = (0..RECORDS).map(|_| generator.random::<f64>().powf(0.7)).collect();
        let mut values = Vec::new();
        let mut record = center;
        for x in &predictors {
            residual.sample(&truth.at(&*manifold, x - 0.5), &mut generator, &mut record)?;
            values.extend_from_slice(&record);
        }
        let records = ball.clip_all(&*manifold, &Points::new(&*manifold, values)?)?;
        let centered: Vec<f64> = predictors.iter().map(|x| x - 0.5).collect();
        let fit = GeodesicRegression::new(&*manifold).fit(records.view(), &centered)?;
        let range = PredictorRange::new(0.0, 1.0)?;
        let mut regression = PrivateRegression::new(Arc::clone(&manifold), ball, range, kind.slope_bound)?;
        if let Some(bound) = kind.residual_bound {
            regression = regression.residual_bound(bound)?;
        }
        Ok(Self { manifold, regression, records, predictors, fit })
    }

    /// The choice of `auto` with the records repeated so often: its steps, its forecast and the observed error. Then
    /// the best number of steps.
    fn cell(&self, times: usize, epsilon: f64, runs: usize) -> Result<String> {
        let n = times * RECORDS;
        let budget = Guarantee::pure(epsilon)?;
        let points = Points::new(&*self.manifold, self.records.view().values().repeat(times))?;
        let predictors = self.predictors.repeat(times);
        let records = Observations::new(&points).with_predictors(&predictors)?;
        let observe = |plan: &dyn Plan| -> Result<f64> {
            let mut context = ReleaseContext::seeded(2);
            let mut squares = 0.0;
            for _ in 0..runs {
                let release = plan.run(&records, &mut context)?;
                squares += release.geodesic().map_or(f64::NAN, |private| self.squared_distance(&private.geodesic()));
            }
            Ok((squares / runs as f64).sqrt())
        };
        let auto = Request::new(self.regression.clone(), n, budget).numerics(NumericsPolicy::Any).plan()?;
        let steps = auto.summary().steps.as_ref().map_or(1, Vec::len);
        let (expected, seen) = (auto.expected_distance(), observe(&*auto)?);
        let mut best = (0, f64::INFINITY);
        for steps in 1..=6 {
            let descent = RegressionDescent::with_steps(&self.regression, n, budget, steps)?;
            let seen = observe(&descent)?;
            if seen < best.1 {
                best = (steps, seen);
            }
        }
        Ok(format!("{steps}: {expected:.2e}, {seen:.2e}; {}: {:.2}", best.0, seen / best.1))
    }

    /// The mean over the range of the predictor.
    fn squared_distance(&self, private: &Geodesic) -> f64 {
        let places = (0..20).map(|i| (f64::from(i) + 0.5) / 20.0 - 0.5);
        let m = &*self.manifold;
        let squares = places.map(|x| m.dist(&private.at(m, x), &self.fit.at(m, x)).powi(2));
        squares.sum::<f64>() / 20.0
    }
}

/// A point so far away, in a random direction.
fn away(manifold: &Arc<dyn Manifold>, from: &[f64], distance: f64, generator: &mut Generator) -> Result<Vec<f64>> {
    let mut to = from.to_vec();
    Isotropic::new(Arc::clone(manifold), Law::Gaussian, 0.1)?.sample(from, generator, &mut to)?;
    let mut v = to.clone();
    manifold.log(from, &to, &mut v)?;
    let length = manifold.norm(from, &v);
    v.iter_mut().for_each(|v| *v *= distance / length);
    manifold.exp(from, &v, &mut to);
    manifold.repair(&mut to);
    Ok(to)
}
