// CPU time of the workerd that this process started.
import { readdir, readFile } from "node:fs/promises";

/** Linux counts it in hundredths of a second for every program, whatever the kernel's own clock. */
const TICK_MS = 10;

/**
 * Milliseconds of CPU, user and system, that the workerd below this process has had so far, in all of its threads.
 * @returns null where there is no /proc
 * @throws where there isn't exactly one workerd
 */
export async function workerdCpu() {
  const entries = await readdir("/proc").catch(() => []);
  if (!entries.includes("self")) return null;
  const found = [];
  for (const id of entries.filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => ""); // it may have ended
    // The name stands in parentheses and may hold any character; what follows it is numbers.
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (name === "workerd" && Number(rest[1]) === process.pid)
      found.push(TICK_MS * (Number(rest[11]) + Number(rest[12])));
  }
  if (found.length !== 1) throw new Error(`this process has ${found.length} workerd, not one`);
  return found[0];
}
