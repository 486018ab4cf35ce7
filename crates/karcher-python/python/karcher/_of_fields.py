"""What the estimators of images share: what their parameters say of the projection, and their plans."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _spec
from ._arrays import numbers
from ._bases import Modes, Parcels, Splines, mask_of, orthonormal
from ._fields import LAYOUTS, Image, Projection, image, points
from ._parameters import estimator
from ._private import Kind, OfNeighbours, Releasing, check_is_fitted, replaces
from ._sklearn import BaseEstimator
from .errors import ArgumentTypeError, Error, InvalidPointError
from .manifolds import Euclidean, Manifold, resolve
from .privacy import Plan, plan

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats

    Basis = Union[Parcels, Splines, Modes, ArrayLike]


@dataclass(frozen=True, eq=False, repr=False)
class FieldPlan:
    """What a release of a field would be worth. All of it is public.

    Attributes
    ----------
    error : float
        Root mean square error over the voxels of the mask, of noise alone, in units of distance. Of a regression it is
        that of its predictions, for made-up covariates that are spread evenly.
    error_map : array of shape ``grid``
        The same of each voxel; NaN outside the mask.
    mechanism : str
    plan : Plan
        The plan of the release of the coefficients.
    """

    error: float
    error_map: Floats
    mechanism: str
    plan: Plan

    def __repr__(self) -> str:
        who = f"{self.plan.n} subjects with {self.plan.guarantee!r}"
        return f"FieldPlan of {who}: error {self.error:.4g} a voxel, {self.mechanism}"


@estimator
class OfFields(OfNeighbours, Releasing[Kind], BaseEstimator):
    """What the mean and the regression of images share."""

    manifold: Union[Manifold, str]
    _: KW_ONLY
    basis: Basis
    clip: float
    center: Any = None
    mask: Any = None
    layout: Optional[str] = None

    _projection = None  # type: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # images, on a grid of any number of axes
        return tags

    def plan(self, n: Optional[int] = None) -> FieldPlan:
        """The error of a release, before anything is spent.

        Parameters
        ----------
        n : int, optional
            Number of subjects; not with ``n_guess``.

        Returns
        -------
        FieldPlan

        Raises
        ------
        Error
            As for :meth:`spec`.
        """
        projection = projection_of(self)
        planned = plan(self._of_coefficients(projection).spec(), n=n)
        assert planned.best is not None  # or the plan is refused
        expected = planned[planned.best].expected_distance
        assert expected is not None  # as the mechanism applies
        deviation = self._deviation(expected, projection.size, planned.best == "laplace")
        error = deviation * math.sqrt(projection.size / projection.voxels)
        return FieldPlan(error, projection.errors(deviation), planned.best, planned)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        projection = projection_of(self)
        fields: dict[str, Any] = self._of_coefficients(projection)._spec(Euclidean(projection.size), unit)
        return fields

    def _of_coefficients(self, projection: Projection) -> Any:
        """The estimator for the coefficients."""
        raise NotImplementedError

    @staticmethod
    def _deviation(expected: float, d: int, laplace: bool) -> float:
        """The standard deviation of each of d numbers, from what the release is expected to be off."""
        raise NotImplementedError

    def _shared(self, projection: Projection) -> dict[str, Any]:
        """Parameters of the estimator for the coefficients that are those of this one."""
        names = ("epsilon", "delta", "mu", "rho", "adjacency", "n_guess", "random_state")
        radius = _arguments.length("clip", self.clip) * math.sqrt(projection.voxels)
        return {"radius": radius, "ledger": self._account(), **{name: getattr(self, name) for name in names}}

    def _fitted(self) -> Projection:
        check_is_fitted(self, "release_")
        projection: Projection = self._projection
        return projection


def projection_of(estimator: Any) -> Projection:
    """What projects images, by the parameters of an estimator of fields. Nothing but public parameters is read."""
    space, basis = resolve(estimator.manifold), estimator.basis
    layout = None if estimator.layout is None else _arguments.one_of("layout", estimator.layout, *LAYOUTS)
    center = None if estimator.center is None else image(estimator.center, "center", like=space)
    if center is None or center.values.shape == space.shape:
        given = None if center is None else center.values
        one = _spec.ball(space, center=given, radius=estimator.clip, called="clip", without=_WITHOUT_CENTER)
        center, centers = None, space._as_points(np.reshape(one["center"], (1, *space._core.shape)))
    if isinstance(basis, str):
        raise ArgumentTypeError("basis is a text: expected an array of shape (J, V), Parcels, Splines or Modes")
    rows: Any = None if isinstance(basis, (Parcels, Splines, Modes)) else numbers(basis, "basis")
    labels = basis._read() if isinstance(basis, Parcels) else None
    if rows is not None and rows.ndim < 2:
        raise Error(f"basis has shape {rows.shape}: expected (J, V), a row for each of J fields on V voxels")
    if estimator.mask is not None:
        mask = mask_of(estimator.mask)
    elif labels is not None:
        mask = labels._replace(values=labels.values != 0.0)
    elif center is not None:
        grid = center.values.shape
        inner = len(space.shape) if layout is None or center.affine is None else 1
        inner = len(grid) - 3 if center.is_symmetric else inner
        mask = center._replace(values=np.ones(grid[: max(len(grid) - inner, 1)]))
    elif rows is not None:
        mask = Image(np.ones(rows.shape[1:]), None)
    else:
        raise Error("mask is not given: it says which voxels are released; np.ones(grid) is all of a grid")
    inside = mask.values != 0.0
    if center is not None:
        _spec.ball(space, center=space.origin, radius=estimator.clip, called="clip")
        centers = _checked(space, points(space, center, "center", inside.shape, layout)[inside], inside)
    places = [read for read in (mask, labels, center) if read is not None and read.affine is not None]
    if any(places[0].is_elsewhere(place) for place in places):
        raise Error("mask, labels and centers have different affines: give all of them on one grid")
    matrix = _matrix_of(estimator, rows, inside)
    place = places[0]._replace(values=np.empty(0)) if places else None
    return Projection(space, inside, matrix, centers, layout, place, replaces(estimator.on_invalid))


def _matrix_of(estimator: Any, rows: Optional[Floats], inside: NDArray[np.bool_]) -> Any:
    """The fields of a basis on a mask. Those that take long are kept in the estimator for the next call."""
    basis = estimator.basis
    if isinstance(basis, Parcels):
        return basis.matrix(inside)
    key = hashlib.sha256(f"{inside.shape} {basis if rows is None else rows.shape}".encode())
    for given in (inside, rows):
        key.update(b"" if given is None else np.ascontiguousarray(given).data)
    name, matrix = getattr(estimator, "_kept", ("", None))
    if name != key.hexdigest():
        matrix = basis.matrix(inside) if rows is None else orthonormal(rows, inside)
        estimator._kept = key.hexdigest(), matrix
    return matrix


_WITHOUT_CENTER = "a map with a point for each voxel, such as the mean of an earlier study, is a center as well"


def _checked(space: Manifold, centers: Floats, inside: NDArray[np.bool_]) -> Floats:
    """The centers as points. A refusal names the first voxel that has none."""
    try:
        return space.project(centers)
    except Error:
        pass
    for voxel, center in zip(np.argwhere(inside).tolist(), centers):
        try:
            space.project(center)
        except Error as error:
            reason = str(error).partition(": ")[2]
            break
    raise InvalidPointError(f"center, voxel {tuple(voxel)}: {reason}")


__dir__ = _docs.complete(globals())
