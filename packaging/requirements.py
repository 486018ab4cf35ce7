"""What the tests of the Python package need from pip, as `pyproject.toml` lists it: one requirement a line."""

import pathlib
import re

TEXT = (pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
[LINE] = re.findall(r"^test = \[(.*)\]$", TEXT, re.M)
print(*(requirement.replace(" ", "") for requirement in re.findall(r'"([^"]+)"', LINE)), sep="\n")
