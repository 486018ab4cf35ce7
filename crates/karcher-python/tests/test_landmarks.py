"""Landmarks in space: files, and rotation onto a public template."""

import json

import numpy as np
import pandas
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import karcher
from karcher import errors

TEMPLATE = np.array([[2.0, 0, 1], [-1, 3, 0], [0, -1, -2], [1, 1, 1], [-2, -3, 0]])


def specimens(n):
    rng = np.random.default_rng(3)
    turns = Rotation.random(n, random_state=4).as_matrix()
    return np.einsum("nij,kj->nki", turns, TEMPLATE) + 0.1 * rng.normal(size=(n, 5, 3)) + 7


def test_rotations_are_those_of_scipy():
    records = specimens(50)
    centered = lambda x: x - x.mean(axis=-2, keepdims=True)
    expected = [Rotation.align_vectors(centered(TEMPLATE), x)[0].apply(x) for x in centered(records)]
    assert_allclose(karcher.align_landmarks(records, TEMPLATE), expected, rtol=0, atol=1e-12)


def test_a_record_is_rotated_by_itself_to_the_last_bit():
    records = specimens(9)
    together = karcher.align_landmarks(records, TEMPLATE)
    for record, found in zip(records, together):
        assert_array_equal(karcher.align_landmarks(record, TEMPLATE), found)


def test_a_private_mean_of_rotated_landmarks():
    records = karcher.align_landmarks(specimens(200), TEMPLATE)
    mean = karcher.PrivateFrechetMean(karcher.Landmarks(5, 3), 0.3, TEMPLATE, epsilon=5.0, random_state=0).fit(records)
    assert mean.estimate_.shape == (5, 3)
    flat = karcher.PrivateFrechetMean("size-and-shape", 2.0, TEMPLATE, epsilon=5.0, random_state=0).fit(records)
    assert flat.release_.manifold == karcher.SizeAndShape(5, 3)


def test_missing_landmarks_are_named_with_the_remedy():
    records = specimens(3)
    records[1, 2, 0] = np.nan
    with pytest.raises(karcher.Error, match="record 2: landmark 3 is missing: estimate it"):
        karcher.align_landmarks(records, TEMPLATE)
    with pytest.raises(karcher.Error, match="expected"):
        karcher.align_landmarks(records[:, :4], TEMPLATE)
    with pytest.raises(karcher.Error, match="on a line"):
        karcher.align_landmarks(specimens(1), np.arange(5.0)[:, None] * np.ones(3))


