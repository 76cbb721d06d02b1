import { MOST_TILT } from "anchoreval/internal/core/numeric/sampling";
import type { AnchorInput, AnchorMethod, PreparedAnchors } from "./anchor-method.ts";
import { drawnSizes, nestedLevels } from "./nested-samples.ts";
import { stratifiedSamples } from "./stratified.ts";

/** A measure of 0 counts as this share of the largest: such items are filled up last, evenly. Chosen, not measured. */
const LEAST_MEASURE = 1e-9;

/** Halvings after which a factor is known to float64's last digit, whatever the measures are. */
const BISECTIONS = 100;

/**
 * `tilted`: {@link stratifiedSamples} with π proportional to weight × measure within the bounds of {@link MOST_TILT}, the
 * measure being its knowledge: for each item of the scenario a number of at least 0, all 0 meaning an even draw. π is known
 * exactly and an anchor stands for w/π, so means are unbiased whatever the measure is. The variance of a sum of
 * independent terms with standard deviations σ is least where the measure is σ; of terms that cost c, σ/√c.
 * @see Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, §3.6 and §12.2
 */
export const tilted: AnchorMethod = {
  name: "tilted",
  source: { module: import.meta.url, name: "tilted" },
  drawn: true,
  estimator: "gate",
  prepare: (input) => tiltedSamples(input, input.knowledge as Float64Array),
};

/** Draws as {@link tilted} does. @param measure - of the scenario's items */
export function tiltedSamples(input: AnchorInput, measure: Float64Array): PreparedAnchors {
  return stratifiedSamples(input, nestedLevels(tiltedWeights(input.weights, measure), drawnSizes(input)));
}

/**
 * min(4w, max(w/4, c·w·measure)), c such that they sum to what the weights do: what probabilities are proportional to.
 * @param measure - at least 0, finite
 */
export function tiltedWeights(weights: Float64Array, measure: Float64Array): Float64Array {
  const largest = measure.reduce((most, value) => Math.max(most, value), 0);
  if (largest === 0) return weights;
  const tilts = measure.map((value) => Math.max(LEAST_MEASURE, value / largest));
  const at = (c: number): Float64Array =>
    weights.map((weight, i) => weight * Math.min(MOST_TILT, Math.max(1 / MOST_TILT, c * tilts[i]!)));
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const total = sum(weights);
  let [low, high] = [0, MOST_TILT / LEAST_MEASURE]; // where all are at their least, and at their most
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) < total) low = middle;
    else high = middle;
  }
  return at(high);
}
