import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Estimate } from "anchoreval";
import { describe, expect, it, test } from "vitest";
import { writeLogs } from "../../../support/lm-eval-logs.ts";
import { documentOf, loggedContent, taskOf, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { SAMPLE_UNASKED } from "../../../support/sample-bundle.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap(({ anchors: own }) => own).filter(({ forms }) => forms.includes("20"));
const answersOf = (wrong: number): Record<string, number> =>
  Object.fromEntries(anchors.map(({ item_id, index }) => [item_id, index % wrong === 0 ? 0 : 1]));
const file = folder.write("answers.json", JSON.stringify(answersOf(3)));
const data = folder.path("data");
const estimate = ["estimate", "--bundle", bundle, "--to", "eee", "--out", data];
const named = [...estimate, "--model-name", "Org/m"];

interface Result {
  evaluation_result_id: string;
  evaluation_name: string;
  metric_config: Record<string, unknown>;
  score_details: {
    score: number;
    uncertainty: { confidence_interval?: Record<string, unknown>; num_samples: number };
    details: Record<string, string>;
  };
}
interface Document {
  retrieved_timestamp: string;
  evaluation_id: string;
  eval_library: { additional_details: Record<string, string> };
  model_info: Record<string, unknown>;
  evaluation_results: Result[];
}

async function recorded(argv: string[]): Promise<{ result: Estimate; path: string; document: Document }> {
  const { code, out, err } = await runCommand(...argv, "--json");
  expect([code, err]).toEqual([0, expect.stringContaining("record for Every Eval Ever: ")]);
  const { record, ...result } = JSON.parse(out) as Estimate & { record: string };
  return { result, path: record, document: JSON.parse(readFileSync(record, "utf8")) as Document };
}

describe("estimate --to eee", () => {
  it("has every score with its interval, the answers behind it, and how it was made", async () => {
    const { result, path, document } = await recorded([...named, "--responses", file]);
    expect(relative(data, path)).toMatch(
      /^sample\/Org\/m\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json$/,
    );
    const results = document.evaluation_results;
    expect(results.map((own) => own.evaluation_name)).toEqual(["sample", "alpha", "beta/γ"]);
    expect(new Set(results.map((own) => own.evaluation_result_id)).size).toBe(3);
    const parts = [result, ...Object.values(result.scenarios)];
    for (const [k, { score, interval, answered }] of parts.entries()) {
      const { score_details: told, metric_config: metric } = results[k]!;
      expect(told.score).toBe(score);
      expect(told.uncertainty).toEqual({
        confidence_interval: {
          ...{ lower: interval!.low, upper: interval!.high },
          ...{ confidence_level: 0.95, method: `anchoreval: ${interval!.method}` },
        },
        num_samples: answered,
      });
      expect(metric).toMatchObject({ lower_is_better: false, min_score: 0, max_score: 1, metric_kind: "acc" });
    }
    expect(results[0]!.metric_config["metric_name"]).toBe("acc, estimated from 40 anchors of 100 items");
    expect(document.eval_library.additional_details).toMatchObject({
      ...{ bundle: "sample 1.0.0", bundle_digest: result.digest, form: "20" },
    });
    expect(document.model_info).toMatchObject({ id: "Org/m", developer: "Org" });
    expect(document.evaluation_id).toBe(`sample/Org_m/${document.retrieved_timestamp}`);
    expect(Math.abs(Number(document.retrieved_timestamp) - Date.now() / 1000)).toBeLessThan(600);
  });

  it("gives the same estimate the same file, which stays as it is, and any other another one", async () => {
    const first = await recorded([...named, "--responses", file]);
    folder.write(
      relative(folder.path(""), first.path),
      JSON.stringify({ ...first.document, retrieved_timestamp: "1" }),
    );
    const again = await recorded([...named, "--responses", file]);
    expect([again.path, again.document.retrieved_timestamp]).toEqual([first.path, "1"]);
    const other = folder.write("other.json", JSON.stringify(answersOf(4)));
    const paths = [
      first.path,
      (await recorded([...named, "--responses", other])).path,
      (await recorded([...estimate, "--model-name", "Org/m-2", "--responses", file])).path,
      (await recorded([...named, "--responses", file, "--level", "0.9"])).path,
    ];
    expect(new Set(paths).size).toBe(4);
  });

  it("takes the model's name and the harness from its logs", async () => {
    const tasks: Record<string, { documents: ReturnType<typeof documentOf>[] }> = {};
    for (const anchor of anchors) {
      const task = (tasks[taskOf(anchor)] ??= { documents: [] });
      task.documents.push(documentOf(taskOf(anchor), anchor.index, anchor.index % 3 === 0 ? 0 : 1));
    }
    const logs = writeLogs(folder.path("logs"), { model: "Lab/big/m", date: "2026-03-01T00-00-00.000001", tasks });
    const { path, document } = await recorded([...estimate, "--from", "lm-eval", "--responses", logs]);
    expect(relative(data, path)).toMatch(/^sample\/Lab\/big_m\//);
    expect(document.model_info["id"]).toBe("Lab/big/m");
    expect(document.eval_library.additional_details["answers_from"]).toBe("lm-eval");
  });

  it("says what was predicted, and leaves out what has no score", async () => {
    const alpha = Object.fromEntries(Object.entries(answersOf(3)).filter(([id]) => id.startsWith("alpha")));
    const some = ["--form", "20", "--responses", folder.write("alpha.json", JSON.stringify(alpha))];
    const without = await recorded([...named, ...some]);
    expect(without.document.evaluation_results.map((own) => own.evaluation_name)).toEqual(["alpha"]);
    const manifest = { ...content.manifest, unasked: SAMPLE_UNASKED };
    const predicting = writeBundle(folder.path("predicting"), { ...content, manifest });
    const predicted = ["estimate", "--bundle", predicting, "--to", "eee", "--out", data, "--model-name", "Org/m"];
    const { document } = await recorded([...predicted, ...some]);
    expect(document.evaluation_results.map((own) => own.score_details.details["method"])).toEqual([
      "estimated from 20 anchors of 100 items; scenarios that weren't asked are predicted",
      "estimated from 20 anchors of 40 items",
      "predicted from the other scenarios' scores",
    ]);
    expect(document.eval_library.additional_details["warnings"]).toContain("beta/γ: not asked; predicted from");
  });
});

test.each([
  [["--out", folder.path("eee")], "must be a folder called data"],
  [["--to", "helm"], "--to must be one of eee; got helm"],
  [["--evaluator-relationship", "friend"], "--evaluator-relationship must be one of first_party, "],
  [["--out", join(file, "data")], "can't be made a folder"],
  [["--model-name", "m"], "names a model as ORG/NAME, and this one is called m"],
  [["--model-name", "Org//m"], "is called Org//m"],
  [["--model-name", "Org/"], "is called Org/"],
  [["--model-name", "Org/a:b"], "a:b can't be a folder of Every Eval Ever's datastore"],
  [["--model-name", "data/m"], "data can't be a folder"],
  [["--model-name", "../m"], ".. can't be a folder"],
  [["--model-name", "Org/CON.x"], "CON.x can't be a folder"],
])("refuses %j, and writes nothing", async (more, words) => {
  const out = folder.path("refused/data");
  const base = ["estimate", "--bundle", bundle, "--responses", file];
  const own = [["--to", "eee"], ["--out", out]].filter(([name]) => !more.includes(name!)).flat(); // prettier-ignore
  const { code, err } = await runCommand(...base, ...own, ...more);
  expect(err).toContain(words);
  expect(code).toBe(2);
  expect(existsSync(out)).toBe(false);
});

test("options of a record need --to", async () => {
  const { code, err } = await runCommand("estimate", "--bundle", bundle, "--responses", file, "--model-name", "Org/m");
  expect([code, err]).toEqual([2, expect.stringContaining("--model-name is for a record: it needs --to eee")]);
});
