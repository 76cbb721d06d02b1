// How long the program takes to start, beside Node itself: the median of so many calls each, taken in turns.
// usage: node bench/start.js [--calls 21]. Needs `npm run build`. Exit code 1 where a limit is missed.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { calls: { type: "string", default: "21" } } });
const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const program = path("sdk/bin/anchoreval.js");
const golden = path("test/fixtures/golden-bundle");
const calls = {
  "node -e 0": ["-e", "0"],
  "anchoreval --version": [program, "--version"],
  "anchoreval --help": [program, "--help"],
  "anchoreval show": [program, "show", `${golden}/bundle`],
  "anchoreval estimate": [
    ...[program, "estimate", "--bundle", `${golden}/bundle`],
    ...["--responses", `${golden}/answers.json`, "--form", "12"],
  ],
  "anchoreval fit --help": [program, "fit", "--help"],
};
/** What of these must start within one and a half times Node plus 100 ms. */
const LIMITED = ["anchoreval --version", "anchoreval --help", "anchoreval show"];

const times = new Map(Object.keys(calls).map((name) => [name, []]));
for (let call = 0; call < Number(values.calls); call++)
  for (const [name, argv] of Object.entries(calls)) {
    const begun = performance.now();
    const { status, stderr } = spawnSync(process.execPath, argv);
    if (status !== 0) throw new Error(`${name}: exit code ${status}\n${stderr}`);
    times.get(name).push(performance.now() - begun);
  }
const median = (list) => list.toSorted((x, y) => x - y)[Math.floor(list.length / 2)];
const limit = 1.5 * median(times.get("node -e 0")) + 100;
let late = 0;
for (const [name, list] of times) {
  const time = median(list);
  const limited = LIMITED.includes(name);
  if (limited && time > limit) late++;
  console.log(`${time.toFixed(0).padStart(6)} ms  ${name}${limited ? `  (at most ${limit.toFixed(0)})` : ""}`);
}
process.exit(late === 0 ? 0 : 1);
