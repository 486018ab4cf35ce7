"""Results that need no records, against published and independently computed numbers."""

import math
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

import karcher
from karcher import Guarantee, errors


def test_sensitivities_of_the_guide():
    # n·Δ on S² at r = π/8
    for bound, expected in (("published", 1.21460184), ("averaged-hessian", 0.92181376)):
        assert_allclose(karcher.sensitivity("sphere:2", np.pi / 8, 1, bound=bound).value, expected, rtol=1e-8)
    assert_allclose(karcher.sensitivity("spd-affine-invariant:5", 1.5, 100).value, 2 * 1.5 / 100, rtol=1e-9)
    with pytest.raises(errors.RadiusTooLargeError, match="published"):
        karcher.sensitivity("sphere:2", 0.9, 10, bound="published")


def test_sensitivity_refuses_the_balls_that_a_mean_refuses():
    for space, limit in (("sphere:2", np.arctan(70)), ("kendall:8", np.arctan(15) / 2)):
        karcher.sensitivity(space, limit * (1 - 1e-9), 10)
        with pytest.raises(errors.RadiusTooLargeError):
            karcher.sensitivity(space, limit * (1 + 1e-9), 10)


def test_calibration_agrees_with_the_analytic_gaussian_mechanism():
    for epsilon, delta, expected in ((0.1, 1e-6, 36.30469043), (1, 1e-6, 4.22467889), (4, 1e-6, 1.19351859)):
        noise = karcher.calibrate("euclidean:3", 1.0, mechanism="gaussian", epsilon=epsilon, delta=delta)
        assert_allclose(noise.scale, expected, rtol=1e-8)
        back = karcher.calibrate("euclidean:3", 1.0, mechanism="gaussian", scale=noise.scale).guarantee
        assert back.delta_at(epsilon) <= delta * (1 + 1e-6)
    noise = karcher.calibrate("sphere:2", 1.0, mechanism="laplace", scale=0.1)
    assert noise.guarantee == Guarantee(epsilon=10.0)
    assert_allclose(noise.expected_distance, 0.19801980, rtol=1e-7)
    assert noise.median < noise.quantile_95
    with pytest.raises(errors.Error, match="not both"):
        karcher.calibrate("sphere:2", 1.0, mechanism="laplace", scale=0.1, epsilon=1.0)
    with pytest.raises(errors.Error, match="budget is missing"):
        karcher.calibrate("sphere:2", 1.0, mechanism="laplace")
    with pytest.raises(errors.TooMuchNoiseError):
        karcher.calibrate("hyperbolic:3", 1.0, mechanism="laplace", epsilon=1.0)


@pytest.mark.parametrize(
    ("manifold", "scale", "sensitivity", "mu", "delta"),
    [
        ("sphere:2", 0.25, 0.25, 0.989556, 0.23425282),
        ("sphere:5", 0.5, 0.5, 0.854040, 0.18030582),
        ("hyperbolic:2", 0.5, 0.5, 1.041266, 0.25484958),
        ("hyperbolic:3", 1.0, 1.0, 1.366562, 0.38134038),
    ],
)
def test_profiles_of_the_guide(manifold, scale, sensitivity, mu, delta):
    profile = karcher.profile(manifold, sensitivity, scale, [[0.5, 1.0]])
    assert profile.delta.shape == profile.epsilon.shape == (1, 2)
    assert_allclose(profile.delta[0, 0], delta, rtol=1e-6)
    assert_allclose(profile.guarantee.mu, mu, rtol=2e-6)


def test_plan_names_the_best_and_says_why_others_do_not_apply():
    plan = karcher.plan("kendall:50", 0.3, 1000, epsilon=1, delta=1e-6)
    assert plan.best == "chart"
    assert [c.mechanism for c in plan.candidates] == ["laplace", "gaussian", "chart", "kng", "karcher-flow"]
    assert "not constant" in plan["gaussian"].reason and plan["gaussian"].expected_distance is None
    assert_allclose(plan["laplace"].expected_distance, 0.06557999, rtol=1e-6)
    assert plan["karcher-flow"].steps == 1 and plan["laplace"].bias_bound == 0.0
    assert "<b>chart</b>" in plan._repr_html_()
    # a flow of one step on a flat space is Gaussian noise, up to rounding
    tie = karcher.plan("spd-log-euclidean:9", 22.3031, 60_000, mu=0.2367)
    assert_allclose(tie["karcher-flow"].expected_distance, tie["gaussian"].expected_distance, rtol=1e-7)
    assert tie.best == "gaussian"
    # a Markov chain is only approximately private
    assert plan["kng"].chain_steps > 1000 and plan["laplace"].chain_steps is None
    assert "kng (approximate)" in plan._repr_html_()
    assert plan["kng"].numerics == "mcmc" and "chain" in plan["kng"].by_name
    drawn = karcher.plan("sphere:2", 0.3, 3, epsilon=1.0, numerics="any")
    assert drawn.best == "kng" and drawn["kng"].chain_steps is None and drawn["kng"].by_name is None
    # the mean of so large a ball need not be unique
    flow = karcher.plan("sphere:2", 2.0, 100, epsilon=1, delta=1e-6)
    assert flow.best is None and flow["karcher-flow"].reason is None and flow["karcher-flow"].by_name is not None
    with pytest.raises(KeyError):
        plan["exponential"]
    with pytest.raises(errors.RadiusTooLargeError):
        karcher.plan("sphere:2", 2.0, 10, epsilon=1.0)
    with pytest.raises(errors.Error, match="no records"):
        karcher.plan("sphere:2", 0.5, 0, epsilon=1.0)


