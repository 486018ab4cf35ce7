"""The R package with everything that it is compiled from, which needs no network then.

    python3 packaging/r_package.py FOLDER

Makes FOLDER/karcher: the package, with the crates of this workspace that it needs and all others in
`src/rust/vendor.tar.xz`, and their licenses. `R CMD build FOLDER/karcher` packs it. (In a folder of its own it would
leave out `src/manifold`: whatever ends with "old" is old to it.)
"""

import json
import lzma
import pathlib
import re
import shutil
import sys
import tarfile
import tomllib

from licenses import cargo, compiled, licenses

ROOT = pathlib.Path(__file__).parents[1]
CRATES = ("karcher", "karcher-geometry", "karcher-ledger", "karcher-privacy", "karcher-report")
CONFIG = """\
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""
CHECKSUM = ".cargo-checksum.json"
# Folders of crates that no build on Unix reads: other systems of libc, and what stands behind features that are off.
OTHERS = {
    "libc": [f"src/{name}" for name in ("fuchsia", "solid", "teeos", "vxworks", "wasi", "windows", "qurt", "trusty.rs")]
    + [f"src/unix/{name}" for name in ("aix", "cygwin", "haiku", "hurd", "newlib", "nto", "nuttx", "redox")],
    "libsqlite3-sys": ["sqlcipher", "bindgen-bindings"],
}
OF_TESTS = re.compile(r"^[ \t]*#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod (\w+);", re.M)
UNREAD = (".github", "benches", "ci", "docs", "examples", "fuzz", "test-data", "testdata", "tests")
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
        drop_test_modules(target)
        manifest = target / "Cargo.toml"
        manifest.write_text(TESTS.sub("", manifest.read_text(encoding="utf-8")), encoding="utf-8")


def write_manifest(rust):
    """The package's manifest as that of a workspace of its own."""
    shared = tables((ROOT / "Cargo.toml").read_text(encoding="utf-8"), "workspace.")
    path = rust / "Cargo.toml"
    own = path.read_text(encoding="utf-8").replace("../../../", "crates/")
    path.write_text(own.replace("[workspace]\n", f'[workspace]\nmembers = ["crates/*"]\n\n{shared}'), encoding="utf-8")
    shutil.copy(ROOT / "Cargo.lock", rust / "Cargo.lock")


def empty(crate, manifest):
    """Leaves of a crate that is never compiled what cargo asks for: its manifest and an empty library."""
    for path in [path for path in crate.iterdir() if path.name not in ("Cargo.toml", CHECKSUM)]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    library = crate / manifest.get("lib", {}).get("path", "src/lib.rs")
    library.parent.mkdir(parents=True, exist_ok=True)
    library.touch()


def drop(path):
    """Removes a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def drop_test_modules(folder):
    """Removes the files of modules that are compiled for tests alone: a dependency never is."""
    for file in list(folder.rglob("*.rs")):
        if not file.exists():  # it belonged to a module of tests
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        beside = file.parent if file.name in ("lib.rs", "mod.rs", "main.rs") else file.with_suffix("")
        for name in OF_TESTS.findall(text):
            if len(re.findall(rf"\bmod {name}\b|{name}\.rs|{name}/", text)) == 1:
                drop(beside / f"{name}.rs")
                drop(beside / name)


def drop_features(crate, manifest, enabled):
    """Removes the files of linux-raw-sys whose module stands behind a feature of its name that is off."""
    for name in set(manifest["features"]) - enabled:
        for file in crate.glob(f"src/*/{name}.rs"):
            file.unlink()


def features(package, rust):
    """The features of a crate that are on, on whatever system."""
    nodes = json.loads(cargo("metadata", "--locked", "--offline", "--format-version=1", root=rust))["resolve"]["nodes"]
    return {feature for node in nodes if f"/{package}@" in node["id"] or f"#{package}@" in node["id"]
            for feature in node["features"]}  # fmt: skip


def thin_out(rust):
    """Takes away what no build on Unix reads: crates of other features and of Windows, tests and benchmarks.

    The licenses of the others stay. Cargo compares no file with a list of sums that is empty.
    """
    needed = compiled("karcher-r", rust, "--target", "all", "--edges", "build")
    for crate in (rust / "vendor").iterdir():
        manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
        name, version = manifest["package"]["name"], f"v{manifest['package']['version']}"
        if (name, version) not in needed or name.startswith("windows-"):
            empty(crate, manifest)
        for folder in UNREAD:
            shutil.rmtree(crate / folder, ignore_errors=True)
        for other in OTHERS.get(name, []):
            drop(crate / other)
        if name == "linux-raw-sys":
            drop_features(crate, manifest, features(name, rust))
        drop(crate / "CHANGELOG.md")
        drop(crate / "Cargo.toml.orig")
        drop_test_modules(crate)
        sums = json.loads((crate / CHECKSUM).read_text(encoding="utf-8"))
        (crate / CHECKSUM).write_text(json.dumps({**sums, "files": {}}), encoding="utf-8")


def vendor(rust):
    """All crates in one archive. The date of every file is the same, so that the archive is."""
    cargo("vendor", "--quiet", "vendor", root=rust)
    (rust / "vendor-config.toml").write_text(CONFIG, encoding="utf-8")
    thin_out(rust)

    def plain(member):
        member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
        return member

    packed = rust / "vendor.tar.xz"
    with tarfile.open(packed, "w:xz", preset=9 | lzma.PRESET_EXTREME) as archive:
        for folder in ("crates", "vendor"):
            archive.add(rust / folder, folder, filter=plain)
            shutil.rmtree(rust / folder)
    if packed.stat().st_size > 9_500_000:
        sys.exit(f"{packed} is too large: CRAN takes packages of 10 MB")


def stage(folder):
    """The whole package."""
    package = pathlib.Path(folder) / "karcher"
    shutil.rmtree(package, ignore_errors=True)
    generated = shutil.ignore_patterns("target", "Makevars", "*.o", "*.so", "Cargo.lock", ".gitignore")
    shutil.copytree(ROOT / "crates/karcher-r", package, ignore=generated)
    shutil.rmtree(package / "inst/doc", ignore_errors=True)  # `R CMD build` makes it
    rust = package / "src/rust"
    copy_crates(rust)
    write_manifest(rust)
    cargo("update", "--quiet", "--workspace", "--offline", root=rust)  # takes the other crates out of Cargo.lock
    (package / "inst").mkdir(exist_ok=True)
    (package / "inst/THIRD-PARTY-LICENSES").write_text(licenses("karcher-r", rust) + "\n", encoding="utf-8")
    with (package / "DESCRIPTION").open("a", encoding="utf-8") as description:
        description.write("Copyright: see inst/THIRD-PARTY-LICENSES for the crates that are compiled in\n")
    vendor(rust)
    return package


if __name__ == "__main__":
    print(stage(sys.argv[1]))
