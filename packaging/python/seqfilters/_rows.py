# SPDX-License-Identifier: MIT
"""Rows of result frames as named tuples."""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import Iterator, NamedTuple, Optional

from . import _head
from ._head import Name
from ._ledger import Ledger, head
from ._stream import Cursor, Frame, StreamError, text


class Hit(NamedTuple):
    """A row of asm-scan or sw-scan; the columns of tsv, and what --columns
    adds.  Positions count from 0, the end is not included."""

    query: str
    qlen: int
    qbeg: int
    qend: int
    strand: str
    subject: str
    slen: int
    sbeg: Optional[int]
    send: int
    edits: Optional[int]
    score: int
    cigar: Optional[str]
    sseq: Optional[str]
    offtarget_score: Optional[float]


class Count(NamedTuple):
    """So many places of a query have so many edits (--histogram)."""

    query: str
    strand: str
    edits: int
    count: int  # type: ignore[assignment] # of a tuple, a method


class Distance(NamedTuple):
    """A row of ebwt-dist; what stands behind value is of matrices."""

    a: str
    b: str
    alen: Optional[int]
    blen: Optional[int]
    metric: str
    value: float
    weighted_mean: Optional[float]
    min: Optional[float]
    max: Optional[float]
    pairs: Optional[int]


class Ends(NamedTuple):
    """A stretch of a target of primer-find: target[beg + j : end[j]] still
    occurs in the background with fewer than k differences, no longer piece
    does; end3 is the same for --three-prime."""

    target: str
    length: int
    strand: str
    beg: int
    letters: str
    end: list[int]
    end3: Optional[list[int]]
    options: str


class Piece(NamedTuple):
    """Letters of a sequence: [beg, beg + len(letters)) of it, of which it
    owns [own_beg, own_end); first and last are of the sequence or region.
    The length is known in the last piece.  Of matrices letters is empty, and
    matrix has four numbers a position: A, C, G, T."""

    name: str
    description: str
    ordinal: int
    beg: int
    own_beg: int
    own_end: int
    first: bool
    last: bool
    circular: bool
    length: Optional[int]
    letters: str
    matrix: Optional[array[float]]


class Key(NamedTuple):
    """What rows merge by: not for users."""

    run: int
    scan: int
    rule: int
    query: int
    subject: int


MINUS, EDITS, HAS_CIGAR, LETTERS, NO_SBEG, OFFTARGET, TURN = (
    1, 2, 4, 8, 16, 32, 64)
_OPS = "MIDNSHP=X"


@lru_cache(1 << 16)
def _cigar(ops: tuple[int, ...]) -> str:
    """Empty if it is malformed."""
    if not all(op > 15 and op & 15 < len(_OPS) for op in ops):
        return ""
    return "".join(f"{op >> 4}{_OPS[op & 15]}" for op in ops)


def _length(ledger: Ledger, frame: Frame, name: Name) -> int:
    length = name.length
    if length is None:
        length = ledger.lengths.get((frame.run, name.ordinal))
    if length is None:
        raise StreamError(f"{name.name}: its length was never given")
    return length


def _pick(c: Cursor, names: list[Name]) -> Name:
    i = c.var()
    if i >= len(names):
        raise c.frame.bad("a row of no name")
    return names[i]


def _vars(data: bytes, at: int, n: int) -> tuple[list[int], int]:
    """n numbers, and where what follows them begins; IndexError."""
    values = []
    for _ in range(n):
        value = data[at]
        at += 1
        if value > 127:
            value, shift, byte = value & 127, 7, 128
            while byte > 127:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
            if not byte or value >> 64:
                raise IndexError
        values.append(value)
    return values, at


def _fits(hit: Hit, turns: int) -> bool:
    """Is it within its query and its subject?"""
    sbeg = hit.send if hit.sbeg is None else hit.sbeg
    return (0 <= sbeg and hit.qend <= hit.qlen and
            (hit.send <= hit.slen or turns > 0) and hit.cigar != "" and
            (hit.sseq is None or len(hit.sseq) == hit.send - sbeg))


