import { pathToFileURL } from "node:url";
import { expect, it, test, vi } from "vitest";
import { openBundle, readToken } from "../../../../cli/src/bundles/open-bundle.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";

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

const DIGEST = `sha256:${"a1".repeat(32)}`;

it.each([
  ["out/helm-lite", {}],
  ["gsm8k@1.0.0", { benchmark: "gsm8k", version: "1.0.0" }],
  ["https://static.example.com/bundles/helm-lite/1.0.0/", { benchmark: "helm-lite", version: "1.0.0" }],
  ["https://evals.example.com/v1/bundles/helm-lite", { benchmark: "helm-lite" }],
  ["https://static.example.com/helm-lite/1.0.0", {}],
])("%s must be the bundle that its address names, and with a digest that one", (place, named) => {
  expect(openBundle(place).expected).toEqual(named);
  expect(openBundle(`${place}#${DIGEST}`)).toMatchObject({
    name: openBundle(place).name,
    expected: { ...named, digest: DIGEST },
  });
  expectRefusal(
    refusal(() => openBundle(`${place}#${DIGEST.slice(0, -1)}`)),
    "invalid_option",
    "is no digest",
  );
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
    "https:// isn't an address",
  );
});

const TOKENS = "evals.example.com=anchoreval_a, huggingface.co=hf_b,,127.0.0.1:8787=c=d ";

test.each<[string, string | null]>([
  ["https://evals.example.com/v1/bundles/quiz/1.0.0", "anchoreval_a"],
  ["https://EVALS.example.com:443/x", "anchoreval_a"],
  ["https://huggingface.co/datasets/org/name/resolve/main/bundles/quiz/1.0.0", "hf_b"],
  ["http://127.0.0.1:8787/v1/bundles/quiz/1.0.0", "c=d"],
  ["http://127.0.0.1:8788/v1/bundles/quiz/1.0.0", null],
  ["https://evals.example.com:8443/x", null],
  ["https://example.com/x", null],
  ["https://evals.example.com.attacker.example/x", null],
])("%s is read with %s", (address, token) => {
  expect(readToken(new URL(address), TOKENS)).toBe(token);
});

test("no tokens, none sent", () => {
  expect(readToken(new URL("https://evals.example.com/"), undefined)).toBeNull();
  expect(readToken(new URL("https://evals.example.com/"), "")).toBeNull();
});

test.each([
  ["http://evals.example.com/x", TOKENS, "isn't sent over http"],
  ["https://other.example.com/x", "anchoreval_a", "isn't HOST=TOKEN"],
  ["https://other.example.com/x", "https://evals.example.com=a", "isn't HOST=TOKEN"],
  ["https://other.example.com/x", "evals.example.com=", "isn't HOST=TOKEN"],
])("%s with %s is refused, and the token not told", (address, tokens, message) => {
  const error = refusal(() => readToken(new URL(address), tokens));
  expectRefusal(error, "invalid_option", message);
  expect(error.message).not.toContain("anchoreval_a");
});

test("commands send it with each request to that host", async () => {
  vi.stubEnv("ANCHOREVAL_READ_TOKENS", TOKENS);
  const [sent, asked]: [(string | null)[], string[]] = [[], []];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    asked.push(url);
    sent.push(new Headers(init.headers).get("authorization"));
    return Promise.resolve(new Response("{}", { status: 404 }));
  });
  await openBundle("https://evals.example.com/v1/bundles/quiz/1.0.0").read("manifest.json");
  await openBundle("https://elsewhere.example.com/v1/bundles/quiz/1.0.0").read("manifest.json");
  await openBundle("https://evals.example.com/v1/bundles/quiz/1.0.0").readTrust!();
  // Of a version's manifest, and of whether it is yanked.
  expect(sent).toEqual(["Bearer anchoreval_a", "Bearer anchoreval_a", null, null, "Bearer anchoreval_a"]);
  expect(asked.at(-1)).toBe("https://evals.example.com/v1/bundles/quiz/trust.json"); // as errors name it
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
