"""Draws the picture of the page about synthetic records: made-up records, and those drawn from releases of them. Needs
matplotlib and karcher.

    python docs/pictures/synthetic.py
"""

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import karcher

HERE = Path(__file__).parent
BLUE, RED = "#2b6cb0", "#c53030"
N = 2000
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def records():
    """Gaze in degrees: a bent band with two groups, and a few outliers."""
    rng = np.random.default_rng(0)
    group = rng.random(N) < 0.35
    azimuth = np.where(group, rng.normal(22, 5, N), rng.normal(-10, 9, N))
    elevation = 0.025 * azimuth**2 - 6 + rng.normal(0, 2, N)
    out = rng.random(N) < 0.01
    elevation[out] = rng.uniform(-35, -25, out.sum())
    return np.column_stack([elevation, azimuth]), group


def around_zero(azimuth):
    """Angles from −180 to 180."""
    return (azimuth + 180) % 360 - 180


def main():
    degrees, group = records()
    sphere = karcher.Sphere(2)
    points = sphere.read(degrees, "elevation-azimuth")
    options = {"radius": np.radians(45), "center": [1, 0, 0], "epsilon": 1.0, "random_state": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # noise that can be drawn again
        spread = karcher.PrivateFrechetMean(sphere, spread=True, **options).fit(points).release_
        components = karcher.PrivateTangentPCA(sphere, **options).fit(points).release_
        of_groups = [karcher.PrivateTangentPCA(sphere, **options).fit(points[group == g]).release_ for g in (0, 1)]
    panels = [("made-up records", degrees, "black")]
    releases = {"from the spread": spread, "from components": components, "from two groups": of_groups}
    for title, release in releases.items():
        made_up = karcher.synthesize(release, N, random_state=1).points
        panels.append((title, sphere.write(made_up, "elevation-azimuth"), BLUE))
    figure, all_axes = plt.subplots(1, 4, figsize=(10.0, 2.9), sharex=True, sharey=True, layout="constrained")
    for axes, (title, places, color) in zip(all_axes, panels):
        dots = {"s": 2, "lw": 0, "alpha": 0.5, "rasterized": True}
        axes.scatter(around_zero(places[:, 1]), places[:, 0], color=color, **dots)
        mean = karcher.FrechetMean(sphere).fit(sphere.read(places, "elevation-azimuth")).estimate_
        elevation, azimuth = sphere.write(mean, "elevation-azimuth")
        axes.plot(around_zero(azimuth), elevation, "+", color=RED, ms=9, mew=1.5)
        axes.set_title(title, fontsize=10)
        axes.set(xlim=(-60, 60), ylim=(-48, 48), aspect="equal", xlabel="azimuth")
        axes.set_xticks([-40, 0, 40], ["−40°", "0°", "40°"])
        axes.set_yticks([-40, 0, 40], ["−40°", "0°", "40°"])
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].set_ylabel("elevation")
    figure.savefig(HERE / "synthetic-records.svg", metadata={"Date": None}, facecolor="white", dpi=150)


if __name__ == "__main__":
    main()
