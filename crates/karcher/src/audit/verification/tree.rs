//! Two trees of JSON, compared leaf by leaf: a file, and what it should be.
//!
//! | leaf | how near it must be |
//! | --- | --- |
//! | words, truth values, whole numbers, noisy numbers | the same; flags in any order |
//! | numbers in a list | 2⁻⁴⁰ of the largest number of the list |
//! | numbers of a point | also of the center of the ball |
//! | of a geodesic or a located center on a curved space | also of the square of these |
//! | numbers of a private count | 2⁻⁴⁰ of its noise and its noisy value |
//! | a residual spread, statistics of tests | the rounding of differences of moments |
//! | simulated p-values | one draw across its limit |
//! | other numbers | 2⁻⁴⁰ of the number |
//! | of an earlier version, scales and sensitivities | no smaller |

use super::finding::Findings;
use super::words;
use crate::mechanism::DRAWS_OF_TESTS;
use crate::statistics::extrinsic_mean::DRAWS;
use serde_json::Value;

/// Relative difference of numbers that count as equal. The same computation on another platform differs by a few units
/// in the last place, and published points of all spaces by 2⁻⁴⁵ at most.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

/// How much less precise statistics of tests are than moments, because residuals are small differences of these.
const DIFFERENCE: f64 = (1_u64 << 20) as f64;

/// Relative slack of a scale that is compared with that of another version.
const SLACK: f64 = 1e-9;

/// The fields of noisy numbers in lists.
const NOISY: [&str; 4] = ["noisy_coordinates", "moments", "embedded_mean", "coordinates"];

/// The places of the points from which numbers follow.
const POINTS: [&str; 6] =
    ["/ball/center", "/located/within/center", "/value", "/center", "/footpoint", "/shooting_vector"];

/// Two trees, and what their numbers are compared by.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    stated: &'a Value,
    expected: &'a Value,
    /// The largest number of points, and that for numbers that grow with it.
    size: [f64; 2],
    is_earlier: bool,
}

impl<'a> Comparison<'a> {
    /// Of a file with what it should be.
    pub(super) fn new(stated: &'a Value, expected: &'a Value) -> Self {
        let size = POINTS.iter().filter_map(|place| stated.pointer(place)).map(largest).fold(0.0, f64::max);
        Self { stated, expected, size: [size, size], is_earlier: false }
    }

    /// The same on a curved space, where digits are lost with the distance.
    pub(super) fn curved(mut self, is_curved: bool) -> Self {
        self.size[1] = if is_curved { (1.0 + self.size[0]).powi(2) } else { self.size[0] };
        self
    }

    /// The same for a release of an earlier version: its scales may be larger.
    pub(super) fn earlier(self, is_earlier: bool) -> Self {
        Self { is_earlier, ..self }
    }

    /// Adds the differences.
    pub(super) fn findings(&self, found: &mut Findings) {
        self.walk(("", ""), self.stated, self.expected, 0.0, found);
    }

    /// Compares what is in a place, whose field has a name. `size` is that of the numbers of a list.
    fn walk(&self, (at, name): (&str, &str), stated: &Value, expected: &Value, size: f64, found: &mut Findings) {
        match (stated, expected) {
            (Value::Object(own), Value::Object(made)) => {
                let place = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
                for (key, part) in own {
                    match made.get(key) {
                        Some(again) => self.walk((&place(key), key), part, again, 0.0, found),
                        None => {
                            found.add(place(key), "the release has this field, and its specification leads to none")
                        }
                    }
                }
                for key in made.keys().filter(|key| !own.contains_key(*key)) {
                    found.add(place(key), "it is missing, and the specification leads to one");
                }
            }
            (Value::Array(own), Value::Array(made)) if name == "flags" => flags(at, own, made, found),
            (Value::Array(own), Value::Array(made)) if own.len() == made.len() => {
                let size = size.max(largest(stated)).max(largest(expected));
                for (i, (part, again)) in own.iter().zip(made).enumerate() {
                    self.walk((&format!("{at}[{i}]"), name), part, again, size, found);
                }
            }
            (Value::Array(own), Value::Array(made)) => {
                let what = if name == "noise" { "draws" } else { "elements" };
                let (own, made) = (own.len(), made.len());
                found.add(at, format!("it has {own} {what}, and the specification leads to {made}"));
            }
            (Value::Number(own), Value::Number(made)) => {
                if let (Some(own), Some(made)) = (own.as_f64(), made.as_f64()) {
                    self.number((at, name), own, made, size.max(own.abs()).max(made.abs()), found);
                }
            }
            _ if stated == expected => (),
            _ => {
                let (stated, expected) = words::values(stated, expected);
                found.add(at, format!("it is {stated}, and the specification leads to {expected}"));
            }
        }
    }

