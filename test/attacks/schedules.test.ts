import { generateKeyPairSync, sign } from "node:crypto";
import { AnchorEvalError } from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, logKey, trustKey } from "anchoreval/internal/core/bundle/names";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { SWEEP_AGE, sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import { checkRoots, type RootChain } from "anchoreval/internal/features/trust/sdk/root-chain";
import { signIndex } from "anchoreval/internal/features/trust/sdk/sign-index";
import {
  type IndexStatement,
  parseIndexStatement,
  parseTrustFile,
} from "anchoreval/internal/features/trust/sdk/statements";
import { lostVersion } from "anchoreval/internal/features/trust/sdk/trust-root";
import { beforeAll } from "vitest";
import { attack } from "../support/attack.ts";
import { faultsOf, missingParts } from "../support/consistent-store.ts";
import { immediateCrypto } from "../support/immediate-crypto.ts";
import { perform, scheduledStore, type Objects, type StoreCall } from "../support/memory-store.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { rootOf, sign as signed } from "../support/trust.ts";

// Publishers, yanks, signers and sweeps at once, in time that is simulated: calls take a while, fail before or after they are carried
// out, lists are old, and operations are killed.
/** The present when a race begins. @unit milliseconds since 1970 */
const BEGIN = 10 * SWEEP_AGE;
/** Longest time between a call and its effect, and between that and its answer. @unit milliseconds */
const LATENCY = 300;
/** Oldest list that is given, where lists are old. @unit milliseconds */
const STALE = 5000;
/** Most publishers at once, in most schedules and in some. */
const PUBLISHERS = [4, 20] as const;

type Files = ReadonlyMap<BundleFileName, Uint8Array>;
const contents = new Map<string, Files>();
/** A bundle of a version; two of a version have other contents. */
function bundleOf(version: string, seed: number): Files {
  const key = `${version} ${seed}`;
  if (!contents.has(key)) contents.set(key, sampleBundle({ version, seed }));
  return contents.get(key)!;
}

immediateCrypto();

/** A store in simulated time. */
function simulate(
  random: RandomSource,
  before: Objects,
  { faults, staleLists }: { faults: number; staleLists: boolean },
  look: (objects: Objects) => void,
) {
  let now = BEGIN;
  let objects = before;
  let going = 0;
  let order = 0;
  const history: [from: number, objects: Objects][] = [[-Infinity, before]];
  const events: { at: number; order: number; run: () => void }[] = [];
  const after = (milliseconds: number, run: () => void): void => {
    events.push({ at: now + milliseconds, order: order++, run });
  };
  const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => after(milliseconds, resolve));
  const carryOut = (call: StoreCall): unknown => {
    const isList = call.method === "list" || call.method === "listTimes";
    const since = now - random.next() * STALE;
    const seen = isList && staleLists ? history.findLast(([from]) => from <= since)![1] : objects;
    const { result, after: written } = perform(seen, call, now);
    if (!isList && written !== objects) {
      history.push([now, (objects = written)]);
      look(objects);
    }
    return result;
  };
  /** The store as one operation sees it. @param calls - it is killed before this call */
  const storeOf = (calls: number, faulty: boolean): SweepableStore => {
    let left = calls;
    return scheduledStore(async (call) => {
      if (left-- <= 0) throw KILLED;
      const fault = faulty && random.next() < faults;
      await wait(random.next() * LATENCY);
      const isDone = !fault || random.next() < 0.5;
      const result = isDone ? carryOut(call) : undefined;
      await wait(random.next() * LATENCY);
      if (fault) throw new AnchorEvalError("unavailable", isDone ? "the answer was lost" : "the call was lost");
      return result;
    });
  };
  return {
    storeOf,
    wait,
    now: () => now,
    objects: () => objects,
    begin: (work: () => Promise<void>): void => {
      going++;
      void work().finally(() => going--);
    },
    /** Until all that was begun has ended. */
    end: async (): Promise<void> => {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (going === 0) return;
        let next = 0;
        for (const [k, { at, order: own }] of events.entries())
          if (at < events[next]!.at || (at === events[next]!.at && own < events[next]!.order)) next = k;
        const [event] = events.splice(next, 1);
        now = event!.at;
        event!.run();
      }
    },
  };
}

/** The key that signs roots, bundles and indexes here. */
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = publicKey.export({ format: "jwk" }).x!;
const signatureOf = (bytes: Uint8Array): string => sign(null, bytes, privateKey).toString("base64url");
let chain: RootChain;
beforeAll(async () => {
  const signing = { key, signature: (bytes: Uint8Array) => Promise.resolve({ key, signature: signatureOf(bytes) }) };
  const keys = [signing] as never[];
  const root = rootOf(1, { keys, bundles: keys, index: keys }, { threshold: 1 });
  chain = await checkRoots([await signed("root", root, keys)], "root.json");
});

/** What readers who remember an index would refuse of the next one; null for nothing. */
function refusal(before: IndexStatement | null, after: IndexStatement | null): string | null {
  if (before === null) return null;
  if (after === null || after.number < before.number) return "the signed index is older than before";
  if (after.number === before.number && JSON.stringify(after) !== JSON.stringify(before))
    return `number ${after.number} was signed twice`;
  if ((after.log?.entries ?? 0) < (before.log?.entries ?? 0)) return "the signed log is shorter";
  return lostVersion(before, after);
}

/** Not an error that an operation goes on after. */
const KILLED = new Error("killed");
const leftover = new TextEncoder().encode("left by a publication that broke off");
const LEFT = blobKey("sample", sha256Hex(leftover));

