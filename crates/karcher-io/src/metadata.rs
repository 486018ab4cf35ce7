//! What the metadata of a table in Arrow's form say of its columns in addition to names and types.

use serde_json::Value;
use std::collections::HashMap;

/// Texts by their names, those of a schema or of a field.
pub type Metadata = HashMap<String, String>;

/// The names of the numbers of a column that its metadata describe: a number with its unit, from `unit` or `units`, and
/// a point of a geometry, whose format puts x before y. `None` where they say no more than the name.
///
/// ```
/// use karcher_io::metadata::{Metadata, described};
/// let of = |key: &str, value: &str| Metadata::from([(key.to_owned(), value.to_owned())]);
/// let names = described("lat", 1, &of("units", "degrees_north"), &Metadata::new());
/// assert_eq!(names.unwrap(), ["lat (degrees)"]);
/// let names = described("place", 2, &of("ARROW:extension:name", "geoarrow.point"), &Metadata::new());
/// assert_eq!(names.unwrap(), ["x", "y"]);
/// assert!(described("lat", 1, &Metadata::new(), &Metadata::new()).is_none());
/// ```
pub fn described(name: &str, numbers: usize, of_field: &Metadata, of_schema: &Metadata) -> Option<Vec<String>> {
    match numbers {
        1 => {
            let is_unit = |key: &&String| ["unit", "units"].contains(&&*key.to_ascii_lowercase());
            let unit = of_field.keys().find(is_unit).and_then(|key| of_field.get(key)).map(|unit| unit.trim())?;
            (!unit.is_empty()).then(|| vec![format!("{name} ({})", word(unit))])
        }
        2..=3 if is_point(name, of_field, of_schema) => {
            Some(["x", "y", "z"][..numbers].iter().map(|&axis| axis.to_owned()).collect())
        }
        _ => None,
    }
}

/// A unit as names of columns have it. Conventions for climate data write `degrees_north`, astronomers `hourangle`.
fn word(unit: &str) -> &str {
    match unit.to_ascii_lowercase().as_str() {
        "°" => "degrees",
        "hourangle" => "hours",
        // `degrees_west` says a sign too
        degrees
            if degrees.starts_with("degree")
                && !["west", "south", "_w", "_s"].iter().any(|it| degrees.ends_with(it)) =>
        {
            "degrees"
        }
        _ => unit,
    }
}

/// Whether a column of lists holds points of a geometry: by its extension type, or by the `geo` of GeoParquet.
fn is_point(name: &str, of_field: &Metadata, of_schema: &Metadata) -> bool {
    let is_extension = of_field.get("ARROW:extension:name").is_some_and(|name| name == "geoarrow.point");
    let geo = value(of_schema, "geo");
    let encoding = geo.as_ref().and_then(|geo| geo["columns"][name]["encoding"].as_str());
    is_extension || encoding.is_some_and(|encoding| ["point", "geoarrow.point"].contains(&encoding))
}

/// The columns that are an index of pandas, and no columns of its table.
///
/// ```
/// use karcher_io::metadata::{Metadata, index_columns};
/// let pandas = r#"{"index_columns": ["subject"], "columns": []}"#;
/// assert_eq!(index_columns(&Metadata::from([("pandas".to_owned(), pandas.to_owned())])), ["subject"]);
/// ```
pub fn index_columns(of_schema: &Metadata) -> Vec<String> {
    let pandas = value(of_schema, "pandas");
    let columns = pandas.as_ref().and_then(|pandas| pandas["index_columns"].as_array());
    columns.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The axes of the tensor in each list of a column, and whether they are permuted; none of other columns.
///
/// ```
/// use karcher_io::metadata::{Metadata, tensor};
/// let of = |tensor: &str| Metadata::from([("ARROW:extension:metadata".to_owned(), tensor.to_owned())]);
/// assert_eq!(tensor(&of(r#"{"shape": [2, 12]}"#)), (vec![2, 12], false));
/// assert_eq!(tensor(&of(r#"{"shape": [2, 12], "permutation": [1, 0]}"#)), (vec![2, 12], true));
/// assert_eq!(tensor(&Metadata::new()), (vec![], false));
/// ```
pub fn tensor(of_field: &Metadata) -> (Vec<usize>, bool) {
    let described = value(of_field, "ARROW:extension:metadata");
    let axis = |n: &Value| n.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let list = |key: &str| -> Vec<usize> {
        let list = described.as_ref().and_then(|described| described.get(key)?.as_array());
        list.into_iter().flatten().map(axis).collect()
    };
    (list("shape"), list("permutation").iter().enumerate().any(|(i, axis)| *axis != i))
}

fn value(of: &Metadata, key: &str) -> Option<Value> {
    of.get(key).and_then(|text| serde_json::from_str(text).ok())
}
