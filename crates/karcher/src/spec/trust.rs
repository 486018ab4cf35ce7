//! Who has to be honest for a guarantee.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The parties that add up records and add the noise, where no single one is trusted with the sum.
///
/// ```
/// use karcher::spec::Trust;
/// assert_eq!(serde_json::to_string(&Trust::OneOfTwo)?, r#""one of two aggregators""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trust {
    /// Two aggregators; one of them has to be honest, because the noise of each is enough (user guide, F1).
    #[serde(rename = "one of two aggregators")]
    OneOfTwo,
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trust::OneOfTwo => f.write_str("one of two aggregators"),
        }
    }
}
