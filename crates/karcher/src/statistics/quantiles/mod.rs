//! Private quantiles of numbers, angles and distances (user guide, D5): many at once, from one noisy distribution
//! function on a public grid.

mod description;
mod estimate;
pub(crate) mod plan;
mod tail;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use crate::records::Summand;
use crate::release::PositionKind;
use crate::spec::{Quantiles, field};
use std::sync::Arc;

/// A request for quantiles of positions in a public ball.
///
/// The position of a record is the number itself on `euclidean:1`, and on a circle the angle from the center, positive
/// counterclockwise. Elsewhere, and on request there too, it is the distance to the center. Records outside the ball are
/// moved to its edge.
///
/// ```
/// use karcher::{Ball, Points, ReleaseContext, manifold::Euclidean, mechanism::{PrivateQuantiles, Request}};
/// use karcher::{privacy::Guarantee, spec::Quantiles};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let ages = Points::new(&*line, (0..10_000).map(|i| 20.0 + f64::from(i) / 200.0).collect())?; // evenly from 20 to 70
/// let quartiles = PrivateQuantiles::new(line.clone(), Ball::new(&*line, vec![50.0], 50.0)?, Quantiles::default())?;
/// let release = Request::new(quartiles, 10_000, Guarantee::gaussian(1.0)?).plan()?.run(&ages, &mut ReleaseContext::from_os()?)?;
/// let found = release.quantiles().expect("they were asked for");
/// assert!((found.quantiles[1] - 45.0).abs() < 0.5); // farther off with probability below 10⁻¹²
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateQuantiles {
    quantiles: Quantiles,
    kind: PositionKind,
    /// 1 or −1 for a coordinate of records that are carried to the center, 0 for a distance.
    sign: i8,
    pub(crate) seen: PrivateFrechetMean,
}

impl PrivateQuantiles {
    /// Quantiles of the positions of records in a ball.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for levels that do not rise strictly between 0 and 1, and for a grid that is
    /// no power of two. [`Error::Geometry`](crate::Error::Geometry) for a ball of another space. Also
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a radius that over- or underflows.
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, quantiles: Quantiles) -> Result<Self> {
        quantiles.check()?;
        check_length("radius", ball.radius())?;
        check_one_radius(&ball)?;
        let kind = match manifold.space().as_str() {
            _ if quantiles.distances => PositionKind::Distance,
            "euclidean:1" => PositionKind::Number,
            "sphere:1" | "torus:1" => PositionKind::Angle,
            _ => PositionKind::Distance,
        };
        let seen = PrivateFrechetMean::new(manifold, ball)?;
        let found = Self { sign: 0, quantiles, kind, seen };
        let sign = match kind {
            PositionKind::Number => 1,
            PositionKind::Distance => 0,
            PositionKind::Angle => found.orientation(),
        };
        let [low, high] = found.range();
        // the grid resolves positions, whatever the center is
        let widest = low.abs().max(high.abs());
        if widest + (high - low) / found.quantiles.cells() as f64 <= widest {
            return Err(field(
                "cells",
                "are finer than numbers are next to the center: take fewer, or a larger radius",
            ));
        }
        Ok(Self { sign, ..found })
    }

    /// The levels, with the grid.
    pub fn quantiles(&self) -> &Quantiles {
        &self.quantiles
    }

    /// What a position is.
    pub fn kind(&self) -> PositionKind {
        self.kind
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }

    /// The distance at which the range ends.
    fn reach(&self) -> f64 {
        self.ball().radius().min(self.manifold().diameter())
    }

    /// The public range of positions.
    pub fn range(&self) -> [f64; 2] {
        let (center, reach) = (self.ball().center(), self.reach());
        match self.kind {
            PositionKind::Number => [center[0] - reach, center[0] + reach], // a line has one number
            PositionKind::Angle => [-reach, reach],
            PositionKind::Distance => [0.0, reach],
        }
    }

    /// A number that no position in a cell or in those after it is below, to the last bit.
    fn below(&self, cell: usize) -> f64 {
        let [low, high] = self.range();
        (self.at(cell as f64) - 4.0 * f64::EPSILON * (low.abs() + high.abs())).max(low)
    }

    /// A number that no position in a cell or in those before it is above, to the last bit.
    fn above(&self, cell: usize) -> f64 {
        let [low, high] = self.range();
        (self.at(cell as f64 + 1.0) + 4.0 * f64::EPSILON * (low.abs() + high.abs())).min(high)
    }

    /// The middle of a cell.
    fn middle(&self, cell: usize) -> f64 {
        self.at(cell as f64 + 0.5)
    }

    /// A place on the grid, in cells.
    fn at(&self, cells: f64) -> f64 {
        let ([low, high], share) = (self.range(), cells / self.quantiles.cells() as f64);
        low * (1.0 - share) + high * share
    }

    /// Whether the coordinate of carried records rises counterclockwise: that of a point next to the center tells.
    fn orientation(&self) -> i8 {
        let turned = match self.ball().center() {
            [angle] => vec![angle + 1e-3],
            [x, y] => {
                let (sin, cos) = 1e-3_f64.sin_cos();
                vec![x * cos - y * sin, x * sin + y * cos]
            }
            _ => return 1, // no such circle
        };
        if self.seen.centered().held(&turned)[0] < 0.0 { -1 } else { 1 }
    }

    /// What is summed.
    pub(crate) fn term(&self) -> Summand {
        Summand::Positions {
            base: self.seen.centered().center().to_vec(),
            reach: self.reach(),
            cells: self.quantiles.cells(),
            sign: self.sign,
        }
    }
}
