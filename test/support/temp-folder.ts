import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

/** A folder for the files of one test file, removed after it. */
export interface TempFolder {
  path(name: string): string;
  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): string;
}

export function tempFolder(): TempFolder {
  const folder = mkdtempSync(join(tmpdir(), "anchoreval-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write: (name, content) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
  };
}
