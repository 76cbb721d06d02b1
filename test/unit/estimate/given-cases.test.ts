import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { estimateFromAnchors, planFromBundle } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { folderSource, loadBundle } from "anchoreval/node";
import { expect, test } from "vitest";
import { ROOT } from "../../support/source-imports.js";

const DATA = join(ROOT, "../shared/data");
const bundleOf = (name: string) => loadBundle(folderSource(join(ROOT, "bundles", name, "1.0.0")));

/** The first model of a board that has answered all items of this prefix. */
function firstRow(set: string, prefix: string): Map<string, number> {
  const lines = gunzipSync(readFileSync(join(DATA, set, "responses.csv.gz"))).toString().trim().split("\n"); // prettier-ignore
  const [header, ...rows] = lines.map((line) => line.split(","));
  const columns = header!.flatMap((id, k) => (id.startsWith(prefix) ? [k] : []));
  const row = rows.find((cells) => columns.every((k) => cells[k] !== ""))!;
  return new Map(columns.map((k) => [header![k]!, Number(row[k])]));
}

test("of gsm8k a plan has one half-width, the measured one, and no form is enough that it doesn't say so of", async () => {
  const bundle = await bundleOf("gsm8k");
  const { forms, needed, enough } = planFromBundle(bundle, { halfWidth: 0.08 });
  for (const { form, overall, scenarios } of forms) {
    const described = bundle.manifest.forms.find(({ id }) => id === form)!.scenarios["gsm8k"]!;
    expect(overall).toEqual(scenarios["gsm8k"]);
    expect(overall.halfWidth).toBe((described.together ?? described).measured.interpolation!.halfWidth95P90);
  }
  expect(enough).toBeNull();
  expect(needed!.overall.items).toBeGreaterThan(100);
});

test.skipIf(!existsSync(DATA))(
  "gsm8k's answers to the next item, and coin flips, are flagged; the right ones aren't",
  async () => {
    // prettier-ignore
    const bundle = await bundleOf("gsm8k");
    const row = firstRow("zeroeval", "gsm/");
    const random = createRandom(1);
    const ids = bundle.scenarios.get("gsm8k")!.forms.get("50")!.itemIds;
    const scores = (score: (item: number) => number): Map<string, number> =>
      new Map(ids.map((id) => [id, score(Number(id.split("/")[1]))]));
    const flagged = (responses: Map<string, number>): boolean =>
      estimateFromAnchors(bundle, responses, { form: "50" }).warnings.some(({ code }) => code === "suspicious_pattern");
    expect(flagged(scores((item) => row.get(`gsm/${item}`)!))).toBe(false);
    expect(flagged(scores((item) => row.get(`gsm/${(item + 1) % 1319}`)!))).toBe(true);
    expect(flagged(scores(() => Number(random.next() < 0.8)))).toBe(true);
  },
);

test.skipIf(!existsSync(DATA))("a whole run of HumanEval+ is its mean over all items", async () => {
  const bundle = await bundleOf("evalplus");
  const row = new Map(Array.from(firstRow("evalplus-code", "humaneval+/"), ([id, own]) => [id.replace("+", ""), own]));
  const mean = [...row.values()].reduce((sum, score) => sum + score, 0) / row.size;
  const { score, exact, interval } = estimateFromAnchors(bundle, row).scenarios["humaneval+"]!;
  expect(score).toBeCloseTo(mean, 12);
  expect({ exact, method: interval!.method }).toEqual({ exact: true, method: "exact" });
});
