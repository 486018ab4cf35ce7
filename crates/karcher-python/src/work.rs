//! Work on whole arrays: in threads of this process, without the GIL, and so that Ctrl-C is heard at once.
//!
//! The thread that calls from Python only waits, and asks for signals while it does. What is interrupted cannot be
//! stopped from outside: it ends in threads without a caller, and its result, a release too, is thrown away unseen.
//!
//! Work on few numbers is done by the thread that calls: to wake another would take longer.
//!
//! Calls share a pool of threads. A call that waits for Python on its way has a pool of its own: Python may call this
//! package again, and would wait for the threads that wait for it.

use crate::arrays::Array;
use crate::error::Failure;
use numpy::{Element, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// How often Python is asked for signals.
const POLL: Duration = Duration::from_millis(50);

/// The largest number of threads for each core that can be asked for: more only wait for one another.
const THREADS_A_CORE: usize = 8;

/// Operations that take less time than to wake another thread, and with one thread alone, less than anybody waits for.
const QUICK: f64 = 1e5;
const QUICK_ALONE: f64 = 1e6;

/// Whether the caller still waits for the result.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Ends the work here, by unwinding, once no caller waits for it.
    pub fn check(&self) {
        if self.0.load(Ordering::Relaxed) {
            // no panic message: nothing is wrong
            resume_unwind(Box::new("interrupted"));
        }
    }
}

/// Whose threads a call works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// Those of all calls. The work never waits for Python code.
    Shared,
    /// Those of a pool that no other call has meanwhile. The work may wait for Python code, which may call this package.
    Own,
}

/// `work` on the numbers of the arrays, in this process's threads and without the GIL. It never waits for Python code.
///
/// # Errors
/// Those of `work`; `KeyboardInterrupt`, or the exception of another signal handler, as soon as there is one. There is
/// a sentence where the system gives no thread. There is one for a panic, whose message could hold numbers of the
/// records.
pub fn run<const N: usize, R: Send + 'static>(
    py: Python<'_>,
    arrays: [Array; N],
    work: impl FnOnce([&[f64]; N], &Interrupt) -> Result<R, Failure> + Send + 'static,
) -> Result<R, Failure> {
    run_in(Threads::Shared, py, arrays, work)
}

/// [`run`] in threads that are shared or not.
pub fn run_in<const N: usize, R: Send + 'static>(
    whose: Threads,
    py: Python<'_>,
    arrays: [Array; N],
    work: impl FnOnce([&[f64]; N], &Interrupt) -> Result<R, Failure> + Send + 'static,
) -> Result<R, Failure> {
    let (pool, interrupt) = (take(whose)?, Interrupt::default());
    let (send, receive) = sync_channel(1);
    let (watched, said) = (interrupt.clone(), THREADS.get());
    pool.spawn(move || {
        THREADS.set(said); // for calls of this package by Python code that is called here
        let on_arrays = |values: &[&[f64]]| work(std::array::from_fn(|i| values[i]), &watched);
        let done = catch_unwind(AssertUnwindSafe(|| on_values(arrays, on_arrays)));
        let _ = send.send(done); // nobody waits after an interrupt
    });
    let receive = Mutex::new(receive); // which makes it one that another thread may look at, as `detach` asks for
    loop {
        let wait = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL);
        match py.detach(wait) {
            Ok(Ok(result)) => {
                give_back(whose, pool);
                return result;
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(defect()),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                interrupt.0.store(true, Ordering::Relaxed);
                abandon(&pool);
            })?,
        }
    }
}

/// What is said of a panic.
fn defect() -> Failure {
    let sentence = "an internal check failed: this is a defect of karcher, please report the call (not the records)";
    Failure::Sentence(sentence.to_owned())
}

/// `work` on the numbers of the arrays, which are given back while the GIL is held.
pub fn on_values<T: Element, R: Send>(
    arrays: impl IntoIterator<Item = Array<T>>,
    work: impl FnOnce(&[&[T]]) -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    let mut arrays = arrays.into_iter().peekable();
    if arrays.peek().is_none() {
        return work(&[]);
    }
    Python::attach(|py| {
        let arrays: Vec<_> = arrays.map(|array| array.bind(py)).collect();
        let views = arrays.iter().map(|array| array.try_readonly()).collect::<Result<Vec<_>, _>>();
        let views = views.map_err(PyErr::from)?;
        let values = views.iter().map(|view| view.as_slice()).collect::<Result<Vec<_>, _>>().map_err(PyErr::from)?;
        py.detach(|| work(&values))
    })
}

/// [`run`] where the result is the numbers of a new array, which the work writes where NumPy holds them. (NumPy asks
/// the system for large pages, which are filled twice as fast.)
pub fn fill<const N: usize>(
    py: Python<'_>,
    arrays: [Array; N],
    out: &Bound<'_, PyArrayDyn<f64>>,
    work: impl FnOnce([&[f64]; N], &mut [f64], &Interrupt) -> Result<(), Failure> + Send + 'static,
) -> Result<(), Failure> {
    let out = out.clone().unbind();
    run(py, arrays, move |values, interrupt| {
        Python::attach(|py| {
            let out = out.into_bound(py);
            let mut view = out.try_readwrite().map_err(PyErr::from)?;
            let numbers = view.as_slice_mut().map_err(PyErr::from)?;
            py.detach(|| work(values, numbers, interrupt))
        })
    })
}

