"""Pictures: those of the command to the last byte, for every statistic and kind of space, and their files."""

import json
import xml.etree.ElementTree as ElementTree

import karcher
import numpy as np
import pytest
from karcher import errors, plot

RNG = np.random.default_rng(0)
HEADINGS = karcher.Sphere(2).random_point(500, center=[0.0, 0.0, 1.0], scale=0.1, random_state=0)
DEGREES = {"lat": 30.0 + RNG.normal(size=500), "lon": 31.0 + RNG.normal(size=500)}
DAYS = RNG.dirichlet([13.6, 10.4, 14.8], size=500)
AT = {"radius": 0.8, "center": [0.0, 0.0, 1.0]}
LINE = np.linspace(0.0, 1.0, 500)


def mean(manifold, **options):
    space = karcher.manifold(manifold)
    return karcher.PrivateFrechetMean(space, 0.5, "origin", epsilon=5.0, **options).fit([space.origin] * 500).release_


def of_table(names, columns, manifold, layout=None, **options):
    table = pytest.importorskip("pyarrow").table(dict(zip(names, columns)))
    options = {"epsilon": 1.0, "radius": 0.8, "center": "origin", **options}
    return karcher.PrivateFrechetMean(manifold, **options).fit(table, columns=list(names), layout=layout).release_


def collected():
    return karcher.collect([karcher.randomize(x, "sphere:2", **AT, epsilon=8.0) for x in HEADINGS[:50]])


RELEASES = {
    "mean": lambda: karcher.PrivateFrechetMean("sphere:2", **AT, epsilon=1.0, spread=True).fit(HEADINGS).release_,
    "places": lambda: of_table(DEGREES, DEGREES.values(), "sphere:2", "latlon"),
    "parts": lambda: of_table(["sleep", "work", "leisure"], DAYS.T, "simplex-aitchison:3"),
    "extrinsic": lambda: karcher.PrivateFrechetMean("sphere:2", epsilon=1.0).fit(HEADINGS).release_,
    "axes": lambda: karcher.PrivateFrechetMean("projective:2", epsilon=1.0).fit(HEADINGS).release_,
    "median": lambda: karcher.PrivateGeometricMedian("sphere:2", **AT, epsilon=1.0).fit(HEADINGS).release_,
    "ball": lambda: karcher.PrivateBall("sphere:2", mu=2.0).fit(HEADINGS).release_,
    "components": lambda: karcher.PrivateTangentPCA("euclidean:2", radius=1.0, mu=1.0).fit(HEADINGS[:, :2]).release_,
    "regression": lambda: karcher.PrivateGeodesicRegression(
        "sphere:2", **AT, predictor_range=(0, 1), slope_bound=1.0, epsilon=1.0
    ).fit(LINE, HEADINGS).release_,
    "bands": lambda: karcher.PrivateFeatureRegression(
        "euclidean:1", features=["linear:age:0:1"], radius=1.0, mu=1.0
    ).fit({"age": LINE}, HEADINGS[:, :1]).release_,
    "effects": lambda: karcher.PrivateFeatureRegression(
        "euclidean:3", features=["linear:age:0:1"], radius=2.0, mu=1.0
    ).fit({"age": LINE}, HEADINGS).release_,
    "collected": collected,
    **{
        space: lambda space=space: mean(space)
        for space in (
            "euclidean:1", "euclidean:3", "hyperbolic:2", "torus:2", "torus:3", "sphere:1", "kendall:5",
            "landmarks:4,3", "spd-affine-invariant:3", "spd-log-euclidean:5", "hpd-log-euclidean:3",
            "correlation-off-log:3", "simplex-fisher-rao:4",
        )
    },
}  # fmt: skip


def marks(picture, kind):
    return [mark for mark in ElementTree.fromstring(picture.svg).iter() if mark.get("class") == kind]


@pytest.mark.parametrize("kind", RELEASES)
def test_a_picture_is_that_of_the_command(kind, tmp_path, command):
    release = RELEASES[kind]()
    (tmp_path / "release.json").write_text(release.to_json(), encoding="utf-8")
    command("plot", "release.json", "--output", "picture.svg")
    picture = plot.release(release)
    assert picture.svg.encode() == (tmp_path / "picture.svg").read_bytes()
    assert picture.svg.startswith("<svg") and picture.title.startswith("Private ")
    if kind != "collected":
        assert release.plot().svg == picture.svg


def test_a_net_is_that_of_the_command(tmp_path, command):
    release = RELEASES["mean"]()
    (tmp_path / "release.json").write_text(release.to_json(), encoding="utf-8")
    command("plot", "release.json", "--stereonet", "--output", "net.svg")
    net = plot.stereonet(release)
    assert net.svg.encode() == (tmp_path / "net.svg").read_bytes() and net.svg != release.plot().svg
    more = plot.stereonet(release, points=HEADINGS[:7])
    assert len(marks(more, "public")) >= 7 and not marks(net, "public")  # a close-up shows some again
    with pytest.raises(errors.Error, match="a stereonet shows releases on sphere:2 and projective:2"):
        plot.stereonet(RELEASES["torus:2"]())
    with pytest.raises(errors.Error, match="a public point"):
        plot.stereonet(release, points=[[1.0, 1.0, 1.0]])


