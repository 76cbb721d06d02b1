import { encodeBundle, type BundleFileName } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { ScenarioRouting } from "anchoreval/internal/features/routing/core/predict-chances";
import { TERM_KINDS, termHash } from "anchoreval/internal/core/numeric/text-coordinates";
import { withColdStart } from "anchoreval/internal/features/routing/core/routing-file";
import { sampleContent, type SampleBundleOptions } from "./sample-bundle.ts";

/** Words that the sample's texts are known by. */
const KNOWN_WORDS = ["cell", "empire", "matrix", "prime", "treaty"] as const;
const WIDTH = 3;
const COLD_ITEM = { item_id: "new", scenario: "alpha", a: [1, 0.5], b: -0.25, aError: [0.1, 0.2], bError: 0.3 };

/**
 * A sample bundle with routes of both scenarios, of models "model 0" to "model 3" (one of them wasn't asked the second, whose
 * chances come straight from answers): by texts, or by vectors of three numbers.
 */
export function routingBundle(
  features: "tf-idf" | "embeddings" = "tf-idf",
  { names = true, ...options }: SampleBundleOptions & { readonly names?: boolean } = {},
): Map<BundleFileName, Uint8Array> {
  const content = sampleContent(options);
  const random = createRandom("routing bundle");
  const draw = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  const { dims } = content.manifest.banks[0]!;
  const hashes = Uint32Array.from(
    TERM_KINDS.flatMap((termsOf, kind) => [
      ...new Set(KNOWN_WORDS.flatMap((word) => termsOf(word)).map((term) => termHash(kind, term))),
    ]),
  ).sort();
  const projection = {
    hashes,
    idf: Float32Array.from(hashes, () => 1 + random.next()),
    axes: Float32Array.from(draw(hashes.length * WIDTH)),
  };
  const scenario = (models: number[], straight: boolean): ScenarioRouting => ({
    dims,
    center: Float32Array.from(draw(WIDTH)),
    axes: Float32Array.from(draw(WIDTH * 2)),
    parameters: Array.from({ length: dims + 1 }, () => ({
      mean: random.normal(),
      coefficients: draw(2),
      spreads: draw(2).map((own) => own ** 2),
      noise: 0.1 + random.next(),
    })),
    models: Uint32Array.from(models),
    theta: draw(models.length * dims),
    answers: straight
      ? models.map(() => ({ mean: 0.5 + random.normal() / 9, coefficients: draw(2).map((own) => own / 9) }))
      : null,
    slope: 0.8,
    shifts: draw(models.length).map((own) => own / 4),
  });
  const ids = content.manifest.scenarios.map(({ id }) => id);
  const scenarios = new Map([
    [ids[0]!, scenario([0, 1, 2, 3], false)],
    [ids[1]!, scenario([0, 2, 3], true)],
  ]);
  const leftOut = { questions: 40, brier: 0.2, logLoss: 0.6, calibrationError: 0.02, right: 0.64, singleRight: 0.6 };
  const sources = {
    ...content.manifest.sources,
    models: 4,
    names: names ? [0, 1, 2, 3].map((m) => `model ${m}`) : null,
  };
  const described = ids.map((id, s) => {
    const method = s === 0 ? ("ridge" as const) : ("answer-ridge" as const);
    return [id, { questions: 40, method, single: 2, leftOut }] as const;
  });
  return encodeBundle(
    withColdStart(
      { ...content, manifest: { ...content.manifest, sources } },
      {
        manifest: { features, width: WIDTH, items: 1, scenarios: Object.fromEntries(described) },
        items: [COLD_ITEM],
        routing: { projection: features === "tf-idf" ? projection : null, scenarios },
      },
    ),
  );
}
