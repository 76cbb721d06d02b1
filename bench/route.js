// What routing is worth on RouterDC's MMLU questions: 7 models, 2000 train and 4213 test questions with texts.
// usage: node bench/route.js FOLDER [--embeddings FILE] [--seed 1]
// FOLDER has routerdc7/responses.csv.gz and items.jsonl.gz; embeddings of one's own are of all its mmlu items, by id.
import { parseArgs } from "node:util";
import {
  embeddedRows,
  itemTexts,
  judgeRouting,
  readEmbeddings,
  resolveBackend,
  routeQuestions,
  routingSummary,
  splitQuestions,
  testAnswers,
  textFeatures,
} from "anchoreval-trainer";
import { readLeaderboard } from "./read-leaderboard.js";

/** Dimensions of the item parameters: the seed's 50, and what 7 models can bear. */
const DIMS = [50, 1];

const { values, positionals } = parseArgs({
  options: { embeddings: { type: "string" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const matrix = await readLeaderboard(positionals[0], "routerdc7");
const split = splitQuestions(matrix, { train: "train", test: "test", scenario: "mmlu" });
const begun = performance.now();
const features = await selectFeatures();
const { backend } = await resolveBackend("cpu");
for (const dims of DIMS) {
  const routing = await routeQuestions(split.train, split.test, features, {
    backend,
    dims,
    k: 20,
    rule: "nonzero",
    seed: Number(values.seed),
  });
  const answers = testAnswers(split, routing.cut, routing.models.length);
  console.log(
    `\n== ${values.embeddings ? "embeddings" : "TF-IDF"}, k = 20, D = ${dims}, right is a score that isn't 0`,
  );
  for (const line of routingSummary(routing, judgeRouting(routing, answers))) console.log(line);
  console.log(`By the train questions one would take ${routing.best}.`);
}
console.log(`\n${((performance.now() - begun) / 1000).toFixed(1)} s for both, features included`);

async function selectFeatures() {
  if (!values.embeddings) return textFeatures(itemTexts(split.train.items), itemTexts(split.test));
  const embeddings = await readEmbeddings(values.embeddings);
  const rowsOf = (items) =>
    embeddedRows(
      embeddings,
      items.map(({ item_id: id }) => id),
    );
  return { train: rowsOf(split.train.items), test: rowsOf(split.test) };
}
