//! The records of files, as a mechanism is given them: in memory if they fit, and read again for each sum otherwise.

use crate::Failure;
use crate::output::Reading;
use karcher::manifold::Layout;
use karcher::mechanism::PrivateFeatureRegression;
use karcher::nonprivate::{EachKeyed, KeyedBatches, Part, Reread, Rereadable};
use karcher::records::{Batches, Observations, Records, Streamed, SumQuery};
use karcher::spec::Score;
use karcher::{Ball, Manifold, Points, PredictorRange, Space};
use karcher_io::{Batch, ConvertOptions, Key, Stream, spool_file, to_points};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An upper bound of the memory that persons take while they are put together, in sizes of the files. It holds for
/// packed files up to any size that matters.
const ROOM: u64 = 300;

/// Memory that is always there: less would only make for more readings.
const LEAST: u64 = 16 << 20;

/// Whether the records of a person are left out.
pub type LeftOut = dyn Fn(&Key) -> bool + Send + Sync;

/// Files whose records are converted to points batch by batch.
pub struct FileRecords {
    stream: Stream,
    manifold: Arc<dyn Manifold>,
    /// A regression on features of covariates.
    regression: Option<PrivateFeatureRegression>,
    layout: Layout,
    options: ConvertOptions,
    /// The range of a predictor, in whose middle one is put that is no number, where such records are replaced.
    predictors: Option<(PredictorRange, bool)>,
    /// The file that changed between two readings, in a sentence.
    changed: Mutex<Option<String>>,
    /// A score, whose rows are the records.
    score: Option<Score>,
    /// Persons whose records are left out.
    left_out: Option<Box<LeftOut>>,
    /// How far all parts of the persons are together.
    parts_done: Mutex<Option<Arc<Reading>>>,
}

impl FileRecords {
    pub fn new(stream: Stream, manifold: Arc<dyn Manifold>, layout: Layout, options: ConvertOptions) -> Self {
        let (changed, parts_done) = (Mutex::new(None), Mutex::new(None));
        keep_freed_blocks();
        let (regression, predictors, score, left_out) = (None, None, None, None);
        Self { stream, manifold, regression, layout, options, predictors, score, changed, left_out, parts_done }
    }

    /// Adds a row of features to each record. A covariate that is no number is the middle of its range, and one that is
    /// no level is another one.
    pub fn features(self, regression: &PrivateFeatureRegression) -> Self {
        Self { regression: Some(regression.clone()), ..self }
    }

    /// Adds a predictor of this range to each record. One that is no number becomes the middle of the range, if records
    /// that are no points are replaced.
    pub fn predictors(self, range: PredictorRange, replaces_invalid: bool) -> Self {
        Self { predictors: Some((range, replaces_invalid)), ..self }
    }

    /// Makes a row of a score of the two covariates of each record.
    pub fn scores(self, score: Score) -> Self {
        Self { score: Some(score), ..self }
    }

    /// The persons, each once, and the same records without those of some persons.
    pub fn leaving_out(self, left_out: Box<LeftOut>) -> Result<(Vec<Key>, Self), Failure> {
        let persons = Mutex::new(BTreeSet::new());
        KeyedBatches::pass(&self, &|keys, _| {
            lock(&persons).extend(keys.into_iter().filter(|key| !left_out(key)));
            Ok(())
        })?;
        let persons = persons.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((persons.into_iter().collect(), Self { left_out: Some(left_out), ..self }))
    }

    /// The records, kept in memory if they take no more than `memory` bytes. The first reading answers the questions.
    pub fn records(self, memory: u64, queries: &[SumQuery]) -> Result<Box<dyn Records>, Failure> {
        Ok(Box::new(Reread::new(self).records(bytes(memory), queries)?))
    }

    /// The records batch by batch.
    #[cfg(feature = "aggregate")]
    pub fn in_batches(self) -> Box<dyn Batches> {
        Box::new(Reread::new(self))
    }

    /// What persons contribute, likewise, reduced with the public ball: as many persons at a time as fit, sorted into a
    /// file in the folder `spool`, if there is one and they do not fit together.
    pub fn persons(
        self,
        ball: &Ball,
        (memory, spool): (u64, Option<&Path>),
        queries: &[SumQuery],
    ) -> Result<Box<dyn Records>, Failure> {
        let range = self.predictors.map(|(range, _)| range);
        let persons = range.into_iter().fold(Reread::new(self), Reread::predictors);
        let persons = match spool.map(Path::to_owned) {
            Some(folder) => persons.spooled(move || Ok(spool_file(&folder)?), Key::to_bytes),
            None => persons,
        };
        Ok(persons.persons(ball, bytes(memory.max(LEAST)), queries)?)
    }

