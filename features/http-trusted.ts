import { rootSigners } from "./trust/http/root.ts";

/** What a Worker's TRUSTED_KEYS may be in place of public keys: each reads its own kind, and is null for others. */
export const TRUST_RULES = [rootSigners] as const;
