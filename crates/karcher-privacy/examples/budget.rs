//! A yearly budget, spent by counts with exact noise until it refuses.
//!
//! `cargo run -p karcher-privacy --example budget`

use karcher_privacy::noise::{Generator, Law, VectorNoise};
use karcher_privacy::{Error, Filter, Guarantee, laplace_guarantee};

fn main() -> Result<(), Error> {
    let visits = [1_203, 877, 41, 0]; // by clinic; one visit more or less moves one count by 1
    let scale = 2.0;
    let each = laplace_guarantee(1.0, scale)?; // ε = 1/2
    let noise = VectorNoise::new(Law::Laplace, scale)?;

    let mut generator = Generator::from_os()?;
    let mut budget = Filter::new(Guarantee::pure(1.75)?)?;
    for month in 1.. {
        match budget.spend(each) {
            Ok(()) => println!("month {month}: {:?}", noise.added_to(&visits, &mut generator)),
            Err(error) => {
                println!("month {month}: {error}");
                break;
            }
        }
    }
    Ok(())
}
