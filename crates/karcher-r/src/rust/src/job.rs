//! Work in threads of its own, whose result R asks for.
//!
//! What is interrupted cannot be stopped from outside. It ends in threads for which no caller waits, and its result, a
//! release too, is thrown away unseen. Each job has its own threads: a process that R forks starts its own.

use crate::failure::Failure;
use crate::tree::{json_of, robj_of};
use crate::{ledger, plan, predict, release};
use extendr_api::prelude::*;
use rayon::ThreadPoolBuilder;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Numbers of the records, row after row, of their predictors or covariates, and of their persons.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Records.
    pub records: Vec<f64>,
    /// One number a record, or one for each covariate.
    pub predictors: Option<Vec<f64>>,
    /// The number of the person, from 0 without gaps.
    pub persons: Option<Vec<u64>>,
}

type Outcome = std::result::Result<Value, Failure>;

/// A call that was started.
struct Job(Receiver<Outcome>);

/// Starts a call with public arguments and the numbers of records.
/// @noRd
#[extendr]
fn job_start(action: &str, request: Robj, records: Robj, predictors: Robj, persons: Robj) -> Robj {
    match start(action, &request, [records, predictors, persons]) {
        Ok(job) => ExternalPtr::new(job).into(),
        Err(failure) => told(Err(failure)),
    }
}

/// The result of a call, or `NULL` if there is none within so many milliseconds.
/// @noRd
#[extendr]
fn job_poll(job: Robj, milliseconds: i32) -> Robj {
    let wait = Duration::from_millis(u64::from(milliseconds.unsigned_abs()));
    let Ok(job) = ExternalPtr::<Job>::try_from(job) else { return told(Err(defect())) };
    match job.0.recv_timeout(wait) {
        Ok(outcome) => told(outcome),
        Err(RecvTimeoutError::Timeout) => ().into(),
        Err(RecvTimeoutError::Disconnected) => told(Err(defect())),
    }
}

extendr_module! {
    mod job;
    fn job_start;
    fn job_poll;
}

fn start(action: &str, request: &Robj, [records, predictors, persons]: [Robj; 3]) -> std::result::Result<Job, Failure> {
    let work = match action {
        "release" => release::release,
        "specification" => release::specification,
        "plan" => plan::plan,
        "calibrate" => plan::calibrate,
        "compose" => plan::compose,
        "predict" => predict::predict,
        "ledger" => ledger::ledger,
        "report" => ledger::report,
        "coastlines" => ledger::coastlines,
        _ => return Err(defect()),
    };
    let (request, vector) = (json_of(request)?, |given: &Robj| given.as_real_slice().map(<[f64]>::to_vec));
    let persons = vector(&persons).map(|numbers| numbers.into_iter().map(|x| x as u64).collect());
    let numbers = Numbers { records: vector(&records).unwrap_or_default(), predictors: vector(&predictors), persons };
    let (send, receive) = sync_channel(1);
    keep_panics_silent();
    let threads = request["n_jobs"].as_u64().map_or(0, |threads| usize::try_from(threads).unwrap_or(0));
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::new(format!("the system starts no thread for karcher ({error})")))?;
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&request, &numbers)));
        let _ = send.send(done.unwrap_or_else(|_| Err(defect()))); // to no one after an interrupt
    });
    Ok(Job(receive))
}

/// A panic's message could hold numbers of records.
fn keep_panics_silent() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

fn defect() -> Failure {
    Failure::new("an internal check failed: this is a defect of karcher, please report the call (not the records)")
}

/// An outcome as R takes it apart.
fn told(outcome: Outcome) -> Robj {
    robj_of(&match outcome {
        Ok(value) => json!({"ok": value}),
        Err(Failure { sentence, class }) => json!({"error": sentence, "class": class}),
    })
}
