import type { Command, OptionReader } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { PROVIDERS, resolveBackend } from "../backends/resolve-backend.ts";
import { embeddedRows, readEmbeddings } from "../numeric/embeddings-file.ts";
import { judgeRouting, routeCsv, routingSummary } from "../extensions/routing/judge-routing.ts";
import { type QuestionChoice, RIGHT_RULES, splitQuestions, testAnswers } from "../extensions/routing/questions.ts";
import { DEFAULT_NEIGHBOURS } from "../extensions/routing/neighbours.ts";
import { checkRouting, ROUTE_METHODS, routeQuestions } from "../extensions/routing/route-questions.ts";
import { itemTexts, textFeatures, type QuestionFeatures } from "../numeric/text-features.ts";
import { DEFAULT_DIMS } from "../methods/settings.ts";
import { dimsFor } from "../calibrate/bank.ts";
import { readItems } from "../matrix/items-file.ts";
import { readResponses } from "../matrix/read-responses.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { copiedItems } from "../matrix/same-text.ts";
import { trainerVersion } from "../trainer-version.ts";
import { readCostFile } from "./cost-file.ts";
import { fileDigest } from "./file-digest.ts";
import { FIT_OPTIONS } from "./fit-options.ts";
import { checkOutFile, writeOutFile } from "./out-file.ts";
import { RESPONSE_OPTIONS, readResponseOptions } from "./response-options.ts";

/** Latent dimensions that a model with few models may be given: the seed's run has 50. */
const MOST_DIMS = 64;

