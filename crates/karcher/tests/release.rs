//! From records to a release, on every space.

use crate::common::{cloud, manifold, origin};
use karcher::error::GeometryError;
use karcher::manifold::{Euclidean, SpdAffineInvariant, Sphere};
use karcher::mechanism::{
    Candidate, Denoise, KarcherFlow, Noise, NoisyMean, NumericsPolicy, Plan, PrivateFrechetMean, Request, best,
};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::{
    ConstantCurvature, Definition, GaussianCalibration, Guarantee, Profile, flat_laplace_scale, laplace_guarantee,
};
use karcher::release::{Flag, MechanismName, guarantee_of};
use karcher::sampler::{Generator, Law};
use karcher::{Ball, Error, Manifold, Points, ReleaseContext};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// The private mean on a space, of records in a ball around its origin.
fn private_mean(manifold: &Arc<dyn Manifold>, radius: f64) -> PrivateFrechetMean {
    let mean = PrivateFrechetMean::new(Arc::clone(manifold), Ball::at_origin(&**manifold, radius).unwrap()).unwrap();
    mean.denoise(Some(Denoise::None)) // what a proof announces is the law of noise
}

fn pure_laplace(manifold: &Arc<dyn Manifold>, sensitivity: f64, epsilon: f64) -> karcher::Result<Noise> {
    Noise::laplace(Arc::clone(manifold), sensitivity, Guarantee::pure(epsilon)?)
}

/// Every mechanism for the mean of `n` records.
fn candidates(mean: &PrivateFrechetMean, n: usize, budget: Guarantee) -> Vec<Candidate> {
    Request::new(mean.clone(), n, budget).candidates()
}

fn distance(plan: &dyn Plan) -> f64 {
    plan.distance().unwrap().mean()
}

const SPACES: [(&str, f64); 10] = [
    ("euclidean:3", 2.0),
    ("sphere:1", 1.0),
    ("sphere:2", 0.7),
    ("sphere:6", 1.2),
    ("hyperbolic:2", 0.8),
    ("spd-log-euclidean:3", 2.0),
    ("spd-affine-invariant:2", 1.0),
    ("spd-affine-invariant:5", 0.5),
    ("kendall:3", 0.4),
    ("kendall:12", 0.3),
];

#[test]
fn released_mean_lies_on_the_manifold_and_as_far_from_the_mean_as_expected() {
    const RELEASES: usize = 1_500;
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let records = cloud(&m, 80, 0.6 * radius, 1); // some outside the ball
        let private = private_mean(&m, radius);
        let noise = pure_laplace(&m, private.sensitivity(80).unwrap().value(), 2.0).unwrap();
        let plan = NoisyMean::new(private, 80, noise.clone()).unwrap();
        let clipped = ball.clip_all(&*m, &records).unwrap();
        let mean = FrechetMean::new(&*m).start(ball.center()).fit(clipped.view()).unwrap();
        let mut context = ReleaseContext::seeded(2);
        let distances: Vec<f64> = (0..RELEASES)
            .map(|_| {
                let release = plan.run(&records, &mut context).unwrap();
                m.check_point(release.value()).unwrap();
                m.dist(release.value(), &mean)
            })
            .collect();
        let average = distances.iter().sum::<f64>() / RELEASES as f64;
        let variance = distances.iter().map(|d| (d - average).powi(2)).sum::<f64>() / RELEASES as f64;
        let error = (variance / RELEASES as f64).sqrt();
        // a correct mechanism fails with probability 2e-7 a space; SPD's expectation is itself an average of 4,000
        // draws
        let slack = 5.2 * error * if name.starts_with("spd-affine") { 1.2 } else { 1.0 };
        assert!((average - noise.expected_distance()).abs() < slack, "{name}: {average} {}", noise.expected_distance());
        assert!((average - 0.8 * noise.expected_distance()).abs() > slack, "{name}: the test has no power");
    }
}

#[test]
fn gaussian_noise_on_flat_spaces_has_the_calibrated_variance() {
    const RELEASES: usize = 4_000;
    for name in ["euclidean:4", "spd-log-euclidean:3"] {
        let m = manifold(name);
        let records = cloud(&m, 50, 0.5, 3);
        let private = private_mean(&m, 2.0);
        let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
        let sensitivity = private.sensitivity(50).unwrap().value();
        let noise = Noise::gaussian(Arc::clone(&m), sensitivity, budget, GaussianCalibration::Analytic).unwrap();
        assert!((noise.scale() / (4.0 / 50.0 * 4.224_678_89) - 1.0).abs() < 1e-8); // Δ = 2r/n
        let mean = FrechetMean::new(&*m).fit(records.view()).unwrap();
        let plan = NoisyMean::new(private, 50, noise.clone()).unwrap();
        let mut context = ReleaseContext::seeded(4);
        let square = |_| m.dist(plan.run(&records, &mut context).unwrap().value(), &mean).powi(2);
        let average = (0..RELEASES).map(square).sum::<f64>() / RELEASES as f64;
        // E ρ² = σ²d with relative standard error √(2/(d·RELEASES))
        let d = m.dim() as f64;
        let expected = noise.scale().powi(2) * d;
        let z = (average / expected - 1.0) / (2.0 / (d * RELEASES as f64)).sqrt();
        assert!(z.abs() < 5.2, "{name}: {z} standard errors");
        assert!((0.9_f64.powi(2) - 1.0).abs() / (2.0 / (d * RELEASES as f64)).sqrt() > 2.0 * 5.2, "no power at 10 %");
    }
}

