//! The integers that Coq computes by the programs of exact sums are those of this code (user guide, proofs/machine.md).
//!
//! A line of `proved.txt` has a name, arguments, a seed, words (none), results and the number of words that were taken.
//! Coq computes the table from `proofs/SumKernels.v` in `make proofs`.

use super::ExactSum;
use super::quantum::{add_all_bounded, bounded, fits};
use super::squares::{moment_len, second_moment, squared_length};

/// The words of xorshift (Marsaglia 2003), and the number of those that were taken.
struct Words {
    state: u64,
    taken: i128,
}

impl Words {
    fn word(&mut self) -> u64 {
        self.taken += 1;
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn vector(&mut self, len: usize) -> Vec<f64> {
        let v = self.word();
        (0..len).map(|_| (self.word() as i64 >> (12 + v % 16)) as f64 / 2.0).collect()
    }
}

fn integers(v: &[f64], bound: f64) -> Vec<i64> {
    let mut z = vec![0; v.len()];
    bounded(&mut v.to_vec(), bound, &mut z);
    z
}

fn moment(y: &[i64]) -> Vec<i64> {
    let mut z = vec![0; moment_len(y.len())];
    second_moment(y, &mut z);
    z
}

fn merged(parts: impl Iterator<Item = Vec<i128>>) -> Vec<i128> {
    let sums = parts.map(|part| ExactSum::new(1, part, 1.0));
    sums.reduce(|a, b| a.merge(b).unwrap()).unwrap().integers().to_vec()
}

fn wide(z: &[i64]) -> Vec<i128> {
    z.iter().copied().map(i128::from).collect()
}

/// A case of `SumKernels.table` whose arguments are drawn.
fn random(kind: i128, words: &mut Words) -> Vec<i128> {
    let [v, w] = [(); 2].map(|()| words.word());
    if kind == 1 {
        let last = ((1_u128 << 100) - u128::from(w >> 14).pow(2)).isqrt() as i64 - 1 + (v % 3) as i64;
        let z = [vec![(w >> 14) as i64], vec![0; (v % 7) as usize], vec![(v % 2) as i64, last]].concat();
        return vec![fits(&z).into()];
    }
    let len = (1 + v % 12) as usize;
    let bound = f64::from_bits((1073 << 52) + if w.is_multiple_of(2) { 0 } else { w >> 12 });
    let vectors: Vec<f64> = (0..7).flat_map(|_| words.vector(len)).collect();
    let one = &vectors[..len];
    let squares: Vec<i64> = one.iter().map(|v| squared_length(&[*v], bound)).collect();
    let sums = vectors.chunks(5 * len).map(|part| {
        let mut sum = vec![0; len];
        add_all_bounded(part, len, bound, &mut sum);
        wide(&sum)
    });
    [wide(&squares), wide(&moment(&integers(one, bound)[..len.min(3)])), merged(sums)].concat()
}

fn results(name: &str, arguments: &[i128], words: &mut Words) -> Vec<i128> {
    let doubles: Vec<f64> = arguments.iter().map(|bits| f64::from_bits(*bits as u64)).collect();
    let integral: Vec<i64> = arguments.iter().map(|z| *z as i64).collect();
    match name {
        "bounded" => wide(&integers(&doubles[1..], doubles[0])),
        "fits" => vec![fits(&integral).into()],
        "squared" => vec![squared_length(&doubles[..1], doubles[1]).into()],
        "moment" => wide(&moment(&integral)),
        "merged" => merged(arguments.iter().map(|part| vec![*part])),
        "random" => {
            let cases = (0..arguments[1]).flat_map(|_| [random(arguments[0], words), vec![words.taken]].concat());
            vec![cases.fold(0_u64, |digest, number| digest.wrapping_mul(31).wrapping_add(number as u64)).into()]
        }
        _ => panic!("{name}: no such row"),
    }
}

#[test]
fn programs_of_exact_sums_give_the_integers_of_coq() {
    for line in include_str!("proved.txt").lines().filter(|line| !line.starts_with('#')) {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<i128> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let (arguments, rest) = numbers[1..].split_at(numbers[0] as usize);
        let mut words = Words { state: rest[0] as u64, taken: 0 };
        let results = results(name, arguments, &mut words);
        let count = results.len() as i128;
        assert_eq!([&rest[..1], &[0, count], &results[..], &[words.taken]].concat(), rest, "{line}");
    }
}