def _hits(frame: Frame, ledger: Ledger) -> Iterator[tuple[int, int, Hit]]:
    """Hits behind the ordinals of their queries and subjects.  All numbers of
    a row are of one kind, its flags, too, as they are below 128."""
    c, _, _ = head(frame)
    queries, names = _head.queries(c), _head.subjects(c)
    lengths = [_length(ledger, frame, s) for s in names]
    data, at, make = c.data, c.at, Hit._make
    for _ in range(frame.records):
        (of, on, flags), at = _vars(data, at, 3)
        query, subject = queries[of], names[on]
        if flags & NO_SBEG and flags & (HAS_CIGAR | LETTERS) or flags > 127:
            raise frame.bad("a row of unknown flags")
        v, at = _vars(data, at, _NUMBERS[flags])
        send = v[0]
        sbeg = None if flags & NO_SBEG else send - v.pop(1)
        score = v[3] >> 1 ^ -(v[3] & 1)
        edits = v[4] if flags & EDITS else None
        cigar = letters = off = None
        if flags & OFFTARGET:
            off = v[5 if flags & EDITS else 4] / 10**9
        if flags & HAS_CIGAR:
            ops, at = _vars(data, at, v[-1])
            cigar = _cigar(tuple(ops))
        if flags & LETTERS:
            (n,), at = _vars(data, at, 1)
            letters = text(data[at:at + n])
            at += n
        hit = make((query.name, query.length, v[1], v[1] + v[2],
                    "-" if flags & MINUS else "+", subject.name, lengths[on],
                    sbeg, send, edits, score, cigar, letters, off))
        if not _fits(hit, flags & TURN):
            raise frame.bad("a row beyond its sequence")
        yield query.ordinal, subject.ordinal, hit
    c.at = min(at, len(data))
    c.end()


# Of each kind of row how many stand before a CIGAR's operations.
_NUMBERS = [4 + (not flags & NO_SBEG) + bool(flags & EDITS)
            + bool(flags & OFFTARGET) + bool(flags & HAS_CIGAR)
            for flags in range(128)]


def hits(frame: Frame, ledger: Ledger) -> Iterator[Hit]:
    for _, _, hit in _checked(frame, ledger):
        yield hit


def _checked(frame: Frame, ledger: Ledger) -> Iterator[tuple[int, int, Hit]]:
    try:
        yield from _hits(frame, ledger)
    except IndexError:
        raise frame.bad("a row is cut, or of no name") from None


def subjects(frame: Frame, ledger: Ledger) -> list[int]:
    """Lengths of the subjects of a HITS frame; all must be known."""
    c, _, _ = head(frame)
    _head.queries(c)
    return [_length(ledger, frame, s) for s in _head.subjects(c)]


def keyed(frame: Frame, ledger: Ledger) -> Iterator[tuple[Key, Hit]]:
    _, _, receipt = head(frame)
    for query, subject, hit in _checked(frame, ledger):
        yield Key(frame.run, receipt.scan, receipt.rule, query, subject), hit


def counts(frame: Frame) -> Iterator[tuple[tuple[int, int, int, str], Count]]:
    c, _, receipt = head(frame)
    queries = _head.queries(c)
    for _ in range(frame.records):
        q = _pick(c, queries)
        strand = "-" if c.u8() else "+"
        yield ((frame.run, receipt.scan, q.ordinal, strand),
               Count(q.name, strand, c.var(), c.var()))
    c.end()


def distances(frame: Frame, ledger: Ledger) -> Iterator[
        tuple[tuple[int, int, int, int], Distance]]:
    c, _, receipt = head(frame)
    metric, flags = text(c.bytes()), c.u8()
    if flags > 7:
        raise frame.bad("unknown flags")
    names = _head.queries(c) if flags & 2 else []
    subjects = [s._replace(length=_length(ledger, frame, s))
                for s in _head.subjects(c)]
    for _ in range(frame.records):
        a = _pick(c, names if flags & 2 else subjects)
        b = _pick(c, subjects)
        yield ((frame.run, receipt.scan, a.ordinal, b.ordinal),
               _distance(c, a, b, metric, flags))
    c.end()


def _distance(c: Cursor, a: Name, b: Name, metric: str,
              flags: int) -> Distance:
    value = c.f64()
    if not flags & 1:
        return Distance(a.name, b.name, a.length, b.length, metric, value,
                        None, None, None, None)
    weighted, least, most, pairs = c.f64(), c.f64(), c.f64(), c.var()
    if flags & 4 and pairs == _head.NOT_KNOWN:
        c.f64()
    return Distance(a.name, b.name, a.length, b.length, metric, value,
                    weighted, None if least < 0 else least,
                    None if most < 0 else most,
                    None if pairs == _head.NOT_KNOWN else pairs)


def _ends(c: Cursor, n: int, beg: int, length: int) -> list[int]:
    ends = []
    upto = beg
    for j in range(n):
        upto += c.var()
        if not beg + j <= upto <= length:
            raise c.frame.bad("an end beyond its target")
        ends.append(upto)
    return ends


def ends(frame: Frame) -> tuple[tuple[int, int, str, int], Ends]:
    c, _, receipt = head(frame)
    target, options, flags, beg = (_head.query(c), text(c.bytes()), c.u8(),
                                   c.var())
    length = target.length or 0
    if flags > 3 or beg >= length or beg % (1 << 22):
        raise frame.bad("it is malformed")
    n = min(1 << 22, length - beg)
    strand = "-" if flags & 1 else "+"
    letters = text(c.take(n))
    end = _ends(c, n, beg, length)
    end3 = _ends(c, n, beg, length) if flags & 2 else None
    c.end()
    return ((receipt.scan, target.ordinal, strand, beg),
            Ends(target.name, length, strand, beg, letters, end, end3,
                 options))
