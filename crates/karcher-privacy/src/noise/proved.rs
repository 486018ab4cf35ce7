//! The numbers that Coq computes by the programs of its theorems are those of this code (user guide, proofs/machine.md).
//!
//! A line of `proved.txt` has a name, arguments, a seed, words, results and the number of words that were taken. Words
//! come from the line and then from a generator. Coq computes the table from `proofs/Kernels.v` in `make proofs`.

use super::bits::{Mixed, Uniform, Words};
use super::exponential::{exponential, falls_evenly, half_falls_evenly};
use super::gumbel::Logarithm;
use super::normal::Normal;
use super::scale::Scale;
use super::tests::Fixed;
use super::{Law, NoisyMaximum, VectorNoise};
use dashu_int::{IBig, UBig};

/// Words from a list, and then from xorshift (Marsaglia 2003).
struct Source {
    given: std::vec::IntoIter<u64>,
    state: u64,
    taken: u64,
}

impl Words for Source {
    fn word(&mut self) -> u64 {
        self.taken += 1;
        self.given.next().unwrap_or_else(|| {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            self.state
        })
    }
}

fn ratio(mut x: Uniform, numerator: u64, denominator: u64, words: &mut Source) -> Vec<IBig> {
    vec![IBig::from(x.is_below_ratio(numerator, denominator, words))]
}

/// The whole part, and all of the number to some limbs.
fn digits(mut number: Mixed, limbs: usize, words: &mut Source) -> Vec<IBig> {
    vec![IBig::from(number.whole), number.floor(limbs, words).into()]
}

fn normal(limbs: usize, words: &mut Source) -> Vec<IBig> {
    let Normal { negative, magnitude } = Normal::draw(words);
    [vec![IBig::from(negative)], digits(magnitude, limbs, words)].concat()
}

fn noise(law: usize, bits: u64, dim: usize, words: &mut Source) -> Vec<IBig> {
    let law = [Law::Gaussian, Law::Laplace][law];
    VectorNoise::new(law, f64::from_bits(bits)).unwrap().draw_from(dim, words)
}

fn choice(law: usize, half: u64, scores: &[i64], words: &mut Source) -> Vec<IBig> {
    // ε/2 in units of 2⁻⁵³: no rounding
    let epsilon = half as f64 / 2.0_f64.powi(52);
    let noise = if law == 0 { NoisyMaximum::new(epsilon) } else { NoisyMaximum::of_range(epsilon) };
    vec![noise.unwrap().place_from(scores, words).into()]
}

fn logarithm(bits: usize, a: &IBig) -> Vec<IBig> {
    let bounds = Logarithm::<UBig>::new(bits).of(a.clone().try_into().unwrap());
    if bits == 53 {
        let few = Logarithm::<u128>::new(bits).of(a.try_into().unwrap());
        assert_eq!((UBig::from(few.below), UBig::from(few.above)), (bounds.below.clone(), bounds.above.clone()));
    }
    vec![bounds.below.into(), bounds.above.into()]
}

/// A case of `Kernels.kinds`, whose arguments are drawn.
fn random(kind: usize, words: &mut Source) -> Vec<IBig> {
    match kind {
        0 => {
            let [v, w, c] = [(); 3].map(|()| words.word());
            let denominator = (v >> (v % 64)).max(1);
            let numerator = w % denominator;
            let first = ((u128::from(numerator) << 64) / u128::from(denominator)) as u64;
            let x = if c % 2 == 0 { Uniform::draw(&mut Fixed::new(&[first])) } else { Uniform::draw(words) };
            ratio(x, numerator, denominator, words)
        }
        1 => digits(exponential(words), 1, words),
        2 => normal(1, words),
        3 | 4 => {
            let [v, w] = [(); 2].map(|()| words.word());
            noise(kind - 3, ((1003 + v % 128) << 52) + (w >> 12), 1 + (v % 3) as usize, words)
        }
        5 | 6 => {
            let [v, w] = [(); 2].map(|()| words.word());
            choice(kind - 5, v >> 11, &[w, w >> 2, w >> 4].map(|w| (w % 3) as i64), words)
        }
        _ => {
            let [v, w] = [(); 2].map(|()| words.word());
            logarithm(53 + (v % 100) as usize, &IBig::from((w >> (v % 64)) + 1))
        }
    }
}

fn results(name: &str, arguments: &[IBig], words: &mut Source) -> Vec<IBig> {
    let argument = |i: usize| u64::try_from(&arguments[i]).unwrap();
    match name {
        "ratio" => ratio(Uniform::draw(words), argument(0), argument(1), words),
        "below" => {
            let (mut x, mut y) = (Uniform::draw(words), Uniform::draw(words));
            vec![IBig::from(x.is_below(&mut y, words)), IBig::from(y.is_below(&mut x, words))]
        }
        "run" => vec![IBig::from(falls_evenly(&mut Uniform::draw(words), words))],
        "half" => vec![IBig::from(half_falls_evenly(words))],
        "exponential" => digits(exponential(words), argument(0) as usize, words),
        "normal" => normal(argument(0) as usize, words),
        "scale" => Scale::new(f64::from_bits(argument(0))).map_or(vec![], |scale| {
            let [mantissa, limbs] = [scale.mantissa().into(), scale.first_limbs().into()];
            vec![mantissa, scale.exponent.into(), limbs]
        }),
        "noise" => noise(argument(0) as usize, argument(1), argument(2) as usize, words),
        "logarithm" => logarithm(argument(0) as usize, &arguments[1]),
        "choice" => {
            let scores: Vec<i64> = arguments[2..].iter().map(|score| i64::try_from(score).unwrap()).collect();
            choice(argument(0) as usize, argument(1), &scores, words)
        }
        "random" => {
            let mut digest = 0_u64;
            for _ in 0..argument(1) {
                let results = random(argument(0) as usize, words);
                for number in results.into_iter().chain([words.taken.into()]) {
                    let low = u64::try_from(number & IBig::from(u64::MAX)).unwrap();
                    digest = digest.wrapping_mul(31).wrapping_add(low);
                }
            }
            vec![digest.into()]
        }
        _ => panic!("{name}: no such row"),
    }
}

#[test]
fn programs_about_which_theorems_are_proved_give_these_numbers() {
    let (mut lines, mut cases) = (0, 0);
    for line in include_str!("proved.txt").lines().filter(|line| !line.starts_with('#')) {
        let (name, numbers) = line.split_once(' ').unwrap();
        let mut numbers = numbers.split(' ').map(|number| number.parse::<IBig>().unwrap());
        let counted = |numbers: &mut dyn Iterator<Item = IBig>| -> Vec<IBig> {
            let count = usize::try_from(numbers.next().unwrap()).unwrap();
            numbers.take(count).collect()
        };
        let arguments = counted(&mut numbers);
        let state = numbers.next().unwrap().try_into().unwrap();
        let given: Vec<u64> = counted(&mut numbers).into_iter().map(|word| word.try_into().unwrap()).collect();
        let expected = counted(&mut numbers);
        let taken = u64::try_from(numbers.next().unwrap()).unwrap();
        let mut words = Source { given: given.into_iter(), state, taken: 0 };
        assert_eq!((results(name, &arguments, &mut words), words.taken), (expected, taken), "{line}");
        lines += 1;
        cases += if name == "random" { u64::try_from(&arguments[1]).unwrap() } else { 1 };
    }
    assert!(lines > 300 && cases > 100_000, "{lines} {cases}");
}
