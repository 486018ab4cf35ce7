//! File formats by the file's name.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The name of standard input among files.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Format and packing of a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    pub(crate) kind: Kind,
    pub(crate) packing: Option<Packing>,
}

/// Declares each kind of file: its variant, its name in messages, and the extensions that mean it. The first extension
/// stands for the kind.
macro_rules! kinds {
    ($($variant:ident $name:literal $($extension:literal)+;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Kind {
            $($variant),*
        }

        impl Kind {
            const ALL: &[Kind] = &[$(Kind::$variant),*];

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Kind::$variant => $name),*
                }
            }

            fn extensions(self) -> &'static [&'static str] {
                match self {
                    $(Kind::$variant => &[$($extension),+]),*
                }
            }
        }
    };
}

kinds! {
    Text "CSV" "csv" "tsv" "txt";
    Tps "TPS" "tps";
    G2o "g2o" "g2o";
    Nts "NTSYS" "nts" "dta";
    Morphologika "Morphologika" "morphologika";
    Pts "point" "pts";
    Fcsv "fiducial" "fcsv";
    Markups "Slicer markups" "mrk.json";
    Npy "NPY" "npy";
    Npz "NPZ" "npz";
    Parquet "Parquet" "parquet";
    Arrow "Arrow" "arrow" "feather";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing that the first bytes of a file say. No unpacked file of records begins so.
    pub(crate) fn of(bytes: &[u8]) -> Option<Packing> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstd),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "Zstandard",
        }
    }
}

impl Format {
    /// The format that the extension of a file's name says: one of [`Format::extensions`], also with `.gz` or `.zst`. An
    /// archive may have a key, as `FILE.npz:KEY`. Standard input, `-`, is text.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`].
    ///
    /// ```
    /// use karcher_io::Format;
    /// assert_eq!(Format::of("records.csv.gz")?.to_string(), "csv.gz");
    /// assert!(Format::of("records.xlsx").is_err());
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn of(path: &str) -> Result<Format> {
        let (file, _) = split_key(path);
        if file == STANDARD_INPUT {
            return Ok(Self { kind: Kind::Text, packing: None });
        }
        let unknown = || Error::UnknownFormat { file: path.to_owned() };
        let name = std::path::Path::new(file).file_name().ok_or_else(unknown)?.to_string_lossy().to_ascii_lowercase();
        name.split_once('.').ok_or_else(unknown)?;
        Self::from_end(&name).ok_or_else(unknown)
    }

    /// The extensions of all formats, without the dot.
    ///
    /// ```
    /// use karcher_io::Format;
    /// assert!(Format::extensions().all(|extension| extension.parse::<Format>().is_ok()));
    /// ```
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        Kind::ALL.iter().flat_map(|kind| kind.extensions()).copied()
    }

    /// The format of a name that ends in it.
    fn from_end(name: &str) -> Option<Format> {
        let (stem, packing) = split_packing(name);
        let is_extension =
            |extension: &&'static str| stem.strip_suffix(extension).is_some_and(|rest| rest.ends_with('.'));
        let kind = *Kind::ALL.iter().find(|kind| kind.extensions().iter().any(is_extension))?;
        Some(Format { kind, packing })
    }
}

/// A name without the end that says a packing, and the packing.
fn split_packing(name: &str) -> (&str, Option<Packing>) {
    match name.rsplit_once('.') {
        Some((stem, "gz")) => (stem, Some(Packing::Gzip)),
        Some((stem, "zst")) => (stem, Some(Packing::Zstd)),
        _ => (name, None),
    }
}

impl FromStr for Format {
    type Err = Error;

    /// Reads an extension, without the first dot: `csv`, `csv.gz`.
    fn from_str(extension: &str) -> Result<Self> {
        let name = extension.trim().to_ascii_lowercase();
        let (stem, packing) = split_packing(&name);
        let kind = Kind::ALL.iter().find(|kind| kind.extensions().contains(&stem));
        kind.map(|kind| Format { kind: *kind, packing })
            .ok_or_else(|| Error::UnknownExtension { name: extension.to_owned() })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.extensions()[0])?;
        f.write_str(match self.packing {
            Some(Packing::Gzip) => ".gz",
            Some(Packing::Zstd) => ".zst",
            None => "",
        })
    }
}

/// The extensions of all formats behind a prefix: `csv, tsv, … or feather`.
pub(crate) fn listed(prefix: &str) -> String {
    let all: Vec<String> = Format::extensions().map(|extension| format!("{prefix}{extension}")).collect();
    all.split_last().map_or_else(String::new, |(last, others)| format!("{} or {last}", others.join(", ")))
}

/// `FILE.npz:KEY` as `FILE.npz` and `KEY`.
pub(crate) fn split_key(path: &str) -> (&str, Option<&str>) {
    match path.to_ascii_lowercase().find(".npz:") {
        Some(at) => (&path[..at + 4], Some(&path[at + 5..])),
        None => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_format() {
        for (name, format) in [
            ("a/B.CSV", "csv"),
            ("a.b.txt.gz", "csv.gz"),
            ("a.npz:x.csv", "npz"),
            ("skulls.TPS.gz", "tps.gz"),
            ("ape.mrk.json", "mrk.json"),
            ("ape.dta.gz", "nts.gz"),
            ("a.parquet", "parquet"),
            ("a.feather.zst", "arrow.zst"),
            ("-", "csv"),
        ] {
            assert_eq!(Format::of(name).unwrap().to_string(), format, "{name}");
        }
        for name in ["a", "a.json", "mrk.json", "csv", "a.gz", "a.csv.bz2", "/dev/stdin", ""] {
            assert!(matches!(Format::of(name), Err(Error::UnknownFormat { .. })), "{name}");
        }
    }

    #[test]
    fn extensions_are_formats() {
        for name in ["csv", "csv.gz", "npy", "npz", "parquet.zst", "arrow", "mrk.json", "mrk.json.gz"] {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
        assert_eq!(" TSV".parse::<Format>().unwrap().to_string(), "csv");
        for name in ["", "gz", ".csv", "x.csv", "a.csv.gz", "json"] {
            assert!(matches!(name.parse::<Format>(), Err(Error::UnknownExtension { .. })), "{name}");
        }
    }
}
