//! `karcher run`: a release by a specification, on the records of files.

use crate::Failure;
use crate::count;
use crate::failure::{in_spec, say};
use crate::input::Input;
use crate::length::Length;
use crate::output_options::{Delivery, Plotting};
use crate::predictions::Asked;
use crate::releasing::{self, Told};
use karcher::ReleaseSpec;
use karcher::release::{PrivacyUnit, StatisticName};
use karcher::spec::BallSpec;
use std::io::Read;

/// Release what a specification requests from the records in a file.
///
/// A specification is JSON. --spec-only prints it, and a release holds it in the field `spec`. It has everything public
/// that a release depends on. The options here set only how the records are read, and where the release goes.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --spec-only
  karcher run examples/cities.json examples/cities.csv --columns latitude,longitude --layout latlon")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Specification, or a release that has one: a .json file.
    #[arg(value_name = "SPEC.json")]
    spec: String,
    #[command(flatten)]
    input: Input,
    /// Column of a regression's predictor, by name or number from 1.
    #[arg(long, value_name = "COLUMN")]
    predictor: Option<String>,
    /// Where to predict: values of the predictor, separated by commas, or of covariates, age=40,sex=F. Predictions cost no
    /// privacy.
    #[arg(long, value_name = "X,...", allow_hyphen_values = true)]
    predict_at: Vec<String>,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let spec = read(&args.spec)?;
    release(&spec, args).map_err(|failure| in_spec(&args.spec, &spec, failure))
}

fn release(spec: &ReleaseSpec, args: &Args) -> Result<(), Failure> {
    spec.check()?;
    let other_files = vec![args.spec.as_str()];
    if args.spec == "-" && args.input.files().contains(&"-") {
        return Err("standard input holds either the specification or the records, not both".into());
    }
    if spec.assume_in_ball {
        say("note: this specification does not clip: it assumes that all records lie in the ball");
    }
    if spec.statistic == StatisticName::Count {
        Asked::read(&args.predict_at, spec)?;
        let given = [("--predictor", args.predictor.is_some()), ("--plot", args.plotting.plot.is_some())];
        let given = given.into_iter().filter_map(|(option, is_given)| is_given.then_some(option));
        if let Some(option) = given.chain(args.input.options_of_values()).next() {
            return Err(format!("{option} does not go with a count, which reads no values: leave it out").into());
        }
        return count::release(spec, args.input.source(), &args.delivery, &other_files);
    }
    check_unit(spec.unit, &args.input)?;
    let manifold = spec.manifold()?;
    let extra = releasing::extra(spec, args.predictor.as_deref())?;
    let opened = args.input.open(spec.adjacency, &*manifold, extra)?;
    let radius = match &spec.ball {
        Some(BallSpec::Known { radius, .. }) => *radius,
        Some(BallSpec::Locate { within, .. }) => *within,
        _ => f64::INFINITY,
    };
    let radius = Length::plain(radius).told_in(&opened.layout, &*manifold);
    let told = Told {
        other_files,
        radius,
        bounds: [radius; 2],
        is_default_center: false,
        predict_at: &args.predict_at,
        plot: args.plotting.plot.as_deref(),
    };
    releasing::release(spec, &args.input, opened, &args.delivery, &told)
}

/// Refuses records of persons where records are protected, and the reverse.
pub fn check_unit(unit: PrivacyUnit, input: &Input) -> Result<(), Failure> {
    match (unit, input.has_persons()) {
        (PrivacyUnit::Person, false) => {
            Err("--person is missing: the specification protects persons; name the column of their keys".into())
        }
        (PrivacyUnit::Record, true) => Err("--person does not go with a specification that protects records".into()),
        _ => Ok(()),
    }
}

/// The specification in a file, or on standard input.
pub fn read(path: &str) -> Result<ReleaseSpec, Failure> {
    let mut text = String::new();
    let read = match path {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        path => std::fs::read_to_string(path).map(|whole| text = whole),
    };
    read.map_err(|error| format!("{path} cannot be read ({error})"))?;
    let expected = "expected what --spec-only prints, or a release that has the field `spec`";
    let mut json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{path} is no JSON ({error}): {expected}"))?;
    if json["spec"].is_object() {
        // a release may be edited: what it shows is what its specification leads to
        let findings = karcher::audit::Verification::of(&json).findings;
        if let Some(finding) = findings.iter().find(|finding| !finding.is_of_seed()) {
            return Err(format!("{path} contradicts its own specification: {finding}").into());
        }
        let spec = serde_json::from_value(json["spec"].take());
        return spec.map_err(|error| format!("{path} has no specification ({error}): {expected}").into());
    }
    // from the text, in which a field that stands twice is an error
    serde_json::from_str(&text).map_err(|error| format!("{path} is no specification ({error}): {expected}").into())
}
