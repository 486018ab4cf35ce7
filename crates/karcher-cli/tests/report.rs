//! Pages about releases: they show the content of the JSON and nothing else, fetch nothing, run nothing, and work with
//! screen readers.
#![cfg(feature = "plot")]

use assert_cmd::cargo::cargo_bin;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

fn karcher(folder: &TempDir, arguments: &str) -> Output {
    Command::new(cargo_bin("karcher")).args(arguments.split_whitespace()).current_dir(folder).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run(folder: &TempDir, arguments: &str) {
    let output = karcher(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", told(&output));
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn write(folder: &TempDir, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).unwrap();
}

/// The page of some files.
fn report(folder: &TempDir, options: &str) -> String {
    run(folder, &format!("report {options} --output page.html --force"));
    read(folder, "page.html")
}

/// A page as XML. (Its first line is the only one that XML knows of.)
fn parse(page: &str) -> Document<'_> {
    Document::parse_with_options(page, ParsingOptions { allow_dtd: true, ..Default::default() })
        .unwrap_or_else(|error| panic!("{error}: {page}"))
}

fn elements<'a>(page: &'a Document<'a>, name: &str) -> Vec<Node<'a, 'a>> {
    page.descendants().filter(|node| node.is_element() && node.tag_name().name() == name).collect()
}

/// The words of a page outside of its pictures and of its JSON.
fn words(page: &Document<'_>) -> String {
    let next_to_it = |node: &Node<'_, '_>| {
        let left_out = ["svg", "pre", "style", "title"];
        !node.ancestors().any(|above| left_out.contains(&above.tag_name().name()))
    };
    let texts = page.descendants().filter(|node| node.is_text() && next_to_it(node));
    texts.filter_map(|node| node.text()).collect::<Vec<_>>().join(" ")
}

/// Releases of every kind, by the commands that write them.
fn every_kind(folder: &TempDir) -> Vec<&'static str> {
    let row = |i: u32, size: f64| size * (f64::from(i % 101) / 50.0 - 1.0);
    let rows = |line: &dyn Fn(u32) -> String| (0..2_000).map(line).collect::<String>();
    write(folder, "plane.csv", &rows(&|i| format!("{},{},{}\n", i % 101, row(i, 0.4), row(7 * i, 0.1))));
    write(folder, "globe.csv", &rows(&|i| format!("{},{}\n", 30.0 + row(i, 9.0), row(7 * i, 9.0))));
    write(folder, "matrix.csv", &rows(&|i| format!("{},{},{}\n", 2.0 + row(i, 0.4), row(3 * i, 0.1), 1.5)));
    let corner = |i: u32| format!("1,0,0,1,-1,0,0,{}\n", -1.0 - row(i, 0.3));
    write(folder, "shape.csv", &rows(&corner));
    write(
        folder,
        "wide.csv",
        &rows(&|i| (0..55).map(|j| row(i * j, 0.2).to_string()).collect::<Vec<_>>().join(",") + "\n"),
    );
    write(folder, "home.csv", "30,0\n");
    let groups: String = rows(&|i| format!("{},{},{}\n", ["a", "b"][i as usize % 2], row(i, 0.4), row(7 * i, 0.1)));
    write(folder, "groups.csv", &format!("group,x,y\n{groups}"));
    let globe = "globe.csv --header no --layout latlon --manifold sphere:2";
    let around = "--center 30,0 --radius 0.4";
    let plane = "plane.csv --header no --columns 2,3 --manifold euclidean:2";
    for command in [
        format!("mean {globe} {around} --epsilon 1 --output mean.json"),
        format!("mean {globe} {around} --mechanism laplace --numerics any --rho 0.1 --output idealized.json"),
        format!("mean {globe} {around} --epsilon 4 --spread --output spread.json"),
        format!("mean {globe} {around} --statistic median --mu 1 --output median.json"),
        format!("mean {globe} --ball auto --mu 4 --output auto.json"),
        format!("components {globe} {around} --components-clip 0.8 --mu 4 --spread --output components.json"),
        format!("locate {globe} --epsilon 4 --output ball.json"),
        format!("mean {plane} --radius 1 --epsilon 0.5 --delta 1e-6 --output approximate.json"),
        format!("mean {plane} --radius 1 --epsilon 1 --adjacency add-remove --n-guess 2000 --output hidden.json"),
        format!("mean {plane} --radius 1 --epsilon 1 --person 1 --output persons.json"),
        "mean matrix.csv --header no --manifold spd-log-euclidean:2 --layout upper-row --center 1*identity --radius 2 \
         --mu 1 --output matrix.json"
            .to_owned(),
        "mean shape.csv --header no --manifold kendall:4 --center 1,0,0,1,-1,0,0,-1 --radius 0.5 --epsilon 2 \
         --output shape.json"
            .to_owned(),
        "mean wide.csv --header no --manifold euclidean:55 --radius 2 --mu 1 --output wide.json".to_owned(),
        "regress plane.csv --header no --columns 2,3 --predictor 1 --predictor-range 0 100 --manifold euclidean:2 \
         --radius 1 --slope-bound 1 --residual-bound 1 --epsilon 5 --predict-at 10,90 --output line.json"
            .to_owned(),
        format!("count {} --columns 1 --header yes --epsilon 1 --output count.json", "groups.csv"),
        "randomize home.csv --header no --layout latlon --manifold sphere:2 --center 30,0 --radius 0.4 --epsilon 2 \
         --output record.json"
            .to_owned(),
        "collect record.json --output collected.json".to_owned(),
        "mean groups.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 1 --adjacency add-remove \
         --n-guess 900 --by group --groups a,b,none --output groups.json"
            .to_owned(),
    ] {
        run(folder, &command);
    }
    vec![
        "mean",
        "idealized",
        "spread",
        "median",
        "auto",
        "components",
        "ball",
        "approximate",
        "hidden",
        "persons",
        "matrix",
        "shape",
        "wide",
        "line",
        "count",
        "record",
        "collected",
        "groups",
    ]
}

