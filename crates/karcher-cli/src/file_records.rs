//! The records of files, as a mechanism is given them: in memory where they fit, read again for each sum where not.

use crate::Failure;
use crate::output::Reading;
use karcher::manifold::Layout;
use karcher::records::{Batches, Observations, Records, Streamed, SumQuery};
use karcher::statistic::{EachKeyed, KeyedBatches, Part, PersonsInParts};
use karcher::{Ball, Error, Manifold, Points, PredictorRange, Space};
use karcher_io::{Batch, ConvertOptions, Key, Stream, spool_file, to_points};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How many times its own size a file may take while persons are put together, packed ones too, as far as this matters.
const ROOM: u64 = 300;

/// What a person takes in memory beside numbers and the bytes of the key: the key's place in a table that grows, and as
/// it is sorted.
const KEY: u64 = 256;

/// What a record takes beside numbers: whose it is, and its place among the person's.
const PLACE: u64 = 24;

/// Of so many keys one is looked at to tell how many persons there are, and what their keys take.
const SAMPLE: u64 = 64;

/// Keys of more bytes are all looked at: a few of them take as much as many others.
const LONG: usize = 4096;

/// Memory that is always there: less would only make for more readings.
const LEAST: u64 = 16 << 20;

/// Files whose records are converted to points batch by batch.
pub struct FileRecords {
    stream: Stream,
    manifold: Arc<dyn Manifold>,
    layout: Layout,
    options: ConvertOptions,
    /// The range of a predictor, in whose middle one is put that is no number, where such records are replaced.
    predictors: Option<(PredictorRange, bool)>,
    /// Whether all records have been looked at.
    is_valid: AtomicBool,
    /// How far all parts of the persons are together.
    parts_done: Mutex<Option<Arc<Reading>>>,
}

impl FileRecords {
    pub fn new(stream: Stream, manifold: Arc<dyn Manifold>, layout: Layout, options: ConvertOptions) -> Self {
        let (is_valid, parts_done) = (AtomicBool::new(false), Mutex::new(None));
        Self { stream, manifold, layout, options, predictors: None, is_valid, parts_done }
    }

    /// With a predictor beside each record, of this range; those that are no numbers are put in its middle if records
    /// that are no points are replaced.
    pub fn predictors(self, range: PredictorRange, replaces_invalid: bool) -> Self {
        Self { predictors: Some((range, replaces_invalid)), ..self }
    }

    /// The records, kept in memory if they take no more than `memory` bytes. The first reading answers the questions.
    pub fn records(self, memory: u64, queries: &[SumQuery]) -> Result<Box<dyn Records>, Failure> {
        Ok(Box::new(Streamed::new(self, bytes(memory), queries)?))
    }

    /// What persons contribute, likewise, reduced with the public ball: as many persons at a time as fit, sorted into a
    /// file in the folder `spool`, if there is one and they do not fit together.
    pub fn persons(
        self,
        ball: &Ball,
        (memory, spool): (u64, Option<&Path>),
        queries: &[SumQuery],
    ) -> Result<Box<dyn Records>, Failure> {
        // half of it, as what is kept of those who are together already takes up to the other half
        let (room, memory) = ((memory / 2).max(LEAST), memory.max(LEAST));
        let parts = self.parts(room)?;
        let (manifold, range) = (Arc::clone(&self.manifold), self.predictors.map(|(range, _)| range));
        let persons = PersonsInParts::new(self, manifold, ball, parts)?;
        let mut persons = range.into_iter().fold(persons, PersonsInParts::predictors);
        if let Some(folder) = spool.filter(|_| parts > 1) {
            persons = persons.spooled(spool_file(folder)?, Key::to_bytes, bytes(room / 4));
        }
        Ok(Box::new(Streamed::new(persons, bytes(memory), queries)?))
    }

    /// As many parts as leave room in `memory` for the records of the persons in one.
    fn parts(&self, memory: u64) -> Result<u64, Failure> {
        if self.stream.bytes().saturating_mul(ROOM) <= memory {
            return Ok(1); // whatever is in them
        }
        let numbers = (self.manifold.point_len() + usize::from(self.predictors.is_some())) as u64;
        let (records, sample) = (AtomicU64::new(0), Mutex::new(HashMap::new()));
        self.read(|keys, _| {
            records.fetch_add(keys.len() as u64, Ordering::Relaxed);
            // by hash, what the person takes, and others of whom nobody looks at the keys
            let looked_at = keys.iter().filter_map(|key| {
                let (hash, len) = (hash(key), key.bytes());
                let stands_for = if len > LONG { 1 } else { SAMPLE };
                let taken = stands_for * (8 * numbers + KEY + len as u64);
                (hash % stands_for == 0).then_some((hash, taken))
            });
            sample.lock().unwrap_or_else(PoisonError::into_inner).extend(looked_at);
            Ok(())
        })?;
        let sample = sample.into_inner().unwrap_or_else(PoisonError::into_inner);
        // the numbers of a record twice, as it is and as it is seen from the ball's center, and those of a contribution
        let of_records = records.into_inner().saturating_mul(16 * numbers + PLACE);
        let of_persons = sample.into_values().fold(0, u64::saturating_add);
        Ok(of_records.saturating_add(of_persons).div_ceil(memory))
    }

