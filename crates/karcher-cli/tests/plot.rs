//! Pictures: they show a release and nothing else, at the right places, and are refused before budget is spent.
#![cfg(feature = "plot")]

use assert_cmd::cargo::cargo_bin;
use roxmltree::{Document, Node};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Where the map is on the page, in pixels: the middle and half of a side.
const MAP: ([f64; 2], f64) = ([254.0, 306.0], 230.0);

fn karcher(folder: &TempDir, arguments: &str) -> Output {
    Command::new(cargo_bin("karcher")).args(arguments.split_whitespace()).current_dir(folder).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Records that are one point each, twenty times.
fn records(point: &[f64]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = point.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    fs::write(folder.path().join("records.csv"), format!("{row}\n").repeat(20)).unwrap();
    folder
}

/// Makes a release with its picture: what the JSON says, and the picture. The noise is the same in every run: how many
/// digits a place on the page has depends on where it is, and far out on a globe it has few.
fn mean(folder: &TempDir, options: &str) -> (Value, String) {
    let command = "mean records.csv --header no --json --seed 1 --plot picture.svg";
    let output = karcher(folder, &format!("{command} {options}"));
    assert!(output.status.success(), "{options}: {}", told(&output));
    let release = serde_json::from_slice(&output.stdout).unwrap();
    (release, fs::read_to_string(folder.path().join("picture.svg")).unwrap())
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// The elements of a class in the main map, which is the second panel.
fn marks<'a>(picture: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let panel = panels(picture)[1];
    panel.children().filter(|node| node.attribute("class") == Some(class)).collect()
}

fn panels<'a>(picture: &'a Document<'a>) -> Vec<Node<'a, 'a>> {
    picture.root_element().children().filter(|node| node.attribute("class") == Some("panel")).collect()
}

/// The places of a path.
fn places(node: Node<'_, '_>) -> Vec<[f64; 2]> {
    let path = node.attribute("d").unwrap().trim_start_matches('M').trim_end_matches('Z');
    let place = |text: &str| {
        let (x, y) = text.split_once(' ').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    path.split('L').map(place).collect()
}

fn circle(node: Node<'_, '_>) -> [f64; 2] {
    [number(node, "cx"), number(node, "cy")]
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn assert_near(a: [f64; 2], b: [f64; 2]) {
    assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 0.05, "{a:?} {b:?}");
}

const GLOBE: &str = "--manifold sphere:2 --center 0.36,0.48,0.8 --radius 0.7 --epsilon 1";

/// Where a point is on the page, by latitude and longitude: the formulas of the orthographic projection.
fn orthographic(point: &[f64], center: &[f64]) -> [f64; 2] {
    let geographic = |p: &[f64]| (p[2].asin(), p[1].atan2(p[0]));
    let ((latitude, longitude), (latitude0, longitude0)) = (geographic(point), geographic(center));
    let turn = longitude - longitude0;
    let x = latitude.cos() * turn.sin();
    let y = latitude0.cos() * latitude.sin() - latitude0.sin() * latitude.cos() * turn.cos();
    let scale = MAP.1 / 1.04;
    [MAP.0[0] + scale * x, MAP.0[1] - scale * y]
}

/// 2,000 records, from −1 to 1 along a line.
fn records_along(row: impl Fn(f64) -> String) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..2_000).map(|i| row(f64::from(i) / 1_000.0 - 1.0)).collect();
    fs::write(folder.path().join("records.csv"), rows).unwrap();
    folder
}

/// Releases components with their picture: what the JSON says, and the picture.
fn components(folder: &TempDir, options: &str) -> (Value, String) {
    let command = "components records.csv --header no --json --force --plot picture.svg --seed 1";
    let output = karcher(folder, &format!("{command} {options}"));
    assert!(output.status.success(), "{options}: {}", told(&output));
    let release: Value = serde_json::from_slice(&output.stdout).unwrap();
    (release, fs::read_to_string(folder.path().join("picture.svg")).unwrap())
}

/// The outlines at both ends of the first component, each about its own middle.
fn ends_of_component(text: &str) -> [Vec<[f64; 2]>; 2] {
    let picture = Document::parse(text).unwrap();
    let ends = marks(&picture, "component");
    assert_eq!(ends.len(), 2);
    [0, 1].map(|i| {
        let places = places(ends[i]);
        let middle = [0, 1].map(|axis| places.iter().map(|x| x[axis]).sum::<f64>() / places.len() as f64);
        places.iter().map(|x| [x[0] - middle[0], x[1] - middle[1]]).collect()
    })
}

fn size(places: &[[f64; 2]]) -> f64 {
    places.iter().map(|x| x[0] * x[0] + x[1] * x[1]).sum::<f64>().sqrt()
}

/// Multiples of the identity: the outlines are circles, whose radii are the eigenvalues at either end.
#[test]
fn components_of_matrices_are_the_matrices_a_deviation_away() {
    let folder = records_along(|t| format!("{},0,{}\n", (0.8 * t).exp(), (0.8 * t).exp()));
    let options = "--manifold spd-log-euclidean:2 --layout upper-row --center 1,0,1 --radius 1.5 --mu 4";
    let (release, text) = components(&folder, options);
    let [first, last] = ends_of_component(&text).map(|end| size(&end) / (end.len() as f64).sqrt());
    let deviation = release["components"]["variances"][0].as_f64().unwrap().sqrt();
    let ratio = (first / last).ln().abs();
    assert!((ratio - 2.0 * deviation / 2f64.sqrt()).abs() < 0.02, "{ratio} {deviation}");
}

