import os
import pathlib
import subprocess

import pytest

# a screen is not needed, and one thread a library is enough
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("GEOMSTATS_BACKEND", "numpy")

TARGET = pathlib.Path(__file__).parents[3] / "target"


@pytest.fixture
def command(tmp_path):
    """Runs the command, as it was built last, in the test's folder."""
    files = (TARGET / profile / "karcher" for profile in ("debug", "release"))
    file = next((file for file in files if file.exists()), None)
    if file is None:
        pytest.skip("SKIPPED: target/debug/karcher was not built")

    def run(*words):
        ran = subprocess.run([file, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr

    return run