def test_files_of_landmarks_are_read(tmp_path):
    (tmp_path / "a.pts").write_text("Version 1.0\n2\nS000 1 2 3\nS001 9999 9999 9999\n")
    (tmp_path / "b.nts").write_text("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 8\n")
    points = [{"position": [1, 2, 3]}, {"position": [4, 5, 6]}]
    for name in ("c", "d"):
        markup = {"coordinateSystem": "LPS", "controlPoints": points}
        (tmp_path / f"{name}.mrk.json").write_text(json.dumps({"markups": [markup]}))
    nan = np.nan
    assert_array_equal(karcher.read_landmarks(tmp_path / "a.pts"), [[[1, 2, 3], [nan, nan, nan]]])
    assert_array_equal(karcher.read_landmarks(tmp_path / "b.nts"), [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    several = karcher.read_landmarks([tmp_path / "c.mrk.json", tmp_path / "d.mrk.json"])
    assert_array_equal(several, 2 * [[[1, 2, 3], [4, 5, 6]]])


def turned_records(n=300):
    rng = np.random.default_rng(0)
    x = 0.05 * rng.standard_normal((n, 4, 3)) + TETRAHEDRON
    return np.array([turn.apply(one) for turn, one in zip(Rotation.random(n, random_state=0), x)])


TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("space", ["landmarks:4,3", "size-and-shape:4,3"])
def test_a_template_rotates_the_records_of_a_release_that_states_it(space):
    x = turned_records()
    seeded = {"epsilon": 1.0, "random_state": 3}
    for private in (
        karcher.PrivateFrechetMean(space, 0.6, TETRAHEDRON, **seeded),
        karcher.PrivateKMeans(space, 2, 0.6, TETRAHEDRON, **seeded),
        karcher.PrivateGeometricMedian(space, 0.6, TETRAHEDRON, **seeded),
    ):
        release = private.fit(x, template=TETRAHEDRON).release_
        # SciPy's rotation of each record onto the template
        centered, onto = x - x.mean(axis=1, keepdims=True), TETRAHEDRON - TETRAHEDRON.mean(axis=0)
        aligned = np.array([Rotation.align_vectors(onto, one)[0].apply(one) for one in centered])
        beforehand = private.fit(aligned).release_
        assert json.loads(release.to_json())["template"] == release.template.ravel().tolist()
        assert beforehand.template is None
        assert_allclose(release.template, karcher.manifold(space).project(TETRAHEDRON))
        numbers = [found.to_pandas().iloc[:, :12].to_numpy(dtype=float) for found in (release, beforehand)]
        assert_allclose(*numbers, atol=1e-9)
        assert type(release).from_json(release.to_json()) == release


def test_a_record_without_a_landmark_is_refused_or_replaced_with_a_template_too():
    x = turned_records()
    x[5, 1] = np.nan
    private = karcher.PrivateFrechetMean("landmarks:4,3", 0.6, TETRAHEDRON, epsilon=1.0, random_state=0)
    with pytest.raises(errors.InvalidPointError, match="record 6"):
        private.fit(x, template=TETRAHEDRON)
    replaced = private.set_params(on_invalid="replace-with-center").fit(x, template=TETRAHEDRON).release_
    assert replaced.n == 300
    x[5] = TETRAHEDRON
    assert_allclose(replaced.value, private.fit(x, template=TETRAHEDRON).estimate_, atol=1e-12)


def test_templates_that_do_not_fit_are_refused():
    x = turned_records()
    private = karcher.PrivateFrechetMean("landmarks", 0.6, TETRAHEDRON, epsilon=1.0)
    with pytest.raises(errors.Error, match=r"template has shape \(3, 3\) and a record \(4, 3\)"):
        private.fit(x, template=TETRAHEDRON[:3])
    with pytest.raises(errors.Error, match="on a line"):
        private.fit(x, template=np.arange(4.0)[:, np.newaxis] * [1.0, 1.0, 1.0])
    with pytest.raises(errors.Error, match="template belongs to landmarks:K,D and size-and-shape:K,D"):
        karcher.PrivateFrechetMean("euclidean", 0.6, epsilon=1.0).fit(x[:, 0], template=TETRAHEDRON)
    table = pandas.DataFrame(x.reshape(300, 12), columns=[f"{a}{k}" for k in range(1, 5) for a in "xyz"])
    with pytest.raises(errors.Error, match="template belongs to an array"):
        karcher.PrivateFrechetMean("landmarks:4,3", 0.6, TETRAHEDRON, epsilon=1.0).fit(
            table, template=TETRAHEDRON, columns=list(table.columns)
        )


def test_errors_about_files_name_no_option_of_the_command(tmp_path):
    written = {
        "a.xyz": "1 2", "q.gz": "x", "empty.tps": "", "bad.tps": "LM=2\n1 2\n",
        "two.tps": "LM=1\n1 2\nLM=2\n1 2\n2 3\n",
        "one.tps": "LM=1\n1 2\n", "wide.tps": "LM=2\n1 2\n3 4\n", "n.nts": "1 2L 4 0\na b\n1 2 3 4\n", "x.xlsx": "x",
    }  # fmt: skip
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    cases = [name for name in written if name not in ("one.tps", "wide.tps")]
    both = [tmp_path / "one.tps", tmp_path / "wide.tps"]
    for given in [*([tmp_path / name] for name in cases), both, [tmp_path / "no"]]:
        with pytest.raises(errors.Error) as refused:
            karcher.read_landmarks(given)
        assert "--" not in str(refused.value), refused.value


@pytest.mark.parametrize("bad", [np.full((6, 2), 7.0), np.full((6, 2), 1.7e308), np.full((6, 2), np.nan)])
def test_a_record_that_cannot_be_rotated_is_replaced_like_others(bad):
    rng = np.random.default_rng(1)
    template = rng.normal(size=(6, 2))
    X = template + 0.1 * rng.normal(size=(80, 6, 2))
    X[1], X[3] = np.nan, bad
    mean = karcher.PrivateFrechetMean(
        "landmarks:6,2", radius=1.0, center=template, epsilon=1.0, on_invalid="replace-with-center"
    )
    assert mean.fit(X, template=template).release_.n == 80
    X[1] = template
    with pytest.raises(errors.InvalidPointError, match="row 4|record 4"):
        karcher.PrivateFrechetMean("landmarks:6,2", radius=1.0, center=template, epsilon=1.0).fit(X, template=template)


def test_new_records_are_rotated_onto_the_template_of_the_release():
    x, new = turned_records(), turned_records(80)[40:]
    aligned = karcher.align_landmarks(new, TETRAHEDRON)
    options = {"radius": 0.6, "center": TETRAHEDRON, "epsilon": 1e6}
    clusters = karcher.PrivateKMeans("landmarks:4,3", 2, **options).fit(x, template=TETRAHEDRON)
    assert_allclose(clusters.distances(new), clusters.distances(aligned), atol=1e-9)
    assert_array_equal(clusters.predict(new), clusters.predict(aligned))
    with pytest.warns(errors.TrainingRecordsWarning):
        clusters.predict(x[:5])
    components = karcher.PrivateTangentPCA("landmarks:4,3", **options).fit(x, template=TETRAHEDRON)
    assert_allclose(components.transform(new), components.transform(aligned), atol=1e-9)
    mean = karcher.PrivateFrechetMean("landmarks:4,3", **options)
    for tangent in (
        karcher.TangentSpace(reference=mean).fit(x, template=TETRAHEDRON),
        karcher.TangentSpace(reference=mean.fit(x, template=TETRAHEDRON).release_).fit(new),
    ):
        assert_allclose(tangent.transform(new), tangent.transform(aligned), atol=1e-9)
        assert np.abs(tangent.transform(new)).max() < 1.0


def test_class_means_are_those_of_rotated_records():
    x, y = turned_records(), np.arange(300) % 3
    aligned = karcher.align_landmarks(x, TETRAHEDRON)
    model = karcher.classification.PrivateNearestCentroid(
        "landmarks:4,3", 0.6, TETRAHEDRON, epsilon=1.0, random_state=1
    )
    expected = model.fit(aligned, y).centroids_
    assert_allclose(model.fit(x, y, template=TETRAHEDRON).centroids_, expected, atol=1e-9)
    assert_allclose(model.releases_[2].template, karcher.Landmarks(4, 3).project(TETRAHEDRON))
    for kind, tolerance in ((np.float64, 1e-9), (np.float32, 1e-5)):
        assert_allclose(model.transform(x.astype(kind)), model.transform(aligned), atol=tolerance)
    with pytest.warns(errors.TrainingRecordsWarning):
        model.predict(x[:5])
    table = pandas.DataFrame(aligned.reshape(300, 12)).rename(columns=str).assign(y=y)
    with pytest.raises(errors.Error, match="template belongs to an array"):
        model.fit(table, "y", template=TETRAHEDRON)


def test_a_run_takes_a_template_as_fit_does():
    x = turned_records()
    mean = karcher.PrivateFrechetMean("landmarks:4,3", 0.6, TETRAHEDRON, epsilon=1.0, random_state=1)
    release = karcher.run(mean.spec(), x, template=TETRAHEDRON, random_state=1)
    assert release == mean.fit(x, template=TETRAHEDRON).release_
    regression = karcher.PrivateGeodesicRegression(
        "landmarks:4,3", predictor_range=(0.0, 1.0), radius=0.6, center=TETRAHEDRON, slope_bound=1.0, epsilon=1.0
    )
    for spec in (regression.spec(), karcher.PrivateCount(epsilon=1.0).spec()):
        predictors = np.zeros(300) if spec["statistic"] != "count" else None
        with pytest.raises(errors.Error, match="template does not go with a"):
            karcher.run(spec, x, predictors=predictors, template=TETRAHEDRON)


def test_labels_of_landmarks_must_be_in_one_order(tmp_path):
    def file(name, labels):
        points = [{"label": label, "position": [i, 2, 3]} for i, label in enumerate(labels)]
        (tmp_path / name).write_text(json.dumps({"markups": [{"controlPoints": points}]}))
        return tmp_path / name

    atlas = file("atlas.mrk.json", ["nasion", "basion"])
    ape, shuffled = file("ape.mrk.json", ["nasion", "basion"]), file("shuffled.mrk.json", ["basion", "nasion"])
    assert karcher.read_landmarks([atlas, ape])[1:].shape == (1, 2, 3)
    with pytest.raises(errors.Error, match="landmark 1 is labelled `basion`, and `nasion` in .*one order") as e:
        karcher.read_landmarks([atlas, shuffled])
    assert "--" not in str(e.value)
    assert karcher.read_landmarks(shuffled).shape == (1, 2, 3)


def test_a_file_of_landmarks_that_is_given_twice_is_refused(tmp_path):
    (tmp_path / "a.pts").write_text("Version 1.0\n2\nS000 1 2 3\nS001 1 5 6\n")
    (tmp_path / "link.pts").symlink_to(tmp_path / "a.pts")
    for second in ("a.pts", "link.pts", f"../{tmp_path.name}/a.pts"):
        with pytest.raises(errors.Error, match="records would count twice"):
            karcher.read_landmarks([tmp_path / "a.pts", tmp_path / second])
