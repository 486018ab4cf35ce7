"""Means of whole images: one private release for a tensor, direction or number in each voxel of an atlas.

The image of a subject is a field: V points on a public grid. In the tangent spaces at public centers it is a vector of
V·p numbers, for p dimensions. That vector is projected onto J public orthonormal fields, which leaves J·p coefficients.
They are clipped to norm c·√V, and their mean is released. The root mean square error over the voxels is about
√(J·p)·2c/(n·μ) for n subjects, plus whatever the J fields do not hold. It does not depend on V.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from sklearn.base import BaseEstimator

from . import _arguments, _spec
from ._arrays import numbers
from ._fields import LAYOUTS, Image, Projection, image, points
from ._fields import written as _written
from ._private import Specified, documented, replaces
from ._threads import in_threads
from ._withheld import withholds
from .errors import ArgumentTypeError, Error, InvalidPointError, NotFittedError
from .estimators import PrivateFrechetMean
from .ledger import Ledger
from .manifolds import Euclidean, Manifold, resolve
from .privacy import Plan, plan
from .release import Release

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats

    Basis = Union["Parcels", "Splines", "Modes", ArrayLike]

__all__ = ["FieldPlan", "Modes", "Parcels", "PrivateFieldMean", "Splines"]


@dataclass(frozen=True, eq=False, repr=False)
class Parcels:
    """One field a parcel: constant in its voxels, and 0 elsewhere. The release then is the mean over each parcel.

    Parameters
    ----------
    labels : array of shape ``grid``, path or nibabel image
        The label of each voxel, a whole number; 0 is no parcel. Public.

    Examples
    --------
    >>> import karcher
    >>> parcels = karcher.fields.Parcels([[1, 1, 0], [1, 1, 7]])
    >>> parcels.matrix([[1, 1, 0], [1, 1, 1]]).toarray()
    array([[0.5, 0.5, 0.5, 0.5, 0. ],
           [0. , 0. , 0. , 0. , 1. ]])
    """

    labels: Any

    def matrix(self, mask: ArrayLike) -> Any:
        """The fields on a mask, a sparse matrix of shape (J, V), by ascending label."""
        from scipy.sparse import csr_matrix

        inside, whole = _mask(mask).values, self._read().values
        if whole.shape != inside.shape:
            raise Error(f"the labels have shape {whole.shape}, and the mask has {inside.shape}: give both on one grid")
        labels = whole[inside != 0.0]
        names, which = np.unique(whole, return_inverse=True)
        counts = np.bincount(which.ravel()[(inside != 0.0).ravel()], minlength=len(names))
        names, counts = names[names != 0.0], counts[names != 0.0]
        if not len(names):
            raise Error("the labels are all 0: there is no parcel")
        if not counts.all():
            raise Error(f"label {names[counts.argmin()]:g} has no voxel in the mask: leave it out of the labels")
        voxels = np.flatnonzero(labels)
        rows = np.searchsorted(names, labels[voxels])
        return csr_matrix((1.0 / np.sqrt(counts[rows]), (rows, voxels)), shape=(len(names), len(labels)))

    def _read(self) -> Image:
        read = image(self.labels, "labels")
        if not np.array_equal(read.values, np.round(read.values)):
            raise Error("labels has numbers that are not whole: expected an image of labels")
        return read

    def __repr__(self) -> str:
        shown = self.labels if isinstance(self.labels, (str, os.PathLike)) else f"of type {type(self.labels).__name__}"
        return f"Parcels(<{shown}>)"


@dataclass(frozen=True)
class Splines:
    """Smooth fields: products of cubic B-splines along the axes of the grid, orthonormalized on the mask.

    Parameters
    ----------
    knots : sequence of int
        How many equally spaced knots each axis has, both ends included: 2 or more. An axis with k knots has k + 2
        splines. There are fewer fields than products of these where the mask does not tell the products apart.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> karcher.fields.Splines(knots=(2, 3)).matrix(np.ones((9, 9))).shape
    (20, 81)
    """

    knots: Sequence[int] = (4, 4, 3)

    def matrix(self, mask: ArrayLike) -> Floats:
        """The fields on a mask, an array of shape (J, V)."""
        from scipy.interpolate import BSpline
        from scipy.linalg import qr

        inside = _mask(mask).values != 0.0
        if np.ndim(self.knots) != 1 or len(self.knots) != inside.ndim:
            raise Error(f"knots is to have {inside.ndim} numbers, one for each axis of the mask")
        products = np.ones((inside.sum(), 1))
        for count, length, at in zip(self.knots, inside.shape, np.nonzero(inside)):
            count = _arguments.whole("knots", count, 2, 10**6)
            ends = np.concatenate([[0.0] * 3, np.linspace(0.0, 1.0, count), [1.0] * 3])
            along = BSpline(ends, np.eye(count + 2), 3)(np.arange(length) / max(length - 1, 1))
            products = (products[:, :, np.newaxis] * along[at][:, np.newaxis]).reshape(len(at), -1)
        fields, triangle, _ = qr(products, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(triangle))
        return np.ascontiguousarray(fields.T[sizes > 1e-6 * sizes[0]])


@dataclass(frozen=True)
class Modes:
    """The smoothest fields: eigenvectors of the Laplacian of the voxels of the mask with the least eigenvalues. The
    first is constant, if the mask is in one piece.

    Parameters
    ----------
    J : int
        How many.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> modes = karcher.fields.Modes(2).matrix(np.ones(4))
    >>> modes.round(3)
    array([[ 0.5  ,  0.5  ,  0.5  ,  0.5  ],
           [ 0.653,  0.271, -0.271, -0.653]])
    """

    J: int

    def matrix(self, mask: ArrayLike) -> Floats:
        """The fields on a mask, an array of shape (J, V)."""
        from scipy.sparse import csr_matrix, diags
        from scipy.sparse.linalg import LinearOperator, eigsh

        inside = _mask(mask).values != 0.0
        voxels = int(inside.sum())
        J = _arguments.whole("J", self.J, 1, voxels)
        numbered = np.full(inside.shape, -1)
        numbered[inside] = np.arange(voxels)
        pairs = [np.empty((2, 0), dtype=int)]
        for axis in range(inside.ndim):
            along = np.moveaxis(numbered, axis, 0)
            both = np.stack([along[:-1].ravel(), along[1:].ravel()])
            pairs.append(both[:, (both >= 0).all(axis=0)])
        first, second = np.concatenate(pairs, axis=1)
        joined = csr_matrix((np.ones(len(first)), (first, second)), shape=(voxels, voxels))
        joined = joined + joined.T
        laplacian = diags(np.asarray(joined.sum(axis=0)).ravel()) - joined
        if voxels <= 1000:
            fields = np.linalg.eigh(laplacian.toarray())[1][:, :J]
        else:
            # a power of 1 − L/‖L‖ has the same eigenvectors, the least ones far apart
            powers = 40 if 10 * J < voxels else 1

            def smoothed(x: Floats) -> Floats:
                for _ in range(powers):
                    x = x - laplacian @ x / (4.0 * inside.ndim)
                return x

            start = np.random.default_rng(0).normal(size=voxels)
            operator = LinearOperator((voxels, voxels), matvec=smoothed, dtype=np.float64)
            fields = eigsh(operator, k=J, which="LA", v0=start)[1][:, ::-1]
        # the first number that is not small says the sign
        large = np.abs(fields) > 0.5 * np.abs(fields).max(axis=0)
        return np.ascontiguousarray((fields * np.sign(fields[large.argmax(axis=0), range(J)])).T)


@dataclass(frozen=True, eq=False, repr=False)
class FieldPlan:
    """What a release of a field would be worth. All of it is public.

    Attributes
    ----------
    error : float
        Root mean square error over the voxels of the mask, of noise alone, in units of distance.
    error_map : array of shape ``grid``
        The same of each voxel; NaN outside the mask.
    mechanism : str
    plan : Plan
        The plan of the mean of the coefficients.
    """

    error: float
    error_map: Floats
    mechanism: str
    plan: Plan

    def __repr__(self) -> str:
        who = f"{self.plan.n} subjects with {self.plan.guarantee!r}"
        return f"FieldPlan of {who}: error {self.error:.4g} a voxel, {self.mechanism}"


@documented
class PrivateFieldMean(Specified, BaseEstimator):
    """The mean of the images of many subjects, one release for all voxels. **Every** ``fit`` **spends the budget.**

    An image has a point in each voxel of a public grid. On flat spaces, such as matrices with the log-Euclidean metric,
    the release is the Fréchet mean of the projected images in each voxel. On curved spaces it is the exponential of
    their mean logarithm at the center. One image a person: the guarantee protects the whole image.

    Parameters
    ----------
    manifold : Manifold or str
        The space of the points, with its size.
    basis : array of shape (J, V), Parcels, Splines or Modes
        Public fields that span what is released. Rows of an array are one number a voxel of the mask, in C order; they
        are made orthonormal. At centers that differ, a field multiplies the coordinates in the frame at each center.
    clip : float
        Public bound c: fields are clipped to c, the root mean square over the voxels of the distance from the center.
        Choose it from knowledge of the field, never by looking at the images.
    center : array, path or nibabel image, optional
        One point for all voxels, or one for each: the mean of an earlier study keeps ``clip`` small. Public. On
        Euclidean and hyperbolic space the origin by default; elsewhere required.
    mask : array of shape ``grid``, path or nibabel image, optional
        The voxels that are released, those that are not 0. Public. By default those with a parcel, or all of the grid
        of the centers.
    layout : {"upper-row", "upper-column", "diagonal-first"}, optional
        Order of the numbers of a symmetric matrix in NIfTI images.
    {budget}
    mechanism : {"auto", "gaussian", "laplace"}
        ``"auto"`` takes the one with the smallest expected error.
    denoise : {"none", "shrink"}
        ``"shrink"`` shrinks the coefficients towards the centers, as for :class:`karcher.PrivateFrechetMean`. That
        lowers the error of the whole field on average, and raises that of some voxels.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a voxel of the mask that is no point of the manifold, or has no logarithm at the center. The center
        then counts as the point in that voxel.
    {neighbours}
    {ledger}
    random_state : int, optional
        Reproducible noise, hence **not private**: for tests and demonstrations. The release is flagged ``"seeded"``.
    {jobs}

    Attributes
    ----------
    field_ : array of shape ``grid`` + the manifold's ``shape``
        The private mean of each voxel. NaN outside the mask; the center in voxels where all basis fields are 0.
    coefficients_ : array of shape (J, p)
        The private coefficients of the basis fields.
    standard_error_ : array of shape ``grid``
        Root mean square error of each voxel, in units of distance: of noise alone, before denoising. NaN outside the
        mask. On curved spaces it is that in the tangent space at the center.
    release_ : Release
        The private mean of the coefficients with everything that is to be known about it.
    manifold_ : Manifold

    Notes
    -----
    The basis, the mask and the centers are public, and are not in ``release_``: publish them with it.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> rng = np.random.default_rng(0)
    >>> images = (np.exp(0.2 * rng.normal()) * np.tile(0.7 * np.eye(3), (8, 8, 4, 1, 1)) for _ in range(500))
    >>> mean = karcher.fields.PrivateFieldMean(
    ...     karcher.SPD(3), basis=karcher.fields.Splines((2, 2, 2)), clip=1.0, center=0.7 * np.eye(3),
    ...     mask=np.ones((8, 8, 4)), mu=1.0,
    ... )
    >>> mean.plan(500)
    FieldPlan of 500 subjects with Guarantee(mu=1.0): error 0.07838 a voxel, gaussian
    >>> mean.fit(images).field_.shape
    (8, 8, 4, 3, 3)
    >>> mean.release_.guarantee, round(float(np.sqrt(np.mean(mean.standard_error_**2))), 5)
    (Guarantee(mu=1.0), 0.07838)
    """

    def __init__(
        self,
        manifold: Union[Manifold, str],
        *,
        basis: Basis,
        clip: float,
        center: Any = None,
        mask: Any = None,
        layout: Optional[str] = None,
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        rho: Optional[float] = None,
        mechanism: str = "auto",
        denoise: str = "none",
        on_invalid: str = "error",
        adjacency: str = "replace-one",
        n_guess: Optional[int] = None,
        ledger: Union[Ledger, str, os.PathLike[str], None] = None,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.manifold = manifold
        self.basis = basis
        self.clip = clip
        self.center = center
        self.mask = mask
        self.layout = layout
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.rho = rho
        self.mechanism = mechanism
        self.denoise = denoise
        self.on_invalid = on_invalid
        self.adjacency = adjacency
        self.n_guess = n_guess
        self.ledger = ledger
        self.random_state = random_state
        self.n_jobs = n_jobs

    field_: Floats
    coefficients_: Floats
    standard_error_: Floats
    release_: Release
    manifold_: Manifold
    _projection: Projection

    @withholds
    @in_threads
    def fit(self, images: Iterable[Any], y: object = None) -> PrivateFieldMean:
        """Releases the mean of the images, which spends the budget.

        Parameters
        ----------
        images : iterable
            One image a subject: an array of shape ``grid`` + the manifold's ``shape``, the path of a NIfTI image, or a
            nibabel image. All have to be registered to the grid. One image at a time is read.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        InvalidPointError
            When a voxel is not a point: which subject and voxel, and why.
        UnansweredError
            When an image cannot be read.
        Error
            For parameters that do not go together, and for an image of another shape.
        """
        projection = _projection_of(self)
        mean = self._mean(projection)
        mean.spec()  # refused before the first image is read, where it can be
        self.release_ = mean.fit(projection.coefficients(images)).release_
        self.manifold_, self._projection = projection.space, projection
        self.coefficients_ = self.release_.value.reshape(-1, projection.space.dim)
        self.field_ = projection.field(self.coefficients_)
        law = [draw.law for draw in self.release_.noise if draw.quantity == "value"]
        self.standard_error_ = projection.errors(
            _deviation(self.release_.expected_distance, projection.size, "laplace" in law)
        )
        return self

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
        projection = _projection_of(self)
        planned = plan(self._mean(projection).spec(), n=n)
        assert planned.best is not None  # or the plan is refused
        expected = planned[planned.best].expected_distance
        assert expected is not None  # as the mechanism applies
        deviation = _deviation(expected, projection.size, planned.best == "laplace")
        error = deviation * math.sqrt(projection.size / projection.voxels)
        return FieldPlan(error, projection.errors(deviation), planned.best, planned)

    def to_nifti(self, path: Union[str, os.PathLike[str]], affine: Optional[ArrayLike] = None) -> None:
        """Writes ``field_`` as a NIfTI image, with 0 outside the mask. Matrices have their six numbers in ``layout``,
        by default ``"upper-row"``.

        Parameters
        ----------
        path : str or path
            A name that ends in ``.nii`` or ``.nii.gz``.
        affine : array of shape (4, 4), optional
            Where the voxels are; by default as in the NIfTI image of mask, labels or centers, else the identity.
        """
        self._save(lambda: _written(self.manifold_, self.field_, self._projection.layout), path, affine)

    def standard_error_to_nifti(self, path: Union[str, os.PathLike[str]], affine: Optional[ArrayLike] = None) -> None:
        """Writes ``standard_error_`` as a NIfTI image. Parameters are as for :meth:`to_nifti`."""
        self._save(lambda: self.standard_error_, path, affine)

    def _save(self, values: Any, path: Any, affine: Any) -> None:
        if not hasattr(self, "release_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted: call fit first")
        self._projection.save(values(), path, affine)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        projection = _projection_of(self)
        return self._mean(projection)._spec(Euclidean(projection.size), unit)

    def _mean(self, projection: Projection) -> PrivateFrechetMean:
        """The mean of the coefficients."""
        return PrivateFrechetMean(
            Euclidean(projection.size),
            radius=_arguments.length("clip", self.clip) * math.sqrt(projection.voxels),
            epsilon=self.epsilon,
            delta=self.delta,
            mu=self.mu,
            rho=self.rho,
            mechanism=_arguments.one_of("mechanism", self.mechanism, "auto", "gaussian", "laplace"),
            denoise=_arguments.one_of("denoise", self.denoise, "none", "shrink"),
            adjacency=self.adjacency,
            n_guess=self.n_guess,
            ledger=self._account(),
            random_state=self.random_state,
        )


def _projection_of(estimator: Any) -> Projection:
    """What projects images, by the parameters of an estimator of fields. Nothing but public parameters is read."""
    space, basis = resolve(estimator.manifold), estimator.basis
    layout = None if estimator.layout is None else _arguments.one_of("layout", estimator.layout, *LAYOUTS)
    center = None if estimator.center is None else image(estimator.center, "center")
    if center is None or center.values.shape == space.shape:
        given = None if center is None else center.values
        one = _spec.ball(space, center=given, radius=estimator.clip, called="clip", without=_WITHOUT_CENTER)
        center, centers = None, np.reshape(one["center"], (1, *space.shape))
    if isinstance(basis, str):
        raise ArgumentTypeError("basis is a text: expected an array of shape (J, V), Parcels, Splines or Modes")
    rows: Any = None if isinstance(basis, (Parcels, Splines, Modes)) else numbers(basis, "basis")
    labels = basis._read() if isinstance(basis, Parcels) else None
    if rows is not None and rows.ndim < 2:
        raise Error(f"basis has shape {rows.shape}: expected (J, V), a row for each of J fields on V voxels")
    if estimator.mask is not None:
        mask = _mask(estimator.mask)
    elif labels is not None:
        mask = Image(labels.values != 0.0, labels.affine)
    elif center is not None:
        grid = center.values.shape
        inner = len(space.shape) if layout is None or center.affine is None else 1
        mask = Image(np.ones(grid[: max(len(grid) - inner, 1)]), center.affine)
    elif rows is not None:
        mask = Image(np.ones(rows.shape[1:]), None)
    else:
        raise Error("mask is not given: it says which voxels are released; np.ones(grid) is all of a grid")
    inside = mask.values != 0.0
    if center is not None:
        _spec.ball(space, center=space.origin, radius=estimator.clip, called="clip")
        centers = _checked(space, points(space, center, "center", inside.shape, layout)[inside], inside)
    places = [read.affine for read in (mask, labels, center) if read is not None and read.affine is not None]
    if any(not np.allclose(places[0], place, atol=1e-3) for place in places):
        raise Error("mask, labels and centers have different affines: give all of them on one grid")
    matrix = basis.matrix(inside) if rows is None else _orthonormal(rows, inside)
    affine = places[0] if places else None
    return Projection(space, inside, matrix, centers, layout, affine, replaces(estimator.on_invalid))


_WITHOUT_CENTER = "a map with a point for each voxel, such as the mean of an earlier study, is a center as well"


def _mask(given: Any) -> Image:
    """A mask that has voxels."""
    read = image(given, "mask")
    if not read.values.ndim or not np.isfinite(read.values).all():
        raise Error("mask is no array of finite numbers: expected a number for each voxel, 0 outside")
    if not read.values.any():
        raise Error("mask is 0 everywhere: there is no voxel to release")
    return read


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


def _orthonormal(rows: Floats, inside: NDArray[np.bool_]) -> Floats:
    """Orthonormal fields with the span of these."""
    if rows.shape[1:] == inside.shape:
        rows = rows[:, inside]
    if rows.ndim != 2 or rows.shape[1] != inside.sum() or not len(rows):
        raise Error(f"basis has shape {rows.shape}: expected (J, {inside.sum()}), a number for each voxel of the mask")
    if not np.isfinite(rows).all():
        raise Error("basis has numbers that are not finite: its fields are public numbers")
    fields, triangle = np.linalg.qr(rows.T)
    sizes, lengths = np.diag(triangle), np.linalg.norm(triangle, axis=0)
    if len(rows) > rows.shape[1] or (np.abs(sizes) <= 1e-10 * lengths).any():
        raise Error("basis has a row that is a combination of those before it: leave it out")
    return np.ascontiguousarray((fields * np.sign(sizes)).T)


def _deviation(expected: float, d: int, laplace: bool) -> float:
    """The standard deviation of each of d numbers of noise with this expected length."""
    if laplace:  # the length is a Gamma variable of shape d
        return expected * math.sqrt(d + 1) / d
    return expected / math.sqrt(2.0) * math.exp(math.lgamma(0.5 * d) - math.lgamma(0.5 * (d + 1)))
