/** Disjoint subsets of a benchmark's items that are alike. */
export { buildParallelForms, type ParallelForms } from "./build-forms.ts";
export { checkForms } from "./build-forms.ts";
export { answeredDifficulty, NO_DIFFICULTY } from "./difficulty.ts";
export { equatedScores } from "./form-curves.ts";
export { itemPool, joinKeys } from "./item-pool.ts";
export { type FormsSummary, summarizeForms } from "./summarize-forms.ts";
export { formsWords } from "./summarize-forms.ts";
