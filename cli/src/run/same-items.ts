import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { given } from "../command.ts";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { matchAnchors } from "anchoreval/internal/logs/match-anchors";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";
import { firstFew } from "anchoreval/internal/tables/data-issues";

/** An item of a harness's task. */
interface SeenItem extends Pick<LoggedSample, "task" | "doc_id" | "hash" | "text"> {
  /** How the harness is told to ask it. @default its doc_id */
  readonly place?: number;
}

/**
 * Finds a bundle's anchors among the items of a harness's tasks, before anything is asked: by content, else by id, as they
 * will be found in its logs.
 * @param items - those that may be anchors; of one that has an anchor's id and other content the anchor has changed
 * @param harness - that is run, and that the bundle's models were run with
 * @param dropChanged - changed items count as missing instead of being refused
 * @returns the anchors as the harness names them, and what should be known
 * @throws AnchorEvalError `item_changed` for anchors that aren't there, or whose content is another than the bundle's
 */
export function sameItems(
  anchors: readonly AnchorRecord[],
  items: readonly SeenItem[],
  { harness, fitted, dropChanged }: { harness: string; fitted: unknown; dropChanged: boolean },
): { readonly anchors: readonly AnchorRecord[]; readonly remarks: readonly string[] } {
  const samples = items.map((item) => ({ ...item, state: "unscored", score: null }) as const);
  const { found, hashes } = matchAnchors(anchors, samples);
  const missing = anchors.flatMap(({ item_id }) => (found.has(item_id) ? [] : [item_id]));
  const changed = anchors.flatMap(({ item_id, hash }) => {
    const own = hashes.get(item_id);
    return hash === undefined || own === undefined || own === hash ? [] : [item_id];
  });
  const named = anchors.map((anchor) => {
    const { place, doc_id } = (found.get(anchor.item_id) ?? anchor) as Partial<SeenItem>;
    return { ...anchor, ...given({ doc_id: place ?? doc_id }) };
  });
  const share = (ids: readonly string[]): string => `${ids.length} of ${anchors.length} anchors`;
  if (missing.length > 0)
    throw new AnchorEvalError(
      "item_changed",
      `${share(missing)} aren't in the harness's tasks: ${firstFew(missing)}; the bundle was fitted on another version of them`,
    );
  if (changed.length === 0) return { anchors: named, remarks: [] };
  const words = `${share(changed)} have other content in the harness's tasks: ${firstFew(changed)}`;
  if (typeof fitted === "string" && fitted !== harness && changed.length === anchors.length)
    throw new AnchorEvalError(
      "item_changed",
      `${words}; the bundle's hashes are of items as ${fitted} writes them: run ${fitted}, or a bundle fitted on logs of ${harness}`,
    );
  if (!dropChanged)
    throw new AnchorEvalError(
      "item_changed",
      `${words}; take the bundle of this version of the benchmark, or count them as missing with --drop-changed`,
    );
  return { anchors: named, remarks: [`${words}; they count as missing`] };
}
