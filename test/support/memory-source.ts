import type { BundleFileName, BundleSource } from "anchoreval/bundle";

/** A bundle source over files in memory that counts the bytes it gave. */
export function memorySource(files: ReadonlyMap<BundleFileName, Uint8Array>): BundleSource & { bytesRead: number } {
  return {
    name: "memory",
    bytesRead: 0,
    read(file, { range } = {}) {
      const bytes = files.get(file);
      if (!bytes) return Promise.resolve(null);
      const part = range ? bytes.slice(range.begin, range.end) : bytes.slice();
      this.bytesRead += part.length;
      return Promise.resolve(part);
    },
  };
}
