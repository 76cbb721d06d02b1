from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Issue:
    """One finding.

    Attributes:
        path: Keys and indices from the root of what was checked, for example `("responses", "gsm/17")`.
        code: The rule that is broken, for programs.
        message: The same in words.
    """

    path: tuple[str | int, ...]
    code: str
    message: str


class AnchorEvalError(Exception):
    """What anchoreval refuses. `code` is stable, one of those that docs/errors.md lists; the words may improve.

    Attributes:
        code: For programs, such as `invalid_answers`.
        message: What is wrong, where, and what to do.
        issues: Every finding, where there are several; of answers one for each bad one.

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
    """The bridge's `error`, in Python's words.

    Raises:
        RuntimeError: a defect of anchoreval
    """
    if error["code"] is None:
        raise RuntimeError(f"this is a defect of anchoreval, please report it:\n{error['message']}")
    issues = tuple(
        Issue((snake_case(str(first)), *rest), issue["code"], python_words(issue["message"]))
        for issue in error["issues"]
        for first, *rest in [issue["path"]]
    )
    return AnchorEvalError(error["code"], python_words(error["message"]), issues)


_OPTION = re.compile(r"(?:\bstop\.)?\b[a-z]+(?:[A-Z][a-z]+)+\b")
_OPTIONS = {
    *("formDigest", "onChangedItem", "halfWidth", "rankedRight", "maxDrop", "minScore"),
    *("alarmsPerYear", "runsPerYear", "trustedKeys"),
}


def python_words(message: str) -> str:
    """Options as Python spells them, and None for null.

    Example:
        python_words("halfWidth must be …")  # "half_width must be …"
    """
    said = _OPTION.sub(lambda match: _option_words(match[0]), message)
    return said.replace("null means no", "None means no").replace('`on_changed_item: "drop"`', 'on_changed_item="drop"')


def _option_words(word: str) -> str:
    name = word.removeprefix("stop.")
    return snake_case(name) if name in _OPTIONS else word


def snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name) if name in _OPTIONS else name


def with_items(error: AnchorEvalError, ids: Sequence[str] = ()) -> AnchorEvalError:
    """The same of a model's answers, each finding with the item that it is about, which messages leave to the path.

    Args:
        ids: of the items in the order of the answers, where these are a list
    """
    if error.code != "invalid_answers" or not error.issues:
        return error

    def named(issue: Issue) -> Issue:
        if len(issue.path) < 2 or issue.path[0] != "responses":
            return issue
        place = issue.path[1]
        item = ids[place] if isinstance(place, int) and place < len(ids) else str(place)
        return issue if item in issue.message else replace(issue, message=f"{item}: {issue.message}")

    issues = tuple(map(named, error.issues))
    message = error.message.replace(error.issues[0].message, issues[0].message, 1)
    return AnchorEvalError(error.code, message, issues)


def program_words(error: AnchorEvalError, folder: str) -> AnchorEvalError:
    """The same of the program, whose options are arguments here, and whose files are tables.

    Args:
        folder: where the tables were written
    """

    def said(text: str) -> str:
        plain = text.replace(f"{folder}{os.sep}", "")
        return re.sub(r"--([a-z][a-z-]+)", lambda match: match[1].replace("-", "_"), plain)

    issues = tuple(
        Issue(
            tuple(said(part) if isinstance(part, str) else part for part in issue.path), issue.code, said(issue.message)
        )
        for issue in error.issues
    )
    return AnchorEvalError(error.code, said(error.message), issues)
