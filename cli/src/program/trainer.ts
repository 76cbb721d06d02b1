import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as zlib from "node:zlib";
import type { Harness } from "anchoreval/internal/node/logs/harnesses";
import type { HarnessName } from "anchoreval/internal/node/logs/readers";

const PACKAGE = "anchoreval-trainer";

/** The package of the trainer isn't installed beside the program. */
export class TrainerMissing extends Error {
  constructor(what: string) {
    super(`${what} needs the trainer, which is a package of its own:\n  npm install ${PACKAGE}`);
    this.name = "TrainerMissing";
  }
}

/**
 * Loads what imports the trainer.
 * @param what - needs it, for the message
 * @throws TrainerMissing where the package isn't installed
 */
export async function withTrainer<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${PACKAGE}'`)) throw new TrainerMissing(what);
    throw error;
  }
}

/**
 * The program of a trainer that is installed where the command is called, though not beside this program, as where this one
 * is installed globally; null where there is none.
 */
export function programNear(folder: string): URL | null {
  try {
    const trainer = createRequire(join(folder, "index.js")).resolve(PACKAGE);
    const program = createRequire(trainer).resolve("anchoreval/internal/program/main");
    return program === fileURLToPath(import.meta.url) || !existsSync(program) ? null : pathToFileURL(program);
  } catch {
    return null;
  }
}

/** Node itself unpacks zstd, from 22.15 on. */
const ZSTD = "zstdDecompressSync" in zlib;

/** Whether compressed logs of Inspect can be read: by Node itself, or by the trainer where that is installed. */
export async function readsZstd(): Promise<boolean> {
  if (ZSTD) return true;
  return withTrainer("zstd", () => import("anchoreval-trainer/internal/matrix/readers/formats")).then(
    () => true,
    () => false,
  );
}

/**
 * The reader of a harness's logs. Formats that the SDK, which has no dependency, doesn't read come from the trainer.
 * @param what - needs it, for the message
 * @throws TrainerMissing where nothing can be read without it
 */
export async function openHarness(name: HarnessName, what: string): Promise<Harness> {
  const { harnessNamed } = await import("anchoreval/internal/node/logs/harnesses");
  const isParquet = name === "lighteval";
  const isZstd = name === "inspect" && !ZSTD;
  if (!isParquet && !isZstd) return harnessNamed(name);
  try {
    const { FORMATS } = await withTrainer(what, () => import("anchoreval-trainer/internal/matrix/readers/formats"));
    return harnessNamed(name, FORMATS);
  } catch (error) {
    if (isZstd && error instanceof TrainerMissing) return harnessNamed(name); // not all logs are compressed so
    throw error;
  }
}

/** The version of the package that the program is bundled into; the trainer has the same. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
    .version;
}
