"""Classification by private class means: nearest centroids on any space, and their name for covariance matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _spec, _spending
from ._arrays import check_points, check_square, numbers
from ._classes import InArray, InTable
from ._input import TEMPLATE_OF_ARRAY, in_single, remember_columns, sized_by_columns
from ._keys import keys_of
from ._labels import are, check_kinds, kinds_of, labels_of
from ._names import TRUST, check_frame, check_table
from ._parameters import derived, estimator
from ._private import (
    REPLACED, OfPoints, Releasing, check_is_fitted, onto_template, private_records, refuse_weights,
    replaces, see_columns,
)
from ._rows import check_rows
from ._sklearn import ClassifierMixin, TransformerMixin
from ._tables import Options, codes_of_array, is_table, refuse_plans
from ._threads import in_threads
from ._withheld import withholds
from .cluster import Remote
from .errors import ArgumentTypeError, Error, InvalidPointError
from .estimators import PrivateFrechetMean
from .landmarks import rotated
from .manifolds import SPD, Euclidean, Manifold, metric_on_matrices, resolve
from .privacy import Guarantee, compose, parallel
from .release import Release
from .tangent_classification import PrivateTangentClassifier as PrivateTangentClassifier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from .manifolds import Floats


@estimator
class PrivateNearestCentroid(Releasing[Release], ClassifierMixin, TransformerMixin, OfPoints):
    """Nearest centroid with private class means, on any space.

    A record is assigned to the class with the nearest mean, by the distance of the space. For embeddings on a sphere
    this is the mean with the largest cosine similarity. The classifier consists of the class means, and each is
    released by :class:`karcher.PrivateFrechetMean`. **Every** ``fit`` **spends the budget**.

    Spheres, axes, rotations, shapes, subspaces, angles and their products need no ball, because the means are
    extrinsic. Other spaces need ``radius``, and some ``center``; the means are then Fréchet means of records clipped to
    this ball.

    **Who is protected.** By default labels are public: neighbouring training sets differ in one record but not in its
    label, so the sizes of the classes are public too. A replaced record changes the mean of only one class, and every
    class gets the whole budget (parallel composition). Then ``guarantee_`` is the guarantee of each of ``releases_``,
    and protects one record. If people have several records, give ``groups`` to ``fit``. The records of a person in a
    class are then reduced to one contribution. Replacing all records of a person changes one contribution in each of
    the C classes. Then ``guarantee_`` is the guarantee of the C releases together (C·ε, √C·μ, C·ρ), and protects
    persons. It is public who has records in which class, but not how many. With ``labels="private"`` labels and the
    sizes of the classes are protected too. Neighbours then differ by one labelled record, which is in at most one
    class, so every class gets the whole budget (U3).

    Predictions for *other* records depend only on the private means, and cost no privacy. Predictions, distances and
    scores of the *training* records reveal them, as any number computed from them does. So ``fit_predict`` and
    ``fit_transform`` are refused; a pipeline calls the latter if another step follows. The other methods warn if they
    get the array that ``fit`` got.

    Parameters
    ----------
    {manifold}
    radius : float or array of shape (n_classes,), optional
        Public radius of the ball to which the records of a class are clipped, in units of distance; an array has one
        for each of ``classes_``. Without it the means are extrinsic, if the space has an embedding.
    center : array of the manifold's ``shape``, or of shape (n_classes, \\*shape), optional
        Public center of the ball, for all classes or one for each. By default as for
        :class:`karcher.PrivateFrechetMean`.
    {budget}
    mechanism, numerics, denoise : optional
        As for :class:`karcher.PrivateFrechetMean`.
    spread : bool
        Release also the spread of every class, with a quarter of its budget: how far its records are from its mean, and
        their share outside the ball, in ``releases_[i].spread``. It needs a ball. With it :func:`karcher.compare` can
        test whether two classes without a person in common differ.
    spread_clip : float, optional
        Public bound at which the distances of the spread are cut off; by default twice the radius.
    labels : {"public", "private"}
        With ``"private"`` the guarantee is for one labelled record added or removed, ``adjacency="add-remove"``, and
        needs ``classes`` and ``n_guess``. A changed label counts as one record removed and one added: twice the ε or μ.
    classes : array_like, optional
        With private labels: the public list of classes. A record with another label is in no class, and no output shows
        this. The mean of a class without records is noise. Labels in a list, a series or an array of objects are
        compared as texts.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a training record that is not a point of the manifold.
    n_guess : int, array_like, dict or Series, optional
        With private labels: a public guess of the size of all classes, or of each, in a list or by name.
    {settings}

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    centroids_ : array of shape (n_classes, \\*shape)
        The private means, in the order of ``classes_``.
    releases_ : list of Release
        The releases of these means, with all their fields.
    guarantee_ : Guarantee
        Guarantee of all releases together: for a record, or with ``groups`` for a person.
    manifold_ : Manifold
    n_features_in_ : int
        Length of the first axis of a record.

    Examples
    --------
    >>> import numpy as np
    >>> from karcher.classification import PrivateNearestCentroid
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["cat", "dog"], 1000)
    >>> X = rng.normal(size=(2000, 64)) / 8 + 0.5 * np.eye(64)[np.repeat([0, 1], 1000)]
    >>> X /= np.linalg.norm(X, axis=1, keepdims=True)                  # embeddings
    >>> model = PrivateNearestCentroid("sphere", epsilon=1.0, delta=1e-6).fit(X, y)
    >>> model.centroids_.shape, model.guarantee_
    ((2, 64), Guarantee(epsilon=1.0, delta=1e-06))
    >>> model.predict(np.eye(64)[:2])
    array(['cat', 'dog'], dtype='<U3')
    """

    manifold: Union[Manifold, str] = "euclidean"
    radius: Union[float, ArrayLike, None] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    mechanism: str = "auto"
    numerics: str = "exact"
    denoise: Optional[str] = None
    spread: bool = False
    spread_clip: Optional[float] = None
    labels: str = "public"
    classes: Optional[ArrayLike] = None
    n_guess: Union[int, ArrayLike, None] = None

    _without_ball = _spec.FIND_ONE
    """Advice for users without a ball."""

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
        template: Optional[ArrayLike] = None,
        **refused: object,
    ) -> Self:
        """Releases the private means of the classes.

        Parameters
        ----------
        X : array of shape (n, *shape), or a table
            Records: an array, in memory or on disk (``numpy.memmap``), or an object with ``__arrow_c_stream__``. The
            latter is read batch by batch, once for each class and sum.
        y : array of shape (n,) or str
            Labels of the records, public or private; the name of the column of a table.
        groups : array of shape (n,) or str, optional
            Person of each record, as texts, numbers or dates; the name of the column of a table. The guarantee then
            protects persons, and every class spends the budget once.
        columns, layout, memory, missing_values, trust_layout : optional
            As for :class:`karcher.PrivateFrechetMean`.
        template : array of shape (k, d), optional
            Public landmarks onto which records are rotated, also in ``predict``.
        **refused
            ``sample_weight`` is refused, unless it is None.

        {self}
        """
        refuse_weights(refused)
        check_rows(X=X, y=y, groups=groups)
        private = self._hides_labels()
        if not private and (self.classes is not None or self.n_guess is not None):
            raise Error("classes and n_guess belong to labels='private': public labels say which classes there are")
        if private and groups is not None:
            raise Error("groups do not go with labels='private': persons may have records in several classes")
        options = Options(groups, None, columns, layout, memory, missing_values, trust_layout, template)
        space, records = self._of_table(X, y, options) or self._of_array(X, y, options, private)
        classes = self._public_classes() if private else labels_of(records.labels())
        if private:
            check_kinds(records.kinds, classes)
        if not len(classes):
            raise Error("there are no records: a mean of none is nothing")
        account = self._account()
        means = self._means(space, len(classes), _arguments.seeds(self.random_state, len(classes)))
        # every class is planned before the first is released, and the budget of all is reserved at once: one that
        # covers each where they have no record in common, composed where persons are in several of them
        together, unit = _karcher.Classes(records.has_persons), "person" if records.has_persons else "record"
        for label, mean in zip(classes, means):
            own, whose = (None, None) if private else records.to_count(label, together)
            none = np.empty((0, *space.shape), space.dtype)
            mean._plan_class(space, none if own is None else own, whose, unit, together)
        if not replaces(self.on_invalid):
            records.check(space)  # what can be refused is refused before anything is spent
        together.reserve(account)
        releases: list[Release] = []
        for label, mean in zip(classes, means):
            own, whose = records.of_class(label)
            releases.append(mean._release_of_class(space, own, whose, unit, together, records.template))
        combine = compose if records.has_persons else parallel
        guarantee = combine(*[release.guarantee for release in releases])
        _spending.trained(self, records.in_memory)
        self.classes_: NDArray[Any] = classes
        self.releases_: list[Release] = releases
        self.centroids_: Floats = np.stack([release.value for release in releases])
        self.guarantee_: Guarantee = guarantee
        self.manifold_: Manifold = space
        _spending.warn_of_noise({flag for release in releases for flag in release.flags})
        return self

    def spec(self, label: object = None, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the release of one class, for :func:`karcher.run`. The estimator need not be fitted.

        Parameters
        ----------
        label : optional
            The class. With private labels each class may have its own guess; otherwise all have the same specification.
        unit : {"record", "person"}
            What the guarantee protects: ``"person"`` for a ``fit`` with ``groups``.

        Returns
        -------
        dict
        """
        place, count = 0, 1
        if self._hides_labels():
            classes = self._public_classes()
            places = np.flatnonzero(are(classes, label)) if label is not None else range(1)
            if len(places) != 1:
                raise Error("label is not one of the classes")
            place, count = int(places[0]), len(classes)
        return self._means(self._sized(), count, [None] * count)[place].spec(unit=unit)

    def _sized(self) -> Manifold:
        """The manifold, where no record says its size."""
        return resolve(self.manifold)

    def _hides_labels(self) -> bool:
        return _arguments.one_of("labels", self.labels, "public", "private") == "private"

    def _means(self, space: Manifold, classes: int, seeds: list[Optional[int]]) -> list[PrivateFrechetMean]:
        """The estimators of the means of the classes, with guesses of their sizes where those are confidential."""
        private = self._hides_labels()
        guesses = self._guesses(classes) if private else [None] * classes
        radii = _one_each("radius", self.radius, 0, classes)
        centers = _one_each("center", self.center, len(space.shape), classes, like=space)
        names = ("epsilon", "delta", "mu", "rho", "mechanism", "numerics", "denoise", "spread", "spread_clip")
        shared = {name: getattr(self, name) for name in (*names, "on_invalid")}
        means = []
        for radius, center, guess, seed in zip(radii, centers, guesses, seeds):
            adjacency = "add-remove" if private else "replace-one"
            mean = PrivateFrechetMean(
                space, radius, center, adjacency=adjacency, n_guess=guess, random_state=seed, **shared
            )
            mean._without_ball = self._without_ball
            means.append(mean)
        return means

    def _of_table(self, X: Any, y: object, options: Options) -> Optional[tuple[Manifold, InTable]]:
        refuse_plans(X)
        if isinstance(X, Remote) or hasattr(X, "mapInArrow"):
            raise ArgumentTypeError(
                f"X is of type {type(X).__name__}: {type(self).__name__} takes arrays and tables; elsewhere release "
                "the mean of each class by itself, by karcher.PrivateFrechetMean"
            )
        named = replace(options, predictor=y) if isinstance(y, str) else options
        if not is_table(X, named):
            if options.columns is not None or options.layout is not None:
                raise Error("columns and layout belong to tables: an array has its records one a row")
            return None
        if options.template is not None:
            raise Error(TEMPLATE_OF_ARRAY)
        if not isinstance(y, str):
            raise Error("y must be the name of the column of labels where the records are a table")
        type_of = getattr(getattr(X, "dtypes", None), "get", None)
        if self._hides_labels() and type_of is not None and np.any(type_of(y) == np.dtype(object)):
            raise Error(
                f"column {y} holds Python objects, whose type depends on the labels: give it one, for example "
                f"X.astype({{'{y}': 'str'}})"
            )
        records = InTable(X, y, options, replaces=replaces(self.on_invalid))
        stream = records.stream
        space = sized_by_columns(self, options, stream.width)
        if not options.trusts:
            check_table(space, stream.numbers, options.layout, stream.axes, stream.all)
            check_table(space, stream.described or [], options.layout)
        see_columns(self, None, np.empty((0, *space.shape)))
        if len(space.shape) == 1 and options.layout is None:
            remember_columns(self, stream)
        return space, records

    def _of_array(self, X: Any, y: object, options: Options, private: bool) -> tuple[Manifold, InArray]:
        codes = codes_of_array(options.missing_values)
        records: Any = None
        as_given = not codes and options.template is None
        if as_given and isinstance(X, np.memmap) and X.dtype.kind in "biuf" and X.ndim > 1 and 0 not in X.shape:
            space, records = resolve(self.manifold, X.shape[1:]), X
        elif as_given and type(X) is np.ndarray and X.dtype == np.float32 and X.ndim > 1 and 0 not in X.shape:
            space = resolve(self.manifold, X.shape[1:])
            single = in_single(X, space, options.groups, options.memory)
            records = single.records if single is not None and self._is_of_one_sum(space) else None
        if records is None:
            missing, trust = "nan" if replaces(self.on_invalid) else "refuse", None if options.trusts else TRUST
            space, records = private_records(self, X, missing=missing, remedy=REPLACED, codes=codes, trust=trust)
        else:
            see_columns(self, None, records)
        check_points(records, space.shape, "X")
        labels = labels_of(y, private=private)
        if len(records) != len(labels):
            raise Error(
                f"X has shape {records.shape} and y has {len(labels)} labels: there must be a label for each record"
            )
        if options.template is None:
            return space, InArray(records, labels, options.groups, options.memory)
        turned, template = rotated(space, records, numbers(options.template, "template"))
        found = InArray(turned, labels, options.groups, options.memory)
        found.in_memory, found.template = records, template
        return space, found

    def _is_of_one_sum(self, space: Manifold) -> bool:
        """Whether the means are extrinsic, for which records of float32 are read where they are."""
        return bool(self._means(space, 1, [None])[0]._spec(space, "record")["statistic"] == "extrinsic-mean")

    def _public_classes(self) -> NDArray[Any]:
        """The list of classes, each once."""
        if self.classes is None:
            raise Error("classes is missing: with private labels the list of classes has to be public")
        classes = labels_of(self.classes, name="classes")
        if not len(classes) or len(set(keys_of(classes))) != len(classes):
            raise Error("classes must be a list of labels, at least one and each of them once")
        return classes

    def _guesses(self, classes: int) -> list[Optional[int]]:
        """A guess of the size of each class."""
        if self.n_guess is None:
            raise Error("n_guess is missing: with private labels the sizes of the classes are confidential; guess them")
        given = np.atleast_1d(np.asarray(self.n_guess)).tolist()
        if hasattr(self.n_guess, "items"):  # by class, and not by place
            by_class = list(self.n_guess.items())
            known = dict(zip(keys_of([label for label, _ in by_class]), [guess for _, guess in by_class]))
            wanted = keys_of(self._public_classes().tolist())
            if set(known) != set(wanted):
                raise Error("n_guess has other keys than classes: give a number for each class by its name, or a list")
            given = [known[key] for key in wanted]
        guesses = [_arguments.count("n_guess", guess) for guess in given]
        if len(guesses) not in (1, classes):
            raise Error(f"n_guess has {len(guesses)} numbers: it must be one, or one for each of the {classes} classes")
        return [*guesses] * (classes if len(guesses) == 1 else 1)

    def transform(self, X: ArrayLike) -> Floats:
        """Distances to the private means.

        Parameters
        ----------
        X : array of shape (n, *shape)

        Returns
        -------
        array of shape (n, n_classes)
        """
        return self._distances(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the nearest private mean.

        Parameters
        ----------
        X : array of shape (n, *shape)

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
        X : array of shape (n, *shape)

        Returns
        -------
        array of shape (n, n_classes)
        """
        squares = self._distances(X) ** 2
        weights = np.exp(squares.min(axis=1, keepdims=True) - squares)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> float:
        """The share of records with a correctly predicted label. **Not private** about these records.

        Parameters
        ----------
        X : array of shape (n, *shape)
        y : array of shape (n,)
            Their labels.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        float
        """
        check_rows(X=X, y=y, sample_weight=sample_weight)
        hits, weights = self._distances(X), None
        labels = labels_of(y)
        if len(labels) != len(hits):
            raise Error(f"X has {len(hits)} records and y has {len(labels)} labels: there must be equally many")
        check_kinds(kinds_of(labels), self.classes_)
        if sample_weight is not None:
            weights = numbers(sample_weight, "sample_weight")
            if weights.shape != labels.shape or not weights.min() >= 0.0 or not 0.0 < weights.sum() < np.inf:
                raise Error("sample_weight must have a number for each record, at least 0, and not all 0")
        nearest = hits.argmin(axis=1)
        right = np.array([are(labels, label) for label in self.classes_])[nearest, np.arange(len(labels))]
        return float(np.average(right, weights=weights))

    def fit_predict(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Refused: predictions for the training records are not private."""
        raise Error(
            "predictions for the training records themselves are not private: call fit, and predict other records"
        )

    def fit_transform(self, X: ArrayLike, y: Optional[ArrayLike] = None, **fit_params: Any) -> Floats:
        """Refused: distances of the training records are not private, and a next step could learn from them."""
        raise Error(
            "distances of the training records themselves are not private: call fit, and transform other records; "
            f"in a pipeline {type(self).__name__} is the last step"
        )

    @in_threads
    def _distances(self, X: ArrayLike) -> Floats:
        """Of records to the private means, (n, n_classes)."""
        check_is_fitted(self, "centroids_")
        single = type(X) is np.ndarray and X.dtype == np.float32
        records: Any = X if single else numbers(X, "X", like=self.manifold_)
        if records.ndim > 1:
            see_columns(self, X, records, reset=False)
        check_frame(self.manifold_, X, "X")
        check_points(records, self.manifold_.shape, "X")
        _spending.warn_of_training_records(self, records)
        records = onto_template(self.manifold_, self.releases_[0], records)
        return self._between(numbers(self.centroids_, "centroids_", like=self.manifold_), records)

    def _between(self, centroids: Floats, records: Any) -> Floats:
        name = self.manifold_.name
        if name.startswith("sphere:") and not {"*", "^"} & set(name) and len(records):
            return _angles(self.manifold_, centroids, records)
        return _karcher.distances_to(self.manifold_._core, centroids, numbers(records, "X", like=self.manifold_))


@estimator
class PrivateMDM(PrivateNearestCentroid):
    """Minimum distance to mean, with private class means, to be used like ``pyriemann.classification.MDM``.

    It is :class:`PrivateNearestCentroid` on symmetric positive definite matrices (Barachant, Bonnet, Congedo and Jutten
    2012), with pyRiemann's names. See there who is protected, and for details of the parameters.

    Parameters
    ----------
    radius : float or array of shape (n_classes,)
        Radius of the public ball to which the matrices of a class are clipped, in units of distance.
    center : array of shape (k, k) or (n_classes, k, k)
        Public center of the ball, in the unit of the matrices. Radius and center are required. For covariance matrices
        ``PrivateMDM(**ShrinkTrace(alpha).ball(k), …)`` has a ball that holds all of them, see
        :class:`karcher.preprocessing.ShrinkTrace`.
    {budget}
    metric : {"log-euclidean", "affine-invariant"} or dict
        pyRiemann's names, "logeuclid" and "riemann", work too. Log-Euclidean means need much less noise for large k. A
        dict such as ``{"mean": "logeuclid", "distance": "riemann"}`` has one metric for the means and another for
        predictions, which may also be ``"euclid"``, the Frobenius norm of the difference.
    mechanism, numerics, denoise, spread, spread_clip, labels, classes, on_invalid, n_guess : optional
        As for :class:`PrivateNearestCentroid`.
    {settings}

    Attributes
    ----------
    covmeans_ : array of shape (n_classes, k, k)
        The private means, in the order of ``classes_``: ``centroids_`` by pyRiemann's name.
    classes_, centroids_, releases_, guarantee_, manifold_, n_features_in_
        As of :class:`PrivateNearestCentroid`.

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

    manifold: str = derived(lambda self: f"spd-{self._metrics()[0]}", init=False)
    radius: Union[float, ArrayLike, None] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    metric: Union[str, Mapping[str, str]] = "log-euclidean"

    _without_ball = "PrivateMDM(**ShrinkTrace(alpha).ball(k), …) has one for covariance matrices"

    @property
    def covmeans_(self) -> Floats:
        """The private means."""
        return self.centroids_

    @covmeans_.setter
    def covmeans_(self, means: Floats) -> None:
        self.centroids_ = means

    def _metrics(self) -> tuple[str, str]:
        """The metric of the means and that of the distances."""
        given: Any = self.metric
        pair = dict(given) if hasattr(given, "keys") else {"mean": given, "distance": given}
        if set(pair) != {"mean", "distance"}:
            raise Error("metric is a dict with other keys than 'mean' and 'distance': it needs these two")
        mean, distance = (metric_on_matrices(pair[name]) for name in ("mean", "distance"))
        if mean not in ("log-euclidean", "affine-invariant"):
            raise Error(
                f"metric is {mean[:60]!r}: private means are those of 'logeuclid' and 'riemann'; for arithmetic means "
                "give the upper triangles as vectors to PrivateNearestCentroid"
            )
        if distance not in ("log-euclidean", "affine-invariant", "euclid"):
            raise Error("metric['distance'] is not one of 'logeuclid', 'riemann' and 'euclid'")
        return mean, distance

    def _has_matrices(self) -> bool:
        return True

    def _is_sized(self) -> bool:
        return True

    def _sized(self) -> Manifold:
        """Of the size of the center."""
        if self.center is None:
            raise Error(f"center is missing: {self._without_ball}")
        if isinstance(self.center, str):
            raise Error("center is a text, which does not say how many rows the matrices have: give 0.7 * np.eye(k)")
        center = numbers(self.center, "center")
        check_square(center if center.ndim == 3 else center[np.newaxis], "center")
        return SPD(center.shape[-1], metric=self._metrics()[0])

    def _between(self, centroids: Floats, records: Any) -> Floats:
        if not hasattr(self.metric, "keys"):
            return super()._between(centroids, records)
        k, distance, records = self.n_features_in_, self._metrics()[1], numbers(records, "X")
        if distance != "euclid":
            return _karcher.distances_to(SPD(k, metric=distance)._core, centroids, records)
        centroids, records = (x.reshape(len(x), k * k) for x in (centroids, records))
        return _karcher.distances_to(Euclidean(k * k)._core, centroids, records)


BLOCK = 2**22
"""Numbers of records that are looked at together."""

SMALL = 0.14
"""Angles that are computed by themselves, as are those next to π: the arc cosine loses digits there."""


def _angles(space: Manifold, centroids: Floats, records: Any) -> Floats:
    """Of unit vectors to each of the centroids, by products of matrices, some records at a time. The error is a few ε,
    and that of an angle larger by 1/sin."""
    angles, rows = np.empty((len(records), len(centroids))), max(1, BLOCK // records.shape[1])
    centroids = space.project(centroids)
    for first in range(0, len(records), rows):
        some = records[first : first + rows]
        try:
            points = space.project(some)
        except InvalidPointError:
            space.project(records)  # names its row among all
            raise
        cosines = points @ centroids.T
        angles[first : first + rows] = np.arccos(np.clip(cosines, -1.0, 1.0))
        at, of = np.nonzero(np.abs(cosines) > np.cos(SMALL))
        if len(at) > len(some) / 10:
            angles[first : first + rows] = _karcher.distances_to(space._core, centroids, points)
        elif len(at):
            angles[first + at, of] = space.dist(points[at], centroids[of], check=False)
    return angles


def _one_each(name: str, given: Any, axes: int, classes: int, like: object = None) -> list[Any]:
    """A parameter for each class, of one for all or one for each, with an axis more than ``axes``."""
    several = isinstance(given, (list, tuple, np.ndarray)) and numbers(given, name, like=like).ndim == axes + 1
    if not several:
        return [given] * classes
    rows = numbers(given, name, like=like)
    if len(rows) != classes:
        raise Error(f"{name} has {len(rows)} rows: it must be one for all, or one for each of the {classes} classes")
    return list(rows)


__dir__ = _docs.complete(globals(), "PrivateTangentClassifier")
