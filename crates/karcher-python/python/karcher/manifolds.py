"""Manifolds with vectorized operations.

Every argument is one point (or tangent vector) of the shape :attr:`Manifold.shape`, or many of them along leading axes,
``(..., *shape)``. Leading axes of several arguments are broadcast like NumPy's: a single point goes with all rows of
another argument, and ``dist(x[:, None], y[None, :])`` is the matrix of all distances. Rust computes all rows, without
the GIL. A row gives the same numbers as alone; except for matrices, to the last bit. Arrays of float64 in C order are
not copied, and every point is checked once.

Points may be rounded to seven digits, and the rounding is removed. Landmarks may have any position and size, which are
removed too. With ``check=False`` you promise that all of this was done, as by :meth:`Manifold.project`, and that
vectors are tangent. Then numbers are used unchanged, which saves up to three quarters of the time. If they are not
points, the results are meaningless.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher
from ._arrays import numbers
from ._names import TRUST, check_frame, factors_of
from ._rows import check_rows, marked_like
from .errors import ArgumentTypeError, Error, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_SQUARE = ("matrices", "full", "projectors")
"""The layouts whose records are square matrices."""

_OF_TWO_AXES = ("interleaved", "blocked", "bases")
"""The layouts whose records are other arrays of two axes."""


class Manifold:
    """A complete Riemannian manifold: one of the subclasses, the result of :func:`manifold` for a name, a product
    ``a * b``, or a power ``a ** k``.

    Examples
    --------
    >>> import karcher
    >>> karcher.manifold("sphere:2") == karcher.Sphere(2), (karcher.Sphere(2) * karcher.Torus(1)).dim
    (True, 3)
    """

    #: Advice for users who give no center where there is no default, after that of the library.
    _center_advice = ""

    def __init__(self, name: str) -> None:
        self._core = _karcher.Manifold(_arguments.text("name", name))

    @property
    def name(self) -> str:
        """The name, as on the command line and in JSON: ``"sphere:2"``."""
        return self._core.name

    @property
    def dim(self) -> int:
        """Dimension."""
        return self._core.dim

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a point, and of a tangent vector."""
        return self._core.shape[:-1] if self._core.is_complex else self._core.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers of points and tangent vectors: complex on :class:`HPD`, float64 on all other
        manifolds."""
        return np.dtype(np.complex128 if self._core.is_complex else np.float64)

    def _as_points(self, found: Floats) -> Floats:
        """Numbers from Rust as points, or tangent vectors: real and imaginary parts as complex numbers."""
        if self._core.is_complex:
            pairs: Any = found.view(np.complex128)
            found = pairs[..., 0]
        return found

    @property
    def layouts(self) -> list[str]:
        """The names of the layouts of a point. The first is the layout of all other functions. See :meth:`read`."""
        return self._core.layouts

    @property
    def origin(self) -> Floats:
        """A public reference point: 0, the first unit vector, the identity matrix, or the regular polygon."""
        return self._as_points(self._core.origin)

    @property
    def curvature(self) -> tuple[float, float]:
        """Lower and upper bound of the sectional curvatures."""
        return self._core.curvature

    @property
    def injectivity_radius(self) -> float:
        """The largest radius within which ``exp`` is a diffeomorphism, or ``inf``."""
        return self._core.injectivity_radius

    def exp(self, p: ArrayLike, v: ArrayLike, *, check: bool = True) -> Floats:
        """The point at time 1 on the geodesic that leaves ``p`` with velocity ``v``.

        Parameters
        ----------
        p : array of shape (..., *shape)
            Points.
        {v}

        Returns
        -------
        array of shape (..., *shape)

        Raises
        ------
        InvalidPointError
            When ``p`` is not a point or ``v`` is not a tangent vector at ``p``.

        Examples
        --------
        >>> import numpy as np, karcher
        >>> karcher.Sphere(2).exp([1, 0, 0], [0, np.pi / 2, 0]).round(12) + 0.0
        array([0., 1., 0.])
        """
        check_rows(p=p, v=v)
        made = self._core.exp(self._points(p, "p"), self._vectors(v, "v"), _arguments.flag("check", check))
        return marked_like(self._as_points(made), p, v)

    def log(self, p: ArrayLike, q: ArrayLike, *, check: bool = True) -> Floats:
        """The shortest tangent vector at ``p`` with ``exp(p, v) = q``.

        Parameters
        ----------
        {pq}

        Returns
        -------
        array of shape (..., *shape)

        Raises
        ------
        CutLocusError
            Where more than one shortest geodesic joins the points.

        Examples
        --------
        >>> import karcher
        >>> karcher.SPD(2).log([[1, 0], [0, 1]], [[1, 0], [0, 1]])
        array([[0., 0.],
               [0., 0.]])
        """
        check_rows(p=p, q=q)
        made = self._core.log(self._points(p, "p"), self._points(q, "q"), _arguments.flag("check", check))
        return marked_like(self._as_points(made), p, q)

    def dist(self, p: ArrayLike, q: ArrayLike, *, check: bool = True) -> Any:
        """Geodesic distance, in radians on spheres and shape spaces, in logarithms of eigenvalues on matrices.

        Parameters
        ----------
        {pq}

        Returns
        -------
        float or array

        Examples
        --------
        >>> import karcher
        >>> float(karcher.Hyperbolic(2).dist([1, 0, 0], [[1, 0, 0]])[0])
        0.0
        >>> x = karcher.Sphere(2).random_point(4, random_state=1)
        >>> karcher.Sphere(2).dist(x[:, None], x[None, :]).shape  # of every point to every point
        (4, 4)
        """
        check_rows(p=p, q=q)
        return self._core.dist(self._points(p, "p"), self._points(q, "q"), _arguments.flag("check", check))

    def inner(self, p: ArrayLike, u: ArrayLike, v: ArrayLike, *, check: bool = True) -> Any:
        """The Riemannian metric ``<u, v>`` at ``p``.

        Parameters
        ----------
        p : array of shape (..., *shape)
            Points.
        u, v : arrays of shape (..., *shape)
            Tangent vectors at ``p``.
        check : bool, default=True
            Whether to check that these are points and tangent vectors there, and to remove rounding.

        Returns
        -------
        float or array
        """
        check_rows(p=p, u=u, v=v)
        u, v = self._vectors(u, "u"), self._vectors(v, "v")
        return self._core.inner(self._points(p, "p"), u, v, _arguments.flag("check", check))

    def norm(self, p: ArrayLike, v: ArrayLike, *, check: bool = True) -> Any:
        """The length of ``v`` at ``p``: the square root of ``inner(p, v, v)``.

        Parameters
        ----------
        p : array of shape (..., *shape)
            Points.
        {v}

        Returns
        -------
        float or array

        Examples
        --------
        >>> import numpy as np, karcher
        >>> sphere = karcher.Sphere(2)
        >>> x = sphere.random_point(1000, random_state=1)
        >>> v = sphere.log(sphere.origin, x)
        >>> bool(np.array_equal(sphere.norm(sphere.origin, v, check=False), sphere.norm(sphere.origin, v)))
        True
        """
        check_rows(p=p, v=v)
        return self._core.norm(self._points(p, "p"), self._vectors(v, "v"), _arguments.flag("check", check))

    def transport(self, p: ArrayLike, q: ArrayLike, v: ArrayLike, *, check: bool = True) -> Floats:
        """Parallel transport of ``v`` from ``p`` to ``q`` along the shortest geodesic.

        Parameters
        ----------
        p, q : arrays of shape (..., *shape)
            Points.
        {v}

        Returns
        -------
        array of shape (..., *shape)
            Tangent vectors at ``q``.

        Raises
        ------
        CutLocusError
            Where more than one shortest geodesic joins the points.
        """
        check_rows(p=p, q=q, v=v)
        ends = self._points(p, "p"), self._points(q, "q")
        made = self._core.transport(*ends, self._vectors(v, "v"), _arguments.flag("check", check))
        return marked_like(self._as_points(made), p, q, v)

    def project(self, x: ArrayLike) -> Floats:
        """The points in the form of all other functions: rounding removed, landmarks centered and of unit norm.

        Raises
        ------
        InvalidPointError
            When ``x`` is not a point; the message names the row and the reason.

        Examples
        --------
        >>> import karcher
        >>> karcher.Sphere(2).project([1, 0, 1])
        Traceback (most recent call last):
        karcher.errors.InvalidPointError: x: not a point of sphere:2: its norm is 1.4142135623730951, it must be 1; ...
        """
        return marked_like(self._as_points(self._core.project(self._points(x, "x"))), x)

    def read(
        self,
        x: ArrayLike,
        layout: str,
        *,
        multiply_by: Union[float, Mapping[str, float], None] = None,
        trust_layout: bool = False,
        tolerance: Optional[float] = None,
        normalize: bool = False,
    ) -> Floats:
        """Converts records in another layout to points: latitudes and longitudes, coordinates of a ball, triangles of
        matrices.

        Parameters
        ----------
        x : array of shape (..., m)
            Records, each with as many numbers as the layout takes; for matrices and landmarks also (..., rows,
            columns).
        layout : str
            One of :attr:`layouts`, as on the command line.
        multiply_by : float or dict, optional
            A factor for all numbers, to convert units, or for columns of a DataFrame by name: ``{"ra_hours": 15}``.
        trust_layout : bool, default=False
            Whether the names of a DataFrame's columns may contradict the layout: in geodesy x is north.
        tolerance : float, optional
            Largest accepted distance of a record's numbers from the space, relative to the largest number if this
            exceeds 1. Such records are projected onto the space. ``1e-4`` is for numbers rounded to 4 decimals.
        normalize : bool, default=False
            Whether to project every record onto the space: vectors to unit norm, counts to proportions.

        Returns
        -------
        array of shape (..., *shape)

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names the row and the reason.
        Error
            When the names of the columns contradict the layout, such as longitude before latitude.

        Examples
        --------
        >>> import karcher
        >>> karcher.Sphere(2).layouts[:6]
        ['vectors', 'latlon', 'latlon-radians', 'ra-dec', 'declination-inclination', 'elevation-azimuth']
        >>> karcher.Sphere(2).read([[0, 0], [180, 0]], "colatitude-longitude").round(12) + 0.0  # from the pole
        array([[ 0.,  0.,  1.],
               [ 0.,  0., -1.]])
        >>> karcher.Sphere(2).read([[90, 0], [0, 180]], "latlon").round(12) + 0.0
        array([[ 0.,  0.,  1.],
               [-1.,  0.,  0.]])
        >>> karcher.Hyperbolic(2).read([0.6, 0.0], "poincare")
        array([2.125, 1.875, 0.   ])
        >>> karcher.Sphere(1).read([[0.71, 0.71]], "vectors", tolerance=1e-2).round(4)
        array([[0.7071, 0.7071]])
        """
        layout = _arguments.text("layout", layout)
        factors = np.array(factors_of(multiply_by, x))
        trusts = _arguments.flag("trust_layout", trust_layout)
        if not trusts:
            check_frame(self, x, "x", layout, trust=TRUST, multiplied=np.flatnonzero(factors != 1.0).tolist())
        records = self._in_rows(numbers(x, "x"), layout, trusts)
        if tolerance is not None and not 0.0 < (tolerance := _arguments.real("tolerance", tolerance)) < 1.0:
            raise Error(f"tolerance is {tolerance}: it must be above 0 and below 1")
        records = records if (factors == 1.0).all() else records * factors
        return self._as_points(self._core.read(records, layout, tolerance, _arguments.flag("normalize", normalize)))

    def _in_rows(self, records: Floats, layout: str, trusts: bool) -> Floats:
        """Records that have two axes each in one row, as the layout has them."""
        axes = records.shape[-2:]
        if len(axes) < 2 or 1 in axes or layout not in self.layouts:
            return records
        width = self.write(self.origin, layout).shape[-1]
        fits = layout in _OF_TWO_AXES or (layout in _SQUARE and axes[0] == axes[1])
        if not fits or axes[0] * axes[1] != width:
            return records
        if not trusts:
            self._core.check_axes(list(axes), layout)
        return records.reshape(*records.shape[:-2], width)

    def _points(self, x: ArrayLike, name: str) -> Floats:
        """The numbers of points, whose columns do not say that they are something else."""
        check_frame(self, x, name)
        return numbers(x, name, like=self)

    def _vectors(self, v: ArrayLike, name: str) -> Floats:
        """The numbers of tangent vectors."""
        return numbers(v, name, like=self)

    def write(self, x: ArrayLike, layout: str) -> Floats:
        """Converts points to records in another layout, the inverse of :meth:`read`.

        Parameters
        ----------
        x : array of shape (..., *shape)
            Points.
        layout : str
            One of :attr:`layouts`.

        Returns
        -------
        array of shape (m,) or (n, m)

        Raises
        ------
        InvalidPointError
            When ``x`` is not a point, or the layout cannot represent it, such as a matrix with a diagonal other than 1
            in a layout of correlations.

        Examples
        --------
        >>> import karcher
        >>> karcher.SPD(2).write([[3, 1], [1, 2]], "upper-row")
        array([3., 1., 2.])
        """
        return self._core.write(self._points(x, "x"), _arguments.text("layout", layout))

    def random_point(
        self,
        n: Optional[int] = None,
        *,
        center: Optional[ArrayLike] = None,
        scale: float = 1.0,
        law: str = "gaussian",
        random_state: Optional[int] = None,
    ) -> Floats:
        """Exact draws from a Riemannian Gaussian or Laplace law: density ``exp(-dist²/2·scale²)`` or
        ``exp(-dist/scale)``.

        Parameters
        ----------
        n : int, optional
            Number of points; one point without a first axis by default.
        center : array of shape ``shape``, optional
            Center of the law, :attr:`origin` by default.
                scale : float
            Scale in units of distance.
        law : {"gaussian", "laplace"}
        random_state : int, optional
            Makes the draws reproducible.

        Returns
        -------
        array of shape ``shape`` or (n, *shape)

        Raises
        ------
        TooMuchNoiseError
            When volume grows too fast for a Laplace law of this scale.
        UnsupportedError
            When the cut distance depends on the direction: on tori of two or more angles, subspaces of dimension two or
            more, and products with a compact factor.

        Examples
        --------
        >>> import karcher
        >>> karcher.SPD(3).random_point(5, random_state=0).shape
        (5, 3, 3)
        """
        law = _arguments.text("law", law)
        try:
            found = self._core.random_point(
                None if n is None else _arguments.whole("n", n, 0, 2**63 - 1),
                None if center is None else numbers(center, "center", like=self),
                _arguments.real("scale", scale),
                law,
                _arguments.seed(random_state),
            )
            return self._as_points(found)
        except UnsupportedError:
            pass
        advice = "; draw them on each factor and join their numbers" if {"*", "^"} & set(self.name) else ""
        raise UnsupportedError(f"random points of law={law!r} cannot be drawn on {self.name}{advice}")

    def __mul__(self, other: Manifold) -> Product:
        if not isinstance(other, Manifold):
            return NotImplemented
        return Product(self, other)

    def __pow__(self, k: int) -> Power:
        return Power(self, k)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manifold) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return manifold, (self.name,)

    def __repr__(self) -> str:
        return f"karcher.manifold({self.name!r})"


class Euclidean(Manifold):
    """``R^d``: vectors of ``d`` numbers.

    Examples
    --------
    >>> import karcher
    >>> karcher.Euclidean(2).dist([0, 0], [[3, 4], [0, 1]])
    array([5., 1.])
    """

    def __init__(self, d: int) -> None:
        super().__init__(f"euclidean:{_arguments.whole('d', d)}")


class Sphere(Manifold):
    """The unit sphere ``S^d``: unit vectors of ``d + 1`` numbers; distances are angles in radians. Curvature 1.

    Examples
    --------
    >>> import karcher
    >>> s2 = karcher.Sphere(2)
    >>> s2.dim, s2.shape
    (2, (3,))
    """

    def __init__(self, d: int) -> None:
        super().__init__(f"sphere:{_arguments.whole('d', d)}")


class Hyperbolic(Manifold):
    """Hyperbolic space ``H^d``: points ``x`` of the hyperboloid ``-x[0]² + x[1]² + … + x[d]² = -1``, ``x[0] > 0``.
    Curvature -1.

    :meth:`~Manifold.read` converts points of the Poincaré ball, ``u -> (1 + |u|², 2u)/(1 - |u|²)``, and of the Klein
    ball, ``k -> (1, k)/sqrt(1 - |k|²)``; :meth:`~Manifold.write` converts back.

    Examples
    --------
    >>> import karcher
    >>> h2 = karcher.Hyperbolic(2)
    >>> h2.layouts
    ['vectors', 'poincare', 'klein']
    >>> h2.write(h2.read([[0.6, 0.0], [0.0, 0.1]], "poincare"), "poincare").round(12)
    array([[0.6, 0. ],
           [0. , 0.1]])
    """

    def __init__(self, d: int) -> None:
        super().__init__(f"hyperbolic:{_arguments.whole('d', d)}")


class SPD(Manifold):
    """Symmetric positive definite ``k × k`` matrices.

    Parameters
    ----------
    k : int
    metric : {"log-euclidean", "affine-invariant", "log-cholesky"}
        ``|logm X - logm Y|`` (Arsigny et al. 2007), flat; or ``|logm(X^-½ Y X^-½)|`` (Pennec et al. 2006), curvature
        from -½ to 0. The third compares Cholesky factors with logarithms on the diagonal (Lin 2019), and is flat.
        pyRiemann's names, "logeuclid", "riemann" and "logchol", work too.

    Notes
    -----
    A tangent vector is a symmetric matrix, the derivative of a curve of matrices, for all metrics.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> x = np.diag([np.e, 1, 1])
    >>> round(float(karcher.SPD(3, metric="affine-invariant").dist(np.eye(3), x)), 12)
    1.0
    """

    _center_advice = (
        "; a center has the unit of the records (covariances in square volts are 60 away from the identity), such as "
        "center=0.7 * np.eye(3) for diffusion in µm²/ms; for covariances of any unit, "
        "karcher.preprocessing.ShrinkTrace has a ball that holds all of them"
    )

    def __init__(self, k: int, metric: str = "log-euclidean") -> None:
        super().__init__(f"spd-{metric_on_matrices(metric)}:{_arguments.whole('k', k)}")


class Correlations(Manifold):
    """Correlation matrices of ``k`` variables, of full rank, with the off-log metric: flat.

    Coordinates are the off-diagonal elements of the matrix logarithm (Archakov and Hansen 2021; Thanwerdas 2022). A
    tangent vector is a symmetric matrix with zeros on the diagonal.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> distance = karcher.Correlations(2).dist(np.eye(2), [[1, 0.6], [0.6, 1]])
    >>> bool(abs(distance - np.sqrt(2) * np.arctanh(0.6)) < 1e-12)
    True
    """

    def __init__(self, k: int) -> None:
        super().__init__(f"correlation-off-log:{_arguments.whole('k', k)}")


class Compositions(Manifold):
    """Compositions of ``k`` positive parts that sum to 1, with Aitchison's geometry: flat.

    Distances depend only on ratios of parts (Aitchison 1986). A tangent vector is ``k`` numbers that sum to 0.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> distance = karcher.Compositions(2).dist([0.5, 0.5], [0.75, 0.25])
    >>> bool(abs(distance - np.log(3) / np.sqrt(2)) < 1e-12)
    True
    """

    def __init__(self, k: int) -> None:
        super().__init__(f"simplex-aitchison:{_arguments.whole('k', k)}")


class HPD(Manifold):
    """Hermitian positive definite ``k × k`` matrices: covariances of complex signals, cross-spectra.

    Points and tangent vectors are complex arrays (k, k). Real arrays are accepted too.

    Parameters
    ----------
    k : int
    metric : {"log-euclidean", "affine-invariant"}
        Metric as for :class:`SPD`, with equal distances for real matrices.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> x = np.array([[1.0, 0.5j], [-0.5j, 1.0]])
    >>> hpd = karcher.HPD(2, metric="affine-invariant")
    >>> round(float(hpd.dist(np.eye(2), x)), 12) == round(float(np.hypot(np.log(1.5), np.log(0.5))), 12)
    True
    >>> hpd.log(np.eye(2), x).dtype, hpd.shape
    (dtype('complex128'), (2, 2))
    """

    def __init__(self, k: int, metric: str = "log-euclidean") -> None:
        super().__init__(f"hpd-{metric_on_matrices(metric)}:{_arguments.whole('k', k)}")


class Kendall(Manifold):
    """Shapes of ``k`` landmarks in the plane: configurations (k, 2) up to position, size and rotation (Kendall 1984).

    Distances are radians, at most π/2. Curvature from 1 to 4. Each configuration is centered and scaled to unit norm;
    the metric takes care of rotations. Tangent vectors are horizontal at the centered, scaled configuration.

    Examples
    --------
    >>> import karcher
    >>> triangle = [[0, 0], [4, 0], [0, 3]]
    >>> turned = [[5, 5], [5, 9], [2, 5]]
    >>> bool(karcher.Kendall(3).dist(triangle, turned) < 1e-15)
    True
    """

    _center_advice = "; a template of shape (k, 2) is a center, and never one of the records"

    def __init__(self, k: int) -> None:
        super().__init__(f"kendall:{_arguments.whole('k', k)}")

    @staticmethod
    def read_tps(path: Union[str, os.PathLike[str]]) -> Floats:
        """The landmarks of the specimens in a TPS file, as written by tpsDig and geomorph. ``SCALE=`` multiplies the
        landmarks of its specimen; curves are left out if there are landmarks.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        array of shape (n, k, 2)
            NaN where a landmark is missing: at −1 −1, or NA.

        Raises
        ------
        Error
            When the file cannot be read, or a specimen has other landmarks than the first.

        Examples
        --------
        >>> import pathlib, tempfile, karcher
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.tps"
        >>> written = path.write_text("LM=1\\n1 2\\nSCALE=0.5\\nLM=1\\n-1 -1\\n")
        >>> karcher.Kendall.read_tps(path)
        array([[[0.5, 1. ]],
        <BLANKLINE>
               [[nan, nan]]])
        """
        values, columns = _karcher.read_tps(os.fspath(path))
        return np.array(values).reshape(-1, columns // 2, 2)


class Landmarks(Manifold):
    """``k`` landmarks of ``axes`` = 2 or 3 coordinates up to position and size: configurations (k, axes), centered and
    of unit norm.

    A sphere, of curvature 1; distances are radians. Rotations are not divided out: :func:`karcher.align_landmarks`
    rotates records onto a public template.

    Examples
    --------
    >>> import karcher
    >>> skulls = karcher.Landmarks(20, 3)
    >>> skulls.dim, skulls.shape
    (56, (20, 3))
    """

    _center_advice = "; a public template of shape (k, axes) is a center, and never one of the records"

    def __init__(self, k: int, axes: int = 3) -> None:
        super().__init__(f"landmarks:{_arguments.whole('k', k)},{_arguments.whole('axes', axes)}")


class SizeAndShape(Manifold):
    """``k`` landmarks of ``axes`` = 2 or 3 coordinates up to position: centered configurations (k, axes), with their
    size.

    Flat; distances are in the unit of the landmarks. :func:`karcher.align_landmarks` rotates records onto a public
    template.

    Examples
    --------
    >>> import karcher
    >>> karcher.SizeAndShape(3, 2).project([[0, 0], [3, 0], [0, 3]])
    array([[-1., -1.],
           [ 2., -1.],
           [-1.,  2.]])
    """

    _center_advice = "; a public template of shape (k, axes) is a center, and never one of the records"

    def __init__(self, k: int, axes: int = 3) -> None:
        super().__init__(f"size-and-shape:{_arguments.whole('k', k)},{_arguments.whole('axes', axes)}")


class Projective(Manifold):
    """Real projective space ``RP^d``: axes, directions without sign, as unit vectors of ``d + 1`` numbers; ``x`` and
    ``-x`` are the same point.

    Examples
    --------
    >>> import karcher
    >>> float(karcher.Projective(2).dist([1, 0, 0], [-1, 0, 0]))
    0.0
    """

    def __init__(self, d: int) -> None:
        super().__init__(f"projective:{_arguments.whole('d', d)}")


class Rotations(Manifold):
    """Rotations of space, ``SO(n)`` for ``n = 3``, as unit quaternions, w first.

    Examples
    --------
    >>> import karcher
    >>> round(float(karcher.Rotations().dist([1, 0, 0, 0], [0, 1, 0, 0])), 4)  # half a turn
    3.1416
    """

    def __init__(self, n: int = 3) -> None:
        super().__init__(f"rotations:{_arguments.whole('n', n)}")


class Poses(Manifold):
    """Rigid motions of space, positions and orientations: a quaternion, w first, and a translation.

    Parameters
    ----------
    n : int, default=3
        Dimension of space, 3.
    length : float, default=1
        Length of a translation that counts as much as a rotation by one radian. Choose it without looking at the
        records.

    Examples
    --------
    >>> import karcher
    >>> poses = karcher.Poses(length=2.5)
    >>> float(poses.dist([1, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 3, 4]))
    2.0
    """

    def __init__(self, n: int = 3, length: float = 1.0) -> None:
        digits = np.format_float_positional(_arguments.real("length", length), trim="-")
        super().__init__(f"poses:{_arguments.whole('n', n)},{digits}")


class SimplexFisherRao(Manifold):
    """Compositions of ``k`` parts with the Fisher-Rao metric, zeros included: points are the square roots of the parts.

    Examples
    --------
    >>> import karcher
    >>> space = karcher.SimplexFisherRao(3)
    >>> space.write(space.read([0.25, 0.25, 0.5], "proportions"), "percent").round(12)
    array([25., 25., 50.])
    """

    def __init__(self, k: int) -> None:
        super().__init__(f"simplex-fisher-rao:{_arguments.whole('k', k)}")


class Torus(Manifold):
    """The flat torus: ``d`` angles.

    Examples
    --------
    >>> import karcher
    >>> round(float(karcher.Torus(1).dist([0.1], [6.2])), 4)
    0.1832
    """

    def __init__(self, d: int) -> None:
        super().__init__(f"torus:{_arguments.whole('d', d)}")


class Grassmannian(Manifold):
    """Subspaces of dimension ``k`` of ``R^n``: orthonormal bases, in the columns of (n, k).

    Examples
    --------
    >>> import karcher
    >>> round(float(karcher.Grassmannian(3, 1).dist([[1], [0], [0]], [[0], [1], [0]])), 4)
    1.5708
    """

    def __init__(self, n: int, k: int) -> None:
        super().__init__(f"grassmann:{_arguments.whole('n', n)},{_arguments.whole('k', k)}")


class Product(Manifold):
    """The product of manifolds, ``a * b``: a point has the numbers of a point of each factor, one after the other.

    Parameters
    ----------
    *factors : Manifold
        Two or more.

    Examples
    --------
    >>> import karcher
    >>> karcher.Product(karcher.Sphere(2), karcher.Euclidean(1)).shape
    (4,)
    """

    def __init__(self, *factors: Manifold) -> None:
        for factor in factors:
            if not isinstance(factor, Manifold):
                raise ArgumentTypeError(f"a factor is of type {type(factor).__name__}: expected a manifold")
        super().__init__("*".join(factor.name for factor in factors))


class Power(Manifold):
    """The power of a manifold, ``a ** k``: a point is ``k`` points of ``a``, an array of shape ``(k, *a.shape)``.

    Parameters
    ----------
    base : Manifold
        A manifold that is neither a product nor a power.
    k : int
        Number of points, at least 2.

    Examples
    --------
    >>> import karcher
    >>> (karcher.SPD(3) ** 6).shape
    (6, 3, 3)
    """

    def __init__(self, base: Manifold, k: int) -> None:
        if not isinstance(base, Manifold):
            raise ArgumentTypeError(f"base is of type {type(base).__name__}: expected a manifold")
        if {"*", "^"} & set(base.name):
            raise Error(f"there is no power of {base.name!r}: multiply its factors instead")
        super().__init__(f"{base.name}^{_arguments.whole('k', k)}")


def manifold(name: str) -> Manifold:
    """The manifold with a name such as ``"sphere:2"``, ``"spd-affine-invariant:3"`` or ``"kendall:50"``.

    Parameters
    ----------
    name : str
        Family and size; a product has ``*`` between its factors, a power ``^``.

    {refusals}

    Examples
    --------
    >>> import karcher
    >>> karcher.manifold("spd-log-euclidean:3") == karcher.SPD(3)
    True
    """
    made = Manifold(name)
    factors = made.name.split("*")
    if len(factors) > 1:
        return Product(*map(manifold, factors))
    base, _, exponent = made.name.partition("^")
    if exponent:
        return Power(manifold(base), int(exponent))
    family, _, size = made.name.partition(":")
    known = _FAMILIES.get(family)
    return made if known is None else known(*(float(x) if "." in x else int(x) for x in size.split(",")))


#: The class of a family, given the numbers of its size. A family that is not here is a :class:`Manifold` like any
#: other.
_FAMILIES: dict[str, Callable[..., Manifold]] = {
    "euclidean": Euclidean,
    "sphere": Sphere,
    "hyperbolic": Hyperbolic,
    "spd-log-euclidean": SPD,
    "spd-affine-invariant": lambda k: SPD(k, metric="affine-invariant"),
    "spd-log-cholesky": lambda k: SPD(k, metric="log-cholesky"),
    "correlation-off-log": Correlations,
    "simplex-aitchison": Compositions,
    "kendall": Kendall,
    "landmarks": Landmarks,
    "size-and-shape": SizeAndShape,
    "projective": Projective,
    "rotations": Rotations,
    "poses": Poses,
    "simplex-fisher-rao": SimplexFisherRao,
    "torus": Torus,
    "grassmann": Grassmannian,
    "hpd-log-euclidean": HPD,
    "hpd-affine-invariant": lambda k: HPD(k, metric="affine-invariant"),
}

#: Names with a size, for families whose size is no one number.
_EXAMPLES = {
    "landmarks": "landmarks:10,2",
    "size-and-shape": "size-and-shape:10,2",
    "poses": "poses:3,1",
    "grassmann": "grassmann:5,2",
}

#: Families whose points have two axes.
_MATRICES = (
    "spd-log-euclidean",
    "spd-affine-invariant",
    "spd-log-cholesky",
    "correlation-off-log",
    "kendall",
    "landmarks",
    "size-and-shape",
    "grassmann",
    "hpd-log-euclidean",
    "hpd-affine-invariant",
)

#: Families whose points have a number more than their size.
_ONE_MORE = ("sphere", "hyperbolic", "projective")


def metric_on_matrices(name: object) -> str:
    """The library's name of a metric on matrices."""
    given = _arguments.text("metric", name)
    known = {"logeuclid": "log-euclidean", "riemann": "affine-invariant", "logchol": "log-cholesky"}
    return known.get(given, given)


