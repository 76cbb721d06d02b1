import { open, type FileHandle } from "node:fs/promises";
import { readError } from "anchoreval/node";
import type { AsyncBuffer } from "hyparquet";

/** @throws AnchorEvalError `not_found`, `unavailable`, as for tables of text */
export async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if (!(await file.stat()).isDirectory()) return file;
    await file.close();
    throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  } catch (error) {
    throw readError(path, error);
  }
}

/** An open file as hyparquet takes it: pieces are read when they are asked for. */
export async function fileBuffer(file: FileHandle): Promise<AsyncBuffer> {
  const { size } = await file.stat();
  return {
    byteLength: size,
    slice: async (start, end = size) => {
      const buffer = new ArrayBuffer(end - start);
      const { bytesRead } = await file.read(new Uint8Array(buffer), 0, end - start, start);
      if (bytesRead < end - start) throw new Error("the file ends too early");
      return buffer;
    },
  };
}
