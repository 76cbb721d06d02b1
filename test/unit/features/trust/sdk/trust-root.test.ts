import { type BundleSource, loadBundle, trustRoot } from "anchoreval";
import type { TrustMemory } from "anchoreval/internal/features/trust/sdk/trust-root";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import {
  encodeTrustFile,
  type IndexStatement,
  parseTrustFile,
  type SignedStatement,
} from "anchoreval/internal/features/trust/sdk/statements";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { type SigningKey, signingKey } from "../../../../support/signing-key.ts";
import { at, DAY, NOW, rootJson, rootOf, sign } from "../../../../support/trust.ts";

const [a, b, c, bundles, successor, index, thief] = await Promise.all([signingKey(), signingKey(), signingKey(), signingKey(), signingKey(), signingKey(), signingKey()]); // prettier-ignore
const first = await sign("root", rootOf(1, { keys: [a, b, c], bundles: [bundles], index: [index] }), [a, b]);
/** The bundles' key was stolen. */
const second = await sign("root", rootOf(2, { keys: [a, b, c], bundles: [successor], index: [index] }), [b, c]);

const files = { "1.0.0": sampleBundle(), "1.1.0": sampleBundle({ version: "1.1.0" }) };
type Version = keyof typeof files;
const manifestOf = (version: Version): Uint8Array => files[version].get("manifest.json")!;
const digestOf = (version: Version): string => `sha256:${sha256Hex(manifestOf(version))}`;
const entry = (version: Version, more: object = {}) => ({ version, digest: digestOf(version), yanked: false, ...more });

/** An index issued now that names both versions, unless told otherwise. */
const indexOf = (number: number, more: Partial<IndexStatement> = {}): IndexStatement => ({
  type: "index",
  benchmark: "sample",
  number,
  issued: at(NOW),
  due: at(NOW + DAY),
  expires: at(NOW + 7 * DAY),
  latest: "1.1.0",
  versions: [entry("1.0.0"), entry("1.1.0")],
  ...more,
});
const signedIndex = (number: number, more: Partial<IndexStatement> = {}, signers = [index]): Promise<SignedStatement> =>
  sign("index", indexOf(number, more), signers);
const current = await signedIndex(1);

interface Host {
  readonly asked?: string;
  readonly roots?: readonly SignedStatement[];
  readonly index?: SignedStatement | null;
  readonly signer?: SigningKey;
}

/** A host that answers with a version and this trust.json. */
async function host(
  version: Version,
  { asked = version, roots = [first], index: own = current, signer = bundles }: Host = {},
): Promise<BundleSource> {
  const inner = memorySource(files[version]);
  const signatures = await signer.file(manifestOf(version));
  const trust = encodeTrustFile({ roots, ...(own && { index: own }) });
  return {
    name: `https://h/v1/bundles/sample/${asked}/files`,
    read: (file, options) => inner.read(file, options),
    readSignatures: () => Promise.resolve(signatures),
    readTrust: () => Promise.resolve(trust),
  };
}

/** A reader with a memory of its own, whose clock can be set. */
function reader(root = rootJson(first)) {
  const kept = new Map<string, string>();
  const memory: TrustMemory = { read: (key) => kept.get(key) ?? null, write: (key, text) => kept.set(key, text) };
  const warnings: string[] = [];
  const clock = { now: NOW };
  const trustedKeys = trustRoot(root, { memory, now: () => clock.now, onWarning: (text) => warnings.push(text) });
  const load = (source: BundleSource) => loadBundle(source, { trustedKeys });
  return { load, warnings, clock, kept };
}
const refused = async (loading: Promise<unknown>, words: string): Promise<void> =>
  expectRefusal(await rejection(loading), "bundle_untrusted", words);

test("a bundle that a key of the root signed, and a current index names, is loaded without a word", async () => {
  const { load, warnings } = reader();
  for (const version of ["1.0.0", "1.1.0"] as const)
    expect((await load(await host(version))).digest).toBe(digestOf(version));
  expect((await load(await host("1.1.0", { asked: "latest" }))).manifest.version).toBe("1.1.0");
  expect(warnings).toEqual([]);
});

