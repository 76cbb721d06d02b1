import { AnchorEvalError, createClient, httpSource, loadBundle, type Bundle, type Client } from "anchoreval";
import type { BundleFileName, BundleSource } from "anchoreval/bundle";
import type { BundlePlace } from "./route.ts";

/** Files of a bundle by their names, as a folder or the fit gives them. */
export type BundleFiles = ReadonlyMap<string, Blob>;

/**
 * What the page keeps while it is open, in memory alone: the token, bundles that were loaded, and the one that was given.
 * A reload forgets all of it.
 */
export class Session {
  #token: string | null = null;
  #given: BundleFiles | null = null;
  readonly #bundles = new Map<string, Promise<Bundle>>();

  get hasToken(): boolean {
    return this.#token !== null;
  }

  /** Bundles that were refused without it are asked for again. */
  setToken(token: string | null): void {
    this.#token = token;
    this.#bundles.clear();
  }

  get #headers(): Record<string, string> {
    return this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
  }

  get client(): Client {
    return createClient({ baseUrl: location.origin, headers: this.#headers, maxRetries: 1 });
  }

  /** A bundle, loaded once; `latest` is found anew every time. */
  bundle(place: BundlePlace): Promise<Bundle> {
    if (place === "given") return this.#once("given", () => loadBundle(this.#givenSource()));
    const load = (): Promise<Bundle> =>
      loadBundle(
        httpSource(
          `${location.origin}/v1/bundles/${encodeURIComponent(place.benchmark)}/${encodeURIComponent(place.version)}`,
          { headers: this.#headers, maxRetries: 1 },
        ),
      );
    return place.version === "latest" ? load() : this.#once(`${place.benchmark}@${place.version}`, load);
  }

  /** Gives the page a bundle's files. @throws AnchorEvalError what {@link loadBundle} throws; then nothing has changed */
  async give(files: BundleFiles): Promise<Bundle> {
    const bundle = await loadBundle(filesSource(files));
    this.#given = files;
    this.#bundles.set("given", Promise.resolve(bundle));
    return bundle;
  }

  /** A file of a bundle; null where there is none. */
  async file(place: BundlePlace, name: BundleFileName): Promise<Blob | null> {
    if (place === "given") return this.#given?.get(name) ?? null;
    const path = `/v1/bundles/${encodeURIComponent(place.benchmark)}/${encodeURIComponent(place.version)}/files/${name}`;
    const response = await fetch(path, { headers: this.#headers });
    return response.ok ? response.blob() : null;
  }

  #givenSource(): BundleSource {
    if (this.#given === null)
      throw new AnchorEvalError(
        "not_found",
        "no bundle was given to this page, or it was reloaded since: drop its folder on the first page again",
      );
    return filesSource(this.#given);
  }

  #once(key: string, load: () => Promise<Bundle>): Promise<Bundle> {
    const found = this.#bundles.get(key);
    if (found) return found;
    const loading = Promise.resolve().then(load);
    this.#bundles.set(key, loading);
    loading.catch(() => this.#bundles.delete(key));
    return loading;
  }
}

/** A bundle out of files that the page was given. */
function filesSource(files: BundleFiles): BundleSource {
  return {
    name: "the bundle that was given",
    read: async (name, { range } = {}) => {
      const file = files.get(name);
      if (!file) return null;
      return new Uint8Array(await (range ? file.slice(range.begin, range.end) : file).arrayBuffer());
    },
  };
}
