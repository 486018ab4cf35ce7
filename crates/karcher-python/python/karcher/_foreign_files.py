"""Arrays of MATLAB files and NIfTI images, as records along the first axis."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _docs
from ._fields import image, matrices
from .errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HDF5 = (
    "it is a MATLAB 7.3 file, which SciPy does not read: save it with -v7 in MATLAB, or in Python "
    "numpy.asarray(h5py.File(FILE)[NAME]).T, which has MATLAB's axes"
)


def read_mat(
    file: Union[str, os.PathLike[str]], name: Optional[str] = None, *, axis: Optional[int] = None
) -> NDArray[Any]:
    """The array of a MATLAB file, with the records along the first axis.

    Parameters
    ----------
    file : path
        A file of MATLAB or Octave, of version 7 or earlier. SciPy reads it.
    name : str, optional
        The variable; it may be left out where there is one.
    axis : int, optional
        The axis of the records. By default that of MATLAB: rows of a matrix, the numbers of a vector, and the last axis
        of larger arrays, such as ``K x K x n`` covariances.

    Returns
    -------
    array
        Numbers, real or complex.

    Raises
    ------
    Error
        For a file that is none, a variable that is not in it, and one that is no array of numbers.

    Examples
    --------
    >>> import numpy as np, scipy.io, tempfile
    >>> from karcher.preprocessing import read_mat
    >>> covariances = np.stack([np.eye(2), 2 * np.eye(2), 3 * np.eye(2)], axis=-1)  # 2 x 2 x 3, as in MATLAB
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     scipy.io.savemat(f"{folder}/epochs.mat", {"C": covariances})
    ...     scipy.io.savemat(f"{folder}/angles.mat", {"phi": np.ones((9, 3))})
    ...     read_mat(f"{folder}/epochs.mat").shape, read_mat(f"{folder}/angles.mat").shape
    ((3, 2, 2), (9, 3))
    """
    try:
        from scipy.io import loadmat
    except ImportError:
        raise Error("SciPy is not installed, which reads MATLAB files: pip install scipy") from None
    path = os.fspath(file)
    reason = ""
    try:
        found = {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    except NotImplementedError:
        reason = _HDF5
    except Exception as problem:  # of any kind: SciPy's reader checks little
        reason = str(problem) if isinstance(problem, OSError) else "it is no MATLAB file that SciPy reads"
    if reason:
        raise Error(f"{path}: {reason}")
    if name is None and len(found) == 1:
        name = next(iter(found))
    if name not in found:
        given = "name is missing" if name is None else f"it has no variable {name}"
        raise Error(f"{path}: {given}; its variables are {', '.join(sorted(found)) or 'none'}")
    values = found[name]
    if values.dtype == object and values.size:  # a cell array of matrices
        cells = [np.asarray(cell) for cell in values.ravel()]
        if len({cell.shape for cell in cells}) == 1 and all(cell.dtype.kind in "fiuc" for cell in cells):
            return np.stack(cells)
    if values.dtype.kind not in "fiuc":
        raise Error(f"{path}: {name} is no array of numbers, nor a cell array of such of one shape")
    if axis is None:  # a matrix with one row is a vector
        axis = 0 if values.ndim == 2 and len(values) > 1 else -1
    if not -values.ndim <= axis < values.ndim:
        raise Error(f"axis is {axis}: {name} has {values.ndim} axes")
    return np.ascontiguousarray(np.moveaxis(values, axis, 0))


def read_nifti(file: Union[str, os.PathLike[str]], mask: object = None) -> NDArray[Any]:
    """The numbers of a NIfTI image with a record for each voxel, in the order of the array.

    :mod:`karcher.fields` releases whole images, a mean a voxel, and takes files as they are. This is for one mean over
    the voxels of an image: a person is then the unit, not a voxel.

    Parameters
    ----------
    file : path
        An image of three axes, and others for what a voxel holds. nibabel reads it.
    mask : array, path or nibabel image, optional
        Voxels to take, of the image's three axes: those that are not 0. Public.

    Returns
    -------
    array of shape ``(n, …)``
        Of matrices where the header says in which order a voxel has their numbers (intents 1004 and 1005).

    Examples
    --------
    >>> import nibabel, numpy as np, tempfile
    >>> from karcher.preprocessing import read_nifti
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nibabel.save(nibabel.Nifti1Image(np.ones((2, 3, 4, 6)), np.eye(4)), f"{folder}/tensors.nii.gz")
    ...     read_nifti(f"{folder}/tensors.nii.gz").shape
    (24, 6)
    """
    read = image(file, "file")
    values = matrices(read, "the image")
    if values.ndim < 3:
        raise Error(f"the image has {values.ndim} axes: three of voxels are expected")
    grid = values.shape[:3]
    rows = values.reshape(-1, *values.shape[3:])
    if mask is None:
        return np.ascontiguousarray(rows)
    chosen = image(mask, "mask")
    if chosen.values.shape != grid:
        raise Error(f"the mask has the shape {chosen.values.shape}, the image {grid}")
    if chosen.is_elsewhere(read):
        raise Error("the mask has another affine than the image: give both on one grid")
    return np.ascontiguousarray(rows[chosen.values.reshape(-1) != 0])


__dir__ = _docs.complete(globals())
