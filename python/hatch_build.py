"""Refuses to build a package without what the SDK's build makes, or with an older SDK than the checkout's."""

from filecmp import cmp
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarriedProgram(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        carried = Path(self.root, "src/anchoreval/_node/node_modules/anchoreval")
        checkout = Path(self.root).parent
        for made in (carried / "dist/program/bridge.js", Path(self.root, "src/anchoreval/_results.py")):
            if not made.is_file():
                raise SystemExit(
                    f"anchoreval: {made} isn't there: the package carries what the SDK's build makes. Run `npm ci` in "
                    f"{checkout} first (Node 20.19 or later), then install again."
                )
        for own in carried.glob("dist/**/*.js"):
            built = checkout / "sdk" / own.relative_to(carried)
            if (checkout / "sdk/dist").is_dir() and not (built.is_file() and cmp(own, built, shallow=False)):
                raise SystemExit(
                    f"anchoreval: {own} isn't what {checkout / 'sdk/dist'} has: the SDK was built since. Run "
                    f"`npm run build` in {checkout}, then install again."
                )
