import { rename, rm, writeFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/core";
import { npyBytes } from "./npy-bytes.ts";
import type { TextVectors } from "../extensions/routing/encode-texts.ts";

/**
 * Writes vectors as .npy, and their ids, a line each, beside it in NAME.ids.txt, which comes first: both wholly, or the
 * matrix not at all.
 * @throws AnchorEvalError `unavailable`
 */
export async function writeNpyEmbeddings(file: string, ids: readonly string[], vectors: TextVectors): Promise<void> {
  const idsFile = `${file.slice(0, -".npy".length)}.ids.txt`;
  try {
    for (const [path, content] of [
      [idsFile, ids.map((id) => `${id}\n`).join("")],
      [file, npyBytes(vectors)],
    ] as const) {
      await writeFile(`${path}.part`, content);
      await rename(`${path}.part`, path);
    }
  } catch (cause) {
    for (const path of [idsFile, file]) await rm(`${path}.part`, { force: true }).catch(() => undefined);
    throw new AnchorEvalError("unavailable", `${file} could not be written`, { cause });
  }
}
