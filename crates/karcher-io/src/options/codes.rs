//! What cells stand for: missing values, and levels.

use crate::error::{Error, Result};
use crate::formats::cell::Cell;
use crate::options::ReadOptions;
use crate::options::columns::Selection;
use crate::options::dates::decimal_year;
use crate::options::kinds::{Kind, Kinds};
use crate::options::levels::Levels;
use crate::options::missing_values::MissingValues;

/// Codes for missing values, and levels, in each of the columns that are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Codes(Vec<OfColumn>);

#[derive(Debug, Clone, Default)]
struct OfColumn {
    numbers: Vec<f64>,
    words: Vec<String>,
    levels: Option<Levels>,
}

impl Codes {
    /// Those of the `selected` ones among `columns` columns. The last ones are the covariates.
    pub(crate) fn new(
        file: &str,
        options: &ReadOptions,
        (columns, names): (usize, Option<&[String]>),
        selected: &[usize],
        kinds: &Kinds,
    ) -> Result<Self> {
        if options.missing_values.is_empty() && options.covariates.iter().all(|covariate| covariate.levels.is_none()) {
            return Ok(Self::default());
        }
        let mut codes = vec![OfColumn::default(); selected.len()];
        for (covariate, code) in options.covariates.iter().rev().zip(codes.iter_mut().rev()) {
            code.levels = covariate.levels()?;
        }
        for MissingValues { column, values } in &options.missing_values {
            let of = column
                .as_deref()
                .map(|one| Selection::parse(one)?.by(options.columns_by).resolve(file, columns, names))
                .transpose()?;
            let is_meant = |at: &usize| of.as_ref().is_none_or(|of| of.contains(at));
            if !selected.iter().any(is_meant) {
                let selection = column.clone().unwrap_or_default();
                let reason = "missing values are given of it, and the records do not have it".to_owned();
                return Err(Error::InvalidSelection { selection, reason });
            }
            for (at, code) in selected.iter().zip(&mut codes).filter(|(at, _)| is_meant(at)) {
                code.words.extend_from_slice(values);
                code.numbers.extend(values.iter().filter_map(|value| value.parse::<f64>().ok()));
                if kinds.of(*at) == Kind::Dates {
                    code.numbers.extend(values.iter().filter_map(|value| decimal_year(value)));
                }
            }
        }
        Ok(Self(codes))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a cell of the column that is read in place `i` stands for.
    pub(crate) fn meaning(&self, i: usize, cell: Cell) -> Cell {
        match self.0.get(i) {
            Some(_) if self.is_missing(i, &cell) => Cell::Missing,
            Some(OfColumn { levels: Some(levels), .. }) => levels.number(cell),
            _ => cell,
        }
    }

    /// The same without the codes for missing values.
    pub(crate) fn levels_alone(&self) -> Self {
        Self(self.0.iter().map(|of| OfColumn { levels: of.levels.clone(), ..OfColumn::default() }).collect())
    }

    /// Whether a cell of the column that is read in place `i` stands for a missing value.
    pub(crate) fn is_missing(&self, i: usize, cell: &Cell) -> bool {
        let Some(codes) = self.0.get(i) else { return false };
        // a file may have rounded the code to single precision
        let is_code = |x: f64| codes.numbers.iter().any(|code| *code == x || f64::from(*code as f32) == x);
        match cell {
            Cell::Number(x) => is_code(*x),
            Cell::NotANumber(word) => {
                let is_number = || codes.levels.is_some() && word.trim().parse().is_ok_and(is_code);
                codes.words.iter().any(|code| code == word.trim()) || !codes.numbers.is_empty() && is_number()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Missing;
    use crate::{read_bytes, read_with_predictor};

    fn options(missing_values: &[&str], missing: Missing) -> ReadOptions {
        let missing_values = missing_values.iter().map(|text| text.parse().unwrap()).collect();
        ReadOptions { missing_values, missing, ..Default::default() }
    }

    fn read(name: &str, bytes: &[u8], missing_values: &[&str], missing: Missing) -> Result<(Vec<f64>, Vec<usize>)> {
        let table = read_bytes(name, bytes.to_vec(), &options(missing_values, missing))?;
        Ok((table.values, table.missing))
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_words_as_texts() {
        let text = b"x,y\n1,-999\n-9.99e2,2\nMM,3\n4,99.0\n5,6\n";
        let dropped = |codes: &[&str]| read("f.csv", text, codes, Missing::Drop).unwrap().0;
        assert_eq!(dropped(&["-999,MM,99"]), [5.0, 6.0]);
        assert_eq!(dropped(&["-999", " MM "]), [4.0, 99.0, 5.0, 6.0]);
        assert_eq!(dropped(&["x=-999,MM"]), [1.0, -999.0, 4.0, 99.0, 5.0, 6.0]);
        assert_eq!(dropped(&["1=-999,MM", "2=99"]), [1.0, -999.0, 5.0, 6.0]);
        assert_eq!(read("f.csv", text, &["-999,MM,99"], Missing::Keep).unwrap().1, [0, 1, 2, 3]);
        // words as they are written
        assert!(matches!(read("f.csv", text, &["-999,mm,99"], Missing::Drop), Err(Error::NotANumber { .. })));
        let error = read("f.csv", text, &["-999,MM"], Missing::Error).unwrap_err();
        assert!(matches!(&error, Error::Missing { place, .. } if place.row == 1 && place.column == "2 (y)"), "{error}");
    }

    #[test]
    fn codes_are_missing_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        let array = folder.path().join("a.npy").to_str().unwrap().to_owned();
        crate::write_npy(&array, &[3, 2], &[1.0, 2.0, -1.0, 3.0, 4.0, -1.0]).unwrap();
        let table = crate::read(&array, &options(&["1=-1"], Missing::Drop)).unwrap();
        assert_eq!((table.values, table.rows), (vec![1.0, 2.0, 4.0, -1.0], 2));
        let table = read_bytes("f.tsv", b"1\t2\n-1\t3\n".to_vec(), &options(&["-1"], Missing::Keep)).unwrap();
        assert_eq!((table.rows, table.missing), (2, vec![1]));
    }

    #[test]
    fn the_predictor_has_codes_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv").to_str().unwrap().to_owned();
        std::fs::write(&path, "x,day\n1,2001-01-01\n2,1900-01-01\n3,-9\n4,none yet\n5,2002-01-01\n").unwrap();
        let options = options(&["day=1900-01-01,-9,none yet"], Missing::Drop);
        let (table, years) = read_with_predictor(&path, "day", &options).unwrap();
        assert_eq!((table.values, years), (vec![1.0, 5.0], vec![2001.0, 2002.0]));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "x=", "=1", "1,,2", ","] {
            assert!(matches!(text.parse::<MissingValues>(), Err(Error::InvalidMissingValues { .. })), "{text}");
        }
        let error = read("f.csv", b"x,y\n1,2\n", &["z=1"], Missing::Drop).unwrap_err();
        assert!(matches!(error, Error::UnknownColumn { .. }), "{error}");
        let columns = Some("x".to_owned());
        let options = ReadOptions { columns, ..options(&["y=1"], Missing::Drop) };
        let error = read_bytes("f.csv", b"x,y\n1,2\n".to_vec(), &options).unwrap_err().to_string();
        assert!(error.contains("`y`") && error.contains("the records do not have it"), "{error}");
    }
}
