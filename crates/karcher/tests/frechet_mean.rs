//! The Fréchet mean against facts that do not come from the library.

use crate::common::{cloud, cloud_around, manifold};
use karcher::error::GeometryError;
use karcher::manifold::{Hyperbolic, Kendall, Projective, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use karcher::nonprivate::FrechetMean;
use karcher::records::{Observations, Summand};
use karcher::{Error, Manifold, Points};

fn mean_square_distance(manifold: &dyn Manifold, m: &[f64], points: &Points) -> f64 {
    points.view().iter().map(|x| manifold.dist(m, x).powi(2)).sum::<f64>() / points.len() as f64
}

const SPACES: [(&str, f64); 9] = [
    ("euclidean:3", 2.0),
    ("sphere:1", 0.5),
    ("sphere:2", 0.5),
    ("sphere:6", 0.5),
    ("hyperbolic:3", 1.5),
    ("spd-log-euclidean:4", 2.0),
    ("spd-affine-invariant:2", 2.0),
    ("spd-affine-invariant:12", 3.0),
    ("kendall:6", 0.25),
];

/// Stepping from the mean in any frame direction increases the mean squared distance, by `h²` at least to first order
/// in flat or negatively curved spaces.
#[test]
fn mean_minimises_the_mean_squared_distance() {
    for (name, spread) in SPACES {
        let m = manifold(name);
        let points = cloud(&m, 50, spread, 1);
        let mean = FrechetMean::new(&*m).fit(points.view()).unwrap();
        let least = mean_square_distance(&*m, &mean, &points);
        let (mut v, mut p) = (mean.clone(), mean.clone());
        for i in 0..m.dim() {
            for h in [1e-3, -1e-3] {
                let mut c = vec![0.0; m.dim()];
                c[i] = h;
                m.from_frame(&mean, &c, &mut v);
                m.exp(&mean, &v, &mut p);
                let rise = mean_square_distance(&*m, &p, &points) - least;
                assert!(rise > 0.5e-6 && rise < 1e-5, "{name}: {rise}"); // h²·(Hessian from about 0.7 to 4)
            }
        }
    }
}

#[test]
fn mean_of_two_points_is_the_midpoint() {
    for (name, spread) in SPACES {
        let m = manifold(name);
        let pair = cloud(&m, 2, spread, 2);
        let mean = FrechetMean::new(&*m).fit(pair.view()).unwrap();
        let ends: Vec<&[f64]> = pair.view().iter().collect();
        let whole = m.dist(ends[0], ends[1]);
        for end in ends {
            assert!((m.dist(&mean, end) - 0.5 * whole).abs() < 1e-11 * whole, "{name}");
        }
    }
}

#[test]
fn integer_weights_repeat_records() {
    for (name, spread) in SPACES {
        let m = manifold(name);
        let points = cloud(&m, 4, spread, 3);
        let weights = [1.0, 3.0, 0.0, 2.0];
        let weighted = FrechetMean::new(&*m).weights(&weights).fit(points.view()).unwrap();
        let records: Vec<&[f64]> = points.view().iter().collect();
        let repeated = [records[0], records[1], records[1], records[1], records[3], records[3]].concat();
        let repeated = Points::new(&*m, repeated).unwrap();
        let expected = FrechetMean::new(&*m).fit(repeated.view()).unwrap();
        assert!(m.dist(&weighted, &expected) < 1e-11, "{name}");
    }
}

#[test]
fn result_has_the_same_bits_for_any_number_of_threads() {
    for name in ["sphere:2", "spd-log-euclidean:3", "spd-affine-invariant:3", "kendall:5"] {
        let m = manifold(name);
        let points = cloud(&m, 3_000, 0.3, 4);
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| FrechetMean::new(&*m).fit(points.view()).unwrap())
        };
        let one = with_threads(1);
        for threads in [2, 3, 7] {
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one), bits(&with_threads(threads)), "{name} with {threads} threads");
        }
    }
}