@pytest.mark.parametrize("budget", [{"epsilon": 1.0}, {"mu": 1.0}], ids=["pure", "gaussian"])
@pytest.mark.parametrize(
    "manifold", ["sphere:2", "kendall:10", "spd-affine-invariant:3", "hyperbolic:2", "euclidean:5"]
)
def test_a_plan_takes_proofs_about_bits_unless_told_otherwise(manifold, budget):
    exact, both = (karcher.plan(manifold, 0.5, 300, numerics=numerics, **budget) for numerics in ("exact", "any"))
    assert exact[exact.best].numerics == "exact"
    for plan in (exact, both):
        taken = [c for c in plan.candidates if c.reason is None and c.by_name is None]
        bounds = {c.mechanism: c.expected_distance + c.bias_bound for c in taken}
        assert bounds[plan.best] <= min(bounds.values()) * (1 + 1e-5)
    for c in exact.candidates:
        assert (c.numerics is None) == (c.reason is not None)
        # the two differ only in the mechanisms that need a request by name
        assert c.numerics != "idealized" or ("floating point" in c.by_name and both[c.mechanism].by_name is None)
        assert c.expected_distance == both[c.mechanism].expected_distance
    assert f"<td>{exact[exact.best].numerics}</td>" in exact._repr_html_()
    with pytest.raises(errors.Error, match="numerics: .*expected `exact` or `any`"):
        karcher.plan(manifold, 0.5, 300, numerics="all", **budget)


def test_a_plan_says_what_denoising_gains():
    plan = karcher.plan("euclidean:100", 1.0, 20, mu=1.0)
    gains = plan[plan.best].denoised
    assert [gain.at for gain in gains] == [0.0, 0.5, 1.0]
    for gain in gains:
        # σ·√d = 2/20·10, wherever the mean is; and most directions are noise
        assert_allclose(gain.noisy, 1.0, rtol=1e-6)
        assert gain.denoised < 0.8
    assert all(a.denoised < b.denoised for a, b in zip(gains, gains[1:]))
    curved = karcher.plan("kendall:50", 0.3, 1000, epsilon=1.0)
    # one is curved, one does not apply
    assert curved["laplace"].denoised is None and curved["gaussian"].denoised is None
    assert "100 %" not in plan._repr_html_() and "<td>no</td>" in curved._repr_html_()


def test_guarantees_convert_and_add_up():
    assert Guarantee(epsilon=1.0).definition == "pure" and Guarantee(rho=1.0).definition == "concentrated"
    assert Guarantee(epsilon=1.0, delta=1e-6).definition == "approximate"
    assert_allclose(Guarantee(epsilon=1.0).to_concentrated().rho, np.tanh(0.5))  # ε·tanh(ε/2)
    # μ = 2Φ⁻¹(e/(1+e))
    assert_allclose(Guarantee(epsilon=1.0).to_gaussian().mu, 1.2320, atol=1e-3)
    both = karcher.compose(Guarantee(mu=0.3), Guarantee(mu=0.4))
    assert_allclose(both.mu, 0.5)
    assert repr(Guarantee(epsilon=1.0, delta=1e-6)) == "Guarantee(epsilon=1.0, delta=1e-06)"
    for wrong in ({}, {"delta": 0.1}, {"epsilon": 0.0}, {"epsilon": 1.0, "delta": 1.0}, {"mu": 1.0, "rho": 1.0}):
        with pytest.raises(errors.Error):
            Guarantee(**wrong)
    with pytest.raises(errors.Error):
        Guarantee(mu=1.0).delta_at(-1.0)


