"""Directional statistics: with a budget that hides nothing they are those of SciPy and PmagPy, and of the release."""

import math

import numpy as np
import pandas
import pyarrow
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import circmean, directional_stats, vonmises, vonmises_fisher

import karcher
from karcher import directional

LARGE = 1e6
"""A budget whose noise is below 1e-8."""

X = vonmises_fisher([0.6, 0.0, 0.8], 20.0).rvs(3000, random_state=1)
POSES = Rotation.from_rotvec(np.random.default_rng(0).normal([0.0, 0.3, 1.0], 0.4, size=(2000, 3)))
ANGLES = vonmises(2.0, 3.0).rvs(3000, random_state=2)


def fisher_mean(directions):
    """PmagPy's ``pmag.fisher_mean``, by its published formulas."""
    x = np.asarray(directions)
    n, resultant = len(x), np.linalg.norm(x.sum(axis=0))
    mean = x.sum(axis=0) / resultant
    k = (n - 1) / (n - resultant)
    cosine = 1.0 - (n - resultant) / resultant * (20.0 ** (1.0 / (n - 1)) - 1.0)
    return {
        "dec": math.degrees(math.atan2(mean[1], mean[0])) % 360.0,
        "inc": math.degrees(math.asin(mean[2])),
        "n": n,
        "r": resultant,
        "k": k,
        "alpha95": math.degrees(math.acos(cosine)),
        "csd": 81.0 / math.sqrt(k),
    }


def test_fisher_statistics_are_those_of_pmagpy():
    found = directional.fisher_statistics(X, epsilon=LARGE)
    for name, expected in fisher_mean(X).items():
        shown = getattr(found, name) % 360.0 if name == "dec" else getattr(found, name)
        assert shown == pytest.approx(expected, rel=1e-5, abs=1e-5), name
    assert found.k_interval[0] <= found.k <= found.k_interval[1] and found.p_value < 1e-4


def test_the_mean_direction_is_that_of_scipy():
    found, expected = directional.fisher_statistics(X, epsilon=LARGE), directional_stats(X)
    np.testing.assert_allclose(found.release.value, expected.mean_direction, atol=1e-7)
    assert found.r / found.n == pytest.approx(expected.mean_resultant_length, abs=1e-7)


def test_kappa_is_that_of_scipys_fit():
    law = directional.fisher_statistics(X, epsilon=LARGE).release.extrinsic.factors[0].concentration
    assert law.kappa == pytest.approx(vonmises_fisher.fit(X)[1], rel=1e-3)


def test_declinations_and_inclinations_are_directions():
    pairs = karcher.Sphere(2).write(X, "declination-inclination")
    budget = {"epsilon": 1.0, "random_state": 3}
    found = directional.fisher_statistics(pairs, **budget)
    frame = pandas.DataFrame(pairs, columns=["dec", "inc"])
    for other in (X, frame, pyarrow.table(frame), pairs.tolist()):
        again = directional.fisher_statistics(other, **budget)
        assert (again.dec, again.alpha95) == pytest.approx((found.dec, found.alpha95), abs=1e-6)
    with pytest.raises(karcher.Error):
        directional.fisher_statistics(frame[["inc", "dec"]], **budget)


def test_the_cone_of_any_law_is_wider_and_the_frechet_mean_is_near():
    found = directional.fisher_statistics(X, epsilon=LARGE)
    # 1.96·√2/2.45 for concentrated directions
    assert 1.0 < found.alpha95_any_population / found.alpha95 < 1.3
    (factor,) = found.release.extrinsic.factors
    mean = karcher.FrechetMean(karcher.Sphere(2)).fit(X).estimate_
    assert karcher.Sphere(2).dist(mean, found.release.value) < factor.frechet_mean_within < 0.6


