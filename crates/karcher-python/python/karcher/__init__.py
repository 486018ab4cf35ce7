"""Differentially private statistics of records on Riemannian manifolds.

Records are points of a curved space: directions, symmetric positive definite matrices, planar shapes, hyperbolic
embeddings. A release, such as a mean or a regression, has a proved guarantee of differential privacy. Only a release,
such as :class:`Release` or :class:`RegressionRelease`, publishes anything that depends on the records.

>>> import numpy as np, karcher
>>> directions = np.tile([0.6, 0.0, 0.8], (1000, 1))
>>> mean = karcher.PrivateFrechetMean(karcher.Sphere(2), radius=0.8, center=[0.0, 0.0, 1.0], epsilon=1.0)
>>> release = mean.fit(directions).release_
>>> release.value.shape, release.guarantee
((3,), Guarantee(epsilon=1.0))
"""

import lazy_loader

# SPEC 1: what `__init__.pyi` names is imported when it is used, as scikit-learn alone takes a second and a half.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
