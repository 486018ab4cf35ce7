"""Releases by a specification."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _docs, _spec
from ._private import PrivateEstimator
from ._rows import check_rows
from ._tables import Options
from ._withheld import withholds
from .cluster import Remote
from .count import PrivateCount
from .errors import Error
from .ledger import Ledger
from .manifolds import Manifold
from .regression import PrivateFeatureRegression, PrivateGeodesicRegression

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from ._input import Input
    from .release import (
        BallRelease, CountRelease, FeatureRegressionRelease, KMeansRelease, QuantilesRelease, RegressionRelease,
        Release, VarianceRelease,
    )  # fmt: skip

    AnyRelease = Union[
        Release, BallRelease, VarianceRelease, KMeansRelease, QuantilesRelease, RegressionRelease,
        FeatureRegressionRelease, CountRelease,
    ]  # fmt: skip


class _WithSpec:
    """An estimator whose parameters are a specification."""

    def __init__(self, fields: dict[str, Any], **parameters: Any) -> None:
        self.fields = fields
        self.manifold: Any = fields.get("manifold", "euclidean")  # a score has rows
        self.adjacency = fields.get("adjacency", "replace-one")
        vars(self).update(parameters)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        return self.fields


class _OfPoints(_WithSpec, PrivateEstimator[Any]):
    """The estimator of every statistic of points."""


class _OfPairs(_WithSpec, PrivateGeodesicRegression):
    """The estimator of a regression."""

    @property
    def predictor_range(self) -> tuple[float, float]:  # type: ignore[override]
        """The public ends of the predictor."""
        given = self.fields["predictor_range"]
        return given["low"], given["high"]


class _OnFeatures(_WithSpec, PrivateFeatureRegression):
    """The estimator of a regression on features."""

    def __init__(self, fields: dict[str, Any], **parameters: Any) -> None:
        super().__init__(fields, **parameters)
        given = fields["features"]
        self.features = None if isinstance(given, dict) else given


def read_records(fields: dict[str, Any], records: Any, predictors: Any, options: Options, on_invalid: str) -> Input:
    """The records of a mean or of a regression on features, as the compiled half reads them."""
    if fields["statistic"] == "feature-regression":
        _refuse_reading(options)
        groups: Any = options.groups
        return _OnFeatures(fields, on_invalid=on_invalid)._read(predictors, records, groups)[1]
    _refuse_predictors(fields["statistic"], predictors)
    return _OfPoints(fields, on_invalid=on_invalid)._read(records, options)


def _refuse_reading(options: Options) -> None:
    """Refuses what belongs to tables for a regression on features."""
    if any(value is not None for name, value in vars(options).items() if name != "groups"):
        raise Error("a regression on features takes arrays: leave out columns, layout, memory and the like")


def _refuse_predictors(statistic: str, predictors: object) -> None:
    if predictors is not None:
        raise Error(f"predictors belong to a regression: a {statistic} has none")


@withholds
def run(
    spec: Union[dict[str, Any], str, os.PathLike[str], AnyRelease],
    records: Any,
    *,
    predictors: Any = None,
    groups: Union[ArrayLike, str, None] = None,
    columns: Optional[Sequence[str]] = None,
    layout: Optional[str] = None,
    memory: Union[int, str, None] = None,
    missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None,
    trust_layout: Optional[bool] = None,
    template: Optional[ArrayLike] = None,
    on_invalid: str = "error",
    ledger: Union[Ledger, str, os.PathLike[str], None] = None,
    random_state: Optional[int] = None,
    n_jobs: Optional[int] = None,
) -> AnyRelease:
    """Makes the release that a specification requests, like the corresponding estimator. **Every** call **spends the
    budget**.

    Parameters
    ----------
    spec : dict, str, path or release
        The specification, as from ``spec()`` of an estimator; its JSON; or the name of a file. A release, also as a
        dict, JSON or file, is made again from its specification.
    records : array of shape (n, *shape), a table, a DataFrame of PySpark's, or Remote
        One row per person, or with ``groups`` one row per record, as for :meth:`PrivateFrechetMean.fit`.
    predictors : array of shape (n,), str or table, optional
        The predictors of a geodesic regression, one number per record; the name of a column if ``records`` is a table.
        For a regression on features the covariates, as for :class:`PrivateFeatureRegression`.
    groups : array of shape (n,) or str, optional
        The person of each record, for a specification with the unit ``"person"``.
    columns, layout, memory, missing_values, trust_layout, template : optional
        How records are read, as for :meth:`PrivateFrechetMean.fit`. Not for a count.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a record that is not a point of the manifold.
    ledger : Ledger or path, optional
        The ledger that counts the budget before the noise is drawn; by default the ledger of the ``with`` block, if
        any.
    random_state : int, optional
        Reproducible noise, hence **not private**: for tests and demonstrations.
    n_jobs : int, optional
        Number of threads, as for the estimators.

    Returns
    -------
    Release, BallRelease, VarianceRelease, KMeansRelease, QuantilesRelease, RegressionRelease, \
FeatureRegressionRelease or CountRelease

    Raises
    ------
    Error
        For a specification with conflicting fields, and as for ``fit``.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> spec = karcher.PrivateFrechetMean("euclidean:2", radius=2.0, epsilon=1.0).spec()
    >>> spec["statistic"], spec["ball"]
    ('frechet-mean', {'center': [0.0, 0.0], 'radius': 2.0})
    >>> release = karcher.run(spec, np.ones((1000, 2)))
    >>> release.guarantee, release.spec == spec
    (Guarantee(epsilon=1.0), True)
    """
    check_rows(records=records, predictors=predictors, groups=groups)
    fields = _spec.read(spec)
    statistic = fields["statistic"]
    is_regression = statistic == "geodesic-regression"
    reading: dict[str, Any] = {
        "columns": columns, "layout": layout, "memory": memory, "missing_values": missing_values,
        "trust_layout": trust_layout, "template": template,
    }  # fmt: skip
    how = {"on_invalid": on_invalid, "ledger": ledger, "random_state": random_state, "n_jobs": n_jobs}
    if statistic == "feature-regression":
        _refuse_reading(Options(**reading))
        return _OnFeatures(fields, **how).fit(predictors, records, groups).release_
    if not is_regression:
        _refuse_predictors(statistic, predictors)
    if statistic == "count":
        if groups is not None:
            raise Error("groups do not go with a count: records are counted, and no persons")
        for name, value in reading.items():
            if value is not None:
                raise Error(f"{name} does not go with a count, which reads no values: leave it out")
        budget = {name: value for name, value in fields["budget"].items() if name != "definition"}
        return PrivateCount(**budget, ledger=ledger, random_state=random_state).fit(records).release_
    if not is_regression:
        release: AnyRelease = _OfPoints(fields, **how).fit(records, groups=groups, **reading).release_
        return release
    if predictors is None and not isinstance(records, Remote):
        raise Error("predictors is missing: a regression takes one number a record, or the name of a column")
    if reading.pop("template") is not None:
        raise Error("template does not go with a regression: rotate records with karcher.align_landmarks")
    regression = _OfPairs(fields, **how)
    if predictors is None or isinstance(predictors, str):
        return regression.fit(records, groups=groups, predictor=predictors, **reading).release_
    return regression.fit(predictors, records, groups=groups, **reading).release_


__dir__ = _docs.complete(globals())
