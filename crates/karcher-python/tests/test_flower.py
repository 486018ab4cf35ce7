"""Releases over the sites of a Flower run. The nodes are in this process; messages have the form in which they travel.
`test_flower_processes.py` has the same with Flower's own processes."""

import importlib.util
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import karcher
from karcher.aggregate import Aggregator, Task, adopt, combine, make_keys, make_shared_key

if importlib.util.find_spec("flwr") is None:
    pytest.skip("SKIPPED: Flower is not installed, which needs Python 3.11", allow_module_level=True)

from flwr.app import ArrayRecord, ConfigRecord, Context, Error as Failure, Message, RecordDict
from flwr.common.serde import message_from_proto, message_to_proto
from flwr.serverapp import Grid
from flwr.supercore.task_identity import TaskIdentity

from karcher.interop.flower import PrivateSum, client_app

SITES = [np.array([[0.5, 0.25], [0.125, 0.0]]), np.array([[-0.5, 0.75]]), np.array([[3.0, 4.0], [0.0, 1.0]])]
MEAN = np.array([(0.5 + 0.125 - 0.5 + 0.6) / 5.0, (0.25 + 0.75 + 0.8 + 1.0) / 5.0])  # (3, 4) is clipped to length 1


class Crash(BaseException):
    """The end of the server's process."""


class Nodes(Grid):
    """Nodes in this process. Some are silent; `crash` ends the server before a step, from 0 on."""

    def __init__(self, app, configs):
        self.app, self.configs = app, dict(enumerate(configs, 11))
        self.silent, self.garbled, self.crash, self.seen = set(), {}, None, []
        self.replies = {}

    def get_node_ids(self):
        return list(self.configs)

    def push_messages(self, messages):
        if messages and self.crash == 0:
            self.crash = None
            raise Crash
        self.crash = self.crash and self.crash - bool(messages)
        ids = []
        for message in messages:
            ids.append(str(len(self.seen)))
            message.metadata.__dict__["_message_id"] = ids[-1]
            reply = self.reply(message_from_proto(message_to_proto(message)))
            self.seen.append(message)
            if reply is not None:
                self.replies[ids[-1]] = message_from_proto(message_to_proto(reply))
                self.seen.append(self.replies[ids[-1]])
        return ids

    def pull_messages(self, message_ids):
        return [self.replies.pop(id) for id in list(message_ids) if id in self.replies]

    def send_and_receive(self, messages, *, timeout=None):
        return self.pull_messages(self.push_messages(list(messages)))

    def reply(self, message):
        node = message.metadata.dst_node_id
        if node in self.silent:
            return None
        if node in self.garbled and message.metadata.message_type == "train.karcher_share":
            return Message(self.garbled[node], reply_to=message)
        context = Context(1, node, self.configs[node], RecordDict(), {})
        try:
            return self.app(message, context)
        except Exception as error:  # as Flower answers
            return Message(Failure(2, f"{type(error)}:<'{error}'>"), reply_to=message)

    run = set_run = create_message = None


@pytest.fixture(autouse=True)
def identity():
    TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1


class Study:
    """Two aggregators and three sites with their folders."""

    def __init__(self, folder, ledger=None):
        self.folder = folder
        make_shared_key(folder / "both.key")
        self.keys = tuple(make_keys(folder / f"{name}.key", shared=folder / "both.key") for name in "ab")
        self.configs = [{"karcher-key": str(folder / f"{name}.key")} for name in "ab"]
        self.ledgers = []
        for name, config in zip("ab", self.configs) if ledger else ():
            self.ledgers.append(karcher.Ledger.new(folder / f"{name}.db", data="places", **ledger))
            config["karcher-ledger"] = str(folder / f"{name}.db")
        for i in range(len(SITES)):
            (folder / f"site{i}").mkdir()
            self.configs.append({"karcher-folder": str(folder / f"site{i}"), "site": i})

    def task(self, estimator, n=5, **options):
        return Task(estimator, n, keys=self.keys, **options)

    def nodes(self, tasks, sites=SITES):
        def report(task, message, context):
            return task.share(sites[context.node_config["site"]])

        return Nodes(client_app(tasks, report), self.configs)

    def strategy(self, tasks, **options):
        return PrivateSum(tasks, sites=len(SITES), folder=self.folder / "server", **options)


@pytest.fixture
def study(tmp_path):
    return Study(tmp_path)


