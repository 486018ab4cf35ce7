"""Zero records behave like one and like two where their number is protected, in every estimator and container."""

import karcher
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from test_odd_cells import on_features, squared

MADE = {"adjacency": "add-remove", "n_guess": 20, "random_state": 1}
BALL = {"radius": 1.0, "mu": 1.0, **MADE}
POINTS = np.array([[0.1, 0.2], [0.3, -0.1]])
AGES = np.array([0.2, 0.7])


def regression():
    return karcher.PrivateGeodesicRegression("euclidean:2", predictor_range=(0, 1), slope_bound=1.0, **BALL)


# what fits n records of an estimator, from the points and ages in a container
ESTIMATORS = {
    "mean": lambda X, ages: karcher.PrivateFrechetMean("euclidean:2", **BALL).fit(X),
    "pure mean": lambda X, ages: karcher.PrivateFrechetMean("euclidean:2", radius=1.0, epsilon=1.0, **MADE).fit(X),
    "k-means": lambda X, ages: karcher.PrivateKMeans("euclidean:2", n_clusters=2, **BALL).fit(X),
    "variance": lambda X, ages: karcher.PrivateFrechetVariance(
        "euclidean:2", center=[0, 0], clip=1.0, mu=1.0, **MADE
    ).fit(X),
    "count": lambda X, ages: karcher.PrivateCount(mu=1.0, random_state=1).fit(X),
    "descent": lambda X, ages: karcher.PrivateDescent(
        "euclidean:2", squared, "euclidean:2", clip=1.0, steps=3, step_size=0.5, **BALL
    ).fit(X),
    "line": lambda X, ages: regression().fit(ages, X),
    "features": lambda X, ages: on_features(adjacency="add-remove", n_guess=20, random_state=1).fit(
        {"age": ages, "sex": ["F", "M"][: len(ages)]}, X
    ),
}

CONTAINERS = {
    "array": lambda x: x,
    "single precision": lambda x: x.astype(np.float32),
    "objects": lambda x: x.astype(object),
    "list": lambda x: x.tolist(),
    "pandas": lambda x: pd.DataFrame(x, columns=["x", "y"]) if x.ndim == 2 else pd.Series(x),
    "polars": lambda x: pl.DataFrame({"x": x[:, 0], "y": x[:, 1]}) if x.ndim == 2 else pl.Series("age", x),
    "arrow": lambda x: pa.table({"x": x[:, 0], "y": x[:, 1]}) if x.ndim == 2 else pa.chunked_array([pa.array(x)]),
}


@pytest.mark.filterwarnings("ignore::karcher.errors.WeakBudgetWarning")
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_none_are_treated_like_one_and_two(name, container):
    made = CONTAINERS[container]
    said = []
    for n in (0, 1, 2):
        try:
            ESTIMATORS[name](made(POINTS[:n]), made(AGES[:n]))
        except karcher.Error as error:
            said.append(f"{type(error).__name__}: {error}")
        else:
            said.append("released")
    assert said[0] == said[1] == said[2]
    if container in ("array", "list"):
        assert said[0] == "released" or "add-remove" in said[0]
