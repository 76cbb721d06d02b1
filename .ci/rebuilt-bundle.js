// Whether a bundle that comes along is the same to the byte when it is built again, and its card has what `backtest` prints.
// The cheapest one, from ../shared/data, where that is; needs `npm run build`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundle } from "../bundles/build.js";
import { BUNDLES } from "../bundles/sources.js";

const ROOT = join(import.meta.dirname, "..");
const DATA = join(ROOT, "../shared/data");

if (existsSync(DATA))
  await compare(
    BUNDLES.find(({ name }) => name === "livecodebench-v6"),
    "livecodebench",
  );
else console.log(`skipped: there is no ${DATA}`);

async function compare(bundle, scenario) {
  const shipped = join(ROOT, "bundles", bundle.name, bundle.version);
  const tables = mkdtempSync(join(tmpdir(), "anchoreval-"));
  try {
    const { files } = await buildBundle(DATA, bundle, tables, { card: false });
    for (const [name, bytes] of files)
      if (!readFileSync(join(shipped, name)).equals(bytes))
        fail(`${bundle.name}: ${name} differs from what is built now`);
    const [responses, items] = ["responses.csv.gz", "items.jsonl.gz"].map((file) => join(tables, bundle.name, file));
    const options = ["--responses", responses, "--items", items, "--anchors", "50", "--seeds", "2"];
    const printed = execFileSync(process.execPath, [join(ROOT, "sdk/bin/anchoreval.js"), "backtest", ...options]);
    const row = new RegExp(`${scenario} +50 +(\\d+) +gate \\* +(\\d+\\.\\d\\d) +(\\d+\\.\\d\\d)`).exec(printed);
    const line = `| models like those seen | ${scenario} | ${row?.slice(1, 4).join(" | ")} |`;
    if (!readFileSync(join(shipped, "card.md"), "utf8").includes(line))
      fail(`${bundle.name}: its card lacks "${line}"`);
    if (process.exitCode === undefined)
      console.log(`${bundle.name} ${bundle.version}: ${files.size} files and the card are what is built now`);
  } finally {
    rmSync(tables, { recursive: true });
  }
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
