"""Finds operations that have become slower: this tree against the last tag, or any other revision.

    .venv/bin/pip install "numpy<2.4" scikit-learn
    .venv/bin/python benches/regression.py [REVISION]

Both are built with optimisation, each in its own folder in target/regression, which takes minutes, the first time many.
Then they are called in turns, each in its own process with one thread. The place of a process in memory makes an
operation up to a quarter faster or slower, so several pairs of processes are measured. A pair's figure is the median
ratio of processor times, now over then, of consecutive rounds, which share the machine's load. A row's figure is the
median over the pairs, with a 95 % interval for the median from the ranks of a binomial law, for any law of the figures.
An operation is *slower* or *faster* where the whole interval is beyond 5 %; the exit code is 1 if any is slower.
Operations that the other revision lacks are left out. Repeat a row that surprises.
"""

import itertools
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "regression"
PAIRS, ROUNDS, MARGIN = 7, 5, 0.05


def cases():
    """Each operation: a name, and a function that prepares its records and returns what is timed."""
    import karcher
    import numpy as np

    def space(name):
        return karcher.manifold(name)

    def pairs(name, n):
        return (space(name).random_point(n, scale=0.3, random_state=seed) for seed in (1, 2))

    def operation(name, n, what):
        def prepare():
            m, (p, q) = space(name), pairs(name, n)
            v = m.log(p, q)
            calls = {
                "exp": lambda: m.exp(p, v),
                "log": lambda: m.log(p, q),
                "dist": lambda: m.dist(p, q),
                "dist to one": lambda: m.dist(p[0], q),
                "transport": lambda: m.transport(p, q, v),
            }
            return calls[what]

        return f"{name}, n = {n:,}: {what}", prepare

    def mean(name, n):
        def prepare():
            x, estimator = next(pairs(name, n)), karcher.FrechetMean(space(name))
            return lambda: estimator.fit(x)

        return f"{name}, n = {n:,}: mean", prepare

    def private_mean(name, n, mechanism):
        def prepare():
            m, x = space(name), next(pairs(name, n))
            estimator = karcher.PrivateFrechetMean(
                m, radius=0.5, center=m.origin, mu=1.0, mechanism=mechanism, random_state=1
            )
            return lambda: estimator.fit(x)

        return f"{name}, n = {n:,}: private mean, {mechanism}", prepare

    def small_fit(name, budget):
        def prepare():
            x, radii = next(pairs("sphere:2", 1_000)), itertools.count()

            def fit():
                # a ball of its own for each call: what an earlier plan left behind is of no use
                radius = 0.8 - 1e-6 * next(radii)
                karcher.PrivateFrechetMean("sphere:2", radius, [0, 0, 1], random_state=1, **budget).fit(x)

            return fit

        return f"sphere:2, n = 1,000: small fit, {name}", prepare

    def matrix():
        m = space("sphere:2")
        x, y = pairs("sphere:2", 300)
        return lambda: m.dist(x[:, None], y[None, :])

    def classes():
        from karcher.classification import PrivateMDM

        g = np.random.default_rng(1).standard_normal((600, 8, 16))
        x, y = g @ g.swapaxes(1, 2) / 16, np.arange(600) % 3
        estimator = PrivateMDM(radius=3.0, center=np.eye(8), mu=5.0, random_state=1)
        return lambda: estimator.fit(x, y).predict(x)

    spaces = [
        ("sphere:2", 100_000), ("sphere:10", 20_000), ("hyperbolic:2", 100_000), ("kendall:10", 10_000),
        ("projective:2", 100_000), ("rotations:3", 100_000), ("spd-log-euclidean:10", 2_000),
        ("spd-affine-invariant:3", 10_000), ("spd-affine-invariant:10", 1_000),
    ]  # fmt: skip
    for name, n in spaces:
        for what in ("exp", "log", "dist", "dist to one", "transport"):
            yield operation(name, n, what)
    for name, n in [*spaces, ("spd-log-euclidean:30", 500), ("spd-affine-invariant:30", 200)]:
        yield mean(name, n)
        yield private_mean(name, n, "chart" if "log-euclidean" not in name else "auto")
    for name in ("sphere:2", "hyperbolic:2"):
        yield private_mean(name, 100_000, "karcher-flow")
    budgets = [
        ("ε", {"epsilon": 1.0}), ("(ε, δ)", {"epsilon": 1.0, "delta": 1e-6}), ("μ", {"mu": 0.5}), ("ρ", {"rho": 0.1}),
    ]  # fmt: skip
    for name, budget in budgets:
        yield small_fit(name, budget)
    yield "sphere:2, 300 × 300: dist", matrix
    yield "PrivateMDM, 600 matrices of 8 × 8: fit and predict", classes


