import { parseManifest, type BundleFileName } from "anchoreval/bundle";
import { publishBundle, type PublishResult } from "anchoreval/publish";
import { datasetCard } from "./dataset-card.ts";
import type { HubOptions } from "./hub-repository.ts";
import { hubUrl } from "./hub-settings.ts";
import { withHubStore } from "./hub-store.ts";

/**
 * Publishes a bundle to a dataset repository of Hugging Face, as one commit; with a README.md where there is none.
 * @param files - as `encodeBundle` or `anchoreval fit` wrote them
 * @returns what was published, and where it is read from
 * @throws AnchorEvalError as `publishBundle`; `request_refused` with the hub's own words
 * @example await publishToHub(await hubSettings("hf://datasets/org/quiz", process.env), files)
 */
export async function publishToHub(
  options: HubOptions,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  signatures: Uint8Array | null = null,
): Promise<PublishResult & { readonly url: string }> {
  const manifest = parseManifest(files.get("manifest.json")!);
  const { benchmark, version } = manifest;
  const url = hubUrl(options, benchmark, version);
  return withHubStore(options, `Publish ${benchmark}@${version}`, async (store) => {
    const result = await publishBundle(store, files, { plainFiles: true, signatures });
    if (result.status === "published")
      await store.putIfAbsent("README.md", new TextEncoder().encode(datasetCard(manifest, url)));
    return { ...result, url };
  });
}
