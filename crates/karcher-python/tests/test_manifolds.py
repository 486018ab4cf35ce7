"""Every operation against geomstats and pyRiemann, to 1e-10."""

import copy
import itertools
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import karcher
from karcher import SPD, Euclidean, Hyperbolic, Kendall, Sphere, errors

warnings.simplefilter("ignore", DeprecationWarning)
from geomstats.geometry.euclidean import Euclidean as GeomstatsEuclidean  # noqa: E402
from geomstats.geometry.hyperboloid import Hyperboloid  # noqa: E402
from geomstats.geometry.hypersphere import Hypersphere  # noqa: E402
from geomstats.geometry.poincare_ball import PoincareBall  # noqa: E402
from geomstats.geometry.pre_shape import PreShapeSpace  # noqa: E402
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices  # noqa: E402

try:
    from pyriemann.geometry import distance as pyriemann_distance
    from pyriemann.geometry import tangentspace as pyriemann_tangent
except ImportError:  # before pyRiemann 0.12
    from pyriemann.utils import distance as pyriemann_distance
    from pyriemann.utils import tangentspace as pyriemann_tangent

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}


def spd(k, metric):
    space = SPDMatrices(k, equip=False)
    space.equip_with_metric(metric)
    return space


SPACES = {
    "euclidean:4": (Euclidean(4), lambda: GeomstatsEuclidean(4)),
    "sphere:2": (Sphere(2), lambda: Hypersphere(2)),
    "sphere:7": (Sphere(7), lambda: Hypersphere(7)),
    "hyperbolic:2": (Hyperbolic(2), lambda: Hyperboloid(2)),
    "spd-log-euclidean:3": (SPD(3), lambda: spd(3, SPDLogEuclideanMetric)),
    "spd-log-euclidean:6": (SPD(6), lambda: spd(6, SPDLogEuclideanMetric)),
    "spd-affine-invariant:3": (SPD(3, metric="affine-invariant"), lambda: spd(3, SPDAffineMetric)),
    "spd-affine-invariant:6": (SPD(6, metric="affine-invariant"), lambda: spd(6, SPDAffineMetric)),
}


@pytest.fixture(params=SPACES, scope="module")
def pair(request):
    ours, theirs = SPACES[request.param]
    return ours, theirs()


def cloud(space, n=400, scale=0.4, seed=0):
    return space.random_point(n, scale=scale, random_state=seed)


def test_log_exp_dist_agree_with_geomstats(pair):
    ours, theirs = pair
    p, q = cloud(ours, seed=1), cloud(ours, seed=2)
    v = ours.log(p, q)
    assert_allclose(v, theirs.metric.log(q, p), **TOLERANCE)
    assert_allclose(ours.exp(p, v), theirs.metric.exp(v, p), **TOLERANCE)
    assert_allclose(ours.dist(p, q), theirs.metric.dist(p, q), **TOLERANCE)


def test_inner_products_and_norms_agree_with_geomstats(pair):
    ours, theirs = pair
    p, u, v = cloud(ours, seed=1), None, None
    u, v = ours.log(p, cloud(ours, seed=2)), ours.log(p, cloud(ours, seed=3))
    assert_allclose(ours.inner(p, u, v), theirs.metric.inner_product(u, v, p), **TOLERANCE)
    assert_allclose(ours.norm(p, v) ** 2, theirs.metric.squared_norm(v, p), **TOLERANCE)


def test_transport_agrees_with_geomstats(pair):
    ours, theirs = pair
    p, q = cloud(ours, seed=1), cloud(ours, seed=2)
    v = ours.log(p, cloud(ours, seed=3))
    assert_allclose(ours.transport(p, q, v), theirs.metric.parallel_transport(v, p, end_point=q), **TOLERANCE)


