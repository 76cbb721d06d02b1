import { compareFromAnchors, loadBundle, rankFromAnchors, type ComparedModel, type CompareOptions } from "anchoreval";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle()));
const answers = sampleAnswers("20");
const good: ComparedModel = { responses: answers };
const small = sampleAnswers("8");
const id = Object.keys(answers)[0]!;

const cases: [string, ComparedModel, ComparedModel, CompareOptions, string, string][] = [
  ["a level of 1", good, good, { level: 1 }, "invalid_option", "level"],
  ["a level that is none", good, good, { level: NaN }, "invalid_option", "level"],
  ["a negative margin", good, good, { margin: -0.01 }, "invalid_option", "margin"],
  ["a margin in points", good, good, { margin: 1 }, "invalid_option", "[0,1)"],
  ["a margin that is none", good, good, { margin: NaN }, "invalid_option", "margin"],
  ["a form that isn't there", good, good, { form: "99" }, "unknown_form", "99"],
  ["answers to different forms", good, { responses: small }, {}, "invalid_answers", "A answered form 20, B form 8"],
  ["an unknown item", good, { responses: { ...answers, nope: 1 } }, {}, "invalid_answers", "B: 1 answer"],
  [
    "a score above 1",
    { responses: { ...answers, [id]: 2 }, name: "mine" },
    good,
    {},
    "invalid_answers",
    "mine: 1 answer",
  ],
  ["a score that is none", good, { responses: { ...answers, [id]: NaN } }, {}, "invalid_answers", "B: "],
  ["no answers at all", good, { responses: {} }, {}, "invalid_answers", "B: there are no answers"],
  ["another bundle's answers", good, { ...good, digest: "sha256:00" }, {}, "digest_mismatch", "B: "],
  [
    "answers to another major version",
    { ...good, version: "2.0.0" },
    good,
    {},
    "digest_mismatch",
    "A answered version 2.0.0",
  ],
  ["an array without its form's digest", { responses: [1, 0] }, good, {}, "invalid_answers", "formDigest"],
];

describe("a comparison is refused, as a whole", () => {
  test.each(cases)("%s", (_, a, b, options, code, fragment) => {
    expectRefusal(
      refusal(() => compareFromAnchors(bundle, a, b, options)),
      code as "invalid_answers",
      fragment,
    );
  });

  test("where no item was answered by both", () => {
    const ids = Object.keys(answers);
    const half = (keep: (k: number) => boolean): ComparedModel => ({
      responses: Object.fromEntries(ids.filter((_, k) => keep(k)).map((itemId) => [itemId, 1])),
      form: "20",
    });
    expectRefusal(
      refusal(() =>
        compareFromAnchors(
          bundle,
          half((k) => k % 2 === 0),
          half((k) => k % 2 === 1),
        ),
      ),
      "invalid_answers",
      "no item that A and B have both answered",
    );
  });

  test("issues keep their paths", () => {
    const { issues } = refusal(() => compareFromAnchors(bundle, good, { responses: { ...answers, [id]: 2 } }));
    expect(issues).toMatchObject([{ path: ["responses", id], code: "out_of_range" }]);
  });
});

describe("a ranking is refused", () => {
  test.each<[string, ComparedModel[], string]>([
    ["of one model", [good], "two models or more"],
    ["of models with one name", [{ ...good, name: "x" }, good, { ...good, name: "x" }], "a name of its own"],
    ["of answers to different forms", [good, good, { responses: small }], "model 1 answered form 20, model 3 form 8"],
  ])("%s", (_, models, fragment) => {
    expect(refusal(() => rankFromAnchors(bundle, models)).message).toContain(fragment);
  });
});

test("another minor version's answers are accepted: the same items, scored alike", () => {
  expect(compareFromAnchors(bundle, { ...good, version: "1.7.2" }, good).difference).toBe(0);
});
