"""The pictures: what they draw has the size it must have."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import karcher
from karcher import Kendall, PrivateFrechetMean, Sphere, errors, plot

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_sphere_shows_the_ball_and_the_noise():
    x = np.tile([0.6, 0.0, 0.8], (1000, 1))
    release = PrivateFrechetMean("sphere:2", 0.8, [0.0, 0.0, 1.0], epsilon=1.0).fit(x).release_
    ax = plot.sphere_mean(release)
    curves = {line.get_label(): np.array(line.get_data_3d()).T for line in ax.get_lines()}
    np.testing.assert_allclose(Sphere(2).dist(release.ball.center, curves["public ball"]), 0.8)
    assert release.mechanism == "chart"
    np.testing.assert_allclose(Sphere(2).dist(release.noisy_value, curves["95 %"]), plot.noise(release).quantile_95)
    ax.figure.canvas.draw()


def test_ellipsoid_has_the_eigenvalues_as_half_axes(monkeypatch):
    drawn = {}
    ax = plot.ellipsoid(np.eye(3))
    monkeypatch.setattr(ax, "plot_surface", lambda x, y, z, **_: drawn.update(points=np.stack([x, y, z], axis=-1)))
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    plot.ellipsoid(turn @ np.diag([3.0, 2.0, 1.0]) @ turn.T, center=[10.0, 0.0, 0.0], ax=ax)
    along = (drawn["points"] - [10.0, 0.0, 0.0]) @ turn
    np.testing.assert_allclose(np.abs(along).max(axis=(0, 1)), [3.0, 2.0, 1.0], rtol=0.01)
    # x'A⁻²x = 1 on the whole surface
    np.testing.assert_allclose(((along / [3.0, 2.0, 1.0]) ** 2).sum(axis=-1), 1.0)
    ax.figure.canvas.draw()
    with pytest.raises(errors.Error, match="must be"):
        plot.ellipsoid(np.eye(2))


@pytest.mark.parametrize("budget", [{"epsilon": 1.0}, {"mu": 0.3}, {"epsilon": 1.0, "delta": 1e-6}], ids=str)
@pytest.mark.parametrize("manifold", ["euclidean:2", "hyperbolic:2", "kendall:5", "spd-affine-invariant:2"])
def test_noise_of_a_chart_is_that_of_its_plan(manifold, budget):
    space = karcher.manifold(manifold)
    x = np.tile(space.origin, (50, *[1] * len(space.shape)))
    release = PrivateFrechetMean(space, 0.5, space.origin, mechanism="chart", **budget).fit(x).release_
    noise, planned = plot.noise(release), karcher.plan(space, 0.5, 50, **budget)["chart"]
    assert noise.guarantee == release.guarantee and noise.scale == release.scale == planned.scale
    np.testing.assert_allclose(noise[-3:], (planned.expected_distance, planned.median, planned.quantile_95), rtol=1e-12)
    flat = karcher.calibrate(f"euclidean:{space.dim}", 1.0, mechanism=noise.mechanism, scale=release.scale)
    assert release.expected_distance >= flat.expected_distance * (1 - 1e-9)
    assert noise.mechanism == "laplace" if "mu" not in budget and "delta" not in budget else "gaussian"


@pytest.mark.parametrize("mechanism", ["laplace", "chart", "karcher-flow"])
def test_shape_circles_hold_95_percent_of_the_noise(mechanism):
    space = Kendall(8)
    x = np.tile(space.origin, (2000, 1, 1))
    steps = 2 if mechanism == "karcher-flow" else None
    estimator = PrivateFrechetMean(space, 0.3, space.origin, mu=0.5, mechanism=mechanism, steps=steps)
    releases = [estimator.fit(x).release_ for _ in range(300)]
    radii = plot.landmark_radii(releases[0], 4000)
    z = space.origin @ [1, 1j]
    noisy = [release.value if release.noisy_value is None else release.noisy_value for release in releases]
    w = np.array(noisy) @ [1, 1j]
    product = w @ z.conj()
    off = np.abs(w * (product.conj() / np.abs(product))[:, np.newaxis] - z)
    inside = (off <= radii).mean()
    # 300 releases of 8 landmarks that depend on one another: a standard error below 0.0126
    assert abs(inside - 0.95) < 5 * 0.0126, inside
    ax = plot.shape(releases[0])
    ax.figure.canvas.draw()
    with pytest.raises(errors.Error, match="kendall:K"):
        plot.shape(PrivateFrechetMean("sphere:2", 0.5, epsilon=1.0).fit(np.tile([1.0, 0, 0], (9, 1))).release_)


def test_utility_falls_with_epsilon():
    ax = plot.utility("spd-log-euclidean:10", 1.0, 1000, [0.1, 1.0, 10.0], delta=1e-6)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    assert {"laplace", "gaussian"} <= set(lines) and all((np.diff(y) < 0).all() for y in lines.values())
    assert lines["laplace"][1] == karcher.plan("spd-log-euclidean:10", 1.0, 1000, epsilon=1.0)["laplace"].expected_distance