/// `‖(1/n)·Σ Log_m xᵢ‖`, from one logarithm at a time: what the fit does not do.
fn gradient_norm(manifold: &dyn Manifold, m: &[f64], points: &Points) -> f64 {
    let (mut sum, mut log) = (vec![0.0; m.len()], vec![0.0; m.len()]);
    for x in points.view().iter() {
        manifold.log(m, x, &mut log).unwrap();
        sum.iter_mut().zip(&log).for_each(|(sum, log)| *sum += log);
    }
    manifold.norm(m, &sum) / points.len() as f64
}

#[test]
fn gradient_falls_below_the_tolerance() {
    for (name, spread) in SPACES {
        let m = manifold(name);
        if m.flat_chart().is_some() {
            continue;
        }
        let points = cloud(&m, 300, spread, 5);
        for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
            let mean = FrechetMean::new(&*m).tolerance(tolerance).fit(points.view()).unwrap();
            let size = gradient_norm(&*m, &mean, &points);
            assert!(size <= tolerance * 1.001, "{name}: {size} above {tolerance}");
        }
    }
}

/// Diagonal matrices commute, so both metrics' means are the geometric mean of each diagonal entry.
#[test]
fn mean_of_commuting_matrices_is_their_geometric_mean() {
    let diagonals = [[1.0, 2.0, 1e-3], [4.0, 0.5, 1e3], [2.0, 8.0, 1.0]];
    let values: Vec<f64> = diagonals.iter().flat_map(|d| [d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2]]).collect();
    let spaces: [Box<dyn Manifold>; 2] =
        [Box::new(SpdLogEuclidean::new(3).unwrap()), Box::new(SpdAffineInvariant::new(3).unwrap())];
    for m in spaces {
        let mean = FrechetMean::new(&*m).fit(Points::new(&*m, values.clone()).unwrap().view()).unwrap();
        for (i, expected) in [2.0, 2.0, 1.0].into_iter().enumerate() {
            assert!((mean[4 * i] / expected - 1.0).abs() < 1e-12, "{:?}: {mean:?}", m.space());
        }
    }
}

/// `A # B = A^{1/2}(A^{−1/2}BA^{−1/2})^{1/2}A^{1/2}`; for 2×2 matrices of determinant 1 it is `(A+B)/√det(A+B)`.
#[test]
fn affine_invariant_mean_of_two_unimodular_matrices_is_their_normalised_sum() {
    let (a, b) = ([5.0, 3.0, 3.0, 2.0], [1.0, -2.0, -2.0, 5.0]);
    let m = SpdAffineInvariant::new(2).unwrap();
    let mean = FrechetMean::new(&m).fit(Points::new(&m, [a, b].concat()).unwrap().view()).unwrap();
    let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let determinant: f64 = sum[0] * sum[3] - sum[1] * sum[2];
    for (got, expected) in mean.iter().zip(&sum) {
        assert!((got - expected / determinant.sqrt()).abs() < 1e-12);
    }
}

/// Three directions on a parallel around an axis; a triangle and its mirror images.
#[test]
fn symmetric_sets_have_symmetric_means() {
    let sphere = Sphere::new(2).unwrap();
    let (s, c) = 0.9_f64.sin_cos();
    let values: Vec<f64> = (0..3)
        .flat_map(|i| {
            let turn = i as f64 * std::f64::consts::TAU / 3.0;
            [s * turn.cos(), s * turn.sin(), c]
        })
        .collect();
    let mean = FrechetMean::new(&sphere).fit(Points::new(&sphere, values).unwrap().view()).unwrap();
    assert!(sphere.dist(&mean, &[0.0, 0.0, 1.0]) < 1e-11);

    let hyperbolic = Hyperbolic::new(1).unwrap();
    let point = |t: f64| [t.cosh(), t.sinh()];
    let line = Points::new(&hyperbolic, [point(-1.0), point(0.5), point(2.0)].concat()).unwrap();
    let mean = FrechetMean::new(&hyperbolic).fit(line.view()).unwrap();
    assert!(hyperbolic.dist(&mean, &point(0.5)) < 1e-12);
}

