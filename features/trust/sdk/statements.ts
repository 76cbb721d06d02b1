import {
  decodeJson,
  flag,
  type Infer,
  list,
  nullable,
  number,
  object,
  oneOf,
  readOrNull,
  text,
} from "../../../sdk/core/bundle/schema.ts";
import { BENCHMARK_NAME, VERSION } from "../../../sdk/core/bundle/names.ts";
import { type ManifestSignature, PUBLIC_KEY, signatureList } from "../../../sdk/core/bundle/signature.ts";
import { keyProblem } from "../../../sdk/bundles/trusted-source.ts";
import { logHead } from "../../../sdk/bundles/publication-log.ts";

/** A statement as it was signed, letter for letter, and who signed it. */
export interface SignedStatement {
  /** JSON of a {@link RootStatement} or an {@link IndexStatement}. */
  readonly signed: string;
  readonly signatures: readonly ManifestSignature[];
}

/**
 * A file of trust. `root.json` has the versions of a root alone, each after the one that it replaces; `trust.json`, beside
 * the versions of a published benchmark, has its signed index too.
 */
export interface TrustFile {
  readonly roots: readonly SignedStatement[];
  readonly index?: SignedStatement;
}

const keys = list(text({ pattern: PUBLIC_KEY }));
const time = text({
  problem: (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) && !Number.isNaN(Date.parse(value))
      ? null
      : "is no time such as 2027-01-31T12:00:00Z",
});

const root = object({
  type: oneOf(["root"]),
  /** From 1, one more each time. */
  version: number({ min: 1, integer: true }),
  /** Refused from then on. */
  expires: time,
  /** Signatures by `keys` that this version and the next one need. */
  threshold: number({ min: 1, integer: true }),
  keys,
  /** One of these signs a bundle. */
  bundles: keys,
  /** One of these signs indexes; none: indexes aren't signed. */
  index: keys,
});

const index = object(
  {
    type: oneOf(["index"]),
    benchmark: text({ pattern: BENCHMARK_NAME }),
    /** One more than the index that it replaces. */
    number: number({ min: 1, integer: true }),
    issued: time,
    /** Readers warn from then on: a newer one should be there. */
    due: time,
    /** Readers refuse it from then on. */
    expires: time,
    latest: nullable(text({ pattern: VERSION })),
    versions: list(object({ version: text({ pattern: VERSION }), digest: text(), yanked: flag }, { reason: text() })),
  },
  /** Where the log of publications had come to. */
  { log: logHead },
);

/** The keys that are trusted, and until when. */
export type RootStatement = Infer<typeof root>;

/** A benchmark's versions with their digests, and until when that is the newest word. */
export type IndexStatement = Infer<typeof index>;

const signedStatement = object({ signed: text(), signatures: signatureList });
const file = object({ roots: list(signedStatement, 1) }, { index: signedStatement });

/** Reads root.json or trust.json; null where it is damaged. What its statements say is not looked at. */
export function parseTrustFile(bytes: Uint8Array): TrustFile | null {
  return readOrNull(file, () => decodeJson(bytes));
}

export function encodeTrustFile(trust: TrustFile): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(trust, null, 1)}\n`);
}

export function parseRoot({ signed }: SignedStatement): RootStatement | null {
  return readOrNull(root, () => JSON.parse(signed));
}

/**
 * Why a root can't be one, though it can be read: its threshold is out of reach, a key counts twice, or is none. Null where it can.
 * @example rootProblem({ ...root, threshold: 4 }) // "asks for 4 signatures and lists 3 keys"
 */
export function rootProblem({ keys: roots, threshold, bundles, index: indexes }: RootStatement): string | null {
  if (threshold > roots.length) return `asks for ${threshold} signatures and lists ${roots.length} keys`;
  for (const role of [roots, bundles, indexes]) {
    const twice = role.find((key, at) => role.indexOf(key) !== at);
    if (twice !== undefined) return `lists the key ${twice} twice`;
    for (const key of role) {
      const problem = keyProblem(key);
      if (problem !== null) return `lists ${key}, which ${problem}`;
    }
  }
  return null;
}

export function parseIndexStatement({ signed }: SignedStatement): IndexStatement | null {
  return readOrNull(index, () => JSON.parse(signed));
}

/**
 * The bytes that a statement's signature is of. What they begin with keeps a signature of a root from being one of a bundle,
 * whose manifest is JSON, or of an index.
 */
export function signedBytes(type: "root" | "index", signed: string): Uint8Array {
  return new TextEncoder().encode(`anchoreval ${type}\n${signed}`);
}
