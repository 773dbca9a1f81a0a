# SPDX-License-Identifier: MIT
"""Is a stream whole?  The ledger of rec(5): receipts are held against END."""

from __future__ import annotations

import hashlib
from typing import Iterable, Optional

from . import _head
from ._head import Begin, End, Name, Range, Receipt, RunKey
from ._stream import UNMERGED, Cursor, Frame, StreamError, text
from ._xxh64 import xxh64

_LISTED = 10  # missing ranges that an error names
_CURE = "give each input a --label of its own"


class Scan:
    """Receipts of a scan of a run, or of its chunks."""

    def __init__(self, rule: int) -> None:
        self.rule = rule
        # of each list of ranges the frames: number, last, content
        self.groups: dict[tuple[Range, ...],
                          list[tuple[int, bool, bytes]]] = {}
        self.needs: set[int] = set()
        self.twice = False  # were chunks covered more than once?

    def add(self, ranges: tuple[Range, ...], number: int, last: bool,
            content: bytes) -> None:
        group = self.groups.setdefault(ranges, [])
        self.twice |= (number, last) in ((n, at_end) for n, at_end, _ in group)
        group.append((number, last, content))


class Run:
    def __init__(self, key: RunKey) -> None:
        self.key = key
        self.begun = False
        self.end: Optional[End] = None
        self.ends_differ = False
        self.chunks = Scan(_head.SUM)
        self.scans: dict[tuple[int, int], Scan] = {}
        self.begins: dict[int, set[int]] = {}

    def name(self) -> str:
        label = f" ({text(self.key.label)})" if self.key.label else ""
        return text(self.key.base) + label


class Fault(Exception):
    pass


def _check_group(frames: Iterable[tuple[int, bool, bytes]],
                 rule: int) -> None:
    """Numbers 0, 1, ... of which the last one is marked; or results of one
    frame each, fine where merging again changes nothing."""
    each = sorted(frames)
    # numbered copies, of a file and a pipe, count once
    each = [f for i, f in enumerate(each)
            if not i or f != each[i - 1] or not f[2] or (f[0] == 0 and f[1])]
    if all(number == 0 and last for number, last, _ in each):
        if len({content for _, _, content in each if content}) > 1:
            raise Fault(f"results of one chunk disagree; {_CURE}")
        if len(each) > 1 and rule == _head.SUM:
            raise Fault("it came twice, and cannot be summed")
        return
    numbers = [number for number, _, _ in each]
    lasts = [last for _, last, _ in each]
    if len(set(numbers)) < len(numbers) or sum(lasts) > 1:
        raise Fault(f"results of one chunk disagree; {_CURE}")
    if not lasts[-1] or numbers[-1] != len(numbers) - 1:
        raise Fault("a result of several frames lacks some")


class _Open:
    """A range, and what those nested in it add up to."""

    def __init__(self, r: Range) -> None:
        self.r = r
        self.upto, self.letters, self.digest = r.beg, 0, 0
        self.tiled = True

    def add(self, r: Range) -> None:
        self.tiled &= r.beg == self.upto
        self.upto = r.end
        self.letters += r.letters
        self.digest += r.digest

    def close(self) -> None:
        if self.tiled and self.upto == self.r.end and (
                self.letters != self.r.letters or
                self.digest - self.r.digest & _head.NOT_KNOWN):
            raise Fault(f"chunk {self.r.beg}: results of one chunk "
                        f"disagree; {_CURE}")


def _meet(stack: list[_Open], r: Range, rule: int) -> None:
    """r begins within the innermost range."""
    o = stack[-1]
    if r.end > o.r.end:
        raise Fault(f"chunk {r.beg}: results overlap in part")
    if rule == _head.SUM:
        raise Fault(f"chunk {r.beg}: it came twice, and cannot be summed")
    if (r.beg, r.end) == (o.r.beg, o.r.end):
        if r != o.r:
            raise Fault(f"chunk {r.beg}: results of one chunk disagree; "
                        f"{_CURE}")
        return
    o.add(r)
    stack.append(_Open(r))


def _cover(scan: Scan) -> list[Range]:
    """The outermost ranges, in order; those within them agree with them."""
    top: list[Range] = []
    stack: list[_Open] = []
    every = [r for ranges in scan.groups for r in ranges]
    for r in sorted(every, key=lambda r: (r.beg, -r.end)):
        while stack and stack[-1].r.end <= r.beg:
            stack.pop().close()
        if stack:
            scan.twice = True
            _meet(stack, r, scan.rule)
        else:
            top.append(r)
            stack.append(_Open(r))
    while stack:
        stack.pop().close()
    return top


def _missing(top: list[Range], chunks: int) -> list[tuple[int, int]]:
    gaps = []
    upto = 0
    for r in [*top, Range(chunks, chunks, 0, 0)]:
        if r.beg > upto:
            gaps.append((upto, r.beg))
        upto = max(upto, r.end)
    return gaps


