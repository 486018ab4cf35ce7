//! `karcher regress --term` and `karcher mean --basis` as a user types them.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn karcher(folder: &Path, line: &str) -> std::process::Output {
    let mut command = Command::cargo_bin("karcher").unwrap();
    command.current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

fn json(folder: &Path, line: &str) -> Value {
    let output = karcher(folder, &format!("{line} --json"));
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(folder: &Path, line: &str) -> String {
    let output = karcher(folder, line);
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{line}: {sentence}");
    sentence
}

/// Heights that grow by 1 a year until 40, and are 12 more for M; two rows of each person; site "x:1" is a column.
fn people(rows: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let (age, sex) = (20 + i % 21, ["F", "M"][i / 21 % 2]);
        let height = 120 + age + if sex == "M" { 12 } else { 0 };
        format!("{age},{sex},{},{height},{}\n", i % 2, i / 2)
    };
    let text = format!("age,sex,x:1,height,who\n{}", (0..rows).map(row).collect::<String>());
    std::fs::write(folder.path().join("people.csv"), text).unwrap();
    folder
}

const ON: &str = "--columns height --manifold euclidean:1 --center 150 --radius 40";
const TERMS: &str = "--term linear:age:20:40 --term levels:sex:F,M";
const NEARLY: &str = "--mu 1e6 --seed 1";
const ONE_BY_SEX: &str = "--term linear:age:20:40 --by sex --groups F,M --adjacency add-remove --n-guess 9";

#[test]
fn predictions_effects_and_tests_are_those_of_the_data() {
    let folder = people(4_200);
    let line = format!("regress people.csv {ON} {TERMS} {NEARLY} --predict-at age=25,sex=F --predict-at sex=M,age=40");
    let release = json(folder.path(), &line);
    assert_eq!(release["statistic"], "feature-regression");
    let at = |i: usize| release["predictions"][i]["value"][0].as_f64().unwrap();
    assert!((at(0) - 145.0).abs() < 0.01 && (at(1) - 172.0).abs() < 0.01, "{release}");
    assert_eq!(release["predictions"][1]["at"], serde_json::json!({"age": 40.0, "sex": "M"}));
    for (i, (term, distance)) in [("linear:age:20:40", 20.0), ("levels:sex:F,M", 12.0)].into_iter().enumerate() {
        let effect = &release["effects"][i];
        assert_eq!(effect["term"], term);
        assert!((effect["distance"].as_f64().unwrap() - distance).abs() < 0.02, "{effect}");
        assert!(release["term_tests"][i]["p_value"].as_f64().unwrap() < 0.01);
    }
    // in words, and as tables
    let words = String::from_utf8(karcher(folder.path(), &line).stdout).unwrap();
    assert!(
        words.contains("at age=25, sex=F, within") && words.contains("from F to M, sex moves the prediction by 12"),
        "{words}"
    );
    assert!(karcher(folder.path(), &format!("{line} --output at.csv")).status.success());
    let table = std::fs::read_to_string(folder.path().join("at.csv")).unwrap();
    assert!(table.starts_with("at,x1\n") && table.contains("age=25, sex=F"), "{table}");
}

#[test]
fn a_release_is_verified_run_again_and_reported() {
    let folder = people(420);
    let predicted = "--predict-at age=25,sex=F --output one.json";
    let line = format!("regress people.csv {ON} {TERMS} --epsilon 1 {predicted}");
    assert!(karcher(folder.path(), &line).status.success());
    assert!(karcher(folder.path(), "verify one.json").status.success());
    let path = folder.path().join("one.json");
    let genuine = std::fs::read_to_string(&path).unwrap();
    for (field, at) in [("predictions", 0), ("effects", 1), ("term_tests", 0), ("moments", 2), ("coefficients", 1)] {
        let mut edited: Value = serde_json::from_str(&genuine).unwrap();
        let part = &mut edited[field][at];
        let number = match field {
            "predictions" => &mut part["value"][0],
            "effects" => &mut part["interval"][1],
            "term_tests" => &mut part["p_value"],
            "coefficients" => &mut part[0],
            _ => part,
        };
        let found = number.as_f64().unwrap();
        let other_p = if found > 0.5 { found - 0.3 } else { found + 0.3 };
        *number = (if field == "term_tests" { other_p } else { 1.01 * found + 0.001 }).into();
        std::fs::write(&path, edited.to_string()).unwrap();
        assert!(!karcher(folder.path(), "verify one.json").status.success(), "{field}");
    }
    std::fs::write(&path, &genuine).unwrap();
    let again = json(folder.path(), "run one.json people.csv --columns height --predict-at age=30,sex=M");
    assert_eq!(again["spec"], serde_json::from_str::<Value>(&genuine).unwrap()["spec"]);
    assert_eq!(again["predictions"][0]["at"]["sex"], "M");
    assert!(karcher(folder.path(), "report one.json --output one.html").status.success());
    let page = std::fs::read_to_string(folder.path().join("one.html")).unwrap();
    assert!(page.contains("features of age, sex"), "no sentence");
    assert!(page.contains("the test that age has no effect gives p "));
}

