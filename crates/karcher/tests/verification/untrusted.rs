//! Verification of any JSON ends without a panic.

use super::bases::{bases, count, findings};
use super::edits::leaves;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The bases with the ways to their leaves.
static BASES: LazyLock<Vec<(&str, Value, Vec<String>)>> = LazyLock::new(|| {
    let with_leaves = |base: super::bases::Base| {
        let mut all = vec![];
        leaves(&base.json, String::new(), &mut all);
        (base.name, base.json, all)
    };
    bases().into_iter().chain([count()]).map(with_leaves).collect()
});

/// What takes the place of a leaf.
fn planted() -> impl Strategy<Value = Value> {
    let numbers = [0.0, -1.0, 0.5, 1e-320, 1e-300, 1e-12, 1e12, 1e300, f64::MAX, -f64::MAX].map(|x| json!(x));
    let integers = [0, 1, 2, 3, 1_000, 1 << 40, u64::MAX].map(|x| json!(x));
    let names = ["", "pure", "gaussian", "laplace", "kng", "chart", "two-stage", "locate", "auto", "exact", "any"];
    let others = ["sphere:2", "euclidean:1", "hyperbolic:9", "no such space", "person", "add-remove", "0.1.0", "ball"];
    let texts = names.into_iter().chain(others).map(|text| json!(text)).collect::<Vec<_>>();
    let rest = [json!(null), json!(true), json!(false), json!([]), json!({})];
    prop_oneof![
        3 => prop::sample::select(numbers.to_vec()),
        2 => prop::sample::select(integers.to_vec()),
        2 => prop::sample::select(texts),
        1 => prop::sample::select(rest.to_vec()),
        3 => any::<f64>().prop_map(|x| json!(x)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_edit_ends_in_findings_and_not_in_a_panic(
        base in 0..BASES.len(), edits in prop::collection::vec((any::<prop::sample::Index>(), planted()), 1..4),
    ) {
        let (name, json, leaves) = &BASES[base];
        let mut edited = json.clone();
        for (at, value) in edits {
            if let Some(part) = edited.pointer_mut(&leaves[at.index(leaves.len())]) {
                *part = value;
            }
        }
        findings(name, &edited);
    }
}
