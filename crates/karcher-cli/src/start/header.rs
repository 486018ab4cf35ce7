//! The header, the shape and the types of a file: nothing else of it is looked at.

use super::Args;
use super::readings::Reading;
use crate::failure::Failure;
use karcher::manifold::{Proposal, proposals};
use karcher_io::{ReadOptions, Stream, takes_complex};
use std::collections::HashSet;

/// What a file says of itself.
pub struct Header<'a> {
    args: &'a Args,
    options: ReadOptions,
    stream: Stream,
}

impl<'a> Header<'a> {
    /// The header of the file. Columns that are chosen are the only ones that are proposed.
    pub fn of(args: &'a Args) -> Result<Self, Failure> {
        let options = ReadOptions { format: args.format, may_be_empty: true, ..args.text.options()? };
        let columns = args.columns.clone();
        let stream = Stream::open(&[&args.file], &ReadOptions { columns, header_only: true, ..options.clone() })?;
        if stream.numbers() == 0 {
            return Err(format!("{} has no columns of numbers", args.file).into());
        }
        Ok(Self { args, options, stream })
    }

    /// The names of all columns. None for an array, and for a table without a header.
    pub fn names(&self) -> &[String] {
        self.stream.all_names()
    }

    /// The names of the columns that may be numbers of a record.
    pub fn numbers(&self) -> Vec<String> {
        self.stream.names().unwrap_or_default()
    }

    /// Whether there are columns that are no numbers by their type.
    pub fn leaves_out(&self) -> bool {
        let numbers = self.numbers();
        // a number of a list has the name of its column in front
        let of_lists = numbers.iter().filter_map(|one| one.rsplit_once('[')).map(|(column, _)| column);
        let read: HashSet<&str> = numbers.iter().map(String::as_str).chain(of_lists).collect();
        numbers.len() != self.names().len() && !self.names().iter().all(|name| read.contains(name.as_str()))
    }

    /// The number of records, where the shape says it.
    pub fn records(&self) -> Option<usize> {
        let records = *self.stream.axes().first().filter(|records| **records > 0)?;
        // of a folder, these are those of one file
        usize::try_from(records).ok().filter(|_| std::path::Path::new(&self.args.file).is_file())
    }

    /// The spaces that the header suggests.
    pub fn proposals(&self) -> Vec<Proposal> {
        let axes: Vec<usize> = self.stream.axes().iter().filter_map(|axis| usize::try_from(*axis).ok()).collect();
        proposals(&self.numbers(), self.stream.numbers(), &axes)
    }

    /// Refuses columns that are not there, or that contradict the layout, and a column of keys that is not there.
    pub fn check(&self, reading: &Reading, person: Option<&str>) -> Result<(), Failure> {
        let (manifold, layout) = (&*reading.manifold, reading.layout());
        let options = ReadOptions {
            columns: reading.list().map(str::to_owned),
            columns_by: reading.columns_by(),
            person: person.map(str::to_owned),
            complex: takes_complex(manifold, layout),
            ..self.options.clone()
        };
        let stream = Stream::open(&[&self.args.file], &options)?;
        if self.args.trust_layout {
            Ok(())
        } else {
            Ok(stream.check_layout(manifold, layout, &self.args.multiply_by)?)
        }
    }

    /// What the file says of itself, in words.
    pub fn words(&self) -> String {
        const SHOWN: usize = 24;
        let (all, stream) = (self.names(), &self.stream);
        let columns = match (all, stream.axes()) {
            ([], [] | [_]) => format!("{} columns without names", stream.numbers()),
            ([], axes) => {
                format!("an array of shape ({})", axes.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
            }
            (names, _) if names.len() > SHOWN => {
                let (first, last) = (&names[..SHOWN / 2], &names[names.len() - 1]);
                format!("{} columns, {}, …, {last}", names.len(), first.join(", "))
            }
            (names, _) => format!("the columns {}", names.join(", ")),
        };
        format!("{} has {columns}. Nothing else of it is looked at.", self.args.file)
    }
}
