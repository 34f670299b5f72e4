#!/usr/bin/env python3
"""Draws the plots of docs/ribbon.md from docs/data/*.csv, as SVG, with nothing but the standard library.

  ribbon-space.csv     from  ribbon_space          -> docs/ribbon-space.svg
  ribbon-speed.csv     from  ribbon_bench --csv    -> docs/ribbon-speed.svg

  plot_ribbon.py [DOCS]      another folder than docs/; a plot whose data is not there is left out

In the plot of space, dots are measured; between them what is interpolated is the distance from L, which is smooth, not the distance
from log2(1/p), which has a corner at every power of two. The alternatives are 0.4427 log2(1/p) for the textbook Bloom filter (k not
rounded), 5 % for a standard ribbon (without bumping), 7.5 and 12.5 % for binary fuse filters of four and three segments (asymptotically).
"""
import csv
import math
import pathlib
import sys

DOCS = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "docs"

# Of Okabe and Ito's palette, darkened where it would be too pale for text; ribbons of different size are shades of one blue.
RIBBONS = {10**4: "#56a0d8", 10**5: "#2f7fc1", 10**6: "#1b5f9e", 10**7: "#0f4275", 10**8: "#06264a"}
BLOOM, BLOCKED, PLAIN_RIBBON, FUSE, LEAST = "#222222", "#c1440e", "#00795a", "#a8548a", "#777777"


class Plot:
    """A plot with two logarithmic axes, whose curves bear their names at their right ends."""

    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 540, 80, 220, 64, 60
    LABEL_GAP = 17

    def __init__(self, title, subtitle, x_label, y_label, x_range, y_range):
        self.x_range, self.y_range = x_range, y_range
        middle = (self.TOP + self.HEIGHT - self.BOTTOM) / 2
        self.labels = []
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" font-family="sans-serif" font-size="14">',
            f'<rect width="{self.WIDTH}" height="{self.HEIGHT}" fill="white"/>',
            f'<clipPath id="inside"><rect x="{self.LEFT}" y="{self.TOP}" width="{self.right - self.LEFT}" height="{self.bottom - self.TOP}"/></clipPath>',
            f'<text x="{self.LEFT}" y="26" font-size="17">{title}</text>',
            f'<text x="{self.LEFT}" y="46" font-size="13" fill="#555">{subtitle}</text>',
            f'<text x="{(self.LEFT + self.right) / 2}" y="{self.HEIGHT - 15}" text-anchor="middle">{x_label}</text>',
            f'<text x="22" y="{middle}" transform="rotate(-90 22 {middle})" text-anchor="middle">{y_label}</text>',
        ]

    @property
    def right(self):
        return self.WIDTH - self.RIGHT

    @property
    def bottom(self):
        return self.HEIGHT - self.BOTTOM

    def x(self, value):
        low, high = self.x_range
        return self.LEFT + math.log(value / low) / math.log(high / low) * (self.right - self.LEFT)

    def y(self, value):
        low, high = self.y_range
        return self.bottom - math.log(value / low) / math.log(high / low) * (self.bottom - self.TOP)

    def ticks(self, xs, ys):
        for value, text in ys:
            y = self.y(value)
            self.parts.append(f'<line x1="{self.LEFT}" y1="{y:.1f}" x2="{self.right}" y2="{y:.1f}" stroke="#ddd"/>')
            self.parts.append(f'<text x="{self.LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{text}</text>')
        for value, text in xs:
            x = self.x(value)
            self.parts.append(f'<line x1="{x:.1f}" y1="{self.TOP}" x2="{x:.1f}" y2="{self.bottom}" stroke="#eee"/>')
            self.parts.append(f'<text x="{x:.1f}" y="{self.bottom + 20}" text-anchor="middle">{text}</text>')

    def path(self, points):
        # Logarithms end at the lower edge; the clip path cuts what lies below it.
        return " ".join(f"{self.x(px):.1f},{self.y(max(py, self.y_range[0] / 2)):.1f}" for px, py in points)

    def area(self, points, color):
        """What lies below a curve."""
        (first, _), (last, _) = points[0], points[-1]
        edge = self.y_range[0] / 2
        self.parts.append(f'<polygon points="{self.path([(first, edge), *points, (last, edge)])}" fill="{color}" clip-path="url(#inside)"/>')

    def curve(self, name, points, color, dash="", width=2.0, dots=()):
        """Points go from left to right, and the last one is where the name stands."""
        style = f'stroke="{color}" stroke-width="{width}" stroke-dasharray="{dash}"'
        self.parts.append(f'<polyline points="{self.path(points)}" fill="none" {style} clip-path="url(#inside)"/>')
        for px, py in dots:
            self.parts.append(f'<circle cx="{self.x(px):.1f}" cy="{self.y(py):.1f}" r="3.5" fill="{color}"/>')
        self.labels.append((self.y(points[-1][1]), name, color))

    def place_labels(self):
        """Names stand at their ends, or as near as they can without touching; then a thin line leads to them."""
        labels = sorted(self.labels, key=lambda label: label[0])
        places = [y for y, _, _ in labels]
        for _ in range(500):
            for i in range(1, len(places)):
                lacking = self.LABEL_GAP - (places[i] - places[i - 1])
                if lacking > 0:
                    places[i - 1] -= lacking / 2
                    places[i] += lacking / 2
        for place, (y, name, color) in zip(places, labels):
            place = min(place, self.bottom)
            self.parts.append(f'<path d="M{self.right + 2} {y:.1f} L{self.right + 16} {place:.1f}" stroke="{color}" fill="none"/>')
            self.parts.append(f'<text x="{self.right + 20}" y="{place + 5:.1f}" fill="{color}">{name}</text>')

    def save(self, path):
        self.place_labels()
        path.write_text("\n".join(self.parts + ["</svg>\n"]))
        print(f"wrote {path}")


