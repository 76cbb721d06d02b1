import { availableParallelism } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { parseManifest, sha256Hex, type FormManifest } from "anchoreval/bundle";
import type { Command } from "anchoreval/cli";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import { baseWords } from "anchoreval/words";
import { PROVIDERS, resolveBackend } from "../backends/resolve-backend.ts";
import { dimsFor } from "../calibrate/bank.ts";
import { DIMENSION_CANDIDATES } from "../calibrate/choose-model.ts";
import { exposurePlan, exposureWords, withExposure } from "../extensions/adaptive/with-exposure.ts";
import { coldStartWords, fitColdStart, withColdStart } from "../extensions/routing/cold-start.ts";
import { bundleFiles, fit } from "../fit/fit.ts";
import { foldThreads } from "../fit/folds.ts";
import { readResponses } from "../matrix/read-responses.ts";
import { checkBundleFolder, writeBundleFolder } from "../publish/bundle-folder.ts";
import { closingSummary, closingWords } from "../report/closing-words.ts";
import { BASE_OPTIONS, baseRecipe, readBasedVersion, readBaseOption } from "./base-options.ts";
import { fileDate, givenDate } from "./bundle-date.ts";
import { COLD_START_OPTIONS, readColdStart } from "./cold-start-options.ts";
import { EXPOSURE_OPTIONS, readExposure } from "./exposure-options.ts";
import { readName } from "./bundle-name.ts";
import { readFamilies } from "./families-file.ts";
import { checkAskedSizes, FIT_OPTIONS, readMethod, readRecipe, readSizes } from "./fit-options.ts";
import { readImportFacts } from "./import-facts.ts";
import { memoryStatement } from "./memory.ts";
import { RESPONSE_OPTIONS, readResponseOptions } from "./response-options.ts";
import { readSubsetInputs, SUBSET_OPTIONS } from "./subset-options.ts";