/// A release does not depend on memory or on standard input.
#[test]
fn streams_persons_and_groups_have_features() {
    let folder = people(4_200);
    let line = |rest: &str| format!("regress {rest} {ON} {TERMS} --epsilon 1 --seed 3");
    let whole = json(folder.path(), &line("people.csv"));
    assert_eq!(json(folder.path(), &line("people.csv --memory 1KB")), whole);
    let text = std::fs::read(folder.path().join("people.csv")).unwrap();
    let mut command = Command::cargo_bin("karcher").unwrap();
    let piped = format!("{} --json", line("- --format csv"));
    let output = command.args(piped.split_whitespace()).write_stdin(text).output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), whole);

    let persons = json(folder.path(), &line("people.csv --person who"));
    assert_eq!((persons["unit"].as_str(), persons["n"].as_u64()), (Some("person"), Some(2_100)));
    assert_eq!(json(folder.path(), &line("people.csv --person who --memory 1KB")), persons);

    let groups = format!(
        "regress people.csv {ON} --term linear:age:20:40 {NEARLY} --by sex --groups F,M --adjacency add-remove --n-guess 2000"
    );
    let releases = json(folder.path(), &groups);
    let coefficient = |i: usize| releases["groups"][i]["release"]["coefficients"][0][0].as_f64().unwrap();
    // at the middle of the range, 150 and 162: (x − 150)·√2
    assert_eq!(json(folder.path(), &format!("{groups} --memory 1KB")), releases);
    assert!((coefficient(0) - 0.0).abs() < 0.05 && (coefficient(1) - 12.0 * 2.0_f64.sqrt()).abs() < 0.05, "{releases}");
    assert!(karcher(folder.path(), &groups).status.success());
}