/// [`fill`] by the thread that calls, where `cost` is small: operations, about. `None` where it is not. The work shares
/// itself with no other thread.
pub fn fill_here<const N: usize, R: Send>(
    arrays: [&Array; N],
    out: &Bound<'_, PyArrayDyn<f64>>,
    cost: f64,
    work: impl FnOnce([&[f64]; N], &mut [f64]) -> R + Send,
) -> Result<Option<R>, Failure> {
    if cost > if threads() > 1 { QUICK } else { QUICK_ALONE } {
        return Ok(None);
    }
    let py = out.py();
    let views = arrays.iter().map(|array| array.borrow(py)).collect::<Result<Vec<_>, _>>().map_err(PyErr::from)?;
    let values = views.iter().map(|view| view.as_slice()).collect::<Result<Vec<_>, _>>().map_err(PyErr::from)?;
    let mut view = out.try_readwrite().map_err(PyErr::from)?;
    let numbers = view.as_slice_mut().map_err(PyErr::from)?;
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(std::array::from_fn(|i| values[i]), numbers))));
    done.map(Some).map_err(|_| defect())
}

/// The threads that a process started, by the number that was asked for: a pool that calls share, and one that waits
/// for a call that needs its own.
struct Pools {
    process: u32,
    shared: BTreeMap<usize, Arc<ThreadPool>>,
    idle: BTreeMap<usize, Arc<ThreadPool>>,
}

impl Pools {
    /// Those of this process. A forked child inherits the parent's pools but none of their threads, so it starts its
    /// own.
    fn here(slot: &mut Option<Pools>) -> &mut Self {
        let process = std::process::id();
        if slot.as_ref().is_some_and(|pools| pools.process != process) {
            // to drop the parent's pools would be to talk to threads that are not there
            std::mem::forget(slot.take());
        }
        slot.get_or_insert_with(|| Pools { process, shared: BTreeMap::new(), idle: BTreeMap::new() })
    }
}

/// Locked only with the GIL held, which a fork needs too: no child inherits it locked.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

thread_local! {
    /// How many threads the calls of this thread of Python's take, where an estimator says so.
    static THREADS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Says how many threads the calls of this thread of Python's take from now on: so many, at most eight a core, or, for
/// `None`, as many as `RAYON_NUM_THREADS` says. Returns what was said before.
#[pyfunction]
#[pyo3(signature = (count))]
pub fn set_threads(count: Option<usize>) -> Option<usize> {
    THREADS.replace(count)
}

/// Threads for a call.
fn take(whose: Threads) -> Result<Arc<ThreadPool>, Failure> {
    let mut slot = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let (pools, count) = (Pools::here(&mut slot), threads());
    let there = match whose {
        Threads::Shared => pools.shared.get(&count).cloned(),
        Threads::Own => pools.idle.remove(&count),
    };
    if let Some(pool) = there {
        return Ok(pool);
    }
    let pool = Arc::new(start(count)?);
    if whose == Threads::Shared {
        pools.shared.insert(count, pool.clone());
    }
    Ok(pool)
}

/// Keeps the threads of a call that had its own for the next one, unless others are kept already.
fn give_back(whose: Threads, pool: Arc<ThreadPool>) {
    if whose == Threads::Own {
        let mut slot = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        Pools::here(&mut slot).idle.entry(pool.current_num_threads()).or_insert(pool);
    }
}

/// To ask the system takes longer than most calls.
static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// As many threads as are asked for, by the caller or by `RAYON_NUM_THREADS`; else one a core.
fn threads() -> usize {
    let cores = *CORES;
    let everywhere = || std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let asked = THREADS.get().or_else(everywhere).filter(|n| *n > 0);
    asked.unwrap_or(cores).min(THREADS_A_CORE * cores)
}

/// So many threads; fewer where the system gives fewer.
fn start(mut threads: usize) -> Result<ThreadPool, Failure> {
    loop {
        match ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("karcher-{i}")).build() {
            Ok(pool) => return Ok(pool),
            Err(_) if threads > 1 => threads /= 2,
            Err(error) => {
                return Err(Failure::Sentence(format!(
                    "the system starts no thread for karcher ({error}): it needs one; raise the limit of processes \
                     (ulimit -u) or of the container"
                )));
            }
        }
    }
}

/// Leaves the threads to what they are doing: the next call starts others.
fn abandon(pool: &Arc<ThreadPool>) {
    let mut slot = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pools) = &mut *slot {
        pools.shared.retain(|_, current| !Arc::ptr_eq(current, pool));
    }
}
