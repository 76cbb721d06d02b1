import { estimateFromAnchors, loadBundle, type Bundle, type EstimateOptions, type Responses } from "anchoreval";
import { encodeBundle, formItemIds } from "anchoreval/bundle";
import { estimate } from "anchoreval/internal/features/sdk-estimate";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, refusal, type Refusal } from "../../support/refusal.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleContent } from "../../support/sample-bundle.ts";
import { withManifest } from "../../support/tamper.ts";

const hashOf = (item: number): string => item.toString(16).padStart(64, "0");

/** The sample bundle, its anchors with content hashes. */
const content = sampleContent();
const files = encodeBundle({
  ...content,
  scenarios: content.scenarios.map((scenario, s) => ({
    ...scenario,
    // One anchor of "alpha" has no hash: not every harness gives one.
    anchors: scenario.anchors.map((anchor, k) =>
      s === 0 && k === 3 ? anchor : { ...anchor, hash: hashOf(anchor.index) },
    ),
  })),
});
const bundle = await loadBundle(memorySource(files));
const answers = sampleAnswers("20");
const [someId, otherId] = Object.keys(answers) as [string, string];
const formOf = (id: string): { digest: string } => bundle.manifest.forms.find((form) => form.id === id)!;
const ids = (form: string, of: Bundle = bundle): string[] =>
  [...of.scenarios.values()].flatMap((scenario) => formItemIds(scenario, form));

/** The answers without one. */
const except = (id: string): Record<string, number> =>
  Object.fromEntries(Object.entries(answers).filter(([other]) => other !== id));

const refused = (responses: unknown, options?: EstimateOptions): Refusal =>
  refusal(() => estimateFromAnchors(bundle, responses as Responses, options));

test("the untouched answers are scored", () => {
  expect(estimateFromAnchors(bundle, answers)).toMatchObject({ form: "20", answered: 40, of: 40 });
});

describe("a score that is none", () => {
  test.each<[unknown, string, string]>([
    [NaN, "not_a_number", "got NaN; null means no answer"],
    [-0.001, "out_of_range", "got -0.001"],
    [1.001, "out_of_range", "got 1.001"],
    [100, "out_of_range", "got 100"],
    [Infinity, "out_of_range", "got Infinity"],
    [-Infinity, "out_of_range", "got -Infinity"],
    ["1", "invalid_type", "got string"],
    [1 + 2e-9, "out_of_range", "got 1.000000002"],
    [undefined, "invalid_type", "got undefined"],
    [{}, "invalid_type", "got object"],
    [[1], "invalid_type", "got object"],
    [1n, "invalid_type", "got bigint"],
  ])("%s", (score, code, fragment) => {
    const error = refused({ ...answers, [someId]: score });
    expectRefusal(error, "invalid_answers", fragment);
    expect(error.issues).toEqual([
      { path: ["responses", someId], code, message: expect.stringContaining(fragment) as string },
    ]);
  });

  test("every bad answer is listed, not the first alone", () => {
    const error = refused({ ...answers, [someId]: 2, [otherId]: NaN });
    expectRefusal(error, "invalid_answers", "2 answers cannot be scored");
    expect(error.issues.map(({ path, code }) => [path[1], code])).toEqual([
      [someId, "out_of_range"],
      [otherId, "not_a_number"],
    ]);
  });

  test.each([
    [1.0000000000000002, 1],
    [-1e-17, 0],
    [0.9999999999999999, 1],
    [true, 1],
    [false, 0],
  ])("%s is %d, alone and as a trial", (score, bound) => {
    const noisy = { ...answers, [someId]: score } as Record<string, number>;
    expect(estimateFromAnchors(bundle, noisy)).toEqual(estimateFromAnchors(bundle, { ...answers, [someId]: bound }));
    const trials = (one: number): unknown => estimate(bundle, { ...answers, [someId]: [one, 1, null] });
    expect(trials(score as number)).toEqual(trials(bound));
  });

  test("true and false are 1 and 0", () => {
    const truths = Object.fromEntries(Object.entries(answers).map(([id, score]) => [id, score === 1]));
    for (const responses of [truths, new Map(Object.entries(truths))])
      expect(estimateFromAnchors(bundle, responses)).toEqual(estimateFromAnchors(bundle, answers));
  });

  test("−0 and the ends of [0,1] are scores", () => {
    const ends = Object.fromEntries(Object.keys(answers).map((id, i) => [id, [-0, 0, 1][i % 3]!]));
    expect(estimateFromAnchors(bundle, ends).score).toBeGreaterThan(0);
  });
});

