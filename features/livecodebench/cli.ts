import { resolve } from "node:path";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedValue } from "anchoreval/internal/logs/protocol";
import { type ExportedForm, type ExportTarget, fittedTemperature } from "../../cli/src/bundles/export-target.ts";
import { quote } from "../../cli/src/bundles/form-anchors.ts";

/** Code generation, as its runs are called. */
const TASK = "livecodebench";
/** The release that has the questions of all earlier ones. */
const RELEASE = "release_v6";

/** Questions of LiveCodeBench alone, by a launcher of its own program, which has no option for them. */
export const liveCodeBenchExport: ExportTarget = {
  words: "a Python file that runs lcb_runner on these questions alone",
  export(form) {
    const { bundle, anchors, base } = form;
    const { [TASK]: ids = [], ...others } = samplesByTask(anchors);
    const [other] = Object.keys(others);
    if (other !== undefined)
      throw new AnchorEvalError(
        "unsupported",
        `${other} has anchors in this form: only LiveCodeBench's code generation, the task ${TASK}, can be run on some questions alone`,
      );
    const [file, logs] = [`${base}.livecodebench.py`, `${base}.livecodebench`];
    const epochs = fittedValue(bundle.manifest.protocol, "epochs", TASK);
    const temperature = fittedTemperature(bundle, TASK);
    const settings = [
      ...(epochs === undefined ? [] : [`--n ${epochs}`]),
      ...(temperature === undefined ? [] : [`--temperature ${temperature}`]),
    ];
    return {
      files: [[file, launcher(form, ids.map(String))]],
      extra: { questions: ids },
      run: {
        heading: "Run them in LiveCodeBench's folder (put in your model, as lcb_runner/lm_styles.py names it):",
        commands: [
          `python ${quote(resolve(file))} --model MODEL --scenario codegeneration --evaluate --release_version ${[RELEASE, ...settings].join(" ")}`,
        ],
        logs: quote(logs),
        notes: [
          `Answers and grades go to ${logs}, and not among those of whole runs in LiveCodeBench's output.`,
          `${RELEASE} has the questions of all releases before it.`,
        ],
      },
    };
  },
};

/** Narrows what `lcb_runner` loads; by the source of LiveCodeBench's repository of 2025 (lcb_runner/runner/main.py). */
function launcher({ bundle, form }: ExportedForm, ids: readonly string[]): string {
  const { benchmark, version } = bundle.manifest;
  return `"""Runs LiveCodeBench's code generation on the ${ids.length} questions of ${benchmark} ${version}, form ${form}, alone.

It is started in LiveCodeBench's folder, and takes the options of lcb_runner.runner.main.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

from lcb_runner.runner import main as runner

QUESTIONS = ${JSON.stringify(ids, null, 4)}
FOLDER = os.path.splitext(os.path.abspath(__file__))[0]

load_benchmark = runner.build_prompt_benchmark
place_output = runner.get_output_path


def load_questions(args):
    if args.scenario.value != "codegeneration":
        sys.exit(f"these are questions of the scenario codegeneration, not of {args.scenario.value}")
    benchmark, format_prompt = load_benchmark(args)
    problems = {problem.question_id: problem for problem in benchmark}
    missing = [question for question in QUESTIONS if question not in problems]
    if missing:
        sys.exit(
            f"{len(missing)} of {len(QUESTIONS)} questions aren't among the {len(problems)} that were loaded, such as "
            f"{', '.join(missing[:5])}: choose --release_version ${RELEASE}, without --start_date and --end_date"
        )
    chosen = set(QUESTIONS)
    return [problem for problem in benchmark if problem.question_id in chosen], format_prompt


def place_part(model, args):
    path = os.path.join(FOLDER, os.path.relpath(place_output(model, args), "output"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


if __name__ == "__main__":
    runner.build_prompt_benchmark = load_questions
    runner.get_output_path = place_part
    runner.main()
`;
}
