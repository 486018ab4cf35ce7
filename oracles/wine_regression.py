"""Private linear regression against diffprivlib and Opacus: fixed acidity, density, pH and residual sugar of red wines
on their alcohol.

    python3 -m venv .venv && .venv/bin/pip install diffprivlib opacus "scikit-learn<1.6"
    .venv/bin/python oracles/wine_regression.py winequality-red.csv 100 wine.csv

winequality-red.csv is the file of the UCI repository (Cortez et al. 2009). The four responses are standardised by mean
and standard deviation of the rows in use, as in Kulkarni and Soto 2025. Every method gets these responses, and so does
karcher in the written file. All have the same public bounds: alcohol from 8 to 15, standardised responses from -3 to 3.
Prints quartiles of the mean square error per response over 200 fits at epsilon 2.
"""

import sys
import warnings

import numpy as np
from diffprivlib.models import LinearRegression

RUNS = 200
RESPONSES = ["fixed acidity", "density", "pH", "residual sugar"]
ALCOHOL = (8.0, 15.0)
BOUND = 3.0
EPSILON = 2.0
DELTA = 1e-5


def read(path, rows):
    lines = [line.strip().split(";") for line in open(path)]
    names = [name.strip('"') for name in lines[0]]
    values = np.array(lines[1 : rows + 1], float)
    responses = values[:, [names.index(name) for name in RESPONSES]]
    responses = (responses - responses.mean(0)) / responses.std(0)
    return values[:, names.index("alcohol")], responses


def report(name, errors):
    low, median, high = np.quantile(errors, [0.25, 0.5, 0.75])
    print(f"| {name} | {median:.3f} | {low:.3f} to {high:.3f} |", flush=True)


def diffprivlib(x, y, seed):
    model = LinearRegression(epsilon=EPSILON, bounds_X=ALCOHOL, bounds_y=(-BOUND, BOUND), random_state=seed)
    model.fit(x[:, None], y)
    return model.predict(x[:, None])


def opacus(x, y, seed):
    """DP-SGD on a linear layer: full batches, 50 steps, clipping norm 2, learning rate 0.5; (2, 1e-5)."""
    import torch
    from opacus import PrivacyEngine

    torch.manual_seed(seed)
    scaled = (x - np.mean(ALCOHOL)) / (ALCOHOL[1] - ALCOHOL[0])
    inputs = torch.tensor(scaled[:, None], dtype=torch.float32)
    targets = torch.tensor(np.clip(y, -BOUND, BOUND), dtype=torch.float32)
    model = torch.nn.Linear(1, y.shape[1])
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), batch_size=len(x))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model, optimizer, loader = PrivacyEngine(accountant="rdp").make_private_with_epsilon(
        module=model, optimizer=optimizer, data_loader=loader, epochs=50, target_epsilon=EPSILON, target_delta=DELTA,
        max_grad_norm=2.0, poisson_sampling=False,
    )
    for _ in range(50):
        for batch, target in loader:
            optimizer.zero_grad()
            ((model(batch) - target) ** 2).sum(1).mean().backward()
            optimizer.step()
    with torch.no_grad():
        return model(inputs).numpy()


def main():
    warnings.filterwarnings("ignore")
    x, y = read(sys.argv[1], int(sys.argv[2]))
    header = "alcohol,acidity,density,pH,sugar"
    np.savetxt(sys.argv[3], np.column_stack([x, y]), delimiter=",", header=header, comments="")
    design = np.column_stack([np.ones_like(x), x])
    fit = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    print(f"{len(x)} rows; least squares {np.mean((y - fit) ** 2):.4f}\n")
    print("| method | median | quartiles |\n| --- | --- | --- |")
    for name, method in [("diffprivlib", diffprivlib), ("Opacus", opacus)]:
        report(name, [np.mean((y - method(x, y, seed)) ** 2) for seed in range(RUNS)])


if __name__ == "__main__":
    main()
