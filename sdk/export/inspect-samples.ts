import type { AnchorRecord } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";

/** The ids of the samples to run of each task, as Inspect's `--sample-id` takes them. */
export type InspectSampleIds = Readonly<Record<string, readonly (string | number)[]>>;

/**
 * The samples of some anchors, by task.
 * @throws AnchorEvalError `unsupported` where anchors name no task and sample, or a sample whose id has a comma
 * @example inspectSampleIds(anchors) // { sums: ["sum-3", "sum-7"] }
 */
export function inspectSampleIds(anchors: Iterable<AnchorRecord>): InspectSampleIds {
  const samples = new Map<string, (string | number)[]>();
  const without: string[] = [];
  for (const { item_id, task, doc_id } of anchors)
    if (task === undefined || doc_id === undefined || String(doc_id).includes(",")) without.push(item_id);
    else samples.set(task, [...(samples.get(task) ?? []), doc_id]);
  if (without.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `${without.length} ${without.length === 1 ? "anchor names" : "anchors name"} no task and sample that inspect's --sample-id takes: ${without.slice(0, 5).join(", ")}${without.length > 5 ? ", …" : ""}; fit the bundle from items that have task and doc_id (without commas), as anchoreval import --from inspect writes them`,
      { issues: without.map((id) => ({ path: [id], code: "missing", message: "needs task and doc_id" })) },
    );
  return Object.fromEntries([...samples].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The arguments of `inspect` that run exactly these samples of a task. */
export function inspectArguments(task: string, ids: readonly (string | number)[]): string[] {
  return ["eval", task, "--sample-id", ids.join(","), "--log-dir", "logs"];
}
