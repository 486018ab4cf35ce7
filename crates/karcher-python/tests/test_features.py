"""Regression on features: terms, releases, predictions."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.interpolate import BSpline
from sklearn.metrics import r2_score

import karcher
from karcher.features import Levels, Linear, Poly, Product, Spline, names, rows

RNG = np.random.default_rng(3)
N = 3000
AGE, SEX = RNG.uniform(15, 85, N), RNG.choice(["F", "M", "?"], N, p=[0.45, 0.45, 0.1])
PEOPLE = {"age": AGE, "sex": SEX}
TERMS = [Spline("age", 20, 80, knots=4), Levels("sex", ["F", "M"])]
LARGE = 1e6
"""A budget of hardly any noise."""


def by_hand():
    """The rows of these terms by SciPy, for ages in the range."""
    s = np.clip((AGE - 20) / 30 - 1, -1, 1)
    step = 2 / 3
    knots = np.concatenate([-1 - step * np.arange(3, 0, -1), np.linspace(-1, 1, 4), 1 + step * np.arange(1, 4)])
    splines = BSpline.design_matrix(s, knots, 3).toarray()
    levels = np.stack([SEX == "F", SEX == "M", SEX == "?"], axis=1)
    return np.concatenate([np.ones((N, 1)), splines, levels], axis=1) / np.sqrt(3)


def test_rows_are_those_of_scipy_and_of_every_kind_of_table():
    expected = by_hand()
    assert np.linalg.norm(expected, axis=1).max() <= 1 + 1e-12
    frame = pd.DataFrame(PEOPLE)
    tables = [PEOPLE, frame, pl.DataFrame(PEOPLE), pa.table(PEOPLE), frame.convert_dtypes()]
    for table in tables:
        np.testing.assert_allclose(rows(TERMS, table), expected, atol=1e-12, err_msg=str(type(table)))
    assert names(TERMS) == ["intercept", *(f"B{k}(age)" for k in range(1, 7)), "sex=F", "sex=M", "sex=other"]


def test_levels_of_numbers_and_missing_values():
    term = [Levels("site", ["1", "2"])]
    for column in ([1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "x"], np.array([1, 2, 3], dtype=object)):
        np.testing.assert_array_equal(rows(term, {"site": column})[:, 1:] > 0, np.eye(3, dtype=bool))
    for missing in (None, np.nan, pd.NA):
        with pytest.raises(karcher.Error, match="site, row 2: the level is missing"):
            rows(term, {"site": ["1", missing]})
        found = rows(term, {"site": ["1", missing]}, on_invalid="replace-with-center")
        assert found[1, 3] > 0  # as another level
    with pytest.raises(karcher.Error, match="age, row 2: the number is missing"):
        rows([Linear("age", 20, 80)], {"age": [30.0, np.nan]})
    middle = rows([Linear("age", 20, 80)], {"age": [30.0, np.nan]}, on_invalid="replace-with-center")
    assert middle[1, 1] == 0.0


@pytest.mark.parametrize(
    "features, said",
    [
        ("linear:age:20:80", "is not a list of terms"),
        ([3], "has something that is no term"),
        (["linear:age:80:20"], "the lower end comes first"),
        (["linear:height:0:2"], "no column 'height'"),
        (["levels:sex:F,F"], "listed twice"),
        (["linear:sex:0:1", "levels:sex:F"], "used in two ways"),
    ],
)
def test_what_is_no_term_is_refused_in_a_sentence(features, said):
    with pytest.raises(karcher.Error, match=said):
        rows(features, PEOPLE)


def test_texts_of_terms_are_read_back():
    odd = Product(Linear("a:b", -1, 1e-3), Poly("x", 0, 1, degree=2), Levels('si,te', ["F*", "M"]))
    assert len(names([odd])) == 1 + 1 * 2 * 3
    assert names([str(odd)]) == names([odd])


@pytest.fixture(scope="module")
def fitted():
    heights = np.where(SEX == "F", 164.0, 176.0) + 0.1 * (AGE - 50)
    regression = karcher.PrivateFeatureRegression(
        "euclidean:1", features=TERMS, center=[170.0], radius=40.0, mu=LARGE, random_state=1
    )
    return regression.fit(PEOPLE, heights), heights


def test_hardly_any_noise_gives_least_squares(fitted):
    regression, heights = fitted
    phi = by_hand()
    expected = phi @ np.linalg.lstsq(phi, heights - 170.0, rcond=None)[0] + 170.0
    np.testing.assert_allclose(regression.predict(PEOPLE), expected, atol=5e-3)
    assert regression.coefficients_.shape == (10, 1)
    effect = regression.release_.effects[1]
    assert (effect.term, effect.from_value, effect.to_value) == ("levels:sex:F,M", "F", "M")
    assert abs(effect.distance - 12) < 0.05 and effect.interval[0] <= 12 <= effect.interval[1]
    assert regression.release_.term_tests[1].p_value < 0.01


def test_a_release_is_read_back_verified_and_run_again(fitted, tmp_path):
    regression, heights = fitted
    release = regression.release_
    again = karcher.FeatureRegressionRelease.from_json(release.to_json())
    assert again.features == ["spline:age:20:80:4", "levels:sex:F,M"]
    one, same = again.predict({"age": 30, "sex": "F"}), release.predict({"age": [30], "sex": ["F"]})
    np.testing.assert_array_equal(one.points, same.points)
    assert {finding.field for finding in karcher.verify(release).findings} <= {"flags"}  # it is seeded
    edited = json.loads(release.to_json())
    edited["effects"][0]["distance"] *= 1.1
    (tmp_path / "edited.json").write_text(json.dumps(edited), encoding="utf-8")
    found = karcher.verify(tmp_path / "edited.json").findings
    assert any("effects[0].distance" in finding.field for finding in found)
    run = karcher.run(release.spec, heights, predictors=PEOPLE, random_state=1)
    np.testing.assert_array_equal(run.moments, release.moments)


def test_a_matrix_of_features_is_shortened_and_takes_no_terms():
    phi = 5 * by_hand()  # too long
    heights = np.where(SEX == "F", 164.0, 176.0)
    common = dict(center=[170.0], radius=40.0, mu=LARGE, random_state=1)
    matrix = karcher.PrivateFeatureRegression("euclidean:1", **common).fit(phi, heights)
    unit = phi / np.linalg.norm(phi, axis=1, keepdims=True)
    expected = unit @ np.linalg.lstsq(unit, heights - 170.0, rcond=None)[0] + 170.0
    np.testing.assert_allclose(matrix.predict(phi), expected, atol=5e-3)
    assert matrix.release_.effects == () and matrix.release_.features == {"matrix": 10}
    with pytest.raises(karcher.Error, match="features is missing"):
        karcher.PrivateFeatureRegression("euclidean:1", radius=1.0, mu=1.0).spec()


def test_curved_responses_persons_and_confidential_numbers():
    angle = 0.004 * (np.clip(AGE, 20, 80) - 50)
    directions = np.stack([np.cos(angle), np.sin(angle), np.zeros(N)], axis=1)
    public = dict(features=[Linear("age", 20, 80)], center=[1.0, 0.0, 0.0], radius=0.5, random_state=2)
    sphere = karcher.PrivateFeatureRegression("sphere:2", mu=LARGE, **public).fit(PEOPLE, directions)
    found = sphere.predict({"age": [30.0, 70.0]})
    np.testing.assert_allclose(np.arctan2(found[:, 1], found[:, 0]), [-0.08, 0.08], atol=1e-4)
    # two records a person, with the same covariates: the same regression of half as many
    both = {"age": np.repeat(AGE[:500], 2)}
    persons = karcher.PrivateFeatureRegression("sphere:2", mu=LARGE, **public)
    persons.fit(both, np.repeat(directions[:500], 2, axis=0), groups=np.repeat(np.arange(500), 2))
    assert (persons.release_.unit, persons.release_.n) == ("person", 500)
    np.testing.assert_allclose(persons.predict({"age": [70.0]}), found[1:], atol=1e-3)
    guessed = karcher.PrivateFeatureRegression("sphere:2", mu=LARGE, adjacency="add-remove", n_guess=100, **public)
    release = guessed.fit(PEOPLE, directions).release_
    assert abs(release.private_count.value - N) < 1
    np.testing.assert_allclose(release.predict({"age": [70.0]}).points, found[1:], atol=1e-3)


def test_a_basis_keeps_what_it_spans():
    responses = RNG.normal(0, 0.1, (N, 6))
    basis = np.eye(6)[:2]
    common = dict(radius=1.0, mu=LARGE, random_state=1)
    mean = karcher.PrivateFeatureRegression("euclidean:6", features=[], basis=basis, **common).fit(None, responses)
    expected = np.concatenate([responses[:, :2].mean(axis=0), np.zeros(4)])
    np.testing.assert_allclose(mean.release_.predict().points[0], expected, atol=1e-5)
    twice = karcher.PrivateFeatureRegression("euclidean:6", features=[], basis=np.ones((2, 6)), **common)
    assert twice.fit(None, responses).coefficients_.shape == (1, 1)  # of one direction
    with pytest.raises(karcher.Error, match="none of its vectors is tangent"):
        twice.set_params(basis=np.zeros((2, 6))).fit(None, responses)


def test_groups_of_the_wrong_length_and_missing_covariates_are_refused():
    regression = karcher.PrivateFeatureRegression("euclidean:1", features=TERMS, radius=1.0, mu=1.0)
    with pytest.raises(karcher.Error, match="X has 3000 records and y has 2"):
        regression.fit(PEOPLE, [0.1, 0.2])
    with pytest.raises(karcher.Error, match="groups"):
        regression.fit(PEOPLE, np.zeros(N), groups=np.arange(5))
    with pytest.raises(karcher.Error, match="no column 'sex'"):
        regression.fit({"age": AGE}, np.zeros(N))
    for ages in (np.zeros((N, 2)), 30.0):
        with pytest.raises(karcher.Error, match="no single value a record in column 'age'"):
            regression.fit({"age": ages, "sex": SEX}, np.zeros(N))
    with pytest.raises(karcher.Error, match="groups do not go with"):
        karcher.PrivateFeatureRegression(
            "euclidean:1", features=TERMS, radius=1.0, mu=1.0, adjacency="add-remove", n_guess=9
        ).fit(PEOPLE, np.zeros(N), groups=np.arange(N))
    plan = karcher.plan(regression.spec(), n=5000)
    assert plan.best == "linear" and 0 < plan["linear"].expected_distance < 0.1
    assert karcher.plan(regression, n=5000).best == "linear"
    with pytest.raises(karcher.Error, match=r"y has shape \(3000, 6\).*manifold.read\(y, 'upper-row'\)"):
        karcher.PrivateFeatureRegression("spd-log-euclidean:3", features=TERMS, radius=1.0, mu=1.0).fit(
            PEOPLE, np.ones((N, 6))
        )
    with pytest.raises(karcher.Error, match="X has 0 feature"):
        karcher.PrivateFeatureRegression("euclidean:1", radius=1.0, mu=1.0).fit(np.empty((N, 0)), np.zeros(N))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Linear("age", 80, 20), "the lower end comes first"),
        (lambda: Poly("age", "20", 80, 3), "low is '20': expected a number"),
        (lambda: Levels("sex", "FM"), "levels is the text 'FM': give a list"),
        (lambda: Levels("sex", ["F", "F "]), "levels has 'F' twice"),
        (lambda: Levels("sex", ["F", ""]), "levels has an empty text"),
    ],
)
def test_terms_of_no_meaning_are_refused_when_they_are_made(made, said):
    with pytest.raises(ValueError, match=said):
        made()


def test_what_noise_hides_is_printed():
    regression = karcher.PrivateFeatureRegression("euclidean:1", features=TERMS, radius=1.0, epsilon=0.01)
    printed = repr(regression.fit(PEOPLE, np.zeros(N)).release_)
    assert "little information" in printed and "little-information: noise hides an effect" in printed
    assert "the test that sex has no effect gives p " in printed


@pytest.mark.parametrize("persons", [False, True])
def test_records_elsewhere_give_the_same_release(persons):
    rng = np.random.default_rng(3)
    people = {"age": rng.uniform(20, 80, 60), "sex": rng.choice(["F", "M"], 60)}
    responses = rng.normal(0, 2, (60, 2))  # many outside the ball
    groups = np.repeat(np.arange(20), 3) if persons else None
    regression = karcher.PrivateFeatureRegression(
        "euclidean:2", features=["linear:age:20:80", "levels:sex:F,M"], radius=1.0, mu=1.0, random_state=1,
    )
    here = regression.fit(people, responses, groups).release_

    def ask(question):
        def answer(part):
            own = {name: column[part] for name, column in people.items()}
            of = None if groups is None else groups[part]
            return karcher.partial(regression.records(own, responses[part], of), question, groups=of)

        return karcher.merge(answer(slice(0, 30)), answer(slice(30, 60)))

    there = regression.fit(karcher.Remote(ask, persons=persons)).release_
    assert np.array_equal(there.moments, here.moments) and there.unit == here.unit
    with pytest.raises(karcher.Error, match="are where the records are"):
        regression.fit(people, karcher.Remote(ask))


def test_levels_are_compared_as_numbers_where_texts_differ():
    from karcher.features import Levels, rows

    for levels, values in [([0.0, 1.0], [0.0, 1.0]), ([0, 1], [False, True]), (["0", "1"], ["0.0", "1.0"])]:
        found = rows([Levels("s", levels)], {"s": values})
        assert (found[:, 1:3] > 0).tolist() == [[True, False], [False, True]], levels


def test_a_matrix_with_a_number_that_is_not_finite_is_refused():
    regression = karcher.PrivateFeatureRegression("euclidean:1", radius=1.0, epsilon=1.0)
    with pytest.raises(karcher.errors.InvalidPointError, match="X, row 2"):
        regression.fit(np.array([[1.0, 0.0], [np.nan, 0.0]]), [0.5, 0.5])


@pytest.mark.parametrize("slope", [-0.01, 0.01])
def test_an_effect_on_a_line_has_its_sign(slope):
    rng = np.random.default_rng(4)
    age = rng.uniform(20, 80, 2000)
    regression = karcher.PrivateFeatureRegression("euclidean:1", features=["linear:age:20:80"], radius=1.0, epsilon=1e4)
    release = regression.fit({"age": age}, slope * (age - 50)).release_
    (effect,) = release.effects
    assert effect.change == pytest.approx(60 * slope, abs=1e-3) and effect.distance == pytest.approx(abs(effect.change))
    low, high = effect.change_interval
    assert low <= 60 * slope <= high and low * high > 0
    words = f"from 20 to 80, age moves the prediction by {effect.change:.4g}, from"
    assert words in repr(release) and words in release._repr_html_() and words[1:] in release.sentence()


def test_the_smallest_p_value_is_a_bound():
    regression = karcher.PrivateFeatureRegression("euclidean:1", features=["linear:age:20:80"], radius=1.0, epsilon=1e4)
    age = np.linspace(20, 80, 2000)
    release = regression.fit({"age": age}, 0.01 * (age - 50)).release_
    (test,) = release.term_tests
    assert test.p_value == test.even_p_value == 1 / (test.draws + 1) and "p ≤ 0.0005" in repr(release)


def test_dates_are_years_as_in_files():
    days = pd.date_range("2001-01-01", "2010-12-31", periods=500)
    digits = days.strftime("%Y%m%d").astype(int).to_numpy()
    years = days.year + (days.dayofyear - 1) / np.where(days.is_leap_year, 366, 365)
    rise = (years.to_numpy() - 2001) / 10
    of = lambda **options: karcher.PrivateFeatureRegression("euclidean:1", **options, radius=1.0, epsilon=1e4)
    for day in (digits, digits.astype(float), days, pd.Series(days), pd.Series(digits)):
        fitted = of(features=["linear:day:2001:2011"]).fit({"day": day}, rise)
        assert fitted.release_.effects[0].change == pytest.approx(1.0, abs=0.01)
        line = karcher.PrivateGeodesicRegression(
            "euclidean:1", predictor_range=(2001, 2011), radius=1.0, slope_bound=2.0, epsilon=1e4
        ).fit(day, rise)
        assert line.velocity_[0] == pytest.approx(1.0, abs=0.01) and not line.release_.flags
        assert line.predict(day[:3])[-1] == pytest.approx(rise[2], abs=0.01)


def test_the_score_is_that_of_scikit_learn_and_warns_of_training_records():
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.5, 0.5, (4000, 2))
    y = x @ [1.0, -0.5] + 0.01 * rng.normal(size=4000)
    seen, fitted = (x[:2000], y[:2000]), karcher.PrivateFeatureRegression(radius=1.0, mu=5.0)
    fitted.fit(*seen)
    others = x[2000:], y[2000:]
    assert abs(fitted.score(*others) - r2_score(others[1], fitted.predict(others[0]))) < 1e-12
    assert 0.9 < fitted.score(*others) < 1.0 and fitted.n_features_in_ == 2
    with pytest.warns(karcher.errors.TrainingRecordsWarning):
        fitted.score(*seen)
    with pytest.raises(karcher.Error, match="X has 3 features, but .* is expecting 2"):
        fitted.predict(np.zeros((5, 3)))
