//! NTSYS files (`.nts`, and `.dta` of IDAV Landmark): a matrix of landmarks behind a line of parameters.
//!
//! The parameters are `1 n p m [code] DIM=d`: a rectangular matrix of `n` rows and `p` columns; `m` is 0, or 1 where
//! `code` stands for a missing number. An `L` behind `n` or `p` says that labels of rows or columns come first. A row
//! is a specimen of `p/d` landmarks; where `p` is `d`, a row is a landmark of one specimen. A specimen stands on one
//! line, or each of its landmarks does. Lines that begin with `"` or `'` are comments.
//!
//! Source: Rohlf 2012, NTSYSpc 2.2; the readers of geomorph.

use super::labels::{are_one_landmark, axis, of_coordinates};
use super::{Specimen, Specimens, lines};
use crate::formats::cell::{Cell, number};
use crate::options::ReadOptions;

/// The parameters in the first line.
struct Parameters {
    rows: usize,
    columns: usize,
    has_row_labels: bool,
    has_column_labels: bool,
    missing: Option<Cell>,
    axes: usize,
}

impl Parameters {
    fn parse(line: &str, decimal_comma: bool) -> Option<Self> {
        let line = line.to_ascii_uppercase();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let axes = words.iter().find_map(|word| word.strip_prefix("DIM=")?.parse().ok())?;
        let count = |word: &str| word.trim_end_matches('L').parse().ok();
        let ["1", rows, columns, has_missing, ..] = words[..] else { return None };
        Some(Self {
            rows: count(rows)?,
            columns: count(columns)?,
            has_row_labels: rows.ends_with('L'),
            has_column_labels: columns.ends_with('L'),
            missing: match (has_missing, words.get(4)) {
                ("0", _) => None,
                (_, code) => code.map(|code| number(code.as_bytes(), decimal_comma)),
            },
            axes,
        })
    }
}

pub(crate) fn parse(text: &str, options: &ReadOptions) -> Result<Specimens, String> {
    let mut lines = lines(text).filter(|(_, line)| !line.starts_with(['"', '\''])).peekable();
    let parameters = lines.next().and_then(|(_, line)| Parameters::parse(line, options.decimal_comma));
    let Some(Parameters { rows, columns, has_row_labels, has_column_labels, missing, axes }) = parameters else {
        return Err("its first line is not `1 rows columns 0 DIM=2`, as NTSYS has it: add DIM=2 or DIM=3".to_owned());
    };
    if !(2..=3).contains(&axes) || columns == 0 || columns % axes != 0 || rows == 0 {
        return Err(format!("{rows} rows of {columns} numbers are no landmarks of {axes} coordinates"));
    }
    let mut labels = |count: usize| -> Result<Vec<String>, String> {
        let mut labels: Vec<String> = vec![];
        while labels.len() < count {
            let (_, line) = lines.next().ok_or("it ends within its labels")?;
            labels.extend(line.split_ascii_whitespace().map(str::to_owned));
        }
        match labels.len() == count {
            true => Ok(labels),
            false => Err(format!("it has {} labels on the lines of {count}", labels.len())),
        }
    };
    let row_labels = if has_row_labels { labels(rows)? } else { vec![] };
    let column_labels = if has_column_labels { labels(columns)? } else { vec![] };
    let is_one = columns == axes;
    let labels = if is_one { row_labels.clone() } else { of_landmarks(&column_labels, axes)? };
    let (specimens, landmarks) = if is_one { (1, rows) } else { (rows, columns / axes) };
    let Some(numbers) = landmarks.checked_mul(axes).filter(|numbers| *numbers < usize::MAX) else {
        return Err(format!("its first line says {landmarks} landmarks, more than there can be"));
    };
    let data: Vec<(usize, &str)> = lines.collect();
    let per_specimen = match data.len() {
        found if found == specimens => 1,
        found if Some(found) == specimens.checked_mul(landmarks) => landmarks,
        found => {
            return Err(format!(
                "it has {found} lines of numbers: expected {specimens}, one a specimen, or {landmarks} for each"
            ));
        }
    };
    let all = data.chunks(per_specimen).enumerate().map(|(i, lines)| {
        let mut specimen = Specimen::at(lines[0].0);
        specimen.name = if is_one { None } else { row_labels.get(i).cloned() };
        for (_, line) in lines {
            match per_specimen {
                1 => {
                    let words = line.split_ascii_whitespace().take(numbers + 1);
                    specimen.cells.extend(words.map(|word| number(word.as_bytes(), options.decimal_comma)));
                }
                _ => specimen.landmark(line, axes, options.decimal_comma),
            }
        }
        let (found, expected) = (specimen.cells.len(), numbers);
        if found != expected {
            specimen.refuse(match found > expected {
                true => format!("it has more than {expected} coordinates"),
                false => format!("it has {found} coordinates, expected {expected}"),
            });
        }
        specimen
            .cells
            .iter_mut()
            .filter(|cell| Some(&**cell) == missing.as_ref())
            .for_each(|cell| *cell = Cell::Missing);
        specimen
    });
    Ok(Specimens { axes, all: all.collect(), labels, is_one })
}

