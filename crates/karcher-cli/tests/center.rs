//! The public center of the ball, in every form it can be given in; and the two-step procedure of the guide.

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("plane.csv", "id,x,y\n1,100,200\n2,120,180\n3,110,190\n"),
        ("matrices.csv", "2,0.1,1\n1,0,1\n1,-0.2,3\n"),
        ("shapes.csv", "0,1,1,0,0,0,1,1\n0,2,2,0,0,0.1,1,1.2\n0,1,1.1,0,0.1,0,1,1\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn run(folder: &TempDir, command: &str) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().args(command.split(' ')).current_dir(folder).output().unwrap()
}

fn release(folder: &TempDir, command: &str) -> Value {
    let output = run(folder, &format!("{command} --epsilon 1 --seed 1 --json"));
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(folder: &TempDir, command: &str) -> String {
    let output = run(folder, &format!("{command} --epsilon 1"));
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{command}: {sentence}");
    sentence
}

fn center(release: &Value) -> Vec<f64> {
    release["ball"]["center"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1e-300))
}

const PLANE: &str = "mean plane.csv --columns x,y --manifold euclidean:2 --radius 1";
const MATRICES: &str = "mean matrices.csv --layout upper-row --manifold spd-log-euclidean:2 --radius 2";
const SHAPES: &str = "mean shapes.csv --layout blocked --manifold kendall:4 --radius 0.3";

#[test]
fn a_center_is_in_the_units_of_the_records() {
    let folder = folder();
    std::fs::write(folder.path().join("center.csv"), "110,190\n").unwrap();
    for given in ["110,190", "center.csv"] {
        let found = release(&folder, &format!("{PLANE} --multiply-by 0.01 --center {given}"));
        assert!(near(&center(&found), &[1.1, 1.9]), "{given}: {found}");
    }
    let spd = release(&folder, &format!("{MATRICES} --multiply-by 10 --center 3*identity"));
    assert!(near(&center(&spd), &[30.0, 0.0, 0.0, 30.0]), "{spd}");
}

#[test]
fn a_file_of_centers_has_the_columns_of_the_records_or_just_the_numbers_of_one() {
    let folder = folder();
    for (name, text) in [
        ("same.csv", "id,x,y\n7,1,2\n"),
        ("turned.csv", "y,x\n2,1\n"),
        ("bare.csv", "1,2\n"),
        ("other.csv", "a,b,c\n1,2,3\n"),
        ("two.csv", "x,y\n1,2\n3,4\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for name in ["same.csv", "turned.csv", "bare.csv"] {
        let found = release(&folder, &format!("{PLANE} --center {name}"));
        assert!(near(&center(&found), &[1.0, 2.0]), "{name}: {found}");
    }
    let numbered = PLANE.replace("x,y", "2-3");
    for name in ["same.csv", "bare.csv"] {
        let found = release(&folder, &format!("{numbered} --center {name}"));
        assert!(near(&center(&found), &[1.0, 2.0]), "{name}: {found}");
    }
    assert!(refusal(&folder, &format!("{PLANE} --center other.csv")).contains("no column `x`"));
    assert!(refusal(&folder, &format!("{PLANE} --center two.csv")).contains("must hold one record, it holds 2"));
}

#[test]
fn what_karcher_wrote_is_a_center_in_the_units_of_the_release() {
    let folder = folder();
    let sphere = "mean poles.csv --layout latlon --manifold sphere:2 --radius 0.3";
    std::fs::write(folder.path().join("poles.csv"), "80,10\n85,20\n").unwrap();
    let first = [
        (PLANE.to_owned(), "--center 110,190", ""),
        (PLANE.to_owned(), "--center 110,190", " --multiply-by 0.01"),
        (MATRICES.to_owned(), "--center origin", ""),
        (MATRICES.to_owned(), "--center origin", " --multiply-by 10"),
        (SHAPES.to_owned(), "--center 0,1,1,0,0,0,1,1", ""),
        (sphere.to_owned(), "--center 90,0", ""),
    ];
    for (command, public, scaled) in first {
        for name in ["mean.json", "mean.npy", "mean.csv"] {
            let command = format!("{command}{scaled}");
            let one = release(&folder, &format!("{command} {public} --output {name} --force"));
            let again = format!("{command} --center {name}");
            if !scaled.is_empty() && name != "mean.json" {
                if command.contains("spd") {
                    assert!(refusal(&folder, &again).contains("its units are ambiguous"), "{again}");
                }
                continue;
            }
            let value: Vec<f64> = one["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let found = center(&release(&folder, &again));
            assert!(
                found.iter().zip(&value).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b.abs())),
                "{again}: {value:?}, {found:?}"
            );
        }
    }
    std::fs::write(folder.path().join("not.json"), "{\"manifold\": \"sphere:2\"}").unwrap();
    release(&folder, &format!("{PLANE} --center 110,190 --output mean.json --force"));
    assert!(
        refusal(&folder, &format!("{sphere} --center mean.json")).contains("a release on euclidean:2, not on sphere:2")
    );
    assert!(refusal(&folder, &format!("{PLANE} --center not.json")).contains("it holds no release"));
    assert!(refusal(&folder, &format!("{PLANE} --center nowhere.json")).contains("it cannot be read"));
}

