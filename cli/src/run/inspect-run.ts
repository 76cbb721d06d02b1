import { existsSync } from "node:fs";
import { join } from "node:path";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { isAnswered } from "anchoreval/internal/logs/attempts";
import { inspectArguments, samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { sampleIdentity } from "anchoreval/internal/logs/inspect/read-samples";
import { newerFirst, type RunLog, taskAmong } from "anchoreval/internal/logs/run-log";
import { openHarness, readsZstd } from "../program/trainer.ts";
import { type Decided, isGiven, refuseDecided, valuesOf, type PlanInput, type RunPlan } from "./plan.ts";
import { askPython } from "./harness-process.ts";
import { sameItems } from "./same-items.ts";

const DECIDED: Decided = [
  [["--sample-id"], "they are the bundle's anchors"],
  [["--limit"], "the form says how many items are asked; take another --form"],
  [["--log-dir"], "name the folder by --out, before the --"],
  [["--no-score", "--no-log-samples"], "an estimate needs the samples' scores"],
];

/**
 * How Inspect runs the anchors: a command for each task. Samples are written to its log one by one; a log that broke off is
 * gone on with by Inspect's own `eval-retry`.
 * @throws AnchorEvalError `invalid_option`, `unsupported`, `item_changed` for what would make the run worth nothing
 */
export async function planInspect(input: PlanInput): Promise<RunPlan> {
  const { folder, words, harness } = input;
  refuseDecided(words, DECIDED);
  const field = [...input.fields.values()][0];
  if (field !== undefined)
    throw new AnchorEvalError(
      "unsupported",
      `the anchors are named by the field ${field} of lm-evaluation-harness's documents: run --harness lm-eval, or name Inspect's samples by --items`,
    );
  const options = words.findIndex((word) => word.startsWith("-"));
  const places = options < 0 ? words : words.slice(0, options);
  const passed = words.slice(places.length);
  // Those that no content can find are refused where nothing names them.
  samplesByTask(input.anchors.filter(({ task, hash }) => task === undefined || hash === undefined));
  const tasks = [...new Set(input.anchors.flatMap(({ task }) => task ?? []))];
  const specs = new Map(tasks.map((task) => [task, taskSpec(task, places)]));
  const remarks: string[] = [];
  let { anchors } = input;
  if (harness !== null) {
    try {
      const asked = { specs: Object.fromEntries(specs), arguments: valuesOf(passed, "-T") };
      const seen = (await askPython(harness.python!, LOOK, asked, input.signal)) as Readonly<Record<string, SeenTask>>;
      const items = Object.entries(seen).flatMap(([task, { samples }]) =>
        Object.entries(samples).map(([doc_id, sample]) => ({ task, doc_id, ...sampleIdentity(sample) })),
      );
      const checked = sameItems(anchors, items, {
        ...{ harness: "inspect", fitted: input.bundle.manifest.protocol["harness"], dropChanged: input.dropChanged },
      });
      anchors = checked.anchors;
      remarks.push(...checked.remarks);
    } catch (error) {
      if (error instanceof AnchorEvalError || input.signal.aborted) throw error;
      remarks.push(
        `the tasks could not be looked at before the run (${(error as Error).message}): whether they ask the bundle's items is known afterwards`,
      );
    }
  }
  const samples = samplesByTask(anchors);
  const logs = join(folder, "logs");
  const newest = await newestLogs(logs, tasks);
  const buffer = isGiven(passed, "--log-buffer") ? [] : ["--log-buffer", "1"];
  const format = (await readsZstd()) || isGiven(passed, "--log-format") ? [] : ["--log-format", "json"];
  const commands = Object.entries(samples).map(([task, ids]) => {
    const begun = newest.get(task);
    const fixed =
      begun === undefined
        ? [...inspectArguments(specs.get(task)!, ids, logs), ...format, ...passed]
        : ["eval-retry", begun.file, "--log-dir", logs];
    return {
      words: [...(harness?.command ?? ["inspect"]), ...fixed, ...buffer],
      done: begun !== undefined && begun.broken === undefined,
      // Inspect ends with exit code 0 whether or not it came to the end.
      broken: async () => {
        const log = (await newestLogs(logs, tasks)).get(task);
        if (log === undefined) return { reason: "it wrote no log", answered: 0 };
        return log.broken === undefined ? null : { reason: log.broken, answered: await countAnswered(log) };
      },
    };
  });
  return { commands, files: [], anchors, remarks };
}

/** Where a task lies: as it or its package's task is named among the places given, in the only file given, or by its own name. */
function taskSpec(task: string, places: readonly string[]): string {
  const named = places.find(
    (place) => place.endsWith(`@${task}`) || (taskAmong([task], place) === task && !existsSync(place)),
  );
  if (named !== undefined) return named;
  const files = places.filter((place) => !place.includes("@") && existsSync(place));
  if (files.length > 1)
    throw invalidOption(
      `which file has the task ${task}? Write it as ${files[0]!}@${task}, and each of the others likewise`,
    );
  return files.length === 1 ? `${files[0]!}@${task}` : task;
}

/** The newest log of each of some tasks in a run's folder. */
async function newestLogs(folder: string, tasks: readonly string[]): Promise<ReadonlyMap<string, RunLog>> {
  if (!existsSync(folder)) return new Map();
  const harness = await openHarness("inspect", "run --harness inspect");
  const logs = await harness.find([folder]).catch((error: unknown) => {
    if (error instanceof AnchorEvalError && error.code === "invalid_data") return []; // it broke off before the first
    throw error;
  });
  // The last of a task counts.
  return new Map(
    logs
      .toSorted(newerFirst)
      .reverse()
      .map((log) => [taskAmong(tasks, log.task), log]),
  );
}

/** Samples of a log that were answered and scored; null where their score is still to be chosen. */
async function countAnswered(log: RunLog): Promise<number | null> {
  const harness = await openHarness("inspect", "run --harness inspect");
  const open = { metric: () => undefined, filter: () => undefined };
  return harness.read(log, open).then(
    ({ samples }) => samples.filter(isAnswered).length,
    () => null,
  );
}

/** A task as Inspect itself loads it. */
interface SeenTask {
  /** All its samples, by id. */
  readonly samples: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Runs in the harness's interpreter: says what its tasks are, before anything is asked. */
const LOOK = `
from inspect_ai._cli.util import parse_cli_args
from inspect_ai._eval.loader import load_tasks

seen = {}
for name, spec in asked["specs"].items():
    (task,) = load_tasks([spec], parse_cli_args(asked["arguments"]))
    samples = {}
    for place, sample in enumerate(task.dataset):
        id = place + 1 if sample.id is None else sample.id
        samples[str(id)] = sample.model_dump(mode="json", include={"input", "choices", "target"})
    seen[name] = {"samples": samples}
answer(seen)
`;
