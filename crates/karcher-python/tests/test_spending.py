"""The memory of this process for its releases: budgets add up."""

import pickle
import re
import subprocess
import sys
import threading
import warnings

import karcher
import numpy as np
import pytest
from karcher import (
    SPD,
    PrivateFrechetMean,
    PrivateGeodesicRegression,
    Sphere,
    _karcher,
    _spending,
    errors,
)
from karcher.classification import PrivateMDM
from karcher.preprocessing import ShrinkTrace
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.filterwarnings("error::karcher.errors.RepeatedReleaseWarning")


@pytest.fixture(autouse=True)
def forget():
    _spending._SPENT.clear()
    _spending._ORIGINS.clear()


def directions(n=300, seed=0):
    return Sphere(2).random_point(n, center=[0, 0, 1], scale=0.2, random_state=seed)


def mean(**options):
    return PrivateFrechetMean(**{"manifold": "sphere:2", "radius": 0.8, "center": [0, 0, 1], "epsilon": 0.5, **options})


def warned(call):
    """The one warning of a call."""
    with pytest.warns(errors.RepeatedReleaseWarning) as caught:
        call()
    assert len(caught) == 1
    return str(caught[0].message), caught[0].filename


def test_the_second_release_from_the_same_records_warns_with_the_sum():
    x = directions()
    mean().fit(x)
    text, file = warned(lambda: mean(epsilon=0.25).fit(x))
    assert "release 2 of this process" in text and "Guarantee(epsilon=0.75)" in text and file == __file__
    text, _ = warned(lambda: mean().fit(x.tolist()))
    assert "release 3" in text and "Guarantee(epsilon=1.25)" in text
    # in another order, on another estimator, in part
    text, _ = warned(lambda: mean().fit(x[::-1]))
    assert "Guarantee(epsilon=1.75)" in text
    regression = PrivateGeodesicRegression(
        "sphere:2",
        predictor_range=(0, 1),
        radius=0.8,
        center=[0, 0, 1],
        slope_bound=1.0,
        residual_bound=0.5,
        epsilon=1.0,
    )
    text, _ = warned(lambda: regression.fit(np.linspace(0, 1, 300), x))
    assert "release 5" in text and "Guarantee(epsilon=2.75)" in text
    text, _ = warned(lambda: mean().fit(x[:100]))
    assert "release 6" in text and "Guarantee(epsilon=3.25)" in text
    # other records are other people
    mean().fit(directions(seed=1))


