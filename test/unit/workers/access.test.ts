import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { identify } from "../../../workers/src/auth/access.ts";
import { allows, CLOCK_SKEW, findToken, hasExpired } from "../../../workers/src/platform/tokens.ts";
import type { Env } from "../../../workers/src/platform/env.ts";
import { settingsOf } from "../../../workers/src/platform/settings.ts";

const digest = (token: string): string => sha256Hex(new TextEncoder().encode(token));
const record = (token: string, scopes: string[], expires: string | null = null) => ({
  id: `id of ${token}`,
  sha256: digest(token),
  scopes,
  expires,
});
const NOW = Date.parse("2026-11-22T12:00:00Z");

test("a token is found by its digest, and nothing else is", async () => {
  const records = [record("old", ["read:*"]), record("new", ["publish:mine"])];
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const found = await findToken(records, text);
      expect(found?.id ?? null).toBe(text === "old" || text === "new" ? `id of ${text}` : null);
    }),
  );
  expect((await findToken(records, "new"))?.id).toBe("id of new");
  expect((await findToken(records, "old"))?.id).toBe("id of old");
});

test.each<[string, string[], "publish" | "read", string, boolean]>([
  ["its own", ["publish:mine"], "publish", "mine", true],
  ["another benchmark", ["publish:mine"], "publish", "yours", false],
  ["a longer name", ["publish:mine"], "publish", "mine2", false],
  ["another action", ["publish:mine"], "read", "mine", false],
  ["every benchmark", ["publish:*"], "publish", "mine", true],
  ["one of several", ["read:a", "read:b"], "read", "b", true],
])("scopes: %s", (_, scopes, action, benchmark, allowed) => {
  expect(allows(record("x", scopes), action, benchmark)).toBe(allowed);
});

test("a token ends with its expiry, clocks apart", () => {
  const ends = record("x", ["read:*"], new Date(NOW).toISOString());
  expect(hasExpired(ends, NOW)).toBe(false);
  expect(hasExpired(ends, NOW + CLOCK_SKEW)).toBe(false);
  expect(hasExpired(ends, NOW + CLOCK_SKEW + 1)).toBe(true);
  expect(hasExpired(record("x", ["read:*"]), Infinity)).toBe(false);
});

describe("a caller", () => {
  const TOKENS = JSON.stringify([
    record("publisher", ["publish:mine"]),
    record("reader", ["read:mine"]),
    record("gone", ["read:*"], "2026-01-01T00:00:00Z"),
  ]);
  const settings = settingsOf({ TOKENS, PROTECTED_BENCHMARKS: "mine, theirs" } as unknown as Env);

  test.each<[string, string | undefined, string | null, string[]]>([
    ["nobody", undefined, null, ["public"]],
    ["a reader", "Bearer reader", "id of reader", ["mine", "public"]],
    ["a publisher", "bearer publisher", "id of publisher", ["public"]],
  ])("%s reads what is theirs", async (_, header, token, readable) => {
    const caller = await identify(header, settings, NOW);
    expect(caller.token).toBe(token);
    expect(["mine", "theirs", "public"].filter((name) => caller.mayRead(name))).toEqual(readable);
  });

  test.each(["Bearer wrong", "Bearer gone", "Bearer ", "Basic reader", "reader", ""])(
    "%j is refused even where no token is needed",
    async (header) => {
      await expect(identify(header, settings, NOW)).rejects.toMatchObject({ code: "unauthorized" });
    },
  );

  test("without the secret nobody has a token", async () => {
    const none = settingsOf({} as Env);
    await expect(identify("Bearer reader", none, NOW)).rejects.toMatchObject({ code: "unauthorized" });
    expect((await identify(undefined, none, NOW)).mayRead("mine")).toBe(true);
  });
});
