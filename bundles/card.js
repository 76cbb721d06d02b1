import { answerCheckLines, protocolLines, shortLines } from "anchoreval/internal/features/publishing/sdk/bundle-card";

const points = (value) => value.toFixed(1);
const SPLITS = {
  interpolation: "models like those seen",
  extrapolation: "stronger than any seen",
  family: "other families",
};

/**
 * A bundle's card: who measured what, how its ids are found, and what estimates err by.
 * @param tests - back-tests with `size` items a scenario: split, number of draws, and the rows of what the bundle serves
 */
export function cardText(bundle, { manifest, scenarios }, tests, size) {
  const models = manifest.sources.models;
  const items = manifest.scenarios.reduce((sum, own) => sum + own.items, 0);
  const settings = Object.entries(bundle.settings ?? {}).map(([name, value]) => ` --${name} ${value}`);
  const tables = `--responses out/bundles/${bundle.name}/responses.csv.gz --items out/bundles/${bundle.name}/items.jsonl.gz`;
  const short = shortLines({ manifest, scenarios }).map((line) => `- ${line}\n`);
  const best = scenarios.map(({ sourceScores }) => Math.max(...sourceScores));
  const ranges = manifest.scenarios.map(({ id }, s) => `${points(100 * best[s])} points in ${id}`);
  return `# ${bundle.name} ${bundle.version}

${bundle.description}. ${items} items, ${models} models, the newest of ${bundle.newest}.

${short.join("")}- **Measured by** ${bundle.measured}.
- **Data:** ${bundle.source}, licence ${bundle.licence}. The bundle has figures and ids: no texts, no answers, no names of models.${bundle.terms === undefined ? "" : ` ${bundle.terms}`}
- ${protocolLines(bundle).join("")}
- **Ids:** ${bundle.ids}
${answerCheckLines(manifest)
  .map((line) => `- ${line}\n`)
  .join(
    "",
  )}- **No longer good for** models above the best seen, ${ranges.join(", ")}: most released after ${bundle.newest.slice(0, 7)} by the largest makers. Estimates warn of it, and err as in the line "${SPLITS.extrapolation}".

## Measured errors

With ${size} items a scenario, in points: models were held out, and the whole fit was repeated without them.

| held out | scenario | models | error | as many random items | 95 % intervals that hold | half-width |
| --- | --- | --: | --: | --: | --: | --: |
${tests.flatMap(errorRows).join("\n")}
${bundle.anonymous ? "\nOther families weren't measured: the models are anonymous.\n" : ""}
These commands print them, after \`node bundles/build.js ../shared/data --only ${bundle.name}\`:

\`\`\`sh
${tests.map(({ split, seeds }) => `npx anchoreval backtest ${tables} --anchors ${size}${settings.join("")} --split ${split} --seeds ${seeds}`).join("\n")}
\`\`\`
`;
}

function errorRows({ split, rows }) {
  return rows.map(({ scenario, targets, mae, randomMae, coverage95, halfWidth95 }) => {
    const interval = coverage95 === null ? ["", ""] : [`${points(100 * coverage95)} %`, points(halfWidth95)];
    return `| ${[SPLITS[split], scenario, targets, mae.toFixed(2), randomMae.toFixed(2), ...interval].join(" | ")} |`;
  });
}
