"""Directions on the sphere: a private mean direction, and what a budget buys.

Notebook-style: every ``# %%`` starts a cell. Synthetic headings of migrating birds, as (latitude, longitude) of the
point of the sky that they fly towards.
"""

# %% One direction an animal, in degrees, and as unit vectors.
import numpy as np

import karcher

rng = np.random.default_rng(3)
latitude = 20 + 12 * rng.normal(size=500)
longitude = -140 + 18 * rng.normal(size=500)


def unit_vectors(latitude, longitude):
    phi, lam = np.radians(latitude), np.radians(longitude)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=-1)


def degrees(x):
    return np.degrees(np.arcsin(x[..., 2])), np.degrees(np.arctan2(x[..., 1], x[..., 0]))


headings = unit_vectors(latitude, longitude)

# %% Public: they fly south-west in autumn, so a ball of 50° about 15° above the horizon at 225° east (that is -135°)
# will hold most.
sphere = karcher.Sphere(2)
center, radius = unit_vectors(15.0, -135.0), np.radians(50)

# %% How far may one animal move the mean, and what noise hides that?
sensitivity = karcher.sensitivity(sphere, radius, len(headings))
noise = karcher.calibrate(sphere, sensitivity.value, mechanism="laplace", epsilon=0.5)
print(f"sensitivity {np.degrees(sensitivity.value):.3f}°, noise {np.degrees(noise.expected_distance):.3f}° on average")

# %% The release.
mean = karcher.PrivateFrechetMean(sphere, radius, center, epsilon=0.5, mechanism="laplace").fit(headings)
release = mean.release_
print("private mean heading: latitude {:.2f}°, longitude {:.2f}°".format(*degrees(release.value)))

# %% The same noise in other words: what it is worth as (ε, δ).
profile = karcher.profile(sphere, sensitivity.value, noise.scale, [0.1, 0.2, 0.4])
pairs = [f"({e:g}, {d:.1e})" for e, d in zip(profile.epsilon, profile.delta)]
print("also (ε, δ) for Gaussian noise of this scale:", pairs)

# %% For this demonstration alone.
truth = karcher.FrechetMean(sphere).fit(headings).estimate_
print("without privacy:      latitude {:.2f}°, longitude {:.2f}°".format(*degrees(truth)))
# eleven times the expected error: fails once in ten million runs
assert sphere.dist(truth, release.value) < np.radians(12)

# %% A picture: the mean with its region of 95 %.
release.plot()

# %% The error that other budgets, or other numbers of animals, would leave.
picture = karcher.plan(sphere, radius, n=len(headings), epsilon=0.5, delta=1e-6).plot()
picture
