"""A form's anchors as a task of lm-evaluation-harness, whose own table then has the score of the whole benchmark.

    anchoreval export --bundle gsm8k --form 50 --to lm-eval --out tasks
    lm_eval --model hf --model_args pretrained=MODEL --tasks gsm8k_anchored --include_path tasks

`export` writes the task's YAML, which names `AnchoredTask` as its class; docs/harnesses.md says what the table shows.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import lm_eval.tasks
from lm_eval.api.metrics import mean, nanmean
from lm_eval.api.task import Task
from lm_eval.config.task import TaskConfig
from lm_eval.utils import handle_non_serializable

from ._bridge import call
from ._bundle import load
from ._errors import AnchorEvalError
from ._estimate import quiet_estimate
from ._results import Estimate, ScenarioResult
from ._standard_error import standard_error

_log = logging.getLogger("lm_eval.anchoreval")  # the harness shows its own

_STRUCTURE = ("task", "task_alias", "class", "tag", "group", "task_list", "metadata")
"""Keys of the file that aren't for the tasks whose documents are asked."""


class Answer(float):
    """A score that knows its item, so that aggregations do; in logs it is the number that it is."""

    item_id: str

    def __new__(cls, score: float, item_id: str) -> Answer:
        self = super().__new__(cls, score)
        self.item_id = item_id
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        return (float(self), self.item_id)  # to be gathered from other processes


