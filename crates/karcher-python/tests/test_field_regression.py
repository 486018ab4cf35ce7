"""Regressions of whole images. Error probabilities are stated where a test is of random numbers; seeds are fixed."""

import json
import math
import pickle
import tracemalloc

import karcher
import numpy as np
import pytest
from karcher import _bases, _of_fields
from karcher._moments import Moments
from karcher._of_fields import projection_of
from karcher.errors import Error, InvalidPointError, NotFittedError
from karcher.features import Levels, Linear, Poly, Product, Spline, contrast, rows
from karcher.fields import Modes, Parcels, PrivateFieldMean, PrivateFieldRegression, Splines
from scipy.stats import chi2
from sklearn.base import clone
from test_fields import AFFINE, GRID, LABELS, TENSORS, adversarial, nibabel, tensors

TERMS = [Linear("age", 20, 80), Levels("sex", ["F", "M"])]
AT = {"age": [30, 50, 75], "sex": ["F", "M", "F"]}


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    return {"age": rng.uniform(20, 80, n), "sex": rng.choice(["F", "M"], n)}


def coordinates(X, grid=GRID, p=6, seed=1):
    """Fields of subjects: a common one, one of their ages, and few numbers of their own."""
    rng = np.random.default_rng(seed)
    common, slope = 0.1 * rng.normal(size=(2, *grid, p))
    return [common + slope * (age - 50) / 30 + 0.1 * rng.normal(size=p) for age in X["age"]]


def study(n):
    X = people(n)
    return X, [tensors(one) for one in coordinates(X)]


def estimator(**changes):
    options = {**TENSORS, "basis": Parcels(LABELS), "features": TERMS, "clip": 1.0, "mu": 1.0}
    return PrivateFieldRegression(**{**options, **changes})


