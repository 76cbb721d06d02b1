/** Answers of one item over several trials: a score in [0,1] each (null = no answer), or how many passed. */
export type ItemTrials = readonly (number | null)[] | { readonly passed: number; readonly of: number };
