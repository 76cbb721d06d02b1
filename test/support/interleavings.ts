import { AnchorEvalError } from "anchoreval";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { perform, scheduledStore, tagOf, type Objects, type StoreCall } from "./memory-store.ts";

/** One of several operations at once on a store. Between two calls of the store it depends on their results alone. */
export type Operation = (store: SweepableStore) => Promise<unknown>;

/** How an operation ended: with a result, an error, or killed in the middle. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown } | "killed";

/** An end of all operations, after one of the ways in which they can interleave. */
export interface Ending {
  readonly objects: Objects;
  readonly outcomes: readonly Outcome[];
  /** The calls as they were carried out, for messages. */
  readonly trace: string;
}

export interface InterleavingOptions {
  /** The objects before. */
  readonly objects: Objects;
  readonly operations: readonly Operation[];
  /** The store's clock. @unit milliseconds since 1970 */
  readonly now: number;
  /** One of the operations may end for good before any of its calls. @default false */
  readonly kills?: boolean;
  /** So many writes may be carried out and answered with an error all the same. @default 0 */
  readonly lost?: number;
}

interface State {
  readonly objects: Objects;
  readonly moments: readonly Moment[];
  readonly lost: number;
  readonly from: { readonly state: State; readonly step: () => string } | null;
}

/**
 * Carries out operations in every order that their calls can have, with every kill and every lost answer. Orders that lead
 * to the same objects and have told every operation the same go on from there together: no operation can tell them apart.
 * A call that nothing touches which the others do comes at once: its place among theirs makes no difference.
 * @param check - looks at an ending; endings that differ only in what was read on the way are looked at once
 * @returns the number of states and of endings
 */
export async function interleavings(
  options: InterleavingOptions,
  check: (ending: Ending) => void | Promise<void>,
): Promise<{ states: number; endings: number }> {
  const begun = await Promise.all(options.operations.map((operation) => begin(operation)));
  const touched = begun.map(() => new Set<string>());
  // Once more where an operation touched more than was known before: others may have gone ahead of it.
  for (;;) {
    const before = touched.map(({ size }) => size).join();
    const { states, endings } = await explore(options, begun, touched);
    if (touched.map(({ size }) => size).join() !== before) continue;
    for (const ending of endings) await check(ending);
    return { states, endings: endings.length };
  }
}

async function explore(
  { objects, now, kills = false, lost = 0 }: InterleavingOptions,
  begun: readonly Moment[],
  touched: readonly Set<string>[],
): Promise<{ states: number; endings: Ending[] }> {
  const known = new Map<string, Objects>();
  const seen = new Set<string>();
  const endings = new Map<string, Ending>();
  const folders = Array.from(objects.keys(), (key) => key.slice(0, key.lastIndexOf("/") + 1));
  const open: State[] = [];
  const visit = (state: State): void => {
    const key = `${descriptionOf(state.objects)}|${state.moments.map(({ id }) => id).join()}|${state.lost}`;
    if (seen.has(key)) return;
    seen.add(key);
    open.push(state);
  };
  const commuting = new Map<string, boolean>();
  /** Whether two calls may come in either order. */
  const commute = (one: string, other: string): boolean => {
    const pair = `${one} ${other}`;
    let does = commuting.get(pair);
    if (does === undefined) {
      const [kind, key, otherKind, otherKey] = pair.split(" ") as [string, string, string, string];
      if (!changes(kind) && !changes(otherKind)) does = true;
      else if (isList(kind)) does = !otherKey.startsWith(key) || isListed(kind, key, otherKey);
      else if (isList(otherKind)) does = !key.startsWith(otherKey) || isListed(otherKind, otherKey, key);
      else does = key !== otherKey;
      commuting.set(pair, does);
    }
    return does;
  };
  /** Whether a list has the key, or its folder, anyway: nobody removes it. */
  const isListed = (kind: string, prefix: string, key: string): boolean => {
    const isRemoved = touched.some((own) => own.has(`removes ${key}`));
    if (kind === "lists" && objects.has(key) && !isRemoved) return true;
    const end = key.indexOf("/", prefix.length);
    return end > 0 && folders.includes(key.slice(0, end + 1));
  };
  visit({ objects, moments: begun, lost, from: null });
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const own = state;
    const going = own.moments.flatMap(({ outcome, pending }, k) => (outcome === null ? [{ k, pending }] : []));
    if (going.length === 0) {
      const outcomes = own.moments.map(({ outcome }) => outcome!);
      const key = descriptionOf(own.objects) + outcomes.map(toldOutcome).join();
      if (!endings.has(key)) endings.set(key, { objects: own.objects, outcomes, trace: traceOf(own) });
      continue;
    }
    const calls = going.flatMap(({ k, pending }) => Array.from(pending, ([number, call]) => ({ k, number, call })));
    for (const { k, call } of calls) touched[k]!.add(touchOf(call));
    const go = (k: number, step: () => string, next: Moment, after: Objects, left = own.lost): void =>
      visit({
        objects: after,
        moments: own.moments.with(k, next),
        lost: left,
        from: { state: own, step: () => `${k} ${step()}` },
      });
    if (kills && !own.moments.includes(KILLED))
      for (const { k } of going) go(k, () => "is killed", KILLED, own.objects);
    const free = calls.find(({ k, call }) =>
      going.every((other) => other.k === k || [...touched[other.k]!].every((touch) => commute(touchOf(call), touch))),
    );
    for (const { k, number, call } of free ? [free] : calls) {
      const { result, after: written } = perform(own.objects, call, now);
      const after = written === own.objects ? written : shared(known, written);
      const moment = own.moments[k]!;
      const told = toldResult(result);
      go(k, () => `${call.method} ${call.args[0]} → ${told}`, await moment.hear(number, told, result), after);
      if (own.lost > 0 && isWrite(call))
        go(k, () => `${call.method} ${call.args[0]}, lost`, await moment.hear(number, LOST), after, own.lost - 1);
    }
  }
  return { states: seen.size, endings: [...endings.values()] };
}

