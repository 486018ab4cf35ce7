//! The chain of hashes through the lines of a ledger: a line that is changed, left out, put in or moved breaks it.

use sha2::{Digest, Sha256};

/// The hash before the first line.
pub const START: &str = "";

/// `SHA-256(hash before ‖ number ‖ time ‖ event ‖ content)`, each with its length, so that no two lines agree.
pub fn link(before: &str, number: i64, time: &str, event: &str, content: &str) -> String {
    let mut hash = Sha256::new();
    for part in [before, &number.to_string(), time, event, content] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_have_other_hashes() {
        let lines = [("1", "a", "b"), ("1", "ab", ""), ("1a", "b", ""), ("", "1a", "b")];
        let mut hashes: Vec<_> =
            lines.iter().map(|(time, event, content)| link(START, 1, time, event, content)).collect();
        hashes.push(link(START, 2, "1", "a", "b"));
        hashes.push(link("1", 1, "1", "a", "b"));
        let all = hashes.len();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }

    /// By Python's hashlib.
    #[test]
    fn hash_is_that_of_another_program() {
        let hash = link(START, 1, "2026-11-22T00:00:00Z", "new", "{}");
        assert_eq!(hash, "f4df6d3a1f625a08f4034034fd5bc20a033f8935f7e1aec279af71dd25cb7a3b");
    }
}
