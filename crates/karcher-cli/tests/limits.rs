//! The largest radius of a ball: `karcher mean` and `karcher sensitivity` refuse the same ones, in the same words, and
//! the table of spaces says which.

use assert_cmd::prelude::*;
use karcher::manifold::FAMILIES;
use karcher::mechanism::PrivateFrechetMean;
use karcher::{Ball, Space};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::process::{Command, Output};
use std::sync::Arc;
use tempfile::TempDir;

/// Other sizes than the examples of the families, and products whose factors have curvature of one sign and of both.
const SPACES: &[&str] = &[
    "euclidean:2",
    "sphere:20",
    "hyperbolic:1",
    "hyperbolic:10",
    "spd-affine-invariant:1",
    "kendall:3",
    "kendall:4",
    "kendall:30",
    "projective:1",
    "torus:1",
    "torus:3",
    "grassmann:2,1",
    "grassmann:4,1",
    "grassmann:5,2",
    "sphere:2*euclidean:1",
    "sphere:2*hyperbolic:2",
    "sphere:2*sphere:2",
    "torus:2*euclidean:1",
    "kendall:4*euclidean:1",
];

/// The limit of a space, from the library.
fn limit(space: &str) -> f64 {
    let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
    let ball = Ball::at_origin(&*manifold, 0.1).unwrap();
    PrivateFrechetMean::new(Arc::clone(&manifold), ball).unwrap().largest_radius()
}

/// A folder with a file of five records at the origin of a space.
fn records(space: &str) -> TempDir {
    let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let row = origin.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("records.csv"), row.repeat(5)).unwrap();
    folder
}

