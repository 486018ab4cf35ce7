//! Files going in: formats, streams, missing values, rounded records, names of columns.

use assert_cmd::prelude::*;
use std::io::Write;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const PLANE: [&str; 9] = ["--manifold", "euclidean:2", "--radius", "9", "--epsilon", "1", "--seed", "1", "--json"];

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn karcher(arguments: &[&str], input: &[u8]) -> std::process::Output {
    let mut command = Command::cargo_bin("karcher").unwrap();
    let mut child =
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input); // closed where nothing is read
    child.wait_with_output().unwrap()
}

fn json(arguments: &[&str], input: &[u8]) -> serde_json::Value {
    let output = karcher(arguments, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = karcher(arguments, b"");
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn mean<'a>(files: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [&["mean"][..], files, &PLANE[..], options].concat()
}

#[test]
fn the_same_records_have_the_same_mean_from_wherever_they_come() {
    let folder = Folder::new();
    let all = "x,y\n1,2\n3,4\n5,6\n";
    let whole = folder.file("all.csv", all);
    let expected = json(&mean(&[&whole], &[]), b"");
    assert_eq!(expected["n"], 3);
    let parts = folder.0.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    std::fs::write(parts.join("2.csv"), "x,y\n5,6\n").unwrap();
    std::fs::write(parts.join("1.csv"), "x,y\n1,2\n3,4\n").unwrap();
    std::fs::write(parts.join("_SUCCESS"), "").unwrap();
    let (parts, [one, two]) = (parts.to_str().unwrap(), ["1.csv", "2.csv"].map(|name| parts.join(name)));
    let savetxt = folder.file("a.txt", "# x y\n1.0e+00 2.0e+00\n3.0e+00 4.0e+00\n5.0e+00 6.0e+00\n");
    let german = folder.file("b.csv", "x;y\n1,0;2,0\n3,0;4,0\n5,0;6,0\n");
    let unnamed = folder.file("data", all);
    for (files, options, input) in [
        (vec!["-"], vec!["--format", "csv"], all),
        (vec!["-"], vec![], all),
        (vec![parts], vec![], ""),
        (vec![one.to_str().unwrap(), two.to_str().unwrap()], vec![], ""),
        (vec![&*savetxt], vec!["--comments", "#", "--header", "no"], ""),
        (vec![&*savetxt], vec!["--header", "yes"], ""),
        (vec![&*savetxt], vec!["--columns", "x,y"], ""),
        (vec![&*savetxt], vec!["--skip-lines", "1", "--header", "no"], ""),
        (vec![&*german], vec!["--decimal-comma"], ""),
        (vec![&*unnamed], vec!["--format", "csv"], ""),
        #[cfg(target_os = "linux")]
        (vec!["/dev/stdin"], vec!["--format", "csv"], all),
    ] {
        assert_eq!(json(&mean(&files, &options), input.as_bytes()), expected, "{files:?}");
    }
    let other = folder.file("other.csv", "y,x\n1,2\n");
    assert!(refusal(&mean(&[&whole, &other], &[])).contains("has other columns than"));
    assert!(refusal(&mean(&["-", "-"], &["--format", "csv"])).contains("given twice"));
}

#[test]
fn the_header_of_pandas_is_asked_about_before_anything_is_spent() {
    let folder = Folder::new();
    let file = folder.file("pandas.csv", "0,1\n5,6\n7,8\n");
    assert!(refusal(&mean(&[&file], &[])).contains("say which by --header yes or --header no"));
    assert_eq!(json(&mean(&[&file], &["--header", "yes"]), b"")["n"], 2);
    assert_eq!(json(&mean(&[&file], &["--header", "no"]), b"")["n"], 3);
    let file = folder.file("counted.csv", "1,2\n5.5,6\n7,8\n");
    assert!(refusal(&mean(&[&file], &[])).contains("the first line counts 1, 2, …"));
}

#[test]
fn marks_of_minutes_and_inches_are_no_part_of_a_number() {
    let folder = Folder::new();
    for mark in ["'", "\"", "''"] {
        let file = folder.file("minutes.csv", format!("x,y\n30{mark},40{mark}\n30,40\n"));
        assert!(refusal(&mean(&[&file], &[])).contains(&format!("`30{mark}` is not a number")), "{mark}");
        let invalid = ["--on-invalid", "replace-with-center", "--header", "yes"];
        let replaced = folder.file("replaced.csv", "x,y\nNaN,NaN\n30,40\n");
        assert_eq!(json(&mean(&[&file], &invalid), b""), json(&mean(&[&replaced], &invalid), b""));
    }
}

#[test]
fn labels_of_landmarks_are_in_one_order_in_records_template_and_center() {
    let folder = Folder::new();
    let points = [("nasion", [0.0, 0.0, 0.0]), ("basion", [3.0, 0.0, 0.0]), ("apex", [0.0, 2.0, 1.0])];
    let fcsv = |name: &str, order: [usize; 3]| {
        let line = |i: usize| {
            let (label, [x, y, z]) = points[i];
            format!("{i},{x},{y},{z},0,0,0,1,1,1,0,{label},,\n")
        };
        folder.file(name, format!("# CoordinateSystem = LPS\n{}", order.map(line).concat()))
    };
    let (atlas, ordered) = (fcsv("atlas.fcsv", [0, 1, 2]), fcsv("ordered.fcsv", [0, 1, 2]));
    let shuffled = fcsv("shuffled.fcsv", [2, 0, 1]);
    let names = |order: [usize; 3]| order.map(|i| ["x", "y", "z"].map(|axis| format!("{}_{axis}", points[i].0)));
    let csv = |name: &str, order: [usize; 3]| {
        let numbers = order.map(|i| points[i].1.map(|x| x.to_string())).concat().join(",");
        folder.file(name, format!("{}\n{numbers}\n{numbers}\n", names(order).concat().join(",")))
    };
    let (table, other_table) = (csv("ordered.csv", [0, 1, 2]), csv("shuffled.csv", [1, 0, 2]));
    let with = |files: &[&str], options: &[&str]| -> Vec<String> {
        let space = ["--manifold", "size-and-shape:3,3", "--radius", "1", "--epsilon", "1e9", "--seed", "1", "--json"];
        let words = [&["mean"][..], files, &space, options].concat();
        words.into_iter().map(str::to_owned).collect()
    };
    let run = |words: Vec<String>| json(&words.iter().map(String::as_str).collect::<Vec<_>>(), b"");
    let refused = |words: Vec<String>| refusal(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let ball = ["--center", &table.replace("ordered.csv", "center.csv")];
    folder.file("center.csv", "0,0,0,3,0,0,0,2,1\n");
    let of_template = [&ball[..], &["--template", &atlas]].concat();
    assert_eq!(run(with(&[&ordered], &of_template))["n"], 1);
    assert_eq!(run(with(&[&table], &of_template))["n"], 2);
    for (files, options) in [
        (&[&*ordered, &shuffled][..], &ball[..]),
        (&[&shuffled], &of_template),
        (&[&shuffled], &["--center", &atlas]),
        (&[&other_table], &of_template),
        (&[&other_table], &["--center", &atlas]),
    ] {
        let said = refused(with(files, options));
        assert!(said.contains("landmark 1 is labelled `") && said.contains("put all files in one order"), "{said}");
        assert!(run(with(files, &[options, &["--trust-layout"]].concat()))["n"].is_number());
    }
    // invalid records are replaced: so is one that contradicts the template
    let replaced =
        run(with(&[&ordered, &shuffled], &[&of_template[..], &["--on-invalid", "replace-with-center"]].concat()));
    let value: Vec<f64> = replaced["value"].as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect();
    let expected = [0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0, 1.0];
    let mean = |axis: usize| expected.iter().skip(axis).step_by(3).sum::<f64>() / 3.0;
    assert!(value.iter().enumerate().all(|(i, x)| (x - expected[i] + mean(i % 3)).abs() < 1e-3), "{value:?}");
}

#[test]
fn a_scale_of_some_specimens_is_refused_where_sizes_count() {
    let folder = Folder::new();
    let specimen = |scale: &str| format!("LM=3\n0 0\n300 0\n0 400\n{scale}");
    let file = folder.file("some.tps", ["SCALE=0.01\n", "", "SCALE=0.01\n"].map(specimen).concat());
    let center = folder.file("center.csv", "0,0,3,0,0,4\n");
    let with = |space: &'static str| {
        [
            "mean",
            &file,
            "--manifold",
            space,
            "--center",
            &center,
            "--radius",
            "1",
            "--epsilon",
            "1",
            "--seed",
            "1",
            "--json",
        ]
        .map(str::to_owned)
    };
    let words = with("size-and-shape:3,2");
    let said = refusal(&words.each_ref().map(String::as_str));
    assert!(said.contains("record 2 (line 6): it has no SCALE=") && said.contains("or remove it from all"), "{said}");
    assert_eq!(json(&with("landmarks:3,2").each_ref().map(String::as_str), b"")["n"], 3);
}

#[test]
fn records_that_lack_a_value_change_n_only_where_they_are_dropped() {
    let folder = Folder::new();
    let file = folder.file("missing.csv", "x,y\n1,2\n,4\n5,6\n");
    assert!(refusal(&mean(&[&file], &[])).contains("record 2 (line 3), column 1 (x): the value is missing"));
    assert_eq!(json(&mean(&[&file], &["--missing", "center"]), b"")["n"], 3);
    let dropped = json(&mean(&[&file], &["--missing", "drop"]), b"");
    assert_eq!(dropped["n"], 2);
    assert!(dropped["flags"].as_array().unwrap().contains(&"missing-dropped".into()), "{dropped}");
    // the center takes the record's place exactly
    let filled = folder.file("filled.csv", "x,y\n1,2\n0,0\n5,6\n");
    assert_eq!(json(&mean(&[&file], &["--missing", "center"]), b""), json(&mean(&[&filled], &[]), b""));
    let words = [&["mean", &*file][..], &PLANE[..8], &["--missing", "drop"]].concat();
    let words = String::from_utf8(karcher(&words, b"").stdout).unwrap();
    assert!(crate::one_line(&words).contains("n shows how many are complete"), "{words}");
}

#[test]
fn a_blank_line_in_a_file_of_one_column_does_not_change_n() {
    let folder = Folder::new();
    let line = ["--manifold", "euclidean:1", "--radius", "9", "--epsilon", "1", "--seed", "1", "--json"];
    let replace = ["--header", "yes", "--on-invalid", "replace-with-center"];
    let n =
        |text: &str| json(&[&["mean", &folder.file("a.csv", text)], &line[..], &replace].concat(), b"")["n"].clone();
    assert_eq!([n("x\n1\n2\n3\n"), n("x\n1\n\n3\n"), n("x\n1\n2\n\n")], [3, 3, 3].map(serde_json::Value::from));
}

#[test]
fn rounded_records_are_taken_where_it_is_said_how() {
    let folder = Folder::new();
    let file = folder.file("rounded.csv", "x,y,z\n0.5774,0.5774,0.5774\n0.7071,0.7072,0\n");
    let sphere =
        ["--manifold", "sphere:2", "--center=1,0,0", "--radius", "0.7", "--epsilon", "1", "--seed", "1", "--json"];
    let with = |options: &[&'static str]| [&["mean", &file], &sphere[..], options].concat();
    let sentence = refusal(&with(&[]));
    assert!(sentence.contains("give --tolerance 1e-4") && !sentence.contains("--normalize"), "{sentence}");
    assert_eq!(json(&with(&["--tolerance", "2e-4"]), b""), json(&with(&["--normalize"]), b""));
    assert!(refusal(&with(&["--tolerance", "1e-6"])).contains("more than the tolerance"));
    assert!(refusal(&with(&["--tolerance", "1"])).contains("tolerance 1 is out of range"));
}

#[test]
fn singular_covariances_are_shrunk() {
    let folder = Folder::new();
    let file = folder.file("singular.csv", "1e-12,1e-12,1e-12,1e-12\n4e-12,0,0,0\n");
    let spd = ["--manifold", "spd-log-euclidean:2", "--radius", "3", "--epsilon", "1", "--seed", "1", "--json"];
    let with = |options: &[&'static str]| [&["mean", &file], &spd[..], options].concat();
    let center = ["--center", "1e-12*identity"];
    assert!(refusal(&with(&center)).contains("not positive definite"));
    assert_eq!(json(&with(&[&center[..], &["--shrink", "0.1"]].concat()), b"")["n"], 2);
    assert_eq!(json(&with(&["--shrink-trace", "0.1"]), b"")["n"], 2);
    assert!(refusal(&with(&[&center[..], &["--shrink", "2"]].concat())).contains("--shrink 2 is out of range"));
    let plane = folder.file("plane.csv", "1,2\n");
    assert!(refusal(&mean(&[&plane], &["--shrink", "0.1"])).contains("for symmetric positive definite matrices"));
}

/// A mean of the records in a file on a space, in a ball around a center.
fn mean_on<'a>(file: &'a str, space: &'a str, center: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let ball = ["--center", center, "--radius", "0.7", "--epsilon", "1", "--seed", "1", "--json"];
    [&["mean", file, "--manifold", space], &ball[..], options].concat()
}

#[test]
fn names_that_contradict_the_layout_are_refused_with_the_options_that_are_right() {
    let folder = Folder::new();
    for (space, center, layout, names, advice) in [
        ("sphere:2", "25,80", "latlon", "lon,lat", "give --columns lat,lon, or --trust-layout"),
        ("sphere:2", "25,80", "latlon", "lat_rad,lon_rad", "give --layout latlon-radians, or"),
        ("sphere:2", "25,80", "latlon", "ra,dec", "give --layout ra-dec, or"),
        ("sphere:2", "25,80", "latlon", "x,y", "give --columns y,x, or"),
        ("projective:2", "25,80", "trend-plunge", "strike,dip", "give --layout strike-dip, or"),
        ("projective:2", "25,80", "trend-plunge", "dip,azimuth", "--layout dip-direction-dip --columns azimuth,dip"),
    ] {
        let file = folder.file("a.csv", format!("{names}\n1,2\n"));
        let sentence = refusal(&mean_on(&file, space, center, &["--layout", layout]));
        assert!(sentence.contains(advice), "{sentence}");
        // they are overruled by name alone
        let trusting = mean_on(&file, space, center, &["--layout", layout, "--trust-layout"]);
        assert_eq!(json(&trusting, b"")["n"], 1, "{names}");
    }
    // what is chosen is looked at, in the order in which it is chosen
    let file = folder.file("b.csv", "name,lon,lat\nx,80,25\n");
    let right = mean_on(&file, "sphere:2", "25,80", &["--layout", "latlon", "--columns", "lat,lon"]);
    assert_eq!(json(&right, b"")["n"], 1);
    let wrong = mean_on(&file, "sphere:2", "25,80", &["--layout", "latlon", "--columns", "lon,lat"]);
    assert!(refusal(&wrong).contains("--columns lat,lon"));
}

#[test]
fn the_file_of_a_center_is_looked_at_and_columns_that_are_multiplied_may_be_in_any_unit() {
    let folder = Folder::new();
    let (records, center) = (folder.file("a.csv", "lat,lon\n25,80\n"), folder.file("c.csv", "lon,lat\n80,25\n"));
    let sentence = refusal(&mean_on(&records, "sphere:2", &center, &["--layout", "latlon"]));
    assert!(sentence.contains("--center") && sentence.contains("give --columns lat,lon"), "{sentence}");
    let hours = folder.file("h.csv", "hour\n17\n");
    let options = ["--layout", "degrees"];
    let sentence = refusal(&mean_on(&hours, "torus:1", "17", &options));
    assert!(sentence.contains("give --multiply-by 15, or --trust-layout"), "{sentence}");
    let multiplied = mean_on(&hours, "torus:1", "17", &["--layout", "degrees", "--multiply-by", "15"]);
    assert_eq!(json(&multiplied, b"")["n"], 1);
}

/// A wrong layout is not reported as a wrong center.
#[test]
fn names_are_looked_at_before_the_center() {
    let folder = Folder::new();
    let (turned, many) = (folder.file("a.csv", "lon,lat\n80,25\n"), folder.file("b.csv", "lat,lon,ele\n25,80,3\n"));
    let ball = ["--radius", "0.7", "--epsilon", "1"];
    for (command, more) in [("mean", vec![]), ("locate", vec!["--within", "0.7"]), ("randomize", vec![])] {
        let ball = if command == "locate" { vec!["--epsilon", "1"] } else { ball.to_vec() };
        let with = |file: &str, layout: &str, center: &str| {
            let words =
                [&[command, file, "--manifold", "sphere:2", "--layout", layout, "--center", center], &ball[..], &more];
            refusal(&words.concat())
        };
        assert!(with(&turned, "latlon", "80,250").contains("give --columns lat,lon"), "{command}");
        assert!(with(&many, "latlon", "25,800").contains("give --columns lat,lon"), "{command}");
        assert!(with(&turned, "vectors", "25,80").contains("--layout latlon"), "{command}");
        assert!(with(&turned, "ra-dec", "25,80,3").contains("give --layout latlon --columns lat,lon"), "{command}");
    }
    let line = ["--predictor", "ele", "--predictor-range", "0", "9", "--slope-bound", "1"];
    let words =
        [&["regress", &many, "--manifold", "sphere:2", "--layout", "ra-dec", "--center", "9"], &ball[..], &line];
    assert!(refusal(&words.concat()).contains("give --layout latlon"));
}

#[test]
fn a_column_is_multiplied_by_its_own_factor() {
    let folder = Folder::new();
    let hours = folder.file("hours.csv", "hour,temp\n6,20\n7,21\n");
    let degrees = folder.file("degrees.csv", "angle,temp\n90,20\n105,21\n");
    let (space, layout) = ("torus:1*euclidean:1", "degrees*vectors");
    let sentence = refusal(&mean_on(&hours, space, "6,20", &["--layout", layout]));
    assert!(sentence.contains("give --multiply-by hour=15, or --trust-layout"), "{sentence}");
    let multiplied = mean_on(&hours, space, "6,20", &["--layout", layout, "--multiply-by", "hour=15"]);
    assert_eq!(json(&multiplied, b""), json(&mean_on(&degrees, space, "90,20", &["--layout", layout]), b""));
    let sentence = refusal(&mean_on(&hours, space, "6,20", &["--layout", layout, "--multiply-by", "minute=0.25"]));
    assert!(sentence.contains("has no column `minute`"), "{sentence}");
    // right ascensions in hours
    let stars = folder.file("stars.csv", "id,rah,dec\n1,2.5,30\n");
    let sky = folder.file("sky.csv", "ra,dec\n37.5,30\n");
    let options = ["--layout", "ra-dec", "--columns", "rah,dec"];
    assert!(refusal(&mean_on(&stars, "sphere:2", "2.5,30", &options)).contains("give --multiply-by rah=15"));
    let multiplied = mean_on(&stars, "sphere:2", "2.5,30", &[&options[..], &["--multiply-by", "rah=15"]].concat());
    assert_eq!(json(&multiplied, b""), json(&mean_on(&sky, "sphere:2", "37.5,30", &["--layout", "ra-dec"]), b""));
    // the identity has no columns
    let matrices = folder.file("spd.csv", "xx,xy,yy\n2,0,2\n");
    let own =
        mean_on(&matrices, "spd-log-euclidean:2", "2*identity", &["--layout", "upper-row", "--multiply-by", "xx=2"]);
    assert!(refusal(&own).contains("give the numbers of the center"));
}

/// Names are checked before a record is read, and before a ledger counts a release.
#[test]
fn names_are_refused_before_records_are_read_and_before_anything_is_spent() {
    let folder = Folder::new();
    let file = folder.file("poses.csv", "qx,qy,qz,qw\n0,0,0,nonsense\n");
    let ledger = folder.0.path().join("ledger.db").to_str().unwrap().to_owned();
    karcher(&["ledger", "new", &ledger, "--data", "poses", "--epsilon", "1"], b"");
    let book = || karcher(&["ledger", "show", &ledger, "--json"], b"").stdout;
    let before = book();
    assert!(!before.is_empty());
    let ball = ["--center", "1,0,0,0", "--radius", "0.7", "--epsilon", "1", "--ledger", &ledger];
    let sentence = refusal(&[&["mean", &file, "--manifold", "rotations:3"], &ball[..]].concat());
    assert!(sentence.contains("give --layout quaternions-last, or --trust-layout"), "{sentence}");
    assert!(!sentence.contains("nonsense"), "{sentence}");
    assert_eq!(book(), before);
}

#[test]
fn arrays_of_another_shape_than_the_layouts_are_refused() {
    let folder = Folder::new();
    let write = |name: &str, shape: &[usize]| {
        let path = folder.0.path().join(name).to_str().unwrap().to_owned();
        let len: usize = shape.iter().product();
        let values: Vec<f64> = (0..len).map(|i| (7 * i % 11) as f64 + 0.1 * i as f64).collect();
        karcher_io::write_npy(&path, shape, &values).unwrap();
        path
    };
    let shapes = |file: &str, options: &[&str]| -> Vec<String> {
        let ball = ["--center", "origin", "--radius", "0.7", "--epsilon", "1", "--seed", "1", "--json"];
        let words = [&["mean", file, "--manifold", "kendall:12"], &ball[..], options].concat();
        words.into_iter().map(str::to_owned).collect()
    };
    let words = |words: &[String]| -> String { refusal(&words.iter().map(String::as_str).collect::<Vec<_>>()) };
    let blocked = write("blocked.npy", &[3, 2, 12]);
    let sentence = words(&shapes(&blocked, &[]));
    assert!(sentence.contains("not (n, 2, 12): give --layout blocked, or --trust-layout"), "{sentence}");
    let in_space = write("space.npy", &[3, 8, 3]);
    assert!(words(&shapes(&in_space, &[])).contains("not (n, 8, 3): choose the size of the space"));
    for arguments in [shapes(&blocked, &["--layout", "blocked"]), shapes(&in_space, &["--trust-layout"])] {
        assert_eq!(json(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), b"")["n"], 3);
    }
}

#[test]
fn landmarks_are_rotated_onto_the_template_that_the_release_states() {
    let folder = Folder::new();
    let template = folder.file("atlas.csv", "0,0,0\n3,0,0\n0,2,0\n0,0,1\n");
    // to center this one twice would change a bit
    let uneven = folder.file("uneven.csv", "0.1,0,0\n3,0.3,0\n0,2,0\n0,0.7,1\n");
    let center = folder.file("center.csv", "0,0,0,3,0,0,0,2,0,0,0,1\n");
    // turned about the third axis, and about the first
    let one = folder.file("one.pts", "Version 1.0\n4\nS0 0 0 0\nS1 0 3 0\nS2 -2 0 0\nS3 0 0 1\n");
    let points = "{\"position\":[0,0,0]},{\"position\":[3,0,0]},{\"position\":[0,0,2]},{\"position\":[0,-1,0]}";
    let two = folder.file("two.mrk.json", format!("{{\"markups\":[{{\"controlPoints\":[{points}]}}]}}"));
    let mean = |options: &[&str]| {
        let space = ["mean", &one, &two, "--manifold", "size-and-shape:4,3", "--center", &center, "--radius", "1"];
        json(&[&space[..], &["--epsilon", "1e9", "--seed", "1", "--json"], options].concat(), b"")
    };
    let release = mean(&["--template", &template]);
    let value: Vec<f64> = release["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((value[3] - value[0] - 3.0).abs() < 1e-6 && (value[7] - value[1] - 2.0).abs() < 1e-6, "{value:?}");
    assert_eq!(release["template"].as_array().unwrap().len(), 12);
    assert!(mean(&[])["template"].is_null());
    // what a release states has the bits that were used
    let first = mean(&["--template", &uneven]);
    let stated = folder.file("stated.csv", first["template"].to_string().trim_matches(&['[', ']'][..]));
    let again = mean(&["--template", &stated]);
    assert_eq!((&again["template"], &again["value"]), (&first["template"], &first["value"]));
    // it is read once, before anything is spent: a pipe holds nothing the second time
    let space = ["mean", &one, &two, "--manifold", "size-and-shape:4,3", "--center", &center, "--radius", "1"];
    let piped = [&space[..], &["--epsilon", "1e9", "--seed", "1", "--json", "--template", "-"]].concat();
    let piped = json(&piped, b"0,0,0\n3,0,0\n0,2,0\n0,0,1\n");
    assert_eq!((&piped["template"], &piped["value"]), (&release["template"], &release["value"]));
    let sphere =
        ["mean", &center, "--columns", "1-3", "--manifold", "sphere:2", "--template", &center, "--center", "1,0,0"];
    let said = refusal(&[&sphere[..], &["--normalize", "--radius", "1", "--epsilon", "1"]].concat());
    assert!(said.contains("--template"), "{said}");
}

#[test]
fn angles_of_the_circle_are_read() {
    let folder = Folder::new();
    let circle = ["--manifold", "sphere:1", "--radius", "1", "--epsilon", "9", "--seed", "1", "--json"];
    let degrees = folder.file("a.csv", "phase\n90\n80\n100\n");
    let radians = folder.file("b.csv", "phase\n1.5707963267948966\n1.3962634015954636\n1.7453292519943295\n");
    let release = |file: &str, layout: &str, center: &str| {
        json(&[&["mean", file], &circle[..], &["--layout", layout, "--center", center]].concat(), b"")
    };
    let (a, b) = (release(&degrees, "degrees", "90"), release(&radians, "radians", "1.5707963267948966"));
    let value = |release: &serde_json::Value| release["value"][1].as_f64().unwrap();
    assert!((value(&a) - value(&b)).abs() < 1e-12);
}

/// The same three points in the coordinates of the hyperboloid, of Poincaré's and of Klein's ball, by the closed forms.
#[test]
fn points_of_the_hyperbolic_plane_are_read_in_three_layouts() {
    let folder = Folder::new();
    let ball = [[0.1, 0.2], [-0.3, 0.4], [0.0, -0.6]];
    let lines = |of: &dyn Fn([f64; 2], f64) -> Vec<f64>| -> String {
        let line = |u: &[f64; 2]| {
            let numbers = of(*u, u[0] * u[0] + u[1] * u[1]);
            numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n"
        };
        ball.iter().map(line).collect()
    };
    let vectors = lines(&|u, s| vec![(1.0 + s) / (1.0 - s), 2.0 * u[0] / (1.0 - s), 2.0 * u[1] / (1.0 - s)]);
    let poincare = lines(&|u, _| u.to_vec());
    let klein = lines(&|u, s| vec![2.0 * u[0] / (1.0 + s), 2.0 * u[1] / (1.0 + s)]);
    let space = ["--manifold", "hyperbolic:2", "--radius", "1.5", "--epsilon", "9", "--seed", "1"];
    let values = |layout: &str, records: &str, center: &str| -> Vec<f64> {
        let file = folder.file(&format!("{layout}.csv"), records);
        let arguments = [&["mean", &file], &space[..], &["--layout", layout, "--center", center, "--json"]].concat();
        json(&arguments, b"")["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let expected = values("vectors", &vectors, "1,0,0");
    for found in [values("poincare", &poincare, "0,0"), values("klein", &klein, "0,0")] {
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {expected:?}");
    }
    // what is read in a ball is told in it
    let file = folder.file("told.csv", poincare);
    let words = [&["mean", &file], &space[..], &["--layout", "poincare", "--details"]].concat();
    let printed = Command::cargo_bin("karcher").unwrap().args(words).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let told = printed.lines().find_map(|line| line.trim().strip_prefix("poincare ")).unwrap();
    let told: Vec<f64> = told.split(' ').map(|x| x.parse().unwrap()).collect();
    let [time, x, y] = expected[..] else { panic!("{expected:?}") };
    assert!((told[0] - x / (1.0 + time)).abs() < 1e-6 && (told[1] - y / (1.0 + time)).abs() < 1e-6, "{printed}");
    assert!(printed.contains("around poincare 0 0"), "{printed}");

    let outside = folder.file("outside.csv", "0.1,0.2\n0.9,0.8\n");
    let sentence = refusal(&[&["mean", &outside], &space[..], &["--layout", "klein"]].concat());
    assert!(sentence.contains("record 2 (line 2): its norm is 1.204") && sentence.contains("below 1"), "{sentence}");
    let sentence = refusal(&[&["mean", &outside], &space[..]].concat());
    assert!(sentence.contains("2 numbers would be --layout poincare or klein"), "{sentence}");
    let sentence = refusal(&[&["mean", &outside], &space[..], &["--layout", "beltrami"]].concat());
    assert!(sentence.contains("unknown layout `beltrami`: expected vectors, poincare, klein"), "{sentence}");
}

#[test]
fn dates_are_predictors() {
    let folder = Folder::new();
    let dates = folder.file("a.csv", "x,day\n1,2000-01-01\n2,2001-07-02T12:00:00\n");
    let years = folder.file("b.csv", "x,day\n1,2000\n2,2001.5\n");
    let release = |file: &str| {
        let space = ["--manifold", "euclidean:1", "--radius", "9", "--epsilon", "1", "--seed", "1", "--json"];
        let line = ["--predictor", "day", "--predictor-range", "1999", "2002", "--slope-bound", "5"];
        json(&[&["regress", file], &space[..], &line].concat(), b"")
    };
    assert_eq!(release(&dates), release(&years));
    let zones = folder.file("c.csv", "x,day\n1,2000-01-01T02:00:00+02:00\n2,2001-07-02T12:00Z\n");
    assert_eq!(release(&zones), release(&years));
}

/// Eight digits are a date unless the range, which is public, holds such numbers.
#[test]
fn compact_dates_are_predictors() {
    let folder = Folder::new();
    let release = |days: [&str; 2], range: [&str; 2], at: &str| {
        let file = folder.file("a.csv", format!("x,day\n1,{}\n2,{}\n", days[0], days[1]));
        let space = ["--manifold", "euclidean:1", "--radius", "9", "--epsilon", "1", "--seed", "1", "--json"];
        let line = ["--predictor", "day", "--slope-bound", "5", "--predict-at", at, "--predictor-range"];
        json(&[&["regress", &*file], &space[..], &line, &range].concat(), b"")
    };
    let dashes = ["2000-01-01", "2001-07-02"];
    let expected = release(dashes, ["1999-01-01", "2002-01-01"], "2001-01-01");
    assert_eq!(release(["20000101", "20010702"], ["1999", "2002"], "20010101"), expected);
    assert_eq!(release(["20000101", "2001-07-02"], ["19990101", "20020101"], "2001"), expected);
    let numbers = release(["20000101", "20010702"], ["0", "30000000"], "20010101");
    assert_eq!(numbers["predictor_range"]["high"], 30_000_000.0, "{numbers}");
    assert_eq!(numbers["predictions"][0]["predictor"], 20_010_101.0, "{numbers}");
}

/// Whatever stands in cells that are not selected, there are as many records.
#[test]
fn cells_that_are_not_selected_do_not_decide_how_many_records_there_are() {
    let folder = Folder::new();
    let plain = folder.file("plain.csv", "x,y\n1,2\n3,4\n5,6\n");
    let expected = json(&mean(&[&plain], &[]), b"");
    for (name, text) in [
        ("note.csv", "note,x,y\n# see above,1,2\n#,3,4\n\"# 3\",5,6\n"),
        ("quote.csv", "x,y,note\n1,2,\"open\n3,4,shut\"\n5,6,\"\n"),
        ("quote.tsv", "x\tnote\ty\n1\t\"a\t2\n3\t5\" pipe\t4\n5\tb\"\t6\n"),
        ("r.tsv", "\"note\"\t\"x\"\t\"y\"\n\"a\"\t1\t2\n\"#\"\t3\t4\n\"\"\t5\t6\n"),
        ("words.txt", "note x y\n# 1 2\n\" 3 4\n\"a b\" 5 6\n"),
    ] {
        let file = folder.file(name, text);
        for options in [vec![], vec!["--on-invalid", "replace-with-center"]] {
            assert_eq!(json(&mean(&[&file], &[&["--columns", "x,y"], &options[..]].concat()), b""), expected, "{name}");
        }
        let count = ["count", &*file, "--columns", "x,y", "--epsilon", "1", "--seed", "1", "--json"];
        let of_plain = ["count", &*plain, "--columns", "x,y", "--epsilon", "1", "--seed", "1", "--json"];
        assert_eq!(json(&count, b""), json(&of_plain, b""), "{name}");
        let person = ["--columns", "x,y", "--person", "note"];
        if name == "note.csv" {
            assert_eq!(json(&mean(&[&file], &person), b"")["n"], 3);
        }
    }
    let first = folder.file("first.csv", "# 1,2,3\n4,5,6\n");
    assert!(refusal(&mean(&[&first], &["--columns", "2-3"])).contains("give --comments '#' if it is a comment"));
    let vectors = folder.file("vectors.txt", "2 2\nthe 1 2\n# 3 4\n");
    assert!(refusal(&mean(&[&vectors], &["--columns", "2-3"])).contains("give --skip-lines 1"));
    assert_eq!(json(&mean(&[&vectors], &["--columns", "2-3", "--skip-lines", "1"]), b"")["n"], 2);
}

/// Names, units, records; codes of one column and of all.
#[test]
fn a_buoy_is_read_with_its_units_and_codes() {
    let folder = Folder::new();
    let buoy = folder
        .file("buoy.txt", "#YY  WDIR WVHT\n#yr  degT m\n2020  1    2\n2020  99   4\n2020  MM   5\n2020  3    99\n");
    let plain = folder.file("plain.csv", "WDIR,WVHT\n1,2\n99,4\n");
    let columns = ["--columns", "WDIR,WVHT", "--radius", "200", "--missing", "drop"];
    let space = ["--manifold", "euclidean:2", "--epsilon", "1", "--seed", "1", "--json"];
    let of = |file: &str, more: &[&str]| json(&[&["mean", file], &space[..], &columns, more].concat(), b"");
    let units = ["--skip-after-header", "1", "--missing-values", "WVHT=99", "--missing-values=-1,MM"];
    assert_eq!(of(&buoy, &units), of(&plain, &[]));
    assert_eq!(of(&buoy, &["--skip-after-header", "1", "--missing-values", "MM,99"])["n"], 1);
    let refused = refusal(&[&["mean", &buoy], &space[..], &columns, &units, &["--header", "no"]].concat());
    assert!(refused.contains("--skip-after-header needs a header"), "{refused}");
    let refused =
        refusal(&[&["mean", &buoy], &space[..], &columns, &units[..2], &["--missing-values", "PRES=1"]].concat());
    assert!(refused.contains("PRES"), "{refused}");
    assert!(refusal(&[&["mean", &buoy], &space[..], &["--missing-values", "a="]].concat()).contains("depth=-1,-999"));
}

/// Rows between a header and the records are skipped, and not what they say of the columns.
#[test]
fn units_below_a_header_are_looked_at() {
    let folder = Folder::new();
    let refused = |text: &str, options: &str| {
        let file = folder.file("units.csv", text);
        let options: Vec<&str> = options.split(' ').collect();
        refusal(&[&["mean", &file, "--skip-after-header", "1", "--epsilon", "1"], &options[..]].concat())
    };
    let place = "--columns lat,lon --manifold sphere:2 --layout latlon --center origin --radius 0.9";
    let found = refused("time,lat,lon\nUTC,radian,radian\n0,0.1,0.2\n", place);
    assert!(found.contains("radians"), "{found}");
    let found = refused("time,lat,lon\nUTC,degrees_north,degrees_west\n0,10,20\n", place);
    assert!(found.contains("west"), "{found}");
    let rock =
        "--columns SIO2,SR --manifold simplex-aitchison:2 --layout percent --center origin --radius 20 --normalize";
    let found = refused("ID,SIO2,SR\n,wt%,ppm\na,50,300\n", rock);
    assert!(found.contains("ppm"), "{found}");
    // numbers are those of a record, which no message quotes
    let found = refused("time,lat,lon\n0,12.34,56.78\n0,x,20\n", place);
    assert!(!found.contains("12.34") && !found.contains("56.78"), "{found}");
    let marker = "--columns RX,RY,RZ --manifold rotations:3 --layout rotation-vectors --center origin --radius 1";
    let found = refused("Frame,RX,RY,RZ\n,deg,deg,deg\n1,10,20,30\n", marker);
    assert!(found.contains("give --multiply-by 0.01745329"), "{found}");
}

/// Names that detectors of poses and trackers write: a confidence is no coordinate, and three numbers of a quaternion
/// are no rotation vector.
#[test]
fn names_of_other_programs_contradict_a_layout() {
    let folder = Folder::new();
    let refused = |text: &str, options: &str| {
        let file = folder.file("names.csv", text);
        refusal(&[&["mean", &file, "--epsilon", "1"], &options.split(' ').collect::<Vec<_>>()[..]].concat())
    };
    let shape = "--manifold landmarks:3,3 --radius 0.5 --center 0,0,1,1,0,1,0,1,1";
    for last in ["c", "likelihood", "score"] {
        let names = ["nose", "eye", "ear"].map(|part| format!("{part}_x,{part}_y,{part}_{last}")).join(",");
        let found = refused(&format!("{names}\n0,0,1,1,0,1,0,1,1\n"), shape);
        assert!(found.contains("a confidence") && found.contains("size 3,2"), "{found}");
    }
    let turn = "--manifold rotations:3 --layout rotation-vectors --center origin --radius 1";
    assert!(refused("qx,qy,qz\n0.1,0,0\n", turn).contains("three numbers of a quaternion"));
    assert!(refused("pose_Rx,pose_Ry,pose_Rz\n0.1,0,0\n", turn).contains("Euler angles"));
    let normal = "--manifold sphere:2 --layout elevation-azimuth --center 90,0 --radius 1";
    assert!(refused("Slope,Aspect\n10,20\n", normal).contains("colatitude-longitude"));
    assert!(refused("phase_cycles\n0.1\n", "--manifold torus:1 --layout degrees --radius 1").contains("cycles"));
}

#[test]
fn landmarks_of_a_tps_file_are_shapes() {
    let folder = Folder::new();
    let tps = folder.file(
        "skulls.tps",
        "LM=4\n0 0\n2 0\n2 1\n0 1\nID=a\nSCALE=0.1\nLM=4\n-1 -1\n2 0\n2 1\n0 1\nID=b\nLM=4\n0 0\n3 0\n3 1\n0 1\nID=a\n",
    );
    let csv = folder.file("skulls.csv", "0,0,2,0,2,1,0,1\n0,0,3,0,3,1,0,1\n");
    let space = ["--manifold", "kendall:4", "--radius", "0.5", "--center", "0,0,2,0,2,1,0,1", "--epsilon", "1"];
    let of =
        |file: &str, more: &[&str]| [&["mean", file], &space[..], &["--seed", "1", "--json"], more].concat().join("\n");
    let run = |line: &str| json(&line.split('\n').collect::<Vec<_>>(), b"");
    assert_eq!(run(&of(&tps, &["--missing", "drop"]))["value"], run(&of(&csv, &["--header", "no"]))["value"]);
    assert!(
        refusal(&of(&tps, &[]).split('\n').collect::<Vec<_>>())
            .contains("record 2 (line 8), column 1 (x1): the value is missing")
    );
    assert_eq!(run(&of(&tps, &["--missing", "center"]))["n"], 3);
    assert_eq!(run(&of(&tps, &["--missing", "center", "--person", "ID"]))["n"], 2);
    assert_eq!(run(&of(&tps, &["--on-invalid", "replace-with-center"]))["n"], 3);
}

#[test]
fn cells_do_not_reach_the_terminal_as_commands() {
    let folder = Folder::new();
    let file = folder.file("a.csv", "x,y\n1,\u{1b}]0;boo\u{7}\n");
    let sentence = refusal(&mean(&[&file], &[]));
    assert!(sentence.trim_end().chars().all(|c| !c.is_control()) && sentence.contains("\\u{1b}]0;boo"), "{sentence:?}");
}

/// A header that lacks a name for the first column would name each column after its neighbour.
#[test]
fn a_header_without_a_name_for_row_names_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, text: &str, options: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        let mean = format!("mean {name} --epsilon 1000 --seed 1 --json {options}");
        Command::cargo_bin("karcher").unwrap().args(mean.split_whitespace()).current_dir(&folder).output().unwrap()
    };
    let plane = "--manifold euclidean:2 --radius 99 --columns lat,lon";
    for (name, tab) in [("r.tsv", "\t"), ("r.csv", ","), ("r.txt", " ")] {
        let text = |header: &str| format!("{header}lat lon\n1 10 20\n2 12 22\n").replace(' ', tab);
        let refused = run(name, &text(""), plane);
        let words = String::from_utf8(refused.stderr).unwrap();
        assert!(words.contains("the header has 2 names, and the first record has 3 cells"), "{words}");
        let read = run(name, &text("id "), plane);
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        let value = serde_json::from_slice::<serde_json::Value>(&read.stdout).unwrap()["value"].clone();
        assert!((value[0].as_f64().unwrap() - 11.0).abs() < 1.5, "{value}");
    }
    // an empty cell at the end does not count as an extra cell
    assert!(run("end.csv", "lat,lon\n10,20,\n12,22,\n", plane).status.success());
    // the counts above word vectors are not a record, for any selected column
    let counts = run("v.txt", "2 3\na 1 2 3\nb 2 3 4\n", "--manifold euclidean:1 --radius 9 --columns 2");
    let words = String::from_utf8(counts.stderr).unwrap();
    assert!(words.contains("--skip-lines 1"), "{words}");
}

/// Names in a comment are checked like those of a header, because columns are then chosen by number.
#[test]
fn names_in_the_last_comment_contradict_a_layout() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# ground truth\n# time x y z qx qy qz qw\n1 0 0 0 0 0 0.1 0.99\n2 0 0 0 0 0 0.1 0.99\n";
    std::fs::write(folder.path().join("poses.txt"), text).unwrap();
    let run = |options: &str| {
        let mean = format!(
            "mean poses.txt --comments # --columns 5-8 --manifold rotations:3 --center 1,0,0,0 --radius 0.7 \
             --normalize --epsilon 9 {options}"
        );
        Command::cargo_bin("karcher").unwrap().args(mean.split_whitespace()).current_dir(&folder).output().unwrap()
    };
    let words = String::from_utf8(run("").stderr).unwrap();
    assert!(words.contains("--layout quaternions-last"), "{words}");
    assert!(run("--layout quaternions-last").status.success());
    assert!(run("--trust-layout").status.success());
}
