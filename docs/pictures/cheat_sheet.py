"""Draws the cheat sheet: one landscape page A4. Needs nothing but Python; a PDF needs rsvg-convert.

    python docs/pictures/cheat_sheet.py [--pdf]
"""

import re
import subprocess
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
WIDTH, HEIGHT, MARGIN, GAP = 1123, 794, 26, 16
COLUMN = (WIDTH - 2 * MARGIN - 2 * GAP) / 3
INK, SOFT, BLUE, RED, ORANGE, PANEL = "#1f2933", "#52606d", "#2b6cb0", "#c53030", "#c05621", "#f4f6f8"
SANS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO = "Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"

STEPS = [
    ("Plan: reads no data, costs nothing", "karcher plan --manifold sphere:2 --n 400\n  --radius 2500km --epsilon 1"),
    ("Keep an account", "karcher ledger new fleet.db --data fleet --epsilon 1"),
    (
        "Release: spends the budget",
        "karcher mean vessels.csv --columns latitude,longitude\n  --layout latlon --manifold sphere:2 --center 50,-40\n"
        "  --radius 2500km --epsilon 1 --ledger fleet.db\n  --output fleet.json",
    ),
    ("Check, and show", "karcher verify fleet.json --ledger fleet.db\nkarcher report fleet.json --output fleet.html"),
]
PYTHON = """sphere = karcher.Sphere(2)
center = sphere.read([50, -40], "latlon")
print(karcher.plan(sphere, 2500 / 6371, 400, epsilon=1))
mean = karcher.PrivateFrechetMean(
    sphere, radius=2500 / 6371, center=center,
    epsilon=1, ledger="fleet.db")
mean.fit(table, columns=["latitude", "longitude"],
    layout="latlon")           # groups=… for persons
mean.estimate_, mean.release_.to_json()"""
CHOICES = [
    ("space", "where records live; the table in the middle"),
    ("ball", "center and radius that hold most records;"),
    ("", "records outside move to its edge"),
    ("budget", "ε, (ε, δ), μ or ρ, for all releases together"),
    ("unit", "a record, or with --person a whole person"),
]
SPACES = [
    ("places, directions", "sphere:2", "Sphere(2)"),
    ("axes, poles of planes", "projective:2", "Projective(2)"),
    ("angles, times of day", "torus:D", "Torus(d)"),
    ("orientations", "rotations:3", "Rotations()"),
    ("poses", "poses:3,L", "Poses(length=L)"),
    ("covariances, tensors", "spd-log-euclidean:K", "SPD(k)"),
    ("correlations", "correlation-off-log:K", "Correlations(k)"),
    ("compositions", "simplex-aitchison:K", "Compositions(k)"),
    ("planar shapes", "kendall:K", "Kendall(k)"),
    ("landmarks in space", "landmarks:K,3", "Landmarks(k)"),
    ("trees, hierarchies", "hyperbolic:D", "Hyperbolic(d)"),
    ("numbers", "euclidean:D", "Euclidean(d)"),
    ("several for one person", "A*B, A^K", "a * b, a ** k"),
]
STATISTICS = [
    ("mean", "mean", "PrivateFrechetMean"),
    ("median", "mean --statistic median", "PrivateGeometricMedian"),
    ("components", "components", "PrivateTangentPCA"),
    ("regression", "regress", "PrivateGeodesicRegression"),
    ("on several", "regress --term", "PrivateFeatureRegression"),
    ("clusters", "kmeans", "PrivateKMeans"),
    ("classes", "", "PrivateNearestCentroid"),
    ("ball", "locate", "PrivateBall"),
    ("count", "count", "PrivateCount"),
    ("own loss", "", "PrivateDescent"),
]
OPTIONS = [
    ("--ball auto", "finds the ball with a part of the budget"),
    ("--person COLUMN", "protects persons with all their records"),
    ("--spread", "how far records are from the mean"),
    ("--by COLUMN --groups A,B", "a mean for each group"),
    ("--adjacency add-remove", "hides the number of records"),
    ("--error 20km", "in a plan: how many records it takes"),
    ("--json, --plot FILE.svg", "all fields; a picture"),
]
AFTER = [
    ("verify fleet.json", "checks it against its specification"),
    ("compare A.json B.json", "do the groups differ?"),
    ("pool A.json B.json", "combines sites"),
    ("synthesize fleet.json", "draws records; needs --spread"),
    ("compose --of mu=0.5*4", "adds budgets up"),
    ("convert --mu 1", "into other definitions"),
]
GUESSES = [("budget", "0.1", "1", "3"), ("pure ε", "52.5 %", "73.2 %", "95.3 %"), ("μ", "52.0 %", "69.2 %", "93.4 %")]
SUMS = [
    ("ε, and (ε, δ)", "add the ε, and the δ"),
    ("μ", "the root of the sum of squares"),
    ("ρ", "add"),
    ("different people", "do not add up"),
]
READ = [
    ("value", "publish it; noisy_value before denoising"),
    ("guarantee", "budget, unit, neighbours"),
    ("expected error", "of noise alone, on average"),
    ("region", "holds the mean of the clipped records,"),
    ("", "with 95 %; not a region of the population"),
    ("population", "with --spread: sampling counts too"),
    ("flags", "each limits the proof: read them"),
]
RULES = [
    (True, "Name persons if they have several records."),
    (True, "Choose everything public before you look."),
    (True, "Too much noise? A smaller ball, fewer questions,"),
    (None, "more people; a larger budget last."),
    (False, "No ball, unit or ε that was fitted to the records."),
    (False, "No --seed or random_state: it is not private."),
    (False, "No second run without counting it."),
    (False, "No accuracy or plot of the records themselves."),
]