/// `Exp_m(±su) = cos(s)·m ± sin(s)·u`: half the difference over half the sum is `tan s`.
#[test]
fn components_of_shapes_are_the_shapes_a_deviation_away() {
    // squares with one corner that is pulled out
    let folder = records_along(|t| format!("1,0,0,1,-1,0,0,{}\n", -1.0 - 0.5 * t));
    let options = "--manifold kendall:4 --center 1,0,0,1,-1,0,0,-1 --radius 0.6 --mu 4";
    let (release, text) = components(&folder, options);
    let [first, last] = ends_of_component(&text);
    let half = |sign: f64| -> f64 {
        size(&first.iter().zip(&last).map(|(a, b)| [0, 1].map(|i| 0.5 * (a[i] + sign * b[i]))).collect::<Vec<_>>())
    };
    let deviation = release["components"]["variances"][0].as_f64().unwrap().sqrt();
    let angle = (half(-1.0) / half(1.0)).atan();
    assert!((angle - deviation).abs() < 0.005 && deviation > 0.05, "{angle} {deviation}");
}

/// For records along one direction, the component's line follows it to the length in the JSON.
#[test]
fn components_are_drawn_as_far_as_records_deviate() {
    let folder = records_along(|t| format!("{},{}\n", 0.8 * t, 0.6 * t));
    let drawn = |options: &str| components(&folder, options);
    let (release, text) = drawn("--manifold euclidean:2 --radius 1.5 --mu 4");
    let picture = Document::parse(&text).unwrap();
    let line = places(marks(&picture, "component")[0]);
    let [first, last] = [line[0], line[line.len() - 1]];
    let value = circle(marks(&picture, "value")[0]);
    assert_near([0.5 * (first[0] + last[0]), 0.5 * (first[1] + last[1])], value);
    // the ball gives the pixels of a unit
    let ball = places(marks(&picture, "ball")[0]);
    let pixels = (ball[0][0] - ball[90][0]).abs() / 3.0;
    let length = (first[0] - last[0]).hypot(first[1] - last[1]);
    let deviation = release["components"]["variances"][0].as_f64().unwrap().sqrt();
    assert!((length / pixels - 2.0 * deviation).abs() < 0.01, "{length} {pixels} {deviation}");
    let slope = (first[1] - last[1]) / (last[0] - first[0]);
    assert!((slope - 0.75).abs() < 0.1 && text.contains("components: a deviation to each side"), "{slope}");
    let (_, text) = drawn("--manifold euclidean:2 --radius 1.5 --epsilon 0.01");
    assert!(marks(&Document::parse(&text).unwrap(), "component").is_empty());
    assert!(text.contains("no component exceeds the noise level"));
    let (_, text) = drawn("--manifold torus:2 --center origin --radius 1.5 --mu 4");
    assert!(text.contains(r#"class="component""#));
}

#[test]
fn a_globe_shows_ball_region_and_value_where_they_are() {
    let folder = records(&[0.48, 0.6, 0.64]);
    let (release, text) = mean(&folder, GLOBE);
    let picture = Document::parse(&text).unwrap();
    let (value, noisy) = (floats(&release["value"]), floats(&release["noisy_value"]));
    let center = floats(&release["ball"]["center"]);
    assert_near(circle(marks(&picture, "value")[0]), orthographic(&value, &center));
    // the ball is about the middle of the map, and its circle is seen from above
    let scale = MAP.1 / 1.04;
    let ball = places(marks(&picture, "ball")[0]);
    assert!(ball.len() > 60 && ball.first() == ball.last(), "{}", ball.len());
    for [x, y] in ball {
        assert!(((x - MAP.0[0]).hypot(y - MAP.0[1]) - scale * 0.7_f64.sin()).abs() < 0.02, "{x} {y}");
    }
    // its region is a circle on the sphere: back on it, all places are as far from the noisy mean
    let radius = planned_quantile(&folder, "sphere:2 --radius 0.7");
    let ([east, north], up) = frame(&center);
    for [x, y] in places(marks(&picture, "region")[0]) {
        let (a, b) = ((x - MAP.0[0]) / scale, (MAP.0[1] - y) / scale);
        let c = (1.0 - a * a - b * b).sqrt();
        let point: Vec<f64> = (0..3).map(|i| a * east[i] + b * north[i] + c * up[i]).collect();
        assert!((dot(&point, &noisy).acos() - radius).abs() < 2e-4, "{}", dot(&point, &noisy).acos());
    }
}

/// East and north at a point of the sphere, and the point.
fn frame(center: &[f64]) -> ([[f64; 3]; 2], [f64; 3]) {
    let (sin, cos) = center[1].atan2(center[0]).sin_cos();
    let (z, across) = (center[2], center[0].hypot(center[1]));
    ([[-sin, cos, 0.0], [-z * cos, -z * sin, across]], [center[0], center[1], center[2]])
}

/// The 95 % quantile that `karcher plan` announces for the mean of twenty records at ε = 1 by `chart`.
fn planned_quantile(folder: &TempDir, space: &str) -> f64 {
    let output = karcher(folder, &format!("plan --manifold {space} --n 20 --epsilon 1 --json"));
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let chart = plan["mechanisms"].as_array().unwrap().iter().find(|entry| entry["mechanism"] == "chart").unwrap();
    chart["quantile_95"].as_f64().unwrap()
}

#[test]
fn a_poincare_disc_shows_points_where_the_ball_model_has_them() {
    let (a, b) = (0.6_f64, -0.3_f64);
    let folder = records(&[(1.0 + a * a + b * b).sqrt(), a, b]);
    let (release, text) = mean(&folder, "--manifold hyperbolic:2 --radius 1.5 --epsilon 1");
    let picture = Document::parse(&text).unwrap();
    let value = floats(&release["value"]);
    let scale = MAP.1 / 1.04;
    // the half of the distance from the origin, in the same direction
    let far = value[0].acosh();
    let along = [1, 2].map(|i| (far / 2.0).tanh() * value[i] / far.sinh());
    assert_near(circle(marks(&picture, "value")[0]), [MAP.0[0] + scale * along[0], MAP.0[1] - scale * along[1]]);
    for [x, y] in places(marks(&picture, "ball")[0]) {
        assert!(((x - MAP.0[0]).hypot(y - MAP.0[1]) - scale * 0.75_f64.tanh()).abs() < 0.02);
    }
}

#[test]
fn a_plane_has_true_distances() {
    let folder = records(&[0.3, -0.2]);
    let (release, text) = mean(&folder, "--manifold euclidean:2 --radius 2 --epsilon 1");
    let picture = Document::parse(&text).unwrap();
    let value = floats(&release["value"]);
    let scale = MAP.1 / 2.3;
    assert_near(circle(marks(&picture, "value")[0]), [MAP.0[0] + scale * value[0], MAP.0[1] - scale * value[1]]);
    // laplace noise in the plane: its length has a gamma law of shape 2, with the 95 % quantile 4.743865
    let (radius, noisy) = (4.743_865 * release["scale"].as_f64().unwrap(), floats(&release["noisy_value"]));
    let middle = [MAP.0[0] + scale * noisy[0], MAP.0[1] - scale * noisy[1]];
    for [x, y] in places(marks(&picture, "region")[0]) {
        assert!(((x - middle[0]).hypot(y - middle[1]) / (scale * radius) - 1.0).abs() < 2e-3);
    }
}

#[test]
fn landmarks_are_those_of_the_value_and_of_the_center() {
    let points = [0.0, 0.0, 2.0, 0.1, 1.9, 1.0, 0.1, 1.1, -0.5, 0.5];
    let folder = records(&points);
    let center = "0,0,2,0,2,1,0,1,-0.4,0.5";
    let (release, text) = mean(&folder, &format!("--manifold kendall:5 --radius 0.3 --center {center} --epsilon 9"));
    let picture = Document::parse(&text).unwrap();
    // one similarity carries the landmarks of both onto the page
    let shown: Vec<[f64; 2]> =
        ["value", "center"].iter().flat_map(|class| marks(&picture, class)).map(circle).collect();
    let published = [floats(&release["value"]), floats(&release["ball"]["center"])].concat();
    assert_eq!((shown.len(), published.len()), (10, 20));
    let scale = (shown[1][0] - shown[0][0]) / (published[2] - published[0]);
    for (place, point) in shown.iter().zip(published.chunks(2)) {
        let off = [scale * (point[0] - published[0]), -scale * (point[1] - published[1])];
        assert_near(*place, [shown[0][0] + off[0], shown[0][1] + off[1]]);
    }
    assert_eq!(marks(&picture, "region").len(), 5);
}

#[test]
fn an_ellipse_has_eigenvalues_as_half_axes() {
    let folder = records(&[2.0, 0.5, 0.5, 1.0]);
    let (release, text) = mean(&folder, "--manifold spd-log-euclidean:2 --radius 2 --center 1*identity --epsilon 50");
    let picture = Document::parse(&text).unwrap();
    let value = floats(&release["value"]);
    let center = marks(&picture, "center")[0];
    let length = |[x, y]: [f64; 2]| (x - MAP.0[0]).hypot(y - MAP.0[1]);
    let unit = length(places(center)[0]); // the identity is a circle
    let lengths: Vec<f64> = places(marks(&picture, "value")[0]).into_iter().map(|p| length(p) / unit).collect();
    let (half_trace, determinant) = ((value[0] + value[3]) / 2.0, value[0] * value[3] - value[1] * value[2]);
    let root = (half_trace * half_trace - determinant).sqrt();
    let (longest, shortest) =
        (lengths.iter().copied().fold(0.0, f64::max), lengths.iter().copied().fold(f64::MAX, f64::min));
    assert!((longest - (half_trace + root)).abs() < 5e-3 && (shortest - (half_trace - root)).abs() < 5e-3);
}

/// A release on each space that has pictures: its records, and the options.
const SPACES: [(&[f64], &str); 22] = [
    (&[0.48, 0.6, 0.64], "sphere:2 --radius 0.7 --center origin"),
    (&[0.6, 0.8], "sphere:1 --radius 0.7 --center origin"),
    (&[0.48, 0.6, 0.64], "projective:2 --radius 0.7 --center 0,0.6,0.8"),
    (&[1.0, 0.0, 0.0], "hyperbolic:2 --radius 0.7"),
    (&[0.1], "euclidean:1 --radius 1"),
    (&[0.1, 0.2], "euclidean:2 --radius 1"),
    (&[0.1, 0.2, 0.3], "euclidean:3 --radius 1"),
    (&[0.1, 0.2], "torus:2 --radius 1 --center origin"),
    (&[0.1, 0.2, 3.0], "torus:3 --radius 1 --center origin"),
    (&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0], "kendall:3 --radius 0.3 --center 0,0,1,0,0.9,1"),
    (&[2.0, 0.5, 0.5, 1.0], "spd-affine-invariant:2 --radius 1 --center 1*identity"),
    (&[2.0, 0.5, 0.1, 0.5, 1.0, 0.2, 0.1, 0.2, 1.0], "spd-log-euclidean:3 --radius 1 --center 1*identity"),
    (
        &[2.0, 0.5, 0.1, 0.0, 0.5, 1.0, 0.2, 0.0, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        "spd-log-euclidean:4 --radius 1 --center 1*identity",
    ),
    (&[2.0, 0.5, 0.5, 1.0], "spd-log-cholesky:2 --radius 1 --center 1*identity"),
    (&[1.0, 0.2, 0.2, 1.0], "correlation-off-log:2 --radius 1 --center origin"),
    (&[2.0, 0.0, 0.5, 0.1, 0.5, -0.1, 1.0, 0.0], "hpd-log-euclidean:2 --radius 1 --center 1*identity"),
    (&[2.0, 0.0, 0.5, 0.1, 0.5, -0.1, 1.0, 0.0], "hpd-affine-invariant:2 --radius 1 --center 1*identity"),
    (&[0.2, 0.3, 0.5], "simplex-aitchison:3 --radius 1 --center origin"),
    (&[0.2, 0.3, 0.5], "simplex-fisher-rao:3 --layout proportions --radius 0.5 --center origin"),
    (&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0], "landmarks:3,2 --radius 0.3 --center 0,0,1,0,0.9,1"),
    (&[0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 1.0, 1.0, 0.0], "size-and-shape:3,3 --radius 1 --center 0,0,0,1,0,0,0.9,1,0"),
    (&[0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 1.0, 1.0, 0.0], "landmarks:3,3 --radius 0.3 --center 0,0,0,1,0,0,0.9,1,0"),
];

#[test]
fn a_picture_is_a_function_of_the_release() {
    for (i, (point, options)) in SPACES.into_iter().enumerate() {
        // every space with one of the budgets
        let budget = ["--epsilon 0.01", "--epsilon 1", "--mu 1e6"][i % 3];
        let folder = records(point);
        let (release, text) = mean(&folder, &format!("--manifold {options} {budget} --output release.json"));
        let picture = Document::parse(&text).unwrap_or_else(|error| panic!("{options}: {error}"));
        assert_eq!(picture.root_element().tag_name().name(), "svg");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{options} {budget}");
        // the same numbers in another place, without records, give the same bytes
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("r.json"), release.to_string()).unwrap();
        for extension in ["svg", "png"] {
            let output = karcher(&elsewhere, &format!("plot r.json --output again.{extension}"));
            assert!(output.status.success() && output.stdout.is_empty(), "{options}: {}", told(&output));
        }
        assert_eq!(fs::read_to_string(elsewhere.path().join("again.svg")).unwrap(), text, "{options} {budget}");
        let drawn = image::open(elsewhere.path().join("again.png")).unwrap().into_rgba8();
        assert_eq!(drawn.dimensions(), (1800, 1120));
        assert!(drawn.pixels().all(|pixel| pixel.0[3] == 255), "the page is opaque");
        // another value is another picture
        let mut other = release.clone();
        other["ball"]["radius"] = json!(release["ball"]["radius"].as_f64().unwrap() * 0.9);
        fs::write(elsewhere.path().join("other.json"), other.to_string()).unwrap();
        assert!(karcher(&elsewhere, "plot other.json --output other.svg").status.success());
        assert_ne!(fs::read_to_string(elsewhere.path().join("other.svg")).unwrap(), text);
    }
}

