"""Draws the map of the page about diffusion tensors, from the page's own code. Needs matplotlib, karcher and the
packages of the page.

    python docs/pictures/field.py
"""

import contextlib
import io
import os
import re
import tempfile
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
PAGE = HERE.parent / "how-to" / "diffusion-tensors.md"
SLICE = 4
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def run():
    """The names that the blocks of the page define. Files are written elsewhere."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    names, here = {}, Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        exec("".join(blocks), names)
        os.chdir(here)
    return names


def field():
    """A slice: anisotropy of the population, that of a release, and the standard error."""
    page = run()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # noise that can be drawn again
        release = page["field"].set_params(random_state=1).fit(page["made_up_image"]() for _ in range(500))
    inside = page["labels"][:, :, SLICE] > 0
    truth = page["space"].exp(np.eye(3), page["logarithm"])[:, :, SLICE][inside]
    anisotropy = {"vmin": 0.0, "vmax": 0.9, "cmap": "viridis"}
    panels = [
        ("the population", page["diffusivity_and_anisotropy"](truth)[1], "FA", anisotropy),
        ("private mean, n = 500, μ = 1", page["diffusivity_and_anisotropy"](release.field_[:, :, SLICE][inside])[1],
         "FA", anisotropy),
        ("standard error", release.standard_error_[:, :, SLICE][inside], "in the logarithm",
         {"vmin": 0.0, "vmax": 0.4, "cmap": "magma"}),
    ]  # fmt: skip
    figure, all_axes = plt.subplots(1, 3, figsize=(8.4, 3.2))
    for axes, (title, values, unit, options) in zip(all_axes, panels):
        picture = np.full(inside.shape, np.nan)
        picture[inside] = values
        shown = axes.imshow(picture.T, origin="lower", interpolation="nearest", **options)
        figure.colorbar(shown, ax=axes, orientation="horizontal", fraction=0.05, pad=0.04, label=unit)
        axes.set_title(title, fontsize=10)
        axes.axis("off")
    figure.savefig(HERE / "field.svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)


field()