def plane(**budget):
    return karcher.PrivateFrechetMean("euclidean:2", radius=1.0, denoise="none", **budget)


def released(strategy, nodes, **options):
    strategy.start(nodes, timeout=0.1, **options)
    return strategy.releases_


def test_a_mean_over_sites_is_that_of_the_command_to_the_last_bit(study, tmp_path, command):
    """The aggregators' noise is a function of their keys and the reports. The command gets copies of the keys, whose
    journals are from before the run, and the reports that the server carried."""
    task = study.task(plane(mu=2000.0))
    for name in "ab":
        for end in ("key", "journal"):
            shutil.copy(tmp_path / f"{name}.{end}", tmp_path / f"copy-{name}.{end}")
        command("aggregate", "adopt", f"copy-{name}.key")
    (release,) = released(study.strategy(task), study.nodes(task))
    # about 0.002: beyond 0.05 with less than 1e-10
    assert release.value == pytest.approx(MEAN, abs=0.05) and release.trust == "one of two aggregators"
    assert not karcher.verify(release).findings
    (tmp_path / "spec.json").write_text(json.dumps(plane(mu=2000.0).spec()))
    shutil.copy(tmp_path / "server/0001.share", tmp_path / "sites.share")
    agreed = ["--n", "5", "--to", "a.pub", "--to", "b.pub"]
    for name in "ab":
        key = ["spec.json", "sites.share", *agreed, "--key", f"copy-{name}.key"]
        command("aggregate", "check", *key, "--output", f"{name}.checked")
    for name, other in ("ab", "ba"):
        key = ["spec.json", "sites.share", *agreed, "--key", f"copy-{name}.key"]
        command("aggregate", "add", *key, "--checked", f"{other}.checked", "--output", f"{name}.sum")
    command("combine", "spec.json", "a.sum", "b.sum", *agreed, "--output", "mean.json")
    of_command = karcher.Release.from_json((tmp_path / "mean.json").read_text())
    assert np.array_equal(of_command.value, release.value)
    assert json.loads(of_command.to_json()) == json.loads(release.to_json())
    for name in "ab":
        assert (tmp_path / f"{name}.sum").read_text().strip() == (tmp_path / f"server/0001.{name}.sum").read_text()


def test_the_server_carries_messages_of_the_protocol_alone(study):
    task = study.task(plane(mu=1.0))
    nodes = study.nodes(task)
    released(study.strategy(task), nodes)
    kinds = {message.metadata.message_type for message in nodes.seen}
    assert kinds == {"query.karcher_role", "train.karcher_share", "query.karcher_check", "query.karcher_add"}
    for message in nodes.seen:
        assert set(message.content) <= {"karcher", "arrays", "config"}
        fields = message.content["karcher"]
        assert set(fields) <= {"text", "name", "state", "reports", "checked"}
        if message.metadata.message_type == "train.karcher_share" and "text" in fields:
            report = json.loads(fields["text"])
            assert set(report) == {"task", "id", "public", "records", "shares"}


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_without_a_site_nothing_is_released_until_it_is_back(study, missing):
    task = study.task(plane(mu=2000.0))
    nodes = study.nodes(task)
    nodes.silent = {13 + missing}
    with pytest.raises(karcher.Error, match=f"sites reported {5 - len(SITES[missing])} of 5 records: start again"):
        released(study.strategy(task), nodes)
    assert not any(message.metadata.message_type == "query.karcher_add" for message in nodes.seen)
    nodes.silent = set()
    (release,) = released(study.strategy(task), nodes)
    assert release.value == pytest.approx(MEAN, abs=0.05)


def test_with_a_confidential_number_those_who_report_are_released(study):
    task = study.task(plane(mu=2000.0, adjacency="add-remove", n_guess=5), None)
    nodes = study.nodes(task)
    nodes.silent = {13}
    (release,) = released(study.strategy(task), nodes)
    expected = np.array([(-0.5 + 0.6) / 3, (0.75 + 0.8 + 1.0) / 3])
    assert release.value == pytest.approx(expected, abs=0.1) and release.n is None


