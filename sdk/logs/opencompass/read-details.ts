import { contentHash, type ItemContent } from "../../core/bundle/digest.ts";
import { DataIssues } from "../../tables/data-issues.ts";
import { attemptFailure, meanScore } from "../attempts.ts";
import { chooseMetric } from "../choices.ts";
import { totalOf } from "../cost.ts";
import { canonicalJson, record } from "../json.ts";
import type { RunSamples } from "../run-log.ts";
import { type LoggedRow, scoreRows } from "../score-rows.ts";
import { emptyRun, invalidLog, type SampleOptions } from "../scores.ts";
import { itemScores, readItems } from "./item-scores.ts";
import { readDatasetScores } from "./read-results.ts";

interface OpenCompassOptions extends SampleOptions {
  /** Whether prompts are put into a template of the model's; null where nothing tells. */
  readonly template: boolean | null;
}

type Predictions = Readonly<Record<string, unknown>>;

/**
 * The scores of one dataset by OpenCompass, of several runs the mean.
 * @param value - results/MODEL/DATASET.json, parsed
 * @param beside - predictions/MODEL/DATASET.json, parsed; null where it isn't there: items are known by number alone
 * @throws AnchorEvalError `invalid_data` naming file and item, `invalid_option` with a list of metrics, `unsupported` for
 * a metric that is only reported of all items together
 */
export function readOpenCompassDetails(
  value: unknown,
  beside: Predictions | null,
  options: OpenCompassOptions,
): RunSamples {
  const { file, task, results, template } = options;
  const { reported, details: counted, failure } = readDatasetScores(value, file);
  if (failure !== null) return emptyRun(task);
  const listed = counted?.listed === true;
  const times = counted && results?.documents && !listed ? counted.count / results.documents.run : 1;
  const items = readItems((value as { details?: unknown }).details, { file, runs: times });
  const runs = Math.max(
    1,
    ...items.map(({ fields }) => Math.max(0, ...[...fields.values()].map((values) => values.length))),
  );
  const lacking = beside === null ? 0 : Math.max(0, items.length * runs - Object.keys(beside).length);
  // Run after run: with some lacking, nothing tells where one ends.
  const predictions = lacking > 0 && runs > 1 ? null : beside;
  const asked = Object.keys(predictions ?? {}).length / runs;
  const { scores, share, inferred } = itemScores(items, reported, options.metric);
  const reasons = [...reported.keys(), ...scores.keys()].map(
    (name) => [name, scores.has(name) ? null : "is reported of all items together, and of none by itself"] as const,
  );
  const metric = chooseMetric(new Map(reasons), { file, task, metric: options.metric ?? share ?? undefined });
  const rows = items.flatMap(({ id, fields }, position): LoggedRow[] => {
    // Of a part of the questions the predictions are numbered anew; of items that the evaluator left out, they are not.
    const place = asked === items.length ? position : id;
    const answered = Array.from({ length: runs }, (_, run) => record(predictions?.[place + run * asked]));
    const gold = answered[0]!.gold ?? ["refr", "answer", "references"].flatMap((name) => fields.get(name) ?? [])[0];
    const content = itemContent(answered[0]!, gold, { shots: results?.shots ?? null, template });
    if (content === null && !listed && results && results.documents === null)
      throw invalidLog(
        file,
        `the run asked a part of ${task} (test_range) and numbered it anew, and its prompts don't tell the items from the examples before them: which items these are is not known`,
      );
    const values = scores.get(metric)![position]!;
    const hash = content && contentHash(content);
    const text = content && (content.choices ?? [content.input]).join("\n");
    return Array.from({ length: Math.max(values.length, 1) }, (_, run) => {
      // One value of several runs is their mean: it failed where all of them did.
      const answers = values.length > 1 ? answered.slice(run, run + 1) : answered;
      return {
        ...{ row: id, id, attempt: run + 1, values: new Map([[metric, values[run]]]) },
        failure: attemptFailure(answers.map(({ prediction }) => prediction)),
        ...{ cost: { tokens: answerTokens(answers) }, hash, text },
      };
    });
  });
  const remarks = [
    ...(beside === null ? ["there are no predictions beside it: which answers failed isn't known"] : []),
    ...(lacking > 0
      ? [
          `${lacking} of ${items.length * runs} answers have no predictions beside them: which of them failed isn't known`,
        ]
      : []),
    ...(inferred && metric === share
      ? [
          `the details don't say which answers are right; those that equal the reference are, which gives the ${metric} that OpenCompass reports`,
        ]
      : []),
  ];
  const issues = new DataIssues(file, { row: "item" });
  return scoreRows(rows, { metric, filter: "none", issues, remarks, noun: "run", item: "item" }, options);
}

/**
 * Tokens of an answer, as OpenCompass counts them with `dump_res_length`: those asked, and of each of its texts. Of several
 * the mean over those that say it.
 */
function answerTokens(answers: readonly Predictions[]): number | null {
  const tokens = answers.flatMap(({ all_input_length: asked, res_length: answered }) =>
    [answered].flat().flatMap((length) => totalOf(asked, length) ?? []),
  );
  return meanScore(tokens.filter((count) => count !== 0 && !Number.isNaN(count)));
}

const LABEL = "label: ";

/**
 * The content of an item, as far as a prediction tells it apart from examples and a model's template: a chat's last turn
 * of the asker, a prompt without either, or the question with each answer that its perplexity was asked of.
 * @param gold - the right answer
 * @returns null where the prompt may hold more than the item
 */
export function itemContent(
  prediction: Readonly<Record<string, unknown>>,
  gold: unknown,
  { shots, template }: { readonly shots: number | null; readonly template: boolean | null },
): ItemContent | null {
  const target = typeof gold === "string" ? gold : gold === undefined ? "" : canonicalJson(gold);
  const { origin_prompt: prompt } = prediction;
  if (Array.isArray(prompt)) {
    const asked: unknown = (prompt as ({ role?: unknown; prompt?: unknown } | null)[]).findLast(
      (message) => message?.role === "HUMAN" || message?.role === "user",
    )?.prompt;
    return typeof asked === "string" ? { input: asked, target } : null;
  }
  if (template !== false || typeof prompt !== "string") return null;
  const choices = Object.entries(prediction).flatMap(([name, entry]) => {
    const input = (entry as { "testing input"?: unknown } | null)?.["testing input"];
    return name.startsWith(LABEL) && typeof input === "string" ? [input] : [];
  });
  if (choices.length > 0) return { input: prompt, choices, target };
  return shots === 0 ? { input: prompt, target } : null;
}
