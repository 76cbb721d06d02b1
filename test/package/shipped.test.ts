import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readItems, readResponses } from "anchoreval-trainer";
import { BUNDLE_FILES } from "anchoreval/internal/core/bundle/names";
import { textHash } from "anchoreval/internal/core/bundle/digest";
import { idScheme } from "anchoreval/internal/logs/protocol";
import { loadBundle } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { runCommand } from "../support/run-command.ts";
import { ROOT } from "../support/source-imports.js";
import { tempFolder } from "../support/temp-folder.ts";

interface Source {
  readonly name: string;
  readonly version: string;
}
const script = <T>(file: string): Promise<T> => import(join(ROOT, "bundles", file)) as Promise<T>;
const { numpyChoice } = await script<{ numpyChoice: (seed: number, count: number, size: number) => number[] }>(
  "numpy-choice.js",
);
const { BUNDLES } = await script<{ BUNDLES: readonly Source[] }>("sources.js");

const SHIPPED = join(ROOT, "bundles");
const DATA = join(ROOT, "../shared/data");
const here = existsSync(DATA);
const folder = tempFolder();

const folderOf = ({ name, version }: Source): string => join(SHIPPED, name, version);
const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("there are at least five scenarios of four benchmarks, all built from what is listed", async () => {
  const folders = readdirSync(SHIPPED, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(BUNDLES.map(({ name }) => name).sort());
  expect(BUNDLES.length).toBeGreaterThanOrEqual(4);
  const loaded = await Promise.all(BUNDLES.map((own) => loadBundle(folderOf(own))));
  expect(loaded.reduce((sum, { scenarios }) => sum + scenarios.size, 0)).toBeGreaterThanOrEqual(5);
});

test("the questions that docs/bundles.md names are anchors", async () => {
  const { scenarios } = await loadBundle(folderOf(BUNDLES.find(({ name }) => name === "gsm8k")!));
  const asked = scenarios.get("gsm8k")?.forms.get("50")?.itemIds;
  const named = readFileSync(join(ROOT, "docs/bundles.md"), "utf8").match(/gsm8k\/\d+/g) ?? [];
  expect(named.length).toBeGreaterThan(0);
  expect(asked).toEqual(expect.arrayContaining(named));
});

test("they take 5 MB together at most", () => {
  const sizes = BUNDLES.map((own) => sizeOf(folderOf(own)));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(5e6);
});

describe.each(BUNDLES.map((own) => [own.name, own] as const))("%s", (_, own) => {
  const place = folderOf(own);

  test("has a bundle's files, whole, beside its card, and takes 1 MB at most", async () => {
    const names = readdirSync(place);
    expect(names.filter((file) => file !== "card.md" && !BUNDLE_FILES.some((known) => known === file))).toEqual([]);
    expect(names).toContain("card.md");
    expect(names).not.toContain("report.html"); // it has the source models' names
    expect(sizeOf(place)).toBeLessThanOrEqual(1e6);
    expect((await runCommand("show", place)).code).toBe(0);
  });

  test("has no names of models and no texts, and says where its data come from and how items are found", async () => {
    const { manifest } = await loadBundle(place);
    expect(manifest.sources.names).toBeNull();
    expect(manifest.data.licence).toMatch(/^(MIT|Apache-2\.0|CC-BY-SA-4\.0)$/);
    expect(manifest.data.source).toContain(" at ");
    const known = ["item_id", "scenario", "subscenario", "hash", "task", "doc_id", "index", "forms"];
    for (const file of ["items.jsonl", "anchors.jsonl"])
      expect(
        [...new Set(linesOf(join(place, file)).flatMap(Object.keys))].filter((key) => !known.includes(key)),
      ).toEqual([]);
    for (const { id } of manifest.scenarios) {
      const anchors = linesOf(join(place, "anchors.jsonl")).filter(({ scenario }) => scenario === id);
      const scheme = idScheme(manifest.protocol, id);
      const found = anchors.filter(({ task, doc_id: doc }) => task !== undefined && doc !== undefined);
      if (scheme === "doc_id") expect(found).toHaveLength(anchors.length);
      else expect(found.length).toBeLessThan(anchors.length);
    }
  });

  test("has a card, which show prints: who measured what, ids, errors, and how models above the best seen fare", async () => {
    const card = readFileSync(join(place, "card.md"), "utf8");
    for (const part of ["**Measured by**", "**Data:**", "**Protocol:**", "**Ids:**", "the best seen"])
      expect(card).toContain(part);
    expect(card).toMatch(/\| models like those seen \| .+ \| \d+ \| \d+\.\d\d \| /);
    expect(card).toMatch(/\| stronger than any seen \| .+ \| \d+ \| \d+\.\d\d \| /);
    expect((await runCommand("show", place)).out).toContain(card.trimEnd());
    const { note } = (await loadBundle(place)).manifest.sources;
    expect(card).toContain(note!);
  });
});

/** The items that a target's files have a harness ask, by what each of these files is. */
const ASKED: Readonly<Record<string, (text: string) => string[]>> = {
  ids: (text) => text.trim().split("\n"),
  "lm-eval": (text) => Array.from(text.matchAll(/^ {10}- \[("[^"]+"), ("?)(\d+)\2\]$/gm), ([, id, , place]) => {
    const item = JSON.parse(id!) as string;
    return item.split("/").at(-1) === place ? item : `${item} is asked as ${place!}`;
  }), // prettier-ignore
  livecodebench: (text) => listIn(text, "QUESTIONS").map((question) => `livecodebench/${question}`),
  evalplus: (text) => listIn(text, "TASKS").map((task) => task.replace(/^HumanEval/, "humaneval").replace(/^Mbpp/, "mbpp")), // prettier-ignore
};

