//! Integers modulo the prime of Prio3's field.

use karcher::noise::Integer;
use prio::field::{Field128, FieldElementWithInteger};

/// The prime, above 2¹²⁷.
fn prime() -> Integer {
    Integer::from(Field128::modulus())
}

/// An integer of any size as an element of the field.
pub(crate) fn element(integer: &Integer) -> Field128 {
    let rest = integer % prime();
    let rest = if rest < Integer::ZERO { rest + prime() } else { rest };
    Field128::from(u128::try_from(rest).unwrap_or_default()) // it is below the prime, which is below 2¹²⁸
}

/// The integer nearest to 0 that an element stands for.
pub(crate) fn integer(element: Field128) -> Integer {
    let number = Integer::from(u128::from(element));
    if &number + &number > prime() { number - prime() } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_add_up_modulo_the_prime(a in any::<i128>(), b in any::<i128>(), far in 0_u32..300) {
            let (a, b) = (Integer::from(a >> 3), Integer::from(b >> 3));
            prop_assert_eq!(integer(element(&a)), a.clone());
            prop_assert_eq!(integer(element(&a) + element(&b)), &a + &b);
            let wide = (Integer::from(1) << far as usize) + &a;
            prop_assert_eq!((integer(element(&wide)) - wide) % prime(), Integer::ZERO);
        }
    }
}
