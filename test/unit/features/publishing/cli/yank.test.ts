import { readFileSync } from "node:fs";
import { type Estimate, estimateFromAnchors, httpSource, loadBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { writeBundle } from "../../../../support/logged-bundle.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const store = folder.path("public");
const version = `${store}/bundles/sample/1.0.0`;
const answers = folder.write("answers.json", JSON.stringify(sampleAnswers("20")));
const WORDS = "this version was yanked by its publisher: wrong keys";

beforeAll(async () => {
  const bundle = writeBundle(folder.path("bundle"), sampleContent());
  expect(await runCommand("publish", bundle, "--to", store)).toMatchObject({ code: 0 });
});

describe("a version of a folder", () => {
  test("is taken back with a reason", async () => {
    const { code, out } = await runCommand("publish", "yank", version, "--reason", "wrong keys", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ benchmark: "sample", version: "1.0.0", yanked: true, reason: "wrong keys", latest: null }); // prettier-ignore
    expect(JSON.parse(readFileSync(`${store}/bundles/sample/index.json`, "utf8"))).toMatchObject({
      latest: null,
      versions: [{ version: "1.0.0", yanked: true, reason: "wrong keys" }],
    });
  });

  test.each([
    ["estimate", ["--responses", answers]],
    ["show", []],
    ["plan", []],
    ["export", ["--to", "ids", "--out", folder.path("ids")]],
    ["compare", ["--a", answers, "--b", answers]],
  ])("%s says so on standard error", async (command, more) => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { code } = await runCommand(command, "--bundle", version, ...more);
    const told = said.mock.calls.filter(([words]) => String(words).includes(WORDS));
    said.mockRestore();
    expect({ code, times: told.length }).toEqual({ code: 0, times: 1 });
  });

  test("JSON has it once, also of two models", async () => {
    for (const more of [
      ["estimate", "--responses", answers],
      ["compare", "--a", answers, "--b", answers],
    ]) {
      const { out } = await runCommand(...more, "--bundle", version, "--json");
      const { warnings } = JSON.parse(out) as Estimate;
      expect(warnings.filter(({ code }) => code === "yanked_version")).toEqual([
        { code: "yanked_version", message: "version 1.0.0 was yanked by its publisher: wrong keys" },
      ]);
    }
  });

  test("check doesn't pass on it unless it is told to", async () => {
    const check = ["check", "--bundle", version, "--responses", answers, "--min-score", "10"];
    const { code, out, err } = await runCommand(...check);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("[yanked_version]");
    expect(err).toContain("wrong keys");
    expect((await runCommand(...check, "--allow-yanked")).code).toBe(0);
    const history = ["--baseline", answers, "--baseline", answers, "--history", folder.path("nights.jsonl")];
    expect((await runCommand(...check.slice(0, -2), ...history)).code).toBe(2);
  });

  test("the SDK knows it from the folder, and from any static host", async () => {
    expect((await loadBundle(folderSource(version))).yanked).toBe("wrong keys");
    const asked: string[] = [];
    const fetch = (input: unknown): Promise<Response> => {
      const path = new URL(String(input)).pathname;
      asked.push(path);
      try {
        return Promise.resolve(new Response(readFileSync(`${store}${path}`)));
      } catch {
        return Promise.resolve(new Response("", { status: 404 }));
      }
    };
    const bundle = await loadBundle(httpSource("https://static.example.com/bundles/sample/1.0.0", { fetch }));
    expect(bundle.yanked).toBe("wrong keys");
    expect(asked.filter((path) => path.endsWith("yanked.json"))).toHaveLength(1);
    expect(estimateFromAnchors(bundle, sampleAnswers("20")).warnings[0]).toMatchObject({ code: "yanked_version" });
    // What can't be read says nothing, and keeps nobody waiting.
    const silent = (input: unknown): Promise<Response> =>
      String(input).endsWith("yanked.json") ? Promise.reject(new TypeError("no network")) : fetch(input);
    const source = httpSource("https://static.example.com/bundles/sample/1.0.0", { fetch: silent });
    expect((await loadBundle(source)).yanked).toBeUndefined();
  });

  test("is offered again", async () => {
    expect(await runCommand("publish", "yank", version, "--undo")).toMatchObject({ code: 0, out: "sample@1.0.0 is offered again; latest: 1.0.0\n" }); // prettier-ignore
    const { err } = await runCommand("estimate", "--bundle", version, "--responses", answers);
    expect(err).toBe("");
    expect((await loadBundle(folderSource(version))).yanked).toBeUndefined();
  });
});

test.each([
  ["no version", [`${store}/bundles/sample`, "--reason", "x"], "names no version"],
  ["no reason", [version], "give --reason TEXT, or --undo"],
  ["both", [version, "--reason", "x", "--undo"], "give --reason TEXT, or --undo"],
  ["an empty reason", [version, "--reason", " "], "1 to 500"],
  ["a version that isn't there", [`${store}/bundles/sample/9.0.0`, "--reason", "x"], "sample@9.0.0 is published"],
  ["a store of another kind", ["s3://b/bundles/sample/1.0.0", "--reason", "x"], "can't be written to"],
])("%s: exit code 2", async (_, more, words) => {
  const { code, out, err } = await runCommand("publish", "yank", ...more);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(words);
});
