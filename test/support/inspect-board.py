"""Writes logs of twelve made-up models into a folder, by Inspect itself: python inspect-board.py FOLDER

Each folder below is a board: `plain` has whole runs of all models; each other one has a run or two that are odd in a way.
"""

import hashlib
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, accuracy, match, mean, scorer
from inspect_ai.solver import solver, system_message

MODELS = [f"mockllm/m-{k:02}" for k in range(12)]
STRANGE = {"fail": set(), "mute": False}


def chance(*words) -> float:
    return int(hashlib.sha256("\n".join(map(str, words)).encode()).hexdigest()[:8], 16) / 2**32


@solver
def guess():
    """Knows the more, the higher the model's number; no model is asked."""

    async def solve(state, generate):
        if state.input_text in STRANGE["fail"]:
            raise RuntimeError("the machine is gone")
        right = chance(state.model, state.input_text, state.epoch) < 0.2 + 0.06 * int(str(state.model)[-2:])
        state.output = ModelOutput.from_content(str(state.model), state.target.text if right else "no idea")
        return state

    return solve


@scorer(metrics=[mean()])
def grade():
    async def score(state, target):
        values = [CORRECT, INCORRECT, PARTIAL, NOANSWER, 0.25, "yes"]
        value = values[int(chance(state.model, state.input_text, "grade") * len(values))]
        return Score(value=float("nan") if STRANGE["mute"] and state.sample_id == 2 else value)

    return score


@scorer(metrics={"length": [mean()], "polite": [accuracy()]})
def several():
    async def score(state, target):
        text = state.output.completion
        return Score(value={"length": min(1, len(text) / 8), "polite": CORRECT if "no" in text else INCORRECT})

    return score


def samples(name, count):
    return MemoryDataset([Sample(id=k, input=f"{name}: what is {k} + 1?", target=str(k + 1)) for k in range(1, count + 1)])


@task
def sums(version=1, before=None):
    return Task(dataset=samples("sums", 8), solver=[*([before] if before else []), guess()], scorer=match(), version=version)


@task
def letters(epochs=3, reducer="mean"):
    return Task(dataset=samples("letters", 5), solver=guess(), scorer=match(), epochs=Epochs(epochs, reducer))


@task
def grades():
    return Task(dataset=samples("grades", 6), solver=guess(), scorer=[grade(), several()])


def main(out: Path) -> None:
    def run(board, models, tasks, **settings):
        eval(tasks, model=models, log_dir=str(out / board), display="none", log_format="json", max_tasks=1, **settings)

    run("plain", MODELS, [sums(), letters(), grades()])
    for board in ["limited", "twice", "anchors-later", "version", "solver", "failed", "broken"]:
        run(board, MODELS[:3], [sums()])
    for board in ["epochs", "reducer"]:
        run(board, MODELS[:3], [letters()])
    run("limited", MODELS[3], [sums()], limit=3)
    run("twice", MODELS[2], [sums()])
    run("anchors-later", MODELS[2], [sums()], sample_id=[1, 4])
    run("version", MODELS[3], [sums(version=2)])
    run("solver", MODELS[3], [sums(before=system_message("Be short."))])
    run("epochs", MODELS[3], [letters(epochs=1)])
    run("reducer", MODELS[3], [letters(reducer="max")])
    run("mute", MODELS[:3], [grades()])
    STRANGE["mute"] = True
    run("mute", MODELS[3], [grades()])
    STRANGE["fail"] = {"sums: what is 2 + 1?"}
    run("failed", MODELS[3], [sums()], fail_on_error=False)
    run("broken", MODELS[3], [sums()], max_samples=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() / "logs")
