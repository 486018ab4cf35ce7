"""Private regression on features against other tools, for the tables of docs/evidence/benchmarks.md.

    .venv/bin/pip install . scipy statsmodels "scikit-learn<1.8" diffprivlib==0.6.6 opendp==0.16.0 opacus==1.6.0
    OMP_NUM_THREADS=1 .venv/bin/python benches/regression_on_features.py [peers|line|karcher] ...

Public tables and public ranges. Records are repeated, so that least squares stays the same. A tool that is not
installed is skipped, which the output says. `peers` has all covariates and `line` the first one. `karcher` has its
other budgets, and how often its regions hold what they should.
"""

import inspect
import sys
import warnings
from collections import namedtuple
from math import exp, log, sqrt

import karcher
import numpy as np
from karcher.features import Linear, rows
from scipy.special import log_ndtr, ndtr

warnings.simplefilter("ignore")
DELTA, RHO, SEEDS = 1e-6, 0.05, 50
EPSILONS, COPIES, MUS = (1, 10), (1, 10, 100), (0.25, 1)

Table = namedtuple("Table", "name columns terms X responses y middle half")


def tables(most=None):
    """Public tables: columns and terms for karcher, and X, y scaled to [−1, 1] for the others."""
    import statsmodels.api as sm
    from sklearn.datasets import load_diabetes, load_wine

    for name, frame, (response, low, high), ranges in (
        ("wine", load_wine(as_frame=True).frame, ("alcohol", 10, 16),
         (("proline", 0, 2000), ("color_intensity", 0, 15), ("malic_acid", 0, 8), ("alcalinity_of_ash", 5, 35))),
        ("diabetes", load_diabetes(as_frame=True, scaled=False).frame, ("target", 0, 400),
         (("bmi", 15, 50), ("bp", 50, 150), ("s5", 3, 7), ("s3", 0, 120), ("age", 18, 90))),
        ("anes96", sm.datasets.anes96.load_pandas().data, ("selfLR", 1, 7),
         (("PID", 0, 6), ("educ", 1, 7), ("income", 1, 24))),
    ):  # fmt: skip
        terms = [Linear(*which) for which in ranges[:most]]
        columns = {t.column: frame[t.column].to_numpy(float) for t in terms}
        responses, middle, half = frame[response].to_numpy(float), (low + high) / 2, (high - low) / 2
        X = rows(terms, columns)[:, 1:] * sqrt(len(terms) + 1)
        yield Table(name, columns, terms, X, responses, np.clip((responses - middle) / half, -1, 1), middle, half)


def loss(mu, epsilon):
    """δ of Gaussian noise that moves by μ standard deviations (Balle and Wang 2018, Theorem 8)."""
    return ndtr(mu / 2 - epsilon / mu) - exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))


def gaussian(epsilon, delta):
    """The largest μ that is (ε, δ)."""
    low, high = 1e-6, 1e6
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if loss(middle, epsilon) <= delta else (low, middle)
    return low


def repeated(table, copies):
    """The table with each record so many times."""
    columns = {name: np.tile(column, copies) for name, column in table.columns.items()}
    again = {name: np.tile(getattr(table, name), copies) for name in ("responses", "y")}
    return table._replace(columns=columns, X=np.tile(table.X, (copies, 1)), **again)


# ---- what is compared: each returns an intercept and slopes for X and y


def release(table, seed, added, **budget):
    neighbours = {"adjacency": "add-remove", "n_guess": len(table.y)} if added else {}
    regression = karcher.PrivateFeatureRegression(
        features=table.terms, center=[table.middle], radius=table.half, random_state=seed, **neighbours, **budget
    )
    return regression.fit(table.columns, table.responses).release_


def coefficients(released, table):
    return released.coefficients[:, 0] / table.half / sqrt(len(table.terms) + 1)


def ours(added=False, delta=DELTA):
    """One record replaced, or one record more or less; with `delta=None` for pure ε."""
    return lambda table, epsilon, seed: coefficients(release(table, seed, added, epsilon=epsilon, delta=delta), table)


def adassp(added=False, exact=False):
    """Wang 2018, Algorithm 2, with ‖X‖ = ‖Y‖ = 1. Its sensitivities ‖X‖², ‖X‖² and ‖X‖·‖Y‖ are those of one record
    more or less; one replaced moves λ_min by at most 1, XᵀX by √2 and Xᵀy by 2. With `exact` the scale is the least
    that three Gaussians of equal shares allow. Noise of XᵀX then is in orthonormal coordinates, as in its author's
    code."""
    of_matrix, of_vector = (1, 1) if added else (sqrt(2), 2)

    def run(table, epsilon, seed):
        g = np.random.default_rng(seed)
        phi = np.column_stack([np.ones(len(table.X)), table.X]) / sqrt(table.X.shape[1] + 1)
        d = phi.shape[1]
        scale = sqrt(3) / gaussian(epsilon, DELTA) if exact else sqrt(log(6 / DELTA)) / (epsilon / 3)
        matrix = phi.T @ phi
        least = np.linalg.eigvalsh(matrix)[0] + scale * (g.standard_normal() - sqrt(log(6 / DELTA)))
        ridge = max(0, scale * of_matrix * sqrt(d * log(2 * d * d / RHO)) - max(least, 0))
        above = np.triu(g.standard_normal((d, d)), 1) * (sqrt(0.5) if exact else 1)
        matrix = matrix + scale * of_matrix * (above + above.T + np.diag(g.standard_normal(d))) + ridge * np.eye(d)
        vector = phi.T @ table.y + scale * of_vector * g.standard_normal(d)
        return np.linalg.solve(matrix, vector) / sqrt(d)

    return run


