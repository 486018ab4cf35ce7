//! Validation: from numbers to points.

use super::Manifold;
use crate::error::{Error, Result};
use crate::points::{CHUNK, Points, PointsView};
use rayon::prelude::*;

impl Points {
    /// Validates `values` as points of `manifold`, `point_len()` numbers each, and removes their rounding errors. A
    /// point that is off by the rounding of double precision alone stays as it is, to the last bit, whatever the others
    /// are. (So it is the same whether [`PointsView::new`] would have borrowed it or not.)
    ///
    /// # Errors
    /// [`Error::NoRecords`], [`Error::IncompletePoint`] for part of a point, [`Error::InvalidRecord`] with
    /// the row and the reason.
    ///
    /// ```
    /// use karcher_geometry::{Error, Points, manifold::Sphere};
    /// let sphere = Sphere::new(2)?;
    /// let rounded = Points::new(&sphere, vec![0.6, 0.0, 0.8, 0.2672612, 0.5345225, 0.8017837])?; // seven digits
    /// let second = &rounded.view().values()[3..];
    /// assert!((second.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
    /// let wrong = Points::new(&sphere, vec![0.6, 0.0, 0.8, 1.0, 1.0, 0.0]);
    /// assert!(matches!(wrong, Err(Error::InvalidRecord { row: 2, .. })));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(manifold: &dyn Manifold, mut values: Vec<f64>) -> Result<Self> {
        let point_len = check_len(manifold, values.len())?;
        let clean = |(chunk, values): (usize, &mut [f64])| {
            if manifold.normalize_points(values) || manifold.prechecked_points(values) {
                return Ok(());
            }
            let mut normalized = vec![0.0; point_len];
            for (i, p) in values.chunks_exact_mut(point_len).enumerate() {
                check_record(manifold, chunk * CHUNK + i, p)?;
                normalized.copy_from_slice(p);
                manifold.normalize(&mut normalized);
                if !is_rounding(manifold, p, &normalized) {
                    p.copy_from_slice(&normalized);
                }
            }
            Ok(())
        };
        let looked_at: Vec<Result<()>> = values.par_chunks_mut(CHUNK * point_len).enumerate().map(clean).collect();
        looked_at.into_iter().collect::<Result<()>>()?; // the first invalid record
        Ok(Self { space: manifold.space().clone(), values, point_len })
    }
}

impl Points {
    /// An empty list of points, for data sets that may be empty.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::Euclidean};
    /// assert_eq!(Points::none(&Euclidean::new(1)?).len(), 0);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn none(manifold: &dyn Manifold) -> Self {
        Self { space: manifold.space().clone(), values: vec![], point_len: manifold.point_len() }
    }
}

impl<'a> PointsView<'a> {
    /// Validates `values` where they are, without a copy. `None` where rounding errors have to be removed, as from
    /// numbers that went through a file: then [`Points::new`] needs a copy.
    ///
    /// # Errors
    /// As for [`Points::new`].
    ///
    /// ```
    /// use karcher_geometry::{PointsView, manifold::Sphere};
    /// let sphere = Sphere::new(1)?;
    /// assert!(PointsView::new(&sphere, &[0.6, 0.8, 1.0, 0.0])?.is_some());
    /// assert!(PointsView::new(&sphere, &[0.6, 0.8, 1.0 + 1e-9, 0.0])?.is_none()); // to be normalized
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(manifold: &'a dyn Manifold, values: &'a [f64]) -> Result<Option<Self>> {
        let point_len = check_len(manifold, values.len())?;
        let chunk_is_clean = |(chunk, values): (usize, &[f64])| {
            if manifold.prechecked_points(values) {
                return Ok(true);
            }
            let mut normalized = vec![0.0; point_len];
            let mut clean = true;
            for (i, p) in values.chunks_exact(point_len).enumerate() {
                check_record(manifold, chunk * CHUNK + i, p)?;
                normalized.copy_from_slice(p);
                manifold.normalize(&mut normalized);
                clean &= is_rounding(manifold, p, &normalized);
            }
            Ok(clean)
        };
        // all chunks are checked, so that the reported invalid record is the first, for any number of threads
        let clean: Vec<Result<bool>> = values.par_chunks(CHUNK * point_len).enumerate().map(chunk_is_clean).collect();
        let clean = clean.into_iter().try_fold(true, |all, chunk| chunk.map(|clean| all && clean))?;
        Ok(clean.then_some(Self { space: manifold.space(), values, point_len }))
    }
}

