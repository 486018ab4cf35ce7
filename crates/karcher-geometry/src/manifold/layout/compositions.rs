//! Names of the parts of a composition: their units, and totals among them.

use super::fit::{Columns, Fit};
use super::tokens::runs;

/// What parts are measured in. Units of different measures are no multiples of one another.
#[derive(Clone, Copy, PartialEq)]
enum Measure {
    /// A share of the whole, of any kind.
    Share,
    ShareOfMass,
    ShareOfAmount,
    ShareOfVolume,
    MassPerVolume,
    AmountPerVolume,
    ChargePerVolume,
    Mass,
    Time,
    Energy,
}

/// A unit: how many of it are one of the largest unit of its measure.
#[derive(Clone, Copy, PartialEq)]
struct Unit {
    measure: Measure,
    in_one: f64,
}

#[rustfmt::skip]
const UNITS: &[(Measure, f64, &[&str])] = &[
    (Measure::Share, 1.0, &["fraction", "frac", "proportion", "prop", "share"]),
    (Measure::Share, 1e2, &["percent", "pct", "perc", "percentage", "prozent", "pourcent"]),
    (Measure::Share, 1e3, &["permil", "permille", "promille"]),
    (Measure::Share, 1e6, &["ppm"]),
    (Measure::Share, 1e9, &["ppb"]),
    (Measure::ShareOfMass, 1.0, &["gg", "kgkg", "massfraction"]),
    (Measure::ShareOfMass, 1e2, &["wtpercent", "weightpercent", "masspercent"]),
    (Measure::ShareOfMass, 1e2, &["wtpct", "weightpct", "masspct", "g100g", "wtperc"]),
    (Measure::ShareOfMass, 1e3, &["gkg", "mgg"]),
    (Measure::ShareOfMass, 1e6, &["mgkg", "ugg", "µgg", "μgg", "mcgg", "gt", "wtppm", "ppmw", "ppmwt"]),
    (Measure::ShareOfMass, 1e9, &["ugkg", "µgkg", "μgkg", "mcgkg", "ngg", "mgt", "ppbw"]),
    (Measure::ShareOfMass, 1e12, &["ngkg", "pgg"]),
    (Measure::ShareOfAmount, 1.0, &["molmol", "molfraction", "molefraction"]),
    (Measure::ShareOfAmount, 1e2, &["molpercent", "molepercent", "molarpercent", "molpct"]),
    (Measure::ShareOfAmount, 1e2, &["atpercent", "atompercent", "atomicpercent", "atpct"]),
    (Measure::ShareOfAmount, 1e3, &["mmolmol"]),
    (Measure::ShareOfAmount, 1e6, &["umolmol", "µmolmol", "μmolmol"]),
    (Measure::ShareOfVolume, 1e2, &["volpercent", "volumepercent", "volpct", "vvpercent"]),
    (Measure::ShareOfVolume, 1e3, &["mll"]),
    (Measure::ShareOfVolume, 1e6, &["ppmv", "ppmvol"]),
    (Measure::ShareOfVolume, 1e9, &["ppbv"]),
    (Measure::ShareOfVolume, 1e12, &["pptv"]),
    (Measure::MassPerVolume, 1.0, &["gl", "mgml", "kgm3"]),
    (Measure::MassPerVolume, 1e2, &["mgdl"]),
    (Measure::MassPerVolume, 1e3, &["mgl", "ugml", "µgml", "μgml", "gm3"]),
    (Measure::MassPerVolume, 1e6, &["ugl", "µgl", "μgl", "mcgl", "ngml", "mgm3"]),
    (Measure::MassPerVolume, 1e9, &["ngl", "pgml", "ugm3", "µgm3", "μgm3"]),
    (Measure::MassPerVolume, 1e12, &["pgl", "ngm3"]),
    (Measure::AmountPerVolume, 1.0, &["moll", "mmolml"]),
    (Measure::AmountPerVolume, 1e3, &["mmoll", "molm3", "umolml"]),
    (Measure::AmountPerVolume, 1e6, &["umoll", "µmoll", "μmoll", "nmolml"]),
    (Measure::AmountPerVolume, 1e9, &["nmoll"]),
    (Measure::ChargePerVolume, 1.0, &["eql"]),
    (Measure::ChargePerVolume, 1e3, &["meql"]),
    (Measure::ChargePerVolume, 1e6, &["ueql", "µeql", "μeql"]),
    (Measure::Mass, 1.0, &["kg", "kilogram", "kilograms"]),
    (Measure::Mass, 1e3, &["gram", "grams"]),
    (Measure::Mass, 1e6, &["mg", "milligram", "milligrams"]),
    (Measure::Mass, 1e9, &["ug", "µg", "μg", "mcg", "microgram", "micrograms"]),
    (Measure::Mass, 1e12, &["ng"]),
    (Measure::Time, 1.0, &["day", "days"]),
    (Measure::Time, 24.0, &["hour", "hours", "hr", "hrs"]),
    (Measure::Time, 1440.0, &["minute", "minutes", "min", "mins"]),
    (Measure::Time, 86400.0, &["second", "seconds", "sec", "secs"]),
    (Measure::Energy, 1.0, &["kcal"]),
    (Measure::Energy, 4.184, &["kj"]),
];

