import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importLogs, type LogImport } from "../../../features/import/fit/import-logs.ts";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { beforeAll, describe, expect, test } from "vitest";
import { loggedContent, writeBundle } from "../../support/logged-bundle.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const MINUTE = 60_000;
const folder = tempFolder();

/** An environment that has every-eval-ever and pytest, its source distribution unpacked inside; `.ci/run` makes it. */
const ENVIRONMENT = process.env["ANCHOREVAL_TEST_EEE"] ?? "";
const PYTHON = join(ENVIRONMENT, "bin/python");
const installed = spawnSync(PYTHON, ["-c", "import every_eval_ever, pytest"]).status === 0;
const source = installed ? readdirSync(ENVIRONMENT).find((name) => name.startsWith("every_eval_ever-")) : undefined; // prettier-ignore

const eee = (cwd: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(PYTHON, ["-m", ...words], { cwd, encoding: "utf8" });

describe.skipIf(!installed)(
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

    test(
      "accepts what estimate writes, of one scenario and of several, without a warning",
      { timeout: 3 * MINUTE },
      async () => {
        const files = [
          await record("Org/all", anchors),
          await record("Org/family/alpha", anchors.filter(({ scenario }) => scenario === "alpha")), // prettier-ignore
        ];
        const { status, stdout } = validate();
        const reports = JSON.parse(stdout) as {
          file: string;
          valid: boolean;
          errors: unknown[];
          warnings: unknown[];
        }[];
        expect(reports.map(({ valid, errors, warnings }) => [valid, errors, warnings])).toEqual(
          files.map(() => [true, [], []]),
        );
        expect(status).toBe(0);
        // It would refuse a score beyond the bounds.
        const text = readFileSync(files[0]!, "utf8").replace(/"score": 0\.\d+/, '"score": 2');
        folder.write("data/sample/Org/all/00000000-0000-4000-8000-000000000000.json", text);
        expect(validate().status).toBe(1);
      },
    );
  },
);

describe.skipIf(source === undefined)(
  "records that Every Eval Ever's own tests write (skipped without its source distribution in ANCHOREVAL_TEST_EEE)",
  () => {
    const written = folder.path("written");
    const OPENEVAL = "test_include_instances_writes_valid_jsonl_sidecar";
    const BOUNTYBENCH = "test_published_records_validate";
    const CONVERSATION = "test_valid_multi_turn_passes";
    beforeAll(() => {
      const tests = [
        `tests/test_openeval_adapter.py::${OPENEVAL}`,
        `tests/test_bountybench_adapter.py::${BOUNTYBENCH}`,
        `tests/test_validate.py::TestInstanceLevelValidation::${CONVERSATION}`,
      ];
      const ran = eee(join(ENVIRONMENT, source!), "pytest", "-q", "--basetemp", written, ...tests);
      expect(ran.status, ran.stdout).toBe(0);
    }, 3 * MINUTE);

    /** The folder that pytest gave a test: the beginning of its name, and a number. */
    const folderOf = (name: string): string =>
      join(
        written,
        readdirSync(written).find((own) => /\d$/.test(own) && name.startsWith(own.replace(/\d+$/, "")))!,
      );
    const imported = (name: string): Promise<LogImport> =>
      importLogs(harnessNamed("eee"), [folderOf(name)], {
        metric: parseChoices("metric", []),
        filter: parseChoices("filter", []),
        onDuplicate: "newest",
        errors: "harness",
        allowMixed: false,
      });

    test.each([
      ["a run of a dataset", OPENEVAL, "google/gemma-2b-it", 2, 1],
      ["an agent's runs", BOUNTYBENCH, "openai/gpt-4o", 2, 1],
      ["a conversation, without an aggregate", CONVERSATION, "org/test-model", 1, 0],
    ])("%s: every score", async (_, name, model, items, compared) => {
      const { matrix, report } = await imported(name);
      expect(matrix.subjects).toEqual([model]);
      const lines = readdirSync(folderOf(name), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".jsonl"))
        .flatMap((file) =>
          readFileSync(join(folderOf(name), file), "utf8")
            .trim()
            .split("\n"),
        ) // prettier-ignore
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
