# SPDX-License-Identifier: MIT
"""sassy_guides.py TEXT.fa K GUIDES.fa - the peer on guides with their PAM, both
strands; its crispr mode is not in the package"""
import sys

import sassy

with open(sys.argv[1], 'rb') as f:
    text = b''.join(x.strip() for x in f if not x.startswith(b'>'))
search = sassy.Searcher('iupac', rc=True)
n = 0
with open(sys.argv[3], 'rb') as f:
    for guide in f:
        if not guide.startswith(b'>'):
            n += len(search.search(guide.strip(), text, int(sys.argv[2])))
print(n)
