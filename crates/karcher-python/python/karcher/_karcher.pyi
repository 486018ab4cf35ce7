from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

_Budget = tuple[Optional[float], Optional[float], Optional[float], Optional[float]]

__all__ = [
    "Manifold",
    "__version__",
    "audit",
    "calibrate",
    "check_budget",
    "compose",
    "convert",
    "delta_at",
    "epsilon_at",
    "frechet_mean",
    "geodesic_regression",
    "plan",
    "predictor",
    "private_frechet_mean",
    "private_geodesic_regression",
    "profile",
    "sensitivity",
]
__version__: str

@disjoint_base
class Manifold:
    def __new__(cls, name: str) -> Manifold: ...
    @property
    def name(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def curvature(self) -> tuple[float, float]: ...
    @property
    def injectivity_radius(self) -> float: ...
    @property
    def origin(self) -> NDArray[np.float64]: ...
    def exp(self, p: ArrayLike, v: ArrayLike) -> NDArray[np.float64]: ...
    def log(self, p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]: ...
    def dist(self, p: ArrayLike, q: ArrayLike) -> Any: ...
    def inner(self, p: ArrayLike, u: ArrayLike, v: ArrayLike) -> Any: ...
    def norm(self, p: ArrayLike, v: ArrayLike) -> Any: ...
    def transport(self, p: ArrayLike, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]: ...
    def project(self, x: ArrayLike) -> NDArray[np.float64]: ...
    def random_point(
        self, n: Optional[int], center: Optional[ArrayLike], scale: float, law: str, seed: Optional[int]
    ) -> NDArray[np.float64]: ...

def frechet_mean(
    manifold: Manifold,
    x: ArrayLike,
    weights: Optional[ArrayLike],
    start: Optional[ArrayLike],
    tolerance: Optional[float],
    max_iter: int,
) -> NDArray[np.float64]: ...
def private_frechet_mean(
    manifold: Manifold,
    x: ArrayLike,
    radius: float,
    center: Optional[ArrayLike],
    budget: _Budget,
    mechanism: str,
    steps: Optional[int],
    calibration_name: Optional[str],
    bound: Optional[str],
    tolerance: Optional[float],
    assume_in_ball: bool,
    replace_invalid: bool,
    seed: Optional[int],
) -> str: ...
def geodesic_regression(
    manifold: Manifold, x: ArrayLike, y: ArrayLike, tolerance: Optional[float], max_iter: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def private_geodesic_regression(
    manifold: Manifold,
    x: ArrayLike,
    y: ArrayLike,
    predictor_range: tuple[float, float],
    radius: float,
    center: Optional[ArrayLike],
    slope_bound: float,
    residual_bound: Optional[float],
    budget: _Budget,
    mechanism: str,
    steps: Optional[int],
    replace_invalid: bool,
    seed: Optional[int],
) -> str: ...
def predictor(x: ArrayLike) -> NDArray[np.float64]: ...
def sensitivity(manifold: Manifold, radius: float, n: int, bound: Optional[str]) -> tuple[float, str]: ...
def calibrate(
    manifold: Manifold,
    mechanism: str,
    sensitivity: float,
    scale: Optional[float],
    budget_given: _Budget,
    calibration_name: Optional[str],
    probabilities: list[float],
) -> tuple[float, _Budget, float, list[float]]: ...
def profile(
    manifold: Manifold, mechanism: str, sensitivity: float, scale: float, epsilon: ArrayLike
) -> tuple[Any, _Budget]: ...
def plan(
    manifold: Manifold, radius: float, n: int, budget_given: _Budget, bound: Optional[str]
) -> tuple[str, Optional[str]]: ...
def audit(
    manifold: Manifold,
    radius: float,
    n: int,
    budget_given: _Budget,
    mechanism: str,
    steps: Optional[int],
    calibration_name: Optional[str],
    bound: Optional[str],
    releases: int,
    error_probability: float,
    seed: int,
) -> tuple[str, str]: ...
def check_budget(given: _Budget) -> None: ...
def convert(given: _Budget, definition: str) -> _Budget: ...
def delta_at(given: _Budget, epsilon: float) -> float: ...
def epsilon_at(given: _Budget, delta: float) -> float: ...
def compose(given: list[_Budget]) -> _Budget: ...
