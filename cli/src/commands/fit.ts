import { groupBy } from "anchoreval/internal/logs/run-log";
import { FIT_PARTS } from "../../../features/cli-fit.ts";
import { availableParallelism } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import { dimsFor } from "anchoreval-trainer/internal/calibrate/bank";
import { furtherCandidates } from "anchoreval-trainer/internal/calibrate/choose-dimension";
import { bundleFiles, fit, type Fit } from "anchoreval-trainer/internal/fit/fit";
import { fitWork, foldThreads, heldOutDraws } from "anchoreval-trainer/internal/fit/folds";
import { readName } from "anchoreval-trainer/internal/fit/options";
import { type DataDigests, provenanceOf } from "anchoreval-trainer/internal/matrix/data-digests";
import { checkBundleFolder, writeBundleFolder } from "anchoreval/internal/node/bundle-folder";
import type { ReadResponses, Responses } from "anchoreval-trainer/internal/matrix/read-responses";
import { closingWords } from "anchoreval-trainer/internal/fit/closing-words";
import { estimandWords } from "anchoreval/internal/core/bundle/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { parseManifest } from "anchoreval/internal/bundles/parse-manifest";
import type { FormManifest } from "anchoreval/internal/core/bundle/manifest";
import { WORDS } from "anchoreval/internal/features/sdk-facts";
import { noiseWords } from "anchoreval/internal/words/bundle-words";
import { formTotals } from "anchoreval/internal/words/measured-forms";
import { additionFacts, errorLines, factLines } from "../bundles/bundle-tables.ts";
import {
  given,
  option,
  optionsOf,
  flag,
  FORCE_OPTION,
  rare,
  stoppableBy,
  type Command,
  type CommandInput,
} from "../program/command.ts";
import { FAMILIES_OPTION, readFamilies } from "../options/model-files.ts";
import {
  checkAskedSizes,
  type PartOfFit,
  type FitBeginning,
  type ReadyPart,
  METHOD_OPTIONS,
  THREADS_OPTION,
  WORK_OPTIONS,
  readMethod,
  readRecipe,
  readSizes,
  remarkCopies,
  remarkReplicates,
  remarkShortOfModels,
  reportOf,
} from "../options/fit.ts";
import {
  fileDate,
  type BoardRecord,
  boardRecord,
  BOARD_OPTIONS,
  givenDate,
  readGivenResponses,
  readImportFacts,
  type ImportFacts,
  readResponseOptions,
  RESPONSE_OPTIONS,
} from "../options/data.ts";
import { SETTINGS, settingsHelp } from "../options/settings.ts";
import { type PartInput, withParts } from "../program/parts.ts";
import { memoryStatement } from "../program/memory.ts";
import { noteOptions, type Provenance } from "../options/provenance.ts";
import { programWords } from "../program/output.ts";

/** Scenarios of which a fit lists every one; of more, the range of their errors. */
const MOST_SCENARIOS = 12;

