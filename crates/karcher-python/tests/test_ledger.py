"""The ledger: counted releases, in any thread and process, and refusals."""

import pickle
import shutil
import subprocess
import sys
import threading
import warnings

import karcher
import numpy as np
import pytest
from karcher import (
    Ledger,
    PrivateBall,
    PrivateFrechetMean,
    PrivateGeodesicRegression,
    PrivateGeometricMedian,
    PrivateTangentPCA,
    Sphere,
    errors,
)
from karcher.classification import PrivateMDM, PrivateNearestCentroid
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "budget.db")


def directions(n=300, seed=0):
    return Sphere(2).random_point(n, center=[0, 0, 1], scale=0.2, random_state=seed)


def mean(**options):
    return PrivateFrechetMean(
        **{"manifold": "sphere:2", "radius": 0.8, "center": [0, 0, 1], "epsilon": 0.25, **options}
    )


def statuses(ledger):
    return [entry.status for entry in ledger.entries]


def test_releases_of_a_block_are_counted_without_warning_and_refused_at_the_end(path):
    x = directions()
    with Ledger.new(path, data="headings", epsilon=1.0) as ledger:
        for _ in range(4):
            mean().fit(x)
        with pytest.raises(
            errors.BudgetError, match="requested epsilon 0.25, spent epsilon 1.0 of 1.0, left epsilon 0.0"
        ):
            mean().fit(x)
    assert statuses(ledger) == ["released"] * 4 + ["refused"]
    assert (ledger.data, ledger.total, ledger.spent, ledger.left) == (
        "headings", karcher.Guarantee(epsilon=1.0), {"epsilon": 1.0}, {"epsilon": 0.0}
    )
    assert ledger.check() == [] and Ledger(path) == ledger
    # beyond the block no release counts
    mean().fit(x)
    assert len(ledger.entries) == 5


def test_everything_that_releases_is_counted(path):
    x, y = directions(400), np.linspace(0, 1, 400)
    matrices = np.array([np.diag([1.0, 2.0])] * 40)
    ledger = Ledger.new(path, data="all", rho=1e3)
    makers = [
        mean(ledger=ledger),
        mean(ledger=path, spread=True),
        PrivateFrechetMean("sphere:2", ball="auto", mu=1.0, ledger=path),
        PrivateGeometricMedian("sphere:2", radius=1.0, center=[0, 0, 1], mu=1.0, ledger=path),
        PrivateBall("sphere:2", mu=1.0, ledger=path),
        PrivateTangentPCA("sphere:2", radius=0.8, center=[0, 0, 1], mu=1.0, ledger=path),
    ]
    for i, estimator in enumerate(makers):
        estimator.fit(x)
        assert len(ledger.entries) == i + 1
        assert estimator.release_.ledger_entry == ledger.entries[-1].entry
    regression = PrivateGeodesicRegression(
        "sphere:2", predictor_range=(0, 1), radius=1.0, center=[0, 0, 1], slope_bound=0.5, mu=1.0, ledger=path
    )
    regression.fit(y, x)
    assert regression.release_.ledger_entry == ledger.entries[-1].entry
    # the classes have no person in common
    before = len(ledger.entries)
    labels = np.arange(40) % 2
    PrivateMDM(radius=1.0, center=np.eye(2), epsilon=1.0, ledger=path).fit(matrices, labels)
    assert len(ledger.entries) == before + 1 and set(statuses(ledger)) == {"released"}
    located = ledger.entries[2]
    assert located.event["statistic"] == "frechet-mean" and located.counts_as == {"rho": 0.5}


def test_wrong_options_cost_nothing(path):
    ledger = Ledger.new(path, data="headings", epsilon=1.0)
    x = directions()
    for options in ({"radius": 9.0}, {"epsilon": -1.0}, {"mechanism": "karcher-flow"}, {"random_state": 1}):
        with pytest.raises(errors.Error):
            mean(ledger=ledger, **options).fit(x)
    with pytest.raises(errors.InvalidPointError):
        mean(ledger=ledger).fit(np.ones((9, 3)))
    assert ledger.entries == []
    with pytest.raises(errors.BudgetError, match="counts epsilon"):
        mean(ledger=ledger, epsilon=None, mu=0.1).fit(x)
    assert ledger.left == {"epsilon": 1.0}


