"""Every block of Python in the guide and the README runs as it is printed, by itself."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
BLOCKS = [
    pytest.param(block, id=f"{path.name}-{i + 1}")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for i, block in enumerate(
        re.findall(r"^```(?:python|py)\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
    )
]


def test_there_are_some():
    assert len(BLOCKS) >= 5


@pytest.mark.parametrize("block", BLOCKS)
def test_block_runs_as_printed(block, tmp_path):
    script = tmp_path / "block.py"  # a file, as users have it: PySpark takes a program without one for its own tests
    script.write_text(block, encoding="utf-8")
    program = [sys.executable, "-W", "error::UserWarning", str(script)]
    run = subprocess.run(program, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