class Page:
    """Elements of the page, and where the next one goes."""

    def __init__(self):
        self.parts, self.x, self.y = [], MARGIN, 0.0

    def text(self, x, y, words, size=11.0, color=INK, mono=False, bold=False):
        family = f' font-family="{MONO}"' if mono else ""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}"{family}{weight} '
            f'xml:space="preserve">{escape(words)}</text>'
        )

    def box(self, height, color=PANEL):
        self.parts.append(
            f'<rect x="{self.x:.1f}" y="{self.y:.1f}" width="{COLUMN:.1f}" height="{height:.1f}" rx="5" '
            f'fill="{color}"/>'
        )

    def heading(self, words):
        self.text(self.x, self.y + 13, words, 14.0, BLUE, bold=True)
        self.y += 21

    def code(self, text):
        lines = text.split("\n")
        self.box(13.2 * len(lines) + 9)
        for number, line in enumerate(lines):
            self.text(self.x + 7, self.y + 14.5 + 13.2 * number, line, 10.0, mono=True)
        self.y += 13.2 * len(lines) + 15

    def rows(self, rows, places, mono=(), size=10.6, step=16.6, bold=(0,), shrink=0.9):
        for row in rows:
            self.y += step
            for place, (number, cell) in zip(places, enumerate(row)):
                is_mono = number in mono
                color = INK if is_mono or number in bold else SOFT
                self.text(self.x + place, self.y - 4, cell, size - shrink * is_mono, color, is_mono, number in bold)
        self.y += 8


def choices(page):
    page.heading("Three public choices, and the unit")
    page.rows(CHOICES, (0, 56))
    page.y += 4


def diagram(page):
    """A ball: records outside move to its edge, and the private mean lies near the mean."""
    x, y, r = page.x + 88, page.y + 62, 52
    inside = [(-20, -18), (-4, 10), (12, -26), (26, 8), (-30, 14), (4, 30), (20, 26), (-12, -38), (-34, -10), (8, -6)]
    outside = [((66, -34), (46, -24)), ((-58, 44), (-41, 31))]
    parts = page.parts
    parts.append(f'<circle cx="{x}" cy="{y}" r="{r}" fill="{ORANGE}" fill-opacity="0.08" stroke="{ORANGE}"/>')
    for dx, dy in inside + [end for _, end in outside]:
        parts.append(f'<circle cx="{x + dx}" cy="{y + dy}" r="2.6" fill="{INK}"/>')
    for (x1, y1), (x2, y2) in outside:
        parts.append(
            f'<circle cx="{x + x1}" cy="{y + y1}" r="2.6" fill="white" stroke="{INK}"/>'
            f'<path d="M{x + x1} {y + y1}L{x + x2} {y + y2}" stroke="{SOFT}" stroke-dasharray="3 2"/>'
        )
    parts.append(f'<circle cx="{x + 6}" cy="{y + 2}" r="15" fill="{BLUE}" fill-opacity="0.16"/>')
    parts.append(f'<circle cx="{x + 6}" cy="{y + 2}" r="4.2" fill="{RED}"/>')
    for row, (kind, words) in enumerate(
        [
            ("ring", "public ball"),
            ("open", "record outside: clipped"),
            ("red", "private mean"),
            ("blue", "region: the mean of the clipped"),
            ("", "records, with 95 %"),
        ]
    ):
        at = page.y + 32 + 16 * row
        mark = {
            "ring": f'r="4.5" fill="{ORANGE}" fill-opacity="0.08" stroke="{ORANGE}"',
            "open": f'r="3" fill="white" stroke="{INK}"',
            "red": f'r="4.2" fill="{RED}"',
            "blue": f'r="5" fill="{BLUE}" fill-opacity="0.25"',
        }.get(kind)
        if mark:
            parts.append(f'<circle cx="{page.x + 178}" cy="{at - 3.6}" {mark}/>')
        page.text(page.x + 190, at, words, 10.6, SOFT)
    page.y += 132


