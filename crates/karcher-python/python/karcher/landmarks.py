"""Landmarks in the plane and in space: files, and rotation onto a public template."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Union

import numpy as np

from . import _docs, _karcher
from ._arrays import numbers
from ._cells import OF_FIRST
from .errors import Error, InvalidPointError
from .manifolds import Landmarks, Manifold, SizeAndShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from .manifolds import Floats


def read_landmarks(paths: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]]) -> Floats:
    """The landmarks of the specimens in files: TPS, NTSYS (``.nts``), IDAV Landmark (``.pts``), 3D Slicer (``.fcsv``,
    ``.mrk.json``). Several files, or a folder, count as one. All must have labels of landmarks in the same order. To
    check a template too, read it as the first: ``template, *records = read_landmarks([atlas, *files])``.

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
        When a file cannot be read or is given twice, or a specimen has other landmarks or labels than the first.

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
    problem = None
    try:
        values, columns, axes = _karcher.read_landmarks([os.fspath(path) for path in several])
    except Error as error:
        problem = _of_python(str(error))
    if problem is not None:
        raise Error(problem)
    if columns % axes:
        raise Error(f"records of {columns} numbers are no landmarks of {axes} coordinates")
    return np.array(values).reshape(-1, columns // axes, axes)


def _of_python(sentence: str) -> str:
    """The sentence of an error without advice about options of the command, which this function lacks."""
    for advice, instead in _ADVICE.items():
        sentence = re.sub(advice, instead, sentence)
    return sentence


_ADVICE = {
    r"its name must end in [^;]*; or give --format": "its name must end in .tps, .nts, .pts, .fcsv or .mrk.json",
    r"choose the same columns of both with --columns": "read them one by one",
    r"[;:,]?( or)? (give|choose|say which by) --[^;()]*": "",
}
"""Advice of the command, and what is said here."""


def align_landmarks(records: ArrayLike, template: ArrayLike) -> Floats:
    """Configurations of landmarks, centered and rotated so that each lies nearest to a public template.

    The rotation of a record depends only on this record and the template, to the last bit. So it is preprocessing, and
    does not affect the guarantee. There are no reflections, and sizes are kept.

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
    given, onto = numbers(records, "records", missing="nan", shape=OF_FIRST), numbers(template, "template")
    if onto.ndim != 2 or given.ndim not in (2, 3) or given.shape[-2:] != onto.shape:
        raise Error(
            f"records have the shape {given.shape} and the template {onto.shape}: expected (n, k, d) and (k, d)"
        )
    missing = np.argwhere(np.isnan(given.reshape(-1, *onto.shape)).any(axis=-1))
    if len(missing):
        record, landmark = missing[0] + 1
        raise InvalidPointError(
            f"record {record}: landmark {landmark} is missing: estimate it, or leave the landmark out of all records"
        )
    return _onto(given, onto)


def rotated(space: Manifold, records: Floats, template: Floats) -> tuple[Floats, list[float]]:
    """Records of a private estimator, rotated onto a template, and the numbers of that. Those that are no points stay
    as they are: the library replaces or refuses them like others."""
    if not isinstance(space, (Landmarks, SizeAndShape)):
        raise Error(f"template belongs to landmarks:K,D and size-and-shape:K,D: records of {space.name} have none")
    if template.shape != space.shape or records.shape[1:] != space.shape:
        raise Error(f"template has shape {template.shape} and a record {records.shape[1:]}: both must be {space.shape}")
    onto = space.project(template)
    _onto(onto[np.newaxis], onto)  # refuses what is no template
    turned = records.copy()
    whole = np.flatnonzero(np.isfinite(records).all(axis=(1, 2)))
    try:
        turned[whole] = _onto(records[whole], onto)
    except Error:
        for i in whole:
            with suppress(Error):
                turned[i] = _onto(records[i : i + 1], onto)[0]
    return turned, onto.ravel().tolist()


def _onto(records: Floats, template: Floats) -> Floats:
    """Centered records, rotated."""
    space = SizeAndShape(*template.shape)
    centered = space.project(records) if len(records) else records
    turned = _karcher.align_landmarks(space.name, centered.ravel().tolist(), template.ravel().tolist())
    return np.array(turned).reshape(records.shape)


__dir__ = _docs.complete(globals())
