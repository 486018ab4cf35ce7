//! Quantities that stand in tables with coordinates and are none.

use super::tokens::runs;

/// Quantities that are no angles.
const LINEAR: [&str; 41] = [
    "speed",
    "velocity",
    "vel",
    "time",
    "timestamp",
    "date",
    "datetime",
    "latency",
    "year",
    "week",
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
    "seconds",
    "secs",
    "sod",
    "timeofday",
    "tod",
    "daytime",
    "hhmm",
    "hhmmss",
    "season",
    "dom",
    "julian",
    "julianday",
    "jday",
    "mjd",
];

/// Times that come again, and degrees in one of them.
const CYCLES: [(f64, &[&str]); 4] = [
    (360.0 / 365.25, &["doy", "dayofyear", "yday", "yearday", "dayinyear"]),
    (360.0 / 7.0, &["weekday", "dow", "dayofweek", "wday", "weekdays"]),
    (30.0, &["month", "months", "monat", "mois", "monthofyear"]),
    (90.0, &["quarter", "quarterofyear"]),
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
    [&LINEAR[..], &OTHERS, &ERRORS, &RATES].iter().any(|words| says(tokens, words)) || cycle(tokens).is_some()
}

/// The degrees in one of the times that a name says: `doy`, `month_of_year`.
pub(super) fn cycle(tokens: &[String]) -> Option<f64> {
    let of = tokens.iter().position(|token| token == "of").filter(|at| *at > 0).unwrap_or(tokens.len());
    let found = CYCLES.iter().find(|(_, words)| {
        runs(tokens).any(|(n, run)| n > 1 && words.contains(&run.as_str())) || says(&tokens[..of], words)
    });
    found.filter(|_| !says_angle(tokens)).map(|(degrees, _)| *degrees)
}

/// Whether a name says that it is an angle.
pub(super) fn says_angle(tokens: &[String]) -> bool {
    says(tokens, &ANGLES)
}

/// Whether a name says a quantity that is no angle.
pub(super) fn is_linear(tokens: &[String]) -> bool {
    says(tokens, &LINEAR) && !says_angle(tokens)
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