/// All numbers that a page shows for a release: no probabilities, which are in per cent, no `uniform` and no schema.
fn numbers(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| numbers(value, found)),
        Value::Object(fields) => {
            let told = fields.iter().filter(|(name, _)| !["probability", "uniform", "schema"].contains(&name.as_str()));
            told.for_each(|(_, value)| numbers(value, found));
        }
        _ => (),
    }
}

/// Checks the properties that every page has.
fn check(page: &str) {
    let parsed = parse(page);
    // for screen readers
    let root = parsed.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("lang")), ("html", Some("en")));
    for landmark in ["header", "main", "footer", "h1", "title"] {
        let of_page = |node: &&Node<'_, '_>| {
            !node.ancestors().any(|above| above.has_tag_name(("http://www.w3.org/2000/svg", "svg")))
        };
        assert_eq!(elements(&parsed, landmark).iter().filter(of_page).count(), 1, "{landmark}");
    }
    let level = |node: &Node<'_, '_>| node.tag_name().name().strip_prefix('h')?.parse::<u32>().ok();
    let levels: Vec<u32> = parsed.descendants().filter_map(|node| level(&node)).collect();
    assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    for head in elements(&parsed, "th") {
        assert!(["row", "col"].contains(&head.attribute("scope").unwrap_or_default()));
    }
    assert!(elements(&parsed, "table").iter().all(|table| table.children().any(|child| child.has_tag_name("caption"))
        || table.first_element_child().is_some_and(|first| first.tag_name().name() == "caption")));
    let ids: Vec<&str> = parsed.descendants().filter_map(|node| node.attribute("id")).collect();
    let known: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len(), "an id is there twice: {ids:?}");
    let pictures = elements(&parsed, "svg");
    for picture in &pictures {
        assert_eq!(picture.attribute("role"), Some("img"));
        assert!(picture.ancestors().any(|above| above.children().any(|node| node.tag_name().name() == "figcaption")));
        for (name, child) in [("aria-labelledby", "title"), ("aria-describedby", "desc")] {
            let named = picture.descendants().find(|node| node.attribute("id") == picture.attribute(name)).unwrap();
            assert!(named.tag_name().name() == child && !named.text().unwrap().trim().is_empty());
        }
    }
    // nothing runs, and nothing is fetched
    for name in ["script", "img", "link", "iframe", "object", "embed", "form", "base", "image", "use", "foreignObject"]
    {
        assert!(elements(&parsed, name).is_empty(), "{name}");
    }
    for node in parsed.descendants() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && name != "src" && name != "style", "{name}={value}");
            let is_reference = name == "href" || value.contains("url(") || value.contains(':');
            let stays = value.starts_with('#') || value.starts_with("data:application/json;base64,");
            let is_word = ["aria-label", "content", "download"].contains(&name);
            assert!(!is_reference || stays || is_word || value.starts_with("url(#"), "{name}={value}");
            if let Some(id) = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
                assert!(known.contains(id), "{value}");
            }
            if let Some(id) = value.strip_prefix('#').filter(|_| name == "href") {
                assert!(known.contains(id), "{value}");
            }
        }
    }
    let styles = elements(&parsed, "style");
    assert_eq!(styles.len(), 1);
    let style = styles[0].text().unwrap();
    assert!(!["url(", "@import", "@font-face", "expression"].iter().any(|word| style.contains(word)));
    assert!(page.contains("default-src 'none'") && page.contains("name=\"viewport\""));
}

