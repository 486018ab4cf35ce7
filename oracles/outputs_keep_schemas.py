"""The `--json` output of every command agrees exactly with its schema in docs: run by `make test`.

    python3 -m venv .venv && .venv/bin/pip install "jsonschema>=4.18"
    .venv/bin/python oracles/outputs_keep_schemas.py target/debug/karcher
"""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = pathlib.Path(__file__).parents[1]

PLACES = "--columns latitude,longitude --layout latlon --manifold sphere:2"
CITIES = f"examples/cities.csv {PLACES} --center 25,80 --radius 0.9"
GROUPS = (
    "examples/cities.csv --by country --groups China,India --columns latitude --manifold euclidean:1 --center 40 "
    "--radius 40 --adjacency add-remove"
)
FLEET = (
    f"regress examples/vessels.csv {PLACES} --predictor day --predictor-range 0 120 --center 50,-40 --radius 0.5 "
    "--slope-bound 0.6 --residual-bound 10deg"
)
LINE = (
    "regress examples/vessels.csv --columns latitude --manifold euclidean:1 --predictor day --predictor-range 0 120 "
    "--center 50 --radius 30 --slope-bound 20"
)
TERMS = (
    f"regress people.csv {PLACES} --term poly:day:0:120:2 --term levels:kind:a,b --center 50,-40 --radius 0.5"
)
SHARED = "examples/vessels.json --n 400 --to a.pub --to b.pub"
COUNTED = "examples/count.json --n 500 --to a.pub --to b.pub"
FLAT = "--manifold euclidean:3 --mechanism gaussian --sensitivity 1"

# Objects whose fields have the names of the user's columns.
OF_USERS = {"at"}

# What makes the files that others read.
BEFORE = [
    "ledger new pure.db --data cities --epsilon 3",
    "ledger new both.db --data cities --epsilon 9 --delta 1e-5 --adjacency add-remove",
    "ledger new mu.db --data cities --mu 3",
    "ledger new empty.db --data cities --rho 0.5 --unit person",
    "ledger new site.db --data sites --epsilon 3 --adjacency add-remove",
    f"mean {CITIES} --epsilon 1 --ledger pure.db",
    "count examples/cities.csv --columns latitude --epsilon 1 --ledger pure.db",
    f"mean {CITIES} --mu 1 --ledger pure.db",  # is refused, and written down
    "ledger import pure.db foreign.json",
    f"mean {GROUPS} --n-guess 20 --epsilon 2 --ledger both.db",
    f"mean {CITIES} --mu 1 --ledger mu.db",
    "series examples/monthly.json --periods 5 --window 2 --ledger mu.db --output monthly.json",
    "continue monthly.json examples/vessels.csv --columns latitude,longitude --layout latlon",
    "series examples/count.json --periods 3 --output number.json",
    "aggregate keys both.key --of-both",
    "aggregate keys a.key --shared both.key",
    "aggregate keys b.key --shared both.key",
    f"share {SHARED} examples/vessels.csv --columns latitude,longitude --layout latlon --output site.share",
    f"aggregate check {SHARED} site.share --key a.key --output a.checked",
    f"aggregate check {SHARED} site.share --key b.key --output b.checked",
    f"aggregate add {SHARED} site.share --key a.key --checked b.checked --output a.sum",
    f"aggregate add {SHARED} site.share --key b.key --checked a.checked --output b.sum",
    f"share {COUNTED} examples/vessels.csv --columns latitude --output count.share",
    f"aggregate check {COUNTED} count.share --key a.key --output a.counted",
    f"aggregate check {COUNTED} count.share --key b.key --output b.counted",
    f"aggregate add {COUNTED} count.share --key a.key --checked b.counted --ledger site.db --output a.count",
    f"aggregate add {COUNTED} count.share --key b.key --checked a.counted --output b.count",
]

# What another library released.
FOREIGN = {
    "release": "histogram", "library": "OpenDP 0.16.0", "guarantee": {"definition": "pure", "epsilon": 0.5},
    "unit": "record", "adjacency": "replace-one", "data": "cities", "date": "2026-11-27",
}