test("a part of the manifest is given of a trusted one alone, and its card isn't", async () => {
  const open = trustRoot(rootJson(first), { now: () => NOW });
  const range = { begin: 5, end: 9 };
  const good = open({ ...(await host("1.0.0")), readCard: () => Promise.resolve(null) });
  expect(await good.read("manifest.json", { range })).toEqual(manifestOf("1.0.0").slice(5, 9));
  expect("readCard" in good).toBe(false);
  await refused(
    open(await host("1.0.0", { signer: thief })).read("manifest.json", { range }),
    "no trusted key signed it",
  );
});

describe("a stolen key of bundles", () => {
  test("is refused once the next root leaves it out, by the reader who has the former root alone", async () => {
    const { load } = reader();
    await load(await host("1.0.0"));
    const stolen = host("1.0.0", { roots: [first, second] });
    await refused(load(await stolen), `it is signed by ${bundles.key}, which root 2 revoked`);
    expect(await load(await host("1.0.0", { roots: [first, second], signer: successor }))).toBeDefined();
  });

  test("stays refused where a host holds the next root back from who has seen it", async () => {
    const { load } = reader();
    await load(await host("1.0.0", { roots: [first, second], signer: successor }));
    await refused(load(await host("1.0.0")), "which root 2 revoked");
  });

  test("can't change the root, which takes two of the root's own", async () => {
    const own = await sign("root", rootOf(2, { keys: [a, b, c], bundles: [thief], index: [index] }), [bundles, index]);
    const { load } = reader();
    await refused(load(await host("1.0.0", { roots: [first, own], signer: thief })), "root 2 has 0 of the 2");
  });
});

describe("an older index than was seen", () => {
  test("is refused (rollback), in the next run too, and by nobody who has a memory of another place", async () => {
    const [older, newer] = [current, await signedIndex(2)];
    const { load, kept } = reader();
    await load(await host("1.0.0", { index: newer }));
    await refused(
      load(await host("1.0.0", { index: older })),
      "is older than number 2, which was seen there before (rollback)",
    );
    expect([...kept.keys()].filter((key) => key.startsWith("index https://h/v1/bundles/sample "))).toHaveLength(1);
    await load({ ...(await host("1.0.0", { index: older })), name: "https://mirror/v1/bundles/sample/1.0.0/files" });
  });

  test("of the same number is another one (fork); a newer one may not lose or change a version", async () => {
    const { load } = reader();
    await load(await host("1.0.0"));
    const fork = await signedIndex(1, { issued: at(NOW + 1) });
    await refused(load(await host("1.0.0", { index: fork })), "is another one than the number 1");
    const lost = await signedIndex(2, { versions: [entry("1.0.0")], latest: "1.0.0" });
    await refused(load(await host("1.0.0", { index: lost })), "no longer names version 1.1.0 (fork)");
    const changed = await signedIndex(2, { versions: [entry("1.0.0"), entry("1.1.0", { digest: digestOf("1.0.0") })] });
    await refused(
      load(await host("1.0.0", { index: changed })),
      "names another bundle as version 1.1.0 than before (fork)",
    );
    expect(await load(await host("1.0.0"))).toBeDefined(); // what was refused isn't remembered
  });

  test("may not cut the log of publications, nor name another one of the same length", async () => {
    const { load } = reader();
    const head = (letter: string): string => `sha256:${letter.repeat(64)}`;
    const named = (number: number, entries: number, letter: string) =>
      signedIndex(number, { log: { entries, head: head(letter) } });
    await load(await host("1.0.0", { index: await named(2, 3, "a") }));
    const cut = await named(3, 2, "a");
    await refused(load(await host("1.0.0", { index: cut })), "has a shorter log of publications than the 3 lines seen before (rollback)"); // prettier-ignore
    await refused(load(await host("1.0.0", { index: await signedIndex(3) })), "has a shorter log of publications");
    const fork = await named(3, 3, "b");
    await refused(load(await host("1.0.0", { index: fork })), "another log of publications than was seen there before (fork)"); // prettier-ignore
    expect(await load(await host("1.0.0", { index: await named(3, 4, "c") }))).toBeDefined();
  });

  test("begins anew under other index keys, so that a thief's large number locks nobody out", async () => {
    const { load } = reader();
    await load(await host("1.0.0", { index: await signedIndex(2 ** 50) }));
    const rotated = await sign("root", rootOf(2, { keys: [a, b, c], bundles: [bundles], index: [successor] }), [a, b]);
    const restarted = await signedIndex(1, {}, [successor]);
    expect(await load(await host("1.0.0", { roots: [first, rotated], index: restarted }))).toBeDefined();
    await refused(
      load(await host("1.0.0", { roots: [first, rotated] })),
      `its index is signed by ${index.key}, which root 2 revoked`,
    );
  });

  test("without a memory, is taken as long as its date allows", async () => {
    const trustedKeys = trustRoot(rootJson(first), { now: () => NOW });
    await loadBundle(await host("1.0.0", { index: await signedIndex(2) }), { trustedKeys });
    expect(await loadBundle(await host("1.0.0"), { trustedKeys })).toBeDefined();
  });
});