    /// The records of each group, whose name is the key; the files are read once where all together fit, and otherwise
    /// for each group.
    pub fn groups(self, names: &[String], memory: u64) -> Result<Vec<Box<dyn Records>>, Failure> {
        let own_keys = self.stream.groups(names)?;
        let groups: HashMap<Key, usize> = own_keys.iter().enumerate().map(|(i, key)| (key.clone(), i)).collect();
        let (manifold, most) = (Arc::clone(Rereadable::manifold(&self)), bytes(memory) / (2 * size_of::<f64>()));
        let held = Mutex::new((0, Some(vec![vec![]; names.len()])));
        let all = Reread::new(self);
        KeyedBatches::pass(&all, &|keys, records| {
            let (numbers, held) = &mut *lock(&held);
            let Some(groups_of) = held else { return Ok(()) };
            for (key, point) in keys.iter().zip(records.points().iter()) {
                if let Some(&group) = groups.get(key) {
                    groups_of[group].extend_from_slice(point);
                    *numbers += point.len();
                }
            }
            if *numbers > most {
                *held = None;
            }
            Ok(())
        })?;
        let (_, held) = held.into_inner().unwrap_or_else(PoisonError::into_inner);
        let boxed = |points: Points| -> Box<dyn Records> { Box::new(points) };
        let Some(held) = held else {
            let all = Arc::new(all);
            let of = |key: &Key| OfGroup { all: Arc::clone(&all), key: key.clone() };
            let stream = |key: &Key| -> Result<Box<dyn Records>, Failure> {
                Ok(Box::new(Streamed::new(of(key), bytes(memory) / names.len(), &[])?))
            };
            return own_keys.iter().map(stream).collect();
        };
        let points = |values: Vec<f64>| match values.is_empty() {
            true => Ok(boxed(Points::none(&*manifold))),
            false => Ok(boxed(Points::new(&*manifold, values)?)),
        };
        held.into_iter().map(points).collect()
    }

    /// Gives each batch of points with its keys and predictors to `each`. Records with a key that is not wanted are
    /// left out unread, so all records must have been read once.
    fn read(
        &self,
        wanted: Option<&(dyn Fn(&Key) -> bool + Sync)>,
        progress: &(dyn Fn(u64) + Sync),
        each: &EachKeyed<'_, Key>,
    ) -> karcher::Result<()> {
        let take = |Batch { mut table, mut covariates, .. }: Batch| {
            let keys = std::mem::take(&mut table.persons);
            let mut points = match &self.score {
                Some(score) => {
                    let rows = covariates.as_chunks::<2>().0.iter().flat_map(|of| score.row_of(of[0], of[1]));
                    Points::new(&*self.manifold, rows.collect())
                        .map_err(|error| karcher_io::Error::Library(error.into()))?
                }
                None => to_points(table, &*self.manifold, &self.layout, &self.options)?,
            };
            if let Some(regression) = &self.regression {
                let features = regression.features();
                let rows = features.rows_of(&covariates, points.len());
                let joined = features.records(Arc::clone(&self.manifold), points.view(), &rows);
                let is_clipped = !keys.is_empty(); // several records of a person are averaged
                let joined = joined.and_then(|of| if is_clipped { regression.clipped(of.view()) } else { Ok(of) });
                points = joined.map_err(karcher_io::Error::Library)?;
            }
            let records = Observations::new(&points);
            let records = match self.predictors {
                None => records,
                Some((range, replaces_invalid)) => {
                    if replaces_invalid {
                        covariates.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
                    }
                    records.with_predictors(&covariates).map_err(karcher_io::Error::Library)?
                }
            };
            each(keys, records).map_err(Stopped::Asked)
        };
        let read = match wanted {
            Some(wanted) => self.stream.pass_of(wanted, progress, take),
            None => self.stream.pass(progress, take),
        };
        read.map_err(|stopped| match stopped {
            Stopped::Asked(error) => error,
            Stopped::Reading(error) => {
                if let karcher_io::Error::Changed { .. } = error {
                    *lock(&self.changed) = Some(error.to_string());
                }
                error.into()
            }
        })
    }
}

/// glibc gives large freed blocks back to the system, and mapping them again takes half of the time of a large file.
/// Once a block of 31 MiB has been freed, it keeps smaller ones, so that later batches use their pages again.
fn keep_freed_blocks() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(31 << 20)));
}

/// Why a reading ended early.
enum Stopped {
    /// The files.
    Reading(karcher_io::Error),
    /// Who was given the records.
    Asked(karcher::Error),
}

impl From<karcher_io::Error> for Stopped {
    fn from(error: karcher_io::Error) -> Self {
        Stopped::Reading(error)
    }
}

/// The records of one group.
struct OfGroup {
    all: Arc<Reread<FileRecords>>,
    key: Key,
}

impl Batches for OfGroup {
    fn space(&self) -> &Space {
        self.all.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> karcher::Result<()> + Sync)) -> karcher::Result<()> {
        let is_own = |key: &Key| *key == self.key;
        let own = |keys: Vec<Key>, records: Observations<'_>| {
            each(Observations::new(&records.points().select(|i| is_own(&keys[i]))))
        };
        self.all.read(&own, |files, own| {
            let reading = Reading::new(files.stream.bytes());
            files.read(Some(&is_own), &|bytes| reading.at(bytes), own)
        })
    }
}

