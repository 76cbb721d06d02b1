import {
  SESSION_NAMES,
  type SessionEnv,
  type SessionSettings,
  sessionSettings,
} from "./adaptive/http/adaptive-session.ts";
import { rootSigners, TRUST_NAMES, type TrustEnv } from "./trust/http/root.ts";

/** The features' settings of a Worker. */
export interface FeatureEnv extends SessionEnv, TrustEnv {}

/** Their names, which no other variable may nearly have. */
export const FEATURE_NAMES = { ...SESSION_NAMES, ...TRUST_NAMES } as const;

/** Those that are read with every other setting. */
export type FeatureSettings = SessionSettings;

/** @throws HttpProblem `misconfigured` */
export const featureSettings = (env: FeatureEnv): FeatureSettings => sessionSettings(env);

/** Values that a Worker's TRUSTED_KEYS may have in place of public keys: each reads its own kind, and is null for others. */
export const TRUST_RULES = [rootSigners] as const;
