// How sure it is that items are the ones that their ids say: by what the answers tell, the figures on the cards; and by
// texts of GSM8K's test split, JSON lines with a `question` each (test.jsonl of openai/grade-school-math), of which the
// bundle has the hashes.
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
import { documentOf } from "./sources.js";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { texts: { type: "string" } } });
const [folder] = positionals;
if (folder === undefined && values.texts === undefined)
  throw new Error("node bundles/verify-ids.js FOLDER | --texts FILE");
if (values.texts !== undefined) compareTexts(values.texts);
if (folder === undefined) process.exit();
const zeroeval = await read("zeroeval");
const helm = shares(await read("helm-lite"), "gsm/");
const gsm = shares(zeroeval, "gsm/");
compare("gsm8k: ZeroEval and HELM, by numpy's draw", at(gsm, numpyChoice(0, 1319, 1000)), helm);
compare("gsm8k: ZeroEval and HELM, place by place", gsm.slice(0, 1000), helm);
compare(
  "crux: ZeroEval and CRUXEval",
  shares(zeroeval, "crux/"),
  shares(await read("cruxeval"), "CRUXEval-output-T0.2/"),
);

const official = await read("openllm2-official");
for (const [subject, apart] of [
  ["murder_mysteries", 1],
  ["object_placements", 2],
])
  for (const devices of [1, 4, 7, 8, 9, 16]) {
    const columns = residuals(official, `musr/${subject}/`);
    const documents = [];
    columns.forEach((column, place) => (documents[documentOf(place, columns.length, devices)] = column));
    const pairs = documents.flatMap((column, k) =>
      Math.floor(k / apart) % 2 === 0 && documents[k + apart] ? [correlation(column, documents[k + apart])] : [],
    );
    const alike = pairs.filter((r) => Math.abs(r) > 0.15).length;
    console.log(
      `musr ${subject}, ${devices} devices: ${alike} of ${pairs.length} pairs ${apart} apart correlate by more than .15, mean ${mean(pairs).toFixed(2)}`,
    );
  }

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

async function read(set) {
  const items = join(folder, set, "items.jsonl.gz");
  return (await readResponses(join(folder, set, "responses.csv.gz"), { items })).matrix;
}

function columnsOf({ items }, prefix) {
  return [...items.keys()].filter((i) => items[i].item_id.startsWith(prefix));
}

/** The share of models that are right, by item. */
function shares(matrix, prefix) {
  return columnsOf(matrix, prefix).map((i) =>
    mean([...matrix.subjects.keys()].map((m) => scoreAt(matrix, m, i)).filter((score) => !Number.isNaN(score))),
  );
}

/** Scores less the models' means, by item: what is left when models differ in ability alone. */
function residuals(matrix, prefix) {
  const columns = columnsOf(matrix, prefix);
  const models = [...matrix.subjects.keys()].filter((m) => columns.every((i) => !Number.isNaN(scoreAt(matrix, m, i))));
  const means = models.map((m) => mean(columns.map((i) => scoreAt(matrix, m, i))));
  return columns.map((i) => models.map((m, k) => scoreAt(matrix, m, i) - means[k]));
}

function compare(what, left, right) {
  const parts = [];
  for (let k = 0; k < left.length; k += 100) parts.push(correlation(left.slice(k, k + 100), right.slice(k, k + 100)));
  console.log(
    `${what}: r = ${correlation(left, right).toFixed(2)}, at least ${Math.min(...parts).toFixed(2)} in a hundred`,
  );
}

function at(values, places) {
  return places.map((place) => values[place]);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(left, right) {
  const [x, y] = [mean(left), mean(right)];
  const cross = (a, b, p, q) => a.reduce((sum, value, k) => sum + (value - p) * (b[k] - q), 0);
  return cross(left, right, x, y) / Math.sqrt(cross(left, left, x, x) * cross(right, right, y, y));
}