class Ledger:
    def __init__(self, chunks: bool = False) -> None:
        self.judges_chunks = chunks
        self.runs: dict[int, Run] = {}
        self.seen: set[bytes] = set()
        self.names: dict[tuple[int, int], int] = {}
        self.lengths: dict[tuple[int, int], int] = {}
        self.any = False
        self.seq_runs: set[int] = set()
        self.begins: list[tuple[int, Begin]] = []
        self.wrong: list[str] = []

    def run(self, id: int, key: RunKey) -> Run:
        run = self.runs.setdefault(id, Run(key))
        run.key = min(run.key, key)
        return run

    def is_copy(self, frame: Frame) -> bool:
        """Was it there before?  Of results and chunks."""
        head = (frame.type, frame.run, frame.serial, frame.records)
        digest = hashlib.blake2b(frame.payload, digest_size=16,
                                 key=repr(head).encode()[:64]).digest()
        if digest in self.seen:
            return True
        self.seen.add(digest)
        return False

    def begin(self, frame: Frame) -> None:
        begin = _head.begin(frame)
        run = self.run(frame.run, begin.run)
        run.begins.setdefault(begin.scan, set()).add(xxh64(begin.text))
        self.begins.append((frame.run, begin))
        if begin.scan:
            run.scans.setdefault((begin.scan, begin.rule), Scan(begin.rule))
        else:
            run.begun = True

    def end(self, frame: Frame) -> None:
        key, end = _head.end(frame)
        run = self.run(frame.run, key)
        run.ends_differ |= run.end is not None and run.end != end
        run.end = end

    def seq(self, frame: Frame) -> None:
        name = _head.seq(frame)
        self.seq_runs.add(frame.run)
        self.name(frame.run, name)
        self.length(frame.run, name)

    def name(self, run: int, name: Name) -> None:
        known = self.names.setdefault((run, name.ordinal), hash(name.name))
        if known != hash(name.name):
            self.wrong.append(f"{name.name}: record {name.ordinal + 1} has "
                              f"two names; {_CURE}")

    def length(self, run: int, name: Name) -> None:
        if name.length is None:
            return
        known = self.lengths.setdefault((run, name.ordinal), name.length)
        if known != name.length:
            self.wrong.append(f"{name.name}: it has two lengths; {_CURE}")

    def result(self, frame: Frame, key: RunKey, receipt: Receipt,
               body_at: int) -> None:
        content = b""
        if frame.flags & UNMERGED:
            content = hashlib.blake2b(frame.payload[body_at:], digest_size=16,
                                      key=bytes([frame.type])).digest()
        run = self.run(frame.run, key)
        scan = run.scans.setdefault((receipt.scan, receipt.rule),
                                    Scan(receipt.rule))
        scan.needs.update(receipt.needs)
        scan.add(receipt.ranges, receipt.number, receipt.last, content)

    def chunk(self, frame: Frame, key: RunKey, letters: int,
              digest: int) -> None:
        r = Range(frame.serial, frame.serial + 1, letters, digest)
        self.run(frame.run, key).chunks.add((r,), 0, True, b"")

    def _judge_scan(self, run: Run, scan: Scan, end: End) -> None:
        for ranges, frames in scan.groups.items():
            try:
                _check_group(frames, scan.rule)
            except Fault as fault:
                at = f"chunk {ranges[0].beg}: " if ranges else ""
                raise Fault(f"{at}{fault}") from None
        top = _cover(scan)
        gaps = _missing(top, end.chunks)
        if gaps:
            n = sum(b - a for a, b in gaps)
            listed = ", ".join(f"{a}" if b - a == 1 else f"{a}-{b - 1}"
                               for a, b in gaps[:_LISTED])
            more = ", ..." if len(gaps) > _LISTED else ""
            raise Fault(f"{n} of {end.chunks} chunks "
                        f"{'is' if n == 1 else 'are'} missing: {listed}{more}")
        if top and top[-1].end > end.chunks:
            raise Fault(f"chunk {top[-1].end - 1} came, though there are "
                        f"{end.chunks}")
        if scan.rule == _head.MAXIMUM and not scan.groups:
            raise Fault("a result is missing")
        if sum(r.letters for r in top) != end.letters:
            raise Fault("not all of its letters were searched")
        if not end.fits(sum(r.digest for r in top)):
            raise Fault("what was searched has another digest than the "
                        f"input; {_CURE}")

    def _judge_begins(self, run: Run) -> None:
        if not run.begun:
            raise Fault("no BEGIN frame")
        for (id, _), scan in run.scans.items():
            begins = run.begins.get(id, set())
            if not begins - scan.needs:
                raise Fault("no BEGIN frame of the scanner")
            if scan.needs - begins:
                raise Fault("no BEGIN frame of an earlier merge-topk, which "
                            "left out rows")

    def _judge_run(self, run: Run) -> None:
        self._judge_begins(run)
        if run.end is None:
            raise Fault("no END frame: the rest of the stream is missing")
        if run.ends_differ:
            raise Fault("END frames disagree: parts of two inputs, or of one "
                        f"that was changed; {_CURE}")
        if self.judges_chunks:
            self._judge_scan(run, run.chunks, run.end)
            return
        if not run.scans and run.end.chunks:
            raise Fault(f"no result of its {run.end.chunks} chunks")
        for scan in run.scans.values():
            self._judge_scan(run, scan, run.end)

    def judge(self) -> None:
        """StreamError unless everything is there."""
        reasons = list(self.wrong)
        if not self.runs:
            reasons.append("the input holds no run")
        for run in self.runs.values():
            try:
                self._judge_run(run)
            except Fault as fault:
                reasons.append(f"{run.name()}: {fault}")
        if self.seq_runs - set(self.runs):
            reasons.append("there is a run with nothing but lengths")
        if reasons:
            raise StreamError("; ".join(reasons))


def head(frame: Frame) -> tuple[Cursor, RunKey, Receipt]:
    """Of a result frame; the cursor stands behind it."""
    c = Cursor(frame)
    return c, _head.run_key(c), _head.receipt(c)
