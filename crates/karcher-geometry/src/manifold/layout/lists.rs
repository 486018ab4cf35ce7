//! Names of columns that hold lists, or were made of them: `lonlat[0]`, `quat_xyzw_3`. Such a name lists the names of
//! all its numbers.

use super::quantities::is_quantity;
use super::tokens::tokens;
use std::collections::HashMap;

/// Names of lists that are written longitude first, as GeoJSON has them.
const LONGITUDE_FIRST: [&str; 2] = ["coordinates", "geojson"];

/// Words before letters that are written together: `quatxyzw`.
const BEFORE_LETTERS: [&str; 8] = ["q", "quat", "quaternion", "rot", "orientation", "pos", "coord", "coords"];

/// A number of a list: the parts of the list's name, and its place.
type Place = (Vec<String>, usize);

/// The names of the numbers in a list of a name and a length, if it can be read so.
type Reading<'a> = &'a dyn Fn(&[String], usize) -> Option<Vec<String>>;

/// The names of the numbers in lists, in the ways in which the names of the lists can be read; other names stay.
/// `vocabulary` has the known names of numbers. `is_on_a_map` says that coordinates are longitudes and latitudes.
pub(super) fn written_out(names: &[impl AsRef<str>], vocabulary: &[&str], is_on_a_map: bool) -> Vec<Vec<String>> {
    let places: Vec<Option<Place>> = names.iter().map(|name| place(name.as_ref())).collect();
    let mut ends: HashMap<&[String], (usize, usize)> = HashMap::new();
    for (name, at) in places.iter().flatten() {
        let (least, most) = ends.entry(name).or_insert((*at, *at));
        (*least, *most) = ((*least).min(*at), (*most).max(*at));
    }
    let readings: [Reading<'_>; 3] = [
        &|name, _| {
            let is_one = LONGITUDE_FIRST.iter().any(|list| name.last().is_some_and(|last| last == list));
            (is_one && is_on_a_map).then(|| ["lon", "lat", "height"].map(str::to_owned).to_vec())
        },
        &|name, len| name.len().checked_sub(len).filter(|_| len > 1).map(|first| name[first..].to_vec()),
        &|name, len| if len < 2 || is_quantity(name) { None } else { letters(name, len, vocabulary) },
    ];
    let read = |reading: Reading<'_>| {
        let mut is_any = false;
        let each = names.iter().zip(&places).map(|(name, place)| {
            let element = place.as_ref().and_then(|(list, at)| {
                let (least, most) = ends.get(list.as_slice())?;
                let base = (*least).min(1);
                reading(list, most + 1 - base)?.get(at - base).cloned()
            });
            is_any |= element.is_some();
            element.unwrap_or_else(|| name.as_ref().to_owned())
        });
        let read: Vec<String> = each.collect();
        is_any.then_some(read)
    };
    readings.iter().filter_map(|reading| read(*reading)).collect()
}

/// The list of a name that ends in a number, and the place in it.
fn place(name: &str) -> Option<Place> {
    let mut parts = tokens(name);
    let at = parts.pop()?.parse().ok().filter(|_| !parts.is_empty())?;
    Some((parts, at))
}

/// `len` names of the vocabulary that are written together at the end of a name. Single letters begin where a part of
/// the name begins, so that no word such as `family` is some.
fn letters(name: &[String], len: usize, vocabulary: &[&str]) -> Option<Vec<String>> {
    let begins = |before: &str| {
        let mut ends = name.iter().scan(String::new(), |all, part| {
            all.push_str(part);
            Some(all.len())
        });
        before.is_empty()
            || ends.any(|end| end == before.len())
            || BEFORE_LETTERS.iter().any(|word| before.ends_with(word))
    };
    let whole = name.concat();
    let mut words: Vec<&str> = vocabulary.to_vec();
    words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    split(&whole, len, &words).into_iter().find_map(|(before, parts)| {
        let are_long = parts.iter().all(|part| part.chars().count() > 1);
        (are_long || begins(before)).then_some(parts)
    })
}

/// The ways to read the end of a text as so many words, each with the text before it.
fn split<'a>(text: &'a str, len: usize, words: &[&str]) -> Vec<(&'a str, Vec<String>)> {
    /// More numbers have names of their own.
    const LONGEST: usize = 8;
    match len {
        0 => vec![(text, vec![])],
        _ if len > LONGEST => vec![],
        _ => words
            .iter()
            .filter_map(|word| Some((text.strip_suffix(word)?, *word)))
            .flat_map(|(rest, word)| {
                split(rest, len - 1, words).into_iter().map(move |(before, mut parts)| {
                    parts.push(word.to_owned());
                    (before, parts)
                })
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lists_are_read_number_by_number() {
        let vocabulary = ["lon", "lat", "ra", "dec", "x", "y", "z", "w", "l", "de", "i", "d"];
        let read = |names: &[&str], is_on_a_map| written_out(names, &vocabulary, is_on_a_map);
        assert_eq!(read(&["lonlat[0]", "lonlat[1]"], true), [["lon", "lat"]]);
        assert_eq!(read(&["lonlat_2", "lonlat_1"], true), [["lat", "lon"]]);
        assert_eq!(read(&["pickup_lon_lat[0]", "pickup_lon_lat[1]", "h"], true).concat()[..3], ["lon", "lat", "h"]);
        assert!(read(&["radec[0]", "radec[1]"], false).contains(&vec!["ra".to_owned(), "dec".to_owned()]));
        for quaternion in ["quat_xyzw", "quatXYZW", "quatxyzw", "xyzw"] {
            let names: Vec<String> = (0..4).map(|i| format!("{quaternion}[{i}]")).collect();
            assert!(
                written_out(&names, &vocabulary, false).contains(&["x", "y", "z", "w"].map(str::to_owned).to_vec())
            );
        }
        assert_eq!(read(&["geometry.coordinates[1]", "geometry.coordinates[0]"], true)[0], ["lat", "lon"]);
        for (innocent, is_on_a_map) in
            [("family", true), ("daily", true), ("id", true), ("v", true), ("coordinates", false)]
        {
            let names = [0, 1].map(|i| format!("{innocent}[{i}]"));
            assert!(written_out(&names, &vocabulary, is_on_a_map).is_empty(), "{innocent}");
        }
    }
}
