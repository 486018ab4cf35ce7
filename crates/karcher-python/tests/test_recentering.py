"""karcher.preprocessing.PersonRecenter: the records of each person carried to a public center."""

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

import karcher
from karcher.classification import PrivateMDM, PrivateNearestCentroid, PrivateTangentClassifier
from karcher.preprocessing import PersonRecenter, ShrinkTrace

PERSON = np.repeat([f"P{i}" for i in range(8)], 6)
SPACES = ["sphere:2", "hyperbolic:2", "kendall:5", "euclidean:2", "spd-affine-invariant:3", "spd-log-euclidean:2",
          "hpd-affine-invariant:2", "rotations:3"]  # fmt: skip


def records(name, seed=1):
    return karcher.manifold(name).random_point(len(PERSON), scale=0.3, random_state=seed)


@pytest.mark.parametrize("name", SPACES)
def test_the_mean_of_every_person_is_the_center(name):
    space = karcher.manifold(name)
    moved = PersonRecenter(name).fit_transform(records(name), groups=PERSON)
    for person in np.unique(PERSON):
        mean = karcher.FrechetMean(space).fit(np.asarray(moved[person == PERSON])).estimate_
        assert space.dist(mean, space.origin) < 1e-9
    # distances within a person stay where the transport is an isometry of the whole space
    if name in ("euclidean:2", "spd-affine-invariant:3", "sphere:2", "hyperbolic:2"):
        x, z = records(name)[:6], np.asarray(moved)[:6]
        assert space.dist(z[:3], z[3:]) == pytest.approx(space.dist(x[:3], x[3:]), rel=1e-9)


@pytest.mark.parametrize("name", SPACES)
def test_a_record_moves_with_its_person_alone_in_any_order(name):
    """[V1] needs it: what one person contributes is a function of that person's records."""
    x, other = records(name), records(name)
    other[PERSON == "P3"] = records(name, seed=2)[PERSON == "P3"]
    recenter = PersonRecenter(name)
    found, changed = (np.asarray(recenter.transform(one, groups=PERSON)) for one in (x, other))
    same = PERSON != "P3"
    assert np.array_equal(found[same], changed[same]) and not np.array_equal(found, changed)
    order = np.random.default_rng(0).permutation(len(PERSON))
    assert np.array_equal(recenter.transform(x[order], groups=PERSON[order]), found[order])


def test_matrices_are_whitened_by_their_person():
    x = records("spd-affine-invariant:3")[:6]
    values, vectors = np.linalg.eigh(karcher.FrechetMean("spd-affine-invariant").fit(x).estimate_)
    whitening = vectors @ np.diag(values**-0.5) @ vectors.T
    moved = PersonRecenter().transform(x, groups=["a"] * 6)
    assert np.allclose(moved, whitening @ x @ whitening, rtol=1e-10)


def refused(fit, *given, **options):
    with pytest.raises(karcher.Error, match="only persons can be protected"):
        fit(*given, **options)


