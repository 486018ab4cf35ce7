"""The flat cases against the OpenDP library, an implementation with proofs of its own; and estimators as measurements
that it composes."""

import numpy as np
import opendp.prelude as dp
import pandas as pd
import pytest
from scipy.spatial.transform import Rotation

import karcher
from karcher import Euclidean, Guarantee
from karcher.classification import PrivateNearestCentroid, PrivateTangentClassifier
from karcher.interop.opendp import measurement

dp.enable_features("contrib", "honest-but-curious")

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


# estimators as measurements

N = 200
SPHERE = dict(manifold="sphere:2", radius=0.8, center=[0, 0, 1])
RECORDS = np.tile([0.6, 0.0, 0.8], (N, 1))
LABELS = np.arange(N) % 2
BUDGETS = [dict(epsilon=0.5), dict(epsilon=0.5, delta=1e-6), dict(mu=0.5), dict(rho=0.1)]
TRUSTED = dict(epsilon=0.5)


def mean(**options):
    return karcher.PrivateFrechetMean(**{**SPHERE, **options})


def bound(budget, k):
    """The formulas of group privacy."""
    epsilon, delta, mu, rho = (budget.get(name) for name in ("epsilon", "delta", "mu", "rho"))
    if rho is not None:
        return k**2 * rho
    if mu is not None:
        return (k * mu) ** 2 / 2
    if delta is None:
        return k * epsilon
    return k * epsilon, delta * np.expm1(k * epsilon) / np.expm1(epsilon)


