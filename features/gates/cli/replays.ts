import { invalidOption } from "anchoreval/internal/core/errors";
import { replayCheck, replayGate, type ReplayedGate } from "anchoreval/internal/features/gates/sdk/replay-check";
import { replayThreshold } from "anchoreval/internal/features/gates/sdk/replay-threshold";
import { replayedModel } from "anchoreval/internal/features/gates/sdk/replayed-model";
import { counted, percent, points, textTable, listed, wholePercent } from "anchoreval/internal/words/figures";
import { type CommandInput } from "../../../cli/src/program/command.ts";
import { readDropRule, readSides } from "../../compare/cli/check-options.ts";
import { withAnswers, readAnswersAt } from "../../../cli/src/options/answers.ts";
import { warningLines } from "../../../cli/src/program/output.ts";
import { gateBaseline, gatePower } from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { formItemIds } from "anchoreval/internal/core/bundle/bundle";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { flipChance } from "anchoreval/internal/features/gates/sdk/item-chances";
import { readBundle } from "../../../cli/src/bundles/open-bundle.ts";
import { readPoints } from "../../../cli/src/options/scale.ts";

/** Drops whose power a table shows, as fractions. */
const DROPS = [0.01, 0.02, 0.03, 0.05, 0.1];
/** Runs that a replayed check averages. */
const RUNS = [1, 3, 7];
/** How far below a recorded score a threshold lies, as fractions. */
const THRESHOLDS = [0.01, 0.02, 0.03];
/** Nights within which a gate finds a drop. */
const WITHIN = 30;

/**
 * `check --table`: what the check of one night, the gate over nights and a threshold on one number are worth, by replays of
 * the baseline's own model.
 */
export async function printReplays(input: CommandInput): Promise<void> {
  const { options, output } = input;
  options.refuse(["responses", "min-score", "save", "junit", "summary"], "is for a check, --table for its replays");
  const rule = readDropRule(options);
  const nights = options.number("nights", { min: 10, max: 1e6, integer: true }, 2000);
  const replays = Math.ceil(nights / 10);
  const seed = options.number("seed", { min: 0, integer: true }, 1);
  const form = options.text("form");
  const { bundle, baselines } = await readSides(input);
  const asked = { ...rule, nights, seed, drops: DROPS, ...(form !== undefined && { form }) };
  const model = replayedModel(bundle, baselines, asked);
  const replayed = replayCheck(bundle, baselines, { ...asked, runs: RUNS }, model);
  const graded = baselines.some(({ responses }) => [...responses.values()].some((score) => score !== null && score % 1 !== 0)); // prettier-ignore
  const gates: readonly ReplayedGate[] = graded ? [] : replayGate(bundle, baselines, { ...asked, form: replayed.form, within: WITHIN }); // prettier-ignore
  const thresholds = replayThreshold(bundle, baselines, { ...asked, thresholds: THRESHOLDS }, model);
  const { benchmark, version } = bundle.manifest;
  const row = (looked: string, items: number, alarms: number, years: number, power: readonly number[]): string[] => [
    looked,
    String(items),
    alarms === 0 ? `under ${figure(3 / years)}` : figure(alarms),
    ...power.map((share) => percent(share)),
  ];
  const rows = [
    ...replayed.checks.map(({ items, runs, alarmsAYear, power }) =>
      row(counted(runs, "run"), items, alarmsAYear, nights / rule.runsPerYear, power),
    ),
    ...gates.map(({ items, within, alarmsAYear, power }) =>
      row(`${within} nights`, items, alarmsAYear, (replays * within) / rule.runsPerYear, power)), // prettier-ignore
    ...thresholds.map(({ items, below, alarmsAYear, power }) =>
      row(`score −${Math.round(100 * below)}`, items, alarmsAYear, nights / rule.runsPerYear, power)), // prettier-ignore
  ];
  const { warnings } = withAnswers({ warnings: [] }, baselines);
  output.result({ benchmark, version, ...replayed, gates, thresholds, drops: DROPS, nights, warnings }, [
    `${benchmark} ${version}, form ${replayed.form}: replayed from ${replayed.baselines} runs of the baseline, which answer ${percent(replayed.flips)} of the items otherwise from run to run`,
    "",
    ...textTable(
      [["looked at", "items", "false alarms a year", ...DROPS.map((drop) => `drop of ${Math.round(100 * drop)}`)], ...rows], // prettier-ignore
      `lrrr${DROPS.map(() => "r").join("")}`,
    ),
    "",
    `Found: by a single check that averages so many runs and allows a drop of ${points(rule.maxDrop)} points${graded ? "" : `; by --history, within ${WITHIN} nights of the drop, with half of the items (the mean of random halves) and with all`}; by a threshold so many points below a recorded run's score, without a look at either's noise. ${nights} checks of an unchanged model, ${replays} of each drop${graded ? "" : `, and ${replays} gates of each`}; a worse model is one whose logits all fell alike.`,
    ...warningLines(warnings),
    ...(graded ? ["--history is left out: it takes answers that are right or wrong, and some of these are graded."] : []), // prettier-ignore
  ]);
}

