//! Records in memory, as a mechanism is given them.

use super::{Observations, Question, Records, Seen, Total, View};
use crate::Space;
use crate::error::Result;
use crate::points::{Points, PointsView};

impl Observations<'_> {
    /// A copy as a mechanism sees them.
    pub(super) fn held<'s>(&self, view: View) -> Result<Seen<'s>> {
        let predictors = view.predictors_of(self)?;
        let points = view.centered.records(self.points, view.clip);
        let numbers = predictors.map(|predictors| predictors.iter().map(|x| view.number(*x)).collect());
        Ok(Seen::held(points, numbers))
    }
}

impl Records for Observations<'_> {
    fn space(&self) -> &Space {
        self.points.space()
    }

    fn count(&self) -> usize {
        self.points.len()
    }

    fn seen(&self, view: View) -> Result<Seen<'_>> {
        self.held(view)
    }

    fn answer(&self, question: &Question) -> Result<Total> {
        question.answer(*self)
    }
}

impl Records for PointsView<'_> {
    fn space(&self) -> &Space {
        PointsView::space(*self)
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn seen(&self, view: View) -> Result<Seen<'_>> {
        Observations::new(*self).held(view)
    }

    fn answer(&self, question: &Question) -> Result<Total> {
        question.answer(Observations::new(*self))
    }
}

impl Records for Points {
    fn space(&self) -> &Space {
        self.view().space()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn seen(&self, view: View) -> Result<Seen<'_>> {
        Observations::new(self).held(view)
    }

    fn answer(&self, question: &Question) -> Result<Total> {
        question.answer(Observations::new(self))
    }
}
