# SPDX-License-Identifier: MIT
"""module.py DATA FOLDER - the installed module against the tables of the same
searches: equal rows, of a whole stream, of its parts, and of one with a fault
only where merge-topk takes it, too."""

import collections
import gzip
import importlib.metadata
import io
import os
import pickle
import random
import re
import struct
import subprocess
import sys
import zlib

import seqfilters
from seqfilters import _chunks, _stream, _xxh64

DATA, FOLDER = sys.argv[1:]
GENOME = os.path.join(FOLDER, "genome.fa")
SITES = os.path.join(DATA, "sites.fa")
SCANS = {
    "hits": ("hits", ["asm-scan", "-k", "2", "-q", SITES]),
    "letters": ("hits", ["asm-scan", "-k", "2", "--with-seq", "-q", SITES]),
    "hits' ends": ("hits", ["asm-scan", "-k", "2", "--ends", "-q", SITES]),
    "best": ("hits", ["asm-scan", "-k", "3", "--report=best", "-q", SITES]),
    "counts": ("counts", ["asm-scan", "-k", "2", "--histogram", "-q", SITES]),
    "alignments": ("hits", ["sw-scan", "--min-score", "14", "-q", SITES]),
    # of which some begin in one chunk and end in several
    "long alignments": ("hits", ["sw-scan", "-n", "5", "-q",
                                 os.path.join(FOLDER, "long.fa")]),
    "n alignments": ("hits", ["sw-scan", "-n", "3", "-q", SITES]),
    "primers": ("primers", ["primer-find", "-k", "2", "-q", SITES]),
    "distances": ("distances", ["ebwt-dist"]),
}
passed = failed = 0


def test(name):
    def run(function):
        global passed, failed
        try:
            function()
        except Exception as error:
            failed += 1
            print(f"not ok {name}: {type(error).__name__}: {error}")
        else:
            passed += 1
            print(f"ok {name}")
    return run


def shown(value):
    if value is None:
        return "*"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table(arguments):
    """The columns and rows of tsv."""
    head, *rows = seqfilters.run(arguments).decode().splitlines()
    return head.lstrip("#").split("\t"), [row.split("\t") for row in rows]


def rows_of(rows, columns):
    at = [rows.columns.index(c) for c in columns]
    return [[shown(row[i]) for i in at] for row in rows]


def random_letters(rng, n, letters="ACGT"):
    return "".join(rng.choice(letters) for _ in range(n))


def make_genome():
    """Lambda's first letters, with N, lower case and other letters."""
    rng = random.Random(1)
    site = "TACCTCTGGCGGTGATA"
    with open(GENOME, "w") as file:
        for name, n in (("long one", 9000), ("short", 300), ("tiny", 40)):
            s = random_letters(rng, n)
            if n > 100:
                s = (s[:60] + site + s[60:120].lower() + "N" * 30 + "RYK"
                     + s[120:])
            file.write(f">{name}\n")
            for i in range(0, len(s), 60):
                file.write(s[i:i + 60] + "\n")
            if n == 9000:
                with open(os.path.join(FOLDER, "long.fa"), "w") as query:
                    query.write(f">q\n{s[900:1100]}\n>r\n{s[2950:3100]}\n")


def cut(*more):
    return seqfilters.pipe(["fasta-chunk", "-L", "1k", *more, GENOME])


def whole(name):
    """The same rows in the same order as the scanner's table."""
    function, arguments = SCANS[name]
    columns, rows = table([*arguments, "-O", "tsv", GENOME])
    found = getattr(seqfilters, function)(
        seqfilters.pipe([*arguments, "-O", "rec", GENOME]))
    assert rows and rows_of(found, columns) == rows
    assert rows_of(found, columns) == rows  # once more


def searched(name, *more, n=3):
    """Streams of parts."""
    arguments = SCANS[name][1]
    if name == "distances":  # which are not of parts
        return [seqfilters.run(arguments, cut())]
    threads = ["-t", "1"]
    return [seqfilters.run([*arguments, *threads, *more],
                           cut("--part", f"{i}/{n}", "-W", "500"))
            for i in range(n)]


def merged(data):
    """The table of merge-topk, or what it says."""
    path = os.path.join(FOLDER, "merged.rec")
    with open(path, "wb") as file:
        file.write(data)
    return table(["merge-topk", "--quiet", "-O", "tsv", path])


