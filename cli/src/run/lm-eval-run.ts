import { join } from "node:path";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { chooseFilter, chooseMetric } from "anchoreval/internal/logs/choices";
import { lmEvalArguments, lmEvalDocumentList, samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { findItems } from "./same-items.ts";
import { isGiven, refuseDecided, valuesOf, type Decided, type PlanInput, type RunPlan } from "./plan.ts";
import { askPython } from "./harness-process.ts";
import { checkTasks, seenItems, type SeenTask, type TaskChoice } from "./lm-eval-tasks.ts";

const DECIDED: Decided = [
  [["--tasks", "-t"], "the bundle's anchors name the tasks"],
  [["--samples", "-E"], "they are the bundle's anchors"],
  [["--limit", "-L"], "the form says how many items are asked; take another --form"],
  [["--output_path", "-o"], "name the folder by --out, before the --"],
  [["--predict_only"], "an estimate needs scores"],
  [["--config", "-C"], "give its settings as arguments: it may name other tasks"],
];

const AFTERWARDS = "whether they ask the bundle's items is known afterwards";

/**
 * How lm-evaluation-harness runs the anchors: its tasks are looked at first. Its answers are kept one by one in a cache in
 * the run's folder, which a second run of the same goes on from.
 * @throws AnchorEvalError `invalid_option`, `unsupported`, `item_changed` for what would make the run worth nothing
 */
export async function planLmEval(input: PlanInput): Promise<RunPlan> {
  const { folder, words, harness, bundle } = input;
  const [idField] = input.fields.values();
  refuseDecided(words, DECIDED);
  const remarks: string[] = [];
  let { anchors } = input;
  if (harness?.python == null && idField !== undefined)
    throw new AnchorEvalError(
      "unsupported",
      `the anchors are named by the field ${idField} of the harness's documents, whose places only an installed lm-evaluation-harness tells`,
    );
  if (harness !== null && harness.python === null)
    remarks.push(
      `the tasks could not be looked at before the run (it isn't known which Python ${harness.command[0]!} runs in): ${AFTERWARDS}`,
    );
  if (harness?.python != null) {
    const asked = idField === undefined ? lmEvalDocumentList(anchors) : samplesByTask(anchors);
    try {
      const look = (ids: Readonly<Record<string, readonly (string | number)[] | null>>): Promise<SeenTasks> =>
        askPython(
          harness.python!,
          LOOK,
          { tasks: ids, fields: Object.fromEntries(input.fields), include: valuesOf(words, "--include_path") },
          input.signal,
        ) as Promise<SeenTasks>;
      let tasks = await look(asked);
      refuseUnknown(tasks);
      // Where an anchor's content isn't in its place it may be in another.
      const { missing, changed } = findItems(anchors, seenItems(tasks));
      const sought = new Set([...missing, ...changed]);
      const whole = anchors.flatMap(({ item_id, task, hash }) =>
        hash !== undefined && sought.has(item_id) ? [[task!, null] as const] : [],
      );
      if (whole.length > 0) tasks = { ...tasks, ...(await look(Object.fromEntries(whole))) };
      refuseUnknown(tasks);
      const checked = checkTasks(tasks, input, (name, task) => [choiceOf(name, task, input)]);
      anchors = checked.anchors;
      remarks.push(...checked.remarks);
    } catch (error) {
      if (error instanceof AnchorEvalError || idField !== undefined || input.signal.aborted) throw error;
      remarks.push(`the tasks could not be looked at before the run (${(error as Error).message}): ${AFTERWARDS}`);
    }
  }
  const { shots, chatTemplate } = bundle.manifest.protocol;
  const documents = lmEvalDocumentList(anchors);
  const file = join(folder, "samples.json");
  const fixed = lmEvalArguments(documents, {
    file,
    logs: join(folder, "logs"),
    ...(typeof shots === "number" && !isGiven(words, "--num_fewshot", "-f") && { shots }),
    ...(typeof chatTemplate === "boolean" && !isGiven(words, "--apply_chat_template") && { chatTemplate }),
  });
  const cache = isGiven(words, "--use_cache", "-c") ? [] : ["--use_cache", join(folder, "answers")];
  return {
    commands: [{ words: [...(harness?.command ?? ["lm_eval"]), ...words, ...fixed, ...cache], done: false }],
    files: [[file, `${JSON.stringify(documents)}\n`]],
    anchors,
    remarks,
  };
}

/** The harness's tasks by name; null for one that it doesn't have. */
type SeenTasks = Readonly<Record<string, SeenTask | null>>;

function refuseUnknown(tasks: SeenTasks): asserts tasks is Readonly<Record<string, SeenTask>> {
  const unknown = Object.entries(tasks).filter(([, task]) => task === null);
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `lm-evaluation-harness has no task ${firstFew(unknown.map(([name]) => name))}: tasks of your own are found by --include_path FOLDER, after the --`,
    );
}

/** How the run will ask and score a task. */
function choiceOf(
  name: string,
  { shots, metrics, filters }: SeenTask,
  { bundle, words, choose }: PlanInput,
): TaskChoice {
  const file = "lm-evaluation-harness";
  const [askedMetric, ...askedFilter] = choose.metric([name])?.split(",") ?? [];
  const reasons = new Map(metrics.map((metric) => [metric, null]));
  const { protocol } = bundle.manifest;
  const fewshot = valuesOf(words, "--num_fewshot", "-f").at(-1) ?? protocol["shots"];
  return {
    metric: chooseMetric(reasons, { file, task: name, metric: askedMetric }),
    filter: chooseFilter(filters, { file, task: name, filter: choose.filter([name]) ?? askedFilter[0] }),
    // The harness leaves a task without examples as it is.
    shots: shots === 0 ? 0 : Number(fewshot ?? shots) || 0,
    chatTemplate: isGiven(words, "--apply_chat_template") || protocol["chatTemplate"] === true,
  };
}

/** Runs in the harness's interpreter: says what its tasks are, before anything is asked. */
const LOOK = `
from lm_eval.tasks import TaskManager
from lm_eval.utils import handle_non_serializable

include = asked["include"][0] if len(asked["include"]) == 1 else asked["include"]
manager = TaskManager(include_path=include, include_defaults=False) if include else None
if manager is None or any(name not in manager.all_tasks for name in asked["tasks"]):
    manager = TaskManager(include_path=include or None)  # the harness's own tasks, too: that takes seconds
seen = {}
for name, ids in asked["tasks"].items():
    if name not in manager.all_tasks:
        seen[name] = None
        continue
    task = manager.load([name])["tasks"][name] if hasattr(manager, "load") else manager.load_task_or_group([name])[name]
    documents = task.eval_docs
    field = asked["fields"].get(name)
    if field is not None:
        places = {str(document[field]): place for place, document in enumerate(documents)}
    else:
        places = {str(place): place for place in range(len(documents))}
    filters = getattr(task, "_filters", None) or []
    seen[name] = {
        "version": task.VERSION,
        "shots": task.config.num_fewshot,
        "metrics": list(task.aggregation()),
        "filters": [own.name for own in filters] or ["none"],
        "documents": {
            str(id): [places[str(id)], documents[places[str(id)]], str(task.doc_to_target(documents[places[str(id)]]))]
            for id in (places if ids is None else ids)
            if str(id) in places
        },
    }
answer(seen, default=handle_non_serializable)
`;
