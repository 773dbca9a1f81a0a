# SPDX-License-Identifier: MIT
"""Exact sequence search on genomes: the programs of seqfilters, and what they
write as named tuples.

    stream = seqfilters.pipe(["asm-scan", "-O", "rec", "-k", "3",
                              "-q", "guides.fa", "genome.fa.gz"])
    for hit in seqfilters.hits(stream):
        print(hit.query, hit.subject, hit.sbeg, hit.send, hit.edits)

A source is a file's name, an open binary file, a pipe() or bytes.  Several are
read as one: the parts of a search.  They must be whole: as merge-topk does,
the functions hold all receipts against the END of the stream, and raise
StreamError before the first row if anything is damaged or missing.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import (IO, Any, Callable, Generic, Iterable, Iterator, NamedTuple,
                    Optional, TypeVar, cast)

from . import _chunks, _head, _ledger, _rows, _stream
from ._ledger import Ledger
from ._programs import Pipe, ProgramError, find, pipe, run
from ._rows import Count, Distance, Ends, Hit, Key, Piece
from ._stream import (BEGIN, CHUNK, DIST, DONE, END, HITS, NAMES, PRIMER,
                      RESULTS, SEQ, TALLY, Error, Frame, Source, StreamError)

__version__ = "0.2.0"
__all__ = ["Count", "Distance", "Ends", "Error", "Hit", "Piece", "Pipe",
           "Primer", "ProgramError", "Rows", "Source", "StreamError",
           "chunks", "counts", "distances", "ends", "find", "frame", "hits",
           "pipe", "primers", "run"]

T = TypeVar("T")


class Primer(NamedTuple):
    """A row of primer-find."""

    target: str
    beg: int
    end: int
    length: int
    k: int
    sequence: str
    strand: str


class Rows(Generic[T]):
    """Rows of a stream that is whole; may be gone through again."""

    def __init__(self, kind: Any, begin: Callable[[], Iterator[T]]) -> None:
        self.kind = kind
        self.columns: tuple[str, ...] = kind._fields
        self._begin = begin

    def __iter__(self) -> Iterator[T]:
        return self._begin()


def _note(frame: Frame, ledger: Ledger) -> bool:
    """Take note of a frame; is it a result that was not there before?"""
    if frame.type == BEGIN:
        ledger.begin(frame)
    elif frame.type == END:
        ledger.end(frame)
    elif frame.type == SEQ:
        ledger.seq(frame)
    elif not ledger.is_copy(frame):
        if frame.type == CHUNK:
            _chunks.note(frame, _chunks.chunk(frame), ledger)
            return False
        c, key, receipt = _ledger.head(frame)
        if frame.type == HITS:
            at = c.at
            _head.queries(c)
            for name in _head.subjects(c):
                ledger.name(frame.run, name)
            c.at = at
        ledger.result(frame, key, receipt, c.at)
        return True
    return False


def _whole(sources: Iterable[Source], kind: int) -> tuple[list[Frame], Ledger]:
    """All results of a kind, and the ledger, which has no complaint."""
    ledger = Ledger()
    kept: list[Frame] = []
    other: set[int] = set()
    n = 0
    for source in sources:
        for frame in _stream.frames(source):
            if not _note(frame, ledger):
                continue
            if frame.type == kind:
                kept.append(frame)
            elif frame.type != DONE:
                other.add(frame.type)
        n += 1
    if not n:
        raise TypeError("no record stream is given")
    ledger.judge()
    if other:
        raise StreamError(f"the stream holds {NAMES[min(other)]} frames, "
                          f"where those called {NAMES[kind]} are wanted")
    return kept, ledger


def _limits(ledger: Ledger) -> dict[int, int]:
    """Of scans that choose the best rows of each query: how many."""
    limits: dict[int, int] = {}
    for _, begin in ledger.begins:
        best = begin.value(b"best")
        if (begin.scan and best and best.isdigit() and
                begin.value(b"program") != b"merge-topk" and
                begin.rule in (_head.CLASS, _head.BEST)):
            limits[begin.scan] = max(limits.get(begin.scan, 0), int(best))
    return limits


def _class(key: Key, hit: Hit) -> tuple[Any, ...]:
    return (*key, hit.strand, hit.sbeg,
            hit.qbeg if hit.strand == "+" else hit.qend)


def _rank(hit: Hit) -> tuple[int, int, int]:
    """Of a class the least one stays."""
    return (-hit.score, hit.send,
            hit.qend if hit.strand == "+" else -hit.qbeg)


def _best_of_classes(rows: list[tuple[Key, Hit]]) -> list[tuple[Key, Hit]]:
    best: dict[tuple[Any, ...], tuple[Key, Hit]] = {}
    for key, hit in rows:
        if key.rule == _head.CLASS:
            of = _class(key, hit)
            if of not in best or _rank(hit) < _rank(best[of][1]):
                best[of] = key, hit
    chosen = set(best.values())
    return [row for row in rows
            if row[0].rule != _head.CLASS or row in chosen]


def _least(rows: list[tuple[Key, Hit]]) -> list[tuple[Key, Hit]]:
    best: dict[tuple[int, int], int] = {}
    for key, hit in rows:
        if key.rule == _head.LEAST:
            of = key.scan, key.query
            best[of] = max(best.get(of, hit.score), hit.score)
    return [(key, hit) for key, hit in rows if key.rule != _head.LEAST or
            hit.score == best[key.scan, key.query]]


def _limited(rows: list[tuple[Key, Hit]],
             ledger: Ledger) -> list[tuple[Key, Hit]]:
    """The best of each query, if the scanner chose so many."""
    limits = _limits(ledger)
    queries: dict[tuple[int, int], list[tuple[Key, Hit]]] = {}
    for key, hit in rows:
        queries.setdefault((key.scan, key.query), []).append((key, hit))
    order = {id: (run.key, id) for id, run in ledger.runs.items()}

    def by(row: tuple[Key, Hit]) -> tuple[Any, ...]:
        key, hit = row
        return (-hit.score, order[key.run], key.subject, hit.send, hit.qend,
                hit.sbeg, hit.strand == "-", hit.qbeg, hit.cigar or "")

    out: set[tuple[Key, Hit]] = set()
    for (scan, _), each in queries.items():
        if scan in limits and len(each) > limits[scan]:
            out.update(sorted(each, key=by)[limits[scan]:])
    return [row for row in rows if row not in out] if out else rows


def hits(*sources: Source) -> Rows[Hit]:
    """Hits of asm-scan and sw-scan, in the order of the stream; each once."""
    kept, ledger = _whole(sources, HITS)

    scans = [s for run in ledger.runs.values() for s in run.scans.values()]
    if all(s.rule == _head.UNION and not s.twice for s in scans):
        for frame in kept:
            _rows.subjects(frame, ledger)
        return Rows(Hit, lambda: (
            hit for frame in kept for hit in _rows.hits(frame, ledger)))
    rows = list(dict.fromkeys(
        row for frame in kept for row in _rows.keyed(frame, ledger)))
    rows = _limited(_least(_best_of_classes(rows)), ledger)
    return Rows(Hit, lambda: (hit for _, hit in rows))


def counts(*sources: Source) -> Rows[Count]:
    """Numbers of places by edits: asm-scan --histogram, --report=count."""
    sums: dict[tuple[int, int, str, int], Count] = {}
    for frame in _whole(sources, TALLY)[0]:
        for (_, scan, query, strand), row in _rows.counts(frame):
            of = scan, query, strand, row.edits
            before = sums[of].count if of in sums else 0
            sums[of] = row._replace(count=before + row.count)
    rows = [sums[of] for of in sorted(sums)]
    return Rows(Count, lambda: iter(rows))


def distances(*sources: Source) -> Rows[Distance]:
    """Distances of ebwt-dist."""
    kept, ledger = _whole(sources, DIST)
    rows: dict[tuple[int, int, int, int], Distance] = {}
    for frame in kept:
        for key, row in _rows.distances(frame, ledger):
            rows.setdefault(key, row)
    every = list(rows.values())
    return Rows(Distance, lambda: iter(every))


def _larger(a: Ends, b: Ends) -> Ends:
    end3 = a.end3
    if end3 is not None and b.end3 is not None:
        end3 = list(map(max, end3, b.end3))
    return a._replace(end=list(map(max, a.end, b.end)), end3=end3)


def ends(*sources: Source) -> Rows[Ends]:
    """What primer-find knows of each letter of its targets."""
    most: dict[tuple[int, int, str, int], Ends] = {}
    for frame in _whole(sources, PRIMER)[0]:
        key, row = _rows.ends(frame)
        most[key] = _larger(most[key], row) if key in most else row
    rows = [most[key] for key in sorted(most)]
    return Rows(Ends, lambda: iter(rows))


def _files(sources: Iterable[Source], folder: str) -> list[str]:
    """Their names, of files in the folder if they have none."""
    names = []
    for i, source in enumerate(sources):
        if isinstance(source, (str, os.PathLike)):
            names.append(os.path.abspath(source))
            continue
        names.append(os.path.join(folder, f"{i}.rec"))
        with open(names[-1], "wb") as file:
            if isinstance(source, (bytes, bytearray, memoryview)):
                file.write(source)
            else:
                shutil.copyfileobj(cast("IO[bytes]", source), file, 1 << 20)
    return names


def primers(*sources: Source) -> Rows[Primer]:
    """Primers of primer-find, which merge-topk makes of the stream."""
    with tempfile.TemporaryDirectory() as folder:
        names = _files(sources, folder)
        _whole(names, PRIMER)
        table = run(["merge-topk", "--quiet", "-O", "tsv", "--columns",
                     ",".join(Primer._fields), *names])
    rows = []
    for line in table.decode("utf-8", "surrogateescape").split("\n")[1:-1]:
        target, beg, end, length, k, sequence, strand = line.split("\t")
        rows.append(Primer(target, int(beg), int(end), int(length), int(k),
                           sequence, strand))
    return Rows(Primer, lambda: iter(rows))


def chunks(*sources: Source) -> Iterator[Piece]:
    """Pieces of sequences of fasta-chunk, as they come.  What is missing is
    known at the end only: then StreamError is raised after the last piece."""
    ledger = Ledger(chunks=True)
    for source in sources:
        for frame in _stream.frames(source):
            if frame.type != CHUNK:
                _note(frame, ledger)
            elif not ledger.is_copy(frame):
                chunk = _chunks.chunk(frame)
                _chunks.note(frame, chunk, ledger)
                yield from _chunks.pieces(frame, chunk)
    ledger.judge()


_TYPES = {"int": ("int64", "Int64"), "float": ("float64", "Float64"),
          "str": ("str", "String")}


def _types(kind: Any, library: int) -> dict[str, str]:
    """Of columns, which frames without rows have, too.  pandas has no whole
    number that may be missing."""
    types = {}
    for column, hint in getattr(kind, "__annotations__", {}).items():
        name = str(getattr(hint, "__forward_arg__", hint))
        if library == 1:
            name = name.replace("Optional[", "").rstrip("]")
        if name in _TYPES:
            types[column] = _TYPES[name][library]
    return types


def frame(rows: Iterable[Any], library: Optional[str] = None) -> Any:
    """Rows as a frame of pandas or polars; of the first that is installed if
    library does not say which."""
    kind = getattr(rows, "kind", None)
    every = list(rows)
    if kind is None:
        if not every:
            raise ValueError("no rows, and no names of columns")
        kind = type(every[0])
    for name in [library] if library else ["pandas", "polars"]:
        if name not in ("pandas", "polars"):
            raise ValueError(f"{name}: library must be pandas or polars")
        try:
            module = __import__(name)
        except ImportError:
            continue
        if name == "pandas":
            table = module.DataFrame(every, columns=list(kind._fields))
            return table if every else table.astype(_types(kind, 0))
        return module.DataFrame(
            {c: [row[i] for row in every] for i, c in enumerate(kind._fields)},
            strict=False, schema_overrides={
                c: getattr(module, t) for c, t in _types(kind, 1).items()})
    raise ImportError(f"{library or 'pandas or polars'} is not installed")
