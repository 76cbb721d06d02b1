import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mostBytes } from "../core/bundle/most-bytes.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { isGone, thisPlace } from "./owner.ts";
import { readFound } from "./whole-file.ts";
import { DRAFT, existing, hasCode, toDisk } from "./write-file.ts";

/** Ends the name of the folder of whoever is replacing a file: its owner's name, and the new content under the owner's id. */
export const WRITER = ".writer";
const OWNER = "owner";
/** Far above its owner's name. @unit bytes */
const MOST_OWNER_BYTES = 1 << 12;

export interface SwapOptions {
  /**
   * A writer takes milliseconds. One that stands for so long, by this process's own clock, is taken for dead. @unit milliseconds
   * @default 10 s
   */
  readonly staleAfter?: number;
}

/** Writers that may be taken for dead one after the other before waiting ends. */
const MOST_STALE = 6;
/** @unit milliseconds */
const POLL = 20;

/** Who is replacing a file. */
interface Owner {
  readonly id: string;
  /** For messages. */
  readonly host: string;
  readonly place: string;
  readonly pid: number;
}

/** A tag of a content. */
export function tagOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Replaces a file, if its content still is the one of a tag. Among those who do so at once one is the writer: whoever gives
 * its folder, with its name and the new content, the name that only one can have. What it moves into the file's place lies in that folder
 * under its own id: a writer that stood still, and was taken for dead by another, finds nothing to move any more, and writes
 * nothing. So nothing is lost whoever is taken for dead: by others of its place where its process is gone, else once it has
 * stood still for a while; no clock is compared with another.
 * @returns false where the content is another one, or this writer was taken for dead: nothing was written
 * @throws AnchorEvalError `unavailable`, naming the writer, after a minute of waiting; what the file system throws
 */
export async function swapFile(
  path: string,
  content: Uint8Array,
  tag: string,
  { staleAfter = 10_000 }: SwapOptions = {},
): Promise<boolean> {
  const owner: Owner = { id: randomUUID(), host: hostname(), place: thisPlace(), pid: process.pid };
  const writer = path + WRITER;
  const draft = `${path}.${owner.id}${DRAFT}`;
  try {
    await mkdir(draft);
    await writeFile(join(draft, owner.id), content);
    await writeFile(join(draft, OWNER), JSON.stringify(owner));
    await toDisk(join(draft, owner.id));
    await become(writer, draft, path, staleAfter);
    const there = await existing(() => readFound(path, mostBytes(path)));
    if (there === null || tagOf(there) !== tag) return false;
    const isPlaced = (await existing(() => rename(join(writer, owner.id), path).then(() => true))) ?? false;
    await toDisk(dirname(path));
    return isPlaced;
  } finally {
    await remove(writer, owner.id, draft);
    await rm(draft, { recursive: true, force: true });
  }
}

/** Waits until the draft has the writer's name. */
async function become(writer: string, draft: string, path: string, staleAfter: number): Promise<void> {
  let seen: string | null = null;
  let since = performance.now();
  const begun = since;
  while (!(await renamed(draft, writer))) {
    const owner = await ownerOf(writer);
    if ((owner?.id ?? null) !== seen) [seen, since] = [owner?.id ?? null, performance.now()];
    const isDead = owner !== null && isGone(owner.place, owner.pid);
    if (isDead || performance.now() - since > staleAfter) await remove(writer, seen, `${draft}.dead`);
    else if (performance.now() - begun > MOST_STALE * staleAfter) throw busy(path, writer, owner);
    else await sleep(POLL);
  }
}

/** Takes away the folder of a writer: another one's that comes between finds nothing to move, and tries again. */
async function remove(writer: string, id: string | null, aside: string): Promise<void> {
  if (((await ownerOf(writer))?.id ?? null) !== id) return;
  await existing(() => rename(writer, aside));
  await rm(aside, { recursive: true, force: true });
}

/** Gives a folder a name that only one folder with files can have. @returns false where another has it */
async function renamed(folder: string, name: string): Promise<boolean> {
  try {
    await rename(folder, name);
    return true;
  } catch (error) {
    // Windows says EPERM of a folder that is there.
    if (hasCode(error, "ENOTEMPTY", "EEXIST", ...(process.platform === "win32" ? ["EPERM"] : []))) return false;
    throw error;
  }
}

async function ownerOf(writer: string): Promise<Owner | null> {
  const text = await existing(() => readFound(join(writer, OWNER), MOST_OWNER_BYTES));
  try {
    return text === null ? null : (JSON.parse(text.toString()) as Owner);
  } catch {
    return null; // cut short by a power cut
  }
}

function busy(path: string, writer: string, owner: Owner | null): AnchorEvalError {
  const who = owner ? `process ${owner.pid} on ${owner.host}` : "somebody unknown";
  return new AnchorEvalError(
    "unavailable",
    `${path} is being changed by others all the time, now by ${who}: try again, or remove ${writer} where that process is gone`,
  );
}