#[test]
fn no_words_leave_the_page() {
    for (point, options) in SPACES {
        let (_, text) = mean(&records(point), &format!("--manifold {options} --epsilon 1"));
        let picture = Document::parse(&text).unwrap();
        for node in picture.descendants().filter(|node| node.has_tag_name("text")) {
            // letters are half as wide as high on average, or a little more
            let wide = 0.56 * number(node, "font-size") * node.text().unwrap().trim().chars().count() as f64;
            assert!(number(node, "x") > 0.0 && number(node, "x") + wide < 900.0, "{:?}", node.text());
            assert!(number(node, "y") > 10.0 && number(node, "y") < 560.0, "{:?}", node.text());
        }
    }
}

#[test]
fn the_png_is_blue_where_the_value_is() {
    let folder = records(&[0.48, 0.6, 0.64]);
    let (release, text) = mean(&folder, &format!("{GLOBE} --output release.json"));
    assert!(karcher(&folder, "plot release.json --output picture.png").status.success());
    let drawn = image::open(folder.path().join("picture.png")).unwrap().into_rgb8();
    let [x, y] = orthographic(&floats(&release["value"]), &floats(&release["ball"]["center"]));
    assert_eq!(drawn.get_pixel((2.0 * x) as u32, (2.0 * y) as u32).0, [0, 114, 178]);
    assert_eq!(drawn.get_pixel(5, 5).0, [255, 255, 255]);
    // words have dark pixels somewhere in the title
    assert!((40..400).any(|x| (40..75).any(|y| drawn.get_pixel(x, y).0[0] < 90)));
    assert!(text.starts_with("<svg"));
}

