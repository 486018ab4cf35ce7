"""Everything that can be refused is refused before a budget is spent: a refused fit leaves the ledger byte for byte."""

import tempfile
import warnings
from pathlib import Path

import karcher
import numpy as np
import pandas as pd
import pytest
from karcher import classification, errors

from test_odd_cells import CELLS, LABELLED, LABELS, N, PLANE, SPHERE, with_cell

PERSONS = np.arange(N).astype(str).astype(object)


def refused(fit, path):
    """The error of a fit, whose ledger stays as it was."""
    ledger = karcher.Ledger.new(Path(tempfile.mkdtemp(dir=path)) / "ledger", data="made up", mu=900)
    before = Path(ledger.path).read_bytes()
    with pytest.raises(errors.Error) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(ledger)
    assert not ledger.entries and Path(ledger.path).read_bytes() == before
    return caught.value


@pytest.mark.parametrize("name", [*CELLS, *LABELLED])
@pytest.mark.parametrize("place", [2, N - 1])
def test_an_invalid_record_spends_nothing(name, place, tmp_path):
    """Also where it is of the last class."""
    make, rows, fit = {**CELLS, **LABELLED}[name]
    if name in ("count", "levels", "labels of classes"):
        pytest.skip("what it holds is never refused")
    order = [*range(2), place, *range(3, N)]
    order[place] = 2
    turned = with_cell([rows[i] for i in order], None)
    turned = [turned[i] for i in order]

    def fitted(ledger):
        fit(make(ledger=ledger).set_params(on_invalid="error"), turned)

    assert isinstance(refused(fitted, tmp_path), errors.InvalidPointError)


@pytest.mark.parametrize("name", [name for name in CELLS if not name.startswith(("count", "images", "covariates of"))])
def test_a_record_of_another_shape_spends_nothing(name, tmp_path):
    make, rows, fit = CELLS[name]
    refused(lambda ledger: fit(make(ledger=ledger), np.ones((N, 3, 3, 3))), tmp_path)


@pytest.mark.parametrize("name", ["mean", "median", "components", "k-means", "variance", "descent", "predictors"])
def test_a_missing_key_spends_nothing_and_has_the_class_of_records(name, tmp_path):
    make, rows, _ = CELLS[name]
    for odd in (None, np.nan, "", pd.NA):
        groups = PERSONS.copy()
        groups[5] = odd
        more = (PLANE,) if name == "predictors" else ()
        error = refused(lambda ledger: make(ledger=ledger).fit(rows, *more, groups=groups), tmp_path)
        assert isinstance(error, errors.InvalidPointError) and "row 6" in str(error)


@pytest.mark.parametrize("labels", ["public", "private"])
def test_no_label_decides_whether_records_are_refused_or_which(labels, tmp_path):
    """Places are those of the caller's rows, also of a record that is in no class."""
    options = {"labels": "private", "classes": ["a", "b"], "n_guess": 20} if labels == "private" else {}
    X = np.array(SPHERE)
    X[[7, 30]] = 2.0
    said = set()
    for y in (LABELS, LABELS[::-1], ["a"] * 20 + ["b"] * 20, ["b"] * 20 + ["a"] * 20):
        for of_x, path in ((X, "a"), (X.astype(np.float32), "s"), (memory_map(X, tmp_path), "m"), (table(X, y), "t")):
            (tmp_path / path).mkdir(exist_ok=True)
            model = lambda ledger: classification.PrivateNearestCentroid("sphere:2", mu=1.0, ledger=ledger, **options)
            target = "y" if path == "t" else y
            said.add(str(refused(lambda ledger: model(ledger).fit(of_x, target), tmp_path / path)).split(":")[0])
    assert said == {"record 8 (index 7)"}
    if labels == "private":
        y = [*LABELS[:7], "other", *LABELS[8:]]
        model = lambda ledger: classification.PrivateNearestCentroid("sphere:2", mu=1.0, ledger=ledger, **options)
        assert "record 8 (" in str(refused(lambda ledger: model(ledger).fit(X, y), tmp_path))


def memory_map(X, path):
    array = np.memmap(path / "X", dtype=np.float32, mode="w+", shape=X.shape)
    array[:] = X
    return array


def table(X, y):
    return pytest.importorskip("pyarrow").table({"x": X[:, 0], "y0": X[:, 1], "z": X[:, 2], "y": y})


def test_a_part_for_which_a_ledger_of_another_definition_has_no_room_spends_nothing(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "ledger", data="made up", rho=0.5)
    before = Path(ledger.path).read_bytes()
    for method in ("lda", "logistic"):
        model = classification.PrivateTangentClassifier(
            "euclidean:2", ["a", "b"], radius=1.0, mu=1.5, method=method, of_reference=0.2, ledger=ledger
        )
        with pytest.raises(errors.BudgetError):
            model.fit(PLANE, LABELS)
    assert not ledger.entries and Path(ledger.path).read_bytes() == before
