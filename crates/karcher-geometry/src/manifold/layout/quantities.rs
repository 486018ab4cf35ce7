//! Quantities that stand in tables with coordinates and are none.

use super::tokens::runs;

/// Quantities that are no angles.
const LINEAR: [&str; 29] = [
    "speed",
    "velocity",
    "vel",
    "time",
    "timestamp",
    "date",
    "datetime",
    "latency",
    "year",
    "month",
    "week",
    "weekday",
    "day",
    "minute",
    "minutes",
    "temperature",
    "temp",
    "pressure",
    "distance",
    "dist",
    "depth",
    "area",
    "count",
    "weight",
    "mass",
    "age",
    "uid",
    "redshift",
    "bfactor",
];

/// Quantities that are angles in some names, and words that number or name an angle: `index_finger`.
const OTHERS: [&str; 27] = [
    "elevation",
    "elev",
    "ele",
    "altitude",
    "alt",
    "height",
    "hour",
    "second",
    "mad",
    "a95",
    "alpha95",
    "accuracy",
    "precision",
    "hdop",
    "vdop",
    "pdop",
    "magnitude",
    "mag",
    "size",
    "id",
    "index",
    "label",
    "parallax",
    "rake",
    "slip",
    "ha",
    "hourangle",
];

/// Errors and deviations of numbers.
const ERRORS: [&str; 14] = [
    "err",
    "error",
    "errors",
    "std",
    "stdev",
    "stddev",
    "sd",
    "sem",
    "sigma",
    "unc",
    "uncertainty",
    "variance",
    "rms",
    "rmse",
];

/// How fast numbers change, and how exact they are.
const RATES: [&str; 7] = ["rate", "vel", "velocity", "speed", "acc", "accel", "pm"];

/// Measurements along axes, which are no rotations about them.
const ALONG_AXES: [&str; 3] = ["pos", "position", "gyro"];

/// Words by which a name says an angle, whatever else it says: `day_angle`.
const ANGLES: [&str; 10] =
    ["angle", "phase", "direction", "dir", "heading", "bearing", "azimuth", "deg", "degrees", "rad"];

fn says(tokens: &[String], words: &[&str]) -> bool {
    runs(tokens).any(|(_, run)| words.contains(&run.as_str()))
}

/// Whether a name says a quantity that is no coordinate.
pub(super) fn is_quantity(tokens: &[String]) -> bool {
    [&LINEAR[..], &OTHERS, &ERRORS, &RATES].iter().any(|words| says(tokens, words))
}

/// Whether a name says a quantity that is no angle.
pub(super) fn is_linear(tokens: &[String]) -> bool {
    says(tokens, &LINEAR) && !says(tokens, &ANGLES)
}

/// Whether a name says the error of something: `lat_err`, and `e_RAdeg` with one of these words behind `e`.
pub(super) fn is_error(tokens: &[String], words: &[&str]) -> bool {
    tokens.len() > 1 && (says(tokens, &ERRORS) || (tokens[0] == "e" && says(&tokens[1..], words)))
}

/// Whether a name says how fast an angle with these words changes: `lat_rate`, `pmRA`, `vlat`.
pub(super) fn is_rate(tokens: &[String], words: &[&str]) -> bool {
    let changes = |token: &String| {
        ["d", "v", "pm"].iter().any(|of| token.strip_prefix(of).is_some_and(|rest| words.contains(&rest)))
    };
    let is_known = |token: &String| words.contains(&token.as_str());
    let along_axes = words.is_empty() && says(tokens, &ALONG_AXES);
    (tokens.len() > 1 && (along_axes || says(tokens, &RATES))) || tokens.iter().any(|t| changes(t) && !is_known(t))
}
