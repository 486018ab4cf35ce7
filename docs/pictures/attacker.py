"""Draws what an attacker can do at a given ε, and what a radius costs. Needs matplotlib, numpy and the command karcher.

    python docs/pictures/attacker.py target/release/karcher
"""

import json
import math
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
BLUE, RED, GREY = "#2b6cb0", "#c53030", "#718096"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def karcher(*options):
    run = subprocess.run([sys.argv[1], *map(str, options), "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def save(figure, name):
    figure.savefig(HERE / name, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)


def hits(false_alarms, epsilons, deltas):
    """The largest rate of hits that (ε, δ) for all these pairs allows: the dual of the privacy profile."""
    bounds = [np.minimum(1.0, math.exp(e) * false_alarms + d) for e, d in zip(epsilons, deltas)]
    bounds += [1 - math.exp(-e) * (1 - d - false_alarms) for e, d in zip(epsilons, deltas)]
    return np.clip(np.min(bounds, axis=0), 0, 1)


def roc():
    """Hits over false alarms: what pure ε allows at most, and what Laplace noise in the plane does."""
    figure, panels = plt.subplots(1, 3, figsize=(9.0, 3.6), sharey=True, layout="constrained")
    figure.get_layout_engine().set(wspace=0.06)
    rates = np.linspace(0, 1, 401)
    for axes, epsilon in zip(panels, (0.1, 1.0, 3.0)):
        budget = np.linspace(0, epsilon, 41)
        noise = ["profile", "--manifold", "euclidean:2", "--mechanism", "laplace", "--sensitivity", 1]
        noise += ["--scale", 1 / epsilon, "--epsilon", ",".join(f"{e:.6f}" for e in budget)]
        deltas = [row["delta"] for row in karcher(*noise)["profile"]]
        axes.fill_between(rates, rates, hits(rates, [epsilon], [0.0]), color=GREY, alpha=0.15, lw=0)
        axes.plot(rates, hits(rates, [epsilon], [0.0]), color=GREY, lw=1.2, label="any mechanism with this ε")
        axes.plot(rates, hits(rates, budget, deltas), color=BLUE, lw=1.8, label="Laplace noise in the plane")
        axes.plot(rates, rates, color="black", lw=0.8, ls=":", label="a coin")
        axes.set(title=f"ε = {epsilon:g}", xlim=(0, 1), ylim=(0, 1), xlabel="false alarms")
        axes.set_aspect("equal")
        axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
        axes.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("hits")
    figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    save(figure, "attacker-roc.svg")


def belief():
    """Belief after a release over belief before."""
    figure, axes = plt.subplots(figsize=(4.6, 4.2))
    before = np.linspace(0, 1, 201)
    for epsilon, color, alpha in ((3, GREY, 0.25), (1, BLUE, 0.3), (0.1, RED, 0.6)):
        after = [before * math.exp(e) / (1 - before + before * math.exp(e)) for e in (-epsilon, epsilon)]
        axes.fill_between(before, *after, color=color, alpha=alpha, lw=0, label=f"ε = {epsilon:g}")
    axes.plot(before, before, color="black", lw=0.8, ls=":")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="belief before the release", ylabel="belief after it")
    axes.set_aspect("equal")
    axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    axes.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    save(figure, "attacker-belief.svg")


def radius():
    """Noise and bias of a mean in the plane, over the radius of the ball."""
    rng = np.random.default_rng(1)
    records = rng.normal(size=(1000, 2)) + np.array([1.5, 0.0])
    radii = np.linspace(0.5, 10, 39)
    length = np.linalg.norm(records, axis=1)
    noise, bias = [], []
    for r in radii:
        plan = karcher("plan", "--manifold", "euclidean:2", "--n", 1000, "--radius", r, "--epsilon", 0.05)
        noise.append(min(m["expected_distance"] for m in plan["mechanisms"] if m.get("expected_distance")))
        clipped = records * np.minimum(1, r / length)[:, np.newaxis]
        bias.append(np.linalg.norm(clipped.mean(axis=0) - records.mean(axis=0)))
    noise, bias = np.array(noise), np.array(bias)
    figure, axes = plt.subplots(figsize=(6.0, 3.4))
    axes.plot(radii, noise, color=BLUE, lw=1.6, label="noise")
    axes.plot(radii, bias, color=RED, lw=1.6, label="what clipping does (bias)")
    axes.plot(radii, np.hypot(noise, bias), color="black", lw=1.2, ls="--", label="together")
    axes.set(xlabel="radius of the ball", ylabel="error of the mean", xlim=(0, 10), ylim=(0, 1.5))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    save(figure, "choose-radius.svg")


roc()
belief()
radius()
