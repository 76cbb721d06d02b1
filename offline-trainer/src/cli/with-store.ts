import { AnchorEvalError } from "anchoreval/core";
import { folderStore } from "anchoreval/node";
import { sweepableR2Store, type SweepableStore } from "anchoreval/publish";
import { hubSettings, withHubStore } from "../publish/hub-store.ts";
import { s3Settings, s3Store } from "../publish/s3-store.ts";
import { startLocalWorker } from "../serve/local-worker.ts";
import { checkWritable } from "./out-folder.ts";

/** What `--to` names besides a Worker's address. */
export type StoreKind = "local" | "r2" | "hub" | "folder";

/** @throws AnchorEvalError `unsupported` for another kind of address */
export function storeKind(to: string): StoreKind {
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
export async function withStore<T>(
  to: string,
  signal: AbortSignal,
  action: (store: SweepableStore) => Promise<T>,
): Promise<T> {
  switch (storeKind(to)) {
    case "r2":
      return action(s3Store({ ...s3Settings(to, process.env), signal }));
    case "hub":
      return withHubStore({ ...(await hubSettings(to, process.env)), signal }, "Change bundles", action);
    case "folder":
      await checkWritable("--to", to);
      return action(folderStore(to));
    case "local": {
      const worker = await startLocalWorker({ port: 0 });
      try {
        return await action(sweepableR2Store(await worker.bucket()));
      } finally {
        await worker.dispose();
      }
    }
  }
}
