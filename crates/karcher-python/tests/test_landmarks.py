"""Landmarks in space: files, and rotation onto a public template."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import karcher

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
