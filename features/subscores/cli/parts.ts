import type { Subscore } from "anchoreval/internal/features/subscores/sdk/subscores";
import { percent } from "anchoreval/internal/words/figures";
import { intervalWords, scoreWords } from "anchoreval/internal/words/result-words";
import { flag } from "../../../cli/src/program/command.ts";
import type { ResultParts } from "../../../cli/src/program/summary.ts";
import type { EstimatePart } from "../../../cli/src/options/parts.ts";

/** `estimate --subscores`: a table of the bundle's groups of items. */
export const estimateSubscores: EstimatePart = {
  options: { Estimate: { subscores: flag("also the scores of the bundle's groups of items, such as subjects") } },
  read: ({ options }) => (options.flag("subscores") ? { options: () => ({ subscores: true }) } : null),
  words: ({ subscores }) => (subscores === undefined ? null : { after: subscoreParts(subscores) }),
};

function subscoreParts(subscores: readonly Subscore[]): ResultParts {
  const level = subscores.find(({ interval }) => interval !== null)?.interval?.level;
  const several = new Set(subscores.map(({ scenario }) => scenario)).size > 1;
  const rows = subscores.map(({ scenario, name, items, answered, score, interval, reason }) => [
    several ? `${scenario}: ${name}` : name,
    scoreWords(score),
    score === null ? "" : intervalWords(interval),
    `${answered} of ${items}`,
    reason === null ? "" : score === null ? `too little to say: ${reason}` : `no interval: ${reason}`,
  ]);
  const heading = ["", "score", level === undefined ? "interval" : `${percent(level)} interval`, "answered", ""];
  return ["", { rows: [heading, ...rows], align: "lrrrl" }];
}