#[test]
fn spaces_without_pictures_are_refused_before_records_are_read() {
    let folder = tempfile::tempdir().unwrap(); // without records
    for space in ["sphere:3 --radius 0.5", "rotations:3 --radius 0.5", "sphere:2*euclidean:1 --radius 0.5"] {
        let command = format!("mean nosuchfile.csv --manifold {space} --center origin --epsilon 1 --plot x.svg");
        let output = karcher(&folder, &command);
        assert_eq!(output.status.code(), Some(1));
        let words = told(&output);
        assert!(words.starts_with("error: --plot: there are no pictures of means on "), "{words}");
        assert!(words.contains("sphere:2, projective:2") && words.lines().count() == 1, "{words}");
        assert!(output.stdout.is_empty());
    }
    let regress = "regress nosuchfile.csv --manifold rotations:3 --radius 0.5 --center origin --predictor 1 \
                   --predictor-range 0 1 --slope-bound 1 --epsilon 1 --plot x.svg";
    assert!(told(&karcher(&folder, regress)).contains("no pictures of geodesic regressions on rotations:3"));
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn what_cannot_be_drawn_to_is_refused_before_anything_is_spent() {
    let folder = records(&[0.1, 0.2]);
    fs::write(folder.path().join("mine.svg"), "mine").unwrap();
    let run = |options: &str| {
        karcher(
            &folder,
            &format!("mean records.csv --header no --manifold euclidean:2 --radius 1 --epsilon 1 {options}"),
        )
    };
    for (options, part) in [
        ("--plot x.pdf", "the extension must be .svg or .png"),
        ("--plot x", "the extension must be .svg or .png"),
        ("--plot nosuchdir/x.svg", "nosuchdir/x.svg"),
        ("--plot mine.svg", "--force"),
        ("--plot x.pdf --output x.json", "the extension must be .svg or .png"),
    ] {
        let output = run(options);
        assert_eq!(output.status.code(), Some(1), "{options}");
        assert!(told(&output).starts_with("error: --plot") && told(&output).contains(part), "{}", told(&output));
        assert!(output.stdout.is_empty(), "a release was made");
    }
    assert_eq!(names(&folder), ["mine.svg", "records.csv"]);
    assert_eq!(run("--force").status.code(), Some(2), "--force without a file");
    assert!(run("--plot mine.svg --force").status.success());
    assert!(fs::read_to_string(folder.path().join("mine.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn regressions_show_the_line_from_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..2000).map(|i| format!("{},{},0.1\n", i % 101, 0.004 * f64::from(i % 101))).collect();
    fs::write(folder.path().join("records.csv"), rows).unwrap();
    let output = karcher(
        &folder,
        "regress records.csv --header no --columns 2,3 --predictor 1 --predictor-range 0 100 --manifold euclidean:2 \
         --radius 1 --slope-bound 1 --residual-bound 1 --epsilon 5 --json --predict-at 0,100 --plot picture.svg",
    );
    assert!(output.status.success(), "{}", told(&output));
    let release: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = fs::read_to_string(folder.path().join("picture.svg")).unwrap();
    let picture = Document::parse(&text).unwrap();
    let scale = MAP.1 / 1.15;
    let ends = marks(&picture, "value").into_iter().map(circle).collect::<Vec<_>>();
    assert_eq!(ends.len(), 2);
    for (end, prediction) in ends.iter().zip(release["predictions"].as_array().unwrap()) {
        let value = floats(&prediction["value"]);
        assert_near(*end, [MAP.0[0] + scale * value[0], MAP.0[1] - scale * value[1]]);
    }
    let line = places(marks(&picture, "geodesic")[0]);
    assert_near(line[0], ends[0]);
    assert_near(line[line.len() - 1], ends[1]);
    assert!(marks(&picture, "region").is_empty());
}

/// A regression on age and sex, with its picture.
fn on_features(space: &str, row: impl Fn(f64, bool) -> String) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..2_000).map(|i| (20.0 + f64::from(i % 61), i % 2 == 0));
    let rows: String =
        rows.map(|(age, is_f)| format!("{age},{},{}", if is_f { "F" } else { "M" }, row(age, is_f))).collect();
    fs::write(folder.path().join("records.csv"), rows).unwrap();
    let command = "regress records.csv --header no --term linear:1:20:80 --term levels:2:F,M --mu 2 --seed 1 --json \
                   --predict-at 1=20,2=F --predict-at 1=80,2=F --predict-at 1=80,2=M --plot picture.svg";
    let output = karcher(&folder, &format!("{command} {space}"));
    assert!(output.status.success(), "{}", told(&output));
    let release = serde_json::from_slice(&output.stdout).unwrap();
    (release, fs::read_to_string(folder.path().join("picture.svg")).unwrap())
}

#[test]
fn a_line_has_a_path_with_its_band_for_each_level() {
    let row = |age: f64, is_f: bool| format!("{}\n", if is_f { 164.0 } else { 176.0 } - 0.1 * (age - 50.0));
    let (release, text) = on_features("--columns 3 --manifold euclidean:1 --radius 40 --center 170", row);
    let picture = Document::parse(&text).unwrap();
    let of = |class: &str| {
        panels(&picture)[2].children().filter(|x| x.attribute("class") == Some(class)).collect::<Vec<_>>()
    };
    let (paths, bands) = (of("path"), of("band"));
    assert_eq!((paths.len(), bands.len()), (2, 2));
    // the heights of three predictions give the pixels of a unit; the band is as high as the region
    let at = |i: usize| release["predictions"][i]["value"][0].as_f64().unwrap();
    let ends =
        paths.iter().map(|path| places(*path)).map(|line| [line[0][1], line[line.len() - 1][1]]).collect::<Vec<_>>();
    let pixels = (ends[0][1] - ends[1][1]) / (at(2) - at(1));
    assert!(((ends[0][0] - ends[0][1]) / pixels - (at(1) - at(0))).abs() < 0.02, "{ends:?}");
    let radius = release["predictions"][1]["region"]["radius"].as_f64().unwrap();
    let band = places(bands[0]);
    let right = band.iter().map(|x| x[0]).fold(0.0, f64::max);
    let last: Vec<f64> = band.iter().filter(|x| x[0] == right).map(|x| x[1]).collect();
    assert!(((last[0] - last[1]).abs() / pixels - 2.0 * radius).abs() < 0.05, "{last:?} {pixels} {radius}");
    assert!(words(&picture).contains("2 = F") && words(&picture).contains("the prediction of least squares"));
}

#[test]
fn a_globe_has_a_path_with_discs_as_large_as_the_regions() {
    let row = |age: f64, _| {
        let (sin, cos) = ((age - 50.0) / 60.0).sin_cos();
        format!("{sin},0,{cos}\n")
    };
    let (release, text) = on_features("--columns 3,4,5 --manifold sphere:2 --radius 0.8 --center 0,0,1", row);
    let picture = Document::parse(&text).unwrap();
    assert_eq!(marks(&picture, "geodesic").len(), 2);
    let discs = marks(&picture, "band");
    assert!(discs.len() > 60, "{}", discs.len());
    let center = [0.0, 0.0, 1.0];
    let value = floats(&release["predictions"][1]["value"]);
    let ends: Vec<[f64; 2]> = marks(&picture, "value").into_iter().map(circle).collect();
    let scale = (ends[0][0] - ends[1][0]).hypot(ends[0][1] - ends[1][1]);
    let first = floats(&release["predictions"][0]["value"]);
    let chord = (first[0] - value[0]).hypot(first[1] - value[1]); // of their shadows on the page
    let across = places(discs[0]);
    let width = across.iter().map(|x| x[0]).fold(0.0, f64::max) - across.iter().map(|x| x[0]).fold(900.0, f64::min);
    let height = across.iter().map(|x| x[1]).fold(0.0, f64::max) - across.iter().map(|x| x[1]).fold(900.0, f64::min);
    let radius = release["predictions"][0]["region"]["radius"].as_f64().unwrap();
    let longest = width.max(height) * chord / scale / 2.0;
    assert!((longest - radius.sin()).abs() < 0.02 * radius + 0.002, "{longest} {radius} {center:?}");
}

#[test]
fn every_space_has_a_picture_of_effects() {
    let row = |age: f64, _| format!("{},{},1\n", (0.01 * age).cos(), (0.01 * age).sin());
    let space = "--columns 3,4,5 --manifold euclidean:3 --radius 2 --center 1,0,1";
    let (release, text) = on_features(space, row);
    let picture = Document::parse(&text).unwrap();
    let count = release["effects"].as_array().unwrap().len();
    assert_eq!((marks(&picture, "effect").len(), marks(&picture, "interval").len()), (count, count));
}

#[test]
fn layouts_of_geology_are_drawn_in_a_net_and_vectors_on_request() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("records.csv"), "30,60\n".repeat(2_000)).unwrap();
    let options = "--layout declination-inclination --manifold sphere:2 --epsilon 1 --output mean.json";
    let (release, text) = mean(&folder, options);
    let picture = Document::parse(&text).unwrap();
    let (point, scale) = (floats(&release["value"]), MAP.1 / 1.14);
    // the length √2·sin of half the angle from below, towards the declination
    let far = 2f64.sqrt() * (0.5 * point[2].acos()).sin();
    let toward = point[1].atan2(point[0]);
    let place = [MAP.0[0] + scale * far * toward.sin(), MAP.0[1] - scale * far * toward.cos()];
    assert_near(circle(marks(&picture, "value")[0]), place);
    let said = words(&picture).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("N E S W") && said.contains("equal-area net"), "{said}");
    assert!(!words(&picture).contains("ball"), "{}", words(&picture));
    let folder = records(&[0.48, 0.6, 0.64]);
    let (_, globe) = mean(&folder, &format!("{GLOBE} --output mean.json"));
    assert!(!globe.contains("net"));
    assert!(karcher(&folder, "plot mean.json --stereonet --output net.svg").status.success());
    let net = fs::read_to_string(folder.path().join("net.svg")).unwrap();
    assert!(net.contains("equal-area net") && net.contains("public ball, radius 0.7"));
    let folder = records(&[0.1, 0.2]);
    mean(&folder, "--manifold euclidean:2 --radius 1 --epsilon 1 --output mean.json");
    let refused = told(&karcher(&folder, "plot mean.json --stereonet --output net.svg"));
    assert!(refused.contains("--stereonet: a stereonet shows releases on sphere:2"), "{refused}");
}

