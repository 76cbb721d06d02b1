import { open } from "node:fs/promises";
import { AnchorEvalError } from "../core/errors.ts";
import { readError } from "./tables/file-chunks.ts";

/** A file that is read in places. */
export interface RandomAccess {
  readonly byteLength: number;
  /**
   * @param end - exclusive
   * @throws AnchorEvalError `invalid_data` where the file ends before
   */
  read(begin: number, end: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

/** @throws AnchorEvalError `not_found`, `unavailable`; `invalid_data` for a folder */
export async function openBytes(path: string): Promise<RandomAccess> {
  try {
    const file = await open(path);
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    }
    return {
      byteLength: stats.size,
      read: async (begin, end) => {
        const buffer = new ArrayBuffer(Math.max(0, end - begin));
        const { bytesRead } = await file.read(new Uint8Array(buffer), 0, buffer.byteLength, begin);
        if (bytesRead === buffer.byteLength) return buffer;
        throw new AnchorEvalError("invalid_data", `${path}: the file is cut short`, {
          issues: [{ path: [path], code: "damaged", message: "the file is cut short" }],
        });
      },
      close: () => file.close(),
    };
  } catch (error) {
    throw readError(path, error);
  }
}
