//! Point files (`.pts`), one specimen each: those of IDAV Landmark, and those of iBUG's annotations.
//!
//! IDAV Landmark writes `Version 1.0`, the number of landmarks, and lines `S000 x y z`; a landmark at 9999 9999 9999 is
//! missing. The other kind is `version: 1`, `n_points: 68`, and lines `x y` between braces.
//!
//! Source: Wiley et al. 2005, Landmark 3; `read.pts` of Morpho.

use super::{One, Specimens, lines, missing_where_all_are};
use crate::formats::cell::{Cell, number};
use crate::options::ReadOptions;

/// The code of IDAV Landmark for a missing coordinate.
const MISSING: f64 = 9999.0;

pub(crate) fn parse(text: &str, options: &ReadOptions) -> Result<Specimens, String> {
    Ok(Specimens::one(specimen(text, options.decimal_comma)))
}

fn specimen(text: &str, decimal_comma: bool) -> Result<One, (usize, String)> {
    let mut lines = lines(text);
    let (_, version) = lines.next().unwrap_or_default();
    let (at, count) = lines.next().unwrap_or((1, ""));
    if !version.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("version")) {
        return Err((1, "its first line is not a version, as point files have it".to_owned()));
    }
    let in_braces = count.strip_prefix("n_points:");
    let landmarks: usize = in_braces
        .unwrap_or(count)
        .trim()
        .parse()
        .map_err(|_| (at, "its second line is not the number of its landmarks".to_owned()))?;
    let mut points: Vec<(usize, &str)> = lines.collect();
    if in_braces.is_some() {
        match points[..] {
            [(_, "{"), .., (_, "}")] => points = points[1..points.len() - 1].to_vec(),
            _ => return Err((at, "its landmarks are not between { and }".to_owned())),
        }
    }
    if points.len() != landmarks || landmarks == 0 {
        return Err((at, format!("it has {} lines of landmarks, and says {landmarks}", points.len())));
    }
    let (mut axes, mut all, mut labels) = (0, vec![], vec![]);
    for (i, (line, words_of)) in points.into_iter().enumerate() {
        // the first word of IDAV Landmark is a label
        let words = words_of.split_ascii_whitespace().skip(usize::from(in_braces.is_none()));
        let mut cells: Vec<Cell> = words.take(4).map(|word| number(word.as_bytes(), decimal_comma)).collect();
        axes = if i == 0 { cells.len() } else { axes };
        if cells.len() != axes || !(2..=3).contains(&axes) {
            return Err((line, format!("landmark {} has {} coordinates, not 2 or 3 as all have", i + 1, cells.len())));
        }
        if in_braces.is_none() {
            labels.push(words_of.split_ascii_whitespace().next().unwrap_or_default().to_owned());
            missing_where_all_are(MISSING, &mut cells);
        }
        all.extend(cells);
    }
    Ok(One { axes, cells: all, labels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Table, read_bytes};

    fn read(text: &str) -> Result<Table, String> {
        read_bytes("f.pts", text.as_bytes().to_vec(), &ReadOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn both_kinds_are_one_record_a_file() {
        let idav = read("Version 1.0\r\n2\r\nS000 1 2 3\r\nC001_000 4e0 5 6.5\r\n").unwrap();
        assert_eq!((idav.rows, idav.values), (1, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.5]));
        let ibug = read("version: 1\nn_points:  2\n{\n1 2\n3 9999\n}\n").unwrap();
        assert_eq!((ibug.rows, ibug.values), (1, vec![1.0, 2.0, 3.0, 9999.0]));
    }

    #[test]
    fn what_is_no_specimen_is_refused_with_its_line() {
        for (text, reason) in [
            ("1 2 3\n", "(line 1): its first line is not a version"),
            ("Version 1.0\nx\n", "(line 2): its second line is not the number"),
            ("Version 1.0\n2\nS0 1 2 3\n", "(line 2): it has 1 lines of landmarks, and says 2"),
            ("Version 1.0\n0\n", "it has 0 lines of landmarks"),
            ("Version 1.0\n2\nS0 1 2 3\nS1 1 2\n", "(line 4): landmark 2 has 2 coordinates"),
            ("Version 1.0\n1\nS0 1\n", "(line 3): landmark 1 has 1 coordinates"),
            ("Version 1.0\n2\nS0 9999 9999 9999\nS1 1 2 3\n", "landmark 1 is missing: estimate it"),
            ("version: 1\nn_points: 1\n1 2\n", "not between { and }"),
            ("version: 1\nn_points: 1\n{\n1 a\n}\n", "column 2 (y1): `a` is not a number"),
            ("ä", "its first line is not a version"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
