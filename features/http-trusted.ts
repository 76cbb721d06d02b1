import { rootSigners } from "./trust/http/root.ts";

/** Values that a Worker's TRUSTED_KEYS may have in place of public keys: each reads its own kind, and is null for others. */
export const TRUST_RULES = [rootSigners] as const;
