"""Names of columns that contradict what records are read as: refused before anything is spent."""

import ast
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karcher
from karcher.classification import PrivateMDM

PLACES = pd.DataFrame({"lon": [14.4, 16.4], "lat": [50.1, 48.2]})
POSES = pd.DataFrame(np.eye(4)[[3, 3]], columns=["qx", "qy", "qz", "qw"])


def mean(manifold="sphere:2", center=(1, 0, 0), **options):
    center = list(center) if isinstance(center, tuple) else center
    return karcher.PrivateFrechetMean(manifold, 1.0, center, epsilon=1.0, **options)


@pytest.mark.parametrize("table", [PLACES, pl.from_pandas(PLACES)], ids=["pandas", "polars"])
def test_read_looks_at_the_names_of_columns(table):
    sphere = karcher.Sphere(2)
    with pytest.raises(karcher.Error, match=r"give x\[\['lat', 'lon'\]\], or trust_layout=True if the names are wrong"):
        sphere.read(table, "latlon")
    right = sphere.read(table[["lat", "lon"]], "latlon")
    assert np.allclose(right, sphere.read(PLACES[["lat", "lon"]].to_numpy(), "latlon"))
    trusted = sphere.read(table, "latlon", trust_layout=True)
    assert np.allclose(trusted, sphere.read(PLACES.to_numpy(), "latlon"))


def test_read_names_the_layout_that_is_right():
    planes = pd.DataFrame({"strike": [30.0], "dip": [60.0]})
    with pytest.raises(karcher.Error, match="give layout='strike-dip', or trust_layout=True"):
        karcher.Projective(2).read(planes, "trend-plunge")
    sky = pd.DataFrame({"RA_ICRS": [30.0], "DE_ICRS": [60.0]})
    with pytest.raises(karcher.Error, match="give layout='ra-dec'"):
        karcher.Sphere(2).read(sky, "latlon")
    with pytest.raises(karcher.Error, match="SciPy converts them"):
        karcher.Rotations(3).read(pd.DataFrame(np.zeros((1, 3)), columns=["roll", "pitch", "yaw"]), "rotation-vectors")


def test_a_column_that_is_missing_is_named_and_one_may_be_multiplied():
    with pytest.raises(karcher.Error, match="choose the column of latitude instead of elevation, or trust_layout=True"):
        karcher.Sphere(2).read(pd.DataFrame({"lon": [14.4], "elevation": [300.0]}), "latlon")
    stars = pd.DataFrame({"RAh": [2.5], "DEdeg": [30.0]})
    with pytest.raises(karcher.Error, match=r"give multiply_by=\{'RAh': 15\}, or trust_layout=True"):
        karcher.Sphere(2).read(stars, "ra-dec")
    degrees = karcher.Sphere(2).read([[37.5, 30.0]], "ra-dec")
    assert np.allclose(karcher.Sphere(2).read(stars, "ra-dec", multiply_by={"RAh": 15}), degrees)
    assert np.allclose(karcher.Sphere(2).read([[3750.0, 3000.0]], "ra-dec", multiply_by=0.01), degrees)
    with pytest.raises(karcher.Error, match="names the column ra: the columns are RAh, DEd"):
        karcher.Sphere(2).read(stars, "ra-dec", multiply_by={"ra": 15})
    with pytest.raises(karcher.Error, match="belongs to a DataFrame"):
        karcher.Sphere(2).read([[2.5, 30.0]], "ra-dec", multiply_by={"RAh": 15})
    with pytest.raises(karcher.Error, match="expected a finite number that is not 0"):
        karcher.Sphere(2).read(stars, "ra-dec", multiply_by=0)
    # a table has no factors
    with pytest.raises(karcher.Error, match="multiply by {'RAh': 15} before"):
        mean().fit(pa.Table.from_pandas(stars), layout="ra-dec")


def test_names_are_looked_at_before_the_center(tmp_path):
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\]"):
        mean(center=(5, 0, 0)).fit(PLACES, layout="latlon", columns=["lon", "lat"])


