import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { scoreOnScale } from "../../../sdk/core/numeric/score-bounds.ts";
import { firstFew } from "../../../sdk/tables/data-issues.ts";
import {
  isTrials,
  type ItemTrials,
  summariseTrials,
  trialProblem,
  type TrialResponses,
} from "../../../sdk/tables/item-trials.ts";
import { counted } from "../../../sdk/words/figures.ts";

/** Of each side: a score's name, the rule for it, and its value, NaN for what is none. */
const SIDES = {
  judge: {
    noun: "score of the judge",
    rule: "a finite number",
    read: (value: number) => (isFinite(value) ? value : NaN),
  },
  labels: { noun: "label", rule: "a number in [0,1]", read: scoreOnScale },
} as const;
type Side = keyof typeof SIDES;

/**
 * A judge's scores of all items and people's labels of some, checked: one number an item, the mean of several. A label that
 * is null is none; an item that the judge has no score of isn't left out without a word.
 * @throws AnchorEvalError `invalid_answers` naming every item that breaks a rule
 */
export function readJudged(judge: TrialResponses, labels: TrialResponses) {
  const { scores, missing } = scoresOf(judge, "judge");
  const { scores: labelOf } = scoresOf(labels, "labels");
  if (missing.length > 0)
    throw refused("judge", missing, "missing", [
      "the judge has no score of it",
      `the judge has no score of ${counted(missing.length, "item")}: ${firstFew(missing)}; the score is of all items: have it judge them, or take them out where they are none of the whole`,
    ]);
  if (scores.size === 0) throw new AnchorEvalError("invalid_answers", "the judge has scored no item");
  const foreign = [...labelOf.keys()].filter((id) => !scores.has(id));
  if (foreign.length > 0)
    throw refused("labels", foreign, "unknown_item", [
      "the judge has no score of it",
      `${counted(foreign.length, "label")} of items without a score of the judge: ${firstFew(foreign)}; the judge scores every item`,
    ]);
  return { scores, labelOf };
}

/** Scores by item, and the items without one. */
function scoresOf(values: TrialResponses, side: Side): { scores: Map<string, number>; missing: string[] } {
  const { noun, rule, read } = SIDES[side];
  if (typeof values !== "object" || (values as unknown) === null || Array.isArray(values))
    throw new AnchorEvalError("invalid_answers", `\`${side}\` goes by item id: an object or a Map of id → score`);
  const scores = new Map<string, number>();
  const missing: string[] = [];
  const wrong: [id: string, value: unknown][] = [];
  for (const [id, value] of (values instanceof Map ? values : Object.entries(values)) as Iterable<[string, unknown]>) {
    const score = oneScore(value, read);
    if (score === null) missing.push(id);
    else if (Number.isNaN(score)) wrong.push([id, value]);
    else scores.set(id, score);
  }
  if (wrong.length === 0) return { scores, missing };
  const ids = wrong.map(([id]) => id);
  const [, value] = wrong[0]!;
  const got = typeof value === "number" ? String(value) : `a value of type ${typeof value}`;
  throw refused(side, ids, "out_of_range", [
    `must be ${rule}`,
    `${counted(wrong.length, noun)} isn't ${rule}: ${firstFew(ids)}, got ${got}`,
  ]);
}

/** A value as one number, of several their mean; null where there is none, NaN where it breaks a rule. */
function oneScore(value: unknown, read: (value: number) => number): number | null {
  const single = (one: unknown): number | null => {
    if (one === null) return null;
    return typeof one === "number" || typeof one === "boolean" ? read(Number(one)) : NaN;
  };
  if (!isTrials(value)) return single(value);
  if (trialProblem(value)) return NaN;
  const { count, mean } = summariseTrials(Array.isArray(value) ? value.map(single) : (value as ItemTrials));
  return count === 0 ? null : mean;
}

function refused(
  side: Side,
  ids: readonly string[],
  code: string,
  [each, message]: readonly [each: string, all: string],
): AnchorEvalError {
  const issues = ids.map((id) => ({ path: [side, id], code, message: each }));
  return new AnchorEvalError("invalid_answers", message, { issues });
}
