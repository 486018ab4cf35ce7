//! The entry of a ledger that counts a release.

use serde::{Deserialize, Serialize};

/// Where a release stands in the books of whoever counts what was spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The ledger's own name, which it got at random.
    pub ledger: String,
    /// The number of the entry in it, from 1.
    pub entry: u64,
}
