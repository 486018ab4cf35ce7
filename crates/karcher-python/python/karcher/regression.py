"""Geodesic regression on one predictor and regression on features, with scikit-learn's conventions.

``fit(X, y)`` takes the predictor as ``X``, of shape (n,) or (n, 1), and the records as ``y``, of shape (n, *shape). The
checks of scikit-learn have responses on the line, and pass unless they give several predictors. ``clone``, pipelines
and ``cross_val_score`` work on every manifold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _spec, _spending
from ._arrays import check_weights, naming_columns, numbers, real_rows
from ._dates import moments
from ._iterations import ended
from ._input import elsewhere, Input, large, on_disk
from ._groups import check_groups, persons_of
from ._names import TRUST
from ._parameters import estimator
from ._private import (
    REPLACED, OfNeighbours, Releasing, check_is_fitted, named_records, refuse_weights, replaces, see_columns,
)  # fmt: skip
from ._rows import check_rows
from ._sklearn import BaseEstimator, RegressorMixin
from ._tables import Options, codes_of_array, column_as_table
from ._threads import in_threads
from ._withheld import withholds
from .cluster import Remote
from .errors import Error, InvalidPointError
from .estimators import FrechetMean
from .features import as_text, names, rows as feature_rows
from .manifolds import Manifold, resolve
from .release import FeatureRegressionRelease, RegressionRelease, along

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from .manifolds import Floats


_NO_RECORDS = "a regression requires y to be passed, but the target y is None: the records, one row each"


_ONE_RECORD = "y has 1 sample: a regression needs at least two records"


class _Regression(RegressorMixin, BaseEstimator):
    """What all regressions share."""

    manifold_: Manifold
    _of_numbers: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True  # a point is several numbers
        return tags

    def predict(self, X: Any) -> Floats:
        """The points that the regression predicts. Costs no privacy.

        Parameters
        ----------
        X : as for ``fit``
            The predictor, or the covariates, of each prediction.

        Returns
        -------
        array of shape (n, *shape) or (n,)
            Points, or numbers if ``fit`` got numbers.
        """
        predicted = self._predict(X)
        return predicted[:, 0] if self._of_numbers else predicted

    def _predict(self, X: Any) -> Floats:
        """The points themselves."""
        raise NotImplementedError

    def score(self, X: Any, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> float:
        """``R² = 1 − Σ ρ²(prediction, y)/Σ ρ²(mean, y)``, with the Fréchet mean of ``y`` (Fletcher 2013). **Not
        private** about ``y``.

        Parameters
        ----------
        X : as for ``fit``
            The predictor, or the covariates, of each record.
        y : array of shape (n, *shape)
            Records, other than those of ``fit``.
        sample_weight : array of shape (n,), optional
            Nonnegative weights; only ratios matter.

        Returns
        -------
        float
            At most 1.

        {unfitted}
        """
        check_rows(X=X, y=y, sample_weight=sample_weight)
        predicted = self._predict(X)
        space, records = named_records(self.manifold_, _numbers_as_points(self.manifold_, y), "y")
        weights = _arguments.optional(check_weights, "sample_weight", sample_weight)
        _spending.warn_of_training_records(self, records)
        mean = FrechetMean(space).fit(records, sample_weight=weights).estimate_

        def spread(around: Floats) -> float:
            return float(np.average(space.dist(around, records) ** 2, weights=weights))

        left, total = spread(predicted), spread(mean)
        return 1.0 - left / total if total > 0.0 else float(left == 0.0)


class _Geodesic(_Regression):
    """What the two geodesic regressions share."""

    manifold: Union[Manifold, str]
    footpoint_: Floats
    velocity_: Floats

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        return tags

    def _predict(self, X: ArrayLike) -> Floats:
        """The points of the geodesic at ``X``."""
        check_is_fitted(self)
        return self._along(self._predictors(X, reset=False))

    def _along(self, predictors: Floats) -> Floats:
        raise NotImplementedError

    def _predictors(self, X: ArrayLike, *, reset: bool = True, **missing: Any) -> Floats:
        """One number a record. scikit-learn remembers, or compares, the name of the column."""
        found = numbers(X, "X", shape=(), **missing)
        if found.ndim == 2 and found.shape[1] == 0:
            raise Error(f"X has 0 feature(s) (shape={found.shape}) while a minimum of 1 is required in each record")
        if reset and found.ndim == 1:
            see_columns(self, found[:, np.newaxis], found[:, np.newaxis])
        elif found.ndim == 2 and not (reset and found.shape[1] > 1):
            see_columns(self, X, found, reset=reset)
        return found


@estimator
class GeodesicRegression(_Geodesic):
    """The geodesic ``x ↦ Exp_p(x·v)`` with the least mean squared distance to the records (Fletcher 2013). **Not
    private**.

    On flat spaces it is linear regression. On others it is found by Riemannian gradient descent with Barzilai–Borwein
    steps and adjoint Jacobi fields. The descent starts at the regression in the tangent space at the Fréchet mean, and
    of several local minima finds one near this start.

    Parameters
    ----------
    manifold : Manifold or str
        A manifold, its name, or its name without the size, which the records then determine:
        ``"spd-affine-invariant"``.
    tolerance : float, optional
        The gradient norm at which the iteration stops, for a predictor of mean 0 and variance 1, in units of distance.
        By default 1e-10 times the root mean square distance of the records to their Fréchet mean.
    max_iter : int
        The largest number of iterations.
    {jobs}

    Attributes
    ----------
    footpoint_ : array of the manifold's ``shape``
        ``p``, the prediction for ``X = 0``.
    velocity_ : array of the manifold's ``shape``
        ``v``, a tangent vector at ``p``, per unit of the predictor.
    n_iter_ : int
        Number of iterations; 1 if there is a closed form.
    manifold_ : Manifold

    Notes
    -----
    User guide, "Regression".

    Examples
    --------
    >>> import numpy as np, karcher
    >>> age = np.array([20.0, 40.0, 60.0, 80.0])
    >>> tensors = np.array([np.diag([np.exp(0.01 * a), 1.0]) for a in age])
    >>> regression = karcher.GeodesicRegression("spd-affine-invariant").fit(age, tensors)
    >>> regression.velocity_.round(6) + 0.0
    array([[0.01, 0.  ],
           [0.  , 0.  ]])
    >>> round(float(np.log(regression.predict([50.0])[0, 0, 0])), 6)
    0.5
    """

    manifold: Union[Manifold, str] = "euclidean"
    _: KW_ONLY
    tolerance: Optional[float] = None
    max_iter: int = 1000
    n_jobs: Optional[int] = None

    @in_threads
    def fit(self, X: ArrayLike, y: ArrayLike) -> GeodesicRegression:
        """Computes the geodesic.

        Parameters
        ----------
        X : array of shape (n,) or (n, 1)
            The predictor.
        y : array of shape (n, *shape)
            Records; not copied if float64 in C order. On the Euclidean line also (n,).

        {self}

        Raises
        ------
        InvalidPointError
            When a record is not a point or its predictor is not a finite number; the message names it and the reason.
        CutLocusError

        {converges}
        """
        if y is None:
            raise Error(_NO_RECORDS)
        check_rows(X=X, y=y)
        predictors = self._predictors(X)
        points = _numbers_as_points(self.manifold, y)
        space, records = named_records(self.manifold, points, "y")
        if records.shape == (1, *space.shape):
            raise Error(_ONE_RECORD)
        with naming_columns(y):
            footpoint, velocity, iterations, converged = _karcher.geodesic_regression(
                space._core,
                predictors,
                records,
                _arguments.optional(_arguments.real, "tolerance", self.tolerance),
                _arguments.count("max_iter", self.max_iter),
            )
        self.footpoint_, self.velocity_ = space._as_points(footpoint), space._as_points(velocity)
        self.manifold_, self._of_numbers = space, points is not y
        ended(self, iterations, converged)
        return self

    def _along(self, predictors: Floats) -> Floats:
        return along(self.manifold_, self.footpoint_, self.velocity_, _karcher.predictor(predictors))


@estimator
class PrivateGeodesicRegression(OfNeighbours, Releasing[RegressionRelease], _Geodesic):
    """A geodesic through the records, released with differential privacy. **Every** ``fit`` **spends the budget**.

    A record is a row of ``y`` with its predictor; neighbouring data sets differ in one record. Everything except ``X``
    and ``y`` is public: choose it from knowledge of the field, never by looking at the records.

    Parameters
    ----------
    {manifold}
    predictor_range : tuple of float
        ``(low, high)``; values outside count as its ends.
    radius : float
        Radius of the ball to which records are clipped and in which the footpoint is sought, in units of distance.
    slope_bound : float
        Bound of the length of the geodesic over the range of the predictor; below the injectivity radius.
    {budget}
    center : array of the manifold's ``shape``, optional
        Center of the ball. By default the origin of Euclidean and hyperbolic space; required on other spaces.
    residual_bound : float, optional
        Bound of the distance between a record and the geodesic, to which residuals are clipped. A smaller bound means
        less noise. By default a bound that no residual exceeds.
    mechanism : {"auto", "linear", "gradient-descent", "kng"}
        ``"auto"`` takes the one with the smallest expected error among those whose proofs ``numerics`` accepts.
        ``"linear"`` is for flat spaces; only it takes ``adjacency="add-remove"``. Except on lines, ``"kng"`` uses a
        Markov chain; the release is then flagged ``"mcmc-approximate"``.
    steps : int, optional
        Steps of the descent, up to 100; by default the number with the smallest expected error. The release states
        bounds of their clips and scales.
    {numerics}
    on_invalid : {"error", "replace-with-center"}
        Treatment of a record that is not a point of the manifold, and of a predictor that is not a finite number. The
        middle of the range replaces the predictor.
    {neighbours}
    {settings}

    Attributes
    ----------
    footpoint_ : array of the manifold's ``shape``
        Prediction **in the middle of** ``predictor_range``.
    velocity_ : array of the manifold's ``shape``
        The velocity there, **per length of the range**.
    release_ : RegressionRelease
        The private geodesic with all facts about it.
    manifold_ : Manifold

    Notes
    -----
    User guide, "Regression" (R1–R3), and "Threats".

    Examples
    --------
    >>> import numpy as np, karcher
    >>> age = np.linspace(20, 80, 2000)
    >>> headings = np.stack([np.cos(age / 100), np.sin(age / 100)], axis=1)
    >>> regression = karcher.PrivateGeodesicRegression(
    ...     karcher.Sphere(1), predictor_range=(20, 80), radius=1.0, center=[0.9, 0.4358898943540674], slope_bound=1.0,
    ...     residual_bound=0.3, epsilon=1.0,
    ... )
    >>> regression.fit(age, headings).predict([30, 70]).shape
    (2, 2)
    >>> regression.release_.mechanism, regression.release_.guarantee
    ('gradient-descent', Guarantee(epsilon=1.0))
    """

    manifold: Union[Manifold, str] = "euclidean"
    _: KW_ONLY
    predictor_range: tuple[float, float]
    radius: float
    center: Optional[ArrayLike] = None
    slope_bound: float
    residual_bound: Optional[float] = None
    mechanism: str = "auto"
    steps: Optional[int] = None
    numerics: str = "exact"

    @withholds
    @in_threads
    def fit(
        self,
        X: Any,
        y: Optional[ArrayLike] = None,
        groups: Union[ArrayLike, str, None] = None,
        *,
        predictor: Optional[str] = None,
        columns: Optional[Sequence[str]] = None,
        layout: Optional[str] = None,
        memory: Union[int, str, None] = None,
        missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None,
        trust_layout: Optional[bool] = None,
        **refused: object,
    ) -> Self:
        """Releases the private geodesic.

        Parameters
        ----------
        X : array of shape (n,) or (n, 1), a table, a DataFrame of PySpark's, or Remote
            The predictor, one number per record; or a table of predictors and records, as for
            :class:`PrivateFrechetMean`.
        y : array of shape (n, *shape)
            One row per record; not copied if float64 in C order. On the Euclidean line also (n,). Not given if ``X`` is
            a table.
        groups : array of shape (n,) or str, optional
            Person of each record: texts, numbers or dates; the name of a column if ``X`` is a table. A person then
            contributes one pair, the mean of the clipped predictors and the mean of the clipped responses, and the
            guarantee protects persons. Without it the guarantee protects records.
        predictor : str, optional
            The column of the predictor in a table.
        columns, layout, memory, missing_values, trust_layout : optional
            Options as for :class:`PrivateFrechetMean`, of predictors and records.
        **refused
            ``sample_weight`` is refused, unless it is None.

        {self}

        Raises
        ------
        InvalidPointError
            When a record is not a point or its predictor is not a finite number; the message names it and the reason.
        Error
            For reasons that depend only on public quantities.
        """
        refuse_weights(refused)
        check_groups(groups, self.adjacency)
        check_rows(X=X, y=y, groups=groups)
        replace = replaces(self.on_invalid)
        options = Options(groups, predictor, columns, layout, memory, missing_values, trust_layout)
        if y is not None and column_as_table(X) is not X:
            X = np.asarray(X)  # one column, which is no table of predictors and records
        read = elsewhere(self, X, options, is_regression=True)
        if read is not None and y is not None:
            raise Error(
                "y does not go with a table: columns= names the columns of the records, predictor= the predictor"
            )
        if read is None and y is None:
            raise Error(_NO_RECORDS)
        predictors = None
        if read is None:
            codes = codes_of_array(missing_values)
            missing: Any = {"missing": "nan" if replace else "refuse", "remedy": REPLACED, "codes": codes}
            predictors = self._predictors(X, **missing)
            read = None if codes else on_disk(y, self.manifold, groups, memory)
            if read is None:
                points = _numbers_as_points(self.manifold, y, **missing)
                trust = None if options.trusts else TRUST
                space, records = named_records(
                    self.manifold, points, "y", trust=trust, center=getattr(self, "center", None), **missing
                )
                persons, of_numbers = persons_of(groups, records), points is not y
                read = Input(space, large(y, records, memory), persons, records, of_numbers=of_numbers)
            n = len(y if read.array is None else read.array)  # type: ignore[arg-type]
            # of an array on disk nothing else compares the two
            if predictors.ndim and len(predictors) != n:
                raise Error(f"number of predictors is {len(predictors)}: there must be one a record, {n} in all")
        self._spec(read.space, read.unit)  # parameters are looked at first
        if self.adjacency == "replace-one" and read.array is not None and read.array.shape == (1, *read.space.shape):
            raise Error(_ONE_RECORD)  # a public number
        return self._make(read, y, predictors=predictors)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        low, high = _arguments.pair("predictor_range", self.predictor_range)
        ends = {"low": _spec.number("predictor_range[0]", low), "high": _spec.number("predictor_range[1]", high)}
        fields = self._fields("geodesic-regression", space, unit, predictor_range=ends)
        return {**fields, "ball": _spec.ball(space, center=self.center, radius=self.radius)}

    def _tell(self) -> None:
        self.footpoint_, self.velocity_ = self.release_.footpoint, self.release_.shooting_vector

    def _predictors(self, X: ArrayLike, *, reset: bool = True, **missing: Any) -> Floats:
        """The same; dates are years, as in the columns that the command reads."""
        found = super()._predictors(moments(X), reset=reset, **missing)
        if found.ndim == 0 or found.shape[1:] not in ((), (1,)):
            return found
        return _karcher.predictor(found, _arguments.pair("predictor_range", self.predictor_range)[1])

    def _along(self, predictors: Floats) -> Floats:
        return self.release_.predict(predictors)


@estimator
class PrivateFeatureRegression(OfNeighbours, Releasing[FeatureRegressionRelease], _Regression):
    """Linear regression on features of several covariates, released with differential privacy. **Every** ``fit``
    **spends the budget**.

    Responses are points of a manifold. They are fitted by least squares in the tangent space at the center of the ball.
    A record is a response with its covariates; neighbouring data sets differ in one record. With Gaussian noise the
    moments of the features cost hardly any budget (user guide, R5).

    Parameters
    ----------
    {manifold}
    radius : float
        Radius of the ball to which responses are clipped, in units of distance.
    {budget}
    features : list of terms, optional
        Terms of :mod:`karcher.features`, or their texts. Without it ``X`` is a matrix with a row of features for each
        record; rows longer than 1 are shortened. A row may depend only on its own record and on public quantities. An
        empty list fits the mean.
    basis : array of shape (J, *shape), optional
        Public tangent vectors at the center of the ball, in whose span responses are fitted. The noise then has at most
        J dimensions.
    {center}
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    coefficients_ : array of shape (q, d)
        For each feature the coordinates of a tangent vector at the center, in an orthonormal frame; with a basis,
        coordinates in the orthonormalized basis.
    release_ : FeatureRegressionRelease
        The private regression with effects, tests and all other facts about it.
    manifold_ : Manifold

    Notes
    -----
    User guide, "Regression" (R5), and "Threats".

    Examples
    --------
    >>> import numpy as np, karcher
    >>> from karcher.features import Levels, Spline
    >>> rng = np.random.default_rng(0)
    >>> people = {"age": rng.uniform(20, 80, 5000), "sex": rng.choice(["F", "M"], 5000)}
    >>> heights = np.where(people["sex"] == "F", 164.0, 176.0) + rng.normal(0, 6, 5000)
    >>> regression = karcher.PrivateFeatureRegression(
    ...     features=[Spline("age", 20, 80, knots=3), Levels("sex", ["F", "M"])], center=[170.0], radius=40.0, mu=1.0,
    ... )
    >>> regression.fit(people, heights).predict({"age": [30, 60], "sex": ["F", "M"]}).shape
    (2,)
    >>> 10 < regression.release_.effects[1].distance < 14
    True
    """

    manifold: Union[Manifold, str] = "euclidean"
    _: KW_ONLY
    features: Optional[Sequence[Any]] = None
    basis: Optional[ArrayLike] = None
    radius: float
    center: Optional[ArrayLike] = None

    _width = None  # type: Optional[int]

    @withholds
    @in_threads
    def fit(self, X: Any, y: Any = None, groups: Optional[ArrayLike] = None, **refused: object) -> Self:
        """Releases the private regression.

        Parameters
        ----------
        X : DataFrame, table or mapping of columns; without ``features`` an array of shape (n, q); or Remote
            The covariates by name, or the rows of features. None if ``features`` is empty. A ``Remote`` takes no ``y``,
            and its parts are from :meth:`records`.
        y : array of shape (n, *shape)
            One response per row. On the Euclidean line also (n,).
        groups : array of shape (n,), optional
            The person of each record. A person then contributes one record, the mean of the responses and the mean of
            the rows, and the guarantee protects persons.
        **refused
            ``sample_weight`` is refused, unless it is None.

        {self}

        Raises
        ------
        InvalidPointError
            When a response is not a point or a covariate is missing; the message names it and the reason.
        Error
            For reasons that depend only on public quantities.
        """
        refuse_weights(refused)
        space, read = self._read(X, y, groups)
        return self._make(read, y, space)

    def _tell(self) -> None:
        self.coefficients_: Floats = self.release_.coefficients

    @withholds
    def records(self, X: Any, y: ArrayLike, groups: Optional[ArrayLike] = None) -> Floats:
        """The records of a part, for :func:`karcher.partial`: each response with its row of features. **Confidential**.

        Parameters
        ----------
        X, y, groups : as for ``fit``
            The covariates, the responses, and their persons.

        Returns
        -------
        array of shape (n, size + q)
            The numbers of a response, and those of its row.

        Raises
        ------
        InvalidPointError, Error
            As for :meth:`fit`.

        Examples
        --------
        >>> import numpy as np, karcher
        >>> people = {"age": np.tile([30.0, 70.0], 500)}
        >>> heights = np.tile([170.0, 160.0], 500)
        >>> regression = karcher.PrivateFeatureRegression(
        ...     "euclidean:1", features=["linear:age:20:80"], center=[170.0], radius=40.0, epsilon=1.0,
        ... )
        >>> def ask(question):
        ...     return karcher.partial(regression.records(people, heights), question)  # there
        >>> regression.fit(karcher.Remote(ask)).release_.n
        1000
        """
        found: Floats = self._here(X, y, groups)[1].records
        return found

    def _read(self, X: Any, y: Any, groups: Optional[ArrayLike]) -> tuple[Manifold, Input]:
        """The space of responses, and the records."""
        check_groups(groups, self.adjacency)
        if isinstance(X, Remote):
            return self._elsewhere(X, y, groups)
        if isinstance(y, Remote):
            return self._elsewhere(y, X, groups)
        return self._here(X, y, groups)

    def _elsewhere(self, records: Remote, other: object, groups: object) -> tuple[Manifold, Input]:
        """The space of responses, and records that are elsewhere."""
        if other is not None or groups is not None:
            there = "karcher.partial(regression.records(X, y), question)"
            raise Error(f"X, y and groups are where the records are: {there}")
        if self.features is None:
            raise Error("features is missing: give it, as the number of columns of remote matrices is unknown")
        space = resolve(self.manifold)
        q = len(names(self.features))
        joint = resolve(f"{space.name}*euclidean:{q}")
        return space, Input(joint, records._core, has_persons=records._persons)

    def _here(self, X: Any, y: Any, groups: Optional[ArrayLike]) -> tuple[Manifold, Input]:
        """The space of responses, and records that are at hand."""
        if y is None:
            raise Error(_NO_RECORDS)
        check_rows(X=X, y=y, groups=groups)
        replace = replaces(self.on_invalid)
        missing: Any = {"missing": "nan" if replace else "refuse", "remedy": REPLACED}
        points = _numbers_as_points(self.manifold, y, **missing)
        center = getattr(self, "center", None)
        space, responses = named_records(self.manifold, points, "y", trust=None, center=center, **missing)
        if responses[:1].size not in (0, int(np.prod(space.shape))):
            others = space.layouts[1:]
            advice = f"; manifold.read(y, {others[0]!r}) reads one of: {', '.join(others)}" if others else ""
            raise Error(f"y has shape {responses.shape}: a point of {space.name} has shape {space.shape}{advice}")
        rows = self._rows(X, replace, len(responses))
        if len(rows) != len(responses):
            raise Error(f"X has {len(rows)} records and y has {len(responses)}: each record has both")
        records = np.concatenate([real_rows(responses), rows], axis=1)
        joint = resolve(f"{space.name}*euclidean:{rows.shape[1]}")
        self._width = rows.shape[1]
        persons = persons_of(groups, records)
        if replace or groups is not None:
            unit = Input(joint, records, persons).unit
            records = _karcher.feature_records(_spec.as_text(self._spec(space, unit)), records, replace)
        return space, Input(joint, records, persons, responses, of_numbers=points is not y)

    def _predict(self, X: Any) -> Floats:
        check_is_fitted(self)
        if self.features is None:
            X = self._matrix(X, reset=False)
        return self.manifold_._as_points(_karcher.feature_points(self.release_._json, self.release_._rows_of(X)))

    def _rows(self, X: Any, replace: bool, n: int) -> Floats:
        """The rows of features."""
        if self.features is not None and as_text(self.features) == "[]":
            return np.ones((n, 1))
        if self.features is not None:
            return feature_rows(self.features, X, on_invalid="replace-with-center" if replace else "error")
        return self._matrix(X, missing="nan" if replace else "refuse", remedy=REPLACED)

    def _matrix(self, X: Any, *, reset: bool = True, **missing: Any) -> Floats:
        """The rows of features as they are given: without numbers that are not finite, which count as 0s if missing
        ones may be there."""
        rows = numbers(X, "X", **missing)
        if rows.ndim != 2:
            raise Error(
                f"X has shape {rows.shape}: without features= it is a matrix, a row of features a record; Reshape your "
                "data: X.reshape(1, -1) is one record"
            )
        if rows.shape[1] == 0:
            raise Error(f"X has 0 feature(s) (shape={rows.shape}) while a minimum of 1 is required in each record")
        see_columns(self, X, rows, reset=reset)
        finite = np.isfinite(rows).all(axis=1, keepdims=True)
        if missing.get("missing") != "nan" and not finite.all():
            row, takes = int(finite.argmin()) + 1, "; on_invalid='replace-with-center' takes 0s" if reset else ""
            raise InvalidPointError(f"X, row {row}: a number is NaN or infinite{takes}")
        return np.where(finite, rows, 0.0)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        if self.features is None and self._width is None:
            raise Error("features is missing: before fit the number of its columns is unknown")
        given = {"matrix": self._width} if self.features is None else json.loads(as_text(self.features))
        basis = None if self.basis is None else _vectors("basis", self.basis, space)
        fields = self._fields("feature-regression", space, unit, features=given, basis=basis)
        return {**fields, "ball": _spec.ball(space, center=self.center, radius=self.radius)}


def _vectors(name: str, given: Any, space: Manifold) -> list[list[float]]:
    """Tangent vectors, one after the other, as rows of numbers."""
    vectors = numbers(given, name, like=space)
    if vectors.ndim < 2:
        raise Error(f"{name} has shape {vectors.shape}: it is one tangent vector a row")
    rows: list[list[float]] = real_rows(vectors).tolist()
    return rows


def _numbers_as_points(manifold: object, y: Any, **options: Any) -> Any:
    """Numbers, one a record, as points of the line; points as they are."""
    name = manifold.name if isinstance(manifold, Manifold) else manifold
    if isinstance(name, str) and name in ("euclidean", "euclidean:1"):
        given = numbers(y, "y", shape=(), **options)
        if given.ndim == 1:
            return given[:, np.newaxis]
    return y


__dir__ = _docs.complete(globals())
