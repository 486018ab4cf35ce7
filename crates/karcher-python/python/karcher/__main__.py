"""``python -m karcher``: where to go on, and the versions."""

from __future__ import annotations

import shutil

from ._versions import show_versions


def main() -> None:
    """Prints a short help."""
    command = shutil.which("karcher")
    place = "cargo install --locked --path crates/karcher-cli" if command is None else command
    print("karcher: differentially private statistics on Riemannian manifolds, as a Python package.\n")
    print("  python        import karcher; help(karcher)")
    print(f"  the command   {place}")
    print("                a program of its own; karcher --help\n")
    show_versions()


if __name__ == "__main__":
    main()
