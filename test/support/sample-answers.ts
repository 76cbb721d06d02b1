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
