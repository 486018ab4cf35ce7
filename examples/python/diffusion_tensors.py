"""Diffusion tensors: the private mean of one voxel over many subjects.

Notebook-style: every ``# %%`` starts a cell. Synthetic tensors stand for a cohort's, registered to a common atlas.
"""

# %% A cohort: one tensor a subject in the corpus callosum, in µm²/ms (that is 1000 times mm²/s), so numbers are about
# 1.
import numpy as np

import karcher

rng = np.random.default_rng(1)
space = karcher.SPD(3)
fiber = np.diag([1.7, 0.35, 0.3])
tensors = space.random_point(800, center=fiber, scale=0.25, random_state=1)

# %% What is known without the data: healthy tissue diffuses at about 0.7 µm²/ms, and fibres differ from that by
# a factor of about e in each direction.
center, radius = 0.7 * np.eye(3), 2.0

# %% What it will cost, before any of the budget is spent.
plan = karcher.plan(space, radius, n=len(tensors), epsilon=1.0)
error = plan[plan.best].expected_distance
print(f"{plan.best}: off by {error:.3f} on average (a factor e^that in an eigenvalue, at most)")

# %% The release. From here on only `release` may be shown to anybody.
release = karcher.PrivateFrechetMean(space, radius, center, epsilon=1.0).fit(tensors).release_
print(release.value.round(3))


# %% What clinicians read off a tensor is post-processing, and free.
def mean_diffusivity(tensor):
    return np.linalg.eigvalsh(tensor).mean()


def fractional_anisotropy(tensor):
    values = np.linalg.eigvalsh(tensor)
    return np.sqrt(1.5 * ((values - values.mean()) ** 2).sum() / (values**2).sum())


print(f"mean diffusivity {mean_diffusivity(release.value):.3f} µm²/ms")
print(f"fractional anisotropy {fractional_anisotropy(release.value):.3f}")

# %% For this demonstration alone: the mean that the release protects.
truth = karcher.FrechetMean(space).fit(tensors).estimate_
error = float(space.dist(truth, release.value))
print(f"without privacy {mean_diffusivity(truth):.3f} and {fractional_anisotropy(truth):.3f}; distance {error:.3f}")
assert error < 6 * release.expected_distance

# %% The private mean as an ellipsoid.
picture = release.plot()
picture
