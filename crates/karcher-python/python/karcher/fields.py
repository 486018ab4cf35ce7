"""Means and regressions of whole images: one private release for a tensor, direction or number in each voxel.

The image of a subject is a field: V points on a public grid. In the tangent spaces at public centers it is a vector of
V·p numbers, for p dimensions. This vector is projected onto J public orthonormal fields, which gives J·p coefficients.
They are clipped to norm c·√V, and their mean is released. The root mean square error over the voxels is about
√(J·p)·2c/(n·μ) for n subjects, plus the error of the projection. It does not depend on V. A regression of the
coefficients on covariates is a regression in each voxel."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, features as _features
from ._bases import Modes, Parcels, Splines
from ._fields import Projection, written
from ._moments import Moments
from ._parameters import estimator
from ._of_fields import FieldPlan, OfFields, projection_of
from ._rows import check_rows
from ._threads import in_threads
from ._withheld import withholds
from .errors import Error
from .estimators import PrivateFrechetMean
from .manifolds import Euclidean
from .regression import PrivateFeatureRegression
from .release import FeatureRegressionRelease, Release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats

__all__ = [
    "FieldEffect", "FieldPlan", "Modes", "Parcels", "PrivateFieldMean", "PrivateFieldRegression", "Splines",
]  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class FieldEffect:
    """The difference of a regression's predictions in each voxel at two values of a covariate.

    Attributes
    ----------
    column, from_value, to_value
    coordinates : array of shape ``grid`` + (p,)
        The difference, as coordinates in the tangent space at the center of each voxel. NaN outside the mask.
    distance : array of shape ``grid``
        Length of the difference. On flat spaces it is the distance between the two predictions, before they are
        clipped.
    standard_error : array of shape ``grid``
        Root mean square error of the difference due to noise, as in :meth:`PrivateFieldRegression.standard_error`.
        Sampling of subjects is not included.
    """

    column: str
    from_value: Any
    to_value: Any
    coordinates: Floats
    distance: Floats
    standard_error: Floats

    def __repr__(self) -> str:
        most, error = np.nanmax(self.distance), np.nanmedian(self.standard_error)
        what = f"{self.column} from {self.from_value} to {self.to_value}"
        return f"FieldEffect of {what}: up to {most:.4g} a voxel, median standard error {error:.4g}"


@estimator
class PrivateFieldMean(OfFields[Release]):
    """The mean of the images of many subjects, one release for all voxels. **Every** ``fit`` **spends the budget**.

    An image has a point in each voxel of a public grid. On flat spaces, such as matrices with the log-Euclidean metric,
    the release is the Fréchet mean of the projected images in each voxel. On curved spaces it is the exponential of
    their mean logarithm at the center. There is one image per person, and the guarantee protects the whole image.

    Parameters
    ----------
    {fields}
    {budget}
    mechanism : {"auto", "gaussian", "laplace"}
        ``"auto"`` takes the one with the smallest expected error.
    denoise : {"none", "shrink"}
        ``"shrink"`` shrinks the coefficients towards the centers, as for :class:`karcher.PrivateFrechetMean`. This
        lowers the error of the whole field on average, but may raise the error of some voxels.
    {grid}
    {voxels}
    {neighbours}
    {settings}

    Attributes
    ----------
    field_ : array of shape ``grid`` + the manifold's ``shape``
        The private mean of each voxel. NaN outside the mask; the center in voxels where all basis fields are 0.
    coefficients_ : array of shape (J, p)
        The private coefficients of the basis fields.
    standard_error_ : array of shape ``grid``
        Root mean square error of each voxel due to noise, in units of distance, before denoising. NaN outside the mask.
        On curved spaces it is measured in the tangent space at the center.
    release_ : Release
        The private mean of the coefficients with all facts about it.
    manifold_ : Manifold

    Notes
    -----
    The basis, the mask and the centers are public, and are not in ``release_``: publish them with it.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> rng = np.random.default_rng(0)
    >>> images = (np.exp(0.2 * rng.normal()) * np.tile(0.7 * np.eye(3), (8, 8, 4, 1, 1)) for _ in range(500))
    >>> mean = karcher.fields.PrivateFieldMean(
    ...     karcher.SPD(3), basis=karcher.fields.Splines((2, 2, 2)), clip=1.0, center=0.7 * np.eye(3),
    ...     mask=np.ones((8, 8, 4)), mu=1.0,
    ... )
    >>> mean.plan(500)
    FieldPlan of 500 subjects with Guarantee(mu=1.0): error 0.07838 a voxel, gaussian
    >>> mean.fit(images).field_.shape
    (8, 8, 4, 3, 3)
    >>> mean.release_.guarantee, round(float(np.sqrt(np.mean(mean.standard_error_**2))), 5)
    (Guarantee(mu=1.0), 0.07838)
    """

    _: KW_ONLY
    mechanism: str = "auto"
    denoise: str = "none"

    @withholds
    @in_threads
    def fit(self, images: Iterable[Any], y: object = None) -> PrivateFieldMean:
        """Releases the mean of the images, which spends the budget.

        Parameters
        ----------
        images : iterable
            One image per subject: an array of shape ``grid`` + the manifold's ``shape``, the path of a NIfTI image, or
            a nibabel image. All must be registered to the grid, and their headers must agree. One image is read at a
            time.
        y : ignored

        {self}

        Raises
        ------
        InvalidPointError
            When a voxel is not a point, and for an image of another shape or affine; the message names subject and
            voxel.
        UnansweredError
            When an image cannot be read.
        Error
            For conflicting parameters, and for a file given twice.
        """
        projection = projection_of(self)
        mean = self._of_coefficients(projection)
        mean.spec()  # refused before the first image is read, where it can be
        self.release_ = mean.fit(projection.coefficients(images)).release_
        self.manifold_, self._projection = projection.space, projection
        self.coefficients_: Floats = self.release_.value.reshape(-1, projection.space.dim)
        self.field_: Floats = projection.field(self.coefficients_)
        law = [draw.law for draw in self.release_.noise if draw.quantity == "value"]
        self.standard_error_: Floats = projection.errors(
            self._deviation(self.release_.expected_distance, projection.size, "laplace" in law)
        )
        return self

    def to_nifti(self, path: Union[str, os.PathLike[str]], affine: Optional[ArrayLike] = None) -> None:
        """Writes ``field_`` as a NIfTI image, with 0 outside the mask. Matrices have their six numbers in ``layout``,
        by default ``"upper-row"``.

        Parameters
        ----------
        path : str or path
            A name that ends in ``.nii`` or ``.nii.gz``.
        affine : array of shape (4, 4), optional
            Where the voxels are; by default as in the NIfTI image of mask, labels or centers, else the identity.
        """
        projection = self._fitted()
        projection.save(written(self.manifold_, self.field_, projection.layout), path, affine)

    def standard_error_to_nifti(self, path: Union[str, os.PathLike[str]], affine: Optional[ArrayLike] = None) -> None:
        """Writes ``standard_error_`` as a NIfTI image. Parameters are as for :meth:`to_nifti`."""
        self._fitted().save(self.standard_error_, path, affine)

    def _of_coefficients(self, projection: Projection) -> PrivateFrechetMean:
        return PrivateFrechetMean(
            Euclidean(projection.size),
            mechanism=_arguments.one_of("mechanism", self.mechanism, "auto", "gaussian", "laplace"),
            denoise=_arguments.one_of("denoise", self.denoise, "none", "shrink"),
            **self._shared(projection),
        )

    @staticmethod
    def _deviation(expected: float, d: int, laplace: bool) -> float:
        if laplace:  # the length is a Gamma variable of shape d
            return expected * math.sqrt(d + 1) / d
        return expected / math.sqrt(2.0) * math.exp(math.lgamma(0.5 * d) - math.lgamma(0.5 * (d + 1)))


@estimator
class PrivateFieldRegression(OfFields[FeatureRegressionRelease]):
    """A regression of the images of many subjects on covariates, one release for all voxels. **Every** ``fit``
    **spends the budget**.

    It is :class:`karcher.PrivateFeatureRegression` of the coefficients of the images, and so a regression in each voxel
    in the tangent space at its center: least squares on flat spaces. There is one image per person, and the guarantee
    protects the image with its covariates.

    Parameters
    ----------
    {fields}
    {budget}
    features : list of terms, optional
        Terms of :mod:`karcher.features`, or their texts. Without it ``X`` is a matrix with a row of features for each
        subject, as for :class:`karcher.PrivateFeatureRegression`.
    {grid}
    {voxels}
    {neighbours}
    {settings}

    Attributes
    ----------
    coefficients_ : array of shape (q, J, p)
        For each feature the private coefficients of the basis fields.
    release_ : FeatureRegressionRelease
        The private regression of the coefficients, with a test for each term. Its distances are those of whole images:
        √V times the root mean square over the voxels.
    manifold_ : Manifold

    Notes
    -----
    The basis, the mask and the centers are public, and are not in ``release_``: publish them with it.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> from karcher.features import Linear
    >>> from karcher.fields import Parcels, PrivateFieldRegression
    >>> rng = np.random.default_rng(0)
    >>> parcels = np.repeat([1, 2], 50).reshape(10, 10)
    >>> people = {"age": rng.uniform(20, 80, 2000)}
    >>> images = (0.01 * (age - 50) * (parcels == 2) + 0.1 * rng.normal() for age in people["age"])
    >>> regression = PrivateFieldRegression(
    ...     "euclidean:1", basis=Parcels(parcels), features=[Linear("age", 20, 80)], clip=0.5, mu=1.0, random_state=0,
    ... )
    >>> regression.plan(2000)
    FieldPlan of 2000 subjects with Guarantee(mu=1.0): error 0.002315 a voxel, linear
    >>> effect = regression.fit(people, images).effect("age", 30, 70)
    >>> effect.distance[[0, -1], 0].round(1), float(effect.standard_error[0, 0].round(3))
    (array([0. , 0.4]), 0.004)
    >>> regression.predict({"age": 30}).shape, regression.predict({"age": [30, 50, 70]}).shape
    ((10, 10, 1), (3, 10, 10, 1))
    """

    _: KW_ONLY
    features: Optional[Sequence[Any]] = None

    _width = None  # type: Optional[int]

    @withholds
    @in_threads
    def fit(self, X: Any, images: Iterable[Any]) -> PrivateFieldRegression:
        """Releases the regression of the images, which spends the budget.

        Parameters
        ----------
        X : DataFrame, table or mapping of columns; without ``features`` an array of shape (n, q)
            The covariates of the subjects by name, or the rows of features. With ``on_invalid="replace-with-center"`` a
            missing covariate counts as the middle of its range, or the level ``other``.
        images : iterable
            One image per subject, in the order of ``X``, as for :meth:`PrivateFieldMean.fit`. One at a time is read.

        {self}

        Raises
        ------
        InvalidPointError
            When a voxel is not a point, for an image of another shape or affine, and for a missing covariate; the
            message names subject and voxel.
        UnansweredError
            When an image cannot be read.
        Error
            For conflicting parameters, and for a file given twice.
        """
        check_rows(X=X, images=images)
        projection = projection_of(self)
        regression = self._of_coefficients(projection)
        rows = regression._rows(X, projection.replace, 0)
        self._width = regression._width = rows.shape[1]
        regression.spec()  # refused before the first image is read, where it can be
        responses = projection.coefficients(images)
        if len(rows) != len(responses):
            raise Error(f"X has {len(rows)} records and images has {len(responses)}: each subject has both")
        self.release_ = regression.fit(X, responses).release_
        self.manifold_, self._projection = projection.space, projection
        self.coefficients_: Floats = self.release_.coefficients.reshape(self._width, -1, projection.space.dim)
        return self

    def predict(self, X: Any) -> Floats:
        """The fields that the regression predicts, as arrays of shape (n, *grid, *shape). They are clipped as images
        are, and cost no privacy.

        Parameters
        ----------
        X : as for ``fit``
            A dict of single values gives one field, of shape ``grid`` + the manifold's ``shape``.
        """
        projection = self._fitted()
        points = _karcher.feature_points(self.release_._json, self.release_._rows_of(X))
        space = projection.space
        fields = np.empty((len(points), *projection.mask.shape, *space.shape), space.dtype)
        for field, one in zip(fields, points):
            field[...] = projection.field(one)
        return fields if _features.values_at(X) is X else fields[0]

    def standard_error(self, X: Any) -> Floats:
        """The root mean square error of each voxel of predictions, arrays of shape (n, *grid), or of shape ``grid`` for
        a dict of single values. It costs no privacy.

        It is the error due to noise, in units of distance and to first order, from least squares without noise to the
        prediction. A part accounts for terms that noise hides, such as a level without records. If noise hides most of
        a term, the estimated coefficients are too short for this part, and the true error may be larger. Sampling of
        subjects is not included. On curved spaces the error is measured in the tangent space.

        Parameters
        ----------
        X : as for ``predict``
        """
        self._fitted()
        errors = self._errors(self.release_._rows_of(X))
        return errors if _features.values_at(X) is X else errors[0]

    def effect(
        self, column: str, from_value: Any, to_value: Any, at: Optional[Mapping[str, Any]] = None
    ) -> FieldEffect:
        """The difference of the predictions at two values of a covariate, with all others fixed. It costs no privacy.

        Parameters
        ----------
        column : str
            The covariate.
        from_value, to_value : float or str
            Numbers beyond the range of a term count as its ends; a level is a listed one, or ``"other"``.
        at : dict, optional
            Values of other covariates that a product joins with this one.

        Returns
        -------
        FieldEffect
        """
        projection = self._fitted()
        if isinstance(self.release_.features, dict):
            raise Error("an effect is that of a covariate of features=, and X was a matrix: compare predictions")
        contrast = _features.contrast(self.release_.features, column, from_value, to_value, at or {})
        change = np.tensordot(contrast, self.coefficients_, 1)
        coordinates = projection.on_grid(np.asarray(projection.basis.T @ change))
        distance = np.linalg.norm(coordinates, axis=-1)
        return FieldEffect(column, from_value, to_value, coordinates, distance, self._errors(contrast[np.newaxis])[0])

    def to_nifti(
        self, values: ArrayLike, path: Union[str, os.PathLike[str]], affine: Optional[ArrayLike] = None
    ) -> None:
        """Writes one predicted field, or a map of an effect or an error, as a NIfTI image, with 0 outside the mask.

        Parameters
        ----------
        values : array of shape ``grid`` + the manifold's ``shape``, or ``grid``, or ``grid`` + (p,)
            A field is written as by :meth:`PrivateFieldMean.to_nifti`, a map unchanged.
        path, affine : optional
            As for :meth:`PrivateFieldMean.to_nifti`.
        """
        projection, whole = self._fitted(), np.asarray(values)
        grid, space = projection.mask.shape, projection.space
        whole = whole.astype(space.dtype if whole.shape == grid + space.shape else np.float64)
        if whole.shape == grid + space.shape:
            whole = written(space, whole, projection.layout)
        elif whole.shape not in (grid, grid + (space.dim,)):
            raise Error(f"values has shape {whole.shape}: expected {grid}, or one field, {grid + space.shape}")
        projection.save(whole, path, affine)

    def _errors(self, rows: Floats) -> Floats:
        """The root mean square errors of linear functions of the coefficients, one map each."""
        errors = Moments.of(self.release_).errors(rows, self._projection)
        return np.array([self._projection.on_grid(one) for one in errors]).reshape(-1, *self._projection.mask.shape)

    def _of_coefficients(self, projection: Projection) -> PrivateFeatureRegression:
        if self.features is not None and _features.as_text(self.features) == "[]":
            raise Error("features is empty: PrivateFieldMean releases a mean")
        regression = PrivateFeatureRegression(
            Euclidean(projection.size), features=self.features, on_invalid=self.on_invalid, **self._shared(projection)
        )
        regression._width = self._width
        return regression

    @staticmethod
    def _deviation(expected: float, d: int, laplace: bool) -> float:
        return expected / math.sqrt(d)


__dir__ = _docs.complete(globals())
