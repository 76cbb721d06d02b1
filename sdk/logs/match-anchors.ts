import { textHash } from "../core/bundle/digest.ts";
import type { AnchorRecord } from "../core/bundle/manifest.ts";
import { groupBy, type LoggedSample } from "./run-log.ts";

/** An anchor, or another item, by all that it may be found by. */
export type NamedItem = Pick<AnchorRecord, "item_id" | "task" | "doc_id" | "hash">;

/** The fields that a sample may be found by. */
type SampleKey = Pick<LoggedSample, "task" | "doc_id" | "hash" | "text">;

/** The samples of a run that are a bundle's anchors. */
interface AnchorSamples<S> {
  /** By item id. */
  readonly matches: ReadonlyMap<string, S>;
  /** Their content hashes, where the log holds them. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Samples that are no anchor. */
  readonly ignored: number;
}

/**
 * Finds a bundle's anchors among the samples of a run: by content hash within the task, or by that of the text alone, then
 * by task and document id (or an item id `task/doc_id`). Hashes come first because a harness may number documents of a subset otherwise.
 *
 * A sample that has an anchor's id and another hash is matched: the hash is in `hashes`, and `estimateFromAnchors`
 * reports the item as changed.
 */
export function matchAnchors<S extends SampleKey>(
  anchors: Iterable<NamedItem>,
  samples: readonly S[],
): AnchorSamples<S> {
  const all = [...anchors];
  const idOf = ({ item_id, task, doc_id }: NamedItem): string =>
    task === undefined || doc_id === undefined ? item_id : sampleId({ task, doc_id });
  const byId = new Map(all.map((anchor) => [idOf(anchor), anchor]));
  const hashed = all.filter(({ hash }) => hash !== undefined);
  const byHash = groupBy(hashed, ({ task, hash }) => hashKey(task ?? "", hash!));
  const matched = new Map<NamedItem, S>();
  const left: S[] = [];
  for (const sample of samples) {
    const same = hashesOf(sample).flatMap(
      (hash) => byHash.get(hashKey(sample.task, hash)) ?? byHash.get(hashKey("", hash)) ?? [],
    );
    const free = same.filter((anchor) => !matched.has(anchor));
    const anchor = free.find((candidate) => String(candidate.doc_id) === String(sample.doc_id)) ?? free[0];
    if (anchor) matched.set(anchor, sample);
    else left.push(sample);
  }
  let ignored = 0;
  for (const sample of left) {
    const anchor = byId.get(sampleId(sample));
    if (anchor && !matched.has(anchor)) matched.set(anchor, sample);
    else ignored++;
  }
  return {
    matches: new Map([...matched].map(([anchor, sample]) => [anchor.item_id, sample])),
    hashes: new Map(
      [...matched].flatMap(([anchor, sample]) => {
        const [first, ...others] = hashesOf(sample);
        if (first === undefined) return [];
        return [[anchor.item_id, others.includes(anchor.hash!) ? anchor.hash! : first] as const];
      }),
    ),
    ignored,
  };
}

/** The hashes that an item of this content may have in a bundle. */
function hashesOf({ hash, text }: SampleKey): string[] {
  return [...(hash === null ? [] : [hash]), ...(text === null ? [] : [textHash(text)])];
}

function sampleId({ task, doc_id }: Pick<LoggedSample, "task" | "doc_id">): string {
  return `${task}/${doc_id}`;
}

function hashKey(task: string, hash: string): string {
  return `${task}\n${hash}`;
}
