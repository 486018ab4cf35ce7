"""Means of whole images. Error probabilities are stated where a test is of random numbers; seeds are fixed."""

import math
import os
import pickle
import tracemalloc
import warnings

import karcher
import numpy as np
import pytest
from karcher.errors import (
    ArgumentTypeError, Error, InvalidPointError, NotFittedError, UnansweredError, WeakBudgetWarning,
)
from karcher.fields import Modes, Parcels, PrivateFieldMean, Splines
from karcher.tangent import _points
from scipy.stats import chi2
from sklearn.base import clone

GRID = (10, 10, 5)
LABELS = 1 + np.arange(500).reshape(GRID) // 50  # ten parcels of fifty voxels
TENSORS = {"manifold": karcher.SPD(3), "center": 0.7 * np.eye(3)}


def tensors(coordinates):
    """Tensors with these coordinates at the center, on the grid."""
    flat = coordinates.reshape(-1, 6)
    return _points(karcher.SPD(3), TENSORS["center"], flat).reshape(*coordinates.shape[:-1], 3, 3)


def study(n, seed=0, grid=GRID):
    """Images of subjects: a common field, and few numbers of their own."""
    rng = np.random.default_rng(seed)
    common = 0.3 * rng.normal(size=(*grid, 6))
    return [tensors(common + 0.1 * rng.normal(size=6)) for _ in range(n)]


def estimator(**changes):
    return PrivateFieldMean(**{**TENSORS, "basis": Parcels(LABELS), "clip": 1.0, "mu": 1.0, **changes})


def projected(images, **changes):
    """The vectors that are averaged."""
    return karcher.fields.projection_of(estimator(**changes)).coefficients(images)


def quantiles(d, probability):
    """The interval of a chi-square variable over its degrees of freedom that it leaves with this probability."""
    return chi2.ppf(probability / 2, d) / d, chi2.isf(probability / 2, d) / d


def test_error_of_a_hundred_parcels_of_a_hundred_thousand_voxels():
    grid, n = (50, 50, 40), 500
    labels = 1 + np.arange(100_000).reshape(grid) // 1000
    mean = PrivateFieldMean(karcher.Euclidean(6), basis=Parcels(labels), clip=1.0, mu=1.0, random_state=1)
    expected = math.sqrt(600) * 2 / n
    assert mean.plan(n).error == pytest.approx(expected, rel=1e-4) == pytest.approx(0.098, abs=5e-4)
    rng = np.random.default_rng(0)
    pattern, total = 0.2 * rng.normal(size=(*grid, 6)), np.zeros(6)

    def subjects():
        for _ in range(n):
            own = 0.3 * rng.normal(size=6)
            total[:] += own / n
            yield pattern + own

    found = mean.fit(subjects()).field_
    parcels = pattern.reshape(100, 1000, 6).mean(axis=1)  # nothing is clipped: all are about 0.75 from the center
    truth = np.repeat(parcels + total, 1000, axis=0).reshape(*grid, 6)
    squares = ((found - truth) ** 2).sum() / 100_000 / expected**2
    low, high = quantiles(600, 1e-6)
    assert low < squares < high


@pytest.mark.parametrize("seed", range(4))
def test_error_does_not_depend_on_the_number_of_voxels(seed):
    rows = np.random.default_rng(seed).normal(size=(100, 400))
    mean = estimator(basis=rows, mask=np.ones((20, 20)), random_state=seed)
    found = mean.fit([np.tile(TENSORS["center"], (20, 20, 1, 1))] * 500)
    distances = karcher.SPD(3).dist(TENSORS["center"], found.field_)
    low, high = quantiles(600, 1e-6)
    assert low < np.mean(distances**2) / 0.09798**2 < high


