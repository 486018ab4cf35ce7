//! The guide shows code as it is.

use std::path::Path;

#[test]
fn every_line_of_rust_in_the_guide_s_add_a_space_is_in_the_example() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(crate_folder.join(path)).unwrap();
    let (guide, example) = (read("../../docs/add-a-space.md"), read("examples/outside_space.rs"));
    let blocks: Vec<&str> = guide.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        assert!(example.contains(block), "{block}");
    }
}
