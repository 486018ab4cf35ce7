"""Minimizers of a user's loss, by noisy Riemannian gradient descent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from . import _arguments, _docs, _spec
from ._arrays import numbers, real_rows
from ._containers import opened
from ._parameters import estimator
from ._private import REPLACED, OfNeighbours, PrivateEstimator, named_records, replaces, see_columns
from ._quiet import silence
from ._rows import check_rows
from ._tables import Options, is_table
from .errors import ArgumentTypeError, Error
from .manifolds import Manifold, resolve
from .release import Release

if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from ._input import Input
    from .manifolds import Floats


@estimator
class PrivateDescent(OfNeighbours, PrivateEstimator[Release]):
    """A point that nearly minimizes the mean of your own loss over the records, released with differential privacy.
    **Every** ``fit`` **spends the budget**.

    The descent takes gradient steps on a manifold, each with all records. The gradient of each record is clipped, the
    sum is exact, and each step adds noise.

    Parameters
    ----------
    manifold : Manifold or str
        The space of the minimizer, with its size.
    gradient : callable
        ``gradient(point, X)``, or ``gradient(point, X, y)`` for a fit with ``y``: the gradient of the loss of each
        record, an array of shape (n, *shape) of tangent vectors at the point. **Each row may depend only on its own
        record**, to the last bit. Before records are read, the function is tried on made-up ones, and refused if it
        breaks this rule. A row without a finite tangent vector counts as 0, and errors on real records are not shown.
    records : Manifold or str
        The space of the records, or its name without the size.
    radius : float
        Radius of the public ball that the descent never leaves, in units of distance; required. On a compact space the
        ball may be the whole space.
    center : array of the manifold's ``shape``, optional
        Center of the ball, where the descent begins. By default the origin of Euclidean and hyperbolic space; required
        on other spaces.
    {budget}
    clip : float
        Length to which the gradient of each record is shortened; required.
    steps : int
        Number of steps, if ``step_size`` is one number.
    step_size : float or list of float
        The size of all steps, or of each.
    numerics : {"exact", "any"}
        Whether a row of the gradient must not depend on other rows to the last bit. In matrix products the rounding of
        a row may; ``"any"`` accepts them, with a proof about real numbers.
    examples : array of shape (n, *shape), optional
        Public records on which the gradient is tried, at least 16 different ones, with ``y`` in the last columns if
        ``fit`` gets it. By default normal random vectors or points.
    loss : str, optional
        Description of the loss in words, which the release states.
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    estimate_ : array of the manifold's ``shape``
        The private point after the last step.
    release_ : Release
    manifold_ : Manifold

    Notes
    -----
    User guide, "A loss of your own" (K2).

    Examples
    --------
    The direction in which vectors vary most:

    >>> import numpy as np, karcher
    >>> X = np.random.default_rng(1).normal(size=(20_000, 3)) * [0.3, 0.1, 0.05]
    >>> def gradient(point, X):  # of minus half of (X @ point)², as a tangent vector
    ...     along = (X * point).sum(axis=1, keepdims=True)
    ...     return -along * (X - along * point)
    >>> direction = karcher.PrivateDescent(
    ...     "sphere:2", gradient, radius=3.1, center=[0, 0, 1], clip=0.2, steps=20, step_size=20.0, mu=1.0
    ... ).fit(X)
    >>> bool(abs(direction.estimate_[0]) > 0.9)
    True
    """

    manifold: Union[Manifold, str] = "euclidean"
    gradient: Optional[Callable[..., Any]] = None
    records: Union[Manifold, str] = "euclidean"
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    clip: Optional[float] = None
    steps: Optional[int] = None
    step_size: Union[float, Sequence[float], None] = None
    numerics: str = "exact"
    examples: Optional[ArrayLike] = None
    loss: Optional[str] = None

    def fit(self, X: Any, y: Any = None, groups: Union[ArrayLike, str, None] = None, **reading: Any) -> Self:
        """Makes a release of the records, which spends the budget.

        Parameters
        ----------
        X : array of shape (n, *shape), or a table
            As for :meth:`PrivateFrechetMean.fit`. A gradient is not sent to records elsewhere.
        y : array of shape (n,) or (n, m), optional
            Numbers of each record that the gradient gets too: labels or responses. With replacement, give several
            targets per record as an array of numbers, because in lists they count as missing.
        groups : array of shape (n,) or str, optional
            The person of each record. A person counts as the mean of their clipped gradients.
        **reading
            How tables are read, as for :meth:`PrivateFrechetMean.fit`.

        {self}

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        Error
            For a gradient that depends on other records, or gives no tangent vectors for made-up records.
        """
        if not callable(self.gradient):
            found = "missing" if self.gradient is None else f"of type {type(self.gradient).__name__}"
            raise ArgumentTypeError(f"gradient is {found}: give a function of a point and records")
        check_rows(X=X, y=y, groups=groups)
        self._targets: Optional[tuple[int, ...]] = None
        if y is not None:
            X = opened(X, "X", self.records)
            known = {name: value for name, value in reading.items() if hasattr(Options, name)}
            if is_table(X, Options(groups=groups, **known)):
                raise Error("y does not go with a table: name its column among columns=")
            X, self._targets = self._joined(X, y)
        return super().fit(X, None, groups, **reading)

    def _joined(self, X: ArrayLike, y: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """Records with their targets after them, and the shape of a target."""
        missing: Any = {"missing": "nan" if replaces(self.on_invalid) else "refuse", "remedy": REPLACED}
        self._of_rows, rows = named_records(self.records, X, "X", **missing)
        see_columns(self, X, rows)
        targets = numbers(y, "y", shape=(), **missing)
        if len(rows) != len(targets) or targets.ndim not in (1, 2):
            raise Error(f"y has shape {targets.shape}: it has one number, or one row, for each of {len(rows)} records")
        flat = targets.reshape(len(targets), math.prod(targets.shape[1:]))
        joined = np.hstack([real_rows(rows), flat])
        return joined, targets.shape[1:]

    def _read(self, X: Any, options: Options) -> Input:
        targets = getattr(self, "_targets", None)
        space: Any = self.records
        if targets is not None:
            space = self._of_rows * resolve(f"euclidean:{int(np.prod(targets, dtype=int))}")
        reader = _Reader(space, self.on_invalid, self.adjacency)
        read = reader._read(X, options)
        for name in ("n_features_in_", "feature_names_in_"):
            if targets is None and hasattr(reader, name):
                setattr(self, name, getattr(reader, name))
        return read

    def _function(self, records: Manifold) -> dict[str, Any]:
        of_rows, targets = records, getattr(self, "_targets", None)
        if targets is not None:
            of_rows = self._of_rows
        rows = _Rows(self.gradient, resolve(self.manifold), of_rows, targets)
        if self.examples is None:
            return {"gradient": (rows, None)}
        examples = np.atleast_1d(numbers(self.examples, "examples", like=records))
        return {"gradient": (rows, real_rows(examples).reshape(-1))}

    def spec(self, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the release that ``fit`` would make, without the gradient, which is a function. The
        space of the records needs a size.

        Parameters
        ----------
        unit : {"record", "person"}

        Returns
        -------
        dict
        """
        unit = _arguments.one_of("unit", unit, "record", "person")
        return _spec.checked(self._spec(resolve(self.records), unit))

    def _is_sized(self) -> bool:
        return isinstance(self.records, Manifold) or ":" in str(self.records)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        if self.clip is None:
            raise ArgumentTypeError("clip is missing: give the length to which the gradient of a record is shortened")
        of_value = resolve(self.manifold)
        descent: dict[str, Any] = {
            "records": space.name,
            "clip": _arguments.length("clip", self.clip),
            "step_sizes": self._step_sizes(),
        }
        if self.loss is not None:
            descent["loss"] = _arguments.text("loss", self.loss)
        numerics = _arguments.one_of("numerics", self.numerics, "exact", "any")
        fields = self._fields("minimizer", of_value, unit, steps=None, numerics=numerics, descent=descent)
        return {**fields, "ball": _spec.ball(of_value, center=self.center, radius=self.radius)}

    def _step_sizes(self) -> list[float]:
        if self.step_size is None:
            raise ArgumentTypeError("step_size is missing: give the size of the steps, or of each")
        sizes = numbers(self.step_size, "step_size")
        if sizes.ndim == 0:
            return [float(sizes)] * _arguments.whole("steps", self.steps, 1, 100_000)
        if sizes.ndim != 1 or (self.steps is not None and self.steps != len(sizes)):
            raise Error(f"step_size has shape {sizes.shape}: give one number with steps=, or one for each step")
        found: list[float] = sizes.tolist()
        return found

    def _tell(self) -> None:
        self.estimate_: Floats = self.release_.value
        self.manifold_ = resolve(self.manifold)