def resolve(given: object, shape: tuple[int, ...] = ()) -> Manifold:
    """A manifold as estimators take it: itself, its name, or the name without a size, which ``shape``, that of a
    record, then gives. A plan has no record, and refuses such a name."""
    if isinstance(given, Manifold):
        return given
    if not isinstance(given, str):
        kind = type(given).__name__
        raise ArgumentTypeError(
            f"manifold is of type {kind}: expected a manifold such as karcher.Sphere(2), or its name"
        )
    if ":" in given or (not shape and given not in _FAMILIES):
        return manifold(given)
    if not shape:
        example, columns = _EXAMPLES.get(given, f"{given}:3"), " for 3 columns" if given == "euclidean" else ""
        raise Error(
            f"manifold is {given!r}, whose size fit finds in the records: a plan or a specification has none; give "
            f"manifold={example!r}{columns}"
        )
    if "*" in given:
        raise Error(f"the factors of {given!r} need their sizes, as in 'sphere:2*euclidean:1'")
    return manifold(f"{given}:{_size(given, shape)}")


def _size(family: str, shape: tuple[int, ...]) -> str:
    """The size of a family's member whose points have that shape."""
    if family in ("rotations", "poses"):
        return "3"
    if family in ("grassmann", "landmarks", "size-and-shape"):
        return ",".join(map(str, shape))
    return str(shape[0] - 1 if family in _ONE_MORE else shape[0])


def points_are_matrices(given: object) -> bool:
    """Whether a point has several axes, for a manifold as estimators take it, also where its size is not known yet."""
    if isinstance(given, Manifold):
        return len(given.shape) > 1
    if not isinstance(given, str) or "*" in given:
        return False
    return "^" in given or given.partition(":")[0] in _MATRICES


__dir__ = _docs.complete(globals())
