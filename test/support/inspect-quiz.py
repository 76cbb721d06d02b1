"""Three tasks of Inspect over the documents of `taskDocuments`, which a made-up model answers: no model is asked.

A model's name decides which answers are right. What is asked is noted in the file ASKED; BREAK names a question at which
the run ends: by an error, or with BREAK_BY=kill as where the machine goes away.
"""

import asyncio
import json
import os
import random

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver


@solver
def guess():
    async def solve(state, generate):
        with open(os.environ["ASKED"], "a", encoding="utf-8") as asked:
            asked.write(f"{state.input_text}\n")
        if os.environ.get("BREAK") == state.input_text:
            if os.environ.get("BREAK_BY") == "kill":
                await asyncio.sleep(1)  # the log has all before
                os.kill(os.getpid(), 9)
            raise RuntimeError("broken")
        right = random.Random(f"{state.model} {state.input_text}").random() < 0.6
        state.output = ModelOutput.from_content(str(state.model), state.target.text if right else "no")
        return state

    return solve


def quiz(name):
    samples = []
    with open(os.path.join(os.environ["DOCUMENTS"], f"{name}.jsonl"), encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            target = row["choices"][row["answer"]]
            samples.append(Sample(id=number, input=row["question"], choices=row["choices"], target=target))
    return Task(dataset=MemoryDataset(samples), solver=[guess()], scorer=match())


@task
def alpha():
    return quiz("alpha")


@task
def beta_first():
    return quiz("beta_first")


@task
def beta_second():
    return quiz("beta_second")


@task
def alpha_anchored(bundle, form=20, renumbered=False):
    """Samples by their ids; or numbered anew, in another order, and found by their content."""
    from anchoreval.inspect import anchored, anchors

    whole = quiz("alpha")
    dataset = whole.dataset
    if renumbered:
        samples = [sample.model_copy(update={"id": None}) for sample in reversed(dataset)]
        dataset = anchors(MemoryDataset(samples), bundle, "alpha", form=form)
    metrics = [anchored(bundle, "alpha", form=form)]
    return Task(dataset=dataset, solver=whole.solver, scorer=whole.scorer, metrics=metrics)


@task
def alpha_adaptive(bundle, budget=30, seed="1"):
    from anchoreval.inspect import adaptive

    whole = quiz("alpha")
    samples = adaptive(whole.dataset, bundle, "alpha", budget=budget, half_width=0.01, seed=seed)
    return Task(dataset=samples, solver=whole.solver, scorer=whole.scorer, metrics=[samples.metric()])
