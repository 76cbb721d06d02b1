import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { expect, test } from "vitest";
import { allows, findToken, hasExpired, parseTokens } from "../../../../../workers/src/platform/tokens.ts";
import { runCommand, type CommandResult } from "../../../../support/run-command.ts";

const createToken = (...argv: string[]): Promise<CommandResult> => runCommand("keys", "token", ...argv);

test("the Worker knows the token by the record that is printed beside it", async () => {
  const { code, out } = await createToken(
    "--id",
    "ci",
    "--scope",
    "publish:mine",
    "--scope",
    "read:*",
    "--expires",
    "2099-01-31",
  );
  expect(code).toBe(0);
  const [token, record] = out.trim().split("\n");
  const records = parseTokens(`[${record!}]`);
  const found = (await findToken(records, token!))!;
  expect(found.id).toBe("ci");
  expect(out.split(token!)).toHaveLength(2); // the record holds no token
  expect([allows(found, "publish", "mine"), allows(found, "publish", "yours"), allows(found, "read", "yours")]).toEqual(
    [true, false, true],
  );
  expect(hasExpired(found, Date.parse("2099-01-31T12:00:00Z"))).toBe(false);
  expect(hasExpired(found, Date.parse("2099-02-01T01:00:00Z"))).toBe(true);
});

test("every token is another one, of 256 bits", async () => {
  const tokens = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { out } = await createToken("--id", "a", "--scope", "read:*", "--json");
      const { token, record } = JSON.parse(out) as { token: string; record: { sha256: string } };
      expect(record.sha256).toBe(sha256Hex(new TextEncoder().encode(token)));
      expect(Buffer.from(token.replace("anchoreval_", ""), "base64url")).toHaveLength(32);
      return token;
    }),
  );
  expect(new Set(tokens).size).toBe(20);
});

test.each([
  [["--scope", "read:*"], "--id is needed"],
  [["--id", "a"], "--scope is needed"],
  [["--id", "a", "--scope", "write:mine"], "--scope must be publish:BENCHMARK"],
  [["--id", "a", "--scope", "read:Mine!"], "--scope must be publish:BENCHMARK"],
  [["--id", "a", "--scope", "read"], "--scope must be publish:BENCHMARK"],
  [["--id", "a", "--scope", "read:*", "--expires", "soon"], "--expires must be a day"],
  [["--id", "a", "--scope", "read:*", "--expires", "2027-01-31T12:00"], "--expires must be a day"],
  [["--id", "a", "--scope", "read:*", "--expires", "2027-13-31"], "--expires must be a day"],
  [["--id", "a", "--scope", "read:*", "--expires", "2026-01-31"], "--expires 2026-01-31 has passed"],
])("%j is refused", async (argv, message) => {
  const { code, out, err } = await createToken(...argv);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(message);
});