describe("an item that isn't asked", () => {
  test.each(["nobody/1", "", "alpha", "__proto__", "constructor", "alpha/39 "])("unknown: %j", (id) => {
    const entries = new Map([...Object.entries(answers), [id, 1]]);
    const error = refused(entries);
    expectRefusal(error, "invalid_answers", "is no anchor of this bundle");
    expect(error.issues[0]).toMatchObject({ path: ["responses", id], code: "unknown_item" });
  });

  test("an own key __proto__, as JSON.parse makes it, is an unknown item and not lost", () => {
    expectRefusal(refused(JSON.parse(`{"__proto__":1,"${someId}":1}`)), "invalid_answers", "__proto__ is no anchor");
  });

  test("white space about an id is seen", () => {
    expect(refused({ ...answers, [`${someId}\t`]: 1 }).issues[0]!.message).toBe(
      `"${someId}\\t" is no anchor of this bundle`,
    );
  });

  test("an item of the benchmark that is no anchor", () => {
    const asked = new Set(ids("20"));
    const idle = Array.from({ length: 40 }, (_, i) => `alpha/${i}`).find((id) => !asked.has(id))!;
    expectRefusal(
      refused({ ...answers, [idle]: 1 }),
      "invalid_answers",
      `${idle} is no anchor of this bundle; leave out other items`,
    );
  });

  test("an anchor of another form than the one that is named doesn't count, and is named", () => {
    const { warnings, ...read } = estimateFromAnchors(bundle, answers, { form: "8" });
    expect(read).toMatchObject({ form: "8", answered: 16, of: 16 });
    expect(warnings).toContainEqual({
      code: "other_items",
      count: 24,
      message: "24 answers are to items of the bundle that aren't anchors of form 8: they don't count yet.",
    });
  });

  test("an id that is no text could stand twice", () => {
    expectRefusal(
      refused(
        new Map<unknown, number>([
          [7, 1],
          ["7", 0],
        ]),
      ),
      "invalid_answers",
      "an item id must be text, got number",
    );
  });
});

describe("no answers at all", () => {
  test.each<[string, unknown]>([
    ["an empty object", {}],
    ["an empty Map", new Map()],
    ["nulls only", Object.fromEntries(Object.keys(answers).map((id) => [id, null]))],
  ])("%s", (_, responses) => {
    expectRefusal(refused(responses), "invalid_answers", "there are no answers to estimate from");
  });

  test.each([null, undefined, 7, "alpha/1", true])("%s is no object of answers", (responses) => {
    expectRefusal(refused(responses), "invalid_answers", "an object of item id → score");
  });
});

