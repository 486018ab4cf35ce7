"""What the noise on the moments of a regression on features does to fields that it predicts (user guide, R5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _karcher

if TYPE_CHECKING:
    from ._fields import Projection
    from .manifolds import Floats
    from .release import FeatureRegressionRelease


@dataclass(frozen=True, eq=False)
class Moments:
    """Released moments, as the library reads them: ``design`` is Ã, ``inverse`` is M, and ``coefficients`` M·C̃ is B."""

    design: Floats
    inverse: Floats
    coefficients: Floats
    of_features: float
    """The standard deviation of the noise on each number of Ã on its diagonal; elsewhere it is 1/√2 of it."""
    of_responses: float
    """That on each number of C̃."""
    radius: float

    @classmethod
    def of(cls, release: FeatureRegressionRelease) -> Moments:
        """The moments of a release."""
        [design, inverse], [of_features, of_responses] = _karcher.feature_design(release.to_json())
        return cls(design, inverse, release.coefficients, of_features, of_responses, release.ball.radius)

    def errors(self, rows: Floats, projection: Projection) -> Floats:
        """The root mean square errors in each voxel of linear functions of the coefficients, of shape (n, V).

        With w = M·x the error of a prediction is −wᵀ(N·B − N′) − (x − Ã·w)ᵀB. Of the first part this is the mean square
        in a voxel, with the released w and B; of the second, which damping takes away, the square. Where x − Ã·w is
        longer than noise makes it, the excess counts with the largest coefficients that there may be, in any direction.
        **Damping shrinks the released B, too**: where noise hides most of a term, the error may be larger than stated.
        """
        coefficients, basis, (q, d) = self.coefficients, projection.basis, self.coefficients.shape

        def squares(of: Floats) -> Floats:
            """The squared lengths in each voxel of the field with these coefficients."""
            found: Floats = np.sum(np.asarray(basis.T @ of.reshape(-1, projection.space.dim)) ** 2, axis=1)
            return found

        weights = projection.weights()
        all_features = sum(squares(row) for row in coefficients)
        largest = max(float(np.linalg.norm(coefficients)), self.radius)
        found = []
        for x in rows:
            w = self.inverse @ x
            left, length = x - self.design @ w, float(np.linalg.norm(w))
            by_responses = (length * self.of_responses) ** 2 * projection.space.dim * weights
            by_features = 0.5 * self.of_features**2 * (length**2 * all_features + squares(w @ coefficients))
            turned = self.of_features * length * (np.sqrt(q) + 2.0) / np.sqrt(2.0)
            excess = max(float(np.linalg.norm(left)) - turned, 0.0) * largest
            by_damping = squares(left @ coefficients) + excess**2 * projection.space.dim / d * weights
            found.append(np.sqrt(by_responses + by_features + by_damping))
        return np.array(found)
