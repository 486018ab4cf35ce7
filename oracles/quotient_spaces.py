"""Numbers of other libraries for tests in karcher-geometry, manifold/{rotations,grassmann}.rs, which name this file.

    python3 -m venv .venv && .venv/bin/pip install geomstats "numpy<2" "scipy<1.14"
    .venv/bin/python oracles/quotient_spaces.py

geomstats 2.8 holds subspaces as projection matrices, and tangent vectors as symmetric matrices Y Hᵀ + H Yᵀ. Its lengths
and angles are √2 times as large as in the library. SciPy 1.13 writes quaternions x y z w.
"""

import numpy as np
from geomstats.geometry.grassmannian import Grassmannian
from scipy.linalg import subspace_angles
from scipy.spatial.transform import Rotation

np.set_printoptions(precision=17, floatmode="unique", linewidth=120)


def projector(basis):
    q, _ = np.linalg.qr(np.array(basis, float))
    return q @ q.T


for name, one, other in [
    ("grassmann:4,2", [[1, 0], [2, 1], [0, 1], [1, -1]], [[1, 1], [1, 2], [1, 0], [2, -1]]),
    ("grassmann:5,2", [[1, 2], [0, 1], [3, -1], [1, 1], [0, 2]], [[1, 1], [0, 2], [2, -1], [1, 1], [1, 2]]),
    ("grassmann:5,3", [[1, 2, 0], [0, 1, 1], [3, -1, 0], [1, 1, 2], [0, 2, 1]],
     [[1, 1, 0], [0, 2, 1], [2, -1, 1], [1, 1, 2], [1, 2, 1]]),
]:
    n, k = np.array(one).shape
    space = Grassmannian(n, k)
    p, q = projector(one), projector(other)
    log = space.metric.log(q, p)
    angles = subspace_angles(np.array(one, float), np.array(other, float))
    print(name, "distance / √2", repr(float(space.metric.dist(p, q) / np.sqrt(2))), "angles", np.linalg.norm(angles))
    print("  logarithm, first row", log[0])
    print("  Exp of half of it, first row", space.metric.exp(0.5 * log, p)[0])

one, other = np.array([0.3, -1.2, 0.4]), np.array([2.0, 0.5, -1.5])
r, s = Rotation.from_rotvec(one), Rotation.from_rotvec(other)
print("quaternion", r.as_quat(), s.as_quat())
print("matrix", r.as_matrix().ravel())
print("body logarithm", (r.inv() * s).as_rotvec(), "angle", repr(float((r.inv() * s).magnitude())))
