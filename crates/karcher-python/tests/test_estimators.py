"""The means, against geomstats and pyRiemann, and scikit-learn's conventions."""

import json
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import karcher
from karcher import SPD, FrechetMean, Hyperbolic, Kendall, PrivateFrechetMean, Sphere, errors

warnings.simplefilter("ignore", DeprecationWarning)
from geomstats.geometry.hyperboloid import Hyperboloid  # noqa: E402
from geomstats.geometry.hypersphere import Hypersphere  # noqa: E402
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices  # noqa: E402
from geomstats.learning.frechet_mean import FrechetMean as GeomstatsMean  # noqa: E402

try:
    from pyriemann.geometry.mean import mean_logeuclid, mean_riemann
except ImportError:  # before pyRiemann 0.12
    from pyriemann.utils.mean import mean_logeuclid, mean_riemann


def geomstats_mean(space, x, weights=None):
    mean = GeomstatsMean(space)
    if hasattr(mean.optimizer, "epsilon"):
        mean.set(epsilon=1e-26, max_iter=60)
    return mean.fit(x, weights=weights).estimate_


def with_metric(k, metric):
    space = SPDMatrices(k, equip=False)
    space.equip_with_metric(metric)
    return space


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Sphere(2), lambda: Hypersphere(2)),
        (Hyperbolic(2), lambda: Hyperboloid(2)),
        (SPD(3), lambda: with_metric(3, SPDLogEuclideanMetric)),
        (SPD(3, metric="affine-invariant"), lambda: with_metric(3, SPDAffineMetric)),
    ],
    ids=lambda s: getattr(s, "name", ""),
)
def test_mean_agrees_with_geomstats(ours, theirs):
    x = ours.random_point(100, scale=0.3, random_state=1)
    assert_allclose(FrechetMean(ours).fit(x).estimate_, geomstats_mean(theirs(), x), atol=1e-10)
    weights = np.random.default_rng(0).uniform(size=100)
    weighted = FrechetMean(ours).fit(x, sample_weight=weights).estimate_
    assert_allclose(weighted, geomstats_mean(theirs(), x, weights), atol=1e-10)


@pytest.mark.parametrize("k", [3, 10])
def test_mean_agrees_with_pyriemann(k):
    x = SPD(k, metric="affine-invariant").random_point(300, scale=0.3 / k, random_state=2)
    weights = np.random.default_rng(0).uniform(size=300)
    for w in (None, weights):
        flat = FrechetMean("spd-log-euclidean").fit(x, sample_weight=w).estimate_
        assert_allclose(flat, mean_logeuclid(x, sample_weight=w), atol=1e-10)
        curved = FrechetMean("spd-affine-invariant").fit(x, sample_weight=w).estimate_
        assert_allclose(curved, mean_riemann(x, tol=1e-13, sample_weight=w), atol=1e-10)


def test_mean_of_shapes_is_where_the_gradient_vanishes():
    space = Kendall(20)
    x = space.random_point(200, scale=0.02, random_state=1)
    mean = FrechetMean(space).fit(x).estimate_
    assert np.abs(space.log(mean, x).mean(axis=0)).max() < 1e-12
    # position and size of the landmarks do not matter
    moved = 37.0 * x + np.random.default_rng(0).normal(size=(200, 1, 2))
    assert space.dist(mean, FrechetMean(space).fit(moved).estimate_) < 1e-10


def test_private_mean_is_as_far_off_as_it_says():
    space = Sphere(2)
    x = space.random_point(2000, center=[0, 0, 1], scale=0.1, random_state=1)
    truth = FrechetMean(space).fit(x).estimate_  # no record is clipped
    estimator = PrivateFrechetMean(space, radius=0.8, center=[0, 0, 1], epsilon=0.5)
    releases = [estimator.fit(x).release_ for _ in range(400)]
    distances = space.dist(truth, np.array([release.value for release in releases]))
    expected = releases[0].expected_distance
    # the mean of 400 distances, whose standard deviation is 0.71 of their mean: wrong by 5 standard errors once in a
    # million runs
    assert abs(distances.mean() / expected - 1.0) < 5 * 0.71 / 20
    assert abs(distances.mean() / (1.3 * expected) - 1.0) > 5 * 0.71 / 20 / 1.3 - 0.05
    assert len({release.value.tobytes() for release in releases}) == 400
    assert releases[0].numerics == "exact"
    assert not {"idealized-numerics", "seeded", "assumed-in-ball"} & set(releases[0].flags)


