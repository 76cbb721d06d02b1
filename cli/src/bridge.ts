import { createInterface } from "node:readline";
import { BARE_CALLS, CALLS } from "../../features/cli-bridge.ts";
import { loadItemLines, loadItems } from "anchoreval/internal/bundles/read-file";
import type { ItemLines } from "anchoreval/internal/core/bundle/item-lines";
import { loadBundle, type LoadOptions } from "anchoreval/internal/bundles/load-bundle";
import { type Bundle, type BundleSource, unknownForm } from "anchoreval/internal/core/bundle/bundle";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { answersOthers } from "anchoreval/internal/estimate/locate-answers";
import { parsePythonJson } from "anchoreval/internal/logs/json";
import { allAnchors, formAnchors } from "anchoreval/internal/logs/anchor-names";
import { openBundle, readTrusted } from "./bundles/open-bundle.ts";
import { received, receivedRow, type SentModel, type SentTable } from "./sent-answers.ts";
import type { AnchoredTask } from "./run/lm-eval-tasks.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/**
 * The SDK's functions for a program in another language, which starts this as a process of its own: a request is a line of
 * JSON on standard input, `{"call", "bundle", …}`; its answer one on standard output, `{"result"}` or `{"error"}`. Requests
 * are answered one after another. A request names its bundle, where its call needs one, not a handle, so that a process that died is replaced by
 * just starting another. Ends with its input.
 */
