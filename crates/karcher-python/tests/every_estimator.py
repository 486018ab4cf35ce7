"""One example of each estimator: its parameters, and what ``fit`` takes. General tests go over them."""

import karcher
import numpy as np
from karcher.classification import PrivateMDM, PrivateNearestCentroid, PrivateTangentClassifier
from karcher.fields import Modes, PrivateFieldMean, PrivateFieldRegression
from karcher.preprocessing import ShrinkTrace

POINTS = karcher.Sphere(2).random_point(60, center=[0, 0, 1], scale=0.2, random_state=1)
LINE = np.linspace(0, 1, 60)
MATRICES = np.tile(np.diag([2.0, 1.0]), (40, 1, 1))
LABELS = np.repeat(["a", "b"], 20)
BALL = {"manifold": "sphere:2", "radius": 0.5, "center": [0.0, 0.0, 1.0], "epsilon": 1.0}

ESTIMATORS = {
    karcher.FrechetMean: ({"manifold": "sphere:2"}, (POINTS,)),
    karcher.GeometricMedian: ({"manifold": "sphere:2"}, (POINTS,)),
    karcher.GeodesicRegression: ({"manifold": "sphere:2"}, (LINE, POINTS)),
    karcher.TangentSpace: ({"manifold": "sphere:2", "reference": [0.0, 0.0, 1.0]}, (POINTS,)),
    ShrinkTrace: ({}, (MATRICES,)),
    karcher.PrivateFrechetMean: (BALL, (POINTS,)),
    karcher.PrivateTangentPCA: (BALL, (POINTS,)),
    karcher.PrivatePCA: ({"radius": 2.0, "epsilon": 1.0}, (POINTS,)),
    karcher.PrivateGeometricMedian: (BALL, (POINTS,)),
    karcher.PrivateKMeans: ({**BALL, "n_clusters": 2}, (POINTS,)),
    karcher.PrivateDescent: (
        {**BALL, "gradient": lambda point, X: point * (X * point).sum(axis=1, keepdims=True) - X, "records": "sphere:2",
         "clip": 0.5, "steps": 2, "step_size": 0.5},
        (POINTS,),
    ),
    PrivateTangentClassifier: ({**BALL, "classes": [0, 1]}, (POINTS, np.arange(60) % 2)),
    karcher.PrivateBall: ({"manifold": "sphere:2", "epsilon": 1.0}, (POINTS,)),
    karcher.PrivateFrechetVariance: ({"manifold": "sphere:2", "center": [0, 0, 1], "epsilon": 1.0}, (POINTS,)),
    karcher.PrivateQuantiles: ({"manifold": "sphere:2", "center": [0, 0, 1], "epsilon": 1.0}, (POINTS,)),
    karcher.PrivateGeodesicRegression: ({**BALL, "predictor_range": (0, 1), "slope_bound": 0.5}, (LINE, POINTS)),
    PrivateMDM: ({"radius": 1.0, "center": np.eye(2), "epsilon": 1.0}, (MATRICES, LABELS)),
    PrivateNearestCentroid: (BALL, (POINTS, np.arange(60) % 2)),
    karcher.PrivateCount: ({"epsilon": 1.0}, (POINTS,)),
    PrivateFieldMean: (
        {"manifold": "sphere:2", "center": [0, 0, 1], "basis": Modes(2), "mask": np.ones(4), "clip": 0.5, "epsilon": 1},
        (POINTS.reshape(15, 4, 3),),
    ),
    PrivateFieldRegression: (
        {"manifold": "sphere:2", "center": [0, 0, 1], "basis": Modes(2), "mask": np.ones(4), "clip": 0.5, "epsilon": 1,
         "features": ["linear:age:0:1"]},
        ({"age": LINE[:15]}, POINTS.reshape(15, 4, 3)),
    ),
}


def fitted(kind, **others):
    """An estimator of a class, fitted to its example, with other parameters."""
    parameters, records = ESTIMATORS[kind]
    return kind(**{**parameters, **others}).fit(*records)


RELEASING = {
    kind.__name__: kind
    for kind in ESTIMATORS
    if kind.__module__.partition(".")[2] not in ("fields", "classification", "tangent_classification")
    and kind.__name__.startswith("Private")
}
"""The estimators whose ``release_`` is one release, by name."""