# A schema, and a command that prints what it describes.
DAYS = "examples/days.csv --columns sleep,work,leisure --manifold euclidean:3 --center 35,20,40 --radius 30"
PREDICTIONS = "examples/predictions.csv --label actual --prediction predicted"

CASES = [
    ("series-plan", "series examples/monthly.json --periods 3 --window 2 --plan 100"),
    ("series-plan", "series persons.json --periods 5 --contributions 2 --every 2 --plan 100"),
    ("release", "continue monthly.json examples/vessels.csv --columns latitude,longitude --layout latlon"),
    ("count", "continue number.json examples/vessels.csv --columns latitude"),
    ("release", f"mean {CITIES} --epsilon 1"),
    ("release", f"mean {CITIES} --mu 1 --ledger mu.db"),
    ("release", f"mean examples/cities.csv {PLACES} --epsilon 1"),
    ("release", f"combine {SHARED} a.sum b.sum"),
    ("count", f"combine {COUNTED} a.count b.count"),
    ("release", f"mean examples/cities.csv {PLACES} --mu 1 --adjacency add-remove --n-guess 90"),
    ("release", "mean examples/poses.csv --columns x,y,z,w --layout quaternions-last --manifold rotations:3 --mu 1"),
    ("release", "mean examples/torsions.csv --columns phi,psi --layout degrees --manifold torus:2 --epsilon 1"),
    ("release", f"mean {CITIES} --rho 0.5 --spread --spread-clip 80deg --region 0.9"),
    ("release", f"mean {CITIES} --epsilon 1 --seed 1 --missing drop --denoise none"),
    ("release", f"mean {CITIES} --epsilon 1 --delta 1e-6 --mechanism karcher-flow --steps 3"),
    ("release", f"mean {CITIES} --epsilon 1 --mechanism laplace --bound sharp --assume-in-ball"),
    ("release", f"mean {CITIES} --epsilon 1 --delta 1e-6 --mechanism gaussian"),
    ("release", f"mean {CITIES} --epsilon 1 --mechanism kng"),
    ("release", f"mean {CITIES} --epsilon 2 --adjacency add-remove --n-guess 90"),
    ("release", f"mean {CITIES} --epsilon 1 --person country --spread"),
    ("release", f"mean {CITIES} --mu 1 --statistic median"),
    ("release", f"kmeans {CITIES} --clusters 3 --epsilon 4 --cost"),
    ("release", f"kmeans {CITIES} --clusters 2 --mu 1 --steps 4 --adjacency add-remove --n-guess 90"),
    ("spec", f"kmeans {CITIES} --clusters 3 --epsilon 4 --cost --spec-only"),
    ("release", f"covariance {DAYS} --mu 2"),
    ("release", f"covariance {DAYS} --mu 2 --adjacency add-remove --n-guess 90"),
    ("release", f"quantiles {CITIES} --levels .25,.5,.75 --epsilon 1"),
    ("release", f"quantiles {CITIES} --levels .5 --mu 1 --adjacency add-remove --n-guess 90"),
    ("spec", f"quantiles {CITIES} --levels .5 --cells 64 --distances --mu 1 --spec-only"),
    ("release", f"score {PREDICTIONS} --metric confusion --labels left,right --person subject --epsilon 1"),
    ("release", f"score {PREDICTIONS} --metric accuracy --labels left,right --mu 1 --adjacency add-remove --n-guess 9"),
    ("release", f"mean examples/vessels.csv {PLACES} --ball auto --mu 5 --spread"),
    ("release", f"mean examples/vessels.csv {PLACES} --center 50,-40 --radius 1.2 --mu 5 --mechanism two-stage "
                "--expected-spread 0.2"),
    ("release", f"locate examples/vessels.csv {PLACES} --mu 5"),
    ("release", "locate examples/vessels.csv --columns day --manifold euclidean:1 --within 1000 --epsilon 5"),
    ("release", f"components examples/vessels.csv {PLACES} --center 50,-40 --radius 0.5 --mu 2 --spread"),
    ("release", f"{FLEET} --epsilon 1 --predict-at 0,60,130"),
    ("release", f"{LINE} --epsilon 1"),
    ("release", f"{TERMS} --epsilon 1 --predict-at day=60,kind=a --predict-at day=120,kind=other"),
    ("release", f"{TERMS} --epsilon 0.01"),
    ("release", f"{TERMS} --epsilon 1 --delta 1e-6 --adjacency add-remove --n-guess 400"),
    ("release", f"mean examples/vessels.csv {PLACES} --center 50,-40 --radius 0.5 --mu 1 --basis basis.csv"),
    ("release", f"{LINE} --mu 1 --adjacency add-remove --n-guess 400"),
    ("release", f"randomize examples/home.csv {PLACES} --center 50,10 --radius 0.3 --epsilon 2"),
    ("release", "run examples/cities.json examples/cities.csv --columns latitude,longitude --layout latlon"),
    ("groups", f"mean {GROUPS} --n-guess 20 --epsilon 2 --spread"),
    ("groups", f"mean {GROUPS} --n-guess 30,10 --epsilon 1 --ledger both.db"),
    ("groups", f"mean {GROUPS} --n-guess 1000,10 --epsilon 1 --delta 1e-6"),
    ("groups", f"mean {GROUPS} --n-guess 20 --rho 0.5"),
    ("spec", f"mean examples/cities.csv {PLACES} --epsilon 1 --spec-only"),
    ("spec", "mean examples/winds.csv --manifold torus:1*euclidean:1 --layout degrees*vectors --center 0,1.5 "
        "--radius 60deg,1.2 --epsilon 1 --spec-only"),
    ("spec", f"mean {CITIES} --epsilon 1 --delta 1e-6 --spread --region 0.9 --mechanism karcher-flow --steps 3 "
             "--spread-clip 1 --spec-only"),
    ("spec", "mean examples/cities.csv --columns latitude --manifold euclidean:1 --center 40 --radius 40 "
             "--epsilon 0.5 --delta 1e-6 --mechanism gaussian --calibration classical --spec-only"),
    ("spec", f"mean {CITIES} --epsilon 1 --mechanism laplace --bound sharp --assume-in-ball --denoise none "
             "--spec-only"),
    ("spec", f"mean examples/vessels.csv {PLACES} --ball auto --within 2 --center 50,-40 --quantile 0.6 --mu 5 "
             "--spec-only"),
    ("spec", f"mean {GROUPS} --n-guess 30,10 --epsilon 1 --spec-only"),
    ("spec", f"mean {CITIES} --mu 1 --statistic median --numerics any --person country --spec-only"),
    ("spec", f"components {CITIES} --mu 2 --components-clip 1 --spec-only"),
    ("spec", f"mean {CITIES} --mu 1 --expected-spread 0.1 --mechanism two-stage --spec-only"),
    ("spec", f"locate examples/vessels.csv {PLACES} --mu 5 --spec-only"),
    ("spec", f"{FLEET} --epsilon 1 --spec-only"),
    ("spec", f"{TERMS} --epsilon 1 --spec-only"),
    ("spec", f"mean examples/vessels.csv {PLACES} --center 50,-40 --radius 0.5 --mu 1 --basis basis.csv --spec-only"),
    ("spec", "count examples/cities.csv --columns latitude --rho 0.5 --spec-only"),
    ("count", "count examples/cities.csv --columns latitude --epsilon 1"),
    ("count", "count examples/cities.csv --columns latitude --mu 0.01 --seed 7"),
    ("count", "count examples/cities.csv --columns latitude --epsilon 1 --delta 1e-6 --ledger both.db"),
    ("collect", "collect home.json"),
    ("collect", "collect far.json"),
    ("compare", "compare groups.json:China groups.json:India"),
    ("compare", "compare groups.json"),
    ("pool", "pool examples/site-a.json examples/site-b.json examples/site-c.json --spread 0.3"),
    ("pool", "pool axes.json"),
    ("verify", "verify mean.json count.json groups.json"),
    ("verify", "verify mean.json edited.json none.json"),
    ("verify", "verify mean.json seeded.json mean.json"),
    ("verify", "verify counted.json --ledger mu.db"),
    ("verify", "verify counted.json --ledger copy.db"),
    ("sensitivity", "sensitivity --manifold sphere:2 --radius 0.9 --n 100"),
    ("sensitivity", "sensitivity --manifold euclidean:2 --radius 1 --n 1e4 --bound sharp"),
    ("sensitivity", "sensitivity --manifold sphere:2*euclidean:1 --radius 0.5,2 --n 100"),
    ("calibrate", "calibrate --manifold sphere:2 --mechanism laplace --sensitivity 0.1 --epsilon 1"),
    ("calibrate", "calibrate --manifold spd-affine-invariant:2 --mechanism laplace --sensitivity 0.1 --scale 1"),
    ("calibrate", f"calibrate {FLAT} --rho 0.5"),
    ("calibrate", f"calibrate {FLAT} --scale 2 --epsilon 1"),
    ("profile", f"profile {FLAT} --scale 1 --epsilon 0,1,2"),
    ("profile", "profile --manifold hyperbolic:3 --mechanism laplace --sensitivity 1 --scale 0.4 --epsilon 1"),
    ("convert", "convert --mu 0.5 --at-delta 1e-6 --at-epsilon 1"),
    ("convert", "convert --epsilon 1 --delta 1e-6"),
    ("compose", "compose --of epsilon=0.3*10 --of mu=0.3*10 --at-delta 1e-6"),
    ("compose", "compose --of rho=0.05*3 --of rho=0.1"),
    ("compose", "compose --of epsilon=0.5,delta=1e-7 --of mu=1 --at-delta 1e-6"),
    ("compose", "compose --of epsilon=1 --shuffled 1000 --at-delta 1e-6"),
    ("audit", "audit --manifold projective:2 --n 5 --epsilon 1 --releases 200"),
    ("audit", "audit --mechanism laplace --manifold sphere:2 --n 20 --radius 0.5 --epsilon 1 --releases 1000"),
    ("audit", "audit --manifold euclidean:1 --n 20 --radius 1 --mu 1 --spread --components --releases 1000"),
    ("audit", "audit --manifold euclidean:1 --n 2000 --ball auto --within 100 --mu 5 --releases 100"),
    ("describe", "describe examples/textures.npy --output descriptors.npy --force"),
    ("plan", "plan --manifold sphere:2 --n 1000 --epsilon 1"),
    ("plan", "plan --manifold euclidean:3 --radius 1 --n 100 --mu 1"),
    ("plan", "plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --delta 1e-6"),
    ("plan", "plan --manifold sphere:2 --radius 2000km --epsilon 1 --error 20km"),
    ("plan", "plan --manifold hyperbolic:2 --n-guess 100 --adjacency add-remove --radius 1 --mu 1"),
    ("plan", "plan --manifold sphere:2 --radius 2000km --n 1e4 --spread --error 100km"),
    ("plan", "plan --manifold sphere:2 --radius 0.5 --n 1e4 --components --mu 1"),
    ("plan", "plan --manifold euclidean:2 --radius 100 --n 1e3 --statistic median --mu 1"),
    ("plan", "plan --manifold euclidean:2 --radius 100 --n 1e3 --statistic ball --mu 1"),
    ("plan", "plan --manifold euclidean:1 --radius 1000 --n 400 --statistic ball --epsilon 1"),
    ("plan", "plan --manifold rotations:3*euclidean:3 --n 1000 --radius 30deg,2 --mu 1"),
    ("plan", "plan --manifold sphere:2 --ball auto --expected-spread 0.1 --n 1e4 --mu 1"),
    ("plan", "plan --manifold kendall:10 --n 20 --radius 0.3 --epsilon 1"),
    ("plan", "plan --manifold sphere:2 --n 400 --radius 0.5 --slope-bound 0.6 --residual-bound 10deg --mu 0.8"),
    ("plan", "plan --manifold euclidean:2 --radius 1 --slope-bound 1 --epsilon 1 --error 0.1"),
    ("plan", "plan --manifold sphere:2 --radius 1 --term linear:age:20:80 --term levels:sex:F,M --n 400 --mu 1"),
    ("plan", "plan --manifold euclidean:2 --radius 1 --term linear:age:20:80 --epsilon 1 --error 0.1"),
    ("plan", "plan --statistic extrinsic-mean --manifold sphere:2 --n 1000 --epsilon 1"),
    ("plan", "plan --statistic variance --manifold sphere:2 --radius 1 --n 1000 --epsilon 1"),
    ("plan", "plan --statistic k-means --manifold sphere:2 --clusters 4 --n 1000 --mu 2"),
    ("plan", "plan --statistic minimizer --manifold sphere:2 --radius 1 --gradient-clip 1 --step-sizes 0.5,0.3 "
             "--n 1000 --mu 2"),
    ("plan", "plan --statistic record --manifold sphere:2 --radius 0.3 --epsilon 2"),
    ("plan", "plan --statistic count --epsilon 1"),
    ("plan", "plan --statistic count --error 3"),
    ("plan", "plan --manifold sphere:2 --radius 0.5 --n 1000 --mu 1 --mechanism karcher-flow --steps 3"),
    ("ledger-show", "ledger show pure.db"),
    ("ledger-show", "ledger show both.db"),
    ("ledger-show", "ledger show mu.db"),
    ("ledger-show", "ledger show empty.db"),
    ("ledger-export", "ledger export pure.db"),
    ("ledger-check", "ledger check pure.db"),
    ("ledger-check", "ledger check copy.db"),
    ("ledger-check", "ledger check cut.db"),
]

