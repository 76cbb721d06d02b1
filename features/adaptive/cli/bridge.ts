import {
  batchScores,
  localAdaptive,
  type AdaptiveTurn,
} from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import type { AdaptiveOptions } from "anchoreval/internal/features/adaptive/sdk/types";
import { parsePythonJson } from "anchoreval/internal/logs/json";
import type { NamedItem } from "anchoreval/internal/logs/match-anchors";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { ItemLines } from "anchoreval/internal/core/bundle/item-lines";
import type { Responses } from "anchoreval/internal/tables/item-trials";
import type { BridgeSubject } from "../../../cli/src/bridge-call.ts";
import { findSamples } from "../../../cli/src/run/same-items.ts";

interface TurnRequest {
  readonly options?: AdaptiveOptions;
  readonly seed?: string;
  /** Where the evaluation stands; absent at its beginning. */
  readonly state?: string;
}

export async function nextTurn(
  { bundle, models, lines }: BridgeSubject,
  { options = {}, seed, state }: TurnRequest,
): Promise<AdaptiveTurn> {
  const source = localAdaptive(itemPool(bundle, await lines()), seed);
  if (state === undefined) return source.begin(options);
  return source.next(state, { responses: models[0]!.responses as Responses });
}

/** Refuses what is no score, before the batch that it belongs to is complete. @throws AnchorEvalError `invalid_answers` */
export function checkAnswers({ models }: BridgeSubject): Promise<null> {
  const responses = models[0]!.responses as ReadonlyMap<string, number | null>;
  batchScores([...responses.keys()], { responses }, 1);
  return Promise.resolve(null);
}

/** The items that may be asked, and which of them each sample of a task of Inspect is. */
export async function poolSamples(
  { bundle, lines }: BridgeSubject,
  { samples }: { readonly samples: string },
): Promise<{ readonly items: string[]; readonly found: readonly (string | null)[] }> {
  const items = loadedItems(bundle, await lines());
  const seen = parsePythonJson(samples) as Parameters<typeof findSamples>[2];
  return { items: items.map(({ item_id }) => item_id), found: findSamples(bundle, items, seen) };
}

/** All items of the loaded scenarios: a sample's number stands at the end of an id as `import` makes it. */
function loadedItems({ manifest, scenarios }: Bundle, lines: ItemLines): NamedItem[] {
  const items: NamedItem[] = [];
  let line = 0;
  for (const { id, items: count } of manifest.scenarios)
    for (const end = line + count; line < end; line++) {
      if (!scenarios.has(id)) continue;
      const { item_id, hash } = lines.record(line);
      const doc_id = item_id.slice(item_id.lastIndexOf("/") + 1);
      items.push({ item_id, doc_id, ...(hash !== undefined && { hash }) });
    }
  return items;
}