def serve():
    """For the other process: prepares a row, then runs it once for each line that it reads."""
    for _, prepare in cases():
        try:
            call = prepare()
            call()
            # as many calls as make a measurement last some milliseconds
            start = time.process_time()
            call()
            times = max(1, math.ceil(0.01 / max(time.process_time() - start, 1e-6)))
        except Exception as error:  # what one of the revisions has not
            print(json.dumps({"absent": f"{type(error).__name__}: {error}"}), flush=True)
            continue
        print(json.dumps({"times": times}), flush=True)
        while (line := sys.stdin.readline().strip()) != "next":
            start = time.process_time()
            for _ in range(int(line)):
                call()
            print(json.dumps(time.process_time() - start), flush=True)


class Side:
    """One of the two trees, in its own process."""

    def __init__(self, package):
        environment = {**os.environ, "PYTHONPATH": str(package)}
        for name in ("RAYON", "OPENBLAS", "OMP", "MKL"):
            environment[f"{name}_NUM_THREADS"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, "--serve"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("a process that was measured ended; its message is above")
        return json.loads(line)

    def ask(self, what):
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()

    def measure(self, times):
        self.ask(times)
        return self.read()


def build(tree, name):
    """Installs a tree's package, optimised as the published one, into its own folder. In a shared folder, Cargo would
    confuse the builds of the two trees."""
    package = WORK / name
    published = {"CARGO_PROFILE_RELEASE_LTO": "thin", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "4"}
    environment = {**os.environ, **published, "CARGO_TARGET_DIR": str(WORK / f"target-{name}")}
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--upgrade", "--target", str(package), str(tree)], check=True, env=environment)
    return package


def interval(ratios):
    """The median, and order statistics between which the law's median lies with at least 95 %."""
    n, ordered = len(ratios), sorted(ratios)
    below, k = 0.0, 0
    while below + math.comb(n, k) / 2**n <= 0.025:
        below += math.comb(n, k) / 2**n
        k += 1
    # the k smallest and the k largest are beyond it
    return ordered[n // 2], ordered[k - 1], ordered[n - k]


def main(revision):
    then = WORK / "tree"
    WORK.mkdir(parents=True, exist_ok=True)
    git = ["git", "-C", str(ROOT)]
    subprocess.run([*git, "worktree", "remove", "--force", str(then)], capture_output=True)
    subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(then), revision], check=True)
    try:
        packages = build(then, "then"), build(ROOT, "now")
    finally:
        subprocess.run([*git, "worktree", "remove", "--force", str(then)], check=True)
    names = [name for name, _ in cases()]
    figures, absent = {name: [] for name in names}, {}
    for pair in range(PAIRS):
        print(f"pair {pair + 1} of {PAIRS}", file=sys.stderr, flush=True)
        sides = [Side(package) for package in packages]
        for name in names:
            ready = [side.read() for side in sides]
            lacking = [answer["absent"] for answer in ready if "absent" in answer]
            if not lacking:
                times = min(answer["times"] for answer in ready)
                ratios = []
                for i in range(ROUNDS):
                    order = sides if i % 2 else sides[::-1]
                    taken = {side: side.measure(times) for side in order}
                    ratios.append(taken[sides[1]] / max(taken[sides[0]], 1e-9))
                figures[name].append(sorted(ratios)[ROUNDS // 2])
            else:
                absent[name] = lacking[0]
            for side, answer in zip(sides, ready):
                if "absent" not in answer:
                    side.ask("next")
        for side in sides:
            side.process.wait()
    print(f"Processor time now over that of {revision}, one thread, medians over {PAIRS} pairs of processes.\n")
    print("| operation | ratio | 95 % interval | |\n| --- | --- | --- | --- |", flush=True)
    slower = []
    for name in names:
        if name in absent:
            print(f"| {name} | – | {absent[name][:80]} | |")
            continue
        median, low, high = interval(figures[name])
        verdict = "**slower**" if low > 1 + MARGIN else "faster" if high < 1 - MARGIN else ""
        slower += [name] if low > 1 + MARGIN else []
        print(f"| {name} | {median:.2f} | {low:.2f} – {high:.2f} | {verdict} |")
    print(f"\n{'Slower: ' + '; '.join(slower) if slower else 'Nothing is slower by more than 5 %.'}")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    elif len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        found = subprocess.run(
            ["git", "-C", str(ROOT), "describe", "--tags", "--abbrev=0"], capture_output=True, text=True
        )
        if found.returncode:
            sys.exit("there is no tag to compare with: name a revision, such as HEAD~20 or origin/main")
        main(found.stdout.strip())
