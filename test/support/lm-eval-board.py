"""Writes logs of twelve made-up models into a folder, by lm-evaluation-harness itself: python lm-eval-board.py FOLDER

Each folder below is a board: `plain` has whole runs of all models; each other one has a run or two that are odd in a way.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

import lm_eval
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

MODELS = [f"Lab/m-{k:02}" for k in range(12)]


def chance(*words) -> float:
    return int(hashlib.sha256("\n".join(map(str, words)).encode()).hexdigest()[:8], 16) / 2**32


@register_model("made-up")
class MadeUp(LM):
    """Knows the more, the higher its number; asked the same, it answers the same."""

    def __init__(self, pretrained, silent=0.0, **_):
        super().__init__()
        self.name, self.silent = pretrained, float(silent)
        self.skill = 0.2 + 0.06 * int(pretrained[-2:])

    @classmethod
    def create_from_arg_string(cls, arg_string, additional_config=None):
        return cls(**lm_eval.utils.simple_parse_args_string(arg_string))

    def loglikelihood(self, requests, **_):
        return [(-10 * chance(self.name, *request.args), False) for request in requests]

    def loglikelihood_rolling(self, requests, **_):
        return [-10.0 for _ in requests]

    def generate_until(self, requests, **_):
        answers = []
        for times, request in enumerate(requests):
            question = request.args[0]
            numbers = [int(word) for word in question.split("\n")[-1].split() if word.isdigit()]
            if chance(self.name, question, "silent") < self.silent:
                answers.append("")
            elif chance(self.name, question, times if "thrice" in question else 0) < self.skill:
                answers.append(f"It is {sum(numbers)}")
            else:
                answers.append(f"perhaps {sum(numbers) + 1}" if chance(self.name, question, "say") < 0.5 else "no idea")
        return answers


def write_tasks(changed=False) -> TaskManager:
    """The tasks; `changed` gives one document of `bio` another question."""
    choices = "output_type: multiple_choice\ndoc_to_choice: '{{choices}}'\ndoc_to_target: answer\n"
    accuracies = "".join(
        f"  - {{metric: {metric}, aggregation: mean, higher_is_better: true}}\n" for metric in ["acc", "acc_norm"]
    )
    generates = "output_type: generate_until\ndoc_to_target: '{{answer}}'\ngeneration_kwargs: {until: ['\\n'], do_sample: false}\n"
    exact = "metric_list:\n  - {metric: exact_match, aggregation: mean, higher_is_better: true}\n"
    first = "{function: take_first}"
    number = '{function: regex, regex_pattern: "%s(\\\\d+)"}, ' + first
    settings = {
        "bio": (9, choices + "metric_list:\n" + accuracies + "  - {metric: mcc}\n"),
        "phys": (4, choices + "metric_list:\n" + accuracies + "  - {metric: mcc}\n"),
        "sums": (
            7,
            generates
            + "filter_list:\n"
            + f"  - {{name: strict, filter: [{number % 'is '}]}}\n"
            + f"  - {{name: flexible, filter: [{number % ''}]}}\n"
            + exact
            + "  - {metric: bleu}\n",
        ),
        "grades": (
            6,
            generates
            + "process_results: !function grade.grade\n"
            + "metric_list:\n  - {metric: grade, aggregation: nanmean, higher_is_better: true}\n",
        ),
        "thrice": (
            5,
            generates
            + "repeats: 3\n"
            + f"filter_list:\n  - {{name: vote, filter: [{number % 'is '}]}}\n".replace("take_first", "majority_vote}, {function: take_first")
            + exact,
        ),
    }
    for name, (size, own) in settings.items():
        documents = []
        for k in range(size):
            question = f"{name}: other question {k} + 1 =" if changed and name == "bio" and k == 2 else f"{name}: what is {k} + 1 ="
            options = [str(k + 1), str(k), f"{k} and {name}", "none of these"]
            answer = str(k + 1) if "generate_until" in own else 0
            documents.append({"question": question, "choices": options, "answer": answer})
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(document)}\n" for document in documents))
        Path(f"{name}.yaml").write_text(
            f"task: {name}\ndataset_path: json\ndataset_kwargs: {{data_files: {{test: {name}.jsonl}}}}\ntest_split: test\n"
            f"fewshot_split: test\ndoc_to_text: '{{{{question}}}}'\n{own}metadata: {{version: 1.0}}\n"
        )
    Path("grade.py").write_text(
        "def grade(doc, results):\n"
        "    (text,) = results\n"
        "    known = {'It': 1.0, 'perhaps': 0.5, 'no': float('nan')}\n"
        "    return {'grade': known.get(text.split(' ')[0], 0.0)}\n"
    )
    Path("science.yaml").write_text(
        "group: science\ntask: [bio, phys]\naggregate_metric_list:\n"
        "  - {metric: acc, weight_by_size: true}\n  - {metric: acc_norm, weight_by_size: false}\n"
    )
    return TaskManager(include_path=".", include_defaults=False)


ALL = ["science", "sums", "grades", "thrice"]


def run(board, model, manager, tasks=ALL, more="", unlogged=(), **settings) -> None:
    tracker = EvaluationTracker(output_path=str(board))
    results = lm_eval.simple_evaluate(
        model="made-up",
        model_args=f"pretrained={model}{more}",
        tasks=tasks,
        bootstrap_iters=0,
        evaluation_tracker=tracker,
        task_manager=manager,
        **settings,
    )
    logged = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=logged)
    for task in results["configs"]:
        if task not in unlogged:
            tracker.save_results_samples(task_name=task, samples=logged[task])
    time.sleep(0.01)  # a run's date tells it from the next


def main(out: Path) -> None:
    manager = write_tasks()
    for model in MODELS:
        run(out / "plain", model, manager)
    science = ["science"]
    for model in MODELS[:3]:
        run(out / "twice", model, manager, ["sums"])
        for board in ["limited", "anchors-later", "shots", "renumbered", "changed", "unlogged"]:
            run(out / board, model, manager, science)
    run(out / "limited", MODELS[3], manager, science, limit=3)
    run(out / "twice", MODELS[2], manager, ["sums"], more=",silent=0.5")
    run(out / "anchors-later", MODELS[2], manager, science, samples={"bio": [1, 4], "phys": [2]})
    run(out / "shots", MODELS[3], manager, science, num_fewshot=2)
    run(out / "renumbered", MODELS[3], manager, science, samples={"bio": [4, 1], "phys": [0, 3]})
    run(out / "unlogged", MODELS[3], manager, science, unlogged=["phys"])
    for model in MODELS[:4]:
        run(out / "silent", model, manager, ["sums", "grades"], more=",silent=0.3" if model == MODELS[3] else "")
    run(out / "changed", MODELS[3], write_tasks(changed=True), science)


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    (folder / "tasks").mkdir(parents=True)
    os.chdir(folder / "tasks")
    main(folder / "logs")
