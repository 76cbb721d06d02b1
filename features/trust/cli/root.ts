import { mostBytes } from "anchoreval/internal/bundles/read-file";
import { PUBLIC_KEY } from "anchoreval/internal/core/bundle/signature";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { checkRoots, signersOf } from "anchoreval/internal/features/trust/sdk/root-chain";
import {
  encodeTrustFile,
  parseRoot,
  parseTrustFile,
  rootProblem,
  type RootStatement,
  signedBytes,
  type SignedStatement,
} from "anchoreval/internal/features/trust/sdk/statements";
import { TRUST_FILE } from "anchoreval/internal/core/bundle/names";
import { readNamed } from "anchoreval/internal/node/whole-file";
import { existing, whyNot } from "anchoreval/internal/node/write-file";
import { type Action, option, type OptionReader, readExpiry } from "../../../cli/src/program/command.ts";
import type { Output } from "../../../cli/src/program/output.ts";
import { changeFile, type FileKey, readKey } from "./key-files.ts";

/** Roles of keys, as `--add` names them and as the root does. */
const ROLES = { root: "keys", bundles: "bundles", index: "index" } as const;

/** How long a root is valid unless told otherwise. @unit milliseconds */
const YEAR = 365 * 86_400_000;

export const changeRoot: Action = {
  summary: "the keys that readers trust, as a signed file: make it, change it, show it",
  operands: { usage: "FILE", option: "root" },
  options: {
    Data: {
      root: option(
        "FILE",
        "root.json: made where it isn't there, else its next version; without a change it is shown",
        {
          required: true,
        },
      ),
      key: option(
        "FILE",
        "a private key that signs it; may be repeated, and others sign later (anchoreval keys sign FILE)",
        {
          multiple: true,
        },
      ),
    },
    Change: {
      add: option(
        "ROLE:KEY,KEY…",
        "what signs the root itself (root:), bundles (bundles:) or indexes (index:): files of keys, or public keys; may be repeated",
        { multiple: true },
      ),
      remove: option("KEY", "a file of a key, or a public key, that may sign nothing more; may be repeated", {
        multiple: true,
      }),
      threshold: option("N", "how many of the root's own keys sign it (default: as before; 1 for a new one)"),
      expires: option("DATE", "last day (UTC), or an ISO 8601 time (default: a year from now)"),
    },
  },
  examples: [
    "keys root root.json --add root:a.pem,b.pem,c.pem --threshold 2 --add bundles:bundles.pem --key a.pem --key b.pem",
    "keys root root.json --remove bundles.pem --add bundles:new.pem --key a.pem --key c.pem",
  ],
  run: async ({ options, output }) => {
    const file = options.required("root");
    const keys = await Promise.all(options.texts("key").map((path) => readKey("--key", path)));
    const roots = await readRoots(file);
    const changes = ["add", "remove", "threshold", "expires"].filter((name) => options.isGiven(name));
    if (changes.length === 0) {
      if (keys.length > 0)
        throw invalidOption(`--key signs a change: anchoreval keys sign ${file} --key FILE signs what is there`);
      if (roots === null) throw invalidOption(`${file} isn't there: --add root:KEY makes it`);
      return report(output, roots);
    }
    await report(output, await changeRoots(file, (there) => nextRoots(there ?? [], options, keys)));
  },
};

/** Adds a key's signature to the newest version of a root, in the place of one that it has. */
export async function signRoot(file: string, key: FileKey, output: Output): Promise<void> {
  const signed = await changeRoots(file, (roots) => {
    const newest = roots?.at(-1);
    const statement = newest && parseRoot(newest);
    if (!statement) throw invalidOption(`${file} has no root that can be signed: anchoreval keys root makes one`);
    const former = roots!.length > 1 ? parseRoot(roots!.at(-2)!) : null;
    if (![...statement.keys, ...(former?.keys ?? [])].includes(key.key))
      throw invalidOption(
        `${key.key} isn't a key of root ${statement.version}, nor of the one before: its signature says nothing`,
      );
    return [...roots!.slice(0, -1), signedBy(newest, [key])];
  });
  await report(output, signed);
}

type Roots = readonly SignedStatement[];

/** Changes root.json; of those who sign it at the same time each signs what the one before wrote. @returns what it has now */
async function changeRoots(file: string, change: (roots: Roots | null) => Roots | Promise<Roots>): Promise<Roots> {
  let next: Roots = [];
  await changeFile(file, async (there) => {
    next = await change(there && parseRoots(file, there));
    return encodeTrustFile({ roots: next });
  });
  return next;
}

