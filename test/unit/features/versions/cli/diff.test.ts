import { loadBundle } from "anchoreval";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { loggedContent, writeBundle } from "../../../../support/logged-bundle.ts";
import { type CommandResult, runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const bundle = writeBundle(folder.path("bundle"), loggedContent());
const loaded = await loadBundle(folderSource(bundle));
const lines = await loadItemLines(folderSource(bundle), loaded.manifest);
const anchors = new Map([...loaded.scenarios.values()].flatMap((scenario) => [...scenario.anchors]));
const items = Array.from({ length: lines.count }, (_, position) => {
  const record = lines.record(position);
  const hash = anchors.get(record.item_id)?.hash;
  return { ...record, ...(hash !== undefined && { hash }) };
});
const written = (name: string, own: readonly object[]): string =>
  folder.write(`${name}.jsonl`, own.map((item) => `${JSON.stringify(item)}\n`).join(""));

const diff = (...argv: string[]): Promise<CommandResult> => runCommand("diff", ...argv);
const asked = (file: string): string[] => ["--bundle", bundle, "--items", file];

describe("diff", () => {
  test("the same items: the bundle remains valid", async () => {
    const { code, out } = await diff(...asked(written("same", items)));
    expect(code).toBe(0);
    expect(out).toContain("sample 1.0.0: 100 items, now 100\n");
    expect(out).toMatch(/The bundle remains valid\.\n$/);
  });

  test("a changed anchor is named, with the form that it hits and what the scores may differ by", async () => {
    const [anchor] = loaded.scenarios.get("alpha")!.forms.get("20")!.itemIds;
    const gone = items.find(({ item_id: id }) => id !== anchor && !anchors.has(id))!;
    const newer = items
      .filter((item) => item !== gone)
      .map((item) => (item.item_id === anchor ? { ...item, hash: "f".repeat(64) } : item));
    const { out } = await diff(...asked(written("changed", newer)));
    expect(out).toContain(`  1 changed: "${anchor!}"\n`);
    expect(out).toContain(`  1 removed: "${gone.item_id}"\n`);
    expect(out).toContain(`form 20: 1 of its 40 anchors changed or were removed: "${anchor!}"`);
    expect(out).toContain("The bundle still estimates version 1.0.0");
    expect(out).toContain("the new items are version 2.0.0");
    expect(out).toContain("--drop-changed");
    expect(out).toContain(
      `\n  anchoreval fit --base ${bundle} --responses RESPONSES --items ${written("changed", newer)} --rerun RERUN --name sample@2.0.0 --out DIR\n`,
    );
    const told = JSON.parse((await diff(...asked(written("changed", newer)), "--json")).out) as {
      changed: string[];
      forms: Record<string, { hit: string[] }>;
    };
    expect(told).toMatchObject({ changed: [anchor], removed: [gone.item_id], forms: { 20: { hit: [anchor] } } });
  });

  test.each([
    [[], "--bundle is needed"],
    [["--bundle", bundle], "--items is needed"],
    [[...asked("items.jsonl"), "more"], "unexpected argument more"],
    [asked("nowhere.jsonl"), "nowhere.jsonl: there is no such file"],
    [["--bundle", "nowhere", "--items", written("same", items)], "no bundle is there"],
  ])("refused: %j", async (argv, words) => {
    const { code, err } = await diff(...argv);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
