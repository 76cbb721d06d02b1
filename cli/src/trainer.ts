import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const PACKAGE = "anchoreval-trainer";

/** The package of the trainer isn't installed beside the program. */
export class TrainerMissing extends Error {
  /** The command that needs it. */
  readonly what: string;

  constructor(what: string) {
    super(`${what} needs the trainer, which is a package of its own:\n  npm install ${PACKAGE}`);
    this.name = "TrainerMissing";
    this.what = what;
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
