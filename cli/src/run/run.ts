import { join } from "node:path";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { estimate } from "anchoreval/internal/features/sdk-estimate";
import { count, counted } from "anchoreval/internal/words/figures";
import { fittedChoices, modelAnswers, readAnchorLogs } from "anchoreval/internal/node/logs/anchor-logs";
import { type Command, flag, given, option, type OptionReader, rare, stoppableBy } from "../program/command.ts";
import { writeOver } from "../program/errors.ts";
import { ESTIMATE_PARTS } from "../../../features/cli-estimate.ts";
import { estimateWords, loggedWords } from "../commands/estimate.ts";
import { allAnchors, formAnchors, namedAnchors } from "anchoreval/internal/logs/anchor-names";
import { ITEMS_OPTION, placeAnchors, quote, refuseOtherNumbers } from "../bundles/form-anchors.ts";
import { readBundle } from "../bundles/open-bundle.ts";
import { ANSWER_DATA_OPTIONS, estimateOptions, LEVEL_OPTION, withAnswers } from "../options/answers.ts";
import { checkWritable } from "../program/out.ts";
import { openHarness } from "../program/trainer.ts";
import { addSummary, plainLines, readSideFile, SUMMARY_OPTION } from "../program/summary.ts";
import { runHarness, findHarness, RUNNERS, type Runner } from "./harness-process.ts";
import type { RunCommand } from "./plan.ts";
import { otherHarness } from "./same-items.ts";
import { beginRun, findRunFolder, finishRun, type RunRequest } from "./run-folder.ts";

const { metric, filter, "drop-changed": dropChanged } = ANSWER_DATA_OPTIONS;

export const runCommand: Command = {
  operands: { usage: "-- ARGUMENTS…", afterDashes: true },
  options: {
    Data: {
      bundle: option("BUNDLE", "the bundle", { required: true }),
      form: option("ID", "form to ask (default: the bundle's default form)"),
      harness: option("HARNESS", `${RUNNERS.join(" or ")} (default: the one that the bundle's models were run with)`, {
        choices: RUNNERS,
      }),
      ...ITEMS_OPTION,
      ...rare({ metric, filter, "drop-changed": dropChanged }),
    },
    Estimate: LEVEL_OPTION,
    Output: {
      out: option("DIR", "folder of this run (default: runs/…, named after what is run)"),
      ...SUMMARY_OPTION,
      "dry-run": flag("print the harness's command, and run nothing"),
    },
  },
  examples: [
    "run --bundle bundles/quiz --form 50 --harness lm-eval -- --model hf --model_args pretrained=MODEL",
    "run --bundle bundles/quiz --harness inspect -- quiz.py --model openai/gpt-4o",
  ],
  run: async ({ operands, options, output, signal }) => {
    if (operands.length === 0)
      throw invalidOption("nothing says which model to run: give the harness's own arguments after --");
    const out = options.text("out");
    if (out !== undefined) await checkWritable("--out", out);
    const dryRun = options.flag("dry-run");
    if (dryRun) options.refuse(["summary"], "is for a run's result, and --dry-run has none");
    const summary = await readSideFile(options, "summary");
    const bundle = await readBundle(options, signal);
    const from = chooseRunner(options, bundle);
    const { manifest } = bundle;
    for (const part of ESTIMATE_PARTS) {
      const why = part.refusesSingle?.(bundle) ?? null;
      if (why === null) continue;
      const instead = "run the harness with trials, and give its logs to estimate";
      throw new AnchorEvalError("unsupported", `${why}, and run has one answer of each: ${instead}`);
    }
    const form = options.text("form") ?? manifest.defaultForm;
    const records = formAnchors(await placeAnchors(allAnchors(bundle), options.text("items")), form);
    if (!options.isGiven("items"))
      refuseOtherNumbers(bundle, records, { harness: from, byContent: true, unchecked: from === "inspect" });
    const { anchors, fields } = namedAnchors(records, options.isGiven("items") ? null : bundle);
    const harness = await findHarness(from).catch((error: unknown) => {
      if (!dryRun) throw error;
      output.remark(`warning: ${(error as Error).message}`);
      return null;
    });
    const request: RunRequest = {
      ...{ benchmark: manifest.benchmark, version: manifest.version, digest: bundle.digest, form, harness: from },
      documents: documentsOf(anchors),
      arguments: operands,
    };
    const { folder, begun } = await findRunFolder(request, out);
    const asked = { metric: options.texts("metric"), filter: options.texts("filter") };
    const { planLmEval } = await import("./lm-eval-run.ts");
    const { planInspect } = await import("./inspect-run.ts");
    const planned = { "lm-eval": planLmEval, inspect: planInspect }[from]({
      ...{ bundle, anchors, fields, words: operands, harness, folder, signal },
      choose: fittedChoices(bundle, from, asked),
      dropChanged: options.flag("drop-changed"),
    });
    const plan = await stoppableBy(signal, "run")(planned);
    const remarks = [...otherHarness(manifest.protocol, from), ...plan.remarks];
    for (const words of remarks) output.remark(`warning: ${words}`);
    const of = manifest.scenarios.reduce((sum, scenario) => sum + scenario.items, 0);
    const run = {
      folder,
      harness: from,
      asked: plan.anchors.length,
      of,
      commands: plan.commands.map(({ words }) => words),
    };
    if (dryRun) {
      output.result({ run: { ...run, warnings: remarks } }, [
        ...run.commands.map((words) => words.map(quote).join(" ")),
        "",
        `${costWords(run)}. Nothing was run, and nothing written: a run makes ${folder}.`,
      ]);
      return;
    }
    await beginRun(folder, request);
    for (const [file, text] of plan.files) await writeOver(file, text);
    output.remark(`${folder}: ${begun ? "goes on with the run that was broken off" : counted(run.asked, "item")}`);
    for (const command of plan.commands) {
      if (command.done) continue;
      output.remark(`$ ${command.words.map(quote).join(" ")}`);
      await runToEnd(command, folder, { signal, quiet: options.flag("quiet") });
    }
    const logs = join(folder, "logs");
    const model = await readAnchorLogs(bundle, [logs], {
      ...{ ...asked, form, anchors: plan.anchors, harness: await openHarness(from, "run") },
    });
    const { took } = model;
    const reading = { hashes: model.hashes, form, ...estimateOptions(options) };
    const scored = estimate(bundle, modelAnswers(model), reading);
    const news = model.warnings.filter(({ message }) => !remarks.includes(message)); // else said before the run
    const answered = withAnswers(scored, [{ ...model, warnings: news }]);
    const result = { ...answered, ...given({ took }), run: { ...run, model: model.name, warnings: remarks } };
    await finishRun(folder, result);
    const { heading, parts } = await estimateWords(answered);
    const costs = [
      `${costWords(run)}.`,
      ...(took ? [loggedWords(took, answered.answered, model.trials !== undefined)] : []),
    ];
    output.result(result, [
      `${model.name} on ${plainLines(parts).join("\n")}`,
      "",
      ...costs,
      ...(options.flag("quiet") ? remarks.map((words) => `warning: ${words}`) : []), // else said already
      `Everything lies in ${folder}: the logs in ${logs}, this result in ${join(folder, "estimate.json")}.`,
    ]);
    await addSummary(summary, `${model.name} on ${heading}`, [
      ...parts,
      ...costs,
      ...remarks.map((words) => `warning: ${words}`),
    ]);
  },
};

