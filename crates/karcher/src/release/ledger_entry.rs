//! The entry of a ledger that counts a release.

use serde::{Deserialize, Serialize};

/// The entry of a release in the ledger that counted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The ledger's random name.
    pub ledger: String,
    /// The number of the entry in it, from 1.
    pub entry: u64,
}
