import { lookUp } from "anchoreval/internal/core/bundle/names";
import { quoted } from "anchoreval/internal/tables/data-issues";
import { decimalNumber } from "anchoreval/internal/tables/score-reader";
import { groupedOrder, type ItemInfo } from "../response-matrix.ts";
import { givenWeighting } from "../scenarios.ts";
import type { BorderFinding } from "./findings.ts";

/** Letters in which a misspelt name differs at most, and those that it has at least. */
const MOST_EDITS = 2;
const LEAST_LETTERS = 6;

/** Names that fields have elsewhere, by ours. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  subscenario: ["subset", "subtask", "subject", "category", "group", "topic"],
  hash: ["sha256", "contenthash", "itemhash"],
};

/**
 * Fields of a file that look meant and aren't read: another spelling, or another name, of one that would be and isn't there.
 */
export function unusedFields(file: string, names: readonly string[], read: readonly string[]): BorderFinding[] {
  const absent = read.filter((name) => !names.includes(name));
  return names.flatMap((name) => {
    if (read.includes(name)) return [];
    const letters = lettersOf(name);
    const meant = absent.find(
      (field) =>
        lookUp(ELSEWHERE, field)?.includes(letters) === true ||
        lettersOf(field) === letters ||
        (letters.length >= LEAST_LETTERS && edits(lettersOf(field), letters) <= MOST_EDITS),
    );
    if (meant === undefined) return [];
    const message = `field ${quoted(name)} isn't read: if it has the ${meant}, call it ${meant}`;
    return [{ code: "unused_field", file, names: [name], message }];
  });
}

/** Whether a field is an item's weight, in any spelling. */
export function isWeight(name: string): boolean {
  return /^(?:(?:item|sample|question)?weights?|weighting)$/.test(lettersOf(name));
}

/** Weights of items, which a bundle hasn't: said where the weighting gives them, refused where nothing does. */
export function unusedWeights(
  file: string,
  items: readonly ItemInfo[],
  weights: ReadonlyMap<string, unknown>,
): BorderFinding[] {
  const values = items.map((item) => {
    const weight = weights.get(item.item_id) ?? null;
    return typeof weight === "string" ? decimalNumber(weight.trim()) : typeof weight === "number" ? weight : NaN;
  });
  if (values.every(Number.isNaN)) return [];
  const order = Array.from(groupedOrder(items));
  const weighting = values.every((weight) => weight > 0)
    ? givenWeighting(
        order.map((i) => items[i]!),
        order.map((i) => values[i]!),
      )
    : null;
  if (weighting === "subscenarios") return [];
  const finding = { code: "unused_field", file, names: ["weight"] };
  return weighting === "items"
    ? [
        {
          ...finding,
          message: `weights aren't read: these count each item the same, as \`weighting: "items"\` does`,
        },
      ]
    : [
        {
          ...finding,
          refused: true,
          message: `weights aren't read, and these are neither the same for all items of a scenario nor the same for all its subscenarios: a bundle keeps no others; leave the field out`,
        },
      ];
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Levenshtein's distance. */
function edits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}
