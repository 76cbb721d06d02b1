import {
  AnchorEvalError,
  type Bundle,
  type Client,
  createClient,
  httpSource,
  loadBundle,
  readBundleFile,
} from "anchoreval";
import type { BundleFileName, BundleSource, ByteRange } from "anchoreval/bundle";
import { fileBound } from "anchoreval/internal/bundles/read-file";
import { readObject } from "anchoreval/internal/bundles/body";
import { CARD_FILE } from "anchoreval/internal/core/bundle/names";
import type { Child } from "./dom.ts";
import type { BundlePlace, Route } from "./route.ts";

type BundleFiles = ReadonlyMap<string, Blob>;

/**
 * State that the page keeps in memory until it is closed or reloaded: the token, loaded bundles, and a bundle from the
 * reader's machine.
 */
export class Session {
  #token: string | null = null;
  #given: BundleFiles | null = null;
  readonly #bundles = new Map<string, Promise<Bundle>>();

  get hasToken(): boolean {
    return this.#token !== null;
  }

  /** Sets the token; loaded bundles are forgotten, so that refused ones are requested again. */
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

  /** Loads a bundle once; `latest` is looked up every time. */
  bundle(place: BundlePlace): Promise<Bundle> {
    const load = (): Promise<Bundle> => loadBundle(this.#source(place));
    if (place === "given") return this.#once("given", load);
    return place.version === "latest" ? load() : this.#once(`${place.benchmark}@${place.version}`, load);
  }

  /** Opens a bundle from the reader's machine. @throws AnchorEvalError as {@link loadBundle}; then nothing has changed */
  async give(files: BundleFiles): Promise<Bundle> {
    const bundle = await loadBundle(filesSource(files));
    this.#given = files;
    this.#bundles.set("given", Promise.resolve(bundle));
    return bundle;
  }

  /** A file of a bundle, checked against its digest. @throws AnchorEvalError as {@link readBundleFile} */
  async file(place: BundlePlace, { manifest }: Bundle, name: BundleFileName): Promise<Blob> {
    const source = this.#source(place);
    const bytes = name === "manifest.json" ? await source.read(name) : await readBundleFile(source, manifest, name);
    if (bytes === null) throw new AnchorEvalError("not_found", `${source.name} has no ${name}`);
    return new Blob([new Uint8Array(bytes)]);
  }

  async card(place: BundlePlace): Promise<string | null> {
    const bytes = await this.#source(place).readCard!();
    return bytes && new TextDecoder().decode(bytes);
  }

  #source(place: BundlePlace): BundleSource {
    if (place !== "given") {
      const path = [place.benchmark, place.version].map(encodeURIComponent).join("/");
      return httpSource(`${location.origin}/v1/bundles/${path}`, { headers: this.#headers, maxRetries: 1 });
    }
    if (this.#given) return filesSource(this.#given);
    const message = "no bundle is open, or the page was reloaded: drop its folder on the first page again";
    throw new AnchorEvalError("not_found", message);
  }

  #once(key: string, load: () => Promise<Bundle>): Promise<Bundle> {
    const earlier = this.#bundles.get(key);
    if (earlier) return earlier;
    const loading = Promise.resolve().then(load);
    this.#bundles.set(key, loading);
    loading.catch(() => this.#bundles.delete(key));
    return loading;
  }
}

function filesSource(files: BundleFiles): BundleSource {
  const place = "the bundle on your machine";
  const read = async (name: string, range?: ByteRange): Promise<Uint8Array | null> => {
    const file = files.get(name);
    return file ? readObject(range ? file.slice(range.begin, range.end) : file, fileBound(place, name)) : null;
  };
  return {
    name: place,
    read: (name, { range } = {}) => read(name, range),
    readCard: () => read(CARD_FILE),
  };
}

export interface View {
  readonly title: string;
  readonly content: Child;
}

export type BundleRoute = Extract<Route, { readonly view: "bundle" }>;

export interface BundlePage {
  readonly bundle: Bundle;
  readonly route: BundleRoute;
  readonly session: Session;
}
