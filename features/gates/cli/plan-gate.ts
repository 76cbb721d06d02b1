import { gateBaseline, gatePower } from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { formItemIds } from "anchoreval/internal/core/bundle/bundle";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { flipChance } from "anchoreval/internal/features/gates/sdk/item-chances";
import { counted, listed, points, textTable, wholePercent } from "anchoreval/internal/words/figures";
import { type CommandInput, invalidOption } from "../../../cli/src/program/command.ts";
import { readBundle } from "../../../cli/src/bundles/open-bundle.ts";
import { readAnswersAt } from "../../../cli/src/options/answers.ts";
import { readPoints } from "../../../cli/src/options/scale.ts";

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