@pytest.mark.parametrize(
    ("manifold", "options", "mechanism"),
    [
        ("euclidean:3", {"epsilon": 1.0}, "laplace"),
        ("euclidean:300", {"epsilon": 1.0, "delta": 1e-6}, "laplace"),
        ("euclidean:300", {"mu": 0.5}, "gaussian"),
        ("sphere:2", {"mu": 0.5, "mechanism": "gaussian"}, "gaussian"),
        ("hyperbolic:2", {"rho": 0.1}, None),
        (
            "spd-log-euclidean:3",
            {"epsilon": 0.5, "delta": 1e-6, "mechanism": "tangent-gaussian", "calibration": "classical"},
            "gaussian",
        ),
        ("spd-affine-invariant:3", {"epsilon": 1.0}, "chart"),
        ("spd-affine-invariant:3", {"epsilon": 1.0, "numerics": "any"}, "laplace"),
        ("projective:3", {"mu": 1.0}, "chart"),
        ("kendall:10", {"mu": 1.0, "mechanism": "karcher-flow", "steps": 2}, "karcher-flow"),
        ("sphere:2", {"epsilon": 1.0, "mechanism": "kng"}, "kng"),
    ],
)
def test_every_space_and_budget(manifold, options, mechanism):
    space = karcher.manifold(manifold)
    x = space.random_point(1000, scale=0.1 / space.dim, random_state=1)
    estimator = PrivateFrechetMean(manifold, 0.5, space.origin, random_state=7, **options).fit(x)
    release = estimator.release_
    space.project(release.value)
    assert release.value.shape == space.shape and release.n == 1000 and release.manifold == space
    assert release.guarantee == karcher.Guarantee(
        **{k: v for k, v in options.items() if k in ("epsilon", "delta", "mu", "rho")}
    )
    assert mechanism in (None, release.mechanism)
    assert "seeded" in release.flags
    assert "mcmc-approximate" not in release.flags
    assert (release.steps is not None and len(release.steps) == 2) == (mechanism == "karcher-flow")
    again = PrivateFrechetMean(space, 0.5, space.origin, random_state=7, **options).fit(x)
    assert np.array_equal(again.estimate_, estimator.estimate_)


@pytest.mark.parametrize(
    "budget", [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6}, {"mu": 1.0}, {"rho": 0.1}], ids=str
)
@pytest.mark.parametrize(
    "manifold",
    ["sphere:2", "kendall:8", "spd-affine-invariant:3", "spd-log-euclidean:3", "torus:2", "sphere:2*euclidean:1"],
)
def test_what_auto_takes_is_proved_for_the_bits(manifold, budget):
    space = karcher.manifold(manifold)
    x = np.tile(space.origin, (300, *[1] * len(space.shape)))
    release = PrivateFrechetMean(space, 0.4, space.origin, **budget).fit(x).release_
    assert release.numerics == "exact" and "idealized-numerics" not in release.flags
    assert release.mechanism == karcher.plan(space, 0.4, 300, **budget).best
    assert json.loads(release.to_json())["numerics"] == "exact"


def test_proofs_about_real_numbers_are_for_whoever_accepts_them():
    x = np.tile([1.0, 0.0], (50, 1)) @ np.eye(2, 3)
    options = {"radius": 1.2, "center": [1.0, 0.0, 0.0], "epsilon": 1.0, "random_state": 3}
    exact, both, named = (
        PrivateFrechetMean("sphere:2", **options, **more).fit(x).release_
        for more in ({}, {"numerics": "any"}, {"mechanism": "laplace"})
    )
    assert (exact.mechanism, exact.numerics) == ("chart", "exact")
    # what is named is taken whatever is accepted
    assert both.mechanism == named.mechanism == "laplace" and both.numerics == named.numerics == "idealized"
    assert "idealized-numerics" in both.flags and np.array_equal(both.value, named.value)
    assert both.expected_distance < exact.expected_distance


