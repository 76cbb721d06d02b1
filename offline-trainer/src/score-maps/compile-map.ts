import type { FeatureName, MapTerm } from "anchoreval/core";
import { curveAt, type SmoothCurve } from "../smoothing/smooth-curve.ts";

/** Values of a curve; between them it is a line, off by less than a hundredth of a point. */
const POINTS = 65;

/** A curve as a bundle keeps it: values at evenly spaced points over its breaks, as float32. */
export function compiledTerm(name: FeatureName, curve: SmoothCurve): MapTerm {
  const begin = Math.fround(curve.x[0]!);
  const last = Math.fround(curve.x.at(-1)!);
  const end = last > begin ? last : Math.fround(begin + 1); // of a single break: a constant
  const step = (end - begin) / (POINTS - 1);
  return {
    ...name,
    begin,
    end,
    values: Float32Array.from({ length: POINTS }, (_, k) => curveAt(curve, begin + k * step)),
  };
}
