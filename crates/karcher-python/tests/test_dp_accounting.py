"""Guarantees as events and distributions of dp_accounting, against the sums of this library.

Distributions are pessimistic: on a grid of 1e-4 each adds at most 1e-4 to ε, and the truncation 1e-15 to δ. So a sum of
k is at least ours, within rounding, and at most k·1e-4 above.
"""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import NeighboringRelation
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

import karcher
from karcher import Guarantee

REPLACE = NeighboringRelation.REPLACE_ONE
GRID = 1e-4
ORDERS = 1 + np.geomspace(1e-3, 1e5, 4000)
DELTAS = [1e-9, 1e-6, 1e-3]


def spent(accountant, guarantees):
    for guarantee in guarantees:
        accountant.compose(guarantee.to_dp_event())
    return accountant


def together(guarantees):
    first, *others = [guarantee.to_pld() for guarantee in guarantees]
    for other in others:
        first = first.compose(other)
    return first


@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_gaussian_event_loses_what_mu_allows(mu, delta):
    """The exact curve of Gaussian noise has no grid at all."""
    event = Guarantee(mu=mu).to_dp_event()
    exact = dp_accounting.get_epsilon_gaussian(event.noise_multiplier, delta)
    assert exact == pytest.approx(Guarantee(mu=mu).epsilon_at(delta), rel=1e-9, abs=1e-12)
    found = spent(PLDAccountant(), [Guarantee(mu=mu)]).get_epsilon(delta)
    assert exact - 1e-9 <= found <= exact + GRID


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 4.0, 40.0])
def test_event_of_pure_epsilon_is_the_worst_pure_release(epsilon):
    """δ(x) of randomised response is (e^ε − e^x)/(1 + e^ε), which no pure release exceeds."""
    answers, nothing = Guarantee(epsilon=epsilon).to_dp_event().events
    assert (nothing.rho, nothing.xi) == (0.0, 0.0)
    found = PLDAccountant(REPLACE).compose(answers)
    for x in (0.0, epsilon / 2):
        exact = (1 - math.exp(x - epsilon)) / (1 + math.exp(-epsilon))
        assert exact * (1 - 1e-12) <= found.get_delta(x) <= exact + GRID
    assert found.get_delta(epsilon + 2 * GRID) == 0.0
    # Laplace noise would promise more than the guarantee does
    laplace = PLDAccountant().compose(dp_accounting.LaplaceDpEvent(1 / epsilon))
    assert laplace.get_delta(epsilon / 2) < found.get_delta(epsilon / 2)


