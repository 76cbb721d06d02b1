import type { EstimatorId, Evidence } from "anchoreval/core";
import type { LambdaRule } from "./configuration.ts";
import type { BankValidation, CrossValidation } from "./cross-validate.ts";
import { heldOutScore } from "./held-out-score.ts";
import type { FormPlan } from "./form-plans.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { learnBlends, type LearnedBlend } from "./learn-blends.ts";
import type { BankTask } from "./train-bank.ts";

/** Held-out models below which banks are not told to lend one another strength. */
const LEAST_MODELS = 20;

/** What estimates from one kind of evidence err by, and what blends them. */
export interface LearnedEvidence {
  readonly validation: CrossValidation;
  /** By scenario and form; none where this evidence isn't served. */
  readonly blends: readonly ReadonlyMap<string, LearnedBlend>[];
}

/** Of a bank: from its own answers, always; from all banks' where that errs less on held-out models. */
export type BankEvidence = Readonly<Record<Evidence, LearnedEvidence>>;

/** Learns what blends a bank's estimates from either evidence, and where all banks' answers serve. */
export function learnEvidence(
  task: BankTask,
  rows: readonly number[],
  forms: readonly FormPlan[],
  { alone, together }: BankValidation,
  { lambda, estimator }: { readonly lambda: LambdaRule; readonly estimator: EstimatorId },
): BankEvidence {
  const own = learnBlends(task, rows, forms, alone, lambda);
  const all = learnBlends(task, rows, forms, together, lambda);
  const better = all.map(
    (byForm, s) =>
      new Map(
        [...byForm].filter(([form, blend]) => {
          const pairs = commonPairs(together.interpolation[s]!.get(form)!, alone.interpolation[s]!.get(form)!);
          const models = new Set(pairs.map(([{ model }]) => model));
          if (models.size < LEAST_MODELS) return false;
          const squares = (of: (pair: Pair) => HeldOutEstimate, { foldOut }: LearnedBlend): number =>
            pairs.reduce((sum, pair) => {
              const estimate = of(pair);
              return sum + (heldOutScore(estimate, estimator, foldOut(estimate)) - estimate.truth) ** 2;
            }, 0);
          return squares(([first]) => first, blend) < squares(([, second]) => second, own[s]!.get(form)!);
        }),
      ),
  );
  return { alone: { validation: alone, blends: own }, together: { validation: together, blends: better } };
}

/** The evidence that a scenario's score rests on by a form, where all scenarios are answered. */
export function servedEvidence({ alone, together }: BankEvidence, s: number, form: string): LearnedEvidence {
  return together.blends[s]!.has(form) ? together : alone;
}

type Pair = readonly [HeldOutEstimate, HeldOutEstimate];

/** Estimates of the same model by the same form. */
function commonPairs(first: readonly HeldOutEstimate[], second: readonly HeldOutEstimate[]): Pair[] {
  const others = new Map(second.map((estimate) => [heldOutKey(estimate), estimate]));
  return first.flatMap((estimate): Pair[] => {
    const other = others.get(heldOutKey(estimate));
    return other ? [[estimate, other]] : [];
  });
}

/** A held-out model and the form that it was asked. */
export function heldOutKey({ model, draw }: Pick<HeldOutEstimate, "model" | "draw">): string {
  return `${model}/${draw}`;
}