def test_landmark_files_are_read(tmp_path):
    path = tmp_path / "leaves.tps"
    path.write_text("LM=3\n0 0\n4 0\n0 3\nCURVES=1\nPOINTS=1\n9 9\nSCALE=0.5\nLM=3\n1 1\n-1 -1\n2 NA\nID=b\n")
    read = karcher.Kendall.read_tps(path)
    nan = np.nan
    np.testing.assert_array_equal(read, [[[0, 0], [2, 0], [0, 1.5]], [[1, 1], [nan, nan], [2, nan]]])
    named = tmp_path / "leaves.txt"
    named.write_text(path.read_text())
    np.testing.assert_array_equal(karcher.Kendall.read_tps(str(named)), read)
    assert karcher.PrivateFrechetMean("kendall:3", 0.2, read[0], epsilon=1.0).fit(read[:1]).release_.n == 1
    for text, words in (("LM3=1\n1 2 3\n", "landmarks in space"), ("LM=2\n1 2\n", "fewer points"), ("1 2\n", "LM=")):
        path.write_text(text)
        with pytest.raises(karcher.Error, match=words):
            karcher.Kendall.read_tps(path)
    with pytest.raises(karcher.Error, match="cannot read"):
        karcher.Kendall.read_tps(tmp_path / "none.tps")


def test_names_that_say_nothing_are_no_contradiction():
    for names in (["a", "b"], ["flat", "salon"], [0, 1], ["x1", "x2"]):
        karcher.Sphere(2).read(pd.DataFrame([[1.0, 2.0]], columns=names), "latlon")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_fit_refuses_a_table_before_anything_is_spent(kind, tmp_path):
    table = {"pandas": PLACES, "polars": pl.from_pandas(PLACES), "pyarrow": pa.Table.from_pandas(PLACES)}[kind]
    ledger = karcher.Ledger.new(tmp_path / "ledger.db", data="places", epsilon=1.0)
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\], or trust_layout=True"):
        mean(ledger=ledger).fit(table, layout="latlon")
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\]"):
        mean(ledger=ledger).fit(table, layout="latlon", columns=["lon", "lat"])
    assert not ledger.spent or all(value == 0 for value in ledger.spent.values())
    assert mean().fit(table, layout="latlon", columns=["lat", "lon"]).release_.n == 2
    assert mean().fit(table, layout="latlon", trust_layout=True).release_.n == 2


def test_fit_refuses_the_columns_of_a_data_frame_without_a_layout():
    rotations = {"manifold": "rotations:3", "center": (1, 0, 0, 0)}
    with pytest.raises(karcher.Error, match="give layout='quaternions-last', or trust_layout=True"):
        mean(**rotations).fit(POSES)
    with pytest.raises(karcher.Error, match="give layout='quaternions-last', or trust_layout=True"):
        mean(**rotations).fit(pa.Table.from_pandas(POSES))
    assert mean(**rotations).fit(POSES, layout="quaternions-last").release_.n == 2
    assert mean(**rotations).fit(POSES[["qw", "qx", "qy", "qz"]]).release_.n == 2
    assert mean(**rotations).fit(POSES, trust_layout=True).release_.n == 2


def test_operations_refuse_points_whose_columns_are_in_another_order():
    space = karcher.Rotations(3)
    for operation in (lambda q: space.dist(q, q), lambda q: space.log(q, q), space.project):
        with pytest.raises(karcher.Error, match=r"give manifold.read\((\w), 'quaternions-last'\), or \1\.to_numpy\(\)"):
            operation(POSES)
        operation(POSES[["qw", "qx", "qy", "qz"]])
        operation(POSES.to_numpy())
    with pytest.raises(karcher.Error, match="quaternions-last"):
        karcher.FrechetMean(space).fit(POSES)
    with pytest.raises(karcher.Error, match="quaternions-last"):
        karcher.randomize(POSES.iloc[0], space, radius=1.0, center=[1, 0, 0, 0], epsilon=1.0)


