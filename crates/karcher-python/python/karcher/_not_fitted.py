"""The error of an estimator that has not been fitted, which is a class of scikit-learn too."""

from __future__ import annotations

from sklearn import exceptions

from . import _docs
from .errors import Error


class NotFittedError(Error, exceptions.NotFittedError):  # type: ignore[misc]
    """A prediction was asked of an estimator that has not been fitted. scikit-learn's ``NotFittedError`` as well."""

    __module__ = "karcher.errors"


_docs.complete({"__name__": "karcher.errors", "NotFittedError": NotFittedError})
