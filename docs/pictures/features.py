"""Draws the pictures of the page about regression on several covariates, from its own code. Needs matplotlib, karcher.

    python docs/pictures/features.py
"""

import contextlib
import io
import os
import re
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = HERE.parent / "how-to" / "regression-on-features.md"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def anisotropy(tensors):
    """The fractional anisotropy of tensors."""
    values = np.linalg.eigvalsh(tensors)
    apart = values - values.mean(axis=-1, keepdims=True)
    return np.sqrt(1.5 * (apart**2).sum(axis=-1) / (values**2).sum(axis=-1))


def main():
    page = {}
    os.chdir(ROOT)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # noise that can be drawn again
        exec("".join(re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)), page)
        table, regression = page["table"], page["regression"]
        people = {"age": table["age"], "sex": table["sex"]}
        private = regression.set_params(random_state=1).fit(people, page["tensors"]).release_
        nearly = regression.set_params(mu=1e6).fit(people, page["tensors"]).release_
    ages = page["ages"]
    figure, axes = plt.subplots(figsize=(6.4, 3.2))
    axes.scatter(table["age"], anisotropy(page["tensors"]), s=4, color="0.75", label="600 people (never published)")
    for sex, color in (("F", "#7570b3"), ("M", "#d95f02")):
        at = {"age": ages, "sex": [sex] * len(ages)}
        axes.plot(ages, anisotropy(private.predict(at).points), color=color, label=f"private, {sex}, μ = 1")
        best = anisotropy(nearly.predict(at).points)
        axes.plot(ages, best, color=color, linestyle=":", label=f"without noise, {sex}")
    axes.set_xlabel("age")
    axes.set_ylabel("fractional anisotropy")
    axes.legend(fontsize=8, frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "features-anisotropy.svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")


    outlines(page)


def outlines(page):
    """Outlines at three ages."""
    growth, ages = page["growth"], [20, 50, 80]
    data = ({"age": page["years"]}, np.array([page["outline"](bend) for bend in page["bends"]]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        private = growth.set_params(random_state=1).fit(*data).release_.predict({"age": ages}).points
        nearly = growth.set_params(mu=1e6).fit(*data).release_.predict({"age": ages}).points
    figure, all_axes = plt.subplots(1, 3, figsize=(6.4, 2.0))
    for axes, age, one, other in zip(all_axes, ages, private, nearly):
        for points, style in ((other, {"color": "0.6", "linestyle": ":"}), (one, {"color": "#7570b3"})):
            around = np.concatenate([points, points[:1]])
            axes.plot(around[:, 0], around[:, 1], **style)
        axes.set_title(f"{age} years", fontsize=10)
        axes.set_aspect("equal")
        axes.axis("off")
    names = ["without noise", "private, n = 2,000, μ = 1"]
    figure.legend(names, loc="lower center", ncols=2, frameon=False, fontsize=8)
    figure.savefig(HERE / "features-outlines.svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")


if __name__ == "__main__":
    main()
