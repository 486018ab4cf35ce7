"""Covariance descriptors of images against NumPy and SciPy: run by `make test` where they can be installed.

    python3 -m venv .venv && .venv/bin/pip install numpy scipy
    # every entry of every descriptor
    .venv/bin/python oracles/descriptors_agree.py target/debug/karcher
    # the numbers stored in a Rust test
    .venv/bin/python oracles/descriptors_agree.py --print
    # your own images
    .venv/bin/python oracles/descriptors_agree.py target/debug/karcher FILE.npz KEY
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.signal import convolve2d

# The kernels as printed by Utpala, Vepakomma and Miolane (2023), appendix A.5, without their factors 1/4 and 1/32.
FIRST = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
SECOND = np.array([[1, 0, -2, 0, 1], [4, 0, -8, 0, 4], [6, 0, -12, 0, 6], [4, 0, -8, 0, 4], [1, 0, -2, 0, 1]])


def descriptor(image, eta):
    """`image`: unsigned 8-bit integers, height x width or height x width x 3."""
    image = image.astype(np.int64)
    height, width = image.shape[:2]
    grey = image if image.ndim == 2 else image @ np.array([299, 587, 114])
    white = 255 if image.ndim == 2 else 255_000

    def derivative(kernel, factor):  # of integers, so that cancellation is exact
        return np.abs(convolve2d(grey, kernel, mode="same", boundary="symm")) / (factor * white)

    i_x, i_y = derivative(FIRST, 4), derivative(FIRST.T, 4)
    i_xx, i_yy = derivative(SECOND, 32), derivative(SECOND.T, 32)
    y, x = np.meshgrid(np.linspace(0, 1, height), np.linspace(0, 1, width), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.where((i_x == 0) & (i_y == 0), 0.0, np.arctan(i_x / i_y))
    intensities = [image / 255] if image.ndim == 2 else [image[:, :, c] / 255 for c in range(3)]
    features = np.stack([x, y, *intensities, i_x, i_y, i_xx, i_yy, np.hypot(i_x, i_y), angle])
    features = features.reshape(len(features), -1)
    return np.cov(features, bias=True) + eta * np.eye(len(features))


def synthetic(height, width, channels):
    """Deterministic images with edges, ridges and flat parts."""
    i, j, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    image = (7 * i * i + 13 * j + i * j * (c + 1) + 50 * c) % 256 * ((i + 2 * j) % 5 != 0)
    return (image[:, :, 0] if channels == 1 else image).astype(np.uint8)


SHAPES = [(5, 7, 1), (28, 28, 1), (2, 2, 1), (3, 4, 3), (32, 32, 3)]


def karcher(images, eta, folder):
    # with an axis of channels: without, images one pixel wide could be the channels of one image
    np.save(folder / "images.npy", images if images.ndim == 4 else images[..., None])
    command = [sys.argv[1], "describe", folder / "images.npy", "--eta", str(eta), "--output", folder / "out.npy"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return np.load(folder / "out.npy")


def compare(images, eta):
    with tempfile.TemporaryDirectory() as folder:
        ours = karcher(images, eta, Path(folder))
    worst = max(np.abs(ours[i] - descriptor(image, eta)).max() for i, image in enumerate(images))
    assert worst < 1e-14, f"{images.shape}: entries differ by {worst}"
    return worst


def main():
    if sys.argv[1] == "--print":
        for height, width, channels in SHAPES:
            r = descriptor(synthetic(height, width, channels), 1e-6)
            places = [(0, 0), (1, 2), (3, 2), (5, 4), (6, 3), (7, 7), (8, 5), (8, 8)]
            entries = ", ".join(f"({i}, {j}, {float(r[i, j])!r})" for i, j in places)
            print(f"(({height}, {width}, {channels}), [{entries}]),")
        return
    for height, width, channels in SHAPES:
        compare(synthetic(height, width, channels)[None], 1e-6)
    random = np.random.default_rng(1)
    for shape in [(50, 9, 11), (20, 1, 6), (20, 7, 1), (50, 8, 6, 3), (2, 150, 200, 3)]:
        compare(random.integers(0, 256, shape, dtype=np.uint8), 1e-4)
    if len(sys.argv) == 4:
        images = np.load(sys.argv[2])[sys.argv[3]]
        print(f"{len(images)} images of {sys.argv[2]}: entries differ by at most {compare(images, 1e-6):.1e}")
    print("descriptors agree with SciPy")


if __name__ == "__main__":
    main()
