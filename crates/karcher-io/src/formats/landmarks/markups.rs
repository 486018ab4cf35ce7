//! Markups of 3D Slicer (`.mrk.json`), one specimen each: the control points of the file's only markup.
//!
//! Coordinates are given in LPS and in millimetres, as those of [`fcsv`](super::fcsv), whichever system and unit the
//! file has. A point that has no position, or whose status is not `defined`, is a missing landmark.
//!
//! Source: Slicer's schema of markups, version 1.0.3.

use super::fcsv::{signs, turned};
use super::{One, Specimens};
use crate::formats::cell::Cell;
use crate::options::ReadOptions;
use crate::printable::printable;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    markups: Vec<Markup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Markup {
    coordinate_system: Option<String>,
    coordinate_units: Option<Unit>,
    #[serde(default)]
    control_points: Vec<ControlPoint>,
}

/// A unit, or a coded entry: a code, the scheme of codes, and its meaning.
#[derive(Deserialize)]
#[serde(untagged)]
enum Unit {
    Name(String),
    Coded(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ControlPoint {
    label: Option<String>,
    position: Option<Vec<Option<f64>>>,
    position_status: Option<String>,
}

pub(crate) fn parse(text: &str, _options: &ReadOptions) -> Result<Specimens, String> {
    Ok(Specimens::one(specimen(text)))
}

impl Unit {
    fn code(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Coded(words) => words.first().map_or("", String::as_str),
        }
    }

    /// The millimetres of a known unit of length.
    fn millimetres(&self) -> Option<f64> {
        Some(match self.code().trim() {
            "mm" | "millimeter" | "millimetre" => 1.0,
            "nm" | "nanometer" | "nanometre" => 1e-6,
            "um" | "µm" | "μm" | "micrometer" | "micrometre" => 1e-3,
            "cm" | "centimeter" | "centimetre" => 10.0,
            "dm" | "decimeter" | "decimetre" => 100.0,
            "m" | "meter" | "metre" => 1000.0,
            "[in_i]" | "in" | "inch" => 25.4,
            _ => return None,
        })
    }
}

fn specimen(text: &str) -> Result<One, (usize, String)> {
    let refused = |reason: &str| Err((1, reason.to_owned()));
    let file: File = serde_json::from_str(text)
        .map_err(|error| (error.line().max(1), format!("it holds no markups of 3D Slicer ({error})")))?;
    let [markup] = &file.markups[..] else {
        return refused(&format!("it holds {} markups, expected the one of a specimen", file.markups.len()));
    };
    // the schema's default
    let Some(signs) = signs(markup.coordinate_system.as_deref().unwrap_or("LPS")) else {
        return refused("its coordinate system is neither LPS nor RAS");
    };
    // the schema's default
    let Some(millimetres) = markup.coordinate_units.as_ref().map_or(Some(1.0), Unit::millimetres) else {
        let unit = markup.coordinate_units.as_ref().map_or("", Unit::code);
        return refused(&format!("its coordinates are in `{}`, which is no known unit of length", printable(unit)));
    };
    if markup.control_points.is_empty() {
        return refused("it has no landmarks");
    }
    let mut all = vec![];
    for (i, point) in markup.control_points.iter().enumerate() {
        let is_defined = point.position_status.as_deref().is_none_or(|status| status == "defined");
        match &point.position {
            Some(position) if is_defined && position.len() != 3 => {
                return refused(&format!("landmark {} has {} coordinates, expected 3", i + 1, position.len()));
            }
            Some(position) if is_defined => {
                let cell = |x: Option<f64>| x.map_or(Cell::Missing, Cell::Number);
                all.extend(position.iter().zip(signs).map(|(x, sign)| turned(cell(*x), sign * millimetres)));
            }
            _ => all.extend([const { Cell::Missing }; 3]),
        }
    }
    let labels = markup.control_points.iter().map(|point| point.label.clone().unwrap_or_default()).collect();
    Ok(One { axes: 3, cells: all, labels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Table, read_bytes};

    fn read(text: &str) -> Result<Table, String> {
        read_bytes("a.mrk.json", text.as_bytes().to_vec(), &ReadOptions::default()).map_err(|error| error.to_string())
    }

    fn file(system: &str, points: &str) -> String {
        format!(r#"{{"@schema": "x", "markups": [{{"type": "Fiducial", {system} "controlPoints": [{points}]}}]}}"#)
    }

    const POINTS: &str = r#"{"label": "F-1", "position": [1, 2.5, 3], "positionStatus": "defined"},
                            {"label": "F-2", "position": [4, 5, -6e1]}"#;

    #[test]
    fn control_points_are_landmarks_in_lps() {
        for lps in [r#""coordinateSystem": "LPS","#, ""] {
            let table = read(&file(lps, POINTS)).unwrap();
            assert_eq!((table.rows, table.values), (1, vec![1.0, 2.5, 3.0, 4.0, 5.0, -60.0]));
        }
        let ras = read(&file(r#""coordinateSystem": "RAS","#, POINTS)).unwrap();
        assert_eq!(ras.values, [-1.0, -2.5, 3.0, -4.0, -5.0, -60.0]);
    }

    #[test]
    fn coordinates_are_millimetres_whatever_unit_the_file_has() {
        for (unit, factor) in [
            (r#""mm""#, 1.0),
            (r#""um""#, 1e-3),
            (r#""cm""#, 10.0),
            (r#""m""#, 1000.0),
            (r#"["cm", "UCUM", "centimeter"]"#, 10.0),
            (r#""[in_i]""#, 25.4),
        ] {
            let table = read(&file(&format!(r#""coordinateUnits": {unit},"#), POINTS)).unwrap();
            let expected = [1.0, 2.5, 3.0, 4.0, 5.0, -60.0].map(|x| x * factor);
            assert_eq!(table.values, expected, "{unit}");
        }
        for unit in ["furlong", "pixel", ""] {
            let error = read(&file(&format!(r#""coordinateUnits": "{unit}","#), POINTS)).unwrap_err();
            assert!(error.contains(&format!("are in `{unit}`, which is no known unit of length")), "{error}");
        }
    }

    #[test]
    fn what_is_no_specimen_is_refused_with_the_reason() {
        for (text, reason) in [
            ("{\n\"markups\": 7}".to_owned(), "(line 2): it holds no markups of 3D Slicer"),
            ("[".repeat(100_000), "no markups"),
            (r#"{"markups": []}"#.to_owned(), "it holds 0 markups"),
            (file("", ""), "it has no landmarks"),
            (file(r#""coordinateSystem": "IJK","#, POINTS), "neither LPS nor RAS"),
            (file("", r#"{"position": [1, 2]}"#), "landmark 1 has 2 coordinates, expected 3"),
            (file("", &POINTS.replace("\"defined\"", "\"undefined\"")), "landmark 1 is missing: estimate it"),
            (file("", r#"{"position": [1, null, 3]}"#), "landmark 1 is missing"),
            (file("", r#"{"label": "a"}"#), "landmark 1 is missing"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
