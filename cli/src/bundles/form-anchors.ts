import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { bundleItems } from "anchoreval/internal/core/bundle/item-lines";
import { idScheme } from "anchoreval/internal/logs/protocol";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { listed } from "anchoreval/internal/words/figures";
import { option, type OptionSpecs } from "../program/command.ts";
import { withTrainer } from "../program/trainer.ts";

export const ITEMS_OPTION = {
  items: option(
    "FILE",
    "items with item_id, task and doc_id, where the bundle was fitted without them: as import writes it",
  ),
} as const satisfies OptionSpecs;

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
  const group = (own: Pick<AnchorRecord, "scenario" | "subscenario">): string =>
    JSON.stringify([own.scenario, own.subscenario]);
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

/**
 * A bundle's anchors with the tasks and document ids that a file has for them, in place of the bundle's own; with its
 * hashes where the bundle has none. Anchors that the file doesn't name stay as they are.
 * @param file - of `--items`; none leaves all as they are
 * @throws AnchorEvalError `invalid_data` for a file that names no anchor, or contradicts the bundle's hashes; TrainerMissing
 */
export async function placeAnchors(
  anchors: readonly AnchorRecord[],
  file: string | undefined,
): Promise<AnchorRecord[]> {
  if (file === undefined) return [...anchors];
  const { readItems } = await withTrainer("--items", () => import("anchoreval-trainer/internal/matrix/items-file"));
  const items = new Map((await readItems(file)).map((item) => [item.item_id, item]));
  const changed: string[] = [];
  let named = 0;
  const placed = anchors.map((anchor) => {
    const { task, doc_id, hash = anchor.hash } = items.get(anchor.item_id) ?? {};
    if (anchor.hash !== undefined && hash !== anchor.hash) changed.push(anchor.item_id);
    if (task === undefined || doc_id === undefined) return anchor;
    named++;
    return { ...anchor, task, doc_id, ...(hash !== undefined && { hash }) };
  });
  if (changed.length > 0)
    throw new AnchorEvalError(
      "item_changed",
      `${file}: ${changed.length} ${changed.length === 1 ? "item has" : "items have"} another hash than in the bundle: ${firstFew(changed)}`,
    );
  if (named === 0)
    throw new AnchorEvalError("invalid_data", `${file} has no task and doc_id of any anchor of this bundle`);
  return placed;
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
      `no harness can be told to ask the items of ${listed(unknown)}: their ids are the source's own, and it isn't known which documents they are; a file of items that says so may be given by --items`,
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

/** An argument as a shell takes it. @example quote("a b") // "'a b'" */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
