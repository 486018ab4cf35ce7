//! Results of slow functions of public numbers, kept for the whole process: all releases of a setting ask for the same.
//!
//! Only laws, sizes, sensitivities, scales and budgets belong here, never what depends on a record: how long a call
//! takes tells whether its arguments were asked for before.

use std::collections::VecDeque;
use std::sync::{Mutex, TryLockError};

/// The latest results, with what they were asked for.
///
/// ```
/// use karcher_privacy::{Error, remembered::Remembered};
/// static SQUARES: Remembered<u32, u32> = Remembered::new();
/// let square = |x: u32| SQUARES.or_compute(x, || Ok::<_, Error>(x * x));
/// assert_eq!((square(3)?, square(3)?), (9, 9));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Remembered<K, V>(Mutex<VecDeque<(K, V)>>);

/// More results than this are not kept: the oldest one is forgotten.
pub(crate) const MOST: usize = 64;

impl<K: PartialEq, V: Clone> Remembered<K, V> {
    /// Nothing yet.
    #[must_use]
    #[allow(clippy::new_without_default)] // for statics
    pub const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// The result that is remembered, or else is computed now. No thread waits for another one, which a fork of the
    /// process may have left without its lock: it computes the result itself.
    ///
    /// # Errors
    /// As for the function, whose errors are not kept.
    pub fn or_compute<E>(&self, asked: K, compute: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if let Some(known) = self.with(|kept| kept.iter().find(|(of, _)| *of == asked).map(|(_, v)| v.clone())) {
            return Ok(known);
        }
        let computed = compute()?;
        self.with(|kept| {
            if kept.len() >= MOST {
                kept.pop_front();
            }
            kept.push_back((asked, computed.clone()));
            Some(())
        });
        Ok(computed)
    }

    fn with<T>(&self, act: impl FnOnce(&mut VecDeque<(K, V)>) -> Option<T>) -> Option<T> {
        match self.0.try_lock() {
            Ok(mut kept) => act(&mut kept),
            Err(TryLockError::Poisoned(kept)) => act(&mut kept.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_result_is_computed_once_until_it_is_forgotten() {
        let (kept, computed) = (Remembered::new(), Cell::new(0));
        let twice = |x: usize| {
            let compute = || {
                computed.set(computed.get() + 1);
                Ok::<_, ()>(2 * x)
            };
            kept.or_compute(x, compute).unwrap()
        };
        for x in (0..MOST).chain(0..MOST) {
            assert_eq!(twice(x), 2 * x);
        }
        assert_eq!(computed.get(), MOST);
        assert_eq!((twice(MOST), twice(1), computed.get()), (2 * MOST, 2, MOST + 1));
        assert_eq!((twice(0), computed.get()), (0, MOST + 2)); // the oldest one
        assert_eq!(kept.0.lock().unwrap().len(), MOST);
    }

    #[test]
    fn errors_are_not_kept() {
        let kept = Remembered::new();
        assert_eq!(kept.or_compute(1, || Err::<i32, _>("no")), Err("no"));
        assert_eq!(kept.or_compute(1, || Ok::<_, &str>(7)), Ok(7));
    }

    #[test]
    fn a_lock_that_is_held_stops_nobody() {
        let kept = Remembered::new();
        let held = kept.0.lock().unwrap();
        assert_eq!(kept.or_compute(1, || Ok::<_, ()>(7)), Ok(7));
        assert!(held.is_empty());
    }
}
