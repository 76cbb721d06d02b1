import { blobKey, indexKey, manifestKey } from "anchoreval/bundle";
import { expect, test } from "vitest";

test("keys in R2 are as docs/bundle-format.md states them", () => {
  expect(indexKey("helm-lite")).toBe("bundles/helm-lite/index.json");
  expect(manifestKey("helm-lite", "1.0.0-rc.1")).toBe("bundles/helm-lite/1.0.0-rc.1/manifest.json");
  expect(blobKey("helm-lite", "a0".repeat(32))).toBe(`bundles/helm-lite/blobs/${"a0".repeat(32)}`);
});
