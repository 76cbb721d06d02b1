import { coordinateSamples } from "../extensions/versions/keep-anchors.ts";
import { bestProposal } from "./best-proposal.ts";
import { curveFeatures } from "./curve-features.ts";
import { krigingVariance } from "./kriging-variance.ts";
import { nestedSample } from "./stratified.ts";
import { byAccuracy, type PreparedSelection, type SelectionInput } from "./types.ts";

/** Draws screened for each size of a form. Four times as many gain a little at 10 and 30 anchors (decision 0016). */
export const PROPOSALS = 100;

/**
 * `screened`: of {@link PROPOSALS} stratified draws the one that leaves the least of the full score open under the
 * response model ({@link krigingVariance} of the curves, abilities stretched). Nested from the largest size down: each
 * smaller one is the best of as many samples of the next larger. A purposive choice among samples: informative items
 * come more often than the stated probabilities, which are those of the draws that were screened. They scale the masses
 * and the interval; that it holds is measured on models held out, not derived.
 * @see Morgan & Rubin (2012), Annals of Statistics 40, 1263–1282, for the best of many random draws
 */
export function prepareScreened({
  weights,
  accuracy,
  bank,
  abilities,
  sizes,
  standing,
}: SelectionInput): PreparedSelection {
  const criterion = krigingVariance(curveFeatures(bank, abilities), weights);
  const order = byAccuracy(accuracy);
  return {
    draw: (random) =>
      nestedSample(
        order,
        weights,
        sizes,
        (probabilities, size, pool) =>
          bestProposal(pool, probabilities, random.fork(`size ${size}`), { criterion, most: PROPOSALS }),
        standing && coordinateSamples(standing),
      ),
  };
}
