"""Linear classifiers in the tangent space at a private mean: reference and classifier under one budget."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _spec, _spending
from ._arrays import check_points
from ._classes import kinds_of_private
from ._groups import check_groups, persons_of
from ._keys import keys_of
from ._labels import are, check_kinds, labels_of
from ._parameters import estimator
from ._private import (
    REPLACED, Budgeted, OfPoints, check_is_fitted, private_records, replaces, seen_records,
)
from ._rows import check_rows
from ._sklearn import ClassifierMixin
from ._threads import in_threads
from ._withheld import withholds
from .descent import PrivateDescent
from .errors import ArgumentTypeError, Error, InvalidPointError
from .estimators import PrivateFrechetMean
from .manifolds import Manifold, resolve
from .privacy import Guarantee
from .regression import PrivateFeatureRegression
from .release import FeatureRegressionRelease, Release
from .tangent import checked, _coordinates

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from .manifolds import Floats

_HALF = np.sqrt(0.5)
"""The intercept of a row: with coordinates of length √½ at most a row has length 1 at most."""


@estimator
class PrivateTangentClassifier(Budgeted, ClassifierMixin, OfPoints):
    """Linear classification of the logarithms at a private mean, released with differential privacy: the tangent-space
    pipeline of EEG. **Every** ``fit`` **spends the budget**.

    A part of the budget releases the Fréchet mean of all records. Records become the coordinates of their logarithms at
    this mean, shortened to ``clip``. The remaining budget releases a linear classifier of these coordinates:

    * ``"lda"``: linear discriminant analysis from noisy moments of coordinates and labels, one release;
    * ``"logistic"``: logistic regression by noisy gradient steps, within a ball of ``norm_bound``, which acts like a
      ridge penalty.

    A record is a point with its label, and both are protected.

    Parameters
    ----------
    {manifold}
    classes : array_like
        The public list of classes; required. Labels in a list, a series or an array of objects are compared as texts.
    radius : float
        Radius of the public ball to which records are clipped for the mean, in units of distance; required.
    {center}
    {budget}
    method : {"lda", "logistic"}
    clip : float, optional
        Length to which logarithms at the mean are shortened; by default the radius.
    of_reference : float or None
        The part of the budget for the mean, above 0 and below 1. With None the center of the ball is the reference, and
        the classifier gets the whole budget.
    steps : int
        Steps of ``"logistic"``.
    norm_bound : float
        Largest norm of the weights of ``"logistic"``.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a record that is not a point of the manifold, or whose label is missing or not in ``classes``. With
        replacement the center replaces the point, and the record counts for no class.
    {settings}

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    reference_ : array of the manifold's ``shape``
    coef_ : array of shape (n_classes, d)
        Weights of the coordinates.
    intercept_ : array of shape (n_classes,)
    releases_ : list
        The release of the mean, if there is one, and of the classifier.
    guarantee_ : Guarantee
        The guarantee of all releases together.
    manifold_ : Manifold

    Notes
    -----
    User guide, "Regression" (R5) and "Learning" (K2).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["left", "right"], 2000)
    >>> logs = 0.3 * rng.normal(size=(4000, 2, 2)) + np.where(y == "left", 0.5, -0.5)[:, None, None] * np.diag([1, -1])
    >>> X = karcher.SPD(2).exp(np.eye(2), (logs + logs.transpose(0, 2, 1)) / 2)
    >>> model = karcher.classification.PrivateTangentClassifier(
    ...     "spd-affine-invariant", ["left", "right"], radius=2.0, center=np.eye(2), mu=1.0
    ... ).fit(X, y)
    >>> model.predict([np.diag([1.6, 0.6]), np.diag([0.6, 1.6])])
    array(['left', 'right'], dtype='<U5')
    >>> model.guarantee_
    Guarantee(mu=1.0)
    """

    manifold: Union[Manifold, str] = "euclidean"
    classes: Optional[ArrayLike] = None
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    method: str = "lda"
    clip: Optional[float] = None
    of_reference: Optional[float] = 0.1
    steps: int = 20
    norm_bound: float = 10.0
    on_invalid: str = "error"
    n_jobs: Optional[int] = None

    def guarantee(self) -> Guarantee:
        """The guarantee of the whole pipeline: the budget. The estimator need not be fitted."""
        return self._budget()

    @withholds
    @in_threads
    def fit(self, X: ArrayLike, y: ArrayLike, groups: Optional[ArrayLike] = None) -> Self:
        """Releases the reference and the classifier.

        Parameters
        ----------
        X : array of shape (n, *shape)
            The records.
        y : array of shape (n,)
            Their labels.
        groups : array of shape (n,), optional
            The person of each record, for ``"logistic"``. The guarantee then protects persons, and each person counts
            as the mean of their clipped gradients.

        {self}
        """
        check_rows(X=X, y=y, groups=groups)
        total = self.guarantee()
        method = _arguments.one_of("method", self.method, "lda", "logistic")
        check_groups(groups, "replace-one")
        if method == "lda" and groups is not None:
            raise Error(
                "method='lda' takes one record of each person, as a mean over both classes has no class: take "
                "method='logistic', or PrivateMDM with groups"
            )
        replace = replaces(self.on_invalid)
        space, given = private_records(self, X, missing="nan" if replace else "refuse", remedy=REPLACED)
        check_points(given, space.shape, "X")
        classes = self._public_classes()
        releases: list[Union[Release, FeatureRegressionRelease]] = []
        clip = _arguments.length("clip", self.radius if self.clip is None else self.clip)
        if not 0.0 < clip < np.inf:
            raise Error(f"clip is {clip}: it is a positive length")
        ball = _spec.ball(space, center=self.center, radius=self.radius)
        part = _arguments.optional(_arguments.real, "of_reference", self.of_reference)
        if part is not None and not 0.0 < part < 1.0:
            raise Error(f"of_reference is {part}: it is a part of the budget, above 0 and below 1, or None")
        k, q = len(classes), 1 + space.dim
        mean, classifier = self._mean(space, total, part), self._classifier(k, q, total, part)
        persons, unit = persons_of(groups, given), "record" if groups is None else "person"
        n = len(given) if persons is None else len(np.unique(persons))
        account, planned = self._account(), [] if mean is None else [(mean._spec(space, unit), space)]
        of_value, size = (f"euclidean:{k}", k + q) if method == "lda" else (f"euclidean:{q}*euclidean:1", q + 1)
        planned.append((classifier._spec(resolve(of_value), unit), resolve(f"euclidean:{size}")))
        _plan(planned, n, account)
        # from here on records are looked at, and all that is refused is refused before anything is spent
        labels = _labelled(y, len(given), classes, replace)
        records = given
        if replace:
            records = space._as_points(_karcher.points_or_center(space._core, given, ball["center"]))
        else:
            checked(lambda: space.project(given))  # says in which row there is no point
        reference = space._as_points(np.reshape(ball["center"], space._core.shape))
        if mean is not None:
            of_mean = mean.fit(records, groups=groups).release_
            releases.append(of_mean)
            reference = of_mean.value
        # the reference is private: of records without a logarithm there nothing is said
        rows = _rows(_coordinates(space, reference, records, allowed=True), clip)
        release = classifier.fit(rows, self._targets(labels, k), groups).release_
        releases.append(release)
        weights = self._weights(release, k, q)
        _spending.trained(self, given)
        self.classes_: NDArray[Any] = classes
        self.reference_: Floats = reference
        self.releases_ = releases
        self.coef_: Floats = weights[:, 1:] * _HALF / clip
        self.intercept_: Floats = weights[:, 0] * _HALF
        self._clip, self.guarantee_, self.manifold_ = clip, total, space
        return self

    def _public_classes(self) -> NDArray[Any]:
        """The classes in order."""
        if self.classes is None:
            raise ArgumentTypeError("classes is missing: give the public list of classes, as labels are confidential")
        named = labels_of(self.classes, name="classes")
        classes = np.unique(named)
        if len(classes) == 1 or len(set(keys_of(classes))) < max(len(named), 2):
            found = "1 class" if len(classes) == 1 else "a label twice, or none"
            raise Error(f"classes has {found}: it is a list of two or more different labels")
        return classes

    def _mean(self, space: Manifold, total: Guarantee, part: Optional[float]) -> Optional[PrivateFrechetMean]:
        """The estimator of the reference, if it is released."""
        if part is None:
            return None
        budget, seed = _part(total, part), _arguments.seeds(self.random_state, 2)[0]
        account = self._account()
        return PrivateFrechetMean(space, self.radius, self.center, **budget, ledger=account, random_state=seed)

    def _classifier(
        self, k: int, q: int, total: Guarantee, part: Optional[float]
    ) -> Union[PrivateFeatureRegression, PrivateDescent]:
        """The estimator of the classifier: a regression of the centered indicators of the classes on rows, which has
        the moments of linear discriminant analysis, or a descent on the logistic loss."""
        budget, seed = _part(total, 1.0 if part is None else 1.0 - part), _arguments.seeds(self.random_state, 2)[1]
        if self.method == "logistic":
            return self._descent(k, q, budget, seed)
        regression = PrivateFeatureRegression(
            f"euclidean:{k}", radius=float(np.sqrt(1.0 - 1.0 / k)), **budget, ledger=self._account(), random_state=seed
        )
        regression._width = q
        return regression

    def _targets(self, labels: NDArray[np.int_], k: int) -> Floats:
        """What the classifier is fitted to: of a record without a class all classes count alike."""
        if self.method == "logistic":
            return np.where(labels < 0, 0.5 if k == 2 else -1.0, labels.astype(np.float64))
        found: Floats = np.where(labels[:, None] < 0, 0.0, np.eye(k)[labels] - 1.0 / k)
        return found

    def _weights(self, release: Any, k: int, q: int) -> Floats:
        """An intercept and the weights of each class; of two classes the descent has one vector."""
        if self.method == "lda":
            return _discriminants(release, k)
        weights: Floats = release.value.reshape(1 if k == 2 else k, q)
        return np.concatenate([-weights, weights]) / 2 if k == 2 else weights

    def _descent(self, k: int, q: int, budget: dict[str, Any], seed: Optional[int]) -> PrivateDescent:
        vectors = 1 if k == 2 else k
        return PrivateDescent(
            f"euclidean:{vectors * q}",
            _of_two if k == 2 else _of_several,
            f"euclidean:{q}",
            radius=_arguments.length("norm_bound", self.norm_bound),
            clip=1.0 if k == 2 else float(np.sqrt(2.0)),
            steps=self.steps,
            step_size=4.0 if k == 2 else 2.0,
            **budget,
            loss=f"logistic loss of {k} classes",
            ledger=self._account(),
            random_state=seed,
        )

    def decision_function(self, X: ArrayLike) -> Floats:
        """The scores of the classes for other records, or of two classes the difference of the scores.

        Parameters
        ----------
        X : array of shape (n, *shape)
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The predicted classes of records other than those of ``fit``.

        Parameters
        ----------
        X : array of shape (n, *shape)
        """
        best = self._scores(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[best]
        return found

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probabilities of the classes by the model, for other records.

        Parameters
        ----------
        X : array of shape (n, *shape)
        """
        scores = self._scores(X)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        proba: Floats = powers / powers.sum(axis=1, keepdims=True)
        return proba

    def _scores(self, X: ArrayLike) -> Floats:
        check_is_fitted(self, "coef_")
        records = seen_records(self, X)
        _spending.warn_of_training_records(self, records)
        rows = _rows(_coordinates(self.manifold_, self.reference_, records), self._clip)
        scores: Floats = rows[:, 1:] @ (self.coef_.T * self._clip / _HALF) + self.intercept_
        return scores


