#!/usr/bin/env python3
"""Draws the plots of docs/blocked-bloom.md from docs/data/*.csv, as SVG, with nothing but the standard library.

  blocked-bloom-fpp.csv     from  blocked_bloom_bench fpp      -> docs/blocked-bloom-fpp.svg
  blocked-bloom-speed.csv   from  blocked_bloom_bench speed    -> docs/blocked-bloom-speed.svg
"""
import csv
import math
import pathlib

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
COLORS = {"fast": "#1b6ca8", "dense": "#c1440e", "textbook": "#4a7c2c", "random line": "#777777", "scalar split block": "#8e44ad"}


class Plot:
    """A plot with a logarithmic y axis; x is linear or logarithmic."""

    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 80, 170, 50, 60

    def __init__(self, title, x_label, y_label, x_range, y_range, log_x=False):
        self.x_range, self.y_range, self.log_x = x_range, y_range, log_x
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" font-family="sans-serif" font-size="13">',
            f'<rect width="{self.WIDTH}" height="{self.HEIGHT}" fill="white"/>',
            f'<text x="{self.LEFT}" y="28" font-size="16">{title}</text>',
            f'<text x="{(self.LEFT + self.WIDTH - self.RIGHT) / 2}" y="{self.HEIGHT - 15}" text-anchor="middle">{x_label}</text>',
            f'<text x="20" y="{self.HEIGHT / 2}" transform="rotate(-90 20 {self.HEIGHT / 2})" text-anchor="middle">{y_label}</text>',
        ]
        self.labels = 0

    def x(self, value):
        low, high = self.x_range
        share = math.log(value / low) / math.log(high / low) if self.log_x else (value - low) / (high - low)
        return self.LEFT + share * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        low, high = self.y_range
        share = math.log(value / low) / math.log(high / low)
        return self.HEIGHT - self.BOTTOM - share * (self.HEIGHT - self.TOP - self.BOTTOM)

    def ticks(self, xs, ys):
        bottom, right = self.HEIGHT - self.BOTTOM, self.WIDTH - self.RIGHT
        for value, text in ys:
            y = self.y(value)
            self.parts.append(f'<line x1="{self.LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
            self.parts.append(f'<text x="{self.LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        for value, text in xs:
            x = self.x(value)
            self.parts.append(f'<line x1="{x:.1f}" y1="{self.TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#eee"/>')
            self.parts.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{text}</text>')

    def series(self, name, points, color, line=True, dots=True, dash=""):
        points = sorted(points)
        if line:
            path = " ".join(f"{self.x(px):.1f},{self.y(py):.1f}" for px, py in points)
            self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>')
        if dots:
            for px, py in points:
                self.parts.append(f'<circle cx="{self.x(px):.1f}" cy="{self.y(py):.1f}" r="3.5" fill="{color}"/>')
        y = self.TOP + 20 * self.labels
        x = self.WIDTH - self.RIGHT + 12
        self.parts.append(f'<rect x="{x}" y="{y - 4}" width="14" height="4" fill="{color}"/>')
        self.parts.append(f'<text x="{x + 20}" y="{y + 3}" font-size="12">{name}</text>')
        self.labels += 1

    def save(self, path):
        path.write_text("\n".join(self.parts + ["</svg>\n"]))


def rows(name):
    with open(DOCS / "data" / name, newline="") as file:
        return list(csv.DictReader(file))


def textbook(bits_per_key):
    return min((1 - math.exp(-k / bits_per_key)) ** k for k in range(1, 30))


def plot_fpp():
    data = rows("blocked-bloom-fpp.csv")
    plot = Plot("False-positive probability: lines predicted, dots measured", "bits per key", "fpp", (8, 24), (5e-6, 5e-2))
    plot.ticks([(b, b) for b in range(8, 25, 2)], [(10.0**-e, f"1e-{e}") for e in range(2, 6)])
    for setting in ("fast", "dense"):
        mine = [row for row in data if row["setting"] == setting]
        plot.series(f"blocked:{setting}", [(float(r["bits_per_key"]), float(r["predicted"])) for r in mine], COLORS[setting], dots=False)
        for row in mine:
            x, y = plot.x(float(row["bits_per_key"])), plot.y(float(row["measured"]))
            plot.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLORS[setting]}"/>')
    plot.series("bloom (textbook)", [(b, textbook(b)) for b in range(8, 25)], COLORS["textbook"], dots=False, dash="5 4")
    plot.save(DOCS / "blocked-bloom-fpp.svg")


def plot_speed():
    data = [r for r in rows("blocked-bloom-speed.csv") if r["operation"] == "half" and r["batch"] == "1024"]
    keys = sorted({float(r["keys"]) for r in data})
    plot = Plot("Batched queries (1024 keys, half present), 16 bits per key", "keys in the filter", "ns per key", (keys[0], keys[-1]), (1, 200), log_x=True)
    plot.ticks([(k, f"1e{round(math.log10(k))}") for k in keys], [(v, v) for v in (1, 2, 5, 10, 20, 50, 100, 200)])
    for name, color in (("blocked:fast", "fast"), ("blocked:dense", "dense"), ("textbook", "textbook"), ("random line", "random line")):
        plot.series(name.replace("random line", "random cache line"), [(float(r["keys"]), float(r["ns"])) for r in data if r["contestant"] == name], COLORS[color])
    plot.save(DOCS / "blocked-bloom-speed.svg")


plot_fpp()
plot_speed()
