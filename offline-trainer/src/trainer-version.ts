import { readFileSync } from "node:fs";

/** Version of this package. */
export function trainerVersion(): string {
  return (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }).version;
}