def test_a_second_ledger_of_the_name_and_what_is_none_are_refused(path, tmp_path):
    Ledger.new(path, data="headings", epsilon=1.0)
    with pytest.raises(errors.LedgerError, match=r"exists, .*: use karcher\.Ledger\(.*\) to go on with it"):
        Ledger.new(path, data="headings", epsilon=1.0)
    with pytest.raises(errors.LedgerError, match=r"does not exist: check the path, or .* karcher\.Ledger\.new"):
        Ledger(tmp_path / "missing.db")
    (tmp_path / "text").write_text("epsilon")
    with pytest.raises(errors.LedgerError, match="no ledger"):
        mean(ledger=tmp_path / "text").fit(directions())
    with pytest.raises(errors.ArgumentTypeError):
        mean(ledger=3).fit(directions())


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_grid_search_spends_from_the_block_in_threads_and_processes(path, backend):
    import joblib

    y, x = np.linspace(0, 1, 200), directions(200)
    regression = PrivateGeodesicRegression(
        "sphere:2", predictor_range=(0, 1), radius=1.0, center=[0, 0, 1], slope_bound=0.5, epsilon=0.5
    )
    search = GridSearchCV(regression, {"residual_bound": [0.3, 0.5]}, cv=3, n_jobs=2)
    with Ledger.new(path, data="headings", epsilon=3.5) as ledger:
        with joblib.parallel_backend(backend, n_jobs=2), warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.TrainingRecordsWarning)
            search.fit(y, x)
    # six fits and the last one with all records
    assert statuses(ledger) == ["released"] * 7 and ledger.left == {"epsilon": 0.0}


def test_grid_search_that_runs_out_fails_its_fits(path):
    y, x = np.linspace(0, 1, 200), directions(200)
    regression = PrivateGeodesicRegression(
        "sphere:2", predictor_range=(0, 1), radius=1.0, center=[0, 0, 1], slope_bound=0.5, epsilon=0.5
    )
    search = GridSearchCV(regression, {"residual_bound": [0.3, 0.5]}, cv=3, refit=False)
    with Ledger.new(path, data="headings", epsilon=2.0) as ledger:
        with pytest.warns(FitFailedWarning), warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.TrainingRecordsWarning)
            search.fit(y, x)
    assert statuses(ledger) == ["released"] * 4 + ["refused"] * 2


def test_threads_and_copies_do_not_leave_the_block(path):
    x = directions()
    with Ledger.new(path, data="headings", epsilon=9.0) as ledger:
        thread = threading.Thread(target=lambda: mean().fit(x))
        thread.start()
        thread.join()
        assert len(ledger.entries) == 1
        copies = [clone(mean()), pickle.loads(pickle.dumps(mean())), clone(make_pipeline(mean()))]
    for copy in copies:  # they were made in the block
        copy.fit(x)
    assert len(ledger.entries) == 4
    program = "import pickle, sys; pickle.load(sys.stdin.buffer).fit(pickle.load(sys.stdin.buffer))"
    with ledger:
        sent = pickle.dumps(mean()) + pickle.dumps(x)
    subprocess.run([sys.executable, "-c", program], input=sent, check=True)
    assert statuses(ledger) == ["released"] * 5


def test_blocks_are_nested_and_a_parameter_comes_first(path, tmp_path):
    x = directions()
    inner_path = tmp_path / "inner.db"
    with Ledger.new(path, data="outer", epsilon=9.0) as outer:
        with Ledger.new(inner_path, data="inner", epsilon=9.0) as inner:
            mean().fit(x)
            mean(ledger=outer).fit(x)
        mean().fit(x)
    assert (len(outer.entries), len(inner.entries)) == (2, 1)


def test_show_prints_what_is_left(path, capsys):
    with Ledger.new(path, data="headings", epsilon=1.0) as ledger:
        mean().fit(directions())
    ledger.show()
    printed = capsys.readouterr().out
    assert "headings: epsilon 0.75 left of epsilon 1.0" in printed and "frechet-mean by chart on sphere:2" in printed


