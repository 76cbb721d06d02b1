import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../sdk/core/numeric/random.ts";
import { drawBoard, Style } from "../support/written-boards/board.ts";
import { emptyFolder, type ReadBoard, readBoard } from "../support/written-boards/read-board.ts";
import { WRITERS } from "../support/written-boards/writers.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { WHOLE } from "../support/whole.ts";

/** Fields that are replaced for each reader; ODD_FIELDS=1000 tries about all. */
const WAYS = Number(process.env["ODD_FIELDS"] ?? (WHOLE ? 60 : 25));
/** Seed of the board and of what is replaced. */
const SEED = "odd-fields/1";

const ODD: readonly unknown[] = [null, "", [], {}, 0, "x", true];

type Path = readonly (string | number)[];

const folder = tempFolder();

describe.each(WRITERS.filter(({ from }) => from !== "table"))(
  "logs that $from writes with a field of another type",
  (writer) => {
    test(`are read as before, refused or remarked on (${WAYS} fields)`, async () => {
      const place = emptyFolder(folder.path(writer.from));
      const { runs } = drawBoard(SEED, writer);
      writer.write(place, runs.filter(({ task, model }) => task === "beta" && model !== "org/b"), new Style("plain", 0)); // prettier-ignore
      const before = await readBoard(place, writer, "missing");
      const ways = jsonFiles(place).flatMap((file) =>
        oddTexts(readFileSync(file, "utf8")).map((way) => ({ file, ...way })),
      );
      createRandom(SEED).shuffle(ways);
      let moved = 0;
      for (const { file, path, value, text, isOther } of ways.slice(0, WAYS)) {
        const whole = readFileSync(file);
        writeFileSync(file, text);
        const said = `${file.slice(place.length)}: ${path.join(".")} = ${JSON.stringify(value)}`;
        const after = await readBoard(place, writer, "missing").catch((error: unknown) => expectNamed(error, said));
        writeFileSync(file, whole);
        if (isDeepStrictEqual(after?.cells, before.cells)) continue;
        moved++;
        // A value of the same type may be another log's.
        if (after !== null && isOther) expect(newRemarks(before, after), `nothing was said\n${said}`).not.toEqual([]);
      }
      expect(moved).toBeGreaterThan(0);
      rmSync(place, { recursive: true });
    });
  },
);

function newRemarks(before: ReadBoard, after: ReadBoard): string[] {
  return after.remarks.filter((remark) => !before.remarks.includes(remark));
}

function expectNamed(error: unknown, said: string): null {
  const { name, code, message, stack } = error as Error & { code: string };
  expect(name, `${said}\n${stack}`).toBe("AnchorEvalError");
  expect(code, said).toMatch(/^(invalid_data|invalid_option|unsupported|not_found)$/);
  expect(message, said).toMatch(/beta|org|no run has a score|odd-fields/);
  return null;
}

function jsonFiles(place: string): string[] {
  return readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl?$/.test(name))
    .sort()
    .map((name) => join(place, name));
}

/** A file's text with one value replaced; of lines the first has it, of lists the first entry. */
function oddTexts(text: string): { path: Path; value: unknown; text: string; isOther: boolean }[] {
  const [first, rest] = isJson(text) ? [text, ""] : [text.slice(0, text.indexOf("\n")), text.slice(text.indexOf("\n"))];
  const root: unknown = JSON.parse(first);
  return pathsOf(root).flatMap((path) =>
    ODD.map((value) => ({
      ...{ path, value, text: JSON.stringify(replaced(root, path, value)) + rest },
      isOther: kindOf(value) !== kindOf(valueAt(root, path)),
    })),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Truths are scores, as numbers are. */
function kindOf(value: unknown): string {
  if (value === null || Array.isArray(value)) return String(value === null ? null : "list");
  return typeof value === "boolean" ? "number" : typeof value;
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()].slice(0, 1) : Object.entries(value);
  return [path, ...entries.flatMap(([key, own]) => pathsOf(own, [...path, key]))];
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], root);
}

function replaced(root: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((own: unknown, k) => (k === key ? replaced(own, rest, value) : own));
  const fields = root as Record<string, unknown>;
  return { ...fields, [key]: replaced(fields[key], rest, value) };
}
