import { withVarianceComponents } from "anchoreval-trainer/internal/extensions/trials/variance-components";
import { trialScores } from "anchoreval-trainer/internal/extensions/trials/trial-scores";
import type { Responses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ItemInfo } from "anchoreval-trainer/internal/matrix/response-matrix";
import { componentWords } from "anchoreval/internal/trials/components";
import { parseTrialMetric } from "anchoreval/internal/trials/pass-at-k";
import { invalidOption } from "../command.ts";
import type { Addition } from "../options/exposure.ts";

/** The variance components that a fit on several trials of each item leaves in the bundle's notes. */
export function repeatedTrials(trials: NonNullable<Responses["trials"]>, items: readonly ItemInfo[]): Addition {
  return {
    stage: "trials",
    add: ({ content }) => Promise.resolve(withVarianceComponents(content, trials, items)),
    words: componentWords,
  };
}

/**
 * A board scored by several trials of every item (`fit --metric pass@16`) in place of their mean, and the note of it in the
 * bundle.
 * @throws AnchorEvalError `invalid_option` for what is no such metric, or a table without a column of trials; `invalid_data`
 * naming model and item where there are fewer trials than it takes
 */
export function scoredByTrials({ matrix, trials, remarks }: Responses, name: string) {
  const metric = parseTrialMetric(name);
  if (metric === null) throw invalidOption(`--metric must be pass@K, pass^K or best-of-K, got ${name}`);
  if (!trials) throw invalidOption(`--metric ${name} is of several trials: --responses needs a column trial`);
  const addition: Addition = {
    stage: "metric",
    add: ({ content }) => {
      const fit = { ...content.manifest.fit, trialMetric: name };
      return Promise.resolve({ ...content, manifest: { ...content.manifest, fit } });
    },
    words: () => [
      `Scores are ${name} of a model's trials: estimate takes trials of a model, as many an item at least.`,
    ],
  };
  return { board: { matrix: trialScores(matrix, trials, metric), remarks }, addition };
}
