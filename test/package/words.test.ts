import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PARTS } from "anchoreval/internal/features/core";
import { expect, test } from "vitest";
import { CHECK_PARTS, COMPARE_PARTS } from "../../features/cli-compare.ts";
import { ESTIMATE_PARTS } from "../../features/cli-estimate.ts";
import { FIT_PARTS } from "../../features/cli-fit.ts";
import { PLAN_PARTS } from "../../features/cli-plan.ts";
import { PUBLISH_PARTS } from "../../features/cli-publish.ts";
import { FEATURE_NAMES } from "../../features/http-settings.ts";
import { ROOT, sourceFiles } from "../support/source-imports.js";

/*
 * The trunk names no feature, in words either: parts of a bundle, options of the program and settings of a Worker are written
 * by the features alone, which say theirs here.
 */

/** Keys of parts that are words of the trunk, too: there they aren't a bundle's. */
const COMMON = ["base", "prices"];

/** Options of features that commands of the trunk have as well, by the same name. */
const SHARED = [
  ...["to", "out"], // of whatever writes
  "model-name", // of `import`
  ...["metric", "responses", "seed"], // of logs and tables; of answers; of every draw
  ...["over", "margin"], // of `compare`
  "half-width", // of `plan`
  ...["baseline", "alarms-per-year", "runs-per-year"], // of `check`
  ...["price-column", "table"], // of `import`
];

/** Files of the trunk that name a feature all the same. */
const NAMING: Readonly<Record<string, string>> = {
  "sdk/logs/score-rows.ts unasked": "in its plain meaning",
};

type WithOptions = { readonly options?: Readonly<Record<string, object>> };
/** By heading, or straight. */
const optionsOf = ({ options = {} }: WithOptions): string[] =>
  Object.entries(options).flatMap(([name, group]) => ("description" in group ? [name] : Object.keys(group)));
const OPTIONS = [ESTIMATE_PARTS, FIT_PARTS, PLAN_PARTS, CHECK_PARTS, COMPARE_PARTS, PUBLISH_PARTS]
  .flatMap((parts: readonly WithOptions[]) => parts.flatMap(optionsOf))
  .filter((name) => !SHARED.includes(name));

/** A pattern of each word, as code or a message writes it. */
const WORDS = new Map<string, RegExp>([
  ...PARTS.map(({ key }) => {
    const pattern = COMMON.includes(key) ? `\\b(?:manifest|fit|parts)[!?]?(?:\\.|\\[")${key}\\b` : `\\b${key}\\b`;
    return [key, new RegExp(pattern)] as const;
  }),
  ...OPTIONS.map((name) => [`--${name}`, new RegExp(`--${name}(?![\\w-])|options\\.\\w+\\(\\[?"${name}"`)] as const),
  ...Object.keys(FEATURE_NAMES).map((name) => [name, new RegExp(`\\b${name}\\b`)] as const),
]);

function namedIn(file: string, text: string): string[] {
  return [...WORDS].flatMap(([word, pattern]) => (pattern.test(text) ? [`${file} ${word}`] : []));
}

test("the trunk has no word of a feature", () => {
  const trunk = ["sdk", "cli/src", "workers/src", "offline-trainer/src"].flatMap((folder) => sourceFiles(folder));
  const found = trunk.flatMap((file) => namedIn(file, readFileSync(join(ROOT, file), "utf8")));
  expect(trunk.length).toBeGreaterThan(200);
  expect(found.sort()).toEqual(Object.keys(NAMING).sort());
});

test("the features have words, and one in the trunk is found", () => {
  expect(WORDS.size).toBeGreaterThan(20);
  const lines = [
    "if (manifest.coldStart) return;",
    "const { bridge } = manifest.base!;",
    "say(`fit it with --gate-form`);",
    'options.text("cold-k");',
    "sign(env.INDEX_KEY);",
  ];
  expect(lines.flatMap((line) => namedIn("line", line))).toEqual(
    ["coldStart", "base", "--gate-form", "--cold-k", "INDEX_KEY"].map((word) => `line ${word}`),
  );
  expect(namedIn("line", "const { base } = answers; read(table.prices, url.base)")).toEqual([]);
});
