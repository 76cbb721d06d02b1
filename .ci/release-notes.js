// The notes of a release: its section of CHANGELOG.md.
// usage: node .ci/release-notes.js [VERSION]     (default: the version of the packages)
import { readFileSync } from "node:fs";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const [version = JSON.parse(read("package.json")).version] = process.argv.slice(2);
const sections = read("CHANGELOG.md").split(/^## /m).slice(1);
const section = sections.find((text) => text.startsWith(`[${version}] `));
if (section === undefined) {
  const known = sections.map((text) => /^\[(.*?)\]/.exec(text)?.[1]).join(", ");
  console.error(`CHANGELOG.md has no section [${version}]: it has ${known}`);
  process.exit(2);
}
const [heading, ...lines] = section.split("\n");
if (heading.endsWith("unreleased")) console.error(`${version} has no date yet: "${heading}"`);
console.log(lines.join("\n").trim());