def test_shapes_agree_with_geomstats():
    ours = Kendall(6)
    theirs = PreShapeSpace(k_landmarks=6, ambient_dim=2)
    theirs.equip_with_group_action("rotations")
    theirs.equip_with_quotient()
    metric = theirs.quotient.metric
    p, q, r = (cloud(ours, 60, 0.2, seed) for seed in (1, 2, 3))
    v = ours.log(p, q)
    assert_allclose(v, metric.log(q, p), **TOLERANCE)
    assert_allclose(ours.dist(p, q), metric.dist(p, q), **TOLERANCE)
    # the same shape, perhaps turned
    assert_allclose(ours.dist(ours.exp(p, v), metric.exp(v, p)), 0.0, atol=1e-10)
    u = ours.log(p, r)
    assert_allclose(ours.inner(p, u, v), metric.inner_product(u, v, p), **TOLERANCE)


def test_matrices_agree_with_pyriemann():
    for k in (2, 5, 10):
        ours = SPD(k, metric="affine-invariant")
        x, (p, q) = cloud(ours, 50, 0.2, 1), cloud(ours, 2, 0.2, 2)
        assert_allclose(ours.dist(x, p), pyriemann_distance.distance(x, p, metric="riemann").ravel(), **TOLERANCE)
        v = ours.log(p, x)
        assert_allclose(v, pyriemann_tangent.log_map_riemann(x, p, C12=True), **TOLERANCE)
        assert_allclose(ours.exp(p, v), pyriemann_tangent.exp_map_riemann(v, p, Cm12=True), **TOLERANCE)
        if hasattr(pyriemann_tangent, "innerproduct_riemann"):
            expected = [pyriemann_tangent.innerproduct_riemann(v[0], u, p) for u in v]
            assert_allclose(ours.inner(p, v[0], v), expected, **TOLERANCE)
        if hasattr(pyriemann_tangent, "transport_riemann"):
            assert_allclose(ours.transport(p, q, v), pyriemann_tangent.transport_riemann(v, p, q), **TOLERANCE)
        flat = SPD(k)
        assert_allclose(flat.dist(x, p), pyriemann_distance.distance(x, p, metric="logeuclid").ravel(), **TOLERANCE)


@pytest.mark.parametrize("space", [s for s, _ in SPACES.values()] + [Kendall(5)], ids=lambda s: s.name)
def test_one_element_goes_with_many_and_one_alone_has_no_first_axis(space):
    p, x = space.random_point(scale=0.3, random_state=1), cloud(space, 700, 0.3)
    assert p.shape == space.shape and x.shape == (700, *space.shape)
    v = space.log(p, x)
    assert_allclose(v[650], space.log(p, x[650]), rtol=0, atol=1e-14)
    assert space.exp(p, v).shape == x.shape and space.exp(p, v[0]).shape == space.shape
    assert space.exp(x, space.log(x, p)).shape == x.shape
    assert space.dist(x, p).shape == (700,) and isinstance(float(space.dist(p, x[0])), float)
    assert_allclose(space.dist(space.exp(p, v), x), 0.0, atol=1e-7)
    assert space.transport(p, x, v[0]).shape == x.shape
    assert_allclose(space.norm(p, v), space.dist(p, x), rtol=1e-9)


def test_arrays_of_any_kind_are_understood():
    space = SPD(3)
    x = cloud(space, 50)
    expected = space.log(np.eye(3), x)
    for other in (x.tolist(), np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], x.astype(object), x.astype(">f8")):
        assert_allclose(space.log(np.eye(3), other), expected, rtol=0, atol=0)
    unaligned = np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape)
    assert not unaligned.flags.aligned
    assert_allclose(space.log(np.eye(3), unaligned), expected, rtol=0, atol=0)
    read_only = x.copy()
    read_only.flags.writeable = False
    assert_allclose(space.log(np.eye(3), read_only), expected, rtol=0, atol=0)


