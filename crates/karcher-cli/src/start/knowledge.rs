//! What only the user knows: who is protected, what is released, where records lie, how many there are, the budget.

use super::forecast::{Forecast, own_command};
use super::header::Header;
use super::questions::{Question, Questions};
use super::readings::Reading;
use super::{Args, File};
use crate::Failure;
use crate::length::Length;
use crate::options::{Budget, number};
use crate::whole_number;
use clap::ValueEnum;
use karcher::Manifold;

/// What is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Purpose {
    /// The mean.
    Mean,
    /// The mean, and how far records lie from it.
    MeanAndSpread,
    /// The geometric median, which a few extreme records hardly move.
    Median,
}

/// Where records lie.
#[derive(Clone)]
enum Place {
    /// Most of them in this ball.
    Ball { center: Option<String>, radius: String },
    /// Anywhere.
    Anywhere,
    /// All within this distance of the center, most of them in an unknown smaller ball.
    Within { center: Option<String>, within: String, spread: String },
}

/// What only the user knows.
pub struct Knowledge {
    person: Option<String>,
    purpose: Purpose,
    place: Place,
    n: usize,
    budget: Budget,
}

const PERSONS: Question = Question {
    asks: "How many records does one person have?",
    help: "The guarantee protects all that the file holds about one person. If a person has several rows, name the \
           column that says whose they are, such as a patient's number.",
    options: "--one-record-each or --person COLUMN",
};

const WHOSE: Question = Question {
    asks: "Which column says whose record it is?",
    help: "Its content is compared and never published.",
    options: "--person COLUMN",
};

const PURPOSE: Question = Question {
    asks: "What do you want to publish?",
    help: "Each release spends its budget. A mean with its spread is one release, whose spread costs a quarter of the \
           budget. Regressions have a command of their own, karcher regress.",
    options: "--statistic",
};

const PLACE: Question = Question {
    asks: "What do you know about where records lie, without looking at them?",
    help: "Less noise is needed if most records lie in a small ball that you know from the field or from public data. \
           Records outside are moved to its edge. For example, fatal accidents in France lie within 600km of 46.5,2.5; \
           diffusion tensors in mm²/s, times 1000, lie within 2 of the identity.",
    options: "--center and --radius, --anywhere, or --within and --expected-spread",
};

const CENTER: Question = Question {
    asks: "Center of the ball:",
    help: "A point in the layout of a record, such as 25,80 for 25° N 80° E. Nothing takes the origin of the space, \
           where it has one: the identity matrix, the zero vector. It must not be computed from these records.",
    options: "--center",
};

const RADIUS: Question = Question {
    asks: "Distance from the center within which most records lie:",
    help: "A number in the unit of the space (radians for directions), or with a unit: 20deg, 600km.",
    options: "--radius",
};

const WITHIN: Question = Question {
    asks: "Distance from the center that no record exceeds:",
    help: "It may be generous: a smaller ball is located in it with a part of the budget.",
    options: "--within",
};

const SPREAD: Question = Question {
    asks: "How far from their mean are records, about?",
    help: "A guess for the forecast alone; the release does not depend on it.",
    options: "--expected-spread",
};

const N: Question = Question {
    asks: "How many records, or persons, are there, about?",
    help: "For the forecast. The error falls as their number grows: 1e4 is ten thousand.",
    options: "--n",
};

const DEFINITION: Question = Question {
    asks: "Which kind of budget?",
    help: "ε bounds how much more likely any published result becomes by one person: e^ε times. μ is the Gaussian kind, \
           which composes exactly and needs less noise in many dimensions: telling one person's presence is as hard as \
           telling two bell curves apart whose centers are μ apart.",
    options: "--epsilon, with --delta if need be, or --mu",
};

const EPSILON: Question =
    Question { asks: "ε:", help: "0.1 is strict, 1 is usual, above 3 is weak.", options: "--epsilon" };

const MU: Question = Question { asks: "μ:", help: "0.3 is strict, 1 is usual, above 2 is weak.", options: "--mu" };

const CHANGE: Question = Question {
    asks: "Go on with it?",
    help: "No budget is spent before you release, so try other numbers.",
    options: "--n and a budget",
};

