#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""records.py - the hits of a record stream, without any library: rec(5) in short

    fasta-chunk genome.fa.gz | asm-scan -k 2 -q guides.fa |
        merge-topk -O rec | python3 records.py

CRCs are checked; whether the stream is whole, merge-topk has checked before.
"""
import struct, sys, zlib

SYNC, HITS = b"\x8fGREC\r\n\x1a", 4


def frames(f):
    """(type, run id, number of records, payload) of each frame"""
    while head := f.read(48):
        sync, version, kind, flags, crc, n, run, _, pcrc, records = \
            struct.unpack("<8sBBHIQQQII", head)
        bare = head[:12] + bytes(4) + head[16:]
        if sync != SYNC or version != 1 or zlib.crc32(bare) != crc:
            sys.exit("records.py: no frame here: see rec-view --check")
        data = f.read(n + -n % 16)[:n]
        if len(data) < n or zlib.crc32(data) != pcrc:
            sys.exit("records.py: a frame is cut or damaged")
        if flags & 0x100:  # masked: a key, then the payload XOR the key
            key = data[:8] * (n // 8 + 1)
            data = bytes(a ^ b for a, b in zip(data[8:], key))
        yield kind, run, records, data


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def var(self):
        v = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            v |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return v

    def text(self):
        return self.take(self.var()).decode(errors="replace")

    def vars(self, n):
        return [self.var() for _ in range(n)]

    def names(self):  # queries, or subjects: ordinal, length, name
        return [(*self.vars(2), self.text())[2] for _ in range(self.var())]


def hits(c, n):
    for _ in range(3):  # the run: file, label, first name
        c.text()
    c.take(16)  # hash; id of the scan
    c.text()  # the scan: first query file
    c.vars(3)  # rule, flags, number
    for _ in range(c.var()):  # what is covered
        c.vars(3)
        c.take(8)
    c.take(8 * c.var())
    queries, subjects = c.names(), c.names()
    for _ in range(n):
        query, subject, flags = queries[c.var()], subjects[c.var()], c.take(1)[0]
        send = c.var()
        sbeg = send if flags & 16 else send - c.var()
        qbeg = c.var()
        qend = qbeg + c.var()
        zigzag = c.var()
        score = zigzag >> 1 ^ -(zigzag & 1)
        edits = c.var() if flags & 2 else "."
        ops = c.vars(c.var()) if flags & 4 else []
        cigar = "".join(f"{x >> 4}{'MIDNSHP=X'[x & 15]}" for x in ops) or "*"
        letters = c.text() if flags & 8 else ""
        yield (query, "+-"[flags & 1], subject, sbeg, send, qbeg, qend, score,
               edits, cigar, letters)


if __name__ == "__main__":
    for kind, _, records, payload in frames(sys.stdin.buffer):
        if kind == HITS:
            for row in hits(Cursor(payload), records):
                print(*row, sep="\t")
