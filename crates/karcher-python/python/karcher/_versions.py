"""Versions of the packages that this one runs with, for reports of defects."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys

from . import _docs, _karcher

_PACKAGES = (
    "numpy", "scikit-learn", "scipy", "pandas", "polars", "pyarrow", "dask", "xarray", "torch", "nibabel", "pyspark",
    "pyriemann", "opendp", "dp-accounting", "flwr", "nvflare",
)  # fmt: skip


def show_versions() -> None:
    """Prints the versions of karcher, Python, the system and the packages that karcher can work with.

    Examples
    --------
    >>> import karcher
    >>> karcher.show_versions()                     # doctest: +ELLIPSIS
    karcher       ...
    """
    for name, version in versions().items():
        print(f"{name:<13} {version}")


def versions() -> dict[str, str]:
    """The same by name."""
    found = {
        "karcher": _karcher.__version__,
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "cores": str(os.cpu_count()),
        "threads": os.environ.get("RAYON_NUM_THREADS", "one a core"),
        "command": shutil.which("karcher") or "not in PATH",
    }
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


__dir__ = _docs.complete(globals())
