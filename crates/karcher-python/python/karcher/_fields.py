"""Fields of points on a public grid as a few numbers each, and such numbers as a field."""

from __future__ import annotations

import logging
import math
import os
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

import numpy as np

from ._arrays import numbers
from ._cells import part_of
from .errors import ArgumentTypeError, CutLocusError, Error, InvalidPointError, UnansweredError
from .manifolds import HPD, SPD, Manifold, Sphere
from .tangent import _coordinates, _points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats

LAYOUTS = ("upper-row", "upper-column", "diagonal-first")
"""The orders in which images have the numbers of a symmetric matrix."""


class Image(NamedTuple):
    """The numbers of an image, and what its header says of them. Arrays say nothing."""

    values: Floats
    affine: Optional[Floats]
    """Where its voxels are, in millimetres."""
    atlas: Optional[int] = None
    """The code of the atlas whose coordinates these are."""
    intent: tuple[int, int] = (0, 0)
    """The code of the intent, and the rows of a matrix, or 0."""

    @property
    def is_symmetric(self) -> bool:
        """Whether the header says in which order a voxel has the numbers of a symmetric matrix."""
        return self.intent[0] == _SYMMETRIC and self.values.ndim > 3  # or it is the header of another image

    def is_elsewhere(self, other: Image) -> bool:
        """Whether the headers put the voxels at other places."""
        if self.affine is None or other.affine is None:
            return False
        atlases = {self.atlas, other.atlas} - {None}
        return len(atlases) > 1 or not np.allclose(self.affine, other.affine, atol=1e-3)


class Loaded(NamedTuple):
    """What is in a NIfTI image."""

    values: Any
    affine: Any
    atlas: Optional[int]
    intent: tuple[int, int]
    """The code of the intent, and the rows of a matrix, or 0."""
    file: Optional[tuple[int, ...]]
    """What all names of its file share, if the numbers are those of a file."""


_SYMMETRIC = 1005
"""The intent whose numbers are the lower triangle of a symmetric matrix, row by row: xx xy yy xz yz zz."""
_SYMMETRIC_LAYOUT = "upper-column"
_GENERAL = 1004
"""The intent whose numbers are a matrix, row by row."""
_ATLASES = range(3, 6)
"""The codes of coordinates of Talairach, MNI and other templates."""
_MILLIMETRES = {"meter": 1e3, "mm": 1.0, "micron": 1e-3}


def nibabel() -> Any:
    """The package that reads and writes NIfTI."""
    try:
        import nibabel as found

        return found
    except ImportError:
        pass
    raise Error("nibabel is not installed, which reads and writes NIfTI images: pip install nibabel")


class LayoutMissing(Error):
    """Six numbers a voxel, in an order that nothing says, or that the header contradicts. The order is public."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Has nibabel say nothing: its words about a header would reveal an image."""
    log = logging.getLogger("nibabel.global")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.disabled = before


def loaded(given: Any, name: str) -> Any:
    """An array, or a NIfTI image of nibabel, which may be in a file. Its numbers are read, and nothing else is kept."""
    reason = ""
    try:
        if isinstance(given, (str, os.PathLike)):
            load = nibabel().load
            with _quiet():
                given = load(given)
        if hasattr(given, "dataobj"):
            with _quiet():
                return _loaded(given)
    except Error:
        raise
    except Exception as problem:
        reason = type(problem).__name__
    if reason:
        raise UnansweredError(f"{name} cannot be read as a NIfTI image ({reason})")
    return given


def _loaded(given: Any) -> Loaded:
    """What an image of nibabel holds, and what its header says."""
    header: Any = getattr(given, "header", None)
    affine, atlas, intent, file = given.affine, None, (0, 0), None
    if hasattr(header, "get_xyzt_units") and affine is not None:
        unit = _MILLIMETRES.get(header.get_xyzt_units()[0], 1.0)
        affine = np.diag([unit, unit, unit, 1.0]) @ affine
    if hasattr(header, "get_intent"):
        rows = float(header["intent_p1"])
        intent = int(header["intent_code"]), int(rows) if 0.0 < rows < 1e6 else 0
        used = int(header["sform_code"]) or int(header["qform_code"])
        atlas = used if used in _ATLASES else None
    if not getattr(given, "in_memory", True):
        state = os.stat(given.get_filename())
        file = state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size
    return Loaded(np.asarray(given.dataobj), affine, atlas, intent, file)


