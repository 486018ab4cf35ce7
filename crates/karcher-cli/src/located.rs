//! A ball that was located, read from a release.

use crate::Failure;
use karcher::release::{PublishedRelease, Value};
use karcher::{Ball, Manifold};
use std::io::ErrorKind;
use std::path::Path;

/// The value of `--ball` that is no file.
pub const AUTO: &str = "auto";

/// The ball in a release of `karcher locate`, or the one of a mean with `--ball auto`.
pub fn from_file(path: &str, manifold: &dyn Manifold) -> Result<Ball, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("--ball {path}: expected `{AUTO}` or a file; there is no such file"),
        _ => format!("--ball {path}: it cannot be read ({error})"),
    })?;
    let release: PublishedRelease = serde_json::from_str(&text).map_err(|error| {
        format!("--ball {path} is no release ({error}): expected a file that karcher locate wrote with --output")
    })?;
    let (found, space) = (&release.provenance.manifold, manifold.space());
    if found != space {
        return Err(format!("--ball {path}: it is a release on {found}, not on {space}").into());
    }
    let located = if let Value::Ball(ball) = release.value {
        ball
    } else if let Some(located) = release.provenance.located {
        located.ball
    } else {
        let statistic = release.provenance.statistic;
        return Err(format!("--ball {path} holds a {statistic}: expected a file that karcher locate wrote").into());
    };
    located.ball(manifold).map_err(|error| format!("--ball {path}: {error}").into())
}

/// The release in a `.json` file, or of a group in `FILE.json:GROUP`. `expected` describes the file that is needed.
#[cfg(feature = "plot")]
pub fn read_release(name: &str, expected: &str) -> Result<PublishedRelease, Failure> {
    let mut all = read_releases(name, expected)?;
    match (all.pop(), all.is_empty()) {
        (Some((_, release)), true) => Ok(release),
        (last, _) => {
            let prefix = format!("{name}:");
            let names = all.into_iter().chain(last).map(|(group, _)| group.replacen(&prefix, "", 1));
            let groups: Vec<String> = names.collect();
            let words = format!("{name} has a release for each of several groups: name one, {name}:GROUP");
            Err(format!("{words}; its groups: {}", groups.join(", ")).into())
        }
    }
}

/// The releases in a `.json` file with their names: one, or that of each group as `FILE.json:GROUP`.
pub fn read_releases(name: &str, expected: &str) -> Result<Vec<(String, PublishedRelease)>, Failure> {
    let (file, group) = match name.split_once(".json:") {
        Some((file, group)) if !Path::new(name).exists() => (&name[..file.len() + ".json".len()], Some(group)),
        _ => (name, None),
    };
    let bytes = std::fs::read(file).map_err(|error| format!("{name} cannot be read ({error})"))?;
    let no_json = |why: &str| format!("{name} is no release, because it is no JSON ({why}): expected {expected}");
    let text = String::from_utf8(bytes).map_err(|_| no_json("it is no text"))?;
    let mut json: serde_json::Value = serde_json::from_str(&text).map_err(|error| no_json(&error.to_string()))?;
    let read = |name: &str, json: serde_json::Value| -> Result<(String, PublishedRelease), Failure> {
        let release = serde_json::from_value(json);
        let release = release.map_err(|error| format!("{name} is no release ({error}): expected {expected}"))?;
        Ok((name.to_owned(), release))
    };
    let named = |one: &mut serde_json::Value| {
        Some((
            one.get("group")?.as_str()?.to_owned(),
            one.get_mut("release").map_or(serde_json::Value::Null, |json| json.take()),
        ))
    };
    let all = json.get_mut("groups").and_then(|groups| groups.as_array_mut());
    let mut groups: Vec<_> = all.into_iter().flatten().filter_map(named).collect();
    match group.map(|group| (group, groups.iter().position(|(known, _)| known == group))) {
        Some((_, Some(i))) => Ok(vec![read(name, groups.swap_remove(i).1)?]),
        Some((group, None)) => {
            let known: Vec<String> = groups.into_iter().map(|(known, _)| known).collect();
            Err(format!("{file} has no group {group}; its groups: {}", known.join(", ")).into())
        }
        None if !groups.is_empty() => {
            groups.into_iter().map(|(group, json)| read(&format!("{file}:{group}"), json)).collect()
        }
        None => Ok(vec![read(name, json)?]),
    }
}
