import { readManifest } from "anchoreval/internal/bundles/read-file";
import { httpSource } from "anchoreval/internal/bundles/sources";
import type { BundleSource } from "anchoreval/internal/core/bundle/bundle";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { Integer } from "anchoreval/internal/estimate/types";
import { folderSource } from "anchoreval/internal/node/folder";
import { shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { points, textTable } from "anchoreval/internal/words/figures";
import { itemTotal, LISTED_ITEMS, listedForm, typicalError } from "anchoreval/internal/words/measured-forms";
import type { PartInput } from "../program/parts.ts";
import { loadHub } from "../../../features/cli-bundles.ts";
import { withTrainer } from "../program/trainer.ts";
import { askedBy } from "./form-anchors.ts";
import { readPolicy, whereTrusted } from "./open-bundle.ts";

/**
 * The bundles that a place lists: those that come along, where none is named; a Worker's, by its root or its `/v1/bundles`; those
 * of an organisation or a dataset of Hugging Face.
 * @returns null for a place that lists none, as a bundle's
 */
export async function findListed(
  place: string | undefined,
  signal: AbortSignal,
): Promise<readonly BundlePlace[] | null> {
  if (place === undefined) return shippedPlaces();
  if (/^hf:\/\//i.test(place)) {
    const { listHub } = await withTrainer("hf://", loadHub);
    const repositories = await listHub(place, process.env, signal);
    return repositories.map(({ url, headers }) => ({ name: url, source: whereTrusted(httpSource(url, { headers })) }));
  }
  if (!/^https?:\/\//i.test(place) || !URL.canParse(place)) return null;
  const { origin, pathname } = new URL(place);
  const base = pathname === "/" ? "" : /^(.*)\/v1\/bundles\/*$/.exec(pathname)?.[1];
  return base === undefined ? null : workerPlaces(origin + base, signal);
}

/** Lists bundles, the newest version of each, with the error of as many items of each. @param place - none for those that come along */
export async function listBundles(
  place: string | undefined,
  listed: readonly BundlePlace[],
  { output, signal }: PartInput,
): Promise<void> {
  const bundles = await readListed(listed, { signal });
  if (bundles.length === 0) {
    output.result(bundles, [`No bundle is published at ${place!}, or none that can be read without a token.`]);
    return;
  }
  const rows = bundles.map((bundle) => [
    `${bundle.benchmark}@${bundle.version}`,
    String(bundle.items),
    String(bundle.models),
    bundle.note ?? "",
    bundle.askedBy ?? "ids alone",
    bundle.error === null
      ? "–"
      : `${points(bundle.error)}${bundle.form.items === LISTED_ITEMS ? "" : ` (${bundle.form.items})`}`,
    place === undefined ? (bundle.description ?? "") : bundle.place,
  ]);
  const where = place === undefined ? "these names" : "these addresses";
  output.result(bundles, [
    ...textTable(
      [["bundle", "items", "models", "", "asked by", `error at ${LISTED_ITEMS} items`, ""], ...rows],
      "lrrllrl",
    ),
    "",
    `--bundle takes ${where}; anchoreval show ${place === undefined ? "NAME" : "ADDRESS"} has who measured them, and what an item id is.`,
  ]);
}

/** A bundle, and what `--bundle` takes for it. */
export interface BundlePlace {
  readonly name: string;
  readonly source: BundleSource;
}

/** A bundle in a list. */
export interface ListedBundle {
  readonly benchmark: string;
  readonly version: string;
  /** Names the bundle's content, `sha256:…`. */
  readonly digest: string;
  readonly description: string | null;
  readonly scenarios: readonly string[];
  /** Of the whole benchmark. */
  readonly items: Integer;
  /** That the bundle was fitted on. */
  readonly models: Integer;
  /** Something to know of these models. */
  readonly note: string | null;
  /** The harness that can be told to ask its items; null where answers are told by their ids alone. */
  readonly askedBy: string | null;
  /** The form that `error` is of. */
  readonly form: ListedForm;
  /** Mean error of the overall score on held-out models like those seen, a fraction; null where it wasn't measured. */
  readonly error: number | null;
  /** The name, or the address, by which it is loaded. */
  readonly place: string;
}

/** The form whose error a list shows: that of 50 items where there is one, else the default form. */
interface ListedForm {
  readonly id: string;
  /** Items asked, over all scenarios. */
  readonly items: Integer;
}

/** Reads what a list says of bundles. */
export function readListed(
  places: readonly BundlePlace[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<ListedBundle[]> {
  return Promise.all(
    places.map(async ({ name, source }) => {
      const { manifest, digest } = await readManifest(source, options);
      return { ...listing(manifest, digest), place: name };
    }),
  );
}

/** The bundles that come along. */
export function shippedPlaces(): BundlePlace[] {
  return shippedBundles().map(({ benchmark, version, folder }) => ({
    name: `${benchmark}@${version}`,
    source: folderSource(folder),
  }));
}

async function workerPlaces(baseUrl: string, signal: AbortSignal): Promise<BundlePlace[] | null> {
  const policy = readPolicy(new URL(baseUrl));
  const { createClient } = await import("anchoreval/internal/features/sdk-client"); // a bundle alone needs none
  const benchmarks = await createClient({ baseUrl, ...policy })
    .bundles.list({ signal })
    .catch((error: unknown) => {
      if (error instanceof AnchorEvalError && error.code === "not_found") return null; // a static host
      throw error;
    });
  return (
    benchmarks?.flatMap(({ benchmark, latest, versions }) => {
      const version = latest ?? versions.at(-1)?.version;
      if (version === undefined) return [];
      const name = `${baseUrl}/v1/bundles/${benchmark}/${version}`;
      return [{ name, source: whereTrusted(httpSource(name, policy)) }];
    }) ?? null
  );
}

function listing(manifest: Manifest, digest: string): Omit<ListedBundle, "place"> {
  const { benchmark, version, description, sources } = manifest;
  const listed = listedForm(manifest);
  return {
    ...{ benchmark, version, digest, description },
    scenarios: manifest.scenarios.map(({ id }) => id),
    items: itemTotal(manifest),
    models: sources.models,
    note: sources.note,
    askedBy: askedBy(manifest),
    form: { id: listed.form.id, items: listed.items },
    error: listed.whole ? 0 : typicalError(listed),
  };
}
