//! Labels of landmarks: what they say about the order of the landmarks, compared between files.
//!
//! Landmarks correspond by their place in a file. Labels that contradict a place are refused and not sorted: programs
//! renumber them when a point is deleted, and people misspell them, so a label alone decides nothing.

use crate::printable::printable;

/// The labels of the landmarks of a file, one for each column that is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    pub(crate) file: String,
    all: Vec<Label>,
}

#[derive(Debug, Clone, PartialEq)]
struct Label {
    /// The landmark's place in the file, from 1.
    landmark: usize,
    text: String,
    says: Says,
}

/// What a label says about its landmark.
#[derive(Debug, Clone, PartialEq)]
enum Says {
    Nothing,
    /// Its place, `F-1`, `F-2`, … or `S000`, `S001`, …, as programs label landmarks.
    Place(u64),
    /// A number other than its place, `F-2`, `F-1`, …
    Number(u64),
    Name(String),
}

impl Labels {
    /// The labels of `axes` columns a landmark, for the columns that are `selected`; `None` where all are blank.
    pub(crate) fn new(file: &str, texts: &[String], axes: usize, selected: &[usize]) -> Option<Self> {
        let says = says(texts);
        let all: Vec<Label> = selected
            .iter()
            .map(|c| c / axes.max(1))
            .map(|i| Label {
                landmark: i + 1,
                text: texts.get(i).cloned().unwrap_or_default(),
                says: says.get(i).cloned().unwrap_or(Says::Nothing),
            })
            .collect();
        all.iter().any(|label| label.says != Says::Nothing).then(|| Self { file: file.to_owned(), all })
    }

    /// The labels in names of columns, such as `nasion_x`, `nasion_y`, where they name landmarks of as many axes.
    pub(crate) fn of_names(file: &str, names: &[String]) -> Option<Self> {
        let of = |axes: usize| -> Option<Self> {
            let whole = names.chunks_exact(axes);
            let texts: Option<Vec<String>> = match whole.remainder() {
                [] => whole.map(|names| of_coordinates(names).filter(|_| are_one_landmark(names))).collect(),
                _ => None,
            };
            Self::new(file, &texts?, axes, &(0..names.len()).collect::<Vec<_>>())
        };
        let labels = of(3).or_else(|| of(2))?;
        labels.all.iter().any(|label| matches!(label.says, Says::Name(_))).then_some(labels)
    }

    /// Where and how these labels contradict those of another file, as the end of a sentence.
    pub(crate) fn contradiction(&self, other: &Self) -> Option<String> {
        let mut pairs = self.all.iter().zip(&other.all);
        let (label, expected) = pairs.find(|(a, b)| a.says.contradicts(&b.says))?;
        Some(format!(
            "landmark {} is labelled `{}`, and `{}` in {}",
            label.landmark,
            printable(&label.text),
            printable(&expected.text),
            printable(&other.file)
        ))
    }
}

impl Says {
    fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => false,
            // each the place in its own file, from 0 or from 1
            (Self::Place(_), Self::Place(_) | Self::Name(_)) | (Self::Name(_), Self::Place(_)) => false,
            (Self::Place(a) | Self::Number(a), Self::Number(b)) | (Self::Number(a), Self::Place(b)) => a != b,
            (Self::Name(a), Self::Name(b)) => a != b,
            (Self::Name(_), Self::Number(_)) | (Self::Number(_), Self::Name(_)) => true,
        }
    }
}

/// The axis that the name of a coordinate begins or ends with, from 0, and the rest: `x1`, `nasion_X`, `nasionX`.
pub(super) fn axis(name: &str) -> Option<(usize, &str)> {
    const BETWEEN: [char; 5] = ['_', '.', '-', ':', ' '];
    let name = name.trim();
    let place = |c: char| "xyz".find(c.to_ascii_lowercase());
    let (first, last) = (name.chars().next()?, name.chars().next_back()?);
    let (behind, before) = (&name[first.len_utf8()..], &name[..name.len() - last.len_utf8()]);
    let is_new = |c: Option<char>| c.is_none_or(|c| c.is_ascii_digit() || c.is_uppercase());
    let is_end =
        before.chars().next_back().is_none_or(|c| c.is_ascii_digit() || (c.is_lowercase() && last.is_uppercase()));
    match (place(first), place(last)) {
        (_, Some(at)) if before.ends_with(BETWEEN) => Some((at, before.trim_end_matches(BETWEEN))),
        (Some(at), _) if behind.starts_with(BETWEEN) => Some((at, behind.trim_start_matches(BETWEEN))),
        (Some(at), _) if is_new(behind.chars().next()) => Some((at, behind)),
        (_, Some(at)) if is_end => Some((at, before)),
        _ => None,
    }
}