def diffprivlib(mended=False):
    """Pure ε, one record replaced. Two lines of 0.6.6 spend more than ε, which `mended` replaces."""
    import diffprivlib.models.linear_regression as module

    code, mends = inspect.getsource(module), (
        # the sensitivity of Σx² takes the lower bound twice
        ("np.abs([bounds_X[0][i], bounds_X[0][i]])", "np.abs([bounds_X[0][i], bounds_X[1][i]])"),
        # the means of X and of y spend this share each, and one of them is not taken from the rest
        ("self.epsilon * (1 - epsilon_intercept_scale)", "self.epsilon * (1 - 2 * epsilon_intercept_scale)"),
        ("1 / (n_features + 1) if", "1 / (n_features + 2) if"),
    )  # fmt: skip
    for wrong, right in mends if mended else ():
        assert code.count(wrong) == 1, f"diffprivlib has changed: {wrong}"
        code = code.replace(wrong, right)
    scope = {"__name__": module.__name__}
    exec(code, scope)

    def run(table, epsilon, seed):
        bounds = np.ones(table.X.shape[1])
        model = scope["LinearRegression"](
            epsilon=epsilon, bounds_X=(-bounds, bounds), bounds_y=(-1, 1), random_state=seed
        )
        model.fit(table.X, table.y)
        return np.append(model.intercept_, np.ravel(model.coef_))

    return run


def opendp(added=False):
    """Theil–Sen with its defaults, one covariate, pure ε."""
    import opendp.prelude as dp
    from opendp.extras.sklearn.linear_model import LinearRegression

    dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")

    def model(scale):
        return LinearRegression(dp.max_divergence(), x_bounds=[(-1.0, 1.0)], y_bounds=(-1.0, 1.0), scale=scale)

    def spent(scale):
        return model(scale).measurement.map(1 if added else 2)

    scales = {e: dp.binary_search(lambda s: spent(s) <= e, bounds=(1e-3, 1e3), T=float) for e in EPSILONS}

    def run(table, epsilon, seed):
        np.random.seed(seed)
        fitted = model(scales[epsilon]).fit(table.X, table.y)
        return np.append(fitted.intercept_, fitted.coef_)

    return run