def on_line(**changes):
    """Ten parcels of six voxels, with three numbers each."""
    return estimator(manifold="euclidean:3", center=None, basis=Parcels(1 + np.arange(60) // 6), **changes)


@pytest.mark.parametrize("basis", [Parcels(LABELS), Splines((2, 2, 2)), Modes(20)], ids=repr)
def test_predictions_are_those_of_least_squares_in_each_voxel(basis):
    X = people(40)
    fields = np.array(coordinates(X))
    found = estimator(basis=basis, mask=np.ones(GRID), mu=1e8).fit(X, [tensors(one) for one in fields])
    by_voxel = np.linalg.lstsq(rows(TERMS, X), fields.reshape(40, -1), rcond=None)[0]
    matrix = basis.matrix(np.ones(GRID))
    onto = lambda row: matrix.T @ (matrix @ (row @ by_voxel).reshape(500, 6))
    expected = np.array([tensors(onto(row).reshape(*GRID, 6)) for row in rows(TERMS, AT)])
    predicted = found.predict(AT)
    assert predicted.shape == (3, *GRID, 3, 3) and karcher.SPD(3).dist(predicted, expected).max() < 1e-5
    effect = found.effect("age", 30, 60)
    assert np.allclose(effect.distance, karcher.SPD(3).dist(*found.predict({"age": [30, 60], "sex": ["M"] * 2})))
    assert np.allclose(effect.distance, np.linalg.norm(effect.coordinates, axis=-1)) and effect.distance.shape == GRID
    one = {name: value[0] for name, value in AT.items()}
    assert np.array_equal(found.predict(one), predicted[0])
    assert np.array_equal(found.standard_error(one), found.standard_error(AT)[0])
    assert found.coefficients_.shape == (5, len(found._projection.basis @ np.ones(500)), 6)


def test_a_matrix_of_features_is_fitted_as_the_terms():
    X, images = study(30)
    of_terms, of_rows = estimator(mu=1e6, random_state=1), estimator(mu=1e6, random_state=1, features=None)
    of_terms.fit(X, images), of_rows.fit(rows(TERMS, X), iter(images))
    assert np.allclose(of_terms.coefficients_, of_rows.coefficients_)
    assert np.allclose(of_terms.predict(AT), of_rows.predict(rows(TERMS, AT)))
    assert np.allclose(of_terms.standard_error(AT), of_rows.standard_error(rows(TERMS, AT)))
    assert of_rows.spec()["features"] == {"matrix": 5}
    with pytest.raises(Error, match="features is missing"):
        estimator(features=None).plan(30)
    with pytest.raises(Error, match="compare predictions"):
        of_rows.effect("age", 30, 60)


BUDGETS = [
    {"mu": 8.0},
    {"epsilon": 64.0, "mu": None},
    {"epsilon": 16.0, "delta": 1e-6, "mu": None, "adjacency": "add-remove", "n_guess": 500},
]


@pytest.mark.parametrize("budget", BUDGETS, ids=["gaussian", "laplace", "add-remove"])
def test_the_noise_is_taken_from_the_moments_as_the_library_does(budget):
    X = people(500)
    release = on_line(**budget, random_state=0).fit(X, coordinates(X, (60,), 3)).release_
    moments, q, weight = Moments.of(release), 5, json.loads(release.to_json())["moment_weights"]["response"]
    [draw], among = release.noise, len(release.moments) + (release.private_count is not None)
    # moments and scale are those of the guess
    share = 1.0 if release.private_count is None else 500 / release.private_count.value
    deviation = share * draw.scale * (math.sqrt(among + 1) if draw.law == "laplace" else 1)
    assert moments.of_features == pytest.approx(deviation)
    assert moments.of_responses == pytest.approx(deviation * moments.radius / weight)
    upper = np.triu_indices(q)
    in_units = np.where(upper[0] == upper[1], 1, math.sqrt(2))
    assert np.allclose(moments.design[upper] * in_units, share * release.moments[: len(in_units)])
    crossed = share * release.moments[q * (q + 1) // 2 : -1].reshape(q, -1) * moments.radius / weight
    assert np.allclose(moments.inverse @ crossed, release.coefficients, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("budget", BUDGETS, ids=["gaussian", "laplace", "add-remove"])
def test_standard_errors_are_those_of_repeated_releases(budget):
    """z-tests of ten parcels and of their sum, for three predictions and an effect: an error probability of about 1e-4
    for each budget, and as much as the standard errors, of first order, are off by."""
    X, runs = people(500), 100
    fields = coordinates(X, (60,), 3)
    functions = np.concatenate([rows(TERMS, AT), contrast([str(term) for term in TERMS], "age", 30, 70, {})[None]])
    estimate = on_line(**budget)
    squares = lambda off: (off**2).sum(axis=-1)[:, ::6]  # of one voxel a parcel
    observed, stated = [], []
    for seed in range(runs):
        found = estimate.set_params(random_state=seed).fit(X, fields)
        if not seed:
            projection = found._projection
            exact = np.linalg.lstsq(rows(TERMS, X), projection.coefficients(fields), rcond=None)[0]
            truth = np.array([projection.basis.T @ one.reshape(10, 3) for one in functions @ exact])
        effect = found.effect("age", 30, 70)
        observed.append(squares(np.concatenate([found.predict(AT), effect.coordinates[None]]) - truth))
        stated.append((np.concatenate([found.standard_error(AT), effect.standard_error[None]]) ** 2)[:, ::6])
    off, level = np.array(observed) - np.array(stated), np.mean(stated, axis=0)
    deviation = off.std(axis=0, ddof=1) / math.sqrt(runs)
    assert (np.abs(off.mean(axis=0)) < 4.9 * deviation + 0.1 * level).all()  # 1e-6 each
    assert 0.85 < np.mean(observed) / np.mean(stated) < 1.15
    planned = estimate.plan(None if "n_guess" in budget else 500)
    assert planned.mechanism == "linear" and 0.5 < planned.error / math.sqrt(np.mean(stated)) < 2
    assert planned.error == pytest.approx(math.sqrt(np.mean(planned.error_map**2)))


def test_errors_are_those_of_simulated_noise_on_features_and_responses():
    """With large coefficients, so that noise on features is most of it. The mean square of 4,000 draws has a standard
    deviation of about 3 % of it: five of them are exceeded once in a million times."""
    rng, runs = np.random.default_rng(0), 4_000
    design = np.array([[0.6, 0.1, 0.0], [0.1, 0.5, 0.2], [0.0, 0.2, 0.4]])
    coefficients, of_features, of_responses = rng.normal(size=(3, 6)), 0.02, 0.01
    inverse = np.linalg.inv(design)  # nothing is damped
    projection = estimator_of_parcels()
    stated = Moments(design, inverse, coefficients, of_features, of_responses, 1.0).errors(np.eye(3)[:1], projection)
    noise = rng.normal(size=(runs, 3, 3))
    noise = of_features * np.where(np.eye(3), noise, 0.5 * (noise + noise.swapaxes(1, 2)))
    off = np.einsum("i,rij,jk->rk", inverse[0], noise, coefficients)
    off -= of_responses * np.einsum("i,rik->rk", inverse[0], rng.normal(size=(runs, 3, 6)))
    found = np.array([((projection.basis.T @ one.reshape(2, 3)) ** 2).sum(axis=1) for one in off])
    assert np.allclose(found.mean(axis=0), stated[0] ** 2, rtol=0.15)
    alone = of_responses**2 * (inverse[0] ** 2).sum() * 3 * projection.weights()
    assert (stated[0] ** 2 > 2 * alone).all()  # most is noise on the features


def estimator_of_parcels():
    """The projection of ten voxels with three numbers onto two parcels."""
    labels = np.repeat([1, 2], 5)
    return projection_of(PrivateFieldRegression("euclidean:3", basis=Parcels(labels), features=TERMS, clip=1.0, mu=1.0))


def test_the_error_of_a_level_without_records_is_as_large_as_the_clip():
    X = people(2000)
    X["sex"][:] = "F"
    found = on_line(random_state=0).fit(X, coordinates(X, (60,), 3))
    at = {"age": [50, 50], "sex": ["F", "M"]}
    assert found.standard_error(at)[0].max() < 0.02 and found.standard_error(at)[1].min() > 0.6
    assert found.release_.predict(at).little_information == [False, True]


def test_an_effect_of_age_is_found_in_the_parcel_that_has_it():
    """Subjects do not differ in the other nine parcels. The noise exceeds the bound there with a probability of 1e-5
    each, and it hides the effect of 0.4 with less. The test of sex is below its bound once in 2,000 seeds."""
    X = people(3000)
    images = (np.where((LABELS == 4)[..., None], 0.01 * (age - 50), 0.1) for age in X["age"])
    regression = PrivateFieldRegression(
        "euclidean:1", basis=Parcels(LABELS), features=TERMS, clip=0.4, mu=1.0, random_state=3
    )
    effect = regression.fit(X, images).effect("age", 30, 70)
    ratio = (effect.distance / effect.standard_error) ** 2
    assert ratio[LABELS == 4].min() > 100 and ratio[LABELS != 4].max() < chi2.isf(1e-5, 1)
    assert abs(effect.coordinates[LABELS == 4][0, 0] - 0.4) < 5 * effect.standard_error[LABELS == 4][0]
    of_sex = regression.effect("sex", "F", "M")
    assert ((of_sex.distance / of_sex.standard_error) ** 2).max() < chi2.isf(1e-5, 1)
    assert repr(effect).startswith("FieldEffect of age from 30 to 70: up to 0.")
    age, sex = regression.release_.term_tests
    assert age.p_value < 0.01 and sex.p_value > 6e-4


def test_a_subject_moves_the_moments_by_at_most_the_sensitivity():
    rng = np.random.default_rng(0)
    X, images = study(4)
    regression = estimator(on_invalid="replace-with-center", random_state=7, mu=1e9)
    values = []
    for _ in range(60):
        age = rng.choice([20.0, 80.0, 1e300, -np.inf, np.nan])
        both = {"age": [*X["age"], age], "sex": [*X["sex"], rng.choice(["F", "M", "?", None])]}
        values.append(regression.fit(both, [*images, adversarial(rng)]).release_.moments)
        assert np.isfinite(values[-1]).all()
    moved = np.linalg.norm(np.array(values)[:, None] - np.array(values), axis=2).max()
    most = regression.release_.sensitivity.value
    assert 0.5 * most < moved <= most * (1 + 1e-6)
    d = 60
    assert most == pytest.approx((2 + 0.5 * (math.sqrt(d * d + 8 * d) - d)) / (math.sqrt(2) * 5), rel=1e-6)


def test_curved_spaces_are_fitted_in_the_tangent_space_at_the_center():
    X, sphere = people(50), karcher.Sphere(2)
    turn = 0.01 * (X["age"] - 20)[:, None]
    images = np.stack([np.sin(turn), 0 * turn, np.cos(turn)], axis=-1) * np.ones((1, 4, 1))
    found = PrivateFieldRegression(
        sphere, basis=Modes(1), mask=np.ones(4), center=[0, 0, 1], features=[Linear("age", 20, 80)], clip=1.0, mu=1e7
    )
    found.fit(X, images)
    assert np.allclose(found.predict({"age": 70}), [math.sin(0.5), 0, math.cos(0.5)], atol=1e-5)
    assert np.allclose(found.effect("age", 30, 70).distance, 0.4, atol=1e-5)


def test_an_effect_may_depend_on_another_covariate():
    X, images = study(40)
    terms = [Poly("age", 20, 80, degree=2), Product(Linear("age", 20, 80), Levels("sex", ["F", "M"]))]
    found = estimator(features=terms, mu=1e7).fit(X, images)
    effect = found.effect("age", 30, 60, at={"sex": "M"})
    pair = found.predict({"age": [30, 60], "sex": ["M", "M"]})
    assert np.allclose(effect.distance, karcher.SPD(3).dist(*pair))
    with pytest.raises(Error, match=r"the effect of age depends on sex, by product:.*at=\{'sex': …\}"):
        found.effect("age", 30, 60)
    for wrong, sentence in [
        (("height", 1, 2), "no term reads 'height': the covariates are age, sex"),
        (("sex", "F", "male", {"age": 30}), "sex has no level 'male': its levels are F, M and other"),
        (("age", 30, 60, {"sex": "x"}), "sex has no level 'x'"),
        (("age", 30, math.nan, {"sex": "F"}), "age, row 2"),
    ]:
        with pytest.raises(Error, match=sentence):
            found.effect(*wrong)
    assert found.effect("sex", "F", "other", at={"age": 30}).distance.shape == GRID


def test_one_image_is_in_memory_at_a_time():
    grid, n = (40, 40, 20), 60
    X = people(n)
    regression = PrivateFieldRegression(
        "euclidean:6", basis=Parcels(1 + np.arange(32_000).reshape(grid) // 3200), features=TERMS, clip=1.0, mu=1.0
    )
    subjects = lambda: (np.full((*grid, 6), 0.01 * age) for age in X["age"])
    regression.fit(X, subjects())  # what is loaded on first use
    tracemalloc.start()
    regression.fit(X, subjects())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    image = 32_000 * 6 * 8
    assert peak < 8 * image < n * image / 7


def test_releases_are_counted_and_copied(tmp_path):
    X, images = study(10)
    ledger = karcher.Ledger.new(tmp_path / "study.ledger", data="images", mu=1.5)
    assert estimator(ledger=ledger).fit(X, images).release_.ledger_entry is not None
    with pytest.raises(karcher.errors.BudgetError):
        estimator(ledger=ledger, mu=1.2).fit(X, images)
    assert estimator().guarantee() == karcher.Guarantee(mu=1.0)
    spec = estimator().spec()
    assert spec["manifold"] == "euclidean:60" and spec["ball"]["radius"] == math.sqrt(500)
    regression = estimator(random_state=2).fit(X, images)
    for other in (pickle.loads(pickle.dumps(regression)), clone(regression).fit(X, images)):
        assert other.release_ == regression.release_ and np.array_equal(other.predict(AT), regression.predict(AT))
    assert not hasattr(clone(regression), "release_")


def test_a_basis_is_computed_once(monkeypatch):
    X, images = study(4)
    computed = []
    for kind in (Splines, Modes):
        own = kind.matrix
        monkeypatch.setattr(kind, "matrix", lambda self, mask, own=own: computed.append(self) or own(self, mask))
    monkeypatch.setattr(_of_fields, "orthonormal", lambda *of: computed.append(of) or _bases.orthonormal(*of))
    for basis in (Splines((2, 2, 2)), Modes(3), np.random.default_rng(0).normal(size=(3, 500))):
        computed.clear()
        regression = estimator(basis=basis, mask=np.ones(GRID))
        regression.plan(4), regression.spec(), regression.guarantee(), regression.fit(X, images), regression.plan(4)
        assert len(computed) == 1
    part = np.ones(GRID)
    part[0] = 0
    assert regression.set_params(basis=Modes(3), mask=part).fit(X, images)._projection.voxels == 450
    mean = PrivateFieldMean(**TENSORS, basis=Modes(4), mask=part, clip=1.0, mu=1.0)
    mean.plan(4), mean.fit(images), mean.set_params(basis=Modes(2)).fit(images)
    assert len(computed) == 4 and mean.coefficients_.shape == (2, 6)


def test_predictions_and_effects_in_files(tmp_path):
    nib, space = nibabel(), karcher.SPD(3)
    X, images = study(8)
    paths = []
    for i, image in enumerate(images):
        paths.append(tmp_path / f"{i}.nii.gz")
        six = space.write(image.reshape(-1, 3, 3), "diagonal-first").reshape(*GRID, 6)
        nib.save(nib.Nifti1Image(six, AFFINE), paths[-1])
    labels = nib.Nifti1Image(LABELS.astype(np.int16), AFFINE)
    found = estimator(basis=Parcels(labels), layout="diagonal-first", random_state=1).fit(X, paths)
    assert found.release_.to_json() == estimator(random_state=1).fit(X, images).release_.to_json()
    field, effect = found.predict({"age": 40, "sex": "F"}), found.effect("age", 30, 60)
    written = {"field": field, "length": effect.distance, "error": effect.standard_error, "all": effect.coordinates}
    back = {}
    for name, values in written.items():
        found.to_nifti(values, tmp_path / f"{name}.nii.gz")
        read = nib.load(tmp_path / f"{name}.nii.gz")
        assert np.array_equal(read.affine, AFFINE)
        back[name] = read.get_fdata()
    assert np.allclose(space.read(back.pop("field").reshape(-1, 6), "diagonal-first").reshape(field.shape), field)
    assert all(np.allclose(read, written[name]) for name, read in back.items())
    found.to_nifti(effect.distance, tmp_path / "moved.nii", affine=np.eye(4))
    assert np.array_equal(nib.load(tmp_path / "moved.nii").affine, np.eye(4))
    with pytest.raises(Error, match=r"values has shape \(1, 10, 10, 5, 3, 3\): expected \(10, 10, 5\), or one field"):
        found.to_nifti(field[None], tmp_path / "never.nii")


REFUSED = [
    ({"features": ["cubic:age:20:80"]}, "features"),
    ({"features": "linear:age:20:80"}, "features is not a list"),
    ({"features": [Linear("height", 1, 2)]}, "X has no column 'height'"),
    ({"features": [Spline("age", 20, 80, knots=1)]}, "features"),
    ({"basis": Modes(3)}, "mask is not given"),
    ({"center": None}, "center is missing"),
    ({"clip": -1.0}, "clip is -1"),
    ({"mu": None}, "budget is missing"),
    ({"layout": "rows"}, "layout is 'rows'"),
    ({"on_invalid": "drop"}, "on_invalid is 'drop'"),
    ({"adjacency": "swap"}, "swap"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED, ids=[str(changes) for changes, _ in REFUSED])
def test_parameters_are_refused_before_an_image_is_read(changes, sentence):
    def unread():
        raise AssertionError("an image was read")
        yield

    with pytest.raises(Error, match=sentence):
        estimator(**changes).fit(people(4), unread())


def test_subjects_are_refused():
    X, images = study(4)
    with pytest.raises(Error, match="X has 4 records and images has 3: each subject has both"):
        estimator().fit(X, images[1:])
    with pytest.raises(Error, match="no records"):
        estimator().fit({"age": [], "sex": []}, [])
    spoilt = images[2].copy()
    spoilt[1, 2, 3] = -np.eye(3)
    with pytest.raises(InvalidPointError, match=r"^subject 4 \(index 3\), voxel \(1, 2, 3\): not a point"):
        estimator().fit(X, [*images[:3], spoilt])
    missing = {**X, "age": [30.0, np.nan, 40.0, 50.0]}
    with pytest.raises(Error, match="age, row 2: the number is missing"):
        estimator().fit(missing, images)
    replaced = estimator(on_invalid="replace-with-center", random_state=0)
    middle = replaced.fit({**X, "age": [30.0, 50.0, 40.0, 50.0]}, images).release_.moments
    assert np.allclose(middle, replaced.fit(missing, images).release_.moments)
    for call in (
        lambda it: it.predict(AT), lambda it: it.standard_error(AT), lambda it: it.effect("age", 30, 60),
        lambda it: it.to_nifti(np.ones(GRID), "never.nii"),
    ):  # fmt: skip
        with pytest.raises(NotFittedError):
            call(estimator())
