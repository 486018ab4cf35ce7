//! Poses, or rigid motions of space: a rotation and a translation, with a public length that counts as much as a
//! radian.
//!
//! A point is `w x y z` of the rotation `R`, up to sign, and the translation `t`. The space is the product of
//! `rotations:3` and of `euclidean:3` with all lengths divided by `L`: `ρ² = angle² + ‖t − t′‖²/L²`.
//!
//! This is a metric that motions of the world leave as it is: `(Q, s)·(R, t) = (QR, Qt + s)` turns and moves both
//! translations alike. It is the canonical left-invariant metric of `SE(3)` (Park 1995, Distance metrics on the
//! rigid-body motions with applications to mechanism design). Its geodesics turn about a fixed axis while they move
//! along a straight line. They are not the screws of the group's exponential.

use super::family::{Family, number};
use super::layout::Entries;
use super::product::joined;
use super::rotations::{self, SCALED, first_positive, is_scaled, matrix, nearest_matrix, nearly_of_matrix};
use super::vector::{norm, scale};
use super::{Called, Euclidean, Layout, Manifold, Product, Rotations, Scaled, check_size};
use crate::error::{Error, Result, Short};
use crate::space::Space;
use std::sync::Arc;

/// `poses:3` and `poses:3,L`.
pub(super) const FAMILY: Family = Family {
    name: "poses",
    size: "3,L",
    about: "positions and orientations of cameras and robots",
    examples: &["poses:3"],
    parse: |size| {
        let (n, length) = size.split_once(',').map_or(Some((size, 1.0)), |(n, length)| Some((n, decimal(length)?)))?;
        Some(Product::poses(number(n)?, length).map(|space| Arc::new(space) as _))
    },
};

/// A number of digits with at most one point.
fn decimal(text: &str) -> Option<f64> {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.').then(|| text.parse().ok())?
}

/// How far the quaternions and matrices of files may be from a rotation: three digits, as some trajectories have.
const ROUNDED: f64 = 1e-3;

impl Product {
    /// Rigid motions of space, `n = 3`, where a translation by `length` counts as much as a turn by one radian.
    ///
    /// # Errors
    /// [`Error::InvalidSize`], and [`Error::InvalidParameter`] for a length below 10⁻⁹ or above 10⁹.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Product};
    /// let poses = Product::poses(3, 2.5)?;
    /// assert_eq!(poses.space().as_str(), "poses:3,2.5");
    /// // five metres apart, and not turned
    /// let (p, q) = ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0]);
    /// assert_eq!(poses.dist(&p, &q), 2.0);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn poses(n: usize, length: f64) -> Result<Self> {
        let name = if length == 1.0 { format!("poses:{n}") } else { format!("poses:{n},{length}") };
        let space = Space::named(name);
        check_size(&space, n, 3, 3)?;
        if !(1e-9..=1e9).contains(&length) {
            let requirement = "the distance that counts as much as a radian is from 1e-9 to 1e9".to_owned();
            return Err(Error::InvalidParameter { name: "length", value: length, requirement });
        }
        let (rotations, translations) = (Rotations::new(n)?, Euclidean::new(n)?);
        let layouts = layouts(&rotations, &translations);
        let translations: Arc<dyn Manifold> = match length {
            1.0 => Arc::new(translations),
            _ => Arc::new(Scaled::new(
                Arc::new(translations),
                1.0 / length,
                Space::named(format!("euclidean:{n}/{length}")),
            )),
        };
        Ok(Self::named(space, vec![Arc::new(rotations), translations], layouts))
    }
}