@pytest.mark.parametrize("mechanism", ["auto", "chart", "karcher-flow"])
@pytest.mark.parametrize("manifold", ["euclidean:6", "sphere:5", "kendall:5", "spd-affine-invariant:3"])
def test_denoising_is_free_and_told(manifold, mechanism):
    space = karcher.manifold(manifold)
    x = np.tile(space.origin, (10, *[1] * len(space.shape)))
    release = {
        denoise: PrivateFrechetMean(
            space, 0.5, space.origin, mu=0.3, mechanism=mechanism, denoise=denoise, random_state=5
        ).fit(x).release_
        for denoise in (None, "shrink", "none")
    }  # fmt: skip
    shrunk, plain = release["shrink"], release["none"]
    assert np.array_equal(release[None].value, shrunk.value)
    assert np.array_equal(release[None].noisy_value, shrunk.noisy_value)
    assert plain.noisy_value is None and "noisy_value" not in json.loads(plain.to_json())
    # the same noise, and everything else that is told is the same
    assert np.array_equal(shrunk.noisy_value, plain.value) and not np.array_equal(shrunk.value, plain.value)
    assert (shrunk.scale, shrunk.expected_distance, shrunk.flags) == (plain.scale, plain.expected_distance, plain.flags)
    # the mean is the center here
    assert space.dist(space.origin, shrunk.value) < space.dist(space.origin, plain.value)
    assert space.dist(space.origin, shrunk.value) <= 0.5 + 1e-9
    again = karcher.Release.from_json(shrunk.to_json())
    assert np.array_equal(again.noisy_value, shrunk.noisy_value) and again.noisy_value.shape == space.shape
    assert karcher.Release.from_json(plain.to_json()).noisy_value is None
    assert "before denoising" in shrunk._repr_html_() and "before denoising" not in plain._repr_html_()


def test_kng_by_a_markov_chain_says_so():
    shapes = Kendall(10).random_point(20, scale=0.02, random_state=1)
    mean = PrivateFrechetMean(Kendall(10), 0.3, Kendall(10).origin, epsilon=1.0, mechanism="kng")
    release = mean.fit(shapes).release_
    assert release.mechanism == "kng" and "mcmc-approximate" in release.flags
    assert "the guarantee is approximate" in release._repr_html_()
    assert Kendall(10).dist(release.ball.center, release.value) <= 0.3 + 1e-9


def test_records_outside_the_ball_are_clipped_and_invalid_ones_replaced():
    space, center = Sphere(2), np.array([0.0, 0.0, 1.0])
    far = np.tile([0.0, 0.6, -0.8], (10_000, 1))
    estimator = PrivateFrechetMean(space, 0.5, center, epsilon=10.0, random_state=1)
    assert abs(space.dist(center, estimator.fit(far).estimate_) - 0.5) < 0.01
    far[::2] = np.nan
    with pytest.raises(errors.InvalidPointError, match=r"record 1 \(index 0\): .* NaN"):
        estimator.fit(far)
    half = estimator.set_params(on_invalid="replace-with-center").fit(far).estimate_
    assert abs(space.dist(center, half) - 0.25) < 0.01
    # which records are invalid shows nowhere else
    assert estimator.release_.n == 10_000
    landmarks = np.random.default_rng(0).normal(size=(500, 5, 2))
    landmarks[3] = 1.0
    PrivateFrechetMean("kendall", 0.5, Kendall(5).origin, epsilon=1.0, on_invalid="replace-with-center").fit(landmarks)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, errors.Error, "budget is missing"),
        ({"epsilon": 1.0, "mu": 1.0}, errors.Error, "budget is given more than once"),
        ({"delta": 1e-6}, errors.Error, "delta belongs to epsilon"),
        ({"epsilon": -1.0}, errors.Error, "epsilon is -1: it must be a finite number greater than 0"),
        ({"epsilon": 1.0, "radius": 1.6}, errors.RadiusTooLargeError, "radius 1.6 is too large for sphere:2"),
        ({"epsilon": 1.0, "radius": np.nan}, errors.Error, "radius is NaN"),
        ({"epsilon": 1.0, "center": [0, 0, 2]}, errors.InvalidPointError, "center: .* norm is 2"),
        ({"epsilon": 1.0, "mechanism": "karcher-flow"}, errors.Error, "never gives pure"),
        ({"epsilon": 1.0, "mechanism": "exponential"}, errors.Error, "unknown mechanism `exponential`"),
        ({"epsilon": 1.0, "steps": 3}, errors.Error, "steps does not go with"),
        (
            {"epsilon": 1.0, "calibration": "classical"},
            errors.Error,
            "calibration does not go with .*; it belongs to gaussian",
        ),
        ({"mu": 1.0, "mechanism": "tangent-gaussian"}, errors.Error, "on flat spaces"),
        ({"epsilon": 1.0, "bound": "best"}, errors.Error, "bound: unknown variant `best`, expected"),
        (
            {"mu": 1.0, "mechanism": "karcher-flow", "assume_in_ball": True},
            errors.Error,
            "assume_in_ball does not go with .*; it belongs to laplace, gaussian",
        ),
        ({"epsilon": 1.0, "mechanism": "kng", "bound": "sharp"}, errors.Error, "bound does not go with"),
        (
            {"epsilon": 1.0, "mechanism": "kng", "tolerance": 1e-6},
            errors.Error,
            "tolerance does not go with .*; it belongs to laplace, gaussian",
        ),
        ({"epsilon": 1.0, "numerics": "real"}, errors.Error, "numerics: .*expected `exact` or `any`"),
        ({"epsilon": 1.0, "numerics": None}, TypeError, "numerics is None: expected a text"),
        (
            {"epsilon": 1.0, "denoise": "smooth"},
            errors.Error,
            "denoise: .*expected `shrink` or `none`",
        ),
        ({"epsilon": 1.0, "denoise": False}, TypeError, "denoise is False: expected a text"),
        (
            {"epsilon": 1.0, "mechanism": "laplace", "denoise": "shrink"},
            errors.Error,
            "denoise does not go with .*laplace on sphere:2.*; it belongs to chart, karcher-flow",
        ),
        ({"epsilon": 1.0, "mechanism": "kng", "denoise": "shrink"}, errors.Error, "denoise does not go with .*kng"),
        ({"epsilon": 1.0, "on_invalid": "skip"}, errors.Error, "on_invalid is 'skip'"),
    ],
)
def test_private_mean_refuses_in_a_sentence(options, error, words):
    x = np.tile([0.0, 0.0, 1.0], (10, 1))
    with pytest.raises(error, match=words):
        PrivateFrechetMean(**{"manifold": "sphere:2", "radius": 0.5, "center": [0.6, 0.0, 0.8], **options}).fit(x)
    with pytest.raises(errors.UnsupportedError, match="curvature is not constant"):
        PrivateFrechetMean("kendall", 0.3, Kendall(4).origin, mu=1.0, mechanism="gaussian").fit(
            np.random.default_rng(0).normal(size=(9, 4, 2))
        )


