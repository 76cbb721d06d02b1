import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Manifest } from "anchoreval/bundle";
import { encodeManifest } from "anchoreval/internal/core/bundle/digest";
import { beforeAll, describe, expect, test } from "vitest";
import { optionsOf } from "../../../../cli/src/program/command.ts";
import { fitCommand } from "../../../../cli/src/commands/fit.ts";
import { isInput, notedOptions } from "../../../../cli/src/options/provenance.ts";
import { type CommandResult, runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const EXITS = { identical: 0, refused: 2, differs: 3 };

/** The data as they were fitted, then as another person has them: in other files, without import.json. */
const fitted = (name: string): string => folder.path(`board/${name}`);
const other = (name: string): string => folder.path(`theirs/${name}`);
const bundle = folder.path("bundle");
const files = ["--items", other("items.jsonl"), "--families", other("families.csv"), "--prices", other("prices.json")];
const reproduce = (place: string, ...more: string[]): Promise<CommandResult> =>
  runCommand("reproduce", place, "--responses", other("responses.csv"), "--quiet", "--threads", "1", ...more);
const manifestOf = (place: string): Manifest =>
  JSON.parse(readFileSync(join(place, "manifest.json"), "utf8")) as Manifest;

/** A copy of the bundle with another note. */
function renoted(name: string, change: (provenance: Record<string, unknown>) => object | undefined): string {
  const place = folder.path(name);
  cpSync(bundle, place, { recursive: true });
  const manifest = manifestOf(place);
  const provenance = change(manifest.fit["provenance"] as Record<string, unknown>);
  writeFileSync(join(place, "manifest.json"), encodeManifest({ ...manifest, fit: { ...manifest.fit, provenance } }));
  return place;
}

const withOptions = (name: string, options: object): string =>
  renoted(name, (own) => {
    const fit = own["fit"] as { options: object };
    return { ...own, fit: { ...fit, options: { ...fit.options, ...options } } };
  });

beforeAll(async () => {
  const settings = folder.write("board.json", JSON.stringify({ models: 12, items: 40, scenarios: 2, seed: 3 }));
  await runCommand("simulate", "--settings", settings, "--out", folder.path("board"), "--quiet");
  folder.write("board/import.json", JSON.stringify({ protocol: { harness: "lm-eval", shots: 5 }, weighting: "items" }));
  const table = gunzipSync(readFileSync(fitted("responses.csv.gz")));
  folder.write("theirs/responses.csv", table);
  folder.write("theirs/items.jsonl", gunzipSync(readFileSync(fitted("items.jsonl.gz"))));
  const [, ...rows] = table.toString().trim().split("\n");
  const models = rows.map((row) => row.split(",")[0]!);
  const families = models.map((model, m) => `${model},family ${m % 6}\n`).join("");
  const scenarios = manifestScenarios();
  const prices = JSON.stringify(Object.fromEntries(scenarios.map((id, s) => [id, 1 + s])));
  folder.write("board/families.csv", families);
  folder.write("theirs/families.csv", families);
  copyFileSync(folder.write("board/prices.json", prices), other("prices.json"));
  const run = await runCommand(
    ...["fit", "--responses", fitted("responses.csv.gz"), "--items", fitted("items.jsonl.gz")],
    ...["--families", fitted("families.csv"), "--prices", fitted("prices.json"), "--gate-form", "8"],
    ...[
      "--name",
      "quiz@1.0.0",
      "--anchors",
      "6",
      "--seed",
      "7",
      "--set",
      "dims=1",
      "--set",
      "separate=true",
      "--provider",
      "typescript",
    ],
    ...["--description", "a quiz", "--out", bundle, "--quiet"],
  );
  expect(run.err).toBe("");
});

function manifestScenarios(): string[] {
  const lines = readFileSync(other("items.jsonl"), "utf8").trim().split("\n");
  return [...new Set(lines.map((line) => (JSON.parse(line) as { scenario: string }).scenario))];
}

test("a bundle notes its trainer, its data, and the options that change it, without a path", () => {
  const note = JSON.stringify(manifestOf(bundle).fit["provenance"]);
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(JSON.parse(note)).toEqual({
    trainer: (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version,
    data: { models: digest, items: digest, scores: digest },
    fit: {
      options: {
        ...{ anchors: "6", seed: "7", dims: "1", separate: true, provider: "typescript" },
        "gate-form": "8",
      },
      files: { items: digest, families: digest, prices: digest },
    },
  });
});

test("every option of fit that names a place is an input, or isn't noted", () => {
  const places = notedOptions(optionsOf(fitCommand)).filter(([, { value = "" }]) => /FILE|DIR|PATH|BUNDLE/.test(value));
  expect(places.length).toBeGreaterThan(8);
  expect(places.filter(([, spec]) => !isInput(spec))).toEqual([]);
});

test("the same data in other files give the same bytes", async () => {
  const { code, out, err } = await reproduce(bundle, ...files);
  expect({ code, out, err }).toEqual({
    code: EXITS.identical,
    out: expect.stringMatching(/^identical, every byte: sha256:[0-9a-f]{64}\n$/) as string,
    err: "",
  });
});

test("another version of the trainer is remarked on, and may still give the same", async () => {
  const { code, out } = await reproduce(
    renoted("newer", (own) => ({ ...own, trainer: "9.9.9" })),
    ...files,
  );
  expect(code).toBe(EXITS.identical);
  expect(out).toMatch(/^identical but for the version of the trainer that is noted, 9\.9\.9 and /);
});

test("a bundle of another seed than it notes: which files and fields differ", async () => {
  const { code, out } = await reproduce(withOptions("seed", { seed: "8" }), ...files, "--json");
  const found = JSON.parse(out) as { identical: boolean; files: { name: string }[]; fields: { path: string }[] };
  expect({ code, identical: found.identical }).toEqual({ code: EXITS.differs, identical: false });
  expect(found.files.map(({ name }) => name)).toContain("parameters.safetensors");
  expect(found.fields.find(({ path }) => path === "fit.seed")).toEqual({ path: "fit.seed", bundle: 7, again: 8 });
});

test("a manifest that was retouched: the field alone", async () => {
  const place = folder.path("retouched");
  cpSync(bundle, place, { recursive: true });
  const manifest = manifestOf(place);
  const sources = { ...manifest.sources, note: "newest of 2030" };
  writeFileSync(join(place, "manifest.json"), encodeManifest({ ...manifest, sources }));
  const { code, out } = await reproduce(place, ...files);
  expect(code).toBe(EXITS.differs);
  expect(out).toMatch(/^differs in 0 files and 1 field of manifest\.json/);
  expect(out).toContain('  sources.note: "newest of 2030" in the bundle, null fitted again');
});

test("what a fit read from a pipe is noted as such, and not checked", async () => {
  const fit = { ...(manifestOf(bundle).fit["provenance"] as { fit: { files: object } }).fit };
  const place = renoted("pipe", (own) => ({ ...own, fit: { ...fit, files: { ...fit.files, prices: null } } }));
  const { code, out, err } = await runCommand("reproduce", place, "--responses", other("responses.csv"), ...files);
  expect(code).toBe(EXITS.differs); // the note alone
  expect(out).toContain("  fit.provenance.fit.files.prices: null in the bundle, ");
  expect(err).toContain("prices.json: nothing is noted to check it by");
  expect(out).toMatch(/^differs in 0 files and 1 field/);
});

describe("refused before anything is fitted", () => {
  const scores = (): string => {
    const [head, first, ...rest] = readFileSync(other("responses.csv"), "utf8").split("\n");
    const flipped = first!.replace(/,([01])(?=,)/, (_, score: string) => `,${1 - Number(score)}`);
    return folder.write("flipped.csv", [head, flipped, ...rest].join("\n"));
  };
  const renamed = (): string => {
    const text = readFileSync(other("responses.csv"), "utf8");
    return folder.write("renamed.csv", text.replace(/\n([^,]+),/, "\n$1-2,"));
  };
  const without = (name: string): string[] => {
    const at = files.indexOf(`--${name}`);
    return files.toSpliced(at, 2);
  };
  test.each<[string, () => [place: string, ...more: string[]], string]>([
    ["no file", () => [bundle, ...without("prices")], "--prices is needed: the bundle was fitted with one, SHA-256 "],
    ["another file", () => [bundle, ...without("prices"), "--prices", other("families.csv")], "families.csv: another file than the bundle was fitted with"], // prettier-ignore
    ["no such file", () => [bundle, ...without("prices"), "--prices", other("none")], "none: there is no such file"],
    ["one more file", () => [bundle, ...files, "--repeats", other("responses.csv")], "--repeats: the bundle was fitted without it"], // prettier-ignore
    ["an option of another version", () => [withOptions("unknown", { "warp-speed": "9" }), ...files], "was fitted with --warp-speed, which this version"], // prettier-ignore
    ["a file's path as an option", () => [withOptions("path", { prices: "/etc/passwd" }), ...files], "was fitted with --prices, which"], // prettier-ignore
    ["a place to write to", () => [withOptions("out", { checkpoint: "/" }), ...files], "was fitted with --checkpoint, which"], // prettier-ignore
    [
      "no note",
      () => [renoted("old", () => undefined), ...files],
      "doesn't note what it was made from (fit.provenance)",
    ],
    ["a program's note", () => [renoted("program", (own) => ({ ...own, fit: undefined })), ...files], "was made by a program that called the trainer"], // prettier-ignore
    ["a damaged note", () => [renoted("damaged", (own) => ({ ...own, data: 7 })), ...files], "has a damaged note of what it was made from"], // prettier-ignore
  ])("%s", async (_, given, message) => {
    const [place, ...more] = given();
    const { code, out, err } = await reproduce(place, ...more);
    expect({ code, out }).toEqual({ code: EXITS.refused, out: "" });
    expect(err).toContain(message);
  });

  test.each([
    ["another score", scores, "it differs in scores"],
    ["another model", renamed, "it differs in models"],
  ])("%s", async (_, responses, message) => {
    const argv = ["reproduce", bundle, "--responses", responses(), ...files, "--quiet"];
    const { code, err } = await runCommand(...argv);
    expect({ code, err }).toEqual({ code: EXITS.refused, err: expect.stringContaining(message) as string });
  });
});
