import { answerCheckLines, protocolLines, shortLines } from "anchoreval/internal/features/publishing/sdk/bundle-card";

const points = (value) => value.toFixed(1);
const SPLITS = {
  interpolation: "models like those seen",
  extrapolation: "stronger than any seen",
  newest: "the newest, by date",
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
  const heldOut = (split) =>
    split === "newest" ? `--families out/bundles/${bundle.name}/models.csv --split released` : `--split ${split}`;
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
  )}- **Above the best seen**, ${ranges.join(", ")}, are most models released after ${bundle.newest.slice(0, 7)} by the largest makers. Estimates warn of it. With ${size} items a scenario they err by ${tests
    .filter(({ split }) => split !== "family")
    .map(typicalWords)
    .join("; ")}.

## Measured errors

With ${size} items a scenario, in points: models were held out, and the whole fit was repeated without them.

| held out | scenario | models | error | as many random items | 95 % intervals that hold | half-width |
| --- | --- | --: | --: | --: | --: | --: |
${tests.flatMap(errorRows).join("\n")}

These commands print them, after \`node bundles/build.js ../shared/data --only ${bundle.name}\`:

\`\`\`sh
${tests.map(({ split, seeds }) => `npx anchoreval backtest ${tables} --anchors ${size}${settings.join("")} ${heldOut(split)} --seeds ${seeds}`).join("\n")}
\`\`\`
`;
}

/** What is estimated of models held out in one way: the overall score, where there are several scenarios. */
function typicalWords({ split, rows }) {
  const { mae, halfWidth95 } = rows.find(({ scenario }) => scenario === "overall") ?? rows[0];
  const interval = halfWidth95 === null ? "" : `, ± ${points(halfWidth95)}`;
  return `${points(mae)} points${interval} (${SPLITS[split]})`;
}

function errorRows({ split, rows }) {
  return rows.map(({ scenario, targets, mae, randomMae, coverage95, halfWidth95 }) => {
    const interval = coverage95 === null ? ["", ""] : [`${points(100 * coverage95)} %`, points(halfWidth95)];
    return `| ${[SPLITS[split], scenario, targets, mae.toFixed(2), randomMae.toFixed(2), ...interval].join(" | ")} |`;
  });
}