def image(given: Any, name: str, *, missing: str = "refuse", like: object = None) -> Image:
    """The numbers of an array, of a NIfTI image of nibabel, or of one in a file; points of the manifold ``like``."""
    found = given if isinstance(given, Loaded) else loaded(given, name)
    if not isinstance(found, Loaded):
        if missing == "nan" and isinstance(found, (list, tuple)):  # one record, whose shape says nothing of others
            part = part_of(found)
            found = np.empty(0) if part is None else part
        return Image(numbers(found, name, missing=missing, like=like), None)
    affine = None if found.affine is None else np.asarray(found.affine, dtype=np.float64)
    return Image(numbers(found.values, name, like=like), affine, found.atlas, found.intent)


def matrices(read: Image, name: str) -> Floats:
    """The matrices of an image, if its header says that each voxel has one, and in which order. Else its numbers."""
    values, (intent, rows) = read.values, read.intent
    if intent not in (_SYMMETRIC, _GENERAL) or values.ndim < 4:
        return values
    grid, count = values.shape[: 3 if values.shape[3] == 1 else -1], values.shape[-1]
    k = math.isqrt(2 * count) if read.is_symmetric else rows or math.isqrt(count)
    holds = k * (k + 1) // 2 if read.is_symmetric else k * (count // max(k, 1))
    if holds != count or (rows or k) != k or values.ndim > len(grid) + 2:
        kind = "symmetric matrices" if read.is_symmetric else "matrices"
        raise InvalidPointError(f"{name} says in its header that it holds {kind}, and has {count} numbers a voxel")
    flat = values.reshape(*grid, count)
    return flat[..., _places(k, _SYMMETRIC_LAYOUT)] if read.is_symmetric else flat.reshape(*grid, k, count // k)


def points(space: Manifold, read: Image, name: str, grid: tuple[int, ...], layout: Optional[str]) -> Floats:
    """The numbers of the points of an image, an array of shape ``grid + space.shape``. Points are not checked."""
    values, expected = read.values, grid + space.shape
    if values.shape == grid and space.shape == (1,):
        return values[..., np.newaxis]
    has_matrices = len(space.shape) == 2
    if has_matrices and read.is_symmetric and layout not in (None, _SYMMETRIC_LAYOUT):
        said = f"{name} says in its header (intent 1005) that a voxel has the order xx xy yy xz yz zz"
        raise LayoutMissing(f"{said}, and layout is {layout!r}: leave layout out, or correct the header")
    if has_matrices:
        values = matrices(read, name)
    elif read.affine is not None and values.shape == (*grid, 1, *space.shape):  # as ITK has vectors
        values = values.reshape(expected)
    if read.affine is not None and isinstance(space, SPD) and values.shape != expected:
        six = space.dim
        if values.shape in (grid + (six,), grid + (1, six)):
            if layout is None:
                raise LayoutMissing(f"{name} has {six} numbers a voxel: say in which order, as in layout='upper-row'")
            return values.reshape(*grid, six)[..., _places(space.shape[0], layout)]
        if layout is not None:
            expected = grid + (six,)
    if values.shape != expected:
        expects = f"expected {expected}, the public grid and a point a voxel"
        raise InvalidPointError(f"{name} has shape {values.shape}: {expects}")
    return values


def written(space: Manifold, values: Floats, layout: Optional[str]) -> Floats:
    """The inverse of :func:`points` for images in files."""
    if not isinstance(space, SPD):
        return values[..., 0] if space.shape == (1,) else values
    places = _places(space.shape[0], layout or LAYOUTS[0]).ravel()
    flat = values.reshape(*values.shape[:-2], -1)
    return flat[..., np.unique(places, return_index=True)[1]]


def _places(k: int, layout: str) -> NDArray[np.intp]:
    """Where each entry of a symmetric ``k × k`` matrix is in a layout."""
    rows, columns = np.triu_indices(k)
    if layout == "upper-column":
        columns, rows = np.tril_indices(k)
    elif layout == "diagonal-first":
        order = np.argsort(rows != columns, kind="stable")
        rows, columns = rows[order], columns[order]
    places = np.empty((k, k), dtype=np.intp)
    places[rows, columns] = places[columns, rows] = np.arange(len(rows))
    return places


_WITHOUT_PLACE = (
    "images that may be invalid do not show the grid of the others: give mask, labels or center as a NIfTI image"
)


class _Earlier:
    """What is known of the images before one."""

    def __init__(self) -> None:
        self.files: dict[tuple[int, ...], str] = {}
        self.placed: Optional[tuple[str, Image]] = None

    def refuse_twice(self, given: Loaded, who: str) -> None:
        """Refuses a file that was there before, under any name, as the command does: a subject would count twice."""
        if given.file is not None and self.files.setdefault(given.file, who) != who:
            first = self.files[given.file]
            raise Error(f"{who} is the same file as {first}: it would count twice; give every file once")


@dataclass(frozen=True, eq=False)
class Projection:
    """What makes few numbers of an image, in the tangent spaces at the centers, and a field of such numbers. All of it
    is public."""

    space: Manifold
    mask: NDArray[np.bool_]
    basis: Any
    """A row for each of J orthonormal fields, a column for each of V voxels in the mask: an array, or a sparse one."""
    centers: Floats
    """One point a voxel of the mask, or one for all, of shape (1, *shape)."""
    layout: Optional[str]
    place: Optional[Image]
    """A public image that says where the voxels are."""
    replace: bool
    """Whether the center replaces a voxel that is no point."""

    @cached_property
    def _is_flat(self) -> bool:
        return self.space.curvature == (0.0, 0.0) and self.space.injectivity_radius == np.inf

    @cached_property
    def _moved(self) -> Any:
        """Of centers on flat space their coordinates at the origin: all logarithms are those at one point, moved."""
        if len(self.centers) == 1 or not self._is_flat:
            return None
        return _coordinates(self.space, self.space.origin, self.centers)

    @cached_property
    def _frames(self) -> Any:
        """Of centers on other spaces an orthonormal basis of the tangent space at each."""
        if len(self.centers) == 1 or self._is_flat:
            return None
        short = 0.5 * min(self.space.injectivity_radius, 1.0)
        ends = np.array([_points(self.space, center, short * np.eye(self.space.dim)) for center in self.centers])
        return self.space.log(self.centers[:, np.newaxis], ends) / short

    @property
    def size(self) -> int:
        """How many numbers an image becomes."""
        return int(self.basis.shape[0]) * self.space.dim

    @property
    def voxels(self) -> int:
        """How many voxels the mask has."""
        return int(self.basis.shape[1])

    def coefficients(self, images: Iterable[Any]) -> Floats:
        """A row of numbers for each image. One image at a time is read, and a row depends on its image alone."""
        if isinstance(images, (str, os.PathLike)) or hasattr(images, "dataobj"):
            raise ArgumentTypeError("images is one image: expected a list, or another iterable, of one a subject")
        if not hasattr(images, "__iter__"):
            raise ArgumentTypeError(f"images is of type {type(images).__name__}: expected an iterable of images")
        earlier = _Earlier()
        rows = [self._row(given, f"subject {i + 1} (index {i})", earlier) for i, given in enumerate(images)]
        return np.array(rows).reshape(len(rows), self.size)

    @np.errstate(all="ignore")  # NumPy's warnings would reveal voxels
    def _row(self, given: Any, who: str, earlier: _Earlier) -> Floats:
        given = loaded(given, who)
        if isinstance(given, Loaded):
            earlier.refuse_twice(given, who)
            if self.replace and self.place is None and given.affine is not None:
                raise Error(_WITHOUT_PLACE)
        try:
            x = self._in_mask(given, who, earlier)
        except LayoutMissing:
            raise
        except Error:
            if not self.replace:
                raise
            return np.zeros(self.size)
        found = self._logarithms(x)
        invalid = ~np.isfinite(found).all(axis=1)
        if invalid.any() and not self.replace:
            self._refuse(x, int(invalid.argmax()), who)
        found[invalid] = 0.0
        projected = self.basis @ found
        if not np.isfinite(projected).all():  # beyond floating point: the direction is what clipping leaves
            projected = self.basis @ (found * (1e100 / np.abs(found).max()))
        return np.asarray(projected).ravel()

    def _in_mask(self, given: Any, who: str, earlier: _Earlier) -> Floats:
        """The points of an image in the voxels of the mask."""
        read = image(given, who, missing="nan" if self.replace else "refuse", like=self.space)
        if self.place is not None and read.is_elsewhere(self.place):
            raise InvalidPointError(f"{who} has another affine than the public grid: register its image to the grid")
        if self.place is None and read.affine is not None:
            first, place = earlier.placed = earlier.placed or (who, read._replace(values=np.empty(0)))
            if read.is_elsewhere(place):
                raise InvalidPointError(f"{who} has another affine than {first}: register all images to one grid")
        return points(self.space, read, who, self.mask.shape, self.layout)[self.mask]

    def _logarithms(self, x: Floats) -> Floats:
        """The coordinates of points at the centers, NaN where there are none."""
        everything = np.arange(len(x))
        try:
            return self._coordinates(x, everything)
        except (InvalidPointError, CutLocusError):
            pass
        # most that are no points are found at once, and the others by halves
        plausible: NDArray[np.bool_] = np.asarray(np.isfinite(x).reshape(len(x), -1).all(axis=1))
        if isinstance(self.space, (SPD, HPD)):
            finite = x[plausible]
            off = np.abs(finite - finite.swapaxes(1, 2).conj()).max(axis=(1, 2))
            skew = off > 1e-4 * np.abs(finite).max(axis=(1, 2))
            plausible[plausible] = ~skew & (np.linalg.eigvalsh(finite)[:, 0] > 0.0)
        elif isinstance(self.space, Sphere):
            plausible &= np.abs(np.linalg.norm(x, axis=1) - 1.0) < 1e-3
        found = np.full((len(x), self.space.dim), np.nan)
        found[plausible] = _where_defined(
            lambda part: self._coordinates(x[part], part), everything[plausible], (self.space.dim,)
        )
        return found

    def _coordinates(self, x: Floats, voxels: NDArray[np.intp]) -> Floats:
        """The coordinates of the points of some voxels at their centers."""
        if self._frames is not None:
            centers, frames = self.centers[voxels], self._frames[voxels]
            vectors = self.space.log(centers, x)
            along = [self.space.inner(centers, vectors, frames[:, k], check=False) for k in range(self.space.dim)]
            return np.stack(along, axis=-1)
        if self._moved is None:
            return _coordinates(self.space, self.centers[0], x)
        return np.asarray(_coordinates(self.space, self.space.origin, x) - self._moved[voxels])

    def _points(self, coordinates: Floats, voxels: NDArray[np.intp]) -> Floats:
        """The inverse of :meth:`_coordinates`."""
        if self._frames is not None:
            vectors = np.einsum("vk,vk...->v...", coordinates, self._frames[voxels])
            return self.space.exp(self.centers[voxels], vectors)
        if self._moved is None:
            return _points(self.space, self.centers[0], coordinates)
        return _points(self.space, self.space.origin, coordinates + self._moved[voxels])

    def _refuse(self, x: Floats, at: int, who: str) -> None:
        place = f"{who}, voxel {self._voxel(at)}"
        reason = f"it has no coordinates at the center, which is too far away on {self.space.name}"
        try:
            self.space.log(self.centers[at % len(self.centers)], self.space.project(x[at]))
        except Error as error:
            reason = str(error).partition(": ")[2]
        raise InvalidPointError(
            f"{place}: {reason}; on_invalid='replace-with-center' puts the center in such voxels"
        ) from None

    def _voxel(self, at: int) -> tuple[int, ...]:
        return tuple(np.argwhere(self.mask)[at].tolist())

    def field(self, coefficients: Floats) -> Floats:
        """The field of these numbers, of shape ``grid + space.shape``: NaN outside the mask, and where numbers of a
        point overflow."""
        tangent = np.asarray(self.basis.T @ coefficients.reshape(-1, self.space.dim))
        find = lambda part: self._points(tangent[part], part)
        return self.on_grid(_where_defined(find, np.arange(self.voxels), self.space.shape))

    def errors(self, deviation: float) -> Floats:
        """The root mean square error of each voxel for a standard deviation of each number."""
        return self.on_grid(deviation * np.sqrt(self.space.dim * self.weights()))

    def weights(self) -> Floats:
        """The sum of the squares of all basis fields in each voxel."""
        dense = isinstance(self.basis, np.ndarray)
        squares = np.einsum("jv,jv->v", self.basis, self.basis) if dense else self.basis.power(2).sum(axis=0)
        return np.asarray(squares).ravel()

    def on_grid(self, inside: Floats) -> Floats:
        """Values of voxels of the mask as an array of the grid."""
        whole = np.full(self.mask.shape + inside.shape[1:], np.nan, np.result_type(inside, np.float64))
        whole[self.mask] = inside
        return whole

    def save(self, values: Floats, path: Any, affine: Optional[ArrayLike]) -> None:
        """Writes an array of the grid as NIfTI, with 0 outside the mask."""
        grid = self.mask.shape + (1,) * (3 - self.mask.ndim)
        data = np.where(np.isfinite(values), values, 0.0).reshape(grid + values.shape[self.mask.ndim :])
        public = None if self.place is None else self.place.affine
        place = public if affine is None else numbers(affine, "affine")
        package = nibabel()
        package.save(package.Nifti1Image(data, np.eye(4) if place is None else place), path)


def _where_defined(
    function: Callable[[NDArray[np.intp]], Floats], voxels: NDArray[np.intp], shape: tuple[int, ...]
) -> Floats:
    """What a function of many voxels finds for each, NaN for those that it refuses."""
    if not len(voxels):
        return np.empty((0, *shape))
    try:
        return function(voxels)
    except (InvalidPointError, CutLocusError):
        pass
    if len(voxels) == 1:
        return np.full((1, *shape), np.nan)
    return np.concatenate([_where_defined(function, half, shape) for half in np.array_split(voxels, 2)])