@pytest.mark.parametrize(
    ("manifold", "options", "mechanism", "near", "claimed"),
    [
        ("sphere:2", {"epsilon": 1.0}, "laplace", 0.4, 1.0),
        ("sphere:2", {"epsilon": 1.0}, "chart", 0.4, 1.0),
        # half of the budget is for the constant, which hardly changes
        ("sphere:2", {"epsilon": 1.0}, "kng", 0.05, 1.0),
        ("euclidean:2", {"mu": 1.0}, "gaussian", 0.7, 1.0),
        ("spd-log-euclidean:2", {"rho": 0.5}, "karcher-flow", 0.1, 0.5),
    ],
)
def test_audits_come_near_what_is_promised_and_stay_below(manifold, options, mechanism, near, claimed):
    found = karcher.audit(manifold, 0.5, 8, mechanism=mechanism, releases=5000, **options)
    assert found.passed and found.mechanism == mechanism and found.claim == Guarantee(**options)
    assert found.conclusive and found.provable > claimed
    assert near < found.lower_bound <= claimed
    assert (found.releases, found.error_probability) == (5000, 1e-6)
    again = karcher.audit(manifold, 0.5, 8, mechanism=mechanism, releases=5000, **options)
    assert found == again


def test_an_audit_of_too_few_releases_is_not_conclusive_and_has_not_passed():
    found = karcher.audit("sphere:2", 0.5, 8, epsilon=3.0, mechanism="laplace", releases=200)
    assert found.provable < 3.0 and not found.conclusive and not found.passed


def test_an_audit_takes_what_a_release_takes():
    options = {"mu": 1.0, "releases": 200}
    found = {n: karcher.audit("hyperbolic:2", 0.5, 8, numerics=n, **options) for n in ("exact", "any")}
    plans = {n: karcher.plan("hyperbolic:2", 0.5, 8, mu=1.0, numerics=n) for n in found}
    assert {n: audit.mechanism for n, audit in found.items()} == {n: plan.best for n, plan in plans.items()}
    assert plans["exact"].best == "chart" != plans["any"].best
    assert karcher.audit("hyperbolic:2", 0.5, 8, denoise="none", **options).lower_bound <= 1.0


def test_audit_refuses_in_a_sentence():
    for options, words in (
        ({}, "budget is missing"),
        ({"epsilon": 1.0, "n": 0}, "no records"),
        ({"epsilon": 1.0, "releases": 10}, "at least 100"),
        ({"epsilon": 1.0, "releases": 100, "error_probability": 0.0}, "error_probability is 0"),
        ({"epsilon": 1.0, "mechanism": "kng", "bound": "sharp"}, "bound does not go with"),
        ({"epsilon": 1.0, "mechanism": "exponential"}, "unknown mechanism"),
        ({"epsilon": 1.0, "numerics": "real"}, "numerics: .*expected `exact` or `any`"),
        ({"epsilon": 1.0, "denoise": "smooth"}, "denoise: .*expected `shrink` or `none`"),
        (
            {"epsilon": 1.0, "mechanism": "laplace", "denoise": "shrink"},
            "denoise does not go with .*; it belongs to chart",
        ),
    ):
        with pytest.raises(errors.Error, match=words):
            karcher.audit(**{"manifold": "sphere:2", "radius": 0.5, "n": 5, **options})


def test_other_threads_run_during_an_audit():
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    karcher.audit("sphere:2", 0.5, 20, epsilon=1.0, mechanism="laplace", releases=2000)
    end = time.perf_counter()
    done.set()
    thread.join()
    during = [t for t in ticks if start + 0.1 * (end - start) < t < end - 0.1 * (end - start)]
    assert end - start > 0.05 and len(during) > 5, (end - start, len(during))


def test_a_plan_of_a_flow_whose_end_is_unknown_claims_no_bias():
    plan = karcher.plan("torus:2", 2.0, 100, epsilon=1.0, delta=1e-6)
    assert plan.best is None and plan["karcher-flow"].bias_bound is None
    assert "<td>unknown</td>" in plan._repr_html_()
    assert karcher.plan("torus:2", 1.5, 100, epsilon=1.0, delta=1e-6)["karcher-flow"].bias_bound is not None


def test_medians_and_balls_are_planned():
    for statistic, mechanism in [("median", "median-flow"), ("ball", "locate")]:
        plan = karcher.plan("euclidean:2", 1000.0, 4000, mu=1.0, statistic=statistic)
        assert plan.best == mechanism and 0.0 < plan[mechanism].expected_distance < 100.0
        # a ball by medians of coordinates takes no steps
        assert (plan[mechanism].steps is None) == (statistic == "ball")
    plan = karcher.plan("sphere:2", 1.0, 1000, epsilon=1.0, statistic="variance")
    assert plan.best == "laplace" and plan["laplace"].expected_distance == pytest.approx(1e-3)
    with pytest.raises(karcher.Error, match="bound does not go with a geometric-median; it belongs to"):
        karcher.plan("euclidean:2", 1.0, 10, mu=1.0, statistic="median", bound="sharp")
    with pytest.raises(karcher.Error, match="statistic is 'mode': expected"):
        karcher.plan("euclidean:2", 1.0, 10, mu=1.0, statistic="mode")


