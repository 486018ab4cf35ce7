"""The questions of ``karcher start``, answered in a terminal: ``start_in_a_terminal.py path/to/karcher``.

A pseudo-terminal of the standard library answers each question as it appears, by arrows, Enter and typed text.
"""

import os
import pty
import re
import select
import signal
import sys
import tempfile
import time
from pathlib import Path

DOWN, ENTER, STOP, SECONDS = "\x1b[B", "\r", "\x03", 60.0

#: What a question contains, and what is typed.
VESSELS = [
    ("What is one record?", ENTER),
    ("How many records does one person have?", ENTER),
    ("What do you want to publish?", ENTER),
    ("What do you know about where records lie", ENTER),
    ("Center of the ball:", "50,-40,3" + ENTER),
    ("once more", "50,-40" + ENTER),
    ("within which most records lie:", "far" + ENTER),
    ("once more", "2500km" + ENTER),
    ("How many records, or persons", "0" + ENTER),
    ("once more", "400" + ENTER),
    ("Which kind of budget?", ENTER),
    ("ε:", "1" + ENTER),
    ("Go on with it?", DOWN + ENTER),
    ("Which kind of budget?", DOWN + ENTER),
    ("μ:", "1" + ENTER),
    ("Go on with it?", ENTER),
]


def answered(command: list[str], answers: list[tuple[str, str]], ends: tuple[int, ...] = (0,)) -> str:
    """All that the command shows, until it ends with one of these codes."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="120")
        os.execv(command[0], command)
    shown, answers, end = "", list(answers), time.monotonic() + SECONDS
    seen = 0
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.2)[0]:
            if answers and answers[0][0] in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown[seen:]):
                seen = len(shown)
                os.write(terminal, answers.pop(0)[1].encode())
            continue
        try:
            read = os.read(terminal, 65_536)
        except OSError:  # the command has ended
            break
        if not read:
            break
        shown += read.decode(errors="replace")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in ends and not answers, (code, answers, shown)
    return shown


def main() -> None:
    karcher = os.path.abspath(sys.argv[1])
    examples = Path(__file__).resolve().parent.parent / "examples"
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder, "spec.json")
        shown = answered([karcher, "start", str(examples / "vessels.csv"), "--output", str(spec)], VESSELS)
        text = spec.read_text()
        stopped = [karcher, "start", str(examples / "vessels.csv"), "--output", str(Path(folder, "other.json"))]
        left = answered(stopped, [("What is one record?", STOP)], (1, -signal.SIGINT))
        hidden, visible = left.rfind("\x1b[?25l"), left.rfind("\x1b[?25h")
        assert 0 <= hidden < visible and os.listdir(folder) == ["spec.json"], (left, os.listdir(folder))
    for words in ("latitude,longitude: directions", "expected error: 0.00", "For a protocol:", "karcher run"):
        assert words in shown, (words, shown)
    assert '"mu": 1.0' in text and '"frechet-mean"' in text, text
    print("karcher start: 14 questions answered in a terminal, and 3 answers corrected; Ctrl-C shows the cursor again")


if __name__ == "__main__":
    main()