    /// The records of each group, whose name is the key; the files are read once where all together fit, and otherwise
    /// for each group.
    pub fn groups(self, names: &[String], memory: u64) -> Result<Vec<Box<dyn Records>>, Failure> {
        let groups: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (&**name, i)).collect();
        let (point_len, most) = (self.manifold.point_len(), bytes(memory) / (2 * size_of::<f64>()));
        let held = Mutex::new((0, Some(vec![vec![]; names.len()])));
        self.read(|keys, records| {
            let (numbers, held) = &mut *held.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(groups_of) = held else { return Ok(()) };
            for (key, point) in keys.iter().zip(records.points().iter()) {
                if let Some(&group) = groups.get(&*key.to_string()) {
                    groups_of[group].extend_from_slice(point);
                    *numbers += point_len;
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
            let all = Arc::new(self);
            let of = |name: &String| OfGroup { all: Arc::clone(&all), name: name.clone() };
            let stream = |name: &String| -> Result<Box<dyn Records>, Failure> {
                Ok(Box::new(Streamed::new(of(name), bytes(memory) / names.len(), &[])?))
            };
            return names.iter().map(stream).collect();
        };
        let points = |values: Vec<f64>| match values.is_empty() {
            true => Ok(boxed(Points::none(&*self.manifold))),
            false => Ok(boxed(Points::new(&*self.manifold, values)?)),
        };
        held.into_iter().map(points).collect()
    }

    /// Gives each batch of points with its keys and predictors to `each`.
    fn read(&self, each: impl Fn(Vec<Key>, Observations<'_>) -> karcher::Result<()> + Sync) -> karcher::Result<()> {
        let reading = Reading::new(self.stream.bytes());
        self.read_of(&|_| true, &|bytes| reading.at(bytes), each)
    }

    /// The same, without the records whose key is not wanted once all have been looked at.
    fn read_of(
        &self,
        wanted: &(dyn Fn(&Key) -> bool + Sync),
        progress: &(dyn Fn(u64) + Sync),
        each: impl Fn(Vec<Key>, Observations<'_>) -> karcher::Result<()> + Sync,
    ) -> karcher::Result<()> {
        let take = |Batch { mut table, mut predictors, .. }: Batch| {
            let keys = std::mem::take(&mut table.persons);
            let points = to_points(table, &*self.manifold, &self.layout, &self.options)?;
            let records = Observations::new(&points);
            let records = match self.predictors {
                None => records,
                Some((range, replaces_invalid)) => {
                    if replaces_invalid {
                        predictors.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
                    }
                    records.with_predictors(&predictors).map_err(karcher_io::Error::Library)?
                }
            };
            each(keys, records).map_err(Stopped::Asked)
        };
        let is_valid = self.is_valid.load(Ordering::Relaxed);
        let read = match is_valid {
            true => self.stream.pass_of(wanted, progress, take),
            false => self.stream.pass(progress, take),
        };
        self.is_valid.store(true, Ordering::Relaxed);
        read.map_err(|stopped| match stopped {
            Stopped::Asked(error) => error,
            Stopped::Reading(error) if !is_valid => error.into(),
            Stopped::Reading(error) => Error::Unanswered { reason: changed(&error) },
        })
    }
}

/// Why a reading ended early.
enum Stopped {
    /// The files.
    Reading(karcher_io::Error),
    /// Who was given the records.
    Asked(Error),
}

impl From<karcher_io::Error> for Stopped {
    fn from(error: karcher_io::Error) -> Self {
        Stopped::Reading(error)
    }
}

/// What is said of files that were read without an error before: which one changed, where its date and size tell. What
/// a record holds that was another one when it was looked at is nobody's concern.
fn changed(error: &karcher_io::Error) -> String {
    let what = match error {
        karcher_io::Error::Changed { .. } => error.to_string(),
        _ => "one of the files cannot be read again as it was read first: it changed, or the disk fails".to_owned(),
    };
    format!("{what}; nothing was released")
}

/// The records of one group.
struct OfGroup {
    all: Arc<FileRecords>,
    name: String,
}

impl Batches for OfGroup {
    fn space(&self) -> &Space {
        self.all.manifold.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> karcher::Result<()> + Sync)) -> karcher::Result<()> {
        let reading = Reading::new(self.all.stream.bytes());
        let is_own = |key: &Key| key.to_string() == self.name;
        self.all.read_of(&is_own, &|bytes| reading.at(bytes), |keys, records| {
            each(Observations::new(&records.points().select(|i| is_own(&keys[i]))))
        })
    }
}

impl FileRecords {
    /// Shows how far all parts are, of which one has read so many bytes: as a share of the size of the files, because
    /// how many parts there are depends on the persons.
    fn parts_are_at(&self, part: Part, bytes: u64) {
        let total = u128::from(self.stream.bytes());
        let read = (u128::from(part.index()) * total + u128::from(bytes)) / u128::from(part.of().max(1));
        let mut done = self.parts_done.lock().unwrap_or_else(PoisonError::into_inner);
        let reading = Arc::clone(done.get_or_insert_with(|| Arc::new(Reading::new(self.stream.bytes()))));
        drop(done);
        reading.at(u64::try_from(read).unwrap_or(u64::MAX));
    }
}

fn hash(key: &Key) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Memory beyond what addresses reach is as much as there is.
fn bytes(memory: u64) -> usize {
    usize::try_from(memory).unwrap_or(usize::MAX)
}

impl Batches for FileRecords {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> karcher::Result<()> + Sync)) -> karcher::Result<()> {
        self.read(|_, records| each(records))
    }
}

impl KeyedBatches for FileRecords {
    type Key = Key;

