"""Machine code of each crate, as `make test` compiles it, against the budget in code_size.toml.

    python3 lints/code_size.py target/debug/deps

Time to compile goes with the code that generics become, which no diff shows. The sizes are those of one compiler on one
system, to the byte. A commit may lower a budget, and has to say why it raises one.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

LARGER, SMALLER = 1.02, 0.95
"""Sizes over the budget that fail, and that are to be written down."""


def size_of(library):
    """Bytes of code and constants in an archive; it also holds metadata, which `size` does not know."""
    done = subprocess.run(["size", "--totals", library], capture_output=True, text=True)
    return int(done.stdout.splitlines()[-1].split()[0])


def main(folder):
    budget = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    compiler = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    if f"release: {budget['rustc']}\n" not in compiler or f"host: {budget['host']}\n" not in compiler:
        print(f"SKIPPED: the size of code, because its budget is for Rust {budget['rustc']} on {budget['host']}")
        return 0
    failed = False
    for crate, most in budget["kilobytes"].items():
        libraries = list(Path(folder).glob(f"lib{crate}-*.rlib"))
        if not libraries:
            print(f"{crate}: no library in {folder}: run `make compiled` first")
            failed = True
            continue
        # the newest one, where several sets of features were compiled
        found = size_of(max(libraries, key=lambda path: path.stat().st_mtime)) / 1000
        if found > LARGER * most:
            print(f"{crate}: {found:.0f} kB of code, and its budget is {most} kB: write generics for less, or raise it")
            failed = True
        elif found < SMALLER * most:
            print(f"{crate}: {found:.0f} kB of code are less than its budget of {most} kB: lower it in code_size.toml")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
