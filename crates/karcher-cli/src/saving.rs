//! Where a release goes: a file that is opened before anything is spent, and standard output.

use crate::Failure;
use crate::output::print_text;
use karcher::facts::Kept;
use karcher_io::OutputFile;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;

/// The file of `--output`, open but without its name until the release is in it.
pub struct Saving {
    file: OutputFile,
    format: Format,
}

enum Format {
    Json,
    Npy,
    Csv,
}

/// The content of the file, by the format that its name requires.
pub struct Content {
    /// The whole release, for `.json`.
    pub json: Value,
    /// The numbers of `.npy` and `.csv`.
    pub values: Vec<f64>,
    /// The axes of `.npy`.
    pub shape: Vec<usize>,
    /// The names above the columns of `.csv`, if they have any.
    pub names: Option<Vec<String>>,
    /// The texts before the numbers of each line of `.csv`, if there are any.
    pub labels: Vec<String>,
}

impl Saving {
    /// Opens what `--output` names, if it does. Refuses a name that nothing can be written to, that of a file that is
    /// read, and, without `--force`, that of a file that exists.
    pub fn open(path: Option<&Path>, force: bool, read: &[&str]) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let format = match path.extension().and_then(|e| e.to_str()) {
            Some("json") => Format::Json,
            Some("npy") => Format::Npy,
            Some("csv") => Format::Csv,
            _ => return Err(format!("--output {}: the extension must be .json, .npy or .csv", path.display()).into()),
        };
        refuse_folder_that_is_read("--output", path, read)?;
        let file = OutputFile::create(path, force, read).map_err(|error| format!("--output: {error}"))?;
        Ok(Some(Self { file, format }))
    }

    /// What goes into it: the whole release, or its value.
    pub fn kept(&self) -> Kept<'_> {
        match self.format {
            Format::Json => Kept::All(self.name()),
            Format::Npy | Format::Csv => Kept::Value(self.name()),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.file.name()
    }

    fn write(self, content: &Content) -> Result<(), Failure> {
        match self.format {
            Format::Json => {
                let text = serde_json::to_string_pretty(&content.json)? + "\n";
                self.file.write_whole(text.as_bytes())?;
            }
            Format::Npy => self.file.write_npy(&content.shape, &content.values)?,
            Format::Csv => {
                let columns = match content.labels.len() {
                    0 => content.shape.last().copied().unwrap_or(1),
                    lines => content.values.len() / lines,
                };
                self.file.write_labelled_csv(&content.labels, content.names.as_deref(), columns, &content.values)?;
            }
        }
        Ok(())
    }
}

/// Refuses a file in a folder whose files are read: it would replace a record, or count as one the next time. `option`
/// is what the user gave it to.
pub fn refuse_folder_that_is_read(option: &str, path: &Path, read: &[&str]) -> Result<(), Failure> {
    let folder_of = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()
    };
    // a link lies in one folder, what it points to in another
    let written = [folder_of(path), path.canonicalize().ok().and_then(|target| folder_of(&target))];
    let is_written_to = |folder: &&&str| {
        Path::new(folder).is_dir() && Path::new(folder).canonicalize().is_ok_and(|f| written.contains(&Some(f)))
    };
    match read.iter().find(is_written_to) {
        Some(folder) => Err(format!(
            "{option} {}: its folder {folder} is read, so it would replace a record or count as one the next time; \
             choose another folder",
            path.display()
        )
        .into()),
        None => Ok(()),
    }
}

/// Hands over a release: to the file first, then, whether or not that worked, to standard output. The budget is spent
/// by now, so an error names the place where the release still is.
pub fn hand_over(saving: Option<Saving>, content: &Content, printed: &str) -> Result<(), Failure> {
    let name = saving.as_ref().map(|saving| saving.name().to_owned());
    let written = saving.map(|saving| saving.write(content));
    let spent = "the release was made and its privacy budget is spent";
    // what is printed next to a file has not all numbers
    let printed = match written {
        Some(Err(_)) => print_text(&format!("{}\n", content.json)),
        Some(Ok(())) | None => print_text(printed),
    };
    match (written, printed) {
        (None | Some(Ok(())), Ok(())) => Ok(()),
        // `karcher … --output FILE | head` has lost nothing
        (Some(Ok(())), Err(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        (Some(Ok(())), Err(error)) => {
            Err(format!("{spent}; it is in {}, but could not be printed ({error})", name.unwrap_or_default()).into())
        }
        (Some(Err(failure)), Ok(())) => {
            Err(format!("{spent}; it was printed, but not written to --output: {failure}").into())
        }
        (Some(Err(failure)), Err(error)) => {
            Err(format!("{spent}, but it could neither be written to --output ({failure}) nor printed ({error})")
                .into())
        }
        (None, Err(error)) => {
            Err(format!("{spent}, but it could not be printed ({error}); give --output FILE to have it kept").into())
        }
    }
}