def test_of_persons_a_silent_one_counts_as_zero_and_each_node_reports_once(study):
    task = study.task(plane(mu=2000.0), 3, reporters="persons")
    nodes = study.nodes(task, [part[-1:] for part in SITES])
    nodes.silent = {13}
    (release,) = released(study.strategy(task), nodes)
    assert release.value == pytest.approx([-0.5 / 3, 1.75 / 3], abs=0.05)
    twice = study.task(plane(mu=2000.0), 3, reporters="persons", name="two reports of one node")
    nodes = study.nodes(twice, [part[-1:] for part in SITES])
    both = "\n".join(twice.share([[0.0, 1.0], [0.0, 1.0]]))
    nodes.garbled = {13: RecordDict({"karcher": ConfigRecord({"text": both})})}
    (release,) = released(PrivateSum(twice, sites=3, folder=study.folder / "twice"), nodes)
    assert release.value == pytest.approx([-0.5 / 3, 1.75 / 3], abs=0.05)
    two = study.task(plane(mu=2000.0), 3, reporters="persons", name="two records at two nodes")
    strategy = PrivateSum(two, sites=3, folder=study.folder / "other")
    (release,) = released(strategy, study.nodes(two))  # which do not report
    assert release.value == pytest.approx([-0.5 / 3, 0.25], abs=0.05)