#[test]
fn a_torus_is_labelled_in_the_unit_of_its_layout() {
    let folder = records(&[10.0, 20.0]);
    let (_, text) = mean(&folder, "--manifold torus:2 --layout degrees --center origin --radius 60deg --epsilon 1");
    let lines =
        |text: &str| words(&Document::parse(text).unwrap()).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let told = lines(&text);
    assert!(["−120", "60", "degrees;"].iter().all(|word| told.iter().any(|told| told == word)), "{told:?}");
    let folder = records(&[0.1, 0.2]);
    let (_, text) = mean(&folder, "--manifold torus:2 --center origin --radius 1 --epsilon 1");
    let told = lines(&text);
    assert!(["−2", "radians;"].iter().all(|word| told.iter().any(|told| told == word)), "{told:?}");
}

#[test]
fn each_part_of_a_composition_has_its_interval() {
    let folder = records(&[0.2, 0.3, 0.5]);
    for space in ["simplex-aitchison:3", "simplex-fisher-rao:3 --layout proportions"] {
        let (_, text) = mean(&folder, &format!("--manifold {space} --radius 0.5 --center origin --epsilon 5 --force"));
        let picture = Document::parse(&text).unwrap();
        let lines = marks(&picture, "interval");
        assert_eq!(lines.len(), 9, "{space}"); // a line with two caps for each
        for (bar, line) in marks(&picture, "value").into_iter().zip(lines.iter().step_by(3)) {
            let top = places(bar).iter().map(|x| x[1]).fold(900.0, f64::min);
            let ends = places(*line).iter().map(|x| x[1]).collect::<Vec<_>>();
            assert!(ends[1] < ends[0] && ends[1] - 40.0 < top, "{ends:?} {top}");
        }
        assert!(words(&picture).contains("all parts at once"), "{}", words(&picture));
    }
}

