"""Directional statistics with a budget that hides nothing, against PmagPy, SciPy and R's circular: run by `make test`.

    .venv/bin/pip install scipy pandas matplotlib && .venv/bin/pip install --no-deps "pmagpy>=4.3,<5"
    .venv/bin/python oracles/directional_by_peers.py

Needs the Python package. At epsilon 10^6 the noise on a mean of 200 records is below 1e-7, so what differs by more is a
difference of definitions. Prints the largest difference of each statistic. R is not needed: its numbers, of circular
0.4-95 on R 4.2, stand below with the calls that printed them.
"""

import csv
import math
import pathlib
import sys

import karcher
import numpy as np
from karcher import directional
from scipy import special, stats
from scipy.spatial.transform import Rotation

try:
    from pmagpy import pmag
except ImportError:
    pmag = None

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
LARGE = 1e6

# For angles of examples in degrees, and for x = (137.507764·i + c·sin(137.507764·i)) mod 360, i = 0, …, 199:
#     a <- circular(x, units = "degrees")
#     mean(a) %% 360; rho.circular(a); mle.vonmises(a, bias = FALSE)$kappa; rayleigh.test(a)$p.value
R_CIRCULAR = {
    "winds": (348.145579374, 0.924776797, 6.927019968, 5.2145724e-75),
    "winds, doubled": (336.347368537, 0.733847693, 2.235664570, 1.67365889e-47),
    "phi": (294.924687178, 0.971897375, 18.052725326, 9.00393082e-83),
    "psi": (317.928012142, 0.971473616, 17.788593166, 1.06160336e-82),
    "weak, c = 25": (179.930230244, 0.206952660, 0.423085334, 0.000190495744),
    "weak, c = 10": (179.854072142, 0.081469783, 0.163483299, 0.265148532),
}

DIFFERENCES = {}


def check(statistic, peer, ours, theirs, within):
    """Refuses numbers that differ by more than `within`, and notes by how much they do."""
    off = float(np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float))))
    assert off <= within, f"{statistic}: karcher {ours}, {peer} {theirs}"
    before = DIFFERENCES.get((statistic, peer), (0.0, within))
    DIFFERENCES[statistic, peer] = max(off, before[0]), max(within, before[1])


def column(name, at):
    with open(EXAMPLES / f"{name}.csv") as file:
        return np.array([float(row[at]) for row in list(csv.reader(file))[1:]])


def turn(a, b, of=360.0):
    """The difference of two angles."""
    return (a - b + of / 2) % of - of / 2


def between(p_value, records):
    """How far a p-value of 10,000 made-up means may be off: five standard deviations, at least one draw, and what the
    normal law of means of so many records is off."""
    return 5.0 * math.sqrt(p_value * (1.0 - p_value) / 1e4) + 2e-4 + 0.2 / records


def directions(x):
    """Unit vectors, x north, y east and z down."""
    n, found = len(x), directional.fisher_statistics(x, epsilon=LARGE)
    if pmag is not None:
        pairs = karcher.Sphere(2).write(x, "declination-inclination")
        known = pmag.fisher_mean(pairs.tolist())
        check("declination, degrees", "PmagPy", turn(found.dec, known["dec"]), 0.0, 1e-4)
        check("inclination, degrees", "PmagPy", found.inc, known["inc"], 1e-4)
        check("R/n", "PmagPy", found.r / n, known["r"] / n, 1e-6)
        check("k, relative", "PmagPy", found.k / known["k"], 1.0, 1e-4)
        # Fisher's formula is for concentrated directions; for others it is too small
        if known["k"] > 10.0:
            check("α₉₅, degrees", "PmagPy", found.alpha95, known["alpha95"], 1e-4)
        assert found.alpha95 > known["alpha95"] - 1e-4
        check("csd, degrees", "PmagPy", found.csd, known["csd"], 1e-3)
    (factor,) = found.release.extrinsic.factors
    known = stats.directional_stats(x)
    check("mean direction", "SciPy", found.release.value, known.mean_direction, 1e-6)
    check("R̄", "SciPy", factor.mean_resultant_length, known.mean_resultant_length, 1e-6)
    kappa = stats.vonmises_fisher.fit(x)[1]
    check("κ of directions, relative", "SciPy", factor.concentration.kappa / kappa, 1.0, 1e-4)
    normal = math.degrees(math.sqrt(stats.chi2.ppf(0.95, 2) / (n * kappa * known.mean_resultant_length)))
    check("α₉₅ of normal means, relative", "SciPy", found.alpha95 / normal, 1.0, 1e-2)


def uniform(p, n, lean, rng):
    """Rayleigh's and Bingham's test of records that lean a little to one axis, with the χ² laws of many records."""
    x = rng.normal(size=(n, p)) + lean * np.eye(p)[0]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    mean = karcher.PrivateFrechetMean(karcher.Sphere(p - 1), epsilon=LARGE).fit(x).release_
    known = stats.chi2.sf(p * n * np.sum(x.mean(axis=0) ** 2), p)
    check("p-value, Rayleigh", "SciPy", mean.extrinsic.factors[0].uniformity.p_value, known, between(known, n))
    values = np.linalg.eigvalsh(x.T @ x / n)
    known = stats.chi2.sf(p * (p + 2) / 2 * n * np.sum((values - 1 / p) ** 2), (p - 1) * (p + 2) / 2)
    check("p-value, Bingham", "SciPy", directional.axial_statistics(x, epsilon=LARGE).p_value, known, between(known, n))


