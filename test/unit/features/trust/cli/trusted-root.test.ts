import { execFile } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  encodeTrustFile,
  parseIndexStatement,
  parseTrustFile,
  type SignedStatement,
} from "anchoreval/internal/features/trust/sdk/statements";
import { expect, test } from "vitest";
import { folderMemory } from "../../../../../features/trust/cli/trusted-root.ts";
import { signingKey } from "../../../../support/signing-key.ts";
import { ROOT } from "../../../../support/source-imports.js";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { at, DAY, NOW, rootOf, sign } from "../../../../support/trust.ts";

const folder = tempFolder();
const key = await signingKey();
const keys = { keys: [key], bundles: [key], index: [key] };
const roots: SignedStatement[] = [];
for (const version of [1, 2, 3]) roots.push(await sign("root", rootOf(version, keys, { threshold: 1 }), [key]));

/** What a reader remembers that saw an index of a number, and so many roots. */
async function seen(number: number, count = 1): Promise<string> {
  const statement = {
    ...{ type: "index", benchmark: "quiz", number, issued: at(NOW), due: at(NOW + DAY), expires: at(NOW + 2 * DAY) },
    ...{ latest: null, versions: [] },
  };
  const index = await sign("index", statement, [key]);
  expect(parseIndexStatement(index)?.number).toBe(number);
  return new TextDecoder().decode(encodeTrustFile({ roots: roots.slice(0, count), index }));
}

const numberIn = (text: string | null): number | undefined => {
  const { index } = parseTrustFile(new TextEncoder().encode(text!))!;
  return parseIndexStatement(index!)?.number;
};

test("the newest that any command saw stays, whichever writes last", async () => {
  const memory = folderMemory(folder.path("order"));
  for (const number of [7, 8, 7, 3]) await memory.write("index quiz", await seen(number));
  expect(numberIn(await memory.read("index quiz"))).toBe(8);
  for (const count of [1, 3, 2])
    await memory.write("root", new TextDecoder().decode(encodeTrustFile({ roots: roots.slice(0, count) })));
  expect(parseTrustFile(new TextEncoder().encode((await memory.read("root"))!))!.roots).toHaveLength(3);
});

test(
  "commands side by side: what is read is whole, the newest stays, and nobody warns",
  { timeout: 60_000 },
  async () => {
    const state = folder.path("state");
    mkdirSync(state);
    const texts = await Promise.all(Array.from({ length: 12 }, (_, k) => seen(k + 1)));
    const script = `
    const { folderMemory } = await import(${JSON.stringify(pathToFileURL(join(ROOT, "cli/dist/features/trust/cli/trusted-root.js")).href)});
    const memory = folderMemory(process.argv[1]);
    for (const text of JSON.parse(process.argv[2])) {
      await memory.write("k", text);
      JSON.parse(await memory.read("k"));
    }`;
    const shuffled = (k: number): string[] => texts.map((_, i) => texts[(5 * i + 7 * k) % texts.length]!);
    const commands = Array.from({ length: 6 }, (_, k) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, state, JSON.stringify(shuffled(k))]),
    );
    for (const { stderr } of await Promise.all(commands)) expect(stderr).toBe("");
    expect(numberIn(await folderMemory(state).read("k"))).toBe(12);
    expect(readdirSync(state)).toHaveLength(1);
  },
);