def _plan(releases: list[tuple[dict[str, Any], Manifold]], n: int, account: Optional[str]) -> None:
    """Plans all releases, each with the space of its records, and looks whether a ledger has room for them together."""
    plans = _karcher.Classes(False)
    for fields, space in releases:
        plans.expect(n)
        none = np.empty((0, *space.shape), space.dtype)
        _karcher.release(_spec.as_text(fields), none, None, False, None, None, None, plans)
    if account is not None:
        plans.check_room(account)


def _labelled(y: ArrayLike, n: int, classes: NDArray[Any], replace: bool) -> NDArray[np.int_]:
    """The place of each label among the classes, −1 for one that is missing or none of them."""
    given = labels_of(y, private=True)
    if len(given) != n:
        raise Error(f"y has {len(given)} labels: it has one label for each of the {n} records")
    check_kinds(kinds_of_private(given), classes)
    places = np.full(n, -1)
    for place, label in enumerate(classes):
        places[are(given, label)] = place
    if not replace and (places < 0).any():
        raise InvalidPointError(
            f"y, row {int((places < 0).argmax()) + 1}: the label is missing, or not among classes; "
            "on_invalid='replace-with-center' counts such a record for no class"
        )
    return places


def _part(budget: Guarantee, of: float) -> dict[str, Any]:
    """A part of a budget, a little less for rounding."""
    of *= 1.0 - 1e-12
    if budget.mu is not None:
        return {"mu": budget.mu * float(np.sqrt(of))}
    given = {"epsilon": budget.epsilon, "delta": budget.delta, "rho": budget.rho}
    return {name: value * of for name, value in given.items() if value is not None}


