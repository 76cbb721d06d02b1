import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { loadBundle } from "anchoreval";
import { partOf } from "anchoreval/internal/core/bundle/part";
import { subscoresPart } from "anchoreval/internal/features/subscores/core/part";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

/** Fits in plain TypeScript, one dimension: small and quick. */
const fit = (name: string, ...more: string[]) =>
  runCommand(
    ...["fit", "--responses", folder.path("board/responses.csv"), "--items", folder.path("board/items.jsonl")],
    ...["--name", "demo@1.0.0", "--out", folder.path(name), "--created", "2026-01-01"],
    ...["--provider", "typescript", "--set", "dims=1", "--anchors", "16", ...more],
  );

beforeAll(async () => {
  const settings = folder.write("board.json", JSON.stringify({ models: 24, items: 80, scenarios: 2, seed: 3 }));
  expect((await runCommand("simulate", "--settings", settings, "--out", folder.path("board.gz"))).code).toBe(0);
  const text = (file: string): string => gunzipSync(readFileSync(folder.path(`board.gz/${file}.gz`))).toString();
  folder.write("board/responses.csv", text("responses.csv"));
  const items = text("items.jsonl").trim().split("\n").map((line, k) => {
    const subject = ["law", "physics", "biology"][k % 3]!;
    const tags = k % 3 === 0 ? null : k % 2 ? ["stem", subject] : ["stem"];
    return JSON.stringify({ ...(JSON.parse(line) as object), subject, tags, number: k });
  }); // prettier-ignore
  folder.write("board/items.jsonl", items.join("\n"));
});

describe("fit --subscores", () => {
  it("learns groups by columns of the items and by difficulty, and estimate shows them", async () => {
    const { code, err } = await fit("grouped", "--subscores", "subject,tags,difficulty");
    expect({ code, said: /subscores by .*/.exec(err)?.[0] }).toEqual({
      code: 0,
      said: "subscores by subject, tags and calibrated difficulty: 12 groups",
    });
    const bundle = await loadBundle(folderSource(folder.path("grouped")));
    const [one] = Object.values(partOf(bundle.manifest, subscoresPart)!);
    expect(one!.groups.map(({ name }) => name).toSorted()).toEqual(
      ["law", "physics", "biology", "tags: stem", "tags: physics", "tags: biology", "easiest third", "middle third", "hardest third"].toSorted(), // prettier-ignore
    );
    expect((await runCommand("show", folder.path("grouped"))).out).toMatch(/subscores.*9 groups/);

    const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("16")!.itemIds);
    const answers = folder.write("answers.json", JSON.stringify(Object.fromEntries(asked.map((id, k) => [id, k % 2]))));
    const estimate = ["estimate", "--bundle", folder.path("grouped"), "--responses", answers];
    const { out } = await runCommand(...estimate, "--subscores");
    expect(out).toMatch(/: law +([\d.]+ +[\d.]+ to [\d.]+|–) +\d+ of 1\d/);
    const { subscores } = JSON.parse((await runCommand(...estimate, "--subscores", "--json")).out) as { subscores: object[] }; // prettier-ignore
    expect(subscores).toHaveLength(18);
    expect(JSON.parse((await runCommand(...estimate, "--json")).out)).not.toHaveProperty("subscores");

    expect((await fit("plain")).code).toBe(0);
    const plain = await runCommand("estimate", "--bundle", folder.path("plain"), "--responses", answers, "--subscores");
    expect(plain.code).toBe(2);
    expect(plain.err).toContain("wasn't fitted with any");
  });

  it.each([
    ["a column that isn't there", "topic", 'no such column; it has "item_id"'],
    ["a value for each item", "number", "hardly two items each"],
    ["no column", "subject,", "names columns, parted by commas"],
  ])("refuses %s and writes nothing", async (_, column, message) => {
    const { code, out, err } = await fit("refused", "--subscores", column);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    await expect(loadBundle(folderSource(folder.path("refused")))).rejects.toMatchObject({ code: "not_found" });
  });
});
