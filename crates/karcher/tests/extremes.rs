//! Whatever valid records there are, every mechanism releases a point: a failure is an outcome too, and only some data
//! sets would cause it.

use crate::common::{at, is_attack, manifold, origin, some};
use karcher::mechanism::{
    Components, KngRegression, LinearRegression, LocatedMean, Plan, PrivateFrechetMean, PrivateLocation,
    PrivateRegression, RegressionDescent, Request, Spread,
};
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::release::MechanismName;
use karcher::{Ball, Manifold, Points, PredictorRange, Release, ReleaseContext};
use std::sync::Arc;

/// Records as far out, as small, as ill-conditioned and as close to a cut locus as validation lets pass.
fn extremes(m: &dyn Manifold, center: &[f64]) -> Vec<Vec<f64>> {
    let name = m.space().to_string();
    let (family, size) = name.split_once(':').unwrap();
    let k: usize = size.parse().unwrap();
    let diagonal = |values: &[f64]| -> Vec<f64> {
        (0..k * k).map(|i| if i / k == i % k { values[i / k % values.len()] } else { 0.0 }).collect()
    };
    let mut all = match family {
        "euclidean" => [1e308, -1e308, 5e-324, -0.0, 1e200, f64::MAX, 1e-300].map(|x| vec![x; k]).to_vec(),
        "sphere" => vec![center.iter().map(|x| -x).collect(), center.iter().map(|x| -x * (1.0 + 9e-7)).collect()],
        "hyperbolic" => [1.0, 1e8, -1e30, 1e150, -1e153]
            .map(|x: f64| {
                let mut p = vec![x; k + 1];
                p[0] = 1.0_f64.hypot(x * (k as f64).sqrt());
                p
            })
            .to_vec(),
        "kendall" => {
            let mut orthogonal = center.to_vec();
            let c: Vec<f64> = (0..m.dim()).map(|i| f64::from(u8::from(i == 0))).collect();
            m.from_frame(center, &c, &mut orthogonal);
            let mut coincident = vec![0.0; 2 * k];
            (coincident[0], coincident[2]) = (0.5_f64.sqrt(), -(0.5_f64.sqrt()));
            vec![orthogonal, coincident, center.iter().map(|x| -x).collect()]
        }
        _ => [
            vec![1e307],
            vec![1e-307],
            vec![1.0, 2e-13],
            vec![1e13, 1.0, 1e5],
            vec![1e300, 1e290],
            vec![1e-290, 1e-300],
        ]
        .map(|values| diagonal(&values))
        .to_vec(),
    };
    if family.starts_with("spd") && k > 1 {
        // nearly singular and not diagonal
        for share in [1e-12, 1e-13, 1e-10] {
            let ones = |scale: f64| {
                (0..k * k).map(|i| scale * if i / k == i % k { 1.0 + share } else { 1.0 }).collect::<Vec<f64>>()
            };
            all.extend([ones(1.0), ones(1e200), ones(1e-200)]);
        }
    }
    all.retain(|x| m.check_point(x).is_ok());
    all
}

