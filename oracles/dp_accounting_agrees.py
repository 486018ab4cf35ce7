"""The flat cases against Google's dp-accounting: run by `make test` where it can be installed.

    python3 -m venv .venv && .venv/bin/pip install dp-accounting
    .venv/bin/python oracles/dp_accounting_agrees.py target/debug/karcher
"""

import json
import subprocess
import sys

import dp_accounting
from dp_accounting.pld import privacy_loss_distribution


def karcher(*arguments):
    command = [sys.argv[1], *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def agree(name, got, expected, tolerance):
    assert abs(got - expected) <= tolerance * abs(expected), f"{name}: karcher {got}, dp-accounting {expected}"


def main():
    flat = ["calibrate", "--manifold", "euclidean:3", "--mechanism", "gaussian", "--sensitivity", 1]
    for epsilon, delta in [(0.1, 1e-6), (1, 1e-6), (4, 1e-6), (10, 1e-5), (0.01, 1e-10), (2, 0.1)]:
        scale = karcher(*flat, "--epsilon", epsilon, "--delta", delta)["scale"]
        agree(f"scale at {epsilon}, {delta}", scale, dp_accounting.get_sigma_gaussian(epsilon, delta), 1e-6)
        back = karcher("convert", "--mu", 1 / scale, "--at-delta", delta)["epsilon"]
        agree(f"epsilon of mu {1 / scale}", back, dp_accounting.get_epsilon_gaussian(scale, delta), 1e-6)
    # the profile of Laplace noise on the line
    for scale in (0.5, 2.0):
        peer = privacy_loss_distribution.from_laplace_mechanism(scale, value_discretization_interval=1e-4)
        for epsilon in (0.1, 0.3):
            ours = karcher("profile", "--manifold", "euclidean:1", "--mechanism", "laplace", "--sensitivity", 1,
                           "--scale", scale, "--epsilon", epsilon)["profile"][0]["delta"]
            agree(f"Laplace delta at scale {scale}", ours, peer.get_delta_for_epsilon(epsilon), 1e-3)
    print("dp-accounting agrees")


if __name__ == "__main__":
    main()
