//! Rotation of landmarks onto a public template.
//!
//! The rotation of a record is a function of that record and of the template. So it is preprocessing like a change of
//! units: a neighbouring data set has one other record after it, and no sensitivity grows.

use super::Configurations;
use crate::error::{Error, Result};
use crate::linalg::{Singular, singular};
use crate::manifold::vector::{largest, non_finite};
use crate::manifold::{Manifold, Shape};
use nalgebra::DMatrix;

/// Largest second singular value, as a share of the first, of a template in space whose landmarks lie on a line.
const ON_A_LINE: f64 = 1e-6;

/// A public configuration of landmarks, onto which others are rotated.
///
/// ```
/// use karcher_geometry::manifold::{Landmarks, Manifold, Template};
/// let space = Landmarks::new(4, 3)?;
/// let template = Template::new(&space, &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0])?;
/// // the same landmarks, turned about the third axis by a right angle
/// let mut turned = [0.0, 0.0, 0.0, 0.0, 3.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 1.0];
/// template.rotate(&mut turned);
/// assert!((turned[3] - 3.0).abs() < 1e-14 && (turned[7] - 2.0).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    axes: usize,
    /// As they were given.
    given: Vec<f64>,
    /// Centered, row by row.
    numbers: Vec<f64>,
}

impl Template {
    /// A template for records of `space`: landmarks `x₁ y₁ z₁ x₂ …` in any position and of any size.
    ///
    /// # Errors
    /// [`Error::InvalidPoint`] unless `space` is `landmarks:K,D` or `size-and-shape:K,D`. The same for numbers that are not
    /// finite, for landmarks that coincide, and for those on a line in space: rotations about it are all as good.
    /// [`Error::WrongLength`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{SizeAndShape, Template};
    /// let space = SizeAndShape::new(3, 3)?;
    /// let on_a_line = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
    /// assert!(Template::new(&space, &on_a_line).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(space: &dyn Manifold, landmarks: &[f64]) -> Result<Self> {
        let invalid =
            |reason: &str| Err(Error::InvalidPoint { space: space.space().clone(), reason: reason.to_owned() });
        let name = space.space().as_str();
        let is_for_landmarks = ["landmarks:", "size-and-shape:"].iter().any(|family| name.starts_with(family));
        let (Shape::Matrix { rows, columns: axes }, true) = (space.shape(), is_for_landmarks) else {
            return invalid("only records of landmarks:K,D and size-and-shape:K,D are rotated onto a template");
        };
        super::super::check_length(space, landmarks)?;
        if let Some(reason) = non_finite(landmarks) {
            return invalid(&reason);
        }
        let size = largest(landmarks).max(f64::MIN_POSITIVE);
        let mut numbers: Vec<f64> = landmarks.iter().map(|x| x / size).collect();
        Configurations { landmarks: rows, axes }.center(&mut numbers);
        let values = singular(DMatrix::from_row_slice(rows, axes, &numbers)).values;
        if values[0] <= 1e-12 {
            return invalid("all landmarks of the template coincide");
        }
        if axes == 3 && values[1] <= ON_A_LINE * values[0] {
            return invalid("the template's landmarks lie on a line, so that rotations about it are all as good");
        }
        Ok(Self { axes, given: landmarks.to_vec(), numbers })
    }

    /// The template as it was given.
    pub fn landmarks(&self) -> &[f64] {
        &self.given
    }

    /// Whether records of `space` can be rotated onto it.
    ///
    /// # Errors
    /// As for [`Template::new`].
    pub fn check(&self, space: &dyn Manifold) -> Result<()> {
        let of_space = Self::new(space, &self.given)?;
        match of_space.axes == self.axes {
            true => Ok(()),
            // as many numbers, such as 3 landmarks in the plane and 2 in space
            false => Err(Error::InvalidPoint {
                space: space.space().clone(),
                reason: format!("the template's landmarks have {} coordinates each", self.axes),
            }),
        }
    }

    /// Rotates landmarks about 0 so that they lie nearest to the template: no mirror image, and no change of position
    /// or size.
    ///
    /// With `M = Σ tᵢxᵢᵀ = U·S·Vᵀ` it is `R = U·diag(1, …, 1, det UVᵀ)·Vᵀ`, which makes `Σ‖R·xᵢ − tᵢ‖²` least among
    /// rotations (Kabsch 1978, A discussion of the solution for the best rotation to relate two sets of vectors). Where
    /// several are as good it is one of them, chosen by the numbers of the record and the template alone.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Landmarks, Template};
    /// let template = Template::new(&Landmarks::new(3, 2)?, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0])?;
    /// let mut turned = [0.0, 0.0, 0.0, -1.0, 1.0, 0.0];
    /// template.rotate(&mut turned);
    /// assert!((turned[2] - 1.0).abs() < 1e-15 && (turned[5] - 1.0).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn rotate(&self, landmarks: &mut [f64]) {
        let rotation = self.rotation(landmarks);
        for landmark in landmarks.chunks_exact_mut(self.axes) {
            let x = landmark.to_vec();
            for (i, out) in landmark.iter_mut().enumerate() {
                *out = (0..self.axes).map(|j| rotation[(i, j)] * x[j]).sum();
            }
        }
    }

    /// `R`; of numbers that are not finite, some matrix.
    fn rotation(&self, landmarks: &[f64]) -> DMatrix<f64> {
        // the largest number becomes 1 first, so that products neither overflow nor vanish
        let size = largest(landmarks).max(f64::MIN_POSITIVE);
        let pairs = || self.numbers.chunks_exact(self.axes).zip(landmarks.chunks_exact(self.axes));
        let products =
            DMatrix::from_fn(self.axes, self.axes, |i, j| pairs().map(|(t, x)| t[i] * (x[j] / size)).sum::<f64>());
        let Singular { mut left, right, .. } = singular(products);
        if left.determinant() * right.determinant() < 0.0 {
            // the least singular value comes last
            left.column_mut(self.axes - 1).neg_mut();
        }
        left * right.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::vector::norm_of_difference;
    use crate::manifold::{Landmarks, SizeAndShape, Sphere};
    use proptest::prelude::*;

    const TEMPLATE: [f64; 15] = [2.0, 0.0, 1.0, -1.0, 3.0, 0.0, 0.0, -1.0, -2.0, 1.0, 1.0, 1.0, -2.0, -3.0, 0.0];
    const RECORD: [f64; 15] = [1.0, 2.0, 0.0, 3.0, -1.0, 1.0, -2.0, 0.0, 2.0, 0.0, 1.0, -3.0, 1.0, 1.0, 1.0];

    fn template() -> Template {
        Template::new(&SizeAndShape::new(5, 3).unwrap(), &TEMPLATE).unwrap()
    }

    fn differ(found: &DMatrix<f64>, expected: &[f64]) -> f64 {
        (found - DMatrix::from_row_slice(found.nrows(), found.ncols(), expected)).norm()
    }

    /// SciPy 1.17.1, `Rotation.align_vectors(T - T.mean(0), X - X.mean(0))[0].as_matrix()` with `T` the template and `X`
    /// the record, then `X = T * [-1, 1, 1] + 0.1 * record`, a mirror image. `det TᵀX < 0` in both.
    #[test]
    fn rotations_are_those_of_scipy() {
        #[rustfmt::skip]
        let expected = [0.07830920000959132, 0.962788752032995, -0.25866095212189555,
                        0.9913624870633602, -0.10258549906201994, -0.08171067632656594,
                        -0.10520498294950834, -0.25002806710636316, -0.9625060400961905];
        assert!(differ(&template().rotation(&RECORD), &expected) < 1e-14);
        let mirrored: Vec<f64> = (0..15).map(|i| TEMPLATE[i] * [-1.0, 1.0, 1.0][i % 3] + 0.1 * RECORD[i]).collect();
        #[rustfmt::skip]
        let expected = [-0.7994972536637378, -0.02126259794289022, 0.6002932977410794,
                        0.10507166971856612, 0.9790143751600305, 0.1746161431614155,
                        -0.5914085606471163, 0.2026789460174253, -0.7804852075693506];
        assert!(differ(&template().rotation(&mirrored), &expected) < 1e-14);
    }

    /// `scipy.linalg.orthogonal_procrustes(X - X.mean(0), T - T.mean(0))[0].T`, which is a rotation here.
    #[test]
    fn rotations_of_the_plane_are_those_of_scipy() {
        let plane = Template::new(&Landmarks::new(3, 2).unwrap(), &[0.0, 0.0, 4.0, 0.0, 0.0, 3.0]).unwrap();
        let found = plane.rotation(&[1.0, 1.0, 1.0, 6.0, -2.0, 2.0]);
        let expected = [0.055470019622523084, 0.9984603532054123, -0.9984603532054122, 0.05547001962252341];
        assert!(differ(&found, &expected) < 1e-15);
    }

    proptest! {
        #[test]
        fn a_turned_and_moved_template_is_turned_back(
            axis in prop::array::uniform3(-1.0..1.0f64),
            angle in -3.1..3.1f64,
            shift in -3.0..3.0f64,
            exponent in -300..300i32,
        ) {
            prop_assume!(axis.iter().any(|x| x.abs() > 0.1));
            let turn = nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis.into()), angle);
            let size = 10f64.powi(exponent);
            let center = |p: &mut [f64]| Configurations { landmarks: 5, axes: 3 }.center(p);
            let mut expected = TEMPLATE.to_vec();
            center(&mut expected);
            let mut turned: Vec<f64> = TEMPLATE.chunks_exact(3).flat_map(|t| {
                let x = turn * nalgebra::Vector3::new(t[0], t[1], t[2]);
                [x[0], x[1], x[2]].map(|x| (x + shift) * size)
            }).collect();
            center(&mut turned);
            template().rotate(&mut turned);
            turned.iter_mut().for_each(|x| *x /= size);
            prop_assert!(norm_of_difference(&turned, &expected) < 1e-13);
        }

        #[test]
        fn any_numbers_are_rotated_and_not_mirrored(
            numbers in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, -1.0, 2.0, 1e-300, 1e300]), 15),
        ) {
            let rotation = template().rotation(&numbers);
            prop_assert!((rotation.tr_mul(&rotation) - DMatrix::identity(3, 3)).norm() < 1e-14);
            prop_assert!((rotation.determinant() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn what_is_no_template_is_refused_with_the_reason() {
        let space = Landmarks::new(3, 3).unwrap();
        let refused = |numbers: &[f64]| Template::new(&space, numbers).unwrap_err().to_string();
        assert!(refused(&[1.0; 9]).contains("coincide"));
        assert!(refused(&[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 5.0]).contains("on a line"));
        assert!(refused(&[f64::NAN; 9]).contains("number 1 is NaN"));
        assert!(refused(&[1.0; 6]).contains("9 numbers"));
        assert!(
            Template::new(&Sphere::new(2).unwrap(), &[1.0; 3]).is_err_and(|e| e.to_string().contains("landmarks:K,D"))
        );
    }

    #[test]
    fn not_a_number_does_not_hang() {
        for x in [f64::NAN, f64::INFINITY] {
            let mut numbers = RECORD;
            numbers[4] = x;
            template().rotate(&mut numbers);
        }
    }
}
