import { describe, expect, test } from "vitest";
import { documentField, inProgramWords, programWords, warningLines } from "../../../../cli/src/program/words.ts";
import { AnchorEvalError } from "anchoreval/internal/core/errors";

test.each([
  ["give `allowMixed`:", "give --allow-mixed:"],
  ["`errors` missing or wrong", "--errors missing or wrong"],
  ['or `onChangedItem: "drop"`', "or --drop-changed"],
  ['; `provider: "typescript"` needs nothing', "; --provider typescript needs nothing"],
  ["two runs or more: give `baselines`", "two runs or more: give --baseline several times"],
  [
    "by that, by `unzstd`",
    "by that, by the trainer's own program (npm install anchoreval-trainer, then npx anchoreval-trainer in place of anchoreval)",
  ],
  ["by a pair (`a.responses`, `doc_id`, `openssl rand`)", "by a pair (`a.responses`, `doc_id`, `openssl rand`)"],
])("%s", (text, words) => {
  expect(programWords(text)).toBe(words);
});

describe("of the library, in the program's words", () => {
  test("an error is, with its issues, code and cause", () => {
    const cause = new Error("why");
    const issues = [{ path: ["a"], code: "duplicate", message: "`modelName` is given" }];
    const error = inProgramWords(new AnchorEvalError("invalid_data", "give `onDuplicate`", { issues, cause }));
    expect(error).toMatchObject({ code: "invalid_data", message: "give --on-duplicate", cause });
    expect((error as AnchorEvalError).issues).toEqual([{ ...issues[0], message: "--model-name is given" }]);
    expect(inProgramWords(cause)).toBe(cause);
  });

  test("warnings are, as lines and in documents; names of items stay", () => {
    expect(warningLines([{ message: "give `items`" }])).toEqual(["warning: give --items"]);
    const document = { item: "`items`", warnings: ["give `items`", { message: "give `flip`", names: ["`flip`"] }] };
    expect(JSON.parse(JSON.stringify(document, documentField))).toEqual({
      item: "`items`",
      warnings: ["give --items", { message: "give --flip", names: ["`flip`"] }],
    });
  });
});
