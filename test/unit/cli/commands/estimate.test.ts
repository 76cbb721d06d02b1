import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Estimate, estimateFromAnchors } from "anchoreval";
import type { AnchorRecord } from "anchoreval/bundle";
import { folderSource, loadBundle } from "anchoreval/node";
import { describe, expect, it } from "vitest";
import { type LoggedRun, writeLogs } from "../../../support/lm-eval-logs.ts";
import { documentOf, loggedContent, taskOf, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { SAMPLE_UNASKED } from "../../../support/sample-bundle.ts";
import { ROOT } from "../../../support/source-imports.js";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
const score = (anchor: AnchorRecord): number => (anchor.index % 3 === 0 ? 0 : 1);

/** A run on the anchors of a form, as the harness logs it. */
function run(form: string, more: Partial<LoggedRun> = {}): LoggedRun {
  const tasks: Record<string, { documents: ReturnType<typeof documentOf>[] }> = {};
  for (const anchor of anchors.filter(({ forms }) => forms.includes(form))) {
    const task = (tasks[taskOf(anchor)] ??= { documents: [] });
    task.documents.push(documentOf(taskOf(anchor), anchor.index, score(anchor)));
  }
  return { model: "Org/m", date: "2026-03-01T00-00-00.000001", tasks, ...more };
}

function answers(form: string): Record<string, number> {
  return Object.fromEntries(anchors.filter(({ forms }) => forms.includes(form)).map((a) => [a.item_id, score(a)]));
}

const estimate = ["estimate", "--bundle", bundle];

describe("estimate --responses", () => {
  const file = folder.write("answers.json", JSON.stringify(answers("20")));

  it("is the SDK's estimate, as JSON", async () => {
    const { code, out } = await runCommand(...estimate, "--responses", file, "--json", "--level", "0.9");
    expect(code).toBe(0);
    const expected = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers("20"), { level: 0.9 });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("is a table in points for people, with one sentence on what the interval means", async () => {
    const { out, err } = await runCommand(...estimate, "--responses", file);
    const { score: overall, interval } = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers("20"));
    const text = (value: number): string => (100 * value).toFixed(1);
    expect(out.split("\n")[0]).toBe("sample 1.0.0, form 20: 40 of 40 items answered");
    expect(out).toContain("95 % interval");
    expect(out).toMatch(
      new RegExp(`overall +${text(overall!)} +${text(interval!.low)} to ${text(interval!.high)} +40 of 40`),
    );
    expect(out).toMatch(/alpha .* (like the models seen|near the \w+ seen|\w+ than any seen)/);
    expect(out).toContain("not sampling noise, other prompts or other items");
    expect(out).not.toContain("λ");
    expect(err).toBe("");
  });

  it("marks a scenario that wasn't asked and is predicted, and the overall score that counts it", async () => {
    const manifest = { ...content.manifest, unasked: SAMPLE_UNASKED };
    const predicting = writeBundle(folder.path("predicting"), { ...content, manifest });
    const alpha = Object.fromEntries(Object.entries(answers("20")).filter(([id]) => id.startsWith("alpha")));
    const some = folder.write("alpha.json", JSON.stringify(alpha));
    const { out } = await runCommand("estimate", "--bundle", predicting, "--responses", some, "--form", "20");
    expect(out).toMatch(/overall +\d+\.\d +\d+\.\d to \d+\.\d +20 of 40 +partly predicted/);
    expect(out).toMatch(/beta\/γ +\d+\.\d +\d+\.\d to \d+\.\d +0 of 20 +predicted, not asked/);
    expect(out).toContain("warning: beta/γ: not asked; predicted from the other scenarios' scores");
  });

  it("shows abilities and every estimator with --verbose", async () => {
    const { out } = await runCommand(...estimate, "--responses", file, "--verbose");
    for (const word of ["θ", "λ", "anchor-mean", "p-irt", "gp-irt", "p-irt-dr", "(the score)"])
      expect(out).toContain(word);
  });

  it("names what is wrong, exit code 2", async () => {
    const cases: [string[], string][] = [
      [["--responses", folder.write("bad.json", '{"nope": 1}')], "invalid_answers"],
      [["--responses", folder.path("none.json")], "not_found"],
      [["--responses", file, "--form", "99"], "unknown_form"],
      [["--responses", file, "--level", "2"], "invalid_option"],
      [["--responses", file, "--level", "0"], "invalid_option"],
      [["--responses", file, "extra"], "invalid_option"],
      [["--responses", file, "--from", "lm-eval"], "invalid_data"],
      [["--from", "lm-eval"], "invalid_option"],
      [["--from", "nowhere", bundle], "invalid_option"],
      [[], "invalid_option"],
    ];
    for (const [more, code] of cases) {
      const result = await runCommand(...estimate, ...more);
      expect({ more, code: result.code, out: result.out }).toEqual({ more, code: 2, out: "" });
      expect(result.err).toContain(`[${code}]`);
    }
    const missing = await runCommand("estimate", "--bundle", folder.path("nothing"), "--responses", file);
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.err).toContain("no bundle is there");
  });
});

