/** The Worker's setting of trust beside TRUSTED_KEYS. */
export interface TrustEnv {
  /** PEM of the key that signs indexes, a secret; the root in TRUSTED_KEYS lists it. Without it indexes aren't signed. */
  readonly INDEX_KEY?: string;
}

export const TRUST_NAMES = { INDEX_KEY: true } as const;
