"""The privacy cost of several releases, against Google's dp-accounting: run by `make test` where it can be installed.

    .venv/bin/pip install dp-accounting
    .venv/bin/python oracles/composition_agrees.py

Needs the Python package, since the command composes nothing. dp-accounting convolves discretised privacy loss
distributions: its optimistic δ is below the exact one, its pessimistic δ above, except for 1e-15 of mass that it cuts
off.
"""

import math
import sys

import karcher
from karcher import Guarantee

try:
    import dp_accounting
    from dp_accounting.pld import privacy_loss_distribution as pld
except ImportError:
    print("DP-ACCOUNTING IS NOT INSTALLED: COMPOSITION WAS NOT COMPARED.")
    sys.exit()

EPSILONS = [0.1, 0.5, 1.0, 2.0]


def gaussian(mu, pessimistic):
    # the optimistic estimate knows no other algorithm than this one
    return pld.from_gaussian_mechanism(1 / mu, pessimistic_estimate=pessimistic, use_connect_dots=False)


def pure(epsilon, pessimistic):
    """Randomised response, the worst pure release: the truth with probability e^ε/(1 + e^ε)."""
    return pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2, pessimistic_estimate=pessimistic)


def check(name, ours, below, above=float("inf")):
    found = f"{name}: karcher {ours}, dp-accounting {below} to {above}"
    assert below * (1 - 1e-9) - 1e-12 <= ours <= above * (1 + 1e-9) + 1e-12, found


def main():
    for k, mu in [(2, 1.0), (10, 0.3), (100, 0.05)]:
        together = karcher.compose(*[Guarantee(mu=mu)] * k)
        low, high = (gaussian(mu, pessimistic).self_compose(k) for pessimistic in (False, True))
        for epsilon in EPSILONS:
            bounds = low.get_delta_for_epsilon(epsilon), high.get_delta_for_epsilon(epsilon)
            check(f"{k} times mu {mu} at {epsilon}", together.delta_at(epsilon), *bounds)
        for delta in (1e-9, 1e-3):
            exact = dp_accounting.get_epsilon_gaussian(1 / (mu * k**0.5), delta)
            bounds = exact * (1 - 1e-6), exact * (1 + 1e-6)
            check(f"{k} times mu {mu} at delta {delta}", together.epsilon_at(delta), *bounds)
    for k, each in [(2, 1.0), (20, 0.1), (50, 0.02)]:
        low = pure(each, False).self_compose(k)
        summed = karcher.compose(*[Guarantee(epsilon=each)] * k)
        weakened = karcher.compose(*[Guarantee(epsilon=each).to_gaussian()] * k)
        for epsilon in EPSILONS:
            for name, together in (("summed", summed), ("weakened", weakened)):
                bound = low.get_delta_for_epsilon(epsilon)
                check(f"{k} times {each} {name}, at {epsilon}", together.delta_at(epsilon), bound)
        assert abs(summed.epsilon - k * each) <= 1e-14 * k * each  # and no looser than the sum
    mixed = karcher.compose(*[Guarantee(epsilon=0.3)] * 2, *[Guarantee(mu=0.5)] * 3)
    low = pure(0.3, False).self_compose(2).compose(gaussian(0.5, False).self_compose(3))
    for epsilon in EPSILONS:
        check(f"a mixed list at {epsilon}", mixed.delta_at(epsilon), low.get_delta_for_epsilon(epsilon))
    high = pure(0.3, True).self_compose(2).compose(gaussian(0.5, True).self_compose(3))
    for delta in (1e-9, 1e-6, 1e-3):
        fixed = karcher.compose(*[Guarantee(epsilon=0.3)] * 2, *[Guarantee(mu=0.5)] * 3, delta=delta).epsilon
        check(f"a fixed list at delta {delta}", fixed, *(law.get_epsilon_for_delta(delta) for law in (low, high)))
    different = [0.1, 0.25, 0.5, 1.0]
    laws = [pure(each, True) for each in different]
    high = laws[0].compose(laws[1]).compose(laws[2]).compose(laws[3])
    laws = [pure(each, False) for each in different]
    low = laws[0].compose(laws[1]).compose(laws[2]).compose(laws[3])
    for delta in (1e-3, 1e-2):
        fixed = karcher.compose(*[Guarantee(epsilon=each) for each in different], delta=delta).epsilon
        check(f"different releases at delta {delta}", fixed, *(law.get_epsilon_for_delta(delta) for law in (low, high)))
    print("dp-accounting agrees on composition")


if __name__ == "__main__":
    main()
