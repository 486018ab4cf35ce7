//! Records in memory, preprocessed for a mechanism.

use super::{ExactSum, Observations, PreparedRecords, Preprocessing, Records, SumQuery};
use crate::Space;
use crate::error::Result;
use crate::points::{Points, PointsView};

impl Observations<'_> {
    /// A preprocessed copy.
    pub(super) fn held<'s>(&self, view: Preprocessing) -> Result<PreparedRecords<'s>> {
        let predictors = view.predictors_of(self)?;
        let points = view.centered.records(self.points, view.clip);
        let numbers = predictors.map(|predictors| predictors.iter().map(|x| view.number(*x)).collect());
        Ok(PreparedRecords::held(points, numbers))
    }
}

impl Records for Observations<'_> {
    fn space(&self) -> &Space {
        self.points.space()
    }

    fn count(&self) -> usize {
        self.points.len()
    }

    fn has_predictors(&self) -> Option<bool> {
        Some(self.predictors().is_some())
    }

    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>> {
        self.held(view)
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        query.answer(*self)
    }
}

impl Records for PointsView<'_> {
    fn space(&self) -> &Space {
        PointsView::space(*self)
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn has_predictors(&self) -> Option<bool> {
        Some(false)
    }

    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>> {
        Observations::new(*self).held(view)
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        query.answer(Observations::new(*self))
    }
}

impl Records for Points {
    fn space(&self) -> &Space {
        self.view().space()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn has_predictors(&self) -> Option<bool> {
        Some(false)
    }

    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>> {
        Observations::new(self).held(view)
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        query.answer(Observations::new(self))
    }
}