def test_budgets_of_records_and_of_persons_are_not_added():
    x = directions()
    mean().fit(x)
    text, _ = warned(lambda: mean().fit(x, groups=np.arange(300) // 3))
    assert "who is in 2 of these releases is promised no guarantee that is known" in text and "does not add up" in text
    _spending._SPENT.clear()
    mean().fit(x, groups=np.arange(300) // 3)
    text, _ = warned(lambda: mean().fit(x, groups=np.arange(300) // 3))
    assert "who is in 2 of these releases is promised only Guarantee(epsilon=1.0)" in text


def test_parts_of_a_split_are_not_the_same_but_training_sets_of_a_cross_validation_are():
    x = directions(5000)
    mean().fit(x[:2500])
    mean().fit(x[2500:])
    _spending._SPENT.clear()
    mean().fit(x[1000:])
    text, _ = warned(lambda: mean().fit(np.concatenate([x[:1000], x[2000:]])))
    assert "Guarantee(epsilon=1.0)" in text
    # after the parts of a split, the whole: each person is in one of them
    _spending._SPENT.clear()
    mean().fit(x[:2500])
    mean().fit(x[2500:])
    text, _ = warned(lambda: mean().fit(x))
    promised = "a record that is in 2 of these releases is promised only Guarantee(epsilon=1.0)"
    assert "release 3" in text and promised in text
    # one in a hundred in common is taken for chance
    _spending._SPENT.clear()
    mean().fit(x[:2500])
    mean().fit(x[2475:])


def test_a_grid_search_says_what_it_spends():
    rng = np.random.default_rng(0)
    x = SPD(2).random_point(120, scale=0.2, random_state=1)
    y = np.where(rng.uniform(size=120) < 0.5, "a", "b")
    search = GridSearchCV(PrivateMDM(center=np.eye(2), epsilon=1.0), {"radius": [1.0, 2.0, 3.0]}, cv=4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(x, y)
    texts = [str(w.message) for w in caught if w.category is errors.RepeatedReleaseWarning]
    # 3 radii times 4 folds, and the refit on all; each person is in 3 of 4 training sets
    assert len(texts) == 12 and "release 13 of this process" in texts[-1]
    assert "a record that is in 10 of these releases is promised only Guarantee(epsilon=10.0)" in texts[-1]


def test_a_grid_search_over_the_preprocessing_is_seen():
    x, y = SPD(2).random_point(120, scale=0.2, random_state=1), np.tile(["a", "b"], 60)
    model = make_pipeline(ShrinkTrace(), PrivateMDM(center=np.eye(2), radius=1.0, epsilon=1.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        GridSearchCV(model, {"shrinktrace__alpha": [0.1, 0.2, 0.3]}, cv=2).fit(x, y)
    texts = [str(w.message) for w in caught if w.category is errors.RepeatedReleaseWarning]
    # the two halves have no person in common; the refit is on all
    assert len(texts) == 5 and "release 7 of this process" in texts[-1] and "Guarantee(epsilon=4.0)" in texts[-1]


def test_classes_are_disjoint_and_count_once():
    x = np.concatenate([SPD(2).random_point(50, scale=0.2, random_state=i) for i in (1, 2)])
    y = np.repeat(["a", "b"], 50)
    PrivateMDM(2.0, np.eye(2), epsilon=1.0).fit(x, y)
    text, _ = warned(lambda: PrivateFrechetMean(SPD(2), 2.0, np.eye(2), epsilon=1.0).fit(x[y == "a"]))
    assert "Guarantee(epsilon=2.0)" in text


def test_different_definitions_add_up_where_they_can():
    x = directions()
    mean(epsilon=None, mu=0.75).fit(x)
    text, _ = warned(lambda: mean(epsilon=None, mu=1.0).fit(x))
    assert "Guarantee(mu=1.25)" in text
    text, _ = warned(lambda: mean(epsilon=None, rho=0.1).fit(x))
    assert "release 3" in text and re.search(r"Guarantee\(|no guarantee is known", text)


def test_reproducible_noise_and_refused_calls_are_not_counted():
    x = directions()
    mean(random_state=1).fit(x)
    mean(random_state=2).fit(x)
    for wrong in ({"epsilon": -1.0}, {"radius": 3.0}, {"mechanism": "none"}):
        with pytest.raises(errors.Error):
            mean(**wrong).fit(x)
    first = mean().fit(x)
    # an error instead of a warning: no release is returned, so none is counted
    before = first.estimate_
    for _ in range(2):
        with pytest.raises(errors.RepeatedReleaseWarning, match="release 2"):
            first.fit(x)
    assert first.estimate_ is before


def test_nothing_of_the_records_is_kept_or_leaves():
    x = directions()
    fitted = mean().fit(x)
    # neither in the estimator, nor in what a process of its own would find the same
    assert b"ingerprint" not in pickle.dumps(fitted) and set(vars(fitted)) == {
        *fitted.get_params(),
        "release_",
        "estimate_",
        "manifold_",
        "n_features_in_",
    }
    assert "0." not in repr(_spending._SPENT).replace("epsilon=0.5", "")
    program = "import numpy as np; from karcher import _karcher; print(_karcher.fingerprints(np.ones((1, 3)))[0])"
    seen = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(seen) == 2
    with pytest.raises(TypeError):
        pickle.dumps(_spending.Fingerprint(x))


@pytest.mark.parametrize("width", [1, 2, 3, 31, 32, 33, 70])
def test_fingerprints_are_of_all_numbers_of_a_row(width):
    x = np.random.default_rng(width).standard_normal((400, width))
    x[5, 0] = 0.0
    same = x.copy()
    same[5, 0] = -0.0
    hashes, everything = _karcher.fingerprints(x)
    assert everything and len(set(hashes)) == 400
    assert _karcher.fingerprints(same) == (hashes, True)
    assert _karcher.fingerprints(x[::-1].copy()) == (hashes, True)
    for place in range(width):
        other = x.copy()
        other[:, place] = np.nextafter(other[:, place], 9.0)
        assert not set(_karcher.fingerprints(other)[0]) & set(hashes), place
    wider = np.concatenate([x, np.zeros((400, 1))], axis=1)
    assert not set(_karcher.fingerprints(wider)[0]) & set(hashes)


def test_a_sample_is_of_the_smallest_fingerprints_whatever_is_read_together():
    x = np.random.default_rng(1).standard_normal((40_000, 30))
    hashes, everything = _karcher.fingerprints(x)
    parts = [h for part in np.array_split(x, 100) for h in _karcher.fingerprints(part)[0]]
    assert not everything and hashes == sorted(parts)[: len(hashes)]


def test_nothing_is_lost_between_threads():
    x = directions()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [threading.Thread(target=lambda: [mean().fit(x) for _ in range(20)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    text, _ = warned(lambda: mean().fit(x))
    assert "release 161" in text and "Guarantee(epsilon=80.5)" in text


def test_memory_is_bounded():
    for i in range(_spending.REMEMBERED + 50):
        _spending.spend(mean(), np.full((2, 1), float(i)), karcher.Guarantee(epsilon=1.0), seeded=False, counted=False)
    assert len(_spending._SPENT) == _spending.REMEMBERED
    big = _spending.Fingerprint(np.random.default_rng(0).normal(size=(100_000, 2)))
    assert len(big._hashes) == 512


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


def test_with_a_ledger_no_warning_depends_on_records(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "budget.db", data="made up", epsilon=4.0)
    x = directions()
    mean().fit(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean().set_params(ledger=ledger).fit(x)
