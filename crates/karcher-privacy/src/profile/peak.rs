//! Search for the places where a function that rises to one maximum and falls from there is large. The function is
//! given by its logarithm, and evaluated as rarely as will do. The results are places near the maximum, and ends of an
//! interval; outside it the function is small.

/// The highest place found so far, between two lower ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peak {
    pub(super) at: f64,
    pub(super) height: f64,
    low: f64,
    high: f64,
}

/// The share of the golden section.
const GOLDEN: f64 = 0.381_966_011_250_105;

impl Peak {
    /// The highest of 15 places between `from` and `to`, which are closer together near `from`.
    pub(super) fn among(from: f64, to: f64, ln_f: impl Fn(f64) -> f64) -> Self {
        let place = |i: i32| from + (to - from) * (f64::from(i) / 16.0).powi(2);
        let mut best = (1, f64::NEG_INFINITY);
        for i in 1..16 {
            let height = ln_f(place(i));
            best = if height > best.1 { (i, height) } else { best };
        }
        let (i, height) = best;
        Self { at: place(i), height, low: place(i - 1), high: place(i + 1) }
    }

    /// By golden section to a place that is lower than the maximum by less than 1.
    pub(super) fn climb(mut self, ln_f: impl Fn(f64) -> f64) -> Self {
        let (mut low, mut high) = (ln_f(self.low), ln_f(self.high));
        for _ in 0..80 {
            // a concave function is above neither of the lines through two of the three places
            if self.height - low.min(high) < 1.0 {
                break;
            }
            let is_right = self.high - self.at > self.at - self.low;
            let at = self.at + GOLDEN * if is_right { self.high - self.at } else { self.low - self.at };
            let height = ln_f(at);
            if height > self.height {
                let lower = (self.at, self.height);
                (self.at, self.height) = (at, height);
                if is_right { (self.low, low) = lower } else { (self.high, high) = lower }
            } else if is_right {
                (self.high, high) = (at, height);
            } else {
                (self.low, low) = (at, height);
            }
        }
        self
    }

    /// The part of `[0, width]` around the peak; outside it the function is `e^{−depth}` of its peak or less.
    pub(super) fn window(&self, depth: f64, width: f64, ln_f: impl Fn(f64) -> f64) -> (f64, f64) {
        window(self.at, self.high - self.low, width, |x| ln_f(x) > self.height - depth)
    }
}

/// The part of `[0, width]` around `summit` on which `visible`, a little enlarged; `step` is a first guess of its size.
pub(super) fn window(summit: f64, step: f64, width: f64, visible: impl Fn(f64) -> bool) -> (f64, f64) {
    let end = |direction: f64| {
        let at = |step: f64| (summit + direction * step).clamp(0.0, width);
        let mut step = step.max(f64::EPSILON * summit).max(f64::MIN_POSITIVE);
        while at(step) > 0.0 && at(step) < width && visible(at(step)) {
            step *= 2.0;
        }
        outer(summit, at(step), &visible)
    };
    (end(-1.0), end(1.0))
}

/// The end, between `inside` and `outside`, of where `visible`: outside of it by less than a hundredth of the way.
fn outer(inside: f64, outside: f64, visible: &impl Fn(f64) -> bool) -> f64 {
    if visible(outside) { outside } else { bisect(inside, outside, 7, visible).1 }
}

/// The last place tried where `holds` and the first where it does not, after so many halvings of the way from `inside`
/// to `outside`.
pub(super) fn bisect(mut inside: f64, mut outside: f64, halvings: u32, holds: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..halvings {
        let middle = 0.5 * (inside + outside);
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    (inside, outside)
}
