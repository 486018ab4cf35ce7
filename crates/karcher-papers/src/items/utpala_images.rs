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
use karcher_io::describe::{Image, ImageFiles, ball, covariance_descriptor, log_norm_bound};
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

/// Figure 2, with PneumoniaMNIST in the place of PathMNIST and OctMNIST.
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

/// Distances of private means, from draws: Laplace noise against tangent Gaussian noise.
fn utilities(context: &Context, classes: &[Class]) -> Result<Outcome, Failure> {
    let mut table = Table::new(&["class", "N", "epsilon", "method", "mean distance", "standard deviation"]);
    let mut panels = vec![];
    let (mut ahead, mut cases) = (0, 0);
    let mut behind = vec![];
    let mut gaps = vec![];
    let mut outside = 0;
    context.expect(classes.len());
    for class in classes {
        let channels = class.channels();
        let (radius, space) = (log_norm_bound(channels, ETA)?, Euclidean::new(class.k * (class.k + 1) / 2)?);
        let logarithms = class.logarithms()?;
        let n = class.len();
        outside += logarithms.chunks_exact(space.dim()).filter(|log| norm(log) > radius).count();
        let mean: Vec<f64> =
            (0..space.dim()).map(|j| logarithms.iter().skip(j).step_by(space.dim()).sum::<f64>() / n as f64).collect();
        let sensitivity = 2.0 * radius / n as f64;
        // the log-Euclidean space in its flat coordinates
        let draws = |law: Law, scale: f64, place: &str| -> Result<Vec<f64>, Failure> {
            let noise = Isotropic::new(Arc::new(space.clone()), law, scale)?;
            let mut draw = mean.clone();
            (0..REPEATS)
                .map(|i| {
                    noise.sample(&mean, &mut context.generator(&format!("{}, {place}", class.name), i), &mut draw)?;
                    Ok(space.dist(&mean, &draw))
                })
                .collect()
        };
        let mut laplace = vec![];
        let mut gaussian: [Vec<Measured>; DELTAS.len()] = Default::default();
        let mut centered = vec![];
        for epsilon in EPSILONS {
            let values = draws(Law::Laplace, sensitivity / epsilon, &format!("Laplace {epsilon}"))?;
            let measured = Measured::new(epsilon, &values);
            table.push(&[&class.name, &n, &epsilon, &"Rie-Laplace", &measured.mean, &measured.deviation]);
            let exact = space.dim() as f64 * sensitivity / epsilon;
            for (line, delta) in gaussian.iter_mut().zip(DELTAS) {
                let guarantee = Guarantee::approximate(epsilon, delta)?;
                let scale = gaussian_scale(sensitivity, &guarantee, GaussianCalibration::Analytic)?;
                let noise = Isotropic::new(Arc::new(space.clone()), Law::Gaussian, scale)?;
                let at = Measured::new(epsilon, &draws(Law::Gaussian, scale, &format!("Gaussian {epsilon} {delta}"))?);
                table.push(&[&class.name, &n, &epsilon, &format!("TanG, δ = {delta:e}"), &at.mean, &at.deviation]);
                line.push(at);
                let expected = noise.expected_distance()?;
                cases += 1;
                if expected < exact {
                    ahead += 1;
                } else {
                    behind.push(format!("ε = {epsilon}, δ = {delta:e}, k = {}", class.k));
                }
                gaps.push(Gap { k: class.k, n, epsilon, delta, gap: exact - expected });
            }
            laplace.push(measured);
            let ball = ball(channels, ETA)?;
            let guarantee = Guarantee::approximate(epsilon, DELTAS[0])?;
            let scale = gaussian_scale(2.0 * ball.radius / n as f64, &guarantee, GaussianCalibration::Analytic)?;
            let at = Measured::new(epsilon, &draws(Law::Gaussian, scale, &format!("centered {epsilon}"))?);
            table.push(&[&class.name, &n, &epsilon, &"TanG, δ = 1e-5, smaller ball", &at.mean, &at.deviation]);
            centered.push(at);
        }
        let mut lines = vec![Line::measured("Rie-Laplace", 0, &laplace, 2.0)];
        for (i, (line, delta)) in gaussian.iter().zip(DELTAS).enumerate() {
            lines.push(Line::measured(format!("TanG, δ = {delta:e}"), i + 1, line, 2.0));
        }
        lines.push(Line::measured("TanG, δ = 1e-5, our ball", 4, &centered, 2.0));
        panels.push(Panel {
            title: format!("{}, N = {n}", class.name),
            x: Axis::linear("ε"),
            y: Axis::logarithmic("ρ_LE"),
            lines,
        });
        context.step();
    }

    let mut outcome = Outcome { table, ..Outcome::default() };
    behind.sort();
    behind.dedup();
    outcome.claim(
        "The tangent Gaussian mechanism outperforms Riemannian Laplace noise for all ε and δ",
        format!("its expected distance is smaller in {ahead} of {cases} cases"),
        Verdict::when(behind.is_empty(), format!("it is larger for {}", behind.join("; "))),
    );
    let alike = |a: &Gap, b: &Gap| a.k == b.k && a.delta == b.delta;
    let over_epsilon = pairs(&gaps, |a, b| alike(a, b) && a.n == b.n && a.epsilon < b.epsilon);
    let over_n = pairs(&gaps, |a, b| alike(a, b) && a.epsilon == b.epsilon && a.n < b.n);
    outcome.claim(
        "The utility gap is higher for smaller N and ε",
        format!(
            "the expected gap is higher for the smaller ε in {} of {} pairs, and for the smaller N in {} of {}; it is \
             proportional to 1/N",
            over_epsilon.0, over_epsilon.1, over_n.0, over_n.1
        ),
        Verdict::when(over_epsilon.0 == over_epsilon.1 && over_n.0 == over_n.1, "not everywhere"),
    );
    outcome.claim(
        "All descriptors lie in the ball of Theorem 5 around the identity",
        format!("{outside} lie outside"),
        Verdict::when(outside == 0, "some lie outside"),
    );
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
    outcome.note(format!(
        "η = 10⁻⁶, {REPEATS} repetitions, bands of two standard deviations. Laplace draws are exact, not from a chain. \
         In flat coordinates the distance to the mean is the length of the noise: it does not depend on the images."
    ));
    outcome.figure = Some(Figure { columns: CLASSES.min(panels.len()), panels });
    Ok(outcome)
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
            let descriptors: Result<Vec<Vec<f64>>, karcher_io::Error> = pictures
                .par_iter()
                .map(|bytes| covariance_descriptor(&Image::decode("a CIFAR-10 image", bytes)?, ETA))
                .collect();
            let descriptors = descriptors?;
            let k = descriptors.first().map_or(0, |descriptor| descriptor.len().isqrt());
            Ok(Class { name: format!("CIFAR-10 {name}"), k, descriptors: descriptors.concat() })
        })
        .collect()
}
