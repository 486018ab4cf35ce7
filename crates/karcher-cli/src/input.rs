//! Options for reading records.

use crate::Failure;
use crate::file_records::FileRecords;
use crate::opened::{Extra, Opened};
use crate::options::number;
use crate::output::Reading;
use bytesize::ByteSize;
use clap::ValueEnum;
use karcher::manifold::{FAMILIES, Layout, Shape, Template};
use karcher::mechanism::PrivateFeatureRegression;
#[cfg(feature = "aggregate")]
use karcher::records::Batches;
use karcher::records::{Records, SumQuery};
use karcher::release::{Adjacency, names_parts};
use karcher::spec::Score;
use karcher::{Ball, Key, Manifold, PredictorRange, ReleaseSpec, Space};
use karcher_io::{
    ColumnsBy, ConvertOptions, Error as ReadError, Factor, Format, Like, Missing, MissingValues, OnInvalid,
    ReadOptions, Rounding, Shrinkage, Stream, Table, TextEncoding, is_free_of_scale, layout, point_from_values, read,
    shrink_trace_ball, takes_complex,
};
use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

/// How text files are written.
#[derive(clap::Args)]
pub struct TextFiles {
    /// Encoding of a text file: windows-1252 (also Latin-1), shift_jis, utf-16le. Default: UTF-8, or UTF-16 by its
    /// mark.
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,
    /// Separator of the cells of a text file; a blank stands for any number of blanks. Default: it is detected.
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// Decimal commas in the numbers of a text file.
    #[arg(long)]
    decimal_comma: bool,
    /// Whether the first line of a text file is a header. Default: yes if it holds no number.
    #[arg(long, value_name = "YES|NO")]
    header: Option<Header>,
    /// First character of the comment lines of a text file, such as '#'. No record may begin with it: it would be left
    /// out, and the number of records would reveal it. By default every line is a record, or the header.
    #[arg(long, value_name = "CHARACTER")]
    comments: Option<char>,
    /// Number of lines to skip at the beginning of each text file: 1 for word vectors with a first line of counts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_lines: usize,
    /// Number of lines to skip after the header of each text file: 1 for a row of units.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_after_header: usize,
}

/// Which records are read.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading records")]
pub struct Source {
    /// Files of records, one record a row: CSV, TSV or other text, NPY, NPZ (FILE.npz:KEY), landmarks (TPS, NTS, PTS,
    /// FCSV, .mrk.json), g2o, also packed (.gz, .zst). Parquet, Arrow or Feather if built in. Several files, or a
    /// folder of them, count as one. `-` is standard input.
    #[arg(required = true, value_name = "FILE", help_heading = "Arguments")]
    files: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = format_help())]
    format: Option<Format>,
    /// Columns to use, by name or number from 1: latitude,longitude or 4-103 or '"lat, deg","lon, deg"'. Other cells
    /// may hold anything, and the last of them may be missing.
    #[arg(long, value_name = "LIST")]
    columns: Option<String>,
    /// What a number is in --columns, --person, --by, --predictor and other options of columns. By default it is a
    /// position, from 1, and an error where another column has this number for a name.
    #[arg(long, value_name = "NAME|POSITION")]
    columns_by: Option<By>,
    /// Column of the persons' keys, by name or number from 1; in an .npz file the name of an array, in a .tps or .g2o
    /// file ID. All records of a person become one contribution: their mean, each clipped to the ball first. The
    /// guarantee then protects persons: a neighbour replaces all records of one. Keys are compared as in --groups: 1,
    /// 1.0 and 01 are one person, and so are the two ways to write é. The number of persons is public; the number of
    /// records of each is not released.
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,
    #[command(flatten)]
    text: TextFiles,
    /// Treatment of a record that lacks a value (an empty cell, NA, null, NaN).
    #[arg(long, default_value = "error")]
    missing: Lacking,
    /// Values that also stand for missing ones: -1,-999,MM, or for one column depth=-1,-999. May be given several
    /// times.
    #[arg(long, value_name = "[COLUMN=]VALUES", allow_hyphen_values = true)]
    missing_values: Vec<MissingValues>,
    /// Approximate memory for the records: 64MB, 2GB. If they need more, they are read again for each step of the
    /// computation, batch by batch. The release is the same to the last digit. With --person they are read once for
    /// each part of the persons that fits, unless --spool gives room on a disk.
    #[arg(long, value_name = "SIZE", default_value = "512MB", value_parser = size)]
    memory: ByteSize,
    /// Folder for records that exceed --memory, during the command. It is used if they come from standard input or a
    /// pipe, or have to be sorted by --person. They are not encrypted there. By default they never go to a disk.
    #[arg(long, value_name = "FOLDER")]
    spool: Option<PathBuf>,
}

