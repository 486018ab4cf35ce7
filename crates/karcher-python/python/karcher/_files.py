"""Files that a user names: written as a whole, and replaced on request alone."""

from __future__ import annotations

import os
from typing import Union

from .errors import Error


def named(argument: str, given: Union[str, os.PathLike[str]], *endings: str) -> str:
    """The name of a file that has one of these endings."""
    path = os.fspath(given)
    if not path.endswith(endings):
        raise Error(f"{argument} is {path}: it must end in {' or '.join(endings)}")
    return path


def write(path: str, content: bytes, *, force: bool) -> None:
    """Writes a file, unless there is one that is not to be replaced."""
    try:
        with open(path, "wb" if force else "xb") as file:
            file.write(content)
    except FileExistsError:
        raise Error(f"output is {path}, which exists: give another name, or force=True to replace it") from None
    except OSError as error:
        raise Error(f"output: {path} cannot be written ({error.strerror})") from None