/// Numbers in a point, if `len` numbers make at least one point and no half one.
fn check_len(manifold: &dyn Manifold, len: usize) -> Result<usize> {
    let point_len = manifold.point_len();
    match len % point_len {
        0 if len == 0 => Err(Error::NoRecords),
        0 => Ok(point_len),
        _ => Err(Error::IncompletePoint { space: manifold.space().clone(), point_len, found: len }),
    }
}

fn check_record(manifold: &dyn Manifold, index: usize, p: &[f64]) -> Result<()> {
    manifold.check_point(p).map_err(|e| Error::InvalidRecord { row: index + 1, reason: e.to_string() })
}

/// Whether two points differ by no more than normalising a normalised point again may change: `16u` of the largest
/// number of the point, in each factor of a product by itself.
pub(crate) fn is_rounding(manifold: &dyn Manifold, p: &[f64], q: &[f64]) -> bool {
    let factors = manifold.factors();
    if factors.is_empty() {
        return differ_by_rounding(p, q.iter().copied());
    }
    let mut from = 0;
    factors.iter().all(|factor| {
        let of = from..from + factor.point_len();
        from = of.end;
        is_rounding(&**factor, &p[of.clone()], &q[of])
    })
}

/// The same for two points of a space that is no product.
pub(super) fn differ_by_rounding(p: &[f64], q: impl Iterator<Item = f64>) -> bool {
    let size = p.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    p.iter().zip(q).all(|(p, q)| (p - q).abs() <= 8.0 * f64::EPSILON * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::norm;
    use crate::space::Space;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;
    use rand_distr::StandardNormal;
    use std::sync::Arc;

    const SPACES: [&str; 7] = [
        "euclidean:4",
        "sphere:2",
        "sphere:40",
        "hyperbolic:3",
        "spd-log-euclidean:5",
        "spd-affine-invariant:3",
        "kendall:50",
    ];

    fn cloud(manifold: &Arc<dyn Manifold>, n: usize) -> Vec<f64> {
        let mut generator = ChaCha20Rng::seed_from_u64(5);
        let len = manifold.point_len();
        let (mut center, mut v) = (vec![0.0; len], vec![0.0; len]);
        manifold.origin(&mut center);
        let mut values = vec![0.0; n * len];
        for x in values.chunks_exact_mut(len) {
            let normal = (0..manifold.dim()).map(|_| 0.3 * generator.sample::<f64, _>(StandardNormal));
            manifold.from_frame(&center, &normal.collect::<Vec<f64>>(), &mut v);
            manifold.exp(&center, &v, x);
        }
        values
    }

    #[test]
    fn points_that_surely_points_are_borrowed_as_they_are() {
        for space in SPACES {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let points = Points::new(&*manifold, cloud(&manifold, 700)).unwrap();
            let view = PointsView::new(&*manifold, points.view().values()).unwrap();
            assert_eq!(view.map(PointsView::values), Some(points.view().values()), "{space}");
        }
    }

    /// A record's numbers depend on that record alone: not on whether another one, with fewer digits, keeps all from
    /// being borrowed.
    #[test]
    fn no_record_changes_the_numbers_of_another() {
        for space in SPACES {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let len = manifold.point_len();
            let mut values = cloud(&manifold, 300);
            // as they come from elsewhere: a last digit off
            values.iter_mut().step_by(3).for_each(|x| *x = x.next_up());
            let borrowed = Points::new(&*manifold, values.clone()).unwrap();
            let mut spoilt = values.clone();
            let size = spoilt[..len].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            spoilt[len / 2] += 3e-8 * size;
            let copied = Points::new(&*manifold, spoilt).unwrap();
            assert_eq!(borrowed.values[len..], copied.values[len..], "{space}");
            if PointsView::new(&*manifold, &values).unwrap().is_some() {
                assert_eq!(borrowed.values, values, "{space}");
            }
        }
    }

    #[test]
    fn points_of_seven_digits_are_not_borrowed() {
        for space in SPACES.into_iter().filter(|space| !space.starts_with("euclidean")) {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let mut values = cloud(&manifold, 700);
            let middle = 350 * manifold.point_len() + 1;
            values[middle] += 3e-8 * values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(PointsView::new(&*manifold, &values).unwrap().is_none(), "{space}");
        }
    }

    /// Numbers that pass the quick check are points, and would have stayed as they are.
    #[test]
    fn points_of_which_all_surely_points_would_stay_as_they_are() {
        let mut generator = ChaCha20Rng::seed_from_u64(6);
        for space in ["euclidean:3", "sphere:1", "sphere:2", "sphere:3"] {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let len = manifold.point_len();
            let mut certain = 0;
            for p in cloud(&manifold, 2000).chunks_exact_mut(len) {
                let off = [0.0, 1e-16, 4e-16, 1e-15, 2e-15, 1e-9][generator.random_range(0..6)];
                p.iter_mut().for_each(|x| *x *= 1.0 + off);
                if manifold.prechecked_points(p) {
                    certain += 1;
                    manifold.check_point(p).unwrap();
                    let mut normalized = p.to_vec();
                    manifold.normalize(&mut normalized);
                    assert!(is_rounding(&*manifold, p, &normalized), "{space}");
                }
                for wrong in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
                    let mut spoilt = p.to_vec();
                    spoilt[len / 2] = wrong;
                    assert!(!manifold.prechecked_points(&spoilt), "{space}");
                }
            }
            assert!(certain > 500 && (certain < 1900 || space == "euclidean:3"), "{space}: {certain}");
        }
    }

    /// Large numbers of one factor say nothing about rounding in another.
    #[test]
    fn factors_are_looked_at_one_by_one() {
        let manifold = "euclidean:1*sphere:1*euclidean:1".parse::<Space>().unwrap().manifold().unwrap();
        let off = |by: f64| [1e9, 0.6, 0.8 * (1.0 + by), -1e9];
        let view = |values: &[f64]| PointsView::new(&*manifold, values).unwrap().is_some();
        assert!(view(&off(0.0)) && view(&off(f64::EPSILON)));
        assert!(!view(&off(1e-10)));
        let points = Points::new(&*manifold, off(1e-10).to_vec()).unwrap();
        let values = points.view().values();
        assert!((norm(&values[1..3]) - 1.0).abs() < 4.0 * f64::EPSILON);
        assert_eq!([values[0], values[3]], [1e9, -1e9]);
    }

    #[test]
    fn the_first_invalid_record_is_named() {
        let sphere = "sphere:2".parse::<Space>().unwrap().manifold().unwrap();
        let mut values = [0.6, 0.0, 0.8].repeat(2000);
        (values[3 * 1999], values[3 * 700]) = (0.7, f64::NAN);
        let row = |error: Error| matches!(error, Error::InvalidRecord { row: 701, .. });
        assert!(row(PointsView::new(&*sphere, &values).unwrap_err()));
        assert!(row(Points::new(&*sphere, values).unwrap_err()));
        assert_eq!(PointsView::new(&*sphere, &[]).unwrap_err(), Error::NoRecords);
        assert!(matches!(PointsView::new(&*sphere, &[1.0, 0.0]), Err(Error::IncompletePoint { found: 2, .. })));
    }
}