    fn pass(&self, each: &EachKeyed<'_, Key>) -> karcher::Result<()> {
        self.read(each)
    }

    fn pass_part(&self, part: Part, each: &EachKeyed<'_, Key>) -> karcher::Result<()> {
        self.read_of(&|key| part.holds(key), &|bytes| self.parts_are_at(part, bytes), each)
    }

    fn part_is_done(&self, part: Part) {
        self.parts_are_at(part, self.stream.bytes());
        if part.index() + 1 == part.of() {
            *self.parts_done.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use karcher_io::ReadOptions;
    use std::fs;

    /// The records of files that are written into a folder.
    fn of(folder: &Path, files: &[(&str, String)]) -> FileRecords {
        let paths: Vec<String> = files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect();
        files.iter().zip(&paths).for_each(|((_, contents), path)| fs::write(path, contents).unwrap());
        let person = Some("who".to_owned());
        let stream = Stream::open(&paths, &ReadOptions { person, ..ReadOptions::default() }).unwrap();
        let line = "euclidean:1".parse::<Space>().unwrap().manifold().unwrap();
        let layout = line.layouts().remove(0);
        FileRecords::new(stream, line, layout, ConvertOptions::default())
    }

    /// A record of each of `n` persons, with keys of so many bytes.
    fn persons(n: usize, bytes: usize) -> String {
        let rows = (0..n).map(|i| format!("{i},{i:0bytes$}\n"));
        std::iter::once("x,who\n".to_owned()).chain(rows).collect()
    }

    #[test]
    fn parts_of_persons_hold_their_keys_too() {
        let folder = tempfile::tempdir().unwrap();
        const MEMORY: u64 = 1 << 20;
        // keys of which all are looked at, and such of which some are
        for (n, bytes) in [(400, 20_000), (20_000, 500)] {
            let keys = (n * bytes) as u64;
            let parts = of(folder.path(), &[("k.csv", persons(n, bytes))]).parts(MEMORY).unwrap();
            assert!(parts >= keys / MEMORY, "{parts} parts for {keys} bytes of keys");
            assert!(parts <= 2 * keys.div_ceil(MEMORY) + 10, "{parts} parts for {keys} bytes of keys");
        }
    }

    #[test]
    fn a_file_that_changes_between_two_readings_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (later, words) in [
            ("x,who\n1,a\n2,b\n3,c\n", "b.csv changed while it was read"),
            ("x,who\nsecret,a\n", "b.csv changed while it was read"),
            ("", "b.csv changed while it was read"),
        ] {
            let files = [("a.csv", persons(5, 1)), ("b.csv", persons(6, 1))];
            let records = of(folder.path(), &files);
            records.read(|_, _| Ok(())).unwrap();
            fs::write(folder.path().join("b.csv"), later).unwrap();
            let told = records.read(|_, _| Ok(())).unwrap_err().to_string();
            assert!(told.contains(words) && told.contains("nothing was released"), "{told}");
            assert!(!told.contains("secret"), "{told}");
        }
    }

    /// Where date and size do not tell, no more is said than that one of the files is another one.
    #[test]
    fn a_record_that_is_no_point_any_more_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        let records = of(folder.path(), &[("a.csv", persons(5, 1)), ("b.csv", persons(6, 1))]);
        records.read(|_, _| Ok(())).unwrap();
        let path = folder.path().join("b.csv");
        let date = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, persons(6, 1).replacen("3,3", "z,3", 1)).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(date).unwrap();
        let told = records.read(|_, _| Ok(())).unwrap_err().to_string();
        assert!(told.contains("one of the files cannot be read again") && !told.contains('z'), "{told}");
    }
}