/// On S² Laplace noise of scale Δ is 0.759-GDP, where pure ε = 1 alone would imply no better than 1.232-GDP.
#[test]
fn laplace_noise_for_a_mu_is_that_of_its_profile() {
    let (sphere, hyperbolic) = (manifold("sphere:2"), manifold("hyperbolic:3"));
    for (space, asked) in [(&sphere, 0.8), (&sphere, 0.05), (&hyperbolic, 0.8), (&hyperbolic, 3.0)] {
        let mu = Guarantee::gaussian(asked).unwrap();
        let noise = Noise::laplace(Arc::clone(space), 0.1, mu).unwrap();
        let profile =
            Profile::new(ConstantCurvature::of(&**space, Law::Laplace).unwrap(), Law::Laplace, noise.scale(), 0.1)
                .unwrap();
        let Definition::Gaussian { mu: kept } = profile.guarantee().unwrap().definition() else {
            panic!("not Gaussian")
        };
        assert!(kept <= asked && kept > asked * (1.0 - 2e-9), "{kept} for {asked}");
        for share in [0.0, 1e-3, 0.03, 0.3, 0.9] {
            let epsilon = share * 0.1 / noise.scale();
            assert!(profile.delta(epsilon).unwrap() <= mu.delta(epsilon).unwrap());
        }
    }
    let by_epsilon = 0.1 / karcher::privacy::pure_epsilon_for(0.8).unwrap();
    let noise = Noise::laplace(sphere, 0.1, Guarantee::gaussian(0.8).unwrap()).unwrap();
    assert!(noise.scale() < 0.7 * by_epsilon, "{} {by_epsilon}", noise.scale());
}

/// On the line `δ(0) = 1 − e^{−Δ/2σ}`, and the worst `ε` is 0: `σ = Δ/(−2 ln 2Φ(−μ/2))`, by mpmath with 80 digits,
/// rounded up.
#[test]
fn laplace_noise_on_the_line_is_the_reference_rounded_up() {
    let line = Arc::new(Euclidean::new(1).unwrap());
    for (mu, scale) in [
        (1e-3, 1253.064172911012),
        (0.1, 12.286668174854967),
        (0.5, 2.2736100095521294),
        (0.8, 1.3430503252517987),
        (1.0, 1.0357014985014499),
        (2.0, 0.43558770186587453),
        (5.0, 0.11393411759059303),
    ] {
        let found = Noise::laplace(line.clone(), 1.0, Guarantee::gaussian(mu).unwrap()).unwrap().scale();
        assert!(found >= scale && found <= scale * (1.0 + 1e-8), "μ {mu}: {found} for {scale}");
    }
}

/// SPD(2) has no one-dimensional profile: a pure ε that implies what is asked.
#[test]
fn laplace_noise_without_a_profile_is_that_of_a_pure_epsilon() {
    let spd = Arc::new(SpdAffineInvariant::new(2).unwrap());
    // Φ(−μ/2) = 1/(1 + e^ε), by mpmath with 80 digits
    for (epsilon, mu) in
        [(0.5, 0.6238925920985082), (1.0, 1.2320353853449009), (2.0, 2.3579614856472495), (10.0, 7.8279143936218665)]
    {
        let scale = Noise::laplace(spd.clone(), 0.1, Guarantee::gaussian(mu).unwrap()).unwrap().scale();
        assert!(scale * epsilon >= 0.1 && scale * epsilon <= 0.1 * (1.0 + 1e-12), "μ {mu}: {scale}");
    }
    for i in 1..20 {
        let asked = 0.3 + f64::from(i) / 7.0;
        let noise = Noise::laplace(spd.clone(), 0.1, Guarantee::concentrated(asked).unwrap()).unwrap();
        let spent = laplace_guarantee(0.1, noise.scale()).unwrap();
        let Definition::Concentrated { rho } = spent.to_concentrated().unwrap().definition() else {
            panic!("not concentrated")
        };
        assert!(rho <= asked && rho > asked * (1.0 - 1e-14), "{rho} for {asked}");
    }
}

#[test]
fn laplace_noise_for_a_rho_is_the_better_of_two() {
    let sphere = Arc::new(Sphere::new(2).unwrap());
    let space = ConstantCurvature::of(&*sphere, Law::Laplace).unwrap();
    for rho in [1e-3, 0.02, 0.5, 5.0, 100.0] {
        let scale = Noise::laplace(sphere.clone(), 0.1, Guarantee::concentrated(rho).unwrap()).unwrap().scale();
        let kept = |g: Guarantee| match g.to_concentrated().unwrap().definition() {
            Definition::Concentrated { rho } => rho,
            _ => f64::NAN,
        };
        let by_mu = kept(Profile::new(space, Law::Laplace, scale, 0.1).unwrap().guarantee().unwrap());
        let best = by_mu.min(kept(laplace_guarantee(0.1, scale).unwrap()));
        assert!(best <= rho && best > rho * (1.0 - 4e-9), "{best} for {rho}");
    }
}

