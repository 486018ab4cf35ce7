//! The predictor of a regression: one more column of the file with the points.

use crate::error::{Error, Result};
use crate::formats::blocks::Schema;
use crate::options::ReadOptions;
use crate::options::columns::Selection;
use crate::table::Table;

/// The place of the predictor among the columns that are read.
pub(crate) struct Predictor {
    pub(crate) at: usize,
}

impl Predictor {
    /// Options that read one more column.
    pub(crate) fn options(predictor: &str, options: &ReadOptions) -> Result<ReadOptions> {
        if Selection::parse(predictor)?.len() != Some(1) {
            return Err(not_one(predictor, "the predictor must be one column"));
        }
        let columns = options.columns.as_ref().map(|columns| format!("{columns},{predictor}"));
        let record_len = options.record_len.map(|numbers| numbers + 1);
        Ok(ReadOptions { columns, dates: Some(predictor.to_owned()), record_len, ..options.clone() })
    }

    /// Finds it among the columns of `file`, which was read with those [options](Predictor::options).
    pub(crate) fn find(file: &str, schema: &Schema, predictor: &str, options: &ReadOptions) -> Result<Self> {
        let one = Selection::parse(predictor)?;
        let place = |columns: usize, names: Option<&[String]>| match one.resolve(file, columns, names)?[..] {
            [at] => Ok(at),
            _ => Err(not_one(predictor, "the predictor must be one column")), // the name of a list
        };
        let at = match &options.columns {
            Some(columns) => {
                let last = schema.columns - 1;
                let is_among_them = match &schema.names {
                    Some(names) => names[..last].contains(&names[last]),
                    // chosen by numbers then
                    None => {
                        Selection::parse(columns)?.resolve(file, usize::MAX, None)?.contains(&place(usize::MAX, None)?)
                    }
                };
                if is_among_them {
                    let reason = "the predictor is among the columns of the records: leave it out of one of them";
                    return Err(not_one(predictor, reason));
                }
                last
            }
            None if one.first_name().is_some() => place(schema.columns, schema.names.as_deref())?,
            // numbers count the column of keys, which is not in the table
            None => match (place(schema.columns + usize::from(schema.person_at.is_some()), None)?, schema.person_at) {
                (at, Some(person)) if at == person => {
                    return Err(not_one(predictor, "the predictor is the column of the persons' keys"));
                }
                (at, Some(person)) if at > person => at - 1,
                (at, _) => at,
            },
        };
        match schema.columns {
            0 | 1 => Err(not_one(predictor, "it is the only column: the records need others")),
            _ => Ok(Self { at }),
        }
    }

    /// The records and their predictors.
    pub(crate) fn take(&self, table: Table) -> (Table, Vec<f64>) {
        let (at, columns) = (self.at, table.columns);
        if table.rows == 0 {
            return (table, vec![]);
        }
        let predictors = table.records().map(|record| record[at]).collect();
        let mut values = Vec::with_capacity(table.rows * (columns - 1));
        for record in table.records() {
            values.extend_from_slice(&record[..at]);
            values.extend_from_slice(&record[at + 1..]);
        }
        let names = table.names.map(|mut names| {
            names.remove(at);
            names
        });
        (Table { values, columns: columns - 1, names, ..table }, predictors)
    }
}

fn not_one(predictor: &str, reason: &str) -> Error {
    Error::InvalidSelection { selection: predictor.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_with_predictor;

    fn with_file(text: &str, predictor: &str, columns: Option<&str>) -> Result<(Table, Vec<f64>)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv");
        std::fs::write(&path, text).unwrap();
        let options = ReadOptions { columns: columns.map(str::to_owned), ..Default::default() };
        read_with_predictor(path.to_str().unwrap(), predictor, &options)
    }

    #[test]
    fn predictor_is_taken_out_of_the_record() {
        let text = "x,age,y\n1,30,2\n3,40,4\n";
        for (predictor, columns) in [("age", None), ("2", None), ("age", Some("x,y")), ("2", Some("1,3"))] {
            let (table, predictors) = with_file(text, predictor, columns).unwrap();
            assert_eq!((table.values, table.columns, predictors), (vec![1.0, 2.0, 3.0, 4.0], 2, vec![30.0, 40.0]));
            assert_eq!(table.names.unwrap(), ["x", "y"]);
        }
    }

    #[test]
    fn dates_are_years_in_the_column_of_the_predictor_alone() {
        for text in ["x,day\n1,2001-07-02T12:00:00\n2,1999\n", "1,2001-07-02T12:00:00\n2,1999\n"] {
            let (table, predictors) = with_file(text, "2", None).unwrap();
            assert_eq!((table.values, predictors), (vec![1.0, 2.0], vec![2001.5, 1999.0]));
        }
        let error = with_file("x,day\n2001-07-02,1\n", "day", None).unwrap_err();
        assert!(matches!(error, Error::NotANumber { .. }), "{error}");
    }

    #[test]
    fn predictor_that_is_not_one_column_is_refused() {
        for (predictor, columns) in [("age", "x,age"), ("2", "1,2"), ("age", "1-3")] {
            let error = with_file("x,age,y\n1,30,2\n", predictor, Some(columns)).unwrap_err().to_string();
            assert!(error.contains("among the columns"), "{error}");
        }
        assert!(with_file("1,30,2\n", "2", Some("1-3")).unwrap_err().to_string().contains("among the columns"));
        for predictor in ["1-2", "x,y"] {
            let error = with_file("x,age,y\n1,30,2\n", predictor, None).unwrap_err().to_string();
            assert!(error.contains("the predictor must be one column"), "{error}");
        }
        assert!(matches!(with_file("x,y\n1,2\n", "z", None), Err(Error::UnknownColumn { .. })));
        assert!(with_file("x\n1\n", "x", None).unwrap_err().to_string().contains("the only column"));
    }
}
