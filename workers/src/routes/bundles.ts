import { z } from "@hono/zod-openapi";
import type { BenchmarkSummary } from "anchoreval";
import { unknownForm } from "anchoreval/internal/core/bundle/bundle";
import { CARD_FILE } from "anchoreval/internal/core/bundle/names";
import { SIGNATURE_FILE } from "anchoreval/internal/core/bundle/signature";
import type { BundleIndex } from "anchoreval/internal/bundles/bundle-index";
import type { Context } from "hono";
import { INDEX_MAX_AGE, type PublishedBundle } from "../bundles/bundle-caches.ts";
import { IMMUTABLE, sendContent } from "../http/send-content.ts";
import { BenchmarkParams, FileParams, headers, OTHERWISE, VersionParams } from "../schemas/contract.ts";
import { answerSchema, described, json, optional } from "../schemas/fields.ts";
import { ManifestSchema } from "../schemas/manifest.ts";
import { type AppEnv, operation, route } from "./route.ts";

const INDEX_CACHING = `public, max-age=${INDEX_MAX_AGE}`;

const VersionSchema = z.object({ version: z.string(), digest: z.string() });
const YankedSchema = VersionSchema.extend({ reason: described(z.string().optional(), "In the publisher's words.") });

export const BenchmarkSchema = answerSchema("Benchmark", {
  benchmark: z.string(),
  latest: described(z.string().nullable(), "The highest stable version."),
  versions: described(z.array(VersionSchema).readonly(), "Ascending, without yanked versions."),
  yanked: described(
    z.array(YankedSchema).readonly(),
    "Yanked versions, which still answer by their number. Ascending.",
  ),
  log: optional(
    z.object({ entries: z.number().int(), head: z.string() }),
    "How many lines log.jsonl had with these versions, and the digest of the last.",
  ),
});

export const BenchmarkListSchema = z.object({ benchmarks: z.array(BenchmarkSchema).readonly() }).openapi("Benchmarks");

export function summarizeIndex({ benchmark, latest, versions, log }: BundleIndex): BenchmarkSummary {
  return {
    benchmark,
    latest,
    versions: versions.filter(({ yanked }) => !yanked).map(({ version, digest }) => ({ version, digest })),
    yanked: versions
      .filter(({ yanked }) => yanked)
      .map(({ version, digest, reason }) => ({ version, digest, ...(reason !== undefined && { reason }) })),
    ...(log && { log }),
  };
}

export const listBenchmarks = route(
  {
    method: "get",
    path: "/v1/bundles",
    ...operation("bundles", "listBenchmarks", "List the benchmarks with their versions"),
    responses: { 200: json(BenchmarkListSchema, "The benchmarks by name"), ...OTHERWISE.read },
  },
  async (c) => {
    const all = await c.var.bundles.benchmarks();
    const readable = all.filter(({ benchmark }) => c.var.caller.mayRead(benchmark));
    // A token may show more than others see, so shared caches must not keep the answer.
    const isPublic = c.var.caller.token === null;
    c.header("cache-control", isPublic ? INDEX_CACHING : "private, no-store");
    c.header("vary", "authorization", { append: true });
    return c.json({ benchmarks: readable.map(summarizeIndex) }, 200);
  },
);

export const readBenchmark = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}",
    ...operation("bundles", "readBenchmark", "Read one benchmark with its versions"),
    request: { params: BenchmarkParams },
    responses: { 200: json(BenchmarkSchema, "The benchmark"), ...OTHERWISE.read },
  },
  async (c) => {
    const index = await c.var.bundles.benchmark(c.req.valid("param").benchmark);
    c.header("cache-control", INDEX_CACHING);
    return c.json(summarizeIndex(index), 200);
  },
);

/** Redirects a GET of anything under `latest` to the same under the version's number. */
export async function redirectLatest(c: Context<AppEnv, "/v1/bundles/:benchmark/latest">): Promise<Response> {
  const version = await c.var.bundles.latest(c.req.param("benchmark"));
  const { pathname, search } = new URL(c.req.url);
  const [root, v1, bundles, name, , ...rest] = pathname.split("/");
  c.header("cache-control", INDEX_CACHING);
  return c.redirect([root, v1, bundles, name, version, ...rest].join("/") + search, 307);
}

const RangeHeaders = z.object({
  range: z.string().optional().openapi({ example: "bytes=0-1023" }),
  "if-none-match": z.string().optional(),
});

