import { utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OptionReader } from "../../../../cli/src/program/command.ts";
import type { Output } from "../../../../cli/src/program/output.ts";
import { givenDate, readCreated, readImportFacts } from "../../../../cli/src/options/data.ts";
import { readSizes, remarkReplicates, remarkShortOfModels } from "../../../../cli/src/options/fit.ts";
import { loadMethod } from "../../../../offline-trainer/src/methods/index.ts";
import { type Method, recommended } from "../../../../offline-trainer/src/methods/method.ts";
import { readName } from "../../../../offline-trainer/src/fit/options.ts";
import { refusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

/** The options that these functions ask for. */
function given(options: Readonly<Record<string, string>>): OptionReader {
  return {
    text: (name: string) => options[name],
    numbers: (name: string, _: unknown, otherwise: unknown) => options[name]?.split(",").map(Number) ?? otherwise,
  } as unknown as OptionReader;
}

beforeEach(() => void vi.stubEnv("SOURCE_DATE_EPOCH", undefined));
afterEach(() => void vi.unstubAllEnvs());

test("a method with far fewer models than its authors had says so; others, and enough, say nothing", async () => {
  const said: string[] = [];
  const output = { remark: (text: string) => void said.push(text) } as unknown as Output;
  remarkShortOfModels(output, recommended, 12);
  remarkShortOfModels(output, await loadMethod("metabench"), 5000);
  remarkReplicates(output, []);
  expect(said).toEqual([]);
  remarkShortOfModels(output, await loadMethod("metabench"), 83);
  remarkReplicates(output, [["a", "b"]]);
  expect(said).toEqual([
    "metabench was made for some 5000 models: on 83 it takes minutes and mostly errs by more than the default recipe",
    "answers that agree beyond chance, so that these are held out together: a with b",
  ]);
});

describe("the date of a bundle", () => {
  test.each([
    ["2025-06-07", "2025-06-07T00:00:00Z"],
    ["2025-06-07T01:30Z", "2025-06-07T01:30:00Z"],
    ["2025-06-07T01:30:00+02:00", "2025-06-06T23:30:00Z"],
    ["2024-02-29T23:59:59.9Z", "2024-02-29T23:59:59Z"],
    ["0099-01-01", "0099-01-01T00:00:00Z"],
  ])("--created %s is %s", (created, expected) => {
    expect(givenDate(given({ created }))).toBe(expected);
  });

  test.each([
    ...["", "now", "5", "2025", "2025-6-7", "07.06.2025", "2025-02-30", "2025-13-01", "12025-06-07", "+012025-06-07"],
    ...["2025-06-07T25:00:00Z", "2025-06-07T01:30:00", "2025-06-07 01:30:00Z", "9999-12-31T23:00:00-02:00"],
  ])("--created %s is refused: no day, or none without a time zone", (created) => {
    const { code, message } = refusal(() => givenDate(given({ created })));
    expect({ code, message }).toEqual({
      code: "invalid_option",
      message: `--created must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, got ${created}`,
    });
  });

  test("SOURCE_DATE_EPOCH counts seconds; what is none is refused, not passed over", () => {
    vi.stubEnv("SOURCE_DATE_EPOCH", "1767225600");
    expect(givenDate(given({}))).toBe("2026-01-01T00:00:00Z");
    expect(givenDate(given({ created: "2025-06-07" }))).toBe("2025-06-07T00:00:00Z");
    for (const epoch of ["yesterday", "-1", "1.5", "999999999999", "99999999999999999"]) {
      vi.stubEnv("SOURCE_DATE_EPOCH", epoch);
      const { code, message } = refusal(() => givenDate(given({})));
      expect({ code, message }).toEqual({
        code: "invalid_option",
        message: `SOURCE_DATE_EPOCH must be whole seconds since 1970, got ${epoch}`,
      });
    }
  });

  test("is the responses file's where none is given", async () => {
    const file = folder.write("dated/r.csv", "");
    utimesSync(file, new Date(), new Date("2026-03-04T05:06:07.890Z"));
    for (const epoch of [undefined, ""]) {
      vi.stubEnv("SOURCE_DATE_EPOCH", epoch);
      expect(givenDate(given({}))).toBeNull();
      expect(await readCreated(given({}), file)).toBe("2026-03-04T05:06:07Z");
    }
  });
});

describe("import.json beside the responses", () => {
  const facts = (content: string): ReturnType<typeof readImportFacts> => {
    folder.write("facts/import.json", content);
    return readImportFacts(folder.path("facts/responses.csv.gz"));
  };

  test("says the weighting and the protocol, where it is there", async () => {
    expect(await readImportFacts(folder.path("nowhere/responses.csv"))).toEqual({});
    const protocol = { shots: 5, metric: "acc", chat: false };
    expect(await facts(JSON.stringify({ weighting: "items", protocol, models: 3 }))).toEqual({
      weighting: "items",
      protocol,
    });
    expect(await facts("{}")).toEqual({});
  });

  test.each([
    ["{", "it is not JSON", []],
    ["null", "it is not a JSON object", []],
    ["[1]", "it is not a JSON object", []],
    ['{"weighting":"models"}', 'it must be subscenarios or items, got "models"', ["weighting"]],
    ['{"weighting":null}', "it must be subscenarios or items, got null", ["weighting"]],
    ['{"protocol":["acc"]}', "it is not a JSON object", ["protocol"]],
    [
      '{"protocol":{"shots":5,"metric":{"name":"acc"}}}',
      'it must be text, a number, true or false, got {"name":"acc"}',
      ["protocol", "metric"],
    ],
  ])("%s is refused by file, field and rule", async (content, rule, field) => {
    const file = folder.path("facts/import.json");
    const { code, message, issues } = await rejection(facts(content));
    const where = field.length > 0 ? `field "${field.join(".")}": ` : "";
    expect({ code, message, path: issues[0]!.path }).toEqual({
      code: "invalid_data",
      message: `${file}: ${where}${rule}`,
      path: [file, ...field],
    });
  });

  test("that can't be read is no import.json that isn't there", async () => {
    folder.write("unreadable/import.json/inside", "");
    expect(await rejection(readImportFacts(folder.path("unreadable/r.csv")))).toMatchObject({ code: "invalid_data" });
  });
});

test("names and versions", () => {
  expect(readName("helm-lite@1.0.0")).toEqual({ benchmark: "helm-lite", version: "1.0.0" });
  expect(readName("a.b_c@0.1.0-rc.1")).toEqual({ benchmark: "a.b_c", version: "0.1.0-rc.1" });
  const names = ["", "a", "@1.0.0", "a@", "a@1.0", "a@1.0.0+build", "a@01.0.0", "a@v1.0.0", "A@1.0.0", "a b@1.0.0"];
  for (const name of [...names, "a@1.0.0@2.0.0", "../a@1.0.0", ".a@1.0.0", `${"a".repeat(65)}@1.0.0`])
    expect(refusal(() => readName(name))).toMatchObject({
      code: "invalid_option",
      message: expect.stringMatching(/^`name` must be BENCHMARK@X\.Y\.Z, .*; got /) as string,
    });
});

test("sizes: per scenario, over all scenarios, or both; without either as the recipe has them", async () => {
  const board = { scenarios: 6, items: 60 };
  const read = (options: Record<string, string>, recipe: Method, shape = board) =>
    readSizes(given(options), recipe)(shape);
  const tinybenchmarks = await loadMethod("tinybenchmarks");
  expect(read({ anchors: "10,50" }, recommended)).toEqual({ sizes: [10, 50], totals: [] });
  expect(read({ total: "100,7" }, recommended)).toEqual({ sizes: [], totals: [100, 7] });
  expect(read({ anchors: "10", total: "60" }, recommended)).toEqual({ sizes: [10], totals: [60] });
  const sizes = [10, 15, 20, 30, 50, 100];
  expect(read({}, tinybenchmarks)).toEqual({ sizes, totals: [15, 20, 30, 50] });
  expect(read({}, tinybenchmarks, { scenarios: 51, items: 5000 })).toEqual({ sizes, totals: [] });
  expect(read({ total: "60" }, tinybenchmarks)).toEqual({ sizes: [], totals: [60] });
  expect(read({ anchors: "10" }, tinybenchmarks)).toEqual({ sizes: [10], totals: [] });
  expect(refusal(() => readSizes(given({}), recommended))).toMatchObject({
    code: "invalid_option",
    message: "give --anchors N[,N…] (per scenario), --total N[,N…], or both",
  });
});
