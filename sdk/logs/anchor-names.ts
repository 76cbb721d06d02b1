import type { Bundle } from "../core/bundle/bundle.ts";
import { bundleItems } from "../core/bundle/item-lines.ts";
import type { AnchorRecord } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { listed } from "../words/figures.ts";
import { idScheme } from "./protocol.ts";

/** All anchors of a bundle, scenario after scenario. */
export function allAnchors(bundle: Bundle): AnchorRecord[] {
  return [...bundle.scenarios.values()].flatMap((scenario) => [...scenario.anchors.values()]);
}

/**
 * All items of a bundle that knows them, as anchors are described: of those that are none the task is that of the anchors
 * of their scenario and subscenario, where these have but one.
 */
export function allItems(bundle: Bundle): AnchorRecord[] {
  const items = bundleItems(bundle)!;
  const tasks = new Map<string, Set<string | undefined>>();
  const group = (anchor: Pick<AnchorRecord, "scenario" | "subscenario">): string =>
    JSON.stringify([anchor.scenario, anchor.subscenario]);
  for (const anchor of allAnchors(bundle))
    tasks.set(group(anchor), (tasks.get(group(anchor)) ?? new Set()).add(anchor.task));
  let begin = 0;
  return bundle.manifest.scenarios.flatMap(({ id, items: count }) => {
    const { anchors } = bundle.scenarios.get(id)!;
    const first = begin;
    begin += count;
    return Array.from({ length: count }, (_, index) => {
      const item = items.record(first + index);
      const anchor = anchors.get(item.item_id);
      if (anchor) return anchor;
      const [task, ...more] = tasks.get(group(item)) ?? [];
      if (task === undefined || more.length > 0) return { ...item, index, forms: [] };
      const place = item.item_id.startsWith(`${task}/`) ? { doc_id: item.item_id.slice(task.length + 1) } : {};
      return { ...item, index, forms: [], task, ...place };
    });
  });
}

/** The anchors of a form, scenario after scenario, in the order in which they are asked. */
export function formAnchors(anchors: readonly AnchorRecord[], form: string): AnchorRecord[] {
  return anchors.filter((anchor) => anchor.forms.includes(form));
}

/** Scenarios whose ids are their source's own: nobody knows which documents they number. */
export function sourceScenarios({ manifest, scenarios }: Bundle): string[] {
  return [...scenarios.keys()].filter((scenario) => idScheme(manifest.protocol, scenario) === "source");
}

/** Anchors by what lm-evaluation-harness finds them by: a document's place, or the value of one of its fields. */
interface FieldAnchors {
  readonly anchors: readonly AnchorRecord[];
  /** Of tasks whose documents are named by a field of theirs: that field. Such anchors have its value as their doc_id. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Anchors by what a harness is told to ask them by.
 * @param bundle - says what the ids of its scenarios are; null where a file of items says it
 * @throws AnchorEvalError `unsupported` for ids that nobody knows the documents of
 */
export function namedAnchors(anchors: readonly AnchorRecord[], bundle: Bundle | null): FieldAnchors {
  if (bundle === null) return { anchors, fields: new Map() };
  const unknown = sourceScenarios(bundle);
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `no harness can be told to ask the items of ${listed(unknown)}: their ids are the source's own, and it isn't known which documents they are; a table of items with the task and doc_id of each says so`,
    );
  return fieldAnchors(bundle, anchors);
}

/** Reads off a bundle's manifest which anchors are named by a field of their documents. */
export function fieldAnchors({ manifest }: Bundle, anchors: readonly AnchorRecord[]): FieldAnchors {
  const fields = new Map<string, string>();
  const named = anchors.map((anchor) => {
    const scheme = idScheme(manifest.protocol, anchor.scenario);
    if (scheme === "doc_id" || scheme === "source" || anchor.task === undefined) return anchor;
    fields.set(anchor.task, scheme);
    return { ...anchor, doc_id: anchor.item_id };
  });
  return { anchors: named, fields };
}
