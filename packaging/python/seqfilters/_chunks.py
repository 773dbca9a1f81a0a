# SPDX-License-Identifier: MIT
"""CHUNK frames: letters of sequences, as they were in the input."""

from __future__ import annotations

import struct
import sys
from array import array
from typing import Iterator, NamedTuple, Optional

from . import _head
from ._head import Name, RunKey
from ._ledger import Ledger
from ._rows import Piece
from ._stream import Cursor, Frame, text
from ._xxh64 import xxh64

HEAD = struct.Struct("<IIQQQQIIQII")
ROW = struct.Struct("<QQQQQQIIII")
ASCII, TWO_BIT, FOUR_BIT, PROB = range(4)
FIRST, LAST, ALL, TURN = 1, 2, 4, 8
_UNIT = {ASCII: 1, TWO_BIT: 64, FOUR_BIT: 64, PROB: 1}


class Row(NamedTuple):
    ordinal: int
    beg: int
    n: int
    own_beg: int
    own_end: int
    length: int
    flags: int
    at: int  # of its first letter among those of the chunk
    name: bytes
    description: bytes


class Chunk(NamedTuple):
    key: RunKey
    owned: int
    digest: int
    rows: list[Row]
    letters: bytes  # or none: of matrices
    matrix: Optional[array[float]]


# Of a byte of the low or high bits of eight letters: bit i of their codes.
_LOW = [bytes(byte >> i & 1 for byte in range(256)) for i in range(8)]
_HIGH = [bytes((byte >> i & 1) << 1 for byte in range(256)) for i in range(8)]
_ACGT = b"ACGT".ljust(256, b"?")
# Of a byte of two letters the first one and the second.
_CODES = b"=ACMGRSVTWYHKDBN"
_FIRST = bytes(_CODES[byte & 15] for byte in range(256))
_SECOND = bytes(_CODES[byte >> 4] for byte in range(256))


