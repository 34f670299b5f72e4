#!/usr/bin/env python3
"""Draws docs/which-filter-speed.svg from docs/data/static-filters.csv: bits a key against ns a query, at 2^-8.

  plot_which_filter.py [DOCS]      another folder than docs/

A panel for each size of SIZES. A filled dot is a query of one integer, a ring a query in batches of 1,024. A filter
that the data do not have is left out. bench/which_filter.sh measures. Needs Python's standard library only.
"""
import csv
import math
import pathlib
import sys

DOCS = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "docs"
SIZES = ((10_000, "10,000 keys: in the cache"), (10_000_000, "10,000,000 keys: in memory"))
OURS, THEIRS = "#1b5f9e", "#c1440e"
OTHERS = {"xor_singleheader", "Boost.Bloom", "Guava", "RocksDB's Bloom", "RocksDB's ribbon"}
WIDTH, PANEL, HEIGHT, TOP, BOTTOM, LEFT = 1040, 420, 480, 70, 410, 70
BITS, NS = (7, 60), (1, 400)


def scaled(value, limits, begin, end):
    low, high = limits
    return begin + math.log(value / low) / math.log(high / low) * (end - begin)


def text(x, y, words, size=13, anchor="start", fill="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{words}</text>'


def points_of(data, keys):
    """Of each contestant its bits, and its ns for one integer and in a batch."""
    points = {}
    for row in data:
        if int(row["keys"]) == keys and row["bits"] == "8" and row["operation"] in ("single integer", "batch of integers"):
            point = points.setdefault(row["contestant"], {"bits": float(row["bits per key"])})
            point[row["operation"].split()[0]] = float(row["ns"])
    return points


def label_place(x, y, name, boxes):
    """Returns the height of the nearest free place for a label beside a dot, and adds it to (x, y, width) `boxes`."""
    begin, width = x + 10, 6.8 * len(name)
    for step in range(60):
        place = y + 6 * (step // 2 + 1) * (-1 if step % 2 else 1) if step else y
        free = all(abs(place - other) >= 12 or begin > at + wide or at > begin + width + 4 for at, other, wide in boxes)
        if free and TOP + 4 < place < BOTTOM - 4:
            break
    boxes.append((begin, place, width))
    return place


def panel(left, title, points):
    right = left + PANEL
    parts = [text(left, TOP - 12, title, 15)]
    for ns in (1, 2, 5, 10, 20, 50, 100, 200, 400):
        y = scaled(ns, NS, BOTTOM, TOP)
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(left - 6, y + 4, ns, anchor="end"))
    for bits in (8, 10, 12, 16, 20, 30, 40, 60):
        x = scaled(bits, BITS, left, right)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{BOTTOM}" stroke="#eee"/>')
        parts.append(text(x, BOTTOM + 18, bits, anchor="middle"))
    # No label covers a dot or another label.
    boxes = [(scaled(point["bits"], BITS, left, right), scaled(point[way], NS, BOTTOM, TOP), 5)
             for point in points.values() for way in ("single", "batch") if way in point]
    for name, point in sorted(points.items(), key=lambda item: item[1]["single"]):
        colour = THEIRS if name in OTHERS else OURS
        x, y = scaled(point["bits"], BITS, left, right), scaled(point["single"], NS, BOTTOM, TOP)
        if "batch" in point:
            ring = scaled(point["batch"], NS, BOTTOM, TOP)
            parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{ring:.1f}" stroke="{colour}" stroke-dasharray="2 3"/>')
            parts.append(f'<circle cx="{x:.1f}" cy="{ring:.1f}" r="4" fill="white" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')
        place = label_place(x, y, name, boxes)
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x + 8:.1f}" y2="{place:.1f}" stroke="{colour}" stroke-width="0.7"/>')
        parts.append(text(x + 10, place + 4, name, 12, fill=colour))
    return parts


def main():
    with open(DOCS / "data" / "static-filters.csv", newline="") as file:
        data = list(csv.DictReader(file))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(LEFT, 24, "Queries at an fpp of 2^-8: ns a key (one thread, half of the keys present)", 16)]
    for i, (keys, title) in enumerate(SIZES):
        parts += panel(LEFT + i * (PANEL + 90), title, points_of(data, keys))
    parts += [text(WIDTH / 2, HEIGHT - 32, "bits per key", anchor="middle"),
              text(LEFT, HEIGHT - 10, "filled: one integer at a time; ring: batches of 1,024", 12),
              text(WIDTH - 30, HEIGHT - 10, "blue: types of Bloomery; orange: other filters, of Guava and RocksDB read by Bloomery", 12, "end")]
    path = DOCS / "which-filter-speed.svg"
    path.write_text("\n".join(parts + ["</svg>\n"]))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