class _Reader(PrivateEstimator[Release]):
    """Reads the records of a descent."""

    def __init__(self, manifold: Union[Manifold, str], on_invalid: str, adjacency: str) -> None:
        self.manifold = manifold
        self.on_invalid = on_invalid
        self.adjacency = adjacency

    def _in_single(self, X: Any, groups: object, memory: object) -> None:
        """Nothing: the function is called with doubles."""


class _Rows:
    """A gradient as the compiled half calls it: with numbers in one row, and no warnings about records."""

    def __init__(
        self,
        gradient: Optional[Callable[..., Any]],
        point: Manifold,
        record: Manifold,
        targets: Optional[tuple[int, ...]],
    ) -> None:
        self._gradient: Any = gradient
        self._point = point
        self._record = record
        self._targets = targets

    def __call__(self, at: Floats, rows: Floats) -> Floats:
        shape = self._record._core.shape
        width = int(np.prod(shape, dtype=int))
        targets = 0 if self._targets is None else int(np.prod(self._targets, dtype=int))
        rows = rows.reshape(-1, width + targets)
        records = np.ascontiguousarray(rows[:, :width]).reshape(-1, *shape)
        point = at.reshape(self._point._core.shape)
        arguments = [self._point._as_points(point), self._record._as_points(records)]
        if self._targets is not None:
            arguments.append(np.ascontiguousarray(rows[:, width:]).reshape(-1, *self._targets))
        with np.errstate(all="ignore"), silence():
            given = np.asarray(self._gradient(*arguments))
        dtype = self._point.dtype
        if given.dtype.kind not in ("fiuc" if dtype.kind == "c" else "fiu"):
            raise Error(f"gradient gives an array of {given.dtype}: expected real numbers")
        found = np.ascontiguousarray(given, dtype=dtype)
        expected = (len(rows), *self._point.shape)
        if found.shape != expected:
            raise Error(f"gradient gives an array of shape {found.shape} for {len(rows)} records: expected {expected}")
        return found.reshape(-1).view(np.float64)


__dir__ = _docs.complete(globals())
