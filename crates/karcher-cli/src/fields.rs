//! The options of commands that fill in the fields of a specification, made of the library's table of fields.

use crate::length::{Length, Radii};
use crate::mechanism::chosen;
use crate::options::{Budget, number, space_help};
use crate::predictions::{predictor_value, range_ends};
use crate::{Failure, basis, whole_number};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use karcher::features::{Features, Term};
use karcher::field::{FIELDS, Field, FieldOption, Kind};
use karcher::list::items;
use karcher::release::{Adjacency, StatisticName};
use karcher::sensitivity::Bound;
use karcher::spec::{GroupsSpec, MechanismChoice};
use karcher::{Manifold, PredictorRange, ReleaseSpec, Space};
use serde_json::{Value, json};
use std::any::Any;
use std::ffi::OsString;
use std::marker::PhantomData;
use std::sync::Arc;

/// A command that takes fields as options.
pub trait Takes: 'static {
    /// The statistics that it releases or plans. The sentences of the help are those of the first.
    const STATISTICS: &'static [StatisticName];
    /// The statistics that `--statistic` chooses from, if there is a choice.
    const CHOICES: &'static [StatisticName] = &[];
    /// Options that have to be given.
    const REQUIRED: &'static [&'static str] = &["manifold"];

    /// Whether it takes a field: by default those of its statistics.
    fn takes(field: &Field) -> bool {
        Self::STATISTICS.iter().any(|statistic| field.is_of(*statistic))
    }

    /// The command with what is its own about these options.
    fn adapt(command: Command) -> Command {
        command
    }
}

/// The options that a user gave to a command.
#[derive(Debug)]
pub struct Fields<T>(ArgMatches, PhantomData<T>);

/// The heading of options that have no other.
const OPTIONS: &str = "Options";

/// Fields that are filled in from several options, or by the command itself.
const APART: [&str; 4] = ["statistic", "manifold", "adjacency", "n_guess"];
const OBJECTS_APART: [&str; 3] = ["ball", "budget", "groups"];

/// The fields that a command takes as options.
fn taken<T: Takes>() -> Vec<(&'static Field, &'static FieldOption)> {
    let has_choice = |field: &Field| field.kind != Kind::Statistic || !T::CHOICES.is_empty();
    let taken = FIELDS.iter().filter(|field| T::takes(field) && has_choice(field));
    taken.filter_map(|field| Some((field, field.option.as_ref()?))).collect()
}