function chooseRunner(options: OptionReader, { manifest }: Bundle): Runner {
  const fitted = RUNNERS.find((name) => name === manifest.protocol["harness"]);
  if (fitted === undefined && !options.isGiven("harness"))
    throw invalidOption(`--harness is needed: ${RUNNERS.join(" or ")}`);
  return options.oneOf("harness", RUNNERS, fitted ?? "lm-eval");
}

function documentsOf(anchors: readonly AnchorRecord[]): RunRequest["documents"] {
  const documents = new Map<string, (string | number)[]>(anchors.map(({ task }) => [task ?? "", []]));
  for (const { item_id, task, doc_id } of anchors) documents.get(task ?? "")!.push(doc_id ?? item_id);
  return Object.fromEntries(documents);
}

/** Runs a harness's command to its end. @throws AnchorEvalError `unavailable`, `aborted`, saying how to go on */
async function runToEnd(
  { words, broken }: RunCommand,
  folder: string,
  { signal, quiet }: { readonly signal: AbortSignal; readonly quiet: boolean },
): Promise<void> {
  const log = quiet ? join(folder, "harness.log") : undefined;
  const again = "the same call of anchoreval run again";
  const code = await runHarness(words, { signal, ...given({ log }) }).catch((error: unknown) => {
    if (!(error instanceof AnchorEvalError) || error.code !== "aborted") throw error;
    const kept = `what was answered is kept in ${folder}: ${again} goes on from there`;
    throw new AnchorEvalError("aborted", `${error.message}; ${kept}`, { cause: error });
  });
  const early = (await broken?.()) ?? null;
  if (code === 0 && early === null) return;
  const ended = [
    code === 0
      ? "ended before all was answered"
      : `ended with ${typeof code === "number" ? "exit code " : ""}${code}${log === undefined ? "" : ` (its output is in ${log})`}`,
    ...(early === null ? [] : [early.reason]),
  ];
  throw new AnchorEvalError(
    "unavailable",
    `${words[0]!} ${ended.join(": ")}; ${early?.answered === 0 ? `nothing was answered: ${again} begins anew in ${folder}` : `what was answered is kept in ${folder}: ${again} goes on from there`}`,
  );
}

function costWords({ asked, of }: { readonly asked: number; readonly of: number }): string {
  return `${counted(asked, "item")} in place of ${count(of)}: a full run would ask ${(of / asked).toFixed(1)} times as many`;
}