/// The messages of `mean` and `sensitivity` for a ball of that radius.
fn both(space: &str, radius: f64, options: &[&str]) -> [Output; 2] {
    let folder = records(space);
    let radius = format!("{radius:e}");
    let run = |arguments: &[&str]| {
        let mut karcher = Command::cargo_bin("karcher").unwrap();
        let shared = ["--manifold", space, "--radius", &radius];
        karcher.args(arguments).args(shared).args(options).current_dir(&folder).output().unwrap()
    };
    [
        run(&["mean", "records.csv", "--header", "no", "--center", "origin", "--epsilon", "1"]),
        run(&["sensitivity", "--n", "5"]),
    ]
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn mean_and_sensitivity_refuse_the_same_balls_in_the_same_words() {
    let examples = FAMILIES.iter().flat_map(|family| family.examples);
    for space in examples.chain(SPACES) {
        // where the space has no limit numbers have one
        let limit = limit(space);
        let (within, beyond) = match limit.is_finite() {
            true => (limit * (1.0 - 1e-9), [1.0 + 1e-9, 1.1, 1.9].map(|times| limit * times)),
            false => (1e90, [1e141, 1e200, f64::MAX]),
        };
        let [mean, sensitivity] = both(space, within, &[]);
        assert!(mean.status.success(), "{space}: {}", said(&mean));
        assert!(sensitivity.status.success(), "{space}: {}", said(&sensitivity));
        for radius in beyond {
            let [mean, sensitivity] = both(space, radius, &[]);
            assert!(!mean.status.success() && !sensitivity.status.success(), "{space}, radius {radius}");
            assert_eq!(said(&mean), said(&sensitivity), "{space}, radius {radius}");
            assert!(said(&mean).starts_with("error: --radius "), "{space}: {}", said(&mean));
            assert!(limit.is_infinite() || said(&mean).contains(" only below "), "{space}: {}", said(&mean));
        }
    }
}

#[test]
fn a_bound_with_a_limit_of_its_own_has_it_in_both_commands() {
    for (bound, limit) in [("published", FRAC_PI_4), ("sharp", 1.227_821), ("optimal", 70f64.atan())] {
        let options = ["--bound", bound];
        let [mean, sensitivity] = both("sphere:2", limit * (1.0 - 1e-6), &options);
        let auto = "--bound does not go with chart"; // the mechanism that auto takes has one bound
        assert!(mean.status.success() || said(&mean).contains(auto), "{bound}: {}", said(&mean));
        assert!(sensitivity.status.success(), "{bound}: {}", said(&sensitivity));
        let [mean, sensitivity] = both("sphere:2", limit * (1.0 + 1e-6), &options);
        assert!(!mean.status.success() && said(&mean).contains(" is too large for sphere:2: "), "{bound}");
        assert_eq!(said(&mean), said(&sensitivity), "{bound}");
    }
}

/// The limits of the table of spaces, with the words of their row; they are rounded down.
#[test]
fn the_table_of_spaces_has_the_limits() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/spaces/README.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (row, cell, limits) in [
        ("sphere:D", r"1.5565 ($`\pi/2`$ for $`D = 1`$)", [("sphere:2", 1.5565), ("sphere:1", FRAC_PI_2)]),
        (
            "hyperbolic:D",
            r"12.90 for $`D = 2`$ ($`\infty`$ for $`D = 1`$)",
            [("hyperbolic:2", 12.90), ("hyperbolic:1", f64::INFINITY)],
        ),
        ("hyperbolic:D", "12.58 for $`D = 10`$", [("hyperbolic:10", 12.58), ("hyperbolic:1", f64::INFINITY)]),
        ("spd-affine-invariant:K", "17.86 for $`K = 3`$", [("spd-affine-invariant:3", 17.86); 2]),
        ("spd-affine-invariant:K", "17.01 for $`K = 10`$", [("spd-affine-invariant:10", 17.01); 2]),
        ("hpd-affine-invariant:K", "17.61 for $`K = 3`$", [("hpd-affine-invariant:3", 17.61); 2]),
        ("hpd-affine-invariant:K", "16.76 for $`K = 10`$", [("hpd-affine-invariant:10", 16.76); 2]),
        ("hpd-log-euclidean:K", r"| $`\infty`$ |", [("hpd-log-euclidean:3", f64::INFINITY); 2]),
        ("spd-log-euclidean:K", r"| $`\infty`$ |", [("spd-log-euclidean:3", f64::INFINITY); 2]),
        ("kendall:K", "0.7521 (0.7782 for $`K = 3`$)", [("kendall:30", 0.7521), ("kendall:3", 0.7782)]),
        ("landmarks:K,D", "| 1.5565 |", [("landmarks:20,3", 1.5565); 2]),
        ("size-and-shape:K,D", r"| $`\infty`$ |", [("size-and-shape:20,3", f64::INFINITY); 2]),
        ("projective:D", r"| $`\pi/4`$ |", [("projective:2", FRAC_PI_4), ("projective:1", FRAC_PI_4)]),
        ("rotations:3", r"| $`\pi/2`$ |", [("rotations:3", FRAC_PI_2); 2]),
        ("torus:D", r"| $`\pi/2`$ |", [("torus:1", FRAC_PI_2), ("torus:3", FRAC_PI_2)]),
        (r"grassmann:N,K`, $`m \ge 2`$", r"| $`\pi/4`$ |", [("grassmann:5,2", FRAC_PI_4); 2]),
        ("grassmann:N,K`, $`m = 1`$", r"| $`\pi/4`$ |", [("grassmann:4,1", FRAC_PI_4), ("grassmann:2,1", FRAC_PI_4)]),
        (
            "A*B*…",
            r"$`1.5042/\sqrt{\kappa}`$",
            [("sphere:2*euclidean:1", 1.5042), ("kendall:4*euclidean:1", 0.5 * 1.5042)],
        ),
        (
            "A*B*…",
            r"($`1.4601/\sqrt{\kappa}`$ if a factor has negative curvature)",
            [("sphere:2*hyperbolic:2", 1.4601); 2],
        ),
    ] {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{row}")) && line.matches(" | ").count() == 4);
        assert!(line.is_some_and(|line| line.contains(cell)), "{row}: no {cell} in {line:?}");
        for (space, told) in limits {
            let found = limit(space);
            assert!(found == told || (told <= found && found - told < 1e-3 * told), "{space}: {found}, not {told}");
        }
    }
    for (page, words) in [
        ("docs/how-to/choose-a-ball.md", "(1.5565 on spheres, 0.7521 for shapes, π/4 for axes)"),
        ("docs/how-to/shapes.md", "the radius must stay below 0.7521"),
        ("docs/reference/spaces/sphere.md", r"Radius below 1.5565 ($`\pi/2`$ for $`D = 1`$)"),
        ("docs/reference/spaces/kendall.md", "Radius below 0.7521 (0.7782 for $`K = 3`$)"),
        ("docs/reference/spaces/landmarks.md", "Radius below 1.5565"),
        (
            "docs/reference/spaces/hyperbolic.md",
            "Radius below 12.90 for $`D = 2`$, 12.58 for $`D = 10`$ (any for $`D = 1`$)",
        ),
        ("docs/reference/spaces/spd-affine-invariant.md", "Radius below 17.86 for $`K = 3`$, 17.01 for $`K = 10`$"),
        ("docs/reference/spaces/hpd-affine-invariant.md", "Radius below 17.61 for $`K = 3`$, 16.76 for $`K = 10`$"),
        (
            "docs/reference/spaces/products.md",
            r"at most $`1.5042/\sqrt{\kappa}`$, and $`1.4601/\sqrt{\kappa}`$ if a factor has negative curvature",
        ),
    ] {
        let text = std::fs::read_to_string(format!("{}/../../{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{page} does not say `{words}`");
    }
}
