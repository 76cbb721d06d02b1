import type { Manifest } from "anchoreval/bundle";

/** What a fit says of its cold start: items foretold, and what routes by it were worth. */
export function coldStartWords({ coldStart, sources, files }: Manifest): string[] {
  if (!coldStart) return [];
  const { items, features, neighbours, scenarios } = coldStart;
  const by = features === "tf-idf" ? "their texts" : "their embeddings";
  const routes = files.some(({ name }) => name === "routing.safetensors");
  return [
    "",
    `Parameters of ${items} ${items === 1 ? "item" : "items"} without answers are foretold from ${by}${neighbours ? `, as ${neighbours.weighted ? "weighted " : ""}means of the ${neighbours.k} nearest items with answers` : ""}.`,
    ...Object.entries(scenarios).map(([id, { leftOut, single }]) => {
      const name = sources.names?.[single];
      const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
      return `${id}, ${leftOut.questions} questions, each foretold by the others: the model picked is right in ${percent(leftOut.right)}, the best single model${name === undefined ? "" : ` (${name})`} in ${percent(leftOut.singleRight)}.`;
    }),
    routes
      ? `Routes are in the bundle${neighbours ? ", by regressions: neighbours would need the place of every item with answers" : ""}.`
      : "The bundle has no routes: they need --include-model-names.",
  ];
}
