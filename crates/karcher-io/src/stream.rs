//! Files that are read batch by batch.

use crate::catch_panic::catch_panic;
use crate::duplicate_inputs::refuse_duplicates;
use crate::error::{Error, Result};
use crate::format::{Format, STANDARD_INPUT, split_key};
use crate::formats::blocks::{BLOCK, Block, Blocks, How, Iter, Wanted};
use crate::formats::landmarks::labels::Labels;
use crate::formats::landmarks::like::Like;
use crate::layout::{About, check_layout};
use crate::open::{damaged, files_in, format_of, in_folder, open_format};
use crate::options::ReadOptions;
use crate::options::covariate::{Covariate, apart, of_predictor};
use crate::options::factors::Factor;
use crate::options::person::{Key, KeyType};
use crate::source::{Source, Spool};
use crate::table::Table;
use karcher::Manifold;
use karcher::manifold::Layout;
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Files that are read batch by batch, any number of times, in bounded memory.
///
/// A batch is decoded by the thread that takes it: about as many are in memory as there are threads. Blocks have about
/// a megabyte; those of Parquet are row groups, those of Arrow the writer's batches. Some inputs are kept in memory:
/// packed columns of an array, a Parquet or Arrow file in a `.gz` or `.zst`, and keys in an array of their own.
///
/// ```
/// use karcher_io::{Error, ReadOptions, Stream};
/// use std::sync::Mutex;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.csv");
/// std::fs::write(&path, "x,y\n1,2\n3,4\n")?;
/// let stream = Stream::open(&[path.to_string_lossy()], &ReadOptions::default())?;
/// let sum = Mutex::new(0.0);
/// for _ in 0..2 {
///     stream.pass(&|_| {}, |batch| {
///         *sum.lock().unwrap() += batch.table.values.iter().sum::<f64>();
///         Ok::<(), Error>(())
///     })?;
/// }
/// assert_eq!(*sum.lock().unwrap(), 20.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stream {
    files: Vec<File>,
    may_be_empty: bool,
    /// Numbers of a record that are handed over apart from the others.
    covariates: usize,
    /// What the files of landmarks say of themselves.
    like: Like,
    /// Bytes of a block.
    block: usize,
}

/// A file whose columns are known.
struct File {
    /// The given path: its folder, or its own name.
    given: String,
    name: String,
    format: Format,
    source: Source,
    blocks: Box<dyn Blocks>,
}

/// Some records of a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Batch {
    /// The batch's place in the order of the files and of the records in them; some numbers may be left out.
    pub index: u64,
    /// The records, at least one.
    pub table: Table,
    /// The covariates of each record, record after record, where [some were chosen](Stream::open_with_covariates); else
    /// empty.
    pub covariates: Vec<f64>,
}

impl Stream {
    /// Opens the files, or the folders of files, as [`read_all`](crate::read_all) does, without reading records.
    ///
    /// An input that can be read once only, such as standard input or a pipe, is kept according to the options.
    ///
    /// # Errors
    /// Those of [`read_all`](crate::read_all) that do not depend on records; [`Error::MoreThanMemory`].
    pub fn open(paths: &[impl AsRef<str>], options: &ReadOptions) -> Result<Self> {
        let mut stream = Self::empty(options)?;
        let mut files = vec![];
        for path in paths.iter().map(AsRef::as_ref) {
            files.extend(files_in(path)?.into_iter().map(|file| (path, file)));
        }
        for (folder, file) in &files {
            format_of(file, options).map_err(|error| in_folder(folder, file, error))?; // before anything is read
        }
        if files.iter().filter(|(_, file)| file == STANDARD_INPUT).count() > 1 {
            return Err(Error::Unreadable { file: "-".to_owned(), reason: "it is given twice".to_owned() });
        }
        refuse_duplicates(files.iter().map(|(_, file)| file.as_str()))?;
        let spool = Spool { memory: options.memory, folder: options.spool.as_deref() };
        for (folder, file) in &files {
            let looked =
                Source::new(split_key(file).0, spool).and_then(|source| stream.add(folder, file, source, options));
            match looked {
                Err(Error::Empty { .. } | Error::NoRecords { .. }) if options.may_be_empty => {}
                looked => looked.map_err(|error| in_folder(folder, file, error))?,
            }
        }
        if stream.files.is_empty() && !options.may_be_empty {
            return Err(Error::NoRecords { file: "the list of files".to_owned() });
        }
        Ok(stream)
    }

