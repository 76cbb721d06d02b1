import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { matchAnchors } from "anchoreval/internal/logs/match-anchors";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";
import { firstFew } from "anchoreval/internal/tables/data-issues";

/** An anchor as a harness's task has it. */
type FoundItem = Pick<LoggedSample, "doc_id" | "hash" | "text">;

/**
 * Holds a harness's tasks against a bundle's anchors, before anything is asked.
 * @param find - the anchor's item in its task; null where there is none
 * @param harness - that is run, and that the bundle's models were run with
 * @param dropChanged - changed items count as missing instead of being refused
 * @returns the anchors as the harness names them, and what should be known
 * @throws AnchorEvalError `item_changed` for anchors that aren't there, or whose content is another than the bundle's
 */
export function sameItems(
  anchors: readonly AnchorRecord[],
  find: (anchor: AnchorRecord) => FoundItem | null,
  { harness, fitted, dropChanged }: { harness: string; fitted: unknown; dropChanged: boolean },
): { readonly anchors: readonly AnchorRecord[]; readonly remarks: readonly string[] } {
  const items = anchors.map((anchor) => [anchor, find(anchor)] as const);
  const missing = items.flatMap(([{ item_id }, found]) => (found === null ? [item_id] : []));
  const named = items.map(([anchor, found]) => ({ ...anchor, ...(found && { doc_id: found.doc_id }) }));
  // Held to the same rule as the logs will be.
  const { hashes } = matchAnchors(
    named,
    items.flatMap(([{ task }, found]) => (found ? [{ ...found, task: task!, state: "unscored", score: null }] : [])),
  );
  const changed = named.flatMap(({ item_id, hash }) => {
    const found = hashes.get(item_id);
    return hash === undefined || found === undefined || found === hash ? [] : [item_id];
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

/** Says that a harness isn't the one that the bundle's models were run with. */
export function otherHarness(
  { harness: fitted }: Readonly<Record<string, string | number | boolean>>,
  harness: string,
): string[] {
  return fitted === undefined || fitted === harness
    ? []
    : [
        `the models that the bundle was fitted on were run with ${String(fitted)}, not with ${harness}, which may prompt and score otherwise`,
      ];
}
