"""Draws one small picture for each space. Needs matplotlib, numpy and the package karcher.

    python docs/pictures/spaces.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import karcher

HERE = Path(__file__).parent / "spaces"
BLUE, RED, GREY, LIGHT = "#2b6cb0", "#c53030", "#718096", "#cbd5e0"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "karcher", "font.family": "sans-serif", "font.size": 9})
TURN = np.linspace(0, 2 * np.pi, 181)
VIEW = karcher.Sphere(2).read([25.0, -50.0], "latlon")


def save(figure, name):
    HERE.mkdir(exist_ok=True)
    path = HERE / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)


def square(width=3.0, height=3.0):
    figure, axes = plt.subplots(figsize=(width, height))
    axes.set_aspect("equal")
    axes.axis("off")
    return figure, axes


def dots(axes, records, mean, ball=None):
    """Records, their mean and the edge of the ball, all in the plane of the picture."""
    if ball is not None:
        axes.fill(*ball, color=BLUE, alpha=0.10, lw=0)
        axes.plot(*ball, color=BLUE, lw=1)
    axes.plot(*records, "o", ms=3, color="black", alpha=0.7, mew=0)
    axes.plot(*mean, "o", ms=7, color=RED, mew=0)


def circle(space, center, radius):
    """Points at a distance from the center, along two orthonormal tangent vectors."""
    u, w = (space.log(center, near(space, center, v)) for v in ([0.0, 0.1, 0.0], [0.0, 0.0, 0.1]))
    u = u / space.norm(center, u)
    w = w - space.inner(center, u, w) * u
    w = w / space.norm(center, w)
    return space.exp(center, radius * (np.cos(TURN)[:, None] * u + np.sin(TURN)[:, None] * w))


def near(space, center, step):
    """A point near the center."""
    moved = center + np.array(step)[-len(center) :]
    if isinstance(space, karcher.Sphere):
        return moved / np.linalg.norm(moved)
    if isinstance(space, karcher.Hyperbolic):
        return np.r_[np.sqrt(1 + moved[1:] @ moved[1:]), moved[1:]]
    return moved


def mean_of(space, records):
    return karcher.FrechetMean(space).fit(records).estimate_


# The picture of a globe, from far above VIEW.
def flat(points):
    east = np.cross([0.0, 0.0, 1.0], VIEW)
    east /= np.linalg.norm(east)
    return np.stack([points @ east, points @ np.cross(VIEW, east)])


def globe(axes):
    axes.fill(np.cos(TURN), np.sin(TURN), color="#f7fafc", lw=0)
    axes.plot(np.cos(TURN), np.sin(TURN), color=GREY, lw=0.8)
    for latitude in range(-60, 90, 30):
        line = np.stack([np.full(181, latitude), np.degrees(TURN) - 180], axis=1)
        grid(axes, karcher.Sphere(2).read(line, "latlon"))
    for longitude in range(-180, 180, 30):
        line = np.stack([np.linspace(-90, 90, 181), np.full(181, longitude)], axis=1)
        grid(axes, karcher.Sphere(2).read(line, "latlon"))


def grid(axes, points):
    x, y = flat(points)
    x[points @ VIEW < 0] = np.nan
    axes.plot(x, y, color=LIGHT, lw=0.5)


def euclidean():
    space, (figure, axes) = karcher.Euclidean(2), square()
    records = space.random_point(40, center=[0.3, 0.2], scale=0.5, random_state=1)
    dots(axes, records.T, mean_of(space, records), circle(space, np.zeros(2), 1.0).T)
    save(figure, "euclidean")


def sphere():
    space, (figure, axes) = karcher.Sphere(2), square()
    globe(axes)
    center = space.read([35.0, -40.0], "latlon")
    records = space.random_point(40, center=center, scale=0.25, random_state=2)
    dots(axes, flat(records), flat(mean_of(space, records)), flat(circle(space, center, 0.6)))
    save(figure, "sphere")


def hyperbolic():
    space, (figure, axes) = karcher.Hyperbolic(2), square()
    axes.fill(np.cos(TURN), np.sin(TURN), color="#f7fafc", lw=0)
    axes.plot(np.cos(TURN), np.sin(TURN), color=GREY, lw=0.8)
    disc = lambda x: np.asarray(space.write(x, "poincare")).T
    for angle in np.arange(12) * np.pi / 6:
        far = space.read(0.995 * np.array([np.cos(angle), np.sin(angle)]), "poincare")
        other = space.read(0.995 * np.array([np.cos(angle + 2), np.sin(angle + 2)]), "poincare")
        axes.plot(*disc(space.exp(far, np.linspace(0, 1, 90)[:, None] * space.log(far, other))), color=LIGHT, lw=0.6)
    center = space.read([0.25, 0.2], "poincare")
    records = space.random_point(40, center=center, scale=0.6, random_state=3)
    dots(axes, disc(records), disc(mean_of(space, records)), disc(circle(space, center, 1.4)))
    save(figure, "hyperbolic")


def ellipse(axes, matrix, at, **style):
    values, vectors = np.linalg.eigh(matrix)
    x, y = vectors @ (values[:, None] * np.stack([np.cos(TURN), np.sin(TURN)]))
    axes.plot(x + at[0], y + at[1], **style)


def matrices(metric, name):
    space, (figure, axes) = karcher.SPD(2, metric=metric), square(4.6, 1.6)
    turn = np.array([[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]])
    a, b = np.diag([1.0, 0.12]), turn @ np.diag([1.0, 0.12]) @ turn.T
    for i, share in enumerate(np.linspace(0, 1, 7)):
        color = RED if i == 3 else BLUE if i in (0, 6) else GREY
        ellipse(axes, space.exp(a, share * space.log(a, b)), (2.1 * i, 0), color=color, lw=1.4)
    save(figure, name)


def kendall():
    space, (figure, axes) = karcher.Kendall(12), square()
    turn = np.arange(12) * np.pi / 6
    leaf = np.stack([2 * np.cos(turn), np.sin(turn) * (1.2 + 0.4 * np.cos(turn))], axis=-1)
    rng = np.random.default_rng(1)
    records = space.project(leaf + 0.12 * rng.normal(size=(15, 12, 2)))
    mean = space.project(leaf)
    for record in records:
        near = space.exp(mean, space.log(mean, record))
        axes.plot(*near[[*range(12), 0]].T, color=GREY, lw=0.5, alpha=0.6)
    axes.plot(*mean_of(space, records)[[*range(12), 0]].T, "o-", color=RED, lw=1.6, ms=3)
    save(figure, "kendall")


def landmarks():
    space, (figure, axes) = karcher.Landmarks(4, 3), square()
    corners = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.2]])
    rng = np.random.default_rng(9)
    turns = np.linalg.qr(rng.normal(size=(15, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    turned = (corners + 0.15 * rng.normal(size=(15, 4, 3))) @ turns
    records = space.project(karcher.align_landmarks(turned, corners))
    path = [0, 1, 2, 0, 3, 1, 2, 3]
    for record in records:
        axes.plot(*flat(record[path]), color=GREY, lw=0.5, alpha=0.6)
    axes.plot(*flat(mean_of(space, records)[path]), "o-", color=RED, lw=1.6, ms=3)
    save(figure, "landmarks")


def size_and_shape():
    space, (figure, axes) = karcher.SizeAndShape(3, 2), square()
    triangle = np.array([[0.0, 0.0], [3.0, 0.4], [0.8, 2.4]])
    rng = np.random.default_rng(10)
    sizes = rng.uniform(0.5, 1.5, size=(12, 1, 1))
    records = space.project(sizes * (triangle + 0.1 * rng.normal(size=(12, 3, 2))))
    for record in records:
        axes.plot(*record[[0, 1, 2, 0]].T, color=GREY, lw=0.6, alpha=0.7)
    axes.plot(*mean_of(space, records)[[0, 1, 2, 0]].T, "o-", color=RED, lw=1.6, ms=3)
    save(figure, "size-and-shape")


def projective():
    space, (figure, axes) = karcher.Projective(2), square()
    globe(axes)
    center = karcher.Sphere(2).read([45.0, -20.0], "latlon")
    for axis in space.random_point(14, center=center, scale=0.25, random_state=4):
        x, y = flat(np.stack([-axis, axis]))
        axes.plot(x, y, "o-", ms=2.5, color="black", lw=0.6, alpha=0.55, mew=0)
    x, y = flat(np.stack([-center, center]))
    axes.plot(x, y, "o-", ms=5, color=RED, lw=1.8, mew=0)
    save(figure, "projective")


def rotations():
    space, (figure, axes) = karcher.Rotations(3), square()
    records = space.random_point(12, center=space.origin, scale=0.25, random_state=5)

    def triad(x, **style):
        matrix = np.asarray(space.write(x, "matrices")).reshape(3, 3)
        for column, color in zip(matrix.T, (RED, "#2f855a", BLUE)):
            axes.plot(*np.stack([np.zeros(2), flat(column)], axis=1), color=color, **style)

    for record in records:
        triad(record, lw=0.8, alpha=0.5)
    triad(mean_of(space, records), lw=3.0)
    save(figure, "rotations")


def torus():
    space, (figure, axes) = karcher.Torus(2), square()
    center = np.array([-2.6, 0.6])
    records = space.exp(center, 0.5 * np.random.default_rng(6).normal(size=(40, 2)))
    axes.plot([-np.pi, np.pi, np.pi, -np.pi, -np.pi], [-np.pi, -np.pi, np.pi, np.pi, -np.pi], color=GREY, lw=0.8)
    edge = circle(space, center, 1.2).T.copy()
    edge[:, np.r_[False, np.abs(np.diff(edge[0])) > 1]] = np.nan
    axes.plot(*edge, color=BLUE, lw=1)
    dots(axes, records.T, mean_of(space, records))
    axes.annotate("opposite sides are one", (0, -np.pi), xytext=(0, -12), textcoords="offset points", ha="center")
    save(figure, "torus")


def grassmann():
    space, (figure, axes) = karcher.Grassmannian(3, 2), square()
    plane = np.linalg.qr(np.array([[1.0, 0.0], [0.2, 1.0], [0.5, 0.3]]))[0]
    records = space.random_point(10, center=plane, scale=0.2, random_state=7)
    ring = np.stack([np.cos(TURN), np.sin(TURN)])
    for basis in records:
        axes.plot(*flat((basis @ ring).T), color=GREY, lw=0.6, alpha=0.7)
    mean = flat((mean_of(space, records) @ ring).T)
    axes.fill(*mean, color=RED, alpha=0.15, lw=0)
    axes.plot(*mean, color=RED, lw=1.8)
    save(figure, "grassmann")


def products():
    space = karcher.Torus(1) * karcher.Euclidean(1)
    figure, axes = square()
    center = np.array([0.2, 1.5])
    rng = np.random.default_rng(8)
    records = space.exp(center, np.stack([0.5 * rng.normal(size=40), 0.3 * rng.normal(size=40)], axis=1))
    dial = lambda x: np.stack([x[..., 1] * np.sin(x[..., 0]), x[..., 1] * np.cos(x[..., 0])])
    for speed in (1, 2):
        axes.plot(speed * np.cos(TURN), speed * np.sin(TURN), color=LIGHT, lw=0.7)
    axes.plot(0, 0, "+", color=GREY)
    dots(axes, dial(records), dial(mean_of(space, records)), dial(circle(space, center, 0.9)))
    save(figure, "products")


for draw in (euclidean, sphere, hyperbolic, kendall, landmarks, size_and_shape, projective, rotations, torus, grassmann,
             products):
    draw()
matrices("log-euclidean", "spd-log-euclidean")
matrices("affine-invariant", "spd-affine-invariant")
