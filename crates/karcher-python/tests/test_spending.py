"""Warnings, which all private estimators share; about training records: what is in them decides none."""

import inspect
import warnings

import numpy as np
import pytest
from karcher import SPD, PrivateCount, PrivateFrechetMean, PrivateGeodesicRegression, Sphere, errors
from karcher.classification import PrivateMDM
from karcher.fields import PrivateFieldRegression

from every_estimator import ESTIMATORS

PRIVATE = [kind for kind in ESTIMATORS if "epsilon" in inspect.signature(kind).parameters]
WITHOUT_BALL = {
    PrivateCount: "a number of records has no ball",
    PrivateFieldRegression: "coefficients that noise hides are damped, and flagged little-information",
}


def directions(n=300, seed=0):
    return Sphere(2).random_point(n, center=[0, 0, 1], scale=0.2, random_state=seed)


def test_training_records_given_again_warn_and_new_ones_do_not():
    x = np.concatenate([SPD(2).random_point(50, scale=0.2, random_state=i) for i in (1, 2)])
    y = np.repeat(["a", "b"], 50)
    mdm = PrivateMDM(2.0, np.eye(2), epsilon=1.0).fit(x, y)
    for call in (mdm.predict, mdm.predict_proba, mdm.transform, lambda given: mdm.score(given, y)):
        with pytest.warns(errors.TrainingRecordsWarning, match="confidential") as caught:
            call(x)
        assert len(caught) == 1 and caught[0].filename == __file__
    with pytest.warns(errors.TrainingRecordsWarning):
        mdm.predict(x[3:20])
    public = {
        "predictor_range": (0, 1),
        "radius": 0.8,
        "center": [0, 0, 1],
        "slope_bound": 1.0,
        "residual_bound": 0.5,
        "epsilon": 1.0,
    }
    predictor, points = np.linspace(0, 1, 300), directions()
    regression = PrivateGeodesicRegression("sphere:2", **public).fit(predictor, points)
    with pytest.warns(errors.TrainingRecordsWarning):
        regression.score(predictor, points)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = SPD(2).random_point(100, scale=0.2, random_state=9)
        (
            mdm.predict(other),
            mdm.predict_proba(other),
            mdm.transform(other),
            mdm.score(other, y),
            regression.predict(predictor),
        )
        regression.score(predictor, directions(seed=5))


def test_no_warning_after_a_fit_tells_whether_a_record_was_among_the_training_records():
    x = np.concatenate([SPD(2).random_point(50, scale=0.2, random_state=i) for i in (1, 2)])
    y = np.repeat(["a", "b"], 50)
    mdm = PrivateMDM(2.0, np.eye(2), epsilon=1.0).fit(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(100):
            mdm.predict(x[i : i + 1].copy())  # the numbers of a member
        mdm.score(x.copy(), y)
        mdm.predict(x.tolist())


def test_no_warning_tells_that_records_were_released_before():
    x = directions()
    mean = PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for again in (x, x.copy(), x[::-1], x[:100]):
            mean.fit(again)


@pytest.mark.parametrize("kind", PRIVATE, ids=lambda kind: kind.__name__)
def test_every_private_estimator_warns_of_a_weak_budget(kind):
    given, records = ESTIMATORS[kind]
    with pytest.warns(errors.WeakBudgetWarning, match="epsilon") as caught:
        kind(**{**given, "epsilon": 100.0}).fit(*records)
    assert {warning.filename for warning in caught if warning.category is errors.WeakBudgetWarning} == {__file__}


@pytest.mark.parametrize("kind", [kind for kind in PRIVATE if kind not in WITHOUT_BALL], ids=lambda kind: kind.__name__)
def test_every_private_estimator_with_a_ball_warns_of_noise_beyond_it(kind):
    given, records = ESTIMATORS[kind]
    with pytest.warns(errors.MostlyNoiseWarning, match="karcher.plan") as caught:
        kind(**{**given, "epsilon": 1e-3}).fit(*records)
    assert {warning.filename for warning in caught if warning.category is errors.MostlyNoiseWarning} == {__file__}
