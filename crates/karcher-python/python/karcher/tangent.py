"""Records as vectors: coordinates in the tangent space at one point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np
from sklearn.base import clone

from . import _docs, _karcher
from ._arrays import numbers
from ._names import check_frame
from ._parameters import estimator
from ._private import OfPoints, check_is_fitted, named_records, onto_template, see_columns, seen_records
from ._rows import check_rows, marked_like, refuse_recentered
from ._sklearn import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from ._threads import in_threads
from ._withheld import withholds
from .errors import ArgumentTypeError, Error, InvalidPointError
from .estimators import FrechetMean, PrivateFrechetMean
from .location import GeometricMedian, PrivateGeometricMedian
from .manifolds import SPD, Manifold, resolve
from .release import Release

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats

_Estimator = Union[FrechetMean, GeometricMedian, PrivateFrechetMean, PrivateGeometricMedian]
_ESTIMATORS = (FrechetMean, GeometricMedian, PrivateFrechetMean, PrivateGeometricMedian)


@estimator
class TangentSpace(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OfPoints):
    """Records as the coordinates of their logarithms at a reference point ``p``, in an orthonormal basis of the tangent
    space: ``x ↦ vec(Log_p(x))``, for use in linear models. Lengths and angles at ``p`` are kept: the norm of a row is
    the distance of its record to ``p``.

    For matrices the coordinates are those of pyRiemann's ``TangentSpace``: the upper triangle row by row of
    ``logm(p^-½·X·p^-½)``, times √2 off the diagonal. For the log-Euclidean metric the matrix is ``logm X - logm p``.
    This agrees with pyRiemann if ``p`` is the identity; for another ``p`` its coordinates do not keep lengths.

    **Each row determines its record, and is as confidential as the record**. A result from the rows is private only by
    a mechanism of its own. Only the reference may be learned by ``fit``:

    * a point, ``"origin"`` or a :class:`karcher.Release` is public, and ``fit`` learns nothing;
    * :class:`karcher.PrivateFrechetMean` or :class:`karcher.PrivateGeometricMedian`: every ``fit`` releases one from
      its records, which spends the budget of that estimator, and keeps it as ``release_``;
    * :class:`karcher.FrechetMean` or :class:`karcher.GeometricMedian`: **not private**. The reference depends on the
      records, as pyRiemann's does, and so does everything that is computed with it.

    Parameters
    ----------
    manifold : Manifold or str, optional
        A manifold, its name, or its name without the size, which the records then determine. By default the manifold of
        the reference.
    reference : array of the manifold's ``shape``, "origin", Release, or one of the four estimators
        Base of the tangent space; required, as above.
    {jobs}

    Attributes
    ----------
    reference_ : array of the manifold's ``shape``
    release_ : Release
        The release of ``fit``, only if the reference is a private estimator.
    manifold_ : Manifold
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.array([np.diag([np.e, 1.0]), np.diag([1.0, np.e])])
    >>> space = karcher.TangentSpace("spd-affine-invariant", reference=np.eye(2)).fit(X)
    >>> space.transform(X).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 0., 1.]])
    >>> bool(np.allclose(space.inverse_transform(space.transform(X)), X))
    True
    >>> tensors = np.tile(np.diag([1.7, 0.4, 0.3]), (500, 1, 1))    # in reality the records
    >>> mean = karcher.PrivateFrechetMean(karcher.SPD(3), radius=1.5, center=0.7 * np.eye(3), epsilon=1.0)
    >>> private = karcher.TangentSpace(reference=mean).fit(tensors)
    >>> private.release_.guarantee, private.transform(tensors).shape
    (Guarantee(epsilon=1.0), (500, 6))
    """

    manifold: Union[Manifold, str, None] = None
    reference: Union[ArrayLike, Release, _Estimator, None] = None
    _: KW_ONLY
    n_jobs: Optional[int] = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.reference, OfPoints):
            tags.input_tags = self.reference.__sklearn_tags__().input_tags
        return tags

    @withholds
    @in_threads
    def fit(self, X: ArrayLike, y: object = None, **options: Any) -> TangentSpace:
        """Finds the reference.

        Parameters
        ----------
        X : array of shape (n, *shape)
            Records. With a public reference they are only checked.
        y : ignored
        **options
            Options of the ``fit`` of the reference: ``sample_weight=`` for :class:`karcher.FrechetMean`, ``groups=``
            for a private estimator.

        {self}

        Raises
        ------
        Error
            When there is no reference, or one of another manifold.
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        """
        options = {name: value for name, value in options.items() if value is not None}
        check_rows(X=X, **options)
        if isinstance(self.reference, (PrivateFrechetMean, PrivateGeometricMedian)):
            refuse_recentered(options.get("groups"), X)
        space, records = self._read(X)
        see_columns(self, X, records)  # what can be refused is refused before anything is released
        release = None
        if isinstance(self.reference, _ESTIMATORS):
            found: Any = clone(self.reference).fit(records, **options)
            point, release = found.estimate_, getattr(found, "release_", None)
        elif options:
            raise ArgumentTypeError(f"{next(iter(options))} is for a reference that fit computes: this one is given")
        else:
            point = self._public(space)
            checked(lambda: space.project(records))
        self.manifold_: Manifold = space
        self.reference_: Floats = point
        self.__dict__.pop("release_", None)
        if release is not None:
            self.release_ = release
        return self

    def _read(self, X: ArrayLike) -> tuple[Manifold, Floats]:
        """The manifold, on which ``manifold`` and ``reference`` have to agree, and the records."""
        reference = self.reference
        if reference is None:
            raise Error(
                "reference is not given: it is where the tangent space is. Give a public point, 'origin', a "
                "karcher.Release, karcher.PrivateFrechetMean(…), of which fit spends the budget, or "
                "karcher.FrechetMean(…), which is not private"
            )
        of_reference = getattr(reference, "manifold", None) if isinstance(reference, (Release, *_ESTIMATORS)) else None
        known = self.manifold if of_reference is None else of_reference
        if known is None:
            raise Error("manifold is not given: a reference that is a point does not say of which space it is one")
        replaces = getattr(reference, "on_invalid", None) == "replace-with-center"
        space, records = named_records(known, X, "X", missing="nan" if replaces else "refuse")
        if self.manifold is not None and resolve(self.manifold, records.shape[1:]) != space:
            raise Error(f"the reference is one of {space.name}, and manifold is another: leave manifold out")
        return space, records

    def _public(self, space: Manifold) -> Floats:
        """A reference that is known before the records are."""
        reference = self.reference
        if isinstance(reference, Release):
            return reference.value
        if isinstance(reference, str):
            if reference != "origin":
                raise Error("reference is a text other than 'origin': expected a point, a Release or an estimator")
            return space.origin
        check_frame(space, reference, "reference")
        point = numbers(reference, "reference", like=space)
        if point.shape != space.shape:
            expected = f"one point of {space.name}, of shape {space.shape}"
            raise Error(f"reference has shape {point.shape}: it must be {expected}")
        return space.project(point)

    @in_threads
    def transform(self, X: ArrayLike) -> Floats:
        """The coordinates of records, which are as confidential as the records.

        Parameters
        ----------
        X : array of shape (n, *shape)
            Records; rotated onto the template of the reference, if this is a release with one.

        Returns
        -------
        array of shape (n, dim)

        Raises
        ------
        CutLocusError
            When a record is at the largest distance from the reference.
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        """
        records, release = seen_records(self, X), getattr(self, "release_", self.reference)
        records = onto_template(self.manifold_, release, records)
        return marked_like(_coordinates(self.manifold_, self.reference_, records), X)

    @in_threads
    def inverse_transform(self, X: ArrayLike) -> Floats:
        """The records with these coordinates, by ``Exp_p``.

        Parameters
        ----------
        X : array of shape (n, dim)

        Returns
        -------
        array of shape (n, *shape)
        """
        check_is_fitted(self)
        return _points(self.manifold_, self.reference_, coordinates_of(X, self.manifold_.dim))

    @property
    def _n_features_out(self) -> int:
        return self.manifold_.dim

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "reference_")


def coordinates_of(X: ArrayLike, many: int) -> Floats:
    """So many coordinates of each record."""
    coordinates = numbers(X, "X")
    if coordinates.ndim != 2 or coordinates.shape[1] != many:
        raise Error(f"X has shape {coordinates.shape}: it must be (n, {many}), the coordinates of records")
    return coordinates


def checked(compute: Callable[[], Floats]) -> Floats:
    """What is computed of records, which errors call ``X``."""
    problem = None
    try:
        return compute()
    except InvalidPointError as error:
        problem = str(error)
    raise InvalidPointError("X" + problem[1:])  # x or q, as the operation calls them


def _coordinates(space: Manifold, reference: Floats, x: Floats, *, allowed: bool = False) -> Floats:
    """``vec(Log_p(x))``, a row each: zeros for a point that has none, where that is ``allowed``."""
    if not isinstance(space, SPD):
        return space._core.coordinates(reference, x, allowed)
    try:
        return _karcher.upper_triangles(space._core, reference, x, allowed)
    except Error:
        pass
    checked(lambda: space.project(x))  # says in which row there is no point
    raise InvalidPointError("X: a matrix is too near to a singular one to have a logarithm at the reference")


def _points(space: Manifold, reference: Floats, coordinates: Floats) -> Floats:
    """``Exp_p(vec⁻¹(c))``, a point each."""
    if not isinstance(space, SPD):
        return space._as_points(space._core.from_coordinates(reference, coordinates))
    if not np.isfinite(coordinates).all():
        row = int(np.isfinite(coordinates).all(axis=1).argmin())
        raise InvalidPointError(f"X, row {row + 1}: its numbers are not all finite")
    k = len(reference)
    at, weights = _triangle(k)
    flat = np.zeros((len(coordinates), k * k))
    flat[:, at] = coordinates / weights
    upper = flat.reshape(-1, k, k)
    vectors = upper + np.triu(upper, 1).swapaxes(1, 2)
    if _is_log_euclidean(space):
        return space.exp(space.origin, vectors + space.log(space.origin, reference))
    root = _power(reference, 0.5)
    moved = root @ vectors @ root
    return space.exp(reference, 0.5 * (moved + moved.swapaxes(1, 2)))


def _is_log_euclidean(space: SPD) -> bool:
    return space.name.startswith("spd-log-euclidean")


def _power(matrix: Floats, exponent: float) -> Floats:
    """Of a symmetric positive definite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * values**exponent) @ vectors.T)


def _triangle(k: int) -> tuple[Any, Floats]:
    """Where the upper triangle of a matrix is, row by row, and the lengths of its unit vectors."""
    rows, columns = np.triu_indices(k)
    return rows * k + columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


__dir__ = _docs.complete(globals())
