"""Draws the pictures of the gallery: runs the examples and keeps their ``picture``, or else their figure of matplotlib.

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
SHOWN = (
    "fishing_fleet", "interests_on_a_tree", "eeg_classification", "diffusion_tensors", "directions", "shapes_over_age",
)  # fmt: skip

warnings.simplefilter("ignore")
HERE.mkdir(exist_ok=True)
for name in SHOWN:
    plt.close("all")
    plt.show = lambda: None
    picture = runpy.run_path(str(EXAMPLES / f"{name}.py")).get("picture")
    if picture is not None:
        picture.save(HERE / f"{name}.svg", force=True)
    else:
        plt.gcf().savefig(HERE / f"{name}.png", dpi=90, bbox_inches="tight", facecolor="white")
