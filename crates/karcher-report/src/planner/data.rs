//! The numbers of the page, as JSON that its script reads.

use super::readings::table;
use super::{BallPicture, Planner, PlannerAxis};
use karcher::facts::numbers::four_digits_up;
use serde_json::{Value, json};

impl Planner {
    /// The numbers, in JSON without a character that ends an element of HTML.
    ///
    /// Each mechanism has a list of errors, with four digits, and one of notes. A point without an error has −1 − i,
    /// where i is the place of the reason in the list of sentences; a note is a place in the same list.
    pub(super) fn data(&self) -> String {
        let mut sentences = vec![String::new()];
        let mut place_of = |sentence: &str| {
            sentences.iter().position(|known| known == sentence).unwrap_or_else(|| {
                sentences.push(sentence.to_owned());
                sentences.len() - 1
            })
        };
        let mut mechanisms = vec![];
        for mechanism in &self.mechanisms {
            let (mut errors, mut notes) = (vec![], vec![]);
            for point in &mechanism.errors {
                let (error, note) = match point {
                    Ok(point) => (json!(four_digits(point.error)), place_of(&point.note)),
                    Err(reason) => (json!(-1 - place_of(reason) as i64), 0),
                };
                errors.push(error);
                notes.push(note);
            }
            mechanisms.push(json!({ "name": mechanism.name, "errors": errors, "notes": notes }));
        }
        let picture = match self.picture {
            BallPicture::Globe => "globe",
            BallPicture::Disc => "disc",
            BallPicture::None => "none",
        };
        let best: Vec<i64> = self.best.iter().map(|best| best.map_or(-1, |place| place as i64)).collect();
        let start = self.start.as_ref().map(|start| json!({ "options": start.options, "spaces": table(&start.space) }));
        let data = json!({
            "unit": self.unit, "unitSize": self.unit_size, "axes": self.axes.each_ref().map(axis),
            "mechanisms": mechanisms, "best": best, "sentences": sentences, "command": self.command,
            "python": self.python, "picture": picture, "start": start,
        });
        data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    }
}

fn axis(axis: &PlannerAxis) -> Value {
    json!({
        "name": axis.name, "values": axis.values, "words": axis.words, "options": axis.options,
        "python": axis.python, "planned": axis.planned,
    })
}

/// A positive number of four digits that is not smaller; 0 stays.
pub(super) fn four_digits(x: f64) -> f64 {
    if x > 0.0 { four_digits_up(x) } else { x }
}