/// A specification repeats public numbers of its release, and those that the release did not need.
fn without_specs(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("spec");
            fields.values_mut().for_each(without_specs);
        }
        Value::Array(items) => items.iter_mut().for_each(without_specs),
        _ => {}
    }
}

#[test]
fn every_kind_of_release_has_a_page_with_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = every_kind(&folder);
    let pictures = ["matrix", "shape", "line", "groups", "mean", "median", "ball", "collected"];
    for kind in &kinds {
        let json = read(&folder, &format!("{kind}.json"));
        let page = report(&folder, &format!("{kind}.json"));
        check(&page);
        let parsed = parse(&page);
        let words = words(&parsed);
        let tokens: HashSet<&str> = words.split(|c: char| c.is_whitespace() || "(),;%°".contains(c)).collect();
        let mut published = vec![];
        let mut release: Value = serde_json::from_str(&json).unwrap();
        without_specs(&mut release);
        numbers(&release, &mut published);
        for number in published {
            // a sentence may end after it
            let is_told = tokens.contains(number.as_str()) || tokens.contains(format!("{number}.").as_str());
            assert!(is_told || number.parse::<f64>().unwrap() == f64::MAX, "{kind}: {number} is not told: {words}");
        }
        assert_eq!(
            !elements(&parsed, "svg").is_empty(),
            pictures.contains(kind) || !["wide", "count", "record"].contains(kind),
            "{kind}"
        );
        assert!(!words.contains("Not verified"), "{kind}: {words}");
        for part in ["What is guaranteed", "How to cite", "What is not protected", "right with a chance of at most"] {
            assert!(words.contains(part), "{kind}: {part}");
        }
        // what is to be kept is what was given
        let kept = elements(&parsed, "a").into_iter().filter_map(|link| link.attribute("href"));
        let kept: Vec<_> = kept.filter_map(|link| link.strip_prefix("data:application/json;base64,")).collect();
        assert_eq!(kept.len(), 1);
        assert_eq!(STANDARD.decode(kept[0]).unwrap(), json.as_bytes());
        // the page is a function of the files
        let elsewhere = tempfile::tempdir().unwrap();
        write(&elsewhere, &format!("{kind}.json"), &json);
        assert_eq!(report(&elsewhere, &format!("{kind}.json")), page);
    }
    let all: String = kinds.iter().map(|kind| format!(" {kind}.json")).collect();
    let page = report(&folder, &all);
    check(&page);
    assert!(
        parse(&page).descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "svg"))).count() > 15
    );
}

