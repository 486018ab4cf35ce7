"""The flat cases against the OpenDP library: an implementation with proofs of its own."""

import opendp.prelude as dp
import pytest

import karcher
from karcher import Euclidean, Guarantee

dp.enable_features("contrib")

SENSITIVITIES = [0.01, 1.0, 30.0]
SCALES = [0.1, 1.0, 7.0, 300.0]


def laplace(scale):
    return dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=scale)


def gaussian(scale):
    return dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=scale)


def guarantee(mechanism, sensitivity, scale):
    return karcher.calibrate(Euclidean(1), sensitivity, mechanism=mechanism, scale=scale).guarantee


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
@pytest.mark.parametrize("scale", SCALES)
def test_epsilon_of_laplace_noise_agrees(sensitivity, scale):
    # OpenDP rounds the number to a grid of 2^-1074 and pays for it
    expected = laplace(scale).map(sensitivity)
    assert guarantee("laplace", sensitivity, scale).epsilon == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
@pytest.mark.parametrize("scale", SCALES)
def test_concentrated_guarantee_of_gaussian_noise_agrees(sensitivity, scale):
    expected = Guarantee(rho=gaussian(scale).map(sensitivity))
    ours = guarantee("gaussian", sensitivity, scale).to_concentrated()
    assert ours.epsilon_at(1e-6) == pytest.approx(expected.epsilon_at(1e-6), rel=1e-9)
    # and the other way round
    back = karcher.calibrate(Euclidean(1), sensitivity, mechanism="gaussian", rho=expected.rho).scale
    assert back == pytest.approx(scale, rel=1e-9)


@pytest.mark.parametrize("sensitivity, scale", [(1.0, 4.0), (1.0, 1.0), (1.0, 20.0), (3.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 10.0])
def test_delta_of_a_concentrated_guarantee_agrees(sensitivity, scale, epsilon):
    """ρ-zCDP to (ε, δ): both take the best order α."""
    expected = dp.c.make_zCDP_to_approxDP(gaussian(scale)).map(sensitivity).delta(epsilon)
    got = guarantee("gaussian", sensitivity, scale).to_concentrated().delta_at(epsilon)
    if expected >= 1e-300:  # what is below is not reported
        assert got == pytest.approx(expected, rel=1e-6, abs=0)