def test_rounded_points_are_taken_and_landmarks_may_have_any_position_and_size():
    rounded = np.round(cloud(Sphere(2), 300), 7)
    assert_allclose(np.linalg.norm(Sphere(2).project(rounded), axis=1), 1.0, atol=1e-15)
    landmarks = np.random.default_rng(0).normal(size=(20, 5, 2)) * 1e3 + 5e4
    projected = Kendall(5).project(landmarks)
    assert_allclose(projected.mean(axis=1), 0.0, atol=2e-15)
    assert_allclose(np.linalg.norm(projected, axis=(1, 2)), 1.0, atol=1e-14)
    assert_allclose(Kendall(5).dist(landmarks, projected), 0.0, atol=1e-10)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: Sphere(2).exp([[1, 0, 0], [1, 0, 1]], [0, 1, 0]),
            errors.InvalidPointError,
            "p, row 2: .* norm is 1.414",
        ),
        (lambda: Sphere(2).exp([1, 0, 0], [1, 0, 0]), errors.InvalidPointError, "not a tangent vector"),
        (lambda: SPD(2).exp(np.eye(2), [[0, 1], [0, 0]]), errors.InvalidPointError, "is not symmetric"),
        (lambda: Kendall(3).exp([[0, 0], [1, 0], [0, 1]], np.ones((3, 2))), errors.InvalidPointError, "tangent"),
        (
            lambda: Sphere(2).log([1, 0, 0], [[0, 1, 0], [-1, 0, 0]]),
            errors.CutLocusError,
            "row 2: the logarithm does not",
        ),
        (lambda: Sphere(2).dist([1, 0], [1, 0]), errors.Error, r"p has shape \(2,\)"),
        (lambda: SPD(2).dist(np.eye(2), np.ones((3, 4))), errors.Error, r"\(2, 2\), or \(n, 2, 2\)"),
        (lambda: Sphere(1).dist(np.eye(2), np.eye(2)[[0, 1, 0]]), errors.Error, "p has 2 rows and q has 3"),
        (lambda: SPD(2).project([[1, 2], [2, 1]]), errors.InvalidPointError, "smallest eigenvalue is -1"),
        (lambda: Kendall(3).project(np.ones((3, 2))), errors.InvalidPointError, "all landmarks coincide"),
        (lambda: Euclidean(2).project([1.0, np.nan]), errors.InvalidPointError, "number 2 is NaN"),
        (lambda: Sphere(0), errors.Error, "size must be from 1"),
        (lambda: SPD(3, metric="euclid"), errors.Error, "unknown manifold `spd-euclid:3`"),
        (lambda: karcher.manifold("klein-bottle:2"), errors.Error, "unknown manifold"),
        (
            lambda: Hyperbolic(3).random_point(scale=1.0, law="laplace"),
            errors.TooMuchNoiseError,
            "needs a scale below 0.5",
        ),
        (lambda: Sphere(2).random_point(scale=-1.0), errors.Error, "scale is -1"),
        (lambda: Sphere(2).random_point(law="cauchy"), errors.Error, "unknown noise"),
        (lambda: Sphere(2).random_point(2**62), errors.Error, "not enough memory"),
        (lambda: Euclidean(2).project([1j, 0]), errors.Error, "must be a number"),
        (lambda: Euclidean(2).project(np.ma.masked_array([1.0, 2.0], [True, False])), errors.Error, "masked array"),
        (lambda: Sphere(2).random_point(center=np.eye(3)), errors.Error, "center must be one point"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "space",
    [
        Sphere(1), Sphere(2), Sphere(9), Hyperbolic(2), Hyperbolic(7), karcher.Projective(2), karcher.Rotations(3),
        karcher.Torus(2), Euclidean(3), Kendall(4), karcher.Grassmannian(4, 2), Sphere(2) * Euclidean(2),
    ],
    ids=lambda space: space.name,
)  # fmt: skip
def test_leading_axes_are_broadcast_and_rows_have_the_bits_that_they_have_alone(space):
    rng = np.random.default_rng(5)
    if space.name.startswith("torus"):
        x = rng.uniform(-1.5, 1.5, size=(35, *space.shape))
    elif space.name.startswith("grassmann"):
        x = np.linalg.qr(np.eye(*space.shape) + 0.3 * rng.standard_normal((35, *space.shape)))[0]
    elif "*" in space.name:
        x = np.hstack([cloud(Sphere(2), 35), cloud(Euclidean(2), 35)])
    else:
        x = cloud(space, 35)
    x = space.project(x)
    x, y = x[:5].reshape(5, 1, *space.shape), x[5:35].reshape(2, 1, 15, *space.shape)
    axes = (2, 5, 15)
    distances, logs = space.dist(x, y), space.log(x, y)
    assert distances.shape == axes and logs.shape == axes + space.shape
    ends, moved = space.exp(x, logs), space.transport(x, y, logs)
    norms, inner = space.norm(x, logs), space.inner(x, logs, logs[:1])
    assert_allclose(norms, distances, rtol=1e-9, atol=1e-12)
    assert_allclose(space.dist(ends, y), 0.0, atol=1e-7)
    for i, j, k in np.ndindex(axes):
        p, q, v = x[j, 0], y[i, 0, k], logs[i, j, k]
        assert space.dist(p, q) == distances[i, j, k]
        for together, alone in [
            (logs, space.log(p, q)), (ends, space.exp(p, v)), (moved, space.transport(p, q, v)),
            (norms, space.norm(p, v)), (inner, space.inner(p, v, logs[0, j, k])),
        ]:  # fmt: skip
            assert np.array_equal(together[i, j, k], alone)
    # the whole matrix, and one point against all, are the same numbers again
    flat = y.reshape(30, *space.shape)
    assert np.array_equal(space.dist(x, flat), space.dist(x[:, 0][:, None], flat[None, :]))
    assert np.array_equal(space.dist(x[3, 0], flat), space.dist(x, flat)[3])
    assert np.array_equal(space.project(y), space.project(flat).reshape(y.shape))