# What no case shows: chains of kng on made-up records would take minutes; classes of persons
# and minimizers, scores and choices are Python's and Rust's alone.
NOT_SHOWN = {
    "spec": {
        "tolerance", "trust", "centers", "descent", "records", "step_sizes", "loss",
        "candidates", "labels", "metric", "range", "score",
    },
    "plan": {"chains", "r_hat", "ess_bulk", "ess_tail"},
    "ledger-show": {"spent_by_each"},
}

# What `--output FILE.json` writes is that too.
FILES = [
    ("series", "series persons.json --periods 5 --contributions 2 --every 2 --window 3 --seed 1 --output five.json"),
    ("series", "continue --empty --label May monthly.json"),
    ("series", "continue --empty number.json"),
    ("release", f"mean {CITIES} --epsilon 1 --output mean.json"),
    ("release", "mean examples/lineations.csv --manifold projective:2 --layout trend-plunge --mu 1 --output axes.json"),
    ("release", f"randomize examples/home.csv {PLACES} --center 50,10 --radius 0.3 --epsilon 2 --output home.json"),
    ("release", f"randomize examples/home.csv {PLACES} --center 50,10 --radius 1.6 --epsilon 2 --output far.json"),
    ("groups", f"mean {GROUPS} --n-guess 20 --epsilon 4 --spread --output groups.json"),
    ("count", "count examples/cities.csv --columns latitude --epsilon 1 --output count.json"),
    ("count", "count examples/cities.csv --columns latitude --mu 0.5 --ledger mu.db --output counted.json"),
    ("release", f"mean {CITIES} --epsilon 1 --seed 1 --output seeded.json"),
    ("collect", "collect home.json --output collect.json"),
]


