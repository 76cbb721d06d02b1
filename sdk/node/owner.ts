import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { hasCode } from "./write-file.ts";

/**
 * Where a process's number means one process, in a few letters: a machine since it was started, and there a container, since
 * those of a host may share its name. By the host's name alone where the system tells no more.
 */
export function thisPlace(): string {
  const parts = [hostname()];
  try {
    parts.push(readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), readlinkSync("/proc/self/ns/pid"));
  } catch {
    // no Linux
  }
  return createHash("sha256").update(parts.join()).digest("hex").slice(0, 8);
}

/** Whether a process is gone for certain: it ran in this place, and doesn't any more. */
export function isGone(place: string, pid: number): boolean {
  return place === thisPlace() && !isRunning(pid);
}

/** Whether a process of this place is there. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
