//! `--by COLUMN --groups A,B,C`: the private mean of each group, every one with the whole budget (user guide, U3).

use super::{Common, Companions, MEAN, Place, accuracy, content};
use crate::length::Length;
use crate::opened::Extra;
use crate::options::{NO_BUDGET, warn_if_weak};
use crate::output::{about_so_many, aligned, digits_down, in_columns, point, told};
use crate::saving::{Content, Saving, hand_over};
use crate::{Failure, center, located};
use karcher::manifold::Layout;
use karcher::release::{Flag, PrivacyEvent, Promise, Region, RegionCenter};
use karcher::{Manifold, Release};
use serde_json::json;

/// Which groups there are.
#[derive(clap::Args)]
pub struct By {
    /// Release the mean of every group of --groups: the column that says which group a record is in, by name or number
    /// from 1; in an .npz file the name of an array. Every group has the whole budget, because a record is in one
    /// group at most; so it takes --adjacency add-remove, and --n-guess is about the number of records of a group.
    #[arg(long, value_name = "COLUMN", requires = "groups")]
    by: Option<String>,
    /// The groups of --by: a public list, and not what the column happens to hold. Records in no group of the list are
    /// left out, and nothing says how many; a group without records is released like any other.
    #[arg(long, value_name = "A,B,C", requires = "by", allow_hyphen_values = true)]
    groups: Option<String>,
}

/// The groups of a public list.
pub struct Groups<'a> {
    by: &'a str,
    names: Vec<&'a str>,
}

impl By {
    /// The groups, if there are any.
    pub fn groups(&self) -> Result<Option<Groups<'_>>, Failure> {
        let (Some(by), Some(groups)) = (&self.by, &self.groups) else { return Ok(None) };
        let names: Vec<&str> = groups.split(',').map(str::trim).collect();
        if names.contains(&"") {
            return Err("--groups: a name is empty; separate the names by single commas".into());
        }
        if let Some((i, name)) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
            return Err(format!("--groups: {name} is named twice, at last as number {}; name it once", i + 1).into());
        }
        Ok(Some(Groups { by, names }))
    }
}