#[test]
fn a_page_shows_what_contradicts_its_specification() {
    let folder = tempfile::tempdir().unwrap();
    every_kind(&folder);
    for kind in ["mean", "count", "groups", "persons"] {
        let mut json: Value = serde_json::from_str(&read(&folder, &format!("{kind}.json"))).unwrap();
        json["unit"] = json!(if kind == "persons" { "record" } else { "person" });
        write(&folder, "edited.json", &json.to_string());
        let told = words(&parse(&report(&folder, "edited.json")));
        assert!(told.contains("Not verified.") && told.contains("unit: it is "), "{kind}: {told}");
    }
}

#[test]
fn the_first_sentence_says_of_what_a_region_is() {
    let folder = tempfile::tempdir().unwrap();
    every_kind(&folder);
    let lead = |kind: &str| {
        let page = report(&folder, &format!("{kind}.json"));
        let parsed = parse(&page);
        let paragraphs = elements(&parsed, "p");
        paragraphs.iter().find(|p| p.attribute("class") == Some("lead")).and_then(|p| p.text()).unwrap().to_owned()
    };
    let spread = lead("spread");
    for part in ["The mean of the clipped records is within ", "The clipped population's mean is within ", " N "] {
        assert!(spread.contains(part), "{part}: {spread}");
    }
    assert!(spread.contains("% of the records are outside") && spread.contains("Clipping moved the mean by at most"));
}

#[test]
fn chances_are_those_of_the_guarantee() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "x.csv", &"0.1,0.2\n".repeat(100));
    for (budget, chances) in [
        // e/(1 + e), e²/(1 + e²), e/100 and e
        ("--epsilon 1", ["at most 73.2 %", "at most 88.1 %", "1 % 2.8 % 1 %", "at most 2.72"]),
        // Φ(1/2), Φ(1), and Φ(Φ⁻¹(α) + 1) = 0.0924 and 0.2595
        ("--mu 1", ["at most 69.2 %", "at most 84.2 %", "1 % 9.3 % 1 %", "5 % 26 % 5 %"]),
    ] {
        run(
            &folder,
            &format!("mean x.csv --header no --manifold euclidean:2 --radius 1 {budget} --output x.json --force"),
        );
        let page = report(&folder, "x.json");
        let told = words(&parse(&page)).split_whitespace().collect::<Vec<_>>().join(" ");
        for chance in chances {
            assert!(told.contains(chance), "{budget}: {chance}: {told}");
        }
        assert!(!told.contains("promises little"));
    }
    run(&folder, "mean x.csv --header no --manifold euclidean:2 --radius 1 --epsilon 4 --output x.json --force");
    assert!(report(&folder, "x.json").contains("So large a budget promises little."));
}

