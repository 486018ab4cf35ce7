//! What the processes send each other: JSON, in files and by HTTP.

use crate::Outcome;
use karcher::ReleaseSpec;
use karcher_aggregate::{Mode, PublicKey, Task};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// Largest body of a message, in bytes.
pub const LARGEST: u64 = 64 << 20;

/// The public parameters that all parties have.
#[derive(Serialize, Deserialize)]
pub struct Agreed {
    pub spec: ReleaseSpec,
    pub n: usize,
    pub mode: Mode,
    pub name: String,
    /// The public keys of the aggregators. A real reporter has them from a place that it trusts.
    pub keys: [PublicKey; 2],
}

impl Agreed {
    pub fn task(self) -> Outcome<Task> {
        Ok(Task::new(self.spec, self.n, self.mode, self.name, self.keys)?)
    }
}

/// What an aggregator did with the reports of one message.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    pub taken: usize,
    pub unreadable: usize,
    pub of_another_task: usize,
    pub known: usize,
}

/// What a site did.
#[derive(Serialize, Deserialize)]
pub struct Shared {
    pub reports: usize,
    /// Bytes for each aggregator.
    pub bytes: [usize; 2],
    /// Seconds of a processor.
    pub seconds: f64,
}

/// What an aggregator did.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub struct Status {
    pub received: usize,
    pub check_seconds: f64,
    pub add_seconds: f64,
    /// Most memory that was in use, in MiB; not known on all systems.
    pub peak: Option<f64>,
}

/// What the collector has in the end.
#[derive(Serialize, Deserialize)]
pub struct Collected {
    pub reports: usize,
    pub seconds: f64,
    pub value: Vec<f64>,
    pub expected_distance: f64,
    pub findings: Vec<String>,
}

/// What a file holds.
pub fn read<T: DeserializeOwned>(path: &Path) -> Outcome<T> {
    let text = std::fs::read(path).map_err(|error| format!("{} cannot be read ({error})", path.display()))?;
    Ok(serde_json::from_slice(&text)
        .map_err(|error| format!("{} is not what it should be ({error})", path.display()))?)
}

/// Writes a file that is whole or missing, also after a crash.
pub fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let new = path.with_extension("new");
    let written = std::fs::write(&new, bytes)
        .and_then(|()| std::fs::File::open(&new)?.sync_all())
        .and_then(|()| std::fs::rename(&new, path));
    Ok(written.map_err(|error| format!("{} cannot be written ({error})", path.display()))?)
}

/// Sends a message to a process on this machine and returns the answer, with its status.
///
/// A process that does not answer is asked again for ten seconds. All messages may be sent twice.
pub fn send(method: &str, port: &str, path: &str, body: &[u8]) -> Outcome<(u16, Vec<u8>)> {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
    let agent: ureq::Agent = config.timeout_global(Some(Duration::from_secs(3600))).build().into();
    let address = format!("http://127.0.0.1:{port}{path}");
    let once = || {
        let mut answer = match method {
            "GET" => agent.get(&address).call()?,
            _ => agent.post(&address).send(body)?,
        };
        let whole = answer.body_mut().with_config().limit(u64::MAX).read_to_vec()?;
        Ok::<_, ureq::Error>((answer.status().as_u16(), whole))
    };
    let mut last = None;
    for _ in 0..100 {
        match once() {
            Ok(answer) => return Ok(answer),
            Err(error) => last = Some(error),
        }
        sleep(Duration::from_millis(100));
    }
    let reason = last.map(|error| error.to_string()).unwrap_or_default();
    Err(format!("{address} does not answer ({reason})").into())
}

/// The same where any answer but success is an error.
pub fn ask(method: &str, port: &str, path: &str, body: &[u8]) -> Outcome<Vec<u8>> {
    match send(method, port, path, body)? {
        (200, answer) => Ok(answer),
        (status, answer) => {
            Err(format!("port {port} refused {path} ({status}): {}", String::from_utf8_lossy(&answer)).into())
        }
    }
}