export const fitCommand: Command = {
  name: "fit",
  summary: "a response matrix to a bundle: calibrate, choose anchors, measure the error",
  options: {
    ...RESPONSE_OPTIONS,
    ...BASE_OPTIONS,
    name: { type: "string", value: "BENCHMARK@X.Y.Z", description: "name and version of the bundle" },
    anchors: { type: "string", value: "N[,N…]", description: "anchors per scenario, one form N each" },
    total: {
      type: "string",
      value: "N[,N…]",
      description: "anchors over all scenarios, shared evenly, one form total-N each; may stand beside --anchors",
    },
    "second-form": {
      type: "boolean",
      description: "for every form N a form N-b of other items, chosen in the same way, of anchors chosen on purpose",
    },
    out: { type: "string", value: "DIR", description: "folder of the bundle" },
    force: { type: "boolean", description: "replace whatever --out holds" },
    ...FIT_OPTIONS,
    ...SUBSET_OPTIONS,
    checkpoint: {
      type: "string",
      value: "DIR",
      description: "keep the state of a long fit here; the same command goes on from it",
    },
    threads: { type: "string", value: "N", description: "threads (default: one a core)" },
    seed: { type: "string", value: "N", description: "seed of all draws (default 1)" },
    families: { type: "string", value: "FILE", description: "lines of model,family: whole families are held out" },
    created: {
      type: "string",
      value: "DATE",
      description: "date of the bundle (default: SOURCE_DATE_EPOCH, else the responses file's)",
    },
    "benchmark-version": { type: "string", value: "TEXT", description: "the benchmark's own version" },
    description: { type: "string", value: "TEXT", description: "a sentence about it" },
    licence: { type: "string", value: "TEXT", description: "licence of the data" },
    source: { type: "string", value: "TEXT", description: "source of the data" },
    ...EXPOSURE_OPTIONS,
    ...COLD_START_OPTIONS,
    "include-model-names": { type: "boolean", description: "keep the source models' names" },
    "include-text": { type: "boolean", description: "keep the anchors' texts" },
  },
  async run({ options, output, signal }) {
    const begun = performance.now();
    const { responses, ...reading } = readResponseOptions(options);
    const name = readName(options.required("name"));
    const out = options.required("out");
    const provider = options.oneOf("provider", PROVIDERS, "auto");
    const threads = options.number("threads", { min: 1, max: 256, integer: true }, availableParallelism());
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const force = options.flag("force");
    await checkBundleFolder(out, { ...name, force });
    const facts = await readImportFacts(responses);
    const base = await readBaseOption(options, signal);
    const named = await readRecipe(options);
    const recipe = base ? await baseRecipe(base, options, named) : named;
    const sizesOf = readSizes(options, recipe);
    const asked = await readMethod(options, base ? {} : facts, recipe);
    const { settings } = asked;
    const given = givenDate(options);
    const families = await readFamilies(options);
    const exposure = readExposure(options);
    const subsetInputs = await readSubsetInputs(options, [settings.selection]);
    const linked = base && (await readBasedVersion(base, options, { settings, name, reading, seed }));
    const { matrix, remarks } = linked ?? (await readResponses(responses, reading));
    for (const remark of remarks) output.remark(remark);
    checkAskedSizes(options, matrix.items);
    if (exposure) exposurePlan(matrix.items, exposure); // what can't be kept is refused before the fit
    const described = subsetInputs(matrix)(asked);
    const method = linked ? linked.method(described) : described;
    const coldInput = await readColdStart(options, settings, matrix);
    const read = performance.now() - begun;
    const scenarios = new Set(matrix.items.map((item) => item.scenario)).size;
    const { backend, provider: calibrating, reason } = await resolveBackend(provider, threads);
    output.remark(reason);
    const models = matrix.subjects.length;
    const items = matrix.items.length;
    const counts = sizesOf({ scenarios, items });
    const secondForms = options.flag("second-form");
    const folds = foldThreads(calibrating, threads, models * items);
    const most = settings.dims === "auto" ? Math.max(...DIMENSION_CANDIDATES) : settings.dims;
    const dims = dimsFor(most, models);
    const size = {
      models,
      items,
      scenarios,
      sizes: (secondForms ? 2 : 1) * (counts.sizes.length + counts.totals.length),
      dims,
      threads: folds?.count ?? 0,
    };
    output.remark(memoryStatement(size, process.availableMemory()));
    const checkpoint = options.text("checkpoint");

    const bar = output.progress("fitting", 1);
    const optional = (key: string, option: string): Record<string, string> => {
      const value = options.text(option);
      return value === undefined ? {} : { [key]: value };
    };
    let result;
    try {
      result = await fit(matrix, {
        ...name,
        method,
        ...counts,
        secondForms,
        seed,
        ...families,
        backend,
        ...(linked && { fixed: linked.fixed }),
        ...(folds && { threads: folds }),
        ...(checkpoint !== undefined && { checkpoint }),
        created: given ?? (await fileDate(responses)),
        ...(facts.protocol && { protocol: facts.protocol }),
        ...optional("benchmarkVersion", "benchmark-version"),
        ...optional("description", "description"),
        ...optional("licence", "licence"),
        ...optional("source", "source"),
        includeModelNames: options.flag("include-model-names"),
        includeText: options.flag("include-text"),
        signal,
        onProgress: (done, of, note) => bar.update(done / of, note),
      });
    } catch (error) {
      if (signal.aborted) throw stopped(error);
      throw error;
    } finally {
      bar.stop();
    }
    if (options.text("total") !== undefined)
      for (const remark of sameForms(counts.totals, result.content.manifest.forms)) output.remark(remark);
    if (linked) result = { ...result, content: linked.content(result.content) };
    const coldBegun = performance.now();
    if (coldInput) output.remark(`cold start: learning from ${items} items`);
    const cold =
      coldInput &&
      fitColdStart(
        result.parts.flatMap(({ learned }) => learned.groups),
        coldInput,
        result.content.manifest.sources.names,
        createRandom(seed).fork("cold start"),
      );
    if (cold) result = { ...result, content: withColdStart(result.content, cold) };
    const exposureBegun = performance.now();
    if (exposure) {
      const rounds = output.progress("exposure limits", 1);
      try {
        const content = await withExposure(result.content, matrix, exposure, {
          random: createRandom(seed).fork("exposure"),
          signal,
          onRound: (round, of, reached) => rounds.update(round / of, `largest share ${reached.toFixed(3)}`),
        });
        result = { ...result, content };
      } catch (error) {
        if (signal.aborted) throw stopped(error);
        throw error;
      } finally {
        rounds.stop();
      }
    }
    const reportBegun = performance.now();
    // Its drawing libraries take most of a second to load: only where a report is drawn.
    const { renderReport } = await import("../report/render-report.ts");
    const drawing = output.progress("report", 1);
    const report = await renderReport(result, { signal, onProgress: (done) => drawing.update(done) })
      .catch((error: unknown) => {
        throw signal.aborted ? stopped(error) : error;
      })
      .finally(() => drawing.stop());
    const files = bundleFiles(result, report);
    const manifest = parseManifest(files.get("manifest.json")!); // what no reader would take isn't written
    await turn();
    if (signal.aborted) throw stopped();
    const replaced = await writeBundleFolder(out, files, { force });
    if (replaced !== null) output.remark(`${out} held another bundle, ${replaced}: it is replaced`);
    const timings: Record<string, number> = {
      reading: read,
      ...result.timings,
      ...(cold && { "cold start": exposureBegun - coldBegun }),
      ...(exposure && { "exposure limits": reportBegun - exposureBegun }),
      "report and writing": performance.now() - reportBegun,
    };
    const digest = `sha256:${sha256Hex(files.get("manifest.json")!)}`;
    const words = [
      ...(output.json ? closingWords : closingSummary)(manifest),
      ...(cold ? coldStartWords(manifest) : []),
      ...exposureWords(manifest),
      ...(manifest.base ? ["", ...baseWords(manifest)] : []),
    ];
    const memory = process.resourceUsage().maxRSS * 1024;
    if (output.json) {
      output.document({
        bundle: out,
        digest,
        provider: reason,
        manifest,
        words,
        milliseconds: timings,
        peakMemory: memory,
      });
      return 0;
    }
    for (const line of words) output.line(line);
    output.line();
    output.line(`${manifest.benchmark}@${manifest.version} in ${out}, ${digest}`);
    output.remark(
      `time: ${Object.entries(timings)
        .map(([stage, time]) => `${stage} ${(time / 1000).toFixed(1)} s`)
        .join(
          ", ",
        )}; ${((performance.now() - begun) / 1000).toFixed(1)} s in all, ${Math.round(memory / 1e6)} MB at most`,
    );
    return 0;
  },
};

/** Says of every total that is no form of its own which form it is. */
function sameForms(totals: readonly number[], forms: readonly Omit<FormManifest, "digest">[]): string[] {
  const itemsOf = ({ scenarios }: Omit<FormManifest, "digest">): number =>
    Object.values(scenarios).reduce((sum, { items }) => sum + items, 0);
  return totals
    .filter((total) => !forms.some(({ id }) => id === `total-${total}`))
    .map((total) => `--total ${total} is form ${forms.find((form) => itemsOf(form) === total)!.id}`);
}

function stopped(cause?: unknown): AnchorEvalError {
  return new AnchorEvalError("aborted", "the fit was stopped; nothing was written", { cause });
}
