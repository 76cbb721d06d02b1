import { invalidOption } from "anchoreval/internal/core/errors";
import { TRUST_FILE, trustKey } from "anchoreval/internal/core/bundle/names";
import { checkRoots, currentRoot, isEnding } from "anchoreval/internal/features/trust/sdk/root-chain";
import { signIndex } from "anchoreval/internal/features/trust/sdk/sign-index";
import { parseTrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { requireBundleKey } from "anchoreval/internal/features/trust/sdk/trust-root";
import { mostBytes } from "anchoreval/internal/bundles/read-file";
import { readNamed } from "anchoreval/internal/node/whole-file";
import { whyNot } from "anchoreval/internal/node/write-file";
import type { AfterChange, PublishPart } from "../../../cli/src/options/parts.ts";
import { option } from "../../../cli/src/program/command.ts";
import { warn } from "../../../cli/src/program/output.ts";
import { readKey } from "./key-files.ts";

/** Without a Worker the index is signed when something is published, or by a job that publishes the newest again. */
const [DUE, LIFE] = [30 * 86_400_000, 60 * 86_400_000];

/** The index that is signed beside what is published, by `--root` and `--key`; without them, a signed one that is left behind is told of. */
export const sealPart: PublishPart = {
  heading: "Signed index",
  options: {
    root: option("FILE", "root.json, published beside the bundle for readers who trust it; with --key"),
    key: option("FILE", "a private key that the root lists for indexes: signs the benchmark's index for 60 days"),
  },
  notForWorker: "isn't for a Worker, which signs by its secret INDEX_KEY",
  read: readSeal,
};

/**
 * @param bundle - checked first: one that readers of the root refuse isn't published
 * @throws AnchorEvalError `invalid_option`; `bundle_untrusted` where the root isn't valid, or no key of it signed the bundle
 */
async function readSeal(...[options, bundle, output]: Parameters<PublishPart["read"]>): Promise<AfterChange> {
  const [file, keyFile] = [options.text("root"), options.text("key")];
  if (file === undefined && keyFile === undefined)
    return async (store, benchmark) => {
      if ((await store.get(trustKey(benchmark))) === null) return;
      output.remark(
        `The signed index there doesn't name what was published since: a Worker in front signs it by itself; else publish again with --root and --key`,
      );
    };
  if (file === undefined || keyFile === undefined) throw invalidOption("--root and --key go together: who is trusted, and what signs the index"); // prettier-ignore
  const key = await readKey("--key", keyFile);
  const trust = await readNamed(file, mostBytes(TRUST_FILE)).then(
    (bytes) => parseTrustFile(bytes),
    (cause: unknown) => {
      throw invalidOption(`--root ${file} can't be read: ${whyNot(cause)}`, cause);
    },
  );
  if (trust === null) throw invalidOption(`--root ${file} is no root.json: anchoreval keys root makes one`);
  const chain = await checkRoots(trust.roots, file);
  const root = currentRoot(chain, Date.now());
  if (!root.index.includes(key.key))
    throw invalidOption(`--key ${keyFile}: root ${root.version} doesn't list ${key.key} for indexes`);
  if (isEnding(root, Date.now()))
    warn(`root ${root.version} expires at ${root.expires}: renew it by anchoreval keys root ${file} --expires DATE`);
  await requireBundleKey(chain, bundle.manifest, bundle.signatures, bundle.name);
  return async (store, benchmark) => {
    const sign = (bytes: Uint8Array): string => key.sign(bytes).signature;
    await signIndex(store, benchmark, {
      chain,
      key: key.key,
      sign,
      now: Date.now(),
      due: DUE,
      life: LIFE,
      renewAfter: 0,
    });
  };
}