#[test]
fn valid_records_never_make_a_release_fail() {
    let mut released = 0;
    for (name, radius) in [
        ("euclidean:1", 1.0),
        ("euclidean:3", 1e-3),
        ("sphere:1", 1.5),
        ("sphere:2", 1.0),
        ("sphere:5", 1.2),
        ("hyperbolic:1", 1.0),
        ("hyperbolic:2", 1.0),
        ("hyperbolic:3", 6.0),
        ("spd-log-euclidean:2", 1.0),
        ("spd-log-euclidean:3", 30.0),
        ("spd-affine-invariant:1", 1.0),
        ("spd-affine-invariant:2", 10.0),
        ("spd-affine-invariant:3", 2.0),
        ("kendall:3", 0.7),
        ("kendall:5", 0.5),
    ] {
        let space = manifold(name);
        let m = &*space;
        let mut centers = vec![origin(m)];
        let far = match name.split(':').next().unwrap() {
            "euclidean" => vec![1e9; m.dim()],
            "spd-log-euclidean" | "spd-affine-invariant" => {
                let k = (m.point_len() as f64).sqrt() as usize;
                (0..k * k).map(|i| if i / k == i % k { [1e-6, 1e6, 1.0][i / k] } else { 0.0 }).collect()
            }
            _ => at(m, &origin(m), &vec![1.0; m.dim()], (0.4 * m.injectivity_radius()).min(8.0)),
        };
        centers.push(far);
        for center in centers {
            let ball = Ball::new(m, center.clone(), radius).unwrap();
            let private = PrivateFrechetMean::new(Arc::clone(&space), ball.clone()).unwrap();
            let range = PredictorRange::new(-1e308, 0.7e308).unwrap();
            let regression = PrivateRegression::new(Arc::clone(&space), ball.clone(), range, 0.5 * radius).unwrap();
            let regression = regression.residual_bound(0.5 * radius).unwrap();
            let mut context = ReleaseContext::seeded(5);
            let all: Vec<_> = extremes(m, ball.center()).into_iter().enumerate().collect();
            for (i, extreme) in some(&all, 1, 8) {
                for (j, shared) in [ball.center(), &extreme].into_iter().enumerate() {
                    let records = Points::new(m, [shared, shared, &extreme].concat()).unwrap();
                    let case = format!("{name}, {extreme:?}");
                    // by turns
                    let budget = [Guarantee::pure(3.0), Guarantee::gaussian(2.0)][(i + j) % 2].clone().unwrap();
                    let candidates = Request::new(private.clone(), 3, budget).candidates();
                    for plan in candidates.into_iter().filter_map(|candidate| candidate.plan.ok()) {
                        if !plan.is_exact() && m.dim() > 1 {
                            continue;
                        }
                        let release = plan.run(&records, &mut context);
                        let release = release.unwrap_or_else(|e| panic!("{case}, {}: {e}", plan.name()));
                        m.check_point(release.value()).unwrap_or_else(|e| panic!("{case}, {}: {e}", plan.name()));
                        released += 1;
                    }
                    let xs = [-1e308, 0.0, f64::MAX];
                    let observations = Observations::new(&records).with_predictors(&xs).unwrap();
                    let mut regressions = Vec::new();
                    for steps in [1, 3] {
                        let descent = RegressionDescent::with_steps(&regression, 3, budget, steps).unwrap();
                        regressions.push(descent.run(&observations, &mut context));
                    }
                    if let Ok(linear) = LinearRegression::new(&regression, 3, budget) {
                        regressions.push(linear.run(&observations, &mut context));
                    }
                    if let Ok(joint) = KngRegression::new(&regression, 3, budget)
                        && joint.is_exact()
                    {
                        regressions.push(joint.run(&observations, &mut context));
                    }
                    for release in regressions {
                        let release = release.unwrap_or_else(|e| panic!("{case}: {e}"));
                        let geodesic = release.geodesic().unwrap().geodesic();
                        m.check_point(&geodesic.footpoint)
                            .unwrap_or_else(|e| panic!("{case}, {}: {e}", release.mechanism()));
                        assert!(geodesic.velocity.iter().all(|v| v.is_finite()), "{case}");
                        released += 1;
                    }
                }
            }
        }
    }
    assert!(released > if is_attack() { 1_000 } else { 150 }, "{released}");
}

/// The same seed and the same records in another order: the same release, to the last bit, whatever is asked for.
#[test]
fn the_order_of_strange_records_changes_nothing() {
    for name in
        ["euclidean:2", "sphere:2", "hyperbolic:2", "spd-affine-invariant:2", "spd-log-euclidean:2", "kendall:5"]
    {
        let space = manifold(name);
        let m = &*space;
        let center = origin(m);
        let mut records = extremes(m, &center);
        records.extend((1..20).map(|i| at(m, &center, &vec![1.0; m.dim()], 0.1 * f64::from(i).sin())));
        let n = records.len();
        let forward = Points::new(m, records.concat()).unwrap();
        records.reverse();
        let backward = Points::new(m, records.concat()).unwrap();
        let mean_in = |ball, budget| -> karcher::Result<Request> {
            Ok(Request::new(PrivateFrechetMean::new(space.clone(), ball)?, n, budget))
        };
        let with_companions = |ball, budget| -> karcher::Result<Request> {
            let request: Request = mean_in(ball, budget)?;
            Ok(request.spread(Some(Spread::default())).components(Some(Components::default())))
        };
        for budget in [Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap()] {
            let same = |what: &str, run: &dyn Fn(&Points, &mut ReleaseContext) -> karcher::Result<Release>| {
                let [one, other] = [&forward, &backward].map(|records| {
                    serde_json::to_string(&run(records, &mut ReleaseContext::seeded(7)).unwrap()).unwrap()
                });
                assert_eq!(one, other, "{name}, {what}, {budget}");
            };
            let outer = Ball::at_origin(m, 3.0_f64.min(m.diameter())).unwrap();
            let location = PrivateLocation::new(space.clone(), outer.clone()).unwrap();
            let located = LocatedMean::new(&location, &with_companions(outer, budget).unwrap(), None).unwrap();
            same("in a located ball", &|records, context| located.run(records, context));
            let ball = Ball::at_origin(m, 0.4).unwrap();
            let plan = with_companions(ball.clone(), budget).unwrap().plan().unwrap();
            same("with a spread and components", &|records, context| plan.run(records, context));
            let stages = mean_in(ball, budget).unwrap().expected_spread(Some(0.05)).unwrap();
            let stages = stages.plan_by(MechanismName::TwoStage).unwrap();
            same("in two stages", &|records, context| stages.run(records, context));
        }
    }
}
