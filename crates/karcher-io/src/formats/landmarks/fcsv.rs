//! Fiducial files of 3D Slicer (`.fcsv`), one specimen each.
//!
//! Lines that begin with `#` say the coordinate system and the columns, `# columns = id,x,y,z,…`. Coordinates are given
//! in LPS (left, posterior, superior), whichever system the file has: those in RAS, the default of the format, get the
//! other sign in the first two axes, which is half a turn.
//!
//! Source: the documentation of Slicer's module Markups.

use super::{One, Specimens, lines};
use crate::formats::cell::{Cell, number};
use crate::formats::text::rows::{Cells, Kept, Row, Rows, Style};
use crate::options::ReadOptions;

pub(crate) fn parse(text: &str, options: &ReadOptions) -> Result<Specimens, String> {
    Ok(Specimens::one(specimen(text, options.decimal_comma)))
}

/// The signs that carry a coordinate system to LPS.
pub(super) fn signs(system: &str) -> Option<[f64; 3]> {
    match system.trim().to_ascii_uppercase().as_str() {
        "LPS" | "1" => Some([1.0; 3]),
        "RAS" | "0" => Some([-1.0, -1.0, 1.0]),
        _ => None,
    }
}

/// A coordinate in LPS.
pub(super) fn turned(cell: Cell, factor: f64) -> Cell {
    match cell {
        Cell::Number(x) => Cell::Number(factor * x),
        other => other,
    }
}

/// The place of labels where the file names no columns.
const LABEL: usize = 11;

fn specimen(text: &str, decimal_comma: bool) -> Result<One, (usize, String)> {
    let (mut places, mut label, mut signs_of) = ([1, 2, 3], Some(LABEL), [-1.0, -1.0, 1.0]);
    let (mut all, mut labels) = (vec![], vec![]);
    for (line, words) in lines(text) {
        if let Some(comment) = words.strip_prefix('#') {
            let Some((key, value)) = comment.split_once('=') else { continue };
            if key.trim().eq_ignore_ascii_case("CoordinateSystem") {
                let unknown = || (line, "its coordinate system is neither LPS nor RAS".to_owned());
                signs_of = signs(value).ok_or_else(unknown)?;
            } else if key.trim().eq_ignore_ascii_case("columns") {
                let columns: Vec<String> = value.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
                let place = |axis: &str| columns.iter().position(|name| name == axis);
                let missing = || (line, "its columns do not name x, y and z".to_owned());
                places = [place("x"), place("y"), place("z")].map(|at| at.unwrap_or(usize::MAX));
                places.iter().all(|at| *at < usize::MAX).then_some(()).ok_or_else(missing)?;
                label = place("label");
            }
            continue;
        }
        let mut cells = Row::default();
        let style = Style { cells: Cells::Separated(b','), comments: None };
        Rows::new(words.as_bytes(), style, 1, Kept::first(usize::MAX)).next(&mut cells);
        for (at, sign) in places.into_iter().zip(signs_of) {
            let landmark = all.len() / 3 + 1;
            let cell =
                cells.get(at).ok_or_else(|| (line, format!("landmark {landmark} has fewer than 3 coordinates")))?;
            all.push(turned(number(&cell, decimal_comma), sign));
        }
        let label = label.and_then(|at| cells.get(at)).unwrap_or_default();
        labels.push(String::from_utf8_lossy(&label).into_owned());
    }
    if all.is_empty() {
        return Err((1, "it has no landmarks".to_owned()));
    }
    Ok(One { axes: 3, cells: all, labels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Table, read_bytes};

    fn read(text: &str) -> Result<Table, String> {
        read_bytes("f.fcsv", text.as_bytes().to_vec(), &ReadOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn coordinates_are_those_of_lps() {
        let file = |system: &str| {
            format!(
                "# Markups fiducial file version = 4.11\n{system}# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label\n\
                 vtkMRMLMarkupsFiducialNode_0,1,2,3,0,0,0,1,1,1,0,F-1\n1,4,5,6,0,0,0,1,1,1,0,\"a, b\"\n"
            )
        };
        for lps in ["LPS", "1"] {
            let table = read(&file(&format!("# CoordinateSystem = {lps}\n"))).unwrap();
            assert_eq!((table.rows, table.values), (1, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        }
        for ras in ["# CoordinateSystem = RAS\n", "# CoordinateSystem = 0\n", ""] {
            assert_eq!(read(&file(ras)).unwrap().values, [-1.0, -2.0, 3.0, -4.0, -5.0, 6.0]);
        }
        assert_eq!(read("# columns = x,y,z,label\n1,2,3,a\n").unwrap().values, [-1.0, -2.0, 3.0]);
    }

    #[test]
    fn what_is_no_specimen_is_refused_with_its_line() {
        for (text, reason) in [
            ("# CoordinateSystem = IJK\n1,2,3,4\n", "(line 1): its coordinate system is neither LPS nor RAS"),
            ("# columns = id,x,y\n1,2,3,4\n", "(line 1): its columns do not name x, y and z"),
            ("a,1,2,3\nb,4,5\n", "(line 2): landmark 2 has fewer than 3 coordinates"),
            ("# nothing\n", "it has no landmarks"),
            ("a,1,,3\n", "landmark 1 is missing"),
            ("a,1,q,3\n", "column 2 (y1): `q` is not a number"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