UNCHECKED = [
    Sphere(1), Sphere(2), Sphere(9), Hyperbolic(2), Hyperbolic(7), karcher.Projective(2), karcher.Projective(8),
    karcher.Rotations(3), karcher.Torus(2), Euclidean(3), Euclidean(11), Kendall(4), karcher.Grassmannian(4, 2),
    Sphere(2) * Euclidean(2), SPD(3), SPD(6), SPD(3, metric="affine-invariant"), SPD(12, metric="affine-invariant"),
]  # fmt: skip


def operations(space, p, q, v, w, **options):
    """All six, each as a function of nothing, on rows, from one point, and of all pairs."""
    for first in (p, p[0]):
        yield lambda: space.exp(first, v, **options)
        yield lambda: space.log(first, q, **options)
        yield lambda: space.dist(first, q, **options)
        yield lambda: space.inner(first, v, w, **options)
        yield lambda: space.norm(first, v, **options)
        yield lambda: space.transport(first, q, v, **options)
    yield lambda: space.transport(p[0], q[0], v, **options)
    yield lambda: space.dist(p[:, None], q, **options)


@pytest.mark.parametrize("space", UNCHECKED, ids=lambda space: space.name)
def test_what_is_not_checked_has_the_same_bits(space):
    rng = np.random.default_rng(6)
    steps = 0.3 * rng.standard_normal((2, 300, space.dim))
    p, q = (space.project(space._core.from_coordinates(space.origin, step)) for step in steps)
    p[0] = space.origin  # at which all other vectors are tangent too, but for those of rows
    at = np.broadcast_to(p[0], p.shape)
    v, w = space.log(at, q), space.log(at, p)
    for base in (at, p[:1]):
        checked = operations(space, base, q, v, w)
        for one, other in zip(checked, operations(space, base, q, v, w, check=False)):
            assert np.array_equal(one(), other())
    v = space.log(p, q)
    assert np.array_equal(space.exp(p, v), space.exp(p, v, check=False))
    assert np.array_equal(space.transport(p, q, v), space.transport(p, q, v, check=False))


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("space", UNCHECKED, ids=lambda space: space.name)
def test_many_rows_that_threads_share_have_the_bits_of_few(space, check):
    steps = 0.3 * np.random.default_rng(8).standard_normal((3, 20, space.dim))
    few = [space.project(space._core.from_coordinates(space.origin, step)) for step in steps]
    few[2:] = space.log(few[0], few[1]), space.log(few[0], few[2])
    numbers = 20 * np.prod(space.shape)
    times = 2 + int(4e5 / (numbers * np.prod(space.shape) ** 0.5))
    many = [np.concatenate([x] * times) for x in few]
    both = zip(operations(space, *few, check=check), operations(space, *many, check=check))
    for of_few, of_many in itertools.islice(both, 6):
        found, expected = of_many(), of_few()
        assert len(found) == 20 * times and np.array_equal(found[:20], expected)
        assert np.array_equal(found[-20:], expected)