#[test]
fn parts_have_the_names_of_columns_that_were_chosen_by_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("records.csv"), format!("sand,clay,silt\n{}", "0.2,0.3,0.5\n".repeat(20))).unwrap();
    let shown = |options: &str| {
        let command =
            format!("mean records.csv --json --epsilon 5 --center origin --plot picture.svg --force {options}");
        let output = karcher(&folder, &command);
        assert!(output.status.success(), "{options}: {}", told(&output));
        let release: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = fs::read_to_string(folder.path().join("picture.svg")).unwrap();
        let words = words(&Document::parse(&text).unwrap());
        ["sand", "silt"].map(|name| words.contains(name) && release["columns"].to_string().contains(name))
    };
    let parts = "--manifold simplex-aitchison:3 --radius 1";
    assert_eq!(shown(&format!("{parts} --columns silt,clay,sand")), [true; 2]);
    // other names are those of the first line, which may be a record
    assert_eq!([shown(parts), shown(&format!("{parts} --columns 1-3"))], [[false; 2]; 2]);
}

#[test]
fn what_is_no_release_is_refused_in_a_sentence() {
    let folder = records(&[0.1, 0.2]);
    let (release, _) = mean(&folder, "--manifold euclidean:2 --radius 1 --epsilon 1");
    let changed = |field: &str, value: Value| {
        let mut changed = release.clone();
        changed[field] = value;
        changed.to_string()
    };
    for (text, part) in [
        ("{".to_owned(), "is no release, because it is no JSON"),
        ("[]".to_owned(), "is no release"),
        (changed("schema", json!(99)), "schema"),
        (changed("value", json!([1.0])), "is no release"),
        (changed("manifold", json!("euclidean:3")), "is no release"),
    ] {
        fs::write(folder.path().join("x.json"), &text).unwrap();
        let output = karcher(&folder, "plot x.json --output y.svg");
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(told(&output).contains(part) && told(&output).lines().count() == 1, "{}", told(&output));
    }
    fs::write(folder.path().join("x.json"), release.to_string()).unwrap();
    let output = karcher(&folder, "plot x.json --output x.json");
    assert!(told(&output).contains("the extension must be .svg or .png"), "{}", told(&output));
    assert!(told(&karcher(&folder, "plot nosuchfile.json --output y.svg")).contains("nosuchfile.json cannot be read"));
    assert!(!Path::new(&folder.path().join("y.svg")).exists());
}