#[test]
fn what_would_run_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = every_kind(&folder);
    let hostile = "</title></style></pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\" onload=\"x&y'\u{202e}\u{7f}";
    let changed = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut json: Value = serde_json::from_str(&read(&folder, &format!("{name}.json"))).unwrap();
        change(&mut json);
        write(&folder, "hostile.json", &json.to_string());
        let page = report(&folder, "hostile.json");
        check(&page);
        let told = words(&parse(&page));
        assert!(told.contains("<script>alert(1)</script>"), "{name}: {told}");
        assert!(!page.contains(['\u{202e}', '\u{7f}']) && told.contains("\\u{202e}\\u{7f}"));
    };
    for name in kinds.iter().filter(|name| !["groups", "collected", "count"].contains(name)) {
        changed(name, &|json| json["karcher"] = json!(hostile));
        changed(name, &|json| json["ledger"] = json!({ "ledger": hostile, "entry": 1 }));
        changed(name, &|json| {
            json["manifold"] = json!(hostile);
            json["ball"]["space"] = json!(hostile);
        });
    }
    changed("count", &|json| json["karcher"] = json!(hostile));
    changed("collected", &|json| {
        json["manifold"] = json!(hostile);
        json["ball"]["space"] = json!(hostile);
    });
    changed("groups", &|json| json["by"] = json!(hostile));
    changed("groups", &|json| json["groups"][1]["group"] = json!(hostile));
    // outside of the release: a note by the author of the file
    let mut json: Value = serde_json::from_str(&read(&folder, "mean.json")).unwrap();
    json["note"] = json!(hostile);
    write(&folder, "hostile.json", &json.to_string());
    check(&report(&folder, "hostile.json"));
    // names and titles
    let name = "a\"><script>alert(1)<.json";
    fs::copy(folder.path().join("mean.json"), folder.path().join(name)).unwrap();
    let mut command = Command::new(cargo_bin("karcher"));
    let titled = ["report", name, "mean.json", "--output", "named.html", "--title", hostile];
    assert!(command.args(titled).current_dir(&folder).output().unwrap().status.success());
    let page = read(&folder, "named.html");
    check(&page);
    assert!(words(&parse(&page)).contains("<script>alert(1)<.json"));
    // and a ledger's
    let mut command = Command::new(cargo_bin("karcher"));
    let made = command
        .args(["ledger", "new", "budget.db", "--epsilon", "1", "--data", "</title><script>alert(1)</script>"])
        .current_dir(&folder)
        .output();
    assert!(made.unwrap().status.success());
    check(&report(&folder, "mean.json --ledger budget.db"));
}

#[test]
fn a_point_that_is_none_is_told_and_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "x.csv", &"0.6,0,0.8\n".repeat(100));
    run(&folder, "mean x.csv --header no --manifold sphere:2 --center 0,0,1 --radius 1 --epsilon 1 --output x.json");
    assert!(report(&folder, "x.json").contains("<svg"));
    let mut json: Value = serde_json::from_str(&read(&folder, "x.json")).unwrap();
    json["value"] = json!([0.0, 1e300, -1e-300]);
    write(&folder, "x.json", &json.to_string());
    let page = report(&folder, "x.json");
    check(&page);
    assert!(!page.contains("<svg") && page.contains("1e+300") && page.contains("-1e-300"));
}

