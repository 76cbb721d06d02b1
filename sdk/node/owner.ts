import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The host's name, of the letters that file names have everywhere. */
const HOST = hostname().replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40) || "host"; // prettier-ignore

/**
 * Where a process's number means this process: a boot and a namespace of numbers, since containers may share a host's name. "0"
 * where the system tells neither.
 */
const PLACE = ((): string => {
  try {
    const text = readFileSync("/proc/sys/kernel/random/boot_id", "utf8") + readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(text).digest("hex").slice(0, 8);
  } catch {
    return "0";
  }
})();

const BEGUN = processOf(process.pid)?.begun ?? "0";

/** A name for what this process makes, unlike all others: HOST.PID.BEGUN.PLACE.RANDOM. */
export function ownerName(): string {
  return [HOST, process.pid, BEGUN, PLACE, randomBytes(8).toString("hex")].join(".");
}

/**
 * Whether the process that made a name is gone for certain. False where nobody here can know: it ran on another host, in another
 * container, before this boot.
 */
export function isGone(owner: string): boolean {
  const [host, pid, begun, place] = owner.split(".");
  if (host !== HOST || place !== PLACE || !/^[1-9]\d*$/.test(pid!)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const now = processOf(Number(pid));
  return now !== null && (now.begun !== begun || now.isDead);
}

/** The process that made a name, for messages. @example "process 4711 on build-3" */
export function ownerWords(owner: string): string {
  const [host, pid, ...more] = owner.split(".");
  return more.length === 3 ? `process ${pid} on ${host}` : owner;
}

/** When a process began, in clock ticks since the boot, and whether only its entry is left; null where the system doesn't tell. */
function processOf(pid: number): { readonly begun: string; readonly isDead: boolean } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // from the third, the state, on: proc_pid_stat(5)
    return { begun: fields[19]!, isDead: "ZX".includes(fields[0]!) };
  } catch {
    return null;
  }
}
