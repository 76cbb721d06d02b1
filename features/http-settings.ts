import { SESSION_NAMES, type SessionEnv, type SessionSettings, sessionSettings } from "./adaptive/http/settings.ts";
import { TRUST_NAMES, type TrustEnv } from "./trust/http/settings.ts";

/** The features' settings of a Worker. */
export interface FeatureEnv extends SessionEnv, TrustEnv {}

/** Their names, which no other variable may nearly have. */
export const FEATURE_NAMES = { ...SESSION_NAMES, ...TRUST_NAMES } as const;

/** What is read of them with every other setting. */
export type FeatureSettings = SessionSettings;

/** @throws HttpProblem `misconfigured` */
export const featureSettings = (env: FeatureEnv): FeatureSettings => sessionSettings(env);
