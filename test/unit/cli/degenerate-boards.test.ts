import { estimateFromAnchors } from "anchoreval";
import { folderSource, loadBundle } from "anchoreval/node";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, it, test } from "vitest";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Boards that tell nothing of somebody: by model and item. */
const random = createRandom("degenerate");
const halves = Array.from({ length: 20 }, () => random.shuffle(Array.from({ length: 24 }, (_, i) => i)).slice(0, 12));
const BOARDS: Readonly<Record<string, { models: number; items: number; score: (m: number, i: number) => number }>> = {
  "all right": { models: 12, items: 24, score: () => 1 },
  "all wrong": { models: 12, items: 24, score: () => 0 },
  "one score, other items": { models: 20, items: 24, score: (m, i) => Number(halves[m]!.includes(i)) },
  "two kinds of models": { models: 12, items: 24, score: (m) => m % 2 },
  "one item wrong at most": { models: 12, items: 24, score: (m, i) => Number(!(m < 6 && i === m)) },
};
const ANSWERS: Readonly<Record<string, (i: number) => number>> = {
  right: () => 1,
  wrong: () => 0,
  mixed: (i) => i % 2,
  graded: () => 0.5,
};

const folder = tempFolder();
/** No text of a result has what a number isn't. */
const NO_FIGURE = /NaN|Infinity|∞|undefined|null|defect/;

function tableOf({ models, items, score }: (typeof BOARDS)[string]): string {
  const header = ["model", ...Array.from({ length: items }, (_, i) => `q${i}`)].join(",");
  const rows = Array.from({ length: models }, (_, m) =>
    [`m${m}`, ...Array.from({ length: items }, (_, i) => score(m, i))].join(","),
  );
  return `${[header, ...rows].join("\n")}\n`;
}

/** Boards on which replays are tried, too. */
const SLOW: ReadonlySet<string> = new Set(["two kinds of models", "one item wrong at most"]);

describe.each(Object.entries(BOARDS))("%s", (name, board) => {
  const bundle = folder.path(name);
  const files = Object.entries(ANSWERS).map(
    ([kind, score]) =>
    folder.write(`${name}-${kind}.json`, JSON.stringify(Object.fromEntries(Array.from({ length: board.items }, (_, i) => [`q${i}`, score(i)])))), // prettier-ignore
  );
  const [right, wrong, mixed, graded] = files as [string, string, string, string];
  const table = folder.write(`${name}.csv`, tableOf(board));
  beforeAll(async () => {
    const fit = await runCommand("fit", "--responses", table, "--anchors", "8", "--name", "t@1.0.0", "--provider", "typescript", "--out", bundle); // prettier-ignore
    expect(fit.err).not.toMatch(NO_FIGURE);
    expect(fit).toMatchObject({ code: 0 });
  });

  test("every text has numbers where numbers are meant", async () => {
    const slow = [
      ["check", "--bundle", bundle, "--baseline", right, "--baseline", mixed, "--table", "--nights", "10"],
      ["check", "--bundle", bundle, "--responses", wrong, "--baseline", right, "--baseline", mixed, "--history", folder.path(`${name}.jsonl`)], // prettier-ignore
      ["plan", bundle, "--gate", "--baseline", right, "--baseline", mixed],
      ["replay", "--responses", table],
      ["replay", "--responses", table, "--half-width", "5"],
    ];
    const calls = [
      ...files.map((file) => ["estimate", "--bundle", bundle, file, "--verbose"]),
      ["show", bundle],
      ["plan", bundle],
      ["plan", bundle, "--half-width", "5"],
      ["plan", bundle, "--gap", "5"],
      ["compare", "--bundle", bundle, wrong, right, "--verbose"],
      ["compare", "--bundle", bundle, right, right],
      ["compare", "--bundle", bundle, graded, mixed],
      ["compare", "--bundle", bundle, ...files],
      ["compare", "--race", "--bundle", bundle, wrong, right, mixed],
      ["check", "--bundle", bundle, "--responses", right, "--baseline", right],
      ["check", "--bundle", bundle, "--responses", wrong, "--baseline", right, "--min-score", "50"],
      ["audit", "--responses", table],
      ...(SLOW.has(name) ? slow : []),
    ];
    for (const argv of calls) {
      const { code, out, err } = await runCommand(...argv);
      expect({ argv, code, text: (out + err).split("\n").filter((line) => NO_FIGURE.test(line)) }).toEqual({ argv, code, text: [] }); // prettier-ignore
      expect([0, 2, 3, 4]).toContain(code);
      if (code === 2) expect(err).toMatch(/^anchoreval: .*\[invalid_data\]$/m);
    }
  });

  it("says of a model whose score all others have that it is like them", async () => {
    const scores = Array.from({ length: board.models }, (_, m) =>
      Array.from({ length: board.items }, (_, i) => board.score(m, i)).reduce((sum, own) => sum + own, 0),
    );
    if (new Set(scores).size > 1) return;
    const fitted = await loadBundle(folderSource(bundle));
    const ids = fitted.scenarios.get("all")!.forms.get("8")!.itemIds;
    const like = estimateFromAnchors(fitted, Object.fromEntries(ids.map((id, k) => [id, scores[0] === board.items ? 1 : scores[0] === 0 ? 0 : k % 2]))); // prettier-ignore
    expect(like.scenarios["all"]).toMatchObject({ range: "inside", percentile: null });
    expect(like.warnings.map(({ code }) => code)).not.toContain("weaker_than_any_seen");
    expect(like.warnings.map(({ code }) => code)).not.toContain("stronger_than_any_seen");
  });
});

test("where all items are asked there is nothing that uniform sampling could be compared with", async () => {
  const coin = createRandom("coins");
  const two = folder.write("two.csv", tableOf({ models: 40, items: 2, score: () => Number(coin.next() < 0.5) }));
  const { code, out } = await runCommand("replay", "--responses", two);
  expect(code).toBe(0);
  expect(out).toContain("Effective sample size, geometric mean: – of uniform sampling");
  expect(out).not.toMatch(NO_FIGURE);
  const { rows } = JSON.parse((await runCommand("replay", "--responses", two, "--json")).out) as { rows: object[] };
  expect(rows).toMatchObject([{ effectiveSize: null, rmse: 0 }]);
});