test("an index that nobody renews (freeze) is warned of from its date on, then refused", async () => {
  const { load, warnings, clock } = reader();
  const source = await host("1.0.0");
  clock.now = NOW + DAY - 1;
  await load(source);
  expect(warnings).toEqual([]);
  clock.now = NOW + DAY;
  await load(source);
  expect(warnings).toEqual([expect.stringContaining(`is overdue since ${at(NOW + DAY)}`)]);
  clock.now = NOW + 7 * DAY;
  await refused(load(source), `expired at ${at(NOW + 7 * DAY)}`);
});

test("a root that expires soon is warned of, and refused when it has", async () => {
  const { load, warnings, clock } = reader();
  clock.now = NOW + 340 * DAY;
  const late = await signedIndex(9, {
    issued: at(clock.now),
    due: at(clock.now + 60 * DAY),
    expires: at(clock.now + 90 * DAY),
  });
  await load(await host("1.0.0", { index: late }));
  expect(warnings).toEqual([expect.stringContaining("root 1 expires at")]);
  clock.now = NOW + 365 * DAY;
  await refused(load(await host("1.0.0", { index: late })), "root 1 expired at");
});

describe("a host that mixes what was signed", () => {
  test.each<[string, Version, () => Host | Promise<Host>, string]>([
    [
      "a bundle under the digest of another",
      "1.0.0",
      async () => ({ index: await signedIndex(1, { versions: [entry("1.0.0", { digest: digestOf("1.1.0") })] }) }),
      `its signed index names ${digestOf("1.1.0")}`,
    ],
    [
      "a version that isn't in the index",
      "1.1.0",
      async () => ({ index: await signedIndex(1, { versions: [entry("1.0.0")] }) }),
      "doesn't name version 1.1.0",
    ],
    [
      "the index of another benchmark",
      "1.0.0",
      async () => ({ index: await signedIndex(1, { benchmark: "other" }) }),
      "the signed index of other, and the bundle is of sample",
    ],
    [
      "an index by a stranger",
      "1.0.0",
      async () => ({ index: await signedIndex(1, {}, [thief]) }),
      "doesn't list for indexes",
    ],
    [
      "an index by a key of bundles",
      "1.0.0",
      async () => ({ index: await signedIndex(1, {}, [bundles]) }),
      "doesn't list for indexes",
    ],
    [
      "an index whose letters changed",
      "1.0.0",
      () => ({ index: { ...current, signed: current.signed.replace('"number":1', '"number":2') } }),
      "or wrongly",
    ],
    ["no index", "1.0.0", () => ({ index: null }), "has no signed index, which root 1 asks for"],
  ])("is refused: %s", async (_, version, given, words) => {
    // prettier-ignore
    await refused(reader().load(await host(version, await given())), words);
  });

  test("an older version as latest, but for the minutes that a new one takes to arrive", async () => {
    const { load, clock } = reader();
    const older = await host("1.0.0", { asked: "latest" });
    await load(older);
    clock.now += 130_000;
    await refused(load(older), "answers with version 1.0.0, its signed index says 1.1.0");
    clock.now -= 3_600_000; // before the issue: a clock that is behind
    await refused(load(older), "answers with version 1.0.0, its signed index says 1.1.0");
  });

  test("an older version as latest than this reader has had, whatever index was issued since", async () => {
    const { load, clock, kept } = reader();
    const older = (index: SignedStatement): Promise<BundleSource> => host("1.0.0", { asked: "latest", index });
    await load(await host("1.1.0", { asked: "latest" }));
    await refused(load(await older(current)), "and version 1.1.0 was seen there before (rollback)");
    // Yanked and offered again: another number, and a minute that begins anew.
    clock.now += 60_000;
    const again = await signedIndex(2, { issued: at(clock.now) });
    await refused(load(await older(again)), "and version 1.1.0 was seen there before (rollback)");
    expect((await load(await host("1.0.0", { index: again }))).manifest.version).toBe("1.0.0"); // by its number
    // Yanked: the older one is the latest, and a host that still says the other lags.
    const yanked = { versions: [entry("1.0.0"), entry("1.1.0", { yanked: true, reason: "wrong keys" })] };
    const back = await signedIndex(3, { issued: at(clock.now), latest: "1.0.0", ...yanked });
    expect((await load(await host("1.1.0", { asked: "latest", index: back }))).manifest.version).toBe("1.1.0");
    expect((await load(await older(back))).manifest.version).toBe("1.0.0");
    expect([...kept].filter(([key]) => key.startsWith("latest ")).map(([, text]) => text)).toEqual(["3 1.0.0"]);
  });

  test("a trust.json that can't be read", async () => {
    const broken = { ...(await host("1.0.0")), readTrust: () => Promise.resolve(Uint8Array.of(123)) };
    await refused(reader().load(broken), "its trust.json can't be read");
  });
});

