"""The command's seeded releases against the table that Python and R compare themselves with, to the last bit. What the
command prints is what Python prints of its file.

    python3 oracles/shared_table_agrees.py target/debug/karcher
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import karcher

TABLE = pathlib.Path(__file__).parents[1] / "crates/karcher-r/tests/testthat/golden.json"


def columns_of(case, table):
    """The columns of a case's file."""
    rows = table["records"][case["records"]] * table["times"]
    columns = {f"x{i}": list(numbers) for i, numbers in enumerate(zip(*rows))}
    columns["person"] = [i // 2 for i in range(len(rows))]
    columns["predictor"] = table["predictors"] * table["times"]
    return columns


def summary(release):
    """All that Python says of a release."""
    return release.summary()


def sentence(release):
    """What Python says of it for a paper."""
    return release.sentence()


def released(command, case, table, folder):
    """The numbers of the release that the command makes."""
    columns = columns_of(case, table)
    rows = [columns, *zip(*columns.values())]
    (folder / "records.csv").write_text("\n".join(",".join(map(str, row)) for row in rows), encoding="utf-8")
    (folder / "spec.json").write_text(json.dumps(case["spec"]), encoding="utf-8")
    options = ["--columns", ",".join(name for name in columns if name.startswith("x"))]
    options += ["--output", folder / "release.json", "--force", "--seed", str(case["arguments"]["random_state"])]
    options += ["--person", "person"] if case.get("persons") else []
    options += ["--predictor", "predictor"] if case["function"] == "regress" else []
    run = [command, "run", folder / "spec.json", folder / "records.csv", *options]
    where = str(folder / "release.json")
    for option, in_python in (([], repr), (["--details"], summary), (["--sentence"], sentence)):
        printed = subprocess.run(run + option, check=True, stdout=subprocess.PIPE).stdout.decode()
        text = (folder / "release.json").read_text(encoding="utf-8")
        kind = karcher.RegressionRelease if case["function"] == "regress" else karcher.Release
        said = in_python(kind.from_json(text))
        assert printed.replace(where, "").split() == said.replace("the JSON of the release", "").split(), said
    release = json.loads(text)
    return release.get("value") or release["footpoint"] + release["shooting_vector"]


def main():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    cases = [case for case in table["cases"] if "features" not in case["spec"]]  # no file has a matrix of features
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            found = released(sys.argv[1], case, table, pathlib.Path(folder))
            if found != case["value"]:
                sys.exit(f"{case['name']}: the command releases {found}, and the table has {case['value']}")
    print(f"{len(cases)} releases of the command have the bits of Python and R, and the text of Python.")


if __name__ == "__main__":
    main()
