import { readManifest } from "../bundles/read-file.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { checkFiles } from "./check-files.ts";
import { checkSignatures } from "./check-signatures.ts";
import type { Command } from "./command.ts";
import { openBundle } from "./open-bundle.ts";
import { showLines } from "./show-lines.ts";

/** `anchoreval show`: what a bundle holds, its digests checked. */
export const showCommand: Command = {
  name: "show",
  summary: "what a bundle holds, its digests checked, its errors in plain words",
  positionals: "DIR|URL",
  options: {},
  run: async ({ positionals, output, signal }) => {
    const [place, ...more] = positionals;
    if (place === undefined || more.length > 0)
      throw new AnchorEvalError("invalid_option", "show takes one bundle: a folder or an address");
    const source = openBundle(place);
    const { bytes, digest } = await readManifest(source, { signal });
    const manifest = parseManifest(bytes);
    const files = await checkFiles(source, manifest, { signal });
    const signatures = await checkSignatures(source, bytes, { signal });
    const bad = files.filter((file) => file.state !== "ok");
    if (bad.length === 0 && output.json) output.document({ digest, signatures, files, manifest });
    if (!output.json) for (const line of showLines(manifest, digest, files, signatures)) output.line(line);
    if (bad.length === 0) return 0;
    throw new AnchorEvalError(
      "bundle_corrupt",
      `${source.name}: ${bad.map(({ name, state }) => `${name} is ${state}`).join(", ")}: not what the manifest states; copy or publish the bundle again`,
      { issues: bad.map(({ name, state }) => ({ path: [name], code: state, message: `${name} is ${state}` })) },
    );
  },
};
