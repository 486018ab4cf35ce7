"""The pictures: all marks have the right size."""

import io
import re
from xml.etree import ElementTree

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


def overlap(a, b):
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1


def drawn_release(epsilon=1.0, at=(0.6, -0.48, 0.64)):
    x = np.tile(at, (1000, 1))
    return PrivateFrechetMean("sphere:2", 0.8, [0.0, -0.6, 0.8], epsilon=epsilon, random_state=0).fit(x).release_


@pytest.mark.parametrize("tensor", [[1.7, 0.4, 0.3], [1e-10, 2e-10, 1e-11], [1.0, 1.0, 1.0]], ids=str)
def test_ticks_of_an_ellipsoid_do_not_overlap(tensor):
    ax = plot.ellipsoid(np.diag(tensor))
    ax.figure.canvas.draw()
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        low, high = axis.get_view_interval()
        ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        assert 1 <= len(ticks) <= 6
    steps = [np.diff(axis.get_majorticklocs())[0] for axis in (ax.xaxis, ax.yaxis, ax.zaxis)]
    np.testing.assert_allclose(steps, steps[0])


@pytest.mark.parametrize("epsilon", [[0.5, 1.0, 1.5], [0.1, 1.0], [0.001, 1.0, 100.0]], ids=str)
def test_ticks_of_utility_are_plain_numbers_that_do_not_overlap(epsilon):
    ax = plot.utility("sphere:2", 0.9, 1000, epsilon)
    ax.figure.canvas.draw()
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        shown = [t for t in axis.get_major_ticks() if low <= t.get_loc() <= high and t.label1.get_text()]
        assert len(shown) >= 2 and all(float(t.label1.get_text()) == pytest.approx(t.get_loc()) for t in shown)
        boxes = [tick.label1.get_window_extent() for tick in shown]
        assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
        assert not any(tick.label1.get_text() for tick in axis.get_minor_ticks())


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
    assert len(marks(plot.shape(releases[0]), "region")) >= 8
    with pytest.raises(errors.Error, match="kendall:K"):
        mean = PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], epsilon=1.0)
        plot.shape(mean.fit(np.tile([1.0, 0, 0], (9, 1))).release_)


def test_utility_falls_with_epsilon():
    ax = plot.utility("spd-log-euclidean:10", 1.0, 1000, [0.1, 1.0, 10.0], delta=1e-6)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    assert {"laplace", "gaussian"} <= set(lines) and all((np.diff(y) < 0).all() for y in lines.values())
    plan = karcher.plan("spd-log-euclidean:10", 1.0, 1000, epsilon=1.0, delta=1e-6)
    assert lines["laplace"][1] == plan["laplace"].expected_distance


def cities(layout="latlon"):
    return pytest.importorskip("pyarrow").table({"lat": [30.0] * 1000, "lon": [31.0] * 1000}), layout


def test_a_picture_of_the_report_shows_coastlines_of_places_alone():
    table, layout = cities()
    mean = PrivateFrechetMean(Sphere(2), 0.8, Sphere(2).read([25.0, 40.0], "latlon"), epsilon=1.0)
    page = karcher.report(mean.fit(table, columns=["lat", "lon"], layout=layout).release_)
    assert 'class="coast"' in page
    assert 'class="coast"' not in karcher.report(drawn_release())


@pytest.mark.parametrize(("dim", "law"), [(20, "laplace"), (2, "laplace")])
def test_the_noise_of_a_confidential_number_has_the_law_of_its_draw(dim, law):
    mean = PrivateFrechetMean(f"euclidean:{dim}", 1.0, epsilon=1.0, delta=1e-6, adjacency="add-remove", n_guess=200,
                              mechanism="chart", random_state=0)  # fmt: skip
    release = mean.fit(np.zeros((200, dim))).release_
    assert release.noise[0].law == law and (release.guarantee.delta is None) == (dim == 2)
    assert plot._joint_noise(release, 200, 200.0).mechanism == law


def marks(picture, name):
    """The elements of a class."""
    return [one for one in ElementTree.fromstring(picture.svg).iter() if one.get("class") == name]


def from_net(x, y):
    """The point of the lower hemisphere that the equal-area net shows there: its middle and its radius are those of a
    map of the command, with room for letters."""
    east, north = (x - 254.0) * 1.14 / 230.0, (306.0 - y) * 1.14 / 230.0
    square = east**2 + north**2
    scale = np.sqrt(2.0 - square)
    return np.stack([scale * north, scale * east, 1.0 - square], axis=-1)


def lines_of(picture, dashed):
    """The places of the region in the first map, full or broken."""
    lines = [line for line in marks(picture, "region") if (line.get("stroke-dasharray") is not None) == dashed]
    numbers = [re.findall(r"-?[\d.]+", line.get("d")) for line in lines if line.get("d")]
    return [np.array(line, dtype=float).reshape(-1, 2) for line in numbers]


@pytest.mark.parametrize("inclination", [45.0, 2.0, -45.0])
def test_the_net_shows_the_cone_on_both_hemispheres(inclination):
    """Every point of the line is at the distance α95 of the mean, full below and broken above."""
    directions = np.random.default_rng(0).normal([40.0, inclination], 8.0, size=(20, 2))
    found = karcher.directional.fisher_statistics(directions, epsilon=1.0, random_state=1)
    picture = plot.stereonet(found.release, points=Sphere(2).read(directions, "declination-inclination"))
    below, above = (np.concatenate([from_net(*line.T) for line in lines_of(picture, dashed)] or [np.zeros((0, 3))])
                    for dashed in (False, True))  # fmt: skip
    seen = np.concatenate([below, above * [1.0, 1.0, -1.0]])
    assert len(seen) > 20 and len(marks(picture, "public")) >= 20
    np.testing.assert_allclose(np.degrees(Sphere(2).dist(found.release.value, seen)), found.alpha95, rtol=0.02)


