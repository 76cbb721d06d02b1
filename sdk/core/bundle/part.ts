import { AnchorEvalError, type Issue } from "../errors.ts";
import type { Manifest } from "./manifest.ts";
import { lookUp } from "./names.ts";
import { readValue, type Schema, type Typed } from "./schema.ts";

/** A manifest as far as its parts go; those of its root stand beside. */
export type PartedManifest = Pick<Manifest, "fit" | "parts">;

/** Where a part stands in a manifest: enough to read one that {@link checkPart} passed. */
export interface PartPlace<T> extends Typed<T> {
  /** Its name in the manifest. */
  readonly key: string;
  /**
   * `manifest`: a field of the manifest itself; `fit`: among the notes of the fit. There the first parts stand. `parts`: with
   * `bears` beside it, as every new part.
   */
  readonly at: "manifest" | "fit" | "parts";
}

/** Something that a bundle holds beside the trunk's own fields: a feature's part, which the trunk doesn't know by name. */
export interface BundlePart<T> extends PartPlace<T> {
  /**
   * `score`: without it a score would be another one, so that a reader that doesn't know the part refuses the bundle.
   * `beside`: such a reader leaves it alone, and says so.
   */
  readonly bears: "score" | "beside";
  readonly schema: Schema<T>;
  /** Of its schema in the OpenAPI document, for a field of the manifest. */
  readonly title?: string;
  /** Rules that its schema can't say, such as names that are the scenarios'. @returns what is wrong, in words */
  problems?(this: void, value: T, manifest: Manifest): readonly string[];
}

/** A part whose place is read without its schema, which bundlers then leave out. */
export function partAt<T>(place: PartPlace<T>, rest: Omit<BundlePart<T>, keyof PartPlace<T>>): BundlePart<T> {
  return { ...place, ...rest };
}

/** A part of a manifest that was decoded, and so checked; null where it has none. */
export function partOf<T>(manifest: PartedManifest, place: PartPlace<T>): T | null {
  return (valueAt(manifest, place) ?? null) as T | null;
}

function valueAt(manifest: PartedManifest, { key, at }: PartPlace<unknown>): unknown {
  if (at === "parts") return lookUp(manifest.parts, key)?.value;
  return lookUp(at === "fit" ? manifest.fit : (manifest as Readonly<Record<string, unknown>>), key);
}

/** Checks a part of a manifest, if it has it. @throws AnchorEvalError `bundle_invalid`, naming the part, where it is damaged */
export function checkPart<T>(manifest: Manifest, part: BundlePart<T>): void {
  const { key, at, schema, problems } = part;
  const value = valueAt(manifest, part);
  if (value === undefined) return;
  const path = { manifest: [key], fit: [at, key], parts: [at, key, "value"] }[at];
  const issues: Issue[] = [];
  const parsed = readValue(schema, value, path, issues);
  if (issues.length === 0)
    for (const message of problems?.(parsed, manifest) ?? []) issues.push({ path, code: "mismatch", message });
  refuseIssues(`the bundle's ${key} can't be read`, issues);
}

/** @throws AnchorEvalError `bundle_invalid` with the issues, if there are some */
export function refuseIssues(what: string, issues: readonly Issue[]): void {
  const [first, ...more] = issues;
  if (first === undefined) return;
  const message = `${what}: ${first.path.join(".") || "(root)"}: ${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
  throw new AnchorEvalError("bundle_invalid", message, { issues });
}

/** A manifest with a part, where its readers look for it. @param manifest - of a bundle to be written */
export function withPart<M extends PartedManifest, T>(manifest: M, { key, at, bears }: BundlePart<T>, value: T): M {
  if (at === "manifest") return { ...manifest, [key]: value };
  return { ...manifest, [at]: { ...manifest[at], [key]: at === "fit" ? value : { bears, value } } };
}

/**
 * The parts of a manifest that a reader doesn't have, and that no score bears on.
 * @param parts - that it has
 * @returns their names
 * @throws AnchorEvalError `bundle_newer` for one that scores bear on
 */
export function otherParts({ parts: all = {} }: PartedManifest, parts: readonly BundlePart<unknown>[]): string[] {
  const others = Object.entries(all).filter(([key]) => !parts.some((part) => part.at === "parts" && part.key === key));
  const [needed] = others.find(([, { bears }]) => bears === "score") ?? [];
  if (needed !== undefined)
    throw new AnchorEvalError(
      "bundle_newer",
      `this bundle's scores need its part ${needed}, which this version of anchoreval doesn't know: update anchoreval`,
    );
  return others.map(([key]) => key);
}
