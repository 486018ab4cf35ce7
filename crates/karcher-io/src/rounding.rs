//! Projection of records that rounding, or a scale of their own, took off their space.

use crate::error::{Error, Result};
use crate::short::short;
use karcher::Manifold;

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

    /// Puts `point` onto the space if it is close enough; the caller checks whether it is a point then.
    pub(crate) fn put_on(self, manifold: &dyn Manifold, point: &mut [f64]) -> Result<(), String> {
        let usual = if self == Rounding::Usual { manifold.check_point(point) } else { Ok(()) };
        if self == Rounding::Usual && usual.is_ok() {
            return Ok(());
        }
        let mut projected = point.to_vec();
        manifold.project(&mut projected);
        let can_be_put_on = manifold.check_point(&projected).is_ok();
        let within = match self {
            Rounding::Usual => match usual {
                Err(error) if can_be_put_on => {
                    return Err(format!(
                        "{error}; if numbers were rounded, say by how much with --tolerance, or put every record onto \
                         the space with --normalize"
                    ));
                }
                _ => return Ok(()), // it is no point by any means, which is said elsewhere
            },
            Rounding::Within(within) => within,
            Rounding::Any => f64::INFINITY,
        };
        let size = point.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        let off = point.iter().zip(&projected).fold(0.0, |off: f64, (x, y)| off.max((x - y).abs()));
        if can_be_put_on && off > within * size {
            return Err(format!("it is off {} by {}, more than the tolerance {within}", manifold.space(), short(off)));
        }
        if can_be_put_on {
            point.copy_from_slice(&projected);
        }
        Ok(())
    }
}
