import { createRandom } from "anchoreval/internal/core/numeric/random";
import { sampleContent, type SampleBundleOptions } from "./sample-bundle.ts";

/** Answers to a form of {@link sampleContent}, a share `accuracy` of them right. */
export function sampleAnswers(
  form: string,
  bundle: SampleBundleOptions = {},
  { accuracy = 0.6, seed = 1 }: { accuracy?: number; seed?: number } = {},
): Record<string, number> {
  const random = createRandom(seed);
  const answers: Record<string, number> = {};
  for (const { anchors } of sampleContent(bundle).scenarios)
    for (const anchor of anchors)
      if (anchor.forms.includes(form)) answers[anchor.item_id] = random.next() < accuracy ? 1 : 0;
  return answers;
}

/** Answers to a form that follow the predictions: the share of the items that are easiest for a model in the middle is right. */
export function followingAnswers(
  form: string,
  share: number,
  bundle: SampleBundleOptions = {},
): Record<string, number> {
  return Object.fromEntries(
    sampleContent(bundle).scenarios.flatMap(({ anchors, bank }) => {
      const asked = anchors.filter((anchor) => anchor.forms.includes(form));
      const byEase = asked.toSorted((x, y) => bank.b[x.index]! - bank.b[y.index]!);
      return byEase.map(({ item_id }, rank): [string, number] => [item_id, Number(rank < share * byEase.length)]);
    }),
  );
}