export const fitCommand: Command = withParts(FIT_PARTS, {
  options: {
    Data: {
      ...RESPONSE_OPTIONS,
      ...FAMILIES_OPTION,
      ...BOARD_OPTIONS,
    },
    "What to fit": {
      name: option("BENCHMARK@X.Y.Z", "name and version of the bundle", { required: true }),
      anchors: option("N[,N…]", "anchors per scenario; one form N for each"),
      total: option("N[,N…]", "anchors over all scenarios, shared evenly or by price; one form total-N for each"),
      ...METHOD_OPTIONS,
      ...rare({
        "second-form": flag("add a form N-b of other items to every form N, for anchors that aren't drawn at random"),
        created: option("DATE", "date of the bundle (default: SOURCE_DATE_EPOCH, else that of the responses file)"),
        "benchmark-version": option("TEXT", "the benchmark's own version"),
        description: option("TEXT", "one sentence on the benchmark"),
        licence: option("TEXT", "licence of the data"),
        source: option("TEXT", "source of the data"),
      }),
    },
    Extensions: {}, // of the parts alone
    "How to fit": {
      ...WORK_OPTIONS,
      ...rare({
        ...THREADS_OPTION,
        checkpoint: option("DIR", "save the state of a long fit here; the same command resumes it"),
      }),
    },
    Output: {
      out: option("DIR", "folder of the bundle", { required: true }),
      ...FORCE_OPTION,
      ...rare({
        "include-model-names": flag("keep the source models' names"),
        "include-text": flag("keep the anchors' texts"),
      }),
    },
  },
  appendix: settingsHelp(SETTINGS),
  examples: [
    "fit --responses responses.csv.gz --items items.jsonl.gz --anchors 50 --name quiz@1.0.0 --out bundles/quiz",
    "fit --responses scores.csv --total 100,300 --name quiz@1.1.0 --out bundles/quiz-1.1 --seed 7",
  ],
  async run({ options, output, signal }) {
    const begun = performance.now();
    options.required("responses");
    const name = readName(options.required("name"));
    const out = options.required("out");
    const force = options.flag("force");
    await checkBundleFolder(out, { ...name, force });
    const { files, timings, provider, content, parts, board } = await fitAsked({ options, output, signal });
    const before = performance.now();
    const manifest = parseManifest(files.get("manifest.json")!); // a manifest that readers would refuse isn't written
    await stoppableBy(signal, "the fit")(turn());
    const replaced = await writeBundleFolder(out, files, { force });
    if (replaced !== null) output.remark(`${out} held another bundle, ${replaced}: it is replaced`);
    timings["report and writing"]! += performance.now() - before;

    const digest = `sha256:${sha256Hex(files.get("manifest.json")!)}`;
    const memory = process.resourceUsage().maxRSS * 1024;
    const noise = noiseWords(manifest, content.scenarios);
    for (const sentence of noise) output.remark(sentence);
    const estimand = [estimandWords(manifest)].filter((sentence) => sentence !== null);
    const words = [
      ...closingWords(manifest),
      ...estimand,
      ...noise,
      ...parts.flatMap((part) => part.words?.(manifest) ?? []).map(programWords),
      ...WORDS.flatMap((words) => words(manifest)),
    ];
    const made = { bundle: out, digest, provider };
    const place = [
      ["bundle", `${manifest.benchmark}@${manifest.version} in ${out}`] as const,
      ["digest", digest] as const,
    ];
    output.result({ ...made, ...given({ board }), manifest, words, milliseconds: timings, peakMemory: memory }, [
      ...errorLines(manifest, { most: MOST_SCENARIOS }),
      ...estimand,
      "",
      ...factLines([...additionFacts(manifest), ...place]),
    ]);
    if (output.json) return;
    const stages = Object.entries(timings).map(([stage, time]) => `${stage} ${(time / 1000).toFixed(1)} s`);
    output.remark(
      `time: ${stages.join(", ")}; ${((performance.now() - begun) / 1000).toFixed(1)} s in all, ${Math.round(memory / 1e6)} MB at most`,
    );
  },
});

/** Facts of a fit that aren't options, and who looks at its data first. */
interface FitTerms {
  /** @default those of import.json beside the responses */
  readonly facts?: ImportFacts;
  /** Sees the digests of the answers before they are fitted. */
  readonly check?: (data: DataDigests) => void;
}

/** A bundle's files before they are written. */
interface AskedFit {
  readonly files: ReturnType<typeof bundleFiles>;
  readonly content: Fit["content"];
  readonly parts: readonly PartOfFit[];
  /** Milliseconds by stage. */
  readonly timings: Record<string, number>;
  /** Where it was calibrated, and why there. */
  readonly provider: string;
  /** The board as it came in, where it is one. */
  readonly board?: BoardRecord;
}

