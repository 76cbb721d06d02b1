import type { AnchorRecord } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";

type SamplesByTask = Readonly<Record<string, readonly (string | number)[]>>;

/**
 * The samples of some anchors, by task.
 * @throws AnchorEvalError `unsupported` where anchors name no task and sample
 * @example samplesByTask(anchors) // { sums: ["sum-3", "sum-7"] }
 */
export function samplesByTask(anchors: Iterable<AnchorRecord>): SamplesByTask {
  const isSample = (id: unknown): id is string | number => id !== undefined;
  return byTask(anchors, isSample, { what: "sample of a harness", needs: "doc_id", by: "an import" });
}

/** The argument of lm-eval's `--samples`: the documents to run of each task. */
type LmEvalDocumentList = Readonly<Record<string, readonly number[]>>;

/**
 * The documents of some anchors, as lm-evaluation-harness's `--samples` takes them. The ids ascend, and must: the
 * harness runs a task's documents in the order of its dataset, but labels them in the order of the list
 * (lm-evaluation-harness#4084).
 * @throws AnchorEvalError `unsupported` where anchors name no task and document id
 * @example lmEvalDocumentList(anchors) // { mmlu_anatomy: [3, 17], mmlu_virology: [5] }
 */
export function lmEvalDocumentList(anchors: Iterable<AnchorRecord>): LmEvalDocumentList {
  const isDocument = (id: unknown): id is number => typeof id === "number" && Number.isSafeInteger(id) && id >= 0;
  const words = { what: "document of lm-eval", needs: "a whole doc_id", by: "an import from lm-eval" };
  return Object.fromEntries(
    Object.entries(byTask(anchors, isDocument, words)).map(([task, ids]) => [
      task,
      [...new Set(ids)].sort((left, right) => left - right),
    ]),
  );
}

/** The anchors' ids in their tasks, by task. */
function byTask<Id>(
  anchors: Iterable<AnchorRecord>,
  isId: (id: unknown) => id is Id,
  { what, needs, by }: { readonly what: string; readonly needs: string; readonly by: string },
): Record<string, Id[]> {
  const samples = new Map<string, Id[]>();
  const unnamed: string[] = [];
  for (const { item_id, task, doc_id } of anchors)
    if (task === undefined || !isId(doc_id)) unnamed.push(item_id);
    else samples.set(task, [...(samples.get(task) ?? []), doc_id]);
  if (unnamed.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `${unnamed.length} ${unnamed.length === 1 ? "anchor names" : "anchors name"} no task and ${what}: ${unnamed.slice(0, 5).join(", ")}${unnamed.length > 5 ? ", …" : ""}; give them by \`items\`, or fit the bundle from items that have task and doc_id, as ${by} writes them`,
      { issues: unnamed.map((id) => ({ path: [id], code: "missing", message: `needs task and ${needs}` })) },
    );
  return Object.fromEntries([...samples].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * The arguments of `lm_eval` that run exactly these documents. `--tasks` names these tasks and no group: the harness runs
 * a task that the list lacks on all its documents.
 * @param include - the folder of tasks of one's own
 * @param shots - few-shot examples, where the bundle's runs all had as many
 */
export function lmEvalArguments(
  list: LmEvalDocumentList,
  {
    file,
    logs,
    include = null,
    shots,
    chatTemplate,
  }: { file: string; logs: string; include?: string | null; shots?: number; chatTemplate?: boolean },
): string[] {
  return [
    "--tasks",
    Object.keys(list).join(","),
    ...(include === null ? [] : ["--include_path", include]),
    "--samples",
    file,
    ...(shots === undefined ? [] : ["--num_fewshot", String(shots)]),
    ...(chatTemplate === true ? ["--apply_chat_template"] : []),
    "--log_samples",
    "--output_path",
    logs,
  ];
}

/**
 * The arguments of `inspect` that run exactly these samples of a task.
 * @param task - its name, or where it is: `quiz.py@sums`
 * @throws AnchorEvalError `unsupported` for an id with a comma, which `--sample-id` would take for two
 * @example inspectArguments("sums", ["sum-3", "sum-7"], "anchors") // ["eval", "sums", "--sample-id", "sum-3,sum-7", …]
 */
export function inspectArguments(task: string, ids: readonly (string | number)[], logs: string): string[] {
  const broken = ids.find((id) => String(id).includes(","));
  if (broken !== undefined)
    throw new AnchorEvalError(
      "unsupported",
      `${task}: inspect's --sample-id can't take an id with a comma: ${broken}; a list of ids has them a line each`,
    );
  const literal = ids.map((id) => String(id).replace(/[[*?]/g, "[$&]")); // it takes ids as patterns of file names
  return ["eval", task, "--sample-id", literal.join(","), "--log-dir", logs];
}
