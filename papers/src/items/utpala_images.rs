//! Figures 2 and 3: private means of the covariance descriptors of images, class by class.

use crate::Failure;
use crate::figure::{Axis, Figure, Line, Panel};
use crate::item::{Context, Outcome, Verdict, digits};
use crate::table::{Measured, Table};
use crate::vector::norm;
use karcher::Manifold;
use karcher::manifold::{Euclidean, FlatChart, SpdLogEuclidean};
use karcher::privacy::{GaussianCalibration, Guarantee, gaussian_scale};
use karcher::sampler::{Isotropic, Law};
use karcher_describe::{Image, ImageFiles, ball, covariance_descriptor, log_norm_bound};
use karcher_io::{ReadOptions, read};
use rayon::prelude::*;
use std::io::Read;
use std::sync::Arc;

/// The papers' `η`.
pub const ETA: f64 = 1e-6;
const EPSILONS: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
const DELTAS: [f64; 3] = [1e-5, 1e-7, 1e-9];
const REPEATS: usize = 10;

/// Means of so many classes are released, as in the paper.
const CLASSES: usize = 4;

/// Descriptors of the images of one class, `k × k` numbers each.
pub struct Class {
    /// Data set and class.
    pub name: String,
    /// Size of a descriptor.
    pub k: usize,
    /// The descriptors.
    pub descriptors: Vec<f64>,
}

impl Class {
    /// 1 for grey images, 3 for coloured ones: descriptors have 8 rows more.
    pub fn channels(&self) -> usize {
        self.k - 8
    }

    /// Number of images.
    pub fn len(&self) -> usize {
        self.descriptors.len() / (self.k * self.k)
    }

    /// The logarithms of the descriptors, in the coordinates `vecd`.
    pub fn logarithms(&self) -> Result<Vec<f64>, Failure> {
        let space = SpdLogEuclidean::new(self.k)?;
        let mut logarithms = vec![0.0; self.len() * space.dim()];
        let chunks =
            logarithms.par_chunks_exact_mut(space.dim()).zip(self.descriptors.par_chunks_exact(self.k * self.k));
        chunks.for_each(|(out, descriptor)| space.to_flat(descriptor, out));
        Ok(logarithms)
    }
}

/// Figure 2, with PneumoniaMNIST instead of PathMNIST and OctMNIST.
pub fn figure_2(context: &Context) -> Result<Outcome, Failure> {
    let Some(classes) = pneumonia(context)? else {
        return Ok(Outcome::skipped("images/pneumoniamnist.npz is not in the folder of data (--data DIR)"));
    };
    let mut outcome = utilities(context, &classes)?;
    let sizes: Vec<String> = classes.iter().map(|class| class.len().to_string()).collect();
    outcome.note(format!(
        "PneumoniaMNIST (chest X-rays, two classes, grey; in the split of the file at hand) stands in for PathMNIST \
         and OctMNIST, which are not at hand: N is {} instead of 8,000 to 46,276. The noise depends on N and the size \
         of the descriptor alone.",
        sizes.join(" and ")
    ));
    Ok(outcome)
}

/// Figure 3, without KMNIST, which is not at hand.
pub fn figure_3(context: &Context) -> Result<Outcome, Failure> {
    let classes: Vec<Class> = standard(context)?;
    if classes.is_empty() {
        return Ok(Outcome::skipped("none of the image data sets is in the folder of data (--data DIR)"));
    }
    let mut outcome = utilities(context, &classes)?;
    outcome.note(
        "MNIST, Fashion-MNIST (grey here; the paper calls it RGB) and CIFAR-10 test images; KMNIST is not at hand.",
    );
    Ok(outcome)
}

/// By how much the expected distance of tangent Gaussian noise is smaller than that of Laplace noise.
struct Gap {
    k: usize,
    n: usize,
    epsilon: f64,
    delta: f64,
    gap: f64,
}

/// Among the pairs for which something holds, those in which the first gap is higher, and all.
fn pairs(gaps: &[Gap], holds: impl Fn(&Gap, &Gap) -> bool) -> (usize, usize) {
    let found = || gaps.iter().flat_map(|a| gaps.iter().map(move |b| (a, b))).filter(|&(a, b)| holds(a, b));
    (found().filter(|(a, b)| a.gap > b.gap).count(), found().count())
}

