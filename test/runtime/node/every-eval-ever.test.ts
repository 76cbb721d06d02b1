import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importLogs, type LogImport } from "../../../offline-trainer/src/import/import-logs.ts";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/harnesses";
import { beforeAll, describe, expect, test } from "vitest";
import { loggedContent, writeBundle } from "../../support/logged-bundle.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const MINUTE = 60_000;
const folder = tempFolder();

/** An environment that has every-eval-ever and pytest, its source distribution unpacked inside; `.ci/run` makes it. */
const ENVIRONMENT = process.env["ANCHOREVAL_TEST_EEE"] ?? "";
const PYTHON = join(ENVIRONMENT, "bin/python");
const source = existsSync(PYTHON) ? readdirSync(ENVIRONMENT).find((name) => name.startsWith("every_eval_ever-")) : undefined; // prettier-ignore

const eee = (cwd: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(PYTHON, ["-m", ...words], { cwd, encoding: "utf8" });

describe.skipIf(!existsSync(PYTHON))(
  "the validator of Every Eval Ever (skipped without it: ANCHOREVAL_TEST_EEE names an environment that has it)",
  () => {
    const content = loggedContent({ metric: "acc", harness: "lm-eval" });
    const bundle = writeBundle(folder.path("bundle"), content);
    const anchors = content.scenarios.flatMap((own) => own.anchors).filter(({ forms }) => forms.includes("20"));
    const validate = (): { status: number | null; stdout: string; stderr: string } =>
      eee(folder.path(""), "every_eval_ever", "validate", "--format", "json", "data/*/*/*/*.json");
    const record = async (model: string, answered: typeof anchors): Promise<string> => {
      const answers = Object.fromEntries(answered.map(({ item_id, index }) => [item_id, Number(index % 3 !== 0)]));
      const file = folder.write("answers.json", JSON.stringify(answers));
      const argv = ["estimate", "--bundle", bundle, "--responses", file, "--form", "20", "--json"];
      const { out } = await runCommand(...argv, "--to", "eee", "--out", folder.path("data"), "--model-name", model);
      return (JSON.parse(out) as { record: string }).record;
    };

    test("accepts what estimate writes, of one scenario and of several, without a warning", async () => {
      const files = [
        await record("Org/all", anchors),
        await record("Org/family/alpha", anchors.filter(({ scenario }) => scenario === "alpha")), // prettier-ignore
      ];
      const { status, stdout } = validate();
      const reports = JSON.parse(stdout) as { file: string; valid: boolean; errors: unknown[]; warnings: unknown[] }[];
      expect(reports.map(({ valid, errors, warnings }) => [valid, errors, warnings])).toEqual(
        files.map(() => [true, [], []]),
      );
      expect(status).toBe(0);
      // It would refuse a score beyond the bounds.
      const text = readFileSync(files[0]!, "utf8").replace(/"score": 0\.\d+/, '"score": 2');
      folder.write("data/sample/Org/all/00000000-0000-4000-8000-000000000000.json", text);
      expect(validate().status).toBe(1);
    });
  },
);

describe.skipIf(source === undefined)(
  "records that Every Eval Ever's own tests write (skipped without its source distribution in ANCHOREVAL_TEST_EEE)",
  () => {
    const written = folder.path("written");
    beforeAll(() => {
      const tests = [
        "tests/test_openeval_adapter.py::test_include_instances_writes_valid_jsonl_sidecar",
        "tests/test_bountybench_adapter.py::test_published_records_validate",
        "tests/test_validate.py::TestInstanceLevelValidation::test_valid_multi_turn_passes",
      ];
      mkdirSync(written);
      for (const [k, own] of tests.entries()) {
        const { status, stdout } = eee(join(ENVIRONMENT, source!), "pytest", "-q", "--basetemp", join(written, String(k)), own); // prettier-ignore
        expect(status, stdout).toBe(0);
      }
    }, MINUTE);

    const imported = (k: number): Promise<LogImport> =>
      importLogs(harnessNamed("eee"), [join(written, String(k))], {
        metric: parseChoices("metric", []),
        filter: parseChoices("filter", []),
        onDuplicate: "newest",
        errors: "harness",
        allowMixed: false,
      });

    test.each([
      ["a run of a dataset", 0, "google/gemma-2b-it", 2, 1],
      ["an agent's runs", 1, "openai/gpt-4o", 2, 1],
      ["a conversation, without an aggregate", 2, "org/test-model", 1, 0],
    ])("%s: every score", async (_, k, model, items, compared) => {
      const { matrix, report } = await imported(k);
      expect(matrix.subjects).toEqual([model]);
      const lines = readdirSync(join(written, String(k)), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl") && !name.includes("current/")) // pytest's links to the newest
        .flatMap((name) =>
          readFileSync(join(written, String(k), name), "utf8")
            .trim()
            .split("\n"),
        )
        .map((line) => JSON.parse(line) as { sample_id: string; evaluation: { score: number } });
      expect(lines).toHaveLength(items);
      expect(matrix.items.map(({ item_id }, at) => [item_id.split("/").at(-1), matrix.scores[at]])).toEqual(
        lines.map(({ sample_id, evaluation }) => [sample_id, evaluation.score]),
      );
      expect(report.scores).toMatchObject({ compared, equal: compared, different: [] });
      expect(matrix.items.every(({ hash, text }) => hash!.length === 64 && text!.length > 0)).toBe(true);
    });
  },
);
