"""Draws the pictures of the gallery: runs the examples and keeps what they show. Needs matplotlib and karcher.

    python docs/pictures/gallery.py

The noise is new each time, as it must be, so the pictures differ from those that are there.
"""

import runpy
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent / "gallery"
EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
# The example, and which of its figures.
SHOWN = {
    "fishing_fleet": 0,
    "interests_on_a_tree": 0,
    "eeg_classification": 0,
    "diffusion_tensors": 0,
    "directions": 1,
    "shapes_over_age": 0,
}

warnings.simplefilter("ignore")
HERE.mkdir(exist_ok=True)
for name, which in SHOWN.items():
    plt.close("all")
    plt.show = lambda: None
    runpy.run_path(str(EXAMPLES / f"{name}.py"))
    figure = plt.figure(plt.get_fignums()[which])
    figure.savefig(HERE / f"{name}.png", dpi=90, bbox_inches="tight", facecolor="white")