def test_a_guarantee_for_single_records_is_refused():
    x, y = records("spd-affine-invariant:3"), np.tile(["rest", "move"], len(PERSON) // 2)
    moved = PersonRecenter().fit_transform(x, groups=PERSON)
    ball = {"radius": 1.0, "center": np.eye(3), "epsilon": 1.0}
    for model in (PrivateMDM(**ball), PrivateNearestCentroid("spd-affine-invariant", **ball),
                  PrivateTangentClassifier("spd-affine-invariant", **ball)):  # fmt: skip
        refused(model.fit, moved, y)
        refused(model.fit, moved[2:], y[2:])  # a part of them
    mean = karcher.PrivateFrechetMean("spd-affine-invariant", **ball)
    for made in (moved, list(moved), np.concatenate([moved, moved]), np.stack(list(moved)), moved * 1.0, moved.copy(),
                 karcher.SPD(3).project(moved), ShrinkTrace(0.1).fit_transform(moved)):  # fmt: skip
        refused(mean.fit, made)
    refused(karcher.TangentSpace("spd-affine-invariant", mean).fit, moved)
    model = PrivateMDM(**ball).fit(moved, y, groups=PERSON)
    assert model.guarantee_.epsilon == 2.0 and model.releases_[0].unit == "person"


def test_directions_of_a_person_are_refused_as_single_records():
    moved = PersonRecenter("sphere:2").fit_transform(records("sphere:2"), groups=PERSON)
    refused(karcher.directional.fisher_statistics, moved, epsilon=1.0)
    refused(karcher.directional.axial_statistics, moved, epsilon=1.0)
    refused(karcher.randomize, moved[0], "sphere:2", radius=0.8, center=[0, 0, 1], epsilon=1.0)


def test_a_pipeline_passes_the_persons_on():
    x, y = records("spd-affine-invariant:3"), np.tile(["rest", "move"], len(PERSON) // 2)
    with sklearn.config_context(enable_metadata_routing=True):
        recenter = PersonRecenter().set_fit_request(groups=True).set_transform_request(groups=True)
        model = PrivateMDM(radius=1.0, center=np.eye(3), epsilon=1.0, random_state=1).set_fit_request(groups=True)
        pipeline = make_pipeline(recenter, model).fit(x, y, groups=PERSON)
    moved = PersonRecenter().transform(x, groups=PERSON)
    alone = PrivateMDM(radius=1.0, center=np.eye(3), epsilon=1.0, random_state=1).fit(moved, y, groups=PERSON)
    assert np.array_equal(pipeline[-1].covmeans_, alone.covmeans_)


def test_whatever_the_records_are_they_have_a_place():
    line, sphere = PersonRecenter("euclidean:1"), PersonRecenter("sphere:2")
    assert line.transform([[3.0], [5.0], [9.0]], groups=["a", "a", "b"]).tolist() == [[-1.0], [1.0], [0.0]]
    north, south, east = [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]
    assert sphere.transform([north, south], groups=["a", "a"]).tolist() == [north, south]  # they have no mean
    five = [*[east] * 4, [0.0, -1.0, 0.0]]
    assert sphere.transform(five, groups=["a"] * 5).tolist() == five  # the descent starts at an antipode of the others
    far = PersonRecenter("sphere:2", center=south).transform([north] * 3, groups=["a"] * 3)
    assert far.tolist() == [south] * 3
    huge = line.transform([[1.7e308], [1.7e308], [-1.7e308]], groups=["a"] * 3)
    assert np.isfinite(huge).all()


@pytest.mark.parametrize("space", [karcher.SPD(2), karcher.SPD(2, metric="affine-invariant")])
@pytest.mark.parametrize("c", [1e12, 1e14])
def test_badly_conditioned_matrices_are_released(space, c):
    """Three of them, valid each: no fit fails by the records of one person."""
    x = np.concatenate([np.tile(np.eye(2), (57, 1, 1)), [np.diag([c, 1.0]), np.diag([1.0, c]), np.diag([1.0, c])]])
    turned = np.array([[0.8, -0.6], [0.6, 0.8]])
    x[58] = turned @ x[58] @ turned.T
    x[58] = 0.5 * (x[58] + x[58].T)
    person = np.repeat(np.arange(20), 3)
    moved = PersonRecenter(space).transform(x, groups=person)
    mean = karcher.PrivateFrechetMean(space, radius=1.0, center=np.eye(2), mu=1.0).fit(moved, groups=person)
    assert mean.release_.n == 20


def test_what_is_wrong_is_said():
    recenter, x = PersonRecenter(), records("spd-affine-invariant:3")
    for call, message in (
        (lambda: recenter.transform(x), "there are no groups"),
        (lambda: recenter.transform(x, groups=PERSON[:3]), "groups has 3 persons, and X 48 records"),
        (lambda: recenter.transform(x, groups=[*PERSON[:47], None]), "groups, row 48: the person is missing"),
        (lambda: recenter.transform(-x, groups=PERSON), "row 1"),
        (lambda: recenter.transform(x[0], groups=PERSON), "shape"),
        (lambda: PersonRecenter(center=np.eye(2)).transform(x, groups=PERSON), "center has shape"),
        (lambda: PersonRecenter(center=-np.eye(3)).fit(x, groups=PERSON), "center: not a point"),
        (lambda: PersonRecenter(center="middle").fit(x, groups=PERSON), "'middle': give a point of"),
    ):
        with pytest.raises(karcher.Error, match=message):
            call()