@pytest.mark.parametrize("space", UNCHECKED, ids=lambda space: space.name)
@pytest.mark.parametrize("number", [0.0, -1.0, 1e-320, 1e160, -1e300, np.inf, np.nan])
def test_numbers_that_are_no_points_break_nothing_where_nobody_looks(space, number):
    rng = np.random.default_rng(7)
    p, q, v, w = rng.standard_normal((4, 20, *space.shape))
    for spoilt in range(4):
        x = [y.copy() for y in (p, q, v, w)]
        x[spoilt].reshape(20, -1)[::2, 0] = number
        x[spoilt][-3:] = number
        for call in operations(space, *x, check=False):
            try:
                call()
            except errors.Error as error:
                assert "internal" not in str(error)
    with pytest.raises(errors.Error):
        space.dist(np.full(space.shape, np.nan), q)
    with pytest.raises(errors.ArgumentTypeError, match="check is 1"):
        space.dist(p, q, check=1)


def test_rows_of_several_axes_are_named_by_both():
    s2 = Sphere(2)
    x = np.broadcast_to(np.eye(3), (2, 3, 3)).copy()
    x[1, 2] = [1, 0, 1]
    for call, error, words in [
        (lambda: s2.dist(x, [1, 0, 0]), errors.InvalidPointError, r"p, row \(2, 3\): .* norm is 1.414"),
        (lambda: s2.log(x[:1, :, None], -np.eye(3)), errors.CutLocusError, r"row \(1, 1, 1\): the logarithm does not"),
        (lambda: s2.exp(x[0][:, None], np.eye(3)), errors.InvalidPointError, r"row \(1, 1\): not a tangent vector"),
        (lambda: s2.transport(x[0], -x[0][::-1], np.zeros(3)), errors.CutLocusError, "row 2: "),
        (lambda: s2.dist(x, np.eye(3)[:2]), errors.Error, r"those of p are \(2, 3\), those of q are \(2,\)"),
    ]:
        with pytest.raises(error, match=words):
            call()


def test_one_row_goes_with_many():
    assert Sphere(1).dist(np.eye(2)[:1], np.eye(2)).shape == (2,)
    assert Sphere(1).dist(np.eye(2)[:, None], np.eye(2)[:1]).shape == (2, 1)


def test_nothing_of_nothing():
    with pytest.raises(errors.Error, match="no records"):
        Sphere(2).dist(np.empty((0, 3)), [1, 0, 0])
    assert Sphere(2).random_point(0).shape == (0, 3)


def test_random_points_have_the_law_they_are_asked_for():
    # E dist for the Laplace law of scale 0.1 on S², by quadrature
    distance = Sphere(2).dist(Sphere(2).random_point(20_000, scale=0.1, law="laplace", random_state=3), [1, 0, 0])
    assert abs(distance.mean() - 0.19801980) < 5 * distance.std() / np.sqrt(len(distance))
    assert not np.array_equal(Sphere(2).random_point(), Sphere(2).random_point())


def test_layouts_are_read_and_written():
    degrees = np.array([[50.07, 14.43], [-90.0, 0.0], [0.0, 180.0]])
    sphere = Sphere(2)
    assert_allclose(sphere.write(sphere.read(degrees, "latlon"), "latlon"), degrees, atol=1e-12)
    assert_allclose(sphere.read(np.radians(degrees), "latlon-radians"), sphere.read(degrees, "latlon"), atol=1e-15)
    x = cloud(SPD(4), 30)
    rows, columns = np.triu_indices(4)
    assert_allclose(SPD(4).write(x, "upper-row"), x[:, rows, columns], rtol=0, atol=0)
    assert_allclose(SPD(4).read(x[:, rows, columns], "upper-row"), x, rtol=0, atol=0)
    landmarks = np.random.default_rng(0).normal(size=(5, 4, 2))
    blocked = landmarks.swapaxes(1, 2).reshape(5, 8)
    assert_allclose(Kendall(4).read(blocked, "blocked"), Kendall(4).project(landmarks), rtol=0, atol=1e-15)
    one = sphere.read([0.0, 90.0], "latlon")
    assert one.shape == (3,) and sphere.write(one, "latlon").shape == (2,)


