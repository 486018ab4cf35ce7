"""Shapes over age: a private mean outline for each age group, and a private geodesic through the outlines of all ages.

Notebook-style: every ``# %%`` starts a cell. Synthetic outlines that grow slimmer with age stand for those of an
anatomical structure.
"""

# %% 30 landmarks on each of 3000 outlines; position, size and rotation of a drawing mean nothing.

import numpy as np

import karcher

rng = np.random.default_rng(5)
landmarks, people = 30, 3000
angle = 2 * np.pi * np.arange(landmarks) / landmarks
age = rng.uniform(20, 80, size=people)


def outline(age):
    height = 0.75 - 0.004 * (age - 20) + 0.02 * rng.normal()
    points = np.stack([np.cos(angle), height * np.sin(angle) + 0.15 * np.cos(2 * angle)], axis=1)
    points += 0.01 * rng.normal(size=points.shape)
    turn = rng.uniform(0, 2 * np.pi)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return rng.uniform(1, 5) * points @ rotation.T + rng.normal(size=2)


X = np.array([outline(a) for a in age])

# %% Public: a template from the textbook as center, and 0.25 rad as the reach of what counts as normal.
space = karcher.Kendall(landmarks)
template = space.project(np.stack([np.cos(angle), 0.6 * np.sin(angle) + 0.15 * np.cos(2 * angle)], axis=1))
radius = 0.25

# %% Ages are public here and shapes are not. Everybody is in one group, so each group gets the whole budget.
groups = [(20, 40), (40, 60), (60, 80)]
releases = []
for low, high in groups:
    members = X[(age >= low) & (age < high)]
    release = karcher.PrivateFrechetMean(space, radius, template, epsilon=2.0, delta=1e-6).fit(members).release_
    releases.append(release)
    print(
        f"{low}-{high}: {release.n} outlines, {release.mechanism}, expected error {release.expected_distance:.4f} rad"
    )


# %% Post-processing: how slim is each mean? The ratio of the principal half-axes.
def slimness(shape):
    least, largest = np.sqrt(np.linalg.eigvalsh(shape.T @ shape))
    return least / largest


for (low, high), release in zip(groups, releases):
    print(f"{low}-{high}: ratio of the axes {slimness(release.value):.3f}")
assert slimness(releases[0].value) > slimness(releases[2].value)

# %% One geodesic for all ages, which protects the ages too. Public as well: outlines change by less than 0.4 rad from
# 20 to 80, and those of one age are rarely 0.1 rad apart.
regression = karcher.PrivateGeodesicRegression(
    space, predictor_range=(20, 80), radius=radius, center=template, slope_bound=0.4, residual_bound=0.1,
    epsilon=2.0, delta=1e-6,
)  # fmt: skip
# A second release about the same people: what both promise together is reckoned below.
regression.fit(age, X)
geodesic = regression.release_
print(f"all: {geodesic.n} outlines, {geodesic.mechanism}, expected error {geodesic.expected_distance:.4f} rad")
for years, shape in zip((20, 50, 80), regression.predict([20, 50, 80])):
    print(f"at {years}: ratio of the axes {slimness(shape):.3f}")
assert slimness(regression.predict([20])[0]) > slimness(regression.predict([80])[0]) + 0.1

# %% What everybody in the data is promised for both analyses together.
print(karcher.compose(releases[0].guarantee, geodesic.guarantee))

# %% Without privacy, for comparison; this line would have to stay out of a publication.
line = karcher.GeodesicRegression(space).fit(age, X)
off = space.dist(line.predict(np.linspace(20, 80, 61)), regression.predict(np.linspace(20, 80, 61)))
print(f"the private geodesic is off by {np.sqrt(np.mean(off**2)):.4f} rad")
assert off.max() < 0.05

# %% The geodesic: outlines over the ages, each with its region.
geodesic.plot()

# %% The first mean, with the discs that hold the noise of its landmarks with probability 0.95.
picture = releases[0].plot()
picture
