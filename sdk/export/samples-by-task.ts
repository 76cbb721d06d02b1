import type { AnchorRecord } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";

/** Ids of samples (Inspect) or instances (HELM) to run, by task. */
export type SamplesByTask = Readonly<Record<string, readonly (string | number)[]>>;

/**
 * The samples of some anchors, by task.
 * @throws AnchorEvalError `unsupported` where anchors name no task and sample
 * @example samplesByTask(anchors) // { sums: ["sum-3", "sum-7"] }
 */
export function samplesByTask(anchors: Iterable<AnchorRecord>): SamplesByTask {
  const samples = new Map<string, (string | number)[]>();
  const without: string[] = [];
  for (const { item_id, task, doc_id } of anchors)
    if (task === undefined || doc_id === undefined) without.push(item_id);
    else samples.set(task, [...(samples.get(task) ?? []), doc_id]);
  if (without.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `${without.length} ${without.length === 1 ? "anchor names" : "anchors name"} no task and sample of a harness: ${without.slice(0, 5).join(", ")}${without.length > 5 ? ", …" : ""}; fit the bundle from items that have task and doc_id, as anchoreval import writes them`,
      { issues: without.map((id) => ({ path: [id], code: "missing", message: "needs task and doc_id" })) },
    );
  return Object.fromEntries([...samples].sort(([left], [right]) => (left < right ? -1 : 1)));
}