/// Results of the draws of all classes.
#[derive(Default)]
struct Found {
    /// One panel a class.
    panels: Vec<Panel>,
    /// One gap for each class, `ε` and `δ`.
    gaps: Vec<Gap>,
    /// Descriptors outside of the ball of Theorem 5.
    outside: usize,
}

/// One class in the flat coordinates of the log-Euclidean space.
struct Flat<'a> {
    context: &'a Context,
    class: &'a Class,
    space: Euclidean,
    mean: Vec<f64>,
    /// The sensitivity of the mean, with the radius of Theorem 5.
    sensitivity: f64,
    /// The same with the smaller ball.
    centered: f64,
    /// Descriptors outside of the ball of Theorem 5.
    outside: usize,
}

/// Compares the distances of private means from draws of Laplace noise and of tangent Gaussian noise.
fn utilities(context: &Context, classes: &[Class]) -> Result<Outcome, Failure> {
    let mut table = Table::new(&["class", "N", "epsilon", "method", "mean distance", "standard deviation"]);
    let mut found = Found::default();
    context.expect(classes.len());
    for class in classes {
        let flat = Flat::new(context, class)?;
        found.outside += flat.outside;
        found.panels.push(flat.compare(&mut table, &mut found.gaps)?);
        context.step();
    }

    let mut outcome = Outcome { table, ..Outcome::default() };
    found.claims(&mut outcome);
    claim_on_the_radius(&mut outcome)?;
    outcome.note(format!(
        "η = 10⁻⁶, {REPEATS} repetitions, bands of two standard deviations. Laplace draws are exact, not from a chain. \
         In flat coordinates the distance to the mean is the length of the noise: it does not depend on the images."
    ));
    outcome.figure = Some(Figure { columns: CLASSES.min(found.panels.len()), panels: found.panels });
    Ok(outcome)
}

impl<'a> Flat<'a> {
    /// Computes the mean of a class, and its sensitivity with both balls.
    fn new(context: &'a Context, class: &'a Class) -> Result<Self, Failure> {
        let channels = class.channels();
        let (radius, space) = (log_norm_bound(channels, ETA)?, Euclidean::new(class.k * (class.k + 1) / 2)?);
        let logarithms = class.logarithms()?;
        let n = class.len();
        let outside = logarithms.chunks_exact(space.dim()).filter(|log| norm(log) > radius).count();
        let mean: Vec<f64> =
            (0..space.dim()).map(|j| logarithms.iter().skip(j).step_by(space.dim()).sum::<f64>() / n as f64).collect();
        let sensitivity = 2.0 * radius / n as f64;
        let centered = 2.0 * ball(channels, ETA)?.radius / n as f64;
        Ok(Self { context, class, space, mean, sensitivity, centered, outside })
    }

    /// Draws around the mean and returns the distances.
    fn draws(&self, law: Law, scale: f64, place: &str) -> Result<Vec<f64>, Failure> {
        let Self { context, class, space, mean, .. } = self;
        let noise = Isotropic::new(Arc::new(space.clone()), law, scale)?;
        let mut draw = mean.clone();
        (0..REPEATS)
            .map(|i| {
                noise.sample(mean, &mut context.generator(&format!("{}, {place}", class.name), i), &mut draw)?;
                Ok(space.dist(mean, &draw))
            })
            .collect()
    }

    /// Measures the distances of tangent Gaussian noise.
    fn gaussian(&self, sensitivity: f64, epsilon: f64, delta: f64, place: &str) -> Result<Measured, Failure> {
        let scale = scale(sensitivity, epsilon, delta)?;
        Ok(Measured::new(epsilon, &self.draws(Law::Gaussian, scale, place)?))
    }

    /// Computes by how much tangent Gaussian noise is expected to be nearer than Laplace noise.
    fn gap(&self, epsilon: f64, delta: f64) -> Result<Gap, Failure> {
        let laplace = self.space.dim() as f64 * self.sensitivity / epsilon;
        let scale = scale(self.sensitivity, epsilon, delta)?;
        let gaussian = Isotropic::new(Arc::new(self.space.clone()), Law::Gaussian, scale)?.expected_distance()?;
        Ok(Gap { k: self.class.k, n: self.class.len(), epsilon, delta, gap: laplace - gaussian })
    }

