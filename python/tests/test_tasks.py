"""The tasks of lm-evaluation-harness that come with the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import anchoreval


def folder() -> Path:
    done = subprocess.run([sys.executable, "-m", "anchoreval.tasks"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


@pytest.mark.parametrize("name", ["gsm8k", "mmlu-pro"])
def test_a_task_asks_the_default_form_of_its_bundle(name: str) -> None:
    text = (folder() / f"{name.replace('-', '_')}_anchored.yaml").read_text("utf-8")
    bundle = anchoreval.load(name)
    assert f'bundle: "{name}@{bundle.version}"' in text
    assert f'digest: "{bundle.digest}"' in text
    items = re.findall(r'^ {10}- \["([^"]+)", ', text, re.M)
    assert sorted(items) == sorted(bundle.anchors()) and len(items) == 100


def test_the_harness_finds_them() -> None:
    tasks = pytest.importorskip("lm_eval.tasks", reason="lm_eval isn't installed")
    manager = tasks.TaskManager(include_path=str(folder()), include_defaults=False)
    assert manager.all_tasks == ["gsm8k_anchored", "mmlu_pro_anchored"]
