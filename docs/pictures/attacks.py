"""Draws the pictures of the pages about attacks from the results of their code. Needs matplotlib and the packages of
the pages.

    python docs/pictures/attacks.py
"""

import contextlib
import io
import re
from fractions import Fraction
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
PAGES = HERE.parent / "evidence/attacks"
BLUE, RED, GREY = "#2b6cb0", "#c53030", "#718096"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def run(name):
    """The names that the blocks of a page define."""
    blocks = re.findall(r"^```python\n(.*?)^```", (PAGES / name).read_text(encoding="utf-8"), re.M | re.S)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("".join(blocks), names)
    return names


def save(figure, name):
    figure.savefig(HERE / "attacks" / name, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)


def phase():
    """The sizes of Im⟨m, y⟩ for the mean of the data, and for that of a neighbour."""
    page = run("phase.md")
    data = np.vstack([page["others"], page["candidates"][0]])
    panel = {
        "naive": (page["means"], lambda t: page["naive"](data, 0.1, np.random.default_rng(t))),
        "karcher": (page["held"], lambda t: page["private"](data, 0.1, t)),
    }
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 2.8), sharey=True)
    bins = np.arange(-19, 0.1, 0.5)
    for axes, (name, (means, draw)) in zip(panels, panel.items()):
        published = np.array([draw(t) for t in range(500)])
        for mean, color, label in ((0, RED, "m is the mean of the data"), (1, BLUE, "m is that of a neighbour")):
            size = np.abs((published @ means[mean].conj()).imag)
            axes.hist(np.log10(np.maximum(size, 1e-19)), bins, color=color, alpha=0.6, label=label)
        axes.set(title=name, xlabel="size of Im⟨m, y⟩", xlim=(-19, 0))
        axes.set_xticks([-18, -12, -6, 0], ["10⁻¹⁸", "10⁻¹²", "10⁻⁶", "1"])
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("of 500 releases")
    panels[1].legend(frameon=False, loc="upper left", fontsize=9)
    save(figure, "phase.svg")


def low_bits():
    """Which of the doubles next to a value can be published."""
    page = run("low-bits.md")
    start, many = 0.6, 120
    doubles = start + np.spacing(start) * np.arange(many)
    rows = [("naive, one record", page["reachable"](doubles, page["means"][0][0]), RED)]
    rows += [("naive, the other", page["reachable"](doubles, page["means"][1][0]), BLUE)]
    # karcher's numbers are integers times a step, rounded, and the step is the same for both data sets
    (step,) = {Fraction(release.lattice) for release in page["releases"]}
    nearest = [float(round(Fraction(x) / step) * step) for x in doubles]
    rows += [("karcher, both", nearest == doubles, GREY)]
    figure, axes = plt.subplots(figsize=(8.4, 1.9))
    for i, (_, there, color) in enumerate(rows):
        axes.vlines(np.flatnonzero(there), -i - 0.35, -i + 0.35, color=color, lw=2.2)
    axes.set_yticks([0, -1, -2], [name for name, _, _ in rows])
    axes.set(xlim=(-1, many), xlabel="120 neighbouring doubles from 0.6 on")
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    save(figure, "low-bits.svg")


def fitted_radius():
    """Means with and without the person."""
    page = run("fitted-radius.md")
    rng = np.random.default_rng(3)
    panel = {
        "naive": lambda x, _: page["naive"](x, rng)[0],
        "karcher, radius 10": lambda x, seed: page["private"](x, seed).noisy_value,
    }
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.6), sharex=True, sharey=True)
    for axes, (name, draw) in zip(panels, panel.items()):
        for k, color, label in ((0, BLUE, "without the person"), (1, RED, "with the person")):
            x, y = np.array([draw(page["homes"][k], seed + 100 * k) for seed in range(100)]).T
            axes.plot(x, y, ".", ms=5, alpha=0.7, color=color, mew=0, label=label)
        axes.set(title=name, xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), xlabel="km east")
        axes.set_aspect("equal")
        axes.set(xticks=[-2, -1, 0, 1, 2], yticks=[-2, -1, 0, 1, 2])
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("km north")
    panels[1].legend(frameon=False, loc="lower right", fontsize=8)
    save(figure, "fitted-radius.svg")


def sensitivity():
    """Hits over false alarms, and what ε = 1 allows."""
    page = run("sensitivity.md")
    alarms = np.linspace(0, 1, 401)
    figure, axes = plt.subplots(figsize=(4.6, 4.2))
    allowed = np.minimum(np.minimum(1, np.e * alarms), 1 - (1 - alarms) / np.e)
    axes.fill_between(alarms, alarms, allowed, color=GREY, alpha=0.25, lw=0, label="what ε = 1 allows")
    # more releases than on the page, so that what chance makes of the curve is not seen
    private = [[page["private"](x, seed) for seed in range(k, 20_000, 2)] for k, x in enumerate(page["records"])]
    private = [page["score"](page["coordinates"](np.array(values))) for values in private]
    curves = ((page["scores"], RED, "naive, 2r/n"), (private, BLUE, "karcher, 2·tan(r)/n"))
    for (first, second), color, label in curves:
        thresholds = np.quantile(first, 1 - alarms)
        axes.plot(alarms, [np.mean(second > t) for t in thresholds], color=color, lw=1.8, label=label)
    axes.plot(alarms, alarms, color="black", lw=0.8, ls=":", label="a coin")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarms", ylabel="hits")
    axes.set_aspect("equal")
    axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    axes.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    save(figure, "sensitivity.svg")


phase()
low_bits()
fitted_radius()
sensitivity()
