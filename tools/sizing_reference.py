#!/usr/bin/env python3
"""Prints the reference values of tests/filter/bloom/sizing_test.cc, computed with 60 digits.

m = ceil(n ln(1/p) / (ln 2)^2) for the double nearest to p, as C++ sees it.
"""
from decimal import ROUND_CEILING, Decimal, getcontext

getcontext().prec = 60
LN2 = Decimal(2).ln()

for n in (1, 2, 3, 10, 1000, 80_000, 999_983, 10**7, 10**8 + 7, 10**9, 10**10, 123_456_789_012, 10**12):
    for p in (0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6):
        ideal_k = (1 / Decimal(p)).ln() / LN2
        bits = (n * ideal_k / LN2).to_integral_value(rounding=ROUND_CEILING)
        print(f"    {{{n}u, {p!r}, {bits}u}},")