#[test]
fn releases_together_promise_what_they_compose_to() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "x.csv", &format!("x,y\n{}", "0.1,0.2\n".repeat(100)));
    let plane = "mean x.csv --columns x,y --manifold euclidean:2 --radius 1";
    run(&folder, "ledger new budget.db --data people --epsilon 5");
    for (options, name) in [
        ("--epsilon 0.5 --ledger budget.db", "a"),
        ("--epsilon 0.25 --ledger budget.db", "b"),
        ("--epsilon 0.25", "c"),
        ("--mu 0.5", "mu"),
        ("--epsilon 0.5 --delta 1e-6 --mechanism gaussian", "delta"),
        ("--epsilon 0.5 --adjacency add-remove --n-guess 100", "hidden"),
        ("--epsilon 0.5 --seed 1", "seeded"),
    ] {
        run(&folder, &format!("{plane} {options} --output {name}.json"));
    }
    let total = |files: &str| {
        let page = report(&folder, files);
        check(&page);
        let parsed = parse(&page);
        let section = parsed.descendants().find(|node| node.attribute("id") == Some("total"));
        let text = |node: Node<'_, '_>| {
            node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect::<Vec<_>>().join(" ")
        };
        section.map(|section| text(section).split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let known = total("a.json b.json").unwrap();
    assert!(known.contains("Together: at most pure differential privacy with epsilon 0.75"), "{known}");
    assert!(known.contains("as the owner of their ledger promised"), "{known}");
    let unknown = total("b.json c.json").unwrap();
    assert!(
        unknown.contains("whether they are about the same people: not all were counted by one ledger"),
        "{unknown}"
    );
    assert!(unknown.contains("with epsilon 0.5 , for one record replaced by any other"), "{unknown}");
    let seeded = total("c.json seeded.json").unwrap();
    assert!(seeded.contains("no ledger counted them") && seeded.contains("with a seed has no guarantee"), "{seeded}");
    // one record added or removed is half of a record in place of another
    let steps = total("c.json hidden.json").unwrap();
    assert!(steps.contains("with epsilon 1.25") && steps.contains("counts as two steps"), "{steps}");
    let kinds = total("mu.json delta.json").unwrap();
    let command = "karcher compose --of mu=0.5 --of epsilon=0.5,delta=1e-6 --delta 2e-6";
    assert!(kinds.contains("have no sum without a choice of δ") && kinds.contains(command), "{kinds}");
    run(&folder, command.strip_prefix("karcher ").unwrap());
    // one release is one, however often its file is given
    assert_eq!((total("a.json"), total("a.json a.json")), (None, None));
    // a ledger lists its entries, and marks those on the page
    let page = report(&folder, "a.json c.json --ledger budget.db");
    check(&page);
    let told = words(&parse(&page)).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "data people",
        "spent epsilon 0.75",
        "left epsilon 4.25",
        "record yes 2",
        "Private mean on euclidean:2 (c.json): ledger: the release names no entry of a ledger",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(report(&folder, "seeded.json").contains("Not private."));
    assert!(!report(&folder, "a.json").contains("Not private."));
}

#[test]
fn what_cannot_be_shown_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "x.csv", &"0.1,0.2\n".repeat(100));
    run(&folder, "mean x.csv --header no --manifold euclidean:2 --radius 1 --epsilon 1 --output x.json");
    let release: Value = serde_json::from_str(&read(&folder, "x.json")).unwrap();
    let plan = karcher(&folder, "plan --manifold euclidean:2 --radius 1 --n 100 --epsilon 1 --json");
    let changed = |field: &str, value: Value| {
        let mut changed = release.clone();
        changed[field] = value;
        changed.to_string()
    };
    for (text, part) in [
        ("{".to_owned(), "is no release, but no JSON at all"),
        ("[]".to_owned(), "is no release"),
        ("{\"spec\": 1}".to_owned(), "is a specification, and no release yet: `karcher run`"),
        (String::from_utf8(plan.stdout).unwrap(), "is no release"),
        (changed("schema", json!(2)), "schema 2; this version reads schema 3"),
        (changed("schema", json!(99)), "schema"),
        (changed("value", json!([1.0])), "is no release"),
        (changed("statistic", json!("count")), "is no release"),
        (changed("groups", json!([])), "is no release"),
        (changed("predictions", json!([1])), "is no release"),
    ] {
        write(&folder, "y.json", &text);
        let output = karcher(&folder, "report y.json --output y.html");
        assert_eq!(output.status.code(), Some(1), "{text}");
        let said = told(&output);
        assert!(said.starts_with("error: y.json ") && said.contains(part) && said.lines().count() == 1, "{said}");
    }
    fs::write(folder.path().join("y.json"), [0xff, 0xfe]).unwrap();
    write(&folder, "mine.html", "mine");
    for (options, part) in [
        ("y.json --output y.html", "y.json is no release, because it is no text"),
        ("nosuchfile.json --output y.html", "nosuchfile.json cannot be read"),
        ("x.json --output y.pdf", "--output y.pdf: the extension must be .html"),
        ("x.json --output nosuchdir/y.html", "--output: "),
        ("x.json --output mine.html", "--force"),
        ("x.json --output y.html --ledger nosuch.db", "--ledger: "),
        ("x.json --output y.html --ledger x.json", "--ledger: "),
    ] {
        let output = karcher(&folder, &format!("report {options}"));
        let said = told(&output);
        assert_eq!(output.status.code(), Some(1), "{options}");
        assert!(said.contains(part) && said.lines().count() == 1 && output.stdout.is_empty(), "{options}: {said}");
    }
    assert_eq!(read(&folder, "mine.html"), "mine");
    assert!(!folder.path().join("y.html").exists());
    assert_eq!(karcher(&folder, "report --output y.html").status.code(), Some(2));
    assert_eq!(karcher(&folder, "report x.json").status.code(), Some(2));
    run(&folder, "report x.json -o mine.html --force");
    assert!(read(&folder, "mine.html").starts_with("<!DOCTYPE html>"));
    let link = folder.path().join("x.html");
    fs::copy(folder.path().join("x.json"), &link).unwrap();
    assert!(told(&karcher(&folder, "report x.html --output x.html --force")).contains("--output: "));
}

