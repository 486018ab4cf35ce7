"""Landmarks in the plane and in space: their files, and their rotation onto a public template."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Union

import numpy as np

from . import _karcher
from ._arrays import numbers
from .errors import Error
from .manifolds import SizeAndShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from .manifolds import Floats


def read_landmarks(paths: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]]) -> Floats:
    """The landmarks of the specimens in files: TPS, NTSYS (``.nts``), IDAV Landmark (``.pts``), 3D Slicer (``.fcsv``,
    ``.mrk.json``). Several files, or a folder, count as one.

    Parameters
    ----------
    paths : path or list of paths

    Returns
    -------
    array of shape (n, k, 2) or (n, k, 3)
        NaN where a landmark is missing.

    Raises
    ------
    Error
        When a file cannot be read, or a specimen has other landmarks than the first.

    Examples
    --------
    >>> import pathlib, tempfile, karcher
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ape.pts"
    >>> written = path.write_text("Version 1.0\\n2\\nS000 1 2 3\\nS001 9999 9999 9999\\n")
    >>> karcher.read_landmarks(path)
    array([[[ 1.,  2.,  3.],
            [nan, nan, nan]]])
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    values, columns, axes = _karcher.read_landmarks([os.fspath(path) for path in several])
    if columns % axes:
        raise Error(f"records of {columns} numbers are no landmarks of {axes} coordinates")
    return np.array(values).reshape(-1, columns // axes, axes)


def align_landmarks(records: ArrayLike, template: ArrayLike) -> Floats:
    """Configurations of landmarks, centered and rotated so that each lies nearest to a public template.

    The rotation of a record depends on that record and on the template alone, to the last bit. So it is preprocessing,
    and changes no guarantee. There are no mirror images, and sizes stay.

    Parameters
    ----------
    records : array of shape (n, k, d) or (k, d)
        ``d`` = 2 or 3. No landmark may be missing.
    template : array of shape (k, d)
        Public landmarks: from an atlas or an earlier study, and **never from the records**.

    Returns
    -------
    array of the shape of ``records``

    Raises
    ------
    Error
        When a landmark is missing, shapes differ, or the template's landmarks lie on a line.

    Examples
    --------
    >>> import karcher
    >>> template = [[0, 0], [3, 0], [0, 3]]
    >>> turned = [[7, 7], [7, 10], [4, 7]]
    >>> karcher.align_landmarks(turned, template).round(12)
    array([[-1., -1.],
           [ 2., -1.],
           [-1.,  2.]])
    """
    given, onto = numbers(records, "records", missing="nan"), numbers(template, "template")
    if onto.ndim != 2 or given.ndim not in (2, 3) or given.shape[-2:] != onto.shape:
        raise Error(
            f"records have the shape {given.shape} and the template {onto.shape}: expected (n, k, d) and (k, d)"
        )
    missing = np.argwhere(np.isnan(given.reshape(-1, *onto.shape)).any(axis=-1))
    if len(missing):
        record, landmark = missing[0] + 1
        raise Error(
            f"record {record}: landmark {landmark} is missing: estimate it, or leave the landmark out of all records"
        )
    space = SizeAndShape(*onto.shape)
    centered = space.project(given)
    rotated = _karcher.align_landmarks(space.name, centered.ravel().tolist(), onto.ravel().tolist())
    return np.array(rotated).reshape(given.shape)
