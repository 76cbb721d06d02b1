import { createHash } from "node:crypto";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";

/** The calls of a store by name. */
type StoreMethod = "get" | "putIfAbsent" | "putIfMatch" | "list" | "listTimes" | "remove";

/** A call that hasn't been carried out yet. */
export interface StoreCall {
  readonly method: StoreMethod;
  readonly args: readonly [key: string, bytes?: Uint8Array, etag?: string];
}

interface StoredObject {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** @unit milliseconds since 1970 */
  readonly written: number;
}

/** The objects of a store. The conformance of stores says that each call is atomic: so are these, one after another. */
export type Objects = ReadonlyMap<string, StoredObject>;

const tags = new WeakMap<Uint8Array, string>();

/** The tag of a content, of which R2, S3 and folders have the same for equal contents. */
export function tagOf(bytes: Uint8Array): string {
  let tag = tags.get(bytes);
  if (tag === undefined) tags.set(bytes, (tag = createHash("sha1").update(bytes).digest("base64").slice(0, 12)));
  return tag;
}

/** Carries out one call. @returns its result, and the objects after it: the same map where nothing changed */
export function perform(
  objects: Objects,
  { method, args }: StoreCall,
  now: number,
): { result: unknown; after: Objects } {
  const [key, bytes, etag] = args;
  const there = objects.get(key);
  const write = (result: boolean): { result: boolean; after: Objects } =>
    result
      ? { result, after: new Map(objects).set(key, { bytes: bytes!, etag: tagOf(bytes!), written: now }) }
      : { result, after: objects };
  if (method === "putIfAbsent") return write(there === undefined);
  if (method === "putIfMatch") return write(there?.etag === etag);
  if (method === "remove") {
    const after = new Map(objects);
    return { result: undefined, after: after.delete(key) ? after : objects };
  }
  const result = method === "get" ? (there ?? null) : method === "list" ? below(objects, key) : times(objects, key);
  return { result, after: objects };
}

function below(objects: Objects, prefix: string): string[] {
  const names = new Set<string>();
  for (const key of objects.keys())
    if (key.startsWith(prefix)) names.add(/^[^/]*\/?/.exec(key.slice(prefix.length))![0]);
  return [...names].sort();
}

function times(objects: Objects, prefix: string): { name: string; written: number }[] {
  const names = below(objects, prefix).filter((name) => !name.endsWith("/"));
  return names.map((name) => ({ name, written: objects.get(prefix + name)!.written }));
}

/** A store that hands every call to a scheduler. */
export function scheduledStore(schedule: (call: StoreCall) => Promise<unknown>): SweepableStore {
  const call =
    (method: StoreMethod) =>
    (...args: [string, Uint8Array?, string?]): Promise<never> =>
      schedule({ method, args }) as Promise<never>;
  return {
    name: "memory",
    get: call("get"),
    putIfAbsent: call("putIfAbsent"),
    putIfMatch: call("putIfMatch"),
    list: call("list"),
    listTimes: call("listTimes"),
    remove: call("remove"),
  };
}
