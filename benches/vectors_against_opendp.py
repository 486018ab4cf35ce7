"""Expected length of OpenDP's noise on a vector mean, for the table "Noise on vectors" of docs/evidence/benchmarks.md.

pip install opendp numpy scipy
"""

from math import exp, lgamma, sqrt

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")


def gaussian(d: int, moved: float, epsilon: float, delta: float) -> float:
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=d), dp.l2_distance(T=float)

    def measured(scale: float):
        noise = space >> dp.m.then_gaussian(scale)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noise), delta=delta)

    scale = dp.binary_search_param(measured, d_in=moved, d_out=(epsilon, delta), T=float, bounds=(1e-3, 1e3))
    return scale * sqrt(2) * exp(lgamma((d + 1) / 2) - lgamma(d / 2))


def laplace(d: int, moved: float, epsilon: float) -> float:
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=d), dp.l1_distance(T=float)
    # a vector of length Δ has the sum √d·Δ of sizes at most
    scale = dp.binary_search_param(
        lambda scale: space >> dp.m.then_laplace(scale), d_in=sqrt(d) * moved, d_out=epsilon, bounds=(1e-3, 1e3)
    )
    draws = np.random.default_rng(1).laplace(size=(100_000, d))
    return scale * float(np.linalg.norm(draws, axis=1).mean())


for d in (6, 20, 100):
    for epsilon, delta in ((1.0, 1e-6), (0.3, 1e-6), (1.0, 1e-9)):
        found = gaussian(d, 0.002, epsilon, delta), laplace(d, 0.002, epsilon)
        print(f"euclidean:{d} ({epsilon}, {delta}): Gaussian {found[0]:.3e}, Laplace {found[1]:.3e}")
