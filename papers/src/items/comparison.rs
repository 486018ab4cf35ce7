//! Distances of several methods over the number of records, which fall like `1/n`.

use crate::figure::{Axis, Figure, Line, Panel};
use crate::table::{Measured, Table};

/// Measured distances of `M` methods.
pub struct Comparison<const M: usize> {
    methods: [&'static str; M],
    repetitions: usize,
    /// Of each method, over `n`.
    pub measured: [Vec<Measured>; M],
    /// All of them.
    pub table: Table,
}

impl<const M: usize> Comparison<M> {
    /// Of these methods, without measurements.
    pub fn new(methods: [&'static str; M]) -> Self {
        let table = Table::new(&["n", "method", "mean distance", "standard deviation"]);
        Self { methods, repetitions: 0, measured: [const { vec![] }; M], table }
    }

    /// Adds the distances found with `n` records, in each repetition one of each method.
    pub fn push(&mut self, n: usize, distances: &[[f64; M]]) {
        self.repetitions = distances.len();
        for (method, (name, line)) in self.methods.iter().zip(&mut self.measured).enumerate() {
            let values: Vec<f64> = distances.iter().map(|distances| distances[method]).collect();
            let at = Measured::new(n as f64, &values);
            self.table.push(&[&n, name, &at.mean, &at.deviation]);
            line.push(at);
        }
    }

    /// `n` times the mean distance, averaged over `n`.
    pub fn times_n(&self) -> [f64; M] {
        std::array::from_fn(|method| {
            let line = &self.measured[method];
            line.iter().map(|m| m.x * m.mean).sum::<f64>() / line.len() as f64
        })
    }

    /// Distances over `n`, and `n` times them, with bands of two standard errors.
    pub fn figure(&self, title: &str) -> Figure {
        let width = 2.0 / (self.repetitions as f64).sqrt();
        let named = || self.methods.iter().zip(&self.measured).enumerate();
        let distances = Panel {
            title: title.to_owned(),
            x: Axis::logarithmic("n"),
            y: Axis::logarithmic("mean distance to the true mean"),
            lines: named().map(|(i, (name, line))| Line::measured(*name, i, line, width)).collect(),
        };
        let times_n = Panel {
            title: title.to_owned(),
            x: Axis::logarithmic("n"),
            y: Axis::linear("n × mean distance"),
            lines: named().map(|(i, (_, line))| Line::times_x("", i, line, width)).collect(),
        };
        Figure::row(vec![distances, times_n])
    }
}
