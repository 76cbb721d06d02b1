"""From lm_eval itself to a score with an interval, with its dummy model, on a tiny task of this script's own.

    pip install lm_eval==0.4.13 && python examples/lm-eval/harness.py [FOLDER]

1. lm_eval runs twelve models on two tasks of 40 documents: its dummy model, which guesses, under twelve names and seeds;
2. `anchoreval import` makes a response matrix of their logs; 3. `anchoreval fit` makes a bundle;
4. `anchoreval export` prints the lm_eval command that runs only the anchors; 5. that command is run for a new model;
6. `anchoreval estimate` reads its log: the score on all 80 documents, with an interval.

No network, no weights. A model that guesses among four choices scores about 25.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

import lm_eval
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

PROGRAM = Path(__file__).resolve().parents[2] / "sdk" / "bin" / "anchoreval.js"
TASK = """task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: "{{{{answer}}}}"
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
metadata: {{version: 1.0}}
"""


def write_tasks(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, sign in [("sums", 1), ("differences", -1)]:
        file = folder / f"{name}.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            for k in range(40):
                question = f"{3 * k} {'+' if sign > 0 else '-'} {k} ="
                choices = [str(3 * k + sign * k + wrong) for wrong in range(4)]
                out.write(json.dumps({"question": question, "choices": choices, "answer": 0}) + "\n")
        (folder / f"{name}.yaml").write_text(TASK.format(name=name, file=file))


def run_model(name, seed, tasks, logs):
    """What `lm_eval --model dummy --log_samples --output_path` does, without starting Python for every model."""
    tracker = EvaluationTracker(output_path=str(logs))
    results = lm_eval.simple_evaluate(
        model="dummy",
        model_args=f"pretrained={name}",
        tasks=["sums", "differences"],
        random_seed=seed,
        bootstrap_iters=0,
        evaluation_tracker=tracker,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task in results["configs"]:
        tracker.save_results_samples(task_name=task, samples=samples[task])


def run(*command):
    print("\n$", shlex.join(command), flush=True)
    subprocess.run(command, check=True)


def anchoreval(*argv):
    run("node", str(PROGRAM), *argv)


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="anchoreval-")).resolve()
    tasks = out / "tasks"
    write_tasks(tasks)
    for seed in range(12):
        run_model(f"made-up/model-{seed}", seed, tasks, out / "logs")

    imported, bundle = str(out / "imported"), str(out / "bundle")
    anchoreval("import", "--from", "lm-eval", str(out / "logs"), "--out", imported)
    board = ["--responses", f"{imported}/responses.csv.gz", "--items", f"{imported}/items.jsonl.gz"]
    anchoreval("fit", *board, "--anchors", "10", "--name", "tiny@1.0.0", "--out", bundle, "--quiet")

    export = ["node", str(PROGRAM), "export", "--bundle", bundle, "--to", "lm-eval", "--out", str(out), "--json"]
    exported = json.loads(subprocess.run(export, check=True, capture_output=True, text=True).stdout)
    print("\n$", shlex.join(export[2:]), "\n" + exported["command"])
    # The printed command is for --model hf; here the dummy model stands in.
    command = shlex.split(exported["command"])
    command[command.index("hf")] = "dummy"
    command[command.index("pretrained=MODEL")] = "pretrained=made-up/new"
    command[command.index("--output_path") + 1] = str(out / "anchors")
    run(str(Path(sys.executable).with_name("lm_eval")), *command[1:], "--seed", "99")

    anchoreval("estimate", "--bundle", bundle, "--from", "lm-eval", str(out / "anchors"))


if __name__ == "__main__":
    main()
