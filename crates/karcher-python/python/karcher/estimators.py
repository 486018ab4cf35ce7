"""Means with scikit-learn's conventions: the constructor stores parameters, ``fit`` returns the estimator, results end
in ``_``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from . import _arguments, _docs, _karcher, _spec, _spending
from ._arrays import check_weights, naming_columns, numbers
from ._input import Input
from ._iterations import ended
from ._parameters import estimator
from ._private import OfNeighbours, OfPoints, PrivateEstimator, private_records, released, replaces
from ._rows import check_rows
from ._threads import in_threads
from .errors import ArgumentTypeError, Error
from .manifolds import Manifold
from .release import Ball, BallRelease, Release

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from .manifolds import Floats


@estimator
class _Location(OfPoints):
    """An estimator of a point in the middle of records, without privacy."""

    manifold: Union[Manifold, str] = "euclidean"
    _: KW_ONLY
    tolerance: Optional[float] = None
    max_iter: int = 500
    start: Optional[ArrayLike] = None
    n_jobs: Optional[int] = None

    @staticmethod
    def _iterate(*given: Any) -> tuple[Floats, int, bool]:
        """The point, the iterations, and whether the last step was as short as the tolerance."""
        raise NotImplementedError

    @in_threads
    def fit(self, X: ArrayLike, y: object = None, sample_weight: Optional[ArrayLike] = None) -> Self:
        """Computes the estimate.

        Parameters
        ----------
        X : array of shape (n, *shape)
            Records; not copied if float64 in C order.
        y : ignored
        sample_weight : array of shape (n,), optional
            Nonnegative weights: a record of weight w counts as w equal records. Only ratios matter.

        {self}

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        CutLocusError

        {converges}
        """
        check_rows(X=X, sample_weight=sample_weight)
        space, records = private_records(self, X)
        with naming_columns(X):
            found, iterations, converged = self._iterate(
                space._core,
                records,
                _arguments.optional(check_weights, "sample_weight", sample_weight),
                None if self.start is None else numbers(self.start, "start", like=space),
                _arguments.optional(_arguments.real, "tolerance", self.tolerance),
                _arguments.count("max_iter", self.max_iter),
            )
        self.estimate_: Floats = space._as_points(found)
        self.manifold_: Manifold = space
        ended(self, iterations, converged)
        return self


class FrechetMean(_Location):
    """The Fréchet mean: the point with the least mean squared distance to the records. **Not private**.

    On flat spaces it has a closed form. On others it is found by Riemannian gradient descent with Barzilai–Borwein
    steps, which starts at the first record. The descent ends when the norm of the mean logarithm is at most
    ``tolerance``.

    Parameters
    ----------
    manifold : Manifold or str
        A manifold, its name, or its name without the size, which the records then determine:
        ``"spd-affine-invariant"``.
    tolerance : float, optional
        Tolerance in units of distance. By default 1e-12 times the largest distance between the start and a record.
    max_iter : int
        The largest number of iterations.
    start : array of the manifold's ``shape``, optional
        Start of the iteration.
    {jobs}

    Attributes
    ----------
    estimate_ : array of the manifold's ``shape``
    manifold_ : Manifold
    n_iter_ : int
        Number of iterations; 1 if there is a closed form.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.array([np.diag([1.0, 4.0]), np.diag([4.0, 1.0])])
    >>> karcher.FrechetMean("spd-affine-invariant").fit(X).estimate_.round(12)
    array([[2., 0.],
           [0., 2.]])
    """

    _iterate = staticmethod(_karcher.frechet_mean)


@estimator
class _Mean(PrivateEstimator[Release]):
    """An estimator of the Fréchet mean, alone or together with other statistics."""

    manifold: Union[Manifold, str] = "euclidean"
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    ball: Union[str, BallRelease, Ball, None] = None
    within: Optional[float] = None
    quantile: Optional[float] = None
    mechanism: str = "auto"
    steps: Optional[int] = None
    calibration: Optional[str] = None
    bound: Optional[str] = None
    tolerance: Optional[float] = None
    numerics: str = "exact"
    denoise: Optional[str] = None
    assume_in_ball: bool = False
    spread: bool = False
    spread_clip: Optional[float] = None

    _without_ball = "if you know none, ball='auto' finds one privately"
    """Advice for users without a ball."""

    def _spec(self, space: Manifold, unit: str, components: Optional[dict[str, Any]] = None) -> dict[str, Any]:
        """The library says whether the mean takes a ball."""
        spread = _spec.companion("spread", self.spread, self.spread_clip)
        fields = self._fields("frechet-mean", space, unit, spread=spread, components=components)
        of_ball = ("radius", "center", "ball", "within", "quantile")
        if _spec.takes_no_ball(fields, **{name: getattr(self, name) for name in of_ball}):
            return {**fields, "statistic": "extrinsic-mean"}
        return {**fields, "ball": self._ball(space)}

    def _ball(self, space: Manifold) -> dict[str, Any]:
        """The ball: one that is known, or one that is to be located."""
        ball = self.ball
        known: dict[str, Any] = {"radius": self.radius, "center": self.center}
        if isinstance(ball, str):
            _arguments.one_of("ball", ball, "auto")
        elif ball is not None:
            if not isinstance(ball, (Ball, BallRelease)):
                kind = type(ball).__name__
                raise ArgumentTypeError(f"ball is of type {kind}: expected 'auto', a BallRelease or a Ball")
            if self.radius is not None or self.center is not None:
                raise Error("radius and center do not go with a ball that has both: leave them out")
            if isinstance(ball, BallRelease) and ball.manifold.name != space.name:
                raise Error(f"the ball is one of {ball.manifold.name}: it cannot be used on {space.name}")
            known = {"radius": ball.radius, "center": ball.center}
        searched: dict[str, Any] = {"locate": isinstance(ball, str), "within": self.within, "quantile": self.quantile}
        return _spec.ball(space, **known, **searched, without=self._without_ball)


@estimator
class PrivateFrechetMean(OfNeighbours, _Mean):
    """The Fréchet mean of records clipped to a public ball, released with differential privacy. **Every** ``fit``
    **spends the budget**.

    Parameters
    ----------
    {manifold}
    radius : float, optional
        Radius of the ball, in units of distance; required, unless you give ``ball`` or the mean needs no ball (see
        ``mechanism``). Radius and center are public: choose them from knowledge of the field, never by looking at the
        records. A product may have a radius for each factor, ``(0.5, 2.0)``; then factors are clipped separately.
    {center}
    {budget}
    expected_spread : float, optional
        Public guess of the root mean squared distance of the records from their mean, for a wide ball. ``"auto"`` then
        also considers two stages, where the first finds a smaller ball with a part of the budget. It takes two
        stages if they have a smaller error in a simulation; see :func:`karcher.plan`. The guarantee does not depend on
        the guess.
    {located}
    mechanism : {"auto", "laplace", "gaussian", "tangent-gaussian", "chart", "kng", "karcher-flow", "two-stage", \
"extrinsic"}
        ``"auto"`` takes the one with the smallest expected error, from public quantities, among those whose proofs
        ``numerics`` accepts; see :func:`karcher.plan`. ``"chart"`` adds noise in the tangent space at the center of the
        ball, on every space. ``"kng"`` uses a Markov chain if it has no exact draws; the release is then flagged
        ``"mcmc-approximate"``. ``"extrinsic"`` takes no ball. It releases the extrinsic mean, the projected mean of
        embedded records, with ``release_.extrinsic``, for spheres, axes, rotations, shapes, subspaces, angles and their
        products. On these spaces ``"auto"`` takes it if you give no parameter of a ball, unless another option needs a
        ball.
    steps : int, optional
        Steps of the Karcher flow; by default the number with the smallest expected error.
    calibration : {"analytic", "classical"}, optional
        Calibration of Gaussian noise on flat spaces to (ε, δ).
    bound : {"published", "averaged-hessian", "sharp", "optimal"}, optional
        Bound of the sensitivity; the smallest by default.
    tolerance : float, optional
        The gradient norm at which the iteration for the mean stops. Its effect is part of the sensitivity.
    {numerics}
    denoise : {"shrink", "none"}, optional
        Denoising of a noisy vector. By default the noisy value is shrunk towards the center of the ball (James and
        Stein 1961) and projected onto the ball. This brings it nearer to the true value on average, and costs no
        privacy. ``release_.noisy_value`` is the value before. ``"none"`` switches denoising off.
    assume_in_ball : bool
        Do not clip, because the records are known to lie in the ball. The guarantee then holds only if they do.
    {spread}
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    estimate_ : array of the manifold's ``shape``
        The private mean.
    release_ : Release
        The private mean with all facts about it.
    manifold_ : Manifold

    Notes
    -----
    Neighbouring data sets differ in one record. The number of records is public, but confidential with
    ``adjacency="add-remove"`` (U2). User guide, "Balls and clipping" (C1–C3, S1–S4), "Mechanisms" (M1–M6), and
    "Threats".

    Examples
    --------
    >>> import numpy as np, karcher
    >>> tensors = np.tile(np.diag([1.7, 0.4, 0.3]), (500, 1, 1))
    >>> mean = karcher.PrivateFrechetMean(karcher.SPD(3), radius=1.5, center=0.7 * np.eye(3), epsilon=1.0)
    >>> mean.fit(tensors).estimate_.shape
    (3, 3)
    >>> mean.release_.mechanism
    'laplace'

    Without a ball, on a space with an embedding:

    >>> directions = np.tile([0.6, 0.0, 0.8], (1000, 1))
    >>> release = karcher.PrivateFrechetMean("sphere:2", epsilon=1.0).fit(directions).release_
    >>> release.statistic, release.extrinsic.factors[0].mean_resultant_length > 0.9
    ('extrinsic-mean', True)
    """

    _: KW_ONLY
    expected_spread: Optional[float] = None

    def _plan_class(
        self, space: Manifold, records: Any, persons: Optional[Floats], unit: str, classes: _karcher.Classes
    ) -> None:
        """Plans the release of one of several classes. All of them are planned before the first is released."""
        fields, replace, seed = self._spec(space, unit), replaces(self.on_invalid), self.random_state
        _spending.warn_if_weak(fields, None)
        text = _spec.as_text(fields)
        _karcher.release(text, records, None, replace, persons, _arguments.seed(seed), None, classes)

    def _release_of_class(
        self,
        space: Manifold,
        records: Any,
        persons: Optional[Floats],
        unit: str,
        classes: _karcher.Classes,
        template: Optional[list[float]],
    ) -> Release:
        """One of several releases, which were planned and reserved together."""
        fields, replace, seed = self._spec(space, unit), replaces(self.on_invalid), self.random_state
        read = Input(space, records, persons, template=template)
        release: Release = released(fields, read, None, replace=replace, seed=seed, classes=classes)
        return release

    def _tell(self) -> None:
        self.estimate_: Floats = self.release_.value


__dir__ = _docs.complete(globals())