/// The labels of landmarks from those of their coordinates.
fn of_landmarks(columns: &[String], axes: usize) -> Result<Vec<String>, String> {
    let is_named = columns.iter().all(|label| axis(label).is_some());
    if is_named && !columns.chunks(axes).all(are_one_landmark) {
        let shown = columns[..columns.len().min(2 * axes)].join(" ");
        return Err(format!("its columns are {shown}: the coordinates of a landmark must stand together"));
    }
    Ok(columns.chunks(axes).map(|columns| of_coordinates(columns).unwrap_or_else(|| columns.join(" "))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Missing, Table, read_bytes};

    fn read(text: &str) -> Result<Table, String> {
        let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
        read_bytes("f.nts", text.as_bytes().to_vec(), &options).map_err(|error| error.to_string())
    }

    #[test]
    fn specimens_are_rows_on_one_line_or_on_many() {
        let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0];
        for text in [
            "\"two skulls\n1 2 6 0 DIM=3\n1 2 3 4 5 6\n7 8 9 10 11 12\n",
            "'two skulls\n1 2L 6 0 dim=3\na\nb\n1 2 3\n4 5 6\n\n7 8 9\n10 11 12\n",
            "1 2L 6L 1 9999 Dim=3\r\na b\r\nx1 y1 z1\r\nx2 y2 z2\r\n1 2 3\r\n4 5 6\r\n7 8 9\r\n10 11 12\r\n",
        ] {
            let table = read(text).unwrap();
            assert_eq!((table.rows, &table.values[..]), (2, &expected[..]), "{text}");
            assert_eq!(table.names.unwrap()[2..4], ["z1", "x2"]);
        }
        let one = read("1 4 3 0 DIM=3\n1 2 3\n4 5 6\n7 8 9\n10 11 12\n").unwrap();
        assert_eq!((one.rows, one.columns, &one.values[..]), (1, 12, &expected[..]));
    }

    #[test]
    fn labels_of_coordinates_are_those_of_landmarks() {
        let labels = |labels: &str, axes| of_landmarks(&labels.split(' ').map(str::to_owned).collect::<Vec<_>>(), axes);
        assert_eq!(labels("x1 y1 x2 y2", 2).unwrap(), ["1", "2"]);
        assert_eq!(labels("nasion_X nasion_Y nasion_Z apex.x apex.y apex.z", 3).unwrap(), ["nasion", "apex"]);
        assert_eq!(labels("a b c d", 2).unwrap(), ["a b", "c d"]);
        assert_eq!(labels("a a b b", 2).unwrap(), ["a", "b"]);
        for blocked in ["x1 x2 y1 y2", "y1 x1 y2 x2"] {
            let error = labels(blocked, 2).unwrap_err();
            assert!(error.contains("the coordinates of a landmark must stand together"), "{error}");
        }
    }

    #[test]
    fn the_code_for_missing_numbers_is_that_of_the_file() {
        let text = "1 2 4 1 -999 DIM=2\n1 2 -999 -999\n1 2 3 9999\n";
        assert_eq!(read(text).unwrap().values, [1.0, 2.0, 3.0, 9999.0]);
        assert_eq!(read("1 2 4 0 DIM=2\n1 2 NA NA\n1 2 3 -999\n").unwrap().values, [1.0, 2.0, 3.0, -999.0]);
    }

    #[test]
    fn what_is_no_matrix_of_landmarks_is_refused_with_the_reason() {
        for (text, reason) in [
            ("1 2 4 0\n1 2 3 4\n5 6 7 8\n", "add DIM=2 or DIM=3"),
            ("2 2 4 0 DIM=2\n", "its first line is not"),
            ("1 2 5 0 DIM=2\n1 2 3 4 5\n", "no landmarks of 2 coordinates"),
            ("1 2 4 0 DIM=7\n", "no landmarks of 7 coordinates"),
            ("1 2 4 0 DIM=2\n1 2 3 4\n", "it has 1 lines of numbers: expected 2"),
            ("1 2L 4 0 DIM=2\na b c\n1 2 3 4\n", "it has 3 labels on the lines of 2"),
            ("1 9L 4 0 DIM=2\na b c\n", "it ends within its labels"),
            ("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7\n", "record 2 (line 3): it has 3 coordinates, expected 4"),
            ("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 8 9\n", "record 2 (line 3): it has more than 4 coordinates"),
            ("1 2 4 0 DIM=2\n1 2\n3 4\n5 6\n7\n", "record 2 (line 4): landmark 2 has other than 2"),
            ("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 a\n", "record 2 (line 3), column 4 (y2): `a` is not a number"),
            ("1 18446744073709551615 4 0 DIM=2\n1 2 3 4\n", "lines of numbers"),
            ("1 18446744073709551614 2 0 DIM=2\n1 2 3\n", "more than there can be"),
            ("1 1 18446744073709551615 0 DIM=3\n1 2 3\n", "more than there can be"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
