"""The page of all commands and options, from the help of the built command. What two commands share, word for word,
is listed once.
"""

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SHARED_BY = 2
"""Number of commands with an option that puts it among the shared ones."""

HEADING = re.compile(r"^([A-Z][\w ,]*):$")
OPTION = re.compile(r"^ {2,6}(-|\[|<)")
NAME = re.compile(r"--?[\w-]+|[\[<]\w+[\]>]")


@dataclass
class Help:
    """What `--help` of a command prints, in parts."""

    command: list[str]
    about: str
    usage: str
    examples: str
    options: list[str]
    """Each option with its description, as printed."""

    @classmethod
    def of(cls, program: Path, command: list[str]) -> "Help":
        """The help that the built command prints."""
        run = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
        sections, heading = {"": ""}, ""
        for line in map(str.rstrip, run.stdout.splitlines()):
            if line.startswith("Usage: "):
                sections["Usage"] = line.removeprefix("Usage: ")
            elif title := HEADING.match(line):
                heading = title[1].rstrip("s") if title[1].startswith("Example") else title[1]
                sections[heading] = ""
            else:
                sections[heading] += line + "\n"
        about, usage, examples = (sections.pop(part, "") for part in ("", "Usage", "Example"))
        options = [
            block.rstrip()
            for text in sections.values()
            for block in re.split(r"\n(?= {2,6}[-\[<])", "\n" + text)
            if OPTION.match(block)
        ]
        return cls(command, about.strip(), usage, examples, options)

    def subcommands(self, program: Path) -> list[str]:
        """The commands below this one."""
        run = subprocess.run([program, *self.command, "--help"], capture_output=True, text=True, check=True)
        _, _, below = run.stdout.partition("\nCommands:\n")
        names = re.findall(r"^  (\w[\w-]*)", below.partition("\n\n")[0], re.M)
        return [name for name in names if name != "help"]


def helps(program: Path, command: list[str]) -> list[Help]:
    """The help of a command and of those below it."""
    here = Help.of(program, command)
    return [here] + [part for name in here.subcommands(program) for part in helps(program, [*command, name])]


def block(text: str) -> str:
    """Text as it is printed."""
    return f"```text\n{text.rstrip()}\n```\n" if text.strip() else ""


def name(option: str) -> str:
    """The name of an option, the long one if there is one."""
    found = NAME.findall(option.split("\n")[0])
    return next((name for name in found if name.startswith("--")), found[0] if found else "")


def anchors(options: list[str]) -> dict[str, str]:
    """A place on the page for each option. Two options of one name have two."""
    seen: Counter[str] = Counter()
    places = {}
    for option in options:
        plain = "option-" + name(option).strip("-[]<>")
        seen[plain] += 1
        places[option] = plain if seen[plain] == 1 else f"{plain}-{seen[plain]}"
    return places


def page(program: Path) -> str:
    """The page in Markdown."""
    _, *parts = helps(program, [])
    count = Counter(option for part in parts for option in part.options)
    shared = sorted((option for option, commands in count.items() if commands >= SHARED_BY), key=name)
    places = anchors(shared)
    text = (
        "# All commands and options\n\n`karcher COMMAND --help` prints this. [Shared options](#shared-options) are "
        "listed once, below.\nConventions are on [the page of the command line](command-line.md).\n"
    )
    for part in parts:
        own = [option for option in part.options if option not in shared]
        text += f"\n{'##' if len(part.command) == 1 else '###'} karcher {' '.join(part.command)}\n\n{part.about}\n\n"
        text += block(part.usage + "\n\n" + "\n\n".join(own))
        if common := [option for option in part.options if option in shared]:
            text += f"\nShared options: {', '.join(f'[`{name(one)}`](#{places[one]})' for one in common)}.\n"
        if part.examples:
            text += "\n" + block(part.examples)
    listed = (f'<a id="{places[option]}"></a>\n\n{block(option)}' for option in shared)
    return text + "\n## Shared options\n\n" + "\n".join(listed)