def _from_two_bit(data: bytes) -> bytearray:
    """Bytes are taken apart by their tables, all at once."""
    n = 4 * len(data)
    low, high = bytearray(len(data) // 2), bytearray(len(data) // 2)
    for i in range(8):
        low[i::8] = data[i::16]
        high[i::8] = data[8 + i::16]
    lows, highs = bytearray(n), bytearray(n)
    for i in range(8):
        lows[i::8] = low.translate(_LOW[i])
        highs[i::8] = high.translate(_HIGH[i])
    codes = int.from_bytes(lows, "little") | int.from_bytes(highs, "little")
    return bytearray(codes.to_bytes(n, "little").translate(_ACGT))


def _from_four_bit(data: bytes) -> bytearray:
    letters = bytearray(2 * len(data))
    letters[::2] = data.translate(_FIRST)
    letters[1::2] = data.translate(_SECOND)
    return letters


def _runs(c: Cursor, n: int) -> Iterator[tuple[int, int]]:
    return struct.iter_unpack("<II", c.take(8 * n))


def _letters(c: Cursor, encoding: int, n: int, n_bytes: int, n_except: int,
             n_lower: int, rna: bool) -> bytes:
    """Places of all letters, n and some; what is between rows is anything."""
    data = c.take(n_bytes)
    if encoding == ASCII:
        return data
    if encoding == TWO_BIT:
        letters = _from_two_bit(data)
    else:
        letters = _from_four_bit(data)
    if rna:
        letters = letters.replace(b"T", b"U")
    for at, much in _runs(c, n_except):
        length = much & 0xffffff
        if at + length > n:
            raise c.frame.bad("exceptions beyond its letters")
        letters[at:at + length] = bytes((much >> 24,)) * length
    for at, length in _runs(c, n_lower):
        if at + length > n:
            raise c.frame.bad("lower case beyond its letters")
        letters[at:at + length] = letters[at:at + length].lower()
    return bytes(letters)


def _rows(c: Cursor, heap: Cursor, n: int, unit: int) -> list[Row]:
    rows = []
    end = 0
    for (ordinal, beg, length, own_beg, own_end, total, n_name, n_desc,
         flags, _) in ROW.iter_unpack(c.take(n * ROW.size)):
        at = -(-end // unit) * unit
        end = at + length
        if not beg <= own_beg <= own_end <= beg + length or flags > 15:
            raise c.frame.bad("a row contradicts itself")
        rows.append(Row(ordinal, beg, length, own_beg, own_end, total, flags,
                        at, heap.take(n_name), heap.take(n_desc)))
    return rows


def chunk(frame: Frame) -> Chunk:
    c = Cursor(frame)
    (encoding, n_rows, n, owned, digest, n_bytes, n_except, n_lower, heap,
     flags, zero) = HEAD.unpack(c.take(HEAD.size))
    expected = {ASCII: n, TWO_BIT: -(-n // 64) * 16, FOUR_BIT: -(-n // 64) * 32,
                PROB: 16 * n}
    if (encoding > PROB or flags > 3 or zero or n_rows != frame.records or
            n_bytes != expected[encoding] or len(c.data) != HEAD.size + n_rows
            * ROW.size + n_bytes + 8 * (n_except + n_lower) + heap):
        raise frame.bad("its sizes do not add up")
    names = Cursor(frame)
    names.at = len(c.data) - heap
    key = _head.run_key(names)
    rows = _rows(c, names, n_rows, _UNIT[encoding])
    names.end()
    if (rows[-1].at + rows[-1].n if rows else 0) != n or owned != sum(
            r.own_end - r.own_beg for r in rows):
        raise frame.bad("its rows do not add up")
    if encoding != PROB:
        return Chunk(key, owned, digest, rows, _letters(
            c, encoding, n, n_bytes, n_except, n_lower, bool(flags & 1)), None)
    matrix = array("f", c.take(n_bytes))
    if sys.byteorder == "big":
        matrix.byteswap()
    return Chunk(key, owned, digest, rows, b"", matrix)


_P = (1 << 61) - 1
_R, _ORDER = 0x1e3779b97f4a7c1a, 0x02b2ae3d27d4eb55
_TOP = 0x09e3779b97f4a7c1   # what bit 60 of eight bytes counts


def _added(r: Row, owned: bytes, unit: int) -> int:
    """The digest of a row that adds up with those of other rows."""
    at = r.own_beg * unit
    owned = bytes(at % 8) + owned
    total, weight = 0, pow(_R, at // 8, _P)
    for i in range(0, len(owned), 8):
        word = int.from_bytes(owned[i:i + 8], "little")
        total += (word - (word >> 60) * ((1 << 60) - _TOP)) * weight
        weight = weight * _R % _P
    total = total * (xxh64(r.name, 1) % _P or 1)
    if r.own_beg == 0:
        total += xxh64(r.name, 2)
    return total * pow(_ORDER, r.ordinal, _P) % _P


def computed_digest(frame: Frame, c: Chunk) -> int:
    """What the digest should be; slow."""
    total = 0
    for r in c.rows:
        seed = xxh64(struct.pack("<QQ", r.ordinal, r.own_beg))
        if _head.has_names(frame):
            seed = xxh64(r.name, seed)
        beg, end = (r.at + r.own_beg - r.beg, r.at + r.own_end - r.beg)
        if c.matrix is None:
            owned = c.letters[beg:end]
        else:
            numbers = c.matrix[4 * beg:4 * end]
            if sys.byteorder == "big":
                numbers.byteswap()
            owned = numbers.tobytes()
        if _head.digests_add(frame):
            total += _added(r, owned, 1 if c.matrix is None else 16)
        else:
            total += xxh64(owned, seed)
    return (total % _P if _head.digests_add(frame) else
            total & _head.NOT_KNOWN)


def note(frame: Frame, c: Chunk, ledger: Ledger) -> None:
    """The chunk as a receipt, and what it says of sequences."""
    ledger.chunk(frame, c.key, c.owned, c.digest)
    for r in c.rows:
        if r.flags & (FIRST | LAST) == FIRST | LAST and (
                r.length != _head.NOT_KNOWN):
            continue
        length = r.length if r.flags & LAST else None
        name = Name(r.ordinal, None if length == _head.NOT_KNOWN else length,
                    text(r.name))
        ledger.name(frame.run, name)
        ledger.length(frame.run, name)


def pieces(frame: Frame, c: Chunk) -> Iterator[Piece]:
    for r in c.rows:
        known = r.flags & LAST and r.length != _head.NOT_KNOWN
        matrix = None if c.matrix is None else (
            c.matrix[4 * r.at:4 * (r.at + r.n)])
        yield Piece(text(r.name), text(r.description.strip()), r.ordinal,
                    r.beg, r.own_beg, r.own_end, bool(r.flags & FIRST),
                    bool(r.flags & LAST), bool(r.flags & TURN),
                    r.length if known else None,
                    c.letters[r.at:r.at + r.n].decode("ascii"), matrix)