def same_as_merged(name, data, sources):
    """Is it taken as merge-topk takes it?"""
    function = getattr(seqfilters, SCANS[name][0])
    try:
        columns, rows = merged(data)
    except seqfilters.ProgramError as error:
        refusal = error
    else:
        assert sorted(rows_of(function(*sources), columns)) == sorted(rows)
        return True
    assert refusal.status in (1, 3), refusal
    try:
        list(function(*sources))
    except seqfilters.StreamError:
        return False
    raise AssertionError(f"merge-topk refuses it: {refusal}")


def parts(name):
    streams = searched(name)
    assert same_as_merged(name, b"".join(streams), streams)
    assert same_as_merged(name, b"".join(streams), reversed(streams))
    some = streams[1:]
    assert not same_as_merged(name, b"".join(some), some or [b""])


def merged_before(name):
    """A merge of some parts, and these: what comes twice counts once."""
    a, b, c = searched(name)
    both = seqfilters.run(["merge-topk", "--partial"], a + b)
    taken = same_as_merged(name, both + b + c, [both, b, c])
    assert taken == (name != "counts")  # which cannot be summed
    assert not same_as_merged(name, both, [both])
    assert same_as_merged(name, both + c, [c, both])


def conflicts(name):
    """Parts of another input, of other chunks, of another scan."""
    a, b, c = searched(name)
    arguments = [*SCANS[name][1], "-t", "1"]
    other = os.path.join(FOLDER, "genome.other", os.path.basename(GENOME))
    os.makedirs(os.path.dirname(other), exist_ok=True)
    with open(GENOME) as file, open(other, "w") as to:
        to.write(file.read() + "ACGT\n")
    cutting = ["fasta-chunk", "-L", "1k", "-W", "500", "--part"]
    for bad in (
            seqfilters.run(arguments, seqfilters.pipe(
                [*cutting, "2/3", other])),
            seqfilters.run(arguments, cut("--part", "2/3", "-W", "600")),
            seqfilters.run([*arguments, "-s", "+"],
                           cut("--part", "2/3", "-W", "500"))):
        assert not same_as_merged(name, a + b + bad, [a, b, bad])
        assert not same_as_merged(name, a + b + c + bad, [a, b, c, bad])


def split(data):
    """Frames as bytes."""
    found = [m.start() for m in re.finditer(re.escape(_stream.SYNC), data)]
    return [data[a:b] for a, b in zip(found, [*found[1:], len(data)])]


def faults(name):
    """Each frame left out, doubled, moved, cut, with a bit that changed."""
    data = b"".join(searched(name))
    frames = split(data)
    rng = random.Random(len(data))
    tried = collections.Counter()
    at = sorted({0, 1, 2, len(frames) - 1, len(frames) - 2}
                | set(rng.sample(range(len(frames)), min(3, len(frames)))))
    for i in at:
        before, one, after = frames[:i], frames[i], frames[i + 1:]
        cut_at = rng.randrange(1, len(one))
        byte = rng.randrange(len(one))
        changed = bytearray(one)
        changed[byte] ^= 1 << rng.randrange(8)
        for what, middle, end in (
                ("left out", [], after), ("doubled", [one, one], after),
                ("last", [], [*after, one]), ("cut", [one[:cut_at]], []),
                ("shorter", [one[:cut_at]], after),
                ("changed", [bytes(changed)], after)):
            bytes_ = b"".join([*before, *middle, *end])
            tried[what, same_as_merged(name, bytes_, [bytes_])] += 1
    assert tried["doubled", True] == tried["last", True] == len(at), tried
    for what in "cut", "shorter", "changed":
        assert tried[what, False] == len(at), tried
    assert tried["left out", False], tried


def forged(frame, payload=None, **fields):
    """The frame with another payload or header, and right checksums."""
    head = dict(zip(("sync", "version", "type", "flags", "crc", "n", "run",
                     "serial", "body_crc", "records"),
                    _stream.HEADER.unpack(frame[:48])))
    if payload is None:
        payload = frame[48:48 + head["n"]]
    head.update(fields, crc=0, n=len(payload), body_crc=zlib.crc32(payload))
    head["crc"] = zlib.crc32(_stream.HEADER.pack(*head.values()))
    return (_stream.HEADER.pack(*head.values()) + payload
            + bytes(-len(payload) % 16))


def body(frame):
    (n,) = struct.unpack_from("<Q", frame, 16)
    return frame[48:48 + n]


