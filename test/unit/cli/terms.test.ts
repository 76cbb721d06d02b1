import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { additionFacts, formLines } from "../../../cli/src/bundles/bundle-tables.ts";
import { writeBundle } from "../../support/logged-bundle.ts";
import { manifestOf } from "../../support/measured-manifest.ts";
import { runCommand } from "../../support/run-command.ts";
import { sampleContent } from "../../support/sample-bundle.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const GOLDEN = join(ROOT, "test/fixtures/golden-bundle");

/** Terms that the glossary defines, in small letters and the singular. */
const defined = new Set(
  [...readFileSync(join(ROOT, "docs/glossary.md"), "utf8").matchAll(/\*\*([^*]+)\*\*/g)].flatMap(([, words]) =>
    words!.split(/[,;] */).map(plain),
  ),
);

/** Words that need no definition. */
const EVERYDAY = ["file", "bytes"];

/** A term without its figures, in the singular. */
function plain(term: string): string {
  const words = term.toLowerCase().replace(/ \(.*\)|\.$| [\d.]+$/g, "");
  return words.replace(/ (items|answers|anchors)$/, (end) => (words === "random items" ? end : "")).replace(/s$/, "");
}

/** What stands at the head of a table's columns; of a table of facts, what stands before each. */
function terms(out: string): string[] {
  const blocks = out.split("\n\n").map((block) => block.trimEnd().split("\n"));
  return blocks.flatMap((lines) => {
    const rows = lines.map((line) => line.trim().split(/ {2,}/)).filter((row) => row.length > 1);
    if (rows.length === 0) return [];
    return rows.every((row) => row.length === 2) ? rows.map(([label]) => label!) : rows[0]!;
  });
}

test.each([
  ["show", ["show", join(GOLDEN, "bundle")], ["digest", "source models", "typical error", "selection"]],
  ["plan", ["plan", join(GOLDEN, "bundle"), "--gap", "2"], ["half-width (95 %)", "gap ranked right (80 %)"]],
])("%s prints terms of the glossary, and three sentences at most", async (_, argv, some) => {
  const { code, out } = await runCommand(...argv);
  expect(code).toBe(0);
  expect(terms(out)).toEqual(expect.arrayContaining(some));
  expect(terms(out).filter((term) => !EVERYDAY.includes(term) && !defined.has(plain(term)))).toEqual([]);
  expect(out.split("\n").filter((line) => line.endsWith(".")).length).toBeLessThanOrEqual(3);
});

test("check prints terms of the glossary, and three sentences at most", async () => {
  const content = sampleContent();
  const bundle = writeBundle(folder.path("bundle"), content);
  const ids = content.scenarios.flatMap(({ anchors }) => anchors.map((anchor) => anchor.item_id));
  const answers = (right: (k: number) => boolean): string =>
    JSON.stringify(Object.fromEntries(ids.map((id, k) => [id, Number(right(k))])));
  const before = folder.write(
    "before.json",
    answers((k) => k % 3 > 0),
  );
  const now = folder.write(
    "now.json",
    answers((k) => k % 2 > 0),
  );
  const { out } = await runCommand(
    ...["check", "--bundle", bundle, "--responses", now, "--baseline", before, "--min-score", "40"],
  );
  expect(terms(out)).toEqual(["measured", "allowed", "lower bound", "upper bound", "verdict"]);
  for (const term of [
    ...terms(out),
    "drop",
    "score",
    "lower bound",
    "upper bound",
    "verdict",
    "passed",
    "regressed",
    "can't tell",
  ])
    expect({ term, defined: defined.has(plain(term)) }).toEqual({ term, defined: true });
  expect(out.split("\n").filter((line) => line.endsWith(".")).length).toBeLessThanOrEqual(3);
});

test("so do the rarer facts of a bundle, and its second forms", () => {
  const manifest = manifestOf([{ gsm: {} }, { gsm: {} }]);
  const bridge = { overall: null, scenarios: {} };
  const items = { standing: 1, placed: 1 };
  const base = {
    benchmark: "b",
    version: "1.0.0",
    digest: `sha256:${"0".repeat(64)}`,
    items,
    rerun: 1,
    drawn: 0.5,
    texts: true,
    bridge,
  };
  const leftOut = { questions: 3, brier: 0.2, logLoss: 1, calibrationError: 0, right: 0.5, singleRight: 0.4 };
  const facts = additionFacts({
    ...manifest,
    base: { ...base, anchors: { "0": { kept: 1, of: 2 } } },
    coldStart: {
      ...{ items: 1, features: "tf-idf", width: 1 },
      scenarios: { gsm: { questions: 3, method: "ridge", single: 0, leftOut } },
    },
  } as unknown as typeof manifest);
  const second = manifest.forms.map((form, k) => (k === 0 ? form : { ...form, disjointFrom: "0" }));
  const heading = formLines({ ...manifest, forms: second })[0]!
    .trim()
    .split(/ {2,}/);
  expect(facts.length).toBeGreaterThan(8);
  expect(
    [...facts.map(([label]) => label), ...heading.map((term) => term.replace(/ of$/, ""))].filter(
      (term) => !defined.has(plain(term)),
    ),
  ).toEqual([]);
});
