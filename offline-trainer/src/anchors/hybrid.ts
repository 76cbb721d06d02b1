import { balanceGap } from "./balance-gap.ts";
import { curveFeatures } from "./curve-features.ts";
import { nestedLevels } from "./nested-draw.ts";
import { drawRejective, fixBounds } from "./rejective-sampling.ts";
import { simulatedInclusion } from "./simulated-inclusion.ts";
import { sampledAnchors } from "./stratified.ts";
import { byAccuracy, type PreparedSelection, type SelectionInput } from "./types.ts";

/**
 * Proposals simulated for the inclusion probabilities, in all sizes together, unless told: about 75 forms of sizes 10,
 * 30, 50 and 100. Rejection tilts π so little that more move no measured error (decision 0013).
 */
export const SIMULATED_PROPOSALS = 10_000;

/**
 * `hybrid`: random among the stratified draws that are balanced ({@link balanceGap}) on the response model's curves up
 * to a bound fixed beforehand. Inclusion probabilities are those of the whole procedure, simulated and shrunk toward
 * the proposals' own, and nested as the proposals are.
 */
export function prepareHybrid({
  weights,
  accuracy,
  bank,
  abilities,
  sizes,
  random,
  simulatedProposals = SIMULATED_PROPOSALS,
}: SelectionInput): PreparedSelection {
  const features = curveFeatures(bank, abilities);
  const levels = nestedLevels(weights, sizes).map((level) => ({
    ...level,
    criterion: balanceGap(features, weights, level.inclusion),
  }));
  const design = fixBounds(levels, byAccuracy(accuracy), random.fork("pilot"));
  const proposalsPerForm = design.levels.reduce((sum, { share }) => sum + 1 / share, 0);
  const samples = Math.max(2, Math.ceil(simulatedProposals / proposalsPerForm));
  const hits = levels.map(() => new Float64Array(weights.length));
  const simulation = random.fork("simulation");
  for (let k = 0; k < samples; k++)
    drawRejective(design, () => simulation).forEach((items, level) => {
      for (const i of items) hits[level]![i]! += 1;
    });
  const inclusion = levels.map((level, k) => simulatedInclusion(hits[k]!, samples, level.inclusion));
  return {
    draw: (stream) => {
      const drawn = drawRejective(design, (name) => stream.fork(name));
      return {
        sets: new Map(levels.map(({ size }, k) => [size, sampledAnchors(drawn[k]!, weights, inclusion[k]!)])),
        nested: true,
      };
    },
  };
}