impl Knowledge {
    /// What options say, and the answers to the other questions. Each is checked before the next one.
    pub fn of(
        args: &Args,
        header: &Header<'_>,
        (file, reading): (&File, &Reading),
        questions: &Questions,
    ) -> Result<Self, Failure> {
        let person = match (&args.person, args.one_record_each) {
            (Some(column), _) => {
                header.check(reading, Some(column))?;
                Some(column.clone())
            }
            (None, true) => None,
            (None, false) => persons(header, reading, questions)?,
        };
        let purpose = args.statistic.map_or_else(|| purpose(questions), Ok)?;
        let sought = Sought { file, reading, person: person.as_deref(), purpose };
        let place = match (&args.radius, &args.within, args.anywhere) {
            (_, _, true) => Place::Anywhere,
            (Some(radius), ..) => Place::Ball { center: args.center.clone(), radius: radius.clone() },
            (_, Some(within), _) => {
                let spread = args.expected_spread.clone().unwrap_or_default();
                spread_on(&*reading.manifold, &spread)?;
                Place::Within { center: args.center.clone(), within: within.clone(), spread }
            }
            _ => place(&sought, args.center.as_ref(), questions)?,
        };
        sought.check(&place)?;
        let n = match (args.n, header.records()) {
            (Some(n), _) => positive(n)?,
            (None, Some(records)) if person.is_none() => records,
            _ => questions.typed(&N, |text| positive(whole_number::records(text)?))?,
        };
        let given = &args.budget;
        let budget = if given.is_given() { Budget { ..*given } } else { budget(questions)? };
        budget.guarantee()?;
        Ok(Self { person, purpose, place, n, budget })
    }

