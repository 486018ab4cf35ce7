"""Makes land.txt, the coastlines of the pictures. Needs nothing but the file of land of the npm package world-atlas.

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    python crates/karcher-report/coastlines/make.py package/land-110m.json
"""

import json
import math
import sys
from pathlib import Path

# In tenths of a degree: no coast moves farther than this, and islands that are smaller go.
FARTHEST = 2.0
SMALLEST = 12.0
HEAD = "# Coastlines: one a line, as latitude,longitude in tenths of a degree. README.md has the source.\n"


def rings(topology):
    """The edges of land, as places of longitude and latitude in degrees (TopoJSON: steps from place to place)."""
    (a, b), (c, d) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for arc in topology["arcs"]:
        x, y, places = 0, 0, []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            places.append((x * a + c, y * b + d))
        arcs.append(places)
    for shape in topology["objects"]["land"]["geometries"]:
        for polygon in shape["arcs"]:
            for ring in polygon:
                parts = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring]
                yield parts[0] + [place for part in parts[1:] for place in part[1:]]


def coasts(ring):
    """The ring without its edges along the antimeridian, which are no coasts."""
    is_coast = [abs(a[0]) < 179.9 or abs(b[0]) < 179.9 for a, b in zip(ring, ring[1:])]
    if all(is_coast):
        return [ring]
    first = is_coast.index(False)  # begins there, so that no coast is cut where the ring begins
    lines = [[]]
    for i in [*range(first, len(is_coast)), *range(first)]:
        if is_coast[i]:
            lines[-1] += [ring[i + 1]] if lines[-1] else [ring[i], ring[i + 1]]
        else:
            lines.append([])
    return filter(None, lines)


def unwrapped(line):
    """The line in tenths of a degree, with longitudes that go on beyond the antimeridian."""
    places, turns = [], 0
    for x, y in line:
        if places and abs(10 * x + turns - places[-1][0]) > 1800:
            turns += 3600 if 10 * x + turns < places[-1][0] else -3600
        places.append((round(10 * x) + turns, round(10 * y)))
    return places


def away(place, a, b):
    """The distance of a place from the line between two others."""
    (x, y), (u, v) = (place[0] - a[0], place[1] - a[1]), (b[0] - a[0], b[1] - a[1])
    square = u * u + v * v
    share = min(max((x * u + y * v) / square, 0.0), 1.0) if square else 0.0
    return math.hypot(x - share * u, y - share * v)


def simple(line):
    """The places that the line needs (Ramer 1972; Douglas and Peucker 1973)."""
    if len(line) < 3:
        return line
    # degrees of longitude are shorter away from the equator
    shrink = math.cos(math.radians(sum(y for _, y in line) / len(line) / 10))
    flat = [(x * shrink, y) for x, y in line]
    off, i = max((away(flat[i], flat[0], flat[-1]), i) for i in range(1, len(line) - 1))
    return simple(line[: i + 1]) + simple(line[i:])[1:] if off > FARTHEST else [line[0], line[-1]]


def is_seen(line):
    """Whether a coast is large enough, and not an island without an inside."""
    size = max(max(x) - min(x) for x in zip(*line))
    return size >= SMALLEST and (line[0] != line[-1] or len(line) > 3)


def main():
    lines = []
    for ring in rings(json.loads(Path(sys.argv[1]).read_text())):
        for coast in coasts(ring):
            line = simple(unwrapped(coast))
            if is_seen(line):
                lines.append(" ".join(f"{y},{(x + 1800) % 3600 - 1800}" for x, y in line) + "\n")
    Path(__file__).with_name("land.txt").write_text(HEAD + "".join(sorted(lines, key=len, reverse=True)))


main()