def test_balls_of_hyperbolic_space_agree_with_geomstats():
    ours, theirs = Hyperbolic(2), PoincareBall(2)
    u, v = (np.random.default_rng(seed).uniform(-0.65, 0.65, size=(200, 2)) for seed in (1, 2))
    p, q = ours.read(u, "poincare"), ours.read(v, "poincare")
    assert_allclose(ours.dist(p, q), theirs.metric.dist(u, v), rtol=1e-9, atol=1e-9)
    assert_allclose(ours.write(p, "poincare"), u, atol=1e-14)
    assert_allclose(ours.write(p, "klein"), p[:, 1:] / p[:, :1], rtol=1e-14)
    assert_allclose(ours.read(p[:, 1:] / p[:, :1], "klein"), p, rtol=1e-10)


def test_layouts_say_what_they_cannot_hold():
    for call, error, words in [
        (lambda: Sphere(2).read([[0, 0], [91, 0]], "latlon"), errors.InvalidPointError, "x, row 2: latitude 91 is"),
        (lambda: Hyperbolic(2).read([0.6, 0.9], "poincare"), errors.InvalidPointError, "x: its norm is 1.08.* below 1"),
        (lambda: Hyperbolic(2).read([0.6, np.nan], "klein"), errors.InvalidPointError, "x: number 2 is NaN"),
        (lambda: SPD(2).write(2 * np.eye(2), "correlation-upper-row"), errors.InvalidPointError, "cannot hold .* is 2"),
        (lambda: Sphere(2).read([0, 0, 1], "latlon"), errors.Error, r"x has shape \(3,\): .* \(2,\), or \(n, 2\)"),
        (
            lambda: Sphere(3).read([0, 0], "latlon"),
            errors.Error,
            "unknown layout `latlon` of sphere:3: expected vectors",
        ),
    ]:
        with pytest.raises(error, match=words):
            call()


def test_spaces_by_name_only_pass_names_on():
    # whether the library has them is the library's to say
    for make, name in [
        (lambda: karcher.Projective(2), "projective:2"),
        (karcher.Rotations, "rotations:3"),
        (lambda: karcher.Torus(2), "torus:2"),
        (lambda: karcher.Grassmannian(5, 2), "grassmann:5,2"),
        (lambda: Sphere(2) * Euclidean(1), "sphere:2*euclidean:1"),
    ]:
        try:
            assert make().name == name and type(karcher.manifold(name)) is type(make())
        except errors.Error as refused:
            assert f"unknown manifold `{name}`" in str(refused)
    with pytest.raises(TypeError):
        Sphere(2) * 3


def test_manifolds_are_values():
    for space, _ in SPACES.values():
        assert pickle.loads(pickle.dumps(space)) == space == copy.deepcopy(space) == karcher.manifold(space.name)
        assert hash(space) == hash(karcher.manifold(space.name)) and type(space) is type(karcher.manifold(space.name))
    assert SPD(3) != SPD(3, metric="affine-invariant")
    assert SPD(3, metric="riemann") == SPD(3, metric="affine-invariant")
    assert repr(Sphere(2)) == "karcher.manifold('sphere:2')"
    assert Sphere(2).curvature == (1.0, 1.0) and Kendall(5).dim == 6 and Hyperbolic(2).injectivity_radius == np.inf


@pytest.mark.parametrize(
    "manifold", [karcher.Rotations(3), karcher.Grassmannian(4, 2), karcher.Grassmannian(3, 1), karcher.Projective(2)]
)
def test_a_name_without_size_takes_that_of_the_records(manifold):
    center = np.eye(*manifold.shape) if len(manifold.shape) == 2 else manifold.origin
    records = np.stack([center, center])
    mean = karcher.FrechetMean(manifold.name.partition(":")[0]).fit(records)
    assert mean.manifold_.name == manifold.name
    with pytest.raises(karcher.Error, match="need their sizes"):
        karcher.FrechetMean("sphere*euclidean").fit(np.ones((2, 3)))


