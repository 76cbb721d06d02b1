import { replayCheck } from "anchoreval/internal/features/gates/sdk/replay-check";
import { replayGate, type ReplayedGate } from "anchoreval/internal/features/gates/sdk/replay-gate";
import { counted, percent, points, textTable } from "anchoreval/internal/words/figures";
import type { CommandInput } from "../../../cli/src/program/command.ts";
import { readDropRule, readSides } from "../../../cli/src/options/check.ts";
import { withAnswers } from "../../../cli/src/options/answers.ts";
import { warningLines } from "../../../cli/src/program/output.ts";

/** Drops whose power a table shows, as fractions. */
const DROPS = [0.01, 0.02, 0.03, 0.05, 0.1];
/** Runs that a replayed check averages. */
const RUNS = [1, 3, 7];
/** Nights within which a gate finds a drop. */
const WITHIN = 30;

/** `check --table`: what the check of one night and the gate over nights are worth, by replays of the baseline's own model. */
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
  const replayed = replayCheck(bundle, baselines, { ...asked, runs: RUNS });
  const graded = baselines.some(({ responses }) => [...responses.values()].some((score) => score !== null && score % 1 !== 0)); // prettier-ignore
  const gates: readonly ReplayedGate[] = graded ? [] : replayGate(bundle, baselines, { ...asked, form: replayed.form, within: WITHIN }); // prettier-ignore
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
  ];
  const { warnings } = withAnswers({ warnings: [] }, baselines);
  output.result({ benchmark, version, ...replayed, gates, drops: DROPS, nights, warnings }, [
    `${benchmark} ${version}, form ${replayed.form}: replayed from ${replayed.baselines} runs of the baseline, which answer ${percent(replayed.flips)} of the items otherwise from run to run`,
    "",
    ...textTable(
      [["looked at", "items", "false alarms a year", ...DROPS.map((drop) => `drop of ${Math.round(100 * drop)}`)], ...rows], // prettier-ignore
      `lrrr${DROPS.map(() => "r").join("")}`,
    ),
    "",
    `Found: by a single check that averages so many runs and allows a drop of ${points(rule.maxDrop)} points${graded ? "" : `; by --history, within ${WITHIN} nights of the drop, with half of the items (the mean of random halves) and with all`}. ${nights} checks of an unchanged model, ${replays} of each drop${graded ? "" : `, and ${replays} gates of each`}; a worse model is one whose logits all fell alike.`,
    ...warningLines(warnings),
    ...(graded ? ["--history is left out: it takes answers that are right or wrong, and some of these are graded."] : []), // prettier-ignore
  ]);
}

function figure(value: number): string {
  return String(Number(value.toPrecision(2)));
}