    /// Draws with each mechanism and returns the panel of the class.
    fn compare(&self, table: &mut Table, gaps: &mut Vec<Gap>) -> Result<Panel, Failure> {
        let (n, sensitivity) = (self.class.len(), self.sensitivity);
        let mut row = |epsilon: f64, method: &str, at: &Measured| {
            table.push(&[&self.class.name, &n, &epsilon, &method, &at.mean, &at.deviation]);
        };
        let mut laplace = vec![];
        let mut gaussian: [Vec<Measured>; DELTAS.len()] = Default::default();
        let mut centered = vec![];
        for epsilon in EPSILONS {
            let draws = self.draws(Law::Laplace, sensitivity / epsilon, &format!("Laplace {epsilon}"))?;
            laplace.push(Measured::new(epsilon, &draws));
            row(epsilon, "Rie-Laplace", &laplace[laplace.len() - 1]);
            for (line, delta) in gaussian.iter_mut().zip(DELTAS) {
                let at = self.gaussian(sensitivity, epsilon, delta, &format!("Gaussian {epsilon} {delta}"))?;
                row(epsilon, &format!("TanG, δ = {delta:e}"), &at);
                line.push(at);
                gaps.push(self.gap(epsilon, delta)?);
            }
            let at = self.gaussian(self.centered, epsilon, DELTAS[0], &format!("centered {epsilon}"))?;
            row(epsilon, "TanG, δ = 1e-5, smaller ball", &at);
            centered.push(at);
        }
        let mut lines = vec![Line::measured("Rie-Laplace", 0, &laplace, 2.0)];
        for (i, (line, delta)) in gaussian.iter().zip(DELTAS).enumerate() {
            lines.push(Line::measured(format!("TanG, δ = {delta:e}"), i + 1, line, 2.0));
        }
        lines.push(Line::measured("TanG, δ = 1e-5, our ball", 4, &centered, 2.0));
        Ok(Panel {
            title: format!("{}, N = {n}", self.class.name),
            x: Axis::linear("ε"),
            y: Axis::logarithmic("ρ_LE"),
            lines,
        })
    }
}

/// Calibrates tangent Gaussian noise.
fn scale(sensitivity: f64, epsilon: f64, delta: f64) -> Result<f64, Failure> {
    let guarantee = Guarantee::approximate(epsilon, delta)?;
    Ok(gaussian_scale(sensitivity, &guarantee, GaussianCalibration::Analytic)?)
}

impl Found {
    /// Checks the paper's claims on all classes.
    fn claims(&self, outcome: &mut Outcome) {
        self.claim_on_the_order(outcome);
        self.claim_on_the_gap(outcome);
        let outside = self.outside;
        outcome.claim(
            "All descriptors lie in the ball of Theorem 5 around the identity",
            format!("{outside} lie outside"),
            Verdict::when(outside == 0, "some lie outside"),
        );
    }

    /// Counts the cases in which tangent Gaussian noise is ahead: those with a positive gap.
    fn claim_on_the_order(&self, outcome: &mut Outcome) {
        let (cases, ahead) = (self.gaps.len(), self.gaps.iter().filter(|gap| gap.gap > 0.0).count());
        let behind = self.gaps.iter().filter(|gap| gap.gap <= 0.0);
        let mut behind: Vec<String> =
            behind.map(|gap| format!("ε = {}, δ = {:e}, k = {}", gap.epsilon, gap.delta, gap.k)).collect();
        behind.sort();
        behind.dedup();
        outcome.claim(
            "The tangent Gaussian mechanism outperforms Riemannian Laplace noise for all ε and δ",
            format!("its expected distance is smaller in {ahead} of {cases} cases"),
            Verdict::when(behind.is_empty(), format!("it is larger for {}", behind.join("; "))),
        );
    }

    /// Compares the gaps of classes and budgets that are otherwise alike.
    fn claim_on_the_gap(&self, outcome: &mut Outcome) {
        let gaps = &self.gaps;
        let alike = |a: &Gap, b: &Gap| a.k == b.k && a.delta == b.delta;
        let over_epsilon = pairs(gaps, |a, b| alike(a, b) && a.n == b.n && a.epsilon < b.epsilon);
        let over_n = pairs(gaps, |a, b| alike(a, b) && a.epsilon == b.epsilon && a.n < b.n);
        outcome.claim(
            "The utility gap is higher for smaller N and ε",
            format!(
                "the expected gap is higher for the smaller ε in {} of {} pairs, and for the smaller N in {} of {}; it \
                 is proportional to 1/N",
                over_epsilon.0, over_epsilon.1, over_n.0, over_n.1
            ),
            Verdict::when(over_epsilon.0 == over_epsilon.1 && over_n.0 == over_n.1, "not everywhere"),
        );
    }
}

