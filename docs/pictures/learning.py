"""Draws the pictures of the pages about clusters and about losses, on made-up records. Needs matplotlib and karcher.

    python docs/pictures/learning.py
"""

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import karcher

HERE = Path(__file__).parent
BLUE, RED, GRAY = "#2b6cb0", "#c53030", "#a0aec0"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def plain(axes, title):
    axes.set_title(title, fontsize=10)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def save(figure, name):
    figure.savefig(HERE / name, metadata={"Date": None}, bbox_inches="tight", facecolor="white", dpi=150)


def clusters():
    """Five groups, the first cells, and the private centers for two budgets."""
    rng = np.random.default_rng(3)
    groups = np.array([[-0.5, 0.4], [0.5, 0.5], [0.6, -0.2], [-0.1, -0.6], [-0.6, -0.3]])
    X = groups[rng.choice(5, 1000, p=[0.3, 0.25, 0.2, 0.15, 0.1])] + 0.1 * rng.normal(size=(1000, 2))
    figure, panels = plt.subplots(1, 3, figsize=(9.0, 3.1))
    for axes, budget in zip(panels, (None, 2.0, 0.5)):
        axes.plot(*X.T, ".", color=GRAY, markersize=2, markeredgewidth=0, rasterized=True)
        axes.add_patch(plt.Circle((0, 0), 1.0, fill=False, color=GRAY, linewidth=0.8))
        if budget is not None:
            model = karcher.PrivateKMeans("euclidean", 5, 1.0, mu=budget, random_state=1).fit(X)
            sizes = 400 * model.weights_
            axes.scatter(*model.cluster_centers_.T, s=sizes, color=RED, alpha=0.8, linewidths=0)
        plain(axes, "1,000 made-up records" if budget is None else f"private centers, μ = {budget:g}")
    save(figure, "clusters.svg")


def descent():
    """A mean and a robust center of records with a tenth far off, over the steps."""
    rng = np.random.default_rng(5)
    X = np.array([0.3, 0.2]) + 0.35 * rng.normal(size=(2000, 2))
    X[:200] += [2.5, 1.5]

    def squared(point, X):
        return point - X

    def huber(point, X):
        length = np.sqrt(((X - point) ** 2).sum(axis=1, keepdims=True))
        return (point - X) * np.minimum(1.0, 0.4 / np.maximum(length, 1e-12))

    figure, axes = plt.subplots(figsize=(5.6, 3.4))
    axes.plot(*X.T, ".", color=GRAY, markersize=2, markeredgewidth=0, rasterized=True)
    for gradient, clip, color, name in ((squared, 3.0, BLUE, "squared distance"), (huber, 0.4, RED, "Huber loss")):
        path = [[-1.5, -0.5]]
        for steps in range(1, 13):
            fitted = karcher.PrivateDescent(
                "euclidean:2", gradient, radius=4.0, center=path[0], clip=clip, steps=12, step_size=[0.5] * 12, mu=1.0,
                random_state=2,
            )  # fmt: skip
            # the first steps of the same descent: with one seed each has the same noise
            fitted.steps, fitted.step_size = 12, [0.5] * steps + [1e-9] * (12 - steps)
            path.append(fitted.fit(X).estimate_)
        axes.plot(*np.array(path).T, "o-", color=color, markersize=3, linewidth=1, label=name)
    axes.legend(fontsize=8, frameon=False)
    plain(axes, "twelve private steps, μ = 1")
    save(figure, "descent.svg")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # noise that can be drawn again
        clusters()
        descent()
