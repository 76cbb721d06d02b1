import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { writeBfcl } from "../../../support/bfcl-logs.ts";
import { exportForm, expectSameEstimate, fitLogs, solvingModels } from "../../../support/form-round-trip.ts";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const SCENARIOS = ["customer", "healthcare", "finance", "student", "notetaker"];
const IDS = Array.from({ length: 60 }, (_, k) =>
  k % 2 === 0 ? `live_simple_${k}-${k % 7}-0` : `memory_kv_${k}-${SCENARIOS[Math.floor(k / 30)]!}-${k % 30}`,
);
const GROUPS: Readonly<Record<string, string>> = { live_simple: "live", memory_kv: "agentic/memory/kv" };

function writeRun(root: string, model: string, ids: readonly string[], solved: ReadonlySet<string>): void {
  for (const [category, group] of Object.entries(GROUPS)) {
    const entries = ids.filter((id) => id.startsWith(category)).map((id) => ({ id, valid: solved.has(id) }));
    writeBfcl(folder, root, { model, category, group, entries });
  }
}

let bundle = "";

beforeAll(async () => {
  for (const [model, solved] of solvingModels(IDS)) writeRun("board", model, IDS, solved);
  bundle = await fitLogs(folder, "bfcl", folder.path("board"));
});

test("a form is asked by its entries alone, and by what fills their memory; its scores come back", async () => {
  const out = folder.path("out");
  const said = await exportForm(bundle, "bfcl", out);
  const asked = JSON.parse(readFileSync(`${out}/test_case_ids_to_generate.json`, "utf8")) as Record<string, string[]>;
  expect(Object.keys(asked)).toEqual(Object.keys(GROUPS));
  const ids = Object.values(asked).flat().filter((id) => !id.includes("_prereq_")); // prettier-ignore
  expect(ids).toHaveLength(40);
  expect(IDS).toEqual(expect.arrayContaining(ids));
  const scenarios = new Set(ids.flatMap((id) => /^memory_kv_\d+-(\w+)-/.exec(id)?.[1] ?? []));
  expect(asked["memory_kv"]!.filter((id) => id.includes("_prereq_"))).toEqual([
    ...(scenarios.has("customer") ? Array.from({ length: 10 }, (_, k) => `memory_kv_prereq_${k}-customer-${k}`) : []),
    ...(scenarios.has("healthcare") ? Array.from({ length: 5 }, (_, k) => `memory_kv_prereq_${10 + k}-healthcare-${k}`) : []), // prettier-ignore
  ]);
  expect(scenarios.size).toBeGreaterThan(0);
  expect(said.split("\n").filter((line) => line.startsWith("  "))).toEqual([
    `  BFCL_PROJECT_ROOT=${out} bfcl generate --model MODEL --run-ids`,
    `  BFCL_PROJECT_ROOT=${out} bfcl evaluate --model MODEL --test-category live_simple,memory_kv --partial-eval`,
    `  anchoreval estimate --bundle ${bundle} --form 20 --from bfcl ${out}/score`,
  ]);
  expect(said).toContain("they aren't scored");

  const solved = new Set(ids.filter((_, k) => k % 3 > 0));
  writeRun("out", "org_m-FC", ids, solved);
  folder.write("out/result/org_m-FC/agentic/memory/kv/BFCL_v4_memory_kv_prereq_result.json", '{"id":"x"}\n');
  const answers = folder.write(
    "answers.json",
    JSON.stringify(Object.fromEntries(ids.map((id) => [`${id.replace(/_\d.*$/, "")}/${id}`, Number(solved.has(id))]))),
  );
  const warnings = await expectSameEstimate(bundle, { harness: "bfcl", logs: `${out}/score`, answers });
  expect(warnings).toEqual([
    "log_remark: BFCL's overall score is a nested weighted mean of its categories, and isn't formed here: each category is a scenario with a score of its own",
  ]);
});

test("of a table, items that are called by category and entry are asked, and others refused", async () => {
  const solving = solvingModels(IDS);
  const fit = async (name: string, id: (entry: string) => string): Promise<string> => {
    const rows = Array.from(
      solving,
      ([model, solved]) => `${model},${IDS.map((entry) => Number(solved.has(entry))).join()}`,
    );
    const responses = folder.write(`${name}.csv`, `model,${IDS.map(id).join()}\n${rows.join("\n")}\n`);
    const { code, err } = await runCommand("fit", "--responses", responses, "--anchors", "20", "--name", "quiz@1.0.0", "--out", folder.path(name)); // prettier-ignore
    expect(`${code} ${code === 0 ? "" : err}`).toBe("0 ");
    return folder.path(name);
  };
  const called = await fit("called", (id) => `${id.replace(/_\d.*$/, "")}/${id}`);
  await exportForm(called, "bfcl", folder.path("called-out"));
  const ids = readFileSync(folder.path("called-out/test_case_ids_to_generate.json"), "utf8");
  expect(ids).toMatch(/"live_simple": \[\s+"live_simple_\d+-\d-0"/);
  const other = await fit("other", (id) => `bfcl/${id}`);
  const refused = await runCommand("export", "--bundle", other, "--to", "bfcl", "--out", folder.path("never"));
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("20 anchors name no task and sample of a harness: bfcl/") as string }); // prettier-ignore
});

test("the folder is an absolute one, which bfcl generate needs; other harnesses' items are refused", async () => {
  const out = folder.path("absolute");
  const said = await exportForm(bundle, "bfcl", relative(process.cwd(), out));
  expect(said).toContain(`  BFCL_PROJECT_ROOT=${out} bfcl generate `);
  const untold = writeBundle(folder.path("untold"), loggedContent());
  const refused = await runCommand("export", "--bundle", untold, "--to", "bfcl", "--out", folder.path("no"));
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("is no entry of BFCL, which are called by their category: alpha_…") as string }); // prettier-ignore
});
