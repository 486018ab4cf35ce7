//! The convergence diagnostics against ArviZ's numbers (`oracles/arviz_numbers.py`), on chains that both make digit by
//! digit.

use karcher::sampler::diagnostics::{ess_bulk, ess_tail, r_hat, split_r_hat};

type Chains = Vec<Vec<f64>>;

/// `x ← memory·x + u − ½` with 32-bit numbers `u` from Knuth's MMIX generator.
fn autoregressive(seed: u64, chains: usize, draws: usize, memory: f64) -> Chains {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 32) as f64 + 0.5) / 4_294_967_296.0
    };
    let mut chain = || {
        let mut x = 0.0;
        (0..draws)
            .map(|_| {
                x = memory * x + (uniform() - 0.5);
                x
            })
            .collect()
    };
    (0..chains).map(|_| chain()).collect()
}

fn map(chains: Chains, f: impl Fn(f64) -> f64) -> Chains {
    chains.into_iter().map(|c| c.into_iter().map(&f).collect()).collect()
}

fn case(name: &str) -> Chains {
    match name {
        "independent" => autoregressive(1, 4, 100, 0.0),
        "correlated" => autoregressive(2, 4, 500, 0.9),
        "slow" => autoregressive(3, 4, 2000, 0.98),
        "antithetic" => autoregressive(4, 4, 200, -0.7),
        "slightly-antithetic" => autoregressive(5, 4, 200, -0.1),
        "shifted" => {
            let mut chains = autoregressive(6, 4, 101, 0.3);
            chains[0].iter_mut().for_each(|x| *x += 0.5);
            chains
        }
        "spread" => {
            let mut chains = autoregressive(7, 4, 150, 0.3);
            chains[1].iter_mut().for_each(|x| *x *= 3.0);
            chains
        }
        "drifting" => {
            let mut chains = autoregressive(8, 2, 120, 0.0);
            chains.iter_mut().for_each(|c| c.iter_mut().zip(0..).for_each(|(x, t)| *x += 0.01 * f64::from(t)));
            chains
        }
        "heavy-tailed" => map(autoregressive(9, 4, 250, 0.5), |x| 1.0 / x),
        "tied" => map(autoregressive(10, 3, 60, 0.5), |x| (8.0 * x).floor()),
        "tied-sevenths" => map(autoregressive(18, 3, 100, 0.5), |x| (8.0 * x).floor() / 7.0),
        "quantile-is-a-draw" => autoregressive(31, 1, 61, 0.5),
        "zero-or-one" => map(autoregressive(11, 4, 401, 0.8), |x| if x < 0.0 { 0.0 } else { 1.0 }),
        "one-chain" => autoregressive(12, 1, 300, 0.5),
        "two-by-four" => autoregressive(13, 2, 4, 0.0),
        "two-by-five" => autoregressive(14, 2, 5, 0.5),
        "three-by-seven" => autoregressive(15, 3, 7, 0.9),
        "one-by-nine" => autoregressive(16, 1, 9, -0.9),
        "constant" => vec![vec![0.25; 10]; 4],
        "constant-chains" => (0..3).map(|i| vec![f64::from(i); 8]).collect(),
        "three-draws" => autoregressive(17, 4, 3, 0.0),
        _ => panic!("no chains called {name}"),
    }
}

#[test]
fn diagnostics_are_those_of_arviz() {
    let mut cases = 0;
    for line in include_str!("arviz/numbers.csv").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(',');
        let name = fields.next().unwrap();
        let chains = case(name);
        let found = [r_hat(&chains), split_r_hat(&chains), ess_bulk(&chains), ess_tail(&chains)];
        for ((diagnostic, found), expected) in
            ["r_hat", "split_r_hat", "ess_bulk", "ess_tail"].iter().zip(found).zip(fields)
        {
            let expected: f64 = expected.parse().unwrap();
            let agrees = found == expected
                || (found.is_nan() && expected.is_nan())
                || (found - expected).abs() <= 1e-10 * expected.abs();
            assert!(agrees, "{diagnostic} of {name}: {found}, ArviZ has {expected}");
        }
        cases += 1;
    }
    assert_eq!(cases, 21);
}

#[test]
fn what_is_undefined_is_nan() {
    let bad: [Chains; 5] = [
        vec![],
        vec![vec![]; 3],
        vec![vec![0.1, 0.4, 0.2, 0.3], vec![0.1, 0.4, 0.2]],
        vec![vec![0.1, f64::NAN, 0.2, 0.3]; 2],
        vec![vec![0.1, f64::INFINITY, 0.2, 0.3]; 2],
    ];
    for chains in bad {
        for diagnostic in [r_hat, split_r_hat, ess_bulk, ess_tail] {
            assert!(diagnostic(&chains).is_nan(), "{chains:?}");
        }
    }
    // as large as doubles are, scaled without rounding: ranks do not care, the numbers' own variance overflows
    let huge = map(autoregressive(1, 4, 100, 0.0), |x| 2.0_f64.powi(1023) * x);
    assert_eq!(r_hat(&huge), r_hat(&case("independent")));
    assert!(split_r_hat(&huge).is_nan());
}