def test_lists_of_lists_are_looked_at():
    shapes = np.random.default_rng(0).normal(size=(4, 3, 2))
    kendall = {"manifold": "kendall:3", "center": shapes[0]}

    def table(records):
        n, rows, columns = records.shape
        inner = pa.FixedSizeListArray.from_arrays(pa.array(records.reshape(-1)), columns)
        return pa.table({"landmarks": pa.FixedSizeListArray.from_arrays(inner, rows)})

    blocked = table(shapes.swapaxes(1, 2).copy())
    with pytest.raises(karcher.Error, match=r"not \(n, 2, 3\): give layout='blocked', or trust_layout=True"):
        karcher.PrivateFrechetMean(radius=0.2, epsilon=1.0, **kendall).fit(blocked, layout="interleaved")
    for given, layout in ((table(shapes), "interleaved"), (blocked, "blocked")):
        release = karcher.PrivateFrechetMean(radius=0.2, epsilon=1.0, **kendall).fit(given, layout=layout).release_
        assert release.n == 4


def test_matrices_in_columns_are_looked_at():
    names = ["xx", "yy", "xy"]
    table = pd.DataFrame([[2.0, 0.9, 1.0]] * 4, columns=names).assign(label=["a", "a", "b", "b"])

    def fit(**options):
        classes = PrivateMDM(radius=3.0, center=np.eye(2), epsilon=1.0)
        return classes.fit(table, "label", columns=names, **options)

    with pytest.raises(karcher.Error, match="give layout='diagonal-first'"):
        fit(layout="upper-row")
    assert len(fit(layout="diagonal-first").classes_) == 2
    assert len(fit(layout="upper-row", trust_layout=True).classes_) == 2


def test_parts_of_a_cluster_are_looked_at():
    questions = []

    def ask(question):
        questions.append(question)
        return karcher.partial(PLACES, question, layout="latlon", trust_layout=True)

    assert mean().fit(karcher.Remote(ask)).release_.n == 2
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\], or trust_layout=True"):
        karcher.partial(PLACES, questions[0], layout="latlon")
    karcher.partial(PLACES, questions[0], layout="latlon", columns=["lat", "lon"])


def test_names_in_other_containers_are_looked_at():
    xarray = pytest.importorskip("xarray")
    rotations = {"manifold": "rotations:3", "center": (1, 0, 0, 0)}
    levels = POSES.set_axis(pd.MultiIndex.from_product([["pose"], ["x", "y", "z", "w"]]), axis=1)
    labelled = xarray.DataArray(POSES.to_numpy(), dims=("time", "part"), coords={"part": ["x", "y", "z", "w"]})
    for poses in (levels, labelled):
        with pytest.raises(karcher.Error, match="give layout='quaternions-last', or trust_layout=True"):
            mean(**rotations).fit(poses)
        assert mean(**rotations).fit(poses, trust_layout=True).release_.n == 2
    assert mean(**rotations).fit(labelled, layout="quaternions-last").release_.n == 2
    with pytest.raises(karcher.Error, match="manifold.read"):
        karcher.Rotations(3).dist(labelled, labelled)
    places = xarray.DataArray(PLACES.to_numpy(), dims=("n", "of"), coords={"of": ["lon", "lat"]})
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\]"):
        mean().fit(places, layout="latlon")
    with pytest.raises(karcher.Error, match=r"give x\[\['lat', 'lon'\]\]"):
        karcher.Sphere(2).read(places, "latlon")


def test_labelled_arrays_are_remembered_like_data_frames():
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(np.eye(2), dims=("n", "of"), coords={"of": ["a", "b"]})
    clusters = karcher.PrivateKMeans("euclidean:2", 2, 9.0, epsilon=9.0).fit(x)
    assert clusters.feature_names_in_.tolist() == ["a", "b"]
    assert clusters.predict(x.copy()).shape == (2,)
    with pytest.raises(karcher.Error, match="in the same order"):
        clusters.predict(x[:, ::-1])


