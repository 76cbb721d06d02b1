import { describe, expect, test } from "vitest";
import { readItems } from "../../../offline-trainer/src/matrix/items-file.ts";
import type { BorderFinding } from "../../../features/borders/fit/findings.ts";
import { readResponses } from "../../../offline-trainer/src/matrix/read-responses.ts";
import { rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
let files = 0;

async function findings(text: string, ending = "csv"): Promise<BorderFinding[]> {
  const found: BorderFinding[] = [];
  await readItems(folder.write(`items-${++files}.${ending}`, text), found);
  return found;
}

describe("fields of an items file that look meant", () => {
  test.each([
    ["Scenario", "scenario", false],
    ["sub_scenario", "subscenario", true],
    ["subscenaro", "subscenario", true],
    ["Sub Scenario", "subscenario", true],
    ["category", "subscenario", true],
    ["docid", "doc_id", true],
    ["content_hash", "hash", true],
  ])("%s: %s", async (name, meant, readable) => {
    if (!readable) {
      await expect(findings(`item_id,${name}\nq1,a\n`)).rejects.toThrow("there is no column");
      return;
    }
    for (const found of [
      await findings(`item_id,scenario,${name}\nq1,a,b\n`),
      await findings(JSON.stringify({ item_id: "q1", scenario: "a", [name]: "b" }), "jsonl"),
    ]) {
      expect(found.map(({ code, names }) => [code, ...names])).toEqual([["unused_field", name]]);
      expect(found[0]!.message).toBe(`field "${name}" isn't read: if it has the ${meant}, call it ${meant}`);
    }
  });

  test("others aren't said, nor those beside the field that they may stand for", async () => {
    expect(
      await findings("item_id,scenario,answer,source_id,source_index,price,tokens,difficulty\nq1,a,b,c,1,2,3,4\n"),
    ).toEqual([]);
    expect(await findings("item_id,scenario,subscenario,category\nq1,a,b,c\n")).toEqual([]);
  });
});

describe("weights of items", () => {
  const ROWS = ["q1,a,x", "q2,a,x", "q3,a,x", "q4,a,y"];
  const weighed = (weights: readonly (number | string)[]): Promise<BorderFinding[]> =>
    findings(`item_id,scenario,subscenario,weight\n${ROWS.map((row, k) => `${row},${weights[k]!}`).join("\n")}\n`);

  test("that are the default's, or none, say nothing", async () => {
    expect(await weighed([1, 1, 1, 3])).toEqual([]);
    expect(await weighed(["", "", "", ""])).toEqual([]);
  });

  test.each(["weight", "Weight", "weights", "item_weight", "WEIGHTS"])(
    "are read as such in a field %s",
    async (name) => {
      const rows = ROWS.map((row, k) => `${row},${k + 1}`).join("\n");
      expect(await findings(`item_id,scenario,subscenario,${name}\n${rows}\n`)).toMatchObject([
        { code: "unused_field", refused: true },
      ]);
    },
  );

  test("that no weighting gives are refused with the board", async () => {
    for (const weights of [
      [1000, 1000, 1, 1],
      [1, 1, 1, 0],
      [1, 1, 1, "heavy"],
    ])
      // prettier-ignore
      expect(await weighed(weights)).toMatchObject([{ code: "unused_field", refused: true }]);
    const items = folder.write("w.csv", "item_id,scenario,weight\nq1,a,1000\nq2,a,1\n");
    const responses = folder.write("t.csv", "model,q1,q2\na,1,0\nb,0,1\nc,1,1\nd,0,0\ne,1,0\n");
    const error = await rejection(readResponses(responses, { items }));
    expect(error.code).toBe("invalid_data");
    expect(error.message).toMatch(/w\.csv: weights aren't read, and these are neither/);
    expect(error.issues[0]).toMatchObject({ code: "unused_field", path: [items, "weight"] });
  });
});
