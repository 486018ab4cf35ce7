//! Reads CSV, NPY, NPZ and Parquet files into validated points of a manifold.
//!
//! [`read()`] gives the numbers of a file as a [`Table`], one record a row. [`to_points`] turns the rows into points of a
//! manifold, by a [`Layout`] that says how a record holds a point: an upper triangle, latitude and longitude, landmarks.
//!
//! Whatever the input, the result is a value or an error, never a panic, and memory grows with the data that is there,
//! not with what a header claims.
//!
//! ```
//! use karcher_io::{ReadOptions, read_bytes};
//!
//! let options = ReadOptions { columns: Some("lat,lng".to_owned()), ..Default::default() };
//! let table = read_bytes("cities.csv", b"city,lat,lng\nTokyo,35.685,139.7514\n".to_vec(), &options)?;
//! assert_eq!(table.values, [35.685, 139.7514]);
//! # Ok::<(), karcher_io::Error>(())
//! ```

pub mod convert;
pub mod describe;
pub mod error;
pub mod layout;
pub mod output_file;
pub mod read;
pub mod table;
pub mod write;

mod columns;
mod csv;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod predictor;
#[cfg(test)]
mod real_data;

pub use convert::{ConvertOptions, OnInvalid, point_from_values, to_points};
pub use error::{Error, Place, Result};
pub use layout::Layout;
pub use output_file::{OutputFile, remove_unfinished};
pub use predictor::read_with_predictor;
pub use read::{ReadOptions, read, read_bytes};
pub use table::Table;
pub use write::{NpyWriter, write_csv, write_npy};
