import { indexKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import { folderStore } from "anchoreval/internal/node/folder";
import { type BundleIndex, parseIndex } from "anchoreval/internal/bundles/bundle-index";
import { encodeJson } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { checkRoots } from "anchoreval/internal/features/trust/sdk/root-chain";
import { signIndex } from "anchoreval/internal/features/trust/sdk/sign-index";
import { type IndexStatement, parseIndexStatement } from "anchoreval/internal/features/trust/sdk/statements";
import { expect, test } from "vitest";

import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { signingKey } from "../../../../support/signing-key.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { DAY, NOW, rootOf, sign } from "../../../../support/trust.ts";

const folder = tempFolder();
const key = await signingKey();
const keys = [key];
const chain = await checkRoots(
  [await sign("root", rootOf(1, { keys, bundles: keys, index: keys }, { threshold: 1 }), keys)],
  "root.json",
);

test("a version that was signed and that index.json lacks is signed again while it is there, and missed once it has gone", async () => {
  const store = folderStore(folder.path("store"));
  for (const version of ["1.0.0", "1.1.0"]) await publishBundle(store, sampleBundle({ version }));
  const signed = async (): Promise<IndexStatement> => {
    const how = { chain, key: key.key, now: NOW, due: DAY, life: 2 * DAY, renewAfter: 0 };
    const signature = async (bytes: Uint8Array): Promise<string> => (await key.signature(bytes)).signature;
    return parseIndexStatement((await signIndex(store, "sample", { ...how, sign: signature })).index!)!;
  };
  const names = ({ number, latest, versions }: IndexStatement) => [number, latest, versions.map((own) => own.version)];
  expect(names(await signed())).toEqual([1, "1.1.0", ["1.0.0", "1.1.0"]]);

  // As by a writer whose list was older than the signer's.
  const there = (await store.get(indexKey("sample")))!;
  const { versions, ...rest } = parseIndex(there.bytes)!;
  const lacking: BundleIndex = { ...rest, latest: "1.0.0", versions: versions.slice(0, 1) };
  expect(await store.putIfMatch(indexKey("sample"), encodeJson(lacking), there.etag)).toBe(true);
  expect(names(await signed())).toEqual([2, "1.1.0", ["1.0.0", "1.1.0"]]);

  await store.remove(manifestKey("sample", "1.1.0"));
  await expect(signed()).rejects.toMatchObject({
    code: "bundle_corrupt",
    message: expect.stringContaining("it no longer names version 1.1.0") as string,
  });
});
