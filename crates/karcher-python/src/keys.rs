//! Keys of persons, classes and levels, by the rule of the library.

use karcher::Key;
use pyo3::pyfunction;
use std::collections::BTreeMap;

/// The keys that texts are, in one form for all that are equal; none of a blank text.
#[pyfunction]
pub fn keys(texts: Vec<Option<String>>) -> Vec<Option<String>> {
    texts.iter().map(|text| Key::of(text.as_deref()?).map(|key| key.to_string())).collect()
}

/// The number of each key, from 0 without gaps, in the order of the keys.
#[pyfunction]
pub fn key_numbers(texts: Vec<Option<String>>) -> Vec<Option<usize>> {
    let keys: Vec<Option<Key>> = texts.iter().map(|text| Key::of(text.as_deref()?)).collect();
    let mut numbers: BTreeMap<&Key, usize> = keys.iter().flatten().map(|key| (key, 0)).collect();
    numbers.values_mut().enumerate().for_each(|(i, number)| *number = i);
    keys.iter().map(|key| numbers.get(key.as_ref()?).copied()).collect()
}