describe("the form", () => {
  test("that isn't there is named, with those that are", () => {
    expectRefusal(refused(answers, { form: "50" }), "unknown_form", "no form 50: it has 8, 20");
  });

  test("is ambiguous where answers fit several and fill none", () => {
    const few = Object.fromEntries(
      ids("8")
        .slice(0, 5)
        .map((id) => [id, 1]),
    );
    const error = refused(few);
    expectRefusal(error, "ambiguous_form", "fit the forms 8, 20: name one with form");
    expect(estimateFromAnchors(bundle, few, { form: "20" }).form).toBe("20");
    expect(estimateFromAnchors(bundle, few, { form: "8" }).form).toBe("8");
  });

  test("is the one that the answers fill, or the only one that holds them", () => {
    expect(estimateFromAnchors(bundle, sampleAnswers("8")).form).toBe("8");
    const only20 = ids("20").filter((id) => !ids("8").includes(id));
    expect(estimateFromAnchors(bundle, { [only20[0]!]: 1 }).form).toBe("20");
  });

  test("is ambiguous where answers fill two forms of the same items, neither the default", async () => {
    // "8" twice, under two names: they may differ in estimator and λ.
    const twice = {
      ...content,
      manifest: {
        ...content.manifest,
        forms: [...content.manifest.forms, { ...content.manifest.forms[0]!, id: "8-b" }],
      },
      scenarios: content.scenarios.map((scenario) => ({
        ...scenario,
        forms: new Map([...scenario.forms, ["8-b", scenario.forms.get("8")!]]),
        anchors: scenario.anchors.map((anchor) =>
          anchor.forms.includes("8") ? { ...anchor, forms: [...anchor.forms, "8-b"] } : anchor,
        ),
      })),
    };
    const both = await loadBundle(memorySource(encodeBundle(twice)));
    const eight = sampleAnswers("8");
    expectRefusal(
      refusal(() => estimateFromAnchors(both, eight)),
      "ambiguous_form",
      "8, 20, 8-b",
    );
    expect(estimateFromAnchors(both, eight, { form: "8-b" }).form).toBe("8-b");
    const byDefault = withManifest(encodeBundle(twice), (manifest: { defaultForm: string }) => {
      manifest.defaultForm = "8-b";
    });
    expect(estimateFromAnchors(await loadBundle(memorySource(byDefault)), eight).form).toBe("8-b");
  });

  test("of two forms that don't share, both answered, is the larger one", async () => {
    const apart = {
      ...content,
      scenarios: content.scenarios.map((scenario) => ({
        ...scenario,
        anchors: scenario.anchors.map((anchor) => ({ ...anchor, forms: [anchor.forms.includes("8") ? "8" : "20"] })),
        forms: new Map([
          ["8", scenario.forms.get("8")!],
          [
            "20",
            {
              items: scenario.forms.get("20")!.items.filter((item) => !scenario.forms.get("8")!.items.includes(item)),
              mass: new Float64Array(12).fill(1 / 12),
              inclusion: null,
            },
          ],
        ]),
      })),
      manifest: {
        ...content.manifest,
        forms: content.manifest.forms.map((form) => ({
          ...form,
          scenarios: Object.fromEntries(
            Object.entries(form.scenarios).map(([id, scenario]) => [
              id,
              { ...scenario, items: form.id === "20" ? 12 : 8 },
            ]),
          ),
        })),
      },
    };
    const loaded = await loadBundle(memorySource(encodeBundle(apart)));
    const { warnings, ...read } = estimateFromAnchors(loaded, answers);
    expect(read).toMatchObject({ form: "20", answered: 24, of: 24 });
    expect(warnings).toContainEqual(expect.objectContaining({ code: "other_items", count: 16 }));
  });
});

describe("another bundle", () => {
  test("the digest that the answers name must be this one's", () => {
    const other = `sha256:${"0".repeat(64)}`;
    expectRefusal(refused(answers, { digest: other }), "digest_mismatch", `the answers belong to bundle ${other}`);
    expect(estimateFromAnchors(bundle, answers, { digest: bundle.digest }).digest).toBe(bundle.digest);
  });
});

describe("changed items", () => {
  const right = (): Record<string, string> =>
    Object.fromEntries(
      [...bundle.scenarios.values()].flatMap(({ anchors }) =>
        [...anchors.values()].flatMap(({ item_id, hash }) => (hash === undefined ? [] : [[item_id, hash]])),
      ),
    );
  const hashed = Object.keys(answers).filter((id) => id in right());

  test("equal hashes change nothing", () => {
    expect(estimateFromAnchors(bundle, answers, { hashes: right() })).toEqual(estimateFromAnchors(bundle, answers));
    expect(estimateFromAnchors(bundle, answers, { hashes: new Map(Object.entries(right())) })).toEqual(
      estimateFromAnchors(bundle, answers),
    );
  });

  test("another hash is an error that names the items", () => {
    const error = refused(answers, { hashes: { ...right(), [hashed[0]!]: hashOf(999), [hashed[5]!]: hashOf(998) } });
    expectRefusal(error, "item_changed", "2 answered items differ in content");
    expect(error.message).toContain('or `onChangedItem: "drop"`');
    expect(error.issues.map(({ path, code }) => [...path, code])).toEqual([
      ["hashes", hashed[0], "item_changed"],
      ["hashes", hashed[5], "item_changed"],
    ]);
  });

  test("or those answers count as missing, and a warning says so", () => {
    const hashes = { ...right(), [hashed[0]!]: hashOf(999) };
    const dropped = estimateFromAnchors(bundle, answers, { hashes, onChangedItem: "drop", form: "20" });
    const without = estimateFromAnchors(bundle, except(hashed[0]!), { form: "20" });
    expect(dropped.scenarios).toEqual(without.scenarios);
    expect(dropped.answered).toBe(39);
    expect(dropped.warnings[0]).toMatchObject({ code: "changed_items_dropped" });
    expect(dropped.warnings[0]!.message).toContain(hashed[0]!);
  });

  test("every answer dropped leaves no score, with the reason", () => {
    const hashes = Object.fromEntries(hashed.map((id) => [id, hashOf(999)]));
    const only = Object.fromEntries(hashed.map((id) => [id, 1]));
    const none = estimateFromAnchors(bundle, only, { hashes, onChangedItem: "drop", form: "20" });
    expect(none).toMatchObject({ score: null, interval: null, answered: 0 });
    expect(none.scenarios["alpha"]!.reason).toContain("no anchor of this scenario was answered");
  });

  test("an item without a hash, on either side, is taken as it is", () => {
    const unhashed = Object.keys(answers).find((id) => !(id in right()))!;
    expect(estimateFromAnchors(bundle, answers, { hashes: { [unhashed]: hashOf(1) } }).answered).toBe(40);
    expect(estimateFromAnchors(bundle, answers, { hashes: {} }).answered).toBe(40);
  });

  test("the hash of an item that wasn't answered doesn't matter", () => {
    expect(
      estimateFromAnchors(bundle, except(hashed[0]!), { hashes: { [hashed[0]!]: hashOf(999) }, form: "20" }).answered,
    ).toBe(39);
  });
});

