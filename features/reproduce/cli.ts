import { type DataDigests, trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { type Manifest, parseManifest } from "anchoreval/bundle";
import { readManifest } from "anchoreval/internal/bundles/read-file";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { isObject } from "anchoreval/internal/tables/json-records";
import { counted, listed } from "anchoreval/internal/words/figures";
import {
  type Command,
  type CommandInput,
  given,
  OptionReader,
  optionsOf,
  type OptionSpec,
  type OptionSpecs,
} from "../../cli/src/program/command.ts";
import { fitAsked, fitCommand } from "../../cli/src/commands/fit.ts";
import { BUNDLE_OPTION, openBundle } from "../../cli/src/bundles/open-bundle.ts";
import {
  type FitNote,
  inputDigest,
  isInput,
  notedOptions,
  optionsOfNote,
  readProvenance,
} from "../../cli/src/options/provenance.ts";
import { SETTINGS } from "../../cli/src/options/settings.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** Exit code of a bundle that another one came out of. */
const DIFFERS = 3;

/** Fields that are listed, at most. */
const MOST_FIELDS = 20;

const FIT_OPTIONS = optionsOf(fitCommand);
const NOTED = new Map(notedOptions(FIT_OPTIONS));
const INPUTS = [...NOTED].filter(([, spec]) => isInput(spec));

const only = (...names: string[]): OptionSpecs =>
  Object.fromEntries(names.map((name) => [name, lookUp(FIT_OPTIONS, name)!]));

export const reproduceCommand: Command = {
  operands: { usage: "BUNDLE", option: "bundle" },
  options: {
    Data: { ...BUNDLE_OPTION, ...only("responses"), ...Object.fromEntries(INPUTS) },
    "How to fit": only("threads", "checkpoint"),
  },
  examples: [
    "reproduce bundles/quiz --responses responses.csv.gz --items items.jsonl.gz",
    "reproduce https://evals.example.com/v1/bundles/quiz/1.0.0 --responses responses.csv --json",
  ],
  async run({ options, output, signal }) {
    const place = options.required("bundle");
    options.required("responses");
    const { manifest, digest } = await readManifest(openBundle(place), { signal });
    const { trainer, data, fit: note } = readProvenance(manifest, place);
    const noted = readNote(note, place);
    await checkInputs(note, options, { output, signal });
    const version = trainerVersion();
    if (version !== trainer)
      output.remark(`${place} was fitted by version ${trainer}, this is ${version}: another version may fit otherwise`);
    const { files } = await fitAsked(
      { options: new OptionReader({ ...noted, ...describedBy(manifest), ...inputsOf(options) }), output, signal },
      {
        facts: { protocol: manifest.protocol, weighting: manifest.weighting },
        check: (again) => checkData(options.required("responses"), data, again),
      },
    );
    const bytes = files.get("manifest.json")!;
    const comparison = {
      ...{ bundle: place, digest, again: `sha256:${sha256Hex(bytes)}`, trainer: { bundle: trainer, here: version } },
      ...differencesOf(manifest, parseManifest(bytes)),
    };
    const same = comparison.files.length + comparison.fields.length === 0;
    const identical = digest === comparison.again || (same && version !== trainer);
    output.result({ identical, ...comparison }, resultLines(identical, comparison));
    return identical ? 0 : DIFFERS;
  },
};

/** The options that a bundle notes, as the reader of options takes them. */
function readNote({ options, files }: FitNote, place: string): Readonly<Record<string, unknown>> {
  const unknown = [
    ...Object.entries(options).filter(([name, value]) => {
      const spec = NOTED.get(name) ?? lookUp<OptionSpec>(SETTINGS, name);
      if (!spec || isInput(spec)) return true;
      return spec.type === "boolean" || name === "separate" ? value !== true : typeof value !== "string";
    }),
    ...Object.entries(files).filter(([name]) => !NOTED.has(name) || !isInput(NOTED.get(name)!)),
  ].map(([name]) => `--${name}`);
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `${place} was fitted with ${listed(unknown)}, which this version of anchoreval fit hasn't or takes otherwise: take the version that the bundle notes`,
    );
  return optionsOfNote(options);
}

/** Options that the manifest itself has fields for. */
function describedBy({ benchmark, version, created, benchmarkVersion, description, data }: Manifest) {
  return given({
    name: `${benchmark}@${version}`,
    created,
    "benchmark-version": benchmarkVersion,
    description,
    licence: data.licence,
    source: data.source,
  });
}

/** The options that are told anew. */
function inputsOf(options: OptionReader): Record<string, unknown> {
  const names = ["responses", "threads", "checkpoint", ...INPUTS.map(([name]) => name)];
  return Object.fromEntries(names.map((name) => [name, options.text(name)]));
}

