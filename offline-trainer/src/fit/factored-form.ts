import { factorSolver, type AnchorFactors } from "anchoreval/core";

/** Factor scores from answers to one form, by bank and scenario. */
export interface FactoredForm {
  readonly alone: (b: number, s: number, scores: Float64Array) => Float64Array;
  /** From the answers to all scenarios; their factors are the same. */
  readonly together: (scores: readonly (readonly Float64Array[])[]) => Float64Array;
}

/** One {@link factorSolver} a scenario, and one of all of them. */
export function factoredForm(sets: readonly (readonly { readonly factors: AnchorFactors }[])[]): FactoredForm {
  const alone = sets.map((own) => own.map(({ factors }) => factorSolver([factors])));
  const together = factorSolver(sets.flat().map(({ factors }) => factors));
  return {
    alone: (b, s, scores) => alone[b]![s]!([scores]),
    together: (scores) => together(scores.flat()),
  };
}
