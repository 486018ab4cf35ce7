"""Private releases over the sites of a Flower run, by two aggregators. Needs ``pip install "flwr>=1.42"``.

Nodes of a run are the parties of :mod:`karcher.aggregate`: sites, which report encrypted shares, and two aggregators.
The server carries their messages and combines the two noisy sums. It sees no sum of a site, and draws no noise.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from .. import _arguments, _docs
from ..aggregate import Aggregator, State, Task, combine
from ..errors import Error
from ..ledger import _path
from ._messages import (
    LOG, RECORD, answers, check_reports, checked_tasks, find_nodes, keep, name_of, question, reason, text_of,
)  # fmt: skip

try:
    from flwr.serverapp.strategy import Strategy
except ImportError:  # the constructor says what to install
    Strategy = object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    _Path = Union[str, os.PathLike[str]]
    _Tasks = Union[Task, Sequence[Task]]


def client_app(tasks: _Tasks, report: Callable[[Task, Any, Any], list[str]]) -> Any:
    """The app of all nodes. You may add functions of your own to it, such as an evaluation.

    The configuration of a node (``flower-supernode --node-config``) says which party it is. A site has
    ``karcher-folder="…"``, a folder where it keeps what it reported: a repeated question gets the same answer. An
    aggregator has ``karcher-key="….key"``, and ``karcher-ledger="…"`` for the ledger that counts its releases.

    Parameters
    ----------
    tasks : Task or list of Task
        The releases in which this node takes part, once in each. Their names differ.
    report : callable
        Called at a site as ``report(task, message, context)``, with Flower's message and context. It returns
        ``task.share(records)``. ``message.content["arrays"]`` has the arrays of the server, such as a model.

    Returns
    -------
    flwr.clientapp.ClientApp

    Raises
    ------
    Error
        When Flower is not installed, and for tasks of equal names or different aggregators.

    Notes
    -----
    An error of a site stays in the log of its node, because it could quote a record. The server learns that the site
    did not report.

    Examples
    --------
    See :class:`PrivateSum`.
    """
    _flower()
    from flwr.clientapp import ClientApp

    known = {task.name: task for task in checked_tasks(tasks)}

    def asked(message: Any) -> Task:
        fields = message.content[RECORD]
        if fields["name"] not in known:
            raise Error("this node has no task of that name: all parties need the same tasks")
        task = known[fields["name"]]
        return task.after(State.from_json(fields["state"])) if fields["state"] else task

    def role(message: Any, context: Any) -> str:
        config = context.node_config
        if "karcher-key" in config:
            return Aggregator(config["karcher-key"]).public_key
        if not Path(config.get("karcher-folder", "")).is_dir() or "karcher-folder" not in config:
            raise Error("--node-config names no karcher-key, of an aggregator, and no karcher-folder that exists")
        return ""

    def share(message: Any, context: Any) -> str:
        task = asked(message)
        path = Path(context.node_config["karcher-folder"], f"{name_of(task)}-{task.round}.share")
        if not path.exists():
            reports = report(task, message, context)
            if len(reports) != 1:
                raise Error(f"report returned {len(reports)} reports: a node reports once, a person's node one record")
            keep(path, reports[0])
        return path.read_text(encoding="utf-8")

    def check(message: Any, context: Any) -> str:
        aggregator = Aggregator(context.node_config["karcher-key"])
        return aggregator.check(asked(message), message.content[RECORD]["reports"])

    def add(message: Any, context: Any) -> str:
        config, fields = context.node_config, message.content[RECORD]
        aggregator, ledger = Aggregator(config["karcher-key"]), config.get("karcher-ledger")
        return aggregator.add(asked(message), fields["reports"], fields["checked"], ledger=ledger)

    app = ClientApp()
    app.query("karcher_role")(answers(role))
    app.train("karcher_share")(answers(share, withhold=True))
    app.query("karcher_check")(answers(check))
    app.query("karcher_add")(answers(add))
    return app


class PrivateSum(Strategy):  # type: ignore[misc]
    """Flower strategy that releases statistics over sites. A round of Flower is a round of a release.

    A site that does not report in time counts by the rule of its task. With ``reporters="persons"`` its record
    counts as 0, and with ``adjacency="add-remove"`` the others are released. Otherwise nothing is released until the
    records of all sites add up to ``n``.

    Parameters
    ----------
    tasks : Task or list of Task
        The releases, one after the other, as all nodes know them.
    sites : int
        Number of sites. The strategy waits for them and the two aggregators, at most for the timeout.
    folder : str or os.PathLike
        Folder that keeps the messages of each round. A run that was interrupted goes on from there, and spends nothing
        twice. Another study needs another folder.
    update : callable, optional
        Called as ``update(arrays, release)`` after each release. It returns the next arrays, such as a model.

    Attributes
    ----------
    releases_ : list of Release, FeatureRegressionRelease or CountRelease
        The releases so far.
    rounds : int
        Number of rounds of all tasks.

    Raises
    ------
    Error
        When Flower is not installed, and for tasks of equal names or different aggregators.

    Examples
    --------
    In the app that all parties agree on:

    >>> import os, tempfile, numpy as np, karcher
    >>> from karcher.aggregate import Task, make_keys, make_shared_key
    >>> from karcher.interop.flower import PrivateSum, client_app
    >>> both, one, two = (os.path.join(tempfile.mkdtemp(), name) for name in ("both.key", "a.key", "b.key"))
    >>> make_shared_key(both)
    >>> keys = make_keys(one, shared=both), make_keys(two, shared=both)
    >>> mean = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, mu=1.0)
    >>> task = Task(mean.spec(), 500, keys=keys)
    >>> client = client_app(task, lambda task, message, context: task.share(np.load(context.node_config["records"])))
    >>> strategy = PrivateSum(task, sites=3, folder=tempfile.mkdtemp())
    >>> strategy.rounds
    1

    In the main function of the server's app, ``strategy.start(grid)`` fills ``strategy.releases_``.
    """

    def __init__(
        self, tasks: _Tasks, *, sites: int, folder: _Path, update: Optional[Callable[[Any, Any], Any]] = None
    ) -> None:
        _flower()
        self.tasks = checked_tasks(tasks)
        self.sites = _arguments.whole("sites", sites, 1)
        self.folder = Path(_path("folder", folder))
        self.update = update
        self.releases_: list[Any] = []
        self.rounds = sum(task.rounds for task in self.tasks)

    def start(
        self,
        grid: Any,
        initial_arrays: Any = None,
        num_rounds: Optional[int] = None,
        timeout: float = 3600.0,
        **other: Any,
    ) -> Any:
        """Runs all rounds, or goes on where an earlier run with the same folder ended.

        Parameters
        ----------
        grid : flwr.serverapp.Grid
        initial_arrays : flwr.app.ArrayRecord, optional
            Arrays that the sites get with the first task.
        num_rounds : int, optional
            Number of rounds, by default those of all tasks.
        timeout : float
            Seconds to wait for the nodes of a step. A site that is later does not count.
        **other : dict
            Other arguments of Flower's ``Strategy.start``.

        Returns
        -------
        flwr.serverapp.strategy.Result
            Flower's result, with the last arrays.

        Raises
        ------
        Error
            When aggregators do not answer or refuse; the message has their reason.
        """
        from flwr.app import ArrayRecord

        count = self.rounds if num_rounds is None else _arguments.whole("num_rounds", num_rounds, 1, self.rounds)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.releases_, self._timeout = [], _arguments.real("timeout", timeout)
        self._task, self._state = self.tasks[0], ""
        self._nodes: Optional[tuple[int, int, list[int]]] = None
        arrays = ArrayRecord() if initial_arrays is None else initial_arrays
        return super().start(grid, arrays, count, timeout, **other)

    def configure_train(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Iterable[Any]:
        """The question to each site; none in a round whose reports are in the folder."""
        self._grid, self._arrays = grid, arrays
        if self._file(server_round, "share").exists():
            return []
        sites = self._find()[2]
        return [question(node, "train.karcher_share", self._at(), arrays=arrays, config=config) for node in sites]

    def aggregate_train(self, server_round: int, replies: Iterable[Any]) -> tuple[Any, None]:
        """Lets the aggregators check and add up the reports, and combines their sums."""
        paths = [self._file(server_round, f"{name}.sum") for name in "ab"]
        if all(path.exists() for path in paths):
            found = combine(self._task, [path.read_text(encoding="utf-8") for path in paths])
        else:
            sums = self._add_up(self._file(server_round, "share"), replies)
            found = combine(self._task, sums)
            for path, noisy in zip(paths, sums):
                keep(path, noisy)
        if isinstance(found, State):
            self._task, self._state = self._task.after(found), found.to_json()
            return None, None
        self.releases_.append(found)
        self._state, self._task = "", self.tasks[min(len(self.releases_), len(self.tasks) - 1)]
        return (self.update(self._arrays, found) if self.update else None), None

    def configure_evaluate(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Iterable[Any]:
        """No evaluation; a subclass may have one."""
        return []

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Any]) -> None:
        """No evaluation."""

    def summary(self) -> None:
        """Logs the number of releases, rounds and sites."""
        LOG.info("\t└──> %d releases in %d rounds, of %d sites", len(self.tasks), self.rounds, self.sites)

    def _add_up(self, path: Path, replies: Iterable[Any]) -> list[str]:
        """The sums of both aggregators, of reports that are kept before the first of them adds noise."""
        nodes = self._find()[:2]
        if path.exists():
            reports = path.read_text(encoding="utf-8").split("\n")
        else:
            reports = [text for text in map(text_of, replies) if text and "\n" not in text]
        checked = self._ask("check", [(node, {"reports": reports}) for node in nodes])
        if not path.exists():
            check_reports(self._task, reports, checked)
            keep(path, "\n".join(reports))
        others = zip(nodes, reversed(checked))
        return self._ask("add", [(node, {"reports": reports, "checked": other}) for node, other in others])

    def _find(self) -> tuple[int, int, list[int]]:
        """The nodes of the two aggregators, and those of the sites."""
        if self._nodes is None:
            self._nodes = find_nodes(self._grid, self.tasks[0].keys, self.sites, self._timeout)
        return self._nodes

    def _ask(self, step: str, contents: list[tuple[int, dict[str, Any]]]) -> list[str]:
        """The texts of both aggregators."""
        messages = [question(node, f"query.karcher_{step}", {**self._at(), **fields}) for node, fields in contents]
        answered = self._grid.send_and_receive(messages, timeout=self._timeout)
        replies, texts = {reply.metadata.src_node_id: reply for reply in answered}, []
        for place, (node, _) in enumerate(contents, 1):
            if (text := text_of(replies.get(node))) is None:
                raise Error(f"aggregator {place} did not {step}: {reason(replies.get(node))}")
            texts.append(text)
        return texts

    def _at(self) -> dict[str, Any]:
        return {"name": self._task.name, "state": self._state}

    def _file(self, server_round: int, end: str) -> Path:
        return self.folder / f"{server_round:04}.{end}"


def _flower() -> None:
    if Strategy is object:
        raise Error("Flower is not installed: pip install 'flwr>=1.42'")


__dir__ = _docs.complete(globals())