/** Fits the bundle that options ask for. */
export async function fitAsked(
  { options, output, signal }: Omit<CommandInput, "operands">,
  { facts: imported, check }: FitTerms = {},
): Promise<AskedFit> {
  const begun = performance.now();
  const { responses, ...reading } = readResponseOptions(options);
  const name = readName(options.required("name"));
  const provider = options.oneOf("provider", PROVIDERS, "auto");
  const threads = options.number("threads", { min: 1, max: 256, integer: true }, availableParallelism());
  const seed = options.number("seed", { min: 0, integer: true }, 1);
  const secondForms = options.flag("second-form");
  const checkpoint = options.text("checkpoint");
  const facts = imported ?? (await readImportFacts(responses));
  const beginning = await beginningOf({ options, output, signal });
  const named = await readRecipe(options);
  const recipe = beginning ? await beginning.recipe(named) : named;
  const sizesOf = readSizes(options, recipe);
  const method = await readMethod(options, beginning ? {} : facts, recipe);
  const date = givenDate(options);
  const families = await readFamilies(options);
  const input = { options, output, signal, seed, method, reading };
  const ready: ReadyPart[] = [];
  for (const part of FIT_PARTS) ready.push((await part.read?.(input)) ?? (() => ({})));

  const kept = beginning && (await beginning.read({ ...input, name }));
  const first: Responses & Partial<ReadResponses> =
    kept?.board ?? (await readGivenResponses(options, { responses, ...reading }));
  let board: Responses = first;
  for (const remark of board.remarks) output.remark(remark);
  checkAskedSizes(options, board.matrix.items);
  const made: PartOfFit[] = [];
  for (const partOn of ready) {
    const part = await partOn(board);
    board = part.board ?? board;
    made.push(part);
  }
  if (kept) made.push(kept);
  const parts = made.flatMap(({ part }) => part ?? []);
  const { matrix } = board;
  const digests = provenanceOf(matrix);
  check?.(digests.data);
  const read = performance.now() - begun;

  const [models, items] = [matrix.subjects.length, matrix.items.length];
  const itemsOf = groupBy(matrix.items, ({ scenario }) => scenario);
  const scenarios = itemsOf.size;
  const counts = sizesOf({ scenarios, items });
  const work = fitWork(matrix, method);
  const { backend, provider: calibrating, reason } = await resolveBackend(provider, { threads, work });
  output.remark(reason);
  const each = { models, items: Math.ceil(items / scenarios) };
  const further = method.settings.dims === "auto" ? furtherCandidates(backend, each) : [];
  const folds = foldThreads(calibrating, threads, models * items);
  const size = {
    models,
    items,
    largest: Math.max(...Array.from(itemsOf.values(), ({ length }) => length)),
    scenarios,
    sizes:
      (secondForms ? 2 : 1) * (counts.sizes.length + counts.totals.length) +
      parts.flatMap(({ forms = [] }) => forms).length,
    draws: heldOutDraws(models, method.settings),
    dims: dimsFor(Math.max(work.dims, ...further), models),
    threads: folds?.count ?? 1,
  };
  output.remark(memoryStatement(size, process.availableMemory()));
  remarkShortOfModels(output, method, models);

  const stoppable = stoppableBy(signal, "the fit");
  const described = {
    ...name,
    created: date ?? (await fileDate(responses)),
    ...given({
      protocol: facts.protocol,
      benchmarkVersion: options.text("benchmark-version"),
      description: options.text("description"),
      licence: options.text("licence"),
      source: options.text("source"),
    }),
    includeModelNames: options.flag("include-model-names"),
    includeText: options.flag("include-text"),
  };
  const asNoted = await noteOptions(optionsOf(fitCommand), options, { provider: calibrating, signal });
  const provenance: Provenance = { ...digests, fit: asNoted };
  const tools = given({ threads: folds, checkpoint });
  const result = await output.during("fitting", (onProgress) =>
    stoppable(
      fit(matrix, {
        ...described,
        ...counts,
        ...families,
        ...tools,
        ...{ provenance, method, secondForms, parts, seed, backend, signal, onProgress },
      }),
    ),
  );
  remarkCopies(output, result.copies);
  remarkReplicates(output, result.replicates);
  if (options.text("total") !== undefined)
    for (const remark of sameForms(counts.totals, result.content.manifest.forms)) output.remark(remark);
  const timings: Record<string, number> = { reading: read, ...result.timings };
  const before = performance.now();
  const report = await output.during("report", (update) =>
    stoppable(reportOf(result, { threads, signal, onProgress: (done) => update(done, 1) })),
  );
  const files = bundleFiles(result, report);
  timings["report and writing"] = performance.now() - before;
  const checked = first.board && { board: boardRecord(first.board) };
  return { files, timings, provider: reason, content: result.content, parts: made, ...checked };
}

/** The beginning of the fit where a part's options say so; null for the recipe and the answers alone. */
async function beginningOf(input: PartInput): Promise<FitBeginning | null> {
  for (const part of FIT_PARTS) {
    const beginning = await part.begin?.(input);
    if (beginning) return beginning;
  }
  return null;
}

/** Remarks on totals that have no form of their own because another form has as many items. */
function sameForms(totals: readonly number[], forms: readonly Omit<FormManifest, "digest">[]): string[] {
  return totals
    .filter((total) => !forms.some(({ id }) => id === `total-${total}`))
    .map((total) => `--total ${total} is form ${forms.find((form) => formTotals(form).items === total)!.id}`);
}
