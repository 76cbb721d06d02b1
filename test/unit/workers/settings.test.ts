import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { expect, test } from "vitest";
import type { Env } from "../../../workers/src/platform/env.ts";
import { settingsOf } from "../../../workers/src/platform/settings.ts";

const record = (token: string, scopes: string[], expires: string | null = null) => ({
  id: `id of ${token}`,
  sha256: sha256Hex(new TextEncoder().encode(token)),
  scopes,
  expires,
});

/** Why a Worker with these variables answers nothing. */
function refusal(env: Readonly<Record<string, unknown>>): unknown {
  try {
    settingsOf(env as unknown as Env);
  } catch (error) {
    return error;
  }
  throw new Error(`${JSON.stringify(env)} was taken`);
}

test("without a variable every setting has its default, and nothing is protected", () => {
  const settings = settingsOf({} as Env);
  expect(settings).toMatchObject({ requestBytes: 1_048_576, blobBytes: 100_000_000, batchModels: 5, jobModels: 1000 });
  expect(settings.isProtected("any")).toBe(false);
  expect([settings.logsRequests, settings.openJobs]).toEqual([false, false]);
});

test("numbers and truths may be text, as the dashboard has them", () => {
  const env = { MAX_BLOB_BYTES: "1000", MAX_BATCH_MODELS: 100, LOG_REQUESTS: "true" };
  expect(settingsOf(env as unknown as Env)).toMatchObject({ blobBytes: 1000, batchModels: 100, jobModels: 20_000, logsRequests: true }); // prettier-ignore
});

test.each([
  ["mine, theirs", ["mine", "theirs"]],
  ["*", ["mine", "theirs", "others"]],
])("%j protects %j", (PROTECTED_BENCHMARKS, expected) => {
  const { isProtected } = settingsOf({ PROTECTED_BENCHMARKS } as unknown as Env);
  expect(["mine", "theirs", "others"].filter(isProtected)).toEqual(expected);
});

test.each([
  ["PROTECTED_BENCHMARK", "PROTECTED_BENCHMARKS"],
  ["protected_benchmarks", "PROTECTED_BENCHMARKS"],
  ["PROTECED_BENCHMRKS", "PROTECTED_BENCHMARKS"],
  ["TRUSTED-KEYS", "TRUSTED_KEYS"],
  ["TOKEN", "TOKENS"],
])("%s is refused as %s misspelt", (name, meant) => {
  const refused = refusal({ [name]: "secret" });
  expect(refused).toMatchObject({
    code: "misconfigured",
    message: `the setting ${name} is unknown, and reads like ${meant}`,
  });
});

test("a Worker may have bindings and variables of its own", () => {
  const env = { BUNDLES: {}, LIMITER: {}, JOBS: {}, SHIPPED: {}, CF_VERSION_METADATA: {}, GREETING: "hello" };
  expect(settingsOf(env as unknown as Env)).toMatchObject({ batchModels: 5 });
});

test.each<[string, unknown]>([
  ["PROTECTED_BENCHMARKS", '["secret"]'],
  ["PROTECTED_BENCHMARKS", ["secret"]],
  ["PROTECTED_BENCHMARKS", "secret;other"],
  ["PROTECTED_BENCHMARKS", "Secret"],
  ["PROTECTED_BENCHMARKS", "secret,"],
  ["PROTECTED_BENCHMARKS", " "],
  ["MAX_REQUEST_BYTES", "1MB"],
  ["MAX_REQUEST_BYTES", "0"],
  ["MAX_REQUEST_BYTES", -5],
  ["MAX_BLOB_BYTES", "100MB"],
  ["MAX_BLOB_BYTES", "1e9"],
  ["MAX_JOB_BYTES", NaN],
  ["MAX_JOB_MODELS", ""],
  ["MAX_BATCH_MODELS", 2.5],
  ["LOG_REQUESTS", "yes"],
  ["OPEN_JOBS", "yes"],
  ["OPEN_JOBS", 1],
  ["OPEN_JOBS", ""],
  ["TRUSTED_KEYS", "not a key"],
  ["TRUSTED_KEYS", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo;11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"],
  ["TRUSTED_KEYS", "{}"],
  ["TRUSTED_KEYS", '{"roots":[]}'],
  ["INDEX_KEY", "no root lists it"],
  ["SESSION_KEYS", "abc"],
])("%s as %j is refused by name", (name, value) => {
  expect(refusal({ [name]: value })).toMatchObject({
    code: "misconfigured",
    message: expect.stringContaining(`the setting ${name} `) as string,
  });
});

test.each([
  ["no JSON", "{"],
  ["no list", "{}"],
  ["no digest", JSON.stringify([{ id: "a", scopes: ["read:*"], expires: null }])],
  ["a token in place of its digest", JSON.stringify([{ ...record("a", ["read:*"]), sha256: "secret" }])],
  ["an unknown action", JSON.stringify([record("a", ["delete:mine"])])],
  ["a scope without benchmark", JSON.stringify([record("a", ["read"])])],
  ["a name that no benchmark has", JSON.stringify([record("a", ["read:Mine!"])])],
  ["no scope", JSON.stringify([record("a", [])])],
  ["a day without time zone", JSON.stringify([record("a", ["read:*"], "2026-12-01T00:00:00")])],
])("the secret with %s lets nobody in, and shows nothing of itself", (_, TOKENS) => {
  expect(refusal({ TOKENS })).toMatchObject({
    code: "misconfigured",
    message: expect.not.stringContaining('secret"') as string,
    issues: [],
  });
});
