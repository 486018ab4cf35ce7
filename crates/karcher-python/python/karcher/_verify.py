"""Whether a release agrees with its own specification."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Union

from . import _karcher
from .errors import ArgumentTypeError, Error
from .ledger import Ledger


class _Release(Protocol):
    """A release of any kind."""

    def to_json(self) -> str: ...


class Finding(NamedTuple):
    """A contradiction between a release and its specification.

    Attributes
    ----------
    field : str
        Path of the field in the JSON of the release, such as ``"noise[0].scale"``; ``"file"`` for all of it.
    reason : str
        Sentence that says what is wrong.
    """

    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"


@dataclass(frozen=True)
class Verification:
    """Result of :func:`karcher.verify`. It is true if there are no findings.

    Attributes
    ----------
    findings : tuple of Finding
        Contradictions, each once.
    complete : bool
        Whether all numbers were compared. Releases of an earlier version are compared in part.
    """

    findings: tuple[Finding, ...]
    complete: bool

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "nothing contradicts the specification"


def verify(
    release: Union[_Release, Mapping[str, Any], str, os.PathLike[str]],
    ledger: Union[None, Ledger, str, os.PathLike[str]] = None,
) -> Verification:
    """Compare a release with its own specification, as the command ``karcher verify`` does.

    Everything in a release, except the noisy numbers, follows from its specification, the number of records and the
    version. This function plans the release again and compares. It reads no records and costs no privacy.

    Parameters
    ----------
    release : release, dict or path
        Release of any kind, its JSON as a dict, or the path of a ``.json`` file. A file of groups is one, too.
    ledger : Ledger or path, optional
        Ledger that counted the release. Its entry must be that of this release.

    Returns
    -------
    Verification
        True if there are no findings. Some edits cannot be found, such as another noisy number with all that follows
        from it; the guide lists them ("What a release records", "Checking a release").

    Raises
    ------
    Error
        If the file cannot be read or is not JSON.
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
    """
    name, text = _json(release)
    account = ledger.path if isinstance(ledger, Ledger) else None if ledger is None else os.fspath(ledger)
    complete, findings = _karcher.verify(name, text, account)
    return Verification(tuple(Finding(*finding) for finding in findings), complete)


def _json(release: object) -> tuple[str, str]:
    """The name and the JSON of a release."""
    if isinstance(release, Mapping):
        return "release", json.dumps(dict(release))
    if isinstance(release, (str, os.PathLike)):
        path = os.fspath(release)
        try:
            with open(path, encoding="utf-8") as file:
                return path, file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise Error(f"release is {path!r}, which cannot be read ({error}); give the path of a .json file") from None
    if hasattr(release, "to_json"):
        return "release", release.to_json()
    raise ArgumentTypeError(f"release is {type(release).__name__}: expected a release, a dict or the path of a file")