    /// Asks whether to go on with it; if not, asks for what is to change.
    pub fn is_changed(&mut self, (file, reading): (&File, &Reading), questions: &Questions) -> Result<bool, Failure> {
        if !questions.can_ask() {
            return Ok(false);
        }
        let answers = ["yes", "another budget", "another number of records", "another place", "another purpose"];
        match questions.choice(&CHANGE, &answers)? {
            1 => self.budget = budget(questions)?,
            2 => self.n = questions.typed(&N, |text| positive(whole_number::records(text)?))?,
            3 => {
                let sought = Sought { file, reading, person: self.person.as_deref(), purpose: self.purpose };
                self.place = place(&sought, None, questions)?;
            }
            4 => {
                self.purpose = purpose(questions)?;
                let sought = Sought { file, reading, person: self.person.as_deref(), purpose: self.purpose };
                if let Err(reason) = sought.check(&self.place) {
                    questions.say(&format!("\n{reason}"));
                    self.place = place(&sought, None, questions)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether no ball would do for what is released.
    pub fn may_lie_anywhere(&self) -> bool {
        self.purpose.check(&Place::Anywhere).is_ok()
    }

    /// The options of the budget.
    fn budget(&self) -> Vec<String> {
        let Budget { epsilon, delta, mu, rho } = self.budget;
        let given = [("--epsilon", epsilon), ("--delta", delta), ("--mu", mu), ("--rho", rho)];
        let given = given.into_iter().filter_map(|(option, number)| Some([option.to_owned(), number?.to_string()]));
        given.flatten().collect()
    }

    /// The option of the persons' keys.
    pub fn persons(&self) -> Vec<String> {
        self.person.iter().map(|column| format!("--person={column}")).collect()
    }

    /// The command that releases it.
    pub fn release(&self, file: &File, reading: &Reading) -> Vec<String> {
        let sought = Sought { file, reading, person: self.person.as_deref(), purpose: self.purpose };
        [sought.release(&self.place), self.budget()].concat()
    }

    /// The command that plans it.
    pub fn plan(&self, reading: &Reading) -> Vec<String> {
        let n = vec!["--n".to_owned(), self.n.to_string()];
        [vec!["plan".to_owned()], reading.space(), self.purpose.options(), self.place.options(false), n, self.budget()]
            .concat()
    }

    /// A sentence that states it in a protocol.
    pub fn sentence(&self, forecast: &Forecast, reading: &Reading) -> String {
        let noun = match (self.purpose, &self.place) {
            (Purpose::Mean, Place::Anywhere) => "the private extrinsic mean",
            (Purpose::Mean, Place::Ball { .. } | Place::Within { .. }) => "the private mean",
            (Purpose::MeanAndSpread, _) => "the private mean and the spread",
            (Purpose::Median, _) => "the private geometric median",
        };
        let unit = if self.person.is_some() { "persons" } else { "records" };
        let ball = match &self.place {
            Place::Anywhere => String::new(),
            Place::Ball { center, radius } => format!(
                " Records farther than {radius} from {} count as moved to the edge of that ball, which was fixed \
                 without looking at them.",
                center.as_deref().unwrap_or("the origin of the space")
            ),
            Place::Within { within, .. } => {
                format!(" A ball that holds most records is located within {within} with a part of the budget.")
            }
        };
        let space = format!("{}, space {}", reading.about(), reading.manifold.space());
        let budget = self.budget.guarantee().map(|budget| budget.to_string()).unwrap_or_default();
        format!(
            "We will publish {noun} of about {} {unit} ({space}) with {budget}.{ball} The expected error by the noise is \
             {}, by karcher {}.",
            self.n,
            forecast.told,
            env!("CARGO_PKG_VERSION")
        )
    }
}

impl Purpose {
    /// Refuses a place that does not go with it, in the words of these questions.
    fn check(self, place: &Place) -> Result<(), Failure> {
        match (self, place) {
            (Self::MeanAndSpread, Place::Anywhere) => {
                Err("a spread needs a ball: answer with --radius or --within, or leave out the spread".into())
            }
            (Self::Median, Place::Within { .. }) => {
                Err("a ball is located for means only: answer with --radius or --anywhere, or take a mean".into())
            }
            (Self::Mean | Self::MeanAndSpread | Self::Median, _) => Ok(()),
        }
    }

    fn options(self) -> Vec<String> {
        match self {
            Self::Mean => vec![],
            Self::MeanAndSpread => vec!["--spread".to_owned()],
            Self::Median => vec!["--statistic".to_owned(), "median".to_owned()],
        }
    }
}

impl Place {
    /// The options of the ball. A plan depends on no center; a release does not depend on the guess of the spread.
    fn options(&self, is_release: bool) -> Vec<String> {
        let option = |name: &str, value: &str| vec![name.to_owned(), value.to_owned()];
        let centered = |center: &Option<String>| match center {
            Some(center) if is_release => vec![format!("--center={center}")],
            _ => vec![],
        };
        match self {
            Self::Anywhere => vec![],
            Self::Ball { center, radius } => [centered(center), option("--radius", radius)].concat(),
            Self::Within { center, within, spread } => {
                let guess = if is_release { vec![] } else { option("--expected-spread", spread) };
                [centered(center), option("--ball", "auto"), option("--within", within), guess].concat()
            }
        }
    }
}

/// A release without its ball and its budget.
struct Sought<'a> {
    file: &'a File,
    reading: &'a Reading,
    person: Option<&'a str>,
    purpose: Purpose,
}

impl Sought<'_> {
    /// The command that releases it, without a budget.
    fn release(&self, place: &Place) -> Vec<String> {
        let Self { file, reading, person, purpose } = self;
        let begin = vec!["mean".to_owned(), file.operand()];
        let persons = person.iter().map(|column| format!("--person={column}")).collect();
        let of_file = [reading.columns(), file.options.clone(), reading.space(), persons];
        [begin, of_file.concat(), purpose.options(), place.options(true)].concat()
    }

    /// Refuses a ball that the command refuses, whatever the budget.
    fn check(&self, place: &Place) -> Result<(), Failure> {
        self.purpose.check(place)?;
        let any = ["--epsilon=1", "--spec-only"].map(str::to_owned);
        own_command(&[&self.release(place)[..], &any].concat()).map(drop)
    }
}

fn persons(header: &Header<'_>, reading: &Reading, questions: &Questions) -> Result<Option<String>, Failure> {
    if questions.choice(&PERSONS, &["one", "several"])? == 0 {
        return Ok(None);
    }
    let checked = |column: &str| header.check(reading, Some(column)).map_err(|error| error.to_string());
    let is_free = |name: &&String| checked(name).is_ok();
    let mut columns: Vec<&String> = header.names().iter().take(MOST_KEYS).filter(is_free).collect();
    // a name such as patient_id comes first
    columns.sort_by_key(|name| !KEYS.iter().any(|word| name.to_lowercase().contains(word)));
    Ok(Some(match columns.is_empty() {
        true => questions.typed(&WHOSE, |text| checked(text).map(|()| text.to_owned()))?,
        false => columns[questions.choice(&WHOSE, &columns)?].clone(),
    }))
}

/// The most columns among which that of the keys is looked for.
const MOST_KEYS: usize = 100;
/// Parts of the names of columns that say whose a record is.
const KEYS: [&str; 8] = ["id", "subject", "participant", "patient", "person", "user", "respondent", "animal"];

fn purpose(questions: &Questions) -> Result<Purpose, Failure> {
    let all = Purpose::value_variants();
    let said = all.iter().filter_map(|one| one.to_possible_value()?.get_help().map(ToString::to_string));
    Ok(all[questions.choice(&PURPOSE, &said.collect::<Vec<_>>())?])
}

/// What is known of a place.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ball,
    Within,
    Anywhere,
}

/// A radius that suits every center.
const SMALL: &str = "1e-3";

fn place(sought: &Sought<'_>, given: Option<&String>, questions: &Questions) -> Result<Place, Failure> {
    let manifold = &*sought.reading.manifold;
    let within = Place::Within { center: None, within: String::new(), spread: String::new() };
    let mut answers = vec![(Kind::Ball, "most lie in a ball that I know")];
    if sought.purpose.check(&within).is_ok() {
        answers.push((Kind::Within, "all lie in a wide ball; locate a smaller one privately"));
    }
    if manifold.diameter().is_finite() && sought.purpose.check(&Place::Anywhere).is_ok() {
        answers.push((Kind::Anywhere, "nothing: they may lie anywhere"));
    }
    let words: Vec<&str> = answers.iter().map(|(_, words)| *words).collect();
    let checked = |place: Place| sought.check(&place).map(|()| place).map_err(|error| error.to_string());
    let chosen = loop {
        match answers[questions.choice(&PLACE, &words)?].0 {
            Kind::Anywhere => match checked(Place::Anywhere) {
                Ok(place) => return Ok(place),
                Err(reason) => questions.say(&format!("\n{reason}; choose another")),
            },
            chosen => break chosen,
        }
    };
    let ball = |center: Option<&str>, radius: &str| Place::Ball {
        center: center.map(str::to_owned),
        radius: radius.to_owned(),
    };
    let center = match given {
        Some(center) => Some(center.clone()),
        None => questions.typed(&CENTER, |text| {
            let center = Some(text).filter(|text| !text.is_empty());
            checked(ball(center, SMALL)).map(|_| center.map(str::to_owned))
        })?,
    };
    if chosen == Kind::Ball {
        return questions.typed(&RADIUS, |text| checked(ball(center.as_deref(), text)));
    }
    let of = |within: &str, spread: &str| Place::Within {
        center: center.clone(),
        within: within.to_owned(),
        spread: spread.to_owned(),
    };
    let within = questions.typed(&WITHIN, |text| checked(of(text, "")).map(|_| text.to_owned()))?;
    let spread = questions.typed(&SPREAD, |text| match spread_on(manifold, text) {
        Ok(()) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    })?;
    Ok(of(&within, &spread))
}

/// Refuses a guess of the spread that is no distance of the space.
fn spread_on(manifold: &dyn Manifold, text: &str) -> Result<(), Failure> {
    let spread = text.parse::<Length>().map_err(|error| format!("--expected-spread: {error}"))?;
    match spread.on(manifold.space(), "--expected-spread")? {
        spread if spread > 0.0 && spread.is_finite() => Ok(()),
        _ => Err("--expected-spread: expected a positive distance".into()),
    }
}

/// A number of records that is not 0.
fn positive(n: usize) -> Result<usize, String> {
    if n == 0 { Err("the number of records must be positive".to_owned()) } else { Ok(n) }
}

fn budget(questions: &Questions) -> Result<Budget, Failure> {
    let none = Budget { epsilon: None, delta: None, mu: None, rho: None };
    let positive = |text: &str| match number(text)? {
        positive if positive > 0.0 && positive.is_finite() => Ok(positive),
        _ => Err("a budget is a positive number".to_owned()),
    };
    Ok(match questions.choice(&DEFINITION, &["ε, pure differential privacy", "μ, Gaussian differential privacy"])? {
        0 => Budget { epsilon: Some(questions.typed(&EPSILON, positive)?), ..none },
        _ => Budget { mu: Some(questions.typed(&MU, positive)?), ..none },
    })
}
