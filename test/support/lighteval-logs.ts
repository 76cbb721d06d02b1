import { cpSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LOGS = fileURLToPath(new URL("../fixtures/lighteval/logs", import.meta.url));

/** Copies the logs that lighteval wrote into a folder, under the names that it gave them. @returns the folder */
export function lightevalLogs(folder: string): string {
  cpSync(LOGS, folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      renameSync(join(entry.parentPath, entry.name), join(entry.parentPath, decodeURIComponent(entry.name)));
  return folder;
}