impl<T: Takes> Args for Fields<T> {
    fn augment_args(command: Command) -> Command {
        let taken = taken::<T>();
        let names: Vec<&str> = taken.iter().map(|(_, option)| option.name).collect();
        let args = taken.iter().map(|(field, option)| {
            let among = |others: &[&'static str]| -> Vec<&'static str> {
                others.iter().copied().filter(|other| names.contains(other)).collect()
            };
            let help = match field.kind {
                Kind::Space if T::REQUIRED.contains(&option.name) => space_help(),
                _ => without_stop(option.help_of(T::STATISTICS[0])).to_owned(),
            };
            let arg = described(option).help(help).required(T::REQUIRED.contains(&option.name));
            let arg = among(option.needs).into_iter().fold(arg, Arg::requires);
            typed::<T>(arg.conflicts_with_all(among(option.excludes)), field, option)
        });
        T::adapt(command.args(args.collect::<Vec<_>>()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A sentence of the help, which ends without a stop.
fn without_stop(sentence: &str) -> &str {
    sentence.strip_suffix('.').unwrap_or(sentence)
}

/// A statistic as a value of `--statistic`.
pub fn choice(statistic: StatisticName) -> PossibleValue {
    let said = statistic.description();
    PossibleValue::new(said.option).alias(said.name).help(without_stop(said.about))
}

/// An option with its name, heading and default.
pub fn described(option: &FieldOption) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(without_stop(option.help));
    let arg = if option.heading == OPTIONS { arg } else { arg.help_heading(option.heading) };
    let arg = if option.value.is_empty() { arg } else { arg.value_names(option.value.split(' ')) };
    if option.default.is_empty() { arg } else { arg.default_value(option.default) }
}

/// An option with the type of its field.
fn typed<T: Takes>(arg: Arg, field: &Field, option: &FieldOption) -> Arg {
    match field.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Object if option.value.is_empty() => arg.action(ArgAction::SetTrue),
        Kind::Statistic => {
            let choices = T::CHOICES.iter().copied().map(choice);
            arg.default_value(T::CHOICES[0].description().option).value_parser(PossibleValuesParser::new(choices))
        }
        Kind::Space => arg.value_parser(value_parser!(Space)),
        Kind::Length if field.path == "ball.radius" => arg.value_parser(value_parser!(Radii)),
        Kind::Length => arg.value_parser(value_parser!(Length)),
        Kind::Positive | Kind::Probability => arg.value_parser(number),
        Kind::Whole(_, most) => {
            let arg = arg.value_parser(move |text: &str| whole_number::up_to(text, most));
            if field.path == "n_guess" { arg.value_delimiter(',').action(ArgAction::Append) } else { arg }
        }
        Kind::Numbers => arg.value_parser(number).value_delimiter(',').action(ArgAction::Append),
        Kind::Choice(_) => arg.value_parser(PossibleValuesParser::new(possible_values(field.kind))),
        Kind::Mechanism => arg.value_parser(chosen(T::STATISTICS)),
        Kind::Bound => arg.value_parser(value_parser!(Bound)),
        Kind::Range => arg.num_args(2).value_parser(predictor_value),
        Kind::Features => arg.value_parser(value_parser!(Term)).action(ArgAction::Append),
        Kind::Point | Kind::Text | Kind::Texts => arg.allow_hyphen_values(true),
        Kind::Object | Kind::Rows => arg,
        // which no option has
        Kind::Version | Kind::Budget | Kind::Lengths | Kind::Wholes => arg,
    }
}

/// The arguments of a command, with the two ends of a range as two of them: `--range 0,12` is `--range 0 12`.
pub fn with_ends_apart(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_range = |text: &str| {
        let field = text.strip_prefix("--").and_then(Field::of_option);
        field.is_some_and(|field| field.kind == Kind::Range)
    };
    let mut all: Vec<OsString> = vec![];
    for argument in arguments {
        let text = argument.to_str().unwrap_or_default();
        let (option, ends) = match text.split_once('=') {
            Some((option, ends)) if is_range(option) => (Some(option), ends),
            _ => (None, text),
        };
        let is_first = option.is_some() || all.last().and_then(|last| last.to_str()).is_some_and(is_range);
        match ends.split_once(',') {
            Some((low, high)) if is_first => all.extend(option.into_iter().chain([low, high]).map(OsString::from)),
            _ => all.push(argument),
        }
    }
    all
}

/// The names of a choice, each with what it means.
pub fn possible_values(kind: Kind) -> Vec<PossibleValue> {
    let Kind::Choice(names) = kind else { return vec![] };
    names.iter().map(|(name, help)| PossibleValue::new(*name).help(without_stop(help))).collect()
}

impl<T: Takes> FromArgMatches for Fields<T> {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given.clone(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = given.clone();
        Ok(())
    }
}

impl<T: Takes> Fields<T> {
    /// The value of an option, or its default.
    pub fn get<V: Any + Clone + Send + Sync>(&self, option: &str) -> Option<&V> {
        self.0.try_get_one(option).ok().flatten()
    }

    /// The values of an option that has several.
    pub fn all<V: Any + Clone + Send + Sync>(&self, option: &str) -> Vec<V> {
        self.0.try_get_many(option).ok().flatten().map(|all| all.cloned().collect()).unwrap_or_default()
    }

    /// The text of an option.
    pub fn text(&self, option: &str) -> Option<&str> {
        self.get::<String>(option).map(String::as_str)
    }

    /// Whether a flag is set.
    pub fn flag(&self, option: &str) -> bool {
        self.get(option).copied().unwrap_or(false)
    }

    /// Whether a user gave an option.
    pub fn has(&self, option: &str) -> bool {
        let is_known = self.0.try_contains_id(option).is_ok();
        is_known && self.0.value_source(option) == Some(ValueSource::CommandLine)
    }

    /// The fields that a user gave, each with the option. A default that is typed is none.
    pub fn given(&self) -> impl Iterator<Item = (&'static Field, &'static FieldOption)> {
        taken::<T>().into_iter().filter(|(_, option)| self.has(option.name) && !self.is_default(option))
    }

    fn is_default(&self, option: &FieldOption) -> bool {
        let is_same = |text: &str| match (text.trim().parse::<f64>(), option.default.parse::<f64>()) {
            (Ok(one), Ok(other)) => one == other,
            _ => text == option.default,
        };
        let mut texts = self.0.get_raw(option.name).into_iter().flatten();
        !option.default.is_empty() && texts.all(|text| text.to_str().is_some_and(is_same))
    }

    /// The statistic that is chosen.
    pub fn statistic(&self) -> StatisticName {
        let is_named = |statistic: &StatisticName| {
            let said = statistic.description();
            self.text("statistic").is_some_and(|name| name == said.option || name == said.name)
        };
        T::CHOICES.iter().copied().find(is_named).unwrap_or(T::STATISTICS[0])
    }

    /// The name of the space.
    pub fn space(&self) -> Result<&Space, Failure> {
        self.get("manifold")
            .ok_or_else(|| "--manifold is missing: name the space of the records, such as sphere:2".into())
    }

    /// The space.
    pub fn manifold(&self) -> Result<Arc<dyn Manifold>, Failure> {
        Ok(self.space()?.manifold()?)
    }

    /// A length in the space's own unit.
    pub fn length(&self, option: &str) -> Result<Option<f64>, Failure> {
        match self.get::<Length>(option) {
            Some(length) => Ok(Some(length.on(self.space()?, &format!("--{option}"))?)),
            None => Ok(None),
        }
    }

    /// The privacy budget.
    pub fn budget(&self) -> Budget {
        Budget::of(&self.0)
    }

    /// The neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.text("adjacency").and_then(Adjacency::named).unwrap_or_default()
    }

    /// The guesses of the number of records: one, or one for each group.
    pub fn n_guess(&self) -> Vec<usize> {
        self.all("n-guess")
    }

    /// The specification of a statistic, without its ball.
    pub fn spec(&self, statistic: StatisticName) -> Result<ReleaseSpec, Failure> {
        let mut spec = ReleaseSpec::new(statistic, self.budget().guarantee()?);
        self.fill(&mut spec)?;
        Ok(spec)
    }

    /// Fills in what is given, but no ball, budget and statistic.
    pub fn fill(&self, spec: &mut ReleaseSpec) -> Result<(), Failure> {
        spec.manifold = self.get("manifold").cloned();
        if self.text("adjacency").is_some() {
            spec.adjacency = self.adjacency();
        }
        let n_guess = self.n_guess();
        match (self.text("by"), self.text("groups"), &n_guess[..]) {
            (Some(by), Some(groups), _) => spec.groups = Some(GroupsSpec::new(by, groups, &n_guess)?),
            (_, _, []) => {}
            (_, _, [guess]) => spec.n_guess = Some(*guess),
            (_, _, several) => {
                let words = format!("--n-guess has {} numbers: several are for the groups of --by", several.len());
                return Err(words.into());
            }
        }
        let mut all = serde_json::to_value(&*spec)?;
        for (field, option) in self.given() {
            // the command makes a regression of a mean in the span of a basis
            if !field.is_of(spec.statistic) && field.path != "basis" {
                let (name, of, takers) = (option.name, spec.statistic.with_article(), field.takers());
                return Err(format!("--{name} does not go with {of}; it belongs to {takers}").into());
            }
            let object = field.parent().map_or(field.path, |(object, _)| object);
            if APART.contains(&field.path) || OBJECTS_APART.contains(&object) {
                continue;
            }
            let value = self.value(field, option.name)?;
            match field.parent() {
                Some((object, name)) => all[object][name] = value,
                None => all[field.path] = value,
            }
        }
        if all["descent"].is_object() && all["descent"]["records"].is_null() {
            all["descent"]["records"] = all["manifold"].clone();
        }
        *spec = serde_json::from_value(all)?;
        Ok(())
    }

    /// The value of a field as JSON.
    fn value(&self, field: &Field, option: &str) -> Result<Value, Failure> {
        let finite = |number: Option<f64>| match number {
            Some(number) if number.is_finite() => Ok(json!(number)),
            number => {
                Err(Failure::from(format!("--{option} is {}: it must be a finite number", number.unwrap_or(f64::NAN))))
            }
        };
        Ok(match field.kind {
            Kind::Flag => json!(true),
            Kind::Object => json!({}),
            Kind::Length => finite(self.length(option)?)?,
            Kind::Positive | Kind::Probability => finite(self.get(option).copied())?,
            Kind::Whole(..) => json!(self.get::<usize>(option)),
            Kind::Numbers => {
                let numbers = self.all::<f64>(option).into_iter().map(|number| finite(Some(number)));
                Value::Array(numbers.collect::<Result<_, _>>()?)
            }
            Kind::Mechanism => json!(self.get::<MechanismChoice>(option)),
            Kind::Bound => json!(self.get::<Bound>(option)),
            Kind::Range => match self.all::<f64>(option)[..] {
                [low, high] => {
                    let (low, high) = range_ends(low, high);
                    json!(PredictorRange::new(low, high)?)
                }
                _ => return Err(format!("--{option}: give its lower and its upper end").into()),
            },
            Kind::Features => json!(Features::new(self.all::<Term>(option))?),
            Kind::Rows => {
                let what = if field.path == "basis" { "a tangent vector" } else { "a point" };
                let file = self.text(option).unwrap_or_default();
                json!(basis::rows(&format!("--{option}"), file, what, &*self.manifold()?)?)
            }
            Kind::Space => json!(self.get::<Space>(option)),
            Kind::Texts => {
                let items = items(self.text(option).unwrap_or_default()).map_err(|why| format!("--{option}: {why}"))?;
                json!(items.into_iter().map(|item| item.text).collect::<Vec<_>>())
            }
            Kind::Choice(_) | Kind::Text | Kind::Point | Kind::Statistic => json!(self.text(option)),
            Kind::Version | Kind::Budget | Kind::Lengths | Kind::Wholes => Value::Null,
        })
    }
}
