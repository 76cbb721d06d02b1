import { invalidOption } from "anchoreval/internal/core/errors";
import { withPart } from "anchoreval/internal/core/bundle/part";
import { trialMetricPart } from "anchoreval/internal/features/trials/core";
import { counted, listed } from "anchoreval/internal/words/figures";
import { option, rare } from "../../../cli/src/program/command.ts";
import type { FitOptionPart } from "../../../cli/src/options/fit.ts";

/** `fit --metric pass@16`: a board scored by several trials of every item in place of their mean, as the bundle notes. */
export const trialMetric: FitOptionPart = {
  options: {
    Extensions: rare({
      metric: option(
        "pass@K|pass^K|best-of-K",
        "score of several trials, from a column trial; answers of fewer are missing (default: their mean)",
      ),
    }),
  },
  async read({ options, output }) {
    const name = options.text("metric");
    if (name === undefined) return null;
    options.refuse(["full-scores"], "is of mean scores, which --metric asks others than: leave one out");
    const { parseTrialMetric } = await import("anchoreval/internal/features/trials/sdk/pass-at-k");
    const metric = parseTrialMetric(name);
    if (metric === null) throw invalidOption(`--metric must be pass@K, pass^K or best-of-K, got ${name}`);
    return async ({ matrix, trials, remarks }) => {
      if (!trials) throw invalidOption(`--metric ${name} is of several trials: --responses needs a column trial`);
      const { trialScores } = await import("anchoreval-trainer/internal/features/trials/fit/trial-scores");
      const scored = trialScores(matrix, trials, metric);
      if (scored.few.size > 0) output.remark(fewTrialsWords(name, metric.k, scored.few));
      return {
        board: { matrix: scored.matrix, remarks },
        part: {
          stage: "metric",
          add: ({ content }) => ({ ...content, manifest: withPart(content.manifest, trialMetricPart, name) }),
        },
        words: () => [
          `Scores are ${name} of a model's trials: estimate takes trials of a model, as many an item at least.`,
        ],
      };
    };
  },
};

/** Models that are named, at most. */
const MOST_NAMED = 5;

/** The cells that a metric can't be had of, by model. */
function fewTrialsWords(name: string, k: number, few: ReadonlyMap<string, number>): string {
  const cells = [...few.values()].reduce((sum, items) => sum + items, 0);
  const models = [...few].map(([model, items]) => `${model} (${counted(items, "item")})`);
  const named = models.length > MOST_NAMED ? counted(models.length, "model") : listed(models);
  return `fewer than ${counted(k, "trial")}, of which ${name} can't be had: ${counted(cells, "answer")} left out as missing, of ${named}`;
}

/** Variance components of a fit on several trials of each item. */
export const varianceComponents: FitOptionPart = {
  read: () => async (board) => {
    const { matrix, trials } = board;
    if (!trials) return {};
    const { withComponents } = await import("anchoreval-trainer/internal/features/trials/fit/variance-components");
    const { componentWords } = await import("anchoreval/internal/features/trials/sdk/components");
    return { part: withComponents(trials, matrix.items), words: componentWords };
  },
};