@pytest.mark.parametrize(
    ("space", "radius", "more"),
    [
        ("euclidean:1", 1.0, {}),
        ("sphere:2", 0.9, {}),
        ("sphere:2", 3.2, {"ball": "auto", "expected_spread": 0.1}),
        ("sphere:2", 0.9, {"statistic": "spread"}),
        ("sphere:2", 0.9, {"statistic": "components", "clip": 0.5}),
    ],
)
def test_the_least_that_reaches_an_error_is_found(space, radius, more):
    def expected(n, epsilon):
        plan = karcher.plan(space, radius, n, epsilon=epsilon, **more)
        if plan.forecast is None:
            return plan[plan.best].expected_distance
        ((name, foreseen),) = plan.forecast.items()
        return math.sqrt(foreseen["mean_square" if name == "spread" else "noise_level"])

    found = karcher.plan(space, radius, error=0.05, epsilon=1.0, **more)
    assert found.guarantee == karcher.Guarantee(epsilon=1.0)
    assert expected(found.n, 1.0) <= 0.05 * (1 + 1e-9) < expected(found.n - 1, 1.0)
    least = karcher.plan(space, radius, 3000, error=0.05, **more)
    assert least.n == 3000
    assert expected(3000, least.guarantee.epsilon) <= 0.05 * (1 + 1e-9) < expected(3000, 0.99 * least.guarantee.epsilon)


def test_questions_that_are_asked_twice_or_not_at_all_are_refused():
    for more, words in [
        ({"n": 10, "error": 0.1, "epsilon": 1.0}, "leave out n or the budget"),
        ({"epsilon": 1.0}, "n is missing"),
        ({"error": 0.1}, "budget is missing"),
        ({"n": 10, "error": -1.0}, "error is -1: it must be a positive number"),
        ({"n": 10, "error": 1e-30}, "no ε up to 10000"),
        ({"n": 10, "epsilon": 1.0, "clip": 1.0}, "clip belongs to"),
        ({"n": 10, "epsilon": 1.0, "ball": "auto"}, "takes expected_spread"),
        ({"n": 10, "epsilon": 1.0, "ball": "auto", "statistic": "median"}, "is for means"),
        ({"n": 10, "epsilon": 1.0, "ball": "here"}, "expected 'auto'"),
    ]:
        with pytest.raises(karcher.Error, match=words):
            karcher.plan("sphere:2", 0.9, **more)
    approximate = karcher.plan("sphere:2", 0.9, 100, error=0.1, delta=1e-6).guarantee
    assert (approximate.definition, approximate.delta) == ("approximate", 1e-6)


def test_every_statistic_is_audited():
    options = {"mu": 2.0, "releases": 400}
    for statistic in ["median", "ball", "variance"]:
        found = karcher.audit("euclidean:2", 1.0, 8, statistic=statistic, **options)
        assert found.passed, found
    parts = karcher.audit("euclidean:2", 1.0, 8, spread=True, components=True, **options).parts
    assert [part.part for part in parts] == ["point", "mean square", "fraction outside", "second moment"]
    assert all(part.passed and part.claim.mu < 2.0 for part in parts)
    found = karcher.audit("euclidean:2", n=8, ball="auto", within=10.0, releases=100, mu=1.0, mechanism="gaussian")
    assert [part.part for part in found.parts] == ["center", "ball"] and found.mechanism == "locate"
    for wrong, words in [
        ({}, "radius is missing"),
        ({"within": 1.0}, "within belongs to"),
        ({"ball": "auto", "radius": 1.0}, "radius does not go with"),
        ({"ball": "auto"}, "within is missing"),
        ({"ball": "auto", "statistic": "median"}, "is for means"),
        ({"radius": 1.0, "spread_clip": 1.0}, "spread_clip belongs to"),
        ({"radius": 1.0, "statistic": "median", "spread": True}, "spread"),
    ]:
        with pytest.raises(karcher.Error, match=words):
            karcher.audit("euclidean:2", n=8, **{**options, **wrong})


def test_shuffled_reports_need_a_delta_and_pure_epsilon():
    hidden = karcher.compose(Guarantee(epsilon=1.0), delta=1e-6, shuffled=10_000)
    assert hidden.delta == 1e-6 and 0.0432 < hidden.epsilon < 0.0433
    with pytest.raises(errors.Error, match="shuffled needs delta"):
        karcher.compose(Guarantee(epsilon=1.0), shuffled=100)
    with pytest.raises(errors.Error, match="pure epsilon only"):
        karcher.compose(Guarantee(mu=1.0), delta=1e-6, shuffled=100)
