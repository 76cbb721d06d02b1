import {
  factorPrecision,
  factorScores,
  precisionFactor,
  precisionWithout,
  type AnchorFactors,
  type FactoredAnswers,
} from "anchoreval/core";

/** {@link factorScores} from answers to one form, by bank and scenario. */
export interface FactoredForm {
  readonly alone: (b: number, s: number, scores: Float64Array) => Float64Array;
  /** From the answers to all scenarios; their factors are the same. */
  readonly together: (scores: readonly (readonly Float64Array[])[]) => Float64Array;
}

/** What follows from a form's anchors alone is computed once for all models: for those that answered them all, nothing is left. */
export function factoredForm(sets: readonly (readonly { readonly factors: AnchorFactors }[])[]): FactoredForm {
  const whole = sets.map((own) =>
    own.map(({ factors }) => ({ factors, scores: new Float64Array(factors.mean.length) })),
  );
  const alone = whole.map((own) => own.map((answers) => solver([answers])));
  let together: Solver | null = null;
  return {
    alone: (b, s, scores) => alone[b]![s]!([{ factors: sets[b]![s]!.factors, scores }]),
    together: (scores) => {
      together ??= solver(whole.flat());
      return together(sets.flatMap((own, b) => own.map(({ factors }, s) => ({ factors, scores: scores[b]![s]! }))));
    },
  };
}

interface Answers extends FactoredAnswers {
  readonly scores: Float64Array;
}
type Solver = (answers: readonly Answers[]) => Float64Array;

/** @param whole - answers to all of the anchors, whatever they are */
function solver(whole: readonly Answers[]): Solver {
  const precision = factorPrecision(whole);
  const factor = precisionFactor(whole, precision);
  return (answers) => {
    const missing = answers.some(({ scores }) => scores.includes(NaN));
    return factorScores(answers, missing ? precisionFactor(answers, precisionWithout(precision, answers)) : factor);
  };
}