/// Whether names are those of the coordinates of one landmark, x first.
pub(super) fn are_one_landmark(names: &[String]) -> bool {
    names.iter().enumerate().all(|(i, name)| axis(name).is_some_and(|(at, _)| at == i))
}

/// The label of a landmark from the names of its coordinates, where all of them have it.
pub(super) fn of_coordinates(names: &[String]) -> Option<String> {
    let rest: Option<Vec<&str>> = names.iter().map(|name| Some(axis(name)?.1)).collect();
    let same = |all: &[&str]| all.iter().all(|other| *other == all[0]);
    match rest {
        Some(rest) if same(&rest) => Some(rest[0].to_owned()),
        _ => names.iter().all(|other| *other == names[0]).then(|| names[0].clone()),
    }
}

/// What each of the labels of a file says. Labels of one text and a number count, whatever the text is: Slicer takes
/// the name of the list, which differs between files.
fn says(texts: &[String]) -> Vec<Says> {
    let split = |text: &String| {
        let text = text.trim();
        let (name, number) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        Some((name.to_owned(), number.parse::<u64>().ok()?))
    };
    let numbers: Option<Vec<(String, u64)>> = texts.iter().map(split).collect();
    match numbers {
        Some(all) if all.windows(2).all(|pair| pair[0].0 == pair[1].0) => {
            let from = all.first().map_or(0, |(_, first)| *first);
            let is_place = from <= 1 && (from..).zip(&all).all(|(place, (_, number))| place == *number);
            all.into_iter().map(|(_, n)| if is_place { Says::Place(n) } else { Says::Number(n) }).collect()
        }
        _ => {
            let name = |text: &String| match text.trim() {
                "" => Says::Nothing,
                name => Says::Name(name.to_lowercase()),
            };
            texts.iter().map(name).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(texts: &[&str]) -> Option<Labels> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Labels::new("f", &texts, 1, &(0..texts.len()).collect::<Vec<_>>())
    }

    #[test]
    fn labels_contradict_each_other_where_both_name_a_landmark() {
        for (a, b, contradicts) in [
            (&["nasion", "basion"][..], &["nasion", "basion"][..], false),
            (&["nasion", "basion"], &[" Nasion", "BASION "], false),
            (&["nasion", "basion"], &["basion", "nasion"], true),
            (&["nasion", "basion"], &["", "basion"], false),
            (&["nasion", "basion"], &["", "nasion"], true),
            // what programs count says no more than the place
            (&["F-1", "F-2"], &["ape-1", "ape-2"], false),
            (&["F-1", "F-2"], &["S000", "S001"], false),
            (&["F-1", "F-2"], &["nasion", "basion"], false),
            (&["F-1", "F-2"], &["F-2", "F-1"], true),
            (&["F-1", "F-2", "F-3"], &["F-1", "F-3", "F-4"], true),
            (&["F-2", "F-3"], &["ape-2", "ape-3"], false),
            (&["F-2", "F-3"], &["nasion", "basion"], true),
            (&["L1", "R1"], &["R1", "L1"], true),
        ] {
            let (a, b) = (labels(a).unwrap(), labels(b).unwrap());
            assert_eq!(a.contradiction(&b).is_some(), contradicts, "{a:?} {b:?}");
            assert_eq!(b.contradiction(&a).is_some(), contradicts, "{b:?} {a:?}");
        }
        assert!(labels(&["", " "]).is_none());
    }

    #[test]
    fn names_of_coordinates_are_labels_of_their_landmarks() {
        let of = |names: &str| Labels::of_names("f", &names.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let expected = Labels::new("g", &["nasion", "apex"].map(str::to_owned), 2, &[0, 1, 2, 3]).unwrap();
        for names in [
            "nasion_x nasion_y apex_x apex_y",
            "x.nasion y.nasion x.apex y.apex",
            "xNasion yNasion xApex yApex",
            "nasionX nasionY apexX apexY",
        ] {
            assert_eq!(of(names).unwrap().contradiction(&expected), None, "{names}");
        }
        assert!(of("zygion_x zygion_y apex_x apex_y").unwrap().contradiction(&expected).is_some());
        assert!(of("apex_x apex_y nasion_x nasion_y").unwrap().contradiction(&expected).is_some());
        for none in ["x1 y1 x2 y2", "x y z", "lat lon", "nasion_x apex_x nasion_y apex_y", "a b c d", "x1 y1 z1 x2"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn columns_that_are_chosen_have_the_labels_of_their_landmarks() {
        let texts = ["a", "b", "c"].map(str::to_owned);
        let chosen = Labels::new("f", &texts, 3, &[6, 7, 8, 0, 1, 2]).unwrap();
        let of_two = Labels::new("g", &["c", "b"].map(str::to_owned), 3, &[0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(chosen.contradiction(&of_two).unwrap(), "landmark 1 is labelled `a`, and `b` in g");
    }
}
