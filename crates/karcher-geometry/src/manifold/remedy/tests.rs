use super::*;
use crate::Space;
use std::sync::Arc;

fn space(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

fn remedy_of(name: &str, layout: &str, record: &[f64]) -> Option<Remedy> {
    let space = space(name);
    let layouts = space.layouts();
    remedy(&space, layouts.iter().find(|one| one.name() == layout).unwrap(), record)
}

/// A table of causes: the numbers say which it is.
#[test]
fn every_cause_has_its_remedy() {
    let in_layout = |layout, projected| {
        move |found: Option<Remedy>| match found {
            Some(Remedy::InLayout { layout: name, projected: is, .. }) => name == layout && is == projected,
            _ => false,
        }
    };
    let projected = |found: Option<Remedy>| matches!(found, Some(Remedy::Projected { .. }));
    let none = |found: Option<Remedy>| found.is_none();
    type Expected<'a> = &'a dyn Fn(Option<Remedy>) -> bool;
    let rounded = |digits: u32| move |found: Option<Remedy>| found == Some(Remedy::Rounded(digits));
    let angles = |found: Option<Remedy>| found == Some(Remedy::Angles);
    let singular = |found: Option<Remedy>| found == Some(Remedy::Singular);
    let table: &[(&str, &str, &[f64], Expected)] = &[
        ("sphere:2", "vectors", &[0.577, 0.577, 0.577], &rounded(3)),
        ("sphere:2", "vectors", &[300.0, 60.0, 1.0], &angles),
        ("sphere:2", "vectors", &[5.2, 1.04, 1.0], &angles),
        ("sphere:2", "vectors", &[-1.2, 63.0, 48_000.0], &angles),
        ("sphere:2", "vectors", &[1234.0, -532.0, 2210.0], &projected),
        ("sphere:2", "vectors", &[0.0; 3], &none),
        ("sphere:1", "vectors", &[270.0, 5.0], &angles),
        ("sphere:7", "vectors", &[3.0, 1.0, 0.0, 2.0, 0.5, 1.0, 1.0, 1.0], &projected),
        ("projective:2", "vectors", &[0.71, 0.71, 0.0], &rounded(2)),
        ("projective:2", "vectors", &[120.0, 45.0, 1.0], &angles),
        ("rotations:3", "quaternions", &[0.7070, 0.7072, 0.0, 0.0], &rounded(4)),
        ("rotations:3", "quaternions", &[0.0, 0.0, 1.0, 1.57], &none), // an axis and an angle
        ("rotations:3", "quaternions", &[0.0; 4], &none),
        ("rotations:3", "matrices", &[0.8, -0.6, 0.0, 0.6001, 0.8, 0.0, 0.0, 0.0, 1.0], &rounded(4)),
        ("rotations:3", "matrices", &[1.6, -1.2, 0.0, 1.2, 1.6, 0.0, 0.0, 0.0, 2.0], &projected),
        ("rotations:3", "matrices", &[-1.6, 1.2, 0.0, 1.2, 1.6, 0.0, 0.0, 0.0, 2.0], &none), // a reflection
        ("rotations:3", "matrices", &[1.0, 0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &none),
        ("poses:3", "tum", &[1.0, 2.0, 3.0, 0.0, 0.0, 0.71, 0.71], &rounded(2)),
        ("poses:3", "kitti", &[0.8, -0.61, 0.0, 5.0, 0.59, 0.8, 0.0, 5.0, 0.0, 0.0, 1.0, 5.0], &rounded(2)),
        ("hyperbolic:2", "vectors", &[1.3153, 0.3, -0.8], &rounded(4)),
        ("hyperbolic:2", "vectors", &[0.3, -0.8, 1.3153], &none), // the time comes last
        ("simplex-aitchison:3", "proportions", &[0.333, 0.333, 0.333], &rounded(3)),
        ("simplex-aitchison:3", "proportions", &[33.0, 33.0, 34.0], &in_layout("percent", false)),
        ("simplex-aitchison:3", "percent", &[0.33, 0.33, 0.34], &in_layout("proportions", false)),
        ("simplex-aitchison:3", "proportions", &[120.0, 30.0, 5.0], &projected),
        ("simplex-aitchison:3", "proportions", &[700_000.5, 200_000.0, 99_999.5], &projected),
        ("simplex-aitchison:3", "proportions", &[30.0, 70.0, 100.0], &none), // a total
        ("simplex-aitchison:4", "proportions", &[50.1, 15.2, 300.0, 200.0], &none), // percentages and ppm
        ("simplex-aitchison:3", "proportions", &[0.5, -0.1, 0.6], &none),
        ("simplex-fisher-rao:3", "roots", &[120.0, 30.0, 0.0], &in_layout("proportions", true)),
        ("simplex-fisher-rao:3", "roots", &[0.99, 0.01, 0.0], &in_layout("proportions", false)),
        ("simplex-fisher-rao:3", "roots", &[20.0, 50.0, 30.0], &in_layout("percent", false)),
        ("simplex-fisher-rao:3", "roots", &[0.7070, -0.7072, 0.0], &rounded(4)),
        ("simplex-fisher-rao:3", "roots", &[50.1, 300.0, 0.0], &none),
        ("simplex-fisher-rao:3", "proportions", &[120.0, 30.0, 0.0], &projected),
        ("simplex-fisher-rao:3", "proportions", &[20.0, 50.0, 30.0], &in_layout("percent", false)),
        ("simplex-fisher-rao:3", "percent", &[0.2, 0.5, 0.3], &in_layout("proportions", false)),
        ("spd-log-euclidean:2", "full", &[2.0, 0.3333, 0.3334, 1.0], &rounded(4)),
        ("spd-log-euclidean:2", "full", &[2.0, 0.5, 0.0, 1.0], &none), // one triangle
        ("spd-log-euclidean:2", "full", &[1.0, 1.0, 1.0, 1.0], &singular),
        ("spd-log-euclidean:2", "full", &[1.0, 2.0, 2.0, 1.0], &none), // no covariance
        ("spd-log-euclidean:2", "upper-row", &[4.0, 2.0, 1.0], &singular),
        ("hpd-log-euclidean:2", "interleaved", &[1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0], &singular),
        ("hpd-log-euclidean:2", "interleaved", &[1.0, 0.0, 0.0, 2.0, 0.0, -2.0, 1.0, 0.0], &none),
        ("correlation-off-log:2", "full", &[0.0, 0.5, 0.5, 0.0], &none),
        ("correlation-off-log:2", "full", &[4.0, 1.0, 1.0, 2.0], &projected),
        ("correlation-off-log:2", "full", &[0.999, 0.5, 0.5, 1.001], &rounded(3)),
        ("correlation-off-log:2", "correlation-upper-row", &[1.0], &singular),
        ("correlation-off-log:2", "correlation-upper-row", &[1.3], &none), // Fisher's z
        ("grassmann:3,1", "bases", &[0.577, 0.577, 0.577], &rounded(3)),
        ("grassmann:4,2", "bases", &[1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 1.0, 1.0], &projected),
        ("grassmann:4,2", "bases", &[0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], &none), // a transpose
        ("grassmann:2,1", "projectors", &[0.501, 0.499, 0.499, 0.501], &rounded(2)),
        ("sphere:2*euclidean:1", "vectors", &[0.577, 0.577, 0.577, 12.0], &rounded(4)),
        ("kendall:3", "interleaved", &[1.0; 6], &none),
    ];
    for (name, layout, record, expected) in table {
        let found = remedy_of(name, layout, record);
        assert!(expected(found), "{name} {layout} {record:?}: {found:?}");
    }
}

/// Whatever the digits, a record that lost the others is one that rounding took off the space, within the tolerance.
#[test]
fn rounded_records_are_rounded_ones() {
    use rand::SeedableRng;
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(3);
    let families = crate::manifold::FAMILIES.iter().flat_map(|family| family.examples.iter());
    for space in families.map(|name| space(name)) {
        let (mut origin, mut point) = (vec![0.0; space.point_len()], vec![0.0; space.point_len()]);
        space.origin(&mut origin);
        for layout in space.layouts() {
            for digits in 1..=5 {
                for _ in 0..40 {
                    let mut v = vec![0.0; space.point_len()];
                    let c: Vec<f64> =
                        (0..space.dim()).map(|_| rand::RngExt::random_range(&mut rng, -0.2..0.2)).collect();
                    space.from_frame(&origin, &c, &mut v);
                    space.exp(&origin, &v, &mut point);
                    if layout.check_holds(&point).is_err() {
                        continue;
                    }
                    let unit = 10_f64.powi(digits);
                    let record: Vec<f64> = layout.write(&point).iter().map(|x| (x * unit).round() / unit).collect();
                    let read = layout.read(&record).is_ok_and(|point| space.check_point(&point).is_ok());
                    let found = remedy(&space, &layout, &record);
                    let is_rounded = matches!(found, Some(Remedy::Rounded(found)) if found as i32 + 1 >= digits);
                    assert!(
                        read || is_rounded || found.is_none() && digits == 1,
                        "{space:?} {layout:?} {record:?} {found:?}"
                    );
                }
            }
        }
    }
}
