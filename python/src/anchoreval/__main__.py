"""The program anchoreval, by the packaged Node."""

from __future__ import annotations

import os
import subprocess
import sys

from ._errors import AnchorEvalError
from ._node import node, sdk


def main() -> int:
    """Becomes the program: its streams, signals and exit code are its own."""
    try:
        command = [node(), str(sdk() / "bin" / "anchoreval.js"), *sys.argv[1:]]
    except AnchorEvalError as error:
        print(f"anchoreval: {error}", file=sys.stderr)
        return 1
    if os.name != "nt":
        os.execv(command[0], command)
    with subprocess.Popen(command) as program:  # Windows has no exec
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:
                pass  # the program got it, too, and says how it ends


if __name__ == "__main__":
    sys.exit(main())
