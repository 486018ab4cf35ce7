"""Finds `_ =>` in a match over statistics, mechanisms, values, flags, guarantees and whatever else a release states.

A new one has to be named wherever they are treated: a wildcard would treat it like another one without a word. The
enums are those that the folder of releases declares, and the definitions of privacy. An arm `_ if …` counts as well.

    python3 lints/wildcards.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[1]
DECLARED = ROOT / "crates/karcher/src/release"
NAMED = {"StatisticName", "MechanismName"}  # which macros declare
PRIVACY = {"Definition"}  # of guarantees, which other crates declare
TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod tests \{.*", re.S | re.M)
STRINGS = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', re.S)


def enums():
    """The enums whose variants have to be named."""
    files = DECLARED.rglob("*.rs")
    return NAMED | PRIVACY | {name for file in files for name in re.findall(r"^pub enum (\w+)", file.read_text(), re.M)}


def blocks(code):
    """The bodies of all `match`, each with the place where it begins."""
    for start in re.finditer(r"\bmatch\b[^{};]*\{", code):
        depth, at = 1, start.end()
        while depth and at < len(code):
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            at += 1
        yield start.end(), code[start.end() : at - 1]


def patterns(body):
    """The patterns of the arms of one `match`, without those of matches inside, each with its place."""
    depth, begin, at = 0, 0, 0
    while at < len(body):
        if depth == 0 and body.startswith("=>", at):
            yield begin, body[begin:at]
            at += 2
            value = at
            while at < len(body) and not (depth == 0 and body[at] == ","):
                depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(body[at], 0)
                at += 1
                if depth == 0 and body[at - 1] == "}" and body[value:at].lstrip().startswith("{"):
                    break
            begin = at + 1 if at < len(body) and body[at] == "," else at
        else:
            depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(body[at], 0)
        at += 1


def wildcards(text, names):
    """The lines of wildcards in matches over the enums of these names."""
    code = STRINGS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), TESTS.sub("", text))
    if re.search(r"\buse serde_json::[^;]*\bValue\b", code):
        names = names - {"Value"}  # that of JSON
    variant = re.compile(r"\b(?:%s)::[A-Z]" % "|".join(sorted(names)))
    for start, body in blocks(code):
        arms = list(patterns(body))
        if any(variant.search(pattern.split(" if ")[0]) for _, pattern in arms):
            for at, pattern in arms:
                if re.match(r"\s*_\s*(if\b|$)", pattern):
                    yield code.count("\n", 0, start + at + len(pattern) - len(pattern.lstrip())) + 1


def test_itself():
    """Wildcards that have to be found, and what looks like one."""
    found = 'match x {\n    Flag::A => { match y { _ => 1 } }\n    Flag::B { .. } => f("_ => {"),\n    _ => 2,\n}'
    assert list(wildcards(found, {"Flag"})) == [4], list(wildcards(found, {"Flag"}))
    assert not list(wildcards(found, {"Value"}))
    assert not list(wildcards("match f(Flag::A) {\n    1 => Flag::B,\n    _ => Flag::C,\n}", {"Flag"}))


def main():
    test_itself()
    names = enums()
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sorted(ROOT.glob("crates/*/src/**/*.rs"))
        if "tests" not in file.name
        for line in wildcards(file.read_text(encoding="utf-8"), names)
    ]
    for place in found:
        print(f"{place}: `_` hides the variants that a later change adds; name the others")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
