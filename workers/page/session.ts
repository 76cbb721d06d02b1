import {
  AnchorEvalError,
  type Bundle,
  type Client,
  createClient,
  httpSource,
  loadBundle,
  readBundleFile,
} from "anchoreval";
import type { BundleFileName, BundleSource } from "anchoreval/bundle";
import type { Child } from "./dom.ts";
import type { BundlePlace, Route } from "./route.ts";

/** Files of a bundle by their names, as a folder or the fit gives them. */
type BundleFiles = ReadonlyMap<string, Blob>;

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
    const load = (): Promise<Bundle> => loadBundle(this.#source(place));
    if (place === "given") return this.#once("given", load);
    return place.version === "latest" ? load() : this.#once(`${place.benchmark}@${place.version}`, load);
  }

  /** Gives the page a bundle's files. @throws AnchorEvalError what {@link loadBundle} throws; then nothing has changed */
  async give(files: BundleFiles): Promise<Bundle> {
    const bundle = await loadBundle(filesSource(files));
    this.#given = files;
    this.#bundles.set("given", Promise.resolve(bundle));
    return bundle;
  }

  /** A file of a bundle, checked against its digest. @throws AnchorEvalError what {@link readBundleFile} throws */
  async file(place: BundlePlace, { manifest }: Bundle, name: BundleFileName): Promise<Blob> {
    const source = this.#source(place);
    const bytes = name === "manifest.json" ? await source.read(name) : await readBundleFile(source, manifest, name);
    if (bytes === null) throw new AnchorEvalError("not_found", `${source.name} has no ${name}`);
    return new Blob([new Uint8Array(bytes)]);
  }

  #source(place: BundlePlace): BundleSource {
    if (place !== "given")
      return httpSource(
        `${location.origin}/v1/bundles/${encodeURIComponent(place.benchmark)}/${encodeURIComponent(place.version)}`,
        { headers: this.#headers, maxRetries: 1 },
      );
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

/** A view: its title and content. */
export interface View {
  readonly title: string;
  readonly content: Child;
}

export type BundleRoute = Extract<Route, { readonly view: "bundle" }>;

/** What every tab of a bundle is made from. */
export interface BundlePage {
  readonly bundle: Bundle;
  readonly route: BundleRoute;
  readonly session: Session;
}
