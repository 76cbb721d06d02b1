import type { FitPart } from "../offline-trainer/src/fit/options.ts";
import { unaskedScenarios } from "./unasked/fit/measure-predictions.ts";

/** The features' parts of every fit, before those that its caller gives: they only add. */
export const EVERY_FIT: readonly Pick<FitPart, "stage" | "add">[] = [unaskedScenarios];