/// Units that are written behind a word without a space: `Srppm`.
const JOINED: [&str; 4] = ["ppm", "ppb", "pct", "percent"];

/// Words of a total, and words that may stand next to one.
const TOTALS: [&str; 10] = ["total", "totals", "tot", "sum", "subtotal", "σ", "summe", "gesamt", "somme", "suma"];
const NEXT_TO_TOTALS: [&str; 18] = [
    "of",
    "all",
    "the",
    "grand",
    "row",
    "overall",
    "oxides",
    "oxide",
    "ox",
    "parts",
    "part",
    "majors",
    "elements",
    "components",
    "wt",
    "weight",
    "mass",
    "mol",
];

impl Columns {
    /// The fit of columns that are no parts of one whole in one unit; those in places `free` may be in any.
    pub(super) fn of_mixed_parts(&self, columns: std::ops::Range<usize>, free: &[usize]) -> Option<Fit> {
        let totals: Vec<usize> = columns.clone().filter(|&i| is_total(&self.tokens[i])).collect();
        if !totals.is_empty() {
            return Some(Fit { strangers: totals, ..Fit::without_order(0, "the parts alone".to_owned()) });
        }
        let given = columns.filter(|i| !free.contains(i));
        let units: Vec<(usize, Option<Unit>)> = given.map(|i| (i, unit_of(&self.tokens[i]))).collect();
        let said = || units.iter().filter_map(|(i, unit)| Some((*i, (*unit)?)));
        let largest = said().map(|(_, unit)| unit).min_by(|a, b| a.in_one.total_cmp(&b.in_one))?;
        let is_mixed = said().any(|(_, unit)| unit != largest);
        let is_multiple = |a: Unit, b: Unit| a.measure == b.measure || a.is_any_share_of(b) || b.is_any_share_of(a);
        let are_multiples = said().all(|(_, a)| said().all(|(_, b)| is_multiple(a, b)));
        // percent may be left out of names, but not of some only when others are traces
        let lacks_one = said().count() < units.len() && largest.is_share() && largest.in_one > 1e3;
        match (is_mixed, are_multiples) {
            (true, true) => {
                let others = said().filter(|(_, unit)| unit.in_one != largest.in_one);
                let factors: Vec<_> = others.map(|(i, unit)| (i, largest.in_one / unit.in_one)).collect();
                (!factors.is_empty()).then(|| Fit { factors, ..Fit::default() })
            }
            (true, false) => Some(in_one_unit()),
            (false, _) => lacks_one.then(in_one_unit),
        }
    }
}

fn in_one_unit() -> Fit {
    Fit { remedy: Some("convert all parts to one unit".to_owned()), ..Fit::default() }
}

impl Unit {
    /// Whether it is a share of any kind, and the other one of a certain kind.
    fn is_any_share_of(self, other: Self) -> bool {
        self.measure == Measure::Share && other.is_share()
    }

    fn is_share(self) -> bool {
        match self.measure {
            Measure::Share | Measure::ShareOfMass | Measure::ShareOfAmount | Measure::ShareOfVolume => true,
            Measure::MassPerVolume | Measure::AmountPerVolume | Measure::ChargePerVolume => false,
            Measure::Mass | Measure::Time | Measure::Energy => false,
        }
    }
}

/// The unit behind a name, by the most of its words: `Mg` alone is magnesium.
fn unit_of(name: &[String]) -> Option<Unit> {
    let unit = |is_it: &dyn Fn(&str) -> bool| {
        let found = UNITS.iter().find(|(.., words)| words.iter().any(|word| is_it(word)));
        found.map(|(measure, in_one, _)| Unit { measure: *measure, in_one: *in_one })
    };
    let behind = name.get(1..).filter(|behind| !behind.is_empty()).unwrap_or(name);
    let known = runs(behind).filter_map(|(n, run)| Some((n, unit(&|word| word == run)?)));
    let joined = || {
        let ends = |word: &&str| name.iter().any(|token| token.len() > word.len() && token.ends_with(*word));
        JOINED.iter().find(|word| ends(word)).and_then(|found| unit(&|word| word == *found))
    };
    known.max_by_key(|(n, _)| *n).map(|(_, unit)| unit).or_else(joined)
}

/// Whether a name says the total of the parts, and nothing else: `Total (wt%)`, not `Total Fe`.
fn is_total(name: &[String]) -> bool {
    let is_unit = |token: &str| UNITS.iter().any(|(.., words)| words.contains(&token));
    let is_one = |token: &String| TOTALS.contains(&token.as_str());
    let is_next = |token: &String| NEXT_TO_TOTALS.contains(&token.as_str()) || is_unit(token);
    name.iter().any(is_one) && name.iter().all(|token| is_one(token) || is_next(token))
}
