# SPDX-License-Identifier: MIT
"""All pairs of primer-find's rows (tsv, stdin), by brute force.

usage: pairs.py 'MIN MAX DIFF_TM ANY END N' ...
Rows out: number of the argument, target, begin, end, both sequences, any, end,
penalty.
"""
import functools
import math
import sys

# SantaLucia 1998: enthalpy in kcal/mol, entropy in cal/(mol K)
STACK = {
    "AA": (-7.9, -22.2), "AT": (-7.2, -20.4), "TA": (-7.2, -21.3),
    "CA": (-8.5, -22.7), "GT": (-8.4, -22.4), "CT": (-7.8, -21.0),
    "GA": (-8.2, -22.2), "CG": (-10.6, -27.2), "GC": (-9.8, -24.4),
    "GG": (-8.0, -19.9),
}


def revcomp(s):
    return s[::-1].translate(str.maketrans("ACGT", "TGCA"))


@functools.lru_cache(None)
def melt(s):
    h, t = 0.0, 0.0
    for i in range(len(s) - 1):
        pair = s[i:i + 2]
        a = STACK.get(pair) or STACK[revcomp(pair)]
        h, t = h + a[0], t + a[1]
    for c in (s[0], s[-1]):
        a = (2.3, 4.1) if c in "AT" else (0.1, -2.8)
        h, t = h + a[0], t + a[1]
    own = s == revcomp(s)
    if own:
        t -= 1.4
    salt = (50 + 120 * math.sqrt(1.5 - 0.6)) / 1000
    t += 0.368 * (len(s) - 1) * math.log(salt)
    return 1000 * h / (t + 1.987 * math.log(50e-9 / (1 if own else 4))) \
        - 273.15


@functools.lru_cache(None)
def score(a, b, end):
    """Longest chains of pairs, each from all that may precede it."""
    b = revcomp(b)
    far = -1000 if end else 0
    two = one = [far] * (len(b) + 2)
    most = 0
    for i, x in enumerate(a):
        row = [far, far]
        for j, y in enumerate(b):
            before = far if i and j else 0
            before = max(before, one[j + 1], two[j + 1] - 2, one[j] - 2)
            row.append(before + (1 if x == y else -1))
        two, one = one, row
        if not end or i == len(a) - 1:
            most = max(most, *row[2:])
    return most


sides = {}
for line in sys.stdin:
    target, beg, end, _, _, seq, strand = line.rstrip("\n").split("\t")[:7]
    sides.setdefault(target, {"+": [], "-": []})[strand].append(
        (int(beg), int(end), seq, melt(seq)))


def pairs(side, lo, hi, max_diff, max_any, max_end):
    for f in side["+"]:
        for r in side["-"]:
            if not (f[0] <= r[0] and f[1] <= r[1] and
                    lo <= r[1] - f[0] <= hi):
                continue
            if abs(f[3] - r[3]) > max_diff:
                continue
            any_ = score(f[2], r[2], False)
            end_ = max(score(f[2], r[2], True), score(r[2], f[2], True))
            if any_ > max_any or end_ > max_end:
                continue
            p = sum(abs(x[3] - 60) + abs(len(x[2]) - 20) for x in (f, r))
            yield round(p, 7), f[0], r[1], f[2], r[2], any_, end_


for number, bounds in enumerate(sys.argv[1:]):
    *bounds, best = (float(x) for x in bounds.split())
    for target, side in sides.items():
        for p, *row in sorted(pairs(side, *bounds))[:int(best)]:
            print(number, target, *row, "%.2f" % (p + 1e-9), sep="\t")
