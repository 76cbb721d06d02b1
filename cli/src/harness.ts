import * as zlib from "node:zlib";
import {
  harnessNamed,
  isReadable,
  type FormatReaders,
  type Harness,
  type HarnessName,
} from "anchoreval/internal/node/harnesses";
import { TrainerMissing, withTrainer } from "./trainer.ts";

/**
 * The reader of a harness's logs. Formats that the SDK, which has no dependency, doesn't read come from the trainer.
 * @param what - needs it, for the message
 * @throws TrainerMissing where nothing can be read without it
 */
export async function openHarness(name: HarnessName, what: string): Promise<Harness> {
  const complete = isReadable(name, {});
  const zstd = "zstdDecompressSync" in zlib; // logs of Inspect are compressed so; Node has it from 22.15 on
  if (complete && (zstd || name !== "inspect")) return harnessNamed(name);
  const formats = await withTrainer(what, loadFormats).catch((error: unknown) => {
    if (complete && error instanceof TrainerMissing) return {};
    throw error;
  });
  return harnessNamed(name, formats);
}

async function loadFormats(): Promise<FormatReaders> {
  return (await import("anchoreval-trainer/internal/formats")).FORMATS;
}
