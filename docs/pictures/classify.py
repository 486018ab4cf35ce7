"""Draws the picture of the page about classes, from the table on it. Needs matplotlib.

    python docs/pictures/classify.py
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PAGE = HERE.parent / "how-to" / "classify.md"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})
BUDGETS = [0.1, 0.3, 1.0, 3.0]


def main():
    figure, axes = plt.subplots(figsize=(6.4, 3.0))
    for line in re.findall(r"^\| 768 .*$", PAGE.read_text(encoding="utf-8"), re.M):
        _, classes, records, *cells = (cell.strip() for cell in line.strip("| ").split("|"))
        scores = [float(cell.rstrip(" %")) for cell in cells[:6]]
        color = "#7570b3" if classes == "10" else "#d95f02"
        is_large = records == "100,000"
        name = f"{classes} classes, {records} records"
        axes.plot(BUDGETS, scores[:4], color=color, linestyle="-" if is_large else "--", marker="o", ms=4, label=name)
        if is_large:
            axes.axhline(scores[5], color=color, linewidth=0.8, linestyle=":", label=f"{classes} classes, no noise")
    axes.set_xscale("log")
    axes.set_xticks(BUDGETS, [f"{epsilon:g}" for epsilon in BUDGETS])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel("ε, with δ = 10⁻⁶")
    axes.set_ylabel("right, %")
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "classify.svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")


if __name__ == "__main__":
    main()
