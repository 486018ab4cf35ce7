//! `karcher synthesize`.

use assert_cmd::Command;
use karcher::Space;
use karcher_io::{ConvertOptions, ReadOptions, read, to_points};
use std::path::Path;

fn run(folder: &Path, arguments: &str) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().args(arguments.split(' ')).current_dir(folder).output().unwrap()
}

/// Standard output and standard error of a command that succeeds.
fn done(folder: &Path, arguments: &str) -> (String, String) {
    let output = run(folder, arguments);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {told}");
    (String::from_utf8(output.stdout).unwrap(), told)
}

fn refusal(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments}: {sentence}");
    assert!(output.stdout.is_empty() && sentence.trim_end().lines().count() == 1, "{sentence}");
    sentence
}

/// A folder with releases of the examples.
fn releases() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["cities.csv", "lineations.csv", "tensors.csv", "poses.csv", "torsions.csv"] {
        std::fs::copy(examples.join(name), folder.path().join(name)).unwrap();
    }
    let cities = "mean cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --center 25,80 \
                  --radius 0.9 --epsilon 1 --seed 1";
    let groups = "mean cities.csv --by country --groups China,India --columns latitude --manifold euclidean:1 --center \
                  40 --radius 40 --adjacency add-remove --n-guess 20 --epsilon 90 --spread --seed 1";
    for line in [
        format!("{cities} --spread --output cities.json"),
        format!("{cities} --output alone.json"),
        format!("{groups} --output groups.json"),
        "mean lineations.csv --manifold projective:2 --layout trend-plunge --epsilon 1 --seed 1 --output axes.json"
            .into(),
        "mean torsions.csv --manifold torus:2 --layout degrees --epsilon 1 --seed 1 --output angles.json".into(),
        "count cities.csv --columns latitude --epsilon 1 --seed 1 --output count.json".into(),
        "locate cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --within 180deg --epsilon \
         1 --seed 1 --output ball.json"
            .into(),
    ] {
        let output = run(folder.path(), &line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}

/// What is written is read as records again, in the layout of the release or another one, from both formats.
#[test]
fn records_are_written_in_layouts_that_are_read_again() {
    let folder = releases();
    for (release, space, own, others) in [
        ("cities", "sphere:2", "latlon", &["vectors", "ra-dec", "elevation-azimuth"][..]),
        ("axes", "projective:2", "trend-plunge", &["vectors", "strike-dip"]),
        ("angles", "torus:2", "degrees", &["radians"]),
    ] {
        let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
        let mut found: Vec<Vec<f64>> = vec![];
        for layout in std::iter::once(&own).chain(others) {
            for extension in ["csv", "npy"] {
                let option = if *layout == own { String::new() } else { format!(" --layout {layout}") };
                let line = format!("synthesize {release}.json --n 50 --seed 4 --force --output o.{extension}{option}");
                let (printed, told) = done(folder.path(), &line);
                assert!(printed.is_empty() && told.starts_with("law: ") && told.contains("note: synthetic"), "{told}");
                let path = folder.path().join(format!("o.{extension}"));
                let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
                let layout = karcher_io::layout(&*manifold, Some(layout)).unwrap();
                let points = to_points(table, &*manifold, &layout, &ConvertOptions::default()).unwrap();
                assert_eq!(points.len(), 50);
                found.push(points.view().values().to_vec());
            }
        }
        for other in &found[1..] {
            let apart = found[0].chunks(manifold.point_len()).zip(other.chunks(manifold.point_len()));
            assert!(apart.into_iter().all(|(a, b)| manifold.dist(a, b) < 1e-7), "{space}");
        }
    }
    let printed = done(folder.path(), "synthesize cities.json --n 3 --seed 4").0;
    assert!(printed.starts_with("latitude,longitude\n") && printed.lines().count() == 4, "{printed}");
    assert_eq!(printed, done(folder.path(), "synthesize cities.json --n 3 --seed 4").0);
    assert_ne!(printed, done(folder.path(), "synthesize cities.json --n 3").0);
}

#[test]
fn groups_have_a_column() {
    let folder = releases();
    let (printed, told) = done(folder.path(), "synthesize groups.json --n 100 --seed 1");
    let of = |group: &str| printed.lines().filter(|line| line.starts_with(&format!("{group},"))).count();
    assert!(printed.starts_with("group,x1\n") && of("China") + of("India") == 100 && of("China") > 20, "{printed}");
    assert!(told.contains("law of China: normal") && told.contains("law of India: normal"), "{told}");
    let (printed, _) = done(folder.path(), "synthesize groups.json:China --n 2 --seed 1");
    assert!(printed.starts_with("x1\n"), "{printed}");
    let (printed, _) = done(folder.path(), "synthesize groups.json:China groups.json:India --n 10 --seed 1");
    assert!(printed.contains("\ngroups.json:China,"), "{printed}");
    let sentence = refusal(folder.path(), "synthesize groups.json --n 100 --output o.npy");
    assert!(sentence.contains("an array has no column for the groups; choose .csv"), "{sentence}");
}

#[test]
fn what_cannot_be_drawn_from_is_refused_with_advice() {
    let folder = releases();
    for (line, words) in [
        (
            "synthesize alone.json --n 5",
            "--spread is missing: the release has a mean and no second moment: release it with --spread",
        ),
        ("synthesize alone.json --n 5 --spread 0", "--spread is 0: it must be a positive number"),
        ("synthesize alone.json --n 0 --spread 20deg", "--n is 0: on sphere:2 it must be from 1 to"),
        ("synthesize alone.json --n 1e15 --spread 20deg", "draw more in parts"),
        ("synthesize ball.json --n 5", "holds a ball: synthetic records need a mean with its spread"),
        ("synthesize count.json --n 5", "count.json is no release"),
        ("synthesize cities.csv --n 5", "cities.csv is no release"),
        ("synthesize cities.json axes.json --n 5", "projective:2"),
        ("synthesize cities.json --n 5 --layout degrees", "--layout degrees does not fit sphere:2"),
        ("synthesize cities.json --n 5 --output o.json", "--output o.json: the extension must be .csv or .npy"),
        ("synthesize cities.json --n 5 --output cities.csv", "cities.csv"),
    ] {
        let sentence = refusal(folder.path(), line);
        assert!(sentence.contains(words), "{line}: {sentence}");
    }
    let guessed = done(folder.path(), "synthesize alone.json --n 5 --spread 20deg").1;
    assert!(guessed.contains("root mean square distance 0.3491") && guessed.contains("are private"), "{guessed}");
}
