"""How the iteration of an estimator without privacy ended. A private estimator says nothing of its own: a warning that
only some records cause would reveal them."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ._spending import caller


def ended(estimator: Any, iterations: int, converged: bool) -> None:
    """Sets ``n_iter_``, and warns where the tolerance was not reached."""
    estimator.n_iter_ = iterations
    if not converged:
        warnings.warn(
            f"{type(estimator).__name__} ended after {iterations} iterations, before it reached its tolerance: the "
            "result is the last iterate; raise max_iter or tolerance",
            ConvergenceWarning,
            stacklevel=caller(),
        )
