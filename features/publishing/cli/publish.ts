import { stat } from "node:fs/promises";
import { readBundleFolder } from "anchoreval/internal/node/bundle-folder";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { BENCHMARK_NAME, manifestKey, signatureKey, VERSION } from "anchoreval/internal/core/bundle/names";
import type { Yank } from "anchoreval/internal/core/bundle/decode-manifest";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import { readManifest } from "anchoreval/internal/bundles/read-file";
import { folderSource, folderStore } from "anchoreval/internal/node/folder";
import { placedFolder, placedSource } from "anchoreval/internal/node/shipped-bundles";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { publishToWorker, yankOnWorker } from "anchoreval/internal/features/publishing/sdk/publish-to-worker";
import { sweepableR2Store } from "anchoreval/internal/bundles/r2-store";
import { findBrokenLogs, sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { type PublishResult, yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import { bundleCard } from "anchoreval/internal/features/publishing/sdk/bundle-card";
import { type Action, type Command, option, type OptionReader, flag } from "../../../cli/src/program/command.ts";
import { checkWritable } from "../../../cli/src/program/out.ts";
import type { AfterChange, PublishPart } from "../../../cli/src/options/parts.ts";

type Parts = readonly PublishPart[];

const optionsOf = (parts: Parts): Command["options"] =>
  Object.fromEntries(parts.map(({ heading, options }) => [heading, options]));

const sweep: Action = {
  summary: "remove files that broken-off publications left behind",
  options: {
    Data: {
      to: option(
        "PLACE",
        "where bundles are published: r2://BUCKET, hf://datasets/ORG/NAME, a folder or local; with the environment variables of publish",
        { required: true },
      ),
    },
    Output: { "dry-run": flag("only list them") },
  },
  examples: ["publish sweep --to r2://bundles --dry-run", "publish sweep --to public/bundles"],
  async run({ options, output, signal }) {
    const to = options.required("to");
    const dryRun = options.flag("dry-run");
    if (storeKind(to) === "folder" && !(await stat(to).catch(() => null))?.isDirectory())
      throw invalidOption(`--to ${to} isn't a folder: nothing is published there`);
    const { broken, ...result } = await withStore(to, signal, async (store) => {
      const swept = await sweepBlobs(store, { now: Date.now(), dryRun });
      return { ...swept, broken: await findBrokenLogs(store) };
    });
    const { removed, kept, young, skipped } = result;
    if (skipped.length > 0)
      throw new AnchorEvalError(
        "bundle_invalid",
        `${removed.length} files were ${dryRun ? "found" : "removed"}; left alone, since a manifest can't be read: ${skipped.map(({ benchmark, reason }) => `${benchmark} (${reason})`).join(", ")}`,
      );
    if (broken.length > 0)
      throw new AnchorEvalError(
        "bundle_corrupt",
        `${removed.length} files were ${dryRun ? "found" : "removed"}; ${broken.join("; ")}`,
      );
    output.result({ ...result, dryRun }, [
      ...removed,
      `${removed.length} ${dryRun ? "would be removed" : "removed"}, ${kept} kept, ${young} of them because they are less than a day old`,
    ]);
  },
};

const yankWith = (parts: Parts): Action => ({
  summary: "take a version back, or offer it again; who reads it is told why",
  operands: { usage: "ADDRESS", option: "address" },
  options: {
    Data: {
      address: option(
        "ADDRESS",
        "the version, PLACE/bundles/NAME/X.Y.Z or a Worker's …/v1/bundles/NAME/X.Y.Z, with PLACE and environment variables as for publish",
        { required: true },
      ),
      reason: option("TEXT", "why, for whoever reads it, such as: wrong keys, use 1.0.1"),
      undo: flag("offer the version again"),
    },
    ...optionsOf(parts),
  },
  examples: [
    "publish yank https://evals.example.com/v1/bundles/quiz/1.0.0 --reason wrong-keys",
    "publish yank r2://bundles/bundles/quiz/1.0.0 --undo",
  ],
  async run({ options, output, signal }) {
    const address = options.required("address");
    const reason = options.text("reason");
    const undo = options.flag("undo");
    if (undo === (reason !== undefined)) throw invalidOption("give --reason TEXT, or --undo");
    if (reason !== undefined && (reason.trim() === "" || reason.length > 500))
      throw invalidOption("--reason is text of 1 to 500 letters");
    const [, to, benchmark, version] =
      /^(.+?)\/(?:v1\/)?bundles\/([^/]+)\/([^/]+?)(?:\/files)?\/*$/.exec(address) ?? [];
    if (to === undefined || !BENCHMARK_NAME.test(benchmark!) || !VERSION.test(version!))
      throw invalidOption(`${address} names no version: it ends in bundles/NAME/X.Y.Z`);
    const change: Yank = undo ? { yanked: false } : { yanked: true, reason: reason! };
    const ref = { benchmark: benchmark!, version: version! };
    let latest: string | null;
    if (/^https?:\/\//i.test(to)) {
      refuseParts(parts, options);
      ({ latest } = await yankOnWorker(ref, change, { baseUrl: to, token: tokenOf(to), signal }));
    } else
      latest = await withStore(to, signal, async (store) => {
        const manifest = (await store.get(manifestKey(ref.benchmark, ref.version)))?.bytes;
        if (!manifest)
          throw new AnchorEvalError("not_found", `no bundle ${ref.benchmark}@${ref.version} is published in ${to}`);
        const signed = await store.get(signatureKey(ref.benchmark, sha256Hex(manifest)));
        const bundle = { manifest, signatures: signed?.bytes ?? null, name: address };
        const after = await readParts(parts, options, bundle, output);
        const index = await yankVersion(store, ref, change);
        await after(store, ref.benchmark);
        return index.latest;
      });
    const words = undo ? "is offered again" : `is yanked: whoever reads it is told "${reason!}"`;
    output.result({ ...ref, ...change, latest }, [
      `${ref.benchmark}@${ref.version} ${words}; latest: ${latest ?? "none"}`,
    ]);
  },
});

/** The command `publish`, with side roads of features. */
export const publishWith = (parts: Parts): Command => ({
  actions: { sweep, yank: yankWith(parts) },
  operands: { usage: "DIR", option: "bundle" },
  options: {
    Data: { bundle: option("DIR", "the bundle's folder, or a name (anchoreval show)", { required: true }) },
    Output: {
      to: option(
        "PLACE",
        "a Worker's address, with the token in ANCHOREVAL_TOKEN; r2://BUCKET, with R2_ACCOUNT_ID, R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY; hf://datasets/ORG/NAME, with HF_TOKEN; a folder, for any static host; or local: the R2 of `wrangler dev` and `anchoreval serve` in this folder",
        { required: true },
      ),
    },
    ...optionsOf(parts),
  },
  examples: ["publish bundles/quiz --to https://evals.example.com", "publish bundles/quiz --to r2://bundles"],
  async run({ options, output, signal }) {
    const place = options.required("bundle");
    const folder = placedFolder(place) ?? place;
    const to = options.required("to");
    const address = /^https?:\/\//i.test(to);
    const kind = address ? "worker" : storeKind(to);
    const token = kind === "worker" ? tokenOf(to) : null;
    const hub = kind === "hub" ? await import("anchoreval-trainer/internal/features/publishing/fit/hub-store") : null;
    const settings = hub && (await hub.hubSettings(to, process.env));
    if ((await stat(folder).catch(() => null))?.isDirectory() === false)
      throw invalidOption(`${folder} is a file: publish takes the folder of a bundle`);
    const source = folder === place ? folderSource(folder) : placedSource(place);
    await readManifest(source, { signal }); // the bundle that is named, and pinned
    const files = await readBundleFolder(folder);
    const signatures = (await source.readSignatures?.()) ?? null;
    const card = (await source.readCard?.()) ?? new TextEncoder().encode(bundleCard(await loadBundle(source)));
    const plainFiles = kind === "folder";
    if (kind === "worker") refuseParts(parts, options);
    const manifest = files.get("manifest.json")!;
    const after = await readParts(parts, options, { manifest, signatures, name: folder }, output);
    const upload = { onUpload: ({ name }: { name: string }) => output.remark(`uploading ${name}`), signal };
    const result: PublishResult & { readonly url?: string } =
      token !== null
        ? await publishToWorker(files, { baseUrl: to, token, signatures, card, ...upload })
        : hub !== null
          ? await hub.publishToHub({ ...settings!, signal }, files, { signatures, card, after, usage })
          : await withStore(to, signal, async (store) => {
              const published = await publishBundle(store, files, { plainFiles, signatures, card });
              await after(store, published.benchmark);
              return published;
            });
    const words = result.status === "already" ? "is there already, with the same content" : "is published";
    const { benchmark, version, url } = result;
    output.result(result, [
      `${benchmark}@${version} ${words} (${result.digest}); latest: ${result.latest ?? "none"}`,
      ...(url ? [`loadBundle and --bundle take ${url}`] : []),
    ]);
  },
});

function refuseParts(parts: Parts, options: OptionReader): void {
  for (const part of parts) options.refuse(Object.keys(part.options), part.notForWorker);
}

/** For the README of a dataset: how a model is estimated from a bundle. */
function usage(url: string): string {
  return `\`\`\`sh
npx anchoreval show ${url}
npx anchoreval export --bundle ${url} --to ids --out .    # the items to ask
npx anchoreval estimate --bundle ${url} --responses answers.json
\`\`\`

`;
}

/** Reads the options of all parts. @throws AnchorEvalError as these */
async function readParts(parts: Parts, ...input: Parameters<PublishPart["read"]>): Promise<AfterChange> {
  const all: AfterChange[] = [];
  for (const part of parts) all.push(await part.read(...input));
  return async (store, benchmark) => {
    for (const after of all) await after(store, benchmark);
  };
}

/** The token from the environment: never from the command line, where others of the machine can read it. */
function tokenOf(address: string): string {
  const token = process.env["ANCHOREVAL_TOKEN"]?.trim();
  if (!token)
    throw invalidOption(
      `publishing to ${address} takes a token: set ANCHOREVAL_TOKEN (anchoreval keys token makes one)`,
    );
  if (!/^[!-~]+$/.test(token)) throw invalidOption("ANCHOREVAL_TOKEN is no token: it has white space or other letters");
  return token;
}

type StoreKind = "local" | "r2" | "hub" | "folder";

/** @throws AnchorEvalError `unsupported` for another kind of address */
function storeKind(to: string): StoreKind {
  if (to === "local") return "local";
  const [, scheme] = /^([a-z0-9]+):\/\//i.exec(to) ?? [];
  if (scheme === undefined) return "folder";
  if (scheme.toLowerCase() === "r2") return "r2";
  if (scheme.toLowerCase() === "hf") return "hub";
  throw new AnchorEvalError(
    "unsupported",
    `${scheme}:// can't be written to: take r2://BUCKET, hf://datasets/ORG/NAME, a folder, or local`,
  );
}

/** Runs on the store that `--to` names: local (the R2 of `wrangler dev`), a folder, r2://BUCKET, a dataset of Hugging Face. */
async function withStore<T>(
  to: string,
  signal: AbortSignal,
  action: (store: SweepableStore) => Promise<T>,
): Promise<T> {
  switch (storeKind(to)) {
    case "r2": {
      const { s3Settings, s3Store } = await import("anchoreval-trainer/internal/features/publishing/fit/s3-store");
      return action(s3Store({ ...s3Settings(to, process.env), signal }));
    }
    case "hub": {
      const { hubSettings, withHubStore } =
        await import("anchoreval-trainer/internal/features/publishing/fit/hub-store");
      return withHubStore({ ...(await hubSettings(to, process.env)), signal }, "Change bundles", action);
    }
    case "folder":
      await checkWritable("--to", to);
      return action(folderStore(to));
    case "local": {
      const { startLocalWorker } = await import("anchoreval-trainer/internal/features/serve/fit/local-worker");
      const worker = await startLocalWorker({ port: 0 });
      try {
        return await action(sweepableR2Store(await worker.bucket()));
      } finally {
        await worker.dispose();
      }
    }
  }
}
