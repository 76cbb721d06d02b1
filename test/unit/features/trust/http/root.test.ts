import { expect, test } from "vitest";
import { rootSettings } from "../../../../../features/trust/http/root.ts";
import type { Env } from "../../../../../workers/src/platform/env.ts";
import { settingsOf } from "../../../../../workers/src/platform/settings.ts";
import { signingKey } from "../../../../support/signing-key.ts";
import { rootJson, rootOf, sign } from "../../../../support/trust.ts";

const worker = (variables: object): Env => variables as Env;

test("a key of indexes is a PEM of Ed25519, and its refusal shows nothing of it", async () => {
  const key = await signingKey();
  const TRUSTED_KEYS = rootJson(await sign("root", rootOf(1, { keys: [key], bundles: [], index: [key] }), [key]));
  const pem = await key.pem();
  // A .dev.vars has line ends as spaces in places.
  for (const INDEX_KEY of [pem, pem.replaceAll("\n", " ")])
    expect(rootSettings(worker({ TRUSTED_KEYS, INDEX_KEY }))!.indexKey).toHaveLength(48);
  const short = pem.replace(/.{8}(?=\n-----END)/, "");
  for (const INDEX_KEY of [short, "secret", key.key])
    expect(() => settingsOf(worker({ TRUSTED_KEYS, INDEX_KEY }))).toThrow(
      expect.objectContaining({
        code: "misconfigured",
        message: "the setting INDEX_KEY is no private key: `anchoreval keys make` makes one (PEM)",
      }),
    );
});

test("keys in place of a root are the Worker's own, and sign no index", async () => {
  const { key } = await signingKey();
  expect([rootSettings(worker({})), rootSettings(worker({ TRUSTED_KEYS: key }))]).toEqual([null, null]);
  expect(() => settingsOf(worker({ TRUSTED_KEYS: key, INDEX_KEY: "x" }))).toThrow(
    "the setting INDEX_KEY signs what a root delegates to it, and TRUSTED_KEYS is no root.json",
  );
});