def left(page):
    choices(page)
    diagram(page)
    page.heading("On the command line")
    for words, code in STEPS:
        page.text(page.x, page.y + 9, words, 10.6, SOFT)
        page.y += 15
        page.code(code)
    page.y += 3
    page.heading("In Python")
    page.code(PYTHON)


def middle(page):
    page.heading("Spaces: data, command, Python")
    page.rows(SPACES, (0, 128, 266), mono=(1, 2), bold=())
    page.text(page.x, page.y + 6, "Layouts say how a row is written: latlon, trend-plunge, quaternions,", 10.2, SOFT)
    page.text(page.x, page.y + 20, "upper-row, percent, … Opposite means the same? Take projective.", 10.2, SOFT)
    page.y += 38
    page.heading("Statistics: command, Python")
    page.rows(STATISTICS, (0, 72, 206), mono=(1, 2), bold=(), shrink=1.3)
    page.heading("Options worth knowing")
    page.rows(OPTIONS, (0, 148), mono=(0,), bold=())


def right(page):
    page.heading("What a budget allows")
    page.text(page.x, page.y + 9, "Guesses at even odds about one record that are right, at most:", 10.6, SOFT)
    page.y += 17
    page.rows(GUESSES, (0, 110, 190, 270))
    page.heading("Several releases about the same people")
    page.rows(SUMS, (0, 110))
    page.heading("Read a release")
    page.rows(READ, (0, 96))
    page.heading("After a release, at no cost: karcher …")
    page.rows(AFTER, (0, 148), mono=(0,), bold=())
    page.heading("Do, and do not")
    for good, words in RULES:
        page.y += 16.6
        mark = {True: ("✓", "#276749"), False: ("✗", RED), None: ("", INK)}[good]
        page.text(page.x, page.y - 4, mark[0], 11.0, mark[1], bold=True)
        page.text(page.x + 16, page.y - 4, words, 10.6, INK)
    page.y += 12


def version():
    """The version of the project."""
    manifest = (HERE.parents[1] / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^version = "(.*)"', manifest, re.M)[1]


def drawn():
    """The page."""
    page = Page()
    page.text(MARGIN, 40, "karcher", 26.0, BLUE, bold=True)
    page.text(MARGIN + 112, 40, "private statistics on curved spaces, on one page", 13.0, SOFT)
    page.text(WIDTH - MARGIN - 2 * 5.9 * 12, 40, f"karcher --help · version {version()}", 10.6, SOFT)
    for number, column in enumerate((left, middle, right)):
        page.x, page.y = MARGIN + number * (COLUMN + GAP), 62.0
        column(page)
        assert page.y <= HEIGHT - MARGIN / 2, f"column {number + 1} ends at {page.y:.0f}"
    body = "\n".join(page.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="{SANS}" role="img">\n<title>karcher on one page</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    picture = HERE / "cheat-sheet.svg"
    picture.write_text(drawn(), encoding="utf-8")
    if "--pdf" in sys.argv:
        subprocess.run(["rsvg-convert", "--format", "pdf", "-o", picture.with_suffix(".pdf"), picture], check=True)