    /// [`open`](Stream::open) with one more column, chosen by name or by number from 1, that is handed over apart from
    /// the others, as [`read_all_with_predictor`](crate::read_all_with_predictor) does.
    ///
    /// # Errors
    /// As for [`open`](Stream::open); [`Error::InvalidSelection`] unless `predictor` is one column, and none of the
    /// records'.
    pub fn open_with_predictor(paths: &[impl AsRef<str>], predictor: &str, options: &ReadOptions) -> Result<Self> {
        Self::open(paths, &options.with_predictor(predictor)).map_err(of_predictor)
    }

    /// [`open`](Stream::open) with further columns, which are handed over apart from the others, in the order of
    /// `covariates`.
    ///
    /// Without a choice of columns the records are all the others, without those of persons' keys.
    ///
    /// # Errors
    /// As for [`open`](Stream::open); [`Error::InvalidSelection`] unless each is one column, listed once, with levels
    /// that differ, and none of the records'; [`Error::NoLevels`] for levels in a column of another type.
    ///
    /// ```
    /// use karcher_io::{Covariate, Error, ReadOptions, Stream};
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("a.csv");
    /// std::fs::write(&path, "when,x,sex\n2001-07-02T12:00:00,1,F\n1999,2,M\n")?;
    /// let when = Covariate { column: "when".to_owned(), levels: None, dates: true };
    /// let sex = Covariate { column: "sex".to_owned(), levels: Some(vec!["M".to_owned(), "F".to_owned()]), dates: false };
    /// let stream = Stream::open_with_covariates(&[path.to_string_lossy()], &[sex, when], &ReadOptions::default())?;
    /// assert_eq!(stream.names().unwrap(), ["x"]);
    /// stream.pass(&|_| {}, |batch| {
    ///     assert_eq!((batch.table.values, batch.covariates), (vec![1.0, 2.0], vec![1.0, 2001.5, 0.0, 1999.0]));
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_with_covariates(
        paths: &[impl AsRef<str>],
        covariates: &[Covariate],
        options: &ReadOptions,
    ) -> Result<Self> {
        Self::open(paths, &options.with_covariates(covariates))
    }

