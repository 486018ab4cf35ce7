"""The R package with everything that it is compiled from, which needs no network then.

    python3 packaging/r_package.py FOLDER

Makes FOLDER/karcher: the package, with the crates of this workspace that it needs and all others in
`src/rust/vendor.tar.xz`. `R CMD build FOLDER/karcher` packs it. (In a folder of its own it would leave out
`src/manifold`: whatever ends with "old" is old to it.)
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).parents[1]
CRATES = ("karcher", "karcher-geometry", "karcher-ledger", "karcher-privacy", "karcher-report")
CONFIG = """\
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""
TESTS = re.compile(r"^\[(dev-dependencies|\[?(bench|test|example)\]?)\]+\n(?:(?!\[).*\n?)*", re.M)


def tables(text, *wanted):
    """The tables of a manifest whose names begin so, as they are written."""
    parts = re.split(r"^(?=\[)", text, flags=re.M)
    return "".join(part for part in parts if part.startswith(tuple(f"[{name}" for name in wanted)))


def copy_crates(rust):
    """The sources of the workspace's crates, without what only their tests need."""
    for crate in CRATES:
        source, target = ROOT / "crates" / crate, rust / "crates" / crate
        leave_out = shutil.ignore_patterns("tests", "benches", "examples", "target")
        shutil.copytree(source, target, ignore=leave_out)
        manifest = target / "Cargo.toml"
        manifest.write_text(TESTS.sub("", manifest.read_text(encoding="utf-8")), encoding="utf-8")


def write_manifest(rust):
    """The package's manifest as that of a workspace of its own."""
    shared = tables((ROOT / "Cargo.toml").read_text(encoding="utf-8"), "workspace.")
    path = rust / "Cargo.toml"
    own = path.read_text(encoding="utf-8").replace("../../../", "crates/")
    path.write_text(own.replace("[workspace]\n", f'[workspace]\nmembers = ["crates/*"]\n\n{shared}'), encoding="utf-8")
    shutil.copy(ROOT / "Cargo.lock", rust / "Cargo.lock")


def vendor(rust):
    """All crates in one archive. The date of every file is the same, so that the archive is."""
    subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=rust, check=True, stdout=subprocess.DEVNULL)
    (rust / "vendor-config.toml").write_text(CONFIG, encoding="utf-8")

    def plain(member):
        member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
        return member

    with tarfile.open(rust / "vendor.tar.xz", "w:xz") as archive:
        for folder in ("crates", "vendor"):
            archive.add(rust / folder, folder, filter=plain)
            shutil.rmtree(rust / folder)


def stage(folder):
    """The whole package."""
    package = pathlib.Path(folder) / "karcher"
    shutil.rmtree(package, ignore_errors=True)
    generated = shutil.ignore_patterns("target", "Makevars", "*.o", "*.so", "Cargo.lock", ".gitignore")
    shutil.copytree(ROOT / "crates/karcher-r", package, ignore=generated)
    rust = package / "src/rust"
    copy_crates(rust)
    write_manifest(rust)
    vendor(rust)
    return package


if __name__ == "__main__":
    print(stage(sys.argv[1]))