def test_records_come_one_a_row():
    with pytest.raises(ValueError, match="one point of spd-log-euclidean:3: records come one a row"):
        FrechetMean(SPD(3)).fit(np.eye(3))
    with pytest.raises(ValueError, match="must have shape"):
        FrechetMean(SPD(3)).fit(np.ones((5, 2, 2)))
    with pytest.raises(ValueError, match="expected a manifold"):
        FrechetMean(3).fit(np.ones((5, 2)))


@pytest.mark.parametrize(
    "estimator",
    [FrechetMean("euclidean"), PrivateFrechetMean("euclidean", radius=10.0, epsilon=1.0)],
    ids=["FrechetMean", "PrivateFrechetMean"],
)
def test_scikit_learn_conventions(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(estimator)
    estimator.set_params(manifold=SPD(3))
    if isinstance(estimator, PrivateFrechetMean):
        estimator.set_params(center=np.eye(3))
    cloned = clone(estimator)
    assert cloned.get_params()["manifold"] == SPD(3) and not hasattr(cloned, "estimate_")
    x = SPD(3).random_point(20, scale=0.1, random_state=1)
    fitted = cloned.fit(x)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.estimate_, fitted.estimate_) and again.manifold_ == SPD(3)


def test_input_is_neither_copied_nor_changed():
    """Peak memory beyond the input, in a process of its own: a tenth of it where a copy would take all."""
    program = """
import resource, numpy as np, karcher
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rng = np.random.default_rng(0)
for name, x in (
    ("spd-log-euclidean", np.tile(np.diag([1.0, 2.0, 3.0, 4.0]), (300_000, 1, 1))),
    ("euclidean", np.ones((500_000, 10))),
    ("sphere", np.tile([0.6, 0.0, 0.8], (1_600_000, 1))),
):
    assert x.nbytes > 38e6
    karcher.FrechetMean(name).fit(x[:5000])
    space = karcher.FrechetMean(name).fit(x[:5000]).manifold_
    before = peak()
    karcher.FrechetMean(name, tolerance=1e-9).fit(x)
    after = peak()
    print(name, (after - before) / x.nbytes)
"""
    lines = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    growth = dict(zip(lines[::2], map(float, lines[1::2])))
    assert growth["spd-log-euclidean"] < 0.1 and growth["sphere"] < 0.1 and growth["euclidean"] < 0.1, growth
    x = SPD(3).random_point(2000, scale=0.3, random_state=1)
    before = x.copy()
    PrivateFrechetMean(SPD(3), 0.1, np.eye(3), epsilon=1.0).fit(x)
    assert np.array_equal(x, before)


