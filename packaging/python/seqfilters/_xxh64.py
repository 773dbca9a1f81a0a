# SPDX-License-Identifier: MIT
"""XXH64 of the xxHash specification 0.1.1."""

from __future__ import annotations

import struct

_M = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    11400714785074694791, 14029467366897019727, 1609587929392839161,
    9650029242287828579, 2870177450012600261)


def _turn(v: int, n: int) -> int:
    return (v << n | v >> (64 - n)) & _M


def _round(acc: int, lane: int) -> int:
    return _turn((acc + lane * _P2) & _M, 31) * _P1 & _M


def _stripes(data: bytes, seed: int) -> int:
    v = [(seed + _P1 + _P2) & _M, (seed + _P2) & _M, seed, (seed - _P1) & _M]
    for lanes in struct.iter_unpack("<4Q", data[:len(data) & ~31]):
        v = [_round(a, b) for a, b in zip(v, lanes)]
    h = sum(_turn(a, n) for a, n in zip(v, (1, 7, 12, 18))) & _M
    for a in v:
        h = ((h ^ _round(0, a)) * _P1 + _P4) & _M
    return h


def xxh64(data: bytes, seed: int = 0) -> int:
    h = _stripes(data, seed) if len(data) >= 32 else (seed + _P5) & _M
    h = (h + len(data)) & _M
    at = len(data) & ~31
    while at + 8 <= len(data):
        (lane,) = struct.unpack_from("<Q", data, at)
        h = (_turn(h ^ _round(0, lane), 27) * _P1 + _P4) & _M
        at += 8
    if at + 4 <= len(data):
        (half,) = struct.unpack_from("<I", data, at)
        h = (_turn(h ^ half * _P1 & _M, 23) * _P2 + _P3) & _M
        at += 4
    for byte in data[at:]:
        h = _turn(h ^ byte * _P5 & _M, 11) * _P1 & _M
    h = (h ^ h >> 33) * _P2 & _M
    h = (h ^ h >> 29) * _P3 & _M
    return h ^ h >> 32
