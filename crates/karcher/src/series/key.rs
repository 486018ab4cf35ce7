//! The key of a series, which is confidential: the secret that its noise is drawn from, and what was entered.
//!
//! A file of lines, each a JSON object. The first has the secret, and each other one a period: the exact sum over its
//! records, and a code for each person. A line is on the disk before noise is drawn for it. So a program that was killed
//! finds what it had entered, draws the same noise and makes the same release.
//!
//! **The noise of a period is a function of the secret and of all that was entered so far** (HKDF-SHA256 and ChaCha20).
//! The secret alone would not do. A key that was restored from an older copy would add the same noise to another sum,
//! and the difference of both releases would have none.

use super::plan::SeriesPlan;
use super::state::SeriesState;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::noise::Generator;
use crate::records::{ExactSum, PrivacyUnit};
use crate::release::LedgerEntry;
use hkdf::Hkdf;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The purposes of derived bytes. If a later version draws other noise, the number has to change.
const NAME: &str = "karcher series name 1";
const NOISE: &str = "karcher series noise 1";
const PERSON: &str = "karcher series person 1";

/// What was entered for a period. **Confidential.**
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entered {
    /// The number of records.
    pub count: u64,
    /// Their exact sum, with the number of records where noise is added to it.
    sums: Vec<String>,
    /// Codes of the persons who have a record in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    persons: Vec<String>,
}

impl Entered {
    /// The exact integers; none where they are no integers.
    fn integers(&self) -> Option<Vec<i128>> {
        self.sums.iter().map(|x| x.parse().ok()).collect()
    }
}

/// The first line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Secret {
    secret: String,
}

/// The key of a series. It is not printed.
pub struct SeriesKey {
    secret: [u8; 32],
    entered: Vec<Entered>,
    file: Option<File>,
}

impl fmt::Debug for SeriesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key of a series")
    }
}

/// A new file for a key, which only its owner can read. It is there before a budget is spent, and gone if no key is
/// [kept](SeriesKey::keep) in it.
#[derive(Debug)]
pub struct NewKeyFile {
    path: PathBuf,
    file: Option<File>,
}

impl NewKeyFile {
    /// A new file, locked.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] where there is such a file, or none can be made.
    pub fn new(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let made = options.open(path).and_then(|file| {
            file.try_lock()?;
            Ok(file)
        });
        let file = made.map_err(|error| unusable(path, &format!("it cannot be written ({error})")))?;
        Ok(Self { path: path.to_owned(), file: Some(file) })
    }
}

impl Drop for NewKeyFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(&self.path); // it is empty
        }
    }
}

impl SeriesKey {
    /// A new key, whose secret is drawn by the generator, in memory.
    pub(super) fn generate(generator: &mut Generator) -> Self {
        let mut secret = [0; 32];
        rand::Rng::fill_bytes(generator, &mut secret);
        Self { secret, entered: vec![], file: None }
    }

    /// Writes a new key to its new file, and goes on there.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] where it cannot be written.
    pub fn keep(mut self, mut new: NewKeyFile) -> Result<Self> {
        let secret = line(&Secret { secret: hex(&self.secret) });
        if let Some(mut file) = new.file.take() {
            let written = file.write_all(secret.as_bytes()).and_then(|()| file.sync_all());
            written.map_err(|error| unusable(&new.path, &format!("it cannot be written ({error})")))?;
            self.file = Some(file);
        }
        Ok(self)
    }

    /// Opens the file of a key, for this program alone. A last line that is not whole was never used, and is removed.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] where there is none, where it is no key, and while another program has it open.
    pub fn open(path: &Path) -> Result<Self> {
        let read = || -> std::io::Result<(File, Vec<u8>)> {
            let mut file = OpenOptions::new().read(true).append(true).open(path)?;
            file.try_lock()?;
            let mut text = vec![];
            file.read_to_end(&mut text)?;
            let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            if whole > 0 && whole < text.len() {
                file.set_len(whole as u64)?;
                file.seek(SeekFrom::End(0))?;
                text.truncate(whole);
            }
            Ok((file, text))
        };
        let (file, text) = read().map_err(|error| unusable(path, &format!("it cannot be opened ({error})")))?;
        let no_key = || unusable(path, "it is no key that karcher made with a series");
        let text = std::str::from_utf8(&text).map_err(|_| no_key())?;
        let mut lines = text.lines();
        let secret: Secret = lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(no_key)?;
        let secret = unhex(&secret.secret).ok_or_else(no_key)?;
        let entered: Option<Vec<Entered>> =
            lines.map(|line| serde_json::from_str(line).ok().filter(|of: &Entered| of.integers().is_some())).collect();
        Ok(Self { secret, entered: entered.ok_or_else(no_key)?, file: Some(file) })
    }

    /// A name of the key with what a series is: its plan, whether it is seeded, its entry in a ledger. It tells nothing
    /// about the key, and a state that was edited has another one.
    pub(super) fn name(&self, plan: &SeriesPlan, seeded: bool, ledger: Option<&LedgerEntry>) -> String {
        let series = [&plan.digest()[..], line(&(seeded, ledger)).as_bytes()].concat();
        hex(&self.derived::<16>(NAME, &series))
    }