def _rows(coordinates: Floats, clip: float) -> Floats:
    """``(√½, √½·clip_c(v)/c)``: rows no longer than 1."""
    scales = np.maximum(np.abs(coordinates).max(axis=1, keepdims=True), clip)
    scaled = coordinates / scales  # whose squares neither overflow nor vanish
    lengths = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    shortened = scaled / np.maximum(lengths, clip / scales) * (1.0 - 1e-15)
    rows: Floats = np.hstack([np.full((len(coordinates), 1), _HALF), _HALF * shortened])
    return rows


def _of_two(weights: Floats, X: Floats, y: Floats) -> Floats:
    """The gradient of the logistic loss for labels 0 and 1, a row each; 0 for a label between them."""
    sign = 2.0 * y - 1.0
    along = (X * weights).sum(axis=1)
    gradients: Floats = -(sign / (1.0 + np.exp(sign * along)))[:, None] * X
    return gradients


def _of_several(weights: Floats, X: Floats, y: Floats) -> Floats:
    """The gradient of the logistic loss for labels 0 to K − 1, a row each."""
    vectors = weights.reshape(-1, X.shape[1])
    scores = np.stack([(X * vector).sum(axis=1) for vector in vectors], axis=1)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    share = powers / powers.sum(axis=1, keepdims=True)
    share -= y[:, None] == np.arange(len(vectors))
    share *= y[:, None] >= 0.0  # -1 is no class
    gradients: Floats = (share[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    return gradients


def _discriminants(release: FeatureRegressionRelease, k: int) -> Floats:
    """The discriminants of ``k`` classes, an intercept and weights each, from the moments of a release."""
    weight = json.loads(release.to_json())["moment_weights"]["response"]
    q = len(release.feature_names)
    moments, triangle = release.moments, q * (q + 1) // 2
    second = np.zeros((q, q))
    at = np.triu_indices(q)
    second[at] = moments[:triangle] * np.where(at[0] == at[1], 1.0, _HALF)
    second = second + np.triu(second, 1).T
    crossed = moments[triangle : triangle + q * k].reshape(q, k) * np.sqrt(1.0 - 1.0 / k) / weight
    # in units of the coordinates of a row, which has √½ before them
    priors = crossed[0] / _HALF + 1.0 / k
    mean, both = second[0, 1:] / _HALF**2, second[1:, 1:] / _HALF**2
    deviation = _deviation(release)
    priors = np.maximum(priors, max(deviation, 1e-6))
    priors /= priors.sum()
    means = (crossed[1:].T / _HALF + mean / k) / priors[:, None]
    within = both - (priors[:, None, None] * means[:, :, None] * means[:, None, :]).sum(axis=0)
    values, vectors = np.linalg.eigh(within)
    noise = 2.0 * deviation * np.sqrt(q)  # about the largest eigenvalue of the noise on it
    precision = vectors / np.maximum(values, noise) @ vectors.T
    directions = means @ precision
    intercepts = np.log(priors) - 0.5 * (directions * means).sum(axis=1)
    discriminants: Floats = np.hstack([intercepts[:, None], directions]) / _HALF
    return discriminants


def _deviation(release: FeatureRegressionRelease) -> float:
    """The standard deviation of a noisy moment."""
    draw = release.noise[0]
    numbers_drawn = len(release.moments)
    return float(draw.scale * (np.sqrt(numbers_drawn + 1.0) if draw.law == "laplace" else 1.0))


__dir__ = _docs.complete(globals())
