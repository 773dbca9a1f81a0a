#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""loops.py OBJECT [NUMBER] - the innermost loops of an object file, with their
functions and how many instructions they have; or one of them, as llvm-mca
reads it:

    loops.py build-arm/common/sw/sw_lanes_kern.neon.o 22 |
        llvm-mca-19 -mtriple=aarch64 -mcpu=neoverse-n2
    loops.py build/common/sw/sw_lanes_kern.avx2.o 29 |
        llvm-mca-19 -mtriple=x86_64 -mcpu=znver4
"""
import re
import subprocess
import sys


def functions(path):
    """Instructions of each: address, name, operands."""
    tool = 'aarch64-linux-gnu-objdump' if '.neon.' in path else 'objdump'
    text = subprocess.run([tool, '-d', '--no-show-raw-insn', path],
                          check=True, capture_output=True, text=True).stdout
    found, now = {}, None
    for line in text.split('\n'):
        m = re.match(r'[0-9a-f]+ <(.+)>:$', line)
        if m:
            now = found.setdefault(m.group(1), [])
        m = re.match(r'\s+([0-9a-f]+):\s+(\S+)\s*(.*)$', line)
        if m:
            now.append((int(m.group(1), 16), m.group(2), m.group(3)))
    return found


def loops(name, code):
    """First and last instruction of each that has no other in it."""
    at = {x[0]: i for i, x in enumerate(code)}
    found = set()
    for i, (_, op, args) in enumerate(code):
        m = re.search(r'([0-9a-f]+) <' + re.escape(name), args)
        if m and re.match(r'(b$|b\.|cb|tb|j)', op):
            first = at.get(int(m.group(1), 16), i + 1)
            if first <= i:
                found.add((first, i))
    return [x for x in sorted(found)
            if not any(y != x and y[0] >= x[0] and y[1] <= x[1]
                       for y in found)]


def main(path, number=None):
    n = 0
    for name, code in functions(path).items():
        for first, last in loops(name, code):
            if number is None:
                print(n, name, last - first + 1)
            elif n == int(number):
                for _, op, args in code[first:last + 1]:
                    args = re.sub(r'[0-9a-f]+ <[^>]*>', '.', args)
                    print('\t' + op, re.split(r'//|#(?=\s)', args)[0], sep='\t')
            n += 1


main(*sys.argv[1:])
