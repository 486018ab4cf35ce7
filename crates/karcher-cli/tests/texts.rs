//! A release prints the same text where it was made and from its file, as Python and R print it.

use assert_cmd::prelude::*;
use karcher::Space;
use karcher::manifold::FAMILIES;
use karcher::release::{PublishedRelease, StatisticName};
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// Commands that release every statistic that one has, in spaces of every kind and in layouts with units.
const RELEASES: &[&str] = &[
    "mean cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --center 25,80 --radius 0.9 \
     --epsilon 1 --spread --region 0.9",
    "mean cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --center 25,80 --radius 50deg \
     --mu 1 --adjacency add-remove --n-guess 90",
    "mean cities.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --mu 1",
    "mean lineations.csv --columns trend,plunge --layout trend-plunge --manifold projective:2 --epsilon 1",
    "mean poses.csv --columns x,y,z,w --layout quaternions-last --manifold rotations:3 --mu 1",
    "mean torsions.csv --columns phi,psi --layout degrees --manifold torus:2 --epsilon 1",
    "mean tensors.csv --columns dxx,dxy,dxz,dyy,dyz,dzz --layout upper-row --manifold spd-log-euclidean:3 \
     --center 1*identity --radius 2 --epsilon 1",
    "mean poses.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 1 --mechanism laplace --denoise none",
    "mean poses.csv --columns x,y --manifold euclidean:2 --ball auto --within 10 --mu 3 --spread",
    "mean poses.csv --columns x,y --manifold euclidean:2 --radius 1 --mu 1 --statistic median",
    "components poses.csv --columns x,y --manifold euclidean:2 --radius 1 --mu 1",
    "locate poses.csv --columns x,y --manifold euclidean:2 --within 10 --mu 3",
    "kmeans poses.csv --columns x,y --manifold euclidean:2 --radius 1 --mu 3 --clusters 2",
    "quantiles poses.csv --columns x,y --manifold euclidean:2 --radius 1 --mu 3 --levels 0.5",
    "regress vessels.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --predictor day \
     --predictor-range 0 120 --center 50,-40 --radius 0.5 --slope-bound 0.6 --residual-bound 10deg --mu 1",
    "regress vessels.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --term linear:day:0:120 \
     --center 50,-40 --radius 0.5 --mu 1",
    "randomize home.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --center 50,10 --radius 0.3 \
     --epsilon 2",
];

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for file in std::fs::read_dir(EXAMPLES).unwrap().flatten().filter(|file| file.path().is_file()) {
            std::fs::copy(file.path(), folder.path(Path::new(&file.file_name()))).unwrap();
        }
        folder
    }

    fn path(&self, name: &Path) -> PathBuf {
        self.0.path().join(name)
    }

    /// What a command prints with an option, and the release that it writes.
    fn release(&self, command: &str, option: &[&str]) -> (String, String) {
        let mut karcher = Command::cargo_bin("karcher").unwrap();
        let arguments = command.split_whitespace().chain(["--output", "release.json", "--force", "--seed", "1"]);
        let output = karcher.args(arguments).args(option).current_dir(&self.0).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let written = std::fs::read_to_string(self.path(Path::new("release.json"))).unwrap();
        (String::from_utf8(output.stdout).unwrap(), written)
    }
}

/// The most lines of an answer, besides further rows of a matrix.
const MOST: usize = 8;

/// The lines of an answer, without the notes: matrices and places that are written below a point count once.
fn lines_of_answer(printed: &str, rows: usize) -> usize {
    printed.lines().take_while(|line| !line.starts_with("note ")).count() - (rows - 1)
}

#[test]
fn a_release_prints_the_same_from_its_file() {
    let folder = Folder::new();
    let compare = |command: &str| {
        let (printed, written) = folder.release(command, &[]);
        let release: PublishedRelease = serde_json::from_str(&written).unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let by_command = |option: &[&str]| {
            let printed = words(&folder.release(command, option).0);
            let printed = printed.replace(" (the default center; --center chooses another)", "");
            printed.replace("release.json", "the JSON of the release")
        };
        assert_eq!(by_command(&[]), words(&release.to_string()), "{command}");
        assert_eq!(by_command(&["--details"]), words(&format!("{release:#}")), "{command}");
        assert_eq!(by_command(&["--sentence"]), words(&release.sentence()), "{command}");
        let rows = if command.contains("spd") { 3 } else { 1 };
        // a located ball and a spread are two answers more
        let most = if command.contains("auto") && command.contains("--spread") { MOST + 2 } else { MOST };
        assert!(lines_of_answer(&printed, rows) <= most, "{command}: {printed}");
        assert!(printed.lines().all(|line| line.chars().count() <= 100 || !line.contains(' ')), "{printed}");
        release.provenance.statistic
    };
    let seen: Vec<StatisticName> = RELEASES.iter().map(|command| compare(command)).collect();
    // what is no release by itself, and what the command does not make
    let apart = [StatisticName::Count, StatisticName::Minimizer, StatisticName::Score, StatisticName::Selection];
    for statistic in StatisticName::ALL.into_iter().filter(|name| !seen.contains(name) && !apart.contains(name)) {
        std::fs::write(folder.path(Path::new("spec.json")), statistic.description().example).unwrap();
        assert_eq!(compare("run spec.json poses.csv --columns x,y"), statistic);
    }
}

#[test]
fn every_layout_of_every_family_prints_the_same_from_its_file() {
    let (folder, mut compared) = (Folder::new(), 0);
    for family in FAMILIES {
        let space = family.examples[0].parse::<Space>().unwrap().manifold().unwrap();
        let mut origin = vec![0.0; space.point_len()];
        space.origin(&mut origin);
        for layout in space.layouts().iter().filter(|layout| layout.check_holds(&origin).is_ok()) {
            let record: Vec<String> = layout.write(&origin).iter().map(f64::to_string).collect();
            std::fs::write(folder.path(Path::new("records.csv")), (record.join(",") + "\n").repeat(50)).unwrap();
            let command = format!(
                "mean records.csv --header no --manifold {} --layout {} --center origin --radius 0.3 --mu 1",
                space.space(),
                layout.name()
            );
            let (printed, written) = folder.release(&command, &[]);
            let release: PublishedRelease = serde_json::from_str(&written).unwrap();
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let printed = words(&printed).replace("release.json", "the JSON of the release");
            assert_eq!(printed, words(&release.to_string()), "{command}");
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
}

/// A short help begins with an example and fits a page. Options that few need are left to `--help`, which has all.
#[test]
fn the_short_help_of_a_mean_fits_a_page() {
    let help = |form: &str| {
        let output = Command::cargo_bin("karcher").unwrap().args(["mean", form]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (short, long) = (help("-h"), help("--help"));
    assert!(short.starts_with("Example:\n  karcher mean ") && short.lines().count() <= 60, "{short}");
    for option in ["--assume-in-ball", "--expected-spread", "--spread-clip", "--steps", "--decimal-comma"] {
        assert!(!short.contains(&format!("{option} ")) && long.contains(option), "{option}: {short}");
    }
}