/// The product's own numbers; those of TUM and of `.g2o` files; quaternions with `w` first; matrices of three rows, as
/// in KITTI's files, and of four.
fn layouts(rotations: &Rotations, translations: &Euclidean) -> Vec<Layout> {
    let row = [rotations as &dyn Manifold, translations].map(|space| (space.layouts().remove(0), space.point_len()));
    let tum = placed("tum", 7, ([6, 3, 4, 5], [0, 1, 2]), unit, first_positive).rounded_by(|r| with_unit(r, 3..7));
    let quaternions = placed("quaternions", 7, ([3, 4, 5, 6], [0, 1, 2]), unit, first_positive);
    let quaternions = quaternions.rounded_by(|r| with_unit(r, 3..7));
    let rounded = |r: &[f64]| nearly_of_matrix(r, ROUNDED);
    let kitti = placed("kitti", 12, (TURN, [3, 7, 11]), rounded, matrix).rounded_by(with_rotation);
    let scaled = |r: &[f64], is_rounded: bool| (!is_rounded && is_scaled(&TURN.map(|i| r[i]))).then_some(SCALED);
    let (reading, writing) = (kitti.clone(), kitti.clone());
    let matrices = Layout::new(
        "matrices",
        16,
        move |r| {
            let last: Vec<String> = r[12..].iter().map(|x| Short(*x).to_string()).collect();
            let off = r[12..].iter().zip([0.0, 0.0, 0.0, 1.0]).fold(0.0, |most: f64, (x, e)| most.max((x - e).abs()));
            if off > ROUNDED {
                return Err(format!("the last row is {}, it must be 0 0 0 1", last.join(" ")));
            }
            reading.read(&r[..12])
        },
        move |p| [&writing.write(p)[..], &[0.0, 0.0, 0.0, 1.0]].concat(),
    )
    .rounded_by(with_rotation);
    vec![
        joined("vectors".to_owned(), row.to_vec(), 1).called_in_groups(&[&[QW, QX, QY, QZ], &[TX, TY, TZ]]),
        tum.columns(&["tx", "ty", "tz", "qx", "qy", "qz", "qw"])
            .called_in_groups(&[&[TX, TY, TZ], &[QX, QY, QZ, QW]])
            .up_to_sign(3..7)
            .told(),
        quaternions
            .columns(&["tx", "ty", "tz", "qw", "qx", "qy", "qz"])
            .called_in_groups(&[&[TX, TY, TZ], &[QW, QX, QY, QZ]])
            .up_to_sign(3..7)
            .told(),
        kitti.advising(scaled).of_entries(Entries::row_by_row(3, 4)).in_arrays(&[3, 4]),
        matrices.advising(scaled).of_entries(Entries::row_by_row(4, 4)).in_arrays(&[4, 4]),
    ]
}

/// The places of the rotation in a matrix of four columns.
const TURN: [usize; 9] = [0, 1, 2, 4, 5, 6, 8, 9, 10];

/// A record whose rotation is the one nearest to its matrix.
fn with_rotation(record: &[f64]) -> Vec<f64> {
    let mut near = record.to_vec();
    TURN.iter().zip(nearest_matrix(&TURN.map(|i| record[i]))).for_each(|(i, x)| near[*i] = x);
    near
}

/// A record whose numbers in these places have unit norm.
fn with_unit(record: &[f64], places: std::ops::Range<usize>) -> Vec<f64> {
    let (mut near, length) = (record.to_vec(), norm(&record[places.clone()]));
    if length > 0.0 {
        scale(&mut near[places], 1.0 / length);
    }
    near
}

const TX: Called = Called::new("tx", &["tx", "px", "positionx", "translationx"], &["x"]);
const TY: Called = Called::new("ty", &["ty", "py", "positiony", "translationy"], &["y"]);
const TZ: Called = Called::new("tz", &["tz", "pz", "positionz", "translationz"], &["z"]);
const QX: Called = Called::new("qx", &["qx", "quaternionx", "orientationx", "rotationx"], rotations::X.symbols());
const QY: Called = Called::new("qy", &["qy", "quaterniony", "orientationy", "rotationy"], rotations::Y.symbols());
const QZ: Called = Called::new("qz", &["qz", "quaternionz", "orientationz", "rotationz"], rotations::Z.symbols());
const QW: Called = Called::new("qw", &["qw", "quaternionw", "orientationw", "rotationw"], rotations::W.symbols());

/// A layout whose records hold the numbers of a rotation, and those of a translation, in these places.
fn placed<const N: usize>(
    name: &'static str,
    numbers: usize,
    (turn, shift): ([usize; N], [usize; 3]),
    read: impl Fn(&[f64]) -> std::result::Result<Vec<f64>, String> + Send + Sync + 'static,
    write: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
) -> Layout {
    Layout::new(
        name,
        numbers,
        move |record| Ok([read(&turn.map(|i| record[i]))?, shift.map(|i| record[i]).to_vec()].concat()),
        move |point| {
            let mut record = vec![0.0; numbers];
            turn.iter().zip(write(&point[..4])).for_each(|(i, x)| record[*i] = x);
            shift.iter().zip(&point[4..]).for_each(|(i, x)| record[*i] = *x);
            record
        },
    )
}

