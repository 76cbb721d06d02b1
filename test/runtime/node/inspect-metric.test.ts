import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { estimateFromAnchors, loadAdaptive, loadBundle, localAdaptive } from "anchoreval";
import { contentHash, type BundleContent } from "anchoreval/bundle";
import { scoreValue } from "anchoreval/internal/logs/inspect/read-samples";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import {
  documentOf,
  hasModules,
  HARNESS_ENV,
  PYTHON,
  taskDocuments,
  writeLmEvalTasks,
} from "../../support/harness-tasks.ts";
import { loggedContent, taskOf, writeBundle } from "../../support/logged-bundle.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const MINUTE = 60_000;

interface Log {
  readonly status: string;
  readonly results: { readonly scores: readonly { readonly metrics: Readonly<Record<string, { value: number }>> }[] };
  readonly samples: readonly { readonly input: string; readonly scores: { readonly match: { value: string } } }[];
}

let runs = 0;
/** Inspect's own program, which logs into a folder of its own. */
function inspectAi(words: readonly string[], documents: string, env: Readonly<Record<string, string>> = {}): Run {
  const logs = folder.path(`logs-${++runs}`);
  mkdirSync(logs);
  const asked = join(logs, "asked.txt");
  const { stdout, stderr } = spawnSync(
    PYTHON,
    ["-m", "inspect_ai", ...words, "--log-dir", logs, "--display", "plain"],
    {
      cwd: folder.path(""),
      env: { ...HARNESS_ENV, DOCUMENTS: documents, ASKED: asked, INSPECT_LOG_FORMAT: "json", ...env },
      encoding: "utf8",
    },
  );
  const file = readdirSync(logs).find((name) => name.endsWith(".json"));
  return {
    said: stdout + stderr,
    file: join(logs, file ?? "none"),
    log: (file === undefined ? { status: "none" } : JSON.parse(readFileSync(join(logs, file), "utf8"))) as Log,
    asked: existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [],
  };
}

interface Run {
  readonly said: string;
  readonly file: string;
  readonly log: Log;
  readonly asked: string[];
}

/** Runs a task with the made-up model. */
function inspectEval(
  bundle: string,
  documents: string,
  {
    task = "alpha_anchored",
    more = [],
    env = {},
  }: { task?: string; more?: string[]; env?: Record<string, string> } = {},
): Run {
  const spec = `${join(ROOT, "test/support/inspect-quiz.py")}@${task}`;
  return inspectAi(["eval", spec, "-T", `bundle=${bundle}`, "--model", "mockllm/model", ...more], documents, env);
}

function inspectRetry(file: string, documents: string): Run {
  return inspectAi(["eval-retry", file], documents);
}