impl Groups<'_> {
    /// Releases the mean of each group, and what is asked for beside it.
    pub fn release(&self, args: &Common, beside: &dyn Companions) -> Result<(), Failure> {
        refuse(args)?;
        let guesses = args.neighbours.guesses_for(self.names.len())?;
        let manifold = args.manifold.manifold()?;
        let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
        let opened = args.input.open(&args.neighbours, &*manifold, Extra::Group { column: self.by })?;
        let (Place::Known(ball), radius) = args.place(&manifold, &opened)? else { return Err(AUTO.into()) };
        let ask = |request| args.ask(request, beside);
        let plan = |guess: &usize| args.choice.plan(&manifold, ball.clone(), args.assume_in_ball, *guess, budget, ask);
        let plans = guesses.iter().map(plan).collect::<Result<Vec<_>, _>>()?;
        let read_files =
            [args.input.files(), args.center.iter().chain(&args.ball).map(String::as_str).collect()].concat();
        args.account.check(&read_files, &[args.output.as_deref()], args.neighbours.adjacency())?;
        let saving = Saving::open(args.output.as_deref(), args.force, &read_files)?;

        let records = args.input.groups(opened, (&manifold, &ball), &self.names)?;
        plans.iter().zip(&records).try_for_each(|(plan, records)| plan.check(&**records))?;

        guesses.iter().min().iter().for_each(|guess| warn_if_weak(budget, **guess));
        // one record is in one group at most: what covers every group is counted once
        let event: Vec<PrivacyEvent> = plans.iter().map(|plan| plan.summary().event()).collect();
        let mut context = args.account.context(&PrivacyEvent::of_disjoint(&event)?)?;
        let mut releases = vec![];
        for (own, plan) in records.iter().zip(&plans) {
            let release = plan.run(&**own, &mut context)?;
            let region = plan.region_of(&release, beside.region()).or_else(|| release.region().cloned());
            releases.push((release, region));
        }
        let promises: Vec<Promise> = releases.iter().map(|(release, _)| release.provenance().promise()).collect();
        let together = Promise::of_disjoint(&promises)?;
        // all have the same entry
        let counted = releases.first().map(|(release, _)| args.account.settle(release)).unwrap_or_default();
        let table = self.table(&releases, &*manifold, &args.input.layout(&*manifold)?, radius, saving.is_some());
        let mut about = about_all((&self.names, &releases), &together, &*manifold, args, radius, counted)?;
        for (name, (release, region)) in self.names.iter().zip(&releases) {
            let notes = beside.lines(release, *region, radius).into_iter().filter(|(what, _)| what == "note");
            about.extend(notes.map(|(what, words)| (what, format!("{name}: {words}"))));
        }
        let content = self.content(&releases, &together, &*manifold, beside)?;
        let printed = match args.json {
            true => format!("{}\n", content.json),
            false => format!("{table}\n{}", aligned(&about)),
        };
        hand_over(saving, &content, &printed)
    }

    /// What `--output` writes, and `--json` prints: every release by itself, and what all guarantee together.
    fn content(
        &self,
        releases: &[(Release, Option<Region>)],
        together: &Promise,
        manifold: &dyn Manifold,
        beside: &dyn Companions,
    ) -> Result<Content, Failure> {
        let (mut groups, mut values, mut shape) = (vec![], vec![], vec![]);
        for (name, (release, region)) in self.names.iter().zip(releases) {
            let one = content(release, *region, manifold, beside)?;
            groups.push(json!({ "group": name, "release": one.json }));
            values.extend(one.values);
            shape = one.shape;
        }
        let mut json = json!({
            "by": self.by, "groups": groups, "guarantee": together.guarantee(), "unit": together.unit(),
            "adjacency": together.adjacency(), "numerics": together.numerics(), "flags": together.flags(),
        });
        if let Ok(replaced) = together.guarantee().of_two_steps() {
            json["replace_one"] = serde_json::to_value(replaced)?;
        }
        let labels: Vec<String> = self.names.iter().map(|name| (*name).to_owned()).collect();
        let numbers = 1..=values.len() / labels.len().max(1);
        let names = std::iter::once("group".to_owned()).chain(numbers.map(|i| format!("value_{i}"))).collect();
        shape.insert(0, labels.len());
        Ok(Content { json, values, shape, names: Some(names), labels })
    }

    /// A row a group.
    fn table(
        &self,
        releases: &[(Release, Option<Region>)],
        manifold: &dyn Manifold,
        layout: &Layout,
        radius: Length,
        abridged: bool,
    ) -> String {
        let heads = ["group", "private mean", "records", "expected error", "region", "spread"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        rows.extend(self.names.iter().zip(releases).map(|(name, (release, region))| {
            let value = release.value();
            let place = told(layout, value);
            let count = release.provenance().private_count.as_ref();
            vec![
                (*name).to_owned(),
                place.unwrap_or_else(|| point(value, manifold.shape().row_len(), abridged)),
                count.map(about_so_many).unwrap_or_default(),
                radius.words(release.expected_distance()),
                region.as_ref().map(|region| radius.words(region.radius)).unwrap_or_default(),
                release.spread().map(|spread| radius.words(spread.root_mean_square)).unwrap_or_default(),
            ]
        }));
        // a column that no group fills says nothing
        let is_filled = |i: &usize| rows[1..].iter().any(|row| !row[*i].is_empty());
        let filled: Vec<usize> = (0..heads.len()).filter(is_filled).collect();
        in_columns(&rows.iter().map(|row| filled.iter().map(|i| row[*i].clone()).collect()).collect::<Vec<Vec<_>>>())
    }
}

