//! Work in threads of its own, whose result R asks for.
//!
//! An interrupt asks a job to stop before it counts a release in a ledger. Later it ends in threads for which no caller
//! waits, and its result, a release too, is thrown away unseen. Each job has its own threads: a process that R forks
//! starts its own.

use crate::failure::Failure;
use crate::tree::{json_of, robj_of};
use crate::{ledger, picture, plan, predict, release};
use extendr_api::prelude::*;
use karcher::Key;
use rayon::ThreadPoolBuilder;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Once};
use std::time::Duration;

/// Numbers of the records, row after row, of their predictors or covariates, and of their persons or groups.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Records.
    pub records: Vec<f64>,
    /// One number a record, or one for each covariate.
    pub predictors: Option<Vec<f64>>,
    /// The number of the person, from 0 without gaps, or of the group.
    pub keys: Option<Vec<u64>>,
    /// Whether the caller was interrupted.
    pub is_interrupted: Arc<AtomicBool>,
}

type Outcome = std::result::Result<Value, Failure>;

/// A call that was started, and whether it was interrupted.
struct Job(Receiver<Outcome>, Arc<AtomicBool>);

/// Starts a call with public arguments and the numbers of records.
/// @noRd
#[extendr]
fn job_start(action: &str, request: Robj, records: Robj, predictors: Robj, keys: Robj) -> Robj {
    match start(action, &request, [records, predictors, keys]) {
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

/// Asks a call to stop, if it has counted nothing yet.
/// @noRd
#[extendr]
fn job_interrupt(job: Robj) {
    if let Ok(job) = ExternalPtr::<Job>::try_from(job) {
        job.1.store(true, Ordering::SeqCst);
    }
}

/// The keys that texts are, in one form for all that are equal; an empty text for what is missing.
/// @noRd
#[extendr]
fn keys(texts: Vec<String>) -> Vec<String> {
    texts.iter().map(|text| Key::of(text).map(|key| key.to_string()).unwrap_or_default()).collect()
}

extendr_module! {
    mod job;
    fn keys;
    fn job_start;
    fn job_poll;
    fn job_interrupt;
}

fn start(action: &str, request: &Robj, [records, predictors, keys]: [Robj; 3]) -> std::result::Result<Job, Failure> {
    let work = match action {
        "release" => release::release,
        "groups" => release::groups,
        "plan" => plan::plan,
        "specification" => plan::specified,
        "statistics" => plan::statistics,
        "calibrate" => plan::calibrate,
        "compose" => plan::compose,
        "caveats" => plan::caveats,
        "predict" => predict::predict,
        "ledger" => ledger::ledger,
        "report" => ledger::report,
        "picture" => picture::of_release,
        "plan_picture" => picture::of_plan,
        _ => return Err(defect()),
    };
    let (request, vector) = (json_of(request)?, |given: &Robj| given.as_real_slice().map(<[f64]>::to_vec));
    let keys = vector(&keys).map(|numbers| numbers.into_iter().map(|x| x as u64).collect());
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let numbers = Numbers {
        records: vector(&records).unwrap_or_default(),
        predictors: vector(&predictors),
        keys,
        is_interrupted: Arc::clone(&is_interrupted),
    };
    let (send, receive) = sync_channel(1);
    keep_panics_silent();
    let threads = whole(&request, "n_jobs")?.map_or(0, |threads| usize::try_from(threads).unwrap_or(0));
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::new(format!("the system starts no thread for karcher ({error})")))?;
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&request, &numbers)));
        let _ = send.send(done.unwrap_or_else(|_| Err(defect()))); // to no one after an interrupt
    });
    Ok(Job(receive, is_interrupted))
}

/// A whole number from 0 on, if one is given.
pub fn whole(request: &Value, name: &str) -> std::result::Result<Option<u64>, Failure> {
    match &request[name] {
        Value::Null => Ok(None),
        given => match given.as_f64().filter(|x| x.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(x)) {
            Some(number) => Ok(Some(number as u64)),
            None => Err(Failure::new(format!("{name} is {given}: expected a whole number from 0 on"))),
        },
    }
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