def contradictions():
    """Frames that are sound, and say what cannot be."""
    scan = SCANS["hits"][1]
    frames = split(seqfilters.run(scan, cut()))
    assert same_as_merged("hits", b"".join(frames), [b"".join(frames)])
    kinds = [frame[9] for frame in frames]
    end, seq, hit = map(kinds.index, (_stream.END, _stream.SEQ, _stream.HITS))
    last = body(frames[end])
    (digest,) = struct.unpack("<Q", last[-8:])
    other = struct.pack("<Q", digest ^ 1)
    row = next(f for f in frames if f[9] == _stream.HITS and
               struct.unpack_from("<I", f, 44)[0] > 1)
    changed = bytearray(body(row))
    changed[-5] ^= 1  # a length in the last CIGAR, or letters of it
    for name, data in (
            ("END's digest", frames[:end] + [forged(
                frames[end], last[:-8] + other)] + frames[end + 1:]),
            ("END's letters", frames[:end] + [forged(
                frames[end], last[:-10] + bytes([last[-10] ^ 1])
                + last[-9:])] + frames[end + 1:]),
            ("two ENDs", frames + [forged(frames[end], last[:-8] + other)]),
            ("a length", frames + [forged(frames[seq], body(
                frames[seq]).replace(b"long", b"lond"))]),
            ("a name", frames + [forged(
                frames[seq], b"\0\1" + body(frames[seq])[3:])]),
            ("a row", frames + [forged(row, bytes(changed))])):
        data = b"".join(data)
        assert not same_as_merged("hits", data, [data]), name
    assert hit


def needs():
    """Rows that a merge left out are said by its BEGIN."""
    data = seqfilters.run(["merge-topk", "-n", "2", "-O", "rec"],
                          seqfilters.pipe([*SCANS["hits"][1], "-O", "rec",
                                           GENOME]))
    assert same_as_merged("hits", data, [data])
    frames = split(data)
    begins = [i for i, f in enumerate(frames) if f[9] == _stream.BEGIN]
    assert len(begins) == 3
    for i in begins:
        some = b"".join(frames[:i] + frames[i + 1:])
        assert not same_as_merged("hits", some, [some])


def masked():
    """A payload that holds the sync is stored masked."""
    path = os.path.join(FOLDER, "masked.fa")
    with open(path, "wb") as file:
        file.write(b">a\x8fGREC\xff\nGATTACA\n")
    frames = split(seqfilters.run(
        ["asm-scan", "-O", "rec", "-s", "+", "-e", "GATTACA", path]))
    i = next(i for i, f in enumerate(frames) if f[9] == _stream.HITS)
    key = bytes(range(1, 9))
    flags = frames[i][10] | frames[i][11] << 8
    frames[i] = forged(frames[i], key + bytes(
        b ^ key[j % 8] for j, b in enumerate(body(frames[i]))),
        flags=flags | _stream.MASKED)
    data = b"".join(frames)
    hit, = seqfilters.hits(data)
    assert hit.subject.encode(errors="surrogateescape") == b"a\x8fGREC\xff"
    assert len(merged_bytes(data)) == 2


def merged_bytes(data):
    return subprocess.run([seqfilters.find("merge-topk"), "-O", "tsv"],
                          input=data, stdout=subprocess.PIPE,
                          check=True).stdout.splitlines()


def later_version():
    stream = seqfilters.run(["asm-scan", "-O", "rec", "-e", "GATTACA",
                             GENOME])
    first, *rest = split(stream)
    for word, fields in (("version", {"version": 2}),
                         ("later", {"flags": 0x8000})):
        try:
            seqfilters.hits(forged(first, **fields) + b"".join(rest))
        except seqfilters.StreamError as error:
            assert word in str(error), error
        else:
            raise AssertionError(word)


def fasta(text):
    return {r.split("\n", 1)[0].split(" ")[0]:
            "".join(r.split("\n")[1:]) for r in text.split(">")[1:]}


def letters():
    """All encodings, case, U, other letters, many records, circles."""
    rng = random.Random(2)
    kinds = {
        "dna": "ACGT", "case": "acgtACGT", "n": "ACGTACGTN", "rna": "ACGU",
        "iupac": "ACMGRSVTWYHKDBN", "both": "ACGTU",
        "protein": "ACDEFGHIKLMNPQRSTVWY*",
    }
    for kind, alphabet in kinds.items():
        for n in (1, 63, 64, 65, 2500):
            path = os.path.join(FOLDER, "letters.fa")
            text = "".join(f">{kind}.{i} of {n}\n"
                           f"{random_letters(rng, n, alphabet)}\n"
                           for i in range(3))
            with open(path, "w") as file:
                file.write(text)
            command = ["fasta-chunk", "-L", "1k", path]
            if kind != "protein":
                command.insert(1, "--circular")
            same_letters(command, fasta(text))


