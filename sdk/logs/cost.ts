import { AnchorEvalError } from "../core/errors.ts";
import { numberOf } from "./json.ts";

/** Kinds of cost of an answer: tokens in and out, seconds, dollars. */
export const COST_KINDS = ["tokens", "seconds", "price"] as const;

export type CostKind = (typeof COST_KINDS)[number];

/** Cost of an answer, of each kind above 0; absent where nothing says it. */
export type Cost = Readonly<Partial<Record<CostKind, number>>>;

/** The sum of what a log says; null where it lacks a part. @example totalOf(120, 30) // 150 */
export function totalOf(...parts: readonly unknown[]): number | null {
  const numbers = parts.map(numberOf);
  return numbers.includes(null) ? null : numbers.reduce<number>((sum, part) => sum + part!, 0);
}

/**
 * Mean cost of a sample's trials, of each kind over the trials that say it: what is null, NaN or absent isn't known, and
 * neither is 0, which harnesses write for what they don't count.
 * @param trials - by kind as the log has it, a trial each
 * @param noun - what the log calls a sample
 * @returns nothing where no trial says anything
 * @throws AnchorEvalError `invalid_data` naming file and sample, for what is below 0 or not finite
 * @example sampleCost([{ tokens: 120 }, { tokens: 180 }, { tokens: 0 }], "a.eval", "sample", 7) // { cost: { tokens: 150 } }
 */
export function sampleCost(
  trials: readonly Readonly<Partial<Record<CostKind, number | null>>>[],
  file: string,
  noun: string,
  id: string | number,
): { readonly cost?: Cost } {
  const cost: Partial<Record<CostKind, number>> = {};
  for (const kind of COST_KINDS) {
    const known = trials.flatMap((own) => own[kind] ?? []).filter((value) => value !== 0 && !Number.isNaN(value));
    const broken = known.find((value) => value < 0 || value === Infinity);
    if (broken !== undefined) {
      const message = `${kind} of an answer are a number above 0, got ${broken}`;
      throw new AnchorEvalError("invalid_data", `${file}: ${noun} ${id}: ${message}`, {
        issues: [{ path: [file, id, kind], code: "out_of_range", message }],
      });
    }
    if (known.length > 0) cost[kind] = known.reduce((sum, value) => sum + value, 0) / known.length;
  }
  return Object.keys(cost).length === 0 ? {} : { cost };
}