    /// How many periods were entered.
    pub fn periods(&self) -> usize {
        self.entered.len()
    }

    /// Whether the next period was entered already, by a program that ended before it was published. It is published as
    /// it was entered, whatever the files hold now.
    pub fn is_ahead_of(&self, state: &SeriesState) -> bool {
        self.entered.len() > state.published.len()
    }

    /// Enters the sum over the records of the next period, and the persons of whom it has one.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] for the key of another series, for a state that is older or was edited, after the last
    /// period, and where the file cannot be written: nothing is published then.
    pub fn enter(&mut self, plan: &SeriesPlan, state: &SeriesState, sum: &ExactSum, persons: Vec<Key>) -> Result<()> {
        state.check(plan, self)?;
        let refused = |reason: &str| Err(Error::NotPermitted { reason: reason.to_owned() });
        if self.is_ahead_of(state) {
            return refused("the next period was entered before: publish it first");
        }
        if self.entered.len() == plan.shape().periods {
            return refused("the series has had its last period: begin another one");
        }
        let left_out = self.left_out(plan);
        if persons.iter().any(left_out) {
            return refused("the series went on meanwhile, and has these persons: give the records again");
        }
        let sums = plan.integers(sum)?.iter().map(ToString::to_string).collect();
        let mut persons: Vec<String> = persons.iter().map(|person| self.code(person)).collect();
        persons.sort_unstable();
        persons.dedup();
        if plan.spec().unit == PrivacyUnit::Person && sum.count() > persons.len() as u64 {
            return refused("the sum has more contributions than persons who are named");
        }
        let entered = Entered { count: sum.count(), sums, persons };
        if let Some(file) = &mut self.file {
            let written = file.write_all(line(&entered).as_bytes()).and_then(|()| file.sync_all());
            written.map_err(|error| Error::NotPermitted {
                reason: format!(
                    "the key cannot be written ({error}), so nothing was published: make room and try again"
                ),
            })?;
        }
        self.entered.push(entered);
        Ok(())
    }

    /// The persons of whom the series takes no more records, because they have as many as it takes, or the last one is
    /// too near. It depends on the periods that a person was in, and on nothing in the records.
    pub fn left_out(&self, plan: &SeriesPlan) -> impl Fn(&Key) -> bool + Sync + use<> {
        let mut of: HashMap<String, (usize, usize)> = HashMap::new();
        for (at, entered) in self.entered.iter().enumerate() {
            for person in &entered.persons {
                let (times, last) = of.entry(person.clone()).or_default();
                (*times, *last) = (*times + 1, at);
            }
        }
        let (shape, now, secret) = (plan.shape().clone(), self.entered.len(), self.secret);
        move |person| match of.get(&code(&secret, person)) {
            Some((times, last)) => *times >= shape.contributions || now < last + shape.every,
            None => false,
        }
    }

    /// The sums of all periods that were entered.
    pub(super) fn sums(&self) -> Vec<Vec<i128>> {
        self.entered.iter().map(|of| of.integers().unwrap_or_default()).collect() // checked when it was read
    }

    /// The numbers of records.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.entered.iter().map(|of| of.count).collect()
    }

    /// The generator of the noise of a period, from 1, of a series with such a plan.
    pub(super) fn generator(&self, plan: &[u8; 32], period: usize) -> Generator {
        let mut all = Sha256::new().chain_update(plan).chain_update((period as u64).to_le_bytes());
        for of in &self.entered[..period] {
            all.update(line(&(of.count, &of.sums)));
        }
        let entered: [u8; 32] = all.finalize().into();
        Generator::from_key(self.derived(NOISE, &entered))
    }

    fn code(&self, person: &Key) -> String {
        code(&self.secret, person)
    }

    fn derived<const N: usize>(&self, purpose: &str, of: &[u8]) -> [u8; N] {
        derived(&self.secret, purpose, of)
    }
}

/// A code of a person, which tells nothing without the secret.
fn code(secret: &[u8; 32], person: &Key) -> String {
    hex(&derived::<16>(secret, PERSON, &person.to_bytes()))
}

/// Bytes for a purpose, by HKDF: without the secret they look random.
fn derived<const N: usize>(secret: &[u8; 32], purpose: &str, of: &[u8]) -> [u8; N] {
    let mut derived = [0; N];
    let info = [purpose.as_bytes(), of];
    // it fails for more than 8,160 bytes only
    let _ = Hkdf::<Sha256>::new(None, secret).expand_multi_info(&info, &mut derived);
    derived
}

fn line(of: &impl Serialize) -> String {
    serde_json::to_string(of).unwrap_or_default() + "\n" // plain fields serialise
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    (text.len() == 64).then_some(bytes)?.try_into().ok()
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::NotPermitted { reason: format!("the key {}: {reason}", path.display()) }
}
