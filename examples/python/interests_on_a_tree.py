"""Interests on a tree: where in a hierarchy of topics are the readers, in the hyperbolic plane.

Notebook-style: every ``# %%`` starts a cell. The tree is public; what somebody reads is not.
"""

# %% A public tree with three children at each node, laid out in the Poincaré disc: a node is 1.4 farther out than its
# parent, and children share their parent's sector.

import numpy as np

import karcher

disc = karcher.Hyperbolic(2)
STEP, DEPTH = 1.4, 4


def nodes(depth=0, low=0.0, high=2 * np.pi, name=""):
    """Names such as 0.2.1, and places, of a node and what is below it."""
    radius, angle = np.tanh(STEP * depth / 2), (low + high) / 2
    yield name, radius * np.array([np.cos(angle), np.sin(angle)])
    if depth < DEPTH:
        third = (high - low) / 3
        for child in range(3):
            yield from nodes(depth + 1, low + child * third, low + (child + 1) * third, f"{name}.{child}".strip("."))


names, places = zip(*nodes())
tree = disc.read(np.array(places), "poincare")

# %% Two thousand readers of two magazines, each with one favourite leaf. The first is read by lovers of topic 0.1 and
# what is below it; the second by everybody.
rng = np.random.default_rng(4)
leaves = [i for i, name in enumerate(names) if name.count(".") == DEPTH - 1]
below = [i for i in leaves if names[i].startswith("0.1")]
readers = {
    "Topic": tree[np.where(rng.random(2000) < 0.9, rng.choice(below, 2000), rng.choice(leaves, 2000))],
    "General": tree[rng.choice(leaves, 2000)],
}

# %% Public: the tree ends at distance 5.6 from its root. Nothing else is needed, since that ball holds every leaf. The
# magazines have different readers.
releases = {}
for magazine, favourites in readers.items():
    mean = karcher.PrivateFrechetMean(disc, radius=STEP * DEPTH, epsilon=1.0).fit(favourites)
    release = releases[magazine] = mean.release_
    nearest = names[int(np.argmin(disc.dist(release.value, tree)))] or "the root"
    print(f"{magazine}: near {nearest}, {release.mechanism}, expected error {release.expected_distance:.3f}")

# %% The mean in the tree: readers of many topics meet near the root, those of one near its node.
depth = {magazine: float(disc.dist(disc.origin, release.value)) for magazine, release in releases.items()}
print({magazine: round(d, 2) for magazine, d in depth.items()})
assert depth["Topic"] > depth["General"] + 1

# %% For this demonstration alone.
for magazine, favourites in readers.items():
    truth = karcher.FrechetMean(disc).fit(favourites).estimate_
    off = float(disc.dist(truth, releases[magazine].value))
    print(f"{magazine}: off by {off:.3f}")
    assert off < 10 * releases[magazine].expected_distance

# %% The tree, and the two means.
try:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(4.5, 4.5))
    ax.add_patch(plt.Circle((0, 0), 1, fill=False, color="0.6"))
    at = dict(zip(names, tree))
    share = np.linspace(0, 1, 20)[:, np.newaxis]
    for name in filter(None, names):
        parent = name.rpartition(".")[0]
        way = disc.exp(at[parent], share * disc.log(at[parent], at[name]))
        ax.plot(*np.transpose(disc.write(way, "poincare")), color="0.75", lw=0.7)
    for (magazine, release), color in zip(releases.items(), ("tab:red", "tab:blue")):
        ax.plot(*disc.write(release.value, "poincare"), "o", color=color, label=magazine)
    ax.set_aspect("equal")
    ax.axis("off")
    ax.legend(frameon=False, loc="lower right")
    plt.show()
except ImportError:
    print("no picture: pip install matplotlib")
