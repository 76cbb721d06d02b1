/**
 * How a question without answers is foretold from those with answers:
 * - `knn`: item parameters are the plain average of those of the k nearest train questions (the seed's way);
 * - `weighted-knn`: their average weighted by similarity;
 * - `ridge`: item parameters by ridge regression on the features, with a predictive variance;
 * - `answer-ridge`: each model's chance of a right answer straight by ridge regression, what models share apart from what
 *   tells them apart.
 */
export const ROUTE_METHODS = ["knn", "weighted-knn", "ridge", "answer-ridge"] as const;

/** A way to foretell answers to questions that nobody has answered. */
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** How item parameters of questions without answers are foretold for a bundle. */
export const COLD_METHODS = ["ridge", "knn", "weighted-knn"] as const satisfies readonly RouteMethod[];
export type ColdMethod = (typeof COLD_METHODS)[number];

/** Probabilities of a right answer, question by question: `[i·M + m]` is of model m, in [0,1]. */
export interface Forecast {
  /** Of the train questions, each by the others alone. */
  readonly leftOut: Float64Array;
  readonly test: Float64Array;
  /** Predictive variance of the test questions' logits, in the same order; null where the method has none. */
  readonly logitVariance: Float64Array | null;
}

/** Train questions with the parameters that their answers say. */
export interface QuestionBank {
  readonly models: number;
  readonly dims: number;
  /** Abilities, M×D row-major. */
  readonly theta: Float64Array;
  /** Discriminations, N×D row-major. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
  /** Answers question by question: `[i·M + m]` is 1 for right, 0 for wrong, NaN for missing. */
  readonly answers: Float64Array;
}
