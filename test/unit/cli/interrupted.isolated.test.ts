import { existsSync, mkdirSync, type PathLike, readdirSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { documentsOf, writeLogs } from "../../support/lm-eval-logs.ts";
import { type CommandResult, filesOf, listing, runProgram } from "../../support/run-command.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Writing a file of this name finds the disk full. */
const disk = vi.hoisted(() => ({ full: "" }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const writeFile = (path: PathLike, ...more: unknown[]): Promise<void> => {
    if (disk.full !== "" && String(path).endsWith(disk.full))
      return Promise.reject(Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }));
    return (real.writeFile as (...all: unknown[]) => Promise<void>)(path, ...more);
  };
  return { ...real, writeFile, default: { ...real, writeFile } };
});

const folder = tempFolder();
const board = folder.path("board");
const settings = folder.write(
  "settings.json",
  JSON.stringify({ models: 20, items: 60, scenarios: 2, subscenarios: 2 }),
);
const SHAPE = ["--settings", settings];

beforeAll(async () => {
  expect((await runProgram(["simulate", ...SHAPE, "--out", board])).code).toBe(0);
});
beforeEach(() => void (disk.full = ""));

const fitting = (out: string): string[] => [
  ...["fit", "--responses", `${board}/responses.csv.gz`, "--items", `${board}/items.jsonl.gz`],
  ...["--name", "demo@1.0.0", "--anchors", "5", "--set", "dims=1", "--provider", "typescript", "--out", out],
];

/** Presses Ctrl-C once a remark that begins so is made and the event loop turns. */
function interrupted(argv: readonly string[], remark: string): Promise<CommandResult> {
  return runProgram(argv, (text, interrupt) => {
    if (text.startsWith(remark)) setImmediate(interrupt);
  });
}

describe("a fit that is interrupted", () => {
  test("ends with exit code 1 and leaves nothing, not even a temporary folder", async () => {
    const before = listing(folder.path(""));
    const { code, out, err } = await interrupted(fitting(folder.path("stopped")), "plain TypeScript");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("anchoreval: the fit was stopped; nothing was written [aborted]\n");
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("leaves an old bundle as it was", async () => {
    for (const [name, bytes] of sampleBundle()) folder.write(`old/${name}`, bytes);
    const before = listing(folder.path(""));
    expect((await interrupted([...fitting(folder.path("old")), "--force"], "plain TypeScript")).code).toBe(1);
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("after the last calibration is not written either", async () => {
    const before = listing(folder.path(""));
    let late = false;
    const press = (text: string, interrupt: () => void): void => {
      if (!text.includes("100 %")) return;
      late = true;
      interrupt();
    };
    const { code, err } = await runProgram(fitting(folder.path("late")), press, true);
    expect({ code, late }).toEqual({ code: 1, late: true });
    expect(err).toContain("the fit was stopped; nothing was written [aborted]");
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("takes its listener away", async () => {
    const before = process.listenerCount("SIGINT");
    await interrupted(fitting(folder.path("stopped")), "plain TypeScript");
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});

describe("a fit that can't be written", () => {
  test.each(["manifest.json", "parameters.safetensors"])(
    "%s finds the disk full: no half bundle is left",
    async (name) => {
      const before = listing(folder.path(""));
      disk.full = name;
      const { code, out, err } = await runProgram(fitting(folder.path("full")));
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain(
        `anchoreval: ${folder.path("full")} could not be written: no space is left on the disk (ENOSPC)`,
      );
      expect(err).toContain(" [unavailable]\n");
      expect(listing(folder.path(""))).toEqual(before);
    },
  );

  test("has a file where a folder is wanted: a plain error, no defect", async () => {
    folder.write("taken", "a file");
    const before = listing(folder.path(""));
    const { code, err } = await runProgram(fitting(folder.path("taken/bundle")));
    expect(code).not.toBe(0);
    expect(err).toMatch(/taken\/bundle.*\[(unavailable|invalid_option)\]/);
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("leaves an old bundle as it was", async () => {
    for (const [name, bytes] of sampleBundle()) folder.write(`kept/${name}`, bytes);
    const before = filesOf(folder.path("kept"));
    disk.full = "anchors.jsonl";
    expect((await runProgram([...fitting(folder.path("kept")), "--force"])).code).toBe(1);
    expect(filesOf(folder.path("kept"))).toEqual(before);
    disk.full = "";
    expect((await runProgram([...fitting(folder.path("kept")), "--force"])).code).toBe(0);
    expect(filesOf(folder.path("kept"))).not.toEqual(before);
  });
});

describe("simulate", () => {
  const drawing = (out: string): string[] => ["simulate", ...SHAPE, "--out", out];

  test("hears an interrupt while it draws, and writes nothing", async () => {
    const out = folder.path("drawn/deeper");
    const started = interrupted([...drawing(out)], "never");
    // The listener is there from the first moment on; drawing itself never waits.
    for (const listener of process.listeners("SIGINT").slice(-1)) listener("SIGINT");
    const { code, err } = await started;
    expect(code).toBe(1);
    expect(err).toBe("anchoreval: simulate was stopped; nothing was written [aborted]\n");
    expect(existsSync(folder.path("drawn"))).toBe(false);
  });

  test("that can't write removes what it wrote, and the folders that it made", async () => {
    disk.full = "truth.safetensors";
    const { code, err } = await runProgram(drawing(folder.path("new/board")));
    expect(code).toBe(1);
    expect(err).toContain(
      `${folder.path("new/board")} could not be written: no space is left on the disk (ENOSPC) [unavailable]`,
    );
    expect(existsSync(folder.path("new"))).toBe(false);

    folder.write("mine/notes.txt", "mine");
    expect((await runProgram([...drawing(folder.path("mine")), "--force"])).code).toBe(1);
    expect(readdirSync(folder.path("mine"))).toEqual(["notes.txt"]);
  });

  test("over a folder of that file's name", async () => {
    mkdirSync(folder.path("blocked/items.jsonl.gz"), { recursive: true });
    const { code, err } = await runProgram([...drawing(folder.path("blocked")), "--force"]);
    expect(code).toBe(1);
    expect(err).toContain("could not be written: items.jsonl.gz is a folder [unavailable]");
    expect(readdirSync(folder.path("blocked"))).toEqual(["items.jsonl.gz"]);
  });
});

describe("import", () => {
  test("that can't write removes what it wrote, and the folder that it made", async () => {
    const items = Array.from({ length: 4 }, (_, i) => ({ item_id: `q${i}` }));
    const quiz = { documents: documentsOf(items, (i) => i % 2) };
    const logs = folder.path("logs");
    writeLogs(logs, { model: "Org/m", date: "2026-01-01T00-00-00.000001", tasks: { quiz } });
    disk.full = "import.json";
    const { code, out, err } = await runProgram(["import", "--from", "lm-eval", logs, "--out", folder.path("read")]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      `anchoreval: ${folder.path("read")} could not be written: no space is left on the disk (ENOSPC) [unavailable]\n`,
    );
    expect(existsSync(folder.path("read"))).toBe(false);
  });
});
