import type { BundleContent } from "anchoreval/bundle";
import type { FixedBank } from "../calibrate/bank.ts";
import type { Method } from "../methods/method.ts";
import type { FormPlan } from "./form-plans.ts";
import type { LearnedScenario } from "./forms.ts";

/**
 * What a fit learns or writes beside its road, as a value: `fit(matrix, { …, parts: [byPrices(prices)] })`. The road knows
 * none of them by name; parts that change the same thing do so in the order of the list.
 */
export interface FitPart {
  /** Its name in the timings. */
  readonly stage: string;
  /** The method to fit by, from the one that was asked for. */
  readonly method?: (method: Method) => Method;
  /** Forms beside those that were asked for, in ways of their own. */
  readonly forms?: readonly FormPlan[];
  /** Scenarios whose items keep parameters; held-out models are fitted without. */
  readonly fixed?: ReadonlyMap<string, FixedBank>;
  /** The bundle's content with what this part adds, once it is fitted. */
  readonly add?: (fitted: FittedContent) => Promise<BundleContent> | BundleContent;
}

/** A bundle before its files are written, and what was learned for it. */
interface FittedContent {
  readonly content: BundleContent;
  readonly learned: readonly LearnedScenario[];
}
