//! The compiled half of the Python package `karcher`: NumPy arrays in and out, the GIL released in between, errors as
//! Python exceptions with the library's sentence. Everything a user sees, and its documentation, is in
//! `python/karcher/`.

mod advice;
mod aggregate;
mod arrays;
mod blocks;
mod broadcast;
mod classes;
mod columns;
mod error;
mod features;
mod gradient;
mod input;
mod keys;
mod lazy_rows;
mod ledger;
mod local;
mod location;
mod manifold;
mod mean;
mod names;
mod partial;
mod persons;
mod picture;
mod privacy;
mod regression;
mod release;
mod remote;
mod report;
mod series;
mod singles;
mod spec;
mod stream;
mod synthesis;
mod together;
mod tps;
mod verify;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _karcher {
    use super::*;
    #[pymodule_export]
    use crate::aggregate::{PyAggregator, PyTask, aggregate_adopt, aggregate_keys, aggregate_shared_key};
    #[pymodule_export]
    use crate::classes::{chosen_rows, distances_to, points_or_center, upper_triangles};
    #[pymodule_export]
    use crate::columns::blame;
    #[pymodule_export]
    use crate::features::{
        feature_columns, feature_design, feature_points, feature_predictions, feature_records, feature_rows,
        level_places,
    };
    #[pymodule_export]
    use crate::input::{LargeArray, check_records};
    #[pymodule_export]
    use crate::keys::{key_numbers, keys};
    #[pymodule_export]
    use crate::lazy_rows::LazyRows;
    #[pymodule_export]
    use crate::ledger::{ledger_adopt, ledger_book, ledger_check, ledger_export, ledger_import, ledger_new};
    #[pymodule_export]
    use crate::local::{collected, randomized};
    #[pymodule_export]
    use crate::location::geometric_median;
    #[pymodule_export]
    use crate::manifold::PyManifold;
    #[pymodule_export]
    use crate::mean::{compare, frechet_mean, pool};
    #[pymodule_export]
    use crate::names::names_parts;
    #[pymodule_export]
    use crate::partial::{merge, partial};
    #[pymodule_export]
    use crate::picture::{PyPicture, picture, plan_picture, sites_picture};
    #[pymodule_export]
    use crate::privacy::{
        audit, budget_caveats, calibrate, check_budget, compose, convert, delta_at, epsilon_at, group, implies,
        parallel, plan, profile, sensitivity,
    };
    #[pymodule_export]
    use crate::regression::{geodesic_regression, predictor};
    #[pymodule_export]
    use crate::release::{private_count, release};
    #[pymodule_export]
    use crate::remote::PyRemote;
    #[pymodule_export]
    use crate::report::{cells, report, section, words};
    #[pymodule_export]
    use crate::series::{PySeries, series_begin, series_plan};
    #[pymodule_export]
    use crate::spec::{asks_few_sums, checked_spec, public_ball, statistics, takes_no_ball};
    #[pymodule_export]
    use crate::stream::{Stream, count_rows};
    #[pymodule_export]
    use crate::synthesis::synthesize;
    #[pymodule_export]
    use crate::together::Classes;
    #[pymodule_export]
    use crate::tps::{align_landmarks, read_landmarks, read_tps};
    #[pymodule_export]
    use crate::verify::verify;
    #[pymodule_export]
    use crate::work::set_threads;

    /// The version of the library, and how to cite it.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__citation__", karcher_report::citation())
    }
}
