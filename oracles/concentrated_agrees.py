"""The ρ of Laplace noise on vectors and of a bounded range ([N3], [P2]) against 50 digits: run by `make oracles`.

    python3 -m venv .venv && .venv/bin/pip install mpmath
    .venv/bin/python oracles/concentrated_agrees.py target/debug/karcher

Every stated number is on the safe side of the exact one, and near it. The formula in Bessel functions is compared with
the mean loss by quadrature, from the law of the loss.
"""

import json
import subprocess
import sys

from mpmath import besseli, besselk, exp, expm1, log, mp, mpf, quad

mp.dps = 50

LAPLACE = "calibrate", "--mechanism", "laplace", "--sensitivity", 1
KNG = "plan", "--manifold", "sphere:2", "--radius", 0.5, "--n", 100, "--mechanism", "kng", "--numerics", "any"
RATIOS = 0.001, 0.01, 0.1, 0.3, 1, 3, 10, 50


def karcher(*arguments):
    command = [sys.argv[1], *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def of_laplace(dimension, ratio):
    """ρ for Δ/σ, by [N3]."""
    half, s = mpf(dimension) / 2, ratio / 2
    return 2 * s**2 * (besseli(half, s) * besselk(half, s) + besseli(half + 1, s) * besselk(half - 1, s))


def mean_loss(dimension, ratio):
    """The mean of the loss for two numbers or more, by the density of [N1]."""
    s = ratio / 2
    q = 1 + (dimension - 1) * besselk(mpf(dimension) / 2, s) / (s * besselk(mpf(dimension) / 2 - 1, s))

    def density(angle):
        b = mp.cos(angle)
        return mp.sin(angle) ** (dimension - 2) * (q - b**2) * exp(s * b)

    nodes = [mp.pi * i / 8 for i in range(9)]
    return quad(lambda t: ratio * mp.cos(t) * density(t), nodes) / quad(density, nodes)


def of_range(epsilon):
    """ρ of a bounded range, by [P2]."""
    h = epsilon / -expm1(-epsilon)
    return h - 1 - log(h)


def safe(name, stated, exact, tolerance):
    assert stated >= exact * (1 - mpf(2) ** -52), f"{name}: {stated} is below {mp.nstr(exact, 20)}"
    assert stated <= exact * (1 + mpf(tolerance)), f"{name}: {stated} is far above {mp.nstr(exact, 20)}"


def main():
    for dimension in (1, 2, 3, 6, 20):
        line = (*LAPLACE, "--manifold", f"euclidean:{dimension}")
        # the quotient K₁/K₀ in the plane is known to fewer digits for small arguments
        tolerance = 1e-8 if dimension == 2 else 1e-12
        for ratio in RATIOS:
            scale = 1 / ratio
            exact = of_laplace(dimension, 1 / mpf(scale))
            safe(f"{dimension} numbers, scale {scale}", karcher(*line, "--scale", scale)["rho"], exact, tolerance)
        for rho in (0.001, 0.1, 1, 5):
            scale = karcher(*line, "--rho", rho)["scale"]
            safe(f"{dimension} numbers, rho {rho}", rho, of_laplace(dimension, 1 / mpf(scale)), tolerance)
        for ratio in (mpf(1) / 2, mpf(4)):
            if dimension > 1:
                quotient = mean_loss(dimension, ratio) / of_laplace(dimension, ratio)
                assert abs(quotient - 1) < mpf("1e-25"), f"the formula for {dimension} numbers: {quotient}"
    # by the range 2·Δ′/σ of the K-norm gradient mechanism on a curved space
    twice_moved = mpf(karcher(*KNG, "--epsilon", 1)["mechanisms"][0]["scale"])
    for rho in (0.001, 0.1, 0.5, 2, 6):
        range_of_losses = twice_moved / mpf(karcher(*KNG, "--rho", rho)["mechanisms"][0]["scale"])
        safe(f"a range of {mp.nstr(range_of_losses, 5)}", rho, of_range(range_of_losses), 1e-9)
    print("50 digits agree")


if __name__ == "__main__":
    main()
