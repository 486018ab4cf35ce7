//! Projection of records that rounding, or a scale of their own, took off their space.

use crate::error::{Error, Result};
use crate::short::short;
use karcher::Manifold;
use karcher::manifold::{Layout, Remedy, off};

/// Largest distance of a record from its space.
///
/// Each record is treated alike and by itself, so that neighbors stay neighbors. Choose it from knowledge of how
/// records were written, not by trying.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Rounding {
    /// A relative 1e-6, which suits numbers of seven digits or more.
    Usual,
    /// Every number may be off by at most this, relative to the largest number of the record if that exceeds 1. Numbers
    /// of 4 decimals need `1e-4`. The record is put onto the space.
    Within(f64),
    /// Any distance: the record is put onto the space whenever this is defined.
    Any,
}

impl Rounding {
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Rounding::Within(value) if !(value > 0.0 && value < 1.0) => {
                Err(Error::InvalidShare { option: "tolerance", value, limit: "above 0 and below 1".to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The point that a record in a layout holds, put onto the space if it is close enough.
    ///
    /// # Errors
    /// The reason in a sentence, without a remedy: see [`karcher::manifold::remedy`].
    ///
    /// ```
    /// use karcher_io::{Rounding, layout};
    /// let space = karcher::manifold::Rotations::new(3)?;
    /// let matrices = layout(&space, Some("matrices"))?;
    /// let rounded = [0.8, -0.6001, 0.0, 0.5999, 0.8, 0.0, 0.0, 0.0, 1.0];
    /// assert!(Rounding::Usual.point(&space, &matrices, &rounded).is_err());
    /// assert!((Rounding::Within(1e-3).point(&space, &matrices, &rounded)?[3] - 0.1_f64.sqrt()).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn point(self, manifold: &dyn Manifold, layout: &Layout, record: &[f64]) -> Result<Vec<f64>, String> {
        let mut point = self.read(manifold, layout, record)?;
        self.put_on(manifold, &mut point)?;
        manifold.check_point(&point).map_err(|e| e.to_string())?;
        Ok(point)
    }

    /// The numbers that a record holds, before they are put onto the space.
    pub(crate) fn read(self, manifold: &dyn Manifold, layout: &Layout, record: &[f64]) -> Result<Vec<f64>, String> {
        if self == Rounding::Usual || record.iter().any(|x| !x.is_finite()) {
            return layout.read(record);
        }
        let Some(near) = layout.nearest(record) else { return layout.read(record) };
        self.check_off(manifold, off(record, &near))?;
        layout.read(&near)
    }

    /// Puts `point` onto the space if it is close enough; the caller checks whether it is a point then.
    pub(crate) fn put_on(self, manifold: &dyn Manifold, point: &mut [f64]) -> Result<(), String> {
        if self == Rounding::Usual {
            return Ok(());
        }
        let mut projected = point.to_vec();
        manifold.project(&mut projected);
        if manifold.check_point(&projected).is_ok() {
            self.check_off(manifold, off(point, &projected))?;
            point.copy_from_slice(&projected);
        }
        Ok(())
    }

    fn check_off(self, manifold: &dyn Manifold, off: f64) -> Result<(), String> {
        match self {
            Rounding::Within(within) if off > within => {
                Err(format!("it is off {} by {}, more than the tolerance {within}", manifold.space(), short(off)))
            }
            Rounding::Usual | Rounding::Within(_) | Rounding::Any => Ok(()),
        }
    }

    /// Whether a remedy changes more than this does already.
    pub(crate) fn lacks(self, remedy: Remedy) -> bool {
        match (remedy, self) {
            (Remedy::Rounded(digits), Rounding::Within(within)) => within < 10_f64.powi(-(digits as i32)),
            (Remedy::Rounded(_) | Remedy::Projected { .. }, Rounding::Any) => false,
            (Remedy::Rounded(_), Rounding::Usual)
            | (Remedy::Projected { .. }, Rounding::Usual | Rounding::Within(_))
            | (Remedy::InLayout { .. } | Remedy::Angles | Remedy::Singular, _) => true,
        }
    }
}
