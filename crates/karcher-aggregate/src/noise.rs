//! The noise of a batch: a function of the aggregator's secret and of the batch (user guide, F1).
//!
//! Equal batches have equal noise, so an aggregator that lost its journal sends the same bytes again. Different batches
//! have noise that a program without the secret cannot tell from independent noise. A batch is what the sum depends on:
//! the task, and every report with its contents. Its numbers alone would not do. Another report with the number of an
//! honest one would get the same noise, and the difference of both sums would tell the honest report.

use crate::error::Result;
use crate::key::{SecretKey, text};
use crate::task::Task;
use karcher::noise::Generator;
use sha2::{Digest, Sha256};

/// The purposes of derived bytes. If a key draws other noise in a later version, the number has to change: two versions
/// must not add related noise.
const NOISE: &str = "karcher-aggregate noise 1";
const TAG: &str = "karcher-aggregate ledger 1";

/// The key of the noise of a batch, and its tag in a ledger.
pub(crate) struct BatchNoise {
    key: [u8; 32],
    tag: String,
}

impl BatchNoise {
    /// The noise of the aggregator at a place of the task, for reports with these digests.
    pub(crate) fn new(secret: &SecretKey, task: &Task, from: usize, reports: &[[u8; 32]]) -> Result<Self> {
        let draws: Vec<_> = task.round().draws().collect();
        let batch = Sha256::new()
            .chain_update(task.digest())
            .chain_update([from as u8])
            .chain_update((reports.len() as u64).to_le_bytes())
            .chain_update(reports.as_flattened())
            .chain_update(format!("{draws:?}"))
            .finalize();
        let batch: [u8; 32] = batch.into();
        Ok(Self { key: secret.derived(NOISE, &batch)?, tag: text(&secret.derived(TAG, &batch)?) })
    }

    /// The generator of the noise, for this batch alone.
    pub(crate) fn generator(&self) -> Generator {
        Generator::from_key(self.key)
    }

    /// A name of the batch that tells nothing about it.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }
}