const isWrite = ({ method }: StoreCall): boolean => /^(?:put|remove)/.test(method);

const TOUCHES = { get: "reads", putIfAbsent: "writes", putIfMatch: "writes", list: "lists", listTimes: "dates", remove: "removes" } as const; // prettier-ignore
const changes = (kind: string): boolean => kind === "writes" || kind === "removes";
const isList = (kind: string): boolean => kind === "lists" || kind === "dates";

/** What a call touches, and how. */
function touchOf(call: StoreCall): string {
  return `${TOUCHES[call.method]} ${call.args[0]}`;
}

/** In place of a result: the call was carried out, its answer lost. */
const LOST = "lost";

/** An operation as it waits for its calls, or has ended. */
interface Moment {
  readonly id: number;
  readonly outcome: Outcome | null;
  /** The calls that it waits for, by their numbers. */
  readonly pending: ReadonlyMap<number, StoreCall>;
  /** The moment after one of its calls is answered. @param told - the result in words, or {@link LOST} */
  hear(call: number, told: string, result?: unknown): Promise<Moment>;
}

const KILLED: Moment = {
  id: 0,
  outcome: "killed",
  pending: new Map(),
  hear: () => Promise.reject(new Error("it is killed")),
};
let ids = 1;

/** What an operation was told about a call. */
interface Heard {
  readonly call: number;
  readonly told: string;
  readonly result: unknown;
}

/**
 * The moments of an operation, each made once: an operation is begun again, with the answers so far, only where a moment
 * is followed by a second one.
 */
function begin(operation: Operation): Promise<Moment> {
  const made = new Map<string, Promise<Moment>>();
  const moment = (heard: readonly Heard[], run: Run): Moment => {
    const next = new Map<string, Promise<Moment>>();
    let live: Run | null = run;
    const after = async (own: Heard): Promise<Moment> => {
      const goOn = live;
      live = null;
      const again = goOn ?? (await startRun(operation, heard));
      await again.answer(own);
      return moment([...heard, own], again);
    };
    return {
      id: ids++,
      outcome: run.outcome(),
      pending: run.pending(),
      hear: (call, told, result) => {
        const key = `${call}:${told}`;
        if (!next.has(key)) {
          // In whatever order it was told: it goes on from there as one.
          const all = [...heard.map((own) => `${own.call}:${own.told}`), key].toSorted().join();
          if (!made.has(all)) made.set(all, after({ call, told, result }));
          next.set(key, made.get(all)!);
        }
        return next.get(key)!;
      },
    };
  };
  return startRun(operation, []).then((run) => moment([], run));
}

interface Run {
  outcome(): Outcome | null;
  pending(): ReadonlyMap<number, StoreCall>;
  answer(heard: Heard): Promise<void>;
}

async function startRun(operation: Operation, heard: readonly Heard[]): Promise<Run> {
  let calls = 0;
  let outcome: Outcome | null = null;
  const waiting = new Map<
    number,
    { call: StoreCall; resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  const store = scheduledStore(
    (call) => new Promise((resolve, reject) => waiting.set(calls++, { call, resolve, reject })),
  );
  operation(store).then(
    (value) => (outcome = { value }),
    (error: unknown) => (outcome = { error }),
  );
  const run: Run = {
    outcome: () => outcome,
    pending: () => new Map(outcome === null ? Array.from(waiting, ([number, { call }]) => [number, call]) : []),
    answer: async ({ call, told, result }) => {
      const { resolve, reject } = waiting.get(call)!;
      waiting.delete(call);
      if (told === LOST) reject(new AnchorEvalError("unavailable", "the answer was lost"));
      else resolve(result);
      await settled();
    },
  };
  await settled();
  for (const own of heard) await run.answer(own);
  return run;
}

/** All that an operation does without the store is done when the microtasks are. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function traceOf(state: State): string {
  const steps: string[] = [];
  for (let { from } = state; from !== null; { from } = from.state) steps.push(from.step());
  return steps.toReversed().join("\n");
}

function toldOutcome(outcome: Outcome): string {
  if (outcome === "killed") return outcome;
  return "value" in outcome ? JSON.stringify(outcome.value) : String(outcome.error);
}

/** A result in few characters, other for other results. */
function toldResult(result: unknown): string {
  if (result === null || typeof result !== "object") return String(result);
  return "etag" in result ? String(result.etag) : JSON.stringify(result);
}

/** One map for equal objects. */
function shared(known: Map<string, Objects>, objects: Objects): Objects {
  const description = descriptionOf(objects);
  const own = known.get(description);
  if (own === undefined) known.set(description, objects);
  return own ?? objects;
}

const descriptions = new WeakMap<Objects, string>();

/** Tells apart objects with other contents or times. */
function descriptionOf(objects: Objects): string {
  let text = descriptions.get(objects);
  if (text === undefined) {
    const lines = Array.from(objects, ([key, { etag, written }]) => `${key} ${etag} ${written}`);
    descriptions.set(objects, (text = tagOf(new TextEncoder().encode(lines.toSorted().join("\n")))));
  }
  return text;
}
