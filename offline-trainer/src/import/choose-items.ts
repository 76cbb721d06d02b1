import { isNumberedAlike } from "anchoreval/internal/logs/same-documents";
import type { RunScores } from "./run-scores.ts";

export interface AlignedItem {
  readonly doc_id: number | string;
  readonly hash: string | null;
}

/** The items of a task. */
interface ChosenItems {
  /** By document id. */
  readonly items: readonly AlignedItem[];
  /** Those whose ids are other documents' in most runs: they are called by id and content. */
  readonly renamed: readonly AlignedItem[];
}

/** Runs that count as one, each on its documents; of trials each is alone. */
export type RunParts = readonly RunScores[];

/** Digits of a content's hash in an item's name: 16 to the 8th are 4 billion, among the few contents of an id. */
const HASH_DIGITS = 8;

/**
 * One item for each content, called by the id under which most runs have it; for each id where no log holds the documents.
 * Other content under the id of an item is a changed document and no item, unless its run numbers documents otherwise than
 * most.
 */
export function chooseItems(runs: readonly RunParts[]): ChosenItems {
  const votes = countVotes(runs.flat());
  const times = mostTimes(runs);
  const byId = new Map<string, AlignedItem>();
  const byHash = new Map<string, AlignedItem[]>();
  const add = (item: AlignedItem): void => {
    byId.set(String(item.doc_id), item);
    if (item.hash !== null) byHash.set(item.hash, [...(byHash.get(item.hash) ?? []), item]);
  };
  const isLacking = (hash: string | null): hash is string =>
    hash !== null && (byHash.get(hash)?.length ?? 0) < times.get(hash)!;
  for (const { doc_id, hash } of votes) if (isLacking(hash) && !byId.has(String(doc_id))) add({ doc_id, hash });
  const renamed: AlignedItem[] = [];
  let rest = runs;
  for (;;) {
    const otherwise = new Set(rest.filter((parts) => isNumberedOtherwise(parts, byHash)));
    if (otherwise.size === 0) break;
    rest = rest.filter((parts) => !otherwise.has(parts));
    const contents = new Set([...otherwise].flatMap((parts) => parts.flatMap(({ hashes }) => hashes)));
    for (const { doc_id, hash } of votes) {
      if (!contents.has(hash) || !isLacking(hash) || byId.get(String(doc_id))?.hash === hash) continue;
      const item = { doc_id: `${doc_id}-${hash.slice(0, HASH_DIGITS)}`, hash };
      renamed.push(item);
      add(item);
    }
  }
  for (const { doc_id, hash } of votes) if (hash === null && !byId.has(String(doc_id))) add({ doc_id, hash });
  return { items: [...byId.values()].sort((left, right) => byDocument(left.doc_id, right.doc_id)), renamed };
}

/** The contents of each id, those of most runs first. */
function countVotes(runs: readonly RunScores[]): AlignedItem[] {
  const votes = new Map<string, Map<string | null, AlignedItem & { count: number }>>();
  for (const { documents, hashes } of runs)
    for (const [sample, doc_id] of documents.entries()) {
      const hash = hashes[sample] ?? null;
      const ofId = votes.get(String(doc_id)) ?? new Map<string | null, AlignedItem & { count: number }>();
      const vote = ofId.get(hash);
      if (vote) vote.count++;
      else ofId.set(hash, { doc_id, hash, count: 1 });
      votes.set(String(doc_id), ofId);
    }
  return [...votes.values()].flatMap((ofId) => [...ofId.values()]).sort((left, right) => right.count - left.count);
}

/** How often each content is in the run that has it most often. */
function mostTimes(runs: readonly RunParts[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const parts of runs) {
    const times = new Map<string, number>();
    for (const { hashes } of parts)
      for (const hash of hashes) if (hash !== null) times.set(hash, (times.get(hash) ?? 0) + 1);
    for (const [hash, count] of times) most.set(hash, Math.max(count, most.get(hash) ?? 0));
  }
  return most;
}

/** Whether a run has an item's content under other ids alone, or two contents under one id. */
function isNumberedOtherwise(parts: RunParts, byHash: ReadonlyMap<string, readonly AlignedItem[]>): boolean {
  const documents = parts.map((run) => run.documents.map((doc_id, k) => ({ doc_id, hash: run.hashes[k] ?? null })));
  const isMoved = ({ doc_id, hash }: AlignedItem): boolean =>
    byHash.get(hash ?? "")?.every((item) => String(item.doc_id) !== String(doc_id)) === true;
  return documents.some((asked) => asked.some(isMoved)) || !isNumberedAlike(documents);
}

/** Numbers as numbers, and before names; parts of names that are numbers, too: "sum-9" before "sum-10". */
function byDocument(left: number | string, right: number | string): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
  return NATURAL.compare(String(left), String(right)) || (left < right ? -1 : 1);
}

const NATURAL = new Intl.Collator("en", { numeric: true });
