"""What a machine checks of the proofs, and whether the guide's page says just that.

    python3 proofs/check.py           what `make proofs` runs
    python3 proofs/check.py --write   also writes the tables: of the page, and of the numbers that Rust reproduces

A theorem of a theory counts if the comment above it begins with a label of the guide. Its first sentence becomes a row
of docs/proofs/machine.md, under the title of the theory and what links it to the code. Every theory is compiled, and
Coq prints what each theorem assumes: the axioms of the classical real numbers are allowed, and no others. The tables of
numbers in the tests of Rust have to be what Coq computes. Without Coq only the page is compared.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGE = ROOT / "docs/proofs/machine.md"
ASSURANCE = ROOT / "docs/evidence/assurance.md"
TABLES = {
    "Kernels": ROOT / "crates/karcher-privacy/src/noise/proved.txt",
    "SumKernels": ROOT / "crates/karcher/src/records/proved.txt",
}
OUT = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "proofs"
BEGIN, END = "<!-- by proofs/check.py -->\n", "<!-- end -->\n"

# The real numbers of Coq's library are classical, and functions with equal values are equal.
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|bypass_check|Unset\s+(?:Guard|Positivity|Universe)\s+Checking)\b"
)
# Within a section these become premises of its theorems; outside of one they are axioms.
PREMISE = re.compile(r"\b(Hypothes[ie]s|Variables?|Context)\b")
SECTION = re.compile(r"\bSection (\w+)\..*?\bEnd \1\.", re.S)
COMMENT = re.compile(r"\(\*.*?\*\)", re.S)
LABELS = r"((?:\[[A-Z]\d[′']?\],? ?(?:and )?)+)"
THEOREM = re.compile(rf"\(\*\* {LABELS}((?:[^*]|\*(?!\)))*)\*\)\s*(?:Theorem|Corollary) ([\w']+)")
TITLE = re.compile(r"\(\*\* \* (.*)")
LINK = re.compile(r"\bLink: (.*?)\s*\Z", re.S)


def one_line(text):
    """Text of a comment as Markdown."""
    return re.sub(r"\[([^\[\]]+)\]", r"`\1`", " ".join(text.split())).replace("|", "\\|")


def theories():
    """Of each theory its file, title, link to the code, and labelled theorems: labels, name, sentence."""
    for path in sorted(HERE.glob("*.v")):
        text = path.read_text(encoding="utf-8")
        head = COMMENT.match(text)[0].removesuffix("*)")
        title, link = TITLE.search(head), LINK.search(head)
        found = [
            (re.findall(r"\[\w+[′']?\]", labels), name, one_line(re.split(r"(?<=\.)\s", words.strip())[0].rstrip(".")))
            for labels, words, name in THEOREM.findall(text)
        ]
        yield path.name, title[1], one_line(link[1].rstrip(".")) if link else "by reading alone", found


def names():
    """The labelled theorems, with their files."""
    return [f"{file.removesuffix('.v')}.{name}" for file, _, _, found in theories() for _, name, _ in found]


def table():
    lines, labels = [], set()
    for file, title, link, found in theories():
        if found:
            lines += [f"### {title}", "", f"[{file}](../../proofs/{file}), linked to the code {link}.", ""]
            lines += ["| label | what is proved | theorem |", "| --- | --- | --- |"]
            lines += [f"| {' '.join(of)} | {says} | `{name}` |" for of, name, says in found] + [""]
        labels |= {label for of, *_ in found for label in of}
    return "\n".join([f"{len(names())} theorems, for {len(labels)} labels of the guide.", "", *lines])


def run(*command, cwd=HERE):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def of_coq(name, lines):
    """What Coq prints of some commands."""
    (OUT / f"{name}.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run("coqc", "-R", ".", "Karcher", f"{name}.v", cwd=OUT)


def assumptions():
    """What each labelled theorem assumes, as Coq prints it."""
    lines = [f"From Karcher Require {' '.join(sorted({name.split('.')[0] for name in names()}))}."]
    lines += [f'Eval compute in "{name}"%string. Print Assumptions Karcher.{name}.' for name in names()]
    answers = of_coq("assumptions", ["Require Import String.", *lines])
    for answer in re.split(r'^     = (?=")', answers, flags=re.M)[1:]:
        lines = [line for line in answer.split(": string\n", 1)[1].splitlines() if line and not line[0].isspace()]
        assumed = {re.sub(r" :.*|\.$", "", line) for line in lines}
        yield answer.split('"')[1], assumed - {"Axioms:", "Closed under the global context"}


def vectors(theory):
    """The table of numbers of a theory, as Coq computes it in a minute: a name and integers in each line."""
    lines = ["Require Import String ZArith List.", f"From Karcher Require {theory}.", "Import ListNotations."]
    lines += ["Set Printing Width 1000000.", "Set Printing Depth 1000000.", f"Eval vm_compute in {theory}.table."]
    kept = OUT / f"{theory}.txt"
    if not kept.exists() or kept.stat().st_mtime < (OUT / f"{theory}.vo").stat().st_mtime:
        kept.write_text(of_coq(f"table_{theory}", lines), encoding="utf-8")
    printed = kept.read_text(encoding="utf-8")
    yield f"# Made by proofs/check.py: inputs and what comes of them, computed by Coq from proofs/{theory}.v.\n"
    for name, rows in re.findall(r'\("(\w+)"%string, \[(\[.*?\])\]\)', printed.replace("%Z", "")):
        for row in re.findall(r"\[(.*?)\]", rows):
            yield f"{name} {' '.join(number.strip(' ()') for number in row.split(';'))}\n"


def failures(write):
    """What is wrong, in sentences."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    new = before + BEGIN + "\n" + table() + END + rest.split(END)[1]
    if write:
        PAGE.write_text(new, encoding="utf-8")
    elif new != text:
        yield f"{PAGE.relative_to(ROOT)} is not what the theories say: run python3 proofs/check.py --write."
    for file, _, _, found in theories():
        if found and f"`{file}`" not in ASSURANCE.read_text(encoding="utf-8"):
            yield f"{ASSURANCE.relative_to(ROOT)} does not name {file}."
    for path in sorted(HERE.glob("*.v")):
        code = COMMENT.sub(" ", path.read_text(encoding="utf-8"))
        for found in [*FORBIDDEN.finditer(code), *PREMISE.finditer(SECTION.sub("", code))]:
            yield f"{path.name} says {found[0]}: a theory has no axioms, and proves everything."
    if shutil.which("coqc") is None:
        return
    run("make", "--no-print-directory", "theories")
    answered = dict(assumptions())
    for name in names():
        if more := answered.get(name, {"what Coq does not say"}) - ALLOWED:
            yield f"{name} assumes {', '.join(sorted(more))}."
    for theory, path in TABLES.items():
        computed = "".join(vectors(theory))
        if write:
            path.write_text(computed, encoding="utf-8")
        elif computed != path.read_text(encoding="utf-8"):
            yield f"{path.relative_to(ROOT)} is not what Coq computes: run python3 proofs/check.py --write."


def main():
    started = time.monotonic()
    found = list(failures("--write" in sys.argv))
    print("\n".join(found), end="\n" if found else "")
    if shutil.which("coqc") is None:
        print("SKIPPED: the machine-checked proofs, because there is no Coq")
    elif not found:
        print(f"Coq has checked {len(names())} theorems, in {time.monotonic() - started:.0f} s.")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
