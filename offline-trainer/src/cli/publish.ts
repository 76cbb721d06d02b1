import { stat } from "node:fs/promises";
import type { Command } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { folderSource, folderStore } from "anchoreval/node";
import { publishBundle, publishToWorker, r2Store, type PublishResult } from "anchoreval/publish";
import { readBundleFolder } from "../publish/bundle-folder.ts";
import { startLocalWorker } from "../serve/local-worker.ts";
import { checkOutFolder } from "./out-folder.ts";

export const publishCommand: Command = {
  name: "publish",
  summary: "a bundle to a Worker, to the local R2 of the Worker, or to a folder for any static host",
  positionals: "DIR",
  options: {
    to: {
      type: "string",
      value: "URL|local|FOLDER",
      description:
        "a Worker's address, with the token in ANCHOREVAL_TOKEN; local = the R2 of `wrangler dev` and `anchoreval serve` in this folder",
    },
  },
  async run({ positionals, options, output, signal }) {
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1)
      throw new AnchorEvalError("invalid_option", "publish takes one folder: anchoreval publish DIR --to local");
    const to = options.required("to");
    const address = /^https?:\/\//i.test(to);
    if (!address && /^[a-z0-9]+:\/\//i.test(to))
      throw new AnchorEvalError(
        "unsupported",
        `publishing to ${to.split(":")[0]!} is not there yet: publish to a Worker's address, to a folder, or to local`,
      );
    const token = address ? tokenOf(to) : null;
    if (!address && to !== "local") await checkOutFolder("--to", to);
    if ((await stat(folder).catch(() => null))?.isDirectory() === false)
      throw new AnchorEvalError("invalid_option", `${folder} is a file: publish takes the folder of a bundle`);
    const files = await readBundleFolder(folder);
    const signatures = (await folderSource(folder).readSignatures?.()) ?? null;
    const upload = { onUpload: ({ name }: { name: string }) => output.remark(`uploading ${name}`), signal };
    const result =
      token !== null
        ? await publishToWorker(files, { baseUrl: to, token, signatures, ...upload })
        : to === "local"
          ? await toLocal(files, signatures)
          : await publishBundle(folderStore(to), files, { plainFiles: true, signatures });
    const words = result.status === "already" ? "is there already, with the same content" : "is published";
    if (output.json) output.document(result);
    else
      output.line(
        `${result.benchmark}@${result.version} ${words} (${result.digest}); latest: ${result.latest ?? "none"}`,
      );
    return 0;
  },
};

async function toLocal(
  files: Parameters<typeof publishBundle>[1],
  signatures: Uint8Array | null,
): Promise<PublishResult> {
  const worker = await startLocalWorker({ port: 0 });
  try {
    return await publishBundle(r2Store(await worker.bucket()), files, { signatures });
  } finally {
    await worker.dispose();
  }
}

/** The token from the environment: never from the command line, where others of the machine can read it. */
function tokenOf(address: string): string {
  const token = process.env["ANCHOREVAL_TOKEN"];
  if (!token)
    throw new AnchorEvalError(
      "invalid_option",
      `publishing to ${address} takes a token: set ANCHOREVAL_TOKEN (anchoreval token makes one)`,
    );
  return token;
}
