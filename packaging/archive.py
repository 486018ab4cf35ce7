"""The archive of the command for the platform that this runs on: what a release offers for download.

    python3 packaging/archive.py    what `make archive` does

It has the program, its completions for five shells, a manual page for each command, the changelog, and the licenses of
the project and of all that is compiled into it.
"""

import os
import pathlib
import shutil
import subprocess

from licenses import licenses
from versions import ROOT, VERSION

COMPLETIONS = {
    "bash": "karcher.bash",
    "elvish": "karcher.elv",
    "fish": "karcher.fish",
    "powershell": "_karcher.ps1",
    "zsh": "_karcher",
}
TEXTS = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "SECURITY.md", "crates/karcher-cli/README.md"]


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def archive():
    """Makes it in the target folder, and says where."""
    run("cargo", "build", "--profile", "dist", "--locked", "--package", "karcher-cli")
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    program = target / "dist" / ("karcher.exe" if os.name == "nt" else "karcher")

    name = f"karcher-{VERSION}-{run('rustc', '--print', 'host-tuple').decode().strip()}"
    folder = target / "archive" / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "completions").mkdir(parents=True)
    shutil.copy2(program, folder)
    for text in TEXTS:
        shutil.copyfile(ROOT / text, folder / pathlib.Path(text).name)
    (folder / "THIRD-PARTY-LICENSES").write_text(licenses("karcher-cli") + "\n", encoding="utf-8")
    for shell, file in COMPLETIONS.items():
        (folder / "completions" / file).write_bytes(run(program, "completions", shell))
    run(program, "man", folder / "man" / "man1")
    return shutil.make_archive(target / name, "zip" if os.name == "nt" else "gztar", folder.parent, name)


if __name__ == "__main__":
    print(archive())
