"""What nodes of a Flower run send each other, and what they keep, for :mod:`karcher.interop.flower`."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import time
from functools import wraps
from typing import TYPE_CHECKING, Any, Optional

from ..aggregate import Task
from ..errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Work = Callable[[Any, Any], str]

LOG = logging.getLogger("flwr")
RECORD = "karcher"
"""The name of the record of a message that holds the texts of the protocol."""


def checked_tasks(tasks: Any) -> list[Task]:
    """The tasks of a run."""
    listed = [tasks] if isinstance(tasks, Task) else list(tasks)
    if not listed or not all(isinstance(task, Task) for task in listed):
        raise ArgumentTypeError("tasks are no list of Task: give one, or one for each release")
    if len({task.name for task in listed}) < len(listed):
        raise Error("two tasks have one name: give each Task its own name")
    if any(task.keys != listed[0].keys or task.round != 1 for task in listed):
        raise Error("the tasks have different aggregators, or are of a later round: make all with the same keys")
    return listed


def name_of(task: Task) -> str:
    """A name for a release, by everything that is agreed on."""
    agreed = [task.spec, task.n, task.reporters, task.name, task.keys]
    return hashlib.sha256(json.dumps(agreed, sort_keys=True).encode()).hexdigest()[:32]


def answers(work: Work, withhold: bool = False) -> Work:
    """The function of an app that answers with a text. An error stays in the log of the node, or gives its reason."""

    @wraps(work)
    def answer(message: Any, context: Any) -> Any:
        from flwr.app import ConfigRecord, Error as Failure, Message, RecordDict

        try:
            return Message(RecordDict({RECORD: ConfigRecord({"text": work(message, context)})}), reply_to=message)
        except Exception as error:  # which Flower would send to the server, with all that it quotes
            LOG.error("%s: %s", type(error).__name__, error)
            reason = str(error) if isinstance(error, Error) and not withhold else "the reason is in the log of the node"
        return Message(Failure(0, reason), reply_to=message)

    return answer


def question(node: int, kind: str, fields: dict[str, Any], **records: Any) -> Any:
    """A message to a node, for the function of its app that has the kind."""
    from flwr.app import ConfigRecord, Message, RecordDict

    return Message(RecordDict({RECORD: ConfigRecord(fields), **records}), dst_node_id=node, message_type=kind)


def text_of(reply: Any) -> Optional[str]:
    """The text of an answer, if it is one."""
    if reply is None or not reply.has_content():
        return None
    text = reply.content.get(RECORD, {}).get("text")
    return text if isinstance(text, str) else None


def reason(reply: Any) -> str:
    if reply is None:
        return "no answer in time"
    return str(reply.error.reason) if reply.has_error() else "its answer is none of karcher's"


def find_nodes(grid: Any, keys: tuple[str, str], sites: int, timeout: float) -> tuple[int, int, list[int]]:
    """The nodes of the two aggregators, and those of the sites: all that answer before the last one is found."""
    end = time.monotonic() + timeout
    roles: dict[str, list[int]] = {}
    asked: set[int] = set()
    waiting: set[str] = set()
    while time.monotonic() < end and not (all(key in roles for key in keys) and len(roles.get("", [])) >= sites):
        new = sorted(set(grid.get_node_ids()) - asked)
        asked.update(new)
        sent = grid.push_messages([question(node, "query.karcher_role", {}) for node in new])
        waiting.update(id for id in sent if id)
        for reply in grid.pull_messages(waiting):
            waiting.discard(reply.metadata.reply_to_message_id)
            if (role := text_of(reply)) is None:
                LOG.warning("node %d takes no part: %s", reply.metadata.src_node_id, reason(reply))
            else:
                roles.setdefault(role, []).append(reply.metadata.src_node_id)
        time.sleep(0.1)
    first, second = (roles.get(key, []) for key in keys)
    for place, found in enumerate((first, second), 1):
        if len(found) != 1:
            raise Error(f"aggregator {place} is on {len(found)} nodes: start one node with its karcher-key")
    return first[0], second[0], roles.get("", [])


def as_object(text: str) -> dict[str, Any]:
    """A JSON object; an empty one for any other text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def check_reports(task: Task, reports: list[str], checked: list[str]) -> None:
    """Refuses, before they are kept, reports that both aggregators would refuse."""
    opened = [as_object(text).get("reports", {}) for text in checked]
    first = {str(one.get("id")): one.get("records") for one in map(as_object, reversed(reports))}
    sizes = [size for id, size in first.items() if all(id in ids for ids in opened)]
    if not sizes or (task.reporters == "persons" and len(sizes) > task.n):
        raise Error(f"{len(sizes)} sites reported, and the task is for {task.n} records: start again")
    stated = [size for size in sizes if isinstance(size, int)]  # a confidential number is not stated
    if task.reporters == "sites" and stated and sum(stated) != task.n:
        raise Error(f"sites reported {sum(stated)} of {task.n} records: start again when all sites are there")


def keep(path: Path, text: str) -> None:
    """Writes a new file, as a whole or not at all. A file that is there stays."""
    handle, part = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(part)