def same_letters(command, expected):
    data = seqfilters.run(command)
    found = dict.fromkeys(expected, "")
    for piece in seqfilters.chunks(data):
        length = len(expected[piece.name])
        assert (piece.first, piece.beg) != (True, 1)
        assert piece.length in (None, length)
        beg, end = piece.own_beg, piece.own_end
        if piece.circular and piece.first:
            beg = piece.beg
        if piece.circular and beg >= length:
            continue  # the begin once more
        found[piece.name] += piece.letters[beg - piece.beg:end - piece.beg]
    assert found == expected
    for frame in _stream.frames(data):
        if frame.type == _stream.CHUNK:
            chunk = _chunks.chunk(frame)
            assert _chunks.computed_digest(frame, chunk) == chunk.digest


def chunks_faults():
    data = seqfilters.run(["fasta-chunk", "-L", "1k", GENOME])
    frames = split(data)
    for i, frame in enumerate(frames):
        some = b"".join(frames[:i] + frames[i + 1:])
        status = subprocess.run([seqfilters.find("rec-view"), "--check"],
                                input=some, stderr=subprocess.PIPE).returncode
        # a length is said in the last chunk, too
        assert status == (0 if frame[9] == _stream.SEQ else 3)
        try:
            list(seqfilters.chunks(some))
        except seqfilters.StreamError:
            assert status
        else:
            assert not status, f"frame {i} is not missed"
    every = list(seqfilters.chunks(data))
    assert list(seqfilters.chunks(data, data)) == every


def matrices():
    path = os.path.join(FOLDER, "m.txt")
    with open(path, "w") as file:
        file.write(">m\n.1 .2 .3 .4\n.25 .25 .25 .25\n1 0 0 0\n")
    piece, = seqfilters.chunks(seqfilters.pipe(["fasta-chunk", path]))
    assert [round(v, 6) for v in piece.matrix] == [
        .1, .2, .3, .4, .25, .25, .25, .25, 1, 0, 0, 0], piece


def programs():
    """They are those of the package, and one that fails says why."""
    for name in ("asm-scan", "sw-scan", "primer-find", "pcr-find",
                 "ebwt-dist", "fasta-chunk", "merge-topk", "rec-view"):
        assert seqfilters.find(name).startswith(sys.prefix), name
        assert seqfilters.run([name, "--version"]).split()[1].decode() == (
            seqfilters.__version__) == importlib.metadata.version("seqfilters")
    for failing in (
            lambda: seqfilters.run(["asm-scan", "-k", "x", "-e", "A", GENOME]),
            lambda: seqfilters.run(["merge-topk"], seqfilters.pipe(
                ["asm-scan", "-k", "x", "-e", "A", GENOME]))):
        try:
            failing()
        except seqfilters.ProgramError as error:
            assert (error.status, error.program) == (2, "asm-scan"), error
            assert "-k" in str(error)
            assert pickle.loads(pickle.dumps(error)).status == 2
        else:
            raise AssertionError("it did not fail")
    # those before it end as nobody reads on: not for them
    try:
        seqfilters.run(["asm-scan", "--none"], seqfilters.pipe(
            ["fasta-chunk", *[GENOME] * 200]))
    except seqfilters.ProgramError as error:
        assert "--none" in str(error), error
    data = b">a\nAC\n"
    path = os.path.join(FOLDER, "ac.fa")
    with open(path, "wb") as file, gzip.open(path + ".gz", "wb") as packed:
        file.write(data)
        packed.write(b"junk" + data)
    file, packed = open(path, "rb"), gzip.open(path + ".gz")
    file.read(3)
    file.seek(0)
    packed.read(4)
    for stdin in (bytearray(data), io.BytesIO(data), memoryview(data), file,
                  packed):
        assert seqfilters.run(["asm-scan", "-s", "+", "-e", "AC", "-O", "bed",
                               "-"], stdin) == b"a\t0\t2\tAC\t0\t+\n"
    for what, wrong in (
            ("list", lambda: seqfilters.run("asm-scan")),
            ("program first", lambda: seqfilters.run([])),
            ("not str", lambda: seqfilters.run(["rec-view"], "x")),
            ("not list", lambda: seqfilters.hits(["x.rec"])),
            ("not StringIO", lambda: seqfilters.hits(io.StringIO("x")))):
        try:
            wrong()
        except TypeError as error:
            assert what in str(error), error
        else:
            raise AssertionError(what)
    with seqfilters.pipe(["fasta-chunk", GENOME]) as unread:
        assert unread.read(8) == _stream.SYNC