function figure(value: number): string {
  return String(Number(value.toPrecision(2)));
}

/** Share of the drops that a form shall find. */
const ASKED = 0.8;

/** A form as a gate, with so many of the baselines. */
interface PlannedGate {
  readonly form: string;
  readonly items: number;
  readonly baselines: number;
  /** Share of drops that are found. */
  readonly found: number;
}

/** Replays of each form. */
const REPLAYS = 200;

/**
 * `plan --gate`: which of a bundle's forms finds a drop within some nights, by replays from baselines' runs.
 * @throws AnchorEvalError as `gateFromAnchors`
 */
export async function planGate({ options, output, signal }: CommandInput): Promise<void> {
  options.refuse(["half-width", "gap", "ranked-right", "level"], "isn't for a gate");
  const goal = {
    drop: readPoints(options, "drop") ?? 0.03,
    nights: options.number("nights", { min: 1, max: 1000, integer: true }, 30),
    alarmsPerYear: options.number("alarms-per-year", {}, 1),
    runsPerYear: options.number("runs-per-year", {}, 365),
    seed: options.number("seed", { min: 0, integer: true }, 1),
    replays: REPLAYS,
  };
  const paths = options.texts("baseline");
  if (paths.length < 2)
    throw invalidOption("--gate replays what differs between runs of one model: give --baseline two times or more");
  const bundle = await readBundle(options, signal);
  const runs: ReadonlyMap<string, number | null>[] = [];
  for (const path of paths) runs.push((await readAnswersAt(path)).answers);
  const threshold = goal.runsPerYear / goal.alarmsPerYear;
  const planned: PlannedGate[] = [];
  let flips: number | null = null;
  for (const { id: form } of bundle.manifest.forms) {
    const ids = [...bundle.scenarios.values()].flatMap((scenario) => formItemIds(scenario, form));
    const missing = ids.filter((id) => runs.some((run) => typeof run.get(id) !== "number"));
    if (missing.length > 0) {
      output.remark(`form ${form} is left out: ${missing.length} of its ${counted(ids.length, "item")} aren't answered in every baseline (${missing[0]!})`); // prettier-ignore
      continue;
    }
    const answered = runs.map((run) => ({ responses: new Map(ids.map((id) => [id, run.get(id)!])) }));
    for (const baselines of [...new Set([2, Math.ceil(runs.length / 2), runs.length])].filter(
      (k) => k >= 2 && k <= runs.length,
    )) {
      // prettier-ignore
      const gate = gateBaseline(bundle, answered.slice(0, baselines), { form });
      planned.push({ form, items: ids.length, baselines, found: gatePower(gate, { ...goal, threshold }) });
      flips = flipChance(gate.model.spreads[(gate.model.spreads.length - 1) / 2]!);
    }
  }
  if (planned.length === 0 || flips === null)
    throw invalidOption(`no form of this bundle is answered whole in every one of ${listed(paths)}`);
  const enough = planned.filter(({ found: power }) => power >= ASKED).sort((a, b) => a.items - b.items || a.baselines - b.baselines)[0] ?? null; // prettier-ignore
  const perNight = normalQuantile(1 - 1 / threshold) + normalQuantile(ASKED);
  const oneNight = Math.ceil((((perNight / goal.drop) ** 2 * flips) / 2) * (1 + 1 / runs.length));
  const { benchmark, version } = bundle.manifest;
  const what = `a drop of ${points(goal.drop)} points`;
  output.result({ benchmark, version, ...goal, gates: planned, enough, oneNight }, [
    `${benchmark} ${version}: shares of ${what} that check --history finds within ${goal.nights} nights, at most ${goal.alarmsPerYear} false alarms in ${goal.runsPerYear}`,
    "",
    ...textTable(
      [
        ["form", "items", "baseline runs", "found"],
        ...planned.map((gate) => [gate.form, String(gate.items), String(gate.baselines), wholePercent(gate.found)]),
      ],
      "lrrr",
    ),
    "",
    enough === null
      ? "None finds four in five: give more baseline runs, more nights, or a larger form."
      : `Form ${enough.form} is enough, with ${enough.baselines} baseline runs: four in five are found.`,
    `The check of one night takes about ${oneNight} random items and ${runs.length} baseline runs for that.`,
    `${goal.replays} replays each of the baseline's own model, all logits lower from the first night on.`,
  ]);
}
