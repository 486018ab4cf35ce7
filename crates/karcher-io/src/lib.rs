//! Reads CSV, NPY, NPZ and Parquet files into validated points of a manifold.
