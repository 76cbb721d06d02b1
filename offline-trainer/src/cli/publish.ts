import { stat } from "node:fs/promises";
import type { Command } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { folderSource } from "anchoreval/node";
import { publishBundle, publishToWorker, type PublishResult } from "anchoreval/publish";
import { readBundleFolder } from "../publish/bundle-folder.ts";
import { hubSettings, publishToHub } from "../publish/hub-store.ts";
import { storeKind, withStore } from "./with-store.ts";

export const publishCommand: Command = {
  name: "publish",
  summary:
    "a bundle to a Worker, to R2, to the local R2 of the Worker, to Hugging Face, or to a folder for any static host",
  positionals: "DIR",
  options: {
    to: {
      type: "string",
      value: "URL|r2://BUCKET|hf://datasets/ORG/NAME|local|FOLDER",
      description:
        "a Worker's address, with the token in ANCHOREVAL_TOKEN; a bucket, with R2_ACCOUNT_ID, R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY; a dataset of Hugging Face, with HF_TOKEN; local = the R2 of `wrangler dev` and `anchoreval serve` in this folder",
    },
  },
  async run({ positionals, options, output, signal }) {
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1)
      throw new AnchorEvalError("invalid_option", "publish takes one folder: anchoreval publish DIR --to local");
    const to = options.required("to");
    const address = /^https?:\/\//i.test(to);
    const kind = address ? "worker" : storeKind(to);
    const token = kind === "worker" ? tokenOf(to) : null;
    const hub = kind === "hub" ? await hubSettings(to, process.env) : null;
    if ((await stat(folder).catch(() => null))?.isDirectory() === false)
      throw new AnchorEvalError("invalid_option", `${folder} is a file: publish takes the folder of a bundle`);
    const files = await readBundleFolder(folder);
    const signatures = (await folderSource(folder).readSignatures?.()) ?? null;
    const plainFiles = kind === "folder";
    const upload = { onUpload: ({ name }: { name: string }) => output.remark(`uploading ${name}`), signal };
    const result: PublishResult & { readonly url?: string } =
      token !== null
        ? await publishToWorker(files, { baseUrl: to, token, signatures, ...upload })
        : hub !== null
          ? await publishToHub({ ...hub, signal }, files, signatures)
          : await withStore(to, signal, (store) => publishBundle(store, files, { plainFiles, signatures }));
    const words = result.status === "already" ? "is there already, with the same content" : "is published";
    const { benchmark, version, url } = result;
    if (output.json) output.document(result);
    else {
      output.line(`${benchmark}@${version} ${words} (${result.digest}); latest: ${result.latest ?? "none"}`);
      if (url) output.line(`loadBundle, and --bundle of commands, take ${url}`);
    }
    return 0;
  },
};

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