/// On flat spaces `ρ` is the mean loss (user guide, N3), on a line `ε + e^{−ε} − 1`, and so is that of the listed
/// noise.
#[test]
fn laplace_noise_on_a_vector_has_its_exact_rho() {
    let rho_of = |guarantee: Guarantee| match guarantee.definition() {
        Definition::Concentrated { rho } => rho,
        other => panic!("{other:?}"),
    };
    for rho in [1e-3, 0.1, 1.0, 8.0] {
        let budget = Guarantee::concentrated(rho).unwrap();
        let epsilon = |name: &str| 0.1 / Noise::laplace(manifold(name), 0.1, budget).unwrap().scale();
        let on_a_line = epsilon("euclidean:1");
        assert!(((on_a_line + (-on_a_line).exp_m1()) / rho - 1.0).abs() < 1e-9, "{rho}: {on_a_line}");
        assert!(epsilon("euclidean:2") > on_a_line && epsilon("spd-log-euclidean:3") > epsilon("euclidean:2"));
        let plane = manifold("euclidean:3");
        let plan = Request::new(private_mean(&plane, 0.3), 100, budget).plan_by(MechanismName::Laplace).unwrap();
        let release = plan.run(&cloud(&plane, 100, 0.1, 1), &mut ReleaseContext::seeded(1)).unwrap();
        let mut noise = release.provenance().noise.clone();
        let kept = rho_of(guarantee_of(&noise, budget).unwrap());
        assert!(kept <= rho * (1.0 + 1e-9) && kept > rho * (1.0 - 1e-6), "{rho}: {kept}");
        noise[0].scale *= 0.99; // planted
        assert!(rho_of(guarantee_of(&noise, budget).unwrap()) > rho * 1.001);
    }
}

