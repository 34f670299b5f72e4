#!/usr/bin/env python3
"""Draws docs/store-ycsb.svg from docs/data/store-ycsb.tsv, which bench/store_ycsb.sh writes: operations per CPU second of each mix,
and the 99th percentile of an operation, as bars beside one another."""
import math

from plot_ribbon import DOCS

SYSTEMS = (("bloomery", "this store", "#1b5f9e"), ("rocksdb", "RocksDB 7.8", "#c1440e"), ("leveldb", "LevelDB 1.23", "#00795a"), ("hregion", "HRegion", "#a8548a"))
MIXES = (("load", "load"), ("A", "A: half updates"), ("B", "B: 5 % updates"), ("C", "C: reads"), ("D", "D: latest"), ("E", "E: scans"), ("F", "F: read, write"))
WIDTH, LEFT, HALF, TOP, BAR = 860, 80, 250, 70, 22


def read():
    values = {}
    for line in (DOCS / "data" / "store-ycsb.tsv").read_text().splitlines():
        fields = line.split("\t")
        if not line.startswith("#") and len(fields) == 4 and fields[0] != "system":
            values[tuple(fields[:3])] = float(fields[3])
    return values


def ticks(most, is_logarithmic):
    if is_logarithmic:
        return [10.0**e for e in range(6) if 10.0**e <= most]
    step = next(s for e in range(-2, 7) for s in (10.0**e, 2 * 10.0**e, 5 * 10.0**e) if most / s <= 6)
    return [i * step for i in range(int(most / step) + 1)]


def panel(values, figure, title, top, is_logarithmic):
    """Bars of all systems for each mix; a logarithmic scale begins at 1."""
    shown = {(s, m): values[s, m, figure] / 1e3 for s, _, _ in SYSTEMS for m, _ in MIXES if (s, m, figure) in values}
    most = max(shown.values())

    def height(value):
        return HALF * (math.log(max(value, 1)) / math.log(most) if is_logarithmic else value / most)

    yield f'<text x="{LEFT}" y="{top - 12}" font-size="15">{title}</text>'
    for value in ticks(most, is_logarithmic):
        y = top + HALF - height(value)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{value:g}</text>'
    for at, (mix, label) in enumerate(MIXES):
        left = LEFT + 8 + at * (WIDTH - 20 - LEFT) / len(MIXES)
        for place, (system, _, color) in enumerate(SYSTEMS):
            if (system, mix) in shown:
                bar = height(shown[system, mix])
                yield f'<rect x="{left + place * BAR:.1f}" y="{top + HALF - bar:.1f}" width="{BAR - 2}" height="{bar:.1f}" fill="{color}"/>'
        yield f'<text x="{left + 2 * BAR:.1f}" y="{top + HALF + 18}" text-anchor="middle" font-size="12">{label}</text>'


def main():
    values = read()
    parts = []
    for place, (_, label, color) in enumerate(SYSTEMS):
        x = LEFT + place * 170
        parts.append(f'<rect x="{x}" y="14" width="14" height="14" fill="{color}"/><text x="{x + 20}" y="26">{label}</text>')
    parts += panel(values, "operations/CPU s", "thousand operations per CPU second: more is better", TOP, False)
    second = TOP + HALF + 70
    parts += panel(values, "p99", "99th percentile of an operation, in microseconds: less is better", second, True)
    height = second + HALF + 30
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14">'
    (DOCS / "store-ycsb.svg").write_text("\n".join([head, f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
