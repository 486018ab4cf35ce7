//! Defects in bits: draws whose law is right but whose published numbers reveal too much. The audit must find each of
//! them, and must not find anything where the shipped mechanism draws instead.
//!
//! Each audit is wrong with probability 1e-6 at most (a lower bound above the truth), and seeds are fixed. The
//! defective draws are written out here, because nothing like them is left in the library.

use crate::common::{manifold, some};
use karcher::audit::{Audit, Effort, Neighbours, Published, audit, audit_releases, neighbours};
use karcher::mechanism::{KarcherFlow, PrivateFrechetMean, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::{Definition, Guarantee};
use karcher::release::MechanismName;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, ReleaseContext};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

const ERROR: f64 = 1e-6;

/// The claim about a mean, and the noise of that claim in the shipped mechanism.
#[derive(Clone)]
struct Claimed {
    space: Arc<dyn Manifold>,
    mean: PrivateFrechetMean,
    n: usize,
    claim: Guarantee,
    mechanism: MechanismName,
    scale: f64,
    effort: Effort,
}

impl Claimed {
    fn new(space: &str, radius: f64, n: usize, claim: Guarantee, mechanism: MechanismName) -> Self {
        let space = manifold(space);
        let mean = PrivateFrechetMean::new(Arc::clone(&space), Ball::at_origin(&*space, radius).unwrap()).unwrap();
        let scale = Request::new(mean.clone(), n, claim).plan_by(mechanism).unwrap().scale();
        let effort = Effort { releases: 3_000, error_probability: ERROR };
        Self { space, mean, n, claim, mechanism, scale, effort }
    }

    fn epsilon(space: &str, radius: f64, n: usize) -> Self {
        Self::new(space, radius, n, Guarantee::pure(1.0).unwrap(), MechanismName::Laplace)
    }

    /// The same with more releases, for defects that show in a small fraction of them only.
    fn with_more_releases(mut self) -> Self {
        self.effort.releases = 24_000;
        self
    }

    fn ball(&self) -> &Ball {
        self.mean.ball()
    }

    fn parameter(&self) -> f64 {
        match self.claim.definition() {
            Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
            Definition::Gaussian { mu } => mu,
            Definition::Concentrated { rho } => rho,
        }
    }

    /// The confidential mean.
    fn of(&self, records: &Points) -> Vec<f64> {
        let mean = FrechetMean::new(&*self.space).start(self.ball().center());
        mean.tolerance(1e-12).fit(records.view()).unwrap()
    }

    /// Audits a published value that replaces the mean.
    fn audit<P: Into<Published>>(&self, publish: impl Fn(&Points, &mut Generator) -> P + Sync) -> Audit {
        let pairs = neighbours(&*self.space, self.ball(), self.n).unwrap();
        let release = |records: &Points, context: &mut ReleaseContext| Ok(publish(records, context.generator()).into());
        let likelihood = |pair: &Neighbours, y: &[f64]| {
            let [first, second] = [0, 1].map(|k| self.space.dist(&pair.means[k], y));
            if self.mechanism == MechanismName::Laplace { second - first } else { second.powi(2) - first.powi(2) }
        };
        let mut generator = Generator::seeded(5);
        let space = (&*self.space, self.ball());
        audit_releases(space, self.claim, &pairs, release, likelihood, self.effort, &mut generator, &|_| ()).unwrap()
    }

    /// The defect is found, by a score of a name that starts like this.
    fn assert_found<P: Into<Published>>(
        &self,
        defect: &str,
        score: &str,
        publish: impl Fn(&Points, &mut Generator) -> P + Sync,
    ) {
        let found = self.audit(publish);
        println!("{defect}: {:.2} of {} by {}, {}", found.lower_bound, self.claim, found.score, found.data);
        assert!(found.refuted() && found.lower_bound > self.parameter() + 0.1, "{defect}: {found:?}");
        assert!(found.score.contains(score), "{defect}: {found:?}");
    }

    /// The shipped mechanism passes an audit of the same effort.
    fn assert_kept(&self) {
        let plan = Request::new(self.mean.clone(), self.n, self.claim).plan_by(self.mechanism).unwrap();
        let found = audit(&*plan, self.effort, &mut Generator::seeded(5), &|_| ()).unwrap();
        assert!(found.passed && found.conclusive, "{}: {found:?}", self.space.space());
    }
}

/// `−σ·ln U` with a random sign: Laplace noise as textbooks draw it.
fn inverse(scale: f64, generator: &mut Generator) -> f64 {
    let sign = if generator.random::<bool>() { 1.0 } else { -1.0 };
    -scale * sign * (1.0 - generator.random::<f64>()).ln()
}

/// The nearest multiple.
fn rounded(x: f64, step: f64) -> f64 {
    (x / step).round() * step
}

#[test]
fn laplace_noise_added_to_a_number_is_found_out() {
    let line = Claimed::epsilon("euclidean:1", 1.0, 2);
    line.assert_found("inverse distribution function", "lowest bit", |records, generator| {
        vec![line.of(records)[0] + inverse(line.scale, generator)]
    });
    let law = Isotropic::new(Arc::clone(&line.space), Law::Laplace, line.scale).unwrap();
    line.assert_found("radius times direction", "lowest bit", |records, generator| {
        let mut y = vec![0.0];
        law.sample(&line.of(records), generator, &mut y).unwrap();
        y
    });
    line.assert_kept();
}