/// All words of a picture.
fn words(picture: &Document<'_>) -> String {
    picture
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_picture_names_the_probability_of_its_region() {
    let folder = records(&[0.48, 0.6, 0.64]);
    for (asked, told) in [("0.5", "with ≥ 50 % here"), ("0.95", "with ≥ 95 % here")] {
        let (release, text) = mean(&folder, &format!("{GLOBE} --region {asked} --force"));
        assert_eq!(release["region"]["probability"].to_string(), asked);
        let picture = Document::parse(&text).unwrap();
        assert!(words(&picture).contains(told), "{}", words(&picture));
        assert!(words(&picture).contains("radius 0.7 (40.11°)"), "{}", words(&picture));
    }
}

#[test]
fn a_located_ball_is_drawn_about_its_center_and_is_called_so() {
    let folder = records(&[-0.48, -0.6, 0.64]); // on the far side of the first unit vector, in the middle of nothing
    let many = fs::read_to_string(folder.path().join("records.csv")).unwrap().repeat(50);
    fs::write(folder.path().join("records.csv"), many).unwrap();
    let output = karcher(&folder, "locate records.csv --header no --manifold sphere:2 --epsilon 2 --json --seed 1");
    let release: Value = serde_json::from_slice(&output.stdout).unwrap();
    fs::write(folder.path().join("ball.json"), release.to_string()).unwrap();
    assert!(karcher(&folder, "plot ball.json --output ball.svg").status.success());
    let text = fs::read_to_string(folder.path().join("ball.svg")).unwrap();
    let picture = Document::parse(&text).unwrap();
    let told = words(&picture);
    for part in ["Private ball on sphere:2", "private ball, radius ", "public outer ball: the whole space"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("mean") && !told.contains("e−"), "{told}");
    // the whole globe, from above the located center, with the ball about it
    assert_near(circle(marks(&picture, "value")[0]), MAP.0);
    assert!(marks(&picture, "ball").is_empty() && marks(&picture, "center").is_empty());
    let scale = MAP.1 / 1.04;
    let radius = release["radius"].as_f64().unwrap();
    for [x, y] in places(marks(&picture, "located")[0]) {
        assert!(((x - MAP.0[0]).hypot(y - MAP.0[1]) - scale * radius.sin()).abs() < 0.02, "{x} {y}");
    }
    let output = karcher(
        &folder,
        "mean records.csv --header no --manifold sphere:2 --ball auto --region 0.9 --epsilon 4 --plot in.svg --json",
    );
    let release: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(release["region"]["probability"], 0.9);
    let text = fs::read_to_string(folder.path().join("in.svg")).unwrap();
    let told = words(&Document::parse(&text).unwrap());
    assert!(told.contains("located ball, radius") && told.contains("with ≥ 90 % here"), "{told}");
}

#[test]
fn a_median_in_the_whole_sphere_is_seen_on_the_whole_globe() {
    let folder = records(&[-0.48, -0.6, 0.64]);
    let (release, text) = mean(&folder, "--manifold sphere:2 --statistic median --radius 180deg --epsilon 1");
    let picture = Document::parse(&text).unwrap();
    let told = words(&picture);
    for part in ["Private geometric median on sphere:2", "private median", "public outer ball: the whole space"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("grid lines 30° apart") && !told.contains("mean"), "{told}");
    assert_near(circle(marks(&picture, "value")[0]), MAP.0);
    assert_eq!(release["statistic"], "geometric-median");
}

#[test]
fn the_help_says_which_spaces_have_pictures() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["mean", "regress"] {
        let help = String::from_utf8(karcher(&folder, &format!("{command} --help")).stdout).unwrap();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("--plot <FILE>") && words.contains("release, .svg or .png"), "{help}");
        assert!(words.contains("sphere:2, projective:2, hyperbolic:2, euclidean:2, torus:2, kendall:K"), "{help}");
    }
    assert!(String::from_utf8(karcher(&folder, "--help").stdout).unwrap().contains("plot"));
}

