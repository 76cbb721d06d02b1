import {
  anchorFactors,
  answeredSample,
  answerRegressions,
  type AnchorFactors,
  type AnchorSet,
  type AnswerRegressions,
} from "anchoreval/core";
import { answerFactors, type SourceAnswers } from "./answer-factors.ts";
import { askedItems } from "./asked-items.ts";

/** What the source models' answers say of one scenario's anchors. */
export interface FormAnswers {
  readonly answerFactors: AnchorFactors;
  /** Those of a model that answers every anchor. */
  readonly regressions: AnswerRegressions;
}

/**
 * The factors of the forms of one scenario, as a bundle with all these forms has them.
 * @param weights - item weights, summing to 1
 * @param versions - forms by size: the first ones, then the second ones if there are any
 * @returns by version and size
 */
export function formAnswers(
  answers: SourceAnswers,
  weights: Float64Array,
  versions: readonly ReadonlyMap<number, AnchorSet>[],
): ReadonlyMap<number, FormAnswers>[] {
  const ascending = versions.flatMap((forms) => [...forms].sort(([size], [other]) => size - other));
  const asked = askedItems(ascending.map(([, anchors]) => anchors));
  const rows = new Map(Array.from(asked, (item, row) => [item, row]));
  const all = answerFactors(answers, asked);
  return versions.map(
    (forms) =>
      new Map(
        Array.from(forms, ([size, anchors]): [number, FormAnswers] => {
          const own = anchorFactors(
            all,
            anchors.items.map((item) => rows.get(item)!),
          );
          const sample = answeredSample(anchors, new Float64Array(anchors.items.length))!;
          return [size, { answerFactors: own, regressions: answerRegressions(own, weights, sample) }];
        }),
      ),
  );
}