/**
 * Refuses files that aren't those of the fit.
 * @throws AnchorEvalError `invalid_option` for one that is missing or that the fit hadn't, `digest_mismatch`
 */
async function checkInputs(
  { files }: FitNote,
  options: OptionReader,
  { output, signal }: Pick<CommandInput, "output" | "signal">,
): Promise<void> {
  for (const [name, spec] of INPUTS) {
    const [noted, place] = [lookUp(files, name), options.text(name)];
    if (noted === undefined && place === undefined) continue;
    const asNoted = noted === null ? "" : `, SHA-256 ${noted!}`;
    if (place === undefined) throw invalidOption(`--${name} is needed: the bundle was fitted with one${asNoted}`);
    if (noted === undefined) throw invalidOption(`--${name}: the bundle was fitted without it; leave it out`);
    const digest = noted && (await inputDigest(spec, place, signal));
    if (digest === null)
      output.remark(`--${name} ${place}: nothing is noted to check it by; where it is another, the result differs`);
    else if (digest !== noted)
      throw new AnchorEvalError(
        "digest_mismatch",
        `--${name} ${place}: another ${spec.value!.toLowerCase()} than the bundle was fitted with (SHA-256 ${digest}, noted ${noted!})`,
      );
  }
}

/** Refuses answers that aren't those of the fit. @throws AnchorEvalError `digest_mismatch` */
function checkData(responses: string, noted: DataDigests, again: DataDigests): void {
  const names = {
    models: "models",
    items: "items or what is said of them",
    scores: "scores",
    fullScores: "full scores",
  };
  const other = Object.entries(names).flatMap(([part, name]) =>
    noted[part as keyof DataDigests] === again[part as keyof DataDigests] ? [] : [name],
  );
  if (other.length > 0)
    throw new AnchorEvalError(
      "digest_mismatch",
      `--responses ${responses}: another dataset than the bundle was fitted from: it differs in ${listed(other)}`,
    );
}

interface Difference {
  readonly bundle: unknown;
  readonly again: unknown;
}

interface Found {
  readonly digest: string;
  readonly again: string;
  readonly trainer: { readonly bundle: string; readonly here: string };
  /** Files of other bytes, with both digests; undefined where one bundle hasn't the file. */
  readonly files: readonly ({ readonly name: string } & Difference)[];
  /** Fields of the manifest in which it says otherwise, but for its files, its checksum and the trainer's version. */
  readonly fields: readonly ({ readonly path: string } & Difference)[];
}

function differencesOf(bundle: Manifest, again: Manifest): Pick<Found, "files" | "fields"> {
  const rest = (manifest: Manifest): object => ({ ...manifest, checksum: undefined, files: undefined });
  const [left, right] = [bundle, again].map(({ files }) => new Map(files.map(({ name, sha256 }) => [name, sha256])));
  const names = [...new Set([...left!.keys(), ...right!.keys()])];
  return {
    files: names
      .map((name) => ({ name, bundle: left!.get(name), again: right!.get(name) }))
      .filter((file) => file.bundle !== file.again),
    fields: differences(rest(bundle), rest(again)).filter(({ path }) => path !== "fit.provenance.trainer"),
  };
}

/** Leaves in which two JSON values differ. */
function differences(bundle: unknown, again: unknown, path: readonly string[] = []): Found["fields"] {
  const isTree = (value: unknown): value is object => isObject(value) || Array.isArray(value);
  if (!isTree(bundle) || !isTree(again) || Array.isArray(bundle) !== Array.isArray(again))
    return Object.is(bundle, again) ? [] : [{ path: path.join("."), bundle, again }];
  const [left, right] = [new Map(Object.entries(bundle)), new Map(Object.entries(again))];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
    differences(left.get(key), right.get(key), [...path, key]),
  );
}

function resultLines(identical: boolean, { digest, again, trainer, files, fields }: Found): string[] {
  if (digest === again) return [`identical, every byte: ${digest}`];
  if (identical)
    return [
      `identical but for the version of the trainer that is noted, ${trainer.bundle} and ${trainer.here}: every file, and every other field of manifest.json`,
    ];
  const line = (what: string, { bundle, again: other }: Difference): string =>
    `  ${what}: ${shown(bundle)} in the bundle, ${shown(other)} fitted again`;
  return [
    `differs in ${counted(files.length, "file")} and ${counted(fields.length, "field")} of manifest.json, ${digest} and ${again}`,
    ...files.map((file) => line(file.name, file)),
    ...fields.slice(0, MOST_FIELDS).map((field) => line(field.path, field)),
    ...(fields.length > MOST_FIELDS
      ? [`  and ${counted(fields.length - MOST_FIELDS, "other field")}: --json lists all`]
      : []),
  ];
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > 70 ? `${text.slice(0, 69)}…` : text;
}