/// Turning, moving and scaling landmarks changes no shape, so it changes no mean.
#[test]
fn mean_shape_does_not_depend_on_representatives() {
    let m = Kendall::new(5).unwrap();
    let shapes = cloud(&m, 10, 0.3, 6);
    let turned: Vec<f64> = shapes
        .view()
        .iter()
        .enumerate()
        .flat_map(|(i, shape)| {
            let (s, c) = (i as f64).sin_cos();
            shape.chunks_exact(2).flat_map(|z| [c * z[0] - s * z[1], s * z[0] + c * z[1]]).collect::<Vec<_>>()
        })
        .collect();
    let mean = FrechetMean::new(&m).fit(shapes.view()).unwrap();
    let other = FrechetMean::new(&m).fit(Points::new(&m, turned).unwrap().view()).unwrap();
    assert!(m.dist(&mean, &other) < 1e-11);
}

/// Condition numbers up to 1e8 and distances up to 30: slow spaces for a fixed step.
#[test]
fn wide_spreads_converge() {
    let m = SpdAffineInvariant::new(4).unwrap();
    let points = cloud(&m, 40, 8.0, 7);
    let mean = FrechetMean::new(&m).tolerance(1e-9).fit(points.view()).unwrap();
    // by the logarithms of many at once: for matrices so far apart single ones lose other digits
    let gradient = Observations::new(&points).sum(&m, &Summand::Log { base: mean, bound: 100.0 }).unwrap().mean();
    assert!(gradient.iter().map(|g| g * g).sum::<f64>().sqrt() <= 1.001e-9);
}

#[test]
fn bad_requests_are_refused() {
    let m = Sphere::new(2).unwrap();
    let points = cloud(&m, 3, 0.3, 9);
    for weights in
        [&[1.0, 2.0][..], &[1.0, -1.0, 1.0], &[0.0, 0.0, 0.0], &[f64::NAN, 1.0, 1.0], &[f64::INFINITY, 1.0, 1.0]]
    {
        let error = FrechetMean::new(&m).weights(weights).fit(points.view()).unwrap_err();
        assert!(matches!(error, Error::InvalidParameter { name: "weight", .. }), "{weights:?}");
    }
    for tolerance in [0.0, -1.0, f64::NAN] {
        assert!(FrechetMean::new(&m).tolerance(tolerance).fit(points.view()).is_err());
    }
    let antipodes = Points::new(&m, vec![1.0, 0.0, 0.0, -1.0, 0.0, 0.0]).unwrap();
    assert!(matches!(FrechetMean::new(&m).fit(antipodes.view()), Err(Error::Geometry(GeometryError::CutLocus { .. }))));
    assert!(matches!(FrechetMean::new(&m).iterations(0).fit(points.view()), Err(Error::NoConvergence)));
    assert!(matches!(Points::new(&m, vec![]), Err(GeometryError::NoRecords)));
}

/// Nearly equal records, anywhere: the iteration ends at the accuracy of rounding. The reference is the arithmetic mean
/// of the coordinates, put back on the sphere or the hyperboloid. It differs by the third power of the spread.
#[test]
fn the_mean_of_tight_data_is_found_to_rounding() {
    for name in ["sphere:2", "sphere:10", "sphere:60", "hyperbolic:3", "hyperbolic:10"] {
        let m = manifold(name);
        for spread in [1e-5, 1.6e-6, 1e-7, 1e-12, 1e-16] {
            for seed in 0..20 {
                let place = cloud(&m, 1, 0.8, 100 + seed);
                let points = cloud_around(&m, place.view().values(), 30, spread, seed);
                let mean = FrechetMean::new(&*m).fit(points.view());
                let mean = mean.unwrap_or_else(|e| panic!("{name} at {spread}, seed {seed}: {e}"));
                let mut expected = place.view().values().to_vec();
                let moves = points.view().iter().map(|x| x.iter().zip(&expected).map(|(x, p)| x - p).collect());
                let moves: Vec<Vec<f64>> = moves.collect();
                for (i, p) in expected.iter_mut().enumerate() {
                    *p += moves.iter().map(|d| d[i]).sum::<f64>() / 30.0;
                }
                // the square of the spread is what separates the average from the surface
                let surface = if name.starts_with("sphere") {
                    expected.iter().map(|x| x * x).sum::<f64>().sqrt()
                } else {
                    (expected[0].powi(2) - expected[1..].iter().map(|x| x * x).sum::<f64>()).sqrt()
                };
                expected.iter_mut().for_each(|x| *x /= surface);
                let error = m.dist(&mean, &expected);
                assert!(error < 1e-14 + 4.0 * spread.powi(3), "{name} at {spread}, seed {seed}: {error:e}");
            }
        }
    }
}

