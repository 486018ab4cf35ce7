"""The licenses of everything that is compiled into a package, as whoever passes it on has to pass them on too.

    python3 packaging/licenses.py karcher-cli FILE
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
TEXTS = ("COPYING", "LICENCE", "LICENSE", "NOTICE", "OFL", "UFL", "UNLICENSE")


def cargo(*arguments, root=ROOT):
    return subprocess.run(["cargo", *arguments], cwd=root, check=True, stdout=subprocess.PIPE).stdout


def compiled(package, root, *options):
    """Name and version of what is linked into a package of a workspace on this platform; options ask for more."""
    asked = ("--locked", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}", *options)
    return {tuple(line.split()[:2]) for line in cargo("tree", *asked, root=root).decode().splitlines() if line}


def line(crate, texts):
    """A crate, its licenses, and where its source is, which MPL asks for; its authors, if it has no text with them."""
    address = f"https://crates.io/crates/{crate['name']}/{crate['version']}"
    authors = "" if texts else f", by {', '.join(crate['authors'])}"
    return f"{crate['name']} {crate['version']}: {crate['license'] or crate['license_file']}, {address}{authors}"


def licenses(package, root=ROOT):
    """A list of the crates with their licenses, and each text once, after the crates that have it."""
    linked = compiled(package, root)
    crates, texts = [], {}
    for crate in json.loads(cargo("metadata", "--locked", "--format-version=1", root=root))["packages"]:
        if crate["source"] is None or (crate["name"], f"v{crate['version']}") not in linked:
            continue
        name = f"{crate['name']} {crate['version']}"
        files = [file for file in pathlib.Path(crate["manifest_path"]).parent.rglob("*") if file.is_file()]
        own = [file for file in files if file.name.upper().startswith(TEXTS) and file.suffix not in (".rs", ".ttf")]
        for file in sorted(own):
            texts.setdefault(file.read_text(encoding="utf-8", errors="replace").strip(), {})[name] = None
        crates.append(line(crate, own))
    head = f"{package} contains the following crates, unchanged, under the licenses that follow."
    shared = (f"{'-' * 80}\n{', '.join(names)}\n\n{text}" for text, names in texts.items())
    return "\n\n".join([head, "\n".join(sorted(crates)), *shared])


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(licenses(sys.argv[1]) + "\n", encoding="utf-8")
