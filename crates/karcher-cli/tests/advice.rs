//! Every remedy is followed: the options that a message names are typed on the same input. The end must be the right
//! value, or a message that names none.

use crate::one_line;
use assert_cmd::prelude::*;
use std::process::Command;

/// What is right for an input.
enum Right<'a> {
    /// The mean, in the numbers of a point, up to sign.
    Value(&'a [f64]),
    /// A message with these words, and no option that could be typed.
    Words(&'a str),
}
use Right::{Value, Words};

/// The options that take a value, and those that take none.
const WITH_VALUE: [&str; 11] = [
    "--layout",
    "--columns",
    "--multiply-by",
    "--tolerance",
    "--missing-values",
    "--delimiter",
    "--skip-lines",
    "--skip-after-header",
    "--comments",
    "--header",
    "--shrink",
];
const FLAGS: [&str; 2] = ["--normalize", "--decimal-comma"];

/// The options in a message that can be typed as they stand there.
fn named(message: &str) -> Vec<Vec<String>> {
    let message = message.split(", or --trust-layout").next().unwrap_or_default();
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut found = vec![];
    for (i, word) in words.iter().enumerate() {
        let flag = word.trim_end_matches([';', ':', ')', ',']);
        if FLAGS.contains(&flag) {
            found.push(vec![flag.to_owned()]);
        } else if WITH_VALUE.contains(word)
            // the layout that names contradict is no advice
            && (i == 0 || words[i - 1] != "contradict")
            && let Some(value) = words.get(i + 1)
        {
            // a quoted value is one word here
            let value =
                if *value == "," { value } else { value.trim_end_matches([';', ',', ':', ')']).trim_matches('\'') };
            found.push(vec![(*word).to_owned(), value.to_owned()]);
        }
    }
    found
}

/// Follows the advice from `given` on, and returns the value, or the last message.
fn followed(folder: &std::path::Path, mut given: Vec<String>) -> Result<Vec<f64>, String> {
    let mut told: Vec<Vec<Vec<String>>> = vec![];
    for _ in 0..6 {
        let run = Command::cargo_bin("karcher").unwrap().args(&given).current_dir(folder).output().unwrap();
        if run.status.success() {
            let release: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
            return Ok(release["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect());
        }
        let message = one_line(&String::from_utf8(run.stderr).unwrap());
        let options = named(&message);
        if options.is_empty() {
            return Err(message);
        }
        assert!(!told.contains(&options), "the same advice again: {message} {given:?}");
        // an option replaces what was typed before
        for option in &options {
            while let Some(at) = given.iter().position(|word| *word == option[0]) {
                given.drain(at..at + option.len());
            }
        }
        given.extend(options.iter().flatten().cloned());
        told.push(options);
    }
    panic!("the advice does not end: {told:?}")
}

fn follow(name: &str, text: &[u8], options: &str) -> Result<Vec<f64>, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let arguments = format!("mean {name} {options} --epsilon 1e9 --seed 1 --json");
    followed(folder.path(), arguments.split_whitespace().map(str::to_owned).collect())
}

fn check(name: &str, text: impl AsRef<[u8]>, options: &str, right: &Right<'_>) {
    let shown = || format!("{options}\n{}", String::from_utf8_lossy(text.as_ref()));
    match (follow(name, text.as_ref(), options), right) {
        (Ok(found), Value(right)) => {
            let sign = if found.iter().zip(*right).map(|(x, y)| x * y).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            let is_right =
                found.len() == right.len() && found.iter().zip(*right).all(|(x, y)| (sign * x - y).abs() < 2e-3);
            assert!(is_right, "{found:?} for {right:?}: {}", shown());
        }
        (Err(message), Words(words)) => assert!(message.contains(words), "{message}: {}", shown()),
        (Ok(found), Words(words)) => panic!("{found:?} instead of `{words}`: {}", shown()),
        (Err(message), Value(_)) => panic!("no value: {message}: {}", shown()),
    }
}

/// The same record four times, below the names if there are some.
fn repeated(names: &str, record: &str) -> String {
    let names = if names.is_empty() { String::new() } else { format!("{names}\n") };
    format!("{names}{}", format!("{record}\n").repeat(4))
}

/// Numbers that are no points: a space, a layout, and what is wrong with them.
#[test]
fn remedies_of_numbers_lead_to_the_right_value() {
    let third = 3_f64.sqrt().recip();
    let half = 0.5_f64.sqrt();
    let turned = [half, 0.0, 0.0, half];
    let moved = [half, 0.0, 0.0, half, 0.1, 0.2, 0.3];
    let table: &[(&str, &str, &str, Right<'_>)] = &[
        ("a,b,c", "120,30,0", "simplex-fisher-rao:3", Value(&[0.8_f64.sqrt(), 0.2_f64.sqrt(), 0.0])),
        ("a,b,c", "0.5,0.3,0.2", "simplex-fisher-rao:3", Value(&[half, 0.3_f64.sqrt(), 0.2_f64.sqrt()])),
        ("a,b,c", "50,30,20", "simplex-fisher-rao:3", Value(&[half, 0.3_f64.sqrt(), 0.2_f64.sqrt()])),
        ("a,b,c", "0.5,0.3,0.199", "simplex-fisher-rao:3", Value(&[half, 0.3_f64.sqrt(), 0.2_f64.sqrt()])),
        (
            "a,b,c",
            "50,30,20",
            "simplex-fisher-rao:3 --layout proportions",
            Value(&[half, 0.3_f64.sqrt(), 0.2_f64.sqrt()]),
        ),
        (
            "a,b,c",
            "0.5,0.3,0.2",
            "simplex-fisher-rao:3 --layout percent",
            Value(&[half, 0.3_f64.sqrt(), 0.2_f64.sqrt()]),
        ),
        ("a,b,c", "120,30,0", "simplex-fisher-rao:3 --layout percent", Value(&[0.8_f64.sqrt(), 0.2_f64.sqrt(), 0.0])),
        ("a,b,c", "50.1,300.0,2.5", "simplex-fisher-rao:3", Words("sum to")),
        ("a,b,c", "50,30,20", "simplex-aitchison:3 --center origin --radius 3", Value(&[0.5, 0.3, 0.2])),
        ("a,b,c", "49.8,29.9,20.1", "simplex-aitchison:3 --center origin --radius 3", Value(&[0.499, 0.2996, 0.2014])),
        ("a,b,c", "120,60,20", "simplex-aitchison:3 --center origin --radius 3", Value(&[0.6, 0.3, 0.1])),
        (
            "SiO2(WT%),SR(PPM),BA(PPM)",
            "50,300,200",
            "simplex-aitchison:3 --center origin --radius 9",
            Words("sum to 50.05"),
        ),
        ("clay,silt,total", "30,70,100", "simplex-aitchison:3 --center origin --radius 9", Words("total")),
        ("a,b,c", "0.6,-0.1,0.5", "simplex-aitchison:3 --center origin --radius 9", Words("no part is negative")),
        ("", "300,60,1", "sphere:2", Words("if some of its columns are angles")),
        ("", "2.1,1.04,1", "sphere:2", Words("if some of its columns are angles")),
        ("", "120,45,1", "projective:2", Words("if some of its columns are angles")),
        ("", "270,4.5", "sphere:1", Words("if some of its columns are angles")),
        ("", "0.577,0.577,0.577", "sphere:2", Value(&[third, third, third])),
        ("", "3,4,0,0", "sphere:3", Value(&[0.6, 0.8, 0.0, 0.0])),
        ("", "0.71,0.0,0.71", "projective:2", Value(&[half, 0.0, half])),
        ("", "0.71,0.0,0.0,0.71", "rotations:3", Value(&turned)),
        ("", "0,0,1,1.57", "rotations:3", Words("the quaternion's norm")),
        ("", "0.0001,-1.0002,0,1.0001,0,0,0,0,0.9998", "rotations:3 --layout matrices", Value(&turned)),
        ("", "0,-0.98,0.2,1,0,0,0,0.2,0.98", "rotations:3 --layout matrices", Value(&[0.7035, 0.0711, 0.0711, 0.7035])),
        ("", "0,-2.5,0,2.5,0,0,0,0,2.5", "rotations:3 --layout matrices", Value(&turned)),
        ("", "0,1,0,1,0,0,0,0,1", "rotations:3 --layout matrices", Words("a reflection")),
        ("", "1,0.4,0,0,1,0,0,0,1", "rotations:3 --layout matrices", Words("not orthogonal")),
        (
            "",
            "0.1,0.2,0.3,0,0,0.71,0.71",
            "poses:3 --layout tum --center 0.1,0.2,0.3,0,0,0.7071068,0.7071068 --radius 1",
            Value(&moved),
        ),
        (
            "",
            "0,-1,0.1,0.1,1,0,0,0.2,0,0.1,1,0.3",
            "poses:3 --layout kitti --center 0,-1,0,0.1,1,0,0,0.2,0,0,1,0.3 --radius 1",
            Value(&[0.7062, 0.0352, 0.0352, 0.7062, 0.1, 0.2, 0.3]),
        ),
        ("", "1.3153,0.3,-0.8", "hyperbolic:2 --center origin --radius 3", Value(&[1.3153, 0.3, -0.8])),
        ("", "0.3,-0.8,1.3153", "hyperbolic:2 --center origin --radius 3", Words("its first number is 0.3")),
        ("", "1,1,1,1", "spd-log-euclidean:2 --center origin --radius 9", Value(&[1.0, 0.99, 0.99, 1.0])),
        ("", "1,2,2,1", "spd-log-euclidean:2 --center origin --radius 9", Words("smallest eigenvalue is -1")),
        ("", "2,0.3333,0.3334,1", "spd-log-euclidean:2 --center origin --radius 9", Value(&[2.0, 0.3333, 0.3333, 1.0])),
        ("", "2,0.5,0,1", "spd-log-euclidean:2 --center origin --radius 9", Words("not symmetric")),
        ("", "0,.5,.5,0", "correlation-off-log:2 --center origin --radius 3", Words("write ones on the diagonal")),
        ("", "4,1,1,1", "correlation-off-log:2 --center origin --radius 3", Value(&[1.0, 0.5, 0.5, 1.0])),
        ("", "0.999,.5,.5,1.001", "correlation-off-log:2 --center origin --radius 3", Value(&[1.0, 0.5, 0.5, 1.0])),
        (
            "",
            "1.3",
            "correlation-off-log:2 --layout correlation-upper-row --center origin --radius 3",
            Words("Fisher's z"),
        ),
        ("", "3,0,4", "grassmann:3,1", Value(&[0.6, 0.0, 0.8])),
        (
            "",
            "0.577,0.577,0.577,0.5",
            "sphere:2*euclidean:1 --center 0.5773503,0.5773503,0.5773503,0.5 --radius 0.5",
            Value(&[third, third, third, 0.5]),
        ),
        ("", "270", "sphere:1 --layout radians", Words("choose the layout degrees")),
    ];
    for (names, record, manifold, right) in table {
        check("x.csv", repeated(names, record), &format!("--manifold {manifold}"), right);
    }
}

/// Texts that are no table, or not the one that is read.
#[test]
fn remedies_of_texts_lead_to_the_right_value() {
    let (latitude, longitude) = (48.5_f64.to_radians(), 2.25_f64.to_radians());
    let paris = [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()];
    let latlon = "--manifold sphere:2 --layout latlon";
    let named = format!("{latlon} --columns lat,lon");
    let decimal = format!("{latlon} --decimal-comma");
    let named_decimal = format!("{latlon} --columns lat,lon --decimal-comma");
    let magnetic = "--manifold sphere:2 --layout declination-inclination --columns dir_dec,dir_inc";
    let north = [0.5, 0.0, 0.75_f64.sqrt()];
    let missing = Words("the value is missing");
    let row = "48.5,2.25\n";
    let rows = row.repeat(3);
    let quoted = "\"48,5\",\"2,25\"\n".repeat(3);
    let table: &[(&str, String, &str, &Right<'_>)] = &[
        // errors of spreadsheets, in any column, language and place: their records are not left out
        ("x.csv", format!("lat,lon\n#DIV/0!,2\n{rows}"), latlon, &missing),
        ("x.csv", format!("lat,lon\n{rows}#WERT!,2\n"), latlon, &missing),
        ("x.csv", format!("lat,lon\n{rows}2,#REF!\n"), latlon, &missing),
        ("x.csv", format!("#BEZUG!,2\n{rows}"), latlon, &missing),
        ("x.csv", format!("#¡DIV/0!,#NV\n{rows}"), latlon, &missing),
        ("x.csv", format!("lat,lon\n{rows}MM,2\n"), latlon, &missing),
        ("x.csv", format!("lat,lon\n{rows}--,2\n"), latlon, &missing),
        // commas before decimals
        ("x.csv", format!("lat,lon\n{quoted}"), latlon, &Value(&paris)),
        ("x.csv", format!("lat,lon\n{quoted}"), &named, &Value(&paris)),
        ("x.csv", format!("lat,lon\n{quoted}"), &decimal, &Value(&paris)),
        ("x.csv", format!("lat,lon\n{quoted}"), &named_decimal, &Value(&paris)),
        ("x.csv", "lat;lon\n48,5;2,25\n48,5;2,25\n".to_owned(), latlon, &Value(&paris)),
        ("x.tsv", "lat\tlon\n48,5\t2,25\n48,5\t2,25\n".to_owned(), &named, &Value(&paris)),
        // lines above the header
        ("x.csv", "sep=;\nlat;lon\n48,5;2,25\n48,5;2,25\n".to_owned(), &named_decimal, &Value(&paris)),
        ("x.csv", "sep=;\nlat;lon\n48,5;2,25\n48,5;2,25\n".to_owned(), latlon, &Value(&paris)),
        ("x.csv", format!("sep=,\nlat,lon\n{rows}"), &named, &Value(&paris)),
        ("x.csv", format!("Stations of 2024\nlat,lon\n{rows}"), latlon, &Value(&paris)),
        ("x.csv", format!("Stations of 2024\n\nlat,lon\n{rows}"), &named, &Value(&paris)),
        ("x.csv", format!("Stations,\nlat,lon\n{rows}"), latlon, &Value(&paris)),
        ("x.csv", format!("Stations\n{rows}"), latlon, &Value(&paris)),
        ("x.csv", format!("# written by hand\n# on Monday\nlat,lon\n{rows}"), latlon, &Value(&paris)),
        ("x.csv", format!("# written by hand\n# on Monday\nlat,lon\n{rows}"), &named, &Value(&paris)),
        ("x.txt", "tab \tsites\nsite\tdir_dec\tdir_inc\nA\t0\t60\nB\t0\t60\n".to_owned(), magnetic, &Value(&north)),
        ("x.txt", "tab \tsites\ndir_dec\tdir_inc\n0\t60\n0\t60\n".to_owned(), magnetic, &Value(&north)),
        ("x.csv", format!("lat,lon\ndeg,deg\n{rows}"), &named, &Value(&paris)),
        // lists in a cell
        (
            "x.csv",
            "id,embedding\n1,\"[0.6, 0.8, 0.0]\"\n".to_owned(),
            "--columns embedding --manifold sphere:2",
            &Words("(embedding) holds lists"),
        ),
        ("x.csv", "embedding\n[0.6 0.8 0.0]\n".to_owned(), "--manifold sphere:2", &Words("(embedding) holds lists")),
        (
            "x.csv",
            "id,at\n1,POINT (2.25 48.5)\n".to_owned(),
            "--columns at --manifold sphere:2 --layout latlon",
            &Words("(at) holds lists"),
        ),
        // COLMAP: every second line holds points
        (
            "images.txt",
            "1 1 0 0 0 1 2 3 1 a.jpg\n1 2 -1 3 4 5\n2 1 0 0 0 1 2 3 1 b.jpg\n1 2 -1\n".to_owned(),
            "--columns 2-8 --manifold poses:3 --center 1,0,0,0,1,2,3 --radius 1",
            &Words("invert the poses"),
        ),
        // other programs
        (
            "x.dta",
            "<stata_dta><header><release>118</release>".to_owned(),
            "--manifold sphere:2",
            &Words("pandas.read_stata"),
        ),
        ("x.RData", "RDX3\n".to_owned(), "--manifold sphere:2", &Words("load(\"FILE.RData\")")),
        ("x.csv", "PK\u{3}\u{4}[Content_Types].xml".to_owned(), "--manifold sphere:2", &Words("save the sheet as CSV")),
    ];
    for (name, text, options, right) in table {
        check(name, text, options, right);
    }
}

/// The options of angles, as a user would choose them.
#[test]
fn angles_among_vectors_are_read_as_the_message_says() {
    let options = "--manifold sphere:2 --header no --columns 1,2 --layout declination-inclination";
    check("x.csv", repeated("", "0,60,1"), options, &Value(&[0.5, 0.0, 0.75_f64.sqrt()]));
}
