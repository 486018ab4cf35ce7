"""Draws the picture of the page about releases over time: a mean direction in twelve periods. Needs the command.

python docs/pictures/series.py target/release/karcher
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"
PERIODS = 12
PLACES = ["--columns", "latitude,longitude", "--layout", "latlon"]


def karcher(*options):
    subprocess.run([str(Path(sys.argv[1]).resolve()), *map(str, options)], check=True, capture_output=True)


def main():
    with open(EXAMPLES / "vessels.csv", encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    with tempfile.TemporaryDirectory() as folder:
        state, joined = Path(folder) / "state.json", Path(folder) / "joined.csv"
        karcher("series", EXAMPLES / "monthly.json", "--periods", PERIODS, "--seed", 1, "--output", state)
        for period in range(PERIODS):
            days = range(10 * period + 1, 10 * period + 11)
            own = [row for row in rows if int(row[0]) in days]
            with open(joined, "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([head, *own])
            karcher("continue", state, joined, *PLACES)
        karcher("plot", state, "--output", HERE / "series.svg", "--force")


if __name__ == "__main__":
    main()
