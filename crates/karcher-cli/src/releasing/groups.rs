//! The release of each group of a public list (user guide, U3).

use super::content::content as of_release;
use super::{DEFAULT_CENTER, Predictions, Told, as_written};
use crate::Failure;
use crate::input::Input;
use crate::length::Length;
use crate::opened::Opened;
use crate::options::warn_if_weak;
use crate::output::{about_so_many, in_columns, point, short_down, told as told_place};
use crate::output_options::Delivery;
use crate::predictions::{Asked, predicted_rows};
use crate::saving::{Content, Saving, hand_over};
use karcher::facts::{Fact, Lengths, Level, Style, accuracy, around, bias, facts};
use karcher::manifold::Layout;
use karcher::mechanism::Plan;
use karcher::release::{Flag, PrivacyEvent, Promise, PublishedRelease, RegionCenter, ReleasedQuantiles, StatisticName};
use karcher::spec::GroupsSpec;
use karcher::{Manifold, Release, ReleaseSpec};
use serde_json::json;

/// Releases the statistic of each group, with its companions.
pub fn release(
    spec: &ReleaseSpec,
    input: &Input,
    opened: Opened<'_>,
    (delivery, told): (&Delivery, &Told<'_>),
    asked: Asked,
) -> Result<(), Failure> {
    let groups = spec.groups.as_ref().ok_or("there are no groups")?;
    let (manifold, ball) = (spec.manifold()?, spec.public_ball()?);
    let plan = |group: usize| spec.of_group(group)?.plan(0);
    let plans = (0..groups.names.len()).map(plan).collect::<Result<Vec<_>, _>>()?;
    let read_files = [input.files(), told.other_files.clone()].concat();
    delivery.account.check(&read_files, &[delivery.output.as_deref()], spec.adjacency)?;
    let saving = Saving::open(delivery.output.as_deref(), delivery.force, &read_files)?;

    let layout = opened.layout.clone();
    let regression = spec.features.as_ref().map(|_| spec.on_features()).transpose()?;
    let records = input.groups(opened, (&manifold, &ball), regression.as_ref(), &groups.names)?;
    plans.iter().zip(&records).try_for_each(|(plan, records)| plan.check(&**records))?;
    groups.n_guess.iter().min().into_iter().for_each(|guess| warn_if_weak(spec.budget, *guess));
    // one record is in one group at most: what covers every group is counted once
    let events: Vec<PrivacyEvent> = plans.iter().map(|plan| plan.summary().event()).collect();
    let mut context = delivery.account.context(&PrivacyEvent::of_disjoint(&events)?)?;
    let releases =
        records.iter().zip(&plans).map(|(own, plan)| plan.run(&**own, &mut context)).collect::<Result<Vec<_>, _>>()?;
    let promises: Vec<Promise> = releases.iter().map(|release| release.provenance().promise()).collect();
    let together = Promise::of_disjoint(&promises)?;
    // all have the same entry
    let counted = releases.first().map(|release| delivery.account.settle(release)).unwrap_or_default();

    let predictions: Vec<Predictions> =
        releases.iter().map(|release| mean_in_basis(release, &asked)).collect::<Result<_, _>>()?;
    let mut content = content((groups, &releases), &predictions, (spec, &together), &*manifold, &layout)?;
    for group in content.json["groups"].as_array_mut().into_iter().flatten() {
        input.name_reading(&mut group["release"]);
    }
    let facts = about_all((&groups.names, &releases), &together, &*manifold, &layout, told, counted);
    let sentences = || {
        let written = content.json["groups"].as_array().into_iter().flatten().zip(&releases);
        let sentence = written.map(|(group, release)| as_written(&group["release"], release).sentence());
        let named = groups.names.iter().zip(sentence).map(|(name, sentence)| format!("{name}: {sentence}"));
        named.collect::<Vec<_>>().join("\n")
    };
    let printed = delivery.printing.printed(&content.json, &facts, sentences);
    let printed = match delivery.printing.is_text() {
        true => {
            let abridged = saving.is_some();
            let releases = (&groups.names[..], &releases[..]);
            format!("{}\n{printed}", table(releases, &predictions, &*manifold, &layout, told.radius, abridged))
        }
        false => printed,
    };
    hand_over(saving, &content, &printed)
}

/// What `--output` writes, and `--json` prints: every release by itself, and what all guarantee together.
fn content(
    (groups, releases): (&GroupsSpec, &[Release]),
    predictions: &[Predictions],
    (spec, together): (&ReleaseSpec, &Promise),
    manifold: &dyn Manifold,
    layout: &Layout,
) -> Result<Content, Failure> {
    let (mut of_groups, mut values, mut shape) = (vec![], vec![], vec![]);
    for ((name, release), predictions) in groups.names.iter().zip(releases).zip(predictions) {
        let one = of_release(release, manifold, predictions, layout)?;
        of_groups.push(json!({ "group": name, "release": one.json }));
        values.extend(one.values);
        shape = one.shape;
    }
    let mut json = json!({
        "by": groups.by, "groups": of_groups, "guarantee": together.guarantee(), "unit": together.unit(),
        "adjacency": together.adjacency(), "numerics": together.numerics(), "flags": together.flags(), "spec": spec,
    });
    if let Ok(replaced) = together.guarantee().of_two_steps() {
        json["replace_one"] = serde_json::to_value(replaced)?;
    }
    let labels = groups.names.clone();
    let numbers = 1..=values.len() / labels.len().max(1);
    let names = std::iter::once("group".to_owned()).chain(numbers.map(|i| format!("value_{i}"))).collect();
    shape.insert(0, labels.len());
    Ok(Content { json, values, shape, names: Some(names), labels })
}

/// The mean in a basis as the one prediction of a regression without terms, if that is released.
fn mean_in_basis(release: &Release, asked: &Asked) -> Result<Predictions, Failure> {
    Ok(match asked {
        Asked::Rows(rows) => Predictions::Rows(predicted_rows(release, rows)?),
        Asked::Predictors(_) => Predictions::Points(vec![]),
    })
}

/// The head of the column of values: of quantiles with their levels.
fn value_name(release: &Release) -> String {
    let levels =
        release.quantiles().map(|found| found.levels.iter().map(f64::to_string).collect::<Vec<_>>().join(", "));
    let statistic = match release.on_features() {
        Some(regression) if regression.is_mean() => StatisticName::FrechetMean,
        _ => release.provenance().statistic,
    };
    let name = statistic.description().point;
    levels.map_or_else(|| name.to_owned(), |levels| format!("{name} ({levels})"))
}

/// The quantiles in a row.
fn quantiles(found: &ReleasedQuantiles, lengths: Lengths) -> String {
    found.quantiles.iter().map(|value| lengths.words(*value)).collect::<Vec<_>>().join(", ")
}

/// A row a group.
fn table(
    (names, releases): (&[String], &[Release]),
    predictions: &[Predictions],
    manifold: &dyn Manifold,
    layout: &Layout,
    radius: Length,
    abridged: bool,
) -> String {
    let lengths = radius.lengths().alone();
    let value = releases.first().map_or_else(String::new, value_name);
    let heads = ["group", &value, "records", "expected error", "region", "spread"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(names.iter().zip(releases).zip(predictions).map(|((name, release), predictions)| {
        let value = match predictions {
            Predictions::Rows(rows) => rows.first().map_or(&[][..], |row| &row.estimate.point),
            Predictions::Points(_) => release.value(),
        };
        let place = told_place(layout, value).or_else(|| value.is_empty().then(String::new));
        let quantiles = release.quantiles().map(|found| quantiles(found, lengths));
        let count = release.provenance().private_count.as_ref();
        vec![
            name.clone(),
            quantiles.or(place).unwrap_or_else(|| point(value, manifold.shape().row_len(), abridged)),
            count.map(about_so_many).unwrap_or_default(),
            lengths.words(release.expected_distance()),
            release.region().map(|region| lengths.words_up(region.radius)).unwrap_or_default(),
            release.spread().map(|spread| lengths.words(spread.root_mean_square)).unwrap_or_default(),
        ]
    }));
    // leave out columns that no group fills
    let is_filled = |i: &usize| rows[1..].iter().any(|row| !row[*i].is_empty());
    let filled: Vec<usize> = (0..heads.len()).filter(is_filled).collect();
    in_columns(&rows.iter().map(|row| filled.iter().map(|i| row[*i].clone()).collect()).collect::<Vec<Vec<_>>>())
}

/// What holds of every group, and of all together.
fn about_all(
    (names, releases): (&[String], &[Release]),
    together: &Promise,
    manifold: &dyn Manifold,
    layout: &Layout,
    told: &Told<'_>,
    counted: Vec<Fact>,
) -> Vec<Fact> {
    let Some(first) = releases.first() else { return vec![] };
    let lengths = told.radius.lengths().alone();
    let ball = first.ball(); // the same for all
    let of_default = if told.is_default_center { DEFAULT_CENTER } else { "" };
    let around = around(ball, Some(manifold), Some(layout)) + of_default;
    let each = |fact: fn(&str, String) -> Fact, name: &str, words: &dyn Fn(&Release) -> Option<String>| {
        of_each((fact, name), names, releases.iter().map(words).collect())
    };
    let answer: fn(&str, String) -> Fact = |name, words| Fact::answer(name, words);
    let detail: fn(&str, String) -> Fact = |name, words| Fact::detail(name, words);
    let guarantee = format!("{}, {}, of all groups together", together.guarantee(), together.adjacency());
    let mut facts = vec![answer("guarantee", guarantee)];
    if let Ok(replaced) = together.guarantee().of_two_steps() {
        facts.push(answer("", format!("{replaced}, if one record is replaced by any other, of any group")));
    }
    facts.extend(each(answer, "expected error", &|release| {
        let how = release.provenance();
        let guess = how.unit.many(how.n_guess.unwrap_or_default());
        Some(format!("on average, {}, for a group of {guess}", accuracy(how)))
    }));
    facts.extend(each(answer, "bias", &|release| bias(release.provenance(), lengths)));
    facts.extend(each(answer, "region", &|release| {
        let region = release.region()?;
        let about = match region.center {
            RegionCenter::NoisyValue => "the value before denoising (printed by --json)",
            RegionCenter::Value => "the value",
        };
        let held = match release.extrinsic() {
            Some(_) => "the extrinsic mean of the records",
            None => "the mean of the clipped records",
        };
        Some(format!("{held} is within that distance of {about}, {}", region.words()))
    }));
    facts.extend(counted);
    facts.push(detail("space", first.manifold().to_string()));
    facts.extend(each(detail, "mechanism", &|release| Some(told_mechanism(release))));
    if first.extrinsic().is_none() {
        facts.push(detail("ball", format!("{}{around}", ball.radius_in_words(|r| lengths.words(r)))));
    }
    facts.extend(flagged(names, releases).into_iter().map(Fact::note));
    facts.extend(names.iter().zip(releases).flat_map(|(name, release)| own_notes(name, release)));
    facts
}

/// The notes about a group that are no flags.
fn own_notes(name: &str, release: &Release) -> Vec<Fact> {
    let of_flag = |words: &str| release.flags().iter().any(|flag| flag.to_string() == words);
    let published = PublishedRelease::from(release.clone());
    let notes = facts(&published, &Style::default()).into_iter().filter(|fact| fact.level == Level::Note);
    notes.filter(|note| !of_flag(&note.words)).map(|note| Fact::note(format!("{name}: {}", note.words))).collect()
}

/// What holds of each group: one line if it is the same for all, else one for each group that has one.
fn of_each((fact, name): (fn(&str, String) -> Fact, &str), names: &[String], words: Vec<Option<String>>) -> Vec<Fact> {
    let is_same = words.windows(2).all(|pair| pair[0] == pair[1]);
    let all = names.iter().zip(words).filter_map(|(group, words)| Some((group, words?)));
    let lines = all.map(|(group, words)| if is_same { words } else { format!("{group}: {words}") });
    let heads = std::iter::once(name).chain(std::iter::repeat(""));
    let most = if is_same { 1 } else { usize::MAX };
    heads.zip(lines.take(most)).map(|(head, words)| fact(head, words)).collect()
}

/// The flags of all groups, each once, with the groups that have it unless all have.
fn flagged(names: &[String], releases: &[Release]) -> Vec<String> {
    let mut flags: Vec<Flag> = vec![];
    for flag in releases.iter().flat_map(Release::flags) {
        if !flags.contains(flag) {
            flags.push(*flag);
        }
    }
    let words = |flag: Flag| {
        let have = names.iter().zip(releases).filter(|(_, release)| release.flags().contains(&flag));
        let have: Vec<&str> = have.map(|(name, _)| name.as_str()).collect();
        if have.len() == releases.len() { flag.to_string() } else { format!("{flag} (groups: {})", have.join(", ")) }
    };
    flags.into_iter().map(words).collect()
}

fn told_mechanism(release: &Release) -> String {
    format!("{}, scale {}", release.mechanism(), short_down(release.scale()))
}
