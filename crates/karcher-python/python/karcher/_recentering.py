"""Records of each person, carried to a public center."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _docs, _karcher
from ._arrays import check_points
from ._keys import keys_of
from ._private import named_records
from ._rows import Recentered, check_rows
from ._sklearn import BaseEstimator, TransformerMixin
from .errors import Error, InvalidPointError
from .manifolds import Manifold

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats


__all__ = ["PersonRecenter"]


STEPS = 500
"""Steps of the iteration for a person's mean. They are the same for all, and its last point counts."""


class PersonRecenter(TransformerMixin, BaseEstimator):
    """The records of each person, carried from the person's own mean ``m`` to one center ``c``.

    ``x ↦ Exp_c(Γ Log_m x)``, with the parallel transport ``Γ`` along the geodesic from ``m`` to ``c``. Matrices with
    the affine-invariant metric become ``m^(−½)·x·m^(−½)`` for ``c = I``: the whitening that transfers a brain–computer
    interface from one person to another. Vectors lose the person's mean, directions are rotated, and so are shapes.

    What differs between persons is gone, and what differs within them is left. So the classes of persons are told
    apart better, and a smaller ball around ``c`` holds the records, which means less noise. A record is moved by all
    records of its person, and by no others. Hence a private estimator promises for **persons** what it promises
    without this step (user guide, V1). Without ``groups`` it promises nothing for anyone.

    **Always give** ``fit`` **the same** ``groups``. Private estimators refuse the array that comes out without them,
    and its parts and copies. Other containers lose this mark, and which groups are given is not compared.

    The mean of all records of a person is close to ``c`` now: only statistics that look within a person remain, such
    as the means of classes. Nothing is learnt from the records, and the output is as confidential as what went in.

    Parameters
    ----------
    manifold : Manifold or str
        A manifold, its name, or its name without the size, which then is that of the records.
    center : array of the manifold's ``shape`` or "origin"
        The public center; the origin of matrices is the identity.

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
    >>> def recorded(persons):                                       # persons differ more than classes
    ...     person, y = np.repeat(np.arange(persons), 20), np.tile(["rest", "move"], 10 * persons)
    ...     of_person = karcher.SPD(2).random_point(persons, scale=1.0, random_state=persons)[person]
    ...     of_class = np.where((y == "move")[:, None, None], np.diag([2.0, 0.5]), np.eye(2))
    ...     return of_person @ of_class @ of_person, y, person
    >>> (X, y, person), (new, truth, of_new) = recorded(40), recorded(20)
    >>> recenter = PersonRecenter("spd-affine-invariant")
    >>> model = PrivateMDM(radius=0.8, center=np.eye(2), metric="riemann", epsilon=2.0)
    >>> model = model.fit(recenter.fit_transform(X, groups=person), y, groups=person)
    >>> float(np.mean(model.predict(recenter.transform(new, groups=of_new)) == truth)) > 0.9
    True
    """

    def __init__(self, manifold: Union[Manifold, str] = "spd-affine-invariant", center: ArrayLike = "origin") -> None:
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
        space, _, _ = self._given(X, groups)
        self._public(space)
        self.n_features_in_ = space.shape[0]
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
            A record that cannot be carried becomes the center, such as one at the antipode of its person's mean on a
            sphere. If there is no mean, the records of that person stay.

        Raises
        ------
        Error
            Without ``groups``, or where a person is missing.
        InvalidPointError
            For a record that is no point: which one, and why.
        """
        space, records, persons = self._given(X, groups)
        center = self._public(space)
        moved = np.empty_like(records)
        order = np.argsort(persons, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(persons[order])) + 1):
            moved[rows] = _carried(space, records[rows], center)
        flat = np.ascontiguousarray(center).view(np.float64).ravel().tolist()
        return space._as_points(_karcher.points_or_center(space._core, moved, flat)).view(Recentered)

    def _public(self, space: Manifold) -> Floats:
        """The center, which is checked."""
        if isinstance(self.center, str):
            if self.center != "origin":
                raise Error(f"center is {self.center!r}: give a point of {space.name}, or 'origin'")
            return space.origin
        center = np.asarray(self.center)
        check_points(center[np.newaxis], space.shape, "center")
        try:
            return space.project(center)
        except InvalidPointError as error:
            raise InvalidPointError(str(error).replace("x: ", "center: ", 1)) from None

    def _given(self, X: ArrayLike, groups: Optional[ArrayLike]) -> tuple[Manifold, Floats, NDArray[np.intp]]:
        """The space, the records and the number of the person of each."""
        if groups is None:
            raise Error("there are no groups: give the person of each record, fit_transform(X, groups=person)")
        check_rows(X=X, groups=groups)
        space, records = named_records(self.manifold, X, "X")
        check_points(records, space.shape, "X")
        space.project(records)
        keys = keys_of(np.asarray(groups).tolist() if hasattr(groups, "__array__") else list(groups))  # type: ignore[arg-type]
        if len(keys) != len(records):
            raise Error(f"groups has {len(keys)} persons, and X {len(records)} records: give one for each")
        if None in keys:
            raise Error(f"groups, row {keys.index(None) + 1}: the person is missing")
        return space, records, np.unique(np.array(keys), return_inverse=True)[1].reshape(-1)


def _carried(space: Manifold, own: Floats, center: Floats) -> Floats:
    """The records of one person at the center."""
    # the iteration takes them in an order of their own, so that the given one does not matter
    order = np.lexsort(own.view(np.float64).reshape(len(own), -1).T)
    try:
        mean = space._as_points(_karcher.frechet_mean(space._core, own[order], None, None, None, STEPS)[0])
    except Error:
        return own
    try:
        return _moved(space, mean, own, center)
    except Error:
        return np.concatenate([_moved_or_center(space, mean, record, center) for record in own[:, np.newaxis]])


def _moved(space: Manifold, mean: Floats, own: Floats, center: Floats) -> Floats:
    return space.exp(center, space.transport(mean, center, space.log(mean, own, check=False), check=False), check=False)


def _moved_or_center(space: Manifold, mean: Floats, record: Floats, center: Floats) -> Floats:
    try:
        return _moved(space, mean, record, center)
    except Error:
        return center[np.newaxis]


__dir__ = _docs.complete(globals())
