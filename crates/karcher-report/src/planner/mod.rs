//! A page on which a person tries radii, numbers of records and budgets.

mod data;
mod page;
mod readings;

/// Everything that the page shows. All of it is public, and was computed beforehand on a grid: the page neither computes
/// nor interpolates an error.
#[derive(Debug, Clone)]
pub struct Planner {
    /// The statistic and the space.
    pub title: String,
    /// The meaning of the errors.
    pub error: String,
    /// The unit of the errors, in words.
    pub unit: String,
    /// The size of that unit, in the unit of the space.
    pub unit_size: f64,
    /// The radius, the number of records and the budget. An axis with one value has no slider.
    pub axes: [PlannerAxis; 3],
    /// The mechanisms, with an error for each point of the grid.
    pub mechanisms: Vec<PlannedMechanism>,
    /// The mechanism with the smallest error at each point of the grid, by its place in the list.
    pub best: Vec<Option<usize>>,
    /// The command without what the axes add to it.
    pub command: String,
    /// The call in Python before and after what the axes add to it, if there is one.
    pub python: Option<[String; 2]>,
    /// The picture of the ball.
    pub picture: BallPicture,
    /// How `karcher start` begins such a plan with a file, if it can.
    pub start: Option<PlannedStart>,
}

/// What `karcher start` takes for the plan of a page.
#[derive(Debug, Clone)]
pub struct PlannedStart {
    /// The space of the plan.
    pub space: karcher::Space,
    /// The options of its statistic and its ball, without what the axes add to them.
    pub options: String,
}

/// One axis of the grid.
#[derive(Debug, Clone, Default)]
pub struct PlannerAxis {
    /// Its name: `Radius of the ball`.
    pub name: String,
    /// Its values, in increasing order.
    pub values: Vec<f64>,
    /// Each value in words: `radius 0.9`.
    pub words: Vec<String>,
    /// The options of the command for each value.
    pub options: Vec<String>,
    /// The arguments in Python for each value.
    pub python: Vec<String>,
    /// The planned value, by its place in the list.
    pub planned: usize,
}

/// The errors of one mechanism on the grid. The budget runs fastest, the radius slowest.
#[derive(Debug, Clone)]
pub struct PlannedMechanism {
    /// Its name.
    pub name: String,
    /// Its error at each point, or why there is none.
    pub errors: Vec<std::result::Result<PlannedError, String>>,
}

/// An expected error.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedError {
    /// The error.
    pub error: f64,
    /// A restriction that a reader has to know, or nothing.
    pub note: String,
}

/// The form of a ball on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BallPicture {
    /// A cap on a globe.
    Globe,
    /// A disc.
    Disc,
    /// None: nothing is clipped.
    None,
}

impl Planner {
    /// The place of a point in the lists of errors.
    pub fn place(&self, [radius, n, budget]: [usize; 3]) -> usize {
        let [_, of_n, of_budget] = &self.axes;
        (radius * of_n.values.len() + n) * of_budget.values.len() + budget
    }

    /// The point that was planned.
    pub fn planned(&self) -> [usize; 3] {
        self.axes.each_ref().map(|axis| axis.planned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use sha2::{Digest, Sha256};

    fn planner(reason: &str) -> Planner {
        let axis = |name: &str, values: &[f64]| PlannerAxis {
            name: name.to_owned(),
            values: values.to_vec(),
            words: values.iter().map(|x| format!("{name} {x}")).collect(),
            options: values.iter().map(|x| format!("--{name} {x}")).collect(),
            python: values.iter().map(|x| format!("{name}={x}")).collect(),
            planned: values.len() - 1,
        };
        let known = |error: f64| Ok(PlannedError { error, note: reason.to_owned() });
        Planner {
            title: reason.to_owned(),
            error: "distance".to_owned(),
            unit: "km".to_owned(),
            unit_size: 1.0,
            axes: [axis("radius", &[1.0]), axis("n", &[10.0, 20.0]), axis("epsilon", &[1.0, 2.0])],
            mechanisms: vec![PlannedMechanism {
                name: "chart".to_owned(),
                errors: vec![known(0.123451), known(2.0), Err(reason.to_owned()), known(5.5e-7)],
            }],
            best: vec![Some(0), Some(0), None, Some(0)],
            command: "karcher plan".to_owned(),
            python: None,
            picture: BallPicture::Disc,
            start: Some(PlannedStart { space: karcher::Space::named("sphere:2"), options: reason.to_owned() }),
        }
    }

    #[test]
    fn markup_in_a_sentence_stays_text() {
        let bad = "</script><script>alert(1)</script><!-- & \"";
        let page = planner(bad).page();
        assert_eq!(page.matches("<script").count(), 2);
        assert!(!page.contains("alert(1)</script>") && !page.contains("<!--"), "{page}");
        let (_, data) = page.split_once("id=\"plan\">").unwrap();
        let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(data["sentences"], serde_json::json!(["", bad]));
    }

    #[test]
    fn errors_are_rounded_up_and_reasons_are_places_of_sentences() {
        let data: serde_json::Value = serde_json::from_str(&planner("why").data()).unwrap();
        assert_eq!(data["mechanisms"][0]["errors"], serde_json::json!([0.1235, 2.0, -2, 5.5e-7]));
        assert_eq!(data["best"], serde_json::json!([0, 0, -1, 0]));
        let planner = planner("why");
        assert_eq!((planner.planned(), planner.place([0, 1, 0])), ([0, 1, 1], 2));
    }

    #[test]
    fn only_the_script_of_the_page_may_run_and_nothing_is_fetched() {
        let page = planner("why").page();
        let (_, rest) = page.rsplit_once("<script>").unwrap();
        let hash =
            base64::engine::general_purpose::STANDARD.encode(Sha256::digest(rest.split_once("</script>").unwrap().0));
        let policy = format!("content=\"default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; ");
        assert!(page.contains(&policy), "{policy}");
        assert!(!page.contains("src=") && !page.contains("href=") && !page.contains(" style="), "{page}");
    }
}
