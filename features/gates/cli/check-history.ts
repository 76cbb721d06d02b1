import { gateFromAnchors, type GateResult } from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { resolveModels } from "anchoreval/internal/compare/common-answers";
import { counted, points } from "anchoreval/internal/words/figures";
import type { ReadModel } from "anchoreval/internal/node/anchor-logs";
import { type CommandInput, invalidOption } from "../../../cli/src/program/command.ts";
import { writeJunit } from "../../../cli/src/program/junit.ts";
import { withAnswers } from "../../../cli/src/options/answers.ts";
import { EXIT_CODES, readDropRule, readSides } from "../../../cli/src/options/check.ts";
import { addSummary, plainLines, readSideFile, type ResultParts } from "../../../cli/src/program/summary.ts";
import { addNight, baselineDigest } from "./history.ts";
import { warningLines } from "../../../cli/src/program/output.ts";

/**
 * `check --history`: adds tonight's answers to a history and checks all of its nights. Nothing is written where they are
 * refused.
 * @returns the check's exit code
 * @throws AnchorEvalError as `gateFromAnchors` and `addNight`
 */
export async function checkHistory(input: CommandInput): Promise<number> {
  const { output } = input;
  const file = (await readSideFile(input.options, "history"))!;
  input.options.refuse(["min-score", "save"], "is for the check of one night, which --history isn't");
  if (input.options.texts("responses").length !== 1)
    throw invalidOption("--history takes one night: give one --responses");
  if (input.options.texts("baseline").length < 2)
    throw invalidOption("--history needs what differs between runs of one model: give --baseline two times or more");
  const options = readDropRule(input.options);
  const summary = await readSideFile(input.options, "summary");
  const junit = await readSideFile(input.options, "junit");
  const { bundle, runs, baselines } = await readSides(input);
  const [run] = runs as [ReadModel];
  const { benchmark, version } = bundle.manifest;
  const { form } = resolveModels(
    bundle,
    [run, ...baselines],
    ["tonight", ...baselines.map(({ name }) => name)],
    options,
  );
  const asked = new Set([...bundle.scenarios.values()].flatMap(({ forms }) => forms.get(form)!.itemIds));
  const inForm = ({ responses }: ReadModel) => new Map([...responses].filter(([id]) => asked.has(id)));
  const baseline = baselineDigest(baselines.map((earlier) => ({ responses: inForm(earlier) })));
  const key = { benchmark, version, digest: bundle.digest, form, baseline };
  const { warnings } = resolveModels(bundle, [run], ["tonight"], { ...options, form });
  gateFromAnchors(bundle, [{ ...run, name: "tonight" }], baselines, { ...options, form, replays: 0 }); // or it refuses them
  const nights = await addNight(file, key, Object.fromEntries(inForm(run)), input.options.text("night"));
  const models = nights.map((night) => ({ responses: night.responses, name: `night ${night.night}`, form }));
  const nightly = gateFromAnchors(bundle, models, baselines, { ...options, form });
  const gate = withAnswers({ ...nightly, warnings: [...warnings, ...nightly.warnings] }, [run, ...baselines]);
  const names = nights.map((night) => night.night);
  const parts = gateParts(gate, names);
  const result = { ...gate, night: names.at(-1), alarm: gate.alarm && { night: names[gate.alarm.night], since: names[gate.alarm.since] } }; // prettier-ignore
  output.result(result, plainLines(parts));
  const [headline] = plainLines(parts);
  await addSummary(summary, `${benchmark} ${version}: ${headline!}`, parts.slice(1));
  if (junit !== undefined)
    await writeJunit(junit, `${benchmark} ${version}, form ${form}`, [{ name: "no change for the worse", verdict: gate.verdict, words: headline! }], plainLines(parts)); // prettier-ignore
  return EXIT_CODES[gate.verdict];
}

function gateParts(
  {
    verdict,
    nights,
    alarm,
    drop,
    alarms,
    power,
    level,
    baselines,
    answered,
    ...gate
  }: Omit<GateResult, "warnings"> & {
    readonly warnings: readonly { readonly message: string }[];
  },
  names: readonly string[],
): ResultParts {
  const over = counted(nights, "night");
  const mean =
    drop.drop === null
      ? `The drop is not known: ${drop.reason!}.`
      : `Mean drop of the ${over}, on all items: ${points(drop.drop)} points, from ${points(drop.low!)} to ${points(drop.high!)}, each end with ${Math.round(100 * level)} % confidence whenever you look.`;
  const headline = {
    regressed: `regressed: it answers worse, most likely since about night ${names[alarm?.since ?? 0]!}; first seen after night ${names[alarm?.night ?? 0]!}`,
    passed: `passed: no change in ${over}, and a mean drop of more than ${points(drop.maxDrop)} points is ruled out`,
    undecided: `can't tell: no alarm in ${over}, but a mean drop of ${points(drop.maxDrop)} points isn't ruled out`,
  }[verdict];
  const promise = `An unchanged model raises at most ${alarms.perYear} false ${alarms.perYear === 1 ? "alarm" : "alarms"} in ${alarms.runsPerYear} nights on average`;
  const promised =
    power === null
      ? ""
      : `; a drop of ${points(power.drop)} points is found within ${power.nights} nights in ${Math.round(100 * power.share)} of 100 cases, replayed from the baseline`;
  return [
    headline,
    `${promise}${promised}.`,
    "",
    `${gate.benchmark} ${gate.version}, form ${gate.form}: ${over} against ${baselines} runs of the baseline, ${answered} items`,
    `Evidence of a change: ${gate.evidence < 0.01 ? "under 0.01" : Number(gate.evidence.toPrecision(2))}; it alarms at ${Number(gate.threshold.toPrecision(4))}, whatever the size of the change.`,
    mean,
    ...(verdict === "regressed" ? ["If nothing changed after all, begin a new history; else mend the model, or take it for the new baseline."] : []), // prettier-ignore
    ...warningLines(gate.warnings),
  ];
}