#[test]
fn what_was_collected_is_drawn_at_its_value() {
    let folder = records(&[0.6, 0.0, 0.8]);
    let one = folder.path().join("one.csv");
    fs::write(&one, "0.6,0,0.8\n").unwrap();
    let mut reports = String::new();
    for seed in 0..20 {
        let options = "--header no --manifold sphere:2 --center 0,0,1 --radius 1 --epsilon 50 --json";
        let output = karcher(&folder, &format!("randomize one.csv --seed {seed} {options}"));
        assert!(output.status.success(), "{}", told(&output));
        reports += &String::from_utf8(output.stdout).unwrap();
    }
    fs::write(folder.path().join("reports.jsonl"), reports).unwrap();
    let output = karcher(&folder, "collect reports.jsonl --output all.json --details");
    assert!(output.status.success(), "{}", told(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("radius 1 around 0 0 1"), "{said}");
    let output = karcher(&folder, "plot all.json --output all.svg");
    assert!(output.status.success(), "{}", told(&output));
    let picture = fs::read_to_string(folder.path().join("all.svg")).unwrap();
    assert!(picture.contains("Private mean") && picture.contains("20 records"), "{picture}");
    // an invalid point is not drawn
    let text = fs::read_to_string(folder.path().join("all.json")).unwrap();
    let mut other: Value = serde_json::from_str(&text).unwrap();
    other["value"] = json!([1.0, 1.0, 1.0]);
    fs::write(folder.path().join("other.json"), other.to_string()).unwrap();
    assert!(told(&karcher(&folder, "plot other.json --output other.svg")).contains("the value of the collection"));
}

/// Twenty records at one place, as latitude and longitude in a layout.
fn at_place(layout: &str, numbers: &str) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("records.csv"), format!("{numbers}\n").repeat(20)).unwrap();
    mean(&folder, &format!("--layout {layout} --manifold sphere:2 --center origin --radius 1 --epsilon 1"))
}

#[test]
fn latitudes_and_longitudes_have_coastlines_and_directions_have_none() {
    for (layout, numbers) in [("latlon", "20,30"), ("latlon-radians", "0.3,0.5")] {
        let (release, text) = at_place(layout, numbers);
        assert_eq!(release["layout"], layout);
        let picture = Document::parse(&text).unwrap();
        let coasts = marks(&picture, "coast");
        assert!(coasts.len() > 30 && text.len() < 150_000, "{}: {}", coasts.len(), text.len());
        for [x, y] in coasts.iter().flat_map(|coast| places(*coast)) {
            let ([left, top], half) = MAP;
            assert!((x - left).hypot(y - top) <= half / 1.04 + 0.02, "beyond the horizon: {x} {y}");
        }
    }
    for (layout, numbers) in [("ra-dec", "30,20"), ("vectors", "0.6,0,0.8")] {
        let (release, text) = at_place(layout, numbers);
        assert_eq!(release["layout"], layout);
        assert!(!text.contains("coast"));
    }
}

#[test]
fn a_release_remembers_its_coastlines_and_no_records_change_them() {
    let coasts = |numbers: &str| {
        let (_, text) = at_place("latlon", numbers);
        let picture = Document::parse(&text).unwrap();
        marks(&picture, "coast").iter().map(|coast| coast.attribute("d").unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(coasts("20,30"), coasts("-10,-20"));
    let folder = records(&[20.0, 30.0]);
    let options = "--layout latlon --manifold sphere:2 --center origin --radius 1 --epsilon 1";
    let command = format!("mean records.csv --header no --seed 1 {options} --output mean.json --plot picture.svg");
    assert!(karcher(&folder, &command).status.success());
    assert!(karcher(&folder, "plot mean.json --output again.svg").status.success());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("picture.svg"), read("again.svg"));
}

#[test]
fn the_curves_of_a_plan_go_through_the_planned_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (plan, curves) in [
        ("--manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --delta 1e-6", 5),
        ("--manifold hyperbolic:2 --n 1000 --radius 1 --mu 0.5", 3),
        ("--manifold sphere:2 --n 1 --radius 0.5 --rho 0.1", 2),
        ("--manifold sphere:2 --n 400 --radius 0.5 --slope-bound 0.6 --epsilon 1", 1),
    ] {
        let output = karcher(&folder, &format!("plan {plan} --plot plan.svg --force --json"));
        assert!(output.status.success(), "{plan}: {}", told(&output));
        let text = fs::read_to_string(folder.path().join("plan.svg")).unwrap();
        let picture = Document::parse(&text).unwrap();
        let count = |class: &str| picture.descendants().filter(|node| node.attribute("class") == Some(class)).count();
        assert!(count("error") >= 2 * curves, "{plan}: {}", count("error"));
        assert_eq!((count("planned"), count("dot")), (2, count("error")), "{plan}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        for mechanism in report["mechanisms"].as_array().unwrap() {
            let name = mechanism["mechanism"].as_str().unwrap();
            let applies = mechanism["expected_distance"].is_number() && !mechanism["bias_bound"].is_null();
            let is_other = mechanism.get("statistic").is_some(); // for comparison, and not drawn
            assert!(!applies || is_other || text.contains(name), "{plan}: {name}");
        }
    }
}

/// A unit of the radius is none of a mean square.
#[test]
fn errors_of_a_planned_variance_are_squared_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |statistic: &str| {
        let plan = format!("plan --manifold sphere:2 --statistic {statistic} --n 100 --radius 2000km --epsilon 1");
        let output = karcher(&folder, &format!("{plan} --plot plan.svg --force"));
        assert!(output.status.success(), "{plan}: {}", told(&output));
        fs::read_to_string(folder.path().join("plan.svg")).unwrap()
    };
    let (mean, variance) = (drawn("mean"), drawn("variance"));
    assert!(mean.contains("Planned Fréchet mean on sphere:2") && mean.contains(", in km"));
    assert!(variance.contains("Planned Fréchet variance on sphere:2"));
    assert!(variance.contains(", in squared units of the space") && !variance.contains(", in km"));
}

#[test]
fn a_plan_replaces_no_picture_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --plot plan.png";
    assert!(karcher(&folder, plan).status.success());
    let output = karcher(&folder, plan);
    assert!(told(&output).contains("--plot: plan.png exists") && output.stdout.is_empty(), "{}", told(&output));
    assert!(karcher(&folder, &format!("{plan} --force")).status.success());
    let output = karcher(&folder, "plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --plot plan.pdf");
    assert!(told(&output).contains("the extension must be .svg or .png"));
    assert_eq!(names(&folder), ["plan.png"]);
}