interface Request {
  /** One of those below, or of the features'. */
  readonly call: string;
  readonly bundle: NamedBundle;
  readonly form?: string;
  readonly models?: readonly SentModel[];
  readonly baselines?: readonly SentModel[];
  /** Of `estimates`. */
  readonly table?: SentTable;
  readonly options?: object;
  /** JSON of an `AnchoredTask`, whose documents' numbers are kept as Python writes them. */
  readonly task?: string;
  /** JSON of samples of Inspect: `id`, and `input`, `choices` and `target` where they are known. */
  readonly samples?: string;
  /** The caller's variables ANCHOREVAL_… as they are now; of `load`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a bundle lies: a name, a folder or an address, as `--bundle` takes it, seen from the folder `cwd`. */
interface NamedBundle extends Omit<LoadOptions, "signal" | "trustedKeys"> {
  /** Public keys, or the file of a root. */
  readonly trustedKeys?: readonly string[];
  readonly place: string;
  readonly cwd: string;
}

/** Bundles that are kept, the last used ones. */
const KEPT = 16;
const bundles = new Map<string, Bundle>();

async function bundleOf(named: NamedBundle): Promise<Bundle> {
  return keep(named, bundles.get(JSON.stringify(named)) ?? (await readBundle(named)));
}

function keep(named: NamedBundle, bundle: Bundle): Bundle {
  const key = JSON.stringify(named);
  bundles.delete(key);
  bundles.set(key, bundle);
  if (bundles.size > KEPT) bundles.delete(bundles.keys().next().value!);
  return bundle;
}

function readBundle(named: NamedBundle): Promise<Bundle> {
  const { trustedKeys, place, cwd, ...options } = named;
  const source = sourceOf({ place, cwd }); // in its folder, where a root may lie too
  return loadBundle(source, trustedKeys ? { ...options, trustedKeys: readTrusted(trustedKeys.join(",")) } : options);
}

function sourceOf({ place, cwd }: Pick<NamedBundle, "place" | "cwd">): BundleSource {
  try {
    process.chdir(cwd);
  } catch {
    // The folder has gone since: an address needs none, and the digest tells whether it is the same bundle.
  }
  return openBundle(place);
}

/** Names of the items of bundles, where a call asked for them. */
const lines = new WeakMap<Bundle, ItemLines>();

async function linesOf(named: NamedBundle, bundle: Bundle): Promise<ItemLines> {
  const read = lines.get(bundle) ?? (await loadItemLines(sourceOf(named), bundle.manifest));
  lines.set(bundle, read);
  return read;
}

async function answer(request: Request): Promise<unknown> {
  const { call, bundle: named, form, models = [], baselines, options, env = {} } = request;
  if (call === "bundles") {
    const { readListed, shippedPlaces } = await import("./bundles/list-bundles.ts");
    return readListed(shippedPlaces());
  }
  if (call === "load") {
    const others = Object.entries(process.env).filter(([name]) => !name.startsWith("ANCHOREVAL_"));
    process.env = { ...Object.fromEntries(others), ...env };
    const read = await readBundle(named); // anew: what lies there may have changed
    return summary(keep({ ...named, digest: read.digest }, read));
  }
  const compared = models.map(received);
  const bare = lookUp(BARE_CALLS, call);
  if (bare) return (await bare())(compared, options as never);
  const bundle = await bundleOf(named);
  const before = baselines?.map(received) ?? [];
  const ready = async (): Promise<void> => {
    if ([...compared, ...before].some(({ responses }) => answersOthers(bundle, responses)))
      await loadItems(sourceOf(named), bundle);
  };
  const feature = lookUp(CALLS, call);
  if (feature)
    return (await feature())(
      { bundle, models: compared, before, ready, lines: () => linesOf(named, bundle) },
      request as never,
    );
  await ready();
  switch (call) {
    case "anchors":
      return anchorsOf(bundle, form!);
    case "estimate": {
      const { estimate } = await import("anchoreval/internal/features/sdk-estimate");
      const { responses, ...terms } = compared[0]!;
      return estimate(bundle, responses, { ...terms, ...options });
    }
    case "estimates": {
      const table = request.table!;
      if (answersOthers(bundle, new Map(table.items.map((id) => [id, null])))) await loadItems(sourceOf(named), bundle);
      const { estimate } = await import("anchoreval/internal/features/sdk-estimate");
      return Promise.all(table.rows.map((row) => answered(() => estimate(bundle, receivedRow(table, row), options))));
    }
    case "plan":
      return (await import("anchoreval/internal/features/sdk-plan")).planRequest(bundle, options);
    case "anchored-task": {
      const { checkAnchoredTask } = await import("./run/lm-eval-tasks.ts");
      const task = parsePythonJson(request.task!) as AnchoredTask;
      return checkAnchoredTask(bundle, formAnchors(allAnchors(bundle), task.form), task);
    }
    case "anchored-samples": {
      const { findSamples } = await import("./run/same-items.ts");
      const samples = parsePythonJson(request.samples!) as Parameters<typeof findSamples>[2];
      return findSamples(bundle, formAnchors(allAnchors(bundle), form!), samples);
    }
  }
}

function summary({ manifest, digest, scenarios }: Bundle): object {
  const forms = manifest.forms.map((form) => ({
    id: form.id,
    digest: form.digest,
    scenarios: Object.fromEntries([...scenarios.keys()].map((id) => [id, lookUp(form.scenarios, id)!.items])),
  }));
  const { benchmark, version, defaultForm } = manifest;
  return {
    benchmark,
    version,
    digest,
    defaultForm,
    forms,
    scenarios: Object.fromEntries(
      manifest.scenarios.flatMap(({ id, items }) => (scenarios.has(id) ? [[id, items]] : [])),
    ),
  };
}

/** A form's anchors, in the order in which they are asked. */
function anchorsOf(bundle: Bundle, id: string): object {
  const form = bundle.manifest.forms.find((candidate) => candidate.id === id);
  if (form === undefined) throw unknownForm(id, bundle.manifest);
  return { form: id, digest: form.digest, items: formAnchors(allAnchors(bundle), id) };
}

/** An answer as it is written: `{"result"}`, or `{"error"}`. */
async function answered(work: () => unknown): Promise<object> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof AnchorEvalError)
      return { error: { code: error.code, message: error.message, issues: error.issues } };
    return { error: { code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) } };
  }
}

process.on("SIGINT", () => undefined); // Ctrl-C in a terminal reaches the whole group: what follows is its parent's to say
process.stdout.on("error", () => process.exit(1)); // nobody is there to be answered
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  const said = await answered(() => answer(request));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
