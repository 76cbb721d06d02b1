/** A published bundle; `version` may be `latest`. */
export interface BundleRef {
  readonly benchmark: string;
  readonly version: string;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Sends JSON to a route of a bundle. @param path - below the bundle's */
export type PostToBundle = <T>(ref: BundleRef, path: string, body: unknown, options?: CallOptions) => Promise<T>;
