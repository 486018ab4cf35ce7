//! Morphologika files: sections `[individuals]`, `[landmarks]`, `[dimensions]`, `[names]` and `[rawpoints]`.
//!
//! The first three hold a number each, `[names]` a line for each individual, and `[rawpoints]` a line for each
//! landmark. A line that begins with `'`, such as `'#1`, precedes each individual or none. Other sections, such as
//! `[labels]` and `[wireframe]`, are left out.
//!
//! Source: O'Higgins and Jones 2006, Tools for statistical shape analysis; the readers of geomorph and SlicerMorph.

use super::{Specimen, Specimens, lines};
use crate::options::ReadOptions;

/// Whether the first line that is not blank begins a section of such a file.
pub(crate) fn is_section(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    ["[individuals]", "[landmarks]", "[dimensions]", "[names]", "[rawpoints]"]
        .iter()
        .any(|section| line.eq_ignore_ascii_case(section.as_bytes()))
}

pub(crate) fn parse(text: &str, options: &ReadOptions) -> Result<Specimens, String> {
    let section = |name: &str| {
        let begins = |line: &str| line.starts_with('[');
        let mut rest = lines(text).skip_while(|(_, line)| !line.eq_ignore_ascii_case(&format!("[{name}]")));
        rest.next().map(|_| rest.take_while(|(_, line)| !begins(line)).collect::<Vec<_>>())
    };
    let count = |name: &str| -> Result<usize, String> {
        let lines = section(name).ok_or_else(|| format!("it has no section [{name}]"))?;
        let number = lines.first().and_then(|(_, line)| line.parse().ok()).filter(|number| *number > 0);
        number.ok_or_else(|| format!("[{name}] is not followed by a number"))
    };
    let (individuals, landmarks, axes) = (count("individuals")?, count("landmarks")?, count("dimensions")?);
    if !(2..=3).contains(&axes) {
        return Err(format!("its landmarks have {axes} coordinates, expected 2 or 3"));
    }
    let names = section("names").unwrap_or_default();
    if !names.is_empty() && names.len() != individuals {
        return Err(format!("it has {} names and {individuals} individuals", names.len()));
    }
    let points = section("rawpoints").ok_or("it has no section [rawpoints]")?;
    let all = match points.first() {
        Some((_, line)) if line.starts_with('\'') => between_marks(&points),
        _ => points.chunks(landmarks).map(<[_]>::to_vec).collect(),
    };
    let is_whole = points.first().is_some_and(|(_, line)| line.starts_with('\''))
        || Some(points.len()) == individuals.checked_mul(landmarks);
    if all.len() != individuals || !is_whole {
        return Err(format!("[rawpoints] does not hold {individuals} individuals of {landmarks} landmarks"));
    }
    let specimens = all.iter().enumerate().map(|(i, lines)| {
        let mut specimen = Specimen::at(lines.first().map_or(1, |(line, _)| *line));
        specimen.name = names.get(i).map(|(_, name)| (*name).to_owned());
        // a line more than there may be is a fault; further ones need not be read
        for (_, line) in lines.iter().filter(|(_, line)| !line.starts_with('\'')).take(landmarks.saturating_add(1)) {
            specimen.landmark(line, axes, options.decimal_comma);
        }
        specimen.complete(landmarks, axes);
        specimen
    });
    Ok(Specimens { axes, all: specimens.collect(), ..Specimens::default() })
}

/// The lines of each individual, its mark first.
fn between_marks<'a>(points: &[(usize, &'a str)]) -> Vec<Vec<(usize, &'a str)>> {
    let mut all: Vec<Vec<_>> = vec![];
    for point in points {
        match all.last_mut() {
            Some(last) if !point.1.starts_with('\'') => last.push(*point),
            _ => all.push(vec![*point]),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, Table, read_bytes};

    const HEAD: &str = "[Individuals]\n2\n[landmarks]\n2\n[dimensions]\n3\n[names]\nfirst ape\nsecond\n";

    fn read(text: &str) -> Result<Table, String> {
        let options = ReadOptions {
            format: Some("morphologika".parse().unwrap()),
            person: Some("id".to_owned()),
            ..Default::default()
        };
        read_bytes("f.txt", text.as_bytes().to_vec(), &options).map_err(|error| error.to_string())
    }

    #[test]
    fn individuals_are_records_with_or_without_marks() {
        let marked = "[rawpoints]\r\n'#1\r\n1 2 3\r\n4 5 6\r\n\r\n'#2\r\n7 8 9\r\n10  11 12\r\n[wireframe]\r\n1 2\r\n";
        for points in [marked, "[labels]\nsex\n[labelvalues]\nm\nf\n[RAWPOINTS]\n1 2 3\n4 5 6\n\n7 8 9\n10 11 12"] {
            let table = read(&format!("{HEAD}{points}")).unwrap();
            assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
            assert_eq!(table.persons, ["first ape", "second"].map(|name| Key::Text(name.to_owned())));
        }
    }

    #[test]
    fn what_is_no_individual_is_refused_with_the_reason() {
        for (text, reason) in [
            (format!("{HEAD}[rawpoints]\n1 2 3\n4 5 6\n7 8 9\n"), "does not hold 2 individuals of 2 landmarks"),
            (format!("{HEAD}[rawpoints]\n'\n1 2 3\n4 5 6\n"), "does not hold 2 individuals of 2 landmarks"),
            (format!("{HEAD}[rawpoints]\n'\n1 2 3\n4 5 6\n'\n7 8 9\n"), "record 2 (line 14): it has 1 landmarks"),
            (
                format!("{HEAD}[rawpoints]\n1 2 3\n4 5 6\n7 8 9\n1 2\n"),
                "record 2 (line 13): landmark 2 has other than 3",
            ),
            (HEAD.to_owned(), "it has no section [rawpoints]"),
            (HEAD.replace("second\n", "[rawpoints]\n"), "it has 1 names and 2 individuals"),
            (HEAD.replace("\n3\n", "\n4\n") + "[rawpoints]\n", "have 4 coordinates, expected 2 or 3"),
            (HEAD.replace("\n2\n[l", "\nx\n[l"), "[individuals] is not followed by a number"),
            ("1,2\n".to_owned(), "it has no section [individuals]"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_text_that_begins_so_says_which_format_it_is() {
        let error = read_bytes("f.txt", HEAD.into(), &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.ends_with("give --format morphologika"), "{error}");
    }
}