@pytest.mark.parametrize("rho", [0.001, 0.1, 2.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_concentrated_event_loses_what_rho_allows(rho, delta):
    """Both minimize the same bound over orders: theirs are a list, so that it is a little above the best."""
    found = spent(RdpAccountant(ORDERS), [Guarantee(rho=rho)]).get_epsilon(delta)
    ours = Guarantee(rho=rho).epsilon_at(delta)
    assert ours * (1 - 1e-9) <= found <= ours * (1 + 1e-3)


@pytest.mark.parametrize("delta", DELTAS)
def test_a_renyi_accountant_adds_concentrated_guarantees(delta):
    study = [Guarantee(rho=0.02)] * 5 + [Guarantee(mu=0.3)] * 4
    ours = karcher.compose(*[guarantee.to_concentrated() for guarantee in study]).epsilon_at(delta)
    found = spent(RdpAccountant(ORDERS), study).get_epsilon(delta)
    assert ours * (1 - 1e-9) <= found <= ours * (1 + 1e-3)


@pytest.mark.parametrize("k, epsilon", [(3, 1.0), (100, 0.1), (2, 8.0)])
def test_an_accountant_that_would_count_repeated_releases_once_is_refused(k, epsilon):
    """PLDAccountant leaves out the count of a RandomizedResponseDpEvent. The Rényi orders of k releases are exact."""
    event = Guarantee(epsilon=epsilon).to_dp_event()
    itself = dp_accounting.SelfComposedDpEvent(event, k)
    for repeated, count in [(event, k), (itself, 1), (dp_accounting.ComposedDpEvent([event] * k), 1)]:
        with pytest.raises(dp_accounting.UnsupportedEventError):
            PLDAccountant(REPLACE).compose(repeated, count)
        found = RdpAccountant(neighboring_relation=REPLACE).compose(repeated, count).get_epsilon(1e-6)
        assert found >= karcher.compose(*[Guarantee(epsilon=epsilon)] * k, delta=1e-6).epsilon


@pytest.mark.parametrize("k, epsilon", [(2, 1.0), (20, 0.1), (50, 0.02)])
@pytest.mark.parametrize("delta", DELTAS)
def test_distributions_of_pure_guarantees_compose_to_ours(k, epsilon, delta):
    """Epsilons on the grid, where rounding up costs nothing: both are the exact optimal composition."""
    ours = karcher.compose(*[Guarantee(epsilon=epsilon)] * k, delta=delta).epsilon
    found = Guarantee(epsilon=epsilon).to_pld().self_compose(k).get_epsilon_for_delta(delta)
    assert ours - 1e-9 <= found <= ours + k * GRID + 1e-9


@pytest.mark.parametrize(
    "study",
    [
        [Guarantee(mu=0.3)] * 10,
        [Guarantee(epsilon=0.3)] * 2 + [Guarantee(mu=0.5)] * 3,
        [Guarantee(epsilon=0.1), Guarantee(epsilon=0.25), Guarantee(epsilon=0.5), Guarantee(epsilon=1.0)],
        [Guarantee(epsilon=0.5, delta=1e-7), Guarantee(epsilon=0.25, delta=1e-8), Guarantee(mu=0.4)],
    ],
)
@pytest.mark.parametrize("delta", [1e-6, 1e-3])
def test_distributions_of_a_mixture_compose_to_ours(study, delta):
    """Both bound the same optimum from above, each on a grid of its own. The ε are on theirs, and cost nothing."""
    ours = karcher.compose(*study, delta=delta).epsilon
    found = together(study).get_epsilon_for_delta(delta)
    assert found == pytest.approx(ours, rel=1e-4)


def test_profile_of_curved_noise_composes_below_its_mu():
    """On the sphere the curve is better than that of the μ which the noise guarantees, and flat noise has that of μ."""
    at = np.arange(0, 12, 0.01)
    curved = karcher.profile("sphere:2", sensitivity=0.25, scale=0.25, epsilon=at)
    flat = karcher.profile("euclidean:2", sensitivity=0.25, scale=0.25, epsilon=at)
    for k in (1, 4, 16):
        on_sphere, on_plane = (
            shape.to_pld(1e-3).self_compose(k).get_epsilon_for_delta(1e-6) for shape in (curved, flat)
        )
        exact = Guarantee(mu=math.sqrt(k)).epsilon_at(1e-6)
        # chords of 0.01 above the convex curve: about k·0.01²/8 in ε, and a little for the end of the grid
        assert exact - 1e-9 <= on_plane <= exact + 2e-4 * k + 1e-3
        assert on_sphere < Guarantee(mu=math.sqrt(k) * curved.guarantee.mu).epsilon_at(1e-6)


@pytest.mark.parametrize("offset", [0.0, 0.0004])
def test_distribution_of_a_profile_is_above_it(offset):
    given = karcher.profile("hyperbolic:2", sensitivity=0.5, scale=0.25, epsilon=np.arange(0, 20, 0.01) + offset)
    found = given.to_pld(1e-3)
    between = np.arange(0.003, 8, 0.1)
    exact = karcher.profile("hyperbolic:2", sensitivity=0.5, scale=0.25, epsilon=between).delta
    assert np.all(found.get_delta_for_epsilon(between.tolist()) >= exact - 1e-12)
    # also for the data sets exchanged: δ(−ε) = 1 − e^(−ε)·(1 − δ(ε))
    below = np.array(found.get_delta_for_epsilon((-between[::-1]).tolist()))[::-1]
    assert np.all(below >= 1 - np.exp(-between) * (1 - exact) - 1e-12)


@pytest.mark.parametrize(
    "ask, sentence",
    [
        (lambda: Guarantee(epsilon=1, delta=1e-6).to_dp_event(), "to_pld"),
        (lambda: Guarantee(rho=1).to_pld(), "RdpAccountant"),
        (lambda: Guarantee(epsilon=1).to_pld(0), "interval is 0"),
        (lambda: Guarantee(epsilon=800).to_pld(), "700"),
        (lambda: karcher.Profile(np.array([-1.0]), np.array([0.9]), Guarantee(mu=1)).to_pld(), "negative"),
    ],
)
def test_what_dp_accounting_cannot_say_is_refused(ask, sentence):
    with pytest.raises(karcher.Error, match=sentence):
        ask()


@pytest.mark.parametrize("name, ask", [
    ("dp_accounting", lambda: Guarantee(mu=1).to_dp_event()),
    ("opendp.prelude", lambda: karcher.interop.opendp.measurement(karcher.PrivateCount(epsilon=1.0))),
])  # fmt: skip
def test_a_missing_library_is_named_with_its_command(monkeypatch, name, ask):
    monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(karcher.Error, match="pip install"):
        ask()
