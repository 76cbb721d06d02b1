import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BundleSource } from "anchoreval/internal/core/bundle/bundle";
import { PUBLIC_KEY } from "anchoreval/internal/core/bundle/signature";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { changeFile } from "anchoreval/internal/node/file-lock";
import { hasCode, systemReason } from "anchoreval/internal/node/system-error";
import { parseIndexStatement, parseTrustFile } from "anchoreval/internal/trust/statements";
import { type TrustMemory, trustRoot } from "anchoreval/internal/trust/trust-root";
import { invalidOption } from "../command.ts";
import { printable } from "../output.ts";

/**
 * Reads whom ANCHOREVAL_TRUSTED_KEYS names: public keys, comma-separated, or the file of a root.
 * @throws AnchorEvalError `invalid_option` for a file that can't be read, or is no root.json
 */
export function readTrusted(setting: string): readonly string[] | ((source: BundleSource) => BundleSource) {
  const parts = setting.split(",").map((part) => part.trim());
  if (parts.length > 1 || PUBLIC_KEY.test(parts[0]!)) return parts;
  let root: string;
  try {
    root = readFileSync(setting, "utf8");
  } catch (cause) {
    throw invalidOption(`${setting} is neither a public key of Ed25519 nor a root.json that can be read: those are trusted (ANCHOREVAL_TRUSTED_KEYS)`, cause); // prettier-ignore
  }
  return trustRoot(root, { memory: folderMemory(memoryFolder(process.env)), onWarning: warn });
}

/** Warnings of trust are printed whatever is quiet. */
export function warn(message: string): void {
  process.stderr.write(`${printable(`warning: ${message}`)}\n`);
}

/**
 * The user's folder for what programs remember. Not that for caches: emptied, it would let a host show an older root again.
 * @example memoryFolder({ XDG_STATE_HOME: "/home/a/.state" }) // "/home/a/.state/anchoreval/trust"
 */
export function memoryFolder(env: Readonly<Record<string, string | undefined>>): string {
  const own = env["XDG_STATE_HOME"] ?? env["LOCALAPPDATA"] ?? join(homedir(), ".local", "state");
  return join(own, "anchoreval", "trust");
}

/**
 * A memory in files, which commands side by side share: the newest that any of them saw stays. Where the folder can't be written
 * to, that is warned of, and what was loaded is used.
 */
export function folderMemory(folder: string): TrustMemory {
  const fileOf = (key: string): string => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  return {
    read: async (key) => {
      try {
        return await readFile(fileOf(key), "utf8");
      } catch (cause) {
        if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
        throw invalidOption(
          `${fileOf(key)}, which remembers the newest root and index, can't be read: ${systemReason(cause)}`,
          cause,
        );
      }
    },
    write: async (key, text) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        await changeFile(fileOf(key), (there) => (there !== null && isOlder(text, there.toString()) ? null : text));
      } catch (error) {
        const why = error instanceof AnchorEvalError ? error.message : systemReason(error);
        warn(
          `${folder} can't be written to: the newest root and index aren't remembered, so an older one won't be noticed (${why})`,
        );
      }
    },
  };
}

/** Whether a text has an index of a lower number than another, or a root of fewer versions: another command saw more meanwhile. */
function isOlder(text: string, other: string): boolean {
  const [own, there] = [text, other].map((one) => parseTrustFile(new TextEncoder().encode(one)));
  if (!own || !there) return false;
  const numbers = [own, there].map(({ index }) => (index && parseIndexStatement(index)?.number) ?? 0);
  return numbers[0]! < numbers[1]! || (numbers[0] === numbers[1] && own.roots.length < there.roots.length);
}
