# SPDX-License-Identifier: MIT
# sassy_peer.py TEXT.fa K ROUNDS PATTERN ... - seconds of sassy's search in
# memory, + strand; a line for each pattern: length, median, matches
import statistics
import sys
import time

import sassy

with open(sys.argv[1], 'rb') as f:
    text = b''.join(l.strip() for l in f if not l.startswith(b'>'))
k = int(sys.argv[2])
searcher = sassy.Searcher('dna', rc=False)
for pattern in sys.argv[4:]:
    times = []
    for _ in range(int(sys.argv[3])):
        beg = time.perf_counter()
        found = searcher.search(pattern.encode(), text, k)
        times.append(time.perf_counter() - beg)
    print(len(pattern), statistics.median(times), len(found))
