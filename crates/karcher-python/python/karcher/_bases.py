"""Public orthonormal fields on a mask, onto which images are projected."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments, _docs
from ._fields import Image, image
from .errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Parcels:
    """One field per parcel, constant in its voxels and 0 elsewhere. The release is then the mean over each parcel.

    Parameters
    ----------
    labels : array of shape ``grid``, path or nibabel image
        Public labels of the voxels, which are whole numbers; 0 is outside all parcels.

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

        inside, whole = mask_of(mask).values, self._read().values
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
        Number of equally spaced knots of each axis, both ends included: 2 or more. An axis with k knots has k + 2
        splines. If their products are linearly dependent on the mask, there are fewer fields than products.

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

        inside = mask_of(mask).values != 0.0
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
    """The smoothest fields: eigenvectors of the Laplacian of the voxels of the mask with the smallest eigenvalues. The
    first is constant if the mask is connected.

    Parameters
    ----------
    J : int
        Number of fields.

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

        inside = mask_of(mask).values != 0.0
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


def mask_of(given: Any) -> Image:
    """A mask that has voxels."""
    read = image(given, "mask")
    if not read.values.ndim or not np.isfinite(read.values).all():
        raise Error("mask is no array of finite numbers: expected a number for each voxel, 0 outside")
    if not read.values.any():
        raise Error("mask is 0 everywhere: there is no voxel to release")
    return read


def orthonormal(rows: Floats, inside: NDArray[np.bool_]) -> Floats:
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


__dir__ = _docs.complete(globals())
