"""Arrays of MATLAB files and NIfTI images."""

import gzip
import os

import nibabel
import numpy as np
import pytest
import scipy.io

import karcher
from karcher.preprocessing import read_mat, read_nifti


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(1)
    scipy.io.savemat(tmp_path / "one.mat", {"C": rng.normal(size=(3, 3, 5))})
    cells = np.empty((1, 4), dtype=object)
    for i in range(4):
        cells[0, i] = i * np.eye(2)
    ragged = cells.copy()
    ragged[0, 0] = np.eye(3)
    scipy.io.savemat(
        tmp_path / "many.mat",
        {"real": np.ones((2, 3)), "wave": np.ones((2, 2, 7)) * 1j, "cells": cells, "ragged": ragged, "s": "x"},
    )
    nibabel.save(nibabel.Nifti1Image(rng.normal(size=(2, 3, 4, 6)), np.eye(4)), tmp_path / "tensors.nii.gz")
    return tmp_path


def test_records_of_matlab_come_first(folder):
    whole = scipy.io.loadmat(folder / "one.mat")["C"]
    found = read_mat(folder / "one.mat")
    assert found.shape == (5, 3, 3) and np.array_equal(found[2], whole[:, :, 2])
    assert read_mat(str(folder / "many.mat"), "real", axis=0).shape == (2, 3)
    assert read_mat(folder / "many.mat", "wave").dtype == np.complex128
    assert np.array_equal(read_mat(folder / "many.mat", "cells")[3], 3 * np.eye(2))


@pytest.mark.parametrize(
    "name, how, reason",
    [
        ("many.mat", {}, "name is missing; its variables are cells, ragged, real, s, wave"),
        ("many.mat", {"name": "C"}, "it has no variable C"),
        ("many.mat", {"name": "ragged"}, "no array of numbers"),
        ("many.mat", {"name": "s"}, "no array of numbers"),
        ("one.mat", {"axis": 3}, "axis is 3"),
        ("none.mat", {}, "none.mat"),
        ("tensors.nii.gz", {}, "no MATLAB file"),
    ],
)
def test_what_is_no_array_of_matlab_is_refused(folder, name, how, reason):
    with pytest.raises(karcher.Error, match=reason):
        read_mat(folder / name, **how)


def test_hostile_matlab_files_are_refused(folder):
    rng = np.random.default_rng(2)
    whole = (folder / "one.mat").read_bytes()
    for i in range(300):
        cut = bytearray(whole[: rng.integers(len(whole))] if i % 2 else whole)
        for _ in range(i % 7):
            if cut:
                cut[rng.integers(len(cut))] = rng.integers(256)
        (folder / "bad.mat").write_bytes(bytes(cut))
        try:
            read_mat(folder / "bad.mat")
        except karcher.Error:
            pass


def test_a_version_that_scipy_does_not_read_is_named(folder):
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (folder / "new.mat").write_bytes(header + bytes(400))
    with pytest.raises(karcher.Error, match="7.3 file"):
        read_mat(folder / "new.mat")


def test_voxels_of_an_image_are_records(folder):
    whole = np.asarray(nibabel.load(folder / "tensors.nii.gz").dataobj)
    assert np.array_equal(read_nifti(folder / "tensors.nii.gz"), whole.reshape(-1, 6))
    mask = np.zeros((2, 3, 4))
    mask[1, 2, 3] = mask[0, 0, 0] = 1
    chosen = read_nifti(folder / "tensors.nii.gz", mask)
    assert np.array_equal(chosen, whole[[0, 1], [0, 2], [0, 3]])
    with pytest.raises(karcher.Error, match="mask has the shape"):
        read_nifti(folder / "tensors.nii.gz", mask[1:])
    (folder / "bad.nii.gz").write_bytes(gzip.compress(os.urandom(500)))
    with pytest.raises(karcher.Error):
        read_nifti(folder / "bad.nii.gz")


@pytest.mark.parametrize(
    "shape, how, expected",
    [
        ((9, 3), {}, (9, 3)),
        ((9, 3), {"axis": -1}, (3, 9)),
        ((1, 9), {}, (9, 1)),
        ((9, 1), {}, (9, 1)),
        ((3, 3, 9), {}, (9, 3, 3)),
        ((3, 3, 9), {"axis": 0}, (3, 3, 9)),
    ],
)
def test_observations_are_rows_of_a_matrix_as_in_matlab(tmp_path, shape, how, expected):
    scipy.io.savemat(tmp_path / "x.mat", {"x": np.arange(float(np.prod(shape))).reshape(shape)})
    found = read_mat(tmp_path / "x.mat", **how)
    assert found.shape == expected
    if shape == (9, 3) and not how:
        assert np.array_equal(found[1], [3.0, 4.0, 5.0])


def test_the_intent_of_an_image_orders_the_numbers_of_a_matrix(tmp_path):
    tensor = np.array([[1.7, 0.1, 0.05], [0.1, 0.4, 0.02], [0.05, 0.02, 0.3]])
    image = nibabel.Nifti1Image(np.tile(tensor[np.tril_indices(3)], (2, 2, 2, 1, 1)), np.eye(4))
    image.header.set_intent("symmetric matrix", (3,))
    nibabel.save(image, tmp_path / "tensors.nii.gz")
    found = read_nifti(tmp_path / "tensors.nii.gz")
    assert found.shape == (8, 3, 3) and np.array_equal(found[0], tensor)
    karcher.PrivateFrechetMean("spd-log-euclidean", 3.0, np.eye(3), epsilon=1.0).fit(found)


def test_a_mask_in_another_place_than_the_image_is_refused(folder):
    mask = nibabel.Nifti1Image(np.ones((2, 3, 4)), np.diag([-1.0, 1, 1, 1]))
    with pytest.raises(karcher.Error, match="the mask has another affine than the image"):
        read_nifti(folder / "tensors.nii.gz", mask)
    assert len(read_nifti(folder / "tensors.nii.gz", nibabel.Nifti1Image(np.ones((2, 3, 4)), np.eye(4)))) == 24