/// Which records are read, and how.
#[derive(clap::Args)]
#[command(next_help_heading = "From numbers to points")]
pub struct Input {
    #[command(flatten)]
    source: Source,
    #[arg(long, value_name = "LAYOUT", help = layout_help())]
    layout: Option<String>,
    /// Take the numbers as --layout says, even if the names of the columns, the shape of the array or the labels of
    /// landmarks contradict it: in geodesy x is north.
    #[arg(long)]
    trust_layout: bool,
    /// Public constant that multiplies every number of the records, for units: 1000 for diffusion tensors in mm²/s. For
    /// one column: hour=15. It multiplies the numbers of a --center too, but no predictor. May be given several times.
    #[arg(long, value_name = "[COLUMN=]FACTOR", allow_hyphen_values = true)]
    multiply_by: Vec<Factor>,
    /// Mix every matrix with the identity of the same trace, X ← (1 − S)·X + S·(tr X/K)·I. Use it for covariances that
    /// are singular, exactly or after rounding.
    #[arg(long, value_name = "S", value_parser = number, conflicts_with = "shrink_trace")]
    shrink: Option<f64>,
    /// Give every matrix the trace K and mix it with the identity, X ← (1 − A)·K·X/tr X + A·I. Use it for covariances
    /// with an arbitrary scale. Eigenvalues then lie between A and L = A + (1 − A)·K. The public ball around √(A·L)·I
    /// of radius ½·√K·ln(L/A) holds every record. It is the default, so --center and --radius are optional.
    #[arg(long, value_name = "A", value_parser = number)]
    shrink_trace: Option<f64>,
    /// File with one public record of landmarks, onto which each record is rotated by itself: a row in the layout of
    /// the records, a row for each landmark, or a file of landmarks. For landmarks:K,D and size-and-shape:K,D.
    #[arg(long, value_name = "FILE")]
    template: Option<String>,
    /// What that file holds, once it is read, and what it says of itself: a release states what its records were
    /// rotated onto.
    #[arg(skip)]
    read_template: OnceLock<Option<(Template, Like)>>,
    /// Project every record onto the space before it is checked: vectors to unit norm on a sphere, counts to their
    /// shares, matrices to their symmetric part or to the nearest rotation. On hyperbolic space the first number is
    /// computed from the others.
    #[arg(long, conflicts_with = "tolerance")]
    normalize: bool,
    /// Largest distance of a record's numbers from the space: nearer records are projected onto it. Use 1e-4 for
    /// numbers with 4 decimals.
    #[arg(long, value_name = "T", value_parser = number)]
    tolerance: Option<f64>,
    /// Treatment of a record that is not a point of the space.
    #[arg(long, default_value = "error")]
    on_invalid: Invalid,
}

/// The records of a period, if there are some, and the persons among them.
pub type Joined = (Option<Box<dyn Records>>, Vec<Key>);

/// An amount of memory as users type it.
fn size(text: &str) -> Result<ByteSize, String> {
    text.trim().parse().map_err(|_| "expected an amount of memory, for example 64MB or 2GB".to_owned())
}

/// The help of `--format`.
fn format_help() -> String {
    let extensions = Format::extensions().collect::<Vec<_>>().join(", ");
    format!("Format of the files, if their names do not show it: {extensions}, or one of them with .gz or .zst")
}

/// The help of `--layout`, which several commands have: it is made once.
fn layout_help() -> String {
    static HELP: LazyLock<String> = LazyLock::new(layouts_of_families);
    HELP.clone()
}

