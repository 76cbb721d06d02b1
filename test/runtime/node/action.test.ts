import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { checkFromAnchors } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { loadBundle } from "anchoreval/node";
import { beforeAll, describe, expect, test } from "vitest";
import { action, ActionRunner, type JobResult, workflow } from "../../support/action-runner.ts";
import { askAll, type Chances, fallen, servedModel, writeSamples } from "../../support/served-model.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const { steps } = workflow.jobs.evaluate;
const gate = steps.find(({ uses }) => uses?.startsWith("OWNER/anchoreval@"))!;
const inputs = gate.with!;
const baselines = String(inputs["baseline"]).trim().split("\n");
const bundle = await loadBundle(String(inputs["bundle"]), { items: true });
const random = createRandom("nights of a server");
const released = servedModel(bundle, "gsm8k", random);
const answersOf = (scores: readonly number[]) => Object.fromEntries(scores.map((score, k) => [`gsm8k/${k}`, score]));

test("the workflow pins what it uses, and gives the action no input that it doesn't have", () => {
  expect(workflow.on.schedule[0]!.cron).toMatch(/^\d+ \d+ \* \* \*$/);
  for (const { uses } of [...steps, ...action.runs.steps])
    if (uses !== undefined) expect(uses).toMatch(/^(actions\/[a-z-]+@v\d+|OWNER\/anchoreval@main)$/);
  for (const name of Object.keys(inputs)) expect(action.inputs).toHaveProperty(name);
  for (const [name, { required }] of Object.entries(action.inputs)) if (required) expect(inputs).toHaveProperty(name);
});

// The program is packed from this checkout and installed as the steps do it, offline.
const folder = tempFolder();
const path = folder.path("bin");
const runner = new ActionRunner(folder.path(""), {
  PATH: `${path}:${process.env["PATH"]!}`,
  npm_config_offline: "true",
});
const lmEval = folder.write("bin/lm_eval", "#!/bin/sh\nset -e\n[ $4 = gsm8k ] || exit 9\n");

/** The job of the example, the server having that model. */
async function night(chances: Chances): Promise<JobResult> {
  rmSync(folder.path("logs"), { recursive: true, force: true });
  writeSamples(folder.path("logs/served"), "gsm8k", askAll(chances, random));
  return runner.steps(steps);
}

beforeAll(() => {
  chmodSync(lmEval, 0o755);
  for (const file of baselines) folder.write(file, JSON.stringify({ responses: answersOf(askAll(released, random)) }));
});

describe("examples/ci/github-actions.yml, by action.yml", () => {
  test("goes on where nothing changed, and keeps the answers, which are a baseline then", async () => {
    const { code, out, summary, outputs } = await night(released);
    expect([code, out]).toEqual([0, expect.stringMatching(/(passed|can't tell): .*1319 of 1319 items/s)]);
    expect(summary).toMatch(/^### gsm8k 1\.0\.0: (passed|can't tell)/);
    expect(outputs["gate"]).toMatchObject({ "exit-code": expect.stringMatching(/^[04]$/) as string, verdict: expect.stringMatching(/^(passed|undecided)$/) as string }); // prettier-ignore
    const { responses } = JSON.parse(readFileSync(folder.path("answers.json"), "utf8")) as { responses: object };
    expect(Object.keys(responses)).toHaveLength(1319);
    expect(readFileSync(folder.path("junit.xml"), "utf8")).toContain("a drop of at most 1.0 points");
  });

  test("finds a drop of 4 points, and says how large it is; the program comes from the cache", async () => {
    expect(existsSync(folder.path("anchoreval-packed"))).toBe(true);
    const { code, out, summary, outputs } = await night(fallen(released, 0.04));
    const { drop, interval, ...rest } = outputs["gate"]!;
    expect([code, rest]).toEqual([3, { "exit-code": "3", verdict: "regressed" }]);
    const [low, high] = JSON.parse(interval!) as [number, number];
    expect(low).toBeGreaterThan(1);
    expect([Number(drop) > low, Number(drop) < high]).toEqual([true, true]);
    expect(out).toContain(`::error::GSM8K fell by ${drop!} points, surely within ${interval!}`);
    expect(out).not.toContain("npm notice");
    expect(summary).toMatch(/regressed/);
  });
});

describe("action.yml", () => {
  const bundled = { bundle: "gsm8k@1.0.0", responses: "tonight.json" };
  const answered = (name: string, chances: Chances): string =>
    folder.write(name, JSON.stringify(answersOf(askAll(chances, random))));
  beforeAll(() => void answered("tonight.json", released));

  test("saves a first run, where there is nothing to check", async () => {
    const { code, outputs } = await runner.action({ ...bundled, save: "first.json" });
    expect([code, outputs["check"]]).toEqual([0, { "exit-code": "0" }]);
    expect(outputs["version"]!["digest"]).toMatch(/^[0-9a-f]{64}$/);
    expect(existsSync(folder.path("first.json"))).toBe(true);
  });

  test("warns, and passes, where nobody can tell; or fails where that is asked for", async () => {
    const asked = { ...bundled, baseline: baselines[0]!, "max-drop": "0.1pt" };
    const { code, out } = await runner.action(asked);
    expect([code, out]).toEqual([0, expect.stringContaining("::warning::can't tell")]);
    expect(await runner.action({ ...asked, undecided: "fail" })).toMatchObject({ code: 4 });
  });

  test("adds a night to a history, by its name", async () => {
    const asked = { ...bundled, baseline: baselines.join("\n"), history: "nights.jsonl", night: "of 3 May" };
    await runner.action(asked);
    expect((await runner.action(asked)).outputs["check"]).toMatchObject({ verdict: "undecided" });
    const lines = readFileSync(folder.path("nights.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { night: string }).night)).toEqual(["of 3 May"]);
  });

  test("says why where the answers are broken", async () => {
    folder.write("broken.json", '{ "nowhere": 1 }');
    const { code, out, summary, outputs } = await runner.action({
      ...bundled,
      responses: "broken.json",
      "min-score": 50,
    });
    expect([code, outputs["check"]]).toEqual([2, { "exit-code": "2" }]);
    expect(summary).toContain("anchoreval check: no result");
    expect(out).toContain("[invalid_answers]");
  });

  test("installs a packed program that is named, without another", async () => {
    const { code, out } = await runner.action({ ...bundled, package: "nowhere.tgz", "min-score": 50 });
    expect(code).not.toBe(0);
    expect(out).toContain("nowhere.tgz");
  });
});

test("a drop of 4 points on the 20th of 30 nights is found within 3, and no more than one night before it is an alarm", () => {
  const rule = { maxDrop: Number(inputs["max-drop"]) / 100, form: "100" };
  for (const server of ["one", "another", "a third", "a fourth"]) {
    const stream = createRandom(server);
    const before = servedModel(bundle, "gsm8k", stream);
    const after = fallen(before, 0.04);
    const runOf = (chances: Chances) => ({ responses: answersOf(askAll(chances, stream)) });
    const options = { ...rule, baselines: baselines.map(() => runOf(before)) };
    const alarms = Array.from({ length: 30 }, (_, night) => night).filter(
      (night) => checkFromAnchors(bundle, runOf(night < 19 ? before : after), options).verdict === "regressed",
    );
    expect(alarms.filter((night) => night < 19).length).toBeLessThanOrEqual(1);
    expect(alarms.filter((night) => night >= 19)[0]).toBeLessThan(22);
  }
});
