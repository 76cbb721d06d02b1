import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const SHARED = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

/** Ends the names of tests that are skipped without the shared data. */
export const BOARDS_ABSENT = existsSync(SHARED) ? "" : " (skipped: the shared data are not beside this checkout)";

/** A public board as its shared copy has it. */
export interface PublicBoard {
  /** Items' ids as the source has them. */
  readonly ids: readonly string[];
  readonly rows: readonly { readonly model: string; readonly scores: readonly number[] }[];
}

export function publicBoard(name: string): PublicBoard {
  const text = gunzipSync(readFileSync(join(SHARED, name, "responses.csv.gz"))).toString();
  const [head, ...lines] = text.trim().split("\n").map((line) => line.trim().split(",")); // prettier-ignore
  return {
    ids: head!.slice(1).map((id) => id.slice(id.indexOf("/") + 1)),
    rows: lines.map(([model, ...cells]) => ({ model: model!, scores: cells.map(Number) })),
  };
}

const share = (score: number): string => (Number.isInteger(score) ? score.toFixed(1) : String(score));

/** terminal-bench-1.0.jsonl of vionax/eval-arena-data, to the byte but for the order of its lines. */
export function arenaLines({ ids, rows }: PublicBoard): string {
  const line = (model: string, id: string, score: number): string =>
    `{"benchmark_id":"terminal-bench-1.0","model":"${model}","example_id":"${id}","pass1":${share(score)},"count":5}\n`;
  return rows.map(({ model, scores }) => ids.map((id, k) => line(model, id, scores[k]!)).join("")).join("");
}

/** input_table_swebench-lite.csv of all-the-noises.github.io, as {@link arenaLines}. */
export function noisesTable({ ids, rows }: PublicBoard): string {
  let number = 1_893_379;
  const line = (model: string, id: string, score: number): string =>
    `${number++},swebench-lite,${model},${id},${share(score)},1.0,,\n`;
  return [
    ",benchmark_id,model,example_id,pass1,count,date,hyperparams\n",
    ...rows.flatMap(({ model, scores }) => ids.map((id, k) => line(model, id, scores[k]!))),
  ].join("");
}

/** A board of leaderboards.json of swe-bench.github.io. */
export function siteBoard(name: string, { ids, rows }: PublicBoard): object {
  const details = (scores: readonly number[]): object =>
    Object.fromEntries(ids.map((id, k) => [id, { resolved: scores[k] === 1, cost: 0.25, api_calls: 9 }]));
  const results = rows.map(({ model, scores }) => ({
    ...{ name: model, resolved: (100 * scores.filter((score) => score === 1).length) / ids.length, date: "2025-12-01" },
    ...{ tags: [`Model: ${model}`], per_instance_details: details(scores) },
  }));
  return { name, results };
}