def test_a_record_that_has_to_be_read_changes_no_other():
    space = karcher.Kendall(5)
    x = space.random_point(40, scale=0.3, random_state=1)
    spoilt = x.copy()
    spoilt[7] = 3 * x[7] + 1
    others = np.arange(40) != 7
    assert np.array_equal(space.project(spoilt)[others], space.project(x)[others])
    assert np.allclose(space.dist(spoilt, x), 0, atol=1e-12)


def test_a_vector_that_is_not_quite_symmetric_counts_as_its_lower_triangle():
    for k in (3, 6, 9):
        space = SPD(k, metric="affine-invariant")
        p, q = space.random_point(2, scale=0.2, random_state=1)
        lower = np.tril(np.arange(1.0, k * k + 1).reshape(k, k))
        symmetric = lower + np.tril(lower, -1).T
        off = symmetric + 1e-8 * np.triu(symmetric, 1)
        assert not np.array_equal(off, symmetric)
        assert np.array_equal(space.transport(p, q, off), space.transport(p, q, symmetric))


@pytest.mark.parametrize("check", [True, False])
def test_vectors_that_numbers_do_not_hold_where_they_are_carried_to_are_refused(check):
    curved, plane = SPD(2, metric="affine-invariant"), Hyperbolic(2)
    one, v = np.eye(2), np.array([[2.0, 1.0], [1.0, 3.0]])
    for far in (1e150, 1e160):
        with pytest.raises(errors.InvalidPointError, match="beyond those of double precision"):
            curved.transport(one, far * one, 1e200 * np.array([v, v]), check=check)
        assert_allclose(curved.transport(one, far * one, np.array([v, v]), check=check), [far * v, far * v], rtol=1e-14)
    near, across = 1 - 1e-10, np.array([[1.0, -1.0], [-1.0, 1.0]])
    p = np.array([[1.0, near], [near, 1.0]])
    moved = curved.transport(p, 1e-150 * p, 1e300 * np.array([across, across]), check=check)
    assert_allclose(moved, 1e150 * np.array([across, across]), rtol=1e-5)
    for t in (6.0, 12.0):
        q = [np.cosh(t), np.sinh(t), 0.0]
        with pytest.raises(errors.InvalidPointError, match="beyond those of double precision"):
            plane.transport([1.0, 0.0, 0.0], q, [[0.0, 0.0, 1.0], [0.0, 1e307, 0.0]], check=check)


def test_exponentials_that_numbers_do_not_hold_are_cut_among_others_as_alone():
    for k in (3, 6):
        space, one = SPD(k, metric="affine-invariant"), np.eye(k)
        ends = space.exp(one, np.array([0.1 * one, 720 * one, -720 * one]))
        assert np.isfinite(ends).all()
        assert_allclose(np.diagonal(ends, axis1=1, axis2=2), np.exp([[0.1], [600], [-600]]) * np.ones(k), rtol=1e-12)


def test_matrices_and_landmarks_are_read_with_their_axes():
    rng = np.random.default_rng(0)
    turns = np.linalg.qr(rng.normal(size=(2, 3, 3, 3)))[0]
    turns *= np.linalg.det(turns)[..., np.newaxis, np.newaxis]
    rotations, shapes = karcher.Rotations(3), karcher.Kendall(6)
    flat = rotations.read(turns.reshape(2, 3, 9), "matrices")
    np.testing.assert_array_equal(rotations.read(turns, "matrices"), flat)
    x = rng.normal(size=(5, 2, 6))
    np.testing.assert_array_equal(shapes.read(x, "blocked"), shapes.read(x.reshape(5, 12), "blocked"))
    with pytest.raises(karcher.Error, match="give layout='interleaved'"):
        shapes.read(x.swapaxes(1, 2), "blocked")
    with pytest.raises(karcher.Error, match=r"x has shape \(2, 1\)"):
        karcher.Torus(2).read([[1.0], [2.0]], "degrees")


def test_a_law_that_cannot_be_drawn_is_named():
    with pytest.raises(karcher.Error, match=r"cannot be drawn on sphere:2\*euclidean:1; draw them on each"):
        (karcher.Sphere(2) * karcher.Euclidean(1)).random_point(3)
