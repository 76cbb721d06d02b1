import { TRUST_FILE, trustKey } from "anchoreval/internal/core/bundle/names";
import type { BundleStore } from "anchoreval/internal/publish/bundle-store";
import { checkRoots, currentRoot, isEnding } from "anchoreval/internal/features/trust/sdk/root-chain";
import { signIndex } from "anchoreval/internal/features/trust/sdk/sign-index";
import { parseTrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { requireBundleKey } from "anchoreval/internal/features/trust/sdk/trust-root";
import { mostBytes } from "anchoreval/internal/core/bundle/most-bytes";
import { readNamed } from "anchoreval/internal/node/whole-file";
import { whyNot } from "anchoreval/internal/node/write-file";
import { invalidOption, option, type OptionReader } from "../../../cli/src/program/command.ts";
import type { Output } from "../../../cli/src/program/output.ts";
import { readKey } from "./key-files.ts";
import { warn } from "../../../cli/src/bundles/trusted-keys.ts";

/** Options of a command that signs an index beside what it publishes. */
export const SEAL_OPTIONS = {
  root: option("FILE", "root.json, published beside the bundle for readers who trust it; with --key"),
  key: option("FILE", "a private key that the root lists for indexes: signs the benchmark's index for 60 days"),
};

/** Without a Worker the index is signed when something is published, or by a job that publishes the newest again. */
const [DUE, LIFE] = [30 * 86_400_000, 60 * 86_400_000];

/** Signs the index of a benchmark in a store, after a publication there. */
export type Seal = (store: BundleStore, benchmark: string) => Promise<void>;

/**
 * Reads how the index is signed, by `--root` and `--key`; without them, a signed one that is left behind is told of.
 * @param bundle - checked first: one that readers of the root refuse isn't published
 * @throws AnchorEvalError `invalid_option`; `bundle_untrusted` where the root isn't valid, or no key of it signed the bundle
 */
export async function readSeal(
  options: OptionReader,
  bundle: { readonly manifest: Uint8Array; readonly signatures: Uint8Array | null; readonly name: string },
  output: Output,
): Promise<Seal> {
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
  if (trust === null) throw invalidOption(`--root ${file} is no root.json: anchoreval root makes one`);
  const chain = await checkRoots(trust.roots, file);
  const root = currentRoot(chain, Date.now());
  if (!root.index.includes(key.key))
    throw invalidOption(`--key ${keyFile}: root ${root.version} doesn't list ${key.key} for indexes`);
  if (isEnding(root, Date.now()))
    warn(`root ${root.version} expires at ${root.expires}: renew it by anchoreval root ${file} --expires DATE`);
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
