"""Private principal components about a private mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _arguments, _docs, _spec
from ._parameters import estimator
from ._private import check_is_fitted, onto_template, seen_records
from ._sklearn import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from ._threads import in_threads
from .errors import Error
from .estimators import _Mean
from .manifolds import Manifold
from .tangent import checked, coordinates_of

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats


class _AlongComponents(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What has principal components at a private mean."""

    manifold_: Manifold
    release_: Any
    mean_: Floats
    components_: Floats

    def _logarithms(self, X: ArrayLike) -> Floats:
        """The logarithms of records at the mean, of those rotated onto the template where the release has one."""
        records = seen_records(self, X)
        turned = onto_template(self.manifold_, self.release_, records)
        return checked(lambda: self.manifold_.log(self.mean_, turned))

    def _combined(self, X: ArrayLike) -> Floats:
        """The combinations of the components with these coefficients."""
        check_is_fitted(self)
        combined: Floats = np.tensordot(coordinates_of(X, len(self.components_)), self.components_, axes=1)
        return combined

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


@estimator
class PrivateTangentPCA(_AlongComponents, _Mean):
    """The principal components of records in the tangent space at their private Fréchet mean. **Every** ``fit``
    **spends the budget**, half of it on the mean and half on the second moment. This is a symmetric matrix of d(d+1)/2
    noisy numbers, so it needs many records. A spread takes its part of the budget first.

    ``transform`` gives the coordinates of records along the components. **Each row is as confidential as its record**.

    Parameters
    ----------
    manifold : Manifold or str
        A manifold, its name, or its name without the size, which the records then determine. It has at most 256
        dimensions.
    radius : float
        Radius of the public ball, in units of distance; required, unless you give ``ball``.
    {center}
    {budget}
    n_components : int, optional
        Number of components in ``components_``; all by default. ``release_`` always has all.
    clip : float, optional
        Public length to which logarithms at the private mean are shortened; by default the radius.
    {located}
    mechanism, steps, calibration, bound, tolerance, numerics, denoise, assume_in_ball : optional
        Parameters of the mean, as for :class:`PrivateFrechetMean`.
    {spread}
    {on_invalid}
    {settings}

    Attributes
    ----------
    mean_ : array of the manifold's ``shape``
        The private mean.
    components_ : array of shape (n_components, *shape)
        Tangent vectors at the mean, of length 1 and perpendicular to one another.
    explained_variance_ : array of shape (n_components,)
        The mean squared lengths along the components. Noise may make some negative.
    explained_variance_ratio_ : array of shape (n_components,)
    noise_level_ : float
        About the largest variance due to noise alone: components with less are noise.
    release_ : Release
        The release with all facts about it.
    manifold_ : Manifold

    Notes
    -----
    User guide, "Spread, regions, components" (D3).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> t = np.linspace(-0.5, 0.5, 20_000)
    >>> arc = np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)
    >>> pca = karcher.PrivateTangentPCA(karcher.Sphere(2), radius=0.8, center=[1, 0, 0], epsilon=4.0).fit(arc)
    >>> bool(abs(pca.components_[0][1]) > 0.95), bool(pca.explained_variance_ratio_[0] > 0.9)
    (True, True)
    >>> pca.set_params(n_components=1).fit(arc).transform(arc[:3]).shape
    (3, 1)
    """

    _: KW_ONLY
    n_components: Optional[int] = None
    clip: Optional[float] = None

    @in_threads
    def transform(self, X: ArrayLike) -> Floats:
        """The coordinates of records along the components, which are as confidential as the records. They are the inner
        products of logarithms at ``mean_`` with ``components_``.

        Parameters
        ----------
        X : array of shape (n, *shape)
            Records. After a ``fit`` with a template they are rotated onto it.

        Returns
        -------
        array of shape (n, n_components)

        Raises
        ------
        CutLocusError
            When a record is at the largest distance from the mean.
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        """
        along = self._logarithms(X)[:, np.newaxis]
        coordinates: Floats = self.manifold_.inner(self.mean_, along, self.components_, check=False)
        return coordinates

    @in_threads
    def inverse_transform(self, X: ArrayLike) -> Floats:
        """The points with these coordinates along the components: ``Exp`` at ``mean_``.

        Parameters
        ----------
        X : array of shape (n, n_components)

        Returns
        -------
        array of shape (n, *shape)
        """
        combined = self._combined(X)
        return self.manifold_.exp(self.mean_, combined)

    def _spec(self, space: Manifold, unit: str, components: Optional[dict[str, Any]] = None) -> dict[str, Any]:
        kept = _arguments.optional(_arguments.count, "n_components", self.n_components)
        if kept is not None and not 1 <= kept <= space.dim:
            raise Error(f"n_components is {kept}: it must be from 1 to {space.dim}, the dimension of {space.name}")
        clip = _spec.number("clip", self.clip)
        return super()._spec(space, unit, {} if clip is None else {"clip": clip})

    def _tell(self) -> None:
        kept, found = self.n_components, self.release_.components
        assert found is not None  # they were asked for
        self.mean_: Floats = self.release_.value
        self.components_: Floats = found.directions[:kept]
        self.explained_variance_: Floats = np.array(found.variances[:kept])
        self.explained_variance_ratio_: Floats = np.array(found.explained_variance_ratio[:kept])
        self.noise_level_: float = found.noise_level


__dir__ = _docs.complete(globals())
