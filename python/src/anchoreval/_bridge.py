"""The one Node process of this interpreter, which computes what the package is asked."""

from __future__ import annotations

import atexit
import io
import json
import os
import subprocess
import tempfile
import threading
from typing import IO, Any

from ._errors import AnchorEvalError, refusal
from ._node import node, sdk


class _Died(Exception):
    """The process ended before it answered."""


class _Process:
    """Its pipes have no buffer of ours, so that a forked child can close them without writing to them."""

    def __init__(self) -> None:
        self.errors = tempfile.TemporaryFile(buffering=0)
        self.process = subprocess.Popen(
            [node(), str(sdk() / "dist" / "program" / "bridge.js")],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input: IO[bytes] = self.process.stdin
        self.output: IO[bytes] = self.process.stdout
        self.lines = io.BufferedReader(self.output, 1 << 16)  # type: ignore[type-var]

    def ask(self, request: bytes) -> Any:
        rest = memoryview(request)
        try:
            while rest:
                rest = rest[self.input.write(rest) :]
            answer = self.lines.readline()
        except OSError as error:
            raise _Died from error
        if not answer.endswith(b"\n"):
            raise _Died
        return json.loads(answer)

    def end(self) -> None:
        """Ends it at once: it keeps nothing."""
        self.process.kill()
        self.process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Closes its pipes, of which a forked child has copies; the process ends when no copy is left."""
        for pipe in (self.input, self.output, self.errors):
            pipe.close()

    def last_words(self) -> str:
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:  # it closed its output, and lives
            self.process.kill()
            code = self.process.wait()
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - 2000))
        said = self.errors.read().decode("utf-8", "replace").strip()
        return f"exit code {code}" + (f": {said}" if said else "")


_lock = threading.Lock()
_current: _Process | None = None


def call(request: dict[str, Any]) -> Any:
    """The answer to a request; cli/src/bridge.ts says what these are. A process that died is replaced once.

    Raises:
        AnchorEvalError: the refusal, or `unavailable` where Node can't be kept running
        RuntimeError: a defect of anchoreval
    """
    global _current
    line = json.dumps(request, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    with _lock:
        for last in (False, True):
            if _current is None:
                _current = _Process()
            try:
                answer = _current.ask(line)
                break
            except _Died:
                process, _current = _current, None
                words = process.last_words()
                process.end()
                if last:
                    raise AnchorEvalError("unavailable", f"Node ended before it answered ({words})") from None
            except BaseException:  # interrupted amid an answer, which would be taken for the next one's
                process, _current = _current, None
                process.end()
                raise
    if "error" not in answer:
        return answer["result"]
    raise refusal(answer["error"])


def _close() -> None:
    global _current
    if not _lock.acquire(timeout=0.5):
        return  # a daemon thread waits for an answer: the process ends with its input, as this one does
    if _current is not None:
        _current.end()
        _current = None
    _lock.release()


def _after_fork() -> None:
    global _current, _lock
    _lock = threading.Lock()  # another thread may have held it
    if _current is not None:
        _current.let_go()
        _current.process.returncode = 0  # it is the parent's, who waits for it
        _current = None


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