def test_axes_are_on_the_lower_hemisphere():
    axes = np.abs(np.random.default_rng(0).normal([40.0, 3.0], 6.0, size=(300, 2)))
    found = karcher.directional.axial_statistics(axes, epsilon=1.0, random_state=1)
    assert not lines_of(plot.stereonet(found.release), True)


def test_pictures_are_those_of_the_report_and_can_be_kept(tmp_path):
    release = drawn_release()
    picture = release.plot()
    assert picture.svg.startswith("<svg") and "public ball, radius 0.8" in picture.words
    assert repr(picture) == picture.words and "data:image/svg+xml;charset=utf-8,%3Csvg" in picture._repr_html_()
    page = karcher.report(release)
    for name in ("ball", "region", "value"):
        for mark in marks(picture, name):
            place = mark.get("d") or f'cx="{mark.get("cx")}"'
            assert place in page
    path = tmp_path / "mean.svg"
    picture.save(path)
    assert path.read_text(encoding="utf-8") == picture.svg
    with pytest.raises(errors.Error, match="exists"):
        picture.save(path)
    picture.save(path, force=True)
    with pytest.raises(errors.Error, match=r"must end in \.svg"):
        picture.save(tmp_path / "mean.png")
    with pytest.raises(errors.ArgumentTypeError, match="what is drawn is a release"):
        plot.release(3)


def test_curves_of_a_plan_are_drawn_for_each_mechanism():
    picture = plot.plan_curves("sphere:2", 0.9, 1000, epsilon=1.0, delta=1e-6)
    planned = karcher.plan("sphere:2", 0.9, 1000, epsilon=1.0, delta=1e-6)
    known = [one for one in planned.candidates if one.expected_distance is not None and one.bias_bound is not None]
    assert len(marks(picture, "error")) == 2 * len(known) and len(marks(picture, "planned")) == 2
    assert all(one.mechanism in picture.words for one in known)
    with pytest.raises(errors.Error):
        plot.plan_curves("sphere:2", 0.9, 1000)


@pytest.mark.parametrize("axial", [False, True])
def test_the_rose_shows_the_mean_and_its_sector(axial):
    angles = np.random.default_rng(0).vonmises(1.0, 2.0, size=400) / (2.0 if axial else 1.0)
    found = karcher.directional.circular_mean(angles, axial=axial, epsilon=1.0, random_state=1)
    ax = plot.rose(found.release, angles=angles, compass=True)
    arrows = [line.get_data() for line in ax.get_lines()]
    assert len(arrows) == 1 + axial
    period = np.pi if axial else 2.0 * np.pi
    assert all(np.isclose(angle[1] % period, found.mean) for angle, _ in arrows)
    assert all(length[1] == found.mean_resultant_length for _, length in arrows)
    assert max(bar.get_height() for bar in ax.patches) == 1.0
    ax.figure.canvas.draw()


def test_pictures_of_directions_refuse_others():
    found = karcher.directional.circular_mean(np.linspace(0.0, 1.0, 100), epsilon=1.0)
    with pytest.raises(errors.Error, match="a stereonet shows releases on sphere:2 and projective:2"):
        plot.stereonet(found.release)
    with pytest.raises(errors.Error, match="a public point"):
        plot.stereonet(drawn_release(), points=[[1.0, 1.0, 1.0]])
    with pytest.raises(errors.Error, match="rose draws"):
        plot.rose(drawn_release())


@pytest.mark.parametrize("face", ["white", "none"])
def test_an_image_is_small_described_and_keeps_its_colors(face):
    figure = plt.figure(facecolor=face)
    figure.add_artist(matplotlib.patches.Rectangle((0.0, 0.0), 0.5, 1.0, color="#d62728"))
    ax = figure.add_axes((0.6, 0.2, 0.3, 0.6))
    shown = plot.image(ax, 'a "red" square')
    assert repr(shown) == shown.words and not plt.fignum_exists(figure.number)
    assert 'alt="a &quot;red&quot; square" src="data:image/png;base64,' in shown._repr_html_()
    pixels = plt.imread(io.BytesIO(shown.png), format="png")
    np.testing.assert_allclose(pixels[-20, 20], [0xD6 / 255, 0x27 / 255, 0x28 / 255, 1.0][: pixels.shape[2]], atol=0.02)
    assert pixels[2, -2].min() == (1.0 if face == "white" else 0.0)
    with pytest.raises(errors.Error, match="at most 256"):
        plot.image(plt.gca(), "words", colors=257)


def test_the_noise_of_a_median_has_no_formula_and_it_is_drawn():
    headings = karcher.Sphere(2).random_point(500, center=[0, 0, 1], scale=0.2, random_state=0)
    median = karcher.PrivateGeometricMedian("sphere:2", radius=0.8, center=[0, 0, 1], epsilon=1.0).fit(headings)
    with pytest.raises(karcher.Error, match=r"the law of median-flow has no formula: karcher.report\(release\)"):
        plot.noise(median.release_)
    assert "private median" in median.release_.plot().words