#[test]
fn release_says_how_it_was_made() {
    let m = manifold("sphere:2");
    let records = cloud(&m, 10, 0.2, 5);
    let private = private_mean(&m, 0.5);
    let noise = pure_laplace(&m, private.sensitivity(10).unwrap().value(), 1.0).unwrap();
    let plan = NoisyMean::new(private.clone(), 10, noise.clone()).unwrap();
    let release = plan.run(&records, &mut ReleaseContext::from_os().unwrap()).unwrap();
    assert_eq!(release.flags(), [Flag::IdealizedNumerics]);
    let json = serde_json::to_value(&release).unwrap();
    let fields = [
        "schema",
        "karcher",
        "statistic",
        "manifold",
        "n",
        "value",
        "lattice",
        "guarantee",
        "unit",
        "adjacency",
        "mechanism",
        "scale",
        "sensitivity",
        "noise",
        "ball",
        "numerics",
        "expected_distance",
        "region",
        "flags",
    ];
    assert_eq!(json.as_object().unwrap().len(), fields.len());
    for field in fields {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(json["schema"], 3);
    assert_eq!(
        (&json["unit"], &json["adjacency"], &json["numerics"]),
        (&"record".into(), &"replace-one".into(), &"idealized".into())
    );
    assert_eq!(json["ball"], serde_json::json!({"space": "sphere:2", "center": [1.0, 0.0, 0.0], "radius": 0.5}));
    let seeded = plan.run(&records, &mut ReleaseContext::seeded(1)).unwrap();
    assert_eq!(seeded.flags(), [Flag::IdealizedNumerics, Flag::Seeded]);
    let assumed = NoisyMean::new(private.assume_in_ball(true), 10, noise).unwrap();
    let release = assumed.run(&records, &mut ReleaseContext::from_os().unwrap()).unwrap();
    assert_eq!(release.flags(), [Flag::IdealizedNumerics, Flag::AssumedInBall, Flag::RoundingAllowance]);
}

/// Records that were only said to be in the ball may lie where no error of logarithms is proved.
#[test]
fn nothing_is_certified_of_records_that_are_only_said_to_be_in_the_ball() {
    for (name, elsewhere) in [("euclidean:2", false), ("torus:2", false), ("sphere:2", true), ("kendall:4", true)] {
        let m = manifold(name);
        let records = cloud(&m, 50, 0.1, 1);
        for assumed in [false, true] {
            let request =
                Request::new(private_mean(&m, 0.3).assume_in_ball(assumed), 50, Guarantee::pure(1.0).unwrap());
            let release =
                request.plan_by(MechanismName::Chart).unwrap().run(&records, &mut ReleaseContext::seeded(1)).unwrap();
            assert_eq!(release.flags().contains(&Flag::RoundingAllowance), assumed && elsewhere, "{name} {assumed}");
        }
    }
}

/// Whatever the curvature is, a mean that an iteration computes is as far off as the iteration stops.
#[test]
fn coarse_means_take_more_noise() {
    for name in ["sphere:1", "torus:1", "grassmann:2,1", "spd-affine-invariant:1", "sphere:2", "hyperbolic:2"] {
        let m = manifold(name);
        let budget = Guarantee::pure(1.0).unwrap();
        let coarse = Request::new(private_mean(&m, 0.3).tolerance(Some(0.1)), 1_000, budget);
        let sensitivity = coarse.plan_by(MechanismName::Laplace).unwrap().summary().sensitivity.value;
        assert!(sensitivity >= 2.0 * 0.1, "{name}: {sensitivity}");
    }
    let line = private_mean(&manifold("euclidean:1"), 0.3).tolerance(Some(0.1));
    assert_eq!(line.sensitivity(1_000), private_mean(&manifold("euclidean:1"), 0.3).sensitivity(1_000)); // a sum
}

/// `auto` rests on formulas unless it may rest on anything.
#[test]
fn scales_by_estimated_integrals_have_to_be_asked_for() {
    let line = private_mean(&manifold("euclidean:1"), 1.0);
    let request = Request::new(line, 1_000, Guarantee::gaussian(4.5).unwrap());
    let laplace = request.plan_by(MechanismName::Laplace).unwrap();
    assert!(laplace.error_bound() < request.plan_by(MechanismName::Gaussian).unwrap().error_bound());
    assert!(NumericsPolicy::Exact.refuses(&*laplace).unwrap().contains("integrals"));
    assert_eq!(request.plan().unwrap().name(), MechanismName::Gaussian);
    assert_eq!(request.numerics(NumericsPolicy::Any).plan().unwrap().name(), MechanismName::Laplace);
}

/// Each flag is set exactly where the release relies on it.
#[test]
fn releases_that_rely_on_measured_or_estimated_numbers_say_so() {
    let budgets = [
        Guarantee::pure(1.0).unwrap(),
        Guarantee::approximate(1.0, 1e-5).unwrap(),
        Guarantee::gaussian(1.0).unwrap(),
        Guarantee::concentrated(0.5).unwrap(),
    ];
    let mut seen = 0;
    for name in [
        "euclidean:3",
        "spd-log-euclidean:2",
        "torus:2",
        "sphere:2",
        "hyperbolic:2",
        "kendall:4",
        "spd-affine-invariant:2",
    ] {
        let m = manifold(name);
        let flat = m.flat_chart().is_some();
        let constant = !["torus:2", "kendall:4", "spd-affine-invariant:2"].contains(&name);
        let records = cloud(&m, 200, 0.1, 1);
        let mean = private_mean(&m, 0.3);
        for (i, budget) in budgets.into_iter().enumerate() {
            for plan in candidates(&mean, 200, budget).into_iter().filter_map(|candidate| candidate.plan.ok()) {
                if !plan.is_exact() {
                    continue; // slow, and flagged by a test of its own
                }
                let mechanism = plan.name();
                let release = plan.run(&records, &mut ReleaseContext::seeded(1)).unwrap();
                let has = |flag| release.flags().contains(&flag);
                let by_mean = mechanism != MechanismName::KarcherFlow;
                // otherwise the error of logarithms is proved, or there is none
                let allowance = by_mean && name == "spd-affine-invariant:2";
                assert_eq!(has(Flag::RoundingAllowance), allowance, "{name} {mechanism}");
                let by_sums = flat || matches!(mechanism, MechanismName::Chart | MechanismName::KarcherFlow);
                assert_eq!(has(Flag::IdealizedNumerics), !by_sums, "{name} {mechanism}");
                // ε·tanh(ε/2) = ½
                let by_epsilon = release.sensitivity().value / 1.043_626_895_591_537;
                let less_than_by_epsilon = release.scale() < by_epsilon * (1.0 - 1e-6);
                let integrals = match (mechanism, i) {
                    (MechanismName::Gaussian, 0) => false, // on spheres, by a formula
                    (MechanismName::Gaussian, _) => !flat,
                    // of the law's profile, flat or not, except for ρ on flat spaces
                    (MechanismName::Laplace, 2) => constant,
                    (MechanismName::Laplace, 3) => less_than_by_epsilon && !flat,
                    _ => false,
                };
                assert_eq!(has(Flag::EstimatedIntegrals), integrals, "{name} {mechanism} {budget:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn noise_that_is_too_small_or_for_another_space_is_refused() {
    let m = manifold("sphere:2");
    let private = private_mean(&m, 0.5);
    let sensitivity = private.sensitivity(10).unwrap().value();
    let too_small = pure_laplace(&m, 0.99 * sensitivity, 1.0).unwrap();
    let refused = NoisyMean::new(private.clone(), 10, too_small).unwrap_err();
    assert!(matches!(refused, Error::InvalidParameter { name: "sensitivity", .. }), "{refused}");
    let wrong_space = pure_laplace(&manifold("euclidean:3"), sensitivity, 1.0).unwrap();
    let refused = NoisyMean::new(private, 10, wrong_space).unwrap_err();
    assert!(matches!(refused, Error::Geometry(GeometryError::SpaceMismatch { what: "noise", .. })), "{refused}");
}

/// Replacing a record by anything at all changes the clipped mean by no more than the sensitivity.
#[test]
fn outliers_move_the_mean_by_no_more_than_the_sensitivity() {
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let sensitivity = private_mean(&m, radius).sensitivity(12).unwrap().value();
        let base = cloud(&m, 12, 0.3 * radius, 7);
        let far = cloud(&m, 30, 3.0 * radius, 8);
        let mean = |records: &Points| {
            FrechetMean::new(&*m).start(ball.center()).fit(ball.clip_all(&*m, records).unwrap().view()).unwrap()
        };
        let before = mean(&base);
        for outlier in far.view().iter() {
            let mut values = base.view().values().to_vec();
            values[..m.point_len()].copy_from_slice(outlier);
            let after = mean(&Points::new(&*m, values).unwrap());
            let moved = m.dist(&before, &after);
            assert!(moved <= sensitivity, "{name}: {moved} > {sensitivity}");
        }
    }
}

#[test]
fn auto_takes_the_smaller_expected_distance() {
    let m = manifold("euclidean:50");
    let mean = private_mean(&m, 1.0);
    let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
    let errors: Vec<f64> = candidates(&mean, 20, budget).into_iter().map(|c| distance(&*c.plan.unwrap())).collect();
    let scale = flat_laplace_scale(50, 0.1, 1.0, 1e-6).unwrap();
    assert!((errors[0] / (50.0 * scale) - 1.0).abs() < 1e-9); // Laplace: dσ, Δ = 2r/n
    // flat: a flow is Gaussian noise, the law of the K-norm gradient is the Laplace law for pure ε, and the chart takes
    // what is shorter
    assert!(errors[0] < errors[1] && (errors[4] / errors[1] - 1.0).abs() < 1e-6);
    assert!((errors[2] / errors[0] - 1.0).abs() < 1e-9 && (errors[3] - 5.0).abs() < 1e-9);
    assert_eq!(distance(&*Request::new(mean, 20, budget).plan().unwrap()), errors[0]);

    let mean = private_mean(&manifold("spd-affine-invariant:2"), 1.0);
    let names = |budget| {
        let all = candidates(&mean, 500, budget).into_iter();
        all.filter_map(|c| c.plan.ok()).map(|plan| plan.name().name()).collect::<Vec<_>>()
    };
    assert_eq!(names(budget), ["laplace", "chart", "kng", "karcher-flow"]);
    assert_eq!(names(Guarantee::gaussian(1.0).unwrap()), ["laplace", "chart", "kng", "karcher-flow"]);
    assert_eq!(names(Guarantee::pure(1.0).unwrap()), ["laplace", "chart", "kng"]);
    let noise = Noise::of_scale(m, Law::Laplace, 0.1, 0.05).unwrap();
    assert_eq!(noise.guarantee(), Guarantee::pure(2.0).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A clipped record is in the ball, on the geodesic to the record; records inside stay as they are.
    #[test]
    fn clipping_moves_along_the_geodesic_to_the_boundary(seed: u64, spread in 0.1..3.0_f64) {
        for (name, radius) in SPACES {
            let m = manifold(name);
            let ball = Ball::at_origin(&*m, radius).unwrap();
            let record = cloud(&m, 1, spread * radius, seed);
            let x = record.view().values();
            let mut clipped = x.to_vec();
            ball.clip(&*m, x, &mut clipped).unwrap();
            m.check_point(&clipped).unwrap();
            let (before, after) = (m.dist(ball.center(), x), m.dist(ball.center(), &clipped));
            prop_assert!(after <= radius * (1.0 + 2.0_f64.powi(-40)), "{name}");
            if before <= radius {
                prop_assert_eq!(&clipped[..], x);
            } else {
                prop_assert!((after - radius).abs() < 1e-9, "{name}: {after}");
                prop_assert!((before - after - m.dist(x, &clipped)).abs() < 1e-8, "{name}");
            }
        }
    }
}

/// Records as far out, as close to the cut locus and as broken as they come: after clipping all are points of the ball.
#[test]
fn hostile_records_are_clipped_into_the_ball() {
    let far = 1e150_f64;
    let (c, s) = (200.0_f64.cosh(), 200.0_f64.sinh());
    let t = 1e-13_f64;
    let hostile: [(&str, Vec<Vec<f64>>); 7] = [
        ("euclidean:2", vec![vec![1e300, -1e300], vec![f64::MAX, 0.0], vec![1e-300, 0.0]]),
        ("sphere:2", vec![vec![-1.0, 0.0, 0.0], vec![-1.0, t, 0.0], vec![-1.0, 0.0, 1e-8]]),
        ("hyperbolic:2", vec![vec![c, s, 0.0], vec![1e300, 0.0, 1e300], vec![1.0 + 1e-16, 1e-9, 0.0]]),
        (
            "spd-log-euclidean:2",
            vec![vec![far, 0.0, 0.0, 1.0 / far], vec![1.0, 1.0, 1.0, 1.0], vec![-1.0, 0.0, 0.0, 1.0]],
        ),
        (
            "spd-affine-invariant:2",
            vec![vec![far, 0.0, 0.0, 1.0 / far], vec![1.0, 1.0 - 1e-15, 1.0 - 1e-15, 1.0], vec![1.0, 2.0, 2.0, 1.0]],
        ),
        ("kendall:3", vec![vec![0.5, 0.0, 0.5, 0.0, -1.0, 0.0], vec![0.0; 6]]),
        ("sphere:1", vec![vec![-1.0, 0.0], vec![-1.0, t]]),
    ];
    for (name, mut records) in hostile {
        let m = manifold(name);
        let len = m.point_len();
        records.extend([vec![f64::NAN; len], vec![f64::INFINITY; len], vec![f64::NEG_INFINITY; len]]);
        if name == "kendall:3" {
            // the mirror image of the center, at its cut locus
            let center = Ball::at_origin(&*m, 0.1).unwrap().center().to_vec();
            records.push(center.iter().enumerate().map(|(i, x)| if i % 2 == 0 { *x } else { -x }).collect());
        }
        for radius in [1e-12, 1e-6, 0.3] {
            let ball = Ball::at_origin(&*m, radius).unwrap();
            for record in &records {
                let mut clipped = record.clone();
                ball.clip(&*m, record, &mut clipped).unwrap();
                m.check_point(&clipped).unwrap_or_else(|e| panic!("{name} {record:?}: {e}"));
                let away = m.dist(ball.center(), &clipped);
                assert!(away <= radius * (1.0 + 2.0_f64.powi(-40)), "{name} {record:?}: {away} of {radius}");
            }
        }
    }
}

#[test]
fn record_at_the_cut_locus_becomes_the_center() {
    let m = Sphere::new(2).unwrap();
    let ball = Ball::at_origin(&m, 0.5).unwrap();
    let mut out = [0.0; 3];
    ball.clip(&m, &[-1.0, 0.0, 0.0], &mut out).unwrap();
    assert_eq!(out, [1.0, 0.0, 0.0]);
}

#[test]
fn bad_balls_are_refused() {
    let m = Sphere::new(2).unwrap();
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Ball::at_origin(&m, radius).is_err());
    }
    assert!(Ball::new(&m, vec![1.0, 1.0, 0.0], 0.5).is_err());
    let error = private_mean(&manifold("sphere:2"), 1.6).sensitivity(10).unwrap_err().to_string();
    assert!(error.contains("only below 1.556511;"), "{error}");
}

/// Noise that a small sample and a tiny budget ask for still ends in a point, not in numbers that are none.
#[test]
fn huge_noise_still_releases_a_point() {
    let spaces =
        ["spd-log-euclidean:1", "spd-log-euclidean:32", "spd-affine-invariant:1", "hyperbolic:1", "euclidean:9"];
    for name in spaces.into_iter().chain(["sphere:3", "kendall:9", "hyperbolic:2", "spd-affine-invariant:2"]) {
        let m = manifold(name);
        let limited = m.volume_growth() > 0.0;
        let radius = if m.curvature().upper > 0.0 { 0.5 } else { 10.0 };
        let records = cloud(&m, 4, 0.1, 1);
        let private = private_mean(&m, radius);
        let sensitivity = private.sensitivity(4).unwrap().value();
        // the largest scale there is, or one far beyond anything useful; on matrices draws must not leave the range of
        // numbers
        let margin = if name.starts_with("spd") { 1.15 } else { 1.02 };
        let epsilon = if limited { margin * sensitivity * m.volume_growth() } else { 1e-3 };
        let noise = pure_laplace(&m, sensitivity, epsilon).unwrap();
        let plan = NoisyMean::new(private, 4, noise).unwrap();
        let mut context = ReleaseContext::seeded(9);
        for _ in 0..50 {
            let release = plan.run(&records, &mut context).unwrap();
            m.check_point(release.value()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

/// The mean of the records as a mechanism sees it: a release whose noise is too small to matter.
fn nearly_the_mean(m: &Arc<dyn Manifold>, ball: &Ball, records: Vec<f64>) -> karcher::Result<(Vec<f64>, f64)> {
    let records = Points::new(&**m, records)?;
    let private = PrivateFrechetMean::new(Arc::clone(m), ball.clone())?;
    let sensitivity = private.sensitivity(records.len())?.value();
    let noise = pure_laplace(m, sensitivity, 1e9)?;
    let release = NoisyMean::new(private, records.len(), noise)?.run(&records, &mut ReleaseContext::seeded(1))?;
    Ok((release.value().to_vec(), sensitivity))
}

/// Replaces the last of `n` copies of `typical` by each of `strange` and asks for no more than the sensitivity.
fn strange_records_move_no_more(
    name: &str,
    center: Vec<f64>,
    radius: f64,
    n: usize,
    typical: &[f64],
    strange: &[Vec<f64>],
) {
    let m = manifold(name);
    let ball = Ball::new(&*m, center, radius).unwrap();
    let usual = typical.repeat(n);
    let (before, sensitivity) = nearly_the_mean(&m, &ball, usual.clone()).unwrap();
    for record in strange {
        let mut records = usual.clone();
        let start = records.len() - record.len();
        records[start..].copy_from_slice(record);
        match nearly_the_mean(&m, &ball, records) {
            Ok((after, _)) => {
                let moved = m.dist(&before, &after);
                assert!(moved <= 1.001 * sensitivity, "{name}: {record:?} moves {} sensitivities", moved / sensitivity);
            }
            Err(Error::Geometry(GeometryError::InvalidRecord { .. })) => {} // refused before any computation
            Err(error) => panic!("{name}: {record:?}: {error}"),
        }
    }
}

#[test]
fn far_records_on_the_hyperboloid_are_clipped_like_others() {
    let far = |scale: f64, x: f64, y: f64| vec![(1.0 + scale * scale * (x * x + y * y)).sqrt(), scale * x, scale * y];
    let strange: Vec<Vec<f64>> = [1e3, 1e8, 1e16, 3e18, 1e50, 1e100, 1e150]
        .into_iter()
        .flat_map(|s| [far(s, 1.0, 0.0), far(s, 0.6, 0.8), far(s, -0.3, 0.2)])
        .collect();
    let usual = far(0.05, 1.0, 0.0);
    strange_records_move_no_more("hyperbolic:2", vec![1.0, 0.0, 0.0], 0.1, 10, &usual, &strange);
    // a center 12 away from the vertex
    let center = far(12_f64.sinh(), 1.0, 0.0);
    strange_records_move_no_more("hyperbolic:2", center.clone(), 0.5, 10, &center, &strange);
}

#[test]
fn ill_conditioned_matrices_touch_no_other_record() {
    // symmetric to the allowed 1e-6 only, and indefinite or nearly singular once symmetrised
    let crooked = |gap: f64| vec![1.0, 1.0 - 1e-9 + gap, 1.0 - 1e-9, 1.0];
    let strange: Vec<Vec<f64>> = [9e-7, 1e-9, 0.0, -1e-7].map(crooked).to_vec();
    for name in ["spd-log-euclidean:2", "spd-affine-invariant:2"] {
        strange_records_move_no_more(name, vec![1.0, 0.0, 0.0, 1.0], 2.0, 300, &[3.0, 0.5, 0.5, 1.0], &strange);
        // an ill-conditioned center, with records at it
        let center = vec![1.0, 0.999_999, 0.999_999, 1.0];
        strange_records_move_no_more(name, center.clone(), 0.1, 300, &center, &strange);
    }
    let mut nearly_singular = vec![0.0; 25];
    (0..5).for_each(|i| nearly_singular[6 * i] = 1.0);
    nearly_singular[1] = 0.959_027_610_934_733_3;
    nearly_singular[5] = 0.959_027_610_915_552_7;
    nearly_singular[6] = 0.919_733_958_517_786_8;
    let mut identity = vec![0.0; 25];
    (0..5).for_each(|i| identity[6 * i] = 1.0);
    let usual: Vec<f64> = identity.iter().map(|x| x * 2_f64.exp()).collect();
    for (name, radius) in [("spd-affine-invariant:5", 10.0), ("spd-log-euclidean:5", 41.0)] {
        strange_records_move_no_more(name, identity.clone(), radius, 1000, &usual, &[nearly_singular.clone()]);
    }
}

/// Sums of large numbers lose what the sensitivity counts on, unless they are sums of differences from the center.
#[test]
fn balls_far_from_the_origin_lose_no_accuracy() {
    for (center, radius, n) in [(1e12, 1.0, 100_000), (1e15, 1.0, 10), (1.7e9, 0.01, 10_000)] {
        let usual: Vec<f64> = vec![center + 0.1 * radius];
        let strange = [vec![center - radius], vec![center + radius], vec![-1e300], vec![1e300]];
        strange_records_move_no_more("euclidean:1", vec![center], radius, n, &usual, &strange);
    }
}

#[test]
fn balls_too_large_for_double_precision_are_refused() {
    for (name, radius) in
        [("hyperbolic:2", 14.0), ("spd-affine-invariant:2", 25.0), ("sphere:2", 1.56), ("kendall:5", 0.76)]
    {
        let m = manifold(name);
        let mean = private_mean(&m, radius);
        assert!(matches!(mean.sensitivity(10), Err(Error::RadiusTooLarge { .. })), "{name}");
    }
}

/// A point of the hyperbolic plane at a distance from the vertex, in a direction that is along no axis.
fn far_out(distance: f64) -> Vec<f64> {
    vec![distance.cosh(), 0.6 * distance.sinh(), 0.8 * distance.sinh()]
}

#[test]
fn balls_whose_points_numbers_do_not_hold_are_refused() {
    for name in ["hyperbolic:2", "hyperbolic:2*sphere:2"] {
        let m = manifold(name);
        let mean_at = |distance: f64, radius: f64| {
            let mut center = origin(&*m);
            center[..3].copy_from_slice(&far_out(distance));
            PrivateFrechetMean::new(m.clone(), Ball::new(&*m, center, radius).unwrap())
        };
        assert!(mean_at(24.0, 1.0).is_ok(), "{name}");
        assert!(matches!(mean_at(24.0, 2.0), Err(Error::RadiusTooLarge { .. })), "{name}");
        assert!(matches!(mean_at(0.0, 60.0), Err(Error::RadiusTooLarge { .. })), "{name}");
        assert!(matches!(mean_at(100.0, 1.0), Err(Error::InvalidParameter { name: "center", .. })), "{name}");
    }
    let line = manifold("hyperbolic:1");
    assert!(PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 200.0).unwrap()).is_ok());
}

/// Pairs of records have their middle as mean: as far out as balls may be it is found within a few times `2⁻⁵²·eᵗ`.
#[test]
fn means_far_out_are_computed_as_well_as_numbers_hold_them() {
    let m = manifold("hyperbolic:2");
    for distance in [0.0, 8.0, 16.0, 20.0, 24.0] {
        let records = Points::new(&*m, [far_out(distance - 0.7), far_out(distance + 0.7)].concat()).unwrap();
        let ball = Ball::new(&*m, far_out(distance), 1.0).unwrap();
        let mean = PrivateFrechetMean::new(m.clone(), ball).unwrap();
        for mechanism in [MechanismName::Chart, MechanismName::Laplace] {
            let request = Request::new(mean.clone(), 2, Guarantee::pure(1e9).unwrap());
            let release = request.plan_by(mechanism).unwrap().run(&records, &mut ReleaseContext::seeded(3)).unwrap();
            let off = m.dist(release.value(), &far_out(distance));
            assert!(off < 1e-7 + 64.0 * f64::EPSILON * distance.exp(), "{mechanism} {distance}: {off}");
        }
    }
}

/// Whether a mean is released must not depend on the records.
#[test]
fn every_data_set_has_a_release() {
    let radii: [(&str, &[f64]); 9] = [
        ("sphere:1", &[1e-8, 1e-4, 1.5]),
        ("sphere:2", &[1e-8, 1e-6, 1e-4, 0.5, 1.5]),
        ("sphere:20", &[1e-6, 1.5]),
        ("kendall:4", &[1e-6, 1e-4, 0.75]),
        ("kendall:30", &[1e-5, 0.75]),
        ("hyperbolic:2", &[1e-6, 1.0, 5.0, 10.0]),
        ("spd-affine-invariant:2", &[1e-6, 1e-4, 5.0, 12.0]),
        ("hyperbolic:1", &[1e-6, 5.0, 30.0]),
        ("spd-affine-invariant:9", &[1e-3, 1.0, 8.0]),
    ];
    for (name, radii) in radii {
        let m = manifold(name);
        for &radius in radii {
            for seed in 0..12 {
                let n = [1, 2, 3, 7, 40][seed as usize % 5];
                // a center away from the origin, records around it at all distances, many on the boundary
                let place = cloud(&m, 1, 0.5, 100 + seed);
                let center = place.view().values().to_vec();
                let ball = Ball::new(&*m, center.clone(), radius).unwrap();
                let mut generator = Generator::seeded(seed);
                let (mut v, mut record) = (center.clone(), center.clone());
                let mut records = Vec::new();
                for _ in 0..n {
                    let spread = radius * [0.1, 0.7, 1.5][seed as usize % 3] / (m.dim() as f64).sqrt();
                    let c: Vec<f64> =
                        (0..m.dim()).map(|_| spread * generator.sample::<f64, _>(StandardNormal)).collect();
                    m.from_frame(&center, &c, &mut v);
                    m.exp(&center, &v, &mut record);
                    m.repair(&mut record);
                    records.extend_from_slice(&record);
                }
                let records = Points::new(&*m, records).unwrap();
                // whatever the noise is: what comes before it, and depends on records, must not fail
                let private = PrivateFrechetMean::new(Arc::clone(&m), ball).unwrap();
                let noise = pure_laplace(&m, private.sensitivity(n).unwrap().value(), 1e9).unwrap();
                let release = NoisyMean::new(private, n, noise).unwrap().run(&records, &mut ReleaseContext::seeded(1));
                assert!(release.is_ok(), "{name}, radius {radius}, seed {seed}: {:?}", release.err());
            }
        }
    }
}

#[test]
fn flags_say_in_words_what_their_names_say_in_json() {
    for (flag, name) in [
        (Flag::IdealizedNumerics, "idealized-numerics"),
        (Flag::RoundingAllowance, "rounding-allowance"),
        (Flag::EstimatedIntegrals, "estimated-integrals"),
        (Flag::McmcApproximate, "mcmc-approximate"),
        (Flag::Seeded, "seeded"),
        (Flag::BeyondPrecision, "beyond-precision"),
        (Flag::AssumedInBall, "assumed-in-ball"),
        (Flag::MissingDropped, "missing-dropped"),
    ] {
        assert_eq!(serde_json::to_value(flag).unwrap(), name);
        assert_eq!(flag.name(), name);
        assert!(flag.to_string().starts_with(&format!("{name}: ")));
    }
}

/// The plan of a mechanism.
fn of(all: &[Candidate], name: MechanismName) -> &dyn Plan {
    &**all.iter().find(|candidate| candidate.mechanism.name() == name).unwrap().plan.as_ref().unwrap()
}

/// On flat spaces a flow of one step is Gaussian noise, and which of the two rounding makes smaller must not decide.
#[test]
fn ties_go_to_the_first_candidate() {
    let m = manifold("spd-log-euclidean:9");
    let budget = Guarantee::gaussian(0.2367).unwrap();
    for n in [8_000, 20_000, 60_000] {
        let request = Request::new(private_mean(&m, 22.3031), n, budget);
        let all = request.candidates();
        let bound = |name| of(&all, name).error_bound();
        let gaussian = bound(MechanismName::Gaussian);
        for tied in [MechanismName::KarcherFlow, MechanismName::Chart] {
            assert!((gaussian / bound(tied) - 1.0).abs() < 1e-7, "no tie: {tied}");
        }
        assert_eq!(best(&all, NumericsPolicy::Exact), Some(1));
        assert_eq!(request.plan().unwrap().name(), MechanismName::Gaussian);
    }
}

/// A chain, and a flow without an error bound, are listed with a reason and never taken by default.
#[test]
fn what_must_be_asked_for_by_name_is_never_the_best() {
    let mean = private_mean(&manifold("spd-affine-invariant:5"), 3.0);
    let all = candidates(&mean, 2, Guarantee::pure(0.5).unwrap());
    let chain = of(&all, MechanismName::Kng);
    assert!(chain.summary().chain_steps.is_some());
    for accept in NumericsPolicy::ALL {
        assert!(accept.refuses(chain).unwrap().contains("chain"));
        assert_eq!(best(&all, accept).map(|i| all[i].mechanism.name()), Some(MechanismName::Chart));
    }

    let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
    let request = Request::new(private_mean(&manifold("sphere:2"), 2.0), 100, budget);
    let all = request.candidates();
    assert!(of(&all, MechanismName::KarcherFlow).summary().by_name.is_some());
    assert_eq!(best(&all, NumericsPolicy::Any), None);
    assert!(request.plan().is_err());
}

/// With many records a step or two are bias and hardly any noise: the flow must be judged by both.
#[test]
fn the_bias_of_a_flow_counts() {
    let m = manifold("sphere:2");
    let mean = private_mean(&m, 1.0);
    let budget = Guarantee::gaussian(1.0).unwrap();
    let one_step = KarcherFlow::with_steps(&mean, 10_000, budget, 1).unwrap();
    let all = candidates(&mean, 10_000, budget);
    let gaussian = distance(of(&all, MechanismName::Gaussian));
    assert!(one_step.expected_distance() < gaussian, "less noise");
    assert!(one_step.bias_bound() > 10.0 * gaussian, "but biased");
    assert_eq!(one_step.error_bound(), one_step.expected_distance() + one_step.bias_bound());
    assert_eq!(best(&all, NumericsPolicy::Any), Some(1));
    assert_eq!(Request::new(mean, 10_000, budget).plan().unwrap().name(), MechanismName::Chart);
}

/// Sums are exact for any number of records: the more records there are, the better each is hidden, down to the error
/// of logarithms.
#[test]
fn no_rounding_grows_with_the_number_of_records() {
    for name in ["sphere:2", "euclidean:3", "spd-affine-invariant:3"] {
        let mean = private_mean(&manifold(name), 0.9);
        let sensitivity = |n: usize| mean.sensitivity(n).unwrap().value();
        let inexact = sensitivity(usize::MAX);
        assert!(inexact < 1e-11, "{name}: {inexact}");
        let ratio = (sensitivity(1 << 40) - inexact) / (sensitivity(1 << 10) - inexact);
        assert!((ratio * (1_u64 << 30) as f64 - 1.0).abs() < 1e-3, "{name}: {ratio}");
    }
}
