import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord, Manifest } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { namedAnchors } from "anchoreval/internal/logs/anchor-names";
import { idScheme } from "anchoreval/internal/logs/protocol";
import { isHarness } from "anchoreval/internal/node/logs/readers";
import { option, type OptionSpecs } from "../program/command.ts";
import { withTrainer } from "../program/trainer.ts";

export const ITEMS_OPTION = {
  items: option(
    "FILE",
    "items with item_id, task and doc_id, where the bundle was fitted without them: as import writes it",
  ),
} as const satisfies OptionSpecs;

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
  const rows = anchors.map((anchor) => {
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
  return rows;
}

/**
 * The harness that can be told to ask a bundle's items: the one that its models were run with, else lm-evaluation-harness by
 * places or by a field of its documents.
 * @returns null where some ids are the source's own, so that no harness can, or nothing says whose they are
 */
export function askedBy({ protocol, scenarios }: Pick<Manifest, "protocol" | "scenarios">): string | null {
  if (scenarios.some(({ id }) => idScheme(protocol, id) === "source")) return null;
  const { harness, ids } = protocol;
  if (isHarness(harness)) return harness;
  return ids === undefined ? null : "lm-eval";
}

/**
 * Refuses to tell a harness names that another one gave the items: the same names are other items there. Inspect's tasks call
 * their samples as they like.
 * @param byContent - what finds items that have content hashes, whatever they are called: a command, true for this one,
 * null for none
 * @param unchecked - it takes any names, so that nothing but the bundle says whose they are
 * @throws AnchorEvalError `unsupported`, for ids of the source's own as well
 */
export function refuseOtherNumbers(
  bundle: Bundle,
  anchors: readonly AnchorRecord[],
  {
    harness,
    byContent,
    unchecked = false,
  }: { readonly harness: string; readonly byContent: string | true | null; readonly unchecked?: boolean },
): void {
  namedAnchors(anchors, bundle);
  const hashed = anchors.every(({ hash }) => hash !== undefined);
  const namer = askedBy(bundle.manifest);
  if (namer === harness || (byContent === true && hashed) || (namer === null && !unchecked)) return;
  const what =
    namer === null
      ? `nothing says that the bundle's items are named as ${harness} names them`
      : `the bundle's items are named as ${namer} names them, and ${harness} would be told to ask others by these names`;
  const ways = [
    ...(namer === null ? [] : [`ask them by ${namer}`]),
    ...(hashed && typeof byContent === "string" ? [`find them by their content, with ${byContent}`] : []),
    `give a table of items (--items) with the task and doc_id of each in ${harness}`,
  ];
  throw new AnchorEvalError("unsupported", `${what}: ${ways.join(", or ")}`);
}

/** An argument as a shell takes it. @example quote("a b") // "'a b'" */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
