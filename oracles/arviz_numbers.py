"""ArviZ's convergence diagnostics of the chains in crates/karcher/tests/arviz.rs, which makes the same ones digit by
digit.

    python3 -m venv .venv && .venv/bin/pip install arviz
    .venv/bin/python oracles/arviz_numbers.py > crates/karcher/tests/arviz/numbers.csv

ArviZ 1.3 (NumPy 2.5) and 0.23 give the same digits except for ess_tail of `quantile-is-a-draw`, 21.66 and 19.00. There
the older one rounds the 95 % quantile, which is a draw, to below that draw. The tails are given here, because 1.x would
take others with `prob=None`.
"""

import warnings

import arviz
import numpy as np


def uniforms(state):
    """Knuth's MMIX generator: 32 bits a number."""
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield (state // 2**32 + 0.5) / 2**32


def autoregressive(seed, chains, draws, memory):
    u = uniforms(seed)
    values = np.empty((chains, draws))
    for chain in values:
        x = 0.0
        for t in range(draws):
            x = memory * x + (next(u) - 0.5)
            chain[t] = x
    return values


def cases():
    yield "independent", autoregressive(1, 4, 100, 0.0)
    yield "correlated", autoregressive(2, 4, 500, 0.9)
    yield "slow", autoregressive(3, 4, 2000, 0.98)
    yield "antithetic", autoregressive(4, 4, 200, -0.7)
    yield "slightly-antithetic", autoregressive(5, 4, 200, -0.1)
    shifted = autoregressive(6, 4, 101, 0.3)
    shifted[0] += 0.5
    yield "shifted", shifted
    spread = autoregressive(7, 4, 150, 0.3)
    spread[1] *= 3.0
    yield "spread", spread
    yield "drifting", autoregressive(8, 2, 120, 0.0) + 0.01 * np.arange(120)
    yield "heavy-tailed", 1.0 / autoregressive(9, 4, 250, 0.5)
    yield "tied", np.floor(8.0 * autoregressive(10, 3, 60, 0.5))
    yield "tied-sevenths", np.floor(8.0 * autoregressive(18, 3, 100, 0.5)) / 7.0
    yield "quantile-is-a-draw", autoregressive(31, 1, 61, 0.5)
    yield "zero-or-one", np.where(autoregressive(11, 4, 401, 0.8) < 0.0, 0.0, 1.0)
    yield "one-chain", autoregressive(12, 1, 300, 0.5)
    yield "two-by-four", autoregressive(13, 2, 4, 0.0)
    yield "two-by-five", autoregressive(14, 2, 5, 0.5)
    yield "three-by-seven", autoregressive(15, 3, 7, 0.9)
    yield "one-by-nine", autoregressive(16, 1, 9, -0.9)
    yield "constant", np.full((4, 10), 0.25)
    yield "constant-chains", np.arange(3.0)[:, None] + np.zeros((3, 8))
    yield "three-draws", autoregressive(17, 4, 3, 0.0)


def main():
    warnings.simplefilter("ignore")
    print(f"# ArviZ {arviz.__version__}; r_hat, split_r_hat, ess_bulk, ess_tail")
    for name, x in cases():
        numbers = [
            arviz.rhat(x, method="rank"),
            arviz.rhat(x, method="split"),
            arviz.ess(x, method="bulk"),
            arviz.ess(x, method="tail", prob=(0.05, 0.95)),
        ]
        print(name, *(repr(float(number)) for number in numbers), sep=",")


if __name__ == "__main__":
    main()