/// What holds of every group, and of all together.
fn about_all(
    (names, releases): (&[&str], &[(Release, Option<Region>)]),
    together: &Promise,
    manifold: &dyn Manifold,
    args: &Common,
    radius: Length,
    counted: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, Failure> {
    let Some((first, _)) = releases.first() else { return Ok(vec![]) };
    let line = |name: &str, words: String| (name.to_owned(), words);
    // the ball is the same for all
    let (ball, layout) = (first.ball(), args.input.layout(manifold)?);
    let around = center::around(ball, manifold, &layout, args.center.is_none() && args.ball.is_none());
    let each = |name: &str, words: &dyn Fn(&Release, &Option<Region>) -> Option<String>| {
        of_each(name, names, releases.iter().map(|(release, region)| words(release, region)).collect())
    };
    let mut lines = vec![
        line("space", first.manifold().to_string()),
        line("guarantee", format!("{}, {}, of all groups together", together.guarantee(), together.adjacency())),
    ];
    if let Ok(replaced) = together.guarantee().of_two_steps() {
        lines.push(line("", format!("{replaced}, where one record is replaced by any other, of whatever group")));
    }
    lines.extend(each("mechanism", &|release, _| Some(told_mechanism(release))));
    lines.push(line("ball", format!("radius {}{around}", radius.words(ball.radius()))));
    lines.extend(each("expected error", &|release, _| {
        let how = release.provenance();
        let guess = how.unit.many(how.n_guess.unwrap_or_default());
        Some(format!("on average, the distance to {}, of a group of {guess}", accuracy(release, radius).0))
    }));
    lines.extend(each("bias", &|release, _| accuracy(release, radius).1));
    lines.extend(each("region", &|_, region| {
        let region = region.as_ref()?;
        let about = match region.about {
            RegionCenter::NoisyValue => "the value before denoising (--json tells it)",
            _ => "the value",
        };
        Some(format!("{MEAN} is as near to {about}, {}", region.words()))
    }));
    lines.extend(counted);
    lines.extend(flagged(names, releases).into_iter().map(|flag| line("note", flag)));
    Ok(lines)
}

/// What holds of each group: one line if it is the same for all, else one for each group that has one.
fn of_each(name: &str, names: &[&str], words: Vec<Option<String>>) -> Vec<(String, String)> {
    let is_same = words.windows(2).all(|pair| pair[0] == pair[1]);
    let all = names.iter().zip(words).filter_map(|(group, words)| Some((group, words?)));
    let lines = all.map(|(group, words)| if is_same { words } else { format!("{group}: {words}") });
    let heads = std::iter::once(name).chain(std::iter::repeat(""));
    let most = if is_same { 1 } else { usize::MAX };
    heads.zip(lines.take(most)).map(|(head, words)| (head.to_owned(), words)).collect()
}

/// The flags of all groups, each once, with the groups that have it unless all have.
fn flagged(names: &[&str], releases: &[(Release, Option<Region>)]) -> Vec<String> {
    let mut flags: Vec<Flag> = vec![];
    for flag in releases.iter().flat_map(|(release, _)| release.flags()) {
        if !flags.contains(flag) {
            flags.push(*flag);
        }
    }
    let words = |flag: Flag| {
        let have = names.iter().zip(releases).filter(|(_, (release, _))| release.flags().contains(&flag));
        let have: Vec<&str> = have.map(|(name, _)| *name).collect();
        if have.len() == releases.len() { flag.to_string() } else { format!("{flag} (groups: {})", have.join(", ")) }
    };
    flags.into_iter().map(words).collect()
}

fn told_mechanism(release: &Release) -> String {
    format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))
}

const REPLACE_ONE: &str = "--by: which group a record is in is confidential, and so is how many are in one; give \
                           --adjacency add-remove with --n-guess. All groups together then keep the budget for one \
                           record more or less, and twice that for one record replaced by another";

/// Refuses what does not go with groups, before a file is opened.
fn refuse(args: &Common) -> Result<(), Failure> {
    if args.input.has_persons() {
        return Err("--person does not go with --by: a person may have records in several groups, and there is no \
                    proof for a confidential number of persons"
            .into());
    }
    if args.ball.as_deref() == Some(located::AUTO) {
        return Err(AUTO.into());
    }
    if args.plot.is_some() {
        return Err("--plot does not go with --by: write --output GROUPS.json and draw one group of it, karcher plot \
                    GROUPS.json:GROUP"
            .into());
    }
    match args.neighbours.hide_the_number() {
        true => Ok(()),
        false => Err(REPLACE_ONE.into()),
    }
}

const AUTO: &str = "--ball auto does not go with --by: no ball is located for groups; give --radius";
