"""The filter of NVFlare in a job of its simulator, with three sites and two rounds. `make federated` runs it."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import karcher

if importlib.util.find_spec("nvflare") is None:
    pytest.skip("SKIPPED: NVFlare is not installed; see `make federated`", allow_module_level=True)

TRAIN = """
import numpy as np
import nvflare.client as flare
from nvflare.app_common.abstract.fl_model import FLModel, ParamsType

flare.init()
site = int(flare.get_site_name()[-1])
while flare.is_running():
    model = flare.receive()
    update = {"w": np.array([[0.1 * site, 0.2]], dtype=np.float32), "b": np.array([3.0, 0.4 * site])}
    if site == 3:
        update["w"][0, 0] = np.nan
    meta = {"NUM_STEPS_CURRENT_ROUND": 1000 * site}
    flare.send(FLModel(params_type=ParamsType.DIFF, params=update, meta=meta))
"""

AVERAGES = """
import os
import numpy as np
from nvflare.app_common.workflows.fedavg import FedAvg

class Averages(FedAvg):
    def update_model(self, model, aggregated, replace_meta=True):
        np.savez(f"{os.environ['RESULTS']}/round{self.current_round}.npz", **aggregated.params)
        model.params = aggregated.params
        return model
"""

JOB = """
import os
import sys
from averages import Averages
from nvflare.job_config.api import FedJob
from nvflare.job_config.defs import FilterType
from nvflare.job_config.script_runner import FrameworkType, ScriptRunner
from karcher.interop.nvflare import PrivateUpdate

folder = os.environ["RESULTS"]
job = FedJob(name="study", min_clients=3)
job.to_server(Averages(num_clients=3, num_rounds=2))
for i in (1, 2, 3):
    job.to(ScriptRunner(script="train.py", framework=FrameworkType.RAW), f"site-{i}")
    noise = PrivateUpdate(radius=2.0, mu=float(sys.argv[1]), ledger=f"{folder}/{i}.ledger")
    job.to(noise, f"site-{i}", filter_type=FilterType.TASK_RESULT, tasks=["train"])
job.simulator_run(f"{folder}/simulator")
"""


def simulated(folder, mu, total):
    """The ledgers of the sites after a job, and what it printed."""
    ledgers = [karcher.Ledger.new(folder / f"{i}.ledger", data=f"site {i}", mu=total) for i in (1, 2, 3)]
    for name, code in (("train", TRAIN), ("averages", AVERAGES), ("job", JOB)):
        (folder / f"{name}.py").write_text(code)
    paths = os.pathsep.join([os.fspath(folder), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths, "RESULTS": os.fspath(folder)}
    words = [sys.executable, "job.py", str(mu)]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    return ledgers, done.stdout + done.stderr


def test_a_job_averages_noisy_updates_that_the_ledgers_count(tmp_path):
    ledgers, printed = simulated(tmp_path, 600.0, 900.0)
    updates = [np.array([0.1, 0.2, 3.0, 0.4]), np.array([0.2, 0.2, 3.0, 0.8]), np.zeros(4)]  # a weight is no number
    clipped = [update / max(1.0, np.linalg.norm(update) / 2.0) for update in updates]
    for i in (0, 1):
        found = np.load(tmp_path / f"round{i}.npz")
        assert found["w"].shape == (1, 2) and found["b"].shape == (2,), printed
        # equal weights, whatever their numbers of steps; noise of 4/600/√3: beyond 0.05 with less than 1e-30
        assert np.concatenate([found["w"][0], found["b"]]) == pytest.approx(np.mean(clipped, axis=0), abs=0.05)
    for ledger in ledgers:
        assert [entry.status for entry in ledger.entries] == ["released"] * 2
        assert [entry.guarantee for entry in ledger.entries] == [karcher.Guarantee(mu=600.0)] * 2


def test_a_round_beyond_the_ledger_leaves_no_update(tmp_path):
    ledgers, printed = simulated(tmp_path, 1.0, 1.2)
    assert (tmp_path / "round0.npz").exists() and not (tmp_path / "round1.npz").exists()
    assert "not enough is left" in printed
    for ledger in ledgers:
        assert {entry.status for entry in ledger.entries} <= {"released", "refused"} and ledger.spent == {"mu": 1.0}


def test_the_filter_has_no_data_of_another_kind_or_budget():
    from nvflare.apis.dxo import DXO, DataKind
    from nvflare.apis.fl_context import FLContext
    from nvflare.apis.shareable import Shareable

    from karcher.interop.nvflare import PrivateUpdate

    noise = PrivateUpdate(radius=1.0, epsilon=1.0)
    assert noise.guarantee() == karcher.Guarantee(epsilon=1.0)
    noisy = noise.process_dxo(DXO(DataKind.WEIGHT_DIFF, {"w": np.ones(3)}, {"secret": 1}), None, None)
    assert noisy.meta == {"NUM_STEPS_CURRENT_ROUND": 1} and not np.allclose(noisy.data["w"], np.ones(3) / np.sqrt(3))
    for other in (
        DXO(DataKind.WEIGHTS, {"w": np.ones(3)}),
        DXO(DataKind.COLLECTION, {"a": DXO(DataKind.WEIGHT_DIFF, {"w": np.ones(3)})}),
        DXO(DataKind.WEIGHT_DIFF, {}),
    ):
        with pytest.raises(karcher.Error, match="the result is no WEIGHT_DIFF"):
            noise.process(other.to_shareable(), FLContext())
    with pytest.raises(ValueError):
        noise.process(Shareable({"w": np.ones(3)}), FLContext())
    for wrong in ({}, {"epsilon": 1.0, "mu": 1.0}, {"mu": -1.0}):
        with pytest.raises(karcher.Error):
            PrivateUpdate(radius=1.0, **wrong)
