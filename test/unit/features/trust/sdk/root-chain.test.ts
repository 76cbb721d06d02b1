import { checkRoots, currentRoot, followRoots, revokedBy } from "anchoreval/internal/features/trust/sdk/root-chain";
import {
  parseTrustFile,
  type RootStatement,
  type SignedStatement,
} from "anchoreval/internal/features/trust/sdk/statements";
import { describe, expect, test, vi } from "vitest";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { signingKey } from "../../../../support/signing-key.ts";
import { DAY, NOW, rootJson, rootOf, sign } from "../../../../support/trust.ts";

const [a, b, c, d, bundles, successor, thief] = await Promise.all([signingKey(), signingKey(), signingKey(), signingKey(), signingKey(), signingKey(), signingKey()]); // prettier-ignore
const first = rootOf(1, { keys: [a, b, c], bundles: [bundles], index: [] });
/** b gives way to d, and the bundles' key was stolen. */
const second = rootOf(2, { keys: [a, d, c], bundles: [successor], index: [] });
const third = rootOf(3, { keys: [a, d, c], bundles: [successor], index: [] });
const signedFirst = await sign("root", first, [a, b]);
const signedSecond = await sign("root", second, [a, c]);
const signedThird = await sign("root", third, [c, d]);
const refusedWith = async (roots: readonly SignedStatement[], words: string): Promise<void> =>
  expectRefusal(await rejection(checkRoots(roots, "r")), "bundle_untrusted", words);

test("a chain is followed from any of its versions to the newest", async () => {
  const chain = await checkRoots([signedFirst, signedSecond, signedThird], "r");
  expect(currentRoot(chain, NOW)).toEqual(third);
  for (const pinned of [signedFirst, signedSecond, signedThird]) {
    const known = await checkRoots([pinned], "r");
    expect(currentRoot(await followRoots(known, [signedFirst, signedSecond, signedThird], "r"), NOW)).toEqual(third);
  }
  // A host that lags behind takes nothing away.
  expect(await followRoots(chain, [signedFirst], "r")).toEqual(chain);
  expect(await followRoots(chain, [], "r")).toEqual(chain);
});

test("a key that a later version leaves out was revoked by it, unless one lets it sign again", async () => {
  const chain = await checkRoots([signedFirst, signedSecond, signedThird], "r");
  expect(revokedBy(chain, "bundles", bundles.key)).toBe(2);
  expect(revokedBy(chain, "bundles", successor.key)).toBeNull();
  expect(revokedBy(chain, "bundles", thief.key)).toBeNull();
  const again = await sign("root", rootOf(4, { keys: [a, d, c], bundles: [bundles], index: [] }), [a, d]);
  expect(revokedBy(await followRoots(chain, [again], "r"), "bundles", bundles.key)).toBeNull();
});

describe("is refused:", () => {
  test.each<[string, readonly SignedStatement[] | (() => Promise<readonly SignedStatement[]>), string]>([
    ["a missing link", [signedFirst, signedThird], "has root 3 without root 2"],
    [
      "versions in the wrong order",
      [signedFirst, signedSecond, { ...signedFirst, signed: signedThird.signed }],
      "root 3 has 0 of the 2",
    ],
    [
      "a root that too few of its own keys signed",
      async () => [await sign("root", first, [a])],
      "root 1 has 1 of the 2 signatures that root 1 asks for",
    ],
    ["the same key twice in place of two", async () => [await sign("root", first, [a, a])], "root 1 has 1 of the 2"],
    [
      "the same key listed twice",
      async () => [await sign("root", rootOf(1, { keys: [a, a], bundles: [], index: [] }), [a, a])],
      `lists the key ${a.key} twice`,
    ],
    [
      "a threshold out of reach",
      async () => [await sign("root", { ...first, threshold: 4 }, [a, b, c])],
      "asks for 4 signatures and lists 3 keys",
    ],
    ["a threshold of none", async () => [await sign("root", { ...first, threshold: 0 }, [])], "can't be read"],
    [
      "the next root by its own keys alone",
      async () => [signedFirst, await sign("root", second, [d, c])],
      "root 2 has 1 of the 2 signatures that root 1 asks for",
    ],
    [
      "the next root by the former keys alone",
      async () => [signedFirst, await sign("root", second, [b, a])],
      "root 2 has 1 of the 2 signatures that root 2 asks for",
    ],
    [
      "a root whose threshold sinks, by that alone",
      async () => [signedFirst, await sign("root", { ...second, threshold: 1 }, [a])],
      "root 2 has 1 of the 2 signatures that root 1 asks for",
    ],
    [
      "strangers' keys",
      async () => [signedFirst, await sign("root", second, [thief, bundles])],
      "root 2 has 0 of the 2",
    ],
    [
      "a signature of another version",
      [
        signedFirst,
        { signed: signedThird.signed.replace('"version":3', '"version":2'), signatures: signedThird.signatures },
      ],
      "root 2 has 0 of the 2",
    ],
    [
      "a letter changed",
      [{ ...signedFirst, signed: signedFirst.signed.replace('"threshold":2', '"threshold":1') }],
      "root 1 has 0 of the 1",
    ],
    ["signatures that are of an index", async () => [await sign("index", first, [a, b])], "root 1 has 0 of the 2"],
    ["what is no root", async () => [await sign("root", { ...first, type: "index" }, [a, b])], "can't be read"],
    ["a date that is none", async () => [await sign("root", { ...first, expires: "soon" }, [a, b])], "can't be read"],
    [
      "more versions than anyone needs",
      () => Promise.resolve(Array<SignedStatement>(65).fill(signedFirst)),
      "more than 64",
    ],
  ])("%s", async (_, roots, words) => {
    // prettier-ignore
    await refusedWith(typeof roots === "function" ? await roots() : roots, words);
  });

  test("another root of a number that is known", async () => {
    const known = await checkRoots([signedFirst, signedSecond], "r");
    const other = await sign("root", { ...second, bundles: [thief.key] }, [a, c, d]);
    const error = await rejection(followRoots(known, [signedFirst, other], "r"));
    expectRefusal(error, "bundle_untrusted", "another root 2 than the one that is known");
  });

  test("an expired root, unless a newer one isn't", async () => {
    const old: RootStatement = { ...first, expires: "2026-12-31T23:59:59Z" };
    const expired = await sign("root", old, [a, b]);
    const chain = await checkRoots([expired], "r");
    expectRefusal(
      refusal(() => currentRoot(chain, NOW)),
      "bundle_untrusted",
      "root 1 expired at 2026-12-31T23:59:59Z",
    );
    expect(currentRoot(chain, NOW - 2 * DAY)).toEqual(old);
    expect(currentRoot(await followRoots(chain, [signedSecond], "r"), NOW)).toEqual(second);
  });
});

test("a file of ten thousand signatures costs one a key", async () => {
  const many = { ...signedFirst, signatures: Array.from({ length: 10_000 }, (_, k) => signedFirst.signatures[k % 2]!) };
  const verify = vi.spyOn(crypto.subtle, "verify");
  await checkRoots([{ ...many, signed: signedSecond.signed }], "r").catch(() => null);
  expect(verify.mock.calls.length).toBeLessThanOrEqual(3);
  verify.mockRestore();
});

test.each(["", "{}", '{"roots":[]}', '{"roots":[{"signed":"{}"}]}', rootJson(signedFirst).slice(0, -3)])(
  "%j is no file of a root",
  (text) => expect(parseTrustFile(new TextEncoder().encode(text))).toBeNull(),
);
