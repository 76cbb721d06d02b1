from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Issue:
    """One finding: where it is, which rule it breaks, in words."""

    path: tuple[str | int, ...]
    """Keys and indices from the root of what was checked, for example `("responses", "gsm/17")`."""
    code: str
    message: str


class AnchorEvalError(Exception):
    """What anchoreval refuses. `code` is stable, one of those that docs/errors.md lists; the words may improve.

    Example:
        try:
            anchoreval.estimate(bundle, scores)
        except anchoreval.AnchorEvalError as error:
            print(error.code, [issue.message for issue in error.issues])
    """

    def __init__(self, code: str, message: str, issues: tuple[Issue, ...] = ()) -> None:
        super().__init__(code, message, issues)  # as it is pickled
        self.code = code
        self.message = message
        self.issues = issues

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


def refusal(error: Mapping[str, Any]) -> AnchorEvalError:
    """The bridge's `error`.

    Raises:
        RuntimeError: a defect of anchoreval
    """
    if error["code"] is None:
        raise RuntimeError(f"this is a defect of anchoreval, please report it:\n{error['message']}")
    issues = tuple(Issue(tuple(issue["path"]), issue["code"], issue["message"]) for issue in error["issues"])
    return AnchorEvalError(error["code"], error["message"], issues)
