"""The page of federated learning with Flower's processes: a SuperLink, a SuperNode for each party in a folder of its
own, and the apps that they start. Two runs are interrupted. `make federated` runs it; the rules of the protocol have
their tests in `test_flower.py`."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

import karcher
from karcher.aggregate import Task, combine, make_keys, make_shared_key

if os.environ.get("KARCHER_FLOWER") != "processes":
    reason = "SKIPPED: Flower's processes take minutes; see `make federated`"
    pytest.skip(reason, allow_module_level=True)

PAGE = pathlib.Path(__file__).parents[3] / "docs/how-to/federated-learning.md"
_, STUDY, TRAINING = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
BIN = pathlib.Path(sys.executable).parent

PROJECT = """
[project]
name = "study"
version = "1.0.0"
description = "A mean over sites."
license = "MIT"
dependencies = []

[tool.flwr.app]
publisher = "sites"

[tool.flwr.app.components]
serverapp = "study:server"
clientapp = "study:client"
"""

TRAIN = """
server = ServerApp()

@server.main()
def train(grid, context):
    result = strategy.start(grid, ArrayRecord([np.zeros(3)]), timeout=200)
    np.save("trained.npy", result.arrays.to_numpy_ndarrays()[0])
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def until(condition, seconds=400.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "too late"
        time.sleep(0.05)


class Federation:
    """A SuperLink and SuperNodes, which end with the test."""

    def __init__(self, folder):
        self.folder, self.port, self.processes = folder, free_port(), []
        self.environment = {
            **os.environ, "FLWR_HOME": str(folder / "flower"), "FLWR_TELEMETRY_ENABLED": "0", "PYTHONUNBUFFERED": "1",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        }  # fmt: skip
        (folder / "flower").mkdir()
        connection = (
            f'[superlink]\ndefault = "here"\n[superlink.here]\naddress = "127.0.0.1:{self.port}"\ninsecure = true\n'
        )
        (folder / "flower/config.toml").write_text(connection)
        self.link = self.start(
            "server", "flower-superlink", "--insecure", "--port", self.port, "--disable-runtime-dependency-installation"
        )
        until(self.answers)

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True

    def start(self, name, *words):
        (self.folder / name).mkdir(exist_ok=True)
        with open(self.folder / f"{name}.log", "w") as log:
            process = subprocess.Popen(
                [BIN / words[0], *map(str, words[1:])], cwd=self.folder / name, env=self.environment,
                stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def node(self, name, config):
        link = f"127.0.0.1:{self.port}"
        words = ["--insecure", "--superlink", link, "--port", free_port(), "--node-config", config]
        return self.start(name, "flower-supernode", *words)

    def app(self, name, code):
        (self.folder / name).mkdir()
        (self.folder / name / "pyproject.toml").write_text(PROJECT)
        (self.folder / name / "study.py").write_text(code)

    def run(self, app, interrupt=None):
        """Runs an app, and returns what its server printed. If asked, kills the server when a file is there."""
        words = [BIN / "flwr", "run", self.folder / app, "here", "--stream"]
        running = subprocess.Popen(
            words, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            if interrupt:
                until(interrupt.exists)
                listed = subprocess.run(
                    ["ps", "-o", "pid=,args=", "--ppid", str(self.link.pid)], capture_output=True, text=True
                )
                for pid in re.findall(r"(?m)^ *(\d+) .*serverapp", listed.stdout):
                    os.kill(int(pid), signal.SIGKILL)
                time.sleep(2)
                running.kill()
            return running.communicate(timeout=600)[0]
        finally:
            running.kill()

    def end(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGINT)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def federation(tmp_path):
    made = Federation(tmp_path)
    try:
        yield made
    except BaseException:
        raise
    finally:
        made.end()


def test_the_page_runs_with_the_processes_of_flower(federation, tmp_path):
    rng = np.random.default_rng(0)
    records = np.column_stack([rng.normal(0.3, 0.1, (500, 3)), rng.integers(0, 2, 500)])
    sites = np.split(records, [100, 250])
    make_shared_key(tmp_path / "both.key")
    keys, ledgers = [], []
    for name in "ab":
        (tmp_path / name).mkdir()
        keys.append(make_keys(tmp_path / name / f"{name}.key", shared=tmp_path / "both.key"))
        ledgers.append(karcher.Ledger.new(tmp_path / name / f"{name}.ledger", data="made up", mu=2.0))
        federation.node(name, f'karcher-key="{name}.key" karcher-ledger="{name}.ledger"')

    def site(i):
        (tmp_path / f"site{i}/reports").mkdir(parents=True)
        np.save(tmp_path / f"site{i}/points.npy", sites[i][:, :2])
        np.save(tmp_path / f"site{i}/site.npy", sites[i])
        return federation.node(f"site{i}", 'karcher-folder="reports" records="points.npy" training="site.npy"')

    # the third node has no records, so it cannot report
    (tmp_path / "liar/reports").mkdir(parents=True)
    liar = federation.node("liar", 'karcher-folder="reports" records="none.npy" training="none.npy"')
    site(0)
    site(1)
    study = f"keys = {tuple(keys)!r}\n{STUDY}"
    federation.app("mean", study.replace("timeout=600", "timeout=200"))
    steps = TRAINING.replace("range(100)", "range(3)").replace('node_config["records"]', 'node_config["training"]')
    federation.app("training", study + steps + TRAIN)

    shown = federation.run("mean")
    assert "sites reported 250 of 500 records: start again when all sites are there" in shown
    assert "none.npy" not in shown and "none.npy" in (tmp_path / "liar.log").read_text()
    assert not ledgers[0].entries

    liar.terminate()
    site(2)
    messages = tmp_path / "server/messages"
    federation.run("mean", interrupt=messages / "0001.share")
    shown = federation.run("mean")
    task = Task(karcher.PrivateFrechetMean("euclidean:2", radius=1.0, mu=1.0).spec(), 500, keys=tuple(keys))
    release = combine(task, [(messages / f"0001.{name}.sum").read_text() for name in "ab"])
    assert repr(release).split("\n")[0] in shown
    # 0.006 a coordinate: beyond 0.05 with less than 1e-10
    assert release.value == pytest.approx(records[:, :2].mean(axis=0), abs=0.05)
    for ledger in ledgers:
        assert [entry.guarantee for entry in ledger.entries] == [karcher.Guarantee(mu=1.0)]
        assert not karcher.verify(release, ledger=ledger).findings

    federation.run("training", interrupt=tmp_path / "server/training/0002.share")
    federation.run("training")
    trained = np.load(tmp_path / "server/trained.npy")
    assert trained.shape == (3,) and np.isfinite(trained).all()
    w, (X, y) = np.zeros(3), (records[:, :3], records[:, 3])
    for _ in range(3):
        w = w - 2.0 * (X * (1 / (1 + np.exp(-X @ w)) - y)[:, None]).mean(axis=0)
    # each step has noise of 2·√2·2/(0.1·500) = 0.11 a coordinate: beyond 1.4 with less than 1e-10
    assert trained == pytest.approx(w, abs=1.4)
    for ledger in ledgers:
        assert len(ledger.entries) == 4
