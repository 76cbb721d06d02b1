from __future__ import annotations

import warnings
from collections.abc import Iterable

from ._errors import python_words
from ._results import EstimateWarning, JudgeWarning


class AnchorEvalWarning(UserWarning):
    """What a reader of a result should know, which stands in its `warnings`, too.

    Attributes:
        code: The warning's kind, such as `missing_answers`; docs/sdk.md lists them.

    Example:
        warnings.simplefilter("ignore", anchoreval.AnchorEvalWarning)
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)  # as it is pickled
        self.code = code

    def __str__(self) -> str:
        return f"{self.args[1]} [{self.code}]"


def warn(messages: Iterable[EstimateWarning | JudgeWarning]) -> None:
    """Warns the line that called the function that calls this."""
    for each in messages:
        warnings.warn(AnchorEvalWarning(each.code, python_words(each.message)), stacklevel=3)
