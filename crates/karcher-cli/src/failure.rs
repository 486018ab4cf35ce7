//! Sentences of a command that fails.

use crate::booking;
use crate::length::Length;
use crate::output::digits_down;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use karcher::error::{GeometryError, PrivacyError};
use karcher::field::Field;
use karcher::{Error, ReleaseSpec};
use std::io::Write;

/// Whatever went wrong, as a sentence.
pub type Failure = Box<dyn std::error::Error>;

/// Says something on standard error, on one line. Nothing can be done if that fails.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shown(text));
}

/// A line as a terminal may show it.
pub fn shown(line: &str) -> String {
    line.chars().flat_map(visible).collect()
}

/// A character that a terminal shows: what would move its cursor or change its colors is written as an escape sequence.
fn visible(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}

/// The sentence for a failure of a command, in which a parameter has the name of the option it was given by.
pub fn sentence(failure: &Failure, command: &Command, matches: &ArgMatches) -> String {
    let library = library_error(failure);
    let text = booking::sentence(failure).unwrap_or_else(|| failure.to_string());
    let (name, value) = match &library {
        Some(error @ (Error::Field { .. } | Error::Inapplicable { .. })) => {
            return error.with_fields(|field| as_option(field, command));
        }
        Some(error) => match (error.parameter(), error.value()) {
            (Some(name), Some(value)) => (name, value),
            _ => return text,
        },
        None => return text,
    };
    let text = with_unit(in_unit(text, library.as_ref(), matches), library.as_ref());
    match (option(name, value, command, matches), text.strip_prefix(&words(name))) {
        (Some(option), Some(rest)) => format!("--{option}{rest}"),
        _ => text,
    }
}

/// The failure of a specification that was read from a file, with the file and the fields as they stand in it.
pub fn in_spec(file: &str, spec: &ReleaseSpec, failure: Failure) -> Failure {
    let Some(error) = library_error(&failure).filter(|error| error.parameter().is_some_and(|it| is_field(spec, it)))
    else {
        return failure;
    };
    // advice to give a radius means that of a ball which is not located
    let is_advice = |name: &str| name == "radius" && error.parameter() != Some(name);
    let place = |name: &str| match is_advice(name) {
        true => "`ball.radius`".to_owned(),
        false => format!("`{}`", spec.place_of(name).unwrap_or_else(|| name.to_owned())),
    };
    format!("{file}: {}", error.with_fields(place)).into()
}

fn is_field(spec: &ReleaseSpec, parameter: &str) -> bool {
    spec.place_of(parameter).is_some()
}

/// The error of the library, or of one of its parts, that a failure is.
pub fn library_error(failure: &Failure) -> Option<Error> {
    let io = match failure.downcast_ref() {
        Some(karcher_io::Error::Library(error)) => Some(error.clone()),
        _ => None,
    };
    let geometry = || failure.downcast_ref::<GeometryError>().cloned().map(Error::from);
    let privacy = || failure.downcast_ref::<PrivacyError>().cloned().map(Error::from);
    io.or_else(|| failure.downcast_ref::<Error>().cloned()).or_else(geometry).or_else(privacy)
}

/// A field of a specification as the options of a command write it; its name where the command has no such option, as
/// karcher run.
fn as_option(field: &str, command: &Command) -> String {
    let of_table = Field::named(field).and_then(|field| field.option).map(|option| option.name.to_owned());
    let has = |name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    let option = of_table.filter(|name| has(name)).unwrap_or_else(|| field.replace('_', "-"));
    match field {
        "budget" if has("epsilon") => "the privacy budget".to_owned(),
        "unit" if has("manifold") => "--person".to_owned(),
        _ if has(&option) => format!("--{option}"),
        _ => format!("`{field}`"),
    }
}

/// The statistics that take an option, where a command does not know it.
pub fn takers(answer: &clap::Error) -> Option<String> {
    let unknown = match (answer.kind(), answer.get(ContextKind::InvalidArg)?) {
        (ErrorKind::UnknownArgument, ContextValue::String(unknown)) => unknown,
        _ => return None,
    };
    let field = Field::of_option(unknown.trim_start_matches('-'))?;
    Some(format!("{unknown} belongs to {}", field.takers()))
}

/// A parameter as sentences of the library begin with it.
fn words(parameter: &str) -> String {
    parameter.replace('_', " ")
}

/// The sentence about a radius that is too large, in the unit in which it was given.
fn in_unit(text: String, error: Option<&Error>, matches: &ArgMatches) -> String {
    let Some(&Error::RadiusTooLarge { radius, limit, .. }) = error else { return text };
    let given = ["radius", "within"].into_iter().find_map(|name| {
        // not every command has both
        let mut texts = matches.try_get_raw(name).ok()??;
        texts.next()?.to_str()?.parse::<Length>().ok()
    });
    let Some((given, (size, unit))) = given.and_then(|given| Some((given, given.told_unit()?))) else { return text };
    let text = text.split("; if it is ").next().unwrap_or_default().to_owned();
    let Some((_, rest)) = text.split_once(" only below ") else { return text };
    let number = rest.split(';').next().unwrap_or_default();
    text.replacen(&format!("radius {radius}"), &format!("radius {}", given.typed()), 1).replacen(
        number,
        &format!("{}{unit} ({number} radians)", digits_down(limit / size)),
        1,
    )
}

/// The advice on a radius that may have been meant as degrees, with their unit instead of radians.
fn with_unit(text: String, error: Option<&Error>) -> String {
    let advice = " degrees, write ";
    match (error, text.find(advice)) {
        (Some(Error::RadiusTooLarge { radius, .. }), Some(at)) => format!("{}{radius}deg", &text[..at + advice.len()]),
        _ => text,
    }
}

/// The option by which a parameter was given: of its name, as `delta`, or ending in it, as `at-delta`, with that value;
/// else of its name.
fn option(name: &str, value: f64, command: &Command, matches: &ArgMatches) -> Option<String> {
    let name = name.replace('_', "-");
    let given = |id: &str| matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
    let said = |id: &str| {
        let same = |text: &str| text.parse().is_ok_and(|x: f64| x == value || (x.is_nan() && value.is_nan()));
        matches.get_raw(id).is_some_and(|mut texts| texts.any(|text| text.to_str().is_some_and(same)))
    };
    let options: Vec<(&str, &str)> =
        command.get_arguments().filter_map(|arg| Some((arg.get_id().as_str(), arg.get_long()?))).collect();
    let ends = |long: &str| long == name || long.strip_suffix(&name).is_some_and(|rest| rest.ends_with('-'));
    let exact = options.iter().find(|(id, long)| *long == name && given(id));
    let chosen = options.iter().find(|(id, long)| ends(long) && given(id) && said(id)).or(exact);
    chosen.map(|(_, long)| (*long).to_owned())
}
