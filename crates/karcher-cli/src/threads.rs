//! The threads that work is shared among.

use rayon::ThreadPoolBuilder;
use std::num::NonZero;

/// As much stack as a program's first thread usually has.
const STACK: usize = 8 << 20;

/// Does the work with `RAYON_NUM_THREADS` threads, by default and at most one for each processor; on the current thread
/// alone where the system gives no others. Results do not depend on how many there are.
pub fn with_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
    let threads = asked.filter(|&asked: &usize| asked > 0).map_or(processors, |asked| asked.min(processors));
    let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build());
    match pool {
        Some(Ok(pool)) => pool.install(work),
        _ => {
            // a pool of one, this thread, that lives while the work is done
            let _alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            work()
        }
    }
}
