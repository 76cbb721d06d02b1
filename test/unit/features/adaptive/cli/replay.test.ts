import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, test } from "vitest";
import type { ReplayRow } from "../../../../../features/adaptive/fit/replay.ts";
import { scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { writeWideCsv } from "../../../../../offline-trainer/src/matrix/write-tables.ts";
import { runProgram } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";

const folder = tempFolder();
const responses = folder.path("responses.csv.gz");
const matrix = smallLeaderboard({ models: 24, items: [80, 60] });
const items = folder.write("items.jsonl", matrix.items.map((item) => `${JSON.stringify(item)}\n`).join(""));
const prices = folder.write(
  "prices.json",
  JSON.stringify(Object.fromEntries(matrix.items.map(({ item_id: id }, i) => [id, 1 + (i % 2)]))),
);
const random = createRandom("trials");
/** Three trials of every cell, some of them differing. */
const tried = folder.write(
  "trials.csv",
  `model,item_id,trial,score\n${matrix.subjects
    .flatMap((model, m) =>
      matrix.items.flatMap(({ item_id: id }, i) =>
        [0, 1, 2].map((t) => {
          const score = scoreAt(matrix, m, i);
          return `${model},${id},${t},${random.next() < 0.2 ? 1 - score : score}\n`;
        }),
      ),
    )
    .join("")}`,
);
const replay = (...more: string[]): string[] => replayOf(responses, ...more);
const replayOf = (table: string, ...more: string[]): string[] => [
  ...["replay", "--responses", table, "--items", items, "--provider", "typescript", "--set", "dims=1"],
  ...["--repeats", "2", "--max-targets", "3", ...more],
];

beforeAll(() => writeWideCsv(responses, matrix));

describe("anchoreval replay", () => {
  test("prints a line a scenario and the gain over uniform items", async () => {
    const { code, out } = await runProgram(replay("--split", "interpolation,extrapolation"));
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/\s+/).slice(0, 2).join(" "))).toEqual([
      "scenario split",
      ...["interpolation", "extrapolation"].flatMap((split) => ["a", "b", "overall"].map((id) => `${id} ${split}`)),
      "Effective sample",
      "Errors in",
      "`most given`:",
      "",
    ]);
  });

  test("as JSON has every row's figures", async () => {
    const { out } = await runProgram(replay("--json", "--quiet", "--half-width", "15", "--share", "0.6"));
    const { header, rows } = JSON.parse(out) as { header: { configuration: string }; rows: ReplayRow[] };
    expect(header.configuration).toMatch(/^[0-9a-f]{64}$/);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row.effectiveSize).toBeNull();
      expect(row.asked).toBeLessThanOrEqual(row.budget);
      expect(row.exposure!.most).toBeGreaterThan(row.budget / row.items);
    }
  });

  test("by price stays within a budget, and says what was spent", async () => {
    const { code, out } = await runProgram(
      replay("--json", "--quiet", "--share", "0.9", "--prices", prices, "--budget", "60usd"),
    );
    expect(code).toBe(0);
    const { rows } = JSON.parse(out) as { rows: ReplayRow[] };
    for (const { price, items: count } of rows) {
      expect(price!.whole).toBe(1.5 * count);
      expect(price!.asked).toBeLessThanOrEqual(60);
      expect(price!.asked).toBeGreaterThan(40); // a batch of ten costs twenty at most
    }
    const table = await runProgram(replay("--share", "0.4", "--prices", prices));
    expect(table.out).toMatch(/asked +price +of +RMSE/);
    expect(table.out).toContain("of items for the same price");
  });

  test("over runs asks answers of a table with trials, some of them again", async () => {
    const { code, out } = await runProgram(replayOf(tried, "--over", "runs", "--share", "2", "--scenario", "b"));
    expect(code).toBe(0);
    expect(out).toMatch(/items +asked +again +once each +five times +RMSE/);
    expect(out).toMatch(/^b +interpolation +60 +120 +60\.0 +± \d+\.\d/m);
    expect(out).toContain("of as many answers of items drawn uniformly");
    const paid = ["--prices", prices, "--budget", "60", "--repeat-price", "0.05"];
    const cheap = await runProgram(
      replayOf(tried, "--over", "runs", "--share", "9", "--scenario", "b", "--json", "--quiet", ...paid),
    );
    const [row] = (JSON.parse(cheap.out) as { rows: ReplayRow[] }).rows;
    expect(row!.trials!.again).toBeGreaterThan(row!.asked / 3);
    expect(row!.price!.asked).toBeLessThanOrEqual(60);
  });

  test.each<[string[], string]>([
    [["--over", "runs"], "responses.csv.gz has no column trial"],
    [["--over", "tasks"], "--over must be one of runs"],
    [["--over", "runs", "--better"], "--better doesn't go with --over runs"],
    [["--over", "runs", "--repeat-price", "0.5"], "which isn't given"],
    [["--prices", prices, "--budget", "20", "--batch", "5"], "the budget is too small: "],
    [["--repeat-price", "0.5"], "--repeat-price is for further trials, with --over runs"],
    [["--over", "runs", "--prices", prices, "--repeat-price", "2"], "--repeat-price must be"],
    [["--budget", "5"], "--budget is for the prices of --prices FILE"],
    [["--prices", folder.write("two.csv", "item_id,price,seconds\nx,1,60\n"), "--price-column", "price,seconds"], "--price-column names one column here"], // prettier-ignore
    [["--prices", prices, "--budget", "2"], "more than the budget of 2"],
    [["--split", "newest"], "--split takes interpolation, extrapolation, family; got newest"],
    [["--share", "0"], "--share is a share of the items above 0"],
    [["--share", "2"], "--share"],
    [["--batch", "1"], "--batch"],
    [["--better", "--threshold", "50"], "--threshold is for one model, --better for two"],
    [["--half-width", "0.03"], "--half-width is in points, and 0.03 reads as a fraction: write 3 for 3 points of 100"],
    [["--scenario", "z"], "there is no scenario z"],
    [["--threshold", "50", "--batch", "2", "--share", "1"], "looks"],
  ])("%j is refused", async (options, message) => {
    const { code, out, err } = await runProgram(replay(...options));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });
});
