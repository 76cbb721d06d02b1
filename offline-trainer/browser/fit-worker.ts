import { parseManifest } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import { readName } from "../src/cli/bundle-name.ts";
import { checkAnchors } from "../src/fit/form-plans.ts";
import { closingWords } from "../src/report/closing-words.ts";
import { bundleFiles, fit as fitBundle } from "../src/fit/fit.ts";
import { readResponses } from "../src/matrix/read-responses.ts";
import { browserBackend } from "./browser-backend.ts";
import { dropFile } from "./dropped-files.ts";
import type { FitReply, FitRequest } from "./messages.ts";

/** The part of a worker's own world that is used here. */
declare const self: {
  onmessage: ((event: { readonly data: FitRequest }) => void) | null;
  postMessage(reply: FitReply): void;
};

self.onmessage = ({ data }) => {
  fit(data).catch((error: unknown) => {
    const known = error instanceof AnchorEvalError;
    if (!known) console.error(error);
    self.postMessage({
      kind: "failed",
      code: known ? error.code : null,
      message: error instanceof Error ? error.message : String(error),
      issues: known ? error.issues : [],
    });
  });
};

/** `anchoreval fit` in a browser: the same code on the same files, but for the report. */
async function fit({ responses, items, anchors, seed, provider, ...given }: FitRequest): Promise<void> {
  const name = readName(`${given.benchmark}@${given.version}`);
  for (const file of [responses, items]) if (file) dropFile(file.name, file);
  const { matrix, remarks } = await readResponses(responses.name, items ? { items: items.name } : {});
  for (const message of remarks) self.postMessage({ kind: "remark", message });
  checkAnchors(anchors, matrix.items);
  const { backend, reason } = await browserBackend(provider, matrix.subjects.length * matrix.items.length);
  self.postMessage({ kind: "remark", message: reason });
  const result = await fitBundle(matrix, {
    ...name,
    created: `${new Date(responses.lastModified).toISOString().slice(0, 19)}Z`,
    sizes: anchors,
    seed,
    backend,
    onProgress: (done, of, note) => self.postMessage({ kind: "progress", share: done / of, note }),
  });
  const files = bundleFiles(result);
  const manifest = parseManifest(files.get("manifest.json")!); // what no reader would take isn't given out
  self.postMessage({
    kind: "done",
    files: Array.from(files, ([file, bytes]) => [file, new Uint8Array(bytes)] as const),
    words: closingWords(manifest),
  });
}
