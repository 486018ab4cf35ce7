"""Draws the picture of the page about quantiles, of made-up ages. Needs karcher.

    python docs/pictures/quantiles.py
"""

from pathlib import Path

import numpy as np

import karcher


def main():
    ages = np.random.default_rng(0).gamma(6.0, 7.0, size=(5000, 1))
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    quantiles = karcher.PrivateQuantiles("euclidean:1", levels, 60.0, [60], mu=1.0, random_state=0)
    quantiles.fit(ages).release_.plot().save(Path(__file__).parent / "quantiles.svg")


if __name__ == "__main__":
    main()
