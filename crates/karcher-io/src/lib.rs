//! Reads text, TPS, NPY, NPZ, Parquet and Arrow files into validated points of a manifold.
//!
//! [`read()`] gives the numbers of a file as a [`Table`], one record a row. [`to_points`] turns the rows into points of
//! a manifold, by a [`Layout`](karcher::manifold::Layout) of it ([`layout()`]) that defines how a record holds a point:
//! an upper triangle, latitude and longitude, landmarks.
//!
//! Any input gives a value or an error, never a panic. Memory grows with the actual data, not with the claims of a
//! header.
//!
//! ```
//! use karcher_io::{ReadOptions, read_bytes};
//!
//! let options = ReadOptions { columns: Some("lat,lng".to_owned()), ..Default::default() };
//! let table = read_bytes("cities.csv", b"city,lat,lng\nTokyo,35.685,139.7514\n".to_vec(), &options)?;
//! assert_eq!(table.values, [35.685, 139.7514]);
//! # Ok::<(), karcher_io::Error>(())
//! ```

pub mod array;
pub mod convert;
mod converters;
pub mod error;
pub mod format;
pub mod layout;
pub mod metadata;
pub mod output_file;
pub mod read;
pub mod stream;
pub mod table;
pub mod write;

mod advice;
mod catch_panic;
mod dtype;
mod duplicate_inputs;
mod formats;
mod memory;
mod open;
mod options;
mod printable;
#[cfg(test)]
mod real_data;
mod rounding;
mod short;
mod shrinkage;
mod source;

pub use array::StoredArray;
pub use convert::{ConvertOptions, OnInvalid, point_from_rounded, point_from_values, to_points};
pub use dtype::Dtype;
pub use duplicate_inputs::refuse_duplicates;
pub use error::{Error, Place, Result};
pub use format::Format;
pub use formats::landmarks::like::Like;
pub use formats::text::encoding::TextEncoding;
pub use layout::{is_free_of_scale, layout, layout_names, takes_complex};
pub use options::columns::ColumnsBy;
pub use options::covariate::Covariate;
pub use options::dates::{EIGHT_DIGITS, decimal_year, year_of_number, year_within};
pub use options::factors::Factor;
pub use options::missing_values::MissingValues;
pub use options::person::Key;
pub use options::{Missing, ReadOptions};
pub use output_file::{OutputFile, remove_unfinished};
pub use printable::printable;
pub use read::{read, read_all, read_all_with_covariates, read_all_with_predictor, read_bytes, read_with_predictor};
pub use rounding::Rounding;
pub use shrinkage::{Shrinkage, shrink_trace_ball};
pub use source::spool_file;
pub use stream::{Batch, Stream};
pub use table::Table;
pub use write::{NpyWriter, write_csv, write_npy, write_rows};