def opacus(steps=100, clip=1.0, rate=0.5):
    """DP-SGD with full batches on a linear layer from zero, one record more or less. The mean of the later half of the
    iterates is released. Nothing is tuned. No gradient is longer than 2.45 at zero."""
    import torch
    from opacus import GradSampleModule
    from opacus.accountants.utils import get_noise_multiplier
    from opacus.optimizers import DPOptimizer

    torch.set_num_threads(1)
    budget = {"target_delta": DELTA, "sample_rate": 1.0, "steps": steps, "accountant": "rdp"}
    multipliers = {e: get_noise_multiplier(target_epsilon=e, **budget) for e in EPSILONS}

    def run(table, epsilon, seed):
        x, y = (torch.tensor(a, dtype=torch.float32) for a in (table.X, table.y[:, None]))
        layer = torch.nn.Linear(x.shape[1], 1)
        torch.nn.init.zeros_(layer.weight), torch.nn.init.zeros_(layer.bias)
        model = GradSampleModule(layer)
        optimizer = DPOptimizer(
            torch.optim.SGD(model.parameters(), lr=rate),
            noise_multiplier=multipliers[epsilon],
            max_grad_norm=clip,
            expected_batch_size=len(x),
            generator=torch.Generator().manual_seed(seed),
        )
        path = []
        for _ in range(steps):
            optimizer.zero_grad()
            (0.5 * (model(x) - y) ** 2).mean().backward()
            optimizer.step()
            path.append(np.append(layer.bias.detach().numpy(), layer.weight.detach().numpy().ravel()))
        return np.mean(path[steps // 2 :], axis=0)

    return run


# ---- tables


def predictions(table, b):
    """Predictions, brought to the range of the response."""
    return np.clip(b[0] + table.X @ b[1:], -1, 1)


def least_squares(table):
    design = np.column_stack([np.ones(len(table.X)), table.X])
    return predictions(table, np.linalg.lstsq(design, table.y, rcond=None)[0])


def error(table, b):
    """Root mean square distance to the predictions of least squares, in units of the response."""
    return table.half * np.sqrt(np.mean((predictions(table, np.asarray(b)) - least_squares(table)) ** 2))


def against(peers, most):
    found = {}
    for name, make, options in peers:
        try:
            found[name] = make(**options)
        except ImportError as missing:
            print(f"SKIPPED: {name.split(' | ')[1]}, as {missing.name} is not installed", flush=True)
    settings = [(epsilon, copies) for epsilon in EPSILONS for copies in COPIES]
    print("| data | record | tool |", " | ".join(f"ε = {e}, {c}n" for e, c in settings), "|\n" + "| --- " * 9 + "|")
    for table in tables(most):
        many = {copies: repeated(table, copies) for copies in COPIES}
        for name, run in found.items():
            errors = [
                np.median([error(table, run(many[copies], epsilon, 1000 * place + seed)) for seed in range(SEEDS)])
                for place, (epsilon, copies) in enumerate(settings)
            ]
            print(f"| {table.name}, {len(table.y)} | {name} |", " | ".join(f"{e:.3g}" for e in errors), "|", flush=True)
        print(f"| {table.name} | | middle of the range |", f"{error(table, np.zeros(len(table.terms) + 1)):.3g} | " * 6)


PEERS = (
    ("replaced | karcher", ours, {}),
    ("replaced | AdaSSP", adassp, {}),
    ("replaced | AdaSSP, exact accounting", adassp, {"exact": True}),
    ("replaced | karcher, pure ε", ours, {"delta": None}),
    ("replaced | diffprivlib, pure ε, mended", diffprivlib, {"mended": True}),
    ("replaced | diffprivlib, as it is", diffprivlib, {}),
    ("more or less | karcher", ours, {"added": True}),
    ("more or less | AdaSSP", adassp, {"added": True}),
    ("more or less | AdaSSP, exact accounting", adassp, {"added": True, "exact": True}),
    ("more or less | Opacus", opacus, {}),
    ("more or less | Opacus, clip 2.4", opacus, {"clip": 2.4}),
)
LINE = (
    ("replaced | karcher, pure ε", ours, {"delta": None}),
    ("replaced | diffprivlib, pure ε, mended", diffprivlib, {"mended": True}),
    ("replaced | OpenDP, pure ε", opendp, {}),
    ("more or less | karcher, pure ε", ours, {"added": True, "delta": None}),
    ("more or less | OpenDP, pure ε", opendp, {"added": True}),
)


def budgets():
    """Errors for all budgets, and the root mean square error over `expected_distance`. At three records, of a low,
    middle and high prediction: the share of 95 % regions that hold the prediction of least squares, with its standard
    error, and the share that `little_information` marks."""
    sizes = [f"{c}n" for c in COPIES]
    heads = [f"{a}, {s}" for a in ("replaced", "more or less") for s in sizes] + ["error / expected"]
    print("| data | budget |", " | ".join([*heads, *(f"held, {s}" for s in sizes), "marked, 1n"]), "|")
    print("| --- " * 13 + "|")
    asked = [
        *({"epsilon": e} for e in EPSILONS),
        *({"epsilon": e, "delta": DELTA} for e in EPSILONS),
        *({"mu": m} for m in MUS),
    ]
    for table in tables():
        many, best = {copies: repeated(table, copies) for copies in COPIES}, least_squares(table)
        chosen = np.argsort(best)[[len(best) // 10, len(best) // 2, len(best) * 9 // 10]]
        few = {name: column[chosen] for name, column in table.columns.items()}
        for budget in asked:
            medians, ratios, held, marked = [], [], {copies: [] for copies in COPIES}, []
            for place, (added, copies) in enumerate((a, c) for a in (False, True) for c in COPIES):
                errors = []
                for seed in range(SEEDS):
                    released = release(many[copies], 1000 * place + seed, added, **budget)
                    errors.append(error(table, coefficients(released, table)))
                    at = released.predict(few)
                    off = abs(at.points[:, 0] - table.middle - table.half * best[chosen])
                    held[copies].append(np.mean(off <= at.region))
                    marked += [np.mean(at.little_information)] if copies == 1 else []
                medians.append(np.median(errors))
                ratios.append(np.sqrt(np.mean(np.square(errors))) / released.expected_distance)
            covered = [f"{100 * np.mean(h):.0f} ± {100 * np.std(h) / sqrt(len(h)):.1f} %" for h in held.values()]
            cells = [*(f"{e:.3g}" for e in medians), f"{min(ratios):.2f}–{max(ratios):.2f}", *covered]
            text = ", ".join(f"{name} = {value:g}" for name, value in budget.items())
            print(f"| {table.name} | {text} |", " | ".join([*cells, f"{100 * np.mean(marked):.0f} %"]), "|", flush=True)


if __name__ == "__main__":
    parts = {"peers": lambda: against(PEERS, None), "line": lambda: against(LINE, 1), "karcher": budgets}
    for what in sys.argv[1:] or parts:
        print(f"\n{what}\n", flush=True)
        parts[what]()
