"""Private estimators as measurements of OpenDP, which composes them with its own. Needs ``pip install "opendp>=0.16"``.

A measurement has a domain, a metric, a measure and a privacy map. The map bounds the loss for any number of records, or
persons, in which two data sets differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone

from .. import _arguments, _docs
from .._containers import opened
from .._groups import persons_of
from .._of_fields import OfFields
from .._private import Budgeted
from .._withheld import withholds
from ..classification import PrivateNearestCentroid
from ..descent import PrivateDescent
from ..errors import ArgumentTypeError, Error
from ..manifolds import resolve
from ..privacy import Guarantee
from ..regression import PrivateFeatureRegression
from ..tangent_classification import PrivateTangentClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

PERSON = "person"
"""The name by which the metric of persons identifies them."""


def measurement(
    estimator: Any, n: Optional[int] = None, *, unit: str = "record", labels: Optional[ArrayLike] = None
) -> Any:
    """An estimator as a measurement of OpenDP. Each invocation is a release with fresh noise, by a copy.

    Enable OpenDP's features ``"contrib"`` and ``"honest-but-curious"`` first: OpenDP takes the guarantee on trust.

    Parameters
    ----------
    estimator : private estimator
        Estimator without ``random_state``. It need not be fitted, and is not fitted. A ``ledger`` counts each
        invocation.
    n : int, optional
        The public number of records, or of persons. Leave it out with ``adjacency="add-remove"``, where it is
        confidential, and with ``labels``, which determine it.
    unit : {"record", "person"}
        Protected unit. For persons the data are ``(X, groups)`` or ``(X, y, groups)``.
    labels : array of shape (n,), optional
        The public labels of a classifier with ``labels="public"``, one per record. The data are then ``X`` alone.

    Returns
    -------
    opendp.mod.Measurement
        Measurement of data as ``fit`` takes them: an array, or a tuple of arrays if ``fit`` takes ``y`` or ``groups``.
        It returns ``release_``, or a tuple of several releases.

    Raises
    ------
    Error
        For an estimator without such a measurement; the message gives the reason.

    Notes
    -----
    The neighbours choose the metric:

    * one record replaced: ``change_one_distance``, or with public labels ``hamming_distance``;
    * one record added or removed: ``symmetric_distance``;
    * one person replaced: ``change_one_id_distance`` of ``"person"``, which needs polars.

    The budget chooses the measure: ``max_divergence`` for ε, ``approximate(max_divergence)`` for (ε, δ),
    ``zero_concentrated_divergence`` for ρ. For μ it is the last with ρ = μ²/2, as OpenDP takes no curve from a user
    measurement. The map of k is :meth:`karcher.Guarantee.group`, rounded up.

    Examples
    --------
    >>> import karcher, numpy as np, opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> mean = karcher.PrivateFrechetMean("sphere:2", radius=0.8, center=[0, 0, 1], epsilon=0.5)
    >>> measured = karcher.interop.opendp.measurement(mean, 1000)
    >>> measured.map(1), measured.map(3)
    (0.5, 1.5)
    >>> measured(np.tile([0.6, 0.0, 0.8], (1000, 1))).n
    1000
    """
    dp = _opendp()
    unit = _arguments.one_of("unit", unit, "record", "person")
    _check(estimator, unit, labels)
    estimator = clone(estimator)
    promised: Guarantee = estimator.guarantee()
    adjacency = _adjacency(estimator, unit)
    known = None if labels is None else np.array(labels)
    data = _Data(estimator, _size(n, adjacency, known), unit, known)
    return dp.m.make_user_measurement(
        dp.user_domain(data.identifier, data.has),
        _metric(dp, adjacency, unit, known),
        _measure(dp, promised),
        _invoked(estimator, promised, data),
        lambda k: _loss(promised, k),
    )


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise Error("OpenDP is not installed: pip install 'opendp>=0.16'") from None
    return dp


def _check(estimator: Any, unit: str, labels: object) -> None:
    """Refuses what has no measurement."""
    if not isinstance(estimator, Budgeted):
        raise ArgumentTypeError(f"estimator is of type {type(estimator).__name__}: expected a private estimator")
    if isinstance(estimator, OfFields):
        raise Error("estimators of fields read images from files, which OpenDP has no domain for: fit them without it")
    if getattr(estimator, "random_state", None) is not None:
        raise Error("random_state makes the noise known, so that no measure holds: leave it out")
    has_classes = isinstance(estimator, PrivateNearestCentroid)
    if has_classes and unit == "person":
        raise Error("a person may be in several classes here, and their number decides the cost: take unit='record'")
    if isinstance(estimator, PrivateTangentClassifier) and estimator.method == "lda" and unit == "person":
        raise Error("the moments of lda are of records and not of persons: take method='logistic', or unit='record'")
    public = isinstance(estimator, PrivateNearestCentroid) and not estimator._hides_labels()
    if public != (labels is not None):
        raise Error("labels is for a classifier with public labels, and required there: one label a record")


def _adjacency(estimator: Any, unit: str) -> str:
    if isinstance(estimator, PrivateTangentClassifier):
        return "replace-one"
    if isinstance(estimator, PrivateNearestCentroid):
        return "add-remove" if estimator._hides_labels() else "replace-one"
    return str(estimator.spec(unit=unit).get("adjacency", "replace-one"))


def _size(n: Optional[int], adjacency: str, labels: Any) -> Optional[int]:
    """The public number of records, or persons."""
    if labels is not None and n is None:
        return len(labels)
    if adjacency == "add-remove":
        if n is not None:
            raise Error("n is confidential with add-remove neighbours: leave it out")
        return None
    if n is None:
        raise ArgumentTypeError("n is missing: give the public number of records, or of persons")
    n = _arguments.whole("n", n, 1)
    if labels is not None and n != len(labels):
        raise Error(f"n is {n}, and there are {len(labels)} labels: leave n out")
    return n


class _Data:
    """The data sets of a measurement: tuples of arrays with one row a record."""

    def __init__(self, estimator: Any, n: Optional[int], unit: str, labels: Any) -> None:
        # the manifold of a descent is not that of its records
        named = None if isinstance(estimator, PrivateDescent) else getattr(estimator, "manifold", None)
        space = None if named is None else resolve(named)
        self.n, self.of_persons, self.labels = n, unit == "person", labels
        self.space, self.shape = space, None if space is None else space.shape
        regresses = isinstance(estimator, (RegressorMixin, PrivateFeatureRegression))
        takes_y = regresses or isinstance(estimator, (ClassifierMixin, PrivateDescent))
        self.at = 1 if regresses else 0
        # a descent takes labels if its loss does
        self.arrays = {1, 2} if isinstance(estimator, PrivateDescent) else {2 if takes_y and labels is None else 1}
        what = "rows" if space is None else f"points of {space.name}"
        size = "any number of" if n is None else f"{n} persons with" if self.of_persons else str(n)
        kind = {1: what, 2: f"{what} with covariates" if regresses else f"{what} with labels"}[max(self.arrays)]
        self.identifier = f"karcher: {size} {kind}"

    def has(self, data: object) -> bool:
        """Whether data are in the domain, by their public shape. ``fit`` looks at each point."""
        arrays, groups = self.parts(data)
        if len(arrays) not in self.arrays or (groups is None) == self.of_persons:
            return False
        try:
            sizes = {len(array) for array in arrays}
            rows = np.shape(opened(arrays[self.at], "X", self.space))[1:]
            persons = None if groups is None else len(np.unique(persons_of(groups, arrays[0])))  # type: ignore[arg-type]
        except Exception:  # data that are no arrays may raise anything
            return False
        fits = self.shape is None or rows == self.shape or (rows == () and self.shape == (1,))
        n = len(arrays[0]) if persons is None else persons
        return fits and len(sizes) == 1 and self.n in (None, n)

    def parts(self, data: object) -> tuple[tuple[Any, ...], Any]:
        """The arrays that ``fit`` takes, and the persons."""
        arrays = data if isinstance(data, tuple) else (data,)
        return (arrays[:-1], arrays[-1]) if self.of_persons and len(arrays) > 1 else (arrays, None)


def _metric(dp: Any, adjacency: str, unit: str, labels: Any) -> Any:
    if unit == "person":
        try:
            import polars
        except ImportError:
            raise Error("OpenDP's metric of persons needs polars: pip install polars") from None
        from opendp.metrics import change_one_id_distance

        return change_one_id_distance(polars.col(PERSON))
    if adjacency == "add-remove":
        return dp.symmetric_distance()
    return dp.change_one_distance() if labels is None else dp.hamming_distance()


def _measure(dp: Any, promised: Guarantee) -> Any:
    if promised.definition == "pure":
        return dp.max_divergence()
    if promised.definition == "approximate":
        return dp.approximate(dp.max_divergence())
    return dp.zero_concentrated_divergence()


def _loss(promised: Guarantee, k: int) -> Any:
    """The privacy map: the loss for data sets that differ in ``k`` records, or persons."""
    if promised.definition == "approximate":
        if k == 0:
            return 0.0, 0.0
        group = promised.group(k)
        return group.epsilon, group.delta
    if k == 0:
        return 0.0
    group = promised.group(k)
    return group.epsilon if promised.definition == "pure" else group.to_concentrated().rho


def _invoked(estimator: Any, promised: Guarantee, data: _Data) -> Callable[[object], Any]:
    @withholds
    def release(given: object) -> Any:
        if not data.has(given):
            raise Error(f"the data are not in the domain ({data.identifier}): compare their shapes with it")
        arrays, groups = data.parts(given)
        if data.labels is not None:
            arrays = (*arrays, data.labels)
        fitted, failure = clone(estimator), None
        try:
            fitted.fit(*arrays, **({} if groups is None else {"groups": groups}))
        except Error as error:
            failure = error
        except Exception:
            failure = Error("fit failed with an error that could quote records: call it without OpenDP to see which")
        if failure is not None:
            raise failure from None
        released = getattr(fitted, "release_", None)
        several = (released,) if released is not None else tuple(fitted.releases_)
        found = released.guarantee if released is not None else fitted.guarantee_
        if not found <= promised:
            raise Error(f"the release guarantees {found!r}, less than {promised!r}: please report this")
        return released if released is not None else several

    return release


__dir__ = _docs.complete(globals())
