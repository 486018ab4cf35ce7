"""Differentially private statistics of records on Riemannian manifolds.

Records are points of a curved space (directions, symmetric positive definite matrices, planar shapes, hyperbolic
embeddings). A release is a mean or a regression with a proven guarantee of differential privacy. Nothing that depends
on the records leaves except in a :class:`Release` or :class:`RegressionRelease`.

>>> import numpy as np, karcher
>>> directions = np.tile([0.6, 0.0, 0.8], (1000, 1))
>>> mean = karcher.PrivateFrechetMean(karcher.Sphere(2), radius=0.8, center=[0.0, 0.0, 1.0], epsilon=1.0)
>>> release = mean.fit(directions).release_
>>> release.value.shape, release.guarantee
((3,), Guarantee(epsilon=1.0))
"""

from . import aggregate, classification, directional, errors, features, fields, plot, preprocessing
from ._karcher import __version__
from ._report import report
from ._run import run
from ._verify import Finding, Verification, verify
from .cluster import Remote, merge, partial
from .components import PrivateTangentPCA
from .count import PrivateCount
from .descent import PrivateDescent
from .errors import Error
from .estimators import FrechetMean, PrivateFrechetMean
from .kmeans import PrivateKMeans
from .ledger import Ledger, LedgerEntry
from .local import Collected, RandomizedRecord, collect, randomize
from .location import GeometricMedian, PrivateBall, PrivateGeometricMedian
from .manifolds import (
    HPD,
    SPD,
    Euclidean,
    Grassmannian,
    Hyperbolic,
    Kendall,
    Manifold,
    Product,
    Projective,
    Rotations,
    Sphere,
    Torus,
    manifold,
)
from .privacy import (
    Audit,
    AuditedPart,
    AuditedProfile,
    Candidate,
    Gain,
    Guarantee,
    Noise,
    Plan,
    Profile,
    RehearsedBall,
    Sensitivity,
    audit,
    calibrate,
    compose,
    parallel,
    plan,
    profile,
    sensitivity,
)
from .regression import GeodesicRegression, PrivateFeatureRegression, PrivateGeodesicRegression
from .release import (
    Ball,
    BallRelease,
    Cluster,
    Comparison,
    Components,
    Concentration,
    Concentrations,
    CountRelease,
    DirectionalSummary,
    Effect,
    EmbeddedMean,
    FeatureRegressionRelease,
    KMeansRelease,
    Located,
    NoiseDraw,
    NoisyNumber,
    Part,
    PooledMean,
    Predictions,
    Radii,
    Region,
    RegressionRelease,
    Release,
    Spread,
    Step,
    TermTest,
    UniformSpread,
    Uniformity,
    VarianceRelease,
    compare,
    pool,
)
from .synthesis import Synthetic, synthesize
from .tangent import TangentSpace
from .variance import PrivateFrechetVariance

__all__ = [
    "HPD",
    "SPD",
    "Audit",
    "AuditedPart",
    "AuditedProfile",
    "Ball",
    "BallRelease",
    "Candidate",
    "Cluster",
    "Collected",
    "Comparison",
    "Components",
    "Concentration",
    "Concentrations",
    "CountRelease",
    "DirectionalSummary",
    "Effect",
    "EmbeddedMean",
    "Error",
    "Euclidean",
    "FeatureRegressionRelease",
    "Finding",
    "FrechetMean",
    "Gain",
    "GeodesicRegression",
    "GeometricMedian",
    "Grassmannian",
    "Guarantee",
    "Hyperbolic",
    "KMeansRelease",
    "Kendall",
    "Ledger",
    "LedgerEntry",
    "Located",
    "Manifold",
    "Noise",
    "NoiseDraw",
    "NoisyNumber",
    "Part",
    "Plan",
    "PooledMean",
    "Predictions",
    "PrivateBall",
    "PrivateCount",
    "PrivateDescent",
    "PrivateFeatureRegression",
    "PrivateFrechetMean",
    "PrivateFrechetVariance",
    "PrivateGeodesicRegression",
    "PrivateGeometricMedian",
    "PrivateKMeans",
    "PrivateTangentPCA",
    "Product",
    "Profile",
    "Projective",
    "Radii",
    "RandomizedRecord",
    "Region",
    "RegressionRelease",
    "RehearsedBall",
    "Release",
    "Remote",
    "Rotations",
    "Sensitivity",
    "Sphere",
    "Spread",
    "Step",
    "Synthetic",
    "TangentSpace",
    "TermTest",
    "Torus",
    "UniformSpread",
    "Uniformity",
    "VarianceRelease",
    "Verification",
    "__version__",
    "aggregate",
    "audit",
    "calibrate",
    "classification",
    "collect",
    "compare",
    "compose",
    "directional",
    "parallel",
    "errors",
    "features",
    "fields",
    "manifold",
    "merge",
    "partial",
    "plan",
    "plot",
    "pool",
    "preprocessing",
    "profile",
    "randomize",
    "report",
    "run",
    "sensitivity",
    "synthesize",
    "verify",
]