def test_files_are_those_of_the_command_and_are_replaced_on_request_alone(tmp_path, command):
    release = RELEASES["mean"]()
    (tmp_path / "release.json").write_text(release.to_json(), encoding="utf-8")
    for name in ("picture.svg", "picture.png"):
        command("plot", "release.json", "--output", f"of-command-{name}")
        release.plot().save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == (tmp_path / f"of-command-{name}").read_bytes()
        with pytest.raises(errors.Error, match="which exists"):
            release.plot().save(tmp_path / name)
        release.plot().save(str(tmp_path / name), force=True)
    with pytest.raises(errors.Error, match=r"must end in \.svg or \.png"):
        release.plot().save(tmp_path / "picture.pdf")
    with pytest.raises(errors.Error, match="cannot be written"):
        release.plot().save(tmp_path / "nowhere" / "picture.svg")


def test_a_notebook_shows_the_file_and_its_words():
    picture = RELEASES["mean"]().plot()
    assert picture._repr_svg_() == picture.svg and repr(picture) == picture.title
    image = ElementTree.fromstring(picture._repr_html_().replace(">", "/>"))
    assert image.get("src").startswith("data:image/svg+xml") and image.get("alt").startswith(picture.title)


def test_curves_of_a_plan_show_its_mechanisms_and_go_through_it():
    plan = karcher.plan("sphere:2", radius=0.9, n=1000, epsilon=1.0, delta=1e-6)
    picture = plan.plot()
    assert picture.title.startswith("Planned Fréchet mean on sphere:2: n = 1000, ")
    known = [one for one in plan.candidates if one.reason is None and one.bias_bound is not None]
    assert len(known) > 3 and all(one.mechanism in picture.svg for one in known)
    # both panels have a dot for each, at equal heights, lower for smaller errors on a logarithmic axis
    heights = sorted(float(dot.get("cy")) for dot in marks(picture, "dot"))
    np.testing.assert_allclose(heights[::2], heights[1::2], atol=0.02)
    expected = sorted((one.expected_distance + one.bias_bound for one in known), reverse=True)
    steps, logs = np.diff(heights[::2]), -np.diff(np.log(expected))
    np.testing.assert_allclose(steps / steps.sum(), logs / logs.sum(), atol=0.01)


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": 1.0, "adjacency": "add-remove", "n_guess": 100, "radius": 0.5},
        {"mu": 1.0, "n": 200, "statistic": "extrinsic-mean"},
        {"mu": 1.0, "n": 200, "radius": 0.5, "statistic": "spread"},
        {"mu": 1.0, "n": 200, "radius": 0.5, "statistic": "variance"},
        {"error": 0.05, "radius": 0.5, "rho": 0.5},
    ],
    ids=str,
)
def test_every_plan_has_curves(asked):
    plan = karcher.plan("sphere:2", **asked)
    picture = plot.plan_curves(plan)
    assert f"= {plan.n}" in picture.title and len(marks(picture, "error")) >= 2
    of_estimator = karcher.PrivateFrechetMean("sphere:2", **AT, mu=1.0)
    assert "n = 300" in karcher.plan(of_estimator, n=300).plot().title


def test_parts_have_the_names_of_the_columns_that_were_chosen():
    release = RELEASES["parts"]()
    assert release.columns == ("sleep", "work", "leisure")
    assert set(release.columns) <= {mark.text.strip() for mark in marks(release.plot(), "text")}
    assert karcher.Release.from_json(release.to_json()) == release and karcher.verify(release).findings == ()
    assert mean("simplex-aitchison:3").columns == ()


def test_what_has_no_picture_says_what_has_one():
    variance = karcher.PrivateFrechetVariance("sphere:2", 0.5, [0, 0, 1], epsilon=1.0).fit(HEADINGS).release_
    with pytest.raises(errors.Error, match="has no picture: there are of means, medians, balls, regressions"):
        variance.plot()
    with pytest.raises(errors.Error, match="a count has no picture"):
        plot.release(karcher.PrivateCount(epsilon=1.0).fit(HEADINGS).release_)
    with pytest.raises(errors.Error, match=r"no pictures of means on sphere:3: there are of means on sphere:2"):
        mean("sphere:3").plot()
    with pytest.raises(errors.ArgumentTypeError, match="give a release"):
        plot.release(HEADINGS)
    with pytest.raises(errors.ArgumentTypeError, match="give what karcher.plan returns"):
        plot.plan_curves("sphere:2")


def test_a_picture_is_of_the_release_and_not_of_how_its_json_is_written():
    release = RELEASES["mean"]()
    other = json.dumps(json.loads(release.to_json()), indent=3, sort_keys=True)
    assert karcher.Release.from_json(other).plot().svg == release.plot().svg
