"""Puts the built SDK and its program into the package: what the npm package has, without its type declarations."""

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryProgram(BuildHookInterface[Any]):
    """Files come from the checkout around this folder; a source distribution has them in the package already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = Path(self.root)
        if (here / "src/anchoreval/_node").is_dir():
            return
        files = built(here.parent / "sdk")
        if version == "editable":
            return  # the package then runs the checkout's
        package = "src/anchoreval" if self.target_name == "sdist" else "anchoreval"
        for source, name in files:
            build_data["force_include"][str(source)] = f"{package}/_node/node_modules/anchoreval/{name}"


def built(package: Path) -> list[tuple[Path, str]]:
    """The files of a workspace that its package.json lists, and their names in the package."""
    described = package / "package.json"
    program = package / "dist/program/main.js"
    if not described.is_file() or not program.is_file():
        raise SystemExit(
            f"anchoreval: {program} isn't there. The package for Python carries the built SDK: run `npm ci` in "
            f"{package.parent} first (Node 20.19 or later; `npm run build` after a change), then install again."
        )
    found = {described}
    for pattern in json.loads(described.read_text("utf-8"))["files"]:
        for path in package.glob(pattern):
            found |= {path} if path.is_file() else {file for file in path.rglob("*") if file.is_file()}
    return sorted((path, path.relative_to(package).as_posix()) for path in found if not path.name.endswith(".d.ts"))