/// The layouts of the families that have several.
fn layouts_of_families() -> String {
    let mut choices: Vec<(String, Vec<String>)> = vec![];
    for (family, example) in FAMILIES.iter().flat_map(|family| family.examples.iter().map(move |x| (family, x))) {
        let Ok(manifold) = example.parse::<Space>().and_then(|space| space.manifold()) else { continue };
        let layouts = manifold.layouts();
        let names = layouts.iter().map(Layout::name).collect::<Vec<_>>().join(", ");
        let space = match family.examples {
            [_] => format!("{}:{}", family.name, family.size),
            _ => (*example).to_owned(), // layouts depend on the size
        };
        match choices.iter_mut().find(|(known, _)| *known == names) {
            _ if layouts.len() == 1 => {}
            Some((_, spaces)) => spaces.push(space),
            None => choices.push((names, vec![space])),
        }
    }
    let choices: Vec<String> =
        choices.iter().map(|(names, spaces)| format!("{names} ({})", spaces.join(", "))).collect();
    format!("Layout of a point in a record; the first is the default, elsewhere vectors: {}", choices.join("; "))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Header {
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The name of a column.
    Name,
    /// The position of a column, from 1.
    Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Invalid {
    /// Stop and report the record and the reason.
    Error,
    /// Replace it with the center of the ball and go on. A covariate that is missing or no number counts as the middle
    /// of its range, or as the level other. The response stays if it is a point.
    ReplaceWithCenter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lacking {
    /// Stop and report its place.
    Error,
    /// Leave the record out, also where a covariate is missing. The number of records then shows how many are complete.
    /// The release protects what complete records hold, not whether a record is complete.
    Drop,
    /// Replace it with the center of the ball, also where a covariate is missing. That covariate counts as the middle
    /// of its range, or as the level other. The number of records stays the same, and nothing reveals incomplete
    /// records.
    Center,
}

impl TextFiles {
    /// The options as a reader takes them.
    pub fn options(&self) -> Result<ReadOptions, Failure> {
        let ascii = |option: &str, character: Option<char>| {
            let byte = |c: char| u8::try_from(c).ok().filter(u8::is_ascii);
            character.map(|c| byte(c).ok_or_else(|| format!("{option} {c} is not an ASCII character"))).transpose()
        };
        if self.skip_after_header > 0 && self.header == Some(Header::No) {
            return Err("--skip-after-header needs a header: leave out --header no, or give --skip-lines".into());
        }
        Ok(ReadOptions {
            encoding: self.encoding,
            delimiter: ascii("--delimiter", self.delimiter)?,
            decimal_comma: self.decimal_comma,
            header: self.header.map(|header| header == Header::Yes),
            comments: ascii("--comments", self.comments)?,
            skip_lines: self.skip_lines,
            skip_after_header: self.skip_after_header,
            ..ReadOptions::default()
        })
    }

    /// The options as they are typed again.
    pub fn typed(&self) -> Vec<String> {
        let lines = |name: &str, n: usize| (n > 0).then(|| format!("--{name}={n}"));
        let header = self.header.map(|header| if header == Header::Yes { "--header=yes" } else { "--header=no" });
        let all = [
            self.encoding.map(|encoding| format!("--encoding={encoding}")),
            self.delimiter.map(|delimiter| format!("--delimiter={delimiter}")),
            self.decimal_comma.then(|| "--decimal-comma".to_owned()),
            header.map(str::to_owned),
            self.comments.map(|mark| format!("--comments={mark}")),
            lines("skip-lines", self.skip_lines),
            lines("skip-after-header", self.skip_after_header),
        ];
        all.into_iter().flatten().collect()
    }
}

impl Source {
    /// The files, folders and streams that are read, which no output may replace.
    pub fn files(&self) -> Vec<&str> {
        self.files.iter().map(String::as_str).collect()
    }

    /// Counts the records, whatever they hold: neither an error nor the count may depend on the content of one of them.
    pub fn count(&self) -> Result<usize, Failure> {
        self.check_neighbours(Adjacency::AddRemove)?;
        let options = ReadOptions { may_be_empty: true, keep_non_finite: true, ..self.options()? };
        let (stream, count) = (Stream::open(&self.files, &options)?, AtomicUsize::new(0));
        let reading = Reading::new(stream.bytes());
        stream.pass(&|bytes| reading.at(bytes), |batch| {
            count.fetch_add(batch.table.rows, Ordering::Relaxed);
            Ok::<(), karcher_io::Error>(())
        })?;
        Ok(count.into_inner())
    }

    /// Refuses persons where the number of records is confidential.
    fn check_neighbours(&self, adjacency: Adjacency) -> Result<(), Failure> {
        if adjacency == Adjacency::AddRemove && self.person.is_some() {
            return Err("--person does not go with --adjacency add-remove: there is no proof for both".into());
        }
        Ok(())
    }

    fn options(&self) -> Result<ReadOptions, Failure> {
        let missing = match self.missing {
            Lacking::Error => Missing::Error,
            Lacking::Drop => Missing::Drop,
            Lacking::Center => Missing::Keep,
        };
        Ok(ReadOptions {
            format: self.format,
            columns: self.columns.clone(),
            columns_by: self.columns_by.map(|by| match by {
                By::Name => ColumnsBy::Name,
                By::Position => ColumnsBy::Position,
            }),
            person: self.person.clone(),
            missing,
            missing_values: self.missing_values.clone(),
            memory: Some(self.memory.as_u64()),
            spool: self.spool.clone(),
            ..self.text.options()?
        })
    }
}

impl Input {
    /// The files, folders and streams that are read, which no output may replace.
    pub fn files(&self) -> Vec<&str> {
        self.source.files().into_iter().chain(self.template.as_deref()).collect()
    }

    /// Which records are read.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The given options that say what becomes of the numbers of a record.
    pub fn options_of_values(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--layout", self.layout.is_some()),
            ("--trust-layout", self.trust_layout),
            ("--multiply-by", !self.multiply_by.is_empty()),
            ("--shrink", self.shrink.is_some()),
            ("--shrink-trace", self.shrink_trace.is_some()),
            ("--template", self.template.is_some()),
            ("--normalize", self.normalize),
            ("--tolerance", self.tolerance.is_some()),
            ("--on-invalid", self.on_invalid != Invalid::Error),
        ];
        all.into_iter().filter_map(|(option, given)| given.then_some(option))
    }

    /// Whether all records of a person are one contribution.
    pub fn has_persons(&self) -> bool {
        self.source.person.is_some()
    }

    /// How to read records: where their number is confidential a file may hold none.
    fn options(&self, adjacency: Adjacency, manifold: &dyn Manifold) -> Result<ReadOptions, Failure> {
        self.source.check_neighbours(adjacency)?;
        let layout = self.layout(manifold)?;
        let (record_len, complex) = (Some(layout.numbers()), takes_complex(manifold, &layout));
        let may_be_empty = adjacency == Adjacency::AddRemove;
        Ok(ReadOptions { may_be_empty, record_len, complex, ..self.read_options()? })
    }

    /// Adds to a release that is written as JSON how records were read, and the flag `missing-dropped` if that is not
    /// protected. If the number of records is confidential, so is the number of records that were left out.
    pub fn flag(&self, release: &mut serde_json::Value, adjacency: Adjacency) {
        self.name_reading(release);
        if self.tells_how_many(adjacency)
            && let Some(flags) = release["flags"].as_array_mut()
        {
            flags.push("missing-dropped".into());
        }
    }

    /// Adds the columns, the layout and the template to a release that is written as JSON, if they were chosen.
    pub fn name_reading(&self, release: &mut serde_json::Value) {
        let names = || self.source.options().ok().and_then(|options| options.names());
        let space = release["manifold"].as_str().and_then(|name| name.parse().ok());
        if let Some(names) = space.filter(names_parts).and_then(|_| names()) {
            release["columns"] = names.into();
        }
        if let Some(layout) = &self.layout {
            release["layout"] = layout.as_str().into();
        }
        if let Some((template, _)) = self.read_template.get().and_then(Option::as_ref) {
            release["template"] = template.landmarks().into();
        }
    }

    /// Refuses a template where no release says that there was one.
    #[cfg(feature = "aggregate")]
    pub fn refuse_template(&self) -> Result<(), Failure> {
        match self.template {
            Some(_) => {
                Err("--template: a release of two sums does not state it; have every site rotate its landmarks \
                            beforehand"
                    .into())
            }
            None => Ok(()),
        }
    }

    /// The public template onto which landmarks are rotated. Its file is read once, before anything is spent.
    fn template(&self, manifold: &dyn Manifold) -> Result<Option<(Template, Like)>, Failure> {
        if self.read_template.get().is_none() {
            let _ = self.read_template.set(self.read_template_of(manifold)?);
        }
        Ok(self.read_template.get().cloned().flatten())
    }

    fn read_template_of(&self, manifold: &dyn Manifold) -> Result<Option<(Template, Like)>, Failure> {
        let Some(file) = &self.template else { return Ok(None) };
        let refused = |reason: String| Failure::from(format!("--template {file}: {reason}"));
        // a row of landmarks is none of names, even where it could be one
        let headless = || read(file, &ReadOptions { header: Some(false), ..ReadOptions::default() });
        let table = match read(file, &ReadOptions::default()) {
            Err(ReadError::HeaderOrRecord { .. }) => headless(),
            read => read,
        };
        let table = table.map_err(|error| refused(error.to_string()))?;
        let by_landmark = manifold.shape().row_len();
        let layout = match (table.rows, table.columns) {
            (1, _) => {
                let layout = self.layout(manifold)?;
                if !self.trust_layout {
                    table.check_layout(manifold, &layout, &[]).map_err(|error| refused(error.to_string()))?;
                }
                layout
            }
            (rows, columns) if columns == by_landmark && rows * columns == manifold.point_len() => {
                layout(manifold, None)?
            }
            (rows, _) => return Err(refused(format!("the file must hold one record, it holds {rows}"))),
        };
        let landmarks = point_from_values(manifold, &layout, &table.values);
        let landmarks = landmarks.map_err(|error| refused(error.to_string()))?;
        let template = Template::new(manifold, &landmarks).map_err(|error| refused(error.to_string()))?;
        Ok(Some((template, table.like().without_scale())))
    }

    fn tells_how_many(&self, adjacency: Adjacency) -> bool {
        self.source.missing == Lacking::Drop && adjacency == Adjacency::ReplaceOne
    }

    /// The layout that was chosen, or the usual one of a space.
    pub fn layout(&self, manifold: &dyn Manifold) -> Result<Layout, Failure> {
        Ok(layout(manifold, self.layout.as_deref())?)
    }

    /// Refuses to replace records by the center of a ball where there is no ball.
    pub fn refuse_center(&self) -> Result<(), Failure> {
        match self.replaces_invalid() {
            true => Err("without a ball no record can be replaced by its center: take --missing error or drop, and \
                         --on-invalid error, or give --center and --radius"
                .into()),
            false => Ok(()),
        }
    }

    /// Whether a record that is not a point, or that lacks a value, is replaced, together with its predictor.
    pub fn replaces_invalid(&self) -> bool {
        self.on_invalid == Invalid::ReplaceWithCenter || self.source.missing == Lacking::Center
    }

    /// How to read the file.
    pub fn read_options(&self) -> Result<ReadOptions, Failure> {
        let keep_non_finite = self.on_invalid == Invalid::ReplaceWithCenter;
        Ok(ReadOptions { keep_non_finite, ..self.source.options()? })
    }

    /// The files, which are opened when something of them is needed.
    pub fn open<'a>(
        &'a self,
        adjacency: Adjacency,
        manifold: &'a dyn Manifold,
        extra: Extra<'a>,
    ) -> Result<Opened<'a>, Failure> {
        let layout = self.layout(manifold)?;
        Ok(Opened { input: self, adjacency, manifold, extra, layout, center: OnceCell::new(), stream: OnceCell::new() })
    }

    /// Opens the files, and refuses columns that contradict the layout.
    pub fn stream(
        &self,
        adjacency: Adjacency,
        manifold: &dyn Manifold,
        (extra, layout, center): (&Extra<'_>, &Layout, Like),
    ) -> Result<Stream, Failure> {
        let (files, mut options) = (&self.source.files, self.options(adjacency, manifold)?);
        let template = self.template(manifold)?.map_or_else(Like::default, |(_, like)| like);
        (options.like, options.any_labels) = (template.or(center), self.trust_layout);
        options.any_scale = is_free_of_scale(layout);
        let like = options.like.clone();
        options.eight_digits_are_numbers = extra.eight_digits_are_numbers;
        if let Some(column) = extra.group {
            (options.person, options.groups) = (Some(column.to_owned()), true);
        }
        if let Some(scored) = &extra.scored {
            // a score counts every record, whatever it holds
            let missing = Missing::Error;
            let all =
                ReadOptions { record_len: None, covariates_only: true, keep_non_finite: true, missing, ..options };
            return Ok(Stream::open_with_covariates(files, &scored.columns(), &all)?);
        }
        let stream = match extra.predictor {
            Some(column) => Stream::open_with_predictor(files, column, &options)?,
            None => Stream::open_with_covariates(files, &extra.covariates, &options)?,
        };
        if !self.trust_layout {
            stream.check_layout(manifold, layout, &self.multiply_by)?;
            stream.check_order(&like)?;
        }
        Ok(stream)
    }

    /// The records, or what persons contribute, reduced with the public ball. The first reading answers the questions.
    pub fn records(
        &self,
        opened: Opened<'_>,
        (manifold, ball): (&Arc<dyn Manifold>, &Ball),
        queries: &[SumQuery],
    ) -> Result<Box<dyn Records>, Failure> {
        self.of_persons(self.points(opened, manifold, ball)?, ball, queries)
    }

    /// The rows of a score, or what persons contribute.
    pub fn scored(
        &self,
        opened: Opened<'_>,
        score: &Score,
        (manifold, ball): (&Arc<dyn Manifold>, &Ball),
        queries: &[SumQuery],
    ) -> Result<Box<dyn Records>, Failure> {
        self.of_persons(self.points(opened, manifold, ball)?.scores(score.clone()), ball, queries)
    }

    /// Refuses options that would say what becomes of a record that lacks a label, or choose its numbers.
    pub fn refuse_for_scores(&self) -> Result<(), Failure> {
        let missing = (self.source.missing != Lacking::Error).then_some("--missing");
        let columns = self.source.columns.as_ref().map(|_| "--columns");
        match self.options_of_values().chain(missing).chain(columns).next() {
            Some(option) => Err(format!(
                "{option} does not go with a score, in which a record without a label counts as wrong: leave it out"
            )
            .into()),
            None => Ok(()),
        }
    }

    /// The records of a period of a series for a specification, and the persons among them. Records of persons who are
    /// left out do not count; there may be none left.
    pub fn of_period(
        &self,
        opened: Opened<'_>,
        spec: &ReleaseSpec,
        query: &SumQuery,
        left_out: impl Fn(&Key) -> bool + Send + Sync + 'static,
    ) -> Result<Joined, Failure> {
        let points = self.points(opened, &spec.manifold()?, &spec.public_ball()?)?;
        let points = match spec.features {
            Some(_) => points.features(&spec.on_features()?),
            None => points,
        };
        let (ball, queries) = (spec.ball_of_records()?, std::slice::from_ref(query));
        if !self.has_persons() {
            return Ok((Some(self.of_persons(points, &ball, queries)?), vec![]));
        }
        let (persons, points) = points.leaving_out(Box::new(left_out))?;
        let records = (!persons.is_empty()).then(|| self.of_persons(points, &ball, queries)).transpose()?;
        Ok((records, persons))
    }

    /// The same with a row of features for each record. The ball is that of the records.
    pub fn with_features(
        &self,
        opened: Opened<'_>,
        regression: &PrivateFeatureRegression,
        queries: &[SumQuery],
    ) -> Result<Box<dyn Records>, Failure> {
        let points = self.points(opened, regression.manifold(), regression.ball())?.features(regression);
        self.of_persons(points, regression.ball_of_records(), queries)
    }

    /// The same with a predictor for each record.
    pub fn observations(
        &self,
        opened: Opened<'_>,
        (manifold, ball): (&Arc<dyn Manifold>, &Ball),
        range: PredictorRange,
    ) -> Result<Box<dyn Records>, Failure> {
        let points = self.points(opened, manifold, ball)?.predictors(range, self.replaces_invalid());
        self.of_persons(points, ball, &[])
    }

    /// The records of each of some groups, by their names, with rows of features if there are some.
    pub fn groups(
        &self,
        opened: Opened<'_>,
        (manifold, ball): (&Arc<dyn Manifold>, &Ball),
        regression: Option<&PrivateFeatureRegression>,
        names: &[String],
    ) -> Result<Vec<Box<dyn Records>>, Failure> {
        let points = self.points(opened, manifold, ball)?;
        let points = match regression {
            Some(regression) => points.features(regression),
            None => points,
        };
        points.groups(names, self.source.memory.as_u64())
    }

    fn of_persons(&self, points: FileRecords, ball: &Ball, queries: &[SumQuery]) -> Result<Box<dyn Records>, Failure> {
        let memory = self.source.memory.as_u64();
        match self.has_persons() {
            true => points.persons(ball, (memory, self.source.spool.as_deref()), queries),
            false => points.records(memory, queries),
        }
    }

    /// The records batch by batch, for a specification, with rows of features if it has some.
    #[cfg(feature = "aggregate")]
    pub fn in_batches(&self, opened: Opened<'_>, spec: &ReleaseSpec) -> Result<Box<dyn Batches>, Failure> {
        let points = self.points(opened, &spec.manifold()?, &spec.public_ball()?)?;
        Ok(match spec.features {
            Some(_) => points.features(&spec.on_features()?).in_batches(),
            None => points.in_batches(),
        })
    }

    /// How records become points.
    fn points(&self, opened: Opened<'_>, manifold: &Arc<dyn Manifold>, ball: &Ball) -> Result<FileRecords, Failure> {
        let invalid = match self.on_invalid {
            Invalid::Error => OnInvalid::Error,
            Invalid::ReplaceWithCenter => OnInvalid::ReplaceWith(ball.center().to_vec()),
        };
        let missing = (self.source.missing == Lacking::Center).then(|| ball.center().to_vec());
        let shrinkage = self.shrink.map(Shrinkage::Identity).or_else(|| self.shrink_trace.map(Shrinkage::Trace));
        let options = ConvertOptions {
            multiply_by: self.multiply_by.clone(),
            invalid,
            missing,
            rounding: self.rounding(),
            shrinkage,
            template: self.template(&**manifold)?.map(|(template, _)| template),
            trust_layout: self.trust_layout,
        };
        let (stream, layout) = opened.into_stream()?;
        Ok(FileRecords::new(stream, Arc::clone(manifold), layout, options))
    }

    /// The ball that holds every matrix that `--shrink-trace` makes: `(c, r)`, with the center `c·I`.
    pub fn shrunk_ball(&self, manifold: &dyn Manifold) -> Result<Option<(f64, f64)>, Failure> {
        match (self.shrink_trace, manifold.shape()) {
            (Some(alpha), Shape::PositiveDefinite(k)) => Ok(Some(shrink_trace_ball(k, alpha)?)),
            _ => Ok(None),
        }
    }

    /// What a center that is typed like a record is multiplied by: the public constants of the records, or nothing
    /// where `--shrink-trace` gives every matrix the same trace, whatever its units.
    pub fn center_factors(&self) -> &[Factor] {
        if self.shrink_trace.is_some() { &[] } else { &self.multiply_by }
    }

    /// Refuses a table, such as that of a center, whose names contradict the layout, unless they may.
    pub fn check_table(&self, table: &Table, manifold: &dyn Manifold, layout: &Layout) -> Result<(), Failure> {
        if self.trust_layout { Ok(()) } else { Ok(table.check_layout(manifold, layout, self.center_factors())?) }
    }

    /// The columns that hold the records, if they were chosen.
    pub fn columns(&self) -> Option<&str> {
        self.source.columns.as_deref()
    }

    /// How far off the space records and the center may be.
    pub fn rounding(&self) -> Rounding {
        match self.tolerance {
            _ if self.normalize => Rounding::Any,
            Some(tolerance) => Rounding::Within(tolerance),
            None => Rounding::Usual,
        }
    }
}
