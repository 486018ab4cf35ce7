from collections.abc import Callable
from typing import Any, Optional, Union, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

_Floats = NDArray[np.float64]
_Records = Union[_Floats, Rows, LazyRows, Stream, Remote]
_Budget = tuple[Optional[float], Optional[float], Optional[float], Optional[float]]

__all__ = [
    "Classes",
    "Remote",
    "Manifold",
    "Rows",
    "Stream",
    "LazyRows",
    "__version__",
    "audit",
    "blame",
    "calibrate",
    "check_budget",
    "chosen_rows",
    "collected",
    "compare",
    "compose",
    "convert",
    "count_rows",
    "delta_at",
    "distances_to",
    "epsilon_at",
    "fingerprints",
    "frechet_mean",
    "geodesic_regression",
    "geometric_median",
    "ledger_adopt",
    "ledger_book",
    "ledger_check",
    "ledger_new",
    "merge",
    "parallel",
    "partial",
    "plan",
    "predictor",
    "private_ball",
    "private_count",
    "private_frechet_mean",
    "private_frechet_variance",
    "private_geodesic_regression",
    "private_geometric_median",
    "private_located_mean",
    "profile",
    "randomized",
    "read_tps",
    "report",
    "section",
    "sensitivity",
    "set_threads",
    "upper_triangles",
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
    def layouts(self) -> list[str]: ...
    @property
    def diameter(self) -> float: ...
    @property
    def atypical_origin(self) -> Optional[tuple[str, str, str]]: ...
    @property
    def origin(self) -> _Floats: ...
    def coordinates(self, p: _Floats, q: _Floats) -> _Floats: ...
    def from_coordinates(self, p: _Floats, coordinates: _Floats) -> _Floats: ...
    def read(self, x: _Floats, layout: str) -> _Floats: ...
    def check_names(
        self,
        names: list[str],
        layout: Optional[str],
        frame: Optional[str],
        trust: str,
        multiplied: Optional[list[int]],
    ) -> None: ...
    def check_axes(self, axes: list[int], layout: Optional[str]) -> None: ...
    def write(self, x: _Floats, layout: str) -> _Floats: ...
    def exp(self, p: _Floats, v: _Floats, check: bool) -> _Floats: ...
    def log(self, p: _Floats, q: _Floats, check: bool) -> _Floats: ...
    def dist(self, p: _Floats, q: _Floats, check: bool) -> Any: ...
    def inner(self, p: _Floats, u: _Floats, v: _Floats, check: bool) -> Any: ...
    def norm(self, p: _Floats, v: _Floats, check: bool) -> Any: ...
    def transport(self, p: _Floats, q: _Floats, v: _Floats, check: bool) -> _Floats: ...
    def project(self, x: _Floats) -> _Floats: ...
    def random_point(
        self, n: Optional[int], center: Optional[_Floats], scale: float, law: str, seed: Optional[int]
    ) -> _Floats: ...

@final
class Classes:
    def __new__(cls, compose: bool) -> Classes: ...
    def expect(self, count: int) -> None: ...
    def reserve(self, ledger: Optional[str]) -> None: ...

@final
class Remote:
    def __new__(cls, ask: Callable[[bytes], bytes], persons: bool) -> Remote: ...

@final
class Rows:
    def __new__(cls, array: _Floats, memory: int) -> Rows: ...

@final
class LazyRows:
    def __new__(cls, take: Callable[[int, int], _Floats], rows: int, width: int, memory: int) -> LazyRows: ...

@final
class Stream:
    def __new__(
        cls,
        table: Any,
        columns: Optional[list[str]],
        predictor: Optional[str],
        person: Optional[str],
        layout: Optional[str],
        memory: int,
        missing_values: list[tuple[Optional[str], float]],
    ) -> Stream: ...
    @property
    def axes(self) -> list[int]: ...
    @property
    def width(self) -> Optional[int]: ...
    @property
    def names(self) -> Optional[list[str]]: ...

def partial(
    x: Union[_Floats, Stream, None],
    question: bytes,
    predictors: Optional[_Floats],
    persons: Optional[_Floats],
    names: Optional[list[str]],
) -> bytes: ...
def merge(a: bytes, b: bytes) -> bytes: ...
def blame(reason: str, names: list[str], single: bool) -> str: ...
def read_tps(path: str) -> tuple[list[float], int]: ...
def ledger_new(path: str, data: str, unit: str, budget: _Budget, adjacency: str) -> None: ...
def ledger_book(path: str) -> str: ...
def ledger_check(path: str) -> list[str]: ...
def ledger_adopt(path: str) -> None: ...
def frechet_mean(
    manifold: Manifold,
    x: _Floats,
    weights: Optional[_Floats],
    start: Optional[_Floats],
    tolerance: Optional[float],
    max_iter: int,
) -> _Floats: ...
def private_frechet_mean(
    manifold: Manifold,
    x: _Records,
    radius: float,
    center: Optional[_Floats],
    budget: _Budget,
    mechanism: str,
    steps: Optional[int],
    calibration_name: Optional[str],
    bound: Optional[str],
    tolerance: Optional[float],
    numerics: str,
    denoise_name: Optional[str],
    assume_in_ball: bool,
    replace_invalid: bool,
    spread: bool,
    spread_clip: Optional[float],
    components: bool,
    components_clip: Optional[float],
    expected_spread: Optional[float],
    adjacency: tuple[str, Optional[int]],
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
    classes: Optional[Classes],
) -> Optional[str]: ...
def compare(a: str, b: str) -> tuple[float, float, bool]: ...
def report(releases: list[tuple[str, str]], title: Optional[str], ledger: Optional[str]) -> str: ...
def section(text: str) -> Optional[str]: ...
def geometric_median(
    manifold: Manifold, x: _Floats, start: Optional[_Floats], tolerance: Optional[float], max_iter: int
) -> _Floats: ...
def private_geometric_median(
    manifold: Manifold,
    x: _Records,
    radius: float,
    center: Optional[_Floats],
    budget: _Budget,
    steps: Optional[int],
    replace_invalid: bool,
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
) -> str: ...
def count_rows(table: Any) -> int: ...
def private_count(n: int, budget: _Budget, seed: Optional[int], ledger: Optional[str]) -> str: ...
def private_ball(
    manifold: Manifold,
    x: _Records,
    within: Optional[float],
    center: Optional[_Floats],
    budget: _Budget,
    quantile: Optional[float],
    steps: Optional[int],
    replace_invalid: bool,
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
) -> str: ...
def private_located_mean(
    manifold: Manifold,
    x: _Records,
    within: Optional[float],
    center: Optional[_Floats],
    budget: _Budget,
    quantile: Optional[float],
    mechanism: str,
    steps: Optional[int],
    calibration_name: Optional[str],
    bound: Optional[str],
    tolerance: Optional[float],
    numerics: str,
    denoise_name: Optional[str],
    replace_invalid: bool,
    spread: bool,
    spread_clip: Optional[float],
    components: bool,
    components_clip: Optional[float],
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
) -> str: ...
def private_frechet_variance(
    manifold: Manifold,
    x: _Records,
    clip: Optional[float],
    center: Optional[_Floats],
    budget: _Budget,
    replace_invalid: bool,
    adjacency: tuple[str, Optional[int]],
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
) -> str: ...
def randomized(
    manifold: Manifold,
    x: _Floats,
    radius: float,
    center: Optional[_Floats],
    budget: _Budget,
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
) -> str: ...
def collected(reports: list[str]) -> str: ...
def chosen_rows(x: _Floats, rows: NDArray[np.int64]) -> _Floats: ...
def distances_to(manifold: Manifold, means: _Floats, x: _Floats) -> _Floats: ...
def upper_triangles(manifold: Manifold, reference: _Floats, x: _Floats) -> _Floats: ...
def fingerprints(x: _Floats) -> tuple[list[int], bool]: ...
def geodesic_regression(
    manifold: Manifold, x: _Floats, y: _Floats, tolerance: Optional[float], max_iter: int
) -> tuple[_Floats, _Floats]: ...
def private_geodesic_regression(
    manifold: Manifold,
    x: Optional[_Floats],
    y: _Records,
    predictor_range: tuple[float, float],
    radius: float,
    center: Optional[_Floats],
    slope_bound: float,
    residual_bound: Optional[float],
    budget: _Budget,
    mechanism: str,
    steps: Optional[int],
    numerics: str,
    replace_invalid: bool,
    adjacency: tuple[str, Optional[int]],
    seed: Optional[int],
    ledger: Optional[str],
    persons: Optional[_Floats],
) -> str: ...
def predictor(x: _Floats) -> _Floats: ...
def set_threads(count: Optional[int]) -> Optional[int]: ...
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
    manifold: Manifold, mechanism: str, sensitivity: float, scale: float, epsilon: _Floats
) -> tuple[Any, _Budget]: ...
def plan(
    manifold: Manifold,
    radius: float,
    n: Optional[int],
    error: Optional[float],
    budget_given: _Budget,
    bound: Optional[str],
    numerics: str,
    statistic: str,
    clip: Optional[float],
    expected_spread: Optional[float],
    located: bool,
    adjacency: str,
) -> tuple[str, int, _Budget]: ...
def audit(
    manifold: Manifold,
    radius: Optional[float],
    n: int,
    budget_given: _Budget,
    mechanism: str,
    steps: Optional[int],
    calibration_name: Optional[str],
    bound: Optional[str],
    numerics: str,
    denoise_name: Optional[str],
    statistic: str,
    within: Optional[float],
    spread: bool,
    spread_clip: Optional[float],
    components: bool,
    components_clip: Optional[float],
    releases: int,
    error_probability: float,
    seed: int,
    adjacency: str,
) -> tuple[str, str]: ...
def check_budget(given: _Budget) -> None: ...
def convert(given: _Budget, definition: str) -> _Budget: ...
def delta_at(given: _Budget, epsilon: float) -> float: ...
def epsilon_at(given: _Budget, delta: float) -> float: ...
def compose(given: list[_Budget], delta: float | None) -> _Budget: ...
def parallel(given: list[_Budget]) -> _Budget: ...
