import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const IDS = Array.from(
  { length: 60 },
  (_, k) => `${k % 2 === 0 ? "django__django" : "matplotlib__matplotlib.js"}-${100 + k}`,
);

/** Bundles of one board: as `import` makes it, and from a table whose items somebody called otherwise. */
const BUNDLES = { imported: "swe-bench", table: "verified" } as const;

beforeAll(async () => {
  for (const [name, task] of Object.entries(BUNDLES)) {
    const random = createRandom(1);
    const chance = (m: number, k: number): number => 1 / (1 + Math.exp((k - 30) / 10 - (m - 12) / 4));
    const rows = Array.from(
      { length: 24 },
      (_, m) => `agent-${m},${IDS.map((__, k) => Number(random.next() < chance(m, k))).join(",")}\n`,
    );
    const responses = folder.write(
      `${name}.csv`,
      `model,${IDS.map((id) => `${task}/${id}`).join(",")}\n${rows.join("")}`,
    );
    const items = folder.write(
      `${name}.jsonl`,
      IDS.map((id) =>
        JSON.stringify({ item_id: `${task}/${id}`, scenario: task, ...(name === "imported" && { task, doc_id: id }) }),
      ).join("\n"),
    );
    const fit = ["fit", "--responses", responses, "--items", items, "--anchors", "10,20", "--name", "swe@1.0.0"];
    const { code, err } = await runCommand(...fit, "--out", folder.path(`bundle-${name}`));
    expect(`${code} ${code === 0 ? "" : err}`).toBe("0 ");
  }
});

describe.each(Object.keys(BUNDLES))("a bundle %s", (name) => {
  const bundle = folder.path(`bundle-${name}`);

  test("is asked by instances alone, and its answers come back by a report", async () => {
    const out = folder.path(`out-${name}`);
    const { code, out: said } = await runCommand(
      "export",
      "--bundle",
      bundle,
      "--form",
      "20",
      "--to",
      "swe-bench",
      "--out",
      out,
    );
    expect(code).toBe(0);
    const ids = readFileSync(join(out, "swe-1.0.0-20.instances.txt"), "utf8").trim().split("\n");
    expect(ids).toHaveLength(20);
    expect(IDS).toEqual(expect.arrayContaining(ids));
    expect(said).toContain(`--run_id anchors --instance_ids $(cat ${join(out, "swe-1.0.0-20.instances.txt")})`);
    expect(said).toContain(`estimate --bundle ${bundle} --form 20 --from swe-bench MODEL.anchors.json`);
    const filter = new RegExp(readFileSync(join(out, "swe-1.0.0-20.filter.txt"), "utf8").trim());
    expect(IDS.filter((id) => filter.test(id)).sort()).toEqual([...ids].sort());
    expect(filter.test(`${ids[0]!}0`)).toBe(false); // Python's re.match would take a longer number as well
    expect(filter.test(ids.find((id) => id.includes("."))!.replace(".", "x"))).toBe(false);

    const resolved = ids.filter((_, k) => k % 3 > 0);
    const report = folder.write(
      `${name}/lab__m.anchors.json`,
      JSON.stringify({
        ...{ resolved_ids: resolved, unresolved_ids: ids.filter((id) => !resolved.includes(id)), error_ids: [] },
        ...{ empty_patch_ids: [], incomplete_ids: [], total_instances: 20, resolved_instances: resolved.length },
      }),
    );
    const answers = folder.write(
      `${name}/answers.json`,
      JSON.stringify(
        Object.fromEntries(ids.map((id) => [`${BUNDLES[name as "table"]}/${id}`, Number(resolved.includes(id))])),
      ),
    );
    const [logged, plain] = [
      await runCommand("estimate", "--bundle", bundle, "--form", "20", "--from", "swe-bench", report, "--json"),
      await runCommand("estimate", "--bundle", bundle, "--form", "20", answers, "--json"),
    ].map(({ out: text }) => JSON.parse(text) as { score: number; interval: object });
    expect([logged!.score, logged!.interval]).toEqual([plain!.score, plain!.interval]);
  });
});

test("items that are no instances are refused", async () => {
  const { code, err } = await runCommand(
    "export",
    "--bundle",
    "gsm8k",
    "--to",
    "swe-bench",
    "--out",
    folder.path("no"),
  );
  expect(code).toBe(2);
  expect(err).toContain("names no instance of SWE-bench, which are called OWNER__REPOSITORY-NUMBER");
});
