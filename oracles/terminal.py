"""The command on a terminal, a pseudo-terminal of Python's. With NO_COLOR, and into a pipe, it has no colors. Help fits
40 columns and 80. A bar of progress is on the terminal alone, and gone at the end.

    python oracles/terminal.py target/debug/karcher
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOR = re.compile(r"\x1b\[[0-9;]*m")
CITIES = Path(__file__).resolve().parent.parent / "examples" / "cities.csv"
MEAN = "mean --columns latitude,longitude --layout latlon --manifold sphere:2 --center 25,80 --epsilon 1".split()
AUDIT = "audit --manifold sphere:2 --radius 0.5 --n 20 --epsilon 1 --mechanism laplace --releases 20000".split()


def on_terminal(arguments, columns=80, **variables):
    """What a command writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "CI")}
    environment = {**known, "TERM": "xterm-256color", **variables}
    process = subprocess.Popen(arguments, stdin=slave, stdout=slave, stderr=slave, env=environment, close_fds=True)
    os.close(slave)
    written = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    process.wait()
    os.close(master)
    return written.decode("utf-8")


def shown(written):
    """The lines as they stay on the terminal: what a carriage return overwrote is gone."""
    plain = ESCAPE.sub("", written).replace("\r\n", "\n")
    return [line.rsplit("\r", 1)[-1] for line in plain.split("\n")]


def commands_of(karcher):
    text = subprocess.run([karcher, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z-]+) ", text.split("Commands:")[1].split("Options:")[0], re.M)
    return [name for name in names if name != "help"]


def too_wide(lines, columns):
    """The lines of a help text that could be broken. Commands to copy are not, and no word is."""
    found = []
    for line in lines:
        if line.startswith("Example"):
            break
        longest = len(line) - len(line.lstrip()) + max(map(len, line.split()), default=0)
        if len(line) > columns >= longest and not line.startswith("Usage:"):
            found.append(line)
    return found


def main(karcher):
    karcher = str(Path(karcher).resolve())
    mean = [karcher, *MEAN[:1], str(CITIES), *MEAN[1:], "--radius", "0.9"]
    wrong = [karcher, *MEAN[:1], str(CITIES), *MEAN[1:], "--radius", "x"]
    assert COLOR.search(on_terminal([karcher, "--help"])), "the check notices bold headings, where there are any"
    for arguments in ([karcher, "--help"], [karcher, "mean", "--help"], mean, wrong, [karcher, *AUDIT]):
        written = on_terminal(arguments, NO_COLOR="1")
        assert not COLOR.search(written), (arguments, COLOR.search(written))
        piped = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert "\x1b" not in piped.stdout + piped.stderr, arguments
    commands = commands_of(karcher)
    assert len(commands) > 20, commands
    for columns in (40, 80):
        for command in commands:
            help_text = shown(on_terminal([karcher, command, "--help"], columns, NO_COLOR="1"))
            assert len(help_text) > 5, (command, help_text)
            assert not (wide := too_wide(help_text, columns)), (command, columns, wide[:3])
    # the bar of progress leaves nothing behind, and no number in it is of the data
    written = on_terminal([karcher, *AUDIT])
    lines = shown(written)
    assert "%" in ESCAPE.sub("", written) and not any(line.endswith("left") for line in lines), lines
    # a release is the same on a narrow terminal as in a pipe
    with tempfile.TemporaryDirectory() as folder:
        seeded = [*mean, "--seed", "1"]
        piped = subprocess.run(seeded, capture_output=True, text=True, check=True, cwd=folder)
        narrow = [line for line in shown(on_terminal(seeded, 40, NO_COLOR="1")) if line]
        assert set(piped.stdout.split("\n")) - {""} <= set(narrow), narrow
    print("terminals of 40 and 80 columns are kept,", len(commands), "commands")


if __name__ == "__main__":
    main(*sys.argv[1:])