/// Compares the radius of Theorem 5 with that of a ball around a multiple of the identity.
fn claim_on_the_radius(outcome: &mut Outcome) -> Result<(), Failure> {
    let (theirs, ours) = (log_norm_bound(1, ETA)?, ball(1, ETA)?.radius);
    outcome.claim(
        "The sensitivity is calculated with the radius of Theorem 5",
        format!(
            "a ball of radius {} around a multiple of the identity does too, instead of {} (grey)",
            digits(ours),
            digits(theirs)
        ),
        if ours < theirs {
            Verdict::Corrected(format!(
                "eigenvalues lie between η and the largest trace, so the middle of their logarithms is a better \
                 center: the noise falls by a factor {}",
                digits(theirs / ours)
            ))
        } else {
            Verdict::Reproduced
        },
    );
    Ok(())
}

/// The two classes of PneumoniaMNIST, if it is there.
pub fn pneumonia(context: &Context) -> Result<Option<Vec<Class>>, Failure> {
    let Some(file) = context.data("images/pneumoniamnist.npz") else { return Ok(None) };
    let names = ["normal", "pneumonia"];
    Ok(Some(archive(context, "PneumoniaMNIST", &file, ("train_images", "train_labels"), &names)?))
}

/// Four classes of each of the standard data sets that are there.
pub fn standard(context: &Context) -> Result<Vec<Class>, Failure> {
    let mut classes = vec![];
    if let Some(file) = context.data("images/mnist.npz") {
        classes.extend(archive(context, "MNIST", &file, ("test_x", "test_y"), &["0", "1", "2", "3"])?);
    }
    if let Some(file) = context.data("images/fashion_test.npz") {
        classes.extend(archive(
            context,
            "Fashion-MNIST",
            &file,
            ("x", "y"),
            &["T-shirt", "trouser", "pullover", "dress"],
        )?);
    }
    if let Some(file) = context.data("images/cifar10_test_jpg.tar") {
        classes.extend(cifar(context, &file)?);
    }
    Ok(classes)
}

/// The first classes of an NPZ archive of images and labels. In a quick run one image in five.
fn archive(
    context: &Context,
    set: &str,
    file: &str,
    keys: (&str, &str),
    names: &[&str],
) -> Result<Vec<Class>, Failure> {
    let labels = read(&format!("{file}:{}", keys.1), &ReadOptions::default())?.values;
    let images = ImageFiles::open(&[format!("{file}:{}", keys.0)])?;
    let k = images.size()?;
    let mut classes: Vec<Class> =
        names.iter().map(|name| Class { name: format!("{set} {name}"), k, descriptors: vec![] }).collect();
    let (every, mut next) = (context.pick(1, 5), 0);
    images.describe(ETA, |descriptor| {
        let label = labels.get(next).map_or(usize::MAX, |&label| label as usize);
        if let Some(class) = classes.get_mut(label).filter(|_| next % every == 0) {
            class.descriptors.extend(descriptor);
        }
        next += 1;
        Ok(())
    })?;
    Ok(classes)
}

/// The first four classes of CIFAR-10 test images, JPEG files in a tar archive with a folder a class.
fn cifar(context: &Context, file: &str) -> Result<Vec<Class>, Failure> {
    let names = ["airplane", "automobile", "bird", "cat"];
    let mut pictures: Vec<Vec<Vec<u8>>> = vec![vec![]; names.len()];
    let (every, mut number) = (context.pick(1, 5), 0);
    for entry in tar::Archive::new(std::fs::File::open(file)?).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        let Some(class) = names.iter().position(|name| path.contains(&format!("/{name}/"))) else { continue };
        if !path.ends_with(".jpg") {
            continue;
        }
        number += 1;
        if number % every == 0 {
            let mut bytes = vec![];
            entry.read_to_end(&mut bytes)?;
            pictures[class].push(bytes);
        }
    }
    names
        .into_iter()
        .zip(pictures)
        .map(|(name, pictures)| {
            let descriptors: karcher_describe::Result<Vec<Vec<f64>>> = pictures
                .par_iter()
                .map(|bytes| covariance_descriptor(&Image::decode("a CIFAR-10 image", bytes)?, ETA))
                .collect();
            let descriptors = descriptors?;
            let k = descriptors.first().map_or(0, |descriptor| descriptor.len().isqrt());
            Ok(Class { name: format!("CIFAR-10 {name}"), k, descriptors: descriptors.concat() })
        })
        .collect()
}
