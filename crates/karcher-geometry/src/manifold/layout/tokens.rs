//! Names of columns in parts: `decimalLatitude`, `lat_deg`, `c[1,2]`.

use std::collections::HashSet;

/// More tokens than this are no one word.
const LONGEST_RUN: usize = 3;

/// The parts of a name in lower case, split at changes of case, between letters and digits, and at everything else.
pub(super) fn tokens(name: &str) -> Vec<String> {
    let name: Vec<char> =
        name.replace('°', " deg ").replace('%', " percent ").replace('‰', " permil ").chars().collect();
    let mut tokens = vec![String::new()];
    for (i, &c) in name.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| name[i]);
        let after = name.get(i + 1);
        let begins = before.is_some_and(|b| {
            b.is_numeric() != c.is_numeric()
                || (b.is_lowercase() && c.is_uppercase())
                || (b.is_uppercase() && c.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
        });
        if !c.is_alphanumeric() || begins {
            tokens.push(String::new());
        }
        if let (true, Some(token)) = (c.is_alphanumeric(), tokens.last_mut()) {
            token.extend(c.to_lowercase());
        }
    }
    tokens.retain(|token| !token.is_empty());
    // the sign of a declination that stands in a column of its own: `DE-`
    if name.ends_with(&['-']) && !tokens.is_empty() {
        tokens.push("sign".to_owned());
    }
    tokens
}

/// Neighbouring tokens written together, each with their number: `right ascension` is `rightascension`.
pub(super) fn runs(tokens: &[String]) -> impl Iterator<Item = (usize, String)> {
    let from = |first: usize| (1..=LONGEST_RUN.min(tokens.len() - first)).map(move |n| (n, first));
    (0..tokens.len()).flat_map(from).map(|(n, first)| (n, tokens[first..first + n].concat()))
}

/// The words of a vocabulary that a name says: the longest ones, so that a dip direction is no dip.
pub(super) fn said(tokens: &[String], vocabulary: &HashSet<&str>) -> Vec<String> {
    let known: Vec<_> = runs(tokens).filter(|(_, run)| vocabulary.contains(run.as_str())).collect();
    let longest = known.iter().map(|(n, _)| *n).max();
    known.into_iter().filter(|(n, _)| Some(*n) == longest).map(|(_, word)| word).collect()
}

/// Whether names differ in digits alone, as those of a series do: `q3` and `q4`.
pub(super) fn are_a_series(a: &[String], b: &[String]) -> bool {
    let is_number = |token: &String| token.bytes().all(|b| b.is_ascii_digit());
    let same = |(a, b): (&String, &String)| a == b || (is_number(a) && is_number(b));
    a.len() == b.len() && a.iter().any(is_number) && a.iter().zip(b).all(same)
}

/// The last number of each name of a series.
pub(super) fn series(names: &[Vec<String>]) -> Option<Vec<u32>> {
    let last = |name: &Vec<String>| name.iter().rev().find_map(|token| token.parse().ok());
    names.iter().all(|name| are_a_series(&names[0], name)).then(|| names.iter().map(last).collect())?
}

/// Whether numbers are those from the least to the greatest, each once.
pub(super) fn are_consecutive(numbers: &[u32]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// The remainder of each name without the tokens that all of them begin and end with. Empty where one has no remainder.
pub(super) fn remainders(names: &[impl AsRef<[String]>]) -> Vec<String> {
    let names: Vec<&[String]> = names.iter().map(AsRef::as_ref).collect();
    let [first, rest @ ..] = &names[..] else { return vec![] };
    let shortest = names.iter().map(|name| name.len()).min().unwrap_or(0);
    let front = (0..shortest).take_while(|&i| rest.iter().all(|name| name[i] == first[i])).count();
    let end = |name: &[String], i: usize| name[name.len() - 1 - i].clone();
    let back = (0..shortest - front).take_while(|&i| rest.iter().all(|name| end(name, i) == end(first, i))).count();
    let left: Vec<String> = names.iter().map(|name| name[front..name.len() - back].concat()).collect();
    if left.iter().any(String::is_empty) { vec![] } else { left }
}

/// The remainders, then without the first letter that all have, without two of them, and so on.
pub(super) fn shorter_and_shorter(remainders: Vec<String>) -> impl Iterator<Item = Vec<String>> {
    std::iter::successors(Some(remainders).filter(|left| !left.is_empty()), |left| {
        let first = left[0].chars().next()?;
        let rest: Option<Vec<String>> = left
            .iter()
            .map(|name| name.strip_prefix(first).filter(|rest| !rest.is_empty()).map(str::to_owned))
            .collect();
        rest.filter(|_| first.is_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_case_digits_and_signs() {
        for (name, expected) in [
            ("decimalLatitude", "decimal latitude"),
            ("GPSLat", "gps lat"),
            ("lat_deg", "lat deg"),
            ("Lon (°)", "lon deg"),
            ("pose.orientation.w", "pose orientation w"),
            ("X12", "x 12"),
            ("c[1,2]", "c 1 2"),
            ("Längengrad", "längengrad"),
            ("qX", "q x"),
            ("DE-", "de sign"),
            ("λ", "λ"),
            ("SIO2(WT%)", "sio 2 wt percent"),
            ("", ""),
            ("--", ""),
        ] {
            assert_eq!(tokens(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn the_longest_word_counts() {
        let vocabulary = HashSet::from(["dip", "dipdirection", "lat"]);
        assert_eq!(said(&tokens("dip_direction (deg)"), &vocabulary), ["dipdirection"]);
        assert_eq!(said(&tokens("DipAngle"), &vocabulary), ["dip"]);
        assert!(said(&tokens("flat"), &vocabulary).is_empty());
    }

    #[test]
    fn what_all_names_share_is_no_part_of_them() {
        let left = |names: &[&str]| remainders(&names.iter().map(|name| tokens(name)).collect::<Vec<_>>());
        assert_eq!(left(&["pose.q.x (m)", "pose.q.y (m)"]), ["x", "y"]);
        assert_eq!(left(&["x", "x"]), [""; 0]);
        let shorter: Vec<_> = shorter_and_shorter(left(&["reclat", "reclong"])).collect();
        assert!(shorter.contains(&vec!["lat".to_owned(), "long".to_owned()]), "{shorter:?}");
    }
}
