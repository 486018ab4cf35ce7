"""Draws the guide's pictures. Needs matplotlib and numpy, and the command karcher.

    python docs/pictures/draw.py target/release/karcher
"""

import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import NormalDist

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
CITIES = HERE.parent.parent / "examples" / "cities.csv"
LAND = HERE.parent.parent / "crates" / "karcher-report" / "coastlines" / "land.txt"
LATITUDE, LONGITUDE, RADIUS = 25.0, 80.0, 0.9
BLUE, RED, GREY = "#2b6cb0", "#c53030", "#9aa5b1"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 10})


def karcher(*options):
    """What the command prints, as an object."""
    run = subprocess.run([sys.argv[1], *map(str, options), "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def plot(name, *options, budget=("--epsilon", 1)):
    """The picture that the command draws of a release."""
    command = [sys.argv[1], *map(str, options), *budget, "--seed", 1, "--plot", HERE / name, "--force"]
    subprocess.run([*map(str, command)], check=True, capture_output=True)


def save(figure, name):
    """Writes the picture, with two decimals of a pixel."""
    figure.savefig(HERE / name, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)
    text = (HERE / name).read_text(encoding="utf-8")
    rounded = re.sub(r"(?<=[ \"])-?\d+\.\d{3,}(?=[ \"])", lambda number: f"{float(number[0]):.2f}", text)
    (HERE / name).write_text(rounded, encoding="utf-8")


def unit(latitude, longitude):
    latitude, longitude = np.radians(latitude), np.radians(longitude)
    return np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=-1
    )


def around_center(points):
    """Azimuthal equidistant coordinates: distances and directions from the ball's center are true."""
    center, east = unit(LATITUDE, LONGITUDE), unit(0, LONGITUDE + 90)
    north = np.cross(center, east)
    x, y, z = points @ east, points @ north, points @ center
    across = np.hypot(x, y)
    stretch = np.arctan2(across, z) / np.where(across > 0, across, 1)
    return x * stretch, y * stretch


def cities():
    """The demo: records, the public ball, what clipping does, and 30 private means."""
    with open(CITIES, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    x, y = around_center(unit(*(np.array([float(r[k]) for r in rows]) for k in ("latitude", "longitude"))))
    demo = ["mean", CITIES, "--columns", "latitude,longitude", "--layout", "latlon", "--manifold", "sphere:2"]
    demo += ["--center", f"{LATITUDE},{LONGITUDE}", "--radius", RADIUS]
    private = [karcher(*demo, "--epsilon", 1, "--seed", seed)["value"] for seed in range(1, 31)]
    exact = karcher(*demo, "--epsilon", 1e9, "--seed", 0)["value"]

    figure, axes = plt.subplots(figsize=(7.0, 6.2))
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set(xlim=(-2.75, 1.75), ylim=(-2.2, 2.6))
    line = np.linspace(-180, 180, 181)
    for latitude in range(-60, 90, 30):
        graticule(axes, unit(np.full(181, latitude), line))
    for longitude in range(-180, 180, 30):
        graticule(axes, unit(line / 2, np.full(181, longitude)))
    coastlines(axes)
    axes.add_patch(plt.Circle((0, 0), RADIUS, color=BLUE, alpha=0.10, lw=0))
    axes.add_patch(plt.Circle((0, 0), RADIUS, fill=False, color=BLUE, lw=1.2))
    distance = np.hypot(x, y)
    outside = distance > RADIUS
    for a, b, d in zip(x[outside], y[outside], distance[outside]):
        axes.plot([a, a * RADIUS / d], [b, b * RADIUS / d], color=GREY, lw=0.4, zorder=1)
        axes.plot(a * RADIUS / d, b * RADIUS / d, "o", ms=2.6, mfc="white", mec=BLUE, mew=0.8, zorder=3)
    axes.plot(x, y, "o", ms=2.6, color="black", lw=0, label="city: one record")
    axes.plot([], [], "o", ms=2.6, mfc="white", mec=BLUE, mew=0.8, label="where clipping moves it")
    axes.plot(*around_center(np.array([exact])), "+", ms=16, mew=1.2, color=BLUE, label="mean of the clipped records")
    dots = {"ms": 4.5, "color": RED, "alpha": 0.75, "lw": 0}
    axes.plot(*around_center(np.array(private)), ".", **dots, label="private mean, 30 runs, ε = 1")
    names = {r["city"]: i for i, r in enumerate(rows)}
    named = ("Cairo", "Moscow", "Tokyo", "Jakarta", "London", "Lagos")
    named += ("São Paulo", "New York", "Mexico City", "Sydney", "Lima")
    labels_at = {"New York": ((-5, 0), "right"), "London": ((-4, 3), "right"), "Lagos": ((0, -10), "center")}
    for name in named:
        i = names[name]
        at, align = labels_at.get(name, ((4, 3), "left"))  # where other cities leave room
        axes.annotate(name, (x[i], y[i]), xytext=at, ha=align, textcoords="offset points", fontsize=8)
    axes.legend(loc="lower right", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
    save(figure, "cities.svg")


def releases():
    """Pictures of single releases, as the command draws them."""
    globe = ["--layout", "latlon", "--manifold", "sphere:2", "--columns", "latitude,longitude"]
    plot("mean-globe.svg", "mean", CITIES, *globe, "--center", f"{LATITUDE},{LONGITUDE}", "--radius", RADIUS)
    gaze = ["--layout", "elevation-azimuth", *globe[2:4], "--columns", "elevation,azimuth"]
    gaze += ["--center", "0,0", "--radius", "45deg", "--spread"]
    plot("tutorial-directions.svg", "mean", CITIES.with_name("gaze.csv"), *gaze)
    days = ["--predictor", "day", "--predictor-range", 0, 120, "--slope-bound", 0.6, "--residual-bound", "10deg"]
    vessels = [CITIES.with_name("vessels.csv"), *globe, "--center", "50,-40", "--radius", 0.5, *days]
    plot("regression-globe.svg", "regress", *vessels)
    plot("tutorial-budget.svg", "regress", *vessels, budget=("--mu", 0.8))
    angles = ["--manifold", "torus:2", "--layout", "degrees", "--center", "-60,-45", "--radius", "60deg"]
    plot("mean-torus.svg", "mean", CITIES.with_name("torsions.csv"), *angles)
    with tempfile.TemporaryDirectory() as folder:
        made_up(Path(folder))


def made_up(folder):
    """The same of shapes and matrices that are made up."""
    rng = np.random.default_rng(1)

    def mean(name, records, *options):
        np.save(folder / "records.npy", records)
        plot(name, "mean", folder / "records.npy", *options)

    turn = np.arange(12) * np.pi / 6
    leaf = np.stack([2 * np.cos(turn), np.sin(turn) * (1.2 + 0.4 * np.cos(turn))], axis=-1)
    np.save(folder / "template.npy", np.stack([2 * np.cos(turn), np.sin(turn)], axis=-1)[np.newaxis])
    leaves = leaf + 0.05 * rng.normal(size=(400, 12, 2))
    mean("mean-shape.svg", leaves, "--manifold", "kendall:12", "--center", folder / "template.npy", "--radius", 0.3)

    def like(matrix, n):
        factors = np.linalg.cholesky(matrix) @ (np.eye(len(matrix)) + 0.1 * rng.normal(size=(n, *matrix.shape)))
        return factors @ factors.transpose(0, 2, 1)

    tensor = np.array([[1.7, 0.4, 0.3], [0.4, 0.6, 0.1], [0.3, 0.1, 0.5]])
    options = ["--manifold", "spd-affine-invariant:3", "--center", "0.7*identity", "--radius", 1.5]
    mean("mean-ellipsoid.svg", like(tensor, 400), *options)
    near = np.exp(-np.abs(np.subtract.outer(np.arange(8), np.arange(8))) / 2.0)
    near[:4, 4:] *= -1
    near[4:, :4] *= -1
    options = ["--manifold", "spd-log-euclidean:8", "--center", "0.7*identity", "--radius", 4]
    mean("mean-matrix.svg", like(near, 5000), *options)


def hands():
    """The two class means of the EEG tutorial, from its made-up signals: shrunk, and recentered for each subject."""
    rng = np.random.default_rng(0)
    sources = rng.normal(size=(60, 2, 20, 4, 256))
    sources[:, 0, :, 0] *= 2.0
    sources[:, 1, :, 1] *= 2.0
    signals = (np.eye(4) + 0.4 * rng.normal(size=(60, 1, 1, 4, 4))) @ sources
    signals -= signals.mean(axis=3, keepdims=True)
    X = signals @ signals.swapaxes(3, 4)
    X = 0.7 * 4 * X / np.trace(X, axis1=3, axis2=4)[..., np.newaxis, np.newaxis] + 0.3 * np.eye(4)
    values, vectors = np.linalg.eigh(X)
    logs = (vectors * np.log(values)[..., np.newaxis, :]) @ vectors.swapaxes(3, 4)
    values, vectors = np.linalg.eigh(logs - logs.mean(axis=(1, 2), keepdims=True))
    X = (vectors * np.exp(values)[..., np.newaxis, :]) @ vectors.swapaxes(3, 4)
    names = ["C3", "C4", "FCz", "Pz"]
    figure, both = plt.subplots(1, 2, figsize=(6.4, 3.0))
    with tempfile.TemporaryDirectory() as folder:
        for i, (axes, hand) in enumerate(zip(both, ("left hand", "right hand"))):
            file = Path(folder) / f"{i}.csv"
            rows = np.column_stack([np.repeat(np.arange(60), 20), X[:, i].reshape(-1, 16)])
            np.savetxt(file, rows, delimiter=",", header="who," + ",".join(f"x{j}" for j in range(16)), comments="")
            options = ["--person", "who", "--manifold", "spd-log-euclidean:4", "--center", "origin", "--radius", 0.8]
            mean = np.reshape(karcher("mean", file, *options, "--mu", 0.7, "--seed", i + 1)["value"], (4, 4))
            axes.pcolormesh(mean[::-1], cmap="RdBu_r", vmin=-2, vmax=2, edgecolors="white", lw=1.5)
            for row, column in np.ndindex(4, 4):
                text = f"{mean[row, column]:.1f}".replace("-", "−")
                axes.text(column + 0.5, 3.5 - row, text, ha="center", va="center", fontsize=9)
            axes.set_xticks(np.arange(4) + 0.5, names)
            axes.set_yticks(np.arange(4) + 0.5, names[::-1])
            axes.tick_params(length=0)
            axes.set(title=hand, aspect="equal")
            axes.spines[:].set_visible(False)
    save(figure, "tutorial-eeg.svg")


def graticule(axes, points):
    axes.plot(*without_jumps(points), color=GREY, lw=0.3, alpha=0.5, zorder=0)


def coastlines(axes):
    """Land, in the places of the map that the picture shows."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    lines = []
    for line in LAND.read_text().splitlines()[1:]:
        x, y = without_jumps(unit(*np.array([place.split(",") for place in line.split()], dtype=float).T / 10))
        near = (x > left - 0.1) & (x < right + 0.1) & (y > low - 0.1) & (y < high + 0.1)
        x[~near] = np.nan
        lines.append(np.append([x, y], [[np.nan]] * 2, axis=1))
    axes.plot(*np.concatenate(lines, axis=1), color=GREY, lw=0.5, alpha=0.7, zorder=0.5)


def without_jumps(points):
    """A line on the map with a gap where it goes beyond the far side."""
    x, y = around_center(points)
    jump = np.hypot(np.diff(x), np.diff(y)) > 0.5
    x[1:][jump] = np.nan
    return x, y


def plan():
    """The curves that the command draws of a plan."""
    setting = ["--manifold", "sphere:2", "--n", 1000, "--radius", RADIUS, "--epsilon", 1, "--delta", 1e-6]
    command = [sys.argv[1], "plan", *map(str, setting), "--plot", str(HERE / "plan-curves.svg"), "--force"]
    subprocess.run(command, check=True, capture_output=True)


def sensitivity():
    """n·Δ of the four bounds on the sphere."""
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    radii = np.linspace(0.01, 1.55, 155)
    values = {}
    for r in radii:
        for bound, value in karcher("sensitivity", "--manifold", "sphere:2", "--radius", r, "--n", 1)["bounds"].items():
            values.setdefault(bound, []).append(np.nan if value is None else value)
    style = {
        "published": ("[S1] published", GREY, "-"),
        "averaged-hessian": ("[S2] averaged-hessian", "black", ":"),
        "sharp": ("[S3] sharp", BLUE, "--"),
        "optimal": ("[S4] optimal (default)", RED, "-"),
    }
    for bound, (label, color, line) in style.items():
        axes.plot(radii, values[bound], line, color=color, label=label, lw=1.8 if bound == "optimal" else 1.3)
    axes.plot(radii, 2 * radii, color=GREY, lw=0.8, ls="-.", label="flat space: 2r")
    axes.set(xlim=(0, np.pi / 2), ylim=(0, 10), xlabel="radius r of the ball, in radians", ylabel="n·Δ")
    axes.set_xticks([0, np.pi / 8, np.pi / 4, 3 * np.pi / 8, np.pi / 2], ["0", "π/8", "π/4", "3π/8", "π/2"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", fontsize=9)
    save(figure, "sensitivity.svg")


def mu():
    """mu of Gaussian noise over its scale, for a sensitivity of 1, on sphere, plane and hyperbolic plane."""
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    scales = np.geomspace(0.2, 10, 80)
    style = {
        "hyperbolic:2": ("hyperbolic:2", RED, "-"),
        "euclidean:2": ("euclidean:2: Δ/σ", "black", ":"),
        "sphere:2": ("sphere:2", BLUE, "-"),
        "sphere:1": ("sphere:1, the circle", BLUE, "--"),
    }
    for space, (label, color, line) in style.items():
        noise = ["profile", "--manifold", space, "--mechanism", "gaussian", "--sensitivity", 1]
        noise += ["--epsilon", 0, "--scale"]
        values = [karcher(*noise, scale)["guarantee"]["mu"] for scale in scales]
        axes.plot(scales, values, line, color=color, label=label, lw=1.6)
    least = 2 * NormalDist().inv_cdf(0.5 + math.asin(math.tanh(0.5)) / math.pi)
    axes.axhline(least, color=RED, lw=0.8, ls="-.", label="hyperbolic:2: not below for any σ")
    axes.set(xscale="log", yscale="log", xlim=(0.2, 10), ylim=(0.005, 6))
    axes.set(xlabel="scale σ of the noise, for Δ = 1", ylabel="μ")
    axes.set_xticks([0.2, 0.5, 1, 2, 5, 10], ["0.2", "0.5", "1", "2", "5", "10"])
    axes.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left", fontsize=9)
    save(figure, "mu.svg")


cities()
sensitivity()
mu()
hands()
releases()
plan()
