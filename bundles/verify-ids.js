// How sure it is that the bundle gsm8k's items are the ones that their ids say: by what the answers tell, the figures on its
// card; and by texts of GSM8K's test split, JSON lines with a `question` each (test.jsonl of openai/grade-school-math), of
// which the bundle has the hashes.
//
//     node bundles/verify-ids.js ../shared/data
//     node bundles/verify-ids.js --texts test.jsonl
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readResponses, scoreAt } from "anchoreval-trainer";
import { textHash } from "anchoreval/internal/core/bundle/digest";
import { numpyChoice } from "./numpy-choice.js";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { texts: { type: "string" } } });
const [folder] = positionals;
if (folder === undefined && values.texts === undefined)
  throw new Error("node bundles/verify-ids.js FOLDER | --texts FILE");
if (values.texts !== undefined) compareTexts(values.texts);
if (folder === undefined) process.exit();
const [gsm, helm] = [await shares("zeroeval"), await shares("helm-lite")];
const drawn = numpyChoice(0, 1319, 1000).map((place) => gsm[place]);
compare("gsm8k: ZeroEval and HELM, by numpy's draw", drawn, helm);
compare("gsm8k: ZeroEval and HELM, place by place", gsm.slice(0, 1000), helm);

/** Compares a text's hash with that of the item at its place; an item that is another's text is named with both. */
function compareTexts(file) {
  const bundle = join(dirname(fileURLToPath(import.meta.url)), "gsm8k/1.0.0/items.jsonl");
  const hashes = lines(bundle).map(({ hash }) => hash);
  const texts = lines(file).map(({ question }, place) => {
    if (typeof question === "string") return textHash(question);
    throw new Error(`${file}, line ${place + 1}: no question`);
  });
  const wrong = texts.flatMap((hash, place) =>
    hash === hashes[place]
      ? []
      : [`line ${place + 1}: ${hashes.includes(hash) ? `gsm8k/${hashes.indexOf(hash)}` : "no item"}`],
  );
  for (const words of wrong.slice(0, 20)) console.log(words);
  console.log(
    `gsm8k: ${texts.length - wrong.length} of ${hashes.length} items have the hash of the text at their place in ${file}`,
  );
  if (wrong.length > 0 || texts.length !== hashes.length) process.exitCode = 1;
}

function lines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** The share of a board's models that are right, by item of GSM8K. */
async function shares(set) {
  const items = join(folder, set, "items.jsonl.gz");
  const { matrix } = await readResponses(join(folder, set, "responses.csv.gz"), { items });
  return matrix.items.flatMap(({ item_id: id }, i) => {
    if (!id.startsWith("gsm/")) return [];
    return mean([...matrix.subjects.keys()].map((m) => scoreAt(matrix, m, i)).filter((score) => !Number.isNaN(score)));
  });
}

function compare(what, left, right) {
  const parts = [];
  for (let k = 0; k < left.length; k += 100) parts.push(correlation(left.slice(k, k + 100), right.slice(k, k + 100)));
  console.log(
    `${what}: r = ${correlation(left, right).toFixed(2)}, at least ${Math.min(...parts).toFixed(2)} in a hundred`,
  );
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(left, right) {
  const [x, y] = [mean(left), mean(right)];
  const cross = (a, b, p, q) => a.reduce((sum, value, k) => sum + (value - p) * (b[k] - q), 0);
  return cross(left, right, x, y) / Math.sqrt(cross(left, left, x, x) * cross(right, right, y, y));
}
