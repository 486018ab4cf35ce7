"""Records as an array and as columns of a table, and every estimator that releases something of them."""

import numpy as np
import pyarrow as pa

import karcher
from remote_sums import but_for_remote

COLUMNS = ["x", "y", "z"]


def records(n=3000, seed=0):
    """Directions about the north pole, and the age and name of the person of each, as arrays."""
    rng = np.random.default_rng(seed)
    directions = np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=(n, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return directions, rng.uniform(20, 80, n), rng.integers(0, max(n // 4, 1), n)


def table(directions, ages, who):
    """The same as a table, with a column that is no number."""
    columns = dict(zip(COLUMNS, directions.T))
    return pa.table({**columns, "age": ages, "who": [f"person {key:05}" for key in who], "clerk": ["a"] * len(who)})


AT = dict(center=[0.0, 0.0, 1.0], random_state=7)


def estimators():
    """One a statistic, each with a seed. The regression comes last."""
    mean = karcher.PrivateFrechetMean
    return {
        "mean": mean("sphere:2", radius=0.8, epsilon=1.0, spread=True, **AT),
        "flow": mean("sphere:2", radius=0.8, mu=1.0, mechanism="karcher-flow", **AT),
        "confidential number": mean("sphere:2", radius=0.8, mu=1.0, adjacency="add-remove", n_guess=2000, **AT),
        "located mean": mean("sphere:2", ball="auto", mu=2.0, **AT),
        "median": karcher.PrivateGeometricMedian("sphere:2", radius=0.8, mu=1.0, **AT),
        "ball": karcher.PrivateBall("sphere:2", mu=2.0, **AT),
        "variance": karcher.PrivateFrechetVariance("sphere:2", epsilon=1.0, **AT),
        "components": karcher.PrivateTangentPCA("sphere:2", radius=0.8, mu=2.0, **AT),
        "regression": karcher.PrivateGeodesicRegression(
            "sphere:2", predictor_range=(20, 80), radius=0.8, slope_bound=0.5, mu=1.0, **AT
        ),
    }


def fit(name, data, **options):
    """The release of the statistic called ``name``, as JSON without the flag that sums are remote: ``data`` is a triple
    of arrays, or anything else that an estimator takes, with its options."""
    estimator = estimators()[name]
    is_regression = name == "regression"
    if isinstance(data, tuple):
        directions, ages, who = data
        groups = who if options.get("groups") else None
        of = (ages, directions) if is_regression else (directions,)
        return but_for_remote(estimator.fit(*of, groups=groups).release_, False)
    if is_regression and not isinstance(data, karcher.Remote):
        options["predictor"] = "age"
    is_remote = isinstance(data, karcher.Remote) or hasattr(data, "mapInArrow")
    return but_for_remote(estimator.fit(data, **options).release_, is_remote)
