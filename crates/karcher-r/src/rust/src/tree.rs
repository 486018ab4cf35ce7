//! Lists of R as JSON, and back.

use crate::failure::Failure;
use extendr_api::prelude::*;
use serde_json::{Map, Value, json};

/// The largest magnitude up to which every whole number is a double.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A list with names is an object, and one without an array. A vector of one element is a number, text or truth value,
/// and a longer one an array. So a list of one number is an array.
pub fn json_of(given: &Robj) -> std::result::Result<Value, Failure> {
    if given.is_null() {
        return Ok(Value::Null);
    }
    if let Some(list) = given.as_list() {
        let is_object = given.names().is_some();
        let pairs =
            list.iter().map(|(name, item)| Ok((name.to_owned(), json_of(&item).map_err(|failure| failure.of(name))?)));
        if is_object {
            return Ok(Value::Object(pairs.collect::<std::result::Result<Map<_, _>, Failure>>()?));
        }
        return Ok(Value::Array(pairs.map(|pair| Ok(pair?.1)).collect::<std::result::Result<_, Failure>>()?));
    }
    let mut all = if let Some(texts) = given.as_string_vector() {
        texts.into_iter().map(Value::from).collect()
    } else if let Some(numbers) = given.as_real_slice() {
        numbers.iter().map(|x| number(*x)).collect::<std::result::Result<Vec<_>, Failure>>()?
    } else if let Some(numbers) = given.as_integer_slice() {
        numbers
            .iter()
            .map(|x| number(if *x == i32::MIN { f64::NAN } else { f64::from(*x) }))
            .collect::<std::result::Result<_, _>>()?
    } else if let Some(flags) = given.as_logical_slice() {
        let known = |flag: &Rbool| if flag.is_na() { number(f64::NAN) } else { Ok(json!(flag.is_true())) };
        flags.iter().map(known).collect::<std::result::Result<_, _>>()?
    } else {
        return Err(Failure::new("is neither numbers, texts, truth values nor a list of them"));
    };
    Ok(if all.len() == 1 { all.remove(0) } else { Value::Array(all) })
}

/// A number, which is a whole one where it can be: R writes `2` for both.
fn number(x: f64) -> std::result::Result<Value, Failure> {
    if x.fract() == 0.0 && x.abs() < WHOLE && (x != 0.0 || x.is_sign_positive()) {
        return Ok(json!(x as i64));
    }
    match x.is_finite() {
        true => Ok(json!(x)),
        false => Err(Failure::new("is NA or not finite: give a number")),
    }
}

/// JSON as R has it: an object as a list with names, an array of numbers or texts as a vector, and any other as a list.
pub fn robj_of(value: &Value) -> Robj {
    match value {
        Value::Null => ().into(),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(x) => x.as_f64().into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) if items.is_empty() => List::new(0).into(),
        Value::Array(items) if items.iter().all(Value::is_number) => {
            items.iter().filter_map(Value::as_f64).collect::<Vec<f64>>().into()
        }
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<&str>>().into()
        }
        Value::Array(items) => List::from_values(items.iter().map(robj_of)).into(),
        Value::Object(fields) => {
            let pairs = fields.iter().map(|(name, value)| (name.as_str(), robj_of(value)));
            List::from_pairs(pairs.collect::<Vec<_>>()).into()
        }
    }
}
