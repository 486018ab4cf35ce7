//! A descent that a specification asks for.

use crate::Space;
use serde::{Deserialize, Serialize};

/// Steps of noisy gradient descent on a user's loss. The gradient itself is a function of a program, which no specification
/// holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descent {
    /// The space of the records.
    pub records: Space,
    /// Length to which the gradient of each record is clipped.
    pub clip: f64,
    /// The size of each step.
    pub step_sizes: Vec<f64>,
    /// What the loss is, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
}
