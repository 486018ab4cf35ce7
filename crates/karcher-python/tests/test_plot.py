"""The pictures: all marks have the right size."""

import io

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


def overlap(a, b):
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1


def drawn_release(epsilon=1.0, at=(0.6, -0.48, 0.64)):
    x = np.tile(at, (1000, 1))
    return PrivateFrechetMean("sphere:2", 0.8, [0.0, -0.6, 0.8], epsilon=epsilon, random_state=0).fit(x).release_


def test_the_camera_is_above_the_mean():
    release = drawn_release()
    ax = plot.sphere_mean(release)
    elevation, azimuth = np.radians([ax.elev, ax.azim])
    camera = [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    np.testing.assert_allclose(camera, release.value, atol=1e-12)
    ax.view_init(elev=10.0, azim=20.0)
    plot.sphere_mean(drawn_release(at=(0.0, -0.6, 0.8)), ax=ax)
    assert (ax.elev, ax.azim) == (10.0, 20.0)  # a second picture does not turn the first


@pytest.mark.parametrize("epsilon", [0.02, 1.0, 1000.0])
def test_the_circle_of_95_percent_is_seen_at_every_size(epsilon):
    release = drawn_release(epsilon)
    ax = plot.sphere_mean(release)
    radius = plot.noise(release).quantile_95
    ax.figure.canvas.draw()
    assert bool(ax.child_axes) == (radius < 0.25)
    for near in ax.child_axes:
        circle, value = near.get_lines()[:2]
        np.testing.assert_allclose(np.hypot(*circle.get_data()), radius)
        # azimuthal equidistant: the distance of the value is its distance on the sphere
        off = np.hypot(*np.ravel(value.get_data()))
        np.testing.assert_allclose(off, Sphere(2).dist(release.noisy_value, release.value), atol=1e-12)
        box, window = circle.get_window_extent(), near.get_window_extent()
        assert 0.2 < box.width / window.width < 0.9 and abs(box.width - box.height) < 1.0
        assert window.x1 <= near.figure.bbox.x1 and not overlap(window, ax.get_legend().get_window_extent())


def test_a_close_up_at_the_pole_is_one():
    release = drawn_release(at=(0.0, 0.0, 1.0))
    release = plot.sphere_mean(release).child_axes[0].get_lines()[0]
    assert np.isfinite(release.get_xydata()).all()


def test_legends_hide_nothing():
    sphere = plot.sphere_mean(drawn_release())
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    mean = PrivateFrechetMean(Kendall(4), 0.3, square, epsilon=1.0).fit(np.tile(square, (200, 1, 1)))
    shape = plot.shape(mean.release_)
    curves = plot.utility("sphere:2", 0.9, 1000, [0.1, 1.0])
    for ax in (sphere, shape, curves):
        ax.figure.canvas.draw()
        legend = ax.get_legend().get_window_extent()
        assert legend.x1 <= ax.figure.bbox.x1 and legend.y1 <= ax.figure.bbox.y1, "it is cut off"
        drawn = [*ax.get_lines(), *ax.collections]
        boxes = [artist.get_window_extent() for artist in drawn if artist is not None and ax is not sphere]
        if ax is sphere:
            from mpl_toolkits.mplot3d import proj3d

            points = Sphere(2).random_point(500, center=[0.0, 0.0, 1.0], scale=10.0, random_state=0)
            places = np.array([proj3d.proj_transform(*p, ax.get_proj())[:2] for p in points])
            places = ax.transData.transform(places)
            assert not legend.count_contains(places) and np.ptp(places[:, 0]) > 200
        assert not any(overlap(legend, box) for box in boxes if np.isfinite(box.get_points()).all())


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
    ax = plot.shape(releases[0])
    ax.figure.canvas.draw()
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


@pytest.mark.parametrize("epsilon", [0.1, 100.0])
def test_coastlines_are_shown_of_latitudes_and_longitudes_on_the_near_side(epsilon):
    table, layout = cities()
    center = Sphere(2).read([25.0, 40.0], "latlon")
    mean = PrivateFrechetMean(Sphere(2), 0.8, center, epsilon=epsilon, random_state=0)
    release = mean.fit(table, columns=["lat", "lon"], layout=layout).release_
    assert release.layout == "latlon"
    assert karcher.Release.from_json(release.to_json()) == release
    ax = plot.sphere_mean(release)
    (coast,) = [line for line in ax.get_lines() if line.get_label() == "_coastlines"]
    places = np.array(coast.get_data_3d()).T
    gaps = np.isnan(places[:, 0])
    assert gaps.sum() > 50 and len(places) > 500
    np.testing.assert_allclose(np.linalg.norm(places[~gaps], axis=1), 1.0)
    assert (places[~gaps] @ release.value >= -1e-12).all()
    # they come to the horizon
    assert (np.abs(places[~gaps] @ release.value) < 1e-12).sum() > 5
    ax.figure.canvas.draw()


def test_directions_have_no_coastlines_unless_they_are_called_places():
    release = drawn_release()
    labels = [line.get_label() for line in plot.sphere_mean(release).get_lines()]
    assert release.layout is None and "_coastlines" not in labels
    labels = [line.get_label() for line in plot.sphere_mean(release, coastlines=True).get_lines()]
    assert "_coastlines" in labels


def test_a_picture_of_the_report_shows_coastlines_of_places_alone():
    table, layout = cities()
    mean = PrivateFrechetMean(Sphere(2), 0.8, Sphere(2).read([25.0, 40.0], "latlon"), epsilon=1.0)
    page = karcher.report(mean.fit(table, columns=["lat", "lon"], layout=layout).release_)
    assert 'class="coast"' in page
    assert 'class="coast"' not in karcher.report(drawn_release())


def test_curves_of_a_plan_go_through_the_plan_and_fall():
    over_n, over_budget = plot.plan_curves("sphere:2", 0.9, 1000, epsilon=1.0, delta=1e-6)
    expected = karcher.plan("sphere:2", 0.9, 1000, epsilon=1.0, delta=1e-6)
    for ax, planned in ((over_n, 1000), (over_budget, 1.0)):
        curves = {line.get_label(): line for line in ax.get_lines()}
        assert set(curves["_planned"].get_xdata()) == {planned}
        for name in ("laplace", "gaussian", "chart"):
            x, error = curves[name].get_data()
            assert (np.diff(error) < 0).all() and len(x) == 13
            np.testing.assert_allclose(x[6], planned)
            np.testing.assert_allclose(error[6], expected[name].expected_distance, rtol=1e-9)
        assert len(ax.collections) == len(curves) - 1  # a band each
    with pytest.raises(errors.Error, match="one budget"):
        plot.plan_curves("sphere:2", 0.9, 1000)
    over_n.figure.canvas.draw()


@pytest.mark.parametrize(("dim", "law"), [(20, "laplace"), (2, "laplace")])
def test_the_noise_of_a_confidential_number_has_the_law_of_its_draw(dim, law):
    mean = PrivateFrechetMean(f"euclidean:{dim}", 1.0, epsilon=1.0, delta=1e-6, adjacency="add-remove", n_guess=200,
                              mechanism="chart", random_state=0)  # fmt: skip
    release = mean.fit(np.zeros((200, dim))).release_
    assert release.noise[0].law == law and (release.guarantee.delta is None) == (dim == 2)
    assert plot._joint_noise(release, 200, 200.0).mechanism == law


def lines_of(ax, style):
    lines = (line for line in ax.get_lines() if "95 %" in line.get_label() and line.get_linestyle() == style)
    return [np.array(line.get_data()).T for line in lines]


def from_net(points):
    """The lower hemisphere's points that the equal-area net shows there."""
    east, north = points.T
    square = east**2 + north**2
    scale = np.sqrt(2.0 - square)
    return np.stack([scale * north, scale * east, 1.0 - square], axis=1)


@pytest.mark.parametrize("inclination", [45.0, 2.0, -45.0])
def test_the_net_shows_the_cone_on_both_hemispheres(inclination):
    """Every point of the line is at the distance α95 of the mean, full below and broken above."""
    directions = np.random.default_rng(0).normal([40.0, inclination], 8.0, size=(200, 2))
    found = karcher.directional.fisher_statistics(directions, epsilon=1.0, random_state=1)
    ax = plot.stereonet(found.release, points=Sphere(2).read(directions, "declination-inclination"))
    below, above = (np.concatenate([from_net(line) for line in lines_of(ax, style)] or [np.zeros((0, 3))])
                    for style in ("-", "--"))  # fmt: skip
    assert bool(len(below)) == (inclination > 0) and bool(len(above)) == (inclination < 30)
    seen = np.concatenate([below, above * [1.0, 1.0, -1.0]])
    np.testing.assert_allclose(np.degrees(Sphere(2).dist(found.release.value, seen)), found.alpha95, rtol=0.02)
    marks = [np.array(marks.get_offsets()) for marks in ax.collections if "private mean" in marks.get_label()]
    mean = found.release.value * [1.0, 1.0, np.sign(found.release.value[2])]
    np.testing.assert_allclose(from_net(marks[0])[0], mean, atol=1e-9)
    ax.figure.canvas.draw()


def test_the_net_shows_axes_on_the_lower_hemisphere():
    axes = np.abs(np.random.default_rng(0).normal([40.0, 3.0], 6.0, size=(300, 2)))
    found = karcher.directional.axial_statistics(axes, epsilon=1.0, random_state=1)
    ax = plot.stereonet(found.release)
    assert not lines_of(ax, "--")
    shown = from_net(np.concatenate(lines_of(ax, "-")))
    distance = karcher.Projective(2).dist(found.release.value, shown)
    np.testing.assert_allclose(np.degrees(distance), found.alpha95, rtol=0.02)


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


def test_pictures_of_extrinsic_means_refuse_others():
    with pytest.raises(errors.Error, match="stereonet draws extrinsic means on sphere:2 or projective:2"):
        plot.stereonet(drawn_release())
    found = karcher.directional.circular_mean(np.linspace(0.0, 1.0, 100), epsilon=1.0)
    with pytest.raises(errors.Error, match="stereonet draws"):
        plot.stereonet(found.release)
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


def test_a_release_whose_noise_has_no_formula_is_refused_with_what_shows_it():
    headings = karcher.Sphere(2).random_point(500, center=[0, 0, 1], scale=0.2, random_state=0)
    median = karcher.PrivateGeometricMedian("sphere:2", radius=0.8, center=[0, 0, 1], epsilon=1.0).fit(headings)
    with pytest.raises(karcher.Error, match=r"the law of median-flow has no formula: karcher.report\(release\)"):
        median.release_.plot()