test("a yanked version is loaded with its publisher's word", async () => {
  const { load, warnings } = reader();
  const yanked = await signedIndex(1, {
    versions: [entry("1.0.0", { yanked: true, reason: "wrong keys" }), entry("1.1.0")],
  });
  await load(await host("1.0.0", { index: yanked }));
  expect(warnings).toEqual([expect.stringContaining("was yanked by its publisher: wrong keys")]);
});

test("where the root lists no keys of indexes none is asked for; a folder, which nobody answers for, needs none", async () => {
  const plain = await sign("root", rootOf(1, { keys: [a, b, c], bundles: [bundles], index: [] }), [a, b]);
  expect(await reader(rootJson(plain)).load(await host("1.0.0", { roots: [plain], index: null }))).toBeDefined();
  const folder = await host("1.0.0");
  delete folder.readTrust;
  expect(await reader().load(folder)).toBeDefined();
});

test("a root without keys of bundles refuses them all", async () => {
  const none = await sign("root", rootOf(2, { keys: [a, b, c], bundles: [], index: [index] }), [a, b]);
  await refused(reader(rootJson(none)).load(await host("1.0.0")), "root 2 lists no key for bundles");
});

test("a memory that is damaged is told of, not passed over", async () => {
  const { load, kept } = reader();
  await load(await host("1.0.0", { roots: [first, second], signer: successor }));
  for (const key of kept.keys()) {
    const { load: again, kept: own } = reader();
    own.set(key, "{");
    await refused(again(await host("1.0.0")), "what was remembered of the newest root and index is damaged");
  }
  expect(parseTrustFile(new TextEncoder().encode(kept.get([...kept.keys()][0]!)))!.roots).toEqual([first, second]);
});

test.each(["", "x", bundles.key, '{"roots":[]}'])("%j is no root", (text) => {
  expectRefusal(
    refusal(() => trustRoot(text)),
    "invalid_option",
    "is no root.json",
  );
});
