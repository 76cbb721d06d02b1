import { BENCHMARK_NAME } from "anchoreval/internal/core/bundle/names";
import { lettersBetween } from "anchoreval/internal/core/errors";
import { keyProblem, requireTrusted } from "anchoreval/internal/bundles/trusted-source";
import { FEATURE_NAMES, featureSettings, type FeatureSettings, TRUST_RULES } from "../../../features/http-settings.ts";
import { parseTokens, type TokenRecord } from "./tokens.ts";
import type { Env } from "./env.ts";
import { count, list, misconfigured, truth } from "./read-setting.ts";

/** Default for the most models of one batch: those that fit into the 10 ms of CPU of the free plan. */
export const DEFAULT_BATCH_MODELS = 5;
/** Most parts of a job: reading its results takes one request to R2 for each. */
const MOST_SHARDS = 200;

/** The Worker's variables and secrets, checked. */
export interface Settings extends FeatureSettings {
  /** Longest body, and longest line of a job. @unit bytes */
  readonly requestBytes: number;
  /** Longest file of a bundle that may be uploaded. @unit bytes */
  readonly blobBytes: number;
  /** Most models that one request, or one message of a job, estimates. */
  readonly batchModels: number;
  readonly jobModels: number;
  /** Longest body of a job. @unit bytes */
  readonly jobBytes: number;
  readonly tokens: readonly TokenRecord[];
  readonly isProtected: (benchmark: string) => boolean;
  /**
   * Refuses a manifest that nobody signed whom TRUSTED_KEYS names; without that setting, none.
   * @param now - milliseconds since 1970
   * @throws AnchorEvalError `bundle_untrusted`; HttpProblem `misconfigured`
   */
  readonly requireSigner: (manifest: Uint8Array, signatures: Uint8Array | null, now: number) => Promise<void>;
  readonly logsRequests: boolean;
  /** Whether anyone may submit jobs, or only who has a token. */
  readonly openJobs: boolean;
}

const memory = new WeakMap<object, Settings>();

/**
 * The settings of a Worker, read once. One that can't be read for certain refuses every request: a limit, a list of
 * protected benchmarks or a key that was misread would leave open what its operator has shut.
 * @throws HttpProblem `misconfigured` (500) that names the setting; of secrets never the content
 */
export function settingsOf(env: Env): Settings {
  let settings = memory.get(env);
  if (!settings) memory.set(env, (settings = readSettings(env)));
  return settings;
}

function readSettings(env: Env): Settings {
  refuseMisspelt(env);
  const batchModels = count(env, "MAX_BATCH_MODELS", DEFAULT_BATCH_MODELS);
  return {
    requestBytes: count(env, "MAX_REQUEST_BYTES", 1 << 20),
    blobBytes: count(env, "MAX_BLOB_BYTES", 100_000_000), // the request limit of Cloudflare's smallest plans
    batchModels,
    jobModels: count(env, "MAX_JOB_MODELS", MOST_SHARDS * batchModels),
    jobBytes: count(env, "MAX_JOB_BYTES", 10_000_000),
    tokens: tokenRecords(env.TOKENS),
    isProtected: protection(env),
    requireSigner: signerRule(env),
    logsRequests: truth(env, "LOG_REQUESTS"),
    openJobs: truth(env, "OPEN_JOBS"),
    ...featureSettings(env),
  };
}

/** By a feature's reading of TRUSTED_KEYS, where it is one's; else by the keys that it lists. */
function signerRule(env: Env): Settings["requireSigner"] {
  for (const read of TRUST_RULES) {
    const rule = read(env);
    if (rule !== null) return rule;
  }
  const keys = list(env, "TRUSTED_KEYS", (key) => keyProblem(key) === null, "is public keys as `anchoreval keys make` prints them, comma-separated, or a root.json"); // prettier-ignore
  return async (manifest, signatures) => {
    if (keys.length > 0) await requireTrusted(manifest, signatures, keys, "the bundle");
  };
}

type Name = Exclude<keyof Env, "BUNDLES" | "SHIPPED" | "LIMITER" | "JOBS">;

const NAMES: Readonly<Record<Name, true>> = {
  MAX_REQUEST_BYTES: true,
  MAX_BLOB_BYTES: true,
  MAX_BATCH_MODELS: true,
  MAX_JOB_MODELS: true,
  MAX_JOB_BYTES: true,
  LOG_REQUESTS: true,
  OPEN_JOBS: true,
  PROTECTED_BENCHMARKS: true,
  TOKENS: true,
  TRUSTED_KEYS: true,
  ...FEATURE_NAMES,
};

/** Letters by which a name may differ from a setting's and be taken for it, misspelt. */
const SLIPS = 2;

/** A misspelt setting would leave its default in force. A Worker may have other variables, but none that reads like a setting. */
function refuseMisspelt(env: Env): void {
  for (const name of Object.keys(env)) {
    if (Object.hasOwn(NAMES, name)) continue;
    const near = Object.keys(NAMES).find((setting) => lettersBetween(name.toUpperCase(), setting) <= SLIPS);
    if (near !== undefined) throw misconfigured(`${name} is unknown, and reads like ${near}`);
  }
}

function protection(env: Env): Settings["isProtected"] {
  const isName = (name: string): boolean => name === "*" || BENCHMARK_NAME.test(name);
  const names = new Set(list(env, "PROTECTED_BENCHMARKS", isName, "is benchmarks' names, comma-separated, or *"));
  return (benchmark) => names.has("*") || names.has(benchmark);
}

function tokenRecords(secret: unknown): readonly TokenRecord[] {
  if (secret === undefined || secret === "") return [];
  try {
    return parseTokens(secret as string);
  } catch {
    // Its content is secret: not even an issue's path is shown.
    throw misconfigured("TOKENS is malformed: `anchoreval keys token` makes its entries");
  }
}