describe("estimate of answers to more than a form", () => {
  const whole = {
    ...answers("20"),
    ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`other/${i}`, i % 2])),
  };

  it("counts those of the form, and the rest in a warning and in --json", async () => {
    const file = folder.write("whole.json", JSON.stringify(whole));
    const { code, out, err } = await runCommand(...estimate, "--responses", file, "--json");
    const expected = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers("20"), { form: "20" });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const message = '300 answers are to no item of the bundle ("other/0", "other/1", "other/2", …): they don\'t count; are ids misspelt?'; // prettier-ignore
    const warnings = [{ code: "unknown_items", count: 300, message }, ...expected.warnings];
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify({ ...expected, ignored: 300, warnings })));
    const table = folder.write("whole.csv", `id;acc\n${Object.entries(whole).map(([id, one]) => `${id};${one === 1 ? "True" : "False"}\n`).join("")}`); // prettier-ignore
    expect((await runCommand(...estimate, "--responses", table, "--json")).out).toBe(out);
    const smaller = await runCommand(...estimate, "--responses", file, "--json", "--form", "8");
    expect(JSON.parse(smaller.out)).toMatchObject({ form: "8", answered: 16, ignored: 324 });
  });

  it("warns where a form isn't answered whole, as ids may be misspelt", async () => {
    const misspelt = Object.fromEntries(
      Object.entries(answers("20")).map(([id, one], i) => [i === 0 ? `${id}x` : id, one]),
    );
    const file = folder.write("misspelt.json", JSON.stringify(misspelt));
    const { out } = await runCommand(...estimate, "--responses", file, "--json", "--form", "20");
    const { warnings } = JSON.parse(out) as Estimate;
    expect(warnings.map(({ code }) => code)).toEqual(["unknown_items", "missing_answers"]);
    expect(warnings[0]!.message).toBe(
      `1 answer is to no item of the bundle ("${Object.keys(misspelt)[0]!}"): it doesn't count; is the id misspelt?`,
    );
    expect((await runCommand(...estimate, "--responses", file)).out).toContain("is the id misspelt?");
  });

  it("refuses answers of which hardly any is to the form, and names both", async () => {
    const one = Object.entries(answers("20"))[0]!;
    const few = {
      ...Object.fromEntries([one]),
      ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}`, 1])),
    };
    for (const [content, words] of [
      [{ "0": 1, "1": 0 }, "none of the 2 answers is to one of the anchors of form"],
      [few, 'only 1 of the 51 answers is to one of the anchors of form 20, which are called "alpha/'],
    ] as const) {
      const file = folder.write("few.json", JSON.stringify(content));
      const { code, out, err } = await runCommand(...estimate, "--responses", file);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("[invalid_answers]");
      expect(err).toContain(words);
      expect(err).toContain('among the answers are "0", "1"');
    }
  });

  it("is compared and checked by its form, and saved as it is", async () => {
    const file = folder.write("whole.json", JSON.stringify(whole));
    const own = folder.write("own.json", JSON.stringify(answers("20")));
    const { out } = await runCommand("compare", "--bundle", bundle, "--a", file, "--b", own, "--json");
    expect(JSON.parse(out)).toMatchObject({ form: "20", answered: 40, difference: 0, ignored: 300 });
    const saved = folder.path("saved.json");
    const checked = await runCommand("check", "--bundle", bundle, "--responses", file, "--baseline", own, "--save", saved, "--json"); // prettier-ignore
    expect(JSON.parse(checked.out)).toMatchObject({ form: "20", answered: 40, ignored: 300 });
    expect(Object.keys((JSON.parse(readFileSync(saved, "utf8")) as { responses: object }).responses)).toHaveLength(340);
  });
});

describe("estimate --from lm-eval", () => {
  it("of a log of only the anchors is the estimate from the same answers", async () => {
    const logs = writeLogs(folder.path("anchors-only"), run("20"));
    const { code, out, err } = await runCommand(...estimate, "--from", "lm-eval", logs, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const expected = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers("20"));
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("finds the form that the log fills; a scenario whose items are all in it is exact", async () => {
    const small = writeLogs(folder.path("small"), run("8"));
    expect(
      (JSON.parse((await runCommand(...estimate, "--from", "lm-eval", small, "--json")).out) as Estimate).form,
    ).toBe("8");
    const more = run("20");
    const full: LoggedRun = {
      ...more,
      tasks: {
        ...more.tasks,
        alpha: { documents: Array.from({ length: 40 }, (_, id) => documentOf("alpha", id, id % 3 === 0 ? 0 : 1)) },
        other: { documents: [documentOf("other", 0, 1)] },
      },
    };
    const logs = writeLogs(folder.path("full"), full);
    const { out, err } = await runCommand(...estimate, "--from", "lm-eval", logs, "--json");
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      form: "20",
      answered: 60,
      of: 60,
      warnings: expect.arrayContaining([
        { code: "log_remark", message: "the bundle has no item of other: ignored" },
      ]) as unknown,
      scenarios: { alpha: { score: expect.closeTo(26 / 40, 12) as number, exact: true, answered: 40 } },
    });
    const forced = await runCommand(...estimate, "--from", "lm-eval", logs, "--json", "--form", "8", "--quiet");
    expect(JSON.parse(forced.out)).toMatchObject({ form: "8", answered: 48, ignored: 12 });
    expect(forced.err).toBe("");
  });

  it("sends content hashes: a changed item is an error, or dropped", async () => {
    const changed = run("20");
    const [first, ...rest] = changed.tasks.alpha!.documents;
    const logs = writeLogs(folder.path("changed"), {
      ...changed,
      tasks: { ...changed.tasks, alpha: { documents: [{ ...first!, question: "another question?" }, ...rest] } },
    });
    const refused = await runCommand(...estimate, "--from", "lm-eval", logs);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`[item_changed]`);
    expect(refused.err).toContain(`alpha/${first!.id}`);
    const dropped = await runCommand(...estimate, "--from", "lm-eval", logs, "--json", "--drop-changed");
    expect(JSON.parse(dropped.out)).toMatchObject({
      answered: 39,
      of: 40,
      warnings: [{ code: "changed_items_dropped" }, {}],
    });
  });

  it("remarks a protocol other than the bundle's, older runs, and items without an answer", async () => {
    const out = folder.path("remarks");
    const tasks = run("20").tasks;
    // An older run, which has alpha from its third document on.
    writeLogs(out, { ...run("20"), tasks: { ...tasks, alpha: { documents: tasks.alpha!.documents.slice(3) } } });
    const logs = writeLogs(out, {
      ...run("20"),
      date: "2026-04-01T00-00-00.000001",
      shots: 5,
      tasks: {
        ...tasks,
        alpha: {
          documents: tasks.alpha!.documents.map((d, i) =>
            i === 0 ? { ...d, empty: true } : i === 1 ? { ...d, score: null } : d,
          ),
        },
      },
    });
    const { code, out: printed } = await runCommand(...estimate, "--from", "lm-eval", logs);
    expect(code).toBe(0);
    expect(printed).toContain("warning: alpha and 2 more: few-shot examples: 5 in this run, 0 in those of the models");
    const { out: json } = await runCommand(...estimate, "--from", "lm-eval", logs, "--json");
    const { warnings } = JSON.parse(json) as Estimate;
    expect(warnings.filter(({ code }) => code !== "missing_answers")).toEqual([
      {
        code: "run_choice",
        message: "alpha and 2 more: its runs were not made alike: few-shot examples 5, in another 0",
      },
      {
        code: "run_choice",
        message: `alpha (${logs}/samples_alpha_2026-04-01T00-00-00.000001.jsonl) and 2 more: this run counts, of 2`,
      },
      expect.objectContaining({ code: "other_protocol" }),
      expect.objectContaining({
        code: "failed_answers",
        message:
          'of 40 answers, 1 failed ("an empty answer" once) and 1 has no score: they count by the score that the harness gave, else as missing (--errors missing or wrong says else)',
      }),
    ]);
    const missing = await runCommand(...estimate, "--from", "lm-eval", logs, "--json", "--errors", "missing");
    expect((JSON.parse(missing.out) as Estimate).answered).toBe(38);
    const wrong = await runCommand(...estimate, "--from", "lm-eval", logs, "--json", "--errors", "wrong");
    expect((JSON.parse(wrong.out) as Estimate).answered).toBe(40);
  });

  it("scores by the metric that the bundle was fitted on, where the log has several", async () => {
    const logs = writeLogs(folder.path("two-metrics"), run("8"));
    for (const name of readdirSync(logs).filter((file) => file.startsWith("samples_"))) {
      const lines = readFileSync(join(logs, name), "utf8");
      writeFileSync(
        join(logs, name),
        lines.replaceAll('"metrics":["acc"]', '"metrics":["acc","acc_norm"],"acc_norm":0'),
      );
    }
    const fitted = await runCommand(...estimate, "--from", "lm-eval", logs, "--json");
    expect(fitted.err).toBe("");
    expect((JSON.parse(fitted.out) as Estimate).score).toBeGreaterThan(0.4);
    const other = await runCommand(...estimate, "--from", "lm-eval", logs, "--json", "--metric", "acc_norm");
    expect((JSON.parse(other.out) as Estimate).score).toBeLessThan(0.4);
    expect((JSON.parse(other.out) as Estimate).warnings.at(-1)!.message).toContain(
      "metric: acc_norm in this run, acc in those",
    );
  });

  it("gives no overall score where a limit left a scenario a few of its anchors", async () => {
    const whole = run("20");
    const tasks = { ...whole.tasks, alpha: { documents: whole.tasks["alpha"]!.documents.slice(0, 3), all: 40 } };
    const logs = writeLogs(folder.path("limited"), { ...whole, tasks });
    const { out } = await runCommand(...estimate, "--from", "lm-eval", logs, "--form", "20");
    expect(out).toMatch(/overall +– +none +23 of 40/);
    expect(out).toContain("overall: alpha rests on 3 of 20 anchors");
    expect(out).toMatch(/beta\/γ +\d+\.\d +\d+\.\d to \d+\.\d +20 of 20/);
  });

  it("refuses logs of several models, and logs without any anchor", async () => {
    const out = folder.path("several");
    writeLogs(out, run("8"));
    writeLogs(out, run("8", { model: "Org/n" }));
    expect((await runCommand(...estimate, "--from", "lm-eval", out)).err).toContain(
      "the logs of 2 models: Org/m, Org/n",
    );
    const logs = writeLogs(folder.path("foreign"), {
      ...run("8"),
      tasks: { other: { documents: [documentOf("other", 0, 1)] } },
    });
    const { code, err } = await runCommand(...estimate, "--from", "lm-eval", logs);
    expect(code).toBe(2);
    expect(err).toContain("no anchor of this bundle is in these logs; its anchors are of the tasks alpha, beta_");
  });
});

describe("estimate --from lm-eval of a bundle whose ids are a field of the documents (mmlu-pro)", () => {
  const pro = (name: string, numberOf: (id: string, task: string) => unknown): string => {
    const asked = proAnchors.filter(({ forms }) => forms.includes("50"));
    const tasks: Record<string, { documents: ReturnType<typeof documentOf>[] }> = {};
    const ids = new Map<string, string>();
    // Numbered from 0 as they come: the harness's numbers are no help.
    for (const anchor of asked) {
      const documents = (tasks[anchor.task!] ??= { documents: [] }).documents;
      ids.set(`${anchor.task!}/${documents.length}`, anchor.item_id);
      documents.push(documentOf(anchor.task!, documents.length, score(anchor)));
    }
    const logs = writeLogs(folder.path(name), { ...run("20"), tasks, metric: "exact_match", filter: "custom-extract" });
    for (const file of readdirSync(logs).filter((own) => own.startsWith("samples_"))) {
      const task = /^samples_(.+)_2026/.exec(file)![1]!;
      const lines = readFileSync(join(logs, file), "utf8").trim().split("\n");
      const named = lines.map((line) => {
        const value = JSON.parse(line) as { doc_id: number; doc: object };
        return { ...value, doc: { ...value.doc, question_id: numberOf(ids.get(`${task}/${value.doc_id}`)!, task) } };
      });
      writeFileSync(join(logs, file), named.map((line) => `${JSON.stringify(line)}\n`).join(""));
    }
    return logs;
  };
  const proAnchors = readFileSync(join(ROOT, "bundles/mmlu-pro/1.0.0/anchors.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AnchorRecord);
  const logs = pro("pro", Number);
  const command = ["estimate", "--bundle", "mmlu-pro", "--from", "lm-eval"];
  const own = Object.fromEntries(proAnchors.filter(({ forms }) => forms.includes("50")).map((a) => [a.item_id, score(a)])); // prettier-ignore

  it("finds the anchors by that field, without a file of items", async () => {
    const { code, out, err } = await runCommand(...command, logs, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { warnings, ...expected } = estimateFromAnchors(await loadBundle("mmlu-pro"), own, { form: "50" });
    const { warnings: told, ...estimate } = JSON.parse(out) as Estimate;
    expect(estimate).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(told.filter((own) => !own.message.includes("in those of the models that"))).toEqual(warnings);
  });

  it("compares and checks by it, too", async () => {
    const data = ["--bundle", "mmlu-pro", "--from", "lm-eval", "--form", "50", "--json"];
    const compared = await runCommand("compare", ...data, "--a", logs, "--b", pro("text", String));
    expect(JSON.parse(compared.out)).toMatchObject({ answered: 50, difference: 0 });
    const checked = await runCommand("check", ...data, "--responses", logs, "--baseline", folder.write("own.json", JSON.stringify(own))); // prettier-ignore
    expect(JSON.parse(checked.out)).toMatchObject({ answered: 50, drop: { drop: 0 } });
  });

  it("refuses documents without the field, and two of the same value", async () => {
    const without = await runCommand(...command, pro("without", () => undefined)); // prettier-ignore
    expect(without.err).toContain("line 1: the document has no question_id, which names the bundle's items: give --items, a file"); // prettier-ignore
    expect(without.code).toBe(2);
    const twice = await runCommand(
      ...command,
      pro("twice", (_, task) => task),
    );
    expect(twice.err).toMatch(/line 2: question_id \w+ is there twice, first in line 1/);
    expect(twice.code).toBe(2);
  });

  it("says where the anchors are to be found, where logs have none", async () => {
    const none = writeLogs(folder.path("none"), { ...run("8"), tasks: { gsm8k: { documents: [documentOf("gsm8k", 0, 1)] } } }); // prettier-ignore
    expect((await runCommand(...command, none)).err).toMatch(
      /its anchors are of the tasks mmlu_pro_\w+, .*, …, and named by the field question_id of lm-evaluation-harness's documents/,
    );
    const place = writeBundle(folder.path("source"), loggedContent({ ids: "source" }));
    const source = await runCommand("estimate", "--bundle", place, "--from", "lm-eval", none);
    expect(source.err).toContain("their ids are the source's own, and it isn't known which documents they are");
  });
});