class AnchoredTask(Task):
    """The anchors of a form, which may lie in several tasks of the harness: each is asked and scored by its own task.

    Raises:
        AnchorEvalError: before anything is asked, for a bundle that isn't the one that was exported, a task that isn't
            there, and documents of another content than the bundle's items
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        metadata = config["metadata"]
        own = metadata["anchoreval"]
        place = Path(metadata["config_source"])
        folder = place.parent if place.is_file() else Path.cwd()
        bundle = str(own["bundle"])
        self._bundle = load(
            folder / bundle if bundle.startswith(".") else bundle, form=own["form"], digest=own["digest"]
        )
        self._form = str(own["form"])
        self.VERSION = metadata.get("version", self._bundle.version)
        settings = {key: value for key, value in config.items() if key not in _STRUCTURE}
        folders = [folder / own["folder"], folder] if "folder" in own else [folder]
        self._parts = _load_tasks(own["tasks"], folders, settings, metadata)
        self._items = [(item, name, id_) for name, task in own["tasks"].items() for item, id_ in task["items"]]
        self._find_documents(own["tasks"])
        parts = list(self._parts.values())
        self.MULTIMODAL = any(getattr(part, "MULTIMODAL", False) for part in parts)
        self.UNSAFE_CODE = any(getattr(part, "UNSAFE_CODE", False) for part in parts)
        generating = [part for part in parts if part.OUTPUT_TYPE == "generate_until"]
        leading = (generating or parts)[0]
        self.OUTPUT_TYPE = leading.OUTPUT_TYPE
        self._config = TaskConfig(
            task=config["task"],
            task_alias=config.get("task_alias"),
            output_type=leading.OUTPUT_TYPE,
            generation_kwargs=leading.config.generation_kwargs,
            num_fewshot=self._shots(),
            metadata=metadata,
        )
        self._instances = None
        self._scored: dict[str, Any] = {}
        self._estimates: dict[Any, Estimate | None] = {}

    def _find_documents(self, tasks: Mapping[str, Any]) -> None:
        self._documents: list[tuple[str, Any, Any]] = []
        """Item id, task's name and document, in the order in which they are asked."""
        self._found: dict[str, dict[str, Any]] = {}
        for name, part in self._parts.items():
            documents = part.eval_docs
            field = tasks[name].get("field")
            places = {str(one[field]): place for place, one in enumerate(documents)} if field is not None else None
            self._found[name] = {}
            for item, id_ in tasks[name]["items"]:
                place = places.get(str(id_)) if places is not None else id_ if 0 <= id_ < len(documents) else None
                if place is None:
                    continue  # told by the check, with all others
                document = documents[place]
                self._documents.append((item, name, document))
                self._found[name][str(id_)] = [place, document, str(part.doc_to_target(document))]
        self._place = {id(document): place for place, (_, _, document) in enumerate(self._documents)}

    def _check(self, chat_template: bool) -> None:
        """Holds documents and settings, as they are now, to the bundle."""
        seen = {
            name: {
                "version": part.VERSION,
                "shots": part.config.num_fewshot,
                "metrics": _metrics(part),
                "filters": [own.name for own in getattr(part, "_filters", None) or []] or ["none"],
                "documents": self._found[name],
            }
            for name, part in self._parts.items()
        }
        task = {"form": self._form, "items": self._items, "tasks": seen, "chatTemplate": chat_template}
        sent = json.dumps(task, default=handle_non_serializable, ensure_ascii=False)
        told = call({"call": "anchored-task", "bundle": self._bundle._named, "task": sent})
        for remark in told["remarks"]:
            _log.warning("%s: %s", self.config.task, remark)
        self._scored = told["scored"]
        own: list[Any] = list(self._scored.values())
        self._same = {key: all(one[key] == own[0][key] for one in own) for key in ("metrics", "filters")}
        for name, scored in self._scored.items():
            for key, same in self._same.items():
                if not same and len(scored[key]) > 1:
                    raise AnchorEvalError(
                        "invalid_option",
                        f"{name} has several {key} ({', '.join(scored[key])}) and the tasks of {self.config.task} "
                        "haven't the same: by which of them they are scored isn't known",
                    )

    def _part(self, document: Any) -> Any:
        return self._parts[self._documents[self._place[id(document)]][1]]

    # How it is asked

    def build_all_requests(  # type: ignore[no-untyped-def]
        self,
        *,
        samples=None,
        world_size=1,
        apply_chat_template=False,
        cache_requests=False,
        rewrite_requests_cache=False,
        **given,
    ) -> None:
        """As the harness's, without its cache of requests, which is by the task's name and knows no form."""
        if samples:
            raise AnchorEvalError(
                "invalid_option", f"{self.config.task} asks its anchors: --samples is for tasks of the harness"
            )
        kinds = {part.OUTPUT_TYPE for part in self._parts.values()}
        if world_size > 1 and len(kinds) > 1:
            raise AnchorEvalError(
                "unsupported",
                f"{self.config.task} has tasks of several output types ({', '.join(sorted(kinds))}), which the "
                "harness can't share out among processes: run it in one",
            )
        self._check(apply_chat_template)
        super().build_all_requests(world_size=world_size, apply_chat_template=apply_chat_template, **given)

    @property
    def eval_docs(self) -> list[Any]:
        return [document for _, _, document in self._documents]

    def test_docs(self) -> Iterable[Any]:
        return self.eval_docs

    def has_training_docs(self) -> bool:
        return False

    def has_validation_docs(self) -> bool:
        return False

    def has_test_docs(self) -> bool:
        return True

    def doc_to_text(self, doc: Any) -> Any:
        return self._part(doc).doc_to_text(doc)

    def doc_to_target(self, doc: Any) -> Any:
        return self._part(doc).doc_to_target(doc)

    def doc_to_prefix(self, doc: Any) -> Any:
        return self._part(doc).doc_to_prefix(doc)

    def fewshot_context(self, doc: Any, num_fewshot: Any, **given: Any) -> Any:
        part = self._part(doc)
        return part.fewshot_context(doc, num_fewshot=part.config.num_fewshot or 0, **given)

    def construct_requests(self, doc: Any, ctx: Any, *, metadata: tuple[Any, ...], **given: Any) -> Any:
        part = self._part(doc)
        return part.construct_requests(doc=doc, ctx=ctx, metadata=(*metadata[:2], part.config.repeats), **given)

    def set_fewshot_seed(self, seed: int | None = None) -> None:
        for part in self._parts.values():
            part.set_fewshot_seed(seed=seed)

    def get_config(self, key: str) -> Any:
        return self._shots() if key == "num_fewshot" else super().get_config(key)

    def set_config(self, key: str, value: Any, update: bool = False) -> None:
        for part in self._parts.values():
            if key == "num_fewshot" and part.config.num_fewshot == 0:
                continue  # as the harness leaves such a task
            if key == "generation_kwargs" and part.OUTPUT_TYPE != "generate_until":
                continue
            part.set_config(key, value, update)
        if key == "num_fewshot":
            self._config.num_fewshot = self._shots()
        else:
            super().set_config(key, value, update)

    def _shots(self) -> Any:
        """Few-shot examples; "mixed" where the tasks differ."""
        shots = {part.config.num_fewshot for part in self._parts.values()}
        return shots.pop() if len(shots) == 1 else "mixed"

    def override_metric(self, metric_name: str) -> None:
        raise AnchorEvalError("invalid_option", f"{self.config.task}: an estimate needs scores, not --predict_only")

    # How it is scored

    def apply_filters(self) -> None:
        requests: list[Any] = self._instances or []
        for part in self._parts.values():
            part._instances = [one for one in requests if self._part(one.doc) is part]
            if part._instances:
                part.apply_filters()
        for request in requests:
            filters = self._scored[self._documents[self._place[id(request.doc)]][1]]["filters"]
            kept = [request.filtered_resps[own] for own in filters]
            request.filtered_resps = dict(zip(filters if self._same["filters"] else ["none"], kept, strict=True))

    def process_results(self, doc: Any, results: Any) -> dict[str, Answer]:
        """The item's score, under the name of every number that is made of it."""
        item, name, _ = self._documents[self._place[id(doc)]]
        values = self._parts[name].process_results(doc, results)
        found: dict[str, Answer] = {}
        for shown, metric in zip(self._shown(), self._scored[name]["metrics"], strict=True):
            if metric in values:
                found |= dict.fromkeys(self._figures(shown), Answer(values[metric], item))
        return found

    def _shown(self) -> list[str]:
        """Metrics as the table names them."""
        own: list[str] = next(iter(self._scored.values()))["metrics"]
        return own if self._same["metrics"] else ["score"]

    def _figures(self, metric: str) -> dict[str, Callable[[Estimate], float | None]]:
        """Numbers of the table by their names. The harness prints what ends in `_stderr` behind ±."""
        figures: dict[str, Callable[[Estimate], float | None]] = {
            metric: lambda result: result.score,
            f"{metric}_stderr": lambda result: standard_error(result.interval),
            f"{metric}_low": lambda result: None if result.interval is None else result.interval.low,
            f"{metric}_high": lambda result: None if result.interval is None else result.interval.high,
        }
        for scenario in self._bundle.scenarios if len(self._bundle.scenarios) > 1 else ():
            figures[f"{metric}:{scenario}"] = _of_scenario(scenario, lambda own: own.score)
            figures[f"{metric}:{scenario}_stderr"] = _of_scenario(scenario, lambda own: standard_error(own.interval))
        return figures

    def aggregation(self) -> dict[str, Callable[[Iterable[Answer]], Any]]:
        def figure(name: str, read: Callable[[Estimate], float | None]) -> Callable[[Iterable[Answer]], Any]:
            def aggregate(answers: Iterable[Answer]) -> Any:
                result = self._estimate({answer.item_id: float(answer) for answer in answers})
                value = None if result is None else read(result)
                if value is not None:
                    return value
                return math.nan if name in self._shown() else "N/A"  # of scores, the harness makes means

            return aggregate

        return {name: figure(name, read) for shown in self._shown() for name, read in self._figures(shown).items()}

    def higher_is_better(self) -> dict[str, bool]:
        return {name: True for name in self.aggregation() if not name.endswith(("_stderr", "_low", "_high"))}

    def _estimate(self, answers: dict[str, float]) -> Estimate | None:
        """One for all figures. A refusal is logged, not raised: the harness would lose all answers with its results."""
        key = frozenset(answers.items())
        if key not in self._estimates:
            self._estimates[key] = None
            try:
                result = self._estimates[key] = quiet_estimate(self._bundle, answers, self._form)
            except AnchorEvalError as error:
                _log.error("%s: no score: %s", self.config.task, error)
                return None
            if result.reason is not None:
                _log.warning("%s: %s", self.config.task, result.reason)
            for warning in result.warnings:
                _log.warning("%s: %s", self.config.task, warning.message)
        return self._estimates[key]