def test_other_threads_run_while_rust_works():
    x = np.tile(SPD(20).random_point(500, scale=0.05, random_state=1), (40, 1, 1))
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    FrechetMean(SPD(20, metric="affine-invariant")).fit(x)
    end = time.perf_counter()
    done.set()
    thread.join()
    during = [t for t in ticks if start + 0.1 * (end - start) < t < end - 0.1 * (end - start)]
    assert end - start > 0.05 and len(during) > 5, (end - start, len(during))


def test_release_is_what_the_library_says():
    x = np.tile([0.6, 0.0, 0.8], (100, 1))
    release = PrivateFrechetMean("sphere:2", 0.9, [0.0, 0.0, 1.0], epsilon=1.0).fit(x).release_
    record = json.loads(release.to_json())
    assert record["sensitivity"] == {"value": release.sensitivity.value, "bound": "chart"}
    assert abs(release.sensitivity.value - 0.02520316) < 1e-7 and release.scale == record["scale"]
    assert record["guarantee"] == {"definition": "pure", "epsilon": 1.0} and release.adjacency == "replace-one"
    assert record["value"] == release.value.tolist() and release.ball.radius == 0.9
    again = karcher.Release.from_json(release.to_json())
    assert np.array_equal(again.value, release.value) and again.guarantee == release.guarantee
    assert pickle.loads(pickle.dumps(release)).to_json() == release.to_json()
    page = release._repr_html_()
    assert (
        "pure differential privacy with epsilon 1.0" in page
        and "mean of 100 records" in page
        and "idealized-numerics" not in page
    )
    curved = PrivateFrechetMean("sphere:2", 0.9, [0.0, 0.0, 1.0], epsilon=1.0, mechanism="laplace").fit(x)
    assert "idealized-numerics" in curved.release_._repr_html_()
    elsewhere = release.to_json().replace("sphere:2", "sphere:3")
    for text in ("", "[]", "{}", '{"schema": 3}', '{"schema": 4}', "[" * 100_000, elsewhere):
        with pytest.raises(errors.Error):
            karcher.Release.from_json(text)
    names = "schema statistic manifold n value guarantee unit adjacency mechanism scale sensitivity ball numerics flags"
    for name in names.split():
        with pytest.raises(errors.Error):
            karcher.Release.from_json(json.dumps({**record, name: {"not": "this"}}))


def test_a_release_and_a_plan_print_as_short_tables():
    x = np.tile([0.0, 0.0, 1.0], (50, 1))
    release = PrivateFrechetMean("sphere:2", 0.9, [0.0, 0.0, 1.0], epsilon=1.0).fit(x).release_
    told = repr(release)
    for words in ("private mean  ", "sphere:2, 50 records", "epsilon 1.0, one record replaced", "0.9 around 0 0 1"):
        assert words in release.summary(), release.summary()
    assert set(told.split()) <= set(release.summary().split()) and "sphere:2" not in told
    assert release.sentence().startswith("The private Fréchet mean of 50 records on sphere:2 was ")
    assert str(release) == told and len(told) < 1200 and "_json" not in told
    told = repr(karcher.plan("spd-log-euclidean:3", 1.0, 100, epsilon=1.0))
    assert told.startswith("Plan of ") and len(told.splitlines()) == 6 and "--" not in told, told


def test_notebooks_show_the_section_of_the_report():
    x = np.tile([0.6, 0.0, 0.8], (100, 1))
    release = PrivateFrechetMean("sphere:2", 0.9, [0.0, 0.0, 1.0], epsilon=1.0).fit(x).release_
    page = release._repr_html_()
    assert page == karcher.Release.from_json(release.to_json())._repr_html_()
    # an image, as JupyterLab drops SVG from notebooks of others
    assert '<img alt="Private mean on sphere:2: ' in page and "<svg" not in page
    svg = unquote(re.search(r'src="data:image/svg\+xml;charset=utf-8,([^"]*)"', page)[1])
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg" and "with a chance of at most" in page
    assert "<script" not in page and "https:" not in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    # the ids of one release are not those of another, which is in the same notebook
    other = PrivateFrechetMean("sphere:2", 0.9, [0.0, 0.0, 1.0], epsilon=1.0).fit(x).release_._repr_html_()
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (page, other)]
    assert ids[0] and not ids[0] & ids[1]
    # names from elsewhere stay text
    hostile = json.dumps({**json.loads(release.to_json()), "karcher": "<script>alert(1)</script>"})
    assert "&lt;script&gt;" in karcher.Release.from_json(hostile)._repr_html_()
