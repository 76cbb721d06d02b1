import { mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * Why nothing can be made in a folder, or in what it would lie in: what is there is a file, or may not be written to. Null
 * where something can. It is tried, by an empty folder that is removed at once: rights alone don't tell.
 * @example const why = await whyNotWritable("out/mine"); // "out is a file"
 */
export async function whyNotWritable(folder: string): Promise<string | null> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const there = await stat(path).catch(() => null);
    if (there === null && path !== dirname(path)) continue;
    if (there?.isDirectory() === false) return `${path} is a file`;
    try {
      await rmdir(await mkdtemp(join(path, ".anchoreval-")));
      return null;
    } catch (error) {
      return `${path} can't be written to (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
    }
  }
}