async function readRoots(file: string): Promise<Roots | null> {
  const bytes = await existing(() => readNamed(file, mostBytes(TRUST_FILE))).catch((cause: unknown) => {
    throw invalidOption(`${file} can't be read: ${whyNot(cause)}`, cause);
  });
  return bytes && parseRoots(file, bytes);
}

function parseRoots(file: string, bytes: Uint8Array): Roots {
  const trust = parseTrustFile(bytes);
  if (trust === null) throw invalidOption(`${file} is no root.json`);
  return trust.roots;
}

/** The versions with a changed one after them; it takes the place of a newest one that lacks signatures: nobody follows that. */
async function nextRoots(roots: Roots, options: OptionReader, keys: readonly FileKey[]): Promise<SignedStatement[]> {
  const newest = roots.at(-1);
  const last = newest ? parseRoot(newest) : null;
  if (newest && last === null) throw invalidOption("its newest root can't be read");
  const isDraft = newest !== undefined && (await missing(roots)) !== null;
  const kept = isDraft ? roots.slice(0, -1) : roots;
  const damage = kept.length > 0 ? await missing(kept) : null;
  if (damage !== null) throw invalidOption(`no version can follow on a root that isn't valid: ${damage}`);
  const lists = { keys: [...(last?.keys ?? [])], bundles: [...(last?.bundles ?? [])], index: [...(last?.index ?? [])] };
  for (const word of options.texts("remove")) {
    const key = await publicKey("--remove", word);
    if (!Object.values(lists).some((list) => list.includes(key)))
      throw invalidOption(`--remove ${word}: the root doesn't list ${key}`);
    for (const list of Object.values(lists)) if (list.includes(key)) list.splice(list.indexOf(key), 1);
  }
  for (const word of options.texts("add")) {
    const [, role, named] = /^(root|bundles|index):(.+)$/s.exec(word) ?? [];
    if (role === undefined) throw invalidOption(`--add takes root:KEY, bundles:KEY or index:KEY; got ${word}`);
    for (const part of named!.split(","))
      lists[ROLES[role as keyof typeof ROLES]].push(await publicKey("--add", part.trim()));
  }
  const statement: RootStatement = {
    type: "root",
    version: (kept.length > 0 ? parseRoot(kept.at(-1)!)!.version : 0) + 1,
    expires: readExpiry(options.text("expires")) ?? new Date(Date.now() + YEAR).toISOString(),
    threshold: options.number("threshold", { min: 1, integer: true }, last?.threshold ?? 1),
    ...lists,
  };
  const problem = rootProblem(statement);
  if (problem !== null) throw invalidOption(`the root ${problem}`);
  return [...kept, signedBy({ signed: JSON.stringify(statement), signatures: [] }, keys)];
}

async function publicKey(name: string, word: string): Promise<string> {
  return PUBLIC_KEY.test(word) ? word : (await readKey(name, word)).key;
}

function signedBy({ signed, signatures }: SignedStatement, keys: readonly FileKey[]): SignedStatement {
  const bytes = signedBytes("root", signed);
  const others = signatures.filter((signature) => !keys.some(({ key }) => key === signature.key));
  return { signed, signatures: [...others, ...keys.map((key) => key.sign(bytes))] };
}

/** Why readers don't follow to the newest version yet; null where they do. */
async function missing(roots: readonly SignedStatement[]): Promise<string | null> {
  try {
    await checkRoots(roots, "root.json");
    return null;
  } catch (error) {
    if (error instanceof AnchorEvalError && error.code === "bundle_untrusted") return error.message;
    throw error;
  }
}

async function report(output: Output, roots: readonly SignedStatement[]): Promise<void> {
  const newest = roots.at(-1)!;
  const statement = parseRoot(newest);
  if (statement === null) throw invalidOption("its newest root can't be read");
  const { version, expires, threshold, keys, bundles, index } = statement;
  const signers = await signersOf("root", newest, keys);
  const why = await missing(roots);
  output.result({ ...statement, signers, complete: why === null }, [
    `root ${version}, ${Date.parse(expires) > Date.now() ? "valid until" : "expired at"} ${expires}; ${threshold} of ${keys.length} keys sign it`,
    ...keys.map((key) => `root     ${key}${signers.includes(key) ? "  signed" : ""}`),
    ...bundles.map((key) => `bundles  ${key}`),
    ...index.map((key) => `index    ${key}`),
    ...(why === null ? [] : [`not valid yet: ${why}; anchoreval keys sign adds a signature`]),
  ]);
}
