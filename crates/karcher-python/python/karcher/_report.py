"""A page about releases, to send to people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Protocol, Union

from . import _arguments, _docs, _files, _karcher
from .errors import ArgumentTypeError
from .ledger import Ledger, path_of


class _Told(Protocol):
    """A release of any kind."""

    def to_json(self) -> str: ...


def report(
    releases: Union[_Told, Iterable[_Told], Mapping[Any, _Told]],
    output: Union[None, str, os.PathLike[str]] = None,
    *,
    title: Optional[str] = None,
    ledger: Union[None, Ledger, str, os.PathLike[str]] = None,
    force: bool = False,
) -> Optional[str]:
    """A page about releases: one HTML file with pictures, which loads nothing and runs no script.

    It explains what was released, and what the guarantee means for one record or one person. It states the guarantee of
    all releases together, and what is not protected. The command ``karcher report`` writes the same page. It depends
    only on the releases and costs no privacy.

    Parameters
    ----------
    releases : release, iterable of releases, or mapping of names to releases
        Releases of means, medians, balls, regressions, counts, components, or randomized records. The names of a
        mapping become titles of sections; for class means give ``dict(zip(model.classes_, model.releases_))``.
    output : path, optional
        The file of the page, with a name that ends in ``.html``. Without one the page is returned as text.
    title : str, optional
        Title of the page, instead of a description of its contents.
    ledger : Ledger or path, optional
        Ledger to show: what was requested, spent and left. Readers of the page see all its entries.
    force : bool
        Whether ``output`` may replace a file.

    Returns
    -------
    str or None
        The page, if it is not written to a file.

    Raises
    ------
    Error
        For an object that is not a release, and for a file that cannot be written.
    LedgerError
        For a file that is not a ledger.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> x = np.tile([0.6, 0.0, 0.8], (1000, 1))
    >>> release = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0).fit(x).release_
    >>> page = karcher.report(release, title="Headings in spring")
    >>> "73.2 %" in page and "Headings in spring" in page
    True
    """
    if isinstance(releases, Mapping):
        named = [(str(name), release) for name, release in releases.items()]
    elif hasattr(releases, "to_json"):
        named = [("release", releases)]
    elif isinstance(releases, Iterable) and not isinstance(releases, (str, bytes)):
        named = [(f"release {place}", release) for place, release in enumerate(releases, 1)]
    else:
        named = []
    if not named or not all(hasattr(release, "to_json") for _, release in named):
        raise ArgumentTypeError("releases must be a release, several in a list, or a dict of names and releases")
    path = None if output is None else _files.named("output", output, ".html", ".htm")
    account = path_of("ledger", ledger)
    words = None if title is None else _arguments.text("title", title)
    page = _karcher.report([(name, release.to_json()) for name, release in named], words, account)
    if path is None:
        return page
    _files.write(path, page.encode(), force=force)
    return None


__dir__ = _docs.complete(globals())