def rubbish(report):
    other = dict(json.loads(report), id="0" * 32)
    return [
        RecordDict(),
        RecordDict({"karcher": ArrayRecord([np.ones(3)])}),
        RecordDict({"karcher": ConfigRecord({"text": 7})}),
        RecordDict({"karcher": ConfigRecord({"other": "x"})}),
        *(
            RecordDict({"karcher": ConfigRecord({"text": text})})
            for text in (
                "", "no report", "[" * 100_000, '{"id": [1], "records": "x"}', '{"task": 1}', report[:-40],
                json.dumps(other), f"{report}\n{report}", report.replace('"records":', '"records":9'),
            )
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", range(13))
def test_a_node_that_sends_rubbish_is_left_out(study, kind):
    task = study.task(plane(mu=2000.0))
    (study.folder / "liar").mkdir()
    study.configs.append({"karcher-folder": str(study.folder / "liar"), "site": 0})
    nodes = study.nodes(task)
    nodes.garbled = {16: rubbish(study.task(plane(mu=2000.0)).share(SITES[0])[0])[kind]}
    (release,) = released(study.strategy(task), nodes)
    assert release.value == pytest.approx(MEAN, abs=0.05)


def test_no_error_of_a_site_reaches_the_server(study, caplog):
    task = study.task(plane(mu=1.0))

    def report(task, message, context):
        if context.node_config["site"] == 0:
            raise ValueError("a record: 123.456")
        return task.share([[float("nan"), 123.456]] if context.node_config["site"] == 1 else SITES[2])

    nodes = Nodes(client_app(task, report), study.configs)
    with pytest.raises(karcher.Error, match="sites reported 2 of 5 records"):
        released(study.strategy(task), nodes)
    failed = [message for message in nodes.seen if message.has_error()]
    assert {message.error.reason for message in failed} == {"the reason is in the log of the node"} and len(failed) == 2
    assert "123.456" not in "".join(map(repr, nodes.seen)) and "123.456" in caplog.text


def test_a_site_answers_a_question_that_is_repeated_with_the_same_text(study, tmp_path):
    """Otherwise a server could bring a site's records into one sum twice, in two reports."""
    flow = karcher.PrivateFrechetMean(
        "sphere:2", radius=0.9, center=[0.0, 0.0, 1.0], mechanism="karcher-flow", steps=3, mu=1.0
    )
    task = study.task(flow, 3)
    nodes = study.nodes(task, [np.eye(3)[2:]] * 3)

    def asked(point=None, **other):
        state = json.dumps({"rounds": 1, "numbers": point}) if point else ""
        fields = ConfigRecord({"name": task.name, "state": state, **other})
        records = {"karcher": fields, "arrays": ArrayRecord([np.random.rand(2)]), "config": ConfigRecord()}
        return nodes.reply(Message(RecordDict(records), dst_node_id=13, message_type="train.karcher_share"))

    def text(reply):
        return reply.content["karcher"]["text"]

    assert text(asked()) == text(asked(more="x")) != text(asked([0.0, 0.0, 1.0]))
    assert text(asked([0.0, 0.6, 0.8])) == text(asked([0.0, 0.0, 1.0]))
    assert asked(name="other").error.reason == "the reason is in the log of the node"
    shutil.rmtree(tmp_path / "site0")  # a site without its folder may have reported
    with pytest.raises(karcher.Error, match="sites reported 2 of 3"):
        released(study.strategy(task), nodes)


@pytest.mark.parametrize("step", range(4))
def test_a_server_that_is_interrupted_goes_on_and_spends_once(tmp_path, step):
    study = Study(tmp_path, ledger={"mu": 1.5})
    tasks = [study.task(plane(mu=1.0), name="one"), study.task(plane(mu=1.0), name="two")]
    nodes = study.nodes(tasks)
    nodes.crash = step
    with pytest.raises(Crash):
        released(study.strategy(tasks), nodes)
    (first,) = released(study.strategy(tasks), nodes, num_rounds=1)
    (again,) = released(study.strategy(tasks), Nodes(None, []), num_rounds=1)  # of the folder alone
    assert first == again
    for ledger in study.ledgers:
        assert [entry.guarantee for entry in ledger.entries] == [karcher.Guarantee(mu=1.0)]
        assert not karcher.verify(first, ledger=ledger).findings
    both = released(study.strategy(tasks), nodes)  # √2 of 1.5
    assert both[0] == first and [len(ledger.entries) for ledger in study.ledgers] == [2, 2]
    with pytest.raises(karcher.Error, match="num_rounds is 3: expected a whole number from 1 to 2"):
        released(study.strategy(tasks), nodes, num_rounds=3)


def test_what_a_crashed_server_released_is_what_the_aggregators_gave(study, tmp_path):
    """The sums were lost on their way; the release is that of the reports that were kept, to the last bit."""
    task = study.task(plane(mu=1.0))
    nodes = study.nodes(task)
    for name in "ab":
        for end in ("key", "journal"):
            shutil.copy(tmp_path / f"{name}.{end}", tmp_path / f"copy-{name}.{end}")
        adopt(tmp_path / f"copy-{name}.key")
    strategy = study.strategy(task)
    send = nodes.send_and_receive

    def lossy(messages, **options):
        replies = send(messages, **options)
        if replies and replies[0].metadata.message_type == "query.karcher_add":
            raise Crash
        return replies

    nodes.send_and_receive = lossy
    with pytest.raises(Crash):
        released(strategy, nodes)
    nodes.send_and_receive = send
    nodes.silent = {13, 14, 15}  # the sites are not needed any more
    (release,) = released(study.strategy(task), nodes)
    reports = [(tmp_path / "server/0001.share").read_text()]
    one, two = (Aggregator(tmp_path / f"copy-{name}.key") for name in "ab")
    checked = one.check(task, reports), two.check(task, reports)
    sums = one.add(task, reports, checked[1]), two.add(task, reports, checked[0])
    assert combine(task, sums) == release


def test_a_ledger_refuses_before_noise_is_added(tmp_path):
    study = Study(tmp_path, ledger={"mu": 0.5})
    task = study.task(plane(mu=1.0))
    with pytest.raises(karcher.Error, match="aggregator 1 did not add: .*left mu 0.5"):
        released(study.strategy(task), study.nodes(task))
    assert [entry.status for entry in study.ledgers[0].entries] == ["refused"]
    assert study.ledgers[0].spent == {"mu": 0.0}


def test_a_flow_takes_several_rounds(study):
    X = karcher.Sphere(2).random_point(60, center=[0.0, 0.0, 1.0], scale=0.2, random_state=1)
    flow = karcher.PrivateFrechetMean(
        "sphere:2", radius=0.9, center=[0.0, 0.0, 1.0], mechanism="karcher-flow", steps=3, mu=300.0
    )
    tasks = [study.task(flow, 60), study.task(karcher.PrivateCount(mu=100.0), 60, name="count")]
    strategy = study.strategy(tasks)
    assert strategy.rounds == 4
    nodes = study.nodes(tasks, np.split(X, [10, 25]))
    nodes.crash = 6
    with pytest.raises(Crash):
        released(strategy, nodes)
    mean, count = released(study.strategy(tasks), nodes)
    assert karcher.Sphere(2).dist(mean.value, karcher.FrechetMean("sphere:2").fit(X).estimate_) < 0.02
    assert mean.mechanism == "karcher-flow" and count.value == pytest.approx(60, abs=1)


def test_a_model_is_trained_on_gradients_of_records(study):
    """Ten steps of logistic regression are those of the gradients without noise, up to the noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) / 3
    y = (X @ [4.0, -2.0, 0.0] + rng.normal(0, 0.3, 600) > 0).astype(float)
    mean = karcher.PrivateFrechetMean("euclidean:3", radius=1.0, denoise="none", mu=300.0)
    tasks = [study.task(mean, 600, name=f"step {i}") for i in range(10)]

    def gradients(w, X, y):
        return X * (1 / (1 + np.exp(-X @ w)) - y)[:, None]

    parts = np.array_split(np.arange(600), 3)

    def report(task, message, context):
        (w,) = message.content["arrays"].to_numpy_ndarrays()
        some = parts[context.node_config["site"]]
        return task.share(gradients(w, X[some], y[some]))

    def update(arrays, release):
        (w,) = arrays.to_numpy_ndarrays()
        return ArrayRecord([w - 4.0 * release.value])

    nodes = Nodes(client_app(tasks, report), study.configs)
    start = ArrayRecord([np.zeros(3)])
    result = study.strategy(tasks, update=update).start(nodes, start, timeout=0.1)
    (trained,) = result.arrays.to_numpy_ndarrays()
    w = np.zeros(3)
    for _ in tasks:
        g = gradients(w, X, y)
        w = w - 4.0 * (g / np.maximum(1, np.linalg.norm(g, axis=1))[:, None]).mean(axis=0)
    # noise of √2·2/(600·300) in each step, times 4: 100 deviations
    assert trained == pytest.approx(w, abs=0.02) and np.linalg.norm(w) > 1
    (again,) = study.strategy(tasks, update=update).start(Nodes(None, []), start).arrays.to_numpy_ndarrays()
    assert np.array_equal(again, trained)


def test_aggregators_are_found_by_their_keys(study, tmp_path):
    task = study.task(plane(mu=1.0))
    nodes = study.nodes(task)
    nodes.configs[17] = {"karcher-key": str(tmp_path / "a.key")}
    with pytest.raises(karcher.Error, match="aggregator 1 is on 2 nodes: start one node with its karcher-key"):
        released(study.strategy(task), nodes)
    del nodes.configs[17], nodes.configs[12]
    with pytest.raises(karcher.Error, match="aggregator 2 is on 0 nodes"):
        released(study.strategy(task), nodes)
    nodes.configs[12] = study.configs[1]
    nodes.configs[18], nodes.configs[19] = {}, {"karcher-folder": str(tmp_path / "none")}
    assert released(study.strategy(task), nodes)
    refused = [message for message in nodes.seen if message.has_error()]
    assert {message.metadata.src_node_id for message in refused} == {18, 19}
    assert "names no karcher-key, of an aggregator, and no karcher-folder" in refused[0].error.reason


def test_an_aggregator_that_falls_silent_is_named(study):
    task = study.task(plane(mu=1.0))
    nodes = study.nodes(task)
    send = nodes.send_and_receive

    def half(messages, **options):
        replies = send(messages, **options)
        return [r for r in replies if not (r.metadata.src_node_id == 12 and "add" in r.metadata.message_type)]

    nodes.send_and_receive = half
    with pytest.raises(karcher.Error, match="aggregator 2 did not add: no answer in time"):
        released(study.strategy(task), nodes)
    nodes.send_and_receive = send
    assert released(study.strategy(task), nodes)


def test_what_does_not_fit_is_refused_before_the_run(study, tmp_path):
    task = study.task(plane(mu=1.0))
    with pytest.raises(karcher.Error, match="two tasks have one name"):
        client_app([task, task], None)
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(karcher.Error, match="different aggregators"):
        PrivateSum([task, Study(other).task(plane(mu=1.0), name="b")], sites=3, folder=tmp_path)
    for given in ([], [1], "task"):
        with pytest.raises(karcher.errors.ArgumentTypeError, match="tasks are no list of Task"):
            PrivateSum(given, sites=3, folder=tmp_path)
    with pytest.raises(karcher.Error, match="sites is 0: expected a whole number from 1"):
        PrivateSum(task, sites=0, folder=tmp_path)
    with pytest.raises(karcher.errors.ArgumentTypeError, match="folder is of type int"):
        PrivateSum(task, sites=3, folder=7)


def test_without_flower_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['flwr'] = None\n"
        "import karcher\n"
        "for make in (lambda: karcher.interop.flower.client_app([], None),\n"
        "             lambda: karcher.interop.flower.PrivateSum([], sites=1, folder='x')):\n"
        "    try: make()\n"
        "    except karcher.Error as error: print(error)\n"
        "assert karcher.interop.opendp and 'flower' in dir(karcher.interop)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "Flower is not installed: pip install 'flwr>=1.42'\n" * 2, done.stderr
