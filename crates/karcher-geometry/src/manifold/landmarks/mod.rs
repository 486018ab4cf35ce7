//! Configurations of landmarks in the plane or in space, without a rotation that is divided out.
//!
//! A *configuration* is `K` landmarks of `D = 2` or `3` coordinates, `x₁ y₁ z₁ x₂ …`, centered: their sum is 0.
//! Helmert's isometry carries the centered ones onto `R^{D(K−1)}`. Those of unit norm, the pre-shapes, are its unit
//! sphere ([`Landmarks`]); all of them are flat ([`SizeAndShape`]). [`Template`] rotates each onto a public one.

mod formulas;
mod preshapes;
mod procrustes;
mod size_and_shape;

pub(super) use preshapes::FAMILY as LANDMARKS;
pub use preshapes::Landmarks;
pub use procrustes::Template;
pub(super) use size_and_shape::FAMILY as SIZE_AND_SHAPE;
pub use size_and_shape::SizeAndShape;

use super::validated::differ_by_rounding;
use super::{CURVED_POINT_TOLERANCE, LARGEST_POINT, Layout, Shape, check_size};
use crate::error::Result;
use crate::manifold::vector::{largest, non_finite};
use crate::space::Space;

/// `K` landmarks of `D` coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Configurations {
    pub(super) landmarks: usize,
    pub(super) axes: usize,
}

impl Configurations {
    fn new(space: &Space, landmarks: usize, axes: usize) -> Result<Self> {
        check_size(space, axes, 2, 3)?;
        check_size(space, landmarks, 3, LARGEST_POINT / axes)?;
        Ok(Self { landmarks, axes })
    }

    /// Numbers of a configuration.
    fn numbers(self) -> usize {
        self.landmarks * self.axes
    }

    /// `D(K − 1)`, the dimension of the centered ones.
    fn dim(self) -> usize {
        self.axes * (self.landmarks - 1)
    }

    fn shape(self) -> Shape {
        Shape::Matrix { rows: self.landmarks, columns: self.axes }
    }

    fn centroid(self, p: &[f64]) -> [f64; 3] {
        let mut mean = [0.0; 3];
        for landmark in p.chunks_exact(self.axes) {
            mean.iter_mut().zip(landmark).for_each(|(mean, x)| *mean += x / self.landmarks as f64);
        }
        mean
    }

    /// Moves the centroid to 0.
    fn center(self, p: &mut [f64]) {
        match self.axes {
            2 => formulas::center::<f64, 2>(p),
            _ => formulas::center::<f64, 3>(p),
        }
    }

    /// The reason why numbers are no centered configuration.
    fn not_centered(self, p: &[f64]) -> Option<String> {
        if let Some(reason) = non_finite(p) {
            return Some(reason);
        }
        let offset = largest(&self.centroid(p));
        let is_centered = offset <= CURVED_POINT_TOLERANCE * largest(p);
        (!is_centered).then(|| format!("the landmarks' centroid is {offset} away from 0"))
    }

    /// Landmark by landmark, `x₁ y₁ z₁ x₂ …`, and coordinate by coordinate, `x₁ … x_K y₁ …`; `read` makes a point of
    /// the former.
    pub(super) fn layouts(
        self,
        read: impl Fn(Vec<f64>) -> Result<Vec<f64>> + Send + Sync + Clone + 'static,
    ) -> Vec<Layout> {
        // a point keeps its bits, as in `Points`
        let read = move |landmarks: Vec<f64>| {
            let point = read(landmarks.clone()).map_err(|error| error.to_string())?;
            Ok(if differ_by_rounding(&landmarks, point.iter().copied()) { landmarks } else { point })
        };
        let (own, Self { landmarks, axes }) = (read.clone(), self);
        let interleaved = Layout::new("interleaved", self.numbers(), move |r| own(r.to_vec()), <[f64]>::to_vec);
        let blocked = Layout::new(
            "blocked",
            self.numbers(),
            move |r| read(transposed(r, landmarks)),
            move |p| transposed(p, axes),
        );
        vec![
            interleaved.of_landmarks(false, axes).in_arrays(&[landmarks, axes]),
            blocked.of_landmarks(true, axes).in_arrays(&[axes, landmarks]),
        ]
    }
}

/// The transpose of a matrix with so many columns, row by row.
fn transposed(rows: &[f64], columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|column| rows.iter().skip(column).step_by(columns).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;

    /// Reading a point again gives the same bits: a center that a release states, a record that was aligned.
    #[test]
    fn points_are_read_as_they_are() {
        for space in ["landmarks:5,3", "size-and-shape:5,2", "kendall:5"] {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let (own, mut changed) = (&manifold.layouts()[0], 0);
            for seed in 0..200 {
                let raw: Vec<f64> = (0..manifold.point_len()).map(|i| ((i + 7 * seed) as f64).sin() + 0.3).collect();
                let point = own.read(&raw).unwrap();
                assert_eq!(own.read(&point).unwrap(), point, "{space}");
                let mut normalized = point.clone();
                manifold.normalize(&mut normalized);
                changed += usize::from(normalized != point);
            }
            assert!(changed > 20, "{space}: only {changed} points are changed by another normalization");
        }
    }

    #[test]
    fn layouts_hold_landmarks_one_by_one_or_axis_by_axis() {
        let space = SizeAndShape::new(3, 3).unwrap();
        let read = |name: &str, record: &[f64]| {
            let layouts = space.layouts();
            layouts.iter().find(|layout| layout.name() == name).unwrap().read(record).unwrap()
        };
        let by_landmark = [0.0, 10.0, 20.0, 1.0, 11.0, 21.0, 2.0, 12.0, 22.0];
        let by_axis = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 20.0, 21.0, 22.0];
        let expected = [-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        assert_eq!(read("interleaved", &by_landmark), expected);
        assert_eq!(read("blocked", &by_axis), expected);
        assert_eq!(transposed(&transposed(&by_axis, 3), 3), by_axis);
    }

    #[test]
    fn numbers_off_the_center_are_no_configuration() {
        let all = Configurations { landmarks: 3, axes: 2 };
        assert_eq!(all.not_centered(&[1.0, 0.0, -1.0, 0.0, 0.0, 0.0]), None);
        assert_eq!(all.not_centered(&[0.0; 6]), None);
        assert!(all.not_centered(&[1.0, 0.0, -1.0, 0.0, 0.0, 0.1]).is_some_and(|why| why.contains("centroid")));
        assert!(all.not_centered(&[f64::NAN; 6]).is_some());
        let far = [f64::MAX, f64::MAX, f64::MAX, -f64::MAX, f64::MAX, 0.0];
        assert!(all.not_centered(&far).is_some());
    }

    #[test]
    fn there_are_two_or_three_axes_and_three_landmarks_at_least() {
        for (landmarks, axes) in [(2, 3), (3, 1), (3, 4), (0, 2), (1_000_000, 3)] {
            assert!(Landmarks::new(landmarks, axes).is_err(), "{landmarks},{axes}");
            assert!(SizeAndShape::new(landmarks, axes).is_err(), "{landmarks},{axes}");
        }
    }
}
