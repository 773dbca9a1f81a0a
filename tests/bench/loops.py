#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""loops.py OBJECT [NUMBER] - the innermost loops of an object file, with their
functions and how many instructions they have; or one of them, as llvm-mca
reads it:

    loops.py build-arm/common/sw/sw_lanes_kern.neon.o 22 |
        llvm-mca-19 -mtriple=aarch64 -mcpu=neoverse-n2
    loops.py build/common/sw/sw_lanes_kern.avx2.o 29 |
        llvm-mca-19 -mtriple=x86_64 -mcpu=znver4

loops.py --table NEON AVX2 - the rows of arm.md, but for those counted by hand,
of the objects in the build folders NEON and AVX2.
"""
import re
import subprocess
import sys

# What, unit, object; function, which of its innermost loops, units in it: of
# NEON, then of AVX2.  A compiler may put them in another order: look at what a
# number that changed stands for.
ROWS = '''
asm-scan: rows of bit vectors|cells|kdiff/kdiff|kdiff_edit_neon 0 512|kdiff_edit_avx2 1 1024
asm-scan `--no-indels`: a plane of the counter|cells|kdiff/kdiff_ham|kdiff_ham_neon 3 512|kdiff_ham_avx2 6 1024
asm-scan: rows of a strip of diagonals|cells|kdiff/kdiff_strip|kdiff_strip_neon 16 384|kdiff_strip_avx2 16 768
asm-scan: keys of an index|keys|kdiff/kdiff_index|kdiff_gram_keys_neon 0 8|kdiff_gram_keys_avx2 0 8
asm-scan: a place that an index found|columns|kdiff/kdiff_index|kdiff_verify_neon 2 2|kdiff_verify_avx2 3 4
asm-scan: planes of a superblock|letters|kdiff/kdiff_index|kdiff_gather_neon 15 512|kdiff_gather_avx2 21 1024
asm-scan: which columns of a word are hits|columns|kdiff/kdiff_index|kdiff_edit_extract_neon 0 64|kdiff_edit_extract_avx2 0 64
asm-scan: hits written|hits|kdiff/kdiff_index|kdiff_edit_extract_neon 1 8|kdiff_edit_extract_avx2 1 8
asm-scan: matrix for CIGARs|columns|kdiff/kdiff_trace|kdiff_columns_neon 2 2|kdiff_columns_avx2 7 4
asm-scan: back through it|columns|kdiff/kdiff_trace|kdiff_back_neon 0 2|kdiff_back_avx2 1 4
asm-scan `--pam`: places|places|kdiff/kdiff_pam|pam_places_neon 0 128|pam_places_avx2 0 256
asm-scan `--pam`: words looked up|words|kdiff/kdiff_pam|pam_lookup_neon 1 4|pam_lookup_avx2 0 8
asm-scan `--pam`, k 0: verification|pairs|kdiff/kdiff_pam|pam_verify_neon 1 4|verify_0 3 8
asm-scan `--pam`, k 1: verification|pairs|kdiff/kdiff_pam|verify_1 0 4|verify_1 0 8
asm-scan `--pam`, k 2: verification|pairs|kdiff/kdiff_pam|verify_2 0 4|verify_2 0 8
asm-scan `--pam`, k 3: verification|pairs|kdiff/kdiff_pam|verify_3 0 4|verify_3 0 8
asm-scan `--pam`, k 4: verification|pairs|kdiff/kdiff_pam|verify_4 0 4|verify_4 0 8
asm-scan `--pam`, k 5: verification|pairs|kdiff/kdiff_pam|verify_5 0 4|verify_5 0 8
asm-scan `--pam`, k 6: verification|pairs|kdiff/kdiff_pam|verify_6 0 4|verify_6 0 8
asm-scan `--pam`: ends of them|pairs|kdiff/kdiff_pam|pam_reach_neon 0 4|pam_reach_avx2 0 8
asm-scan `--overhang`|columns|kdiff/kdiff_overhang|kdiff_overhang_neon 2 4|kdiff_overhang_avx2 2 4
asm-scan `--overhang`: beyond the end, 4 patterns|letters|kdiff/kdiff_overhang|kdiff_overhang_end_neon 0 1|kdiff_overhang_end_avx2 0 1
asm-scan: exact ends|columns|kdiff/kdiff_exact|kdiff_cores_neon 0 2|kdiff_cores_avx2 0 4
lines of FASTA to letters|letters|letters/dna|even_lines 0 16|even_lines 0 32
bit planes to letters|letters|letters/dna|unpack 1 16|unpack 0 64
letters of BAM|letters|letters/dna|nibbles 0 16|nibbles 0 32
sums of bytes, for files|bytes|base/hash|hash_stripes_neon 0 32|hash_stripes_avx2 0 32
digests|bytes|base/digest|digest_blocks_neon 0 64|digest_blocks_avx2 2 32
sw-scan: lanes of 8 bits|cells|sw/sw_lanes|lane_block8 3 64|lane_block8 3 128
sw-scan: lanes of 16 bits|cells|sw/sw_lanes|lane_block16 3 32|lane_block16 3 64
sw-scan: skewed lanes, 8 bits|cells|sw/sw_skew|skew_step8 15 128|skew_step8 6 256
sw-scan: skewed lanes, 16 bits|cells|sw/sw_skew|skew_step16 6 64|skew_step16 6 128
sw-scan: grid|cells|sw/sw_grid|run 14 16|run 14 32
sw-scan: grid, directions|cells|sw/sw_grid|run 12 16|run 12 32
sw-scan: wavefront with starts, packed|cells|sw/sw_front|front_strip 30 8|front_strip 9 8
sw-scan: wavefront with starts|cells|sw/sw_front|front_strip 16 8|front_strip 29 8
sw-scan: wavefront, scores|cells|sw/sw_front|front_pass 6 4|front_pass 7 8
sw-scan: CIGARs, directions|cells|sw/sw_trace|trace_strip 8 8|trace_strip 9 8
sw-scan: Waterman-Eggert|cells|sw/sw_disjoint|sw_disjoint_tile_neon 21 8|sw_disjoint_tile_avx2 16 16
primer-find: cores, four vectors|columns|primer/primer_cores|primer_cores_neon 1 64|primer_cores_avx2 1 128
primer-find: sieve of cores|columns|primer/primer_leaf|primer_sieve_neon 4 4|primer_sieve_avx2 2 8
primer-find: starts|columns|primer/primer_leaf|primer_leaf_neon 7 8|primer_leaf_avx2 9 16
primer-find: lanes of one bit|cells|primer/primer_slices|strip_all 0 1024|strip_all 0 1024
primer-find: their first row|cells|primer/primer_slices|first_all 0 1024|first_all 0 1024
primer-find: scans of 12 words|words|primer/primer_scan|scan_12 1 96|scan_12 1 192
primer-find: reaches|words|primer/primer_reach|some_columns 10 4|some_columns 7 8
ebwt-dist: letters to codes|letters|ebwt/ebwt|ebwt_encode_neon 0 32|ebwt_encode_avx2 0 32
ebwt-dist: which letters|letters|ebwt/ebwt|ebwt_letters_neon 0 32|ebwt_letters_avx2 0 32
ebwt-dist: numbers of 12 letters|letters|ebwt/ebwt|ebwt_anchors_neon 11 16|ebwt_anchors_avx2 11 8
ebwt-dist: least of a window, a step|letters|ebwt/ebwt|ebwt_anchors_neon 5 4|ebwt_anchors_avx2 5 8
ebwt-dist: rotations picked|rotations|ebwt/ebwt|ebwt_items_neon 2 2|ebwt_items_avx2 2 4
ebwt-dist: sums of words|letters|ebwt/ebwt|ebwt_print_neon 2 2|ebwt_print_avx2 2 4
ebwt-dist: begins of runs|numbers|ebwt/ebwt|ebwt_begins_neon 0 4|ebwt_begins_avx2 0 8
ebwt-dist: runs of pairs|pairs|ebwt/ebwt|ebwt_tally_neon 0 8|ebwt_tally_avx2 0 16
ebwt-dist: products, pairs of sets|pairs|ebwt/weighted|weighted_join_neon 0 8|weighted_join_avx2 2 8
ebwt-dist: products, rows added|numbers|ebwt/weighted|weighted_add_neon 0 4|weighted_add_avx2 0 4
ebwt-dist: products, backwards|numbers|ebwt/weighted|weighted_back_neon 16 18|weighted_back_avx2 16 36
'''


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


def text_of(code):
    """As llvm-mca reads it."""
    return ''.join('\t%s\t%s\n' % (op, re.split(r'//|#(?=\s)', re.sub(
        r'[0-9a-f]+ <[^>]*>', '.', args))[0]) for _, op, args in code)


def loop_of(build, isa, name, which):
    function, number, units = which.split()
    code = functions('%s/common/%s_kern.%s.o' % (build, name, isa))[function]
    first, last = loops(function, code)[int(number)]
    return code[first:last + 1], int(units)


def rate(code, units, cpu):
    """Units a cycle."""
    said = subprocess.run(['llvm-mca-19', '-mtriple=aarch64', '-mcpu=' + cpu],
                          check=True, input=text_of(code), text=True,
                          capture_output=True).stdout
    n, cycles = (int(re.search(x + r':\s+(\d+)', said).group(1))
                 for x in ('Iterations', 'Total Cycles'))
    return n * units / cycles


def table(neon, avx2):
    for row in ROWS.strip().split('\n'):
        what, unit, name, *which = row.split('|')
        code, units = loop_of(neon, 'neon', name, which[0])
        other, of = loop_of(avx2, 'avx2', name, which[1])
        a, b = len(code) / units, len(other) / of
        print('| %s | %s | %#.3g | %#.3g | %.1f | %.3g | %.3g |' % (
            what, unit, a, b, a / b, rate(code, units, 'neoverse-n2'),
            rate(code, units, 'neoverse-v2')))


def main(path, number=None):
    n = 0
    for name, code in functions(path).items():
        for first, last in loops(name, code):
            if number is None:
                print(n, name, last - first + 1)
            elif n == int(number):
                print(text_of(code[first:last + 1]), end='')
            n += 1


if sys.argv[1] == '--table':
    table(*sys.argv[2:])
else:
    main(*sys.argv[1:])
