import * as zlib from "node:zlib";
import { harnessNamed, type Harness, type HarnessName } from "anchoreval/internal/node/harnesses";
import { TrainerMissing, withTrainer } from "./trainer.ts";

/**
 * The reader of a harness's logs. Formats that the SDK, which has no dependency, doesn't read come from the trainer.
 * @param what - needs it, for the message
 * @throws TrainerMissing where nothing can be read without it
 */
export async function openHarness(name: HarnessName, what: string): Promise<Harness> {
  const isParquet = name === "lighteval";
  const isZstd = name === "inspect" && !("zstdDecompressSync" in zlib); // Node has it from 22.15 on
  if (!isParquet && !isZstd) return harnessNamed(name);
  const load = async (): Promise<Harness> =>
    harnessNamed(name, (await import("anchoreval-trainer/internal/formats")).FORMATS);
  return withTrainer(what, load).catch((error: unknown) => {
    if (isZstd && error instanceof TrainerMissing) return harnessNamed(name); // not all logs are compressed so
    throw error;
  });
}
