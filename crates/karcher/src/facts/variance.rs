//! The facts of a Fréchet variance.

use super::numbers::short;
use super::{Fact, Numbers, Of, spread};
use crate::release::PrivateVariance;

pub(super) fn facts(of: &Of<'_>, variance: &PrivateVariance) -> Vec<Fact> {
    let (root, between) = (variance.root_mean_square, variance.root_mean_square_interval);
    let mut facts = vec![
        Fact::answer("private spread", spread::root_mean_square(of, root, between))
            .with("mean_square", Numbers::One(variance.mean_square.value))
            .with_interval("root_mean_square", root, between),
        Fact::answer("mean square", short(variance.mean_square.value)),
    ];
    facts.extend(of.promise());
    facts.extend(of.expected_error(false));
    facts.push(spread::cut_off(of, variance.clip));
    facts.extend(variance.uniform.map(|uniform| spread::uniform(of, uniform)));
    facts.extend(of.noise(""));
    facts.push(of.ball());
    facts.extend(variance.consistent_with_uniform.then(spread::scattered));
    facts
}
