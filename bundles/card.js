const points = (value) => value.toFixed(1);
const SPLITS = {
  interpolation: "models like those seen",
  extrapolation: "stronger than any seen",
  family: "other families",
};

/** A bundle's card: who measured what, how its ids are found, and what estimates err by, by the back-test's rows. */
export function cardText(bundle, { manifest, scenarios }, rows, { size, seeds }) {
  const models = manifest.sources.models;
  const items = manifest.scenarios.reduce((sum, own) => sum + own.items, 0);
  const settings = Object.entries(bundle.settings ?? {}).map(([name, value]) => ` --${name} ${value}`);
  const tables = `--responses out/bundles/${bundle.name}/responses.csv.gz --items out/bundles/${bundle.name}/items.jsonl.gz`;
  const best = scenarios.map(({ sourceScores }) => Math.max(...sourceScores));
  const ranges = manifest.scenarios.map(({ id }, s) => `${points(100 * best[s])} points in ${id}`);
  const told = Object.entries(bundle.protocol)
    .filter(([key]) => !key.startsWith("ids"))
    .map(([key, value]) => `${key} ${value}`);
  return `# ${bundle.name} ${bundle.version}

${bundle.description}. ${items} items, ${models} models, the newest of ${bundle.newest} by their names and dates.

- **Measured by** ${bundle.measured}.
- **Data:** ${bundle.source}, licence ${bundle.licence}. The bundle has figures and ids: no texts, no answers, no names of models.
- **Protocol:** ${told.join(", ")}. A score is on all these items under the protocol of your own run; where that differs much from this one, items may be hard in another way, and intervals may be too narrow.
- **Ids:** ${bundle.ids}
- **No longer good for** models above the best seen, ${ranges.join(", ")}: most released after ${bundle.newest.slice(0, 7)} by the largest makers. Estimates warn of it, and err as in the line "${SPLITS.extrapolation}".

## Measured errors

With ${size} items a scenario, in points: models were held out and the whole fit repeated without them, ${seeds} times.

| held out | scenario | models | error | as many random items | 95 % intervals that hold | half-width |
| --- | --- | --: | --: | --: | --: | --: |
${Object.keys(SPLITS)
  .flatMap((split) =>
    errorRows(
      split,
      rows.filter((row) => row.split === split),
    ),
  )
  .join("\n")}

\`\`\`sh
node bundles/build.js ../shared/data --only ${bundle.name}    # writes the tables below, the bundle and this card
npx anchoreval backtest ${tables} --anchors ${size} --seeds ${seeds}${settings.join("")} --split interpolation    # then extrapolation, family
\`\`\`
`;
}

function errorRows(split, rows) {
  if (rows.length === 0) return [`| ${SPLITS[split]} | | | not measured: the models are anonymous | | | |`];
  return rows.map(
    (row) =>
      `| ${SPLITS[split]} | ${row.scenario} | ${row.targets} | ${row.mae.toFixed(2)} | ${row.randomMae.toFixed(2)} | ${row.coverage95 === null ? "" : `${points(100 * row.coverage95)} %`} | ${row.halfWidth95 === null ? "" : points(row.halfWidth95)} |`,
  );
}
