import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "anchoreval/internal/bundles/read-file";
import {
  encodeSignatures,
  mergeSignatures,
  parseSignatures,
  SIGNATURE_FILE,
} from "anchoreval/internal/core/bundle/signature";
import { folderSource } from "anchoreval/internal/node/folder";
import { isSignedBy } from "anchoreval/internal/bundles/trusted-source";
import { type Action, option } from "../../../cli/src/program/command.ts";
import { changeFile, readKey } from "./key-files.ts";
import { signRoot } from "./root.ts";

export const signPlace: Action = {
  summary: "sign a bundle's manifest, in manifest.sig beside it; or a root",
  operands: { usage: "PLACE", option: "bundle" },
  options: {
    Data: {
      bundle: option("DIR", "the bundle's folder; or a root.json, whose newest version is signed", { required: true }),
      key: option("FILE", "the private key that anchoreval keys make wrote (PEM, Ed25519)", { required: true }),
    },
  },
  examples: ["keys sign bundles/quiz --key bundles.pem", "keys sign root.json --key a.pem"],
  run: async ({ options, output, signal }) => {
    const folder = options.required("bundle");
    const key = await readKey("--key", options.required("key"));
    if ((await stat(folder).catch(() => null))?.isFile()) return signRoot(folder, key, output);
    const source = folderSource(folder);
    const { manifest, bytes, digest } = await readManifest(source, { signal });
    const { benchmark, version } = manifest;
    const signature = key.sign(bytes);
    await changeFile(join(folder, SIGNATURE_FILE), async (there) => {
      const kept = [];
      // Those of another manifest that stood here before go.
      for (const other of (there && parseSignatures(there)) ?? []) if (await isSignedBy(bytes, other)) kept.push(other);
      return encodeSignatures(mergeSignatures(kept, [signature]));
    });
    output.result({ digest, ...signature }, [`${benchmark}@${version} (${digest}) is signed by ${signature.key}`]);
  },
};
