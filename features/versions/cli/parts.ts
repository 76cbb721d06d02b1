import type { BridgedScore } from "anchoreval/internal/features/versions/sdk";
import { points } from "anchoreval/internal/words/figures";
import type { EstimatePart } from "../../../cli/src/options/parts.ts";

/** The score on an earlier version's scale, in words. */
export const bridged: EstimatePart = {
  words: ({ bridged: score }) => (score === undefined ? null : { sentences: [bridgedWords(score)] }),
};

function bridgedWords({ benchmark, version, overall, scenarios }: BridgedScore): string {
  const named = [["overall", overall] as const, ...Object.entries(scenarios)];
  const scores = named.flatMap(([id, score]) =>
    score === null
      ? []
      : [
          `${id} ${points(score.score)}${score.interval ? ` (${points(score.interval.low)} to ${points(score.interval.high)})` : ""}`,
        ],
  );
  return `as ${benchmark} ${version} would have scored it: ${scores.length > 0 ? scores.join(", ") : "not known"}`;
}