    /// The contents of a file that would be called `name`.
    ///
    /// # Errors
    /// As for [`open`](Stream::open).
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream};
    /// let stream = Stream::of_bytes("a.csv", b"x,y\n1,2\n3,4\n".to_vec(), &ReadOptions::default())?;
    /// assert_eq!((stream.bytes(), stream.names().unwrap()), (12, vec!["x".to_owned(), "y".to_owned()]));
    /// assert_eq!(stream.collect()?.0.values, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn of_bytes(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        let mut stream = Self::empty(options)?;
        stream.add(name, name, Source::in_memory(bytes), options)?;
        Ok(stream)
    }

    fn empty(options: &ReadOptions) -> Result<Self> {
        options.check_covariates()?;
        let covariates = options.covariates.len();
        let like = options.like.clone();
        Ok(Self { files: vec![], may_be_empty: options.may_be_empty, covariates, like, block: BLOCK })
    }

    fn add(&mut self, given: &str, name: &str, source: Source, options: &ReadOptions) -> Result<()> {
        let format = format_of(name, options)?;
        let bytes = source.open(&Arc::default())?;
        let options = &ReadOptions { like: self.like.clone(), ..options.clone() };
        let blocks =
            catch_panic(|| open_format(name, format, &bytes, options)).unwrap_or_else(|| Err(damaged(name, format)))?;
        self.like = std::mem::take(&mut self.like).or(blocks.schema().like.clone());
        if let Some(first) = self.files.first() {
            blocks.schema().check(split_key(name).0, (split_key(&first.name).0, first.blocks.schema()))?;
        }
        self.files.push(File { given: given.to_owned(), name: name.to_owned(), format, source, blocks });
        Ok(())
    }

    /// The same files in blocks of about `bytes` bytes instead of a megabyte, where the format leaves a choice. A
    /// thread needs about four times as many.
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream};
    /// let lines = b"1,2\n".repeat(100);
    /// let stream = Stream::of_bytes("a.csv", lines, &ReadOptions::default())?.in_blocks_of(40);
    /// stream.pass(&|_| {}, |batch| {
    ///     assert!(batch.table.rows <= 10);
    ///     Ok::<(), karcher_io::Error>(())
    /// })?;
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    #[must_use]
    pub fn in_blocks_of(self, bytes: usize) -> Self {
        Self { block: bytes.max(1), ..self }
    }

    /// The bytes of all files, the total of the progress of [`pass`](Stream::pass).
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.source.len()).sum()
    }

    /// The names of the columns of a record, where the files give them.
    pub fn names(&self) -> Option<Vec<String>> {
        let mut names = self.files.first()?.blocks.schema().names.clone()?;
        names.truncate(self.columns());
        Some(names)
    }

    /// The names of all columns of the first file, of those that are not read too. Empty where it gives none.
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream};
    /// let options = ReadOptions { columns: Some("temp".to_owned()), ..Default::default() };
    /// let stream = Stream::of_bytes("a.csv", b"city,temp\nPrague,20\n".to_vec(), &options)?;
    /// assert_eq!(stream.all_names(), ["city", "temp"]);
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn all_names(&self) -> &[String] {
        self.files.first().map_or(&[], |file| &file.blocks.schema().all)
    }

    /// Numbers in a record: all columns, unless some were chosen.
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream};
    /// let stream = Stream::of_bytes("a.csv", b"hour,temp\n6,20\n".to_vec(), &ReadOptions::default())?;
    /// assert_eq!((stream.numbers(), stream.axes()), (2, &[][..]));
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn numbers(&self) -> usize {
        self.columns()
    }

    /// The axes of the first file's array; the first axis counts its records. Empty for tables.
    pub fn axes(&self) -> &[u64] {
        self.files.first().map_or(&[], |file| file.blocks.axes())
    }

    /// The factor of each number of a record.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::NoColumnNames`], [`Error::InvalidFactor`].
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream};
    /// let stream = Stream::of_bytes("a.csv", b"hour,temp\n6,20\n".to_vec(), &ReadOptions::default())?;
    /// assert_eq!(stream.factors(&["hour=15".parse()?])?, [15.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn factors(&self, multiply_by: &[Factor]) -> Result<Vec<f64>> {
        let Some(first) = self.files.first() else { return Ok(vec![]) };
        Factor::of_columns(multiply_by, &first.name, self.columns(), self.names().as_deref())
    }

    /// The keys of groups, by their names.
    ///
    /// # Errors
    /// [`Error::NoSuchGroup`] for a name that no key can equal, by the types of the columns of keys.
    ///
    /// ```
    /// use karcher_io::{Key, ReadOptions, Stream};
    /// let options = ReadOptions { person: Some("arm".to_owned()), groups: true, ..Default::default() };
    /// let stream = Stream::of_bytes("a.csv", b"arm,x\n1.0,2\n".to_vec(), &options)?;
    /// assert_eq!(stream.groups(&["01"])?, [Key::Integer(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn groups(&self, names: &[impl AsRef<str>]) -> Result<Vec<Key>> {
        let types: Vec<KeyType> = self.files.iter().filter_map(|file| file.blocks.schema().keys).collect();
        let file = || self.files.first().map_or_else(String::new, |file| file.name.clone());
        let key = |name: &str| {
            let key = Key::of(name).filter(|key| types.is_empty() || types.iter().any(|kind| kind.can_hold(key)));
            let words = types.first().map_or_else(String::new, |kind| kind.words());
            key.ok_or_else(|| Error::NoSuchGroup { file: file(), group: name.to_owned(), kind: words })
        };
        names.iter().map(|name| key(name.as_ref())).collect()
    }

    /// Numbers of a record, without its covariates.
    fn columns(&self) -> usize {
        let first = self.files.first().map_or(0, |file| file.blocks.schema().columns);
        first.saturating_sub(self.covariates)
    }

    /// Refuses files whose column names or axes contradict the layout, and records of another length, before any record
    /// is read. [`to_points`](crate::to_points) refuses them as well. Numbers that are
    /// [multiplied](crate::ConvertOptions::multiply_by) may be in any unit.
    ///
    /// # Errors
    /// [`Error::ColumnsSayOtherwise`], [`Error::ShapeSaysOtherwise`], [`Error::WrongColumns`]; those of
    /// [`factors`](Stream::factors).
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream, layout};
    /// let sphere = karcher::manifold::Sphere::new(2)?;
    /// let stream = Stream::of_bytes("a.csv", b"lon,lat\n14.4,50.1\n".to_vec(), &ReadOptions::default())?;
    /// let error = stream.check_layout(&sphere, &layout(&sphere, Some("latlon"))?, &[]).unwrap_err();
    /// assert!(error.to_string().contains("give --columns lat,lon"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_layout(&self, manifold: &dyn Manifold, layout: &Layout, multiply_by: &[Factor]) -> Result<()> {
        let (names, columns, factors) = (self.names(), self.columns(), self.factors(multiply_by)?);
        for file in &self.files {
            let (source, axes, all) = (&*file.name, file.blocks.axes(), &*file.blocks.schema().all);
            let (names, places) = (names.as_deref(), file.blocks.places());
            let described = file.blocks.described().map(|all| &all[..columns.min(all.len())]);
            let about = About { source, columns, names, described, all, places: places.as_deref(), axes };
            check_layout(manifold, layout, about, &factors)?;
        }
        Ok(())
    }

    /// Refuses columns that have the names of another file's, such as a center's, in another order.
    ///
    /// # Errors
    /// [`Error::OtherLabels`].
    ///
    /// ```
    /// use karcher_io::{ReadOptions, Stream, read_bytes};
    /// let center = read_bytes("center.csv", b"y,x\n1,2\n".to_vec(), &ReadOptions::default())?;
    /// let stream = Stream::of_bytes("a.csv", b"x,y\n1,2\n".to_vec(), &ReadOptions::default())?;
    /// let error = stream.check_order(center.like()).unwrap_err().to_string();
    /// assert!(error.starts_with("a.csv: column 1 is `x`, and `y` in center.csv"));
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn check_order(&self, like: &Like) -> Result<()> {
        let (Some(first), Some(names)) = (self.files.first(), self.names()) else { return Ok(()) };
        let file = split_key(&first.name).0;
        like.check_labels(file, Labels::of_names(file, &names).as_ref())?;
        like.check_names(file, &names)
    }

    /// What the files say of themselves.
    fn like(&self) -> Like {
        let first = self.files.first().map(|file| split_key(&file.name).0.to_owned());
        let names = self.names().zip(first);
        let labels = self.like.labels.clone();
        let labels = labels.or_else(|| names.as_ref().and_then(|(names, file)| Labels::of_names(file, names)));
        Like { labels, names, ..self.like.clone() }
    }

    /// Reads all files once and gives `each` their batches, several at a time and in no order. All threads of the
    /// current pool call `each`. `progress` gets the number of [`bytes`](Stream::bytes) read so far, not always in
    /// order.
    ///
    /// # Errors
    /// The first error of the files or of `each`, in the order of the batches, for any number of threads.
    ///
    /// [`Error::Changed`] when a file has changed since it was opened.
    pub fn pass<E: From<Error> + Send>(
        &self,
        progress: &(dyn Fn(u64) + Sync),
        each: impl Fn(Batch) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.pass_by(None, progress, each)
    }

    /// The same for the records of the persons whose key is `wanted`. Numbers of other records are not checked, so use
    /// it after a full pass.
    ///
    /// # Errors
    /// As for [`pass`](Stream::pass).
    ///
    /// ```
    /// use karcher_io::{Key, ReadOptions, Stream};
    /// let options = ReadOptions { person: Some("who".to_owned()), ..Default::default() };
    /// let stream = Stream::of_bytes("a.csv", b"who,x\nann,1\nbob,2\nann,3\n".to_vec(), &options)?;
    /// let is_ann = |key: &Key| key.to_string() == "ann";
    /// stream.pass_of(&is_ann, &|_| {}, |batch| {
    ///     assert_eq!(batch.table.values, [1.0, 3.0]);
    ///     Ok::<(), karcher_io::Error>(())
    /// })?;
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn pass_of<E: From<Error> + Send>(
        &self,
        wanted: &(dyn Fn(&Key) -> bool + Sync),
        progress: &(dyn Fn(u64) + Sync),
        each: impl Fn(Batch) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.pass_by(Some(wanted), progress, each)
    }

    fn pass_by<E: From<Error> + Send>(
        &self,
        wanted: Option<Wanted<'_>>,
        progress: &(dyn Fn(u64) + Sync),
        each: impl Fn(Batch) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.run(wanted, progress, |index, _, table| {
            let (table, covariates) = apart(table, self.covariates);
            each(Batch { index, table, covariates })
        })
    }

    /// All records in one table, and their covariates as in a [`Batch`].
    ///
    /// # Errors
    /// As for [`pass`](Stream::pass); [`Error::OutOfMemory`].
    pub fn collect(&self) -> Result<(Table, Vec<f64>)> {
        let parts = Mutex::new(BTreeMap::new());
        self.run(None, &|_| {}, |index, file, table| {
            parts.lock().unwrap_or_else(PoisonError::into_inner).insert(index, (file, table));
            Ok::<(), Error>(())
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner).into_values();
        let Some((mut last, mut table)) = parts.next() else { return Ok((Table::empty("no records", 0), vec![])) };
        (table.before, table.like) = (0, self.like());
        for (file, part) in parts {
            table.append(part, file != last)?;
            last = file;
        }
        table.all = self.files.first().map_or_else(Vec::new, |file| file.blocks.schema().all.clone());
        Ok(apart(table, self.covariates))
    }

    /// Gives `each` the batches, with their places in the order of all, and the files that they are of.
    fn run<E: From<Error> + Send>(
        &self,
        wanted: Option<Wanted<'_>>,
        progress: &(dyn Fn(u64) + Sync),
        each: impl Fn(u64, usize, Table) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let read = Arc::new(AtomicU64::new(0));
        let (total, failures, how) = (self.bytes(), First::default(), How { size: self.block, wanted });
        let counts: Vec<Counts> = self.files.iter().map(|_| Counts::default()).collect();
        let mut batches = 0;
        let files = self.files.iter().enumerate();
        let blocks = files.flat_map(|(at, file)| file.taken(&read, how).map(move |block| (at, block)));
        let blocks = blocks.take_while(|_| !failures.is_any()).map(|(file, block)| {
            let first = batches;
            batches += block.as_ref().map_or(1, |block| block.batches.max(1));
            (first, file, block)
        });
        blocks.par_bridge().for_each(|(first, at, block)| {
            let mut index = first;
            let fail = |index, error: E| failures.add(index, at, error);
            let of_file = |error| E::from(self.files[at].blame(error));
            let damaged = || self.files[at].damaged();
            let mut tables = match block.and_then(|block| catch_panic(block.decode).unwrap_or_else(|| Err(damaged()))) {
                Ok(tables) => tables,
                Err(error) => return fail(index, of_file(error)),
            };
            while let Some(part) = catch_panic(|| tables.next()).unwrap_or_else(|| Some(Err(damaged()))) {
                let (table, seen) = match part {
                    Ok(part) => part,
                    Err(error) => return fail(index, of_file(error)),
                };
                counts[at].add(seen, table.rows);
                if table.rows > 0
                    && let Err(error) = each(index, at, table)
                {
                    return fail(index, error);
                }
                index += 1;
            }
            progress(read.load(Ordering::Relaxed).min(total));
        });
        let failure = failures.first();
        let read_on = failure.as_ref().map_or(self.files.len(), |(file, _)| *file);
        for (at, (file, counts)) in self.files.iter().zip(counts).enumerate().take(read_on + 1) {
            file.source.check_unchanged()?;
            if at < read_on && !self.may_be_empty && wanted.is_none() {
                counts.check(&file.name).map_err(|error| file.blame(error))?;
            }
        }
        match failure {
            Some((_, error)) => Err(error),
            None => {
                progress(total);
                Ok(())
            }
        }
    }
}

