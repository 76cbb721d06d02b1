"""The program by `anchoreval` and `python -m anchoreval`: exit codes, streams and signals are its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import GOLDEN, golden

import anchoreval

SCRIPT = shutil.which("anchoreval", path=str(Path(sys.executable).parent))
BUNDLE = str(GOLDEN / "bundle")
ANSWERS = str(GOLDEN / "answers.json")


def run(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "anchoreval", *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def test_the_console_script_and_the_module_are_the_program() -> None:
    assert SCRIPT is not None
    said = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, timeout=60)
    assert (said.returncode, said.stdout, said.stderr) == (0, f"{anchoreval.__version__}\n", "")
    assert run("--version").stdout == said.stdout


def test_estimate_prints_the_golden_numbers() -> None:
    done = run("estimate", "--bundle", BUNDLE, "--responses", ANSWERS, "--json")
    assert (done.returncode, json.loads(done.stdout)["score"]) == (0, golden("estimate.json")["score"])


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["show", BUNDLE]),
        (2, []),
        (2, ["estimat"]),
        (2, ["estimate", "--bundle", BUNDLE + "-no", "--responses", ANSWERS]),
        (3, ["check", "--bundle", BUNDLE, "--responses", ANSWERS, "--min-score", "99"]),
    ],
)
def test_exit_codes(code: int, arguments: list[str]) -> None:
    assert run(*arguments).returncode == code


def test_an_argument_reaches_the_program_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "a folder, 'größe' $HOME *"
    shutil.copytree(BUNDLE, place)
    assert run("show", str(place)).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_it_is_the_program_that_is_signalled() -> None:
    # exec: no Python is left in between that could swallow a signal or keep a stream
    done = subprocess.Popen(
        [sys.executable, "-m", "anchoreval", "estimate", "--bundle", BUNDLE, "--responses", "/dev/stdin"],
        stdin=subprocess.PIPE,
    )
    try:
        command = b""
        for _ in range(500):
            command = Path(f"/proc/{done.pid}/cmdline").read_bytes() if Path("/proc").is_dir() else b"bin/anchoreval.js"
            if b"anchoreval.js" in command:
                break
            time.sleep(0.02)
        assert b"anchoreval.js" in command
        done.terminate()
        assert done.wait(30) == -15
    finally:
        done.kill()
        done.communicate()


def test_a_fit_without_native_parts(tmp_path: Path) -> None:
    board, fitted = tmp_path / "board", tmp_path / "fitted"
    drawn = run("simulate", "--models", "24", "--items", "120", "--scenarios", "1", "--seed", "1", "--out", str(board))
    assert drawn.returncode == 0, drawn.stderr
    tables = ["--responses", str(board / "responses.csv.gz"), "--items", str(board / "items.jsonl.gz")]
    done = run("fit", *tables, "--name", "mine@1.0.0", "--anchors", "10", "--set", "dims=1", "--out", str(fitted))
    assert done.returncode == 0, done.stderr
    assert "ONNX Runtime on the CPU: " in done.stderr  # as WebAssembly
    assert (fitted / "report.html").is_file()
    bundle = anchoreval.load(fitted)
    ids = bundle.anchors(form=10)
    assert len(ids) == 10
    assert anchoreval.estimate(bundle, [1] * len(ids), form_digest=ids.digest).score is not None


def test_what_the_package_leaves_out_says_so(tmp_path: Path) -> None:
    served = run("serve", "--port", "0")
    assert served.returncode == 2
    assert "the package for Python comes without workerd" in served.stderr and "defect" not in served.stderr
