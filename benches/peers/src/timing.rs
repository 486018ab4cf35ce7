//! Times of two or more functions, taken in turns.

use std::time::{Duration, Instant};

/// How often each function is timed, and how long at least.
const RUNS: usize = 15;
const LEAST: Duration = Duration::from_millis(10);

/// The median time of each function, in nanoseconds for each of `rows` rows.
pub fn nanoseconds<const N: usize>(rows: usize, mut work: [&mut dyn FnMut(); N]) -> [f64; N] {
    let repeats = work.each_mut().map(|work| repeats(*work));
    let mut times = [const { Vec::new() }; N];
    for _ in 0..RUNS {
        for ((work, repeats), times) in work.iter_mut().zip(repeats).zip(&mut times) {
            let start = Instant::now();
            (0..repeats).for_each(|_| work());
            times.push(start.elapsed().as_secs_f64() * 1e9 / (repeats * rows) as f64);
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}

/// How often a function runs in [`LEAST`], once at least; the first call warms up.
fn repeats(work: &mut dyn FnMut()) -> usize {
    work();
    let start = Instant::now();
    let mut repeats = 0;
    while start.elapsed() < LEAST {
        work();
        repeats += 1;
    }
    repeats.max(1)
}