def schemas():
    """Every schema by its name."""
    files = [ROOT / "docs/release.schema.json", *sorted((ROOT / "docs/schemas").glob("*.schema.json"))]
    return {file.name.split(".")[0]: json.loads(file.read_text(encoding="utf-8")) for file in files}


def closed(schema):
    """The schema without a place for fields that it does not describe."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: closed(value) if key not in ("allOf", "if", "then", "else") else value
              for key, value in schema.items()}
    return {**inside, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else inside


def places(value, at=()):
    """The way to every part of a JSON value."""
    yield at
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*at, key))


def part(value, at):
    for key in at:
        value = value[key]
    return value


def damaged(said):
    """The same with one error: an unknown field in an object, or an object where a number, a text or a list is."""
    for at in places(said):
        is_list = not at and isinstance(said, list)
        if is_list or at and at[-1] in OF_USERS:
            continue
        wrong = copy.deepcopy(said)
        if isinstance(part(said, at), dict):
            part(wrong, at)["planted"] = 1
        else:
            part(wrong, at[:-1])[at[-1]] = {"planted": 1}
        yield at, wrong


def names(value):
    """The names of all fields in a JSON value."""
    return {at[-1] for at in places(value) if at and isinstance(at[-1], str)}


def described(schema):
    """The names of all fields that a schema describes itself."""
    found = set(schema.get("properties", {})) if isinstance(schema, dict) else set()
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return found.union(*map(described, parts))


class Checks:
    """All schemas, and what was seen of each."""

    def __init__(self, closed_release):
        self.schemas = schemas()
        for schema in self.schemas.values():
            Draft202012Validator.check_schema(schema)
        known = dict(self.schemas)
        if closed_release:
            # the schema of releases stands alone, and leaves specifications to their own
            known["release"] = closed(self.schemas["release"])
            known["release"]["properties"]["spec"] = {"$ref": "urn:karcher:spec"}
        registry = Registry().with_resources(
            [(schema["$id"], Resource.from_contents(schema)) for schema in known.values()]
        )
        self.validators = {name: Draft202012Validator(schema, registry=registry) for name, schema in known.items()}
        self.seen = {name: set() for name in self.schemas}

    def check(self, name, said, command):
        errors = [f"{error.json_path}: {error.message}" for error in self.validators[name].iter_errors(said)]
        assert not errors, f"karcher {command}\nprints\n{json.dumps(said)}\nwhich is no {name}:\n" + "\n".join(errors)
        for at, wrong in damaged(said):
            assert not self.validators[name].is_valid(wrong), f"karcher {command}: {at} may be anything"
        self.seen[name] |= names(said)


def main():
    karcher = pathlib.Path(sys.argv[1]).resolve()
    checks = Checks(closed_release=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(ROOT / "examples", folder / "examples")
        vessels = (folder / "examples" / "vessels.csv").read_text(encoding="utf-8").splitlines()
        kinds = ["kind", *("ab"[i % 2] for i in range(len(vessels) - 1))]
        people = "".join(f"{row},{kind}\n" for row, kind in zip(vessels, kinds))
        (folder / "people.csv").write_text(people, encoding="utf-8")
        (folder / "basis.csv").write_text("x,y,z\n0,0,1\n", encoding="utf-8")

        monthly = json.loads((folder / "examples" / "monthly.json").read_text(encoding="utf-8"))
        (folder / "persons.json").write_text(json.dumps({**monthly, "unit": "person"}), encoding="utf-8")
        (folder / "foreign.json").write_text(json.dumps([FOREIGN]), encoding="utf-8")

        def run(command):
            return subprocess.run([karcher, *command.split()], cwd=folder, capture_output=True, text=True, timeout=600)

        for command in BEFORE:
            run(command)
        shutil.copy(folder / "pure.db", folder / "copy.db")
        (folder / "cut.db").write_bytes((folder / "pure.db").read_bytes()[:5000])
        for name, command in FILES:
            done = run(command)
            assert done.returncode == 0, f"karcher {command}: {done.stderr}"
            checks.check(name, json.loads((folder / command.split()[-1]).read_text(encoding="utf-8")), command)
        edited = json.loads((folder / "mean.json").read_text(encoding="utf-8"))
        edited["scale"] *= 2
        (folder / "edited.json").write_text(json.dumps(edited), encoding="utf-8")
        for name, command in CASES:
            is_json = "--spec-only" in command or "ledger export" in command
            done = run(command if is_json else f"{command} --json")
            assert done.stdout, f"karcher {command}: {done.stderr}"
            checks.check(name, json.loads(done.stdout), command)

        tried = {command.split()[0] for _, command in CASES}
        listed = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        for command in re.findall(r"^  (\w[\w-]*) ", listed, re.M):
            has_json = "--json" in run(f"{command} --help").stdout
            assert command in tried or not has_json, f"karcher {command} is not tried"

    for name, schema in checks.schemas.items():
        # the release's own fields are tried by the Python package's tests, which make every kind
        if name not in ("release", "common"):
            missing = described(schema) - checks.seen[name] - NOT_SHOWN.get(name, set())
            assert not missing, f"docs/schemas/{name}.schema.json describes what no case shows: {sorted(missing)}"
    print(f"{len(CASES) + len(FILES)} outputs keep their schemas")


if __name__ == "__main__":
    main()