#[test]
fn a_quoted_column_has_a_colon() {
    let folder = people(420);
    let output = Command::cargo_bin("karcher")
        .unwrap()
        .current_dir(folder.path())
        .args(["regress", "people.csv", "--term", "levels:\"x:1\":0,1", "--json"])
        .args(format!("{ON} {NEARLY}").split_whitespace())
        .args(["--predict-at", "\"x:1\"=1"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let release: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(release["features"], serde_json::json!(["levels:\"x:1\":0,1"]));
    // odd rows: those of ages 21, 23, …, 39 of F, and 20, 22, …, 40 of M
    let expected = (10.0 * 150.0 + 11.0 * 162.0) / 21.0;
    assert!((release["predictions"][0]["value"][0].as_f64().unwrap() - expected).abs() < 0.05, "{release}");
}

#[test]
fn a_quoted_column_has_a_comma() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..100).map(|i| format!("{i},{}\n", 100 + i));
    std::fs::write(folder.path().join("a.csv"), format!("\"a:b,c\",height\n{}", rows.collect::<String>())).unwrap();
    let wide = ON.replace("--radius 40", "--radius 60");
    let release = json(folder.path(), &format!("regress a.csv --term linear:\"a:b,c\":0:99 {wide} {NEARLY}"));
    let moved = release["effects"][0]["distance"].as_f64().unwrap();
    assert!((moved - 99.0).abs() < 0.1, "{moved}");
    let told = refusal(folder.path(), &format!("regress a.csv --term linear:\"b,c\":0:99 {ON} {NEARLY}"));
    assert!(told.contains("b,c") && told.contains("has no column"), "{told}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = people(420);
    for (rest, said) in [
        (format!("{TERMS} --predict-at age=25"), "lacks sex: give a value of each of age, sex"),
        (format!("{TERMS} --predict-at age=25,sex=X"), "its levels are F, M and other"),
        (format!("{TERMS} --predict-at age=25,sex=F,site=1"), "has site, which no term reads"),
        (format!("{TERMS} --predict-at 25"), "give a value for each column, age=40,sex=F"),
        ("--term linear:weight:0:1".to_owned(), "no column `weight`"),
        ("--term linear:sex:0:1".to_owned(), "is not a number"),
        ("--term spline:age:20:40".to_owned(), "spline:COLUMN:LOW:HIGH:KNOTS"),
        ("--term linear:age:40:20".to_owned(), "the lower end comes first"),
        (format!("{TERMS} --predictor age"), "cannot be used with"),
        (format!("{TERMS} --slope-bound 1"), "cannot be used with"),
        (String::new(), "<--predictor <COLUMN>|--term <TERM>>"),
        (
            format!("{TERMS} --by sex --groups F,M --adjacency add-remove --n-guess 9"),
            "the covariate is the column of the groups (--by)",
        ),
        (format!("{ONE_BY_SEX} --predict-at age=30"), "--predict-at does not go with groups"),
        (format!("{ONE_BY_SEX} --plot a.svg"), "--plot does not go with groups"),
        ("--term linear:height:0:1".to_owned(), "among the columns of the records"),
        (format!("{TERMS} --mechanism kng"), "it does not release a feature-regression"),
        (format!("{TERMS} --person who --adjacency add-remove --n-guess 9"), "there is no proof"),
    ] {
        let told = refusal(folder.path(), &format!("regress people.csv {ON} --epsilon 1 {rest}"));
        assert!(told.contains(said), "{rest}: {told}");
    }
}

#[test]
fn a_basis_takes_tangent_vectors_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..200).map(|i| format!("{},{},{}\n", 0.1, 0.01 * f64::from(i % 11), -0.2));
    std::fs::write(folder.path().join("points.csv"), format!("a,b,c\n{}", rows.collect::<String>())).unwrap();
    std::fs::write(folder.path().join("basis.csv"), "a,b,c\n0,2,0\n").unwrap();
    let line = format!("mean points.csv --manifold euclidean:3 --radius 1 {NEARLY} --basis basis.csv");
    let release = json(folder.path(), &line);
    let value: Vec<f64> = serde_json::from_value(release["predictions"][0]["value"].clone()).unwrap();
    assert!(value[0] == 0.0 && (value[1] - 0.0497).abs() < 1e-3 && value[2] == 0.0, "{value:?}");
    assert!(String::from_utf8(karcher(folder.path(), &line).stdout).unwrap().starts_with("private mean"));
    let printed = String::from_utf8(karcher(folder.path(), &format!("{line} --details")).stdout).unwrap();
    assert!(printed.contains("within") && printed.contains("of that of the population"), "{printed}");
    assert!(crate::one_line(&printed).contains(" basis, simulated") && !printed.contains("prediction"), "{printed}");
    for (given, said) in [
        ("--statistic median", "--basis belongs to the mean: leave out --statistic median"),
        ("--spread-clip 1", "--spread-clip does not go with --basis"),
        ("--region 0.9", "--region does not go with --basis"),
        ("--quantile 0.9", "--quantile does not go with --basis"),
        ("--mechanism chart", "with --basis the mechanism is linear: leave out --mechanism"),
        ("--denoise none", "with --basis the mechanism is linear: leave out --denoise"),
    ] {
        let told = refusal(folder.path(), &format!("{line} {given}"));
        assert!(told.contains(said), "{given}: {told}");
    }
    let rows = (0..200).map(|i| format!("{},0.1,{},-0.2\n", ["F", "M"][i % 2], 0.1 * f64::from(u8::from(i % 2 == 1))));
    std::fs::write(folder.path().join("both.csv"), format!("sex,a,b,c\n{}", rows.collect::<String>())).unwrap();
    let groups = "--by sex --groups F,M --adjacency add-remove --n-guess 100";
    let printed = karcher(folder.path(), &format!("{} {groups}", line.replace("points.csv", "both.csv")));
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.contains("0 0.1") && printed.contains("of the clipped records in the basis"), "{printed}");
    std::fs::write(folder.path().join("basis.csv"), "a,b,c\n0,0,0\n").unwrap();
    let told = refusal(folder.path(), &line);
    assert!(told.contains("--basis: none of its vectors is tangent"), "{told}");
    std::fs::write(folder.path().join("wide.csv"), "a,b\n0,2\n").unwrap();
    let told = refusal(folder.path(), &line.replace("basis.csv", "wide.csv"));
    assert!(told.contains("a row has 2 numbers, and a tangent vector of euclidean:3 has 3"), "{told}");
}

/// Eight digits are a date where years are meant, in files and as typed, whatever another column has.
#[test]
fn eight_digits_are_dates_where_years_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    // on 2 July of 2001 to 2010
    let rows = (0..200).map(|i| format!("{},{}0702,{}\n", 1_000_000 * (i % 20), 2001 + i % 10, 140 + i % 10));
    std::fs::write(folder.path().join("a.csv"), format!("income,day,height\n{}", rows.collect::<String>())).unwrap();
    let terms = "--term linear:income:0:20000000 --term linear:day:2001:2011";
    let line = |at: &str| format!("regress a.csv {ON} {terms} {NEARLY} --predict-at income=0,day={at}");
    for at in ["2004.498", "20040702", "2004-07-02"] {
        let found = json(folder.path(), &line(at))["predictions"][0]["value"][0].as_f64().unwrap();
        assert!((found - 143.0).abs() < 0.02, "{at}: {found}");
    }
    let printed = String::from_utf8(karcher(folder.path(), &line("2030")).stdout).unwrap();
    assert!(printed.contains("day outside the range"), "{printed}");
}
