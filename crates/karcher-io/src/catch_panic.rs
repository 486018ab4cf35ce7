//! Conversion of other libraries' panics to errors, without output.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns the value of `run`, or `None` if it panics, without printing the panic.
///
/// Readers of file formats assert properties that a damaged file may lack. Other panics of this thread and of other
/// threads are reported as before.
pub(crate) fn catch_panic<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                before(panic);
            }
        }));
    });
    let was_quiet = IS_QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run)); // what it was building is lost with it
    IS_QUIET.set(was_quiet);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_nothing() {
        assert_eq!(catch_panic(|| 1), Some(1));
        assert_eq!(catch_panic(|| -> i32 { panic!("this must not be printed") }), None);
        assert!(!IS_QUIET.get());
    }
}