/// Matrices near the identity: with `D = X − I` their mean is `Expm` of the mean of `D − D²/2`, up to the third power
/// of the spread.
#[test]
fn the_mean_of_nearly_equal_matrices_is_found_to_rounding() {
    for (k, spread) in [(2, 1e-7), (5, 1e-7), (22, 1e-7), (10, 1e-5), (22, 1e-4), (3, 1e-15)] {
        let m = SpdAffineInvariant::new(k).unwrap();
        for seed in 0..5 {
            let points = cloud(&m, 12, spread, seed);
            let mean = FrechetMean::new(&m).fit(points.view());
            let mean = mean.unwrap_or_else(|e| panic!("{k} at {spread}, seed {seed}: {e}"));
            let identity = nalgebra::DMatrix::<f64>::identity(k, k);
            let mut log = nalgebra::DMatrix::<f64>::zeros(k, k);
            for x in points.view().iter() {
                let d = nalgebra::DMatrix::from_column_slice(k, k, x) - &identity;
                log += (&d - 0.5 * &d * &d) / 12.0;
            }
            let expected = &identity + &log + 0.5 * &log * &log;
            let error = (nalgebra::DMatrix::from_column_slice(k, k, &mean) - expected).norm();
            assert!(error < 3e-15 * k as f64 + 4.0 * spread.powi(3), "{k} at {spread}, seed {seed}: {error:e}");
        }
    }
}

#[test]
fn the_mean_of_equal_records_is_that_record() {
    for (name, spread) in SPACES {
        let m = manifold(name);
        for (n, seed) in [(1, 1), (2, 2), (7, 3), (1000, 4)] {
            let record = cloud(&m, 1, spread, seed);
            let mean = FrechetMean::new(&*m).fit(Points::new(&*m, record.view().values().repeat(n)).unwrap().view());
            let error = m.dist(&mean.unwrap_or_else(|e| panic!("{name}, {n}: {e}")), record.view().values());
            assert!(error < 1e-12, "{name}, {n}: {error:e}");
        }
    }
}

/// Half of a sphere, records on its edge: the fast iteration can be stuck there, and the mean is found all the same.
#[test]
fn the_mean_of_records_all_around_a_hemisphere_is_found() {
    let m = Sphere::new(2).unwrap();
    for seed in 0..300 {
        let records: Vec<f64> = cloud(&m, 27, 1.0, seed)
            .view()
            .iter()
            .flat_map(|x| {
                let across = x[1].hypot(x[2]);
                let (s, c) = 1.56_f64.sin_cos();
                [c, s * x[1] / across, s * x[2] / across]
            })
            .collect();
        let records = Points::new(&m, records).unwrap();
        assert!(FrechetMean::new(&m).start(&[1.0, 0.0, 0.0]).fit(records.view()).is_ok(), "{seed}");
    }
}

