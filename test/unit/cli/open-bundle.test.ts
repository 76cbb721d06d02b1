import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { openBundle } from "../../../cli/src/open-bundle.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

it.each([
  ["out/helm-lite", "out/helm-lite"],
  ["C:\\bundles\\helm-lite", "C:\\bundles\\helm-lite"],
  [pathToFileURL("/bundles/helm lite").href, "/bundles/helm lite"],
  ["https://static.example.com/helm-lite/1.0.0/", "https://static.example.com/helm-lite/1.0.0"],
  [
    "https://evals.example.com/v1/bundles/helm-lite/1.0.0",
    "https://evals.example.com/v1/bundles/helm-lite/1.0.0/files",
  ],
  ["https://evals.example.com/v1/bundles/helm-lite/", "https://evals.example.com/v1/bundles/helm-lite/latest/files"],
])("%s is read from %s", (place, name) => {
  expect(openBundle(place).name).toBe(name);
});

it("other addresses are refused", () => {
  expectRefusal(
    refusal(() => openBundle("r2://bucket/x")),
    "invalid_option",
    "from a folder or over http(s)",
  );
  expectRefusal(
    refusal(() => openBundle("https://")),
    "invalid_option",
    "https:// is no address",
  );
});
