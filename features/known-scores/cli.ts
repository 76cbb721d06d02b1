import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { LEAST_KNOWN } from "anchoreval/internal/features/known-scores/core";
import type { KnownScored } from "anchoreval/internal/features/known-scores/sdk/with-known-score";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { counted, percent, points } from "anchoreval/internal/words/figures";
import type { FitOptionPart } from "../../cli/src/options/fit.ts";
import type { EstimatePart } from "../../cli/src/options/parts.ts";
import { option, rare } from "../../cli/src/program/command.ts";

/** `fit --known-scores`: what source models' scores on other benchmarks tell of their scores here. */
export const learnKnownScores: FitOptionPart = {
  options: {
    Extensions: rare({
      "known-scores": option(
        "FILE",
        "the models' scores on other benchmarks, a table with a row a model and a column a benchmark: estimates then take a model's own",
      ),
    }),
  },
  read({ options, output }) {
    const file = options.text("known-scores");
    if (file === undefined) return null;
    return async ({ matrix: { subjects } }) => {
      const { scoreAt } = await import("anchoreval-trainer/internal/matrix/response-matrix");
      const { readResponses } = await import("anchoreval-trainer/internal/matrix/read-responses");
      const { withKnownScores } = await import("anchoreval-trainer/internal/features/known-scores/fit/known-lines");
      const { matrix: elsewhere, remarks } = await readResponses(file, { oneScenario: true }).catch(refuseScale);
      for (const remark of remarks) output.remark(remark);
      const sources = new Set(subjects);
      const rows = elsewhere.subjects.flatMap((model, m) => (sources.has(model) ? [m] : []));
      const counts = elsewhere.items.map(
        ({ item_id: name }, i) => [name, rows.filter((m) => !Number.isNaN(scoreAt(elsewhere, m, i))).length] as const,
      );
      const few = counts.filter(([, models]) => models < LEAST_KNOWN);
      if (few.length === counts.length)
        throw invalidOption(
          `${file}: no benchmark has scores of ${LEAST_KNOWN} models of the responses, by the same names: ${counts.map(([name, models]) => `${name} of ${models}`).join(", ")}; the responses have ${firstFew(subjects)}, the file ${firstFew(elsewhere.subjects)}`,
        );
      const matched = counts.map(([name, models]) => `${name} of ${models}`).join(", ");
      output.remark(`known scores, by the models' names: ${matched} of ${counted(subjects.length, "source model")}`);
      if (few.length > 0)
        output.remark(`left out, as fewer than ${LEAST_KNOWN} models have one: ${firstFew(few.map(([name]) => name))}`);
      return { part: withKnownScores(elsewhere) };
    };
  },
};

/** `estimate --known-score`: the score by the answers and by the model's score on another benchmark together. */
export const estimateKnownScore: EstimatePart = {
  options: {
    Estimate: {
      "known-score": option(
        "NAME=SCORE[,NAME=SCORE…]",
        "the model's scores on other benchmarks, in [0,1], of a bundle fitted with such: also the score by both together",
      ),
    },
  },
  read({ options }) {
    const text = options.text("known-score");
    if (text === undefined) return null;
    const pairs = text.split(",").map(readPair);
    const knownScores = Object.fromEntries(pairs);
    if (Object.keys(knownScores).length < pairs.length)
      throw invalidOption(`--known-score names a benchmark twice: ${quoted(text)}`);
    const models = new Set<string>();
    return {
      options: (_, { name }) => {
        models.add(name);
        if (models.size > 1) throw invalidOption("--known-score is one model's, and there are answers of several");
        return { knownScores };
      },
    };
  },
  words: ({ withKnownScores: scored }) => {
    if (scored === undefined) return null;
    const scenarios = Object.entries(scored.scenarios);
    const named = [["", scored.overall] as const, ...(scenarios.length > 1 ? scenarios : [])];
    const sentences = named.flatMap(([id, both]) =>
      both === null ? [] : [`${id === "" ? "" : `${id}: `}${knownWords(both)}`],
    );
    return { sentences: sentences.length > 0 ? sentences : ["the known score tells nothing of this one"] };
  },
};

/** Answers may be on another scale, which an option says; these may not. */
function refuseScale(error: unknown): never {
  if (error instanceof AnchorEvalError && error.issues.some(({ code }) => code === "out_of_range"))
    throw invalidOption(`--known-scores: scores are fractions in [0,1], of percentages a hundredth; ${error.issues[0]!.path.join(", ")} isn't one`); // prettier-ignore
  throw error;
}

function readPair(pair: string): [string, number] {
  const at = pair.lastIndexOf("=");
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  const score = value === "" ? NaN : Number(value);
  if (at > 0 && score >= 0 && score <= 1) return [name, score];
  throw invalidOption(
    `--known-score is NAME=SCORE with the score in [0,1], such as humaneval+=0.87; got ${quoted(pair)}`,
  );
}

function knownWords({ by, score, interval, predicted, deviation, share, models, status }: KnownScored): string {
  const alone = `${by} alone says ${points(predicted)} ± ${points(1.96 * deviation)}, by ${counted(models, "model")}`;
  if (status === "contradicted")
    return `the answers contradict the known score, which isn't counted: ${alone}. Was one of both measured otherwise?`;
  return `with the known score ${points(score)}, ${points(interval.low)} to ${points(interval.high)} (${percent(interval.level)}); ${by} has ${percent(Math.round(100 * share) / 100)} of it: ${alone}`;
}