def sources():
    """Files, packed ones, pipes, bytes; an empty one, another kind."""
    path = os.path.join(FOLDER, "s.rec")
    seqfilters.run(["asm-scan", "-k", "2", "-q", SITES, "-o", path, GENOME])
    expected = list(seqfilters.hits(path))
    with open(path, "rb") as file:
        assert list(seqfilters.hits(file)) == expected
        file.seek(0)
        data = file.read()
    assert list(seqfilters.hits(memoryview(data))) == expected
    for tool, suffix in ("gzip", ".gz"), ("bzip2", ".bz2"), ("xz", ".xz"):
        packed = subprocess.run([tool, "-c", path], check=True,
                                stdout=subprocess.PIPE).stdout
        assert list(seqfilters.hits(packed)) == expected
        middle = len(packed) // 2
        for damaged in packed[:-9], (packed[:middle] + b"no" +
                                     packed[middle + 2:]):
            try:
                seqfilters.hits(damaged)
            except seqfilters.StreamError:
                continue
            raise AssertionError(f"a damaged {suffix}")
    for wrong in (b"", b">a\nACGT\n", data[:-1], b"\x28\xb5\x2f\xfd" + data,
                  seqfilters.run(["fasta-chunk", GENOME])):
        try:
            seqfilters.hits(wrong)
        except seqfilters.StreamError:
            continue
        raise AssertionError(wrong[:20])
    try:
        seqfilters.hits(seqfilters.run(
            ["asm-scan", "-k", "2", "-q", SITES, GENOME]))
    except seqfilters.StreamError as error:
        assert "-O rec" in str(error), error
    try:
        seqfilters.counts(data)
    except seqfilters.StreamError as error:
        assert "HITS" in str(error)
    else:
        raise AssertionError("hits as counts")


def frames_of(library):
    def run():
        module = __import__(library)
        rows = seqfilters.hits(seqfilters.pipe(
            ["asm-scan", "-O", "rec", "-k", "2", "-q", SITES, GENOME]))
        frame = seqfilters.frame(rows, library)
        assert isinstance(frame, module.DataFrame)
        assert list(frame.columns) == list(seqfilters.Hit._fields)
        assert list(frame["send"]) == [hit.send for hit in rows]
        none = seqfilters.frame(seqfilters.Rows(rows.kind, lambda: iter(())),
                                library)
        assert list(none.columns) == list(rows.columns) and len(none) == 0
        if library == "polars":  # they can be put together
            assert none.schema == frame.schema, none.schema
        assert none["send"].dtype == frame["send"].dtype
    return run


make_genome()
test("programs")(programs)
for scan in SCANS:
    test(f"{scan}: the rows of tsv")(lambda: whole(scan))
    test(f"{scan}: parts")(lambda: parts(scan))
    test(f"{scan}: faults")(lambda: faults(scan))
    if scan not in ("distances", "primers"):
        test(f"{scan}: merged before")(lambda: merged_before(scan))
        test(f"{scan}: parts of two inputs")(lambda: conflicts(scan))
test("frames that contradict each other")(contradictions)
test("BEGIN of an earlier merge")(needs)
test("a masked frame")(masked)
test("a later version")(later_version)
test("chunks: letters and digests")(letters)
test("chunks: matrices")(matrices)
test("chunks: a frame is missing")(chunks_faults)
test("sources")(sources)


@test("XXH64, the specification's values")
def _():
    for data, expected in ((b"", 0xef46db3751d8e999),
                           (b"a", 0xd24ec4f1a98c6e5b),
                           (b"abc", 0x44bc2cf5ad770999)):
        assert _xxh64.xxh64(data) == expected


for library in "pandas", "polars":
    try:
        __import__(library)
    except ImportError:
        print(f"skipped: {library} is not installed")
    else:
        test(library)(frames_of(library))
print("module:")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
