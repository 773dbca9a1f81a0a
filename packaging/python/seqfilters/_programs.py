# SPDX-License-Identifier: MIT
"""The programs: found beside this package, or else in PATH."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from typing import IO, Any, Iterator, Optional, Sequence, Union

from ._stream import Error, File

Argument = Union[str, bytes, "os.PathLike[str]"]
Input = Union[None, bytes, bytearray, memoryview, File]


class ProgramError(Error):
    """A program failed; status is its exit status, as its manual has it: 1
    damage, I/O, memory or a limit, 2 usage, 3 an incomplete stream."""

    def __init__(self, program: str, status: int, message: str) -> None:
        super().__init__(program, status, message)
        self.program, self.status, self.message = program, status, message

    def __str__(self) -> str:
        return self.message or f"{self.program}: exit status {self.status}"


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


def _has_number(file: Any) -> bool:
    """Can a program read on where Python is in it?"""
    raw = hasattr(file, "raw")
    if isinstance(file, io.BufferedIOBase) and not raw:
        return False  # what it has unpacked, its number has not
    try:
        number = file.fileno()
    except (AttributeError, io.UnsupportedOperation):
        return False
    if raw and file.seekable():  # some may be read ahead
        os.lseek(number, file.tell(), os.SEEK_SET)
    return True


def _copy(stdin: Any) -> IO[bytes]:
    """What a program can read of bytes, or of a file within Python."""
    if isinstance(stdin, (bytes, bytearray, memoryview)):
        stdin = io.BytesIO(stdin)
    if isinstance(stdin, io.TextIOBase) or not hasattr(stdin, "read"):
        raise TypeError(f"stdin must be bytes, a binary file or a pipe(), "
                        f"not {type(stdin).__name__}")
    copy = tempfile.TemporaryFile()
    shutil.copyfileobj(stdin, copy, 1 << 20)
    copy.seek(0)
    return copy


class Pipe(io.RawIOBase):
    """A program's output, to be read while it runs.  ProgramError at the end
    of the output if it failed."""

    def __init__(self, arguments: Sequence[Argument], stdin: Input) -> None:
        super().__init__()
        if isinstance(arguments, (str, bytes)) or not arguments:
            raise TypeError("arguments must be a list, the program first")
        self._program = os.fsdecode(arguments[0])
        command = [find(self._program), *arguments[1:]]
        self._before = stdin if isinstance(stdin, Pipe) else None
        taken: Any = subprocess.DEVNULL if stdin is None else stdin
        copied = stdin is not None and not _has_number(stdin)
        if copied:
            taken = _copy(stdin)
        self._messages = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command, stdin=taken, stdout=subprocess.PIPE,
                stderr=self._messages)
        except BaseException:
            self._messages.close()
            raise
        finally:
            if self._before is not None:
                self._before._hand_over()
            elif copied:
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
        error = self._error()
        if error is not None:
            raise error

    def _error(self) -> Optional[ProgramError]:
        status = self._process.wait()
        error = None if self._before is None else self._before._error()
        self._messages.seek(0)
        said = self._messages.read().decode("utf-8", "replace").strip()
        self._messages.truncate(0)
        if error is not None:
            return error
        if status == -signal.SIGPIPE and self._out.closed:
            return None  # why the next program did not read on, it says
        if status:
            return ProgramError(self._program, status, said)
        if said:  # notes
            print(said, file=sys.stderr)
        return None

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