def rows(name):
    path = DOCS / "data" / name
    if not path.exists():
        print(f"no {path}", file=sys.stderr)
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def power(value):
    """10^6 with a raised exponent."""
    return f'10<tspan dy="-5" font-size="10">{round(math.log10(value))}</tspan><tspan dy="5">&#8203;</tspan>'


def least_of_two_widths(fpp):
    """L: r bits in the share a of all places, r + 1 in the rest."""
    columns = math.floor(-math.log2(fpp))
    return columns + 1 - (2 ** (columns + 1) * fpp - 1)


def interpolated(points, x):
    """Between points (x, y) sorted by x, linear in log x."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * math.log(x / x0) / math.log(x1 / x0)
    return points[-1][1]


def plot_space():
    data = rows("ribbon-space.csv")
    if not data:
        return
    for row in data:
        row["fpp"] = 2.0 ** -float(row["log2"])
    fpps = [10 ** (-1 - step / 100) for step in range(501)]
    plot = Plot(
        "Bits per key above the information bound",
        "whole files; dots are measured, curves between them follow L; grey: out of reach, below L",
        "false-positive probability asked",
        "bits per key - log&#8322;(1/p)",
        (1e-1, 1e-6),
        (0.02, 20),
    )
    plot.area([(p, least_of_two_widths(p) + math.log2(p)) for p in fpps], "#ececec")
    plot.ticks([(10.0**-e, f'10<tspan dy="-5" font-size="10">-{e}</tspan>') for e in range(1, 7)], [(v, v) for v in (0.03, 0.1, 0.3, 1, 3, 10)])
    blocked = sorted({row["fpp"]: float(row["blocked_fast_bits"]) for row in sorted(data, key=lambda row: float(row["n"]))}.items(), reverse=True)
    plot.curve("blocked Bloom, fast", [(p, bits + math.log2(p)) for p, bits in blocked], BLOCKED, dash="8 3")
    for name, overhead, color, dash in (
        ("textbook Bloom", 0.4427, BLOOM, "8 3"),
        ("binary fuse, 3-wise", 0.125, FUSE, "8 3"),
        ("binary fuse, 4-wise", 0.075, FUSE, "3 3"),
        ("standard ribbon, 5 %", 0.05, PLAIN_RIBBON, "8 3"),
    ):
        plot.curve(name, [(p, -overhead * math.log2(p)) for p in fpps[::20]], color, dash)
    for keys in sorted({int(row["n"]) for row in data}):
        mine = sorted(((row["fpp"], float(row["bits"])) for row in data if int(row["n"]) == keys), reverse=True)
        surplus = [(p, bits - least_of_two_widths(p)) for p, bits in mine]
        points = [(p, least_of_two_widths(p) + interpolated([(1 / q, s) for q, s in surplus], 1 / p) + math.log2(p)) for p in fpps]
        dots = [(p, bits + math.log2(p)) for p, bits in mine]
        plot.curve(f"ribbon, {power(keys)} keys", points, RIBBONS.get(keys, "#1b5f9e"), width=1.5, dots=dots)
    plot.save(DOCS / "ribbon-space.svg")


def plot_speed():
    data = rows("ribbon-speed.csv")
    if not data:
        return
    keys = sorted({float(row["keys"]) for row in data})
    plot = Plot(
        "Build and query, one thread, fpp 2<tspan dy=\"-6\" font-size=\"12\">-14</tspan>",
        "solid: queries in batches of 1024, half present; dotted: one at a time; dashed: build",
        "keys in the filter",
        "cycles per key (time-stamp counter)",
        (keys[0], keys[-1] if len(keys) > 1 else keys[0] * 10),
        (2, 2000),
    )
    plot.ticks([(k, f'10<tspan dy="-5" font-size="10">{math.log10(k):.3g}</tspan>') for k in keys], [(v, v) for v in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)])
    for name, operation, one_at_a_time, contestant, color, dash in (
        ("ribbon, query", "query", False, "ribbon", RIBBONS[10**6], ""),
        ("ribbon, query singly", "query", True, "ribbon", RIBBONS[10**6], "2 3"),
        ("ribbon, build", "build", False, "ribbon", RIBBONS[10**6], "8 3"),
        ("textbook Bloom, query", "query", False, "textbook", BLOOM, ""),
        ("textbook Bloom, build", "build", False, "textbook", BLOOM, "8 3"),
        ("blocked Bloom, query", "query", False, "blocked:fast", BLOCKED, ""),
        ("blocked Bloom, build", "build", False, "blocked:fast", BLOCKED, "8 3"),
        ("random cache line", "query", False, "random line", LEAST, ""),
    ):
        mine = [row for row in data if row["operation"] == operation and row["contestant"] == contestant and (row["batch"] == "1") == one_at_a_time]
        points = sorted((float(row["keys"]), float(row["cycles"])) for row in mine)
        if points:
            plot.curve(name, points, color, dash, dots=points)
    plot.save(DOCS / "ribbon-speed.svg")


if __name__ == "__main__":
    plot_space()
    plot_speed()