def test_concentrations_are_those_of_bingham_and_matrix_fisher():
    axes = directional.axial_statistics(X, epsilon=LARGE)
    # of concentrated axes nearly 1/2t
    np.testing.assert_allclose(axes.bingham, 0.5 / np.array(axes.eigenvalues[:0:-1])[::-1], rtol=0.1)
    # the matrix Fisher law with the same mean: evenly spread rotations, weighed by its density
    s = np.array(directional.rotation_mean(POSES, epsilon=LARGE).singular_values)
    even = np.diagonal(Rotation.random(1_000_000, random_state=4).as_matrix(), axis1=1, axis2=2)
    weights = np.exp(even @ s - s.sum())
    expected = np.linalg.svd(POSES.as_matrix().mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(weights @ even / weights.sum(), expected, rtol=0.01)
    assert len(directional.rotation_mean(POSES, epsilon=0.001, random_state=1).singular_values) == 3


def test_the_cone_covers_the_noise():
    exact, noisy = (directional.fisher_statistics(X, epsilon=epsilon, random_state=1) for epsilon in (LARGE, 0.05))
    assert noisy.alpha95 > 3.0 * exact.alpha95
    assert noisy.release.guarantee == karcher.Guarantee(epsilon=0.05)


def test_without_a_direction_there_is_no_cone():
    x = np.vstack([X[:10], -X[:10]])
    found = directional.fisher_statistics(x, epsilon=0.1, random_state=1)
    assert found.alpha95 == found.alpha95_any_population == 180.0
    assert "the population's mean may be anywhere" in repr(found.release)


def test_a_confidential_number_is_the_private_one():
    found = directional.fisher_statistics(X, epsilon=1.0, adjacency="add-remove", n_guess=2000, random_state=1)
    assert found.n == found.release.private_count.value != 3000


def test_groups_are_protected():
    found = directional.fisher_statistics(X, epsilon=1.0, groups=np.arange(3000) % 300, random_state=1)
    assert (found.n, found.release.unit) == (300, "person")


def test_groups_may_be_a_column():
    budget = {"epsilon": 1.0, "random_state": 1}
    sites = np.arange(3000) % 300
    pairs = karcher.Sphere(2).write(X, "declination-inclination")
    frame = pandas.DataFrame(pairs, columns=["dec", "inc"]).assign(site=sites)
    found = directional.fisher_statistics(pairs, groups=sites, **budget)
    for table in (frame, pyarrow.table(frame)):
        again = directional.fisher_statistics(table, groups="site", **budget)
        assert (again.dec, again.n, again.release.unit) == (pytest.approx(found.dec), 300, "person")
    hours = pandas.DataFrame({"angle": ANGLES, "site": sites})
    again = directional.circular_mean(hours, groups="site", **budget)
    assert again.mean == pytest.approx(directional.circular_mean(ANGLES, groups=sites, **budget).mean)
    poses = pandas.DataFrame(POSES.as_quat(), columns=["x", "y", "z", "w"]).assign(site=sites[:2000])
    assert directional.rotation_mean(poses, groups="site", **budget).n == 300
    with pytest.raises(karcher.Error, match="no such column"):
        directional.fisher_statistics(frame, groups="core", **budget)


def test_a_ledger_counts_the_call(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "study.ledger", data="sites", unit="record", epsilon=1.5)
    directional.fisher_statistics(X, epsilon=1.0, ledger=ledger)
    with pytest.raises(karcher.errors.BudgetError):
        directional.axial_statistics(X, epsilon=1.0, ledger=ledger)


def test_axial_statistics_are_those_of_the_orientation_tensor():
    axes = X * np.random.default_rng(0).choice([-1.0, 1.0], size=(3000, 1))
    found = directional.axial_statistics(axes, epsilon=LARGE)
    values, vectors = np.linalg.eigh(axes.T @ axes / 3000)
    np.testing.assert_allclose(found.eigenvalues, values[::-1], atol=1e-7)
    assert sum(found.eigenvalues) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(np.abs(np.sum(found.eigenvectors * vectors.T[::-1], axis=1)), 1.0, atol=1e-4)
    np.testing.assert_allclose(np.abs(found.eigenvectors[0] @ found.axis), 1.0, atol=1e-12)
    assert found.semi_axes[0] >= found.semi_axes[1] and found.alpha95 < 1.0
    at = karcher.Projective(2).read([found.trend, found.plunge], "trend-plunge")
    assert karcher.Projective(2).dist(at, found.axis) < 1e-9


def test_axes_have_any_dimension():
    x = np.random.default_rng(0).normal([3.0, 0.0, 0.0, 0.0, 1.0], 1.0, size=(1000, 5))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    found = directional.axial_statistics(x, epsilon=LARGE)
    np.testing.assert_allclose(found.eigenvalues, np.linalg.eigvalsh(x.T @ x / 1000)[::-1], atol=1e-6)
    assert found.trend is None and found.eigenvectors.shape == (5, 5)


def test_the_mean_rotation_is_that_of_scipy():
    expected = POSES.mean()
    for given in (POSES, POSES.as_quat(), -POSES.as_quat(), POSES.as_matrix(), POSES.as_matrix().reshape(-1, 9)):
        found = directional.rotation_mean(given, epsilon=LARGE)
        assert (Rotation.from_quat(found.quaternion).inv() * expected).magnitude() < 1e-6
        np.testing.assert_allclose(found.matrix, expected.as_matrix(), atol=1e-6)
    first = directional.rotation_mean(np.roll(POSES.as_quat(), 1, axis=1), scalar_first=True, epsilon=LARGE)
    np.testing.assert_allclose(np.roll(first.quaternion, -1), found.quaternion, atol=1e-6)


def test_the_region_of_a_rotation_is_an_angle():
    """A region of 95 % misses more than 35 times of 200 with less than 1e-9 if it holds; it is cautious."""
    expected, missed = POSES.mean(), 0
    for seed in range(200):
        found = directional.rotation_mean(POSES, epsilon=1.0, random_state=seed)
        off = (Rotation.from_quat(found.quaternion).inv() * expected).magnitude()
        missed += math.degrees(off) > found.region
        assert math.radians(found.region) == pytest.approx(found.release.region.radius)
    assert missed <= 35


def test_the_mean_of_angles_is_that_of_scipy():
    found = directional.circular_mean(ANGLES, epsilon=LARGE)
    assert found.mean == pytest.approx(circmean(ANGLES), abs=1e-7)
    kappa, *_ = vonmises.fit(ANGLES, fscale=1)
    assert found.kappa == pytest.approx(kappa, rel=1e-3)
    assert found.mean_resultant_length == pytest.approx(abs(np.exp(1j * ANGLES).mean()), abs=1e-7)
    degrees = directional.circular_mean(np.degrees(ANGLES), degrees=True, epsilon=LARGE)
    assert degrees.mean == pytest.approx(math.degrees(found.mean), abs=1e-5)
    assert degrees.alpha95 == pytest.approx(math.degrees(found.alpha95), rel=1e-6)
    column = directional.circular_mean(pandas.Series(ANGLES), epsilon=LARGE)
    assert column.mean == pytest.approx(found.mean, abs=1e-7)


def test_axes_in_the_plane_are_doubled():
    whole = directional.circular_mean(ANGLES, epsilon=LARGE)
    half = directional.circular_mean(ANGLES / 2.0 + math.pi * (np.arange(3000) % 2), axial=True, epsilon=LARGE)
    assert half.mean == pytest.approx(circmean(ANGLES / 2.0, high=math.pi), abs=1e-7)
    assert half.kappa == pytest.approx(whole.kappa, rel=1e-4)
    assert half.mean_resultant_length == pytest.approx(whole.mean_resultant_length, abs=1e-6)
    assert whole.alpha95 < 2.0 * half.alpha95 < 1.5 * whole.alpha95  # by a bound of the fourth moment, not by κ


@pytest.mark.parametrize(
    ("call", "given", "words"),
    [
        (directional.fisher_statistics, X[:, :1], "directions has 1 columns: expected 2"),
        (directional.fisher_statistics, X[0], "directions has shape (3,)"),
        (directional.fisher_statistics, 2.0 * X, "its norm is 2"),
        (directional.axial_statistics, X[0], "axes has shape (3,)"),
        (directional.rotation_mean, X, "rotations has 3 columns: expected 4"),
        (directional.circular_mean, X, "angles has 3 columns: expected 1"),
    ],
)
def test_an_error_names_the_records(call, given, words):
    with pytest.raises(karcher.Error) as refused:
        call(given, epsilon=1.0)
    assert words in str(refused.value)


@pytest.mark.parametrize("call", [directional.fisher_statistics, directional.axial_statistics])
def test_a_budget_is_required(call):
    with pytest.raises(karcher.Error, match="budget"):
        call(X)


QUATERNIONS = pandas.DataFrame(np.roll(POSES.as_quat(), 1, axis=1), columns=list("wxyz"))
DEGREES = pandas.Series(np.degrees(ANGLES), name="angle_deg")
PLACES = pandas.DataFrame(karcher.Sphere(2).write(X, "latlon"), columns=["lat", "lon"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: directional.rotation_mean(QUATERNIONS, epsilon=1.0), "give scalar_first=True, or rotations.to_numpy"),
        (
            lambda: directional.rotation_mean(QUATERNIONS[list("xyzw")], scalar_first=True, epsilon=1.0),
            "give scalar_first=False",
        ),
        (lambda: directional.circular_mean(DEGREES, epsilon=1.0), "angle_deg .* give degrees=True"),
        (lambda: directional.circular_mean(DEGREES.to_frame(), epsilon=1.0), "give degrees=True"),
        (lambda: directional.circular_mean(99.0 + DEGREES.to_numpy(), epsilon=1.0), "^angles, row .* degrees=True"),
        (
            lambda: directional.fisher_statistics(PLACES, epsilon=1.0),
            r"give karcher.manifold\('sphere:2'\).read\(directions, 'latlon'\)",
        ),
        (
            lambda: directional.fisher_statistics(PLACES.set_axis(["inc", "dec"], axis=1), epsilon=1.0),
            r"give directions\[\['dec', 'inc'\]\]",
        ),
        (
            lambda: directional.fisher_statistics(
                PLACES.set_axis(["inc", "dec"], axis=1).assign(site=1), groups="site", epsilon=1.0
            ),
            r"give directions\[\['dec', 'inc', 'site'\]\]",
        ),
    ],
)
def test_advice_names_arguments_that_there_are(call, words):
    with pytest.raises(karcher.Error, match=words) as refused:
        call()
    assert "layout=" not in str(refused.value)


def test_labelled_arrays_are_arrays():
    xarray = pytest.importorskip("xarray")
    budget = {"epsilon": 1.0, "random_state": 1}
    for function, x in ((directional.fisher_statistics, X), (directional.circular_mean, ANGLES)):
        assert function(xarray.DataArray(x), **budget).release == function(x, **budget).release
    with pytest.raises(karcher.Error, match="give degrees=True"):
        directional.circular_mean(xarray.DataArray(np.degrees(ANGLES), name="angle_deg"), **budget)


def test_angles_in_degrees_are_refused_with_the_call_that_reads_them():
    angles = np.full((5, 1), 350.0)
    mean = karcher.PrivateFrechetMean("torus:1", 1.0, [0.0], epsilon=1.0)
    for fitted in (mean, karcher.FrechetMean("torus:1")):
        with pytest.raises(karcher.errors.InvalidPointError, match=r"give manifold.read\(X, 'degrees'\)"):
            fitted.fit(angles)
    with pytest.raises(karcher.errors.InvalidPointError, match="give layout='degrees'"):
        mean.fit(pyarrow.table({"angle": angles[:, 0]}))
