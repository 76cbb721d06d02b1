import { invalidOption } from "anchoreval/internal/core/errors";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { BundleSource } from "anchoreval/internal/core/bundle/bundle";
import { PUBLIC_KEY } from "anchoreval/internal/core/bundle/signature";
import { folderStore } from "anchoreval/internal/node/folder";
import { changeObject } from "anchoreval/internal/bundles/bundle-store";
import { parseIndexStatement, parseTrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { type TrustMemory, trustRoot } from "anchoreval/internal/features/trust/sdk/trust-root";
import { mostBytes } from "anchoreval/internal/bundles/read-file";
import { TRUST_FILE } from "anchoreval/internal/core/bundle/names";
import { readFound } from "anchoreval/internal/node/whole-file";
import { hasCode } from "anchoreval/internal/node/write-file";
import { warn } from "../../../cli/src/program/output.ts";

/**
 * Reads the file of a root that ANCHOREVAL_TRUSTED_KEYS names.
 * @returns null for public keys, comma-separated
 * @throws AnchorEvalError `invalid_option` for a file that can't be read, or is no root.json
 */
export function readRoot(setting: string): ((source: BundleSource) => BundleSource) | null {
  if (setting.includes(",") || PUBLIC_KEY.test(setting.trim())) return null;
  let root: string;
  try {
    root = readFileSync(setting, "utf8");
  } catch (cause) {
    throw invalidOption(`${setting} is neither a public key of Ed25519 nor a root.json that can be read: those are trusted (ANCHOREVAL_TRUSTED_KEYS)`, cause); // prettier-ignore
  }
  return trustRoot(root, { memory: folderMemory(memoryFolder(process.env)), onWarning: warn });
}

/**
 * The user's folder for what programs remember. Not that for caches: emptied, it would let a host show an older root again.
 * @example memoryFolder({ XDG_STATE_HOME: "/home/a/.state" }) // "/home/a/.state/anchoreval/trust"
 */
export function memoryFolder(env: Readonly<Record<string, string | undefined>>): string {
  const home = env["XDG_STATE_HOME"] ?? env["LOCALAPPDATA"] ?? join(homedir(), ".local", "state");
  return join(home, "anchoreval", "trust");
}

/**
 * A memory in files. Of processes that remember at once the one with the newer root or index has the last word. Where the folder
 * can't be written to, that is warned of, and what was loaded is used.
 */
export function folderMemory(folder: string): TrustMemory {
  const fileOf = (key: string): string => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  return {
    read: async (key) => {
      try {
        return (await readFound(fileOf(key), mostBytes(TRUST_FILE))).toString();
      } catch (cause) {
        if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
        throw invalidOption(`${fileOf(key)}, which remembers the newest root and index, can't be read`, cause);
      }
    },
    write: async (key, text) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const store = folderStore(folder);
        await changeObject(store, basename(fileOf(key)), (there) => newerOf(there, new TextEncoder().encode(text)));
      } catch (error) {
        warn(
          `${(error as Error).message}: the newest root and index aren't remembered, so an older one won't be noticed`,
        );
      }
    },
  };
}

/** The text that is remembered: another process's, where the index or the root that it wrote meanwhile is newer. */
function newerOf(there: Uint8Array | null, written: Uint8Array): Uint8Array {
  const [number, roots] = ageOf(written);
  const [before, rootsBefore] = there ? ageOf(there) : [0, 0];
  return there !== null && (number < before || (number === before && roots < rootsBefore)) ? there : written;
}

/** The number of an index, and the versions of a root, that a remembered text is of. */
function ageOf(text: Uint8Array): [number: number, roots: number] {
  const trust = parseTrustFile(text);
  if (trust) return [(trust.index && parseIndexStatement(trust.index)?.number) ?? 0, trust.roots.length];
  return [Number.parseInt(new TextDecoder().decode(text), 10) || 0, 0]; // a version that was latest, after its index' number
}