impl File {
    /// The blocks of the file, which is opened when the first one is taken.
    fn taken<'a>(&'a self, read: &Arc<AtomicU64>, how: How<'a>) -> impl Iterator<Item = Result<Block<'a>>> + Send + 'a {
        let (read, mut blocks, mut is_done) = (read.clone(), None::<Iter<'a>>, false);
        std::iter::from_fn(move || {
            if is_done {
                return None;
            }
            let mut next = || {
                if blocks.is_none() {
                    blocks = Some(self.blocks.blocks(self.source.open(&read)?, how)?);
                }
                blocks.as_mut().and_then(Iterator::next).transpose()
            };
            let next = catch_panic(&mut next).unwrap_or_else(|| Err(self.damaged()));
            if !matches!(next, Ok(Some(_))) {
                (blocks, is_done) = (None, true); // closes the file
            }
            next.transpose()
        })
    }

    fn damaged(&self) -> Error {
        damaged(&self.name, self.format)
    }

    /// An error in this file.
    fn blame(&self, error: Error) -> Error {
        in_folder(&self.given, &self.name, error)
    }
}

/// Records of a file that were read, and those of them that stay.
#[derive(Default)]
struct Counts {
    seen: AtomicUsize,
    rows: AtomicUsize,
}

impl Counts {
    fn add(&self, seen: usize, rows: usize) {
        self.seen.fetch_add(seen, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Refuses a file that is left without records.
    fn check(self, name: &str) -> Result<()> {
        let file = || split_key(name).0.to_owned();
        match (self.seen.into_inner(), self.rows.into_inner()) {
            (0, _) => Err(Error::NoRecords { file: file() }),
            (_, 0) => Err(Error::AllMissing { file: file() }),
            _ => Ok(()),
        }
    }
}

/// The first error in the order of the batches, with its file.
struct First<E> {
    is_any: AtomicBool,
    first: Mutex<Option<(u64, usize, E)>>,
}

impl<E> Default for First<E> {
    fn default() -> Self {
        Self { is_any: AtomicBool::new(false), first: Mutex::new(None) }
    }
}

impl<E> First<E> {
    /// Whether there is one: batches that come later need not be read then. Those before it are being read already.
    fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Relaxed)
    }

    fn add(&self, batch: u64, file: usize, error: E) {
        self.is_any.store(true, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(earlier, ..)| batch < *earlier) {
            *first = Some((batch, file, error));
        }
    }

    fn first(self) -> Option<(usize, E)> {
        let first = self.first.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map(|(_, file, error)| (file, error))
    }
}

#[cfg(test)]
mod tests;