describe("each is asked by the harness that the list names, and by no other", () => {
  const targets = exportCommand.options["Output"]!["to"]!.choices!;
  const cases = BUNDLES.flatMap((own) => targets.map((to) => [own.name, to] as const));

  test.each(cases)("%s, --to %s", async (name, to) => {
    const listed = JSON.parse((await runCommand("show", "--json")).out) as { benchmark: string; askedBy: string }[];
    const { askedBy } = listed.find(({ benchmark }) => benchmark === name)!;
    expect(Object.keys(ASKED)).toContain(askedBy);
    const place = folder.path(`${name}-${to}`);
    const { code, out, err } = await runCommand("export", "--bundle", name, "--form", "50", "--to", to, "--out", place);
    if (to !== "ids" && to !== askedBy) {
      expect({ code, out, written: existsSync(place) }).toEqual({ code: 2, out: "", written: false });
      expect(err).toMatch(
        to === "swe-bench" ? /names no instance of SWE-bench, which are called OWNER/ : new RegExp(`ask them by ${askedBy}, `),
      ); // prettier-ignore
      return;
    }
    const [file] = readdirSync(place).filter((own) => !own.endsWith(".samples.json"));
    const { scenarios } = await loadBundle(name);
    const form = [...scenarios.values()].flatMap(({ forms }) => forms.get("50")!.itemIds);
    expect({ code, asked: ASKED[to]!(readFileSync(join(place, file!), "utf8")).sort() }).toEqual({
      code: 0,
      asked: [...form].sort(),
    });
    if (to !== "ids") expect(out).toContain(to === "lm-eval" ? ` --tasks ${name.replace("-", "_")}_anchored ` : `python ${place}/${file!}`); // prettier-ignore
  });

  test("the list for --samples has the same questions of GSM8K as the task", async () => {
    const place = folder.path("places");
    const { out } = await runCommand("export", "--bundle", "gsm8k", "--form", "50", "--to", "lm-eval", "--out", place);
    const list = readFileSync(join(place, "gsm8k-1.0.0-50.samples.json"), "utf8");
    const asked = (JSON.parse(list) as { gsm8k: number[] }).gsm8k.map((document) => `gsm8k/${document}`);
    expect(asked.sort()).toEqual(ASKED["lm-eval"]!(readFileSync(join(place, "gsm8k_anchored.yaml"), "utf8")).sort());
    expect(out).toContain(` --tasks gsm8k --samples ${place}/gsm8k-1.0.0-50.samples.json --num_fewshot 0 `);
  });
});

test("bundles lists them, a line each", async () => {
  const { code, out } = await runCommand("show");
  expect(code).toBe(0);
  for (const { name, version } of BUNDLES)
    expect(out).toMatch(new RegExp(`^${name}@${version} +\\d+ +\\d+ +newest of \\S+.* +\\d+\\.\\d  \\S`, "m"));
  const listed = JSON.parse((await runCommand("show", "--json")).out) as { error: number }[];
  expect(listed.every(({ error }) => error > 0 && error < 0.1)).toBe(true);
});

