# SPDX-License-Identifier: MIT
"""pixels.py COLOUR ... < PNG - of each colour (rrggbb): how many pixels have
it, and the first and last column and row of them."""
import struct
import sys
import zlib


def rows(png):
    """Rows of a PNG of 8 bits a channel, not interlaced, and its channels."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        n, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(
                ">IIBB", png[at + 8:at + 18])
        elif kind == b"IDAT":
            data += png[at + 8:at + 8 + n]
        at += n + 12
    channels = {2: 3, 6: 4}[colour]
    assert depth == 8
    data, stride = zlib.decompress(data), width * channels
    above = bytearray(stride)
    for y in range(height):
        kind = data[y * (stride + 1)]
        line = bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 2 and not any(line):     # as the row above: most are
            yield above, channels
            continue
        for x in range(stride):
            a = line[x - channels] if x >= channels else 0
            b = above[x]
            c = above[x - channels] if x >= channels else 0
            p = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            best = a if p[0] <= p[1] and p[0] <= p[2] else \
                b if p[1] <= p[2] else c
            line[x] = line[x] + (0, a, b, (a + b) // 2, best)[kind] & 255
        yield line, channels
        above = line


def columns(line, channels, colour):
    """Where a row has that colour."""
    at = line.find(colour)
    while at >= 0:
        if at % channels == 0:
            yield at // channels
        at = line.find(colour, at + 1)


found = {colour: [] for colour in sys.argv[1:]}
for y, (line, k) in enumerate(rows(sys.stdin.buffer.read())):
    for colour, at in found.items():
        at += [(x, y) for x in columns(line, k, bytes.fromhex(colour))]
for colour, at in found.items():
    xs, ys = [x for x, _ in at], [y for _, y in at]
    print(colour, len(at), *([min(xs), max(xs), min(ys), max(ys)]
                             if at else []))