#[test]
fn matrices_and_shapes_ask_for_a_center_and_say_which() {
    let folder = folder();
    let affine = MATRICES.replace("log-euclidean", "affine-invariant");
    for command in [MATRICES, &affine] {
        let sentence = refusal(&folder, command);
        assert!(
            sentence.contains("units") && sentence.contains("1e-10*identity") && sentence.contains("atlas"),
            "{sentence}"
        );
        for given in ["origin", "1*identity", "1,0,1"] {
            assert!(near(&center(&release(&folder, &format!("{command} --center {given}"))), &[1.0, 0.0, 0.0, 1.0]));
        }
        let volts = release(&folder, &format!("{command} --center 1e-10*identity"));
        assert!(near(&center(&volts), &[1e-10, 0.0, 0.0, 1e-10]), "{volts}");
    }
    let sentence = refusal(&folder, SHAPES);
    assert!(sentence.contains("regular polygon") && sentence.contains("atlas"), "{sentence}");
    release(&folder, &format!("{SHAPES} --center origin"));
    assert!(refusal(&folder, &format!("{PLANE} --center 2*identity")).contains("not of euclidean:2"));
    assert!(refusal(&folder, &format!("{MATRICES} --center -2*identity")).starts_with("error: --center"));
    let regress = "regress matrices.csv --manifold spd-log-euclidean:1 --columns 1 --predictor 2 --predictor-range 0 1 --radius 2 --slope-bound 1";
    assert!(refusal(&folder, regress).contains("identity"));
    // nothing is asked where nothing is read
    for command in
        ["plan --manifold kendall:5 --n 100 --radius 0.3", "plan --manifold spd-log-euclidean:2 --n 100 --radius 1"]
    {
        assert!(run(&folder, &format!("{command} --epsilon 1")).status.success(), "{command}");
    }
}

#[test]
fn a_file_cut_from_the_records_is_a_center_whatever_else_it_holds() {
    let folder = folder();
    std::fs::write(folder.path().join("cities.csv"), "city,latitude,longitude\nA,10,20\nB,12,21\n").unwrap();
    std::fs::write(folder.path().join("one.csv"), "city,latitude,longitude\nA,10,20\n").unwrap();
    let command = "mean cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --radius 0.3";
    let found = release(&folder, &format!("{command} --center one.csv"));
    let (latitude, longitude) = (10f64.to_radians(), 20f64.to_radians());
    let expected = [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()];
    assert!(near(&center(&found), &expected), "{found}");
    let numbered = command.replace("latitude,longitude", "2-3");
    assert!(near(&center(&release(&folder, &format!("{numbered} --center one.csv"))), &expected));
}

#[test]
fn what_karcher_wrote_is_a_center_beside_chosen_columns() {
    let folder = folder();
    std::fs::write(folder.path().join("cities.csv"), "city,latitude,longitude\nA,10,20\nB,12,21\n").unwrap();
    std::fs::write(folder.path().join("named.csv"), "id,a,b,c\n1,2,0.1,1\n2,1,0,1\n").unwrap();
    for command in [
        "mean cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --radius 0.3 --center 10,20",
        "mean cities.csv --columns 2-3 --layout latlon --manifold sphere:2 --radius 0.3 --center 10,20",
        "mean plane.csv --columns x,y --manifold euclidean:2 --radius 1 --center 110,190",
        "mean named.csv --columns a-c --layout upper-row --manifold spd-log-euclidean:2 --radius 1 --center origin",
    ] {
        let command = command.replace("a-c", "a,b,c");
        for name in ["out.csv", "out.npy", "out.json"] {
            let first = release(&folder, &format!("{command} --output {name} --force"));
            let value: Vec<f64> = first["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let (command, _) = command.split_once(" --center").unwrap();
            let found = center(&release(&folder, &format!("{command} --center {name}")));
            assert!(found.iter().zip(&value).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b.abs())), "{command}: {name}");
        }
    }
}

