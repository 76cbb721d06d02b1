import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { DataDigests } from "anchoreval-trainer/internal/matrix/data-digests";
import type { Manifest } from "anchoreval/bundle";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { fileChunks } from "anchoreval/internal/node/read-file";
import { isObject } from "anchoreval/internal/tables/json-records";
import type { OptionReader, OptionSpec, OptionSpecs } from "../program/command.ts";
import { SETTINGS, settingsOf } from "./settings.ts";

/** The options that `fit` was run with, from which `reproduce` runs it again. */
export interface FitNote {
  /** Those given that change the bundle, as they were given; the provider as it was found. */
  readonly options: Readonly<Record<string, unknown>>;
  /** SHA-256 of the content of each file that an option names, unpacked; of a bundle its digest; null of a pipe. */
  readonly files: Readonly<Record<string, string | null>>;
}

/** `fit.provenance` of a manifest. */
export interface Provenance {
  readonly trainer: string;
  readonly data: DataDigests;
  /** Absent where a program of its own called the trainer. */
  readonly fit?: FitNote;
}

/** Options that the bundle doesn't depend on, and those that the manifest has fields for. */
const UNNOTED: readonly string[] = [
  ...["out", "force", "threads", "checkpoint", "json", "quiet", "help", "help-all"],
  ...["responses", "name", "created", "benchmark-version", "description", "licence", "source"],
];

/** Options of a fit that its bundle notes. */
export function notedOptions(specs: OptionSpecs): [name: string, spec: OptionSpec][] {
  return Object.entries(specs).filter(([name]) => !UNNOTED.includes(name));
}

/** Whether a bundle doesn't hold the option's value, which is a place that is read: it is told anew. */
export function isInput({ value }: OptionSpec): boolean {
  return value === "FILE" || value === "BUNDLE";
}

/** Notes the options that a fit was given. @param provider - where it calibrates */
export async function noteOptions(
  specs: OptionSpecs,
  options: OptionReader,
  { provider, signal }: { readonly provider: string; readonly signal: AbortSignal },
): Promise<FitNote> {
  const values: Record<string, unknown> = {};
  const files: Record<string, string | null> = {};
  for (const [name, spec] of notedOptions(specs)) {
    if (name !== "provider" && !options.isGiven(name)) continue;
    if (name === "set") Object.assign(values, notedSettings(options));
    else if (isInput(spec)) files[name] = await inputDigest(spec, options.required(name), signal);
    else if (spec.type === "boolean") values[name] = true;
    else values[name] = name === "provider" ? provider : options.text(name);
  }
  return { options: values, files };
}

/** Settings by their names, beside the options. */
function notedSettings(options: OptionReader): Record<string, unknown> {
  const settings = Object.entries(settingsOf(options));
  return Object.fromEntries(settings.map(([name, value]) => [name, value === "true" || value]));
}

/** The options of a note as the reader of options takes them. */
export function optionsOfNote(noted: FitNote["options"]): Readonly<Record<string, unknown>> {
  const isSetting = ([name]: readonly [string, unknown]): boolean => lookUp<OptionSpec>(SETTINGS, name) !== undefined;
  const all = Object.entries(noted);
  const set = all.filter(isSetting).map(([name, value]) => `${name}=${String(value)}`);
  return { ...Object.fromEntries(all.filter((entry) => !isSetting(entry))), ...(set.length > 0 && { set }) };
}

/**
 * SHA-256 of what lies at an option's value: a file's content, unpacked, or a bundle's manifest. Null for a pipe, which is
 * read once.
 */
export async function inputDigest({ value }: OptionSpec, place: string, signal: AbortSignal): Promise<string | null> {
  if (value === "BUNDLE") {
    const { readManifest } = await import("anchoreval/internal/bundles/read-file");
    const { openBundle } = await import("../bundles/open-bundle.ts");
    return (await readManifest(openBundle(place), { signal })).digest.replace("sha256:", "");
  }
  const stats = await stat(place).catch(() => null);
  if (stats && !stats.isFile() && !stats.isDirectory()) return null;
  const hash = createHash("sha256");
  for await (const chunk of fileChunks(place)) hash.update(chunk);
  return hash.digest("hex");
}

/**
 * Provenance of a bundle that `fit` made.
 * @throws AnchorEvalError `unsupported` for a bundle that notes none, or that another program made; `bundle_invalid`
 */
export function readProvenance({ fit }: Manifest, place: string): Provenance & { readonly fit: FitNote } {
  const { provenance } = fit;
  const refuse = (code: "unsupported" | "bundle_invalid", why: string): never => {
    throw new AnchorEvalError(code, `${place} ${why}`);
  };
  if (provenance === undefined)
    return refuse(
      "unsupported",
      "doesn't note what it was made from (fit.provenance), as no bundle did before: fit it again to have that",
    );
  if (!isObject(provenance) || typeof provenance["trainer"] !== "string" || !areTexts(provenance["data"]))
    return refuse("bundle_invalid", "has a damaged note of what it was made from (fit.provenance)");
  const { fit: note } = provenance;
  if (note === undefined)
    return refuse(
      "unsupported",
      "was made by a program that called the trainer, not by anchoreval fit, and notes no options: run that program again (docs/bundles.md has that of the bundles that come along)",
    );
  if (!isObject(note) || !isObject(note["options"]) || !areTexts(note["files"], null))
    return refuse("bundle_invalid", "has a damaged note of its options (fit.provenance.fit)");
  return provenance as unknown as Provenance & { readonly fit: FitNote };
}

function areTexts(value: unknown, otherwise?: null): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string" || text === otherwise);
}