/// Bit by bit: the mean aligned to the first record is that of any other signs.
#[test]
fn signs_of_the_records_do_not_change_their_mean() {
    let rp = Projective::new(2).unwrap();
    let axis = |i: usize| {
        let (trend, plunge) = (0.7 + 0.3 * (2.4 * i as f64).sin(), 0.2 * (1.7 * i as f64).cos());
        [plunge.cos() * trend.cos(), plunge.cos() * trend.sin(), plunge.sin()]
    };
    let mean = |sign: &dyn Fn(usize) -> f64| {
        let values = (0..40).flat_map(|i| axis(i).map(|x| sign(i) * x)).collect();
        let points = Points::new(&rp, values).unwrap();
        let mean = FrechetMean::new(&rp).fit(points.view()).unwrap();
        let mut aligned = mean.clone();
        rp.align(&axis(0), &mean, &mut aligned);
        aligned.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let plain = mean(&|_| 1.0);
    for step in [2, 3, 7, 11] {
        assert_eq!(mean(&|i| if i % step == 0 { -1.0 } else { 1.0 }), plain);
    }
    // axes on both sides of the edge of a hemisphere: the mean of the unit vectors is far from them all
    let edge = [[1.0, 0.0, 0.02], [-1.0, 0.0, 0.02]].map(|mut p| {
        rp.normalize(&mut p);
        p
    });
    let mean = FrechetMean::new(&rp).fit(Points::new(&rp, edge.concat()).unwrap().view()).unwrap();
    assert!(rp.dist(&mean, &[1.0, 0.0, 0.0]) < 1e-14);
}

/// A symmetric matrix of eigenvalues 1 and one other, in a basis that is not that of the axes.
fn turned(k: usize, condition: f64) -> Vec<f64> {
    let vectors: Vec<f64> = (0..k * k).map(|n| f64::from(u8::from(n / k == n % k)) - 2.0 / k as f64).collect();
    let entry = |i: usize, j: usize| {
        let term = |l: usize| if l == 0 { 1.0 / condition } else { 1.0 } * vectors[l * k + i] * vectors[l * k + j];
        (0..k).map(term).sum()
    };
    (0..k * k).map(|n| entry(n / k.max(1), n % k)).collect()
}

/// The mean of unchecked numbers detects the same errors as a check of each number.
#[test]
fn a_mean_of_unchecked_matrices_is_that_of_checked_ones() {
    for (k, n) in [(1, 1), (2, 40), (3, 700), (4, 9), (5, 33), (8, 100), (22, 37)] {
        let manifold = SpdLogEuclidean::new(k).unwrap();
        let mean = FrechetMean::new(&manifold);
        // of two rows they are diagonal, and graded
        let conditions = [1.0, 30.0, 1e4, 1e6];
        let values: Vec<f64> = (0..n).flat_map(|i| turned(k, conditions[i % conditions.len()])).collect();
        let checked = |values: &[f64]| Points::new(&manifold, values.to_vec()).map(|points| mean.fit(points.view()));
        assert_eq!(mean.prechecked_fit(&values), Some(checked(&values).unwrap().unwrap()), "{k}");
        // one of them is none, or wants a closer look
        let middle = n / 2 * k * k;
        let spoil = |change: &dyn Fn(&mut [f64])| {
            let mut values = values.clone();
            change(&mut values[middle..middle + k * k]);
            values
        };
        for factor in [-1.0, 0.0, f64::NAN, f64::INFINITY, 1e-320, 1e-200, 1e250] {
            let spoilt = spoil(&|matrix| matrix.iter_mut().for_each(|x| *x *= factor));
            assert_eq!(mean.prechecked_fit(&spoilt), None, "{k} {factor}");
        }
        if k > 2 {
            for entry in [0.0, 1e-9, 1.0, f64::NAN, f64::INFINITY] {
                let spoilt = spoil(&|matrix| matrix[1] += 0.1 + entry);
                assert_eq!(mean.prechecked_fit(&spoilt), None, "{k} {entry}");
                let wrong = spoil(&|matrix| (matrix[1], matrix[k]) = (4.0 + entry, 4.0 + entry));
                assert_eq!(mean.prechecked_fit(&wrong), None, "{k} {entry}");
            }
            let steep = spoil(&|matrix| matrix.copy_from_slice(&turned(k, 1e12)));
            assert_eq!(mean.prechecked_fit(&steep), None, "{k}");
            assert!(checked(&steep).unwrap().is_ok());
        }
        assert_eq!(mean.prechecked_fit(&values[1..]), None, "{k}");
    }
}
