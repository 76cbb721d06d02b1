import type { LoggedSample } from "./run-log.ts";

type Document = Pick<LoggedSample, "doc_id" | "hash">;

/**
 * Names the documents of several runs on one task, the same in all of them: by content, whatever ids they have, with an
 * ordinal where a run has a content several times. One whose log doesn't hold the content is that which another run has
 * under its id, else named by its id.
 * @returns the names, run by run, in the order of the documents
 * @example documentNames([[{ doc_id: 0, hash: "a" }], [{ doc_id: 1, hash: "a" }]]) // [["a 0"], ["a 0"]]
 */
export function documentNames(runs: readonly (readonly Document[])[]): string[][] {
  const byId = new Map<string, string>();
  const named = runs.map((documents) => {
    const times = new Map<string, number>();
    const names = new Map<Document, string>();
    // Ordinals go by ids, so that the order of a log doesn't matter.
    for (const document of documents.toSorted((left, right) => (String(left.doc_id) < String(right.doc_id) ? -1 : 1))) {
      const { doc_id, hash } = document;
      if (hash === null) continue;
      const ordinal = times.get(hash) ?? 0;
      times.set(hash, ordinal + 1);
      names.set(document, `${hash} ${ordinal}`);
      if (!byId.has(String(doc_id))) byId.set(String(doc_id), `${hash} ${ordinal}`);
    }
    return names;
  });
  return runs.map((documents, run) =>
    documents.map(
      (document) => named[run]!.get(document) ?? byId.get(String(document.doc_id)) ?? `id ${document.doc_id}`,
    ),
  );
}

/** Share of a run's documents up to which benchmarks have a question twice, under two ids. */
const REPEATED = 0.1; // a round number above the few percent that MMLU and its like have

/**
 * Whether several runs on one task number its documents alike: no id stands for two contents, and few contents have one id
 * in one run and another in another.
 */
export function isNumberedAlike(runs: readonly (readonly Document[])[]): boolean {
  const idsOf = runs.map((documents) => {
    const ids = new Map<string, string>();
    for (const { doc_id, hash } of documents) if (hash !== null) ids.set(hash, String(doc_id));
    return ids;
  });
  return runs.every((documents, run) => {
    const hashes = new Map(documents.map(({ doc_id, hash }) => [String(doc_id), hash]));
    return idsOf.every((others, other) => {
      if (other >= run) return true;
      let moved = 0;
      for (const [hash, id] of others) {
        const here = hashes.get(id);
        if (here !== hash && here != null) return false;
        if (here === undefined && idsOf[run]!.has(hash)) moved++;
      }
      return moved <= REPEATED * Math.min(others.size, hashes.size);
    });
  });
}