/** What the schedules were of, for the report. */
const figures = { published: 0, signed: 0, "contents removed": 0, "operations broken off": 0 };

/** One schedule. @returns what is wrong in it, and after it */
async function schedule(random: RandomSource): Promise<string[]> {
  const staleLists = random.next() < 1 / 3;
  const clocksAreRight = random.next() < 0.5;
  const publishers = 2 + random.below(PUBLISHERS[random.next() < 0.2 ? 1 : 0] - 1);
  const versions = Array.from({ length: publishers }, () => `1.${random.below(publishers)}.0`);
  const all = versions.map((version) => bundleOf(version, 1 + random.below(3)));
  const old = new Map<string, { bytes: Uint8Array; etag: string; written: number }>();
  const keep = (key: string, bytes: Uint8Array): void =>
    void old.set(key, { bytes, etag: sha256Hex(bytes), written: 0 });
  keep(LEFT, leftover);
  for (const files of all)
    for (const [name, bytes] of files)
      if (name !== "manifest.json" && random.next() < 0.4) keep(blobKey("sample", sha256Hex(bytes)), bytes);

  const published = new Map<string, Uint8Array>();
  const faults: string[] = [];
  let log = "";
  let index: IndexStatement | null = null;
  const world = simulate(random, old, { faults: [0, 0.03, 0.15][random.below(3)]!, staleLists }, (objects) => {
    // Whatever is under way, fails or is dead: who reads sees whole versions, and no line of the log goes.
    faults.push(...missingParts(objects, "sample", clocksAreRight ? "committed" : "listed"));
    const lines = new TextDecoder().decode(objects.get(logKey("sample"))?.bytes);
    if (!lines.startsWith(log)) faults.push("the log has lost a line");
    log = lines;
    const trust = objects.get(trustKey("sample"))?.bytes;
    const statement = trust ? parseIndexStatement(parseTrustFile(trust)!.index!) : null;
    const why = refusal(index, statement);
    if (why !== null) faults.push(why);
    index = statement;
  });
  const again: ((store: SweepableStore) => Promise<unknown>)[] = [];
  /** The longest time until an operation begins: they meet in the same call, or in none. */
  const spread = [100, 2000, 20_000][random.below(3)]!;
  const pause = world.wait;
  /** Runs an operation, perhaps until it is killed; whoever started it does so again. */
  const start = (operation: (store: SweepableStore) => Promise<unknown>): void =>
    world.begin(async () => {
      await world.wait(random.next() * spread);
      const calls = random.next() < 0.4 ? random.below(60) : Infinity;
      try {
        await operation(world.storeOf(calls, true));
      } catch (error) {
        const { code } = error as AnchorEvalError;
        figures["operations broken off"]++;
        if (error === KILLED || code === "unavailable") again.push(operation);
        else if (code !== "version_conflict" && code !== "not_found") faults.push(String(error));
      }
    });
  for (const [k, files] of all.entries()) {
    const manifest = files.get("manifest.json")!;
    start(async (store) => {
      await publishBundle(store, files, { pause, now: world.now });
      figures.published++;
      const other = published.get(versions[k]!);
      if (other !== undefined && other !== manifest) faults.push(`two bundles were published as ${versions[k]!}`);
      published.set(versions[k]!, manifest);
    });
  }
  for (let k = random.below(5); k > 0; k--) {
    const version = versions[random.below(publishers)]!;
    const yanked = random.next() < 0.5;
    const how = yanked ? ({ yanked, reason: `reason ${k}` } as const) : ({ yanked } as const);
    start((store) => yankVersion(store, { benchmark: "sample", version, pause, now: world.now }, how));
  }
  for (let k = random.below(4); k > 0; k--) {
    const life = { due: SWEEP_AGE, life: 2 * SWEEP_AGE, renewAfter: random.below(2) * SWEEP_AGE };
    start(async (store) => {
      await signIndex(store, "sample", { chain, key, sign: signatureOf, now: world.now(), ...life });
      figures.signed++;
    });
  }
  // Sweeps are for stores whose lists are as new as their objects; index and log hold with old ones, too.
  for (let k = staleLists ? 0 : random.below(4); k > 0; k--) {
    const offset = clocksAreRight ? 0 : [-2, 2, 0.04][random.below(3)]! * SWEEP_AGE;
    start(async (store) => {
      figures["contents removed"] += (await sweepBlobs(store, { now: world.now() + offset })).removed.length;
    });
  }
  await world.end();
  faults.push(...faultsOf(world.objects(), "sample", published, false));
  for (const operation of again)
    world.begin(async () => {
      try {
        await operation(world.storeOf(Infinity, false));
      } catch (error) {
        if (!["version_conflict", "not_found"].includes((error as AnchorEvalError).code))
          faults.push(`again: ${String(error)}`);
      }
    });
  await world.end();
  world.begin(async () => {
    await world.wait(2 * SWEEP_AGE); // what sweeps left that died is as old, lists aren't
    await sweepBlobs(world.storeOf(Infinity, false), { now: world.now() });
  });
  await world.end();
  faults.push(...faultsOf(world.objects(), "sample", published, true).map((fault) => `${fault} in the end`));
  if ([...world.objects().keys()].some((key) => key === LEFT || key.includes("/swept/")))
    faults.push("leftovers in the end");
  return faults;
}

attack(
  "publishers, yankers, signers and sweeps on a store whose steps fail",
  { tries: 10, figures },
  async (random) => {
    const faults = await schedule(random);
    return faults.length === 0 ? null : [...new Set(faults)].join(", ");
  },
);