describe("an array", () => {
  const order = ids("20");
  const list = order.map((id) => answers[id]!);
  const { digest: formDigest } = formOf("20");

  test("is read in the order of the form, and gives what the ids give", () => {
    expect(estimateFromAnchors(bundle, list, { formDigest })).toEqual(estimateFromAnchors(bundle, answers));
  });

  test("needs the form's digest", () => {
    const error = refused(list);
    expectRefusal(error, "invalid_answers", "an array of answers needs formDigest");
    expect(error.issues[0]!.path).toEqual(["formDigest"]);
    expectRefusal(refused(list, { form: "20" }), "invalid_answers", "needs formDigest");
  });

  test("with another digest is refused", () => {
    const digest = "0".repeat(64);
    expectRefusal(refused(list, { formDigest: digest }), "invalid_answers", `${digest} is not one of this bundle's`);
    expectRefusal(
      refused(list, { formDigest: `sha256:${formDigest}` }),
      "invalid_answers",
      "is not one of this bundle's",
    );
  });

  test("whose digest and form disagree is refused", () => {
    expectRefusal(refused(list, { formDigest, form: "8" }), "invalid_answers", "needs formDigest");
  });

  test.each([0, 1, 39, 41])("of %i answers is refused", (length) => {
    const wrong = Array.from({ length }, () => 1);
    expectRefusal(refused(wrong, { formDigest }), "invalid_answers", `form 20 has 40 anchors, got ${length} answers`);
  });

  test("names the place of a bad answer", () => {
    const error = refused(list.with(7, 3), { formDigest });
    expectRefusal(error, "invalid_answers", "got 3");
    expect(error.issues[0]).toMatchObject({ path: ["responses", 7], code: "out_of_range" });
  });

  test("of nulls is no answer; a hole is none either, and an error", () => {
    expectRefusal(refused(new Array(40).fill(null), { formDigest }), "invalid_answers", "there are no answers");
    expectRefusal(refused(Array.from({ length: 40 }), { formDigest }), "invalid_answers", "got undefined");
    const hole = [...list];
    // eslint-disable-next-line @typescript-eslint/no-array-delete -- a hole is what is tested
    delete hole[3];
    expectRefusal(refused(hole, { formDigest }), "invalid_answers", "got undefined");
  });

  test("can't be read against some of the scenarios", async () => {
    const part = await loadBundle(memorySource(files), { scenarios: ["alpha"] });
    expectRefusal(
      refusal(() => estimateFromAnchors(part, list, { formDigest })),
      "invalid_answers",
      "needs the whole bundle",
    );
  });
});

describe("the level", () => {
  test.each([0, 1, -0.5, 95, NaN, Infinity])("%d is none", (level) => {
    expectRefusal(refused(answers, { level }), "invalid_option", "level must be in (0,1)");
  });
});
