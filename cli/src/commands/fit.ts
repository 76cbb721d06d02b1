import { availableParallelism } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import { dimsFor } from "anchoreval-trainer/internal/calibrate/bank";
import { DIMENSION_CANDIDATES } from "anchoreval-trainer/internal/calibrate/choose-model";
import {
  exposurePlan,
  exposureWords,
  withExposure,
} from "anchoreval-trainer/internal/extensions/adaptive/with-exposure";
import { coldStartWords, fitColdStart, withColdStart } from "anchoreval-trainer/internal/extensions/routing/cold-start";
import { bundleFiles, fit } from "anchoreval-trainer/internal/fit/fit";
import { foldThreads } from "anchoreval-trainer/internal/fit/folds";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import { readName } from "anchoreval-trainer/internal/publish/bundle-name";
import { checkBundleFolder, writeBundleFolder } from "anchoreval-trainer/internal/publish/bundle-folder";
import { closingSummary, closingWords } from "anchoreval-trainer/internal/report/closing-words";
import { type FormManifest, parseManifest, sha256Hex } from "anchoreval/bundle";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import { baseWords } from "anchoreval/words";
import { BASE_OPTIONS, baseRecipe, readBasedVersion, readBaseOption } from "../options/base.ts";
import { fileDate, givenDate } from "../options/bundle.ts";
import { COLD_START_OPTIONS, readColdStart } from "../options/cold-start.ts";
import { rare, type Command } from "../command.ts";
import { FORCE_OPTION } from "../out.ts";
import { EXPOSURE_OPTIONS, readExposure } from "../options/exposure.ts";
import { FAMILIES_OPTION, readFamilies } from "../options/model-files.ts";
import {
  checkAskedSizes,
  METHOD_OPTIONS,
  THREADS_OPTION,
  WORK_OPTIONS,
  readMethod,
  readRecipe,
  readSizes,
} from "../options/fit.ts";
import { readImportFacts, readResponseOptions, RESPONSE_OPTIONS } from "../options/data.ts";
import { memoryStatement } from "../memory.ts";
import { readSubsetInputs, SUBSET_OPTIONS } from "../options/sublime.ts";

export const fitCommand: Command = {
  options: {
    Data: { ...RESPONSE_OPTIONS, ...FAMILIES_OPTION, ...rare(BASE_OPTIONS), ...rare(COLD_START_OPTIONS) },
    "What to fit": {
      name: {
        type: "string",
        value: "BENCHMARK@X.Y.Z",
        description: "name and version of the bundle",
        required: true,
      },
      anchors: { type: "string", value: "N[,N…]", description: "anchors per scenario, one form N each" },
      total: {
        type: "string",
        value: "N[,N…]",
        description: "anchors over all scenarios, shared evenly, one form total-N each; may stand beside --anchors",
      },
      ...METHOD_OPTIONS,
      ...rare({
        "second-form": {
          type: "boolean",
          description:
            "for every form N a form N-b of other items, chosen in the same way, of anchors chosen on purpose",
        },
        ...SUBSET_OPTIONS,
        ...EXPOSURE_OPTIONS,
        created: {
          type: "string",
          value: "DATE",
          description: "date of the bundle (default: SOURCE_DATE_EPOCH, else the responses file's)",
        },
        "benchmark-version": { type: "string", value: "TEXT", description: "the benchmark's own version" },
        description: { type: "string", value: "TEXT", description: "a sentence about it" },
        licence: { type: "string", value: "TEXT", description: "licence of the data" },
        source: { type: "string", value: "TEXT", description: "source of the data" },
      }),
    },
    "How to fit": {
      ...WORK_OPTIONS,
      ...rare({
        ...THREADS_OPTION,
        checkpoint: {
          type: "string",
          value: "DIR",
          description: "keep the state of a long fit here; the same command goes on from it",
        },
      }),
    },
    Output: {
      out: { type: "string", value: "DIR", description: "folder of the bundle", required: true },
      ...FORCE_OPTION,
      ...rare({
        "include-model-names": { type: "boolean", description: "keep the source models' names" },
        "include-text": { type: "boolean", description: "keep the anchors' texts" },
      }),
    },
  },
  examples: [
    "fit --responses responses.csv.gz --items items.jsonl.gz --anchors 50 --name quiz@1.0.0 --out bundles/quiz",
    "fit --responses scores.csv --total 100,300 --name quiz@1.1.0 --out bundles/quiz-1.1 --seed 7",
  ],
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
    const { renderReport } = await import("anchoreval-trainer/internal/report/render-report");
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
