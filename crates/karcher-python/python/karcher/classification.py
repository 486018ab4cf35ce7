"""Classification of symmetric positive definite matrices by private class means."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from . import _arguments, _karcher, _spec, _spending
from ._arrays import check_size, check_square, numbers
from ._classes import InArray, InTable, are
from ._names import check_table
from ._private import REPLACED, Specified, refuse_weights, replaces
from ._tables import Options, codes_of_array, is_table, refuse_plans
from ._threads import in_threads
from ._withheld import withholds
from .cluster import Remote
from .errors import ArgumentTypeError, Error, InvalidPointError, NotFittedError
from .estimators import PrivateFrechetMean
from .ledger import Ledger
from .manifolds import SPD
from .privacy import Guarantee, compose, parallel
from .release import Release

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats


class PrivateMDM(Specified, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Minimum distance to mean, with private class means, which is used like ``pyriemann.classification.MDM``.

    A matrix belongs to the class whose mean is nearest (Barachant, Bonnet, Congedo and Jutten 2012). The means of the
    classes are the only thing that is learnt, and each is released by :class:`karcher.PrivateFrechetMean`.

    **Who is protected.** Labels are public: neighbouring training sets differ in one matrix, not in its label, so the
    sizes of the classes are public as well. A replaced matrix then changes the mean of one class only, and every class
    gets the whole budget (parallel composition): ``guarantee_`` is that of each ``releases_``. It protects a matrix,
    and a person only who has no more than one: where people have several, in several classes as they mostly do, give
    ``groups`` to ``fit``. The matrices of a person in a class are then reduced to one contribution. Replacing all
    matrices of a person changes one contribution in each of the C classes: ``guarantee_`` is what the C releases
    promise together (C·ε, √C·μ, C·ρ), and protects persons. Who has matrices in which class is public then, how many is
    not. With ``labels="private"`` labels and the sizes of the classes are protected, too: neighbours have one labelled
    matrix more or less, which is in one class or in none, so that every class gets the whole budget (U3).

    What is predicted for *other* matrices is made of the private means and costs nothing. A prediction, distance or
    score of the *training* matrices reveals them like any other number computed from them: ``fit_predict`` and
    ``fit_transform`` are refused; a pipeline calls the latter if another step follows. The other methods warn when they
    are given the array that ``fit`` was given.

    Parameters
    ----------
    radius : float
        Radius of the public ball to which the matrices of every class are clipped, in units of distance.
    center : array of shape (k, k)
        Center of the ball: public, as the radius is, and in the unit of the matrices. Both are required; for covariance
        matrices ``PrivateMDM(**ShrinkTrace(alpha).ball(k), …)`` gives a ball that holds all of them, see
        :class:`karcher.preprocessing.ShrinkTrace`.
    metric : {"log-euclidean", "affine-invariant"}
        pyRiemann's names, "logeuclid" and "riemann", are understood as well. Log-Euclidean means need much less noise
        for large k.
    epsilon, delta, mu, rho : float, optional
        The budget: ``epsilon``, ``epsilon`` with ``delta``, ``mu`` or ``rho``.
    mechanism, numerics, denoise : optional
        As for :class:`karcher.PrivateFrechetMean`.
    spread : bool
        Release the spread of every class too, with a quarter of its budget: how far its matrices are from its mean, and
        the share of them outside of the ball; ``releases_[i].spread``. Two classes without a person in common can then
        be told apart by :func:`karcher.compare`.
    spread_clip : float, optional
        Public bound at which the distances of the spread are cut off; by default twice the radius.
    labels : {"public", "private"}
        With ``"private"`` the guarantee is for one labelled matrix more or less, ``adjacency="add-remove"``, and needs
        ``classes`` and ``n_guess``. A matrix that changes its label is one removed and one added: twice the ε or μ.
    classes : array_like, optional
        With private labels: the public list of classes. A matrix with another label is in no class, and nothing says
        so; a class without matrices has a mean that is noise.
    n_guess : int or array_like, optional
        With private labels: a public guess of the size of each class, one for all or one a class.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a training matrix that is not positive definite.
    ledger : Ledger or path, optional
        Ledger that counts the budget before the noise is drawn, and refuses when not enough is left. By default it is
        that of the ``with`` block, if there is one. The classes have no matrix in common, so that their means are
        counted as one; with ``groups`` the mean of every class is counted.
    random_state : int, optional
        Reproducible noise, hence **not private**.
    n_jobs : int, optional
        Number of threads: 1 for one, -1 for one a core, -2 for one less. By default as many as ``RAYON_NUM_THREADS``
        says, else one a core. What comes out does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    covmeans_ : array of shape (n_classes, k, k)
        The private means, in the order of ``classes_``.
    releases_ : list of Release
        The same with everything that is to be known about them.
    guarantee_ : Guarantee
        Guarantee of all of it together: for a matrix, or with ``groups`` for a person.
    manifold_ : SPD
    n_features_in_ : int
        Number of rows of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from karcher.classification import PrivateMDM
    >>> X = np.concatenate([np.tile(np.diag([2.0, 1.0]), (200, 1, 1)), np.tile(np.diag([1.0, 2.0]), (200, 1, 1))])
    >>> y = np.repeat(["left", "right"], 200)
    >>> mdm = PrivateMDM(radius=2.0, center=1.4 * np.eye(2), epsilon=1.0).fit(X, y)
    >>> mdm.guarantee_
    Guarantee(epsilon=1.0)
    >>> mdm.predict([[[3.0, 0.0], [0.0, 1.0]]])
    array(['left'], dtype='<U5')
    """

    def __init__(
        self,
        radius: Optional[float] = None,
        center: Optional[ArrayLike] = None,
        *,
        metric: str = "log-euclidean",
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        rho: Optional[float] = None,
        mechanism: str = "auto",
        numerics: str = "exact",
        denoise: Optional[str] = None,
        spread: bool = False,
        spread_clip: Optional[float] = None,
        labels: str = "public",
        classes: Optional[ArrayLike] = None,
        n_guess: Union[int, ArrayLike, None] = None,
        on_invalid: str = "error",
        ledger: Union[Ledger, str, os.PathLike[str], None] = None,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.radius = radius
        self.center = center
        self.metric = metric
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.rho = rho
        self.mechanism = mechanism
        self.numerics = numerics
        self.denoise = denoise
        self.spread = spread
        self.spread_clip = spread_clip
        self.labels = labels
        self.classes = classes
        self.n_guess = n_guess
        self.on_invalid = on_invalid
        self.ledger = ledger
        self.random_state = random_state
        self.n_jobs = n_jobs

    classes_: NDArray[Any]
    covmeans_: Floats
    releases_: list[Release]
    guarantee_: Guarantee
    manifold_: SPD
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        tags.input_tags.allow_nan = self.on_invalid == "replace-with-center"
        return tags

    @withholds
    @in_threads
    def fit(
        self,
        X: Any,
        y: Union[ArrayLike, str],
        groups: Union[ArrayLike, str, None] = None,
        *,
        columns: Optional[Sequence[str]] = None,
        layout: Optional[str] = None,
        memory: Union[int, str, None] = None,
        missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None,
        trust_layout: Optional[bool] = None,
        **refused: object,
    ) -> PrivateMDM:
        """Releases the private means of the classes.

        Parameters
        ----------
        X : array of shape (n, k, k), or a table
            Symmetric positive definite matrices: an array, one on disk too (``numpy.memmap``), or whatever has
            ``__arrow_c_stream__``, which is read batch by batch, once for each class and sum.
        y : array of shape (n,) or str
            Their labels, public or private: of a table the name of the column.
        groups : array of shape (n,) or str, optional
            The person of each matrix, integers or texts: the guarantee then protects persons, and the budget is spent
            once for every class. Of a table the name of the column.
        columns, layout, memory, trust_layout : optional
            Of a table, as for :class:`karcher.PrivateFrechetMean`; ``layout`` may be ``"upper-row"``.
        missing_values : float, list of float or dict, optional
            As for :class:`karcher.PrivateFrechetMean`.
        **refused
            ``sample_weight`` is refused, unless it is None.

        Returns
        -------
        self
        """
        refuse_weights(refused)
        private = _arguments.one_of("labels", self.labels, "public", "private") == "private"
        if not private and (self.classes is not None or self.n_guess is not None):
            raise Error("classes and n_guess belong to labels='private': public labels say which classes there are")
        if private and groups is not None:
            raise Error("groups do not go with labels='private': persons may have matrices in several classes")
        options = Options(
            groups=groups,
            columns=columns,
            layout=layout,
            memory=memory,
            missing_values=missing_values,
            trust_layout=trust_layout,
        )
        records = self._of_table(X, y, options) or self._of_array(X, y, options, private)
        manifold = SPD(records.size, metric=self.metric)
        if not options.trusts:
            check_table(manifold, records.names, layout)
        _spec.ball(manifold, center=self.center, radius=self.radius, without=_WITHOUT_BALL)
        classes = self._public_classes() if private else _labels(records.labels())
        if not len(classes):
            raise Error("there are no records: a mean of none is nothing")
        guesses = self._guesses(len(classes)) if private else [None] * len(classes)
        seeds: list[Optional[int]] = [None] * len(classes)
        if self.random_state is not None:
            root = np.random.SeedSequence(_arguments.seed(self.random_state))
            seeds = [int(s) for s in root.generate_state(len(classes), np.uint64)]
        account = self._account()
        means = [self._mean(manifold, guess, seed) for guess, seed in zip(guesses, seeds)]
        # every class is planned before the first is released, and the budget of all is reserved at once: one that
        # covers each where they have no matrix in common, composed where persons are in several of them
        together, unit = _karcher.Classes(records.has_persons), "person" if records.has_persons else "record"
        for label, mean in zip(classes, means):
            own, whose = (None, None) if private else records.to_count(label, together)
            nothing = np.empty((0, records.size, records.size))
            mean._plan_class(manifold, nothing if own is None else own, whose, unit, together)
        together.reserve(account)
        releases: list[Release] = []
        for label, mean in zip(classes, means):
            own, whose = records.of_class(label)
            try:
                releases.append(mean._release_of_class(manifold, own, whose, unit, together))
            except InvalidPointError as error:
                raise InvalidPointError(records.in_all(str(error), label)) from None
        seeded = self.random_state is not None
        combine = compose if records.has_persons else parallel
        guarantee = combine(*[release.guarantee for release in releases])
        _spending.spend(self, records.in_memory, guarantee, seeded=seeded, counted=account is not None, unit=unit)
        self.classes_ = classes
        self.releases_ = releases
        self.covmeans_ = np.stack([release.value for release in releases])
        self.guarantee_ = guarantee
        self.manifold_ = manifold
        self.n_features_in_ = records.size
        return self

    def spec(self, label: object = None, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the release of one class, which :func:`karcher.run` takes. The estimator need not be
        fitted.

        Parameters
        ----------
        label : optional
            The class. Private labels may have a guess for each class; elsewhere all classes have one specification.
        unit : {"record", "person"}
            What the guarantee protects: ``"person"`` for a ``fit`` with ``groups``.

        Returns
        -------
        dict
        """
        if self.center is None:
            raise Error(f"center is missing: {_WITHOUT_BALL}")
        center = numbers(self.center, "center")
        check_square(center[np.newaxis], "center")
        guess: Optional[int] = None
        if _arguments.one_of("labels", self.labels, "public", "private") == "private":
            classes = self._public_classes()
            places = np.flatnonzero(are(classes, label)) if label is not None else range(1)
            if len(places) != 1:
                raise Error("label is none of the classes")
            guess = self._guesses(len(classes))[int(places[0])]
        return self._mean(SPD(len(center), metric=self.metric), guess, None).spec(unit=unit)

    def _mean(self, manifold: SPD, guess: Optional[int], seed: Optional[int]) -> PrivateFrechetMean:
        """The estimator of the mean of a class, with a guess of its size where that is confidential."""
        return PrivateFrechetMean(
            manifold,
            self.radius,
            self.center,
            epsilon=self.epsilon,
            delta=self.delta,
            mu=self.mu,
            rho=self.rho,
            mechanism=self.mechanism,
            numerics=self.numerics,
            denoise=self.denoise,
            spread=self.spread,
            spread_clip=self.spread_clip,
            on_invalid=self.on_invalid,
            adjacency="replace-one" if guess is None else "add-remove",
            n_guess=guess,
            random_state=seed,
        )

    def _of_table(self, X: Any, y: object, options: Options) -> Optional[InTable]:
        refuse_plans(X)
        if isinstance(X, Remote) or hasattr(X, "mapInArrow"):
            raise ArgumentTypeError(
                f"X is of type {type(X).__name__}: PrivateMDM takes arrays and tables; elsewhere release the mean of "
                "each class by itself, by karcher.PrivateFrechetMean"
            )
        named = replace(options, predictor=y) if isinstance(y, str) else options
        if not is_table(X, named):
            if options.columns is not None or options.layout is not None:
                raise Error("columns and layout belong to tables: an array has its records one a row")
            return None
        if not isinstance(y, str):
            raise Error("y must be the name of the column of labels where the matrices are a table")
        return InTable(X, y, options)

    def _of_array(self, X: Any, y: object, options: Options, private: bool) -> InArray:
        codes = codes_of_array(options.missing_values)
        missing: Any = {"missing": "nan" if replaces(self.on_invalid) else "refuse", "remedy": REPLACED, "codes": codes}
        is_on_disk = isinstance(X, np.memmap) and X.dtype.kind in "biuf" and not codes
        matrices, labels = X if is_on_disk else numbers(X, "X", **missing), _labels(y, private)
        check_square(matrices, "X")
        if len(matrices) != len(labels) or not (len(labels) or private):
            raise Error(
                f"X has shape {matrices.shape} and y has {len(labels)} labels: X must be (n, k, k), with a label for "
                "each matrix"
            )
        return InArray(matrices, labels, options.groups, options.memory)

    def _public_classes(self) -> NDArray[Any]:
        """The list of classes, each once."""
        if self.classes is None:
            raise Error("classes is missing: with private labels the list of classes has to be public")
        classes = _labels(self.classes, False)
        if not len(classes) or len(np.unique(classes)) != len(classes):
            raise Error("classes must be a list of labels, at least one and each of them once")
        return classes

    def _guesses(self, classes: int) -> list[Optional[int]]:
        """A guess of the size of each class."""
        if self.n_guess is None:
            raise Error("n_guess is missing: with private labels the sizes of the classes are confidential; guess them")
        given = np.atleast_1d(np.asarray(self.n_guess)).tolist()
        guesses = [_arguments.count("n_guess", guess) for guess in given]
        if len(guesses) not in (1, classes):
            raise Error(f"n_guess has {len(guesses)} numbers: it must be one, or one for each of the {classes} classes")
        return [*guesses] * (classes if len(guesses) == 1 else 1)

    def transform(self, X: ArrayLike) -> Floats:
        """Distances to the private means.

        Parameters
        ----------
        X : array of shape (n, k, k)

        Returns
        -------
        array of shape (n, n_classes)
        """
        return self._distances(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the nearest private mean.

        Parameters
        ----------
        X : array of shape (n, k, k)

        Returns
        -------
        array of shape (n,)
        """
        nearest = self._distances(X).argmin(axis=1)
        return np.asarray(self.classes_[nearest])

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Softmax of minus the squared distances, as pyRiemann's MDM has it.

        Parameters
        ----------
        X : array of shape (n, k, k)

        Returns
        -------
        array of shape (n, n_classes)
        """
        squares = self._distances(X) ** 2
        weights = np.exp(squares.min(axis=1, keepdims=True) - squares)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> float:
        """The part of the matrices whose label is predicted. **Not private** about the matrices it is computed from.

        Parameters
        ----------
        X : array of shape (n, k, k)
        y : array of shape (n,)
            Their labels.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        float
        """
        hits, weights = self._distances(X), None
        labels = _labels(y)
        if len(labels) != len(hits):
            raise Error(f"X has {len(hits)} matrices and y has {len(labels)} labels: there must be equally many")
        if sample_weight is not None:
            weights = numbers(sample_weight, "sample_weight")
            if weights.shape != labels.shape or not weights.min() >= 0.0 or not 0.0 < weights.sum() < np.inf:
                raise Error("sample_weight must have a number for each matrix, none below 0 and not all of them 0")
        return float(np.average(self.classes_[hits.argmin(axis=1)] == labels, weights=weights))

    def fit_predict(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Refused: predictions for the training matrices are not private."""
        raise Error(
            "predictions for the training matrices themselves are not private: call fit, and predict other matrices"
        )

    def fit_transform(self, X: ArrayLike, y: Optional[ArrayLike] = None, **fit_params: Any) -> Floats:
        """Refused: distances of the training matrices are not private, nor is what a next step of a pipeline would
        learn from them."""
        raise Error(
            "distances of the training matrices themselves are not private: call fit, and transform other matrices; "
            "in a pipeline PrivateMDM is the last step"
        )

    @in_threads
    def _distances(self, X: ArrayLike) -> Floats:
        """Of matrices to the private means, (n, n_classes)."""
        if not hasattr(self, "covmeans_"):
            raise NotFittedError("this PrivateMDM is not fitted: call fit first")
        matrices = numbers(X, "X")
        check_square(matrices, "X")
        check_size(self, matrices.shape[1])
        _spending.warn_of_training_records(self, matrices)
        return _karcher.distances_to(self.manifold_._core, numbers(self.covmeans_, "covmeans_"), matrices)


_WITHOUT_BALL = "if you know none, PrivateMDM(**ShrinkTrace(alpha).ball(k), …) has one for covariance matrices"


def _labels(y: object, private: bool = False) -> NDArray[Any]:
    """Labels, one a matrix. Where they are private nothing is said that depends on which there are."""
    problem = None
    if y is None:
        raise Error("PrivateMDM requires y to be passed, but the target y is None: a label for each matrix")
    if isinstance(y, np.ma.MaskedArray) and np.any(y.mask):
        problem = "y has masked labels: every matrix needs one"
    try:
        labels = np.asarray(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            sentence = "A column-vector y was passed when a 1d array was expected: y.ravel() is one"
            warnings.warn(sentence, DataConversionWarning, stacklevel=_spending.caller())
            labels = labels[:, 0]
        if labels.ndim != 1:
            problem = f"y has shape {labels.shape}: it must be (n,), a label for each matrix"
        elif labels.dtype.kind not in "biuUS" and any(label is None or label != label for label in labels.tolist()):
            problem = "y has missing labels: every matrix needs one"
        elif len(labels) and not private:
            np.unique(labels)
            check_classification_targets(labels)
    except (TypeError, ValueError):
        problem = "Unknown label type: labels must be texts or whole numbers, all of one kind"
    if problem is not None:
        raise Error(problem)
    return labels
