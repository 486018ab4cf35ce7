//! The readers of each format. A format joins the crate by its reader here, a line in the list of `format.rs` and one
//! in `open.rs`.

#[cfg(feature = "parquet")]
pub(crate) mod arrow;
pub(crate) mod blocks;
pub(crate) mod cell;
pub(crate) mod g2o;
pub(crate) mod landmarks;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod odd_cell;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod records;
pub(crate) mod text;
pub(crate) mod tps;
