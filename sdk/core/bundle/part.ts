import { AnchorEvalError, type Issue } from "../errors.ts";
import type { Manifest } from "./manifest.ts";
import { lookUp } from "./names.ts";
import { readValue, type Schema } from "./schema.ts";

/** A manifest as far as its parts go. */
export type PartedManifest = Pick<Manifest, "fit" | "parts">;

/**
 * Something that a bundle holds beside the trunk's own fields: a feature's part, which the trunk doesn't know by name.
 * It is read by {@link partOf} alone, and so never unchecked.
 */
export interface BundlePart<T> {
  /** Its name in the manifest. */
  readonly key: string;
  /** `fit`: among the notes of the fit, where the first parts stand. `parts`: with `bears` beside it, as every new part. */
  readonly at: "fit" | "parts";
  /**
   * `score`: without it a score would be another one, so that a reader that doesn't know the part refuses the bundle.
   * `beside`: such a reader leaves it alone, and says so.
   */
  readonly bears: "score" | "beside";
  readonly schema: Schema<T>;
  /** Rules that its schema can't say, such as names that are the scenarios'. @returns what is wrong, in words */
  problems?(this: void, value: T, manifest: Manifest): readonly string[];
}

/** Parts that were read already; null where a manifest has none. */
const read = new WeakMap<PartedManifest, Map<object, unknown>>();

/**
 * A part of a manifest, checked when it is first read.
 * @returns null where the manifest has none
 * @throws AnchorEvalError `bundle_invalid`, naming the part, where it is damaged
 */
export function partOf<T>(manifest: PartedManifest, part: BundlePart<T>): T | null {
  const parts = read.get(manifest) ?? new Map<object, unknown>();
  read.set(manifest, parts);
  if (!parts.has(part)) parts.set(part, readPart(manifest, part));
  return parts.get(part) as T | null;
}

function readPart<T>(manifest: PartedManifest, { key, at, schema, problems }: BundlePart<T>): T | null {
  const value = at === "fit" ? lookUp(manifest.fit, key) : lookUp(manifest.parts, key)?.value;
  if (value === undefined) return null;
  const path = at === "fit" ? [at, key] : [at, key, "value"];
  const issues: Issue[] = [];
  const parsed = readValue(schema, value, path, issues);
  if (issues.length === 0)
    for (const message of problems?.(parsed, manifest as Manifest) ?? [])
      issues.push({ path, code: "mismatch", message });
  if (issues.length === 0) return parsed;
  const [first] = issues as [Issue];
  throw new AnchorEvalError(
    "bundle_invalid",
    `the bundle's ${key} can't be read: ${first.path.join(".")}: ${first.message}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""}`,
    { issues },
  );
}

/**
 * Checks all parts of a manifest.
 * @param parts - that this reader has
 * @returns the names of those that it hasn't, and that no score bears on
 * @throws AnchorEvalError as {@link partOf}; `bundle_newer` for a part that it hasn't, and that scores bear on
 */
export function checkParts(manifest: PartedManifest, parts: readonly BundlePart<unknown>[]): string[] {
  for (const part of parts) partOf(manifest, part);
  const others = Object.entries(manifest.parts ?? {}).filter(
    ([key]) => !parts.some((part) => part.at === "parts" && part.key === key),
  );
  const [needed] = others.find(([, { bears }]) => bears === "score") ?? [];
  if (needed !== undefined)
    throw new AnchorEvalError(
      "bundle_newer",
      `this bundle's scores need its part ${needed}, which this version of anchoreval doesn't know: update anchoreval`,
    );
  return others.map(([key]) => key);
}
