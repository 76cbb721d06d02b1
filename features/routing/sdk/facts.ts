import { partOf } from "../../../sdk/core/bundle/part.ts";
import { coldStartPart } from "../core/cold-start.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { counted, points } from "../../../sdk/words/figures.ts";

/**
 * A bundle's items without answers, and how often its routes are right.
 * @returns none for a bundle without cold start
 */
export function coldStartFacts(manifest: Manifest): BundleFact[] {
  const coldStart = partOf(manifest, coldStartPart);
  if (coldStart === null) return [];
  const { items, features, neighbours, scenarios } = coldStart;
  const by = features === "tf-idf" ? "their texts" : "their embeddings";
  const means = neighbours
    ? ` as ${neighbours.weighted ? "weighted " : ""}means of the ${neighbours.k} nearest items`
    : "";
  const routes = manifest.files.some(({ name }) => name === "routing.safetensors");
  return [
    { label: "cold start", value: `${counted(items, "item")} without answers, predicted from ${by}${means}` },
    ...Object.entries(scenarios).map(([id, { questions, leftOut }]) => ({
      label: "routes",
      value: `${id}: ${counted(questions, "question")}; left out, the route is right in ${points(leftOut.right)} %, the single model in ${points(leftOut.singleRight)} %`,
    })),
    ...(routes ? [] : [{ label: "routes", value: "none in the bundle: they need the models' names" }]),
  ];
}