#[test]
fn beside_a_shrunk_trace_a_center_is_not_multiplied_and_none_is_needed() {
    let folder = folder();
    let command = MATRICES.replace(" --radius 2", "") + " --shrink-trace 0.1 --multiply-by 1e9";
    let middle = (0.1f64 * 1.9).sqrt();
    assert!(near(&center(&release(&folder, &command)), &[middle, 0.0, 0.0, middle]));
    std::fs::write(folder.path().join("one.csv"), "0.5,0.1,0.6\n").unwrap();
    for (given, expected) in [
        ("0.7*identity", [0.7, 0.0, 0.0, 0.7]),
        ("0.5,0.1,0.6", [0.5, 0.1, 0.1, 0.6]),
        ("one.csv", [0.5, 0.1, 0.1, 0.6]),
    ] {
        let found = release(&folder, &format!("{command} --radius 2 --center {given}"));
        assert!(near(&center(&found), &expected), "{given}: {found}");
    }
    let without_radius = refusal(&folder, &format!("{command} --center origin"));
    assert!(
        without_radius.contains("--radius is missing") && without_radius.contains("how far from --center"),
        "{without_radius}"
    );
}

#[test]
fn words_about_a_center_name_its_forms_and_the_default() {
    let folder = folder();
    for given in ["identity", "25N,80E"] {
        let sentence = refusal(&folder, &format!("{MATRICES} --center {given}"));
        for form in ["S*identity", "`origin`", "numbers separated by commas"] {
            assert!(sentence.contains(form), "{sentence}");
        }
    }
    std::fs::write(folder.path().join("angles.csv"), "day,angle\n1,89\n2,91\n").unwrap();
    let regress = "regress angles.csv --columns angle --predictor day --predictor-range 1 2 --layout degrees \
                   --manifold sphere:1 --radius 0.5 --slope-bound 1 --epsilon 1 --seed 1";
    let text = |command: &str| String::from_utf8(run(&folder, command).stdout).unwrap();
    let told = text(&format!("{regress} --center 90 --details"));
    assert!(told.contains("ball of radius 28.65° around angle 90.0000°, slope") && !told.contains("default"), "{told}");
    assert!(told.matches("angle ").count() == 4, "three predictions and a center: {told}");
    let mean = "mean angles.csv --columns angle --layout degrees --manifold sphere:1 --radius 0.5 --epsilon 1 --seed 1";
    for command in [regress, mean] {
        // a budget is not spent on what lies about 0° by accident
        let output = run(&folder, command);
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{sentence}");
        for words in ["--center is missing: sphere:1 has no default one", "--center origin", "karcher locate"] {
            assert!(sentence.contains(words), "{sentence}");
        }
    }
    let default = "(the default center; --center chooses another)";
    let everywhere = text(&mean.replace("--radius 0.5", "--statistic median --radius 180deg --details"));
    let ball = format!("radius 180° around angle 0.0000° {default}");
    assert!(crate::one_line(&everywhere).contains(&ball), "{everywhere}");
    let line =
        text("mean angles.csv --columns angle --manifold euclidean:1 --radius 100 --epsilon 1 --seed 1 --details");
    assert!(line.contains(&format!("radius 100 around 0 {default}")), "{line}");
    let told = text(&format!("{mean} --center 90 --details"));
    assert!(told.contains("radius 28.65° around angle 90.0000°\n") && told.matches("angle ").count() == 2, "{told}");
}

/// 205.9° next to a center of 200°, −154.1° next to one of −160°; longitudes from 0 to 360 stay so; a factor of a
/// product.
#[test]
fn angles_are_written_near_the_center_that_was_typed() {
    let folder = folder();
    let lines = (0..200).map(|i| format!("{},{}\n", 195 + i % 11, 1.5)).collect::<String>();
    std::fs::write(folder.path().join("angles.csv"), format!("a,b\n{lines}")).unwrap();
    std::fs::write(folder.path().join("places.csv"), format!("lon,lat\n{lines}")).unwrap();
    let said = |command: &str| {
        let output = run(&folder, &format!("{command} --epsilon 50 --seed 1"));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let circle = |center: &str| {
        said(&format!(
            "mean angles.csv --columns a --manifold sphere:1 --layout degrees --center={center} --radius 30deg --details"
        ))
    };
    assert!(circle("190").contains("angle 199.9") || circle("190").contains("angle 200.0"), "{}", circle("190"));
    assert!(circle("-170").contains("angle -160.0") || circle("-170").contains("angle -159.9"), "{}", circle("-170"));
    assert!(circle("190").contains("around angle 190.0000°"));
    let place =
        said("mean places.csv --columns lat,lon --manifold sphere:2 --layout latlon --center 5,200 --radius 30deg");
    assert!(place.contains("longitude 200.0") || place.contains("longitude 199.9"), "{place}");
    let both = said(
        "mean angles.csv --manifold torus:1*euclidean:1 --layout degrees*vectors --center 560,1 --radius 0.9 --details",
    );
    assert!(both.contains("degrees*vectors 560.") || both.contains("degrees*vectors 559."), "{both}");
}
