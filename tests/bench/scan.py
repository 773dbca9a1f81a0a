# SPDX-License-Identifier: MIT
"""scan.py BUILD DATA ROUNDS random=FASTA [NAME=FASTA ...] - the scan over text
in memory, ours and the peers in turn, as markdown.

Ours is BUILD/bench/kdiff, one process for AVX-512 and one for AVX2.  sassy, if
tests/bench/peers has it, runs in this process.
"""
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

build, data, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = dict(a.split('=', 1) for a in sys.argv[4:])
sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'peers'))
try:
    import sassy
except ImportError:
    sassy = None

EDLIB = ('m20 k3', 'm32 k3')
SECONDS = 20    # of a case, after which no more rounds begin
rnd = random.Random(1)

EXPLAINED = """\
The median of {rounds} rounds ({least} if they take long), each of ours, sassy,
ours, ... in turn, in CPU time of one thread. GB/s of text, times patterns.
*scan*: ends and distances of packed letters in memory, in pieces of 1 Mi with
their context. *to frames*: the same of CHUNK frames in memory, as asm-scan
--ends does it, with the frames of hits encoded. *CIGARs*: scan, starts and
CIGARs. sassy makes these always, so that only the second ratio is of the same
report; where hits are rare it makes no difference. *goal*: of the ratio (in
bold where missed; of the second one in rows about CIGARs). *cycles* a letter:
time times the clock, {ghz:.2f} GHz here, measured just before and after by
additions that wait for each other. *bound*: cycles of a letter's vector
operations alone, 12 for each row up to the first one where a superblock may
stop, at {ops} operations a cycle as measured here for {isa}; a filter may go
below it. *AVX2*: its share of the scan's speed. sassy's package is built for
AVX2.
"""


class Ours:
    def __init__(self, isa):
        env = dict(os.environ, SEQF_ISA=isa)
        self.p = subprocess.Popen([build + '/bench/kdiff'], env=env, text=True,
                                  stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)

    def ask(self, *words):
        print(*words, file=self.p.stdin, flush=True)
        answer = self.p.stdout.readline().split()
        if not answer:
            sys.exit('bench: the worker stopped')
        return answer

    def run(self, what, text, report, k, patterns):
        a = self.ask(what, text, report, k, *patterns)
        return dict(zip(('s', 'hits', 'ghz', 'bound', 'cigar'), map(float, a)))


class Peer:
    """sassy with its DNA profile; many patterns: the faster of its ways."""

    def __init__(self):
        self.one = {rc: sassy.Searcher('dna', rc=rc) for rc in (False, True)}
        self.batch = sassy.Searcher('iupac', rc=False)

    def run(self, text, report, k, patterns, both):
        p = [x.encode() for x in patterns]
        s = self.one[both]
        if len(p) == 1:
            f = s.search_all if report == 'all' else s.search
            return self.time(lambda: f(p[0], text, k))
        return min(self.time(lambda: w.search_many(p, [text], k, 1, mode))
                   for w, mode in ((s, 'single'),
                                   (self.batch, 'batch_patterns')))

    @staticmethod
    def time(f):
        beg = time.process_time()
        found = f()
        return time.process_time() - beg, len(found)


def letters(path):
    with open(path, 'rb') as f:
        return b''.join(x.strip() for x in f if not x.startswith(b'>'))


def write(name, text):
    path = os.path.join(data, name + '.fa')
    with open(path + '.tmp', 'wb') as f:
        f.write(b'>' + name.encode() + b'\n')
        for i in range(0, len(text), 70000):
            f.write(text[i:i + 70000] + b'\n')
    os.rename(path + '.tmp', path)
    files[name] = path


def letters_of(n):
    return ''.join(rnd.choices('ACGT', k=n))