def axes(x, pairs=None):
    found, p = directional.axial_statistics(x, epsilon=LARGE), x.shape[1]
    values, vectors = np.linalg.eigh(x.T @ x / len(x))
    check("eigenvalues", "NumPy", found.eigenvalues, values[::-1], 1e-6)
    check("principal axis, cosine", "NumPy", abs(vectors[:, -1] @ found.axis), 1.0, 1e-9)
    of_kappa = special.hyp1f1(1.5, p / 2 + 1, found.kappa) / p / special.hyp1f1(0.5, p / 2, found.kappa)
    check("κ of Watson's law, by its mean", "SciPy", of_kappa, values[-1], 1e-6)
    if pairs is not None and pmag is not None:
        known = pmag.doprinc(np.column_stack([pairs, np.ones(len(pairs))]).tolist())
        check("eigenvalues", "PmagPy", found.eigenvalues, [known["tau1"], known["tau2"], known["tau3"]], 1e-6)
        check("trend, degrees", "PmagPy", turn(found.trend, known["dec"], 180.0), 0.0, 1e-4)
        check("plunge, degrees", "PmagPy", abs(found.plunge), abs(known["inc"]), 1e-4)


def rotations(given):
    found, known = directional.rotation_mean(given, epsilon=LARGE), given.mean()
    check("mean rotation, matrix", "SciPy", found.matrix, known.as_matrix(), 1e-6)


def angles(name, x):
    found = directional.circular_mean(x, degrees=True, epsilon=LARGE)
    check("circular mean, degrees", "SciPy", turn(found.mean, stats.circmean(x, high=360.0)), 0.0, 1e-3)
    resultant = 1.0 - stats.circvar(np.radians(x))
    check("R̄ of angles", "SciPy", found.mean_resultant_length, resultant, 1e-6)
    kappa, *_ = stats.vonmises.fit(np.radians(x), fscale=1)
    check("κ of angles, relative", "SciPy", found.kappa / kappa, 1.0, 1e-4)
    mean, resultant, kappa, p_value = R_CIRCULAR[name]
    check("circular mean, degrees", "R circular", turn(found.mean, mean), 0.0, 1e-3)
    check("R̄ of angles", "R circular", found.mean_resultant_length, resultant, 1e-6)
    # circular inverts I₁/I₀ by a formula in three pieces
    check("κ of angles, relative", "R circular", found.kappa / kappa, 1.0, 5e-3)
    check("p-value, Rayleigh", "R circular", found.p_value, p_value, between(p_value, len(x)))


def axial_angles(x):
    found = directional.circular_mean(x, degrees=True, axial=True, epsilon=LARGE)
    mean, resultant, kappa, p_value = R_CIRCULAR["winds, doubled"]
    check("mean of axial angles, degrees", "R circular", turn(found.mean, mean / 2, 180.0), 0.0, 1e-4)
    check("R̄ of axial angles", "R circular", found.mean_resultant_length, resultant, 1e-6)
    check("κ of axial angles, relative", "R circular", found.kappa / kappa, 1.0, 5e-3)
    check("p-value, Rayleigh", "R circular", found.p_value, p_value, between(p_value, len(x)))


def main():
    rng = np.random.default_rng(1)
    for kappa, n in [(2.0, 500), (20.0, 200), (300.0, 200)]:
        directions(stats.vonmises_fisher([0.6, 0.0, 0.8], kappa).rvs(n, random_state=rng))
    for p, n, lean in [(3, 500, 0.0), (3, 500, 0.1), (3, 2000, 0.05), (10, 1000, 0.1)]:
        uniform(p, n, lean, rng)
    pairs = np.column_stack([column("lineations", 0), column("lineations", 1)])
    axes(karcher.Projective(2).read(pairs, "trend-plunge"), pairs)
    for p in (3, 5):
        x = rng.normal(size=(1000, p)) + 2.0 * np.eye(p)[0]
        axes(x / np.linalg.norm(x, axis=1, keepdims=True) * rng.choice([-1.0, 1.0], size=(1000, 1)))
    rotations(Rotation.from_quat(np.column_stack([column("poses", i) for i in range(4)])))
    rotations(Rotation.from_rotvec(rng.normal([0.0, 0.3, 1.0], 0.4, size=(500, 3))))
    golden = 137.507764 * np.arange(200)
    angles("winds", column("winds", 0))
    angles("phi", column("torsions", 0))
    angles("psi", column("torsions", 1))
    for c in (25, 10):
        angles(f"weak, c = {c}", (golden + c * np.sin(np.radians(golden))) % 360.0)
    axial_angles(column("winds", 0))
    for (statistic, peer), (off, within) in DIFFERENCES.items():
        print(f"| {statistic} | {peer} | {off:.0e} | {within:.0e} |")
    if pmag is None:
        print("PMAGPY IS NOT INSTALLED: FISHER STATISTICS WERE NOT COMPARED WITH IT.")
        sys.exit(1)


if __name__ == "__main__":
    main()
