# SPDX-License-Identifier: MIT
"""The programs: found beside this package, or else in PATH."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import IO, Any, Iterator, Sequence, Union

from ._stream import Error

Argument = Union[str, bytes, "os.PathLike[str]"]
Input = Union[None, bytes, "Pipe", IO[bytes]]


class ProgramError(Error):
    """A program failed; status is its exit status, as its manual has it: 1
    damage, I/O, memory or a limit, 2 usage, 3 an incomplete stream."""

    def __init__(self, program: str, status: int, message: str) -> None:
        super().__init__(message or f"{program}: exit status {status}")
        self.program, self.status, self.message = program, status, message


def _folders() -> Iterator[str]:
    yield sysconfig.get_path("scripts")
    if hasattr(sysconfig, "get_preferred_scheme"):  # of pip install --user
        yield sysconfig.get_path(
            "scripts", sysconfig.get_preferred_scheme("user"))
    # of pip install --target
    yield os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin")


def find(program: str) -> str:
    """The path of a program."""
    for folder in _folders():
        path = os.path.join(folder, program)
        if os.access(path, os.X_OK):
            return path
    path_found = shutil.which(program)
    if path_found is None:
        raise FileNotFoundError(f"{program} is neither beside the package "
                                "seqfilters nor in PATH")
    return path_found


class Pipe(io.RawIOBase):
    """A program's output, to be read while it runs.  ProgramError at the end
    of the output if it failed."""

    def __init__(self, arguments: Sequence[Argument], stdin: Input) -> None:
        super().__init__()
        self._program = os.fsdecode(arguments[0])
        command = [find(self._program), *arguments[1:]]
        self._before = stdin if isinstance(stdin, Pipe) else None
        self._messages = tempfile.TemporaryFile()
        taken: Any = subprocess.DEVNULL
        if isinstance(stdin, bytes):
            taken = tempfile.TemporaryFile()
            taken.write(stdin)
            taken.seek(0)
        elif stdin is not None:
            taken = stdin
        try:
            self._process = subprocess.Popen(
                command, stdin=taken, stdout=subprocess.PIPE,
                stderr=self._messages)
        finally:
            if self._before is not None:
                self._before._hand_over()
            elif isinstance(stdin, bytes):
                taken.close()
        assert self._process.stdout is not None
        self._out: IO[bytes] = self._process.stdout

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._out.fileno()

    def _hand_over(self) -> None:
        """The next program has our output now."""
        self._out.close()

    def readinto(self, buffer: Any) -> int:
        n: int = self._out.readinto(buffer)  # type: ignore[attr-defined]
        if n == 0 and len(buffer):
            self.wait()
        return n

    def wait(self) -> None:
        """Wait for it, and those before it; the first that failed raises."""
        status = self._process.wait()
        if self._before is not None:
            self._before.wait()
        self._messages.seek(0)
        said = self._messages.read().decode("utf-8", "replace").strip()
        self._messages.truncate(0)
        if status:
            raise ProgramError(self._program, status, said)
        if said:  # notes
            print(said, file=sys.stderr)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_process"):
            self._out.close()
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._messages.close()
            if self._before is not None:
                self._before.close()
        super().close()


def pipe(arguments: Sequence[Argument], stdin: Input = None) -> Pipe:
    """Start a program; its output is read from what this returns.  stdin may
    be another pipe(): then the two are a pipeline."""
    return Pipe(arguments, stdin)


def run(arguments: Sequence[Argument], stdin: Input = None) -> bytes:
    """Run a program to its end, and return its output.  ProgramError if it,
    or a pipe() before it, failed."""
    with pipe(arguments, stdin) as output:
        return output.readall()
