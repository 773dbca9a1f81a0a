# SPDX-License-Identifier: MIT
"""parasail_file.py QUERY.fa TEXT.fa MATCH MISMATCH OPEN EXTEND - the peer from
files to score and end, + strand: striped, 16 bits; a gap's first letter costs
OPEN + EXTEND"""
import sys

import parasail


def letters(name):
    with open(name) as f:
        return ''.join(x.strip() for x in f if not x.startswith('>'))


query, text = letters(sys.argv[1]), letters(sys.argv[2])
match, mismatch, gap_open, extend = map(int, sys.argv[3:])
r = parasail.sw_striped_16(query, text, gap_open + extend, extend,
                           parasail.matrix_create('ACGT', match, -mismatch))
if r.saturated:
    sys.exit('parasail: 16 bits do not hold the score')
print(r.score, r.end_query + 1, r.end_ref + 1, sep='\t')
