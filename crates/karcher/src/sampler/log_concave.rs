//! Exact draws from a log-concave density on a half-line or an interval, by rejection from tangents of its logarithm.
//!
//! The logarithm `h` lies below each of its tangents. Tangents are taken at the mode and where `h` has decreased by
//! about 1 on either side. They make a hat of two or three exponential pieces. It accepts more than half of all
//! proposals, whatever the density (Devroye 1986, Non-Uniform Random Variate Generation, VII.2).

use rand::{Rng, RngExt};

/// A density `∝ exp(h)` on `(0, end)` with `h` concave.
pub(crate) trait LogDensity {
    /// `(h(x), h′(x))`, `h` up to a constant.
    fn log_density(&self, x: f64) -> (f64, f64);
}

/// A log-concave density, ready to be drawn from.
#[derive(Debug, Clone)]
pub(crate) struct LogConcave<D> {
    density: D,
    end: f64,
    mode: f64,
    /// The largest value of `h`.
    peak: f64,
    pieces: Vec<Piece>,
}

/// One exponential piece of the hat: `value + slope·(x − at)` on `(low, high)`, relative to the peak.
#[derive(Debug, Clone)]
struct Piece {
    at: f64,
    value: f64,
    slope: f64,
    low: f64,
    high: f64,
    mass: f64,
}

impl<D: LogDensity> LogConcave<D> {
    /// `end` may be `∞` if `h` decreases for ever; `typical` is any length near the density's width.
    pub(crate) fn new(density: D, end: f64, typical: f64) -> Self {
        let log_density = |x: f64| density.log_density(x);
        let slope = |x: f64| log_density(x).1;
        // the mode, to a part in a million: a tangent anywhere near it will do
        let beyond = grow(typical, |x| x < end && slope(x) > 0.0).min(end);
        let mode = bisect(0.0, beyond, |x| slope(x) > 0.0);
        let peak = log_density(mode).0;
        let near = |x: f64| log_density(x).0 > peak - 1.0;
        let left = bisect(0.0, mode, |x| !near(x));
        let beyond = grow(mode + typical, |x| x < end && near(x)).min(end);
        let right = bisect(mode, beyond, near);

        let mut pieces: Vec<Piece> = Vec::with_capacity(3);
        for at in [left, mode, right] {
            let (value, slope) = log_density(at);
            let tangent = Piece { at, value: value - peak, slope, low: 0.0, high: end, mass: 0.0 };
            if !(tangent.value.is_finite() && slope.is_finite()) {
                continue; // at the ends of the interval, where h = −∞
            }
            let mut low = 0.0;
            if let Some(last) = pieces.last_mut() {
                if last.slope <= slope {
                    continue; // the same tangent again, to rounding
                }
                let meet = (tangent.value - last.value + last.slope * last.at - slope * at) / (last.slope - slope);
                low = meet.clamp(last.at, at);
                last.high = low;
            }
            pieces.push(Piece { low, ..tangent });
        }
        for piece in &mut pieces {
            piece.mass = piece.integral();
        }
        Self { density, end, mode, peak, pieces }
    }

    /// `exp(h(x))` relative to the density's largest value.
    pub(crate) fn relative_density(&self, x: f64) -> f64 {
        (self.density.log_density(x).0 - self.peak).exp()
    }

    /// Whether the density is above a fraction of its largest value at `x` or anywhere beyond.
    pub(crate) fn reaches(&self, x: f64, share: f64) -> bool {
        x < self.mode || (x < self.end && self.relative_density(x) > share)
    }

    /// An interval for quadrature: outside of it the density is below `e^{−45}` times its largest value.
    pub(crate) fn support(&self) -> (f64, f64) {
        let visible = |x: f64| self.density.log_density(x).0 > self.peak - 45.0;
        let low = bisect(0.0, self.mode, |x| !visible(x));
        let beyond = grow(2.0 * self.mode, |x| x < self.end && visible(x)).min(self.end);
        (low, bisect(self.mode, beyond, visible))
    }

    /// One draw.
    pub(crate) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let total: f64 = self.pieces.iter().map(|p| p.mass).sum();
        loop {
            let mut u = rng.random::<f64>() * total;
            let mut piece = &self.pieces[0];
            for next in &self.pieces {
                piece = next;
                if u < next.mass {
                    break;
                }
                u -= next.mass;
            }
            let x = piece.sample(rng);
            let hat = piece.value + piece.slope * (x - piece.at);
            // 1 − random() is never 0
            if (1.0 - rng.random::<f64>()).ln() <= self.density.log_density(x).0 - self.peak - hat {
                return x;
            }
        }
    }
}

impl Piece {
    /// The end where the piece is highest, its height there, and the decay rate away from it.
    fn summit(&self) -> (f64, f64) {
        let x = if self.slope > 0.0 { self.high } else { self.low };
        (x, self.value + self.slope * (x - self.at))
    }

    fn integral(&self) -> f64 {
        let (width, rate) = (self.high - self.low, self.slope.abs());
        let relative = if rate * width < 1e-12 { width } else { -(-rate * width).exp_m1() / rate };
        self.summit().1.exp() * relative
    }

    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let (width, rate) = (self.high - self.low, self.slope.abs());
        let u = rng.random::<f64>();
        // distance from the summit: an exponential law of that rate, cut at the width
        let distance = if rate * width < 1e-12 { u * width } else { -(u * (-rate * width).exp_m1()).ln_1p() / rate };
        let summit = self.summit().0;
        if self.slope > 0.0 { summit - distance } else { summit + distance }
    }
}

/// Doubles `x` while `holds(x)`.
fn grow(mut x: f64, holds: impl Fn(f64) -> bool) -> f64 {
    while holds(x) && x < f64::MAX / 4.0 {
        x *= 2.0;
    }
    x
}

/// The end of the interval on which `holds`, from `low` upwards, to a part in a million of `high`.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 1e-6 * high {
            break;
        }
    }
    if low > 0.0 { low } else { high }
}