test("numpyChoice draws as numpy does", () => {
  expect(numpyChoice(0, 10, 3)).toEqual([2, 8, 4]);
  expect(numpyChoice(0, 1319, 1000).slice(0, 8)).toEqual([658, 406, 1202, 202, 1187, 186, 45, 487]);
});

// Whether one is the same when it is built again is a step of .ci/run: .ci/rebuilt-bundle.js.
describe.skipIf(!here)("beside their data (skipped without ../shared/data)", () => {
  test("no model's name and no piece of a question is in any file", async () => {
    const sets = ["zeroeval", "mmlu-pro", "livecodebench-v6", "evalplus-code"];
    const pieces = new Set<string>();
    for (const set of sets) {
      const { matrix } = await readResponses(join(DATA, set, "responses.csv.gz"), {
        items: join(DATA, set, "items.jsonl.gz"),
      });
      for (const name of matrix.subjects) if (name.length > 5) pieces.add(name);
      for (const { text } of matrix.items)
        if (text !== undefined) pieces.add(JSON.stringify(middle(text)).slice(1, -1));
    }
    expect(pieces.size).toBeGreaterThan(1900);
    const found = BUNDLES.flatMap((own) =>
      readdirSync(folderOf(own)).flatMap((file) => {
        const bytes = readFileSync(join(folderOf(own), file)).toString("utf8");
        return [...pieces].filter((piece) => bytes.includes(piece)).map((piece) => `${own.name}/${file}: ${piece}`);
      }),
    );
    expect(found).toEqual([]);
  });

  test("GSM8K's ids are verified by texts: all in order, and which aren't", async () => {
    const texts = (await readItems(join(DATA, "zeroeval/items.jsonl.gz"))).flatMap(({ scenario, text }) =>
      scenario === "gsm" ? [text!] : [],
    );
    const verify = (name: string, questions: readonly string[]) => {
      const file = folder.write(name, questions.map((question) => `${JSON.stringify({ question })}\n`).join(""));
      const { stdout, status } = spawnSync(process.execPath, [join(SHIPPED, "verify-ids.js"), "--texts", file]);
      return [status, stdout.toString().replaceAll(file, "FILE")];
    };
    const spaced = texts.map((text) => ` ${text.replaceAll(" ", "  ")}\n`);
    const all = "items have the hash of the text at their place in FILE\n";
    expect(verify("right.jsonl", spaced)).toEqual([0, `gsm8k: 1319 of 1319 ${all}`]);
    const [first, second, third, ...more] = texts;
    expect(verify("wrong.jsonl", [second!, first!, `${third!}?`, ...more])).toEqual([
      1,
      `line 1: gsm8k/1\nline 2: gsm8k/0\nline 3: no item\ngsm8k: 1316 of 1319 ${all}`,
    ]);
  });

  test("every GSM8K item has the hash of its text", async () => {
    const texts = (await readItems(join(DATA, "zeroeval/items.jsonl.gz"))).flatMap(({ scenario, text }) =>
      scenario === "gsm" ? [textHash(text!)] : [],
    );
    expect(new Set(texts).size).toBe(1319);
    const items = linesOf(join(folderOf(BUNDLES.find(({ name }) => name === "gsm8k")!), "items.jsonl"));
    const hashes = items.map(({ item_id: id, hash }) => [id, hash]);
    const all = texts.map((hash, place) => [`gsm8k/${place}`, hash]);
    expect(hashes).toEqual(all);
  });
});

/** The texts of a list, or of an object's lists, that a Python file assigns to a name. */
function listIn(text: string, name: string): string[] {
  const [, json] = new RegExp(`^${name} = ([[{][^]*?^[\\]}])$`, "m").exec(text)!;
  return Object.values(JSON.parse(json!) as Record<string, string | string[]>).flat();
}

function sizeOf(place: string): number {
  return readdirSync(place).reduce((sum, file) => sum + statSync(join(place, file)).size, 0);
}

/** The 50 characters in the middle of a text: many begin or end alike. */
function middle(text: string): string {
  const at = Math.max(0, Math.floor(text.length / 2) - 25);
  return text.slice(at, at + 50);
}