def test_show_tells_persons_and_how_many_classes_there_are(path, capsys):
    x = np.stack([np.eye(2) * (1 + i % 3) for i in range(24)])
    model = PrivateMDM(radius=3.0, center=np.eye(2), mu=0.7)
    with Ledger.new(path, data="rest", unit="person", mu=1.0) as ledger:
        model.fit(x, np.arange(24) % 2, groups=np.arange(24) // 2)
    ledger.show()
    printed = capsys.readouterr().out
    # √2·0.7 of both classes together, rounded up
    assert "mu 0.98" in printed and "frechet-mean × 2 by" in printed


FOREIGN = {
    "release": "histogram", "library": "OpenDP 0.16.0", "guarantee": {"definition": "pure", "epsilon": 0.5},
    "unit": "record", "adjacency": "replace-one", "data": "people", "date": "2026-11-27",
}  # fmt: skip
GAUSSIAN = {"definition": "gaussian", "mu": 1.0}


def test_releases_of_other_programs_spend_the_same_budget_once(tmp_path, capsys):
    ledger = karcher.Ledger.new(tmp_path / "b.db", data="people", epsilon=2.0)
    with ledger:
        karcher.PrivateCount(epsilon=0.25).fit(np.zeros((10, 1)))  # for one more record, which is half a step
    assert (ledger.import_releases([FOREIGN]), ledger.import_releases([FOREIGN])) == (1, 0)
    assert ledger.spent == {"epsilon": 1.0} and ledger.entries[1].event == FOREIGN
    ledger.show()
    assert "histogram by OpenDP 0.16.0" in capsys.readouterr().out
    exported = ledger.export_releases()
    assert exported[1] == FOREIGN and ledger.import_releases(exported) == 0
    other = karcher.Ledger.new(tmp_path / "c.db", data="people", rho=2.0)
    assert other.import_releases(exported) == 2
    # the count has 0.5 for two steps, too, and ε counts as ρ = ε·tanh(ε/2)
    assert other.spent["rho"] == pytest.approx(2 * 0.5 * np.tanh(0.25), rel=1e-9)


def test_a_foreign_release_beyond_the_total_ends_the_ledger(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "b.db", data="people", epsilon=0.25)
    assert ledger.import_releases([FOREIGN]) == 1
    assert ledger.spent == {"epsilon": 0.5} and ledger.left == {"epsilon": 0.0} and ledger.check() == []
    with pytest.raises(karcher.errors.BudgetError, match="not enough is left"), ledger:
        karcher.PrivateCount(epsilon=0.01).fit(np.zeros((10, 1)))


def test_classes_of_persons_are_exported_with_what_they_count(tmp_path):
    """Each class counts by itself, with ε alone in a total of (ε, δ)."""
    budget = {"unit": "person", "data": "people", "epsilon": 1.0, "delta": 1e-6}
    ledger, other = (karcher.Ledger.new(tmp_path / name, **budget) for name in ("a.db", "b.db"))
    points, labels, persons = np.zeros((40, 2)), np.repeat(["a", "b"], 20), np.arange(40) // 4
    model = PrivateNearestCentroid("euclidean:2", radius=1.0, center=[0, 0], epsilon=0.5)
    with ledger:
        model.fit(points, labels, groups=persons)
    assert ledger.spent == {"epsilon": 1.0, "delta": 0.0}
    assert other.import_releases(ledger.export_releases()) == 1 and other.spent == ledger.spent
    with pytest.raises(karcher.errors.BudgetError), other:
        model.fit(points, labels, groups=persons)


def test_releases_of_an_adopted_copy_count(tmp_path):
    """A copy keeps the ledger's name, and its new entries have numbers that the original gives to others."""
    ledger = karcher.Ledger.new(tmp_path / "a.db", data="people", epsilon=3.0)
    mean = karcher.PrivateFrechetMean("euclidean:1", radius=1.0, epsilon=0.25)
    with ledger:
        mean.fit(np.zeros((10, 1)))
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    copy = karcher.Ledger(tmp_path / "b.db")
    copy.adopt()
    with copy:
        mean.set_params(epsilon=1.0).fit(np.zeros((11, 1)))
    assert ledger.import_releases(copy.export_releases()) == 1
    assert ledger.spent == {"epsilon": 1.25}


def test_foreign_releases_of_others_are_refused(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "b.db", data="people", unit="person", epsilon=1.0)
    for releases, error in [
        ([{**FOREIGN, "data": "others"}], karcher.errors.LedgerError),
        ([FOREIGN], karcher.Error),  # protects records
        ([{**FOREIGN, "unit": "person", "guarantee": GAUSSIAN}], karcher.errors.BudgetError),
        ([{**FOREIGN, "fun": 1}], karcher.Error),
        ([{**FOREIGN, "unit": "person"}] * 2, karcher.errors.LedgerError),
        ("none", karcher.Error),
        ([{**FOREIGN, "date": object()}], karcher.Error),
    ]:
        with pytest.raises(error):
            ledger.import_releases(releases)
    assert ledger.entries == []