    /// Compares two numbers, in a list of numbers of some size.
    fn number(&self, (at, name): (&str, &str), stated: f64, expected: f64, size: f64, found: &mut Findings) {
        let is_listed = at.ends_with(']');
        let own = stated.abs().max(expected.abs());
        let is_point = is_listed && ["value", "noisy_value", "logarithm"].contains(&name);
        let is_far = ["footpoint", "shooting_vector"].contains(&name)
            || ["center[", "located.center["].iter().any(|place| at.starts_with(place));
        let is_noisy = NOISY.contains(&name) || name == "noisy_value" && !is_listed && !is_counted(at);
        let tolerance = match name {
            _ if is_noisy => 0.0,
            _ if is_point => size.max(self.size[0]),
            _ if is_far => size.max(self.size[1]),
            _ if is_counted(at) => own.max(self.of("/private_count/noisy_value") + self.of("/private_count/scale")),
            "residual_spread" if stated >= 0.0 => self.of("/ball/radius").powi(2) / (stated + expected),
            "residual_spread" => 0.0,
            "statistic" => DIFFERENCE * size,
            "p_value" if is_one_draw_apart(stated, expected) => f64::INFINITY,
            _ => size,
        };
        let is_scale = ["scale", "sensitivity"].contains(&name) || at == "sensitivity.value";
        let is_enough = self.is_earlier && is_scale && stated >= expected * (1.0 - SLACK);
        if stated == expected || is_enough || (stated - expected).abs() <= ROUNDING * tolerance {
            return;
        }
        let (stated, expected) = words::numbers(stated, expected);
        let reason = match (is_noisy, is_point || is_far) {
            (true, _) => format!("it is {stated}, and the nearest multiple of its unit is {expected}"),
            (_, true) => format!("it is {stated}, and {expected} follows from {}", self.source(at)),
            _ if self.is_earlier && is_scale => format!("it is {stated}, and at least {expected} is needed"),
            _ => format!("it is {stated}, and the specification leads to {expected}"),
        };
        found.add(at, reason);
    }

    /// The size of a stated number.
    fn of(&self, place: &str) -> f64 {
        self.stated.pointer(place).map_or(0.0, largest)
    }

    /// From what the point in a place follows.
    fn source(&self, at: &str) -> &'static str {
        match at {
            _ if at.starts_with("predictions") => "the regression",
            _ if at.starts_with("located") => "the lattice around `located.within.center`",
            _ if self.stated.get("extrinsic").is_some() => "the embedded mean",
            _ => "the lattice around `ball.center`",
        }
    }
}

/// Whether a place is in a private count.
fn is_counted(at: &str) -> bool {
    at.starts_with("private_count.")
}

/// Compares flags, whose order says nothing.
fn flags(at: &str, stated: &[Value], expected: &[Value], found: &mut Findings) {
    for flag in expected.iter().filter(|flag| !stated.contains(flag)) {
        found.add(at, format!("{flag} is missing"));
    }
    for (i, flag) in stated.iter().enumerate() {
        if !expected.contains(flag) {
            let reason = format!("the release states {flag}, and its specification does not lead to it");
            found.add(at, reason);
        } else if stated[..i].contains(flag) {
            found.add(at, format!("{flag} stands twice"));
        }
    }
}

/// The largest number in lists of lists.
fn largest(of: &Value) -> f64 {
    match of {
        Value::Array(all) => all.iter().map(largest).fold(0.0, f64::max),
        _ => of.as_f64().map_or(0.0, f64::abs),
    }
}

/// Whether two p-values are `k/(D + 1)` of the same number `D` of draws, with `k` at most 1 apart.
fn is_one_draw_apart(stated: f64, again: f64) -> bool {
    let [least, most] = DRAWS_OF_TESTS;
    (least..=most).chain([DRAWS]).any(|draws| {
        let [a, b] = [stated, again].map(|p| p * (draws as f64 + 1.0));
        let is_count = [a, b].iter().all(|k| (k - k.round()).abs() < 1e-8 && *k > 0.5);
        is_count && (a - b).abs() < 1.5 && stated <= 1.0
    })
}

#[cfg(test)]
mod tests {
    use super::is_one_draw_apart;

    #[test]
    fn p_values_are_counts_of_draws() {
        for draws in [2001.0, 10_001.0] {
            assert!(is_one_draw_apart(7.0 / draws, 7.0 / draws));
            assert!(is_one_draw_apart(6.0 / draws, 7.0 / draws));
            assert!(!is_one_draw_apart(5.0 / draws, 7.0 / draws));
            assert!(!is_one_draw_apart(0.0, 1.0 / draws) && !is_one_draw_apart(1e-12, 1.0 / draws));
            assert!(!is_one_draw_apart(6.5 / draws, 7.0 / draws));
        }
    }
}