export const routeCommand: Command = {
  name: "route",
  summary: "every model's chance of a right answer to questions that none has seen, and which model to ask",
  options: {
    ...RESPONSE_OPTIONS,
    train: {
      type: "string",
      value: "NAME|FILE",
      description: "questions to learn from: a subscenario, or items JSONL",
    },
    test: {
      type: "string",
      value: "NAME|FILE",
      description: "questions to route: a subscenario, or items JSONL with texts, answered or not",
    },
    scenario: { type: "string", value: "NAME", description: "where several scenarios have such a subscenario" },
    method: {
      type: "string",
      value: [...ROUTE_METHODS, "auto"].join("|"),
      description: "what the CSV has (default auto: the most right on train questions)",
    },
    k: { type: "string", value: "K", description: `neighbours of the kNN methods (default ${DEFAULT_NEIGHBOURS})` },
    embeddings: {
      type: "string",
      value: "FILE",
      description: ".jsonl or .csv by item_id (default: TF-IDF of the texts)",
    },
    binarize: {
      type: "string",
      value: RIGHT_RULES.join("|"),
      description: "right is a score above a learned threshold (default), or any that isn't 0",
    },
    dims: {
      type: "string",
      value: "D",
      description: "latent dimensions of the item parameters (default by the models)",
    },
    cost: { type: "string", value: "FILE", description: "lines of model,cost of one question" },
    "cost-weight": {
      type: "string",
      value: "W",
      description: "probability of a right answer that one unit of cost must bring (default 1)",
    },
    out: { type: "string", value: "FILE", description: "the routes, .csv or .csv.gz" },
    provider: FIT_OPTIONS.provider,
    seed: { type: "string", value: "N", description: "seed of all draws (default 1)" },
  },
  async run({ options, output }) {
    const { responses, ...reading } = readResponseOptions(options);
    const method = options.oneOf("method", [...ROUTE_METHODS, "auto"], "auto");
    const k = options.number("k", { min: 1, integer: true }, DEFAULT_NEIGHBOURS);
    const rule = options.oneOf("binarize", RIGHT_RULES, "threshold");
    const askedDims = options.number("dims", { min: 1, max: MOST_DIMS, integer: true }, null);
    const weight = options.number("cost-weight", { min: 0 }, 1);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const provider = options.oneOf("provider", PROVIDERS, "auto");
    const [costFile, embeddingsFile, scenario] = [
      options.text("cost"),
      options.text("embeddings"),
      options.text("scenario"),
    ];
    if (costFile === undefined && options.text("cost-weight") !== undefined)
      throw new AnchorEvalError("invalid_option", "--cost-weight weighs the costs of --cost FILE, which isn't given");
    const out = await readOut(options);
    const choices = {
      train: await readChoice(options.required("train")),
      test: await readChoice(options.required("test")),
      ...(scenario !== undefined && { scenario }),
    };
    const { matrix, remarks } = await readResponses(responses, reading);
    for (const remark of remarks) output.remark(remark);
    const models = matrix.subjects;
    const costs = costFile === undefined ? null : await readCostFile(costFile, models);
    const split = splitQuestions(matrix, choices);
    checkRouting(split.train.items, split.test, k);
    const features = await readFeatures(split.train.items, split.test, embeddingsFile);
    const twice = inBoth(split.train.items, split.test);
    if (twice > 0) output.remark(`${twice} of the test questions have the text of a train question`);
    const { backend, reason } = await resolveBackend(provider);
    output.remark(reason);
    const dims = askedDims ?? dimsFor(DEFAULT_DIMS, models.length);
    const routing = await routeQuestions(split.train, split.test, features, {
      backend,
      dims,
      k,
      rule,
      seed,
      ...(costs && { penalties: costs.map((cost) => weight * cost) }),
    });
    const written = routing.methods.find((own) => own.method === (method === "auto" ? routing.best : method))!;
    const answers = testAnswers(split, routing.cut, models.length);
    const judgement = answers && judgeRouting(routing, answers);
    if (out !== undefined) await writeOutFile(out, routeCsv(routing, written, answers));
    const meanCost = costs && written.picks.reduce((sum, m) => sum + costs[m]!, 0) / written.picks.length;
    if (output.json) {
      output.document({
        header: {
          data: await fileDigest(responses),
          version: trainerVersion(),
          provider: reason,
          features: embeddingsFile === undefined ? "tf-idf" : "embeddings",
          method: written.method,
          k,
          dims,
          binarize: rule,
          cut: routing.cut,
          seed,
          costWeight: costs ? weight : null,
        },
        train: split.train.items.length,
        test: split.test.length,
        sameTexts: twice,
        single: models[routing.single],
        methods: routing.methods.map((own) => ({
          method: own.method,
          shiftOf: own.shiftOf,
          leftOut: own.leftOut,
          picks: Object.fromEntries(models.map((model, m) => [model, own.picks.filter((pick) => pick === m).length])),
        })),
        meanCost,
        judgement,
      });
      return 0;
    }
    for (const line of routingSummary(routing, judgement)) output.line(line);
    if (meanCost !== null)
      output.line(`Mean cost of the picks of ${written.method}: ${meanCost.toPrecision(4)} a question.`);
    output.remark(out === undefined ? "--out FILE.csv saves every question's route" : `${written.method}: ${out}`);
    return 0;
  },
};

async function readOut(options: OptionReader): Promise<string | undefined> {
  const file = options.text("out");
  if (file === undefined) return undefined;
  if (!/\.csv(\.gz)?$/i.test(file))
    throw new AnchorEvalError("invalid_option", `--out is a file that ends in .csv or .csv.gz; got ${file}`);
  await checkOutFile("--out", file);
  return file;
}

/** A subscenario's name, unless it ends as files of items do. */
function readChoice(value: string): Promise<QuestionChoice> {
  return /\.(jsonl|ndjson)(\.gz)?$/i.test(value) ? readItems(value) : Promise.resolve(value);
}

async function readFeatures(
  train: readonly ItemInfo[],
  test: readonly ItemInfo[],
  file: string | undefined,
): Promise<QuestionFeatures> {
  if (file === undefined) return textFeatures(itemTexts(train), itemTexts(test));
  const embeddings = await readEmbeddings(file);
  const rowsOf = (items: readonly ItemInfo[]): QuestionFeatures["train"] =>
    embeddedRows(
      embeddings,
      items.map(({ item_id: id }) => id),
    );
  return { train: rowsOf(train), test: rowsOf(test) };
}

/** Test questions whose text, or content, a train question has too. */
function inBoth(train: readonly ItemInfo[], test: readonly ItemInfo[]): number {
  return copiedItems([...train, ...test])
    .filter(([first]) => first! < train.length)
    .reduce((sum, items) => sum + items.filter((i) => i >= train.length).length, 0);
}
