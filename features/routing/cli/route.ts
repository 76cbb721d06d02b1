import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import { dimsFor } from "anchoreval-trainer/internal/calibrate/bank";
import { calibrationWork } from "anchoreval-trainer/internal/calibrate/calibration-work";
import { judgeRouting, routeCsv, routingSummary } from "anchoreval-trainer/internal/features/routing/fit/judge-routing";
import { DEFAULT_NEIGHBOURS } from "anchoreval-trainer/internal/features/routing/fit/forecasts";
import {
  type QuestionChoice,
  RIGHT_RULES,
  splitQuestions,
  testAnswers,
} from "anchoreval-trainer/internal/features/routing/fit/questions";
import {
  checkRouting,
  ROUTE_METHODS,
  routeQuestions,
} from "anchoreval-trainer/internal/features/routing/fit/route-questions";
import { embeddedRows, readEmbeddings } from "anchoreval-trainer/internal/features/routing/fit/embeddings-file";
import { readItems } from "anchoreval-trainer/internal/matrix/items-file";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ItemInfo } from "anchoreval-trainer/internal/matrix/response-matrix";
import { copiedItems } from "anchoreval-trainer/internal/matrix/same-text";
import { DEFAULT_DIMS } from "anchoreval-trainer/internal/methods/settings";
import { itemTexts, type QuestionFeatures, textFeatures } from "anchoreval-trainer/internal/numeric/text-features";
import { trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { option, FORCE_OPTION, rare, type Command } from "../../../cli/src/program/command.ts";
import { readCostFile } from "../../../cli/src/options/model-files.ts";
import { fileDigest, readResponseOptions, RESPONSE_OPTIONS } from "../../../cli/src/options/data.ts";
import { WORK_OPTIONS } from "../../../cli/src/options/fit.ts";
import { readOutFile, writeOutFile } from "../../../cli/src/program/out.ts";

/** Latent dimensions that a model with few models may be given: the seed's run has 50. */
const MOST_DIMS = 64;

export const routeCommand: Command = {
  options: {
    Data: {
      ...RESPONSE_OPTIONS,
      train: option("NAME|FILE", "questions to learn from: a subscenario, or items in CSV or JSONL", {
        required: true,
      }),
      test: option(
        "NAME|FILE",
        "questions to route: a subscenario, or items in CSV or JSONL with texts, answered or not",
        { required: true },
      ),
      scenario: option("NAME", "scenario of these subscenarios, where several have them"),
      embeddings: option("FILE", ".jsonl or .csv by item_id (default: TF-IDF of the texts)"),
      cost: option("FILE", "lines of model,cost of one question"),
    },
    "What to fit": {
      method: option(
        "NAME",
        `method of the routes in --out: ${ROUTE_METHODS.join(", ")} (default auto: the best on train questions)`,
        { choices: [...ROUTE_METHODS, "auto"] },
      ),
      "cost-weight": option("W", "chance of a right answer that one unit of cost must gain (default 1)"),
      k: option("K", `neighbours of the kNN methods (default ${DEFAULT_NEIGHBOURS})`),
      ...rare({
        binarize: option(
          RIGHT_RULES.join("|"),
          "right is a score above a learned threshold (default), or any that isn't 0",
        ),
        dims: option("D", "latent dimensions of the item parameters (default: depends on the number of models)"),
      }),
    },
    "How to fit": WORK_OPTIONS,
    Output: { out: option("FILE", "the routes, .csv or .csv.gz"), ...FORCE_OPTION },
  },
  examples: [
    "route --responses responses.csv.gz --items items.jsonl.gz --train dev --test test",
    "route --responses responses.csv.gz --items items.jsonl.gz --train dev --test new.jsonl --out routes.csv",
  ],
  async run({ options, output }) {
    const { responses, ...reading } = readResponseOptions(options);
    const method = options.oneOf("method", [...ROUTE_METHODS, "auto"], "auto");
    const k = options.number("k", { min: 1, integer: true }, DEFAULT_NEIGHBOURS);
    const rule = options.oneOf("binarize", RIGHT_RULES, "threshold");
    const askedDims = options.number("dims", { min: 1, max: MOST_DIMS, integer: true }, null);
    const weight = options.number("cost-weight", { min: 0 }, 1);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const provider = options.oneOf("provider", PROVIDERS, "auto");
    const [costFile, embeddingsFile] = [options.text("cost"), options.text("embeddings")];
    const scenario = options.text("scenario");
    if (costFile === undefined) options.refuse(["cost-weight"], "weighs the costs of --cost FILE, which isn't given");
    const out = (await readOutFile(options, { csv: /^item_id,p:/ }))?.file;
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
    const dims = askedDims ?? dimsFor(DEFAULT_DIMS, models.length);
    const work = calibrationWork(split.train, { dims, calibrations: 1, scenarios: 1 });
    const { backend, reason } = await resolveBackend(provider, { work });
    output.remark(reason);
    const routing = await routeQuestions(split.train, split.test, features, {
      backend,
      dims,
      k,
      rule,
      seed,
      ...(costs && { penalties: costs.map((cost) => weight * cost) }),
    });
    const written = routing.methods.find((entry) => entry.method === (method === "auto" ? routing.best : method))!;
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
        methods: routing.methods.map((entry) => ({
          method: entry.method,
          shiftOf: entry.shiftOf,
          leftOut: entry.leftOut,
          picks: Object.fromEntries(models.map((model, m) => [model, entry.picks.filter((pick) => pick === m).length])),
        })),
        meanCost,
        judgement,
      });
      return;
    }
    for (const line of routingSummary(routing, judgement)) output.line(line);
    if (meanCost !== null)
      output.line(`Mean cost of the picks of ${written.method}: ${meanCost.toPrecision(4)} a question.`);
    output.remark(out === undefined ? "--out FILE.csv saves every question's route" : `${written.method}: ${out}`);
  },
};

/** A subscenario's name, unless it ends as files of items do. */
function readChoice(value: string): Promise<QuestionChoice> {
  return /\.(jsonl|ndjson|csv|tsv)(\.gz)?$/i.test(value) ? readItems(value) : Promise.resolve(value);
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
