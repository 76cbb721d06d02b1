import type { RunScores } from "./run-scores.ts";

/** A document of a task that at least one run was asked. */
export interface AlignedItem {
  readonly doc_id: number | string;
  readonly hash: string | null;
}

export interface AlignedTask {
  /** By document id. */
  readonly items: readonly AlignedItem[];
  /** For each run, the item of each of its samples; −1 where it is none. */
  readonly columns: readonly Int32Array[];
  readonly matching: readonly RunMatching[];
}

/** How the samples of a run found their items. */
export interface RunMatching {
  readonly byHash: number;
  /** By document id, as the log doesn't hold the documents. */
  readonly byId: number;
  /** Of those by hash: documents that the log numbers otherwise than most. */
  readonly renumbered: number;
  /** Documents with the id of an item and other content: not this item. */
  readonly changed: readonly (number | string)[];
}

/**
 * Matches the samples of all runs on one task: by content hash, else by document id. The item of an id is the content
 * that most runs have under it; other content under that id is a changed document, and is not matched.
 */
export function alignItems(runs: readonly RunScores[]): AlignedTask {
  const items = chooseItems(runs);
  const byHash = new Map<string, number[]>();
  const byId = new Map<number | string, number>();
  items.forEach(({ doc_id, hash }, index) => {
    byId.set(doc_id, index);
    if (hash !== null) byHash.set(hash, [...(byHash.get(hash) ?? []), index]);
  });
  const columns: Int32Array[] = [];
  const matching = runs.map((run): RunMatching => {
    const column = new Int32Array(run.documents.length).fill(-1);
    const taken = new Set<number>();
    const changed: (number | string)[] = [];
    let [hashed, identified, renumbered] = [0, 0, 0];
    const take = (sample: number, item: number): void => {
      column[sample] = item;
      taken.add(item);
    };
    // Samples that keep their number go first: of documents that are in a task twice, each keeps its own.
    const moved: number[] = [];
    run.documents.forEach((document, sample) => {
      const hash = run.hashes[sample] ?? null;
      const item = byId.get(document)!;
      if (hash === null) {
        identified++;
        take(sample, item);
      } else if (items[item]!.hash === hash) {
        hashed++;
        take(sample, item);
      } else moved.push(sample);
    });
    for (const sample of moved) {
      const item = (byHash.get(run.hashes[sample]!) ?? []).find((candidate) => !taken.has(candidate));
      if (item === undefined) changed.push(run.documents[sample]!);
      else {
        hashed++;
        renumbered++;
        take(sample, item);
      }
    }
    columns.push(column);
    return { byHash: hashed, byId: identified, renumbered, changed };
  });
  return { items, columns, matching };
}

/** One item per document id: the content that most runs have under it. */
function chooseItems(runs: readonly RunScores[]): AlignedItem[] {
  const votes = new Map<number | string, Map<string | null, number>>();
  for (const run of runs)
    run.documents.forEach((document, sample) => {
      const hash = run.hashes[sample] ?? null;
      const counts = votes.get(document) ?? new Map<string | null, number>();
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
      votes.set(document, counts);
    });
  return [...votes]
    .map(([doc_id, counts]) => {
      // A hash says more than its absence, whatever the number of runs.
      const [winner] = [...counts].sort(
        ([left, a], [right, b]) => Number(left === null) - Number(right === null) || b - a,
      );
      return { doc_id, hash: winner![0] };
    })
    .sort((left, right) => byDocument(left.doc_id, right.doc_id));
}

/** Numbers as numbers, and before names; parts of names that are numbers, too: "sum-9" before "sum-10". */
function byDocument(left: number | string, right: number | string): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
  return NATURAL.compare(String(left), String(right)) || (left < right ? -1 : 1);
}

const NATURAL = new Intl.Collator("en", { numeric: true });
