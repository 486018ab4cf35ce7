"""Whether releases agree with their own specifications."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Protocol, Union

from . import _docs, _karcher
from .errors import ArgumentTypeError, Error
from .ledger import Ledger, path_of


class _Release(Protocol):
    """A release of any kind."""

    def to_json(self) -> str: ...


_One = Union[_Release, Mapping[str, Any], str, "os.PathLike[str]"]


class Finding(NamedTuple):
    """A contradiction between a release and its specification, or a release with a seed.

    Attributes
    ----------
    field : str
        Path of the field in the JSON of the release, such as ``"noise[0].scale"``; ``"file"`` for all of it.
    reason : str
        Sentence that says what is wrong.
    release : int, optional
        Index of the release in a list, from 0. ``None`` if a single release was given.
    """

    field: str
    reason: str
    release: Optional[int] = None

    def __str__(self) -> str:
        return f"{_place(self.release)}{self.field}: {self.reason}"


@dataclass(frozen=True)
class Verification:
    """Result of :func:`karcher.verify`. It is true if there are no findings in any release.

    It prints as a line for each release without findings, which has the promise, and one for each finding and note.

    Attributes
    ----------
    findings : tuple of Finding
        Contradictions, each once, and one for each release with a seed.
    complete : bool
        Whether all numbers were compared. Releases of an earlier version are compared in part.
    promises : tuple of str or None
        Promise of each release in words; ``None`` for one with findings.
    notes : tuple of str
        Copies among the releases, entries of the ledger that are in none of them, and signs of a copied ledger.
    """

    findings: tuple[Finding, ...]
    complete: bool
    promises: tuple[Optional[str], ...] = ()
    notes: tuple[str, ...] = ()
    _is_list: bool = field(default=False, repr=False)

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        lines: list[str] = []
        agrees = "agrees with its specification" if self.complete else "agrees as far as it was compared"
        for i, promise in enumerate(self.promises):
            release = i if self._is_list else None
            if promise is not None:
                lines.append(f"{_place(release)}{agrees}; {promise}")
            lines.extend(str(finding) for finding in self.findings if finding.release == release)
        return "\n".join([*lines, *self.notes])


def verify(
    release: Union[_One, Sequence[_One]],
    ledger: Union[None, Ledger, str, os.PathLike[str]] = None,
) -> Verification:
    """Compare releases with their own specifications, as the command ``karcher verify`` does.

    Everything in a release, except the noisy numbers, follows from its specification, the number of records and the
    version. This function plans the release again and compares. It reads no records and costs no privacy.

    Parameters
    ----------
    release : release, dict or path, or a list of them
        Release of any kind, its JSON as a dict, or the path of a ``.json`` file. A file of groups is one, too. Give all
        releases of a ledger in one list: two releases of one entry are only found together.
    ledger : Ledger or path, optional
        Ledger that counted the releases, or a copy of it. The entry of each must be that of this release.

    Returns
    -------
    Verification
        True if there are no findings, in one result for all releases. A release with a seed is not private, which is a
        finding. Some edits cannot be found, such as another noisy number with all that follows from it: see "Flags and
        checks" in the guide.

    Raises
    ------
    Error
        If a file cannot be read or is not JSON, or if the list is empty.
    LedgerError
        If the ledger cannot be read.

    Examples
    --------
    >>> import json, karcher, numpy as np
    >>> x = np.tile([0.6, 0.0, 0.8], (1000, 1))
    >>> release = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0).fit(x).release_
    >>> bool(karcher.verify(release))
    True
    >>> edited = json.loads(release.to_json())
    >>> edited["unit"] = "person"
    >>> print(karcher.verify(edited))
    unit: it is "person", and the specification leads to "record"
    >>> print(karcher.verify([release, json.loads(release.to_json())]))
    releases[0]: agrees with its specification; ε = 1, one record replaced, exact, no flags
    releases[1]: agrees with its specification; ε = 1, one record replaced, exact, no flags
    releases[1]: the same release as releases[0]
    """
    several: Optional[Sequence[Any]] = None
    if isinstance(release, Sequence) and not isinstance(release, (str, bytes)):
        several = release
    if several is None:
        given = [_json(release, "release")]
    else:
        given = [_json(one, f"releases[{i}]") for i, one in enumerate(several)]
    is_list = several is not None
    if not given:
        raise Error("release is an empty list: give at least one release")
    account = path_of("ledger", ledger)
    verified, notes = _karcher.verify(given, account)
    return Verification(
        findings=tuple(
            Finding(*finding, i if is_list else None)
            for i, (_, _, findings) in enumerate(verified)
            for finding in findings
        ),
        complete=all(complete for complete, _, _ in verified),
        promises=tuple(promise for _, promise, _ in verified),
        notes=tuple(notes),
        _is_list=is_list,
    )


def _place(release: Optional[int]) -> str:
    """The beginning of a line about a release in a list."""
    return "" if release is None else f"releases[{release}]: "


def _json(release: object, name: str) -> tuple[str, str]:
    """The name and the JSON of a release."""
    if isinstance(release, Mapping):
        return name, json.dumps(dict(release))
    if isinstance(release, (str, os.PathLike)):
        path = os.fspath(release)
        try:
            with open(path, encoding="utf-8") as file:
                return path, file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise Error(f"{name} is {path!r}, which cannot be read ({error}); give the path of a .json file") from None
    if hasattr(release, "to_json"):
        return name, release.to_json()
    raise ArgumentTypeError(f"{name} is {type(release).__name__}: expected a release, a dict or the path of a file")


__dir__ = _docs.complete(globals())
