import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { type ItemInfo, type ResponseMatrix, scoreAt } from "./response-matrix.ts";

/** SHA-256 of the parts of a dataset, 64 hex digits each. */
export interface DataDigests {
  readonly models: string;
  readonly items: string;
  readonly scores: string;
  readonly fullScores?: string;
}

/** Version of this package. */
export function trainerVersion(): string {
  // Built files lie deeper in the package than sources do.
  for (let folder = new URL("..", import.meta.url); folder.pathname !== "/"; folder = new URL("..", folder)) {
    const file = new URL("package.json", folder);
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  }
  throw new Error("anchoreval-trainer lies in no package");
}

/** Notes of a bundle's making: this trainer's version, and its data. */
export function provenanceOf(matrix: ResponseMatrix): { readonly trainer: string; readonly data: DataDigests } {
  return { trainer: trainerVersion(), data: dataDigests(matrix) };
}

/** Fields of an item, in the order of its digest. */
const ITEM_FIELDS = ["item_id", "scenario", "subscenario", "hash", "task", "doc_id", "text"] as const satisfies readonly (keyof ItemInfo)[]; // prettier-ignore

/**
 * Digests of a dataset as it was read, whatever file, format or compression it came in. Models and items are JSON without
 * spaces: the names, and `[item_id, scenario, subscenario, hash, task, doc_id, text]` of each item with null for what it
 * hasn't. Scores are float32, little-endian, models × items in rows, and the quiet NaN 7fc00000 where one is missing. Full
 * scores are JSON of `[scenario, [score of each model, null where unknown]]`, in the scenarios' order.
 * @returns no `fullScores` where the matrix has none
 * @example dataDigests(matrix).scores // "1f0c…"
 */
export function dataDigests(matrix: ResponseMatrix): DataDigests {
  const { subjects, items, fullScores } = matrix;
  const scores = createHash("sha256");
  const row = new DataView(new ArrayBuffer(4 * items.length));
  for (let m = 0; m < subjects.length; m++) {
    for (let i = 0; i < items.length; i++) {
      const score = scoreAt(matrix, m, i);
      if (Number.isNaN(score)) row.setUint32(4 * i, 0x7fc00000, true);
      else row.setFloat32(4 * i, score, true);
    }
    scores.update(row);
  }
  return {
    models: listDigest(subjects, (name) => name),
    items: listDigest(items, (item) => ITEM_FIELDS.map((field) => item[field] ?? null)),
    scores: scores.digest("hex"),
    ...(fullScores && { fullScores: listDigest([...fullScores], ([id, byModel]) => [id, Array.from(byModel)]) }),
  };
}

/** Digest of a list's JSON, which may be longer than any string. */
function listDigest<T>(list: readonly T[], value: (entry: T) => unknown): string {
  const hash = createHash("sha256").update("[");
  list.forEach((entry, k) => hash.update((k === 0 ? "" : ",") + JSON.stringify(value(entry))));
  return hash.update("]").digest("hex");
}
