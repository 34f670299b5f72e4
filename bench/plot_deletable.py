#!/usr/bin/env python3
"""Draws the plots of docs/deletable.md from docs/data/deletable.csv, which deletable_bench writes.

  deletable-growth.svg    what an insert costs while filters double ten times
  scalable-bits.svg       the bits per key of a scalable filter that grows from 1,000 keys; those of the version before it
                          are in scalable-before.csv, which was measured once
"""
from plot_ribbon import DOCS, Plot, power, rows

# (filter in the data, name in the plot, colour)
FILTERS = (
    ("quotient with 10 doublings reserved", "quotient", "#1b5f9e"),
    ("scalable", "scalable", "#c1440e"),
    ("blocked for all", "blocked Bloom for all", "#00795a"),
    ("counting for all", "counting for all", "#a8548a"),
)


def measured(data, name, what):
    """Points (keys, ns), but for the first keys, which pay for fresh memory."""
    return sorted((float(row["keys"]), float(row["value"])) for row in data if row["filter"] == name and row["what"] == what and float(row["at"]) > 0)


def plot_growth():
    data = [row for row in rows("deletable.csv") if row["part"] == "growth"]
    if not data:
        return
    keys = sorted({float(row["keys"]) for row in data if float(row["at"]) > 0})
    plot = Plot(
        "An insert while the keys double ten times, from 16,384",
        "solid: mean over a doubling; dashed: the longest single one; one at a time, one thread",
        "keys in the filter at the end of the doubling",
        "nanoseconds",
        (keys[0], keys[-1]),
        (20, 3e7),
    )
    plot.ticks([(k, f"{k:,.0f}") for k in keys if round(k).bit_length() % 3 == 1], [(10.0**e, power(10.0**e)) for e in range(2, 8)])
    for name, label, color in FILTERS:
        for what, suffix, dash in (("insert ns", "", ""), ("longest insert ns", ", longest", "8 3")):
            points = measured(data, name, what)
            if points:
                plot.curve(label + suffix, points, color, dash, dots=points)
    plot.save(DOCS / "deletable-growth.svg")


def plot_far():
    data = [row for row in rows("deletable.csv") if row["part"] == "far"]
    if not data:
        return
    before = [row for row in rows("scalable-before.csv")]
    plot = Plot(
        "Bits per key while a scalable filter grows from 1,000 keys, at 1 %",
        "16 samples per doubling",
        "keys in the filter",
        "bits per key",
        (1e4, 1e8),
        (8, 64),
    )
    plot.ticks([(10.0**e, power(10.0**e)) for e in range(4, 9)], [(bits, str(bits)) for bits in (8, 10, 12, 16, 20, 24, 32, 48, 64)])
    for points, name, label, color in (
        (before, "scalable", "scalable before: layers made at once", "#a8548a"),
        (data, "scalable", "scalable", "#c1440e"),
        (data, "planned", "blocked, planned for all", "#00795a"),
    ):
        curve = sorted((float(row["keys"]), float(row["value"])) for row in points if row["filter"] == name and row["what"] == "bits" and float(row["keys"]) >= 1e4)
        if curve:
            plot.curve(label, curve, color, "")
    plot.save(DOCS / "scalable-bits.svg")


plot_growth()
plot_far()