#[test]
fn draws_around_a_confidential_mean_that_are_published_as_they_are_are_found_out() {
    let approximate = Guarantee::approximate(1.0, 1e-6).unwrap();
    let all = [
        Claimed::epsilon("sphere:2", 0.5, 20),
        Claimed::epsilon("euclidean:3", 0.5, 20),
        Claimed::new("hyperbolic:2", 0.5, 20, approximate, MechanismName::Gaussian),
    ];
    for claimed in some(&all, 0, 3) {
        let claimed = claimed.with_more_releases();
        let law = if claimed.mechanism == MechanismName::Laplace { Law::Laplace } else { Law::Gaussian };
        let law = Isotropic::new(Arc::clone(&claimed.space), law, claimed.scale).unwrap();
        claimed.assert_found(claimed.space.space().as_str(), "lowest bit", |records, generator| {
            let mean = claimed.of(records);
            let mut y = mean.clone();
            law.sample(&mean, generator, &mut y).unwrap();
            y
        });
        claimed.assert_kept();
    }
}

/// One step from the public center: the mean tangent vector with normal noise.
#[test]
fn a_flow_in_floating_point_is_found_out() {
    let claim = Guarantee::approximate(1.0, 1e-6).unwrap();
    let flow = Claimed::new("euclidean:2", 0.5, 20, claim, MechanismName::KarcherFlow).with_more_releases();
    let (space, center) = (&*flow.space, flow.ball().center());
    let scale = KarcherFlow::with_steps(&flow.mean, flow.n, claim, 1).unwrap().steps()[0].scale;
    flow.assert_found("step in floating point", "lowest bit", |records, generator| {
        let (mut step, mut v, mut y) = (vec![0.0; 2], center.to_vec(), center.to_vec());
        for x in records.view().iter() {
            space.log(center, x, &mut v).unwrap();
            step.iter_mut().zip(&v).for_each(|(step, v)| *step += v / flow.n as f64);
        }
        step.iter_mut().for_each(|step| *step += scale * generator.sample::<f64, _>(StandardNormal));
        space.exp(center, &step, &mut y);
        y
    });
    flow.assert_kept();
}

/// The grid is coarse, public and on the stated lattice. But it starts at the multiple of the lattice's step that is
/// next to the confidential mean. Where that is an odd one, no lowest bit shows it.
#[test]
fn a_grid_that_is_anchored_at_the_mean_is_found_out() {
    let plane = Claimed::epsilon("euclidean:2", 0.5, 20);
    let lattice = 2.0_f64.powi(-26);
    for (exponent, odd, score) in
        [(-22, true, "modulo"), (-16, true, "modulo"), (-12, true, "modulo"), (-16, false, "")]
    {
        let grid = 2.0_f64.powi(exponent);
        plane.assert_found(&format!("grid of 2^{exponent}, odd: {odd}"), score, |records, generator| {
            let anchored =
                |mean: f64| if odd { rounded(mean, 2.0 * lattice) + lattice } else { rounded(mean, lattice) };
            let mut value = plane.of(records);
            value.iter_mut().for_each(|x| *x = anchored(*x) + rounded(inverse(plane.scale, generator), grid));
            Published { lattice: Some(lattice), ..value.into() }
        });
    }
}

/// The grid is as coarse as double precision at the confidential mean, or some power of two coarser. It is stated as
/// the lattice, so that nothing is off it.
#[test]
fn a_grid_as_coarse_as_the_mean_is_large_is_found_out() {
    let line = Claimed::epsilon("euclidean:1", 1.0, 20);
    for (exponent, told) in [(-53, false), (-30, false), (-30, true)] {
        line.assert_found(&format!("2^{exponent} times the mean, told: {told}"), "", |records, generator| {
            let mean = line.of(records)[0];
            let grid = mean.abs().max(1e-9).log2().floor().exp2() * 2.0_f64.powi(exponent);
            let value = vec![mean + rounded(inverse(line.scale, generator), grid)];
            Published { lattice: told.then_some(grid), ..value.into() }
        });
    }
}

/// A fine lattice, and noise that takes one of a few thousand values: repeated values reveal the mean.
#[test]
fn noise_from_twelve_bits_is_found_out() {
    let line = Claimed::epsilon("euclidean:1", 1.0, 20);
    let lattice = 2.0_f64.powi(-40);
    line.assert_found("twelve bits", "repeated", |records, generator| {
        let uniform = (f64::from(generator.random_range(0..4096_u16)) + 0.5) / 4096.0;
        let sign = if generator.random::<bool>() { 1.0 } else { -1.0 };
        let y = line.of(records)[0] - sign * line.scale * uniform.ln();
        Published { lattice: Some(lattice), ..vec![rounded(y, lattice)].into() }
    });
    line.assert_kept();
}

/// Too few releases to refute anything do not pass.
#[test]
fn an_audit_that_could_not_have_refuted_the_claim_is_not_conclusive() {
    let line = Claimed::new("euclidean:1", 1.0, 20, Guarantee::pure(6.0).unwrap(), MechanismName::Laplace);
    let plan = Request::new(line.mean.clone(), line.n, line.claim).plan().unwrap();
    let effort = |releases| Effort { releases, error_probability: ERROR };
    let few = audit(&*plan, effort(1_000), &mut Generator::seeded(5), &|_| ()).unwrap();
    assert!(few.provable < 6.0 && !few.conclusive && !few.passed && !few.refuted(), "{few:?}");
    let many = audit(&*plan, effort(30_000), &mut Generator::seeded(5), &|_| ()).unwrap();
    assert!(many.provable > 6.0 && many.conclusive && many.passed && !many.refuted(), "{many:?}");
}
