# SPDX-License-Identifier: MIT
"""sassy_file.py TEXT.fa K PATTERN - the peer from a file to rows, + strand"""
import sys

import sassy

with open(sys.argv[1], 'rb') as f:
    text = b''.join(x.strip() for x in f if not x.startswith(b'>'))
found = sassy.Searcher('dna', rc=False).search(sys.argv[3].encode(), text,
                                               int(sys.argv[2]))
for x in found:
    print(x.text_start, x.text_end, x.cost, x.cigar, sep='\t')
