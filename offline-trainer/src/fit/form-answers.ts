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
 * @param forms - by id, in the order of the bundle: those that ask fewer items first, second forms last
 */
export function formAnswers(
  answers: SourceAnswers,
  weights: Float64Array,
  forms: ReadonlyMap<string, AnchorSet>,
): ReadonlyMap<string, FormAnswers> {
  const asked = askedItems(forms.values());
  const rows = new Map(Array.from(asked, (item, row) => [item, row]));
  const all = answerFactors(answers, asked);
  return new Map(
    Array.from(forms, ([form, anchors]): [string, FormAnswers] => {
      const own = anchorFactors(
        all,
        anchors.items.map((item) => rows.get(item)!),
      );
      const sample = answeredSample(anchors, new Float64Array(anchors.items.length))!;
      return [form, { answerFactors: own, regressions: answerRegressions(own, weights, sample) }];
    }),
  );
}