@pytest.mark.parametrize("budget", [{"mu": 1.0}, {"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6}])
def test_standard_error_is_that_of_repeated_releases(budget):
    """The z-tests of ten parcels and of their sum, with an error probability of about 2e-4 for each budget."""
    images, runs, budget = study(20), 150, {"mu": None, **budget}
    truth = projected(images).mean(axis=0).reshape(10, 6)
    mean = estimator(**budget)
    values = []
    for seed in range(runs):
        mean.set_params(random_state=seed).fit(images)
        values.append(mean.coefficients_)
    stated = mean.standard_error_[0, 0, 0]
    assert np.allclose(mean.standard_error_, stated)
    assert np.allclose(mean.plan(20).error_map, mean.standard_error_, rtol=1e-6)
    squares = ((np.array(values) - truth) ** 2).sum(axis=2) / 50  # of a voxel: a field is 1/√50 there
    for of_run in (*squares.T, squares.mean(axis=1)):
        deviation = of_run.std(ddof=1) / math.sqrt(runs)
        assert abs(of_run.mean() - stated**2) < 4.9 * deviation  # 2e-5 each


def test_standard_error_of_unequal_voxels():
    mask = np.ones((6, 5))
    mask[0, :3] = 0
    mean = PrivateFieldMean("euclidean:1", basis=Splines((2, 2)), clip=1.0, mask=mask, mu=1.0, random_state=0)
    runs = np.array([mean.set_params(random_state=s).fit([np.zeros((6, 5))] * 3).field_[..., 0] for s in range(600)])
    assert np.isnan(runs[:, mask == 0]).all() and np.isnan(mean.standard_error_[mask == 0]).all()
    ratio = (runs**2).mean(axis=0)[mask == 1] / mean.standard_error_[mask == 1] ** 2
    low, high = quantiles(600, 1e-6)
    assert (low < ratio).all() and (ratio < high).all()
    plan = mean.plan(3)
    assert plan.error == pytest.approx(math.sqrt(np.nanmean(plan.error_map**2)), rel=1e-9)
    assert np.allclose(plan.error_map, mean.standard_error_, rtol=1e-6, equal_nan=True)


def adversarial(rng):
    """Images made to move the mean far, or to break the arithmetic."""
    image = study(1, seed=int(rng.integers(1000)))[0]
    kind = rng.integers(9)
    some = rng.random(GRID) < rng.random()
    if kind == 0:
        image[some] = np.nan
    elif kind == 1:
        image *= 10.0 ** rng.uniform(-300, 300)
    elif kind == 2:
        image[some] = rng.normal(size=(3, 3))
    elif kind == 3:
        image[some] *= -1.0
    elif kind == 4:
        image[some] = np.inf
    elif kind == 5:
        image[some] = np.diag(10.0 ** rng.uniform(-150, 150, size=3))
    elif kind == 6:
        image = tensors(np.tile(rng.normal(size=6) * 10.0 ** rng.uniform(0, 2), (*GRID, 1)))
    elif kind == 7:
        image = np.zeros((*GRID, 3, 3))
    else:
        image[some] = np.finfo(float).max * rng.choice([-1.0, 1.0], size=(3, 3))
    return image


def test_an_image_moves_the_mean_by_at_most_the_sensitivity():
    rng = np.random.default_rng(0)
    others, n = study(4), 5
    options = {"on_invalid": "replace-with-center", "random_state": 7, "mu": 1e9}
    radius = math.sqrt(500)
    before = projected([*others, others[0]], **options)
    values = []
    for _ in range(100):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", WeakBudgetWarning)  # of a public budget
            rows = projected([*others, adversarial(rng)], **options)
            values.append(estimator(**options).fit([*others, adversarial(rng)]).coefficients_)
        assert np.array_equal(rows[:4], before[:4])  # the vectors of the others do not depend on the image
        assert np.isfinite(rows).all()
    # without noise worth speaking of, what is released are means of clipped vectors
    values = np.array(values).reshape(len(values), -1)
    moved = np.linalg.norm(values[:, np.newaxis] - values, axis=2).max()
    assert 0.9 * 2 * radius / n < moved <= 2 * radius / n * (1 + 1e-6)
    assert estimator(**options).fit(others).release_.sensitivity.value == pytest.approx(2 * radius / 4, rel=1e-6)


def test_numbers_beyond_floating_point_keep_their_direction():
    options = {"manifold": "euclidean:1", "center": None, "basis": np.ones((1, 100)), "mask": np.ones(100)}
    rows = projected([np.full(100, 1.7e308), np.full(100, -1.7e308), np.ones(100)], **options)
    assert np.isfinite(rows).all() and rows[0, 0] > 1e90 and rows[1, 0] == -rows[0, 0]
    assert rows[2, 0] == pytest.approx(10.0)


def test_a_voxel_that_is_no_point_counts_as_the_center():
    image = study(1)[0]
    for value in (np.nan, -np.eye(3), np.zeros((3, 3)), np.triu(np.ones((3, 3))) + np.eye(3)):
        spoilt, replaced = image.copy(), image.copy()
        spoilt[2, 3, 4], replaced[2, 3, 4] = value, TENSORS["center"]
        rows = projected([spoilt, replaced], on_invalid="replace-with-center")
        assert np.allclose(rows[0], rows[1], rtol=0, atol=1e-12)
        with pytest.raises(InvalidPointError, match=r"^subject 2 \(index 1\), voxel \(2, 3, 4\): not a point"):
            estimator().fit([image, spoilt])
    outside = image.copy()
    outside[0, 0, 0] = np.nan
    labels = LABELS.copy()
    labels[0, 0, 0] = 0
    assert estimator(basis=Parcels(labels)).fit([outside]).field_.shape == (*GRID, 3, 3)
    south = {"manifold": "sphere:2", "center": [0.0, 0.0, 1.0], "basis": np.ones((1, 4)), "mask": np.ones(4)}
    directions = np.tile([0.0, 0.6, 0.8], (4, 1))
    directions[1] = [0.0, 0.0, -1.0]
    with pytest.raises(InvalidPointError, match="voxel \\(1,\\).*cut locus"):
        estimator(**south).fit([directions])
    replaced = np.where(np.arange(4)[:, np.newaxis] == 1, [0.0, 0.0, 1.0], directions)
    rows = projected([directions, replaced], **south, on_invalid="replace-with-center")
    assert np.allclose(rows[0], rows[1], atol=1e-12)


@pytest.mark.parametrize(
    "space",
    ["spd-log-euclidean:3", "spd-affine-invariant:2", "sphere:2", "hyperbolic:2", "kendall:4", "rotations:3", "torus:2",
     "projective:2", "grassmann:4,2", "euclidean:1", "euclidean:2*sphere:1"],
)  # fmt: skip
@pytest.mark.parametrize("one", [True, False], ids=["one-center", "a-center-a-voxel"])
def test_all_fields_in_the_span_come_back(space, one):
    manifold, rng = karcher.manifold(space), np.random.default_rng(0)
    near = lambda scale: _points(manifold, manifold.origin, scale * rng.normal(size=(12, manifold.dim)))
    centers, image = near(0.2), near(0.3)
    center = centers[0] if one else centers
    basis, mask = rng.normal(size=(12, 12)), np.ones(12)
    mean = PrivateFieldMean(manifold, basis=basis, mask=mask, center=center, clip=9.0, mu=1e7, random_state=0)
    assert manifold.dist(mean.fit([image] * 3).field_, image).max() < 1e-5
    vectors = mean.set_params(basis=np.eye(12))
    rows = karcher.fields.projection_of(vectors).coefficients([image]).reshape(12, -1)
    assert np.allclose(np.linalg.norm(rows, axis=1), manifold.dist(center, image), atol=1e-12)


def test_bases_are_orthonormal():
    mask = np.ones((9, 8, 7), dtype=bool)
    mask[:3, :2] = mask[-1] = False
    labels = np.arange(mask.size).reshape(mask.shape) % 7
    for basis in (Parcels(labels), Splines(), Splines((6, 6, 6)), Modes(30), Modes(1)):
        matrix = basis.matrix(mask)
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        assert matrix.shape[1] == mask.sum() and len(matrix) <= mask.sum()
        assert np.allclose(matrix @ matrix.T, np.eye(len(matrix)), atol=1e-10)
        assert np.array_equal(matrix, getattr(basis.matrix(mask), "toarray", lambda: basis.matrix(mask))())
    assert len(Parcels(labels).matrix(mask).toarray()) == 6
    smooth = np.ones(mask.sum()) + np.nonzero(mask)[0] ** 3  # cubic polynomials are splines
    splines = Splines((2, 2, 2)).matrix(mask)
    assert np.allclose(splines.T @ (splines @ smooth), smooth)
    assert repr(Splines()) == "Splines(knots=(4, 4, 3))" and repr(Modes(3)) == "Modes(J=3)"
    assert repr(Parcels(labels)) == "Parcels(<of type ndarray>)"


def test_modes_of_a_large_box_are_the_known_ones():
    """Products of cosines, and the way that is taken for many voxels."""
    shape, J = (31, 12, 7), 12
    modes = Modes(J).matrix(np.ones(shape))
    waves = [2 - 2 * np.cos(np.pi * np.arange(length) / length) for length in shape]
    known = np.sort(np.add.outer(np.add.outer(waves[0], waves[1]), waves[2]).ravel())[:J]
    whole = modes.reshape(J, *shape)
    energies = sum((np.diff(whole, axis=axis) ** 2).sum(axis=(1, 2, 3)) for axis in (1, 2, 3))
    assert np.allclose(energies, known, atol=1e-10)
    assert np.allclose(modes[0], 1 / math.sqrt(np.prod(shape)))


def test_the_release_does_not_depend_on_how_images_are_given():
    images = study(6)
    releases = [
        estimator(random_state=3).fit(given).release_.to_json()
        for given in (images, tuple(images), (image for image in images), np.array(images))
    ]
    assert len(set(releases)) == 1


def test_one_image_is_in_memory_at_a_time():
    grid, n = (40, 40, 20), 60
    labels = 1 + np.arange(np.prod(grid)).reshape(grid) // 3200
    rng = np.random.default_rng(0)

    def subjects():
        for _ in range(n):
            yield np.full((*grid, 6), rng.normal())

    mean = PrivateFieldMean(karcher.Euclidean(6), basis=Parcels(labels), clip=1.0, mu=1.0)
    mean.fit(subjects())  # what is loaded on first use
    tracemalloc.start()
    mean.fit(subjects())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    image = int(np.prod(grid)) * 6 * 8
    assert peak < 8 * image < n * image / 7


def test_curved_spaces_and_other_budgets():
    directions = np.tile([0.0, 0.6, 0.8], (*GRID, 1))
    mean = PrivateFieldMean(
        "sphere:2", basis=Parcels(LABELS), center=[0.0, 0.0, 1.0], clip=1.0, epsilon=1.0, delta=1e-6,
        adjacency="add-remove", n_guess=4000, random_state=1,
    )  # fmt: skip
    found = mean.fit(directions for _ in range(4000))
    # 1e-6 in each of ten parcels; on a sphere one of two directions is shortened by sin(0.64)/0.64 at most
    low, high = quantiles(2, 1e-6 / len(np.unique(LABELS)))
    square = karcher.Sphere(2).dist(found.field_, directions) ** 2 / found.standard_error_**2
    assert (0.8 * low <= square).all() and (square < high).all() and found.release_.n is None
    assert found.plan().error == pytest.approx(found.standard_error_[0, 0, 0], rel=0.05)


def test_the_ledger_counts_a_release(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "study.ledger", data="images", mu=1.5)
    images = study(8)
    assert estimator(ledger=ledger).fit(images).release_.ledger_entry is not None
    with pytest.raises(karcher.errors.BudgetError):
        estimator(ledger=ledger, mu=1.2).fit(images)
    with pytest.warns(karcher.errors.MostlyNoiseWarning):
        estimator(mu=0.01).fit(images)


def test_denoising_and_mechanisms_are_those_of_the_mean():
    images = study(30)
    plain, shrunk = (estimator(random_state=1, denoise=how).fit(images) for how in ("none", "shrink"))
    assert np.allclose(plain.release_.value, shrunk.release_.noisy_value)
    assert np.array_equal(plain.standard_error_, shrunk.standard_error_)
    assert np.linalg.norm(shrunk.coefficients_) < np.linalg.norm(plain.coefficients_)
    both = {"epsilon": 1.0, "delta": 1e-6, "mu": None}
    assert {estimator(mechanism=name, **both).plan(30).mechanism for name in ("gaussian", "laplace")} == {
        "gaussian", "laplace",
    }  # fmt: skip
    assert "FieldPlan of 30 subjects with Guarantee(mu=1.0): error " in repr(estimator().plan(30))
    spec = estimator().spec()
    assert spec["manifold"] == "euclidean:60" and spec["ball"]["radius"] == math.sqrt(500)
    assert estimator().guarantee() == karcher.Guarantee(mu=1.0)


def test_copies_release_and_write_as_the_original(tmp_path):
    images, mean = study(8), estimator(random_state=2)
    fitted = pickle.loads(pickle.dumps(mean.fit(images)))
    again = clone(fitted).fit(images)
    for other in (fitted, again):
        assert np.array_equal(other.field_, mean.field_) and other.release_ == mean.release_
    assert not hasattr(clone(fitted), "field_")


REFUSED = [
    ({"basis": Modes(3)}, "mask is not given"),
    ({"basis": "modes"}, "basis is a text"),
    ({"basis": np.ones(5)}, "basis has shape"),
    ({"basis": np.ones((2, 5)), "mask": np.ones(5)}, "combination of those before it"),
    ({"basis": np.zeros((1, 5)), "mask": np.ones(5)}, "combination of those before it"),
    ({"basis": np.random.default_rng(0).normal(size=(6, 5)), "mask": np.ones(5)}, "combination of those before it"),
    ({"basis": np.ones((1, 5)), "mask": np.ones(6)}, r"expected \(J, 6\)"),
    ({"basis": np.full((1, 5), np.nan), "mask": np.ones(5)}, "not finite"),
    ({"basis": Parcels(np.zeros(5)), "mask": np.ones(5)}, "there is no parcel"),
    ({"basis": Parcels(np.full(5, 0.5))}, "not whole"),
    ({"basis": Parcels(np.full(5, np.nan))}, "not whole"),
    ({"basis": Parcels([1, 1, 2]), "mask": [1, 1, 0]}, "label 2 has no voxel in the mask"),
    ({"basis": Parcels([1, 1, 2]), "mask": np.ones(4)}, "give both on one grid"),
    ({"basis": Splines((4, 4)), "mask": np.ones(5)}, "knots is to have 1 numbers"),
    ({"basis": Splines((1,)), "mask": np.ones(5)}, "knots is 1"),
    ({"basis": Modes(6), "mask": np.ones(5)}, "J is 6"),
    ({"mask": np.zeros(GRID)}, "mask is 0 everywhere"),
    ({"mask": np.full(GRID, np.nan)}, "no array of finite numbers"),
    ({"center": None}, "center is missing"),
    ({"center": -np.eye(3)}, "center: not a point"),
    ({"center": np.eye(2)}, "center has shape"),
    ({"center": np.zeros((*GRID, 3, 3))}, r"center, voxel \(0, 0, 0\): not a point"),
    ({"clip": -1.0}, "clip is -1"),
    ({"clip": "1"}, "clip is '1'"),
    ({"clip": math.nan}, "clip is NaN"),
    ({"mu": None}, "budget is missing"),
    ({"mechanism": "kng"}, "mechanism is 'kng'"),
    ({"denoise": None}, "denoise is None"),
    ({"layout": "rows"}, "layout is 'rows'"),
    ({"on_invalid": "drop"}, "on_invalid is 'drop'"),
    ({"adjacency": "swap"}, "swap"),
    ({"n_guess": 3}, "n_guess"),
    ({"manifold": "spd:3"}, "unknown manifold"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_parameters_are_refused_before_an_image_is_read(changes, sentence):
    def unread():
        raise AssertionError("an image was read")
        yield

    with pytest.raises(Error, match=sentence):
        estimator(**changes).fit(unread())


def test_images_are_refused():
    for images, sentence in [
        ([], "no records"),
        (3, "images is of type int"),
        ("subject.nii", "images is one image"),
        ([np.ones(GRID)], r"subject 1 \(index 0\) has shape \(10, 10, 5\): expected \(10, 10, 5, 3, 3\)"),
        ([np.ones((5, 10, 10, 3, 3))], "has shape"),
        ([np.full((*GRID, 3, 3), 1j)], "Complex"),
        ([[1, [2]]], "must be a number"),
    ]:
        with pytest.raises(Error, match=sentence):
            estimator().fit(images)
    with pytest.raises(ArgumentTypeError):
        estimator().fit(3)
    with pytest.raises(NotFittedError):
        estimator().to_nifti("never.nii")
    with pytest.raises(NotFittedError):
        estimator().standard_error_to_nifti("never.nii")


def nibabel():
    return pytest.importorskip("nibabel", reason="SKIPPED: nibabel is not installed, and NIfTI is not tested")


AFFINE = np.array([[-2.0, 0, 0, 90], [0, 2, 0, -126], [0, 0, 2, -72], [0, 0, 0, 1]])


@pytest.mark.parametrize("layout", ["upper-row", "upper-column", "diagonal-first"])
def test_images_in_files(layout, tmp_path):
    nib, space, images = nibabel(), karcher.SPD(3), study(5)
    paths = []
    for i, image in enumerate(images):
        six = space.write(image.reshape(-1, 3, 3), layout).reshape(*GRID, 6)
        six = six[..., np.newaxis, :] if i == 2 else six  # as ITK has it
        paths.append(tmp_path / f"{i}.nii{'.gz' if i % 2 else ''}")
        nib.save(nib.Nifti1Image(six, AFFINE), paths[-1])
    nib.save(nib.Nifti1Image(LABELS.astype(np.int16), AFFINE), tmp_path / "labels.nii.gz")
    of_arrays = estimator(random_state=5).fit(images)
    options = {"random_state": 5, "layout": layout, "basis": Parcels(tmp_path / "labels.nii.gz")}
    for given in (paths, map(str, paths), map(nib.load, paths)):
        of_files = estimator(**options).fit(given)
        assert of_files.release_.to_json() == of_arrays.release_.to_json()
    of_files.to_nifti(tmp_path / "mean.nii.gz")
    of_files.standard_error_to_nifti(tmp_path / "error.nii.gz", affine=np.eye(4))
    back, error = nib.load(tmp_path / "mean.nii.gz"), nib.load(tmp_path / "error.nii.gz")
    assert np.array_equal(back.affine, AFFINE) and np.array_equal(error.affine, np.eye(4))
    read = space.read(back.get_fdata().reshape(-1, 6), layout).reshape(*GRID, 3, 3)
    assert np.allclose(read, of_files.field_, rtol=1e-12)
    assert np.array_equal(error.get_fdata(), of_files.standard_error_)
    # what was written is the center of the next study
    centered = estimator(**options, mu=1e6).set_params(center=tmp_path / "mean.nii.gz").fit([of_files.field_] * 5)
    assert np.allclose(centered.field_, of_files.field_, atol=1e-3)
    elsewhere = nib.Nifti1Image(np.zeros((*GRID, 6)), np.eye(4))
    with pytest.raises(InvalidPointError, match=r"subject 1 \(index 0\) has another affine than the public grid"):
        estimator(**options).fit([elsewhere])
    # under a rule for what is no point the whole image is the center, without a word
    replaced = [estimator(**options, on_invalid="replace-with-center", denoise="none") for _ in range(2)]
    by_center = [np.full((*GRID, 3, 3), np.nan), np.full((*GRID, 3, 3), np.nan)]
    of_shape = replaced[0].fit([*paths, elsewhere, np.ones(GRID)])
    assert np.array_equal(of_shape.coefficients_, replaced[1].fit([*paths, *by_center]).coefficients_)
    with pytest.raises(Error, match="different affines"):
        estimator(**options, mask=nib.Nifti1Image(np.ones(GRID), np.eye(4))).fit(paths)
    with pytest.raises(Error, match="layout='upper-row'"):
        estimator(**{**options, "layout": None}).fit(paths)


def test_directions_and_numbers_in_files(tmp_path):
    nib, mask = nibabel(), np.ones((4, 3, 2))
    mask[0, 0] = 0
    image = nib.Nifti1Image(np.full((4, 3, 2), 2.0), AFFINE)
    of_numbers = {"manifold": "euclidean:1", "center": None, "basis": Modes(2), "mask": nib.Nifti1Image(mask, AFFINE)}
    mean = estimator(**of_numbers, clip=3.0, random_state=0, **{"mu": 1e6}).fit([image] * 4)
    mean.to_nifti(tmp_path / "mean.nii")
    back = nib.load(tmp_path / "mean.nii")
    assert back.shape == (4, 3, 2) and np.array_equal(back.affine, AFFINE)
    assert np.allclose(back.get_fdata(), np.where(mask, 2.0, 0.0), atol=1e-3)
    directions = nib.Nifti1Image(np.tile([0.0, 0.6, 0.8], (4, 3, 2, 1)), AFFINE)
    mean = estimator(**{**of_numbers, "manifold": "sphere:2", "center": directions, "mask": None}, random_state=0)
    mean.fit([directions] * 400).to_nifti(tmp_path / "mean.nii")
    assert np.array_equal(nib.load(tmp_path / "mean.nii").get_fdata(), mean.field_)


def test_headers_of_images_are_not_told_of(tmp_path, capfd, caplog):
    nib = nibabel()
    images = [nib.Nifti1Image(np.full((4, 3, 2), 2.0), AFFINE) for _ in range(3)]
    paths = [tmp_path / f"{i}.nii" for i in range(3)]
    for image, path in zip(images, paths):
        nib.save(image, path)
    raw = bytearray(paths[1].read_bytes())
    raw[80:84] = np.float32(-2.0).tobytes()  # pixdim[1] should be positive
    paths[1].write_bytes(bytes(raw))
    options = {"manifold": "euclidean:1", "center": None, "basis": Modes(2), "mask": np.ones((4, 3, 2))}
    estimator(**options, clip=3.0).fit(paths)
    assert capfd.readouterr() == ("", "") and caplog.text == ""
    nib.load(paths[1])
    assert "pixdim" in caplog.text  # what would be said


def test_files_that_are_no_images(tmp_path):
    nibabel()
    (tmp_path / "text.nii").write_text("no image")
    for path in (tmp_path / "absent.nii", tmp_path / "text.nii"):
        with pytest.raises(UnansweredError, match=r"^subject 2 \(index 1\) cannot be read as a NIfTI image"):
            estimator().fit([study(1)[0], path])


def test_without_nibabel_an_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "nibabel", None)
    with pytest.raises(Error, match="pip install nibabel"):
        estimator().fit(["subject.nii"])


def test_images_of_complex_numbers_are_refused():
    image = nibabel().Nifti1Image(np.zeros((*GRID, 3, 3), dtype=complex), AFFINE)
    with pytest.raises(Error, match=r"Complex data not supported: subject 1 \(index 0\)"):
        estimator().fit([image])

TENSOR = np.array([[1.7, 0.1, 0.05], [0.1, 0.4, 0.02], [0.05, 0.02, 0.3]])


def symmetric(shape, intent=1005, rows=3, order=None):
    """An image of this tensor as ITK, ANTs and DIPY write it: xx xy yy xz yz zz, and an intent that says so."""
    image = nibabel().Nifti1Image(np.tile(TENSOR[np.tril_indices(3)] if order is None else order, shape), AFFINE)
    image.header["intent_code"], image.header["intent_p1"] = intent, rows
    return image


def test_the_intent_of_an_image_says_in_which_order_six_numbers_are(tmp_path):
    nibabel()
    options = {"random_state": 0, "mu": 1e6, "clip": 3.0}
    for shape in ((*GRID, 1, 1), (*GRID, 1)):
        images = [symmetric(shape) for _ in range(5)]
        for layout in (None, "upper-column"):
            mean = estimator(**options, layout=layout).fit(images)
            assert np.allclose(mean.field_[0, 0, 0], TENSOR, atol=1e-3)
        for layout in ("upper-row", "diagonal-first"):
            for on_invalid in ("error", "replace-with-center"):
                private = estimator(**options, layout=layout, on_invalid=on_invalid)
                basis = Parcels(nibabel().Nifti1Image(LABELS.astype("i2"), AFFINE))
                with pytest.raises(Error, match=r"subject 1 \(index 0\) says in its header \(intent 1005\)"):
                    private.set_params(basis=basis).fit(images)
    # a center says it, too, and with it the grid
    centered = estimator(**options, center=symmetric((*GRID, 1, 1)), basis=Modes(2)).fit(images)
    assert np.allclose(centered.field_[0, 0, 0], TENSOR, atol=1e-3)
    with pytest.raises(Error, match="center says in its header"):
        estimator(**options, center=symmetric((*GRID, 1, 1)), layout="upper-row").fit(images)
    for image in (symmetric((*GRID, 1, 1), rows=4), symmetric((*GRID, 1, 1), order=np.ones(5), rows=0)):
        with pytest.raises(InvalidPointError, match="symmetric matrices, and has [56] numbers a voxel"):
            estimator(**options).fit([image])
    # nine numbers of a matrix, row by row; other intents say nothing
    whole = symmetric((*GRID, 1, 1), 1004, order=TENSOR.ravel())
    assert np.allclose(estimator(**options).fit([whole] * 5).field_[0, 0, 0], TENSOR, atol=1e-3)
    for intent in (0, 1007, 2001):
        with pytest.raises(Error, match="layout='upper-row'"):
            estimator(**options).fit([symmetric((*GRID, 1, 1), intent)])
    numbers = {"manifold": "euclidean:1", "center": [1.0]}
    # vectors of six numbers are in the order of the file
    vectors = {"manifold": "euclidean:6", "center": np.zeros(6)}
    six = estimator(**{**options, **vectors}).fit([symmetric((*GRID, 1, 1))] * 5)
    assert np.allclose(six.field_[0, 0, 0], TENSOR[np.tril_indices(3)], atol=1e-3)
    left = symmetric(GRID, order=2.0)  # a map of numbers with the header of tensors
    assert np.allclose(estimator(**{**options, **numbers}).fit([left] * 5).field_, 2.0, atol=1e-3)


def test_images_on_two_grids_are_refused_whatever_the_basis_is(tmp_path):
    nib = nibabel()
    numbers = {"manifold": "euclidean:1", "center": [1.0], "clip": 3.0}
    flipped = AFFINE * [-1, 1, 1, 1]
    image = lambda affine=AFFINE, **fields: made(nib, np.ones(GRID), affine, **fields)
    for basis in (Parcels(LABELS), Modes(2)):
        private = estimator(**{**numbers, "basis": basis}, mask=np.ones(GRID))
        with pytest.raises(InvalidPointError, match=r"subject 3 \(index 2\) has another affine than subject 1 \(ind"):
            private.fit([image(), image(), image(flipped)])
        # voxels of two millimetres, and of two metres
        with pytest.raises(InvalidPointError, match="another affine"):
            private.fit([image(xyzt_units=2), image(xyzt_units=1)])
        assert private.fit([image(xyzt_units=2), image(AFFINE / [[1e3], [1e3], [1e3], [1.0]], xyzt_units=1)])
        # coordinates of Talairach, and of MNI
        with pytest.raises(InvalidPointError, match="another affine"):
            private.fit([image(sform_code=3), image(sform_code=4)])
        assert private.fit([image(sform_code=1), np.ones(GRID), image(sform_code=4), image()])
        # where images may hold anything, none says where others are
        with pytest.raises(Error, match="give mask, labels or center as a NIfTI image"):
            private.set_params(on_invalid="replace-with-center").fit([image(), image()])
        assert private.set_params(mask=image()).fit([image(), image(flipped)])
        assert private.set_params(mask=np.ones(GRID)).fit([np.ones(GRID)] * 2)


def made(nib, values, affine, **fields):
    found = nib.Nifti1Image(values, affine)
    for name, value in fields.items():
        found.header[name] = value
    return found


def test_a_file_that_is_given_twice_is_refused_under_any_name(tmp_path):
    nib = nibabel()
    labels = Parcels(nib.Nifti1Image(LABELS.astype("i2"), AFFINE))
    private = estimator(**{"manifold": "euclidean:1", "center": [1.0], "basis": labels}, random_state=0)
    private.set_params(ledger=tmp_path / "budget.db")
    for name in ("a.nii", "b.nii"):
        nib.save(nib.Nifti1Image(np.ones(GRID), AFFINE), tmp_path / name)
    a, link, hard = tmp_path / "a.nii", tmp_path / "link.nii", tmp_path / "hard.nii"
    link.symlink_to(a)
    os.link(a, hard)
    for second in (a, str(a), link, hard, tmp_path / ".." / tmp_path.name / "a.nii", nib.load(a)):
        for on_invalid in ("error", "replace-with-center"):
            with pytest.raises(Error, match=r"subject 3 \(index 2\) is the same file as subject 1 \(index 0\)"):
                private.set_params(on_invalid=on_invalid).fit([a, tmp_path / "b.nii", second])
            assert not (tmp_path / "budget.db").exists()
    private.set_params(on_invalid="error", ledger=None)
    assert private.fit([a, tmp_path / "b.nii"]).release_.n == 2

    def written_over():
        for value in (1.0, 2.0, 3.0):
            nib.save(nib.Nifti1Image(np.full(GRID, value), AFFINE), tmp_path / "one.nii")
            yield tmp_path / "one.nii"

    assert private.fit(written_over()).release_.n == 3