/// A quaternion of unit norm, up to [`ROUNDED`], made one.
fn unit(q: &[f64]) -> std::result::Result<Vec<f64>, String> {
    let (length, mut unit) = (norm(q), q.to_vec());
    if (length - 1.0).abs() > ROUNDED {
        return Err(format!("the quaternion's norm is {}, it must be 1", Short(length)));
    }
    scale(&mut unit, 1.0 / length);
    Ok(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::vector::norm_of_difference;
    use crate::manifold::{CutLocus, Homogeneity, Model, Verdict};

    fn layout(name: &str) -> Layout {
        Product::poses(3, 1.0).unwrap().layouts().into_iter().find(|layout| layout.name() == name).unwrap()
    }

    /// SciPy 1.13 and geomstats 2.8.0: `a = Rotation.from_rotvec([.3, -1.2, .4])`,
    /// `b = Rotation.from_rotvec([2, .5, -1.5])`, with the translations `s, t = [1, -2, .5], [3.5, .25, -1]`, as TUM
    /// writes them.
    const ONE: [f64; 7] =
        [1.0, -2.0, 0.5, 0.13965840132370141, -0.5586336052948057, 0.18621120176493525, 0.7960837985490559];
    const OTHER: [f64; 7] =
        [3.5, 0.25, -1.0, 0.7503394175247715, 0.18758485438119288, -0.5627545631435786, 0.2917361523302408];
    #[rustfmt::skip]
    const ONE_MATRIX: [f64; 12] = [
        0.30650776674517166, -0.45251519414916497, -0.8374264075063735, 1.0,
        0.14044368918449224, 0.8916418385539331, -0.43040725122657, -2.0,
        0.9414502424945979, 0.0143119112736729, 0.3368480519500705, 0.5,
    ];

    /// `ProductManifold([SpecialOrthogonal(3), Euclidean(3)]).metric.dist` for `L = 1`. For other lengths
    /// `hypot((a.inv() * b).magnitude(), norm(t - s) / L)`. Matrices of `SE(3)` with the canonical left-invariant
    /// metric, `SpecialEuclideanMatricesCanonicalLeftMetric.dist`, measure a turn by `√2` of its angle: they are
    /// `poses:3,√2` with distances times `√2`.
    #[test]
    fn distances_are_those_of_geomstats() {
        let (p, q) = (layout("tum").read(&ONE).unwrap(), layout("tum").read(&OTHER).unwrap());
        let dist = |length: f64| Product::poses(3, length).unwrap().dist(&p, &q);
        assert!((dist(1.0) - 4.678826850970873).abs() < 1e-14);
        assert!((dist(2.5) - 3.2402038055292173).abs() < 1e-14);
        let root = 2.0_f64.sqrt();
        assert!((root * dist(root) - 5.497303102679719).abs() < 1e-14);
    }

    /// `metric.exp(0.3 * metric.log(b, a), a)` of the same metric of geomstats. The group's exponential ends elsewhere,
    /// at the translation `a @ expm(.3 * logm(inv(a) @ b))` = 2.02, −1.76, −0.05.
    #[test]
    fn geodesics_are_those_of_the_canonical_left_invariant_metric() {
        let poses = Product::poses(3, 2.5).unwrap();
        let (p, q) = (layout("tum").read(&ONE).unwrap(), layout("tum").read(&OTHER).unwrap());
        let (mut v, mut end) = ([0.0; 7], [0.0; 7]);
        poses.log(&p, &q, &mut v).unwrap();
        poses.exp(&p, &v.map(|v| 0.3 * v), &mut end);
        let expected = [
            1.75,
            -1.3250000000000002,
            0.050000000000000044,
            0.4366049166136435,
            -0.3976477044688488,
            -0.07902283764539995,
            0.8031238018200664,
        ];
        let got = layout("tum").write(&end);
        assert!(norm_of_difference(&got, &expected) < 1e-14, "{got:?}");
    }

    #[test]
    fn layouts_hold_the_same_pose_as_in_scipy() {
        let poses = Product::poses(3, 1.0).unwrap();
        let p = layout("tum").read(&ONE).unwrap();
        assert!(norm_of_difference(&layout("kitti").write(&p), &ONE_MATRIX) < 1e-15);
        let four = [&ONE_MATRIX[..], &[0.0, 0.0, 0.0, 1.0]].concat();
        assert!(norm_of_difference(&layout("matrices").write(&p), &four) < 1e-15);
        let negative: Vec<f64> = p.iter().enumerate().map(|(i, x)| if i < 4 { -x } else { *x }).collect();
        for layout in poses.layouts() {
            assert_eq!(layout.write(&p), layout.write(&negative), "{layout:?}");
            assert!(poses.dist(&layout.read(&layout.write(&p)).unwrap(), &p) < 1e-14, "{layout:?}");
        }
        let opposite: Vec<f64> = ONE.iter().enumerate().map(|(i, x)| if i < 3 { *x } else { -x }).collect();
        let near = layout("tum").near(&opposite).write(&p);
        assert!(near.iter().zip(&opposite).all(|(a, b)| (a - b).abs() < 1e-15), "{near:?}");
        assert_eq!(layout("quaternions").write(&p)[..5], [1.0, -2.0, 0.5, ONE[6], ONE[3]]);
        // four decimals, as in the ground truths of the TUM RGB-D benchmark
        let line = [1.3563, 0.6305, 1.6380, -0.7403, -0.4675, 0.3117, -0.3692];
        let rounded = layout("tum").read(&line).unwrap();
        poses.check_point(&rounded).unwrap();
        let turned = layout("tum").write(&rounded).iter().zip(line).skip(3).fold(0.0, |s, (a, b)| s + a * b);
        assert!((turned + 1.0).abs() < 1e-4, "{turned}");
    }

    #[test]
    fn what_is_no_pose_is_refused_with_the_reason() {
        let mut mirrored = ONE_MATRIX;
        mirrored[..3].iter_mut().for_each(|x| *x = -*x);
        for (name, record, text) in [
            ("tum", vec![0.0; 7], "the quaternion's norm is 0, it must be 1"),
            ("tum", vec![f64::MAX; 7], "the quaternion's norm is inf"),
            ("quaternions", vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0], "norm is 1.4142135623730951"),
            ("kitti", vec![1.0; 12], "not orthogonal"),
            ("kitti", mirrored.to_vec(), "a reflection"),
            (
                "matrices",
                [&ONE_MATRIX[..], &[0.0, 0.0, 0.0, 2.0]].concat(),
                "the last row is 0 0 0 2, it must be 0 0 0 1",
            ),
            ("tum", vec![0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 1.0], "NaN"),
        ] {
            let error = layout(name).read(&record).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        let error = Product::poses(3, 2.0).unwrap().check_point(&[1.0, 0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0]).unwrap_err();
        assert!(error.to_string().contains("poses:3,2: in factor 2, euclidean:3/2, number 1 is NaN"), "{error}");
    }

    #[test]
    fn names_hold_one_length_in_its_shortest_form() {
        for (given, name) in [
            ("poses:3", "poses:3"),
            ("poses:3,1.0", "poses:3"),
            ("poses:3,2.50", "poses:3,2.5"),
            ("poses:3,.5", "poses:3,0.5"),
            ("poses:3,0.000001", "poses:3,0.000001"),
        ] {
            let space: Space = given.parse().unwrap();
            assert_eq!(space.as_str(), name);
            assert_eq!(space.as_str().parse::<Space>().unwrap(), space);
        }
        for name in ["poses:3,", "poses:3,-1", "poses:3,1e3", "poses:3,inf", "poses:3,NaN", "poses:3,1,2", "poses:,1"] {
            let error = name.parse::<Space>().unwrap_err();
            assert!(
                matches!(error, Error::UnknownManifold { .. }) && error.to_string().contains("poses:3,L"),
                "{error}"
            );
        }
        for name in ["poses:3,0", "poses:3,0.0000000001", "poses:3,10000000000"] {
            let error = name.parse::<Space>().unwrap_err().to_string();
            assert!(error.contains("counts as much as a radian is from 1e-9 to 1e9"), "{error}");
        }
        assert!(matches!("poses:2".parse::<Space>(), Err(Error::InvalidSize { minimum: 3, maximum: 3, .. })));
    }

    #[test]
    fn declarations_are_those_of_the_product() {
        let poses = Product::poses(3, 100.0).unwrap();
        assert_eq!((poses.model(), poses.homogeneity()), (Model::Other, Homogeneity::Points));
        assert_eq!((poses.cut_locus(), poses.diameter()), (CutLocus::Varies, f64::INFINITY));
        assert_eq!((poses.curvature().lower, poses.curvature().upper), (0.0, 0.25));
        assert_eq!(poses.injectivity_radius(), std::f64::consts::PI);
        assert_eq!(poses.log_volume_density_in_frame(&[0.0, 0.0, 0.0, 5.0, 6.0, 7.0]), 0.0);
    }

    #[test]
    fn columns_in_the_order_of_another_layout_are_told_which() {
        let layouts = Product::poses(3, 1.0).unwrap().layouts();
        for (given, names, right) in [
            ("tum", ["tx", "ty", "tz", "qw", "qx", "qy", "qz"], "quaternions"),
            ("quaternions", ["t_x", "t_y", "t_z", "q_x", "q_y", "q_z", "q_w"], "tum"),
            ("vectors", ["tx", "ty", "tz", "qx", "qy", "qz", "qw"], "tum"),
        ] {
            let Verdict::Contradiction(found) = layout(given).check_names(&layouts, &names) else { panic!("{given}") };
            assert_eq!(found.layout.as_deref(), Some(right));
            assert_eq!(layout(right).check_names(&layouts, &names), Verdict::Agreement);
        }
    }
}
