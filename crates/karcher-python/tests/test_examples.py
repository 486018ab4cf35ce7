"""The scripts in examples/python run, and what they assert holds."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).parents[3] / "examples/python").glob("*.py"))


def test_there_is_one_for_every_audience():
    names = {path.stem for path in EXAMPLES}
    assert {"diffusion_tensors", "eeg_classification", "directions", "shapes_over_age"} <= names


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
