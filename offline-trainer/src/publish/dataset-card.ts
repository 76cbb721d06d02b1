import type { Manifest } from "anchoreval/bundle";

/**
 * README.md of a dataset repository that bundles are published to: what lies there, and how a model is estimated from it.
 * @param url - of the version that is published first
 */
export function datasetCard({ benchmark, version, description, data }: Manifest, url: string): string {
  return `---
viewer: false
tags:
  - anchoreval
  - evaluation
---

# ${benchmark}

${description === null ? "" : `${description}\n\n`}Bundles of anchoreval, from which a language model's score on the whole benchmark is estimated by its answers to a few items, with an interval. The estimate is computed where you are: no answers leave your machine.

\`\`\`sh
npx anchoreval show ${url}
npx anchoreval export --bundle ${url} --to ids --out .    # the items to ask
npx anchoreval estimate --bundle ${url} --responses answers.json
\`\`\`

\`\`\`ts
import { estimateFromAnchors, loadBundle } from "anchoreval";
const bundle = await loadBundle("${url}");
const { score, interval } = estimateFromAnchors(bundle, responses);
\`\`\`

\`bundles/${benchmark}/index.json\` lists the versions: ${version} was the first here. Licence of the data: ${data.licence ?? "not stated"}; source: ${data.source ?? "not stated"}.
`;
}