const here = hasModules("inspect_ai", "anchoreval");
describe.skipIf(!here)(
  "anchoreval.inspect (skipped without inspect_ai and anchoreval: ANCHOREVAL_TEST_PYTHON names an interpreter that has them)",
  () => {
    const byId = loggedContent({ harness: "inspect", metric: "match" });
    const withContent = (content: BundleContent): BundleContent => ({
      ...content,
      scenarios: content.scenarios.map((own) => ({
        ...own,
        anchors: own.anchors.map((anchor) => {
          const { question, choices, answer } = documentOf(taskOf(anchor), anchor.index) as {
            question: string;
            choices: string[];
            answer: number;
          };
          return { ...anchor, hash: contentHash({ input: question, choices, target: choices[answer]! }) };
        }),
      })),
    });
    const byContent = withContent(loggedContent({ harness: "other", metric: "match" }));
    const documents = writeLmEvalTasks(folder, "documents", taskDocuments(byId));
    const anchors = byId.scenarios.flatMap((own) => own.anchors).filter((anchor) => anchor.scenario === "alpha");

    /** The figures in Inspect's log are the SDK's for the logged scores. */
    async function expectEstimate(bundle: string, { log, said }: ReturnType<typeof inspectEval>): Promise<void> {
      expect(log.status, said).toBe("success");
      expect(said).not.toContain("sample:"); // no warning of ours, of the end or on the way
      const values = new Map<string, number[]>();
      for (const { input, scores } of log.samples)
        values.set(input, [...(values.get(input) ?? []), scores.match.value === "C" ? 1 : 0]);
      const answers = Object.fromEntries(
        anchors.map(({ item_id, index }) => {
          const own = values.get(`alpha, document ${index}?`)!;
          return [item_id, own.reduce((sum, value) => sum + value, 0) / own.length];
        }),
      );
      expect(new Set(Object.values(answers)).size).toBeGreaterThan(1);
      const estimate = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers, { form: "20" });
      const { score, interval } = estimate.scenarios["alpha"]!;
      const { metrics } = log.results.scores[0]!;
      expect(Object.keys(metrics)).toEqual(["anchored", "anchored_stderr", "anchored_low", "anchored_high"]);
      expect(metrics["anchored"]!.value).toBeCloseTo(score!, 9);
      expect(metrics["anchored_low"]!.value).toBeCloseTo(interval!.low, 9);
      expect(metrics["anchored_high"]!.value).toBeCloseTo(interval!.high, 9);
      expect(metrics["anchored_stderr"]!.value).toBeCloseTo(
        (interval!.high - interval!.low) / 2 / 1.959963984540054,
        9,
      );
    }

    test(
      "in the log, the score that estimate gives of the anchors among the samples",
      { timeout: 3 * MINUTE },
      async () => {
        const bundle = writeBundle(folder.path("by-id"), byId);
        const ended = inspectEval(bundle, documents, { more: ["--epochs", "2"] });
        await expectEstimate(bundle, ended);
        expect(ended.log.samples.length).toBeGreaterThan(2 * anchors.length);
      },
    );

    test(
      "samples found by their content, whatever their numbers, and no others asked",
      { timeout: 3 * MINUTE },
      async () => {
        const bundle = writeBundle(folder.path("by-content"), byContent);
        const ended = inspectEval(bundle, documents, { more: ["-T", "renumbered=true"] });
        await expectEstimate(bundle, ended);
        expect(ended.asked.sort()).toEqual(anchors.map(({ index }) => `alpha, document ${index}?`).sort());
      },
    );

    test("refuses samples of another content before any is asked", { timeout: 3 * MINUTE }, () => {
      const changed = new Map(
        [...taskDocuments(byId)].map(([task, own]) => [task, own.map((one) => ({ ...one, answer: 0 }))]),
      );
      const others = writeLmEvalTasks(folder, "others", changed);
      const ended = inspectEval(writeBundle(folder.path("changed"), byContent), others, {
        more: ["-T", "renumbered=true"],
      });
      expect(ended.said).toMatch(/\d+ of 20 anchors aren't in the dataset: .* \[item_changed\]/s);
      expect(ended.asked).toEqual([]);
    });

    test("too few answers, or samples that nothing names: no number, and the reason", { timeout: 3 * MINUTE }, () => {
      const few = inspectEval(writeBundle(folder.path("few"), byId), documents, { more: ["--limit", "4"] });
      expect(few.log.status).toBe("success");
      expect(few.log.results.scores[0]!.metrics).toEqual({});
      expect(few.said).toMatch(/WARNING +sample: alpha: 18 of 20 answers are/);
      const unnamed = inspectEval(writeBundle(folder.path("unnamed"), byContent), documents);
      expect(unnamed.log.status).toBe("success");
      expect(unnamed.said).toMatch(/WARNING +sample: no score: no sample is an/);
    });

    test(
      "adaptively: the items that the SDK draws, batch after batch, and its score",
      { timeout: 3 * MINUTE },
      async () => {
        const bundle = writeBundle(folder.path("adaptive"), byId);
        const items = byId.manifest.scenarios.find(({ id }) => id === "alpha")!.items;
        const whole = new Map([["alpha", Array.from({ length: items }, (_, id) => documentOf("alpha", id))]]);
        const all = writeLmEvalTasks(folder, "all", whole);
        const ended = inspectEval(bundle, all, { task: "alpha_adaptive" });
        expect(ended.log.status, ended.said).toBe("success");
        const scores = new Map(
          ended.log.samples.map(({ input, scores: { match } }) => [
            `alpha/${/document (\d+)/.exec(input)![1]!}`,
            match.value === "C" ? 1 : 0,
          ]),
        );
        const source = localAdaptive(await loadAdaptive(folderSource(bundle)), "1");
        let turn = await source.begin({ budget: 30, scenarios: ["alpha"], stop: { halfWidth: 0.01 } });
        const drawn: string[] = [];
        while (turn.state !== null) {
          const ids = turn.items.map(({ item_id }) => item_id);
          drawn.push(...ids);
          const responses = Object.fromEntries(ids.map((id) => [id, scores.get(id)!]));
          turn = await source.next(turn.state, { responses });
        }
        expect(drawn).toHaveLength(30);
        expect([...scores.keys()].sort()).toEqual(drawn.sort());
        expect(ended.asked).toHaveLength(30);
        const { metrics } = ended.log.results.scores[0]!;
        expect(metrics["adaptive"]!.value).toBeCloseTo(turn.model!.score!, 9);
        expect(metrics["adaptive_low"]!.value).toBeCloseTo(turn.model!.interval!.low, 9);
        expect(metrics["adaptive_high"]!.value).toBeCloseTo(turn.model!.interval!.high, 9);
        expect(metrics["adaptive_items"]!.value).toBe(30);
      },
    );

    test("adaptively: a retry takes up the samples that were answered", { timeout: 4 * MINUTE }, () => {
      const bundle = folder.path("adaptive");
      const whole = inspectEval(bundle, folder.path("all"), { task: "alpha_adaptive" });
      const single = ["--max-samples", "1", "--log-buffer", "1"];
      const more = { task: "alpha_adaptive", more: single };
      const broken = inspectEval(bundle, folder.path("all"), { ...more, env: { BREAK: whole.asked[14]! } });
      expect(broken.log.status).toBe("error");
      const { log, asked } = inspectRetry(broken.file, folder.path("all"));
      expect(log.status).toBe("success");
      expect(asked.length).toBeLessThan(20); // of 30
      expect(log.results.scores[0]!.metrics).toEqual(whole.log.results.scores[0]!.metrics);
    });

    test("a value is a score in Python where it is one in JavaScript", () => {
      const values = [
        "C",
        "P",
        "I",
        "N",
        "c",
        "correct",
        "Yes",
        " no ",
        "true",
        "0.5",
        "1e-1",
        "50%",
        "1,5",
        "1_0",
        "",
        "nan",
        1,
        0.25,
        true,
      ];
      const program = [
        "import json, math, sys",
        "from anchoreval.inspect import _to_float",
        "read = [_to_float(value) for value in json.load(sys.stdin)]",
        "print(json.dumps([None if math.isnan(value) else value for value in read]))",
      ].join("\n");
      const { stdout } = spawnSync(PYTHON, ["-c", program], {
        env: HARNESS_ENV,
        input: JSON.stringify(values),
        encoding: "utf8",
      });
      const read = values.map((value) => scoreValue(value)).map((value) => (typeof value === "number" ? value : null));
      expect(JSON.parse(stdout)).toEqual(read);
      expect(read.filter((value) => value === null)).toHaveLength(8);
    });

    test("adaptively: refuses a dataset that lacks an item of the bundle", { timeout: 3 * MINUTE }, () => {
      const ended = inspectEval(writeBundle(folder.path("lacking"), byId), documents, { task: "alpha_adaptive" });
      expect(ended.said).toMatch(/\d+ of \d+ items aren't in the dataset: alpha/);
      expect(ended.asked).toEqual([]);
    });
  },
);