/// Lists that are too short are found before a picture is drawn of them.
#[test]
fn what_has_too_few_numbers_is_no_release() {
    let folder = tempfile::tempdir().unwrap();
    every_kind(&folder);
    for (name, list) in [
        ("collected", "/value"),
        ("components", "/components/directions/1"),
        ("components", "/components/explained_variance_ratio"),
        ("components", "/components/population_region/semi_axes"),
        ("line", "/shooting_vector"),
    ] {
        let mut json: Value = serde_json::from_str(&read(&folder, &format!("{name}.json"))).unwrap();
        json.pointer_mut(list).unwrap().as_array_mut().unwrap().pop().unwrap();
        write(&folder, "short.json", &json.to_string());
        for command in ["report short.json --output short.html", "plot short.json --output short.svg"] {
            let output = karcher(&folder, command);
            assert_eq!(output.status.code(), Some(1), "{name}: {}", told(&output));
            assert!(told(&output).contains("must be"), "{name}: {}", told(&output));
        }
    }
}

/// How much lighter one color is than another, as the guidelines for accessible pages have it (WCAG 2.2, 1.4.3).
fn contrast(one: &str, other: &str) -> f64 {
    let light = |color: &str| {
        let part = |at: usize| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
        let linear = |x: f64| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    };
    let (a, b) = (light(one), light(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn words_stand_out_from_the_page() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9 && contrast("#777777", "#ffffff") < 4.5);
    let folder = tempfile::tempdir().unwrap();
    let all: String = every_kind(&folder).iter().map(|kind| format!(" {kind}.json")).collect();
    let page = report(&folder, &all);
    let parsed = parse(&page);
    let style = elements(&parsed, "style")[0].text().unwrap();
    // by day, by night and on paper
    let roots: Vec<HashMap<&str, &str>> = style
        .split(":root {")
        .skip(1)
        .map(|rest| {
            rest[..rest.find('}').unwrap()].split(';').filter_map(|pair| pair.trim().split_once(": ")).collect()
        })
        .collect();
    assert_eq!(roots.len(), 3);
    for colors in roots {
        for ink in ["--ink", "--muted", "--link"] {
            assert!(contrast(colors[ink], colors["--paper"]) >= 4.5, "{ink} {colors:?}");
        }
        assert!(contrast(colors["--ink"], colors["--alarm"]) >= 4.5, "{colors:?}");
    }
    // the words of pictures, which are white by night as well
    let texts: Vec<&str> = elements(&parsed, "text").into_iter().filter_map(|text| text.attribute("fill")).collect();
    assert!(texts.len() > 100);
    for fill in texts {
        assert!(contrast(fill, "#ffffff") >= 4.5, "{fill}");
    }
}

#[test]
fn the_command_is_where_commands_are() {
    let folder = tempfile::tempdir().unwrap();
    let help = String::from_utf8(karcher(&folder, "report --help").stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["A page about releases, to send to people", "<RELEASE.json>...", "--ledger <FILE>", "--title <TEXT>"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(karcher(&folder, &format!("completions {shell}")).stdout).unwrap();
        assert!(script.contains("report"), "{shell}");
    }
    run(&folder, "man pages");
    assert!(read(&folder, "pages/karcher-report.1").contains("A page about releases"));
}