export const readManifest = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}",
    ...operation(
      "bundles",
      "readManifest",
      "Read the manifest of a version, byte for byte as published; its ETag is the bundle's digest",
    ),
    request: { params: VersionParams, headers: RangeHeaders },
    responses: {
      200: { ...json(ManifestSchema, "manifest.json"), headers: headers({ ETag: "The bundle's digest, sha256:…" }) },
      206: { description: "The range", content: { "application/json": { schema: z.unknown() } } },
      ...OTHERWISE.range,
    },
  },
  async (c) => sendManifest(c, await c.var.bundles.published(c.req.valid("param"))),
);

function sendManifest(c: Context, { bytes, digest }: PublishedBundle): Promise<Response> {
  return sendContent(c, {
    type: "application/json",
    etag: digest,
    bytes: bytes.length,
    open: (range) => (range ? bytes.slice(range.begin, range.end) : bytes.slice()),
  });
}

const AnchorSchema = answerSchema("Anchor", {
  item_id: z.string(),
  scenario: z.string(),
  index: described(z.number().int(), "Position among the scenario's items."),
  subscenario: z.string().exactOptional(),
  hash: optional(z.string(), "Content hash."),
  task: z.string().exactOptional(),
  doc_id: z.union([z.number(), z.string()]).exactOptional(),
  text: z.string().exactOptional(),
  forms: z.array(z.string()).readonly(),
});

export const AnchorsSchema = answerSchema("Anchors", {
  form: z.string(),
  digest: described(z.string(), "Digest of the form: `formDigest` of an array of answers."),
  anchors: described(z.array(AnchorSchema).readonly(), "In the order in which they are asked."),
});

export const readAnchors = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/anchors",
    ...operation("bundles", "readAnchors", "Read the anchors of a form: the items to ask"),
    request: {
      params: VersionParams,
      query: z.object({
        form: z.string().optional().openapi({ description: "Default: the bundle's default form.", example: "50" }),
      }),
    },
    responses: { 200: json(AnchorsSchema, "The form"), ...OTHERWISE.form },
  },
  async (c) => {
    const bundle = await c.var.bundles.bundle(c.req.valid("param"));
    const { forms, defaultForm } = bundle.manifest;
    const id = c.req.valid("query").form ?? defaultForm;
    const form = forms.find((candidate) => candidate.id === id);
    if (!form) throw unknownForm(id, bundle.manifest);
    const asked = [...bundle.scenarios.values()].flatMap((scenario) =>
      [...scenario.anchors.values()].filter((anchor) => anchor.forms.includes(id)),
    );
    c.header("cache-control", IMMUTABLE);
    return c.json({ form: id, digest: form.digest, anchors: asked }, 200);
  },
);

const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ["json", "application/json"],
  ["safetensors", "application/octet-stream"],
  ["jsonl", "application/x-ndjson"],
  ["html", "text/html; charset=utf-8"],
]);

/** Files beside a version that are no part of it. */
const COMPANION_TYPES = { [SIGNATURE_FILE]: "application/json", [CARD_FILE]: "text/markdown; charset=utf-8" };

/** The report brings its own scripts and styles; it gets no origin, no network and no forms. */
const REPORT_POLICY =
  "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'";

const FileBytes = z.string().openapi({ format: "binary" });
const fileContent = {
  ...Object.fromEntries(
    [...FILE_TYPES.values(), COMPANION_TYPES[CARD_FILE]].map((type) => [type.split(";")[0]!, { schema: FileBytes }]),
  ),
  "application/json": { schema: z.unknown() },
};
const fileEtag = { headers: headers({ ETag: "Digest of the whole file" }) };

export const readFile = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/files/{name}",
    ...operation("bundles", "readFile", "Read a file of the bundle, whole or by byte range"),
    request: {
      params: FileParams,
      headers: RangeHeaders,
    },
    responses: {
      200: { description: "The file", content: fileContent, ...fileEtag },
      206: { description: "The range", content: fileContent, ...fileEtag },
      ...OTHERWISE.range,
    },
  },
  async (c) => {
    const { name, ...ref } = c.req.valid("param");
    if (name === "manifest.json") return sendManifest(c, await c.var.bundles.published(ref));
    // Not immutable: signatures by other keys may be added, and a card may be written anew.
    if (name === SIGNATURE_FILE || name === CARD_FILE)
      return new Response(await c.var.bundles.companion(ref, name), {
        headers: { "content-type": COMPANION_TYPES[name], "cache-control": INDEX_CACHING },
      });
    const { bytes, sha256, open } = await c.var.bundles.file(ref, name);
    return sendContent(c, {
      type: FILE_TYPES.get(name.split(".").at(-1)!)!,
      etag: `sha256:${sha256}`,
      bytes,
      ...(name === "report.html" && { headers: { "content-security-policy": REPORT_POLICY } }),
      open,
    });
  },
);
