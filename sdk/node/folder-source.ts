import { open } from "node:fs/promises";
import { join } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource, ByteRange } from "../core/bundle/bundle.ts";

/**
 * Reads a bundle from a folder, as `anchoreval fit --out DIR` writes it.
 * @example await loadBundle(folderSource("out/helm-lite"))
 */
export function folderSource(folder: string): BundleSource {
  const read = async (file: string, range?: ByteRange): Promise<Uint8Array | null> => {
    let handle;
    try {
      handle = await open(join(folder, file), "r");
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT" || (cause as NodeJS.ErrnoException).code === "ENOTDIR")
        return null;
      throw new AnchorEvalError("unavailable", `${join(folder, file)} could not be opened`, { cause });
    }
    try {
      if (!range) return new Uint8Array(await handle.readFile());
      const { size } = await handle.stat();
      const bytes = new Uint8Array(Math.max(0, Math.min(range.end, size) - range.begin));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, range.begin);
      return bytes.subarray(0, bytesRead);
    } catch (cause) {
      throw new AnchorEvalError("unavailable", `${join(folder, file)} could not be read`, { cause });
    } finally {
      await handle.close();
    }
  };
  return {
    name: folder,
    read: (file, { range } = {}) => read(file, range),
    readSignatures: () => read(SIGNATURE_FILE),
  };
}
