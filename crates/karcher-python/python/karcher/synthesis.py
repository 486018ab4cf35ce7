"""Synthetic records: made-up points with the mean and the second moment of a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher
from ._arrays import by_content
from .errors import ArgumentTypeError
from .release import KMeansRelease, Release

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .manifolds import Floats


@by_content
class Synthetic(NamedTuple):
    """Synthetic records, drawn only from releases. ``points`` is an array of shape ``(n, *shape)``. ``labels`` names
    the release of each point, if there are several. ``laws`` has the law of each release, or of each cluster, in words.

    The records keep only the released mean and second moment, not the shape of the distribution, outliers or relations
    to other columns."""

    points: Floats
    labels: Optional[NDArray[Any]]
    laws: tuple[str, ...]


def synthesize(
    release: Union[Release, KMeansRelease, Iterable[Release], Mapping[Any, Release]],
    n: int,
    *,
    spread: Optional[float] = None,
    random_state: Optional[int] = None,
) -> Synthetic:
    """Made-up records with the mean and the second moment of a release, for trials of your software.

    They depend only on released numbers and chance, so they cost no privacy and reveal no more than the release. A mean
    with its spread gives a normal law on the tangent space, mapped by the exponential map. With released components it
    has a variance for each direction. An extrinsic mean gives a von Mises–Fisher, Bingham or Watson law. Draw
    conclusions about people from the release, not from synthetic records.

    Parameters
    ----------
    release : Release, KMeansRelease, iterable of Release, or mapping of names to releases
        A mean with ``spread=True`` or from :class:`PrivateTangentPCA`, an extrinsic mean, or clusters with
        ``cost=True``. Several releases give labelled records, in the proportions of their numbers of records; for class
        means give ``dict(zip(model.classes_, model.releases_))``.
    n : int
        Number of synthetic records.
    spread : float, optional
        Public guess of the root mean square distance of records from their mean, which replaces the released one.
    random_state : int, optional
        Reproducible records. It has no effect on privacy.

    Returns
    -------
    Synthetic

    Raises
    ------
    Error
        For a release without a second moment, unless there is a ``spread``, and for different spaces.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> x = np.random.default_rng(0).normal(0.2, 0.3, size=(2000, 2))
    >>> mean = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, epsilon=2.0, spread=True)
    >>> made_up = karcher.synthesize(mean.fit(x).release_, 500, random_state=1)
    >>> made_up.points.shape, made_up.labels is None
    ((500, 2), True)
    """
    if isinstance(release, (Release, KMeansRelease)):
        names: Optional[list[Any]] = None
        given: list[Any] = [release]
    elif isinstance(release, Mapping):
        names, given = list(release), list(release.values())
    elif isinstance(release, Iterable) and not isinstance(release, (str, bytes)):
        given = list(release)
        names = list(range(len(given)))
    else:
        raise ArgumentTypeError("release must be a Release, several in a list, or a dict of names and releases")
    for i, one in enumerate(given):
        if not isinstance(one, (Release, KMeansRelease)) or (names and isinstance(one, KMeansRelease)):
            raise ArgumentTypeError(f"release[{i}] is {type(one).__name__}: expected a Release")
    named = [(f"release {i}" if names is None else str(names[i]), one.to_json()) for i, one in enumerate(given)]
    length = _arguments.optional(_arguments.length, "spread", spread)
    seed = _arguments.seed(random_state)
    points, sizes, laws = _karcher.synthesize(named, _arguments.whole("n", n, 1), length, seed)
    points = given[0].manifold._as_points(points) if given else points
    labels = None if names is None else np.repeat(np.asarray(names), sizes)
    return Synthetic(points, labels, tuple(laws))


__dir__ = _docs.complete(globals())
