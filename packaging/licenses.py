"""The licenses of everything that is compiled into a package, as whoever passes it on has to pass them on too.

    python3 packaging/licenses.py karcher-cli FILE
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
TEXTS = ("COPYING", "LICENCE", "LICENSE", "NOTICE", "OFL", "UFL", "UNLICENSE")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def compiled(package):
    """Name and version of what is linked into a package of the workspace on this platform."""
    tree = cargo("tree", "--locked", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}")
    return {tuple(line.split()[:2]) for line in tree.decode().splitlines()}


def licenses(package):
    """A list of the crates with their licenses, and each text once, after the crates that have it."""
    linked = compiled(package)
    crates, texts = [], {}
    for crate in json.loads(cargo("metadata", "--locked", "--format-version=1"))["packages"]:
        if crate["source"] is None or (crate["name"], f"v{crate['version']}") not in linked:
            continue
        name = f"{crate['name']} {crate['version']}"
        crates.append(f"{name}: {crate['license'] or crate['license_file']}")
        for file in sorted(pathlib.Path(crate["manifest_path"]).parent.rglob("*")):
            if file.is_file() and file.name.upper().startswith(TEXTS) and file.suffix not in (".rs", ".ttf"):
                texts.setdefault(file.read_text(encoding="utf-8", errors="replace").strip(), {})[name] = None
    head = f"{package} contains the following crates, under the licenses that follow."
    shared = (f"{'-' * 80}\n{', '.join(names)}\n\n{text}" for text, names in texts.items())
    return "\n\n".join([head, "\n".join(sorted(crates)), *shared])


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(licenses(sys.argv[1]) + "\n", encoding="utf-8")
