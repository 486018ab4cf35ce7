//! Ctrl-C, and other requests to end: nothing half-written stays behind.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io::IsTerminal;

/// Lets signals that ask the program to end remove files that are not complete.
pub fn clean_up_when_interrupted() {
    let ignored = ignored_signals();
    let signals = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&signal| ignored >> (signal - 1) & 1 == 0);
    // Without a handler the program still ends. It may leave a file behind, with a name that no other program uses.
    let Ok(mut signals) = Signals::new(signals) else { return };
    // nor where the system gives no thread
    let _ = std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            karcher_io::remove_unfinished();
            show_cursor();
            let _ = emulate_default_handler(signal); // ends the program
        }
    });
}

/// A question of `karcher start` hides the cursor of a terminal.
fn show_cursor() {
    if std::io::stderr().is_terminal() {
        let _ = dialoguer::console::Term::stderr().show_cursor();
    }
}

/// One bit a signal: what `nohup`, or a shell that runs something in the background, wants to be ignored stays so.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // if the system does not report it, a hangup is ignored
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(1 << (SIGHUP - 1))
}
