"""Draws the picture of the page about scores: a confusion matrix without noise, and a private one, of made-up persons.
Needs matplotlib and karcher.

    python docs/pictures/score.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import karcher

HERE = Path(__file__).parent
LABELS = ["left", "right", "rest"]
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


class Guess:
    """Predicts the label in the first column."""

    def predict(self, X):
        return np.asarray(LABELS)[X[:, 0]]


def matrix(axes, cells, title):
    axes.imshow(cells, cmap="Blues", vmin=0)
    for (i, j), cell in np.ndenumerate(cells):
        color = "white" if cell > 0.6 * cells.max() else "black"
        axes.text(j, i, f"{cell:.0f}", ha="center", va="center", color=color)
    axes.set_xticks(range(3), LABELS)
    axes.set_yticks(range(3), LABELS)
    axes.set_xlabel("predicted")
    axes.set_title(title, fontsize=10)


def main():
    rng = np.random.default_rng(4)
    actual = rng.choice(3, 500, p=[0.4, 0.4, 0.2])
    predicted = np.where(rng.random(500) < 0.8, actual, rng.choice(3, 500))
    true = np.zeros((3, 3))
    np.add.at(true, (actual, predicted), 1)
    y = np.asarray(LABELS)[actual]
    release = karcher.private_score(
        Guess(), predicted[:, None], y, metric="confusion", labels=LABELS, epsilon=1.0, random_state=1
    )
    figure, panels = plt.subplots(1, 2, figsize=(6.4, 3.1))
    matrix(panels[0], true, "500 made-up persons")
    panels[0].set_ylabel("actual")
    matrix(panels[1], release.confusion_matrix, f"released, ε = 1, each ±{release.half_width:.0f}")
    figure.savefig(HERE / "score.svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")


if __name__ == "__main__":
    main()
