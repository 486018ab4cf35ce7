"""Records of each person, carried to a public center."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _docs
from ._arrays import check_points
from ._keys import keys_of
from ._rows import Recentered, check_rows
from ._sklearn import BaseEstimator, TransformerMixin
from .errors import CutLocusError, Error, NoConvergenceError
from .estimators import FrechetMean
from .manifolds import Manifold, resolve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats


__all__ = ["PersonRecenter"]


class PersonRecenter(TransformerMixin, BaseEstimator):
    """The records of each person, carried from the person's own mean ``m`` to one center ``c``.

    ``x ↦ Exp_c(Γ Log_m x)``, with the parallel transport ``Γ`` along the geodesic from ``m`` to ``c``. Matrices with
    the affine-invariant metric become ``m^(−½)·x·m^(−½)`` for ``c = I``: the whitening that transfers a brain–computer
    interface from one person to another. Vectors lose the person's mean, directions are rotated, and so are shapes.

    What differs between persons is gone, and what differs within them is left. So the classes of persons are told
    apart better, and a smaller ball around ``c`` holds the records, which means less noise. A record is moved by all
    records of its person, and by no others. Hence a private estimator promises for **persons** what it promises
    without this step, and nothing for single records (user guide, V1): private estimators refuse the result unless
    ``fit`` is given the same ``groups``.

    One mean of all records of a person is ``c`` now: only statistics that look within a person remain, such as the
    means of classes. Nothing is learnt from the records, and the output is as confidential as what went in.

    Parameters
    ----------
    manifold : Manifold or str
        A manifold, its name, or its name without the size, which then is that of the records.
    center : array of the manifold's ``shape``, optional
        The public center: by default the origin of the manifold, the identity for matrices.

    Attributes
    ----------
    n_features_in_ : int
        Length of the first axis of a record.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> from karcher.classification import PrivateMDM
    >>> from karcher.preprocessing import PersonRecenter
    >>> rng = np.random.default_rng(0)
    >>> person, y = np.repeat(np.arange(40), 20), np.tile(["rest", "move"], 400)
    >>> of_person = karcher.SPD(2).random_point(40, scale=1.0, random_state=0)[person]
    >>> of_class = np.where((y == "move")[:, None, None], np.diag([2.0, 0.5]), np.eye(2))
    >>> X = of_person @ of_class @ of_person                         # persons differ more than classes
    >>> recenter = PersonRecenter("spd-affine-invariant")
    >>> model = PrivateMDM(radius=0.8, center=np.eye(2), metric="riemann", epsilon=2.0)
    >>> model = model.fit(recenter.fit_transform(X, groups=person), y, groups=person)
    >>> float(np.mean(model.predict(recenter.transform(X, groups=person)) == y)) > 0.9
    True
    """

    def __init__(self, manifold: Union[Manifold, str] = "spd-affine-invariant", center: Optional[ArrayLike] = None):
        self.manifold = manifold
        self.center = center

    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.three_d_array = True
        return tags

    def fit(self, X: ArrayLike, y: object = None, *, groups: Optional[ArrayLike] = None) -> PersonRecenter:
        """Learns nothing; checks the records and their persons.

        Parameters
        ----------
        X : array of shape (n, *shape)
        y : ignored
        groups : array of shape (n,)
            Person of each record: texts, numbers or dates.

        {self}
        """
        _, records, _ = self._given(X, groups)
        self.n_features_in_ = records.shape[1]
        return self

    def fit_transform(  # type: ignore[override]
        self, X: ArrayLike, y: object = None, *, groups: Optional[ArrayLike] = None
    ) -> Floats:
        """The same as :meth:`transform`, as nothing is learnt.

        Parameters
        ----------
        X : array of shape (n, *shape)
        y : ignored
        groups : array of shape (n,)
            Person of each record.

        Returns
        -------
        array of shape (n, *shape)
        """
        return self.fit(X, groups=groups).transform(X, groups=groups)

    def transform(self, X: ArrayLike, *, groups: Optional[ArrayLike] = None) -> Floats:
        """The records, each carried along with its person's mean.

        Parameters
        ----------
        X : array of shape (n, *shape)
            Records. Those of new persons are carried along with their own means, without any label.
        groups : array of shape (n,)
            Person of each record: texts, numbers or dates.

        Returns
        -------
        array of shape (n, *shape)
            A record without a logarithm at its person's mean, as at the antipode of a sphere, becomes the center. The
            records of a person without a unique mean stay where they are.

        Raises
        ------
        Error
            Without ``groups``, or where a person is missing.
        InvalidPointError
            For a record that is no point: which one, and why.
        """
        space, records, persons = self._given(X, groups)
        center = space.origin if self.center is None else np.asarray(self.center, dtype=space.dtype)
        check_points(center[None], space.shape, "center")
        moved = np.empty_like(records)
        order = np.argsort(persons, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(persons[order])) + 1):
            moved[rows] = _carried(space, records[rows], center)
        return moved.view(Recentered)

    def _given(self, X: ArrayLike, groups: Optional[ArrayLike]) -> tuple[Manifold, Floats, NDArray[np.intp]]:
        """The space, the records and the number of the person of each."""
        if groups is None:
            raise Error("there are no groups: give the person of each record, fit_transform(X, groups=person)")
        check_rows(X=X, groups=groups)
        records = np.asarray(X)
        space = resolve(self.manifold, records.shape[1:])
        check_points(records, space.shape, "X")
        records = space.project(records)
        keys = keys_of(np.asarray(groups).tolist() if hasattr(groups, "__array__") else list(groups))  # type: ignore[arg-type]
        if len(keys) != len(records):
            raise Error(f"groups has {len(keys)} persons, and X {len(records)} records: give one for each")
        if None in keys:
            raise Error(f"groups, row {keys.index(None) + 1}: the person is missing")
        return space, records, np.unique(np.array(keys), return_inverse=True)[1].reshape(-1)


def _carried(space: Manifold, own: Floats, center: Floats) -> Floats:
    """The records of one person at the center."""
    # the descent to the mean takes them in an order of their own, so that the given one does not matter
    order = np.lexsort(np.ascontiguousarray(own).view(np.float64).reshape(len(own), -1).T)
    try:
        mean = FrechetMean(space).fit(own[order]).estimate_
    except (CutLocusError, NoConvergenceError):
        return own
    try:
        return _moved(space, mean, own, center)
    except CutLocusError:
        return np.stack([_moved_or_center(space, mean, record, center) for record in own])


def _moved(space: Manifold, mean: Floats, records: Floats, center: Floats) -> Floats:
    return space.exp(center, space.transport(mean, center, space.log(mean, records, check=False), check=False))


def _moved_or_center(space: Manifold, mean: Floats, record: Floats, center: Floats) -> Floats:
    try:
        return _moved(space, mean, record, center)
    except CutLocusError:
        return center


__dir__ = _docs.complete(globals())
