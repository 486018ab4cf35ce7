//! The command `karcher`.
fn main() {}