impl FileRecords {
    /// Shows the progress of all parts, when one has read so many bytes. It is a share of the size of the files,
    /// because the number of parts depends on the persons.
    fn parts_are_at(&self, part: Part, bytes: u64) {
        let total = u128::from(self.stream.bytes());
        let read = (u128::from(part.index()) * total + u128::from(bytes)) / u128::from(part.of().max(1));
        let mut done = lock(&self.parts_done);
        let reading = Arc::clone(done.get_or_insert_with(|| Arc::new(Reading::new(self.stream.bytes()))));
        drop(done);
        reading.at(u64::try_from(read).unwrap_or(u64::MAX));
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory beyond what addresses reach is as much as there is.
fn bytes(memory: u64) -> usize {
    usize::try_from(memory).unwrap_or(usize::MAX)
}

impl Rereadable for FileRecords {
    fn manifold(&self) -> &Arc<dyn Manifold> {
        self.regression.as_ref().map_or(&self.manifold, PrivateFeatureRegression::records)
    }

    fn key_bytes(key: &Key) -> usize {
        key.bytes()
    }

    fn most_bytes(&self) -> Option<usize> {
        Some(bytes(self.stream.bytes().saturating_mul(ROOM)))
    }

    /// Names the file that changed, if its date or size shows it. Otherwise a record is another one than it was, and
    /// its numbers are not shown.
    fn what_changed(&self) -> String {
        let unknown = "one of the files cannot be read again as it was read first: it changed, or the disk fails";
        lock(&self.changed).take().unwrap_or_else(|| unknown.to_owned())
    }
}

impl KeyedBatches for FileRecords {
    type Key = Key;

    fn pass(&self, each: &EachKeyed<'_, Key>) -> karcher::Result<()> {
        let reading = Reading::new(self.stream.bytes());
        match &self.left_out {
            None => self.read(None, &|bytes| reading.at(bytes), each),
            Some(left_out) => self.read(Some(&|key| !left_out(key)), &|bytes| reading.at(bytes), each),
        }
    }

    fn pass_part(&self, part: Part, each: &EachKeyed<'_, Key>) -> karcher::Result<()> {
        let is_left_out = |key: &Key| self.left_out.as_ref().is_some_and(|left_out| left_out(key));
        let is_wanted = |key: &Key| part.holds(key) && !is_left_out(key);
        self.read(Some(&is_wanted), &|bytes| self.parts_are_at(part, bytes), each)
    }

    fn part_is_done(&self, part: Part) {
        self.parts_are_at(part, self.stream.bytes());
        if part.index() + 1 == part.of() {
            *lock(&self.parts_done) = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use karcher_io::ReadOptions;
    use std::fs;

    /// The records of files that are written into a folder.
    fn of(folder: &Path, files: &[(&str, String)]) -> Reread<FileRecords> {
        let paths: Vec<String> = files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect();
        files.iter().zip(&paths).for_each(|((_, contents), path)| fs::write(path, contents).unwrap());
        let person = Some("who".to_owned());
        let stream = Stream::open(&paths, &ReadOptions { person, ..ReadOptions::default() }).unwrap();
        let line = "euclidean:1".parse::<Space>().unwrap().manifold().unwrap();
        let layout = line.layouts().remove(0);
        Reread::new(FileRecords::new(stream, line, layout, ConvertOptions::default()))
    }

    fn read(records: &Reread<FileRecords>) -> karcher::Result<()> {
        KeyedBatches::pass(records, &|_, _| Ok(()))
    }

    /// A record of each of `n` persons.
    fn persons(n: usize) -> String {
        let rows = (0..n).map(|i| format!("{i},{i}\n"));
        std::iter::once("x,who\n".to_owned()).chain(rows).collect()
    }

    #[test]
    fn a_file_that_changes_between_two_readings_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (later, words) in [
            ("x,who\n1,a\n2,b\n3,c\n", "b.csv changed while it was read"),
            ("x,who\nsecret,a\n", "b.csv changed while it was read"),
            ("", "b.csv changed while it was read"),
        ] {
            let files = [("a.csv", persons(5)), ("b.csv", persons(6))];
            let records = of(folder.path(), &files);
            read(&records).unwrap();
            fs::write(folder.path().join("b.csv"), later).unwrap();
            let told = read(&records).unwrap_err().to_string();
            assert!(told.contains(words) && told.contains("nothing was released"), "{told}");
            assert!(!told.contains("secret"), "{told}");
        }
    }

    /// Where date and size do not tell, no more is said than that one of the files is another one.
    #[test]
    fn a_record_that_is_no_point_any_more_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        let records = of(folder.path(), &[("a.csv", persons(5)), ("b.csv", persons(6))]);
        read(&records).unwrap();
        let path = folder.path().join("b.csv");
        let date = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, persons(6).replacen("3,3", "z,3", 1)).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(date).unwrap();
        let told = read(&records).unwrap_err().to_string();
        assert!(told.contains("one of the files cannot be read again") && !told.contains('z'), "{told}");
    }
}