def planted(name, text, pattern, step, edits):
    """Copies with up to so many differences, one every step letters."""
    t = bytearray(text)
    for at in range(step // 2, len(t) - step, step):
        c = bytearray(pattern.encode())
        for _ in range(rnd.randrange(edits + 1)):
            i = rnd.randrange(len(c))
            kind = rnd.randrange(3)
            if kind == 0:
                c[i] = rnd.choice(b'ACGT')
            elif kind == 1:
                del c[i]
            else:
                c.insert(i, rnd.choice(b'ACGT'))
        t[at:at + len(c)] = c
    write(name, bytes(t))


def edlib(c):
    """Seconds of edlib-aligner's search; it finds the best ends only."""
    path = os.path.join(data, 'pattern.fa')
    with open(path, 'w') as f:
        f.write(f'>p\n{c.patterns[0]}\n')
    a = ['edlib-aligner', '-m', 'HW', '-k', str(c.k), '-s', path,
         files[c.text]]
    said = subprocess.run(a, capture_output=True, text=True, check=True).stdout
    os.remove(path)
    return next(float(x.split()[-1]) for x in said.splitlines()
                if x.startswith('Cpu time of searching'))


class Case:
    def __init__(self, name, text, report, k, patterns, goal, both=False):
        self.name, self.text, self.report, self.k = name, text, report, k
        self.patterns, self.goal, self.both = patterns, goal, both
        # the other strand is a pattern of its own
        self.all = patterns + [
            p[::-1].translate(str.maketrans('ACGT', 'TGCA'))
            for p in patterns if both]
        self.rows, self.shown = {}, text

    def add(self, who, row):
        self.rows.setdefault(who, []).append(row)

    def median(self, who, what='s'):
        v = [r[what] for r in self.rows.get(who, [])]
        return statistics.median(v) if v else float('nan')


def cases(texts):
    p = {m: letters_of(m) for m in (16, 20, 32, 100, 1000, 5000)}
    out = []

    def add(*a, **b):
        out.append(Case(*a, **b))

    for t in [t for t in ('random', 'E. coli', 'chr20') if t in texts]:
        add('m20 k3', t, 'minima', 3, [p[20]], 6)
        add('m32 k3', t, 'minima', 3, [p[32]], 6)
        add('m20 k3, both strands', t, 'minima', 3, [p[20]], 12, both=True)
        add('m32 k1', t, 'minima', 1, [p[32]], 0)
        add('m100 k3', t, 'minima', 3, [p[100]], 0)
        add('m100 k10', t, 'minima', 10, [p[100]], 5)
        add('m1000 k50', t, 'minima', 50, [p[1000]], 6)
        add('m5000 k250', t, 'minima', 250, [p[5000]], 10)
    for t in [t for t in ('random', 'E. coli') if t in texts]:
        add('m16 k6, all ends', t, 'all', 6, [p[16]], 8)
        add('m16 k6', t, 'minima', 6, [p[16]], 8)
    for m in (20, 32):
        add(f'96 patterns of {m}, k3', 'short', 'minima', 3,
            [letters_of(m) for _ in range(96)], 2.2)
    add('1000 patterns of 32, k1', 'short', 'minima', 1,
        [letters_of(32) for _ in range(1000)], 0)
    short = letters(files['short'])
    planted('planted20', short, p[20], 200, 1)
    planted('planted100', short, p[100], 400, 5)
    planted('planted1000', short, p[1000], 2000, 25)
    write('acg', b'ACG' * 666667)
    add('m16 k6, CIGARs', 'short', 'minima', 6, [p[16]], 6)
    add('m20 k3 planted, CIGARs', 'planted20', 'minima', 3, [p[20]], 6)
    add('m100 k10 planted, CIGARs', 'planted100', 'minima', 10, [p[100]], 6)
    add('m1000 k50 planted, CIGARs', 'planted1000', 'minima', 50, [p[1000]],
        6)
    add('(ACG)n m20 k3, all ends', 'acg', 'all', 3, [('ACG' * 7)[:20]], 0)
    add('(ACG)n m20 k3', 'acg', 'minima', 3, [('ACG' * 7)[:20]], 0)
    return out


def measure(c, workers, peer, text):
    best, second = workers
    ours = c.text.replace(' ', ''), c.report, c.k, c.all
    beg = time.perf_counter()
    for i in range(rounds):
        if i > 1 and time.perf_counter() - beg > SECONDS:
            break
        c.add('scan', best.run('scan', *ours))
        if peer:
            s, n = peer.run(text, c.report, c.k, c.patterns, c.both)
            c.add('peer', dict(s=s, hits=n))
        c.add('cigar', best.run('cigar', *ours))
        c.add('frames', best.run('frames', *ours))
        if second:
            c.add('avx2', second.run('scan', *ours))
        if shutil.which('edlib-aligner') and c.name in EDLIB:
            c.add('edlib', dict(s=edlib(c)))


def num(x, digits=2):
    if x != x:
        return '-'
    return f'{x:.{digits}f}' if x >= .1 or not digits else f'{x:.2g}'


def verdict(c, ratio):
    if ratio != ratio or not c.goal:
        return '-'
    return f'{c.goal}' if ratio >= c.goal else f'**{c.goal}**'


def table(done, sizes):
    print('| case | text | scan | to frames | CIGARs | sassy |'
          ' ratio | CIGARs | goal | cycles | bound | AVX2 |')
    print('|---' * 12 + '|')
    for c in done:
        n = sizes[c.text] * len(c.patterns)
        scan, peer = c.median('scan'), c.median('peer')
        both = c.median('cigar')
        cycles = scan * c.median('scan', 'ghz') * 1e9 / n
        bound = c.median('scan', 'bound') * len(c.all) / len(c.patterns)
        ratio = peer / both if 'CIGAR' in c.name else peer / scan
        print(f'| {c.name} | {c.text} |', ' | '.join(
            num(n / x / 1e9) for x in
            (scan, c.median('frames'), both, peer)),
            '|', num(peer / scan, 1), '|', num(peer / both, 1), '|',
            verdict(c, ratio), '|', num(cycles), '|', num(bound), '|',
            num(scan / c.median('avx2') * 100, 0) + ' % |')
    print()


def hits(done):
    print('| case | text | hits | sassy\'s | us a hit: CIGAR | scan and CIGAR '
          '| sassy, both | ratio |')
    print('|---' * 8 + '|')
    for c in done:
        n = c.median('cigar', 'hits')
        if n < 1000:
            continue
        both, peer = c.median('cigar'), c.median('peer')
        print(f'| {c.name} | {c.text} | {n:.0f} | '
              f'{num(c.median("peer", "hits"), 0)} |',
              ' | '.join(num(x / n * 1e6, 3) for x in
                         (c.median('cigar', 'cigar'), both, peer)),
              '|', num(peer / both, 1), '|')
    print()


def edlibs(done, sizes):
    for c in done:
        if 'edlib' in c.rows:
            n, s = sizes[c.text], c.median('edlib')
            print(f'edlib finds the best ends of {c.name} in {c.text} letters '
                  f'at {num(n / s / 1e9)} GB/s; our scan of all is '
                  f'{num(s / c.median("scan"), 0)} times as fast.')
    print()


def main():
    write('short', letters(files['random'])[:10000000])
    todo = cases(set(files))
    best = Ours(os.environ.get('SEQF_ISA', ''))
    sizes, isa = {}, ''
    workers = [best, None]
    for name, path in files.items():
        chunks = os.path.join(data, 'bench.rec')
        with open(chunks, 'wb') as f:
            subprocess.run([build + '/bin/fasta-chunk', path], stdout=f,
                           check=True)
        n, isa, ops = best.ask('text', name.replace(' ', ''), path, chunks)
        if isa == 'avx512':
            workers[1] = workers[1] or Ours('avx2')
            workers[1].ask('text', name.replace(' ', ''), path)
        os.remove(chunks)
        sizes[name] = int(n)
    peer = sassy and Peer()
    text, held = b'', ''
    for c in sorted(todo, key=lambda c: c.text):
        if peer and held != c.text:
            text, held = letters(files[c.text]).upper(), c.text
        measure(c, workers, peer, text)
    ghz = statistics.median(c.median('scan', 'ghz') for c in todo)
    print(EXPLAINED.format(rounds=rounds, ghz=ghz, ops=ops, isa=isa,
                           least=min(2, rounds)))
    table(todo, sizes)
    hits(todo)
    edlibs(todo, sizes)


main()
