# SPDX-License-Identifier: MIT
"""Frames of a record stream, as rec(5) has them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import zlib
from typing import IO, Any, Iterator, NamedTuple, Union, cast

SYNC = b"\x8fGREC\r\n\x1a"
HEADER = struct.Struct("<8sBBHIQQQII")
MAX_PAYLOAD = 1 << 30
PIECE = 1 << 20  # bytes taken at a time: a claimed length is not trusted

BEGIN, CHUNK, SEQ, HITS, TALLY, PRIMER, DIST, DONE, END = range(1, 10)
NAMES = ("", "BEGIN", "CHUNK", "SEQ", "HITS", "TALLY", "PRIMER", "DIST",
         "DONE", "END")
RESULTS = (HITS, TALLY, PRIMER, DIST, DONE)

UNMERGED, MASKED, NAMED, CIRCULAR = 0x0001, 0x0100, 0x0200, 0x0400
ADDS = 0x0800

# What is read: a file's name, an open file, or the bytes themselves.
File = Union[IO[bytes], io.RawIOBase, io.BufferedIOBase]
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, File]


class Error(Exception):
    """What this package raises: a StreamError or a ProgramError."""


class StreamError(Error):
    """A record stream is damaged, incomplete, or no record stream."""


class Frame(NamedTuple):
    type: int
    flags: int
    run: int
    serial: int
    records: int
    payload: bytes
    where: str

    def bad(self, what: str) -> StreamError:
        return StreamError(f"{self.where}: {NAMES[self.type]} frame: {what}")


class Cursor:
    """Numbers and strings of a payload; what is not there is an error."""

    __slots__ = ("frame", "data", "at")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.data = frame.payload
        self.at = 0

    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, n: int) -> bytes:
        at = self.at
        if n > len(self.data) - at:
            raise self.frame.bad("it is cut")
        self.at = at + n
        return self.data[at:at + n]

    def u8(self) -> int:
        return self.take(1)[0]

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def f64(self) -> float:
        (value,) = struct.unpack("<d", self.take(8))
        return float(value)

    def var(self) -> int:
        data, at = self.data, self.at
        value = shift = 0
        while True:
            if at >= len(data) or shift > 63:
                raise self.frame.bad("a number is cut")
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        if value >> 64 or (byte == 0 and shift):
            raise self.frame.bad("a number is malformed")
        self.at = at
        return value

    def zigzag(self) -> int:
        value = self.var()
        return value >> 1 ^ -(value & 1)

    def bytes(self) -> bytes:
        return self.take(self.var())

    def count(self, least: int) -> int:
        """How many things of so many bytes or more follow."""
        n = self.var()
        if n > self.left() // least:
            raise self.frame.bad("a count is too large")
        return n

    def end(self) -> None:
        if self.left():
            raise self.frame.bad("there are bytes behind it")


def text(name: bytes) -> str:
    """Names may hold any byte: .encode(errors="surrogateescape") has them."""
    return name.decode("utf-8", "surrogateescape")


def unmask(stored: bytes) -> bytes:
    key, data = stored[:8], stored[8:]
    keys = (key * (len(data) // 8 + 1))[:len(data)]
    plain = int.from_bytes(data, "little") ^ int.from_bytes(keys, "little")
    return plain.to_bytes(len(data), "little")


class _Again(io.RawIOBase):
    """A stream of which some bytes were read."""

    def __init__(self, head: bytes, file: IO[bytes]) -> None:
        self.head, self.file = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = len(buffer)
        data = self.head[:n] if self.head else self.file.read(n)
        self.head = self.head[n:]
        buffer[:len(data)] = data
        return len(data)


def _unpacked(file: IO[bytes], head: bytes, name: str) -> IO[bytes]:
    again: IO[bytes] = io.BufferedReader(_Again(head, file), PIECE)
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=again)  # type: ignore[return-value]
    if head.startswith(b"BZh"):
        return bz2.BZ2File(again)
    if head.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMAFile(again)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        raise StreamError(f"{name}: packed by zstd: give what zstd -dc writes")
    return again


def _read(file: IO[bytes], n: int) -> bytes:
    """n bytes, or fewer at the end."""
    data = file.read(min(n, PIECE))
    if len(data) == n or not data:
        return data
    all_of_it = bytearray(data)
    while len(all_of_it) < n:
        data = file.read(min(n - len(all_of_it), PIECE))
        if not data:
            break
        all_of_it += data
    return bytes(all_of_it)


def _frame(file: IO[bytes], head: bytes, where: str) -> Frame:
    if len(head) < HEADER.size:
        raise StreamError(f"{where}: the stream is cut in a frame's header")
    (sync, version, kind, flags, crc, stored, run, serial, body_crc,
     records) = HEADER.unpack(head)
    if sync != SYNC:
        raise StreamError(f"{where}: no frame of a record stream is there")
    if zlib.crc32(head[:12] + bytes(4) + head[16:]) != crc:
        raise StreamError(f"{where}: a frame's header is damaged")
    if version != 1:
        raise StreamError(f"{where}: a record stream of version {version}, "
                          "which this program does not know")
    if flags & 0xff00 & ~(MASKED | NAMED | CIRCULAR | ADDS):
        raise StreamError(f"{where}: a frame of a later version of the "
                          f"programs (flags {flags:04x})")
    key = 8 if flags & MASKED else 0
    if not key <= stored <= MAX_PAYLOAD + key:
        raise StreamError(f"{where}: a frame of impossible length")
    padding = -stored % 16
    payload = _read(file, stored + padding)
    if len(payload) < stored + padding:
        raise StreamError(f"{where}: the stream is cut in a frame")
    if payload[stored:] != bytes(padding):
        raise StreamError(f"{where}: behind a frame are bytes that should "
                          "be 0")
    payload = payload[:stored]
    if zlib.crc32(payload) != body_crc:
        raise StreamError(f"{where}: a frame is damaged")
    if key:
        payload = unmask(payload)
    return Frame(kind, flags, run, serial, records, payload, where)


def _frames(file: IO[bytes], name: str) -> Iterator[Frame]:
    head = _read(file, 6)
    if not head:
        raise StreamError(f"{name}: it is empty: did the program that writes "
                          "it fail?")
    file, at = _unpacked(file, head, name), 0
    while True:
        head = _read(file, HEADER.size)
        if not head:
            return
        if not at and not head.startswith(SYNC[:len(head)]):
            raise StreamError(f"{name}: no record stream: the programs write "
                              "one with -O rec")
        frame = _frame(file, head, f"{name}: byte {at}")
        at += HEADER.size + len(frame.payload)
        at += 8 if frame.flags & MASKED else 0
        at += -at % 16
        if 1 <= frame.type <= END:
            yield frame


def frames(source: Source) -> Iterator[Frame]:
    """All frames of known types; StreamError at the first damage."""
    name = "record stream"
    opened: IO[bytes]
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        opened = open(name, "rb")
    elif isinstance(source, (bytes, bytearray, memoryview)):
        opened = io.BytesIO(source)
    elif isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise TypeError("a record stream must be a file's name, a binary file, "
                        f"a pipe() or bytes, not {type(source).__name__}")
    else:
        yield from _watched(cast("IO[bytes]", source), name)
        return
    with opened:
        yield from _watched(opened, name)


def _watched(file: IO[bytes], name: str) -> Iterator[Frame]:
    try:
        yield from _frames(file, name)
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise StreamError(f"{name}: {error}") from error
    except OSError as error:
        if error.errno is not None:
            raise
        # what gzip and bz2 say of damage
        raise StreamError(f"{name}: {error}") from error