def test_names_of_public_points_are_looked_at():
    last = pd.Series([0.0, 0.0, 0.0, 1.0], index=list("xyzw"))
    with pytest.raises(karcher.Error, match=r"give manifold.read\(center, 'quaternions-last'\), or center.to_numpy"):
        mean("rotations:3", last).spec()
    with pytest.raises(karcher.Error, match=r"give center\[\['x', 'y', 'z'\]\]"):
        karcher.PrivateFrechetMean("sphere:2", 1.0, last.drop("w")[::-1], epsilon=1.0).spec()
    with pytest.raises(karcher.Error, match=r"manifold.read\(reference"):
        karcher.TangentSpace("rotations:3", last).fit(POSES.to_numpy())
    with pytest.raises(karcher.Error, match=r"manifold.read\(first_centers"):
        karcher.PrivateKMeans("rotations:3", 2, 1.0, [1, 0, 0, 0], first_centers=POSES, epsilon=1.0).spec()


def fixed(records):
    """A column of lists of one length, which its type says."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.asarray(records).ravel()), len(records[0]))


@pytest.mark.parametrize("column", [pa.array, fixed], ids=["lists", "lists of one length"])
@pytest.mark.parametrize(
    ("space", "name", "record", "layout", "words", "right"),
    [
        ("rotations:3", "quat_xyzw", [0.0, 0.0, 0.6, 0.8], None, "layout='quaternions-last'", {}),
        ("rotations:3", "euler", [0.1, 0.2, 0.3], "rotation-vectors", "they are Euler angles", None),
        ("rotations:3", "rpy", [0.1, 0.2, 0.3], "rotation-vectors", "they are Euler angles", None),
        ("sphere:2", "lonlat", [2.0, 48.0], "latlon", r"columns=\['lonlat\[1\]', 'lonlat", {}),
        ("sphere:2", "coordinates", [2.0, 48.0], "latlon", r"columns=\['coordinates\[1\]', 'coordinates", {}),
        ("sphere:2", "xy", [2.0, 48.0], "latlon", "columns=", {}),
        ("sphere:2", "radec", [2.0, 48.0], "latlon", "layout='ra-dec'", {}),
        ("sphere:2", "azel", [2.0, 48.0], "elevation-azimuth", "columns=", {}),
        ("sphere:2", "theta_phi", [42.0, 2.0], "latlon", "layout='colatitude-longitude'", {}),
    ],
)
def test_names_of_lists_are_looked_at(column, space, name, record, layout, words, right):
    table = pa.table({name: column([record] * 3)})
    center = karcher.manifold(space).origin
    fit = karcher.PrivateFrechetMean(space, 1.5, center, epsilon=1.0).fit
    with pytest.raises(karcher.Error, match=words) as refused:
        fit(table, columns=[name], layout=layout)
    assert fit(table, columns=[name], layout=layout, trust_layout=True).release_.n == 3
    if right is None:
        return
    # the advice is followed
    found = re.search(r"give (.*), or trust_layout", str(refused.value))[1]
    options = dict(re.findall(r"(columns|layout)=(\[[^=]*\]|'[^']*')(?: and |$)", found))
    given = {key: ast.literal_eval(value) for key, value in options.items()}
    followed = fit(table, **{"columns": [name], "layout": layout, **given})
    plain = np.array([record] * 3)
    if "columns" in given:
        plain = plain[:, ::-1]
    manifold = karcher.manifold(space)
    points = manifold.read(plain, given.get("layout", layout))
    assert followed.release_.n == 3
    estimate = karcher.PrivateFrechetMean(space, epsilon=1e9).fit(
        table, **{"columns": [name], "layout": layout, **given}
    )
    assert manifold.dist(estimate.estimate_, points[0]) < 1e-5


def test_one_number_of_each_list_is_read():
    lists = {"a": pa.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "b": fixed([[7.0, 8.0], [9.0, 10.0]])}
    fit = karcher.PrivateFrechetMean("euclidean:2", 20.0, [0.0, 0.0], epsilon=1e9).fit
    mean = fit(pa.table(lists), columns=["a[2]", "b[0]"]).estimate_
    assert np.allclose(mean, [4.5, 8.0], atol=1e-6)
    for columns, words in ((["a[0]", "b[2]"], r"no column b\[2\]"), (["a[0]", "c[0]"], r"no column c\[0\]")):
        with pytest.raises(karcher.Error, match=words):
            fit(pa.table(lists), columns=columns)
    with pytest.raises(karcher.Error, match="not as many numbers"):
        fit(pa.table(lists), columns=["a[3]", "b[0]"])
    some = pa.array([[1.0, 2.0], None, [3.0, None]])
    with pytest.raises(karcher.Error, match="the value is missing"):
        fit(pa.table({"a": some}), columns=["a[0]", "a[1]"])


def test_names_of_lists_that_say_nothing_are_no_contradiction():
    for name in ("point", "location", "family", "v", "id"):
        table = pa.table({name: [[48.0, 2.0]] * 3})
        assert mean().fit(table, columns=[name], layout="latlon").release_.n == 3
    table = pa.table({"rotation": [[0.8, 0.0, 0.0, 0.6]] * 3})
    assert mean("rotations:3", (1, 0, 0, 0)).fit(table, columns=["rotation"]).release_.n == 3


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_hemispheres_next_to_the_chosen_columns_are_seen(kind):
    log = pd.DataFrame({"Latitude": [33.9, 33.8], "N/S": ["S", "S"], "Longitude": [151.2, 151.3], "E/W": ["E", "E"]})
    table = {"pandas": log, "polars": pl.from_pandas(log), "pyarrow": pa.Table.from_pandas(log)}[kind]
    words = "make southern and western numbers negative, and drop N/S, E/W"
    with pytest.raises(karcher.Error, match=words):
        mean().fit(table, columns=["Latitude", "Longitude"], layout="latlon")
    with pytest.raises(karcher.Error, match=words):
        mean().fit(table, layout="latlon")
    signed = log.assign(Latitude=-log["Latitude"]).drop(columns=["N/S", "E/W"])
    assert mean().fit(signed, columns=["Latitude", "Longitude"], layout="latlon").release_.n == 2


def test_zenith_angles_and_colatitudes_have_a_layout():
    sun = pd.DataFrame({"solar_zenith": [10.0], "solar_azimuth": [160.0]})
    sphere = karcher.Sphere(2)
    for layout in ("elevation-azimuth", "latlon", "declination-inclination"):
        with pytest.raises(karcher.Error, match="give layout='colatitude-longitude', or"):
            sphere.read(sun, layout)
    point = sphere.read(sun, "colatitude-longitude")
    assert np.allclose(point, sphere.read([[80.0, 160.0]], "elevation-azimuth"))
    assert np.allclose(sphere.write(point, "colatitude-longitude"), [[10.0, 160.0]])
    radians = sphere.read(np.radians([[10.0, 160.0]]), "colatitude-longitude-radians")
    assert np.allclose(point, radians)


def test_units_of_parts_are_looked_at():
    rocks = pd.DataFrame({"SIO2(WT%)": [60.0], "AL2O3(WT%)": [39.95], "SR(PPM)": [300.0], "BA(PPM)": [200.0]})
    space = karcher.manifold("simplex-aitchison:4")
    with pytest.raises(karcher.Error, match=r"give multiply_by=\{'SR\(PPM\)': 0.0001, 'BA\(PPM\)': 0.0001\}"):
        space.read(rocks, "percent")
    read = space.read(rocks, "percent", multiply_by={"SR(PPM)": 0.0001, "BA(PPM)": 0.0001})
    assert np.allclose(read, [[0.6, 0.3995, 0.0003, 0.0002]])
