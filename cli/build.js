// Bundles the program into the package anchoreval, so that the package has a program and no dependency: sdk/dist/program;
// and the bridge, which Python's package talks to. What a command imports is loaded when the command runs. The bundles of
// real benchmarks come along, in sdk/dist/shipped. Run after `tsc -b`.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const outdir = fileURLToPath(new URL("../sdk/dist/program", import.meta.url));
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: ["main", "bridge"].map((name) => fileURLToPath(new URL(`src/${name}.ts`, import.meta.url))),
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  // For commander, which is CommonJS. The name is longer than any that minifying gives.
  banner: { js: 'import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);' },
  external: ["anchoreval", "anchoreval/*", "anchoreval-trainer", "anchoreval-trainer/*"],
});

const bundles = fileURLToPath(new URL("../bundles/", import.meta.url));
const shipped = fileURLToPath(new URL("../sdk/dist/shipped/", import.meta.url));
rmSync(shipped, { recursive: true, force: true });
for (const entry of readdirSync(bundles, { withFileTypes: true }))
  if (entry.isDirectory()) cpSync(bundles + entry.name, shipped + entry.name, { recursive: true });
