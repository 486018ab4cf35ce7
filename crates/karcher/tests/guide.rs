//! The guide shows code as it is.

use std::path::Path;

#[test]
fn every_line_of_rust_in_the_guide_s_add_a_space_is_in_the_example() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(crate_folder.join(path)).unwrap();
    let (guide, example) = (read("../../docs/how-to/add-a-space.md"), read("examples/outside_space.rs"));
    let blocks: Vec<&str> = guide.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        assert!(example.contains(block), "{block}");
    }
}

#[test]
fn the_guide_says_how_many_methods_a_space_must_have() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(crate_folder.join(path)).unwrap();
    let (guide, file) = (read("../../docs/how-to/add-a-space.md"), read("../karcher-geometry/src/manifold/mod.rs"));
    let (_, body) = file.split_once("pub trait Manifold:").unwrap();
    let body = body.split("\n}\n").next().unwrap();
    // a method without a body ends with a semicolon
    let is_required = |method: &&str| method.find([';', '{']).is_some_and(|at| method[at..].starts_with(';'));
    let required = body.split("\n    fn ").skip(1).filter(is_required);
    assert!(guide.contains(&format!("The trait has {} required\nmethods", required.count())));
}

/// A capital letter and a digit, as in `[X1]`.
fn labels(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let starts = |i: usize| i == 0 || !characters[i - 1].is_alphanumeric();
    let label = |i: usize| characters[i].is_ascii_uppercase() && characters[i + 1].is_ascii_digit() && starts(i);
    let ends = |i: usize| characters.get(i + 2).is_none_or(|c| !c.is_alphanumeric());
    let places = (0..characters.len().saturating_sub(1)).filter(|i| label(*i) && ends(*i));
    places.map(|i| characters[i..i + 2].iter().collect()).collect()
}

fn sources(folder: &Path, extensions: &[&str], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, extensions, found);
        } else if entry.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension)) {
            found.push(std::fs::read_to_string(&entry).unwrap());
        }
    }
}

/// The titles that follow `user guide, ` in a text: `"A"`, `"A" (R1) and "B"`.
fn titles(text: &str) -> Vec<String> {
    let mut found = vec![];
    for rest in text.split("ser guide, \"").skip(1) {
        let sentence = rest.split(".\n").next().unwrap_or(rest).split("\n\n").next().unwrap_or(rest);
        let words = sentence.split_whitespace().filter(|word| !["//!", "///"].contains(word));
        let line = words.collect::<Vec<_>>().join(" ");
        let end = line.find("\")").unwrap_or(line.len());
        let quoted = line[..end].split('"').step_by(2);
        found.extend(quoted.map(|title| title.trim_end_matches([',', '.']).to_owned()));
    }
    found.retain(|title| title.starts_with(|first: char| first.is_uppercase()));
    found
}

#[test]
fn every_page_that_documentation_cites_is_in_the_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let (mut code, mut pages) = (vec![], vec![]);
    sources(&root.join("crates"), &["rs", "py", "R", "Rd", "Rmd"], &mut code);
    sources(&root.join("docs"), &["md"], &mut pages);
    let of_pages: Vec<&str> = pages.iter().filter_map(|page| page.lines().next()?.strip_prefix("# ")).collect();
    let cited: Vec<String> = code.iter().flat_map(|text| titles(text)).collect();
    assert!(cited.len() > 20, "{cited:?}");
    for title in cited {
        assert!(of_pages.contains(&&*title), "no page of the guide has the title {title}");
    }
}

#[test]
fn every_label_that_the_code_cites_is_in_the_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut code = vec![];
    for folder in ["karcher/src", "karcher/tests", "karcher-cli/src"] {
        sources(&root.join("crates").join(folder), &["rs"], &mut code);
    }
    let cited = code.iter().flat_map(|text| text.split("user guide, ").skip(1));
    let cited: Vec<String> = cited.flat_map(|rest| labels(rest.split(')').next().unwrap_or(rest))).collect();
    let proofs = root.join("docs/proofs");
    let index = std::fs::read_to_string(proofs.join("README.md")).unwrap();
    let chapters = std::fs::read_dir(proofs).unwrap().map(|entry| entry.unwrap().path());
    let chapters = chapters.filter(|path| path.is_file());
    let guide: Vec<String> = chapters.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(cited.len() > 40, "{cited:?}");
    for label in cited.into_iter().chain(labels(&index)) {
        let (brackets, heading) = (format!("[{label}]"), format!(" [{label}]"));
        assert!(index.contains(&brackets), "{label} is not in the index of the guide");
        let explained = guide.iter().flat_map(|text| text.lines()).any(|line| {
            (line.starts_with('#') || line.starts_with("| [")) && (line.contains(&heading) || line.contains(&brackets))
        });
        assert!(explained, "{label} has no section");
    }
}