def _of_scenario(scenario: str, read: Callable[[ScenarioResult], float | None]) -> Callable[[Estimate], float | None]:
    return lambda result: read(result.scenarios[scenario])


def _metrics(part: Any) -> list[str]:
    """Those that are means over documents, where any is."""
    aggregations = part.aggregation()
    means = [name for name, own in aggregations.items() if own in (mean, nanmean)]
    return means or list(aggregations)


def _load_tasks(
    wanted: Mapping[str, Any], folders: list[Path], settings: Mapping[str, Any], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Tasks of the harness with these settings: those of the first folder that has one, else its own."""
    files: dict[str, Path] = {}
    for name in wanted:
        places = (_task_files(place).get(name) for place in (*folders, Path(lm_eval.tasks.__file__).parent))
        file = next(filter(None, places), None)
        if file is None:
            raise AnchorEvalError(
                "unsupported",
                f"lm-evaluation-harness has no task {name}, and there is none in {' or '.join(map(str, folders))}: put "
                "the anchored task's file into the folder of your own tasks",
            )
        files[name] = file
    more = {key: value for key, value in metadata.items() if key not in ("version", "anchoreval", "config_source")}
    loaded: dict[str, Any] = {}
    for parent in dict.fromkeys(file.parent for file in files.values()):
        manager = lm_eval.tasks.TaskManager(include_path=str(parent), include_defaults=False, metadata=more or None)
        members = [
            {
                "task": name,
                **settings,
                **{key: own for key, own in wanted[name].items() if key not in ("items", "field")},
            }
            for name, file in files.items()
            if file.parent == parent
        ]
        loaded |= manager.load([{"group": "anchored", "task": members}])["tasks"]
    return {name: loaded[name] for name in wanted}


@cache
def _task_files(folder: Path) -> dict[str, Path]:
    """The YAML file of every task in a folder. The harness has more than ten thousand, and parses each for an index."""
    files: dict[str, Path] = {}
    for file in sorted(folder.glob("**/*.yaml")):
        named = re.search(r"^task:[ \t]*['\"]?([^\s'\"#\[]+)", file.read_text("utf-8", "replace"), re.MULTILINE)
        if named is not None:
            files.setdefault(named[1], file)
    return files
