# SPDX-License-Identifier: MIT
"""What stands at the begin of payloads: runs, receipts, names (rec(5))."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ._stream import (ADDS, BEGIN, CHUNK, END, NAMED, SEQ, Cursor, Frame,
                      text)

UNION, LEAST, SUM, MAXIMUM, CLASS, BEST = range(6)
RULES = 6
NOT_KNOWN = (1 << 64) - 1


class RunKey(NamedTuple):
    base: bytes
    label: bytes
    first: bytes
    hash: int


class Range(NamedTuple):
    """Serials [beg, end), and what of them was searched."""

    beg: int
    end: int
    letters: int
    digest: int


class Receipt(NamedTuple):
    scan: int
    base: bytes
    rule: int
    last: bool
    number: int
    ranges: tuple[Range, ...]
    needs: tuple[int, ...]


class Name(NamedTuple):
    """Of a query or a subject; the length is None if it is not known."""

    ordinal: int
    length: Optional[int]
    name: str


class Begin(NamedTuple):
    run: RunKey
    scan: int
    rule: int
    text: bytes

    def value(self, key: bytes) -> Optional[bytes]:
        for line in self.text.split(b"\n"):
            if line.startswith(key + b" "):
                return line[len(key) + 1:]
        return None


class End(NamedTuple):
    chunks: int
    sequences: int
    letters: int
    digest: int
    adds: bool

    def fits(self, digest: int) -> bool:
        """Can that be the sum, modulo 2^64, of all its chunks' digests?"""
        d = digest - self.digest & NOT_KNOWN
        if not self.adds:
            return d == 0
        # END's, and a multiple of 2^61 - 1, whose inverse is -(2^61 + 1)
        times = -(d + (d << 61)) & NOT_KNOWN
        return times == 0 or times < self.chunks


def run_key(c: Cursor) -> RunKey:
    return RunKey(c.bytes(), c.bytes(), c.bytes(), c.u64())


def _ranges(c: Cursor) -> tuple[Range, ...]:
    ranges = []
    upto = 0
    for _ in range(c.count(11)):
        beg = c.var()
        end = beg + c.var()
        if beg < upto or end <= beg:
            raise c.frame.bad("the ranges of its receipt are out of order")
        ranges.append(Range(beg, end, c.var(), c.u64()))
        upto = end
    return tuple(ranges)


def receipt(c: Cursor) -> Receipt:
    scan, base = c.u64(), c.bytes()
    rule, flags, number = c.var(), c.var(), c.var()
    if rule >= RULES or flags > 1:
        raise c.frame.bad("its receipt is malformed")
    ranges = _ranges(c)
    needs = tuple(c.u64() for _ in range(c.count(8)))
    return Receipt(scan, base, rule, bool(flags), number, ranges, needs)


def queries(c: Cursor) -> list[Name]:
    return [query(c) for _ in range(c.count(3))]


def query(c: Cursor) -> Name:
    return Name(c.var(), c.var(), text(c.bytes()))


def subjects(c: Cursor) -> list[Name]:
    names = []
    for _ in range(c.count(3)):
        ordinal, length = c.var(), c.var()
        names.append(Name(ordinal, length - 1 if length else None,
                          text(c.bytes())))
    return names


def begin(frame: Frame) -> Begin:
    assert frame.type == BEGIN
    c = Cursor(frame)
    scan, _, rule, run = c.u64(), c.bytes(), c.var(), run_key(c)
    return Begin(run, scan, rule, c.take(c.left()))


def end(frame: Frame) -> tuple[RunKey, End]:
    assert frame.type == END
    c = Cursor(frame)
    both = run_key(c), End(c.var(), c.var(), c.var(), c.u64(),
                            bool(frame.flags & ADDS))
    c.end()
    return both


def has_names(frame: Frame) -> bool:
    """Do digests cover names?"""
    assert frame.type in (CHUNK, END)
    return bool(frame.flags & NAMED)


def digests_add(frame: Frame) -> bool:
    """Are digests those that do not depend on where letters are cut?"""
    assert frame.type in (CHUNK, END)
    return bool(frame.flags & ADDS)


def seq(frame: Frame) -> Name:
    assert frame.type == SEQ
    c = Cursor(frame)
    name = Name(c.var(), c.var(), text(c.bytes()))
    c.end()
    return name
