"""A fishing fleet: its mean position and its way through the season, from one budget that a ledger keeps.

Notebook-style: every ``# %%`` starts a cell. The data are shipped: examples/vessels.csv, 400 made-up vessels.
"""

# %% One row a vessel: the day of its report, latitude and longitude.
import tempfile
from pathlib import Path

import numpy as np

import karcher

FILE = Path(__file__).parent.parent / "vessels.csv"
day, *degrees = np.loadtxt(FILE, delimiter=",", skiprows=1, unpack=True)
sphere = karcher.Sphere(2)
vessels = sphere.read(np.transpose(degrees), "latlon")

# %% Public, from a chart of the ocean: within 0.5 rad (3,200 km) of 50° N, 40° W; the season has 120 days, the fleet
# goes at most 0.6 rad in it, and vessels of one day are rarely 10° apart.
public = dict(manifold=sphere, radius=0.5, center=sphere.read([50.0, -40.0], "latlon"))
season = dict(predictor_range=(0, 120), slope_bound=0.6, residual_bound=np.radians(10))

# %% The total is fixed first, and the ledger is opened before the first answer. Squares of μ add up: 0.8² + 0.6² = 1.
with karcher.Ledger.new(Path(tempfile.mkdtemp()) / "fleet.db", data="fleet of 2026", mu=1.0):
    path = karcher.PrivateGeodesicRegression(**public, **season, mu=0.8).fit(day, vessels)
    mean = karcher.PrivateFrechetMean(**public, mu=0.6, spread=True).fit(vessels)
    try:
        mean.fit(vessels)
    except karcher.errors.BudgetError:
        print("a third answer is refused")

# %% What may be published.
position = sphere.write(mean.estimate_, "latlon")
spread = mean.release_.spread
print("mean {:.2f}° N, {:.2f}° W".format(position[0], -position[1]))
print(
    f"vessels are {np.degrees(spread.root_mean_square):.1f}° from it, "
    f"{spread.fraction_outside.value:.1%} outside the ball"
)
days = np.linspace(0, 120, 5)
way = sphere.write(path.predict(days), "latlon")
for d, (latitude, longitude) in zip(days, way):
    print(f"day {d:3.0f}: {latitude:.1f}° N, {-longitude:.1f}° W")

# %% The vessels are made up along a great circle from 44° N, 55° W to 62° N, 25° W, so here one may look.
truth = sphere.exp(
    sphere.read([44.0, -55.0], "latlon"),
    (days / 120)[:, np.newaxis] * sphere.log(*sphere.read([[44.0, -55.0], [62.0, -25.0]], "latlon")),
)
off = sphere.dist(truth, path.predict(days))
print(f"off by {6371 * off.max():.0f} km at most")
assert off.max() < np.radians(6)

# %% A map: the way, the mean with its 95 % circle, and the made-up vessels, which a publication would leave out.
try:
    import matplotlib.pyplot as plt

    line = np.array(sphere.write(path.predict(np.linspace(0, 120, 61)), "latlon"))
    turn = np.linspace(0, 2 * np.pi, 91)
    reach = np.degrees(mean.release_.region.radius)
    circle = position + reach * np.stack([np.sin(turn), np.cos(turn) / np.cos(np.radians(position[0]))], axis=1)
    fig, ax = plt.subplots(figsize=(5, 4))
    ax.plot(degrees[1], degrees[0], ".", color="0.7", ms=3, label="vessels (made up)")
    ax.plot(line[:, 1], line[:, 0], color="tab:blue", lw=2.5, label="private way through the season")
    ax.plot(circle[:, 1], circle[:, 0], color="tab:red", lw=1)
    ax.plot(position[1], position[0], "o", color="tab:red", label="private mean, 95 % circle")
    ax.set(xlabel="longitude", ylabel="latitude", aspect=1 / np.cos(np.radians(52)))
    ax.legend(frameon=False, loc="upper left", fontsize=8)
    plt.show()
except ImportError:
    print("no picture: pip install matplotlib")