def losses(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_map_bounds_the_loss_of_a_group_from_above(budget, k):
    found, exact = losses(measurement(mean(**budget), N).map(k)), losses(bound(budget, k))
    for got, least in zip(found, exact):
        assert least * (1 - 1e-15) <= got <= least * (1 + 1e-12)


@pytest.mark.parametrize("budget", BUDGETS)
def test_map_of_equal_data_is_zero(budget):
    assert set(losses(measurement(mean(**budget), N).map(0))) == {0.0}


@pytest.mark.parametrize(
    "estimator, options, data, metric",
    [
        (mean(**TRUSTED), dict(n=N), RECORDS, "ChangeOneDistance()"),
        (mean(**TRUSTED, adjacency="add-remove", n_guess=N), {}, RECORDS, "SymmetricDistance()"),
        (
            mean(**TRUSTED),
            dict(n=N // 2, unit="person"),
            (RECORDS, np.arange(N) // 2),
            'ChangeOneIdDistance { identifier: col("person") }',
        ),
        (PrivateNearestCentroid(**SPHERE, **TRUSTED), dict(labels=LABELS), RECORDS, "HammingDistance()"),
        (
            PrivateNearestCentroid(**SPHERE, **TRUSTED, labels="private", classes=[0, 1], n_guess=N // 2),
            {},
            (RECORDS, LABELS),
            "SymmetricDistance()",
        ),
        (
            PrivateTangentClassifier(**SPHERE, **TRUSTED, classes=[0, 1]),
            dict(n=N),
            (RECORDS, LABELS),
            "ChangeOneDistance()",
        ),
        (karcher.PrivateGeometricMedian(**SPHERE, mu=2.0), dict(n=N), RECORDS, "ChangeOneDistance()"),
        (karcher.PrivateTangentPCA(**SPHERE, **TRUSTED), dict(n=N), RECORDS, "ChangeOneDistance()"),
        (karcher.PrivateFrechetMean("sphere:2", **TRUSTED), dict(n=N), RECORDS, "ChangeOneDistance()"),
        (
            karcher.PrivateGeodesicRegression(
                **SPHERE, **TRUSTED, predictor_range=(0, 1), slope_bound=1, residual_bound=0.5
            ),
            dict(n=N),
            (np.linspace(0, 1, N), RECORDS),
            "ChangeOneDistance()",
        ),
        (
            karcher.PrivateFeatureRegression(
                "euclidean:1", features=["linear:age:20:80"], center=[0.0], radius=1.0, **TRUSTED
            ),
            dict(n=N),
            (pd.DataFrame({"age": np.full(N, 50.0)}), np.zeros((N, 1))),
            "ChangeOneDistance()",
        ),
        (karcher.PrivateCount(**TRUSTED), {}, RECORDS, "SymmetricDistance()"),
    ],
)
def test_neighbours_and_unit_choose_the_metric(estimator, options, data, metric):
    measured = measurement(estimator, **options)
    assert str(measured.input_metric) == metric
    assert measured.input_domain.member(data)
    released = measured(data)
    for release in released if type(released) is tuple else (released,):
        assert not getattr(release, "seeded", False) and release.guarantee <= estimator.guarantee()
    assert not hasattr(estimator, "release_") and not hasattr(estimator, "releases_")


@pytest.mark.parametrize("budget", BUDGETS)
def test_measurements_compose_as_karcher_composes(budget):
    measured = measurement(mean(**budget), N)
    space, each = (*measured.input_space, measured.output_measure), measured.map(1)
    rho_or_same = Guarantee(**budget) if "mu" not in budget else Guarantee(**budget).to_concentrated()
    ours = karcher.compose(rho_or_same, rho_or_same)
    expected = tuple(x for x in (ours.epsilon, ours.delta, ours.rho) if x is not None)
    together = dp.c.make_composition([measured, measured])
    adaptive = dp.c.make_adaptive_composition(*space, d_in=1, d_mids=[each, each])
    odometer = dp.c.make_fully_adaptive_composition(*space)
    limit = tuple(np.nextafter(2 * x, 9) for x in each) if isinstance(each, tuple) else np.nextafter(2 * each, 9)
    filtered = dp.c.make_privacy_filter(odometer, d_in=1, d_out=limit)
    assert len(together(RECORDS)) == 2
    asked, watched, kept = adaptive(RECORDS), odometer(RECORDS), filtered(RECORDS)
    for queryable in (asked, watched, kept):
        assert queryable(measured).n == queryable(measured).n == N
    for found in (together.map(1), adaptive.map(1), watched.privacy_loss(1)):
        assert losses(found) == pytest.approx(expected, rel=1e-12)
    for exhausted in (asked, kept):
        with pytest.raises(dp.OpenDPException):
            exhausted(measured)


def test_measurements_of_several_estimators_share_a_domain():
    median = karcher.PrivateGeometricMedian(**SPHERE, mu=0.5)
    both = dp.c.make_composition([measurement(mean(mu=0.5), N), measurement(median, N)])
    first, second = both(RECORDS)
    assert (first.spec["statistic"], second.spec["statistic"]) == ("frechet-mean", "geometric-median")
    with pytest.raises(dp.OpenDPException):
        dp.c.make_composition([measurement(mean(mu=0.5), N), measurement(mean(mu=0.5), N + 1)])


def test_opendp_turns_a_concentrated_measurement_into_our_epsilon():
    """OpenDP takes the best α, as karcher does, and loses what the curve of μ has beyond it."""
    measured = dp.c.make_zCDP_to_approxDP(measurement(mean(mu=0.5), N)).map(1)
    promised = Guarantee(mu=0.5)
    assert measured.epsilon(1e-6) == pytest.approx(promised.to_concentrated().epsilon_at(1e-6), rel=1e-6)
    assert measured.epsilon(1e-6) > promised.epsilon_at(1e-6)


def test_each_invocation_draws_fresh_noise_and_follows_no_later_change():
    estimator = mean(epsilon=0.5)
    measured = measurement(estimator, N)
    estimator.set_params(epsilon=5.0)
    first, second = measured(RECORDS), measured(RECORDS)
    assert np.any(first.value != second.value)
    assert first.guarantee == second.guarantee == Guarantee(epsilon=0.5) and measured.map(1) == 0.5


def test_a_ledger_counts_each_invocation(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "b.db", data="people", epsilon=1.0)
    measured = measurement(mean(epsilon=0.5, ledger=ledger), N)
    measured(RECORDS), measured(RECORDS)
    assert ledger.left == {"epsilon": 0.0}
    with pytest.raises(dp.OpenDPException, match="not enough is left"):
        measured(RECORDS)


@pytest.mark.parametrize(
    "estimator, options, sentence",
    [
        (mean(epsilon=1.0, random_state=1), dict(n=N), "random_state makes the noise known"),
        (mean(epsilon=1.0), {}, "n is missing"),
        (mean(epsilon=1.0, adjacency="add-remove", n_guess=N), dict(n=N), "n is confidential"),
        (karcher.FrechetMean("sphere:2"), dict(n=N), "expected a private estimator"),
        (PrivateNearestCentroid(**SPHERE, epsilon=1.0), dict(n=N), "labels is for a classifier"),
        (PrivateNearestCentroid(**SPHERE, epsilon=1.0), dict(labels=LABELS, unit="person"), "in several classes"),
        (PrivateNearestCentroid(**SPHERE, epsilon=1.0, labels="private", classes=[0, 1], n_guess=20),
         dict(unit="person"), "in several classes"),
        (PrivateTangentClassifier(**SPHERE, epsilon=1.0, classes=[0, 1], method="lda"), dict(n=N, unit="person"),
         "not of persons"),
        (mean(epsilon=1.0), dict(n=N, labels=LABELS), "labels is for a classifier"),
        (karcher.PrivateCount(epsilon=1.0), dict(unit="person"), "person"),
    ],
)
def test_what_has_no_measurement_is_refused(estimator, options, sentence):
    with pytest.raises(karcher.Error, match=sentence):
        measurement(estimator, **options)


@pytest.mark.parametrize(
    "data", [RECORDS[1:], RECORDS[:, :2], (RECORDS, LABELS), 3.0, None, (), [], np.zeros((N, 3, 1)), (RECORDS,) * 3]
)
def test_data_outside_of_the_domain_are_refused_by_their_shape(data):
    measured = measurement(mean(epsilon=0.5), N)
    assert not measured.input_domain.member(data)
    with pytest.raises(dp.OpenDPException, match="not in the domain"):
        measured(data)


def test_persons_are_counted_and_not_their_records():
    measured = measurement(mean(epsilon=0.5), N // 2, unit="person")
    assert measured((np.vstack([RECORDS, RECORDS[:6]]), np.append(np.arange(N) // 2, [0] * 6))).n == N // 2
    assert not measured.input_domain.member((RECORDS, np.arange(N)))
    assert not measured.input_domain.member(RECORDS)


def test_errors_are_those_of_the_library(monkeypatch):
    """A failure of another library could quote a record."""

    class Secret:
        def __array__(self, *args, **options):
            raise RuntimeError("a secret")

        def __len__(self):
            return N

    def fails(*args, **options):
        try:
            np.array(Secret())
        except RuntimeError as error:
            raise failure from error

    measured = measurement(mean(epsilon=0.5), N)
    for failure in (RuntimeError("a secret"), karcher.Error("a sentence")):
        with pytest.raises(dp.OpenDPException, match="not in the domain") as caught:
            measured(Secret())
        assert "a secret" not in str(caught.value)
        with monkeypatch.context() as patch, pytest.raises(dp.OpenDPException, match="karcher.errors") as caught:
            patch.setattr(karcher.PrivateFrechetMean, "fit", fails)
            measured(RECORDS)
        assert "a secret" not in str(caught.value)
    nowhere = RECORDS.copy()
    nowhere[3] = [0.0, 0.0, 2.0]
    with pytest.raises(dp.OpenDPException, match="InvalidPointError"):
        measurement(mean(epsilon=0.5), N)(nowhere)
    replaced = measurement(mean(epsilon=0.5, on_invalid="replace-with-center"), N)
    assert replaced(nowhere).n == N


def test_rotations_of_scipy_are_in_the_domain_of_quaternions():
    poses = Rotation.from_rotvec(np.full((50, 3), 0.1))
    mean = karcher.PrivateFrechetMean("rotations:3", radius=1.0, center=[1, 0, 0, 0], epsilon=1.0)
    assert measurement(mean, 50)(poses).n == 50
